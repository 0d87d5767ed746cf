"""Proportions: exact tests, intervals, two proportions, and scores of many tests."""
