"""Association of embeddings (WEAT, SEAT, CEAT) and what it takes."""
