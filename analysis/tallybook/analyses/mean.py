"""Unweighted means of estimates."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import of_estimates, percent, results_of
from tallybook.study.analysis_base import OfEstimates

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation


class OfCells(OfEstimates):
    """An analysis that puts together the estimates of several cells; it has their terms, and no tests."""

    def terms(self, study: Study) -> list[str] | None:
        """List the terms of the analysis that it is of."""
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.terms(study)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how the estimates of the analysis that it is of are written, without their test."""
        of = study.analyses[self.of].notation(study, term, has_df=has_df)
        return replace(of, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=False)


class Mean(OfCells):
    """The mean of an analysis' estimates over the factors that are left out, each estimate with the same weight."""

    statistic: Literal["mean"]
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    results: ClassVar[str] = "means of estimates"

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates."""
        from tallybook.statistics.averages import unweighted_means

        del study
        return unweighted_means(inputs.estimates(self.of), self.by, confidence=self.confidence)

    def note(self, study: Study) -> str:
        """Write the sentences under a table."""
        return f"Unweighted means: every cell counts the same. {study.analyses[self.of].note(study)}"

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        text = (
            "Means of estimates give every cell the same weight, whatever its size; their "
            f"{percent(self.confidence)} intervals are normal ones, for independent cells [@cochran1977]."
        )
        what = results_of(study, study.analyses[self.of])
        return of_estimates(study, self, "Unweighted means", text, lead="Averaged were the", what=what)
