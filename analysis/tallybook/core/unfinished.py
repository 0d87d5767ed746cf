"""Temporary files and folders for unfinished output; those that a killed run leaves are removed by the next run."""

from __future__ import annotations

import ctypes
import errno
import os
import re
import shutil
import sys
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import UsageError

if sys.platform != "win32":
    import fcntl
else:
    fcntl = None

if TYPE_CHECKING:
    from collections.abc import Container, Generator

_NUMBER = re.compile(r"(?:\(os error |\[Errno )(\d+)")
_SUFFIX = ".tallybook"
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS}
"""Numbers of errors that only writing can cause."""
_CURRENT_FOLDER, _EXCHANGE = -100, 2
"""The constants of Linux's `renameat2`."""


@contextmanager
def unfinished(target: Path, *, is_folder: bool) -> Generator[Path]:
    """Yield a locked, empty temporary folder or file beside `target`; remove it at the end unless it was moved."""
    with _refused(target.parent):
        if is_folder:
            target.parent.mkdir(parents=True, exist_ok=True)
        _clear(target)
        work, handle = _held(target, is_folder=is_folder)
    try:
        with _refused(target.parent, _NO_ROOM):
            yield work
    finally:
        _remove(work, target)
        _release(handle)


def is_unfinished(name: str) -> bool:
    """Return whether a file's or folder's name is that of unfinished output of a running or a killed process."""
    return bool(_unfinished_name(".+").fullmatch(name))


def _unfinished_name(target: str) -> re.Pattern[str]:
    return re.compile(rf"\.{target}-[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")


def exchange(fresh: Path, target: Path, old: Path) -> None:
    """Move a folder to its target; an existing one is swapped with it atomically where the system can do that."""
    if not target.exists():
        fresh.rename(target)
    elif not _exchanged(fresh, target):
        target.rename(old)
        fresh.rename(target)


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two folders atomically; return False if the operating system or file system cannot."""
    if sys.platform != "linux":
        return False
    try:
        renameat2 = ctypes.CDLL(None, use_errno=True).renameat2
    except (OSError, AttributeError):
        return False
    return renameat2(_CURRENT_FOLDER, os.fsencode(one), _CURRENT_FOLDER, os.fsencode(other), _EXCHANGE) == 0


@contextmanager
def _refused(place: Path, reasons: Container[int | None] | None = None) -> Generator[None]:
    """Convert a failure to write to a `UsageError` with the folder; with `reasons`, only for these error numbers."""
    try:
        yield
    except (OSError, pl.exceptions.ComputeError) as error:
        number = error.errno if isinstance(error, OSError) else None
        if number is None and (told := _NUMBER.search(str(error))):  # polars and shutil give it only in words
            number = int(told[1])
        if number is None or (reasons is not None and number not in reasons):
            raise
        raise UsageError(f"cannot write to {_full(place, number)}: {os.strerror(number)}") from None


def _full(place: Path, reason: int | None) -> Path:
    """Return the folder whose file system is full, which may be that of temporary files."""
    if reason != errno.ENOSPC:
        return place
    with suppress(OSError):  # there may be no usable folder for temporary files
        temporary = Path(tempfile.gettempdir())
        if shutil.disk_usage(temporary).free < shutil.disk_usage(place).free:
            return temporary
    return place


def _held(target: Path, *, is_folder: bool) -> tuple[Path, int | None]:
    """Create and lock a temporary folder or file, so that no other process removes it as a leftover."""
    prefix = f".{target.name}-"
    while True:
        if is_folder:
            work = Path(tempfile.mkdtemp(_SUFFIX, prefix, target.parent))
        else:
            opened, name = tempfile.mkstemp(_SUFFIX, prefix, target.parent)
            os.close(opened)
            work = Path(name)
        handle = _lock(work, waits=True)
        if work.exists():  # otherwise another process removed it as a leftover before it was locked
            return work, handle
        _release(handle)


def _lock(work: Path, *, waits: bool) -> int | None:
    """Lock a folder or file for as long as the process lives; return None if it cannot be locked."""
    if fcntl is None:
        return None
    try:
        handle = os.open(work, os.O_RDONLY | os.O_NOFOLLOW)
    except OSError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        os.close(handle)
        return None
    return handle


def _release(handle: int | None) -> None:
    if handle is not None:
        os.close(handle)


def _clear(target: Path) -> None:
    """Remove unfinished output that killed processes left beside a target; put back a folder they had moved away."""
    name = _unfinished_name(re.escape(target.name))
    with suppress(OSError):
        for work in [path for path in target.parent.iterdir() if name.fullmatch(path.name)]:
            handle = _lock(work, waits=False)
            if handle is None:
                continue
            _remove(work, target)
            _release(handle)


def _remove(work: Path, target: Path) -> None:
    """Remove unfinished output; if the target is missing, first put back the folder that was moved away from it."""
    if (old := work / "old").exists() and not target.exists():
        old.rename(target)
    if work.is_dir():
        shutil.rmtree(work, ignore_errors=True)
    with suppress(OSError):
        work.unlink(missing_ok=True)
