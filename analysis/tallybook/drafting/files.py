"""The files of a dump as a source of a study file, and what their names tell."""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePath, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple, get_args

from tallybook.study.record_sources import RecordFormat

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.drafting.survey import Survey
    from tallybook.study.draft import Settings

_MOST_FILES = 8
"""With more files than this, a study file names their common form."""


_PART = re.compile(r"(part|shard|chunk|batch|train|test|validation|valid|dev|of)?[-_.]?[\d.-]*(of[-_.]?\d+)?")
"""What files and folders are called that are parts of one dump, or splits of a data set."""

HIVE = "model="
"""How the folders of a model are called where each is called after a column and its value."""


class NameForm(NamedTuple):
    """What the names of the files of one folder have in common."""

    before: str  # what stands before that in which they differ
    after: str  # what stands behind it

    def different(self, name: str) -> str:
        """Get the part that differs.

        >>> NameForm("run_", ".csv").different("dump/run_gpt_4.csv")
        'gpt_4'
        """
        return PurePosixPath(name).name.removeprefix(self.before).removesuffix(self.after)

    def form(self, names: Sequence[str]) -> str:
        """Get the form of files in a study file.

        >>> NameForm("run_", ".csv").form(["dump/run_gpt_4.csv", "dump/run_llama.csv"])
        'dump/run_{model}.csv'
        """
        return (PurePosixPath(names[0]).parent / f"{self.before}{{model}}{self.after}").as_posix()


class FolderForm(NamedTuple):
    """What the paths of files in several folders have in common."""

    steps: int  # how many steps from its end a path has that in which the folders differ: 1 is the file's own folder

    def different(self, name: str) -> str:
        """Get the part that differs.

        >>> FolderForm(1).different("runs/gpt-4/out.jsonl")
        'gpt-4'
        """
        return PurePosixPath(name).parts[-1 - self.steps].removeprefix(HIVE)

    def form(self, names: Sequence[str]) -> str:
        """Get the form of files in a study file.

        >>> FolderForm(1).form(["runs/gpt-4/1.jsonl", "runs/llama/2.jsonl"])
        'runs/{model}/*.jsonl'
        """
        parts = list(PurePosixPath(names[0]).parts)
        hive = HIVE if all(PurePosixPath(name).parts[-1 - self.steps].startswith(HIVE) for name in names) else ""
        parts[-1 - self.steps] = f"{hive}{{model}}"
        if len({PurePosixPath(name).name for name in names}) > 1:
            suffixes = {PurePosixPath(name).suffix for name in names}
            parts[-1] = f"*{suffixes.pop() if len(suffixes) == 1 else ''}"
        return "/".join(parts)


class Located(NamedTuple):
    """Where the files of a dump lie."""

    folder: str  # the data folder, relative to that of the study file
    names: list[str]  # the files, relative to the data folder


def located(files: Sequence[str], folder: Path) -> Located:
    """Locate the files of a dump: in the study file's folder, else in the nearest one that holds them all."""
    paths = [os.path.abspath(file) for file in files]  # noqa: PTH100  keeps links
    real = [os.path.realpath(file) for file in files]
    for place, names in ((os.path.abspath(folder), paths), (_common_folder(paths), paths)):  # noqa: PTH100
        if all(Path(os.path.realpath(name)).is_relative_to(os.path.realpath(place)) for name in names):
            break
    else:
        place, names = _common_folder(real), real
    return Located(_relative(place, folder), [_relative(name, place) for name in names])


def _common_folder(paths: Iterable[str]) -> str:
    """Get the nearest folder that holds all files."""
    return os.path.commonpath([os.path.dirname(path) for path in paths])  # noqa: PTH120  as commonpath takes them


def _relative(path: str, folder: str | Path) -> str:
    return PurePath(os.path.relpath(path, folder)).as_posix()


