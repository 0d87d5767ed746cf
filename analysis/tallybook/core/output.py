"""Atomic writing of output folders and files: each is written completely or not at all."""

from __future__ import annotations

import json
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.safe_paths import read_bytes
from tallybook.core.unfinished import exchange, is_unfinished, unfinished
from tallybook.core.untrusted import FORMULA_STARTS, escaped, inert

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Generator, Iterable
    from pathlib import Path

MANIFEST = "manifest.json"
"""The file that marks a folder as an output folder of Tallybook, which may be replaced."""
CONTENTS = frozenset(
    {
        MANIFEST,
        "CITATION.cff",
        "checks.csv",
        "comparison.csv",
        "estimates.csv",
        "estimates.parquet",
        "figures",
        "findings.csv",
        "hand_codes.csv",
        "report",
        "responses.parquet",
        "tables",
        "tables.csv",
        "tables_index.csv",
        "tallies",
        "uncoded.csv",
    }
)
"""The files and folders that an output folder may contain; any other is the user's and is never removed."""
OF_SYSTEMS = frozenset({".DS_Store", "Thumbs.db", "desktop.ini"})
"""Files that file managers leave in folders, which may be removed."""
MANIFEST_KEYS = ("created", "versions")
"""The keys of every Tallybook manifest, which tell it from another program's file of the same name."""


@contextmanager
def output_folder(
    target: Path, contents: Collection[str] = CONTENTS, is_earlier: Callable[[Path], object] | None = None
) -> Generator[Path]:
    """Yield a new folder that becomes `target` if the block succeeds, replacing only an earlier output folder."""
    check_target(target, contents, is_earlier)
    target = target.resolve()  # '.' has no name, and a symbolic link is kept
    with unfinished(target, is_folder=True) as work:
        fresh = work / "new"
        fresh.mkdir()
        yield fresh
        exchange(fresh, target, work / "old")


def check_target(
    target: Path, contents: Collection[str] = CONTENTS, is_earlier: Callable[[Path], object] | None = None
) -> None:
    """Raise a `UsageError` unless a target is absent, empty or an earlier output folder without other files."""
    if not target.exists():
        return
    is_own = is_earlier or manifest_of
    if not (target.is_dir() and (not any(target.iterdir()) or is_own(target))):
        raise UsageError(f"{target} exists and is not an output folder of tallybook; choose another with --out")
    found = {path.name for path in target.iterdir() if not is_unfinished(path.name)}
    own = sorted(found - set(contents) - OF_SYSTEMS) or _not_listed(target)
    if own:
        raise UsageError(f"{target} holds {escaped(own[0])}, which tallybook did not write; choose another with --out")


def files_in(folder: Path) -> list[str]:
    """List the files in a folder and its subfolders, apart from the manifest and unfinished files."""
    files = (path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    found = {path.relative_to(folder).as_posix() for path in files if not is_unfinished(path.name)}
    return sorted(found - {MANIFEST})


def _not_listed(folder: Path) -> list[str]:
    """List the files that are missing from an output folder's manifest; none if the manifest lists no files at all."""
    written = (manifest_of(folder) or {}).get("files")
    if not isinstance(written, list):
        return []
    known = {str(name) for name in cast("list[object]", written)}
    return [name for name in files_in(folder) if name not in known and name.rpartition("/")[2] not in OF_SYSTEMS]


def manifest_of(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of an output folder; None if there is no valid one."""
    try:
        content: object = json.loads(read_bytes(folder / MANIFEST))
    except (OSError, ValueError, RecursionError):
        return None
    if not isinstance(content, dict) or not all(key in content for key in MANIFEST_KEYS):
        return None
    return cast("dict[str, Any]", content)


def write_text(path: Path, text: str) -> None:
    """Write a text file atomically."""
    write_texts(path, [text])


def write_texts(path: Path, texts: Iterable[str]) -> None:
    """Write the pieces of a text file atomically."""
    with whole_file(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        file.writelines(texts)


@contextmanager
def whole_file(path: Path) -> Generator[Path]:
    """Yield a temporary file that replaces `path` if the block succeeds."""
    with unfinished(path, is_folder=False) as temporary:
        yield temporary
        temporary.chmod(0o644)
        temporary.replace(path)


def csv_text(frame: pl.DataFrame) -> str:
    """Format a frame as CSV without cells that a spreadsheet would read as formulas."""
    return harmless(frame).write_csv()


def harmless(frame: pl.DataFrame) -> pl.DataFrame:
    """Escape texts of a frame that would act on a terminal or that a spreadsheet would run as formulas."""
    for name, kind in frame.schema.items():
        if kind != pl.String:
            continue
        text = pl.col(name)
        acts = text.str.contains(r"[\p{C}\p{Zl}\p{Zp}]")
        runs = text.str.slice(0, 1).is_in(FORMULA_STARTS)
        if frame.select((acts | runs).any()).item():
            # Cell by cell: how a text is escaped must not depend on the other texts of its column.
            made = text.map_elements(lambda cell: inert(escaped(cell)), return_dtype=pl.String)
            frame = frame.with_columns(pl.when(acts | runs).then(made).otherwise(text).alias(name))
    return frame
