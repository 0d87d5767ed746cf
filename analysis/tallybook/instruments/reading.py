"""What an instrument makes of responses, before outcomes are coded from it."""

from __future__ import annotations

import polars as pl

VERDICT = "_verdict"
"""The column in which an instrument says that a response has no answer: `refused`, `invalid` or `error`; else null."""


def failed() -> pl.Expr:
    """Whether the source delivered no response, for the request failed."""
    return pl.col("status").is_in(["error", "expired", "canceled"])


def stopped() -> pl.Expr:
    """Whether the source says that the model, or a filter, refused."""
    return pl.col("status").is_in(["refused", "filtered"])


def share_read(read: pl.DataFrame, column: str) -> float:
    """The share of texts that an instrument reads: that give an answer in a column, or decline to."""
    is_read = pl.col(column).is_not_null() | (pl.col(VERDICT) == "refused")
    return read.select(is_read.fill_null(value=False).sum()).item() / max(1, read.height)
