"""A frame of anybody's own as a table in the style of a study's."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.wording import expectation, value_text
from tallybook.study.number_text import fixed, p_value_text
from tallybook.study.presentation import PValuePart, Style
from tallybook.tables.content import Column, Row, Table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_P_VALUES = frozenset({"p_value", "p_adjusted"})
"""Columns of estimates that are printed as p-values are."""
_DIGITS = 3


def frame_table(
    frame: pl.DataFrame,
    *,
    rows: Sequence[str],
    columns: Mapping[str, str] | None = None,
    id: str = "own",  # noqa: A002  as every table's
    title: str = "",
    stub: str | None = None,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    digits: int | Mapping[str, int] = 3,
    scale: int | Mapping[str, int] = 1,
    notes: Sequence[str] = (),
    style: Style | None = None,
) -> Table:
    """Lay out a frame: one row of the table for each of its rows, in their order.

    Numbers are printed as everywhere else: rounded on their shortest decimal form; a p-value (`p_value`, `p_adjusted`)
    that fixed notation shows too little of in scientific notation; what does not exist (null, NaN, an infinite
    number) by the style's sign.

    Args:
        frame: The frame, for instance of estimates. Its texts are untrusted: what shows the table escapes them.
        rows: The columns that name a row: the last is its label, the others head groups of rows.
        columns: Column -> its header, in the order in which they are shown; by default all that do not name rows.
        id: The table's number or name: letters, digits, dot, hyphen and underscore.
        title: Its title.
        stub: The header over the row labels; by default the column's name.
        labels: Column -> value -> how the table calls it.
        digits: Digits after the decimal point: one number for all columns but those of whole numbers and p-values, or
            one for each column that shall not have 3.
        scale: What numbers are multiplied by, in the same way: 100 shows percentages.
        notes: Notes below the table.
        style: How numbers are printed; as in a study that says nothing of it.

    Returns:
        The table, for `tallybook.tables.html.table_display` and `tallybook.tables.table_format.write_tables`.

    Raises:
        UsageError: If there is no such column, no column names rows, or two rows have the same name.

    >>> found = pl.DataFrame({"model": ["a", "b"], "estimate": [0.25, None], "p_value": [0.04, 1e-9]})
    >>> table = frame_table(found, rows=["model"], digits=1, scale={"estimate": 100})
    >>> [(row.label, *row.cells) for row in table.rows]
    [('a', '25.0', '0.040'), ('b', '–', '1.0e-09')]
    """
    style = style or Style()
    named = {name: name for name in frame.columns if name not in rows} if columns is None else dict(columns)
    for name in (*rows, *named):
        if name not in frame.columns:
            raise UsageError(f"no column {value_text(name)} to show; {expectation(name, frame.columns)}")
    if not rows:
        raise UsageError("a table needs at least one column that names its rows")
    if frame.select(rows).is_duplicated().any():
        raise UsageError(f"several rows are called the same: they do not differ in {', '.join(rows)}")
    called = labels or {}

    def shown(name: str, given: object) -> str:
        if given is None:
            return style.missing
        text = given if isinstance(given, str) else str(given)
        return called.get(name, {}).get(text, text)

    texts = {
        name: _numbers(frame, name, _for(digits, name, _DIGITS), _for(scale, name, 1), style)
        if frame.schema[name].is_numeric()
        else [shown(name, each) for each in frame.get_column(name)]
        for name in named
    }
    laid_out = tuple(
        Row(
            id="/".join(str(each) for each in names),
            label=shown(rows[-1], names[-1]),
            cells=tuple(texts[name][number] for name in named),
            group=", ".join(shown(*each) for each in zip(rows[:-1], names[:-1], strict=True)),
        )
        for number, names in enumerate(frame.select(rows).iter_rows())
    )
    missing = any(style.missing in row.cells for row in laid_out)
    return Table(
        id=id,
        title=title,
        stub=rows[-1] if stub is None else stub,
        columns=tuple(
            Column(name, header, align="right" if frame.schema[name].is_numeric() else "left")
            for name, header in named.items()
        ),
        rows=laid_out,
        notes=(*notes, *([f"{style.missing} marks a number that does not exist."] if missing else [])),
    )


def _for(setting: int | Mapping[str, int], name: str, default: int) -> int:
    """Get a setting of a column: its own, or that of all but p-values."""
    if isinstance(setting, int):
        return default if name in _P_VALUES else setting
    return setting.get(name, default)


def _numbers(frame: pl.DataFrame, name: str, digits: int, scale: int, style: Style) -> list[str]:
    """Get the numbers of a column as they are printed."""
    if frame.schema[name].is_integer():
        return [style.missing if value is None else str(value) for value in frame.get_column(name)]
    numbers = frame.get_column(name).cast(pl.Float64)
    finite: list[float | None] = [one if one is not None and isfinite(one) else None for one in numbers]
    if name not in _P_VALUES:
        return [
            style.missing
            if one is None
            else fixed(one, digits, scale=scale, rounding=style.rounding, leading_zero=style.leading_zero)
            for one in finite
        ]
    log = f"log_{name}"
    value = "p_adjusted" if name == "p_adjusted" else "p_value"
    part = PValuePart(statistic="p", analysis="own", style="p-value", value=value, digits=max(digits, 1))
    known = log in frame.columns
    logarithms: list[float | None] = frame.get_column(log).to_list() if known else [None] * frame.height
    return [
        style.missing if one is None else p_value_text(one, logarithm, part, style)
        for one, logarithm in zip(finite, logarithms, strict=True)
    ]
