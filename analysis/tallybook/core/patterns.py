"""Regular expressions of polars in few texts: compiled once a process, where polars keeps the last 32 of a thread."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import polars as pl
from pydantic_core import SchemaValidator, core_schema

if TYPE_CHECKING:
    from collections.abc import Callable

FEW = 256
"""Long patterns compile longer than they search so few texts."""


def contains(texts: pl.Series, pattern: str) -> pl.Series:
    """Return whether texts contain what a pattern describes; of few, false for null."""
    return (
        texts.str.contains(pattern) if texts.len() > FEW else pl.Series(map(_matcher(pattern), texts), dtype=pl.Boolean)
    )


def replace_all(texts: pl.Series, pattern: str, value: str) -> pl.Series:
    """Replace what a pattern describes, which is compiled for that only where a text contains it."""
    return texts.str.replace_all(pattern, value) if contains(texts, pattern).any() else texts


@cache
def _matcher(pattern: str) -> Callable[[str | None], bool]:
    """Compile a pattern by the library that polars has, too, as pydantic does for a setting."""
    return SchemaValidator(core_schema.str_schema(pattern=pattern, regex_engine="rust-regex")).isinstance_python
