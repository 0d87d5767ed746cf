"""Proportions: exact tests, intervals, comparisons of two groups, rankings and selection rates."""
