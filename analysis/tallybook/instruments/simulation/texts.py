"""The texts of simulated responses: templates filled, and disguised by changes that keep the answer."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.instruments.simulation.scenario import Form

_SLOT = re.compile(r"\{([A-Za-z][A-Za-z0-9_]*)\}")
_CURLY = {"'": "’"}
_FOREIGN = "’‘“”–—→•é…"
"""Characters beyond ASCII that a text may hold and still be mistaken for Mac Roman."""
_MISREAD = {character: character.encode().decode("mac-roman") for character in _FOREIGN}


def _misread(text: pl.Expr) -> pl.Expr:
    """UTF-8 read as Mac Roman, where no character but the known ones is beyond ASCII."""
    curly = text.str.replace_many(_CURLY)
    is_known = ~curly.str.contains(rf"[^\x00-\x7f{_FOREIGN}]")
    return pl.when(is_known).then(curly.str.replace_many(_MISREAD)).otherwise(curly)


DISGUISES: dict[str, Callable[[pl.Expr], pl.Expr]] = {
    "none": lambda text: text,
    "windows-lines": lambda text: text.str.replace_all("\n", "\r\n", literal=True),
    "blanks-around": lambda text: pl.concat_str(pl.lit("\n\n "), text, pl.lit("  \n")),
    "no-break-spaces": lambda text: text.str.replace_all(" ", "\u00a0", literal=True),
    "zero-width": lambda text: pl.concat_str(pl.lit("\u200b"), text, pl.lit("\ufeff")),
    "capitals": lambda text: text.str.to_uppercase(),
    "curly-quotes": lambda text: text.str.replace_many(_CURLY),
    "mojibake": _misread,
}
"""Disguise -> what it does to a text. What it says stays the same; study files undo the last one by `repair`."""

WEIGHTS = (0.86, *[0.02] * (len(DISGUISES) - 1))
"""The probability of each disguise."""


def filled(template: str, slots: Mapping[str, pl.Expr]) -> pl.Expr:
    """Fill a template.

    >>> answers = pl.DataFrame({"choice": ["smart"]})
    >>> answers.select(filled('{"answer": "{choice}"}', {})).item()
    '{"answer": "smart"}'
    """
    # A split at an expression with one group gives literal texts and slots in turn.
    parts = [
        slots.get(part, pl.col(part)) if place % 2 else pl.lit(part) for place, part in enumerate(_SLOT.split(template))
    ]
    return pl.concat_str(parts)


def written(frame: pl.DataFrame, forms: Sequence[Form], slots: Mapping[str, pl.Expr]) -> pl.Series:
    """The texts of responses, by the number of the form of each."""
    return _by_number(frame, "form", lambda number: filled(forms[number].template, slots))


def disguised(texts: pl.Series, numbers: pl.Series) -> pl.Series:
    """Disguise texts, by the number of the disguise of each."""
    changes = list(DISGUISES.values())
    frame = pl.DataFrame({"text": texts, "disguise": numbers})
    return _by_number(frame, "disguise", lambda number: changes[number](pl.col("text")))


def _by_number(frame: pl.DataFrame, column: str, text: Callable[[int], pl.Expr]) -> pl.Series:
    """Make texts, of the rows with each number by an expression of its own."""
    parts = [
        part.select("_row", text(int(part.item(0, column))).alias("text"))
        for part in frame.with_row_index("_row").partition_by(column)
    ]
    return pl.concat(parts).sort("_row").get_column("text")
