"""Normalisation of texts by declared steps, so that they can be compared."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.derivation import NormaliseStep


def normalise(text: pl.Expr, steps: Sequence[NormaliseStep]) -> pl.Expr:
    """Apply normalisation steps to texts, in order."""
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
        elif step.repair is not None:
            text = text.map_batches(_repaired, return_dtype=pl.String)
    return text


def read_as_mac_roman(text: str) -> str:
    """Repair text whose UTF-8 bytes were decoded as Mac Roman.

    >>> read_as_mac_roman("it‚Äôs ‚Äî na√Øve"), read_as_mac_roman("it’s — naïve")
    ('it’s — naïve', 'it’s — naïve')
    """
    try:
        return text.encode("mac_roman").decode("utf-8")
    except UnicodeError:
        return text


def _repaired(texts: pl.Series) -> pl.Series:
    # Most texts are ASCII, which is the same in both encodings.
    other = texts.filter(texts.str.contains(r"[^\x00-\x7f]")).unique()
    return texts.replace(other, pl.Series([read_as_mac_roman(text) for text in other], dtype=pl.String))
