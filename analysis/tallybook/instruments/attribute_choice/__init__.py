"""Attribute choices: one of the options of a prompt."""
