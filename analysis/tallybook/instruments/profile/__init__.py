"""Profiles: a person described by labelled attributes."""

from tallybook.instruments.profile.instrument import ProfileInstrument

__all__ = ["ProfileInstrument"]
