"""Comparisons of the levels of a factor: of independent groups, and of levels that share their units."""
