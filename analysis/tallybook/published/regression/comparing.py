"""Comparison of committed results with new ones, file by file, including missing and superfluous files."""

from __future__ import annotations

import json
import re
from difflib import SequenceMatcher
from filecmp import cmp
from itertools import zip_longest
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.core.output import MANIFEST, manifest_of
from tallybook.published.regression import frames
from tallybook.published.regression.files import Difference, due, listed, order
from tallybook.report import manifest, number_files
from tallybook.report.manifest import provenance
from tallybook.tables.table_format import write_tables

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.pipeline import Results
    from tallybook.published.regression.files import Committed

_APART = {"created", "versions", "code", "files", "made", "report", "wall_seconds", "hardware"}
"""The parts of a manifest that describe the run instead of the results, and may differ between runs."""
_FILES = {
    "inputs.": "data file",
    "references.": "reference table",
    "overrides.files.": "file of hand codes",
    "published.": "file of published values",
}
"""Part of a manifest with digests of files -> the kind of file."""
_ORIGINS = {
    "study": "another study",
    "study_file_sha256": "the study file has changed",
    "edition": "made of another edition of the data (--edition, --data)",
    "settings": "made with other settings (--set)",
    "seed": "made with another seed",
}
"""Setting of a manifest -> the meaning of a difference in it."""


class Comparison(NamedTuple):
    """The comparison of committed results with those that the study gives now."""

    study: str  # the study's name
    committed: Committed  # the committed files
    # every file that was compared, or that exists on one side only -> its differences
    files: Mapping[str, Sequence[Difference]]
    tolerance: float  # the relative difference allowed in unrounded numbers
    # program -> its version when the results were made, and now, where the two differ
    versions: dict[str, tuple[str, str]]

    @property
    def number(self) -> int:
        """The number of differences."""
        return sum(one.times for differences in self.files.values() for one in differences)


def compare(results: Results, found: Committed, *, tolerance: float, missing: bool, extra: bool) -> Comparison:
    """Compute the files that are committed, and compare them."""
    with TemporaryDirectory(prefix="tallybook-") as scratch:
        folder = Path(scratch)
        number_files.write_numbers(results, folder)
        if found.table_formats:
            write_tables(results.tables.tables, folder / "tables", found.table_formats)
        files = dict(_compared(found, folder, provenance(results), tolerance, missing=missing, extra=extra))
    now = manifest.versions()
    changed = {name: (then, now[name]) for name, then in versions(found.folder) if now.get(name, then) != then}
    return Comparison(results.loaded.study.name, found, files, tolerance, changed)


def _compared(
    found: Committed, folder: Path, content: Mapping[str, Any], tolerance: float, *, missing: bool, extra: bool
) -> Iterator[tuple[str, list[Difference]]]:
    made = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()} | {MANIFEST}
    for file in sorted({*found.files, *due(found, made)}, key=order):
        then, now = found.folder / file, folder / file
        if file not in found.files:
            yield from [(file, [Difference(file, "missing")])] if missing else []
        elif file not in made:
            yield from [(file, [Difference(file, "extra")])] if extra else []
        elif file == MANIFEST:
            yield file, compare_manifests(then, content)
        elif cmp(then, now, shallow=False):
            yield file, []
        else:
            is_frame = frames.is_frame(file)
            yield file, frames.compare(file, then, now, tolerance) if is_frame else compare_lines(file, then, now)


def compare_lines(file: str, then: Path, now: Path) -> list[Difference]:
    """Compare a text file with its new version; line ends and trailing blanks are ignored."""
    try:
        old = [line.rstrip() for line in then.read_text(encoding="utf-8").rstrip().split("\n")]
    except ValueError:
        return [Difference(file, "unreadable", note="no UTF-8 text")]
    new = [line.rstrip() for line in now.read_text(encoding="utf-8").rstrip().split("\n")]
    found: list[Difference] = []
    for kind, start, end, first, last in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if kind == "equal":
            continue
        for number, (before, after) in enumerate(zip_longest(old[start:end], new[first:last]), start=start + 1):
            if before is None:
                found.append(Difference(file, "new", what="line", now=(after or "").strip()))
            elif after is None:
                found.append(Difference(file, "gone", what="line", committed=before.strip(), line=number))
            else:
                found.append(Difference(file, "changed", (), "", *_differing_words(before, after), number))
    return listed(found, len(found))


def _differing_words(old: str, new: str) -> tuple[str, str]:
    """Return the differing parts of two lines, from the first differing word to the last.

    >>> _differing_words("Black & 0.12 & 0.5", "Black & 0.13 & 0.5")
    ('0.12', '0.13')
    """
    before, after = (re.findall(r"\s*\S+", text) for text in (old, new))
    matcher = SequenceMatcher(a=before, b=after, autojunk=False)
    first, *_, last = [one for one in matcher.get_opcodes() if one[0] != "equal"] * 2
    return "".join(before[first[1] : last[2]]).strip(), "".join(after[first[3] : last[4]]).strip()


def compare_manifests(then: Path, now: Mapping[str, Any]) -> list[Difference]:
    """Compare a manifest with that of the new results; differences in origins come first."""
    content = manifest_of(then.parent)
    if content is None:
        return [Difference(MANIFEST, "unreadable", note="no manifest of tallybook")]
    before, after = (
        _flat({name: value for name, value in part.items() if name not in _APART}) for part in (content, now)
    )
    differing = (path for path in {**before, **after} if before.get(path) != after.get(path))
    found = [_differing(path, before.get(path), after.get(path)) for path in differing]
    return sorted(found, key=lambda one: one.kind != "origin")


def _differing(path: str, before: str | None, after: str | None) -> Difference:
    for start, kind in _FILES.items():
        if path.startswith(start):
            how = "is no longer read" if after is None else "was not read then" if before is None else "has changed"
            return Difference(MANIFEST, "origin", note=f"{kind} {path.removeprefix(start)} {how}")
    if path == "study_file_sha256":
        return Difference(MANIFEST, "origin", note=_ORIGINS[path])
    if path in _ORIGINS:
        return Difference(MANIFEST, "origin", committed=before, now=after, note=_ORIGINS[path])
    return Difference(MANIFEST, "changed", what=path, committed=before, now=after)


def _flat(value: object, path: str = "") -> dict[str, str]:
    """Flatten nested tables to dotted path -> value as text; empty tables are dropped."""
    if isinstance(value, dict):
        parts = (
            _flat(inner, f"{path}.{name}" if path else name) for name, inner in cast("dict[str, object]", value).items()
        )
        return {name: text for part in parts for name, text in part.items()}
    return {path: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)}


def versions(folder: Path) -> Iterator[tuple[str, str]]:
    """Yield the programs with the versions that the committed results were made with."""
    then: object = (manifest_of(folder) or {}).get("versions")
    if isinstance(then, dict):
        yield from ((name, str(version)) for name, version in cast("dict[str, object]", then).items())
