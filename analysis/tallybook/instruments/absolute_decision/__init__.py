"""Absolute decisions: yes or no for one person."""
