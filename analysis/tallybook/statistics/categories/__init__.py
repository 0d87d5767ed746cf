"""Whole distributions of categories: goodness of fit, contingency, agreement, rankings."""
