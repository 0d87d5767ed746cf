"""Relative decisions: who of several people gets what."""
