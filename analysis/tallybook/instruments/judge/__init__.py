"""Judges: scores or labels that models, scorers or people gave responses, delivered beside the text."""
