"""Regression checks of committed results: whether a study still gives them."""
