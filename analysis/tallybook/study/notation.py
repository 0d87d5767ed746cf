"""The notation of estimates in running text: their symbols, units and accompanying tests."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple


class Piece(NamedTuple):
    """A piece of text in one style."""

    text: str
    style: Literal["plain", "italic", "lowered"] = "plain"  # the typographic style


Symbol = tuple[Piece, ...]

Unit = Literal["number", "bounded", "percent", "points", "count"]
"""A number; a number of at most 1, printed without a leading zero; a share; a difference of shares; a count."""


@dataclass(frozen=True)
class Notation:
    """The notation of an estimate."""

    symbol: Symbol = ()  # what stands before "= estimate"; nothing for shares and counts
    unit: Unit = "number"  # the estimate's unit
    statistic: Symbol = ()  # the name of the test statistic; empty if there is no test
    has_test_first: bool = False  # whether the test comes first and the effect size after it
    has_df_at_symbol: bool = False  # whether the degrees of freedom follow the estimate's symbol, as for *r*
    shows_n: bool = False  # whether the number of responses is given


def italic(letter: str, lowered: str = "") -> Symbol:
    """Build a symbol from an italic letter and an optional subscript."""
    return (Piece(letter, "italic"), *([Piece(lowered, "lowered")] if lowered else []))


EFFECTS: dict[str, Symbol] = {
    "cohen_d": italic("d"),
    "cohen_h": italic("h"),
    "cohen_w": italic("w"),
    "odds_ratio": italic("OR"),
}
"""Kind of effect size -> its symbol."""

Z = italic("z")
CHI_SQUARE: Symbol = (Piece("χ²"),)
SHARE = Notation(unit="percent", shows_n=True)
R = Notation(italic("r"), "bounded", has_df_at_symbol=True)
