"""Means of scores: moments, t tests, standardised differences, equivalence, Bayes factors."""
