"""How large simulations are: whole in `make thorough`, a part in `make test`, with tolerances wider as it asks for."""

from __future__ import annotations

import os
from math import sqrt

THOROUGH = "THOROUGH" in os.environ


def trials(whole: int, part: int = 4) -> int:
    """The number of repetitions: a quarter of the whole, or another part."""
    return whole if THOROUGH else whole // part


def within(distance: float, part: int = 4) -> float:
    """The tolerated distance, as many standard errors in either case: they are twice as large of a quarter."""
    return distance if THOROUGH else sqrt(part) * distance
