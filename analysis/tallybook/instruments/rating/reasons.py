"""Why a response has no rating."""

REASONS = ("no-response", "declined", "opted-out", "off-scale", "ambiguous", "no-rating")
"""Every reason."""

REFUSED = ("declined", "opted-out")
"""The reasons of responses that count as refused."""
