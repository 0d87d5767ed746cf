"""Checks of printed numbers against each other, which hold whatever the data."""
