"""Why a response has no number, and the units of time that amounts are told by."""

REASONS = ("no-response", "declined", "ambiguous", "unit", "out-of-bounds", "no-number")
"""Every reason why a response has no number; `unit` is that of a unit or currency that the study does not declare."""
UNITS = ("hour", "day", "week", "month", "year")
"""The units of time."""
