"""The part of a text in which a decision, or a profile, stands."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from tallybook.instruments.decisions import TextPart

_AT_START = r"(?im)^[^\p{L}\p{N}\n]*"


def part(declared: TextPart) -> pl.Expr:
    r"""Cut the declared part out of texts.

    >>> from tallybook.instruments.decisions import TextPart
    >>> texts = pl.DataFrame(
    ...     {"text": ["Task 1: a\n**Task 2:** b\nin task 3\nTask 3: c", "TASK 2 d task 3 e", "Task 22"]}
    ... )
    >>> texts.select(part(TextPart(after="Task 2", until="Task 3"))).to_series().to_list()
    [':** b\nin task 3\n', ' d ', 'Task 22']
    """
    text = pl.col(declared.column).cast(pl.String)
    if declared.after is not None:
        mark = _mark(declared.after)
        at_line, anywhere = rf"(?s)\A.*(?-s:{_AT_START}{mark})", rf"(?is)\A.*{mark}"
        text = _without(text, f"{_AT_START}{mark}", at_line, anywhere)
    if declared.until is not None:
        mark = _mark(declared.until)
        at_line = rf"{_AT_START}{mark}"
        text = _without(text, at_line, rf"{at_line}(?s:.*)\z", rf"(?i){mark}(?s:.*)\z")
    return text


def _mark(mark: str) -> str:
    """The mark as whole words: "Task 2" is not in "Task 22"."""
    start, end = (r"\b" if character.isalnum() else "" for character in (mark[0], mark[-1]))
    return f"{start}{re.escape(mark)}{end}"


def _without(text: pl.Expr, at_line: str, cut_at_line: str, cut_anywhere: str) -> pl.Expr:
    return (
        pl.when(text.str.contains(at_line))
        .then(text.str.replace(cut_at_line, ""))
        .otherwise(text.str.replace(cut_anywhere, ""))
    )
