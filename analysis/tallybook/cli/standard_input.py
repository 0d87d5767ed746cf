"""Standard input as a file, where a command is given `-`."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING, cast

from tallybook.core.errors import UsageError
from tallybook.core.output import whole_file

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedReader
    from pathlib import Path

_SUFFIXES = {b"{": ".jsonl", b"[": ".json", b"P": ".parquet"}
"""First byte -> suffix; anything else is a table of text. Formats are told apart by content."""


def with_standard_input(paths: Sequence[Path], folder: Path, *, replace: bool = False) -> list[Path]:
    """Keep standard input as a file of a folder, in the place of `-`."""
    if [str(path) for path in paths].count("-") > 1:
        raise UsageError("-: standard input can be read once")
    return [_kept(folder, replace=replace) if str(path) == "-" else path for path in paths]


def _kept(folder: Path, *, replace: bool) -> Path:
    if sys.stdin.isatty():
        raise UsageError("-: standard input is a terminal; expected a dump, as in `tallybook init - < answers.csv`")
    first = cast("BufferedReader", sys.stdin.buffer).peek(1)[:1]
    target = folder / f"responses{_SUFFIXES.get(first, '.csv')}"
    if target.exists() and not replace:
        raise UsageError(f"{target} is there already; --force replaces it")
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as file, file.open("wb") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    return target
