"""Which files of a committed folder are results, and which of them must be there."""

from __future__ import annotations

import re
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import UsageError
from tallybook.core.output import CONTENTS, MANIFEST
from tallybook.core.untrusted import printable
from tallybook.figures.save import FORMATS as PICTURES
from tallybook.report.formats import FORMATS as REPORTS
from tallybook.report.formats import SUPPLEMENT
from tallybook.sources.content import LFS_POINTER
from tallybook.tables.table_format import table_formats

if TYPE_CHECKING:
    from collections.abc import Collection
    from pathlib import Path

_OF_FOLDER: dict[str, Collection[str]] = {"tables": table_formats(), "figures": PICTURES, "tallies": ("parquet",)}
"""Folder of results -> the suffixes of what `run` writes there."""
SOURCE = "report/source/"
"""Where the sources of the report lie, which `run` writes too."""
_SUPPLEMENT = f"report/{SUPPLEMENT}"
"""Where the LaTeX supplement lies, which only `report` writes."""


class Committed(NamedTuple):
    """The results in a committed folder."""

    folder: Path
    files: tuple[str, ...]  # the files that `run` may have written, relative to it, in the order in which they are told
    reports: tuple[str, ...]  # the rendered reports, which are not compared

    def formats(self, folder: str) -> set[str]:
        """Get the formats of the results in a folder."""
        return {suffix_of(file) for file in self.files if part_of(file) == folder}


def suffix_of(file: str) -> str:
    """Get the suffix of a file's name, without its dot."""
    return PurePosixPath(file).suffix.removeprefix(".")


def part_of(file: str) -> str:
    """Get the entry of the committed folder that a file belongs to.

    >>> part_of("tables/1.csv"), part_of("tables.csv")
    ('tables', 'tables.csv')
    """
    return PurePosixPath(file).parts[0]


def committed(folder: Path, *, numbers_only: bool, again: str) -> Committed:
    """Find the results in a folder."""
    shown = printable(str(folder), 200)
    if not folder.is_dir():
        raise UsageError(f"no folder {shown} to compare with; `{again}` writes it, --out names another")
    found: list[str] = []
    reports: list[str] = []
    for path in folder.rglob("*"):
        name = path.relative_to(folder).as_posix()
        if path.is_file() and _is_result(name) and not (numbers_only and _is_rendered(name)):
            found.append(name)
        elif path.is_file() and _is_report(name):
            reports.append(f"{_SUPPLEMENT}/" if name.startswith(f"{_SUPPLEMENT}/") else name)
    if not found:
        raise UsageError(f"{shown} holds nothing to compare: no tables.csv, tables/ or else that `{again}` writes")
    for name in found:
        with (folder / name).open("rb") as file:
            if file.read(len(LFS_POINTER)) == LFS_POINTER:
                raise UsageError(f"{shown}/{printable(name)} is in Git LFS and was not fetched: git lfs pull")
    return Committed(folder, tuple(sorted(found, key=order)), tuple(sorted({*reports})))


def _is_result(name: str) -> bool:
    parts = PurePosixPath(name).parts
    if any(part.startswith(".") for part in parts):
        return False
    if len(parts) == 1:
        return name in CONTENTS
    return name.startswith(SOURCE) or (len(parts) == 2 and suffix_of(name) in _OF_FOLDER.get(parts[0], ()))  # noqa: PLR2004  a folder and a file


def _is_rendered(name: str) -> bool:
    return suffix_of(name) not in {"csv", "parquet", "json"} if "/" not in name else part_of(name) != "tallies"


def _is_report(name: str) -> bool:
    folder, _, file = name.partition("/")
    is_report = folder == "report" and "/" not in file and suffix_of(file) in REPORTS
    return is_report or name.startswith(f"{_SUPPLEMENT}/")


_FIRST = (MANIFEST, "tables.csv", "tables", "figures", "estimates.csv", "comparison.csv")


def order(name: str) -> tuple[int, str, tuple[str | int, ...]]:
    """Get the key by which files are sorted: the manifest, then what papers show; digits count as numbers."""
    part = part_of(name)
    return (_FIRST.index(part) if part in _FIRST else len(_FIRST), part, natural(name))


def natural(name: str) -> tuple[str | int, ...]:
    """Get the key by which people sort names.

    >>> sorted(["tables/10.csv", "tables/2.csv", "tables/A1.csv"], key=natural)
    ['tables/2.csv', 'tables/10.csv', 'tables/A1.csv']
    """
    return tuple(int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name))


def due(found: Committed, made: Collection[str]) -> list[str]:
    """List the results that must be committed: all in the formats of which some are, and numbers beside a manifest."""
    kinds = {(part_of(file), suffix_of(file)) for file in found.files if part_of(file) in _OF_FOLDER}
    has_source = any(file.startswith(SOURCE) for file in found.files)
    wanted = {file for file in made if (part_of(file), suffix_of(file)) in kinds}
    wanted |= {file for file in made if has_source and file.startswith(SOURCE)}
    if MANIFEST in found.files:
        wanted |= {file for file in made if "/" not in file and suffix_of(file) == "csv"}
    return sorted(wanted | (set(found.files) & set(made)), key=order)
