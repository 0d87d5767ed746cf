"""Tallybook: from dumps of model responses to validated data, exact statistics and publication-ready reports."""
