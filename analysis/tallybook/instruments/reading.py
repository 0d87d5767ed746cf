"""What an instrument makes of responses, before outcomes are coded from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from tallybook.core.errors import Problem

VERDICT = "_verdict"
"""The column in which an instrument says that a response has no answer: `refused`, `invalid` or `error`; else null."""


class Reading(NamedTuple):
    """Responses as an instrument read them.

    Attributes:
        responses: The responses with the columns that the instrument makes, and `VERDICT`.
        findings: Faults of the data that the study declares as known.
    """

    responses: pl.DataFrame
    findings: tuple[Problem, ...] = ()


def failed() -> pl.Expr:
    """Whether the source delivered no response, for the request failed."""
    return pl.col("status").is_in(["error", "expired", "canceled"])


def stopped() -> pl.Expr:
    """Whether the source says that the model, or a filter, refused."""
    return pl.col("status").is_in(["refused", "filtered"])
