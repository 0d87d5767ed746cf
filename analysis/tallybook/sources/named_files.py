"""The files that a command is given: those that are named, and all of folders that are."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.safe_paths import below
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path


def files_within(paths: Iterable[Path]) -> list[Path]:
    """Files, and all files of folders however deep."""
    found: dict[Path, None] = {}
    for path in paths:
        shown = printable(str(path), 200)
        if path.is_dir():
            inner = sorted(
                file for file in path.rglob("*") if file.is_file() and not _is_hidden(file.relative_to(path))
            )
            if not inner:
                raise UsageError(f"{shown} holds no files")
            for file in inner:
                below(path, file.relative_to(path))
            found |= dict.fromkeys(inner)
        elif path.is_file():
            found[path] = None
        else:
            hint = "; a folder stands for all files in it" if any(sign in shown for sign in "*?{") else ""
            if path.exists():
                raise UsageError(f"{shown}: expected a regular file, or a folder of files")
            raise UsageError(f"no file or folder {shown}{hint}")
    return list(found)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)
