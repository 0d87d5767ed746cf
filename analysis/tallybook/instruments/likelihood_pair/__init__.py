"""Pairs of likelihoods: how likely a model finds each of two texts."""
