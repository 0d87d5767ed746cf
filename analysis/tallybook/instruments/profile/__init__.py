"""Profiles: a person described by labelled attributes."""
