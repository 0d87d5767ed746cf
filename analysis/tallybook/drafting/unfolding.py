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

    from tallybook.study.draft import Draft


WHOLE = "answer_column"
"""The name of `Wide.into` where it holds whole headers."""


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
    lists = {name for name in names for path in wide.paths if path.startswith(f"{name}.")}
    passed = {*wide.paths, *wide.others, *lists}
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


def take_unfolded(made: Draft) -> None:
    """Leave the columns that unfolding makes to it, under the names that they have in the study."""
    if (unfold := made.source.get("unfold")) is None or "type" in unfold:
        return
    own = made.release([unfold["into"], unfold.get("elements"), *unfold["columns"]])
    names = {settings["path"]: name for name, settings in own.items()}
    if unfold["into"] == "sample" and "samples_by" in made.source:  # other rows agree, too: all are numbered in order
        unfold = _renamed(unfold, "answer_no")
    elif names.get(unfold["into"], unfold["into"]) != unfold["into"]:  # it has a role, such as the repetition
        unfold = _renamed(unfold, names[unfold["into"]])
    columns = {names.get(name, name): form for name, form in unfold["columns"].items() if name in {"text", *names}}
    numbers = [name for name, settings in own.items() if settings.get("type") == "number"]
    is_mixed = len(numbers) < len(columns)
    for name in numbers if is_mixed else ():  # the new columns have one type
        columns = {f"{name}_given" if one == name else one: form for one, form in columns.items()}
        made.derive = {name: {"compute": f"{{{name}_given}}"}} | made.derive
    kind = "integer" if unfold["into"] == "text" else "string" if is_mixed else "number"
    made.source["unfold"] = unfold | {"columns": columns, "type": kind}


def _renamed(unfold: Mapping[str, Any], name: str) -> dict[str, Any]:
    """Rename what distinguishes the columns; samples are numbers."""
    values: list[str | int] = unfold["values"]
    is_number = name == "sample" and all(str(value).isdecimal() for value in values)
    old, new = f"{{{unfold['into']}", f"{{{name}{':int' if is_number else ''}"
    columns = {column: form.replace(old, new) for column, form in unfold["columns"].items()}
    return {**unfold, "into": name, "columns": columns, "values": [*map(int, values)] if is_number else values}


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
