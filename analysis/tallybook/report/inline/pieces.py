"""Phrases as pieces of text, some of them italic or lowered: as plain text and as Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.markdown import literal

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tallybook.study.notation import Piece

NO_BREAK = "\u00a0"
"""A space at which no line ends: between a symbol, its sign of relation and its number."""

_MARKS = {"plain": "", "italic": "*", "lowered": "~"}


def plain(pieces: Iterable[Piece]) -> str:
    """The phrase as plain text.

    >>> from tallybook.study.notation import Piece
    >>> plain([Piece("p", "italic"), Piece("adj", "lowered"), Piece(f"{NO_BREAK}<{NO_BREAK}.001")])
    'p_adj < .001'
    """
    texts = (f"_{piece.text}" if piece.style == "lowered" else piece.text for piece in pieces)
    return "".join(texts).replace(NO_BREAK, " ")


def markdown(pieces: Iterable[Piece]) -> str:
    r"""The phrase as Markdown.

    >>> from tallybook.study.notation import Piece
    >>> markdown([Piece("M", "italic"), Piece(" = 0.50, 95% CI [0.41, 0.59]")])
    '*M* \\= 0\\.50\\, 95\\% CI \\[0\\.41\\, 0\\.59\\]'
    """
    return "".join(f"{_MARKS[style]}{_literal(text)}{_MARKS[style]}" for text, style in pieces)


def _literal(text: str) -> str:
    """The text without markup; the spaces around it are part of the phrase."""
    bare = text.strip()
    before, _, after = text.partition(bare) if bare else (text, "", "")
    return f"{before}{literal(bare)}{after}"
