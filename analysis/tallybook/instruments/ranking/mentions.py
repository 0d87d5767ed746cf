"""Find the options that a text names: each mention becomes one character, so that patterns fit any options."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.option_text import plain, safe

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIRST = 0xE100
"""The character of the first option; no text holds private characters after `safe`."""
MARK = "[\ue100-\uf8ff]"
"""A regular expression of the mention of an option."""

_AFTER_LETTER = re.compile(r"""\s*(?:$|[^\w\s'-]|-(?!\w)|\n)|\s+(?:and|then|first|second|third|is|or|followed)\b""")
"""Text after a letter that is an option, rather than an article or initial."""
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}\Z")
"""The number of an item that nothing separates from it: "7Ann"."""
_MEDALS = {"🥇": "\n1. ", "🥈": "\n2. ", "🥉": "\n3. "}


def number_of(mark: str) -> int:
    """Get which option a character stands for."""
    return ord(mark) - FIRST


@lru_cache(maxsize=4096)
def as_written(forms: tuple[str, ...]) -> tuple[str, ...]:
    """Write options as they stand in plain texts."""
    frame = pl.DataFrame({"form": forms}, schema={"form": pl.String})
    written = frame.select(plain(safe(pl.col("form"))).str.replace_all(r"\s+", " ").str.strip_chars())
    return tuple(written.to_series())


def marked(text: str, forms: Sequence[tuple[str, int]]) -> str:
    """Put the character of an option for each mention of it; of forms that overlap the longest is meant."""
    text = re.sub(r" +", " ", text)
    are_digits = all(form.isdigit() for form, _ in forms)
    taken: list[tuple[int, int, int]] = []
    for form, option in forms:
        taken += [(start, -len(form), option) for start in _places(text, form, are_digits=are_digits)]
    pieces: list[str] = []
    end = 0
    for start, length, option in sorted(taken):
        if start >= end:
            pieces += [text[end:start], chr(FIRST + option)]
            end = start - length
    made = "".join([*pieces, text[end:]])
    for medal, number in _MEDALS.items():
        made = made.replace(medal, number)
    return made


def _places(text: str, form: str, *, are_digits: bool) -> Iterable[int]:
    """Find where a form stands as a word of its own."""
    start = text.find(form) if form else -1
    while start >= 0:
        end = start + len(form)
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        is_inside = (
            (before[-1:].isalnum() and not (form[0].isalpha() and _NUMBERED.search(text, max(0, start - 4), start)))
            or (before[-1:] in {"-", "_"} and before[:1].isalnum())
            or after[:1].isalnum()
            or (after[:1] in {"-", "."} and after[1:].isalnum() and (after[0] == "-" or after[1:].isdigit()))
        )
        if are_digits and after[:1] in {".", ")", ":"}:  # "1. 2": the first is the number of a line
            is_inside = is_inside or not text[max(0, start - 9) : start].rpartition("\n")[2].strip()
        elif len(form) == 1:
            is_inside = is_inside or not _AFTER_LETTER.match(text, end)
        if not is_inside:
            yield start
        start = text.find(form, end)
