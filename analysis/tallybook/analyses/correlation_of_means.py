"""Correlations of scores over cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.score_mean import ScoreMean
from tallybook.analyses.wording import of_estimates, percent
from tallybook.study.analysis_base import Analysis, OfEstimates
from tallybook.study.notation import Notation, R

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class MeansCorrelation(OfEstimates):
    """The correlation of every pair of scores over cells: of the estimates of an analysis of their means."""

    statistic: Literal["correlation-of-means"]
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    of_kind: ClassVar[str] = "analysis of means"
    has_p_values: ClassVar[bool] = True

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, ScoreMean)

    def terms(self, study: Study) -> list[str] | None:
        return list(dict.fromkeys(self.outcomes_of(study) or ()))

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.association.score_correlations import correlations_of_means

        return correlations_of_means(inputs.estimates(self.of), self.by, confidence=self.confidence)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypotheses: a correlation in both orders is one."""
        from tallybook.analyses.hypotheses import unordered_pairs

        return unordered_pairs()

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return R

    def note(self, study: Study) -> str:
        return "Pearson correlations over the means of cells, each cell with the same weight."

    def account(self, study: Study) -> Account:
        text = (
            "Correlations of means are Pearson’s over cells, each with the same weight; intervals at the "
            f"{percent(self.confidence)} level are by Fisher’s transformation [@fisher1921], tests two-sided."
        )
        return of_estimates(study, self, "Correlations of means", text, "Correlated were the")
