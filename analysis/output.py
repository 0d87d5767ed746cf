"""Output folders and files, written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import UsageError
from analysis.terminal import escaped

if TYPE_CHECKING:
    from collections.abc import Generator

MANIFEST = "manifest.json"
"""What marks a folder as an output folder, and so as one that may be replaced."""


@contextmanager
def output_folder(target: Path) -> Generator[Path]:
    """A folder that takes its place only if everything in it was written.

    Args:
        target: Where it shall stand. An earlier output folder there is replaced; anything else is left alone.

    Yields:
        An empty folder beside the target to write into.

    Raises:
        UsageError: If something else than an output folder stands at the target, or it cannot be written.
    """
    if target.exists() and not ((target / MANIFEST).is_file() or (target.is_dir() and not any(target.iterdir()))):
        raise UsageError(f"{target} exists and is no output folder of tallybook; choose another with --out")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        work = Path(tempfile.mkdtemp(prefix=f".{target.name}-", dir=target.parent))
    except OSError as error:
        raise UsageError(f"cannot write to {target.parent}: {error.strerror}") from None
    try:
        fresh = work / "new"
        fresh.mkdir()
        yield fresh
        if target.exists():
            target.rename(work / "old")
        fresh.rename(target)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def write_text(path: Path, text: str) -> None:
    """Write a text file whole or not at all.

    Args:
        path: The file; its folder exists.
        text: What it shall hold.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}-", dir=path.parent)
    temporary = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        temporary.chmod(0o644)
        temporary.replace(path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def csv_text(frame: pl.DataFrame) -> str:
    """A frame as CSV that no spreadsheet takes for formulas.

    Args:
        frame: The frame. Text may come from a model's response.

    Returns:
        CSV with LF line ends, its text `inert`.
    """
    return inert(frame).write_csv()


def inert(frame: pl.DataFrame) -> pl.DataFrame:
    """Make the texts of a frame harmless in a CSV file.

    Args:
        frame: The frame. Text may come from a model's response.

    Returns:
        The frame in which control and format characters are written as escapes, and a text that a spreadsheet would
        run (it starts with '=', '+', '-' or '@' and is no number) is preceded by an apostrophe.
    """
    for name, kind in frame.schema.items():
        if kind != pl.String:
            continue
        text = pl.col(name)
        if frame.get_column(name).str.contains(r"[\p{C}\p{Zl}\p{Zp}]").any():
            text = text.map_elements(escaped, return_dtype=pl.String)
        runs = text.str.contains(r"^[=+\-@]") & ~text.str.contains(r"^[+-]?[\d.]+(?:[eE][+-]?\d+)?$")
        frame = frame.with_columns(pl.when(runs).then(pl.concat_str(pl.lit("'"), text)).otherwise(text).alias(name))
    return frame
