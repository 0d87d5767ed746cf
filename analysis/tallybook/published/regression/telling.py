"""What differs from committed results, told to people and to machines."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from tallybook.core.wording import counted
from tallybook.published.regression.files import part_of
from tallybook.validation.formats.document import ascii_json
from tallybook.validation.model import Check, Failure, Failures, Report
from tallybook.validation.model import counted as with_counts
from tallybook.validation.safe import safe

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.published.regression.comparing import Comparison
    from tallybook.published.regression.difference import Difference

MOST = 5
"""How many differences of a file, or of a folder of files, people are told."""
_DIGEST = re.compile(r"[0-9a-f]{64}")


def lines(comparison: Comparison) -> list[str]:
    """Describe the differences, one a line; those of a part are capped, origins come first."""
    told: list[str] = []
    for part, differences, number in _parts(comparison):
        first = [one for one in differences if one.kind == "origin"]
        rest = [one for one in differences if one.kind != "origin"][:MOST]
        told += [line(one) for one in (*first, *rest)]
        if (hidden := number - len(first) - len(rest)) > 0:
            told.append(f"... and {hidden:,} more in {safe(part)}; -o FILE.json lists them")
    return told


def _parts(comparison: Comparison) -> Iterator[tuple[str, list[Difference], int]]:
    """Group the files that differ, those of a folder together."""
    parts: dict[str, tuple[list[Difference], int]] = {}
    for file in comparison.differing:
        part = part_of(file.file)
        part = f"{part}/" if part != file.file else part
        differences, number = parts.get(part, ([], 0))
        parts[part] = ([*differences, *file.differences], number + file.number)
    for part, (differences, number) in parts.items():
        yield part, differences, number


def line(difference: Difference) -> str:
    """Describe a difference: `tables.csv:14: table 2, row Black, column yes: committed 0.12, now 0.13`."""
    place = safe(difference.file, 200) + (f":{difference.line}" if difference.line else "")
    parts = [*([] if difference.kind == "origin" else [place]), _place(difference), _described(difference)]
    return ": ".join(part for part in parts if part)


def _place(difference: Difference) -> str:
    named = [f"{name} {_quoted(value)}" for name, value in difference.place]
    return ", ".join([*named, *([safe(difference.what)] if difference.what else [])])


def _described(difference: Difference) -> str:
    if difference.kind == "origin":
        return _origin(difference)
    note = safe(difference.note, 200)
    committed, now = (None if text is None else _quoted(text) for text in (difference.committed, difference.now))
    words = {
        "missing": "not committed, and the study gives it",
        "extra": "committed, and the study does not give it",
        "gone": f"committed{'' if committed is None else f' {committed}'}, not there now",
        "new": f"not committed, now {now or 'there'}",
    }
    if difference.kind == "changed" and (committed or now):
        return f"committed {committed or 'nothing'}, now {now or 'nothing'}{f' ({note})' if note else ''}"
    return words.get(difference.kind, note)


def _origin(difference: Difference) -> str:
    committed, now = difference.committed or "", difference.now or ""
    note = safe(difference.note, 200)
    since = f"{note} since the results were committed" if note.endswith("changed") else note
    if not committed + now or _DIGEST.fullmatch(committed) or _DIGEST.fullmatch(now):
        return since
    return f"{since}: committed {_quoted(committed)}, now {_quoted(now)}"


def _quoted(text: str) -> str:
    return safe(text) if text.strip() else f"'{text}'" if text else "nothing"


def verdict(comparison: Comparison) -> list[str]:
    """Write whether committed results are what the study gives, and what to do if not."""
    folder, files = safe(str(comparison.committed.folder), 200), counted(len(comparison.files), "file")
    told = [f"same: {files} of {folder}"]
    if comparison.number:
        changed = ", ".join(
            f"{safe(name)} {safe(then)}, now {safe(now)}" for name, (then, now) in comparison.versions.items()
        )
        told = [f"note: made with {changed}"] if changed else []
        differing = len(comparison.differing)
        told.append(
            f"different: {counted(comparison.number, 'difference')} in {differing:,} of {files} of {folder}; "
            f"`{safe(comparison.again, 400)}` makes them anew"
        )
    if comparison.committed.reports:
        told.append(f"note: not compared: {', '.join(safe(file, 200) for file in comparison.committed.reports)}")
    return told


def document(comparison: Comparison) -> str:
    """Write everything as one JSON object in ASCII."""
    content: dict[str, Any] = {
        "same": not comparison.number,
        "study": comparison.study,
        "out": str(comparison.committed.folder),
        "tolerance": comparison.tolerance,
        "files": [{"file": file.file, "differences": file.number} for file in comparison.files],
        "not_compared": list(comparison.committed.reports),
        "versions": {name: {"committed": then, "now": now} for name, (then, now) in comparison.versions.items()},
        "differences": [
            one._asdict() | {"place": dict(one.place)} for file in comparison.differing for one in file.differences
        ],
    }
    return ascii_json(content, indent=2)


def report(comparison: Comparison) -> Report:
    """Get the differences as failures, for the formats in which a validation is told."""
    failures = Failures()
    parts = dict.fromkeys(part_of(file.file) for file in comparison.files)
    told = [_failure(one) for file in comparison.differing for one in file.differences]
    failures.add(told)
    checks = with_counts([Check(part, f"{part} is what the study gives.") for part in parts], failures)
    folder = comparison.committed.folder
    details: dict[str, Any] = {"files": len(comparison.files)}
    names = [file.file for file in comparison.files]
    summary = f"{counted(len(names), 'file')} of {safe(str(folder), 200)}"
    words = ("same", "different")
    return Report(safe(comparison.study), checks, failures, names, 0, "error", details, summary, (), folder, words)


def _failure(difference: Difference) -> Failure:
    """Convert a difference to a failure; its place is part of the expectation, to keep equal changes apart."""
    place = _place(difference)
    if difference.kind == "changed" and not difference.note:
        value, words = difference.committed or "nothing", f"{difference.now or 'nothing'}, as the study gives it now"
    else:
        value, words = "", f"what the study gives now ({_described(difference)})"
    expected = f"{words}: {place}" if place else words
    return Failure(part_of(difference.file), "error", difference.file, difference.line, "", "", value, expected)
