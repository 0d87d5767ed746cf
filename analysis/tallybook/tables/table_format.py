"""File formats of tables, where they are found (a new one is a new module of `tallybook.tables`), and their files."""

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


# 1980-01-01: a report says when it was made in its own words, so that equal reports are equal files.
EPOCH = 315532800


@dataclass(frozen=True)
class TableFormat:
    """A file format of tables; a module's object of it is found by its suffix."""

    suffix: str
    """The suffix of its files, without the dot."""
    write: Callable[[Sequence[Table]], list[bytes]]
    """What makes the contents of the files of tables."""


def one_by_one(render: Callable[[Table], str | bytes]) -> Callable[[Sequence[Table]], list[bytes]]:
    """Make tables one by one; texts are UTF-8."""

    def write(tables: Sequence[Table]) -> list[bytes]:
        made = (render(table) for table in tables)
        return [each.encode("utf-8") if isinstance(each, str) else each for each in made]

    return write


def epoch() -> int:
    """Get the time that files carry: SOURCE_DATE_EPOCH where it is set, else the first that a zip archive can hold."""
    given = os.environ.get("SOURCE_DATE_EPOCH", "")
    return int(given) if given.isascii() and given.isdigit() else EPOCH


@cache
def table_formats() -> dict[str, TableFormat]:
    """Get the formats by suffix; ours, and those that entry points of the group `tallybook.tables` name."""
    every = [one for module in modules("tallybook.tables") for one in vars(module).values()]
    own = {one.suffix: one for one in every if isinstance(one, TableFormat)}
    others = installed("tallybook.tables")
    return dict(sorted(own.items())) | {name: one for name, one in others.items() if name not in own}


def write_tables(tables: Sequence[Table], folder: Path, formats: Sequence[str] | None = None) -> list[Path]:
    """Write every table in every format, as `<folder>/<id>.<format>`.

    Two runs write the same bytes; `SOURCE_DATE_EPOCH` sets the date of Word and Excel files, else it is 1980-01-01.

    Args:
        tables: The tables; their identifiers differ by more than case, for the sake of file systems without it.
        folder: Where to write; it is made when it is missing.
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
    contents = {name: known[name].write(tables) for name in wanted} if tables else {}
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for number, table in enumerate(tables):
        for name in wanted:
            path = folder / f"{table.id}.{name}"
            path.write_bytes(contents[name][number])
            paths.append(path)
    return paths


def refuse_repeated(tables: Sequence[Table]) -> None:
    """Refuse tables whose files would be the same where a file system knows no case."""
    seen: dict[str, str] = {}
    for table in tables:
        name = table.id.casefold()
        if name in seen:
            raise UsageError(f"tables {seen[name]!r} and {table.id!r} would be written to the same files")
        seen[name] = table.id
