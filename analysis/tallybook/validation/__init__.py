"""Validation of data: checks, their failures with places, and output as text or data."""
