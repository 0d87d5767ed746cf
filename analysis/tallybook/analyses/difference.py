"""Differences of shares between two levels of a factor."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.categories import OfCategories, check_factor, is_compared
from tallybook.analyses.wording import (
    BASES,
    NOTE_BASES,
    adjustment,
    cells,
    conditions,
    factor_name,
    level_name,
    outcome_names,
    percent,
    sentences,
)
from tallybook.study.account import Account
from tallybook.study.base import Identifier
from tallybook.study.notation import Notation
from tallybook_schemas.vocabulary import Denominator

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Difference(OfCategories):
    """How much more often each category occurs at one level of a factor than at another."""

    statistic: Literal["difference"]
    factor: Identifier
    """The factor whose levels are compared."""
    levels: tuple[str, str]
    """The share at the first level less the share at the second."""
    denominator: Denominator = "coded"
    """What the shares are of; see `Denominator`."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the Newcombe interval."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "differences of shares"

    def check_settings(self, study: Study, place: str) -> None:
        """Raise a ValueError if it compares levels that are not declared."""
        check_factor(study, self, self.factor, self.levels, place)

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        """Tell whether it is computed from responses of these levels, among others."""
        return is_compared(self.factor, self.levels, levels) and super().rests_on(study, levels)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates."""
        from tallybook.statistics.proportions.difference import share_differences

        return share_differences(
            inputs.tally,
            self.by,
            self.members(study),
            self.factor,
            self.levels,
            denominator=self.denominator,
            confidence=self.confidence,
        )

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Series:
        """Name the hypotheses: a category and its complement are one."""
        from tallybook.analyses.hypotheses import sets_of_categories

        levels = (self.factor, self.levels)
        return sets_of_categories(study, self, found, tally, self.denominator, levels=levels)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how a difference of shares is written."""
        del study, term, has_df
        return Notation(unit="points")

    def note(self, study: Study) -> str:
        """Write the sentence under a table."""
        first, second = (study.factors[self.factor].levels[level] for level in self.levels)
        return f"Differences ({first} less {second}) of shares of {NOTE_BASES[self.denominator]}."

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        first, second = (level_name(study, self.factor, level) for level in self.levels)
        text = sentences(
            f"Differences are those of shares of {BASES[self.denominator]}. Their {percent(self.confidence)} "
            "intervals are Newcombe’s hybrid score intervals [@newcombe1998]; their *p*-values are those of Fisher’s "
            "exact test, two-sided [@fisher1935].",
            adjustment(study, self.family),
        )
        what = (
            f"{outcome_names(study, self.outcomes)} between “{first}” and “{second}” (the first less the second) of "
            f"{factor_name(study, self.factor)}"
        )
        where, by = conditions(study, self.where), cells(study, self.by)
        return Account("Differences of shares", text, "Compared are the categories of", what, where, by)
