"""Analyses whose tests may be one-sided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import Declaration
from tallybook_schemas.vocabulary import Alternative

if TYPE_CHECKING:
    import polars as pl

_SIDES: dict[Alternative, str] = {"two-sided": "two-sided", "greater": "one-sided (above)", "less": "one-sided (below)"}


class Sided(Declaration):
    """An analysis whose estimates may be tested on one side of their value under the null hypothesis."""

    alternative: Alternative = "two-sided"
    """`greater` tests whether the estimate is above its value under the null hypothesis, `less` whether it is below.
    Intervals stay two-sided."""

    @property
    def side(self) -> str:
        """The tests, in words."""
        return _SIDES[self.alternative]

    def one_sided(self, found: pl.DataFrame) -> pl.DataFrame:
        """Give tests that have a statistic its alternative; exact ones have it already."""
        from tallybook.statistics.sides import one_sided

        return one_sided(found, self.alternative)
