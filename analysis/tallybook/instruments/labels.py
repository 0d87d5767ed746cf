"""Labels made comparable and mapped onto declared categories."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources.normalise import normalise

if TYPE_CHECKING:
    from tallybook.study.coding import Categories


def categorise(label: pl.Expr, outcome: Categories) -> pl.Expr:
    """Map labels onto an outcome's categories."""
    meaning = {text: category for category, texts in outcome.labels.items() for text in texts}
    normalised = normalise(label, outcome.normalise)
    mapped = normalised.replace_strict(meaning, default=None, return_dtype=pl.String)
    if not outcome.whole:
        return mapped
    whole = label.replace_strict(outcome.whole, default=None, return_dtype=pl.String)
    return pl.coalesce(whole, mapped)
