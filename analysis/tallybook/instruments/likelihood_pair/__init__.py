"""Pairs of likelihoods: how likely a model finds each of two texts."""

from tallybook.instruments.likelihood_pair.instrument import LikelihoodPairInstrument

__all__ = ["LikelihoodPairInstrument"]
