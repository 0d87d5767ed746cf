"""Why a response has no preference."""

REASONS = ("declined", "no-response", "no-likelihood")
"""Every reason: the request was declined or failed, or a likelihood is missing."""
