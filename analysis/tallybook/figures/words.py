"""Sentences that figures share: notes below the panels, and what is said to those who do not see them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.numbers import in_words
from tallybook.figures.parts import NO_DATA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tallybook.figures.grid import Grid


def signs_explained(missing: str) -> str:
    """Explain the sign of a gap.

    >>> signs_explained("–")
    '– marks a number that does not exist.'
    """
    return f"{visible(missing) or 'A gap'} marks a number that does not exist."


def opening(title: str, kind: str) -> list[str]:
    """Get the first sentences of an alternative text: the title and the kind of figure."""
    return [*([f"{visible(title).rstrip('.')}."] if title else []), f"{kind}."]


def panel_by_panel(grid: Grid, frame: pl.DataFrame, describe: Callable[[pl.DataFrame], str]) -> Iterable[str]:
    """Write a sentence about each panel."""
    for row in grid.rows:
        for column in grid.columns:
            panel = frame.filter(row=row, column=column)
            if panel.is_empty():
                continue
            words, heading = describe(panel), grid.heading(row, column)
            yield f"{heading} – {words}." if heading else f"{words[:1].upper()}{words[1:]}."


def extremes(panel: pl.DataFrame, name: Callable[[dict[str, Any]], str], reach: tuple[float, float]) -> str:
    """Get the highest and the lowest value of a panel, and its gaps."""
    values = panel.filter(pl.col("value").is_not_null()).sort("value", descending=True, maintain_order=True)
    gaps = panel.filter(pl.col("value").is_null())
    if values.is_empty():
        return NO_DATA
    ends = {"highest": values, "lowest": values.filter(pl.col("value") == pl.col("value").min())}
    clauses = [
        f"{end}: {name(row)} {in_words(row['value'], *reach)}"
        for end, row in ((end, rows.row(0, named=True)) for end, rows in ends.items())
    ]
    if not gaps.is_empty():
        clauses.append(f"no value: {'; '.join(name(row) for row in gaps.iter_rows(named=True))}")
    return "; ".join(clauses)
