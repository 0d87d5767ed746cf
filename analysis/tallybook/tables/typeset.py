"""Typesetting of table cells: minus signs, no-break spaces within numbers, and aligned decimal points."""

from __future__ import annotations

import re
from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.tables.content import Row, Table

# A cell that consists of numbers only: an interval, a mean with its deviation, a p-value, with stars or other signs.
_NUMBERS = re.compile(r"(?:[\d.,+\-−–±%<>=≤≥≈()\[\]\s;:/×·*†‡§¶⁰¹²³⁴-⁹⁻]|e(?=[+\-−]?\d))*")
_LONGEST = 48
_HAS_DIGIT = re.compile(r"\d")
_MINUS = re.compile(r"(?<![\w.)\]])-(?=\.?\d)|(?<=\de)-(?=\d)")

# The part of a cell's first number before its decimal point.
_WHOLE = re.compile(r"[<>=≤≥≈(\[\s]*[+−]?\s?(?:\d[\d,]*|(?=\.\d))")

NO_BREAK = "\u00a0"


class Cell(NamedTuple):
    """A cell as typeset."""

    text: str  # the visible text
    # invisible text that follows it, so that the decimal points of a right-aligned column align: the characters after
    # the point that the cell lacks compared with others of its column. All digits have the same width, so the order of
    # the characters does not matter.
    pad: str = ""


class Line(NamedTuple):
    """A row as typeset."""

    row: Row
    cells: tuple[Cell, ...]
    heading: str  # the heading of its group if it is the group's first row, else empty


# The symbol of a statistic in a sentence: before a relation sign, as a noun, in the name of a test; and in a label.
_SYMBOL = re.compile(
    r"(?<![\w’'])((?:[pnNtzFdgrbQ]|df)(?= ?[=<>≤≥])|p(?=[:)]|[- ]values?\b)|[tzFGQ](?= tests?\b))(?!\w)"
)
_LABEL = re.compile(r"(?:^|(?<=^Adjusted )|(?<=[’'/] )|(?<=’s ))([pnNtzFdgrbQwW]|df(?=[₁₂]?$)|SE|SD)(?=[₁₂]?$)")


def with_symbols(text: str, escape: Callable[[str], str], form: str, *, is_statistic: bool = False) -> str:
    """Escape a text and format the symbols of statistics in it; `is_statistic`: the text is a statistic's label.

    >>> with_symbols("** p ≤ .01", str, "<{}>"), with_symbols("Hedges’ g", str, "<{}>", is_statistic=True)
    ('** <p> ≤ .01', 'Hedges’ <g>')
    """
    parts = (_LABEL if is_statistic else _SYMBOL).split(text)
    return "".join(form.format(escape(part)) if at % 2 else escape(part) for at, part in enumerate(parts))


def is_numeric(text: str) -> bool:
    """Return whether a text consists of numbers with only brackets, signs and other punctuation around them.

    >>> [is_numeric(text) for text in ("-0.53***", "0.1 [-0.2, 0.3]", "4.7e-12", "n/a", "20s", "–")]
    [True, True, True, False, False, False]
    """
    return len(text) <= _LONGEST and bool(_HAS_DIGIT.search(text)) and bool(_NUMBERS.fullmatch(text))


def typeset(text: str) -> str:
    """Replace hyphens by minus signs, and spaces by no-break spaces, in texts that consist of numbers.

    >>> typeset("-0.53 [-0.60, 4.7e-05]").replace("\u00a0", "_"), typeset("pre-war")
    ('−0.53_[−0.60,_4.7e−05]', 'pre-war')
    """
    if not is_numeric(text):
        return text
    return _MINUS.sub("−", text).replace(" ", NO_BREAK)


def typeset_cells(table: Table) -> list[tuple[Cell, ...]]:
    """Typeset the cells of each row; pad those of right-aligned columns so that decimal points align.

    >>> from tallybook.tables.content import Column, Row, Table
    >>> rows = (Row("a", "a", ("4.2***",)), Row("b", "b", ("-10.25",)), Row("c", "c", ("–",)))
    >>> [cells[0] for cells in typeset_cells(Table("t", "", "", (Column("x", "x"),), rows))]
    [Cell(text='4.2***', pad='0'), Cell(text='−10.25', pad='***'), Cell(text='–', pad='0***')]
    """
    columns: list[list[Cell]] = []
    for at, column in enumerate(table.columns):
        texts = [typeset(row.cells[at]) for row in table.rows]
        columns.append(_padded(texts) if column.align == "right" else [Cell(text) for text in texts])
    return [tuple(column[number] for column in columns) for number in range(len(table.rows))]


def lines(table: Table) -> list[Line]:
    """Typeset the rows; a group that recurs after another one gets its heading again."""
    before = ("", *(row.group for row in table.rows))
    return [
        Line(row, cells, row.group if row.group != group else "")
        for row, cells, group in zip(table.rows, typeset_cells(table), before, strict=False)
    ]


def spanners(table: Table) -> list[tuple[str, list[int]]]:
    """Return each run of neighbouring columns with the same spanner: the spanner, empty for none, and their numbers."""
    runs = groupby(range(len(table.columns)), key=lambda at: table.columns[at].spanner)
    return [(spanner, list(own)) for spanner, own in runs]


def after_decimal_point(text: str) -> str | None:
    """Return the text after the whole part of a cell's first number; None if the cell is not numeric."""
    found = _WHOLE.match(text) if is_numeric(text) else None
    return None if found is None else text[found.end() :]


def _padded(texts: Sequence[str]) -> list[Cell]:
    behind = [after_decimal_point(text) for text in texts]
    counts = [None if part is None else Counter("0" if each.isdecimal() else each for each in part) for part in behind]
    known = [each for each in counts if each is not None]
    if not known:
        return [Cell(text) for text in texts]
    most = known[0].copy()
    least = known[0].copy()
    for each in known[1:]:
        most |= each
        least &= each
    # A cell without a number ends where the shortest number ends.
    return [
        Cell(text, "".join(sorted((most - (least if own is None else own)).elements(), key=_digits_first)))
        for text, own in zip(texts, counts, strict=True)
    ]


def _digits_first(character: str) -> tuple[bool, str]:
    return (character != "0", character)
