"""Changes of texts that keep the answer: line ends, blanks, capitals, quotes, encodings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.simulation.forms import parts_by

if TYPE_CHECKING:
    from collections.abc import Callable

_CURLY = {"'": "’"}
_FOREIGN = "’‘“”–—→•é…"
"""Characters beyond ASCII that a text may hold and still be mistaken for Mac Roman."""
_MISREAD = {character: character.encode().decode("mac-roman") for character in _FOREIGN}


def _curly(text: pl.Expr) -> pl.Expr:
    return text.str.replace_many(_CURLY)


def _misread(text: pl.Expr) -> pl.Expr:
    """UTF-8 read as Mac Roman, where no character but the known ones is beyond ASCII."""
    curly = _curly(text)
    is_known = ~curly.str.contains(rf"[^\x00-\x7f{_FOREIGN}]")
    return pl.when(is_known).then(curly.str.replace_many(_MISREAD)).otherwise(curly)


DISGUISES: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "none": lambda text: text,
    "windows-lines": lambda text: text.str.replace_all("\n", "\r\n", literal=True),
    "blanks-around": lambda text: pl.concat_str(pl.lit("\n\n "), text, pl.lit("  \n")),
    "no-break-spaces": lambda text: text.str.replace_all(" ", "\u00a0", literal=True),
    "zero-width": lambda text: pl.concat_str(pl.lit("\u200b"), text, pl.lit("\ufeff")),
    "capitals": lambda text: text.str.to_uppercase(),
    "curly-quotes": _curly,
    "mojibake": _misread,
}
"""Disguise -> what it does to a text. What it says stays the same; study files undo the last one by `repair`."""

WEIGHTS = (0.86, *[0.02] * (len(DISGUISES) - 1))
"""The probability of each disguise."""


def disguised(texts: pl.Series, numbers: pl.Series) -> pl.Series:
    """Disguise texts."""
    frame = pl.DataFrame({"text": texts, "disguise": numbers}).with_row_index("_row")
    change = list(DISGUISES.values())
    parts = [
        part.select("_row", change[number](pl.col("text")).alias("text"))
        for number, part in parts_by(frame, "disguise")
    ]
    return pl.concat(parts).sort("_row").get_column("text")
