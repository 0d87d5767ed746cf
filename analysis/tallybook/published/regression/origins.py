"""Manifests compared: whether committed results were made of the data, study and settings that are there now."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, cast

from tallybook.core.output import MANIFEST
from tallybook.core.safe_paths import read_bytes
from tallybook.published.regression.difference import Compared, Difference, compared, unreadable

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_APART = {"created", "versions", "code", "files", "report", "wall_seconds", "hardware"}
"""What a manifest says of the run and not of the results: two runs may differ in it."""
_FILES = {
    "inputs": "data file",
    "references": "reference table",
    "overrides.files": "file of hand codes",
    "published": "file of published values",
}
"""Part of a manifest with digests of files -> what these are."""


def compare(then: Path, now: Mapping[str, Any]) -> Compared:
    """Compare a manifest with that of the results that the study gives now."""
    try:
        content: object = json.loads(then.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return unreadable(MANIFEST, "no JSON")
    if not isinstance(content, dict):
        return unreadable(MANIFEST, "no manifest of tallybook")
    before, after = (_flat(_without(part)) for part in (cast("dict[str, Any]", content), now))
    origins = [*_files(before, after), *_study(before, after)]
    return compared(MANIFEST, [*origins, *_rest(before, after)])


def versions(folder: Path) -> dict[str, str]:
    """Get the versions of programs with which committed results were made."""
    try:
        then: object = json.loads(read_bytes(folder / MANIFEST))["versions"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found = cast("dict[str, Any]", then) if isinstance(then, dict) else {}
    return {name: str(version) for name, version in found.items()}


def _without(content: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in content.items() if name not in _APART}


def _flat(value: object, path: str = "") -> dict[str, str]:
    """Map dotted path -> value as JSON; files keep their dots."""
    if isinstance(value, dict) and value:
        found: dict[str, str] = {}
        for name, inner in cast("dict[str, object]", value).items():
            found |= _flat(inner, f"{path}.{name}" if path else name)
        return found
    return {path: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}


def _files(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    for part, kind in _FILES.items():
        start = f"{part}."
        for path in dict.fromkeys([*before, *after]):
            if path.startswith(start) and before.get(path) != after.get(path):
                told = f"{kind} {path.removeprefix(start)}"
                how = "is no longer read" if path not in after else "was not read then" if path not in before else ""
                note = f"{told} {how or 'has changed'}"
                yield _origin(note, before.get(path), after.get(path))


def _study(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    told = {
        "study": "another study",
        "study_file_sha256": "the study file has changed",
        "edition": "made of another edition of the data (--edition, --data)",
        "settings": "made with other settings (--set)",
        "seed": "made with another seed",
    }
    for path, note in told.items():
        if before.get(path) != after.get(path):
            values = (None, None) if path == "study_file_sha256" else (before.get(path), after.get(path))
            yield _origin(note, *values)


def _origin(note: str, committed: str | None, now: str | None) -> Difference:
    return Difference(MANIFEST, "origin", committed=committed, now=now, note=note)


_ORIGINS = {"study", "study_file_sha256", "edition", "settings", "seed"}


def _rest(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[Difference]:
    starts = tuple(f"{part}." for part in _FILES)
    for path in dict.fromkeys([*before, *after]):
        is_origin = path in _ORIGINS or path in _FILES or path.startswith(starts)
        if not is_origin and before.get(path) != after.get(path):
            yield Difference(MANIFEST, "changed", (), path, before.get(path), after.get(path))
