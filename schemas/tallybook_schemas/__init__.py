"""Definitions of the frames that cross stage boundaries: their columns, vocabulary and pandera models."""
