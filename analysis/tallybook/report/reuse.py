"""Reuse of tables and figures of an earlier output folder whose content is unchanged."""

from __future__ import annotations

import hashlib
import shutil
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from tallybook.core.output import manifest_of
from tallybook.report import manifest
from tallybook.tables.table_format import epoch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


class Reuse:
    """The tables and figures of an earlier output folder, found by the digest of the content that they were made of."""

    def __init__(self, earlier: Path | None, folder: Path) -> None:
        """Compare a folder that is being written with the one it replaces, if any."""
        self._earlier, self._folder = earlier, folder
        # for the new folder's manifest: name -> digests of the `content` and of the `files`, and further details
        self.made: dict[str, dict[str, str]] = {}
        content: dict[str, Any] = (manifest_of(earlier) if earlier else None) or {}
        is_same = (content.get("versions"), content.get("code")) == (manifest.versions(), manifest.code())
        # Plug-ins' figures and table formats may have changed while this package has not.
        is_ours = not any(entry_points(group=f"tallybook.{kind}") for kind in ("figures", "tables"))
        self._known: dict[str, dict[str, str]] = content.get("made", {}) if is_same and is_ours else {}

    def copied(self, name: str, suffixes: Sequence[str], *content: str) -> dict[str, str] | None:
        """Copy a table's or figure's files if made of the same content; return their record, or None if not copied."""
        known = self._known.get(name)
        if self._earlier is None or known is None or known["content"] != _digest(*content):
            return None
        files = [self._earlier / f"{name}.{suffix}" for suffix in suffixes]
        if not all(file.is_file() and not file.is_symlink() for file in files) or known["files"] != _of_files(files):
            return None
        for file in files:
            shutil.copyfile(file, self._folder / file.relative_to(self._earlier))
        self.made[name] = known
        return known

    def note(self, name: str, suffixes: Sequence[str], *content: str, **beside: str) -> None:
        """Record the content that a table or figure was made of."""
        files = [self._folder / f"{name}.{suffix}" for suffix in suffixes]
        self.made[name] = {"content": _digest(*content), "files": _of_files(files), **beside}


def _digest(*parts: str) -> str:
    """Return the digest of some texts and of the date that figures and tables may contain."""
    digest = hashlib.sha256(str(epoch()).encode())
    for part in parts:
        data = part.encode()
        digest.update(b"%d:" % len(data) + data)
    return digest.hexdigest()


def _of_files(files: Sequence[Path]) -> str:
    return _digest(*map(manifest.sha256, files))
