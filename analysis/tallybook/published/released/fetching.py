"""A study's released data in a folder: fetched, copied or only checked, and verified in any case."""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.published.released.download import another, download, sha256_of
from tallybook.published.released.listing import HOST

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.published.released.listing import Release, ReleasedFile


class Fetched(NamedTuple):
    """The result of fetching."""

    fetched: tuple[str, ...]  # the files that were fetched or copied
    kept: tuple[str, ...]  # the files that were there already, with the right content


def check(released: Release, folder: Path, progress: Progress) -> None:
    """Check that a folder holds the released files, to the byte. Other files in it do not matter."""
    if not folder.is_dir():
        raise UsageError(f"no folder {folder}")
    advance = progress.stage("Checking files", len(released.files))
    problems: list[Problem] = []
    for file in released.files:
        problems += [] if (found := fault(file, folder / file.file)) is None else [found]
        advance(1)
    if problems:
        raise DataError(problems)


def fetch(released: Release, folder: Path, progress: Progress, host: str = HOST) -> Fetched:
    """Download what a folder lacks of the released files."""

    def bring(file: ReleasedFile, target: Path, advance: Callable[[int], None]) -> None:
        download(released.url(file, host), target, file, advance)

    return _bring_all(released, folder, progress.stage(f"Fetching {released.study} (bytes)", released.size), bring)


def copy(released: Release, source: Path, folder: Path, progress: Progress) -> Fetched:
    """Copy released files that a folder lacks from a data folder or a repository, and verify them."""
    if not source.is_dir():
        raise UsageError(f"--from {source}: no such folder")
    origins = {file.file: _origin(file, source) for file in released.files}
    if problems := [found for file in released.files if (found := fault(file, origins[file.file])) is not None]:
        raise DataError(problems)

    def bring(file: ReleasedFile, target: Path, advance: Callable[[int], None]) -> None:
        content = origins[file.file].read_bytes()
        if (found := hashlib.sha256(content).hexdigest()) != file.sha256:  # changed since it was checked
            raise DataError([another(file, found)])
        part = target.with_name(f"{target.name}.part")
        part.write_bytes(content)
        part.replace(target)
        advance(file.size)

    return _bring_all(released, folder, progress.stage(f"Copying {released.study} (bytes)", released.size), bring)


def _bring_all(
    released: Release,
    folder: Path,
    advance: Callable[[int], None],
    bring: Callable[[ReleasedFile, Path, Callable[[int], None]], None],
) -> Fetched:
    fetched: list[str] = []
    kept: list[str] = []
    for file in released.files:
        target = folder / file.file
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.parent.resolve().is_relative_to(folder.resolve()):
                raise UsageError(f"{target.parent} is a link that leads out of {folder}")
            if fault(file, target) is None:
                kept.append(file.file)
                advance(file.size)
                continue
            bring(file, target, advance)
        except OSError as error:
            raise UsageError(f"{target}: {error.strerror or os.strerror(error.errno or 0)}") from None
        fetched.append(file.file)
    return Fetched(tuple(fetched), tuple(kept))


def _origin(file: ReleasedFile, source: Path) -> Path:
    """Locate a file in a copy: as the study expects it, or as in the authors' repository."""
    own, theirs = source / file.file, source / file.repository_path
    return theirs if theirs.is_file() and not own.is_file() else own


def fault(file: ReleasedFile, path: Path) -> Problem | None:
    """Compare a file with the released one: by its size, then by its SHA-256."""
    if not path.is_file():
        return Problem(file.file, "", "", "", "this file")
    if (size := path.stat().st_size) != file.size:
        return Problem(file.file, "", "", f"{size:,} bytes", f"{file.size:,} bytes, as it was released")
    found = sha256_of(path)
    return None if found == file.sha256 else another(file, found)
