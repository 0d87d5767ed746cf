"""Figures compared: what is drawn, not the bytes, which depend on how a machine packs and rounds them."""

from __future__ import annotations

import re
import zlib
from typing import TYPE_CHECKING

from tallybook.published.regression.difference import Compared, Difference, compared, unreadable
from tallybook.published.regression.files import suffix_of

if TYPE_CHECKING:
    from collections.abc import Sequence
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


def compare(file: str, then: Path, now: Path) -> Compared:
    """Compare a figure with what the study gives now."""
    suffix = suffix_of(file)
    if suffix == "png":
        return _pixels(file, then, now)
    read = _of_svg if suffix == "svg" else _of_pdf
    try:
        committed = read(then)
    except ValueError:
        return unreadable(file, f"no {suffix.upper()} file")
    is_same = _is_same(committed, read(now))
    return compared(file, [] if is_same else [Difference(file, "changed", note="another picture is drawn now")])


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


def _is_same(committed: Sequence[str], made: Sequence[str]) -> bool:
    """Tell whether texts are the same but for numbers that are nearly equal."""
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
