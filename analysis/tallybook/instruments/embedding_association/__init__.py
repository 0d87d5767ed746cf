"""Associations of words with attributes, by their embeddings."""

from tallybook.instruments.embedding_association.instrument import EmbeddingAssociationInstrument

__all__ = ["EmbeddingAssociationInstrument"]
