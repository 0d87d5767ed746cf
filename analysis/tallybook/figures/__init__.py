"""Figures: from estimates to pictures."""
