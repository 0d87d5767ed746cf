"""Divergences between distributions of categories, their permutation tests and the stereotype score."""
