"""Fitted curves of logistic regressions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.logistic import Logistic
from tallybook.analyses.wording import of_estimates
from tallybook.study.analysis_base import Analysis, OfEstimates
from tallybook.study.notation import SHARE, Notation

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class LogisticCurve(OfEstimates):
    """The fitted curve of a logistic regression on one score, with its band: what a figure shows."""

    statistic: Literal["logistic-curve"]
    points: int = Field(default=101, ge=2, le=10_001)
    """At how many values of the predictor, from its smallest to its largest in the data."""

    of_kind: ClassVar[str] = "logistic regression"

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, Logistic)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        if isinstance(of, Logistic) and len(of.predictors) > 1:
            raise ValueError(f"{place}.of: {self.of} has several predictors; a curve has one")
        if set(self.by) != set(of.by):
            raise ValueError(f"{place}.by: expected that of {self.of}: {', '.join(of.by) or 'none'}")

    def terms(self, study: Study) -> None:
        """List nothing: the data make the values of the predictor."""

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.logistic.outcome_regression import outcome_curves

        regression = self._regression(study)
        return outcome_curves(
            inputs.counts(self.of),
            regression.by,
            regression.outcomes,
            regression.category,
            regression.predictors[0],
            points=self.points,
            estimator=regression.estimator,
            cluster=regression.cluster_column(study),
            correction=regression.correction,
            confidence=regression.confidence,
        )

    def _regression(self, study: Study) -> Logistic:
        regression = study.analyses[self.of]
        if not isinstance(regression, Logistic):  # the study file is checked for it
            raise TypeError(f"{self.of} is not a logistic regression")
        return regression

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return replace(SHARE, shows_n=False)

    def note(self, study: Study) -> str:
        return f"Fitted probability with its pointwise band. {self._regression(study).note(study)}"

    def account(self, study: Study) -> Account:
        text = (
            "Fitted probabilities are drawn from the smallest to the largest value of the predictor, with their "
            "pointwise Wald bands."
        )
        return of_estimates(study, self, "Fitted curves", text, "They are those of the")
