"""Declarations shared by both decision instruments: who gets which task, and yes or no about one person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from tallybook.study.base import Characters, Declaration, Identifier

if TYPE_CHECKING:
    from collections.abc import Iterable

Words = Annotated[tuple[Characters, ...], Field(min_length=1)]
Phrases = tuple[Characters, ...] | None


class TextPart(Declaration):
    """The part of a text that is read."""

    column: Identifier = "text"
    """The column that holds the text."""
    after: Characters | None = None
    """The beginning of the part: after this at the start of the last line that begins with it, else after its last
    mention; case does not matter. A text without it is read from its start."""
    until: Characters | None = None
    """The end of the part: before the first line, of the rest, that begins with this, else before its first
    mention. A text without it is read to its end."""


class DecisionCodes(Declaration):
    """Decisions that were delivered coded; a subclass says which codes there are."""

    column: Identifier
    """The column of the codes."""
    blank: Literal["missing", "rules"] = "rules"
    """The treatment of a response without a code: it has no decision, or the rules find it."""


def must_be_stripped(codes: Iterable[str]) -> None:
    """Raise ValueError if a code has surrounding white space."""
    if blank := [code for code in codes if code != code.strip()]:
        raise ValueError(f"codes: white space around the code {blank[0]!r}")


def columns_read(decision: TextPart, codes: DecisionCodes | None) -> dict[str, str]:
    """Return the columns that both decision instruments read, by setting."""
    settings = {"decision.column": decision.column}
    if codes is not None:
        settings["codes.column"] = codes.column
    return settings