def source_settings(survey: Survey, names: Sequence[str]) -> Settings:
    """Get the settings of a source of the files of a dump, but for its columns."""
    of_formats = {file.format for file in survey.files}
    settings: Settings = {"format": of_formats.pop() if len(of_formats) == 1 else "auto"}
    if settings["format"] == "delimited":
        settings["format"] = "auto"
    if settings["format"] not in get_args(RecordFormat):
        settings |= {"format": "plugin", "plugin": settings["format"]}
    settings["files"] = names[0] if len(names) == 1 else list(names)
    if len(names) > _MOST_FILES and not survey.passed:
        folders = [PurePosixPath(name).parent for name in names]
        common = PurePosixPath(*_common_start([folder.parts for folder in folders]))
        suffixes = {PurePosixPath(name).suffix for name in names}
        within = "" if set(folders) == {common} else "**/"
        start = "" if common == PurePosixPath() else f"{common}/"
        settings["files"] = f"{start}{within}*{suffixes.pop() if len(suffixes) == 1 else ''}"
    if survey.reading.sheet is not None:
        settings["sheet"] = survey.reading.sheet
    if survey.reading.table is not None:
        settings["table"] = survey.reading.table
    if survey.reading.delimiter is not None:
        settings |= {"format": "csv", "delimiter": survey.reading.delimiter}
    if survey.reading.header > 1:
        settings["header"] = survey.reading.header
    if survey.unfold is not None:
        settings["unfold"] = survey.unfold
    if survey.reading.encoding != "utf-8":
        settings["encoding"] = survey.reading.encoding
    settings["extra"] = "ignore"
    return settings


def name_form(names: Sequence[str]) -> NameForm | None:
    """Find what the names of files of one folder share before and after their difference; None if nothing.

    >>> name_form(["a/run_gpt_4_final.csv", "a/run_llama_final.csv"])
    NameForm(before='run_', after='_final.csv')
    """
    paths = [PurePosixPath(name) for name in names]
    stems = [path.name for path in paths]
    if len(set(stems)) <= 1 or len({path.parent for path in paths}) > 1:
        return None
    before = "".join(_common_start(stems))
    before = before[: max(before.rfind(separator) for separator in "_-. ") + 1]
    after = "".join(_common_start([stem[len(before) :][::-1] for stem in stems]))[::-1]
    after = after[min((place for place in map(after.find, "_-. ") if place >= 0), default=len(after)) :]
    return NameForm(before, after) if all(len(stem) > len(before) + len(after) for stem in stems) else None


def model_form(names: Sequence[str]) -> NameForm | FolderForm | None:
    """Find the part of names or folders that tells models apart; parts and splits do not count."""
    form = name_form(names) or folder_form(names)
    return None if form is None or all(is_part(form.different(name)) for name in names) else form


def is_part(name: str) -> bool:
    """Tell whether a file is called like a part of a dump, or a split of a data set."""
    return _PART.fullmatch(name) is not None


def folder_form(names: Sequence[str]) -> FolderForm | None:
    """Find the folder in which paths of equal depth differ; None if there are several.

    >>> folder_form(["runs/gpt-4/out.jsonl", "runs/llama/out.jsonl"])
    FolderForm(steps=1)
    >>> folder_form(["runs/gpt-4/old/out.jsonl", "runs/llama/new/out.jsonl"])
    """
    folders = [PurePosixPath(name).parent.parts for name in names]
    if len({len(folder) for folder in folders}) != 1:
        return None
    different = [place for place, steps in enumerate(zip(*folders, strict=True)) if len(set(steps)) > 1]
    return FolderForm(len(folders[0]) - different[0]) if len(different) == 1 else None


def _common_start(sequences: Iterable[Sequence[str]]) -> list[str]:
    """Find what several texts, or lists of texts, begin with."""
    shared: list[str] = []
    for place in zip(*sequences, strict=False):
        if len(set(place)) > 1:
            break
        shared.append(place[0])
    return shared
