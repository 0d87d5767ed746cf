"""Published numbers against regenerated ones."""
