"""Rendered tables and other texts compared: line by line, those in CSV cell by cell, Word files by what they say."""

from __future__ import annotations

import csv
import html
import re
import zipfile
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

from tallybook.published.regression.difference import Compared, Difference, compared, unreadable
from tallybook.published.regression.files import part_of, suffix_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

_BEGINNING = 40
"""How many characters of a line's beginning are shown to find it by."""


def compare(file: str, then: Path, now: Path) -> Compared:
    """Compare a text or Word file; trailing white space and line ends do not matter."""
    read = _paragraphs if suffix_of(file) == "docx" else _lines
    try:
        committed = read(then)
    except (OSError, UnicodeDecodeError):
        return unreadable(file, "no UTF-8 text")
    except (zipfile.BadZipFile, KeyError):
        return unreadable(file, "no Word file")
    made = read(now)
    if part_of(file) == "tables" and suffix_of(file) == "csv" and (cells := _cells(file, committed, made)) is not None:
        return compared(file, cells)
    return compared(file, list(_changed_lines(file, committed, made)))


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")  # which reads every form of line ends
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _paragraphs(path: Path) -> list[str]:
    """Get the paragraphs of a Word file: each cell of a table is one."""
    with zipfile.ZipFile(path) as archive:
        document = archive.read("word/document.xml").decode()
    return [html.unescape("".join(_RUN.findall(paragraph))).strip() for paragraph in _PARAGRAPH.findall(document)]


_PARAGRAPH = re.compile(r"<w:p[ >].*?</w:p>", re.DOTALL)
_RUN = re.compile(r"<w:t(?: [^>]*)?>([^<]*)</w:t>")


def _cells(file: str, committed: Sequence[str], made: Sequence[str]) -> list[Difference] | None:
    """Get the cells of a rendered table that differ; None if it has other columns, or more or fewer rows."""
    before, after = list(csv.reader(committed)), list(csv.reader(made))
    if before[:1] != after[:1] or [len(row) for row in before] != [len(row) for row in after]:
        return None
    labels = 2 if before[0][:1] == ["Group"] else 1
    return [
        Difference(file, "changed", (("row", ", ".join(one[:labels])), ("column", header)), "", cell, new, line)
        for line, (one, other) in enumerate(zip(before, after, strict=True), start=1)
        for header, cell, new in zip(before[0], one, other, strict=True)
        if cell != new
    ]


def _changed_lines(file: str, committed: Sequence[str], made: Sequence[str]) -> Iterator[Difference]:
    suffix = suffix_of(file)
    what = "paragraph" if suffix == "docx" else "line"
    for old, new, number in _unequal(committed, made):
        line = number if suffix != "docx" else None
        if old is None:
            yield Difference(file, "new", (), what, now=(new or "").strip())
        elif new is None:
            yield Difference(file, "gone", (), what, committed=old.strip(), line=line)
        elif suffix == "docx":
            yield Difference(file, "changed", ((what, str(number)),), "", old, new)
        else:
            shown = [_tagless(text) for text in (old, new)] if suffix == "html" else [old, new]
            then, now = shown if shown[0] != shown[1] else (old, new)
            yield Difference(file, "changed", _beginning(then, now), "", *_apart(then, now), line)


def _unequal(committed: Sequence[str], made: Sequence[str]) -> Iterator[tuple[str | None, str | None, int]]:
    """List lines that differ, paired by position, with the number of the committed one."""
    matcher = SequenceMatcher(a=committed, b=made, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind != "equal":
            stretch = zip_longest(committed[start:end], made[first:last])
            yield from ((old, new, start + step) for step, (old, new) in enumerate(stretch, start=1))


def _tagless(line: str) -> str:
    """Remove the tags of a line of HTML."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", line)).split())


def _beginning(old: str, new: str) -> tuple[tuple[str, str], ...]:
    r"""Get the beginning of a line, up to its second cell, if both sides have it and it says something.

    >>> _beginning(r"\quad Black & 0.12 \\\\", r"\quad Black & 0.13 \\\\")
    (('line', 'Black'),)
    """
    first, other = (_BETWEEN_CELLS.split(line.strip(" |"))[0].strip() for line in (old, new))
    words = first.removeprefix("\\quad").strip()[:_BEGINNING]
    return (("line", words),) if first == other and re.search(r"\w", words) else ()


_BETWEEN_CELLS = re.compile(r" [&|] |\], \[")


def _apart(old: str, new: str) -> tuple[str, str]:
    """Get the words in which two lines differ, from the first to the last.

    >>> _apart("Black & 0.12 & 0.5", "Black & 0.13 & 0.5")
    ('0.12', '0.13')
    """
    before, after = re.findall(r"\s*\S+", old), re.findall(r"\s*\S+", new)
    start = 0
    while start < min(len(before), len(after)) and before[start] == after[start]:
        start += 1
    end = 0
    while end < min(len(before), len(after)) - start and before[-1 - end] == after[-1 - end]:
        end += 1
    return "".join(before[start : len(before) - end]).strip(), "".join(after[start : len(after) - end]).strip()
