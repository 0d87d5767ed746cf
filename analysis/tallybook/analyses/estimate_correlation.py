"""Correlations of the estimates of two analyses over cells."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.mean import OfCells
from tallybook.analyses.wording import of_estimates, percent, results_of
from tallybook.study.analysis_base import OfEstimates
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import Notation, R

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study


class EstimateCorrelation(OfEstimates):
    """The correlation of an analysis' estimates with those of another, over the levels of factors: over models."""

    statistic: Literal["estimate-correlation"]
    versus: Identifier
    """The other analysis."""
    over: tuple[Identifier, ...] = Field(min_length=1)
    """The factors whose combinations are the observations; both analyses are split by them."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    has_p_values: ClassVar[bool] = True

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.of, self.versus)

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, OfCells) or super().takes(analysis)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        must_exist([self.versus], allowed, f"{place}.versus", self.of_kind)
        other = allowed[self.versus]
        for setting, analysis in (("of", of), ("versus", other)):
            must_exist(self.over, analysis.by, f"{place}.over", f"factor of {getattr(self, setting)}")
            must_exist(analysis.by, [*self.by, *self.over], f"{place}.{setting}", "factor of by and over")
            if len(analysis.outcomes_of(study) or ()) != 1 or len(analysis.terms(study) or ()) != 1:
                raise ValueError(f"{place}.{setting}: expected an analysis with one outcome and one term")

    def terms(self, study: Study) -> list[str] | None:
        return ["correlation"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import estimate_correlations

        first, second = inputs.estimates(self.of), inputs.estimates(self.versus)
        return estimate_correlations(first, second, self.by, self.over, confidence=self.confidence)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return R

    def note(self, study: Study) -> str:
        over = " and ".join(study.factors[name].label for name in self.over)
        return f"Pearson correlations of {self.of} with {self.versus} over the levels of {over}, two-sided t tests."

    def account(self, study: Study) -> Account:
        text = (
            "Estimates of two analyses are correlated by Pearson’s *r*, each cell with the same weight; intervals at "
            f"the {percent(self.confidence)} level are by Fisher’s transformation [@fisher1921], tests two-sided."
        )
        one, other = (results_of(study, study.analyses[name]) for name in self.sources)
        return of_estimates(
            study, self, "Correlations of estimates", text, "Correlated were the", what=f"{one}, and the {other}"
        )
