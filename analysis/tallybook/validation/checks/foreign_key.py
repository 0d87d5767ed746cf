"""The check that values of the responses occur in a list, such as a file of models, prompts or raters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.core.errors import DataError
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect
from tallybook.study.base import FilePath, Identifier
from tallybook.study.check_base import DataCheck
from tallybook.validation.model import of_problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook.validation.checks.context import Context


class ForeignKeyCheck(DataCheck):
    """Whether what responses name is in a list: a file of models, prompts, raters."""

    kind: Literal["foreign-key"]
    file: FilePath
    """The list, relative to the data folder: a file of any format that is read, a row an entry."""
    own: bool = False
    """Whether the file is the study's own: relative to the folder of the study file."""
    on: dict[Identifier, str] = Field(min_length=1)
    """Column of the responses -> column of the list. Every response must be equal to an entry in all of them."""

    holds: ClassVar[str] = "What responses name is in its list."

    def failures_in(self, context: Context) -> Iterator[pl.DataFrame]:
        try:
            listed = _read(self, context.own if self.own else context.data)
        except DataError as error:
            faults = of_problems(error.problems, self.severity)
            yield faults.with_columns(pl.lit(context.name).alias("check"))
            return
        columns = list(self.on)
        named = [pl.col(column).cast(pl.String).fill_null("") for column in columns]
        rows = context.chosen(self.where).select("file", "key", *(one.alias(f"_{i}") for i, one in enumerate(named)))
        keys = [f"_{i}" for i in range(len(columns))]
        unknown = rows.join(listed.lazy(), on=keys, how="anti", maintain_order="left")
        value = pl.concat_str(keys, separator=", ")
        expected = f"an entry of {self.file}"
        told = ", ".join(columns)
        yield from context.failures(unknown, self.severity, column=told, value=value, expectation=expected)


def _read(declared: ForeignKeyCheck, folder: Path) -> pl.DataFrame:
    """Return the distinct entries of a list, as strings in columns `_0`, `_1`, ...."""
    content = Content(folder, declared.file)
    told = detect(content)
    if told is None:
        raise content.refuse("a file of a known format")
    headers = list(declared.on.values())
    parts: list[pl.DataFrame] = []
    for part in told.format.read(content, headers):
        if absent := [name for name in headers if name not in part.header]:
            raise DataError([content.fault("", name, "", "this column") for name in absent])
        cells = {f"_{place}": part.column(name).fill_null("") for place, name in enumerate(headers)}
        parts.append(pl.DataFrame(cells))
    if content.problems:
        raise DataError(content.problems)
    if not parts:
        raise content.refuse("at least one entry")
    return pl.concat(parts).unique()
