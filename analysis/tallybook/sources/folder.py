"""Data folders: the files that match a study's path patterns, and all files in paths given to a command."""

from __future__ import annotations

import glob
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TYPE_CHECKING

from tallybook.core.errors import UsageError
from tallybook.core.output import MANIFEST, manifest_of
from tallybook.core.safe_paths import below
from tallybook.core.untrusted import printable
from tallybook.study.source_base import PART

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable
    from pathlib import Path


class Folder:
    """A data folder, or only a `part` of it: some files and folders."""

    def __init__(self, path: Path, part: Collection[str] = ()) -> None:
        self.path = path
        self.part = tuple(part)
        self._listings: dict[str, list[str]] = {}

    def names(self, form: str) -> list[str]:
        """List the files that a form may match, within the part."""
        names = self._names(form)
        return [name for name in names if any(_is_within(name, part) for part in self.part)] if self.part else names

    def _names(self, form: str) -> list[str]:
        """List the paths that have a form's depth and suffix, relative to the folder and sorted."""
        if not PART.search(form) and ("*" not in form or (self.path / form).exists()):
            return [form] if (self.path / form).exists() else []
        pattern = _glob_pattern(form)
        if pattern not in self._listings:
            # The standard library's `glob` skips hidden files, such as those that editors and file managers leave.
            names = glob.glob(pattern, root_dir=self.path, recursive=True)  # noqa: PTH207  knows names above the folder
            is_wild = "*" in form
            found = [name for name in names if not is_wild or (self.path / name).is_file()]
            self._listings[pattern] = sorted(PurePath(name).as_posix() for name in found)
        return self._listings[pattern]


class ListedFiles(Folder):
    """A data folder with a given list of file names."""

    def __init__(self, path: Path, names: Collection[str]) -> None:
        super().__init__(path)
        self._listed = sorted(names)

    def _names(self, form: str) -> list[str]:
        steps = _glob_pattern(form).split("/")
        apart = [(name, name.split("/")) for name in self._listed]
        return [name for name, own in apart if len(own) == len(steps) and all(map(fnmatchcase, own, steps))]


def _is_within(name: str, part: str) -> bool:
    return part in {".", name} or name.startswith(f"{part}/")


def _glob_pattern(form: str) -> str:
    """Build the `glob` pattern for all candidates of a form; wildcards in names are escaped."""
    *folders, name = form.split("/")
    if "*" in form:
        wanted = ["*" if PART.search(folder) else folder for folder in folders] + [PART.sub("*", name)]
        return "/".join(glob.escape(part).replace("[*]", "*") for part in wanted)
    _, dot, suffix = form.rpartition("}")[2].rpartition(".")
    wanted = ["*" if PART.search(folder) else glob.escape(folder) for folder in folders]
    return "/".join([*wanted, f"*{dot}{glob.escape(suffix)}"])


def files_within(paths: Iterable[Path]) -> list[Path]:
    """Return the given files, and all files in the given folders at any depth."""
    found: dict[Path, None] = {}
    for path in paths:
        shown = printable(str(path), 200)
        if path.is_dir():
            there = [file for file in path.rglob("*") if not _is_hidden(file.relative_to(path))]
            made = {file.parent for file in there if file.name == MANIFEST and file.parent != path}
            made = {folder for folder in made if manifest_of(folder)}  # what an earlier run wrote is no dump
            inner = sorted(file for file in there if file.is_file() and made.isdisjoint(file.parents))
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
