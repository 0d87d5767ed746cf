"""Ratings: a number on a scale, or a label of it."""

from tallybook.instruments.rating.instrument import RatingInstrument

__all__ = ["RatingInstrument"]
