"""The base class of table formats, their discovery in `tallybook.tables`, and the writing of tables to files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.registry import installed, modules

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tallybook.tables.content import Table


# 1980-01-01: a fixed date in the files' metadata, so that equal reports are equal files.
EPOCH = 315532800


@dataclass(frozen=True)
class TableFormat:
    """A file format of tables; a module registers one by defining an object of this class."""

    suffix: str
    """The suffix of its files, without the dot."""
    render: Callable[[Table], str | bytes]
    """The function that returns the content of a table's file; texts are encoded as UTF-8."""


def epoch() -> int:
    """Return the timestamp of files: SOURCE_DATE_EPOCH if set, else the earliest that a ZIP archive can hold."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(given) if given.isascii() and given.isdigit() else EPOCH


@cache
def table_formats() -> dict[str, TableFormat]:
    """Return the formats by suffix: the built-in ones, and those of the entry point group `tallybook.tables`."""
    every = [one for module in modules("tallybook.tables") for one in vars(module).values()]
    own = {one.suffix: one for one in every if isinstance(one, TableFormat)}
    others = installed("tallybook.tables")
    return dict(sorted(own.items())) | {name: one for name, one in others.items() if name not in own}


def write_tables(tables: Sequence[Table], folder: Path, formats: Sequence[str] | None = None) -> list[Path]:
    """Write every table in every format, as `<folder>/<id>.<format>`.

    Output is reproducible; `SOURCE_DATE_EPOCH` sets the date of Word and Excel files, by default 1980-01-01.

    Args:
        tables: The tables; their identifiers differ by more than case, for file systems that ignore case.
        folder: The folder to write to; it is created if missing.
        formats: Some of "csv", "docx", "html", "md", "tex", "typ" and "xlsx"; all by default.

    Returns:
        The files in the order of the tables, and of the formats within a table.

    Raises:
        UsageError: For an unknown format or two tables with the same identifier.
        MissingExtraError: When a format needs a package that is not installed.
    """
    known = table_formats()
    wanted = dict.fromkeys(known if formats is None else formats)
    if unknown := [name for name in wanted if name not in known]:
        raise UsageError(f"no table format {unknown[0]!r}: the formats are {', '.join(known)}")
    refuse_repeated(tables)
    contents = {folder / f"{table.id}.{name}": known[name].render(table) for table in tables for name in wanted}
    folder.mkdir(parents=True, exist_ok=True)
    for path, content in contents.items():
        path.write_bytes(content.encode("utf-8") if isinstance(content, str) else content)
    return list(contents)


def refuse_repeated(tables: Sequence[Table]) -> None:
    """Refuse tables whose file names differ only in case, since some file systems ignore case."""
    seen: dict[str, str] = {}
    for table in tables:
        name = table.id.casefold()
        if name in seen:
            raise UsageError(f"tables {seen[name]!r} and {table.id!r} would be written to the same files")
        seen[name] = table.id
