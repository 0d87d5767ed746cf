"""Whether a study may read where it asks to."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import typer

from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.loading import LoadedStudy


def confirmed_data(loaded: LoadedStudy, named: Path | None) -> Path | None:
    """Ask on a terminal whether a study may read data that do not lie within its own folder."""
    if named is not None or not loaded.reads_elsewhere or not _is_terminal():
        return named
    shown = printable(os.path.realpath(loaded.declared_data), 200)
    agreed = typer.confirm(f"{loaded.path}: may this study read its data from {shown}?", default=False, err=True)
    return loaded.declared_data if agreed else None


def _is_terminal() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()
