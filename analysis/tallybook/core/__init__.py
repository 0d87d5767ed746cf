"""Errors, output, progress and untrusted text, for every part of Tallybook."""
