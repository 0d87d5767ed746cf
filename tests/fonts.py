"""Fonts of a few letters, for tests that must not depend on what is installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen

if TYPE_CHECKING:
    from pathlib import Path


def font(folder: Path, name: str, letters: str) -> Path:
    """Write a TrueType font in which every letter is a square.

    Args:
        folder: Where to write; it is made when it is missing.
        name: The name of the family.
        letters: The letters that it has.

    Returns:
        The file.
    """
    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for corner in ((100, 700), (800, 700), (800, 0)):
        pen.lineTo(corner)
    pen.closePath()
    glyphs = {letter: f"u{ord(letter):X}" for letter in letters}
    order = [".notdef", *glyphs.values()]
    builder = FontBuilder(1000, isTTF=True)
    builder.setupGlyphOrder(order)
    builder.setupCharacterMap({ord(letter): glyph for letter, glyph in glyphs.items()})
    builder.setupGlyf(dict.fromkeys(order, pen.glyph()))
    builder.setupHorizontalMetrics(dict.fromkeys(order, (900, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable({"familyName": name, "styleName": "Regular", "psName": f"{name}-Regular"})
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.ttf"
    builder.save(file)
    return file
