"""Associations of words with attributes, by their embeddings."""
