"""Ratings: a number on a scale, or a label of it."""
