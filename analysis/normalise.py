"""Texts made comparable by declared steps."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from schemas.study.normalise import NormaliseStep


def normalise(text: pl.Expr, steps: Sequence[NormaliseStep]) -> pl.Expr:
    """Apply declared steps to texts.

    Args:
        text: An expression of strings.
        steps: The steps, in order.

    Returns:
        The expression of normalised strings.
    """
    for step in steps:
        if step.lower_case:
            text = text.str.to_lowercase()
        elif step.trim:
            text = text.str.strip_chars()
        elif step.strip_start is not None:
            text = text.str.strip_chars_start(step.strip_start)
        elif step.cut_at is not None:
            text = text.str.replace(f"(?s)[{re.escape(step.cut_at)}].*$", "")
        elif step.delete is not None:
            text = text.str.replace_all(f"[{re.escape(step.delete)}]", "")
        elif step.replace is not None:
            text = text.str.replace_all(step.replace[0], step.replace[1], literal=True)
    return text
