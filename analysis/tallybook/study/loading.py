"""Loading of study files: found by name or path, changed by settings from the command line, and checked."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError
from tallybook.core.resources import BUNDLED_DATA, PUBLISHED, REPORTS, STUDIES, published_studies
from tallybook.core.untrusted import escaped, printable
from tallybook.core.wording import first_of
from tallybook.study.faults import Fault, checked
from tallybook.study.locations import Lines, dotted
from tallybook.study.settings import apply_settings

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.locations import Path as Keys
    from tallybook.study.model import Study
    from tallybook.study.settings import Changed

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


@dataclass(frozen=True)
class LoadedStudy:
    """A study and the folders that belong to it."""

    study: Study  # the checked declaration
    path: Path  # the study file
    data: Path  # the folder of its own files: references and, by default, data
    published: Path  # the folder of its published values
    narrative: Path  # the folder of its report's narrative
    settings: tuple[str, ...]  # the settings that were changed, as `key=value`
    draft: str | None = None  # the text of a study file that is not written (yet)

    @property
    def text(self) -> str:
        """The text of the study file, without the changes from the command line."""
        return _read(self.path) if self.draft is None else self.draft

    @property
    def declared_data(self) -> Path:
        """The data folder that the study file declares."""
        return self.data if self.study.data is None else self.data / self.study.data

    @property
    def reads_elsewhere(self) -> bool:
        """Whether the study file's data lie outside of its own folder."""
        inner, own = os.path.realpath(self.declared_data), os.path.realpath(self.data)
        return not Path(inner).is_relative_to(own)

    def data_folder(self, named: Path | None = None) -> Path:
        """Return the folder to read data from; raise a UsageError if it lies outside and is not named explicitly."""
        if named is not None:
            return named
        if self.reads_elsewhere:
            shown = printable(os.path.relpath(self.declared_data), 200)
            raise UsageError(
                f"{self.path}: data: its data lie in {shown}, outside of the study's folder: name them with "
                f"--data {shown}, if this study may read there (in Python, data=)"
            )
        return self.declared_data

    @property
    def sha256(self) -> str:
        """The SHA-256 of the study file."""
        content = self.path.read_bytes() if self.draft is None else self.draft.encode()
        return hashlib.sha256(content).hexdigest()


def load(name_or_path: str, settings: Sequence[str] = ()) -> LoadedStudy:
    """Read a study file.

    Args:
        name_or_path: The name of a published study, or the path of a study file (or of the folder that holds one).
        settings: Changes to the file's settings, each `dotted.key=value` with a TOML value (a bare word is a string).

    Returns:
        The study and its folders.

    Raises:
        UsageError: If there is no such study, or the file is wrong; the message names the setting.
    """
    if name_or_path in published_studies():
        name = name_or_path
        folders = (BUNDLED_DATA / name, PUBLISHED / name, REPORTS / name)
        path = STUDIES / name / "study.toml"
    else:
        path = _own_file(name_or_path)
        folders = own_folders(path)
    return LoadedStudy(declared(_read(path), path, settings), path, *folders, settings=tuple(settings))


def declared(text: str, path: Path, settings: Sequence[str] = ()) -> Study:
    """Parse and check the text of a study file."""
    content = _parsed(path, text)
    changed, places, unusual = apply_settings(content, settings)
    study = checked(content)
    faults = [Fault(place, dotted(place), message) for place, message in unusual]
    faults += study if isinstance(study, list) else []
    if isinstance(study, list) or faults:
        raise UsageError(_explained(faults, path, text, changed, places))
    return study


def own_folders(path: Path) -> tuple[Path, Path, Path]:
    """Return the folders of a study that is not one of the published ones."""
    return path.parent, path.parent / "published", path.parent / "report"


def _own_file(name: str) -> Path:
    path, known = Path(name), published_studies()
    try:
        path = path / "study.toml" if name and path.is_dir() else path
        if name and path.is_file():
            return path
        near = get_close_matches(name, known, n=1) or get_close_matches(
            path.name, [one.name for one in path.parent.iterdir()], n=1
        )
    except (OSError, ValueError):  # too long for a path, or with invalid characters
        near = []
    guess = f"; did you mean {printable(near[0])}?" if near else ""
    writes = f"; tallybook init DUMP --out {printable(name)} writes one" if path.name == "study.toml" else ""
    raise UsageError(f"no study {printable(name)}: neither a study file nor one of {', '.join(known)}{guess or writes}")


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise UsageError(f"{path}:{line}: not UTF-8 text at byte {error.start}") from None


def _parsed(path: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        place = _PLACE.search(str(error))
        if place is None:  # Python itself rejects overlong numbers and very deep nesting
            what = "lists or tables are nested too deeply" if isinstance(error, RecursionError) else str(error)
            raise UsageError(f"{path}: not TOML: {escaped(what)}") from None
        line = place[1] or text.rstrip().count("\n") + 1
        what = escaped(str(error)[: place.start()])
        column = f" (column {place[2]})" if place[2] else " (end of the file)"
        hint = "" if path.suffix == ".toml" else f"; of a dump `tallybook init {printable(path.name)}` writes a study"
        raise UsageError(f"{path}:{line}: not TOML: {what[:1].lower()}{what[1:]}{column}{hint}") from None


def _explained(
    faults: list[Fault], path: Path, text: str, changed: Sequence[Changed], places: Mapping[Keys, Keys]
) -> str:
    """Format faults, one a line: first those of settings from the command line, then by line of the file."""
    found = Lines(text)
    told: list[tuple[int, str]] = []
    for fault in faults:
        settings = [setting for way, setting in changed if fault.path[: len(way)] == way]
        made, own = fault.path[:2], places.get(fault.path[:2], fault.path[:2])  # usual tables: where named
        line = 0 if settings else found.of((*own, *fault.path[2:]))
        where = f"--set {printable(settings[-1])}" if settings else f"{path}:{line}"
        shown = fault.shown if own == made else fault.shown.replace(dotted(made), dotted(own), 1)
        told.append((line, ": ".join(part for part in (where, shown, fault.message) if part)))
    return "\n".join(first_of([*dict.fromkeys(message for _, message in sorted(told, key=lambda one: one[0]))]))


def confirmed_data(loaded: LoadedStudy, named: Path | None) -> Path | None:
    """Ask on a terminal whether a study may read data outside of its own folder."""
    if named is not None or not loaded.reads_elsewhere or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return named
    import typer

    shown = printable(os.path.realpath(loaded.declared_data), 200)
    agreed = typer.confirm(f"{loaded.path}: may this study read its data from {shown}?", default=False, err=True)
    return loaded.declared_data if agreed else None
