"""Reasons why a response chooses no option."""

REASONS = ("no-response", "declined", "off-list", "ambiguous", "tied", "no-options", "no-choice")
"""Every reason."""
