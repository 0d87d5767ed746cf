"""Deviation scores: the share of an analysis' tests that are significant."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.binomial_test import BinomialTest
from tallybook.analyses.wording import number, of_clustered_tests, of_estimates, sentences
from tallybook.study.analysis_base import HYPOTHESIS, Analysis, Counts, OfEstimates
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
    """A test counts when its p-value is below alpha: the adjusted one, if the analysis has a family."""
    counts: Counts = "hypotheses"
    """The number of hypotheses: a category and its complement are one, in two rows."""

    of_kind: ClassVar[str] = "binomial test"
    counts_tests: ClassVar[bool] = True

    @property
    def counts_hypotheses_of(self) -> tuple[str, ...]:
        """The analysis whose hypotheses it counts."""
        return (self.of,) if self.counts == "hypotheses" else ()

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, BinomialTest)

    def terms(self, study: Study) -> list[str] | None:
        return ["significant"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.deviation import deviation_scores

        own = [*study.analyses[self.of].by, HYPOTHESIS] if self.counts == "hypotheses" else None
        return deviation_scores(inputs.estimates(self.of), self.by, alpha=self.alpha, hypothesis=own)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE

    def note(self, study: Study) -> str:
        p = "p" if study.analyses[self.of].family is None else "adjusted p"
        counted = "A category and its complement are one test."
        if self.counts == "rows":
            counted = "Every category is a test of its own."
        return sentences(
            f"Deviation score: share of the valid tests with {p} < {self.alpha:g}. {counted}",
            of_clustered_tests(study, study.analyses[self.of]),
        )

    def account(self, study: Study) -> Account:
        adjusted = "" if study.analyses[self.of].family is None else "adjusted "
        counted = "A category and its complement count as one test"
        if self.counts == "rows":
            counted = "Every category counts as a test of its own"
        text = (
            f"The score is the share of tests with {adjusted}*p* \\< {number(self.alpha)} among those that "
            f"exist; where there is no test, none counts as not significant. {counted}."
        )
        return of_estimates(study, self, "Deviation score", text, "Counted were the")
