"""Deviation scores: the share of an analysis' tests that are significant."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.binomial_test import BinomialTest
from tallybook.analyses.wording import number, of_estimates, results_of
from tallybook.study.analysis_base import Analysis, OfEstimates
from tallybook.study.notation import SHARE, Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class DeviationScore(OfEstimates):
    """The share of an analysis' valid tests that are significant."""

    statistic: Literal["deviation-score"]
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test counts when its p-value is below alpha."""

    of_kind: ClassVar[str] = "binomial test"
    counts_tests: ClassVar[bool] = True

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        """Tell whether an analysis is of binomial tests."""
        return isinstance(analysis, BinomialTest)

    def terms(self, study: Study) -> list[str] | None:
        """List its term."""
        del study
        return ["significant"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute its estimates."""
        from tallybook.statistics.proportions.deviation import deviation_scores

        del study
        return deviation_scores(inputs.estimates(self.of), self.by, alpha=self.alpha)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        """Get how a share of tests is written."""
        del study, term, has_df
        return SHARE

    def note(self, study: Study) -> str:
        """Write the sentence under a table."""
        del study
        return f"Deviation score: share of the valid tests with p < {self.alpha:g}."

    def account(self, study: Study) -> Account:
        """Write what the methods section says of it."""
        text = (
            f"The score is the share of tests with *p* \\< {number(self.alpha)} among those that exist; where "
            "there is no test, none counts as not significant."
        )
        what = results_of(study, study.analyses[self.of])
        return of_estimates(study, self, "Deviation score", text, lead="Counted were the", what=what)
