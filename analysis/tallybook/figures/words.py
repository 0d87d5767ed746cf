"""Texts of figures: formatted numbers, notes below the panels, and alternative texts."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.parts import NO_DATA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tallybook.figures.grid import Grid

MINUS = "\u2212"

# Axes whose largest number is smaller or larger than these have scientific notation; thousands are set apart from a
# number on, so that years are not.
_SMALLEST_PLAIN, _LARGEST_PLAIN, _SET_APART = 1e-4, 1e7, 1e4


def tick_labels(ticks: Sequence[float]) -> list[str]:
    """Format the numbers at ticks with the same decimals, as few as distinguish them."""
    from mizani.labels import label_number

    if not is_plain(min(ticks), max(ticks)):
        return [scientific(tick) for tick in ticks]
    # mizani calls the typographic minus sign a hyphen.
    mark = "," if max(map(abs, ticks)) >= _SET_APART else ""
    return list(label_number(style_negative="hyphen", big_mark=mark)(ticks))


def in_words(value: float, lowest: float, highest: float) -> str:
    """Format a number with as many decimals as give the largest number of its range three digits.

    >>> in_words(-0.25, -0.25, 1.5), in_words(71.84, -70.9, 71.84), in_words(-0.0, 0.0, 0.0)
    ('−0.25', '71.8', '0')
    >>> in_words(69173.4, 0.0, 100000.0)
    '69,173'
    """
    if not is_plain(lowest, highest):
        return scientific(value)
    largest = max(abs(lowest), abs(highest))
    digits = max(2 - math.floor(math.log10(largest)), 0) if largest else 0
    # + 0.0 turns -0.0 into 0.0.
    text = f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", MINUS)
    return text if largest >= _SET_APART else text.replace(",", "")


def is_plain(lowest: float, highest: float) -> bool:
    """Return whether numbers of this size are printed without scientific notation."""
    largest = max(abs(lowest), abs(highest))
    return largest == 0 or _SMALLEST_PLAIN <= largest < _LARGEST_PLAIN


def scientific(number: float) -> str:
    """Format a number with three significant digits and, if needed, an exponent.

    >>> scientific(-2.5e9)
    '−2.5e+09'
    """
    return f"{number:.3g}".replace("-", MINUS)


def signs_explained(missing: str) -> str:
    """Explain the sign that marks a gap.

    >>> signs_explained("–")
    '– marks a number that does not exist.'
    """
    return f"{visible(missing) or 'A gap'} marks a number that does not exist."


def opening(title: str, kind: str) -> list[str]:
    """Return the first sentences of an alternative text: the title and the kind of figure."""
    return [*([f"{visible(title).rstrip('.')}."] if title else []), f"{kind}."]


def panel_by_panel(grid: Grid, frame: pl.DataFrame, describe: Callable[[pl.DataFrame], str]) -> Iterable[str]:
    """Yield a sentence about each panel that has data."""
    for row in grid.rows:
        for column in grid.columns:
            panel = frame.filter(row=row, column=column)
            if panel.is_empty():
                continue
            words, heading = describe(panel), grid.heading(row, column)
            yield f"{heading} – {words}." if heading else f"{words[:1].upper()}{words[1:]}."


def extremes(panel: pl.DataFrame, name: Callable[[dict[str, Any]], str], reach: tuple[float, float]) -> str:
    """Describe the highest and the lowest value of a panel, and its gaps."""
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
