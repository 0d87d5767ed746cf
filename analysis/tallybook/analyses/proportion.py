"""Proportions: the share of each category, label or refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.categories import OfCategories
from tallybook.analyses.wording import BASES, INTERVALS, NOTE_BASES, clustering, number, of_outcomes, percent, sentences
from tallybook.study.analysis_base import Clustered
from tallybook.study.notation import SHARE, Notation
from tallybook_schemas.vocabulary import Denominator, StandardError

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study


class Proportion(OfCategories, Clustered):
    """The share of each category, label or refusal. With clusters, its interval is one on the log odds."""

    statistic: Literal["proportion"]
    denominator: Denominator = "all"
    """The denominator of the share; see `Denominator`."""
    smoothing: float = Field(default=0.0, ge=0)
    """The constant added to the count of a category and to that of all others together before dividing; the interval
    is of the counts as they are."""
    interval: Literal["wilson", "clopper-pearson", "jeffreys", "uniform"] = "wilson"
    """The interval without clusters: Wilson's, the exact one of Clopper and Pearson, that of Jeffreys, or of a uniform
    prior, Beta(1, 1)."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "CR1")
    results: ClassVar[str] = "shares"

    @property
    def two_way_scale(self) -> Scale | None:
        return "logit"

    def not_clustered(self) -> str | None:
        return "smoothing" if self.smoothing > 0 else None

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.clustered import clustered_proportions
        from tallybook.statistics.proportions.proportion import proportions

        terms, confidence = self.members(study), self.confidence
        if (cluster := self.cluster_column(study)) is not None:
            return clustered_proportions(
                inputs.tally,
                self.by,
                terms,
                cluster,
                denominator=self.denominator,
                confidence=confidence,
                kind=self.standard_error,
            )
        return proportions(
            inputs.tally,
            self.by,
            terms,
            denominator=self.denominator,
            smoothing=self.smoothing,
            interval=self.interval,
            confidence=confidence,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE

    def note(self, study: Study) -> str:
        smoothing = ""
        if self.smoothing:
            smoothing = f" {self.smoothing:g} is added to the count of a category and to that of all others."
        return f"Percentages are of {NOTE_BASES[self.denominator]}.{smoothing}"

    def account(self, study: Study) -> Account:
        interval = f"Their {percent(self.confidence)} intervals are {INTERVALS[self.interval]}."
        if (cluster := self.cluster_column(study)) is not None:
            errors = clustering(study, cluster, self.standard_error, crossed=self.crossed)
            interval = (
                f"{errors} The {percent(self.confidence)} intervals are "
                "Student’s on the log odds, with one degree of freedom less than there are clusters [@korn1998]."
            )
        smoothing = ""
        if self.smoothing:
            smoothing = (
                f"Before dividing, {number(self.smoothing)} is added to the count of a category and to that of all "
                "others together; intervals are of the counts as they are."
            )
        text = sentences(f"Shares are of {BASES[self.denominator]}.", interval, smoothing)
        lead = "Shares were computed of the categories of"
        return of_outcomes(study, self, "Shares of categories", "", lead, detail=text)
