"""Whether what responses name is in a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import tell
from tallybook.validation.places import of_problems

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook.study.checks import ForeignKeyCheck
    from tallybook.validation.checks.context import Context


def check(declared: ForeignKeyCheck, context: Context) -> Iterator[pl.DataFrame]:
    """Look up what responses name.

    Args:
        declared: The check.
        context: The responses.

    Yields:
        A failure for each response that names what the list does not have; or what is wrong with the list.
    """
    try:
        listed = _read(declared, context.own if declared.own else context.data)
    except DataError as error:
        faults = of_problems(error.problems, declared.severity)
        yield faults.with_columns(pl.lit(context.name).alias("check"))
        return
    columns = list(declared.on)
    named = [pl.col(column).cast(pl.String).fill_null("") for column in columns]
    rows = context.chosen(declared.where).select("file", "key", *(one.alias(f"_{i}") for i, one in enumerate(named)))
    keys = [f"_{i}" for i in range(len(columns))]
    unknown = rows.join(listed.lazy(), on=keys, how="anti", maintain_order="left")
    value = pl.concat_str(keys, separator=", ")
    expected = f"an entry of {declared.file}"
    told = ", ".join(columns)
    yield from context.failures(unknown, declared.severity, column=told, value=value, expectation=expected)


def _read(declared: ForeignKeyCheck, folder: Path) -> pl.DataFrame:
    """The entries of a list: strings in columns `_0`, `_1`, ..., each once."""
    content = Content(folder, declared.file)
    told = tell(content)
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
