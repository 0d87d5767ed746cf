"""Rendered files compared by what they show: their bytes depend on the machine, and on what packs them."""

from __future__ import annotations

import html
import re
import zipfile
import zlib
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING

from tallybook.published.regression.difference import Compared, Difference, compared, unreadable
from tallybook.published.regression.files import suffix_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from pathlib import Path

_NEAR = 0.01
"""By how much numbers of a drawing may differ: a hundredth of a point, where a hair is a quarter of one."""
_SHADES, _PIXELS = 32, 10
"""A picture is another if more than so many pixels differ by more than so many of 255 shades: edges that are rounded
otherwise differ by less."""
_NUMBER = re.compile(r"(?:(?<![A-Za-z\d_])|(?<=[MLQC]))[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
_NAMED = re.compile(r"\b[a-z]+[0-9a-f]{10}\b")
"""Names that follow from what they name: a number that is rounded otherwise gives another name."""
_STREAM = re.compile(rb"\bstream\r?\n(.*?)\r?\nendstream\b", re.DOTALL)
_ASCII = bytes([*b"\t\n\r", *range(0x20, 0x7F)])
_MOSTLY = 0.8
"""The share of ASCII from which a stream draws: letters are written in two bytes each, fonts are no text at all."""
_PARAGRAPH = re.compile(r"<w:p[ >].*?</w:p>", re.DOTALL)
_TEXT = re.compile(r"<(?:w:)?t(?: [^>]*)?>([^<]*)</(?:w:)?t>")
_SHARED = re.compile(r"<si>.*?</si>|<si/>", re.DOTALL)
_ROW = re.compile(r"<row\b.*?</row>", re.DOTALL)
_CELL = re.compile(r"<c ([^>]*?)(?:/>|>(.*?)</c>)", re.DOTALL)
_VALUE = re.compile(r"<v>([^<]*)</v>")


def compare(file: str, then: Path, now: Path) -> Compared:
    """Compare a rendered file with what the study gives now; line ends and blanks before them do not matter."""
    suffix = suffix_of(file)
    if suffix == "png":
        return _pixels(file, then, now)
    name, read = _READERS.get(suffix, ("UTF-8 text", _lines))
    try:
        committed = read(then)
    except (OSError, ValueError, zipfile.BadZipFile, KeyError, IndexError):
        return unreadable(file, f"no {name}")
    made = read(now)
    if suffix in {"svg", "pdf"}:
        is_same = _is_drawn_alike(committed, made)
        return compared(file, [] if is_same else [Difference(file, "changed", note="another picture is drawn now")])
    return compared(file, list(_changed(file, committed, made)))


def _lines(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")  # which reads every form of line ends
    return [line.rstrip() for line in text.rstrip().split("\n")]


def _paragraphs(path: Path) -> list[str]:
    """Get the paragraphs of a Word file: each cell of a table is one."""
    with zipfile.ZipFile(path) as archive:
        document = archive.read("word/document.xml").decode()
    return [_text_of(paragraph).strip() for paragraph in _PARAGRAPH.findall(document)]


def _rows(path: Path) -> list[str]:
    """Get the rows of the first sheet of an Excel workbook."""
    with zipfile.ZipFile(path) as archive:
        sheet = archive.read("xl/worksheets/sheet1.xml").decode()
        has_texts = "xl/sharedStrings.xml" in archive.namelist()
        shared = archive.read("xl/sharedStrings.xml").decode() if has_texts else ""
    texts = [_text_of(text) for text in _SHARED.findall(shared)]

    def shown(attributes: str, content: str) -> str:
        value = "".join(_VALUE.findall(content))
        return texts[int(value)] if 't="s"' in attributes else html.unescape(value) or _text_of(content)

    return [" | ".join(shown(*cell) for cell in _CELL.findall(row)).rstrip(" |") for row in _ROW.findall(sheet)]


def _text_of(part: str) -> str:
    return html.unescape("".join(_TEXT.findall(part)))


def _of_svg(path: Path) -> list[str]:
    text = path.read_text(encoding="utf-8")
    if "<svg" not in text:
        raise ValueError
    return [_NAMED.sub("name", text.replace("\r\n", "\n"))]


def _of_pdf(path: Path) -> list[str]:
    """Get what is drawn on a page: its streams but the fonts', unpacked."""
    content = path.read_bytes()
    if not content.startswith(b"%PDF"):
        raise ValueError
    found: list[str] = []
    for packed in _STREAM.findall(content):
        try:
            stream = zlib.decompress(packed)
        except zlib.error:
            stream = packed
        if len(stream.translate(None, _ASCII)) <= (1 - _MOSTLY) * len(stream):
            found.append(stream.decode("latin-1"))
    return found


_READERS: dict[str, tuple[str, Callable[[Path], list[str]]]] = {
    "docx": ("Word file", _paragraphs),
    "xlsx": ("Excel workbook", _rows),
    "svg": ("SVG file", _of_svg),
    "pdf": ("PDF file", _of_pdf),
}


def _changed(file: str, committed: Sequence[str], made: Sequence[str]) -> Iterator[Difference]:
    """List the lines that differ, paired by position."""
    what = {"docx": "paragraph", "xlsx": "row"}.get(suffix_of(file), "line")
    matcher = SequenceMatcher(a=committed, b=made, autojunk=False)
    for kind, start, end, first, last in matcher.get_opcodes():
        if kind == "equal":
            continue
        for number, (old, new) in enumerate(zip_longest(committed[start:end], made[first:last]), start=start + 1):
            line = number if what == "line" and old is not None else None
            if old is None:
                yield Difference(file, "new", (), what, now=(new or "").strip())
            elif new is None:
                yield Difference(file, "gone", (), what, committed=old.strip(), line=line)
            else:
                place = () if what == "line" else ((what, str(number)),)
                yield Difference(file, "changed", place, "", *_apart(old, new), line)


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


def _is_drawn_alike(committed: Sequence[str], made: Sequence[str]) -> bool:
    """Tell whether drawings are the same but for numbers that are nearly equal."""
    if len(committed) != len(made):
        return False
    for old, new in zip(committed, made, strict=True):
        if _NUMBER.split(old) != _NUMBER.split(new):
            return False
        pairs = zip(_NUMBER.findall(old), _NUMBER.findall(new), strict=True)
        if any(one != other and abs(float(one) - float(other)) > _NEAR for one, other in pairs):
            return False
    return True


def _pixels(file: str, then: Path, now: Path) -> Compared:
    import numpy as np
    from matplotlib import image

    try:
        committed = np.asarray(image.imread(then), np.float64)
    except (OSError, ValueError, SyntaxError):  # as pillow tells broken pictures
        return unreadable(file, "no PNG file")
    made = np.asarray(image.imread(now), np.float64)
    if committed.shape != made.shape:
        before, after = (f"{shape[1]} x {shape[0]} pixels" for shape in (committed.shape, made.shape))
        return compared(file, [Difference(file, "changed", (), "size", before, after)])
    others = int((np.abs(committed - made).max(axis=-1) * 255 > _SHADES).sum())
    if others <= _PIXELS:
        return compared(file, [])
    note = f"another picture is drawn now: {others:,} of {made.shape[0] * made.shape[1]:,} pixels differ"
    return compared(file, [Difference(file, "changed", note=note)])
