"""Labels made comparable and mapped onto declared categories."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.study.coding import CategoryOutcome, NormaliseStep


def normalise(label: pl.Expr, steps: Sequence[NormaliseStep]) -> pl.Expr:
    """Apply declared steps to labels.

    Args:
        label: An expression of strings.
        steps: The steps, in order.

    Returns:
        The expression of normalised strings.
    """
    for step in steps:
        if step.lower_case:
            label = label.str.to_lowercase()
        elif step.trim:
            label = label.str.strip_chars()
        elif step.strip_start is not None:
            label = label.str.strip_chars_start(step.strip_start)
        elif step.cut_at is not None:
            label = label.str.replace(f"(?s)[{re.escape(step.cut_at)}].*$", "")
        elif step.delete is not None:
            label = label.str.replace_all(f"[{re.escape(step.delete)}]", "")
        elif step.replace is not None:
            label = label.str.replace_all(step.replace[0], step.replace[1], literal=True)
    return label


def categorise(label: pl.Expr, outcome: CategoryOutcome) -> pl.Expr:
    """Map labels onto an outcome's categories.

    Args:
        label: An expression of labels as delivered.
        outcome: The declaration: untouched labels first, then normalised ones.

    Returns:
        The expression of categories; null where no category is declared for the label.
    """
    meaning = {text: category for category, texts in outcome.labels.items() for text in texts}
    normalised = normalise(label, outcome.normalise)
    mapped = normalised.replace_strict(meaning, default=None, return_dtype=pl.String)
    if not outcome.whole:
        return mapped
    whole = label.replace_strict(outcome.whole, default=None, return_dtype=pl.String)
    return pl.coalesce(whole, mapped)
