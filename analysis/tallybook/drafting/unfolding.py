"""Reshaping of a dump whose records hold several answers side by side: a row for each."""

from __future__ import annotations

import re
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.drafting.columns import FILE, KEY
from tallybook.drafting.survey import Part, Survey, described
from tallybook.sources.unpivot import explode_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping


WHOLE = "answer_column"
"""What `Wide.into` is called where it holds whole headers."""


class Wide(NamedTuple):
    """Columns that hold several answers per record, side by side."""

    into: str  # what distinguishes the columns: `model`, `sample` or `item`
    forms: dict[str, str]  # new column -> the pattern of its headers: `text`, and for lists perhaps `model`
    values: tuple[str | int, ...]  # the values of `into` in the headers
    others: tuple[str, ...] = ()  # columns for the same values that are ignored
    # the new column for positions in lists of texts, if the columns hold lists
    elements: str | None = None
    # new column -> the regular expression of its part of the values of `into`, where these tell several things
    parts: Mapping[str, str] = MappingProxyType({})

    @property
    def settings(self) -> dict[str, Any]:
        """The `unfold` settings of a study file."""
        made = {"into": self.into, "columns": self.forms, "values": [*self.values]}
        return made | ({"elements": self.elements} if self.elements else {})

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the columns with answers."""
        return tuple(filled(form, value) for form in self.forms.values() for value in self.values)


def filled(form: str, value: str | int) -> str:
    """Return the header of a form for one value."""
    return re.sub(r"\{[^}]*\}", lambda _: str(value), form)


def unfolded(found: Survey, wide: Wide) -> Survey:
    """Reshape records to one row per answer, as the study will."""
    names = found.records.collect_schema().names()
    passed = {*wide.paths, *wide.others}
    kept = [pl.col(name) for name in names if name not in passed and name not in {wide.into, *wide.forms}]
    parts = [
        found.records.select(
            *kept,
            pl.lit(str(value)).alias(wide.into),
            *(
                (pl.col(path) if (path := filled(form, value)) in names else pl.lit(None, dtype=pl.String)).alias(name)
                for name, form in wide.forms.items()
            ),
        )
        for value in wide.values
    ]
    records = pl.concat(parts)
    if any("." in form for form in wide.forms.values()):
        records = records.filter(pl.any_horizontal(pl.col([*wide.forms]).is_not_null()))
    if wide.elements is not None:
        records = explode_lists(records, "text", wide.elements).with_columns(pl.col(wide.elements).cast(pl.String))
    parts_of = {name: Part(wide.into, form) for name, form in wide.parts.items()}
    records = records.with_columns(pl.col(wide.into).str.extract(one.form, 1).alias(n) for n, one in parts_of.items())
    made = described(found, records.select(FILE, KEY, pl.exclude(FILE, KEY)))
    columns = tuple(one for one in made.columns if one.name != wide.into or not (parts_of or wide.into == WHOLE))
    return replace(made, columns=columns, unfold=wide.settings, parts={**made.parts, **parts_of})


def describe_wide(wide: Wide, look: Callable[[Iterable[str]], str]) -> str:
    """Describe how columns side by side were read."""
    shown = look(map(str, wide.values))
    passed = f" Passed over: {look(wide.others)}." if wide.others else ""
    columns = shown if wide.into == WHOLE else f"{next(iter(wide.forms.values()))} ({shown})"
    each = " and ".join(wide.parts) or ("sample" if wide.into == WHOLE else wide.into)
    return (
        f"The columns {columns} are read as answers, one {each} each; if not, every count would change. "
        f"See `unfold`.{passed}"
    )
