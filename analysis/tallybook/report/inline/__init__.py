"""Estimates in running text: their addresses, and their phrases in APA style."""
