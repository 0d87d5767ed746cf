"""Study files: found by name or path, read, changed by settings from the command line, checked."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from pydantic import ValidationError

from analysis.errors import UsageError
from analysis.resources import BUNDLED_DATA, PUBLISHED, REPORTS, STUDIES, published_studies
from analysis.untrusted import escaped, printable
from schemas.study import Study

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True)
class LoadedStudy:
    """A study and the folders that belong to it.

    Attributes:
        study: The checked declaration.
        path: The study file.
        data: The folder its data and references are read from unless another is named.
        published: The folder of its published values.
        narrative: The folder of its report's narrative.
        settings: The settings that were changed, as `key=value`.
    """

    study: Study
    path: Path
    data: Path
    published: Path
    narrative: Path
    settings: tuple[str, ...]


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
        folders = (path.parent, path.parent / "published", path.parent / "report")
    content = _read_toml(path)
    for setting in settings:
        _apply(content, setting)
    try:
        study = Study.model_validate(content)
    except ValidationError as error:
        raise UsageError(_explain(path, error)) from None
    return LoadedStudy(study, path, *folders, settings=tuple(settings))


def _own_file(name: str) -> Path:
    path = Path(name)
    try:
        path = path / "study.toml" if path.is_dir() else path
        if name and path.is_file():
            return path
    except OSError:  # no path can be that long
        pass
    known = ", ".join(published_studies())
    raise UsageError(f"no study {printable(name)}: neither a study file nor one of {known}")


def _read_toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    except UnicodeDecodeError as error:
        raise UsageError(f"{path}: not UTF-8 text at byte {error.start}") from None
    except (ValueError, RecursionError) as error:  # an overlong number, or nesting without end, are faults too
        raise UsageError(f"{path}: not TOML: {error}") from None


def _apply(content: dict[str, Any], setting: str) -> None:
    """Change one setting. A key must lead through tables that exist; the last part may be new.

    A part `*` stands for every table beside which the rest of the key exists already.
    """
    dotted, equals, text = setting.partition("=")
    *way, last = dotted.strip().split(".")
    if not equals or not last:
        raise UsageError(f"--set {printable(setting)}: expected key=value, for instance style.rounding=half-up")
    for part in way[:1]:
        if part in Study.model_fields:
            content.setdefault(part, {})  # a part of the study with defaults need not stand in the file
    tables = [content]
    for part in way:
        inner = [(name, table[name]) for table in tables for name in table if isinstance(table[name], dict)]
        tables = [cast("dict[str, Any]", value) for name, value in inner if part in {name, "*"}]
        if not tables:
            known = ", ".join(dict.fromkeys(name for name, _ in inner)) or "none"
            raise UsageError(f"--set {printable(setting)}: no table {part!r}; there are {known}")
    if "*" in way:
        tables = [table for table in tables if last in table]
    if not tables:
        raise UsageError(f"--set {printable(setting)}: no table that '*' stands for has {last!r}")
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        parsed = {}
    for table in tables:
        # Text that says more than one value is taken as it stands.
        table[last] = parsed["value"] if list(parsed) == ["value"] else text.strip()


def _explain(path: Path, error: ValidationError) -> str:
    lines: list[str] = []
    faults = error.errors(include_url=False)
    for fault in faults:
        within = [other for other in faults if other["loc"][: len(fault["loc"])] == fault["loc"]]
        if fault["type"] == "too_short" and len(within) > 1:
            continue  # a list is too short only because what stands in it is wrong
        place = ".".join(str(part + 1) if isinstance(part, int) else part for part in fault["loc"])
        message = fault["msg"].removeprefix("Value error, ")
        given = "" if fault["type"] in {"missing", "value_error"} else f" (found {printable(repr(fault['input']))})"
        lines.append(f"{path}: {escaped(f'{place}: ' if place else '')}{escaped(message)}{given}")
    return "\n".join(lines)
