"""How large simulations are: whole in `make thorough`, a quarter in `make test`, with tolerances twice as wide."""

from __future__ import annotations

import os

THOROUGH = "THOROUGH" in os.environ


def trials(whole: int) -> int:
    """The number of repetitions; their standard error is twice as large where they are a quarter."""
    return whole if THOROUGH else whole // 4


def within(distance: float) -> float:
    """The tolerated distance, as many standard errors in either case."""
    return distance if THOROUGH else 2 * distance
