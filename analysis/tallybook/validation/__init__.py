"""Validation: what is checked of data, what failed and where, told to people and to machines."""
