"""The files of a committed folder: those that are compared, those that are required, and the kinds of differences."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.core.errors import UsageError
from tallybook.core.output import CONTENTS, MANIFEST
from tallybook.core.untrusted import printable
from tallybook.sources.content import LFS_POINTER
from tallybook.tables.sets import natural_order

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

TEXTS = ("html", "md", "tex", "typ")
"""The formats of rendered tables that are compared line by line."""
_OF_FOLDER: dict[str, Collection[str]] = {"tables": ("csv", *TEXTS), "tallies": ("parquet",)}
"""Folder of results -> the suffixes of the files that are compared there."""
_FIRST = (MANIFEST, "tables.csv", "tables", "estimates.csv", "comparison.csv")


class Committed(NamedTuple):
    """The results in a committed folder."""

    folder: Path
    files: tuple[str, ...]  # the files that are compared, relative to the folder, in the order of the report
    others: tuple[str, ...]  # other files and folders that `tallybook` writes, which are not compared

    @property
    def table_formats(self) -> list[str]:
        """The formats in which tables are committed."""
        return sorted({suffix_of(file) for file in self.files if part_of(file) == "tables"})


def suffix_of(file: str) -> str:
    """Return the suffix of a file's name, without its dot."""
    return PurePosixPath(file).suffix.removeprefix(".")


def part_of(file: str) -> str:
    """Return the top-level entry of the committed folder that a file belongs to.

    >>> part_of("tables/1.csv"), part_of("tables.csv")
    ('tables', 'tables.csv')
    """
    return PurePosixPath(file).parts[0]


def committed(folder: Path, *, numbers_only: bool, again: str) -> Committed:
    """Find the results in a folder; refuse a folder without results."""
    shown = printable(str(folder), 200)
    if not folder.is_dir():
        raise UsageError(f"no folder {shown} to compare with; `{again}` writes it, --out names another")
    names = [path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()]
    found = [name for name in names if _is_result(name) and not (numbers_only and part_of(name) == "tables")]
    if not found:
        raise UsageError(f"{shown} holds nothing to compare: no tables.csv, tables/ or else that `{again}` writes")
    for name in found:
        with (folder / name).open("rb") as file:
            if file.read(len(LFS_POINTER)) == LFS_POINTER:
                raise UsageError(f"{shown}/{printable(name)} is in Git LFS and was not fetched: git lfs pull")
    others = {part_of(name) for name in names if part_of(name) in CONTENTS and not _is_result(name)}
    return Committed(folder, tuple(sorted(found, key=order)), tuple(sorted(others - {"tables", "tallies"})))


def _is_result(name: str) -> bool:
    folder, _, file = name.rpartition("/")
    if folder:
        return not file.startswith(".") and suffix_of(file) in _OF_FOLDER.get(folder, ())
    return name in CONTENTS and suffix_of(name) in {"csv", "json", "parquet"}


def order(name: str) -> tuple[int, str, list[tuple[str, int]]]:
    """Return the sort key of files: the manifest, then the files of printed results; digits sort as numbers.

    >>> sorted(["tables/10.csv", "tables/2.csv", "manifest.json"], key=order)
    ['manifest.json', 'tables/2.csv', 'tables/10.csv']
    """
    part = part_of(name)
    return _FIRST.index(part) if part in _FIRST else len(_FIRST), part, natural_order(name)


def due(found: Committed, made: Collection[str]) -> list[str]:
    """Return the results that must be committed: all in formats that occur, and all CSV files beside a manifest."""
    kinds = {(part_of(file), suffix_of(file)) for file in found.files if part_of(file) in _OF_FOLDER}
    wanted = {file for file in made if (part_of(file), suffix_of(file)) in kinds}
    if MANIFEST in found.files:
        wanted |= {file for file in made if "/" not in file and suffix_of(file) == "csv"}
    return sorted(wanted | (set(found.files) & set(made)), key=order)


Kind = Literal["origin", "changed", "new", "gone", "order", "missing", "extra", "unreadable"]
"""The kind of a difference: origins of the results; a value; a row, line or column on one side only; the order of
rows; a file on one side only; a file that cannot be read."""

MOST = 10_000
"""The maximum number of differences listed for a file; all are counted."""


class Difference(NamedTuple):
    """One difference between committed and new results."""

    file: str  # the file, relative to the committed folder
    kind: Kind  # the kind of difference
    # the place within the file: names and values that identify the row or line. Values may come from responses.
    place: tuple[tuple[str, str], ...] = ()
    what: str = ""  # the column or path that differs; empty if the place alone identifies it
    committed: str | None = None  # the committed value; None if there is none
    now: str | None = None  # the new value; None if there is none
    line: int | None = None  # the line of the committed file, from 1; None if there is none
    note: str = ""  # a further explanation
    times: int = 1  # the number of differences that it stands for: of very many only the first are kept


def listed(differences: list[Difference], number: int) -> list[Difference]:
    """Keep the first differences up to the maximum; the last one kept counts the rest."""
    rest = number - len(differences := differences[:MOST])
    return [*differences[:-1], differences[-1]._replace(times=1 + rest)] if rest else differences
