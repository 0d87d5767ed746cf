"""Severities of failures, and from which on data are invalid."""

from __future__ import annotations

from typing import Literal

Severity = Literal["error", "warning", "info"]
SEVERITIES: tuple[Severity, ...] = ("error", "warning", "info")
"""Severities, the gravest first."""

FailOn = Literal["error", "warning"]
"""The least grave failure that makes data invalid."""


def graver(fail_on: FailOn) -> tuple[Severity, ...]:
    """Get the severities that make data invalid.

    >>> graver("warning")
    ('error', 'warning')
    """
    return SEVERITIES[: SEVERITIES.index(fail_on) + 1]
