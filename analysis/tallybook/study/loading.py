"""Study files: found by name or path, read, changed by settings from the command line, checked."""

from __future__ import annotations

import hashlib
import os
import re
import tomllib
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError
from tallybook.core.resources import BUNDLED_DATA, PUBLISHED, REPORTS, STUDIES, published_studies
from tallybook.core.untrusted import escaped, printable
from tallybook.study.faults import Fault, checked
from tallybook.study.lines import line_of, lines
from tallybook.study.settings import apply_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.model import Study
    from tallybook.study.settings import Changed

_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_KEY = re.compile(r"\((.*)\)")

_MESSAGES = {
    "Invalid statement": "this is neither a setting nor the head of a table; expected `name = value` or `[name]`",
    "Invalid value": "this is not a value; expected text in quotes, a number, true or false, a [list] or a {{table}}",
    "Invalid initial character for a key part": "this is not a name of a setting; expected letters, digits, '_', "
    "'-', or any text in quotes",
    "Expected '=' after a key": "'=' is missing after the name of the setting; expected `name = value`",
    "Expected newline or end of document": "there is something behind the value; expected one setting a line, and text "
    "in quotes",
    "Expected ']' at the end": "the head of the table is not closed; expected ']'",
    "Expected ']]' at the end": "the head of the table is not closed; expected ']]'",
    "Unclosed array": "the list is not closed; expected ',' or ']'",
    "Unclosed inline table": "the table in braces is not closed; expected ',' or '}}', all of it on one line",
    "Unterminated string": "the text in quotes is not closed",
    "Illegal character '\\n'": "the text in quotes is not closed; expected the closing quote on the same line",
    "Unescaped '\\' in a string": "a '\\' is literal only in text in single quotes; expected '...' or '\\\\'",
    "Invalid hex value": "'\\u' must be followed by four hexadecimal digits",
    "Cannot overwrite a value": "this setting is already given above; expected each setting once",
    "Duplicate inline table key": "the table in braces has a setting twice; expected each setting once",
    "Cannot declare": "the table {key} is declared twice; expected all its settings in one place",
    "Cannot mutate immutable namespace": "{key} has all its settings in braces above; expected no more of them here",
    "Cannot redefine namespace": "{key} is declared above already; expected all its settings in one place",
    "Cannot mutate immutable": "{key} is declared above already; expected all its settings in one place",
}
"""How a message of the standard library begins -> what is told instead."""


def syntax_fault(text: str, error: Exception) -> tuple[int, str]:
    """Explain why a text is no TOML.

    >>> import tomllib
    >>> try:
    ...     tomllib.loads("name = small")
    ... except ValueError as error:
    ...     syntax_fault("name = small", error)[0]
    1
    """
    if isinstance(error, RecursionError):
        deepest = max(enumerate(text.split("\n"), start=1), key=lambda line: len(re.findall(r"[\[{]", line[1])))
        return deepest[0], "lists or tables are nested too deeply"
    place = _PLACE.search(str(error))
    if place is None:  # the number is read by the language, not by the parser
        long = max(re.finditer(r"[\d_]+", text), key=lambda found: len(found[0]), default=None)
        line = text.count("\n", 0, long.start()) + 1 if long else 1
        return line, "a number has too many digits"
    told = str(error)[: place.start()]
    line = int(place[1]) if place[1] else text.rstrip().count("\n") + 1
    key = _KEY.search(told)
    name = "[" + ".".join(re.findall(r"'([^']*)'", key[1])) + "]" if key else ""
    if told == "Invalid value" and not place[1]:
        return (
            line,
            "the file ends where a value is expected; expected text in quotes, a number, or what closes a list",
        )
    plain = next(
        (plain for known, plain in _MESSAGES.items() if told.startswith(known)), f"{told[:1].lower()}{told[1:]}"
    )
    plain = plain.format(key=escaped(name)) if plain in _MESSAGES.values() else escaped(plain)
    return line, f"{plain} (column {place[2]})" if place[2] else plain


@dataclass(frozen=True)
class LoadedStudy:
    """A study and the folders that belong to it.

    Attributes:
        study: The checked declaration.
        path: The study file.
        data: The folder of its own files: references and, unless it declares another, data.
        published: The folder of its published values.
        narrative: The folder of its report's narrative.
        settings: The settings that were changed, as `key=value`.
        draft: The text of a study file that is not written (yet); None if the study was read from its file.
    """

    study: Study
    path: Path
    data: Path
    published: Path
    narrative: Path
    settings: tuple[str, ...]
    draft: str | None = None

    @property
    def text(self) -> str:
        """The text of the study file, without the settings that were changed."""
        return _read(self.path) if self.draft is None else self.draft

    @property
    def declared_data(self) -> Path:
        """The folder that the study file says its data lie in."""
        return self.data if self.study.data is None else self.data / self.study.data

    @property
    def reads_elsewhere(self) -> bool:
        """Whether the study file asks for data that do not lie within its own folder."""
        inner, own = os.path.realpath(self.declared_data), os.path.realpath(self.data)
        return not Path(inner).is_relative_to(own)

    def data_folder(self, named: Path | None = None) -> Path:
        """Get the folder to read data from."""
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
    """Read the text of a study file."""
    content = _parsed(path, text)
    changed = apply_settings(content, settings)
    study = checked(content)
    if isinstance(study, list):
        raise UsageError(_explained(study, path, text, changed))
    return study


def own_folders(path: Path) -> tuple[Path, Path, Path]:
    """Get the folders of a study that is no published one."""
    return path.parent, path.parent / "published", path.parent / "report"


def _own_file(name: str) -> Path:
    path = Path(name)
    try:
        path = path / "study.toml" if path.is_dir() else path
        if name and path.is_file():
            return path
    except OSError:  # no path can be that long
        pass
    known = published_studies()
    near = "".join(f"; did you mean {one}?" for one in get_close_matches(name, known, n=1))
    raise UsageError(f"no study {printable(name)}: neither a study file nor one of {', '.join(known)}{near}")


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
    except (ValueError, RecursionError) as error:  # an overlong number, or nesting without end, are faults too
        line, message = syntax_fault(text, error)
        raise UsageError(f"{path}:{line}: not TOML: {message}") from None


def _explained(faults: list[Fault], path: Path, text: str, changed: Sequence[Changed]) -> str:
    """List faults, one a line: changes of the command line first, then by line of the file."""
    found = lines(text)
    told: list[tuple[int, str]] = []
    for fault in faults:
        settings = [setting for way, setting in changed if fault.path[: len(way)] == way]
        line = 0 if settings else line_of(found, fault.path)
        where = f"--set {printable(settings[-1])}" if settings else f"{path}:{line}"
        told.append((line, ": ".join(part for part in (where, fault.shown, fault.message) if part)))
    return "\n".join(message for _, message in sorted(told, key=lambda one: one[0]))
