"""Messages about differences from committed results, as text and as JSON."""

from __future__ import annotations

import re
from itertools import chain
from typing import TYPE_CHECKING, Any

from tallybook.core.wording import counted
from tallybook.validation.formats.document import ascii_json
from tallybook.validation.safe import safe

if TYPE_CHECKING:
    from tallybook.published.regression.comparing import Comparison
    from tallybook.published.regression.files import Difference

MOST = 5
"""The maximum number of differences printed for a file, or a folder of files."""


def lines(comparison: Comparison) -> list[str]:
    """Return a line for each difference, limited for each file or folder; differences in origins come first."""
    parts: dict[str, list[Difference]] = {}
    for file, found in comparison.files.items():
        parts.setdefault(re.sub("/.*", "/", file), []).extend(found)
    told: list[str] = []
    for part, differences in parts.items():
        first = [one for one in differences if one.kind == "origin"]
        shown = [*first, *[one for one in differences if one.kind != "origin"][:MOST]]
        told += [line(one) for one in shown]
        if rest := sum(one.times for one in differences) - len(shown):
            told.append(f"... and {rest:,} more in {safe(part)}; --json lists them")
    return told


def line(difference: Difference) -> str:
    """Describe a difference: `tables.csv:14: table 2, row Black, column yes: committed 0.12, now 0.13`."""
    note = safe(difference.note, 200)
    committed, now = (None if text is None else _quoted(text) for text in (difference.committed, difference.now))
    if difference.kind == "origin":
        since = f"{note} since the results were committed" if note.endswith("changed") else note
        return since if committed is None and now is None else f"{since}: committed {committed}, now {now}"
    words = {
        "changed": f"committed {committed or 'nothing'}, now {now or 'nothing'}{f' ({note})' if note else ''}",
        "missing": "not committed, and the study gives it",
        "extra": "committed, and the study does not give it",
        "gone": f"committed{'' if committed is None else f' {committed}'}, not there now",
        "new": f"not committed, now {now or 'there'}",
    }
    named = [f"{name} {_quoted(value)}" for name, value in difference.place]
    place = ", ".join([*named, *([safe(difference.what)] if difference.what else [])])
    file = safe(difference.file, 200) + (f":{difference.line}" if difference.line else "")
    return ": ".join(part for part in (file, place, words.get(difference.kind, note)) if part)


def _quoted(text: str) -> str:
    return safe(text) if text.strip() else f"'{text}'" if text else "nothing"


def verdict(comparison: Comparison, again: str) -> list[str]:
    """Report whether the committed results are up to date and, if not, how to renew them."""
    folder, files = safe(str(comparison.committed.folder), 200), counted(len(comparison.files), "file")
    told = [f"same: {files} of {folder}"]
    if comparison.number:
        changed = ", ".join(
            f"{safe(name)} {safe(then)}, now {safe(now)}" for name, (then, now) in comparison.versions.items()
        )
        told = [f"note: made with {changed}"] if changed else []
        differing = sum(map(bool, comparison.files.values()))
        told.append(
            f"different: {counted(comparison.number, 'difference')} in {differing:,} of {files} of {folder}; "
            f"`{safe(again, 400)}` makes them anew"
        )
    if comparison.committed.others:
        told.append(f"note: not compared: {', '.join(safe(file, 200) for file in comparison.committed.others)}")
    return told


def document(comparison: Comparison) -> str:
    """Format the comparison as one JSON object in ASCII."""
    files = comparison.files
    content: dict[str, Any] = {
        "same": not comparison.number,
        "study": comparison.study,
        "out": str(comparison.committed.folder),
        "tolerance": comparison.tolerance,
        "files": [{"file": file, "differences": sum(one.times for one in found)} for file, found in files.items()],
        "not_compared": list(comparison.committed.others),
        "versions": {name: {"committed": then, "now": now} for name, (then, now) in comparison.versions.items()},
        "differences": [
            {name: value for name, value in one._asdict().items() if name != "times"} | {"place": dict(one.place)}
            for one in chain(*files.values())
        ],
    }
    return ascii_json(content, indent=2)
