"""Drafting of a study file for a dump that has not been described yet, from guesses about its files and columns."""
