"""Why a response has no order, and how complete an order is."""

REASONS = ("no-response", "declined", "ambiguous", "direction", "no-ranking")
"""Every reason why a response has no order; `direction` is that of an order that begins with the worst."""
COMPLETENESS = ("complete", "tied", "partial")
"""All options in an order, all but some of them tied, or some of them absent."""
