"""Estimates in running text: their addresses, and phrases as the style of the APA writes them."""
