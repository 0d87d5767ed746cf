"""Figures: drawing of estimates and saving of the pictures."""
