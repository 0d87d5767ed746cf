"""Readers of dumps: responses that were collected with any tool become one frame of responses."""
