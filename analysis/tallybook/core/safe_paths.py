"""Safe access to paths given by others: only regular files within the expected folder are accepted."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable

if TYPE_CHECKING:
    from collections.abc import Callable
    from io import BufferedReader

_KINDS = {
    stat.S_IFIFO: "a pipe",
    stat.S_IFSOCK: "a socket",
    stat.S_IFCHR: "a device",
    stat.S_IFBLK: "a device",
    stat.S_IFDIR: "a folder",
}
# Opening a pipe without a writer must not block.
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)


def open_regular(path: Path, root: Path | None = None) -> BufferedReader:
    """Open a regular file for reading, if given a folder only one below it.

    Raises:
        OSError: The path is a folder, device, pipe or socket, or leads elsewhere than when it was opened.
        UsageError: The path leads out of `root`.
    """
    _refuse_special(path.stat().st_mode, path)
    handle = os.open(path, _FLAGS)
    try:
        opened = os.fstat(handle)
        _refuse_special(opened.st_mode, path)  # the path may lead elsewhere by now
        if root is not None:
            _refuse_other(opened, below(root, os.path.relpath(path, root)))
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def read_bytes(path: Path) -> bytes:
    """Return the content of a regular file."""
    with open_regular(path) as file:
        return file.read()


def sha256(path: Path) -> str:
    """Return the SHA-256 of a regular file."""
    with open_regular(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def below(folder: Path, name: str | Path) -> Path:
    """Return the path of a file in a folder; raise a `UsageError` if it leads out of the folder."""
    path = folder / name
    try:
        real, root = Path(os.path.realpath(path)), Path(os.path.realpath(folder))
    except (OSError, ValueError):  # the path is too long, or has a null character: opening it raises a clear error
        return path
    if real.is_relative_to(root):
        return path
    if any(real.is_relative_to(above / ".git" / "annex" / "objects") for above in (root, *root.parents)):
        return path
    shown, where = printable(str(name), 200), printable(str(folder), 200)
    raise UsageError(f"{shown}: expected a file within {where}; this leads to {printable(str(real), 200)}")


def copy_folder(source: Path, target: Path, root: Path, *, passed_over: Callable[[Path], bool]) -> None:
    """Copy a folder of regular files and subfolders, apart from the paths that are `passed_over`."""
    target.mkdir(parents=True)
    for path in sorted(source.iterdir()):
        if passed_over(path):
            continue
        check_file(path, root)
        if path.is_dir():
            copy_folder(path, target / path.name, root, passed_over=passed_over)
            continue
        with open_regular(path, root) as file, (target / path.name).open("wb") as copy:
            shutil.copyfileobj(file, copy)


def check_folder(folder: Path) -> None:
    """Raise a `UsageError` for links to folders or out of the folder, and for special files; ignore hidden files."""
    for above, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in sorted((*folders, *(name for name in files if not name.startswith(".")))):
            check_file(Path(above, name), folder)


def check_file(path: Path, root: Path) -> None:
    """Raise a `UsageError` unless a path is a folder, a regular file, or a link to one within `root`."""
    shown = printable(str(path), 200)
    below(root, os.path.relpath(path, root))
    try:
        mode = path.stat().st_mode
    except OSError as error:
        raise UsageError(f"{shown}: {error.strerror or type(error).__name__}") from None
    if path.is_symlink() and stat.S_ISDIR(mode):
        raise UsageError(f"{shown}: expected files, or a folder of files; this is a link to a folder")
    if not stat.S_ISDIR(mode) and not stat.S_ISREG(mode):
        raise UsageError(f"{shown}: expected a regular file; this is {_KINDS.get(stat.S_IFMT(mode), 'none')}")


def _refuse_other(opened: os.stat_result, path: Path) -> None:
    if not os.path.samestat(opened, os.lstat(os.path.realpath(path))):
        raise OSError(errno.ESTALE, "the file was replaced while it was opened", str(path))


def _refuse_special(mode: int, path: Path) -> None:
    if not stat.S_ISREG(mode):
        kind = _KINDS.get(stat.S_IFMT(mode), "something else")
        raise OSError(errno.EINVAL, f"{kind}, not a regular file", str(path))
