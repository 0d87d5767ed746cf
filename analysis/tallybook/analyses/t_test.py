"""One-sample t tests of mean scores."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.means import OfMeans, from_printed
from tallybook.analyses.sided import Sided
from tallybook.analyses.wording import clustering, number, of_outcomes, outcome_names, percent, sentences
from tallybook.study.notation import Notation, italic
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study


class TTest(OfMeans, Sided):
    """The mean of a score tested against a value by a t test, with Cohen's d."""

    statistic: Literal["t-test"]
    null_value: float = 0.0
    """The mean under the null hypothesis."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "CR1")
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "*t* tests"

    @property
    def two_way_scale(self) -> Scale | None:
        return "identity"

    def terms(self, study: Study) -> list[str] | None:
        return ["mean"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.moments import moments
        from tallybook.statistics.means.score_means import OUTCOME, clustered_t_tests, score_t_tests

        null_value, confidence = self.null_value, self.confidence
        if self.summaries is not None:
            summary = self.moments_of_printed(study, inputs, self.summaries)
            found = score_t_tests(summary, self.by, null_value=null_value, confidence=confidence)
            return from_printed(found, self.source(study))
        counts = self.scores(inputs)
        if (cluster := self.cluster_column(study)) is not None:
            return clustered_t_tests(
                counts, self.by, cluster, null_value=null_value, confidence=confidence, kind=self.standard_error
            )
        return score_t_tests(
            moments(counts, [*self.by, OUTCOME]), self.by, null_value=null_value, confidence=confidence
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(italic("M"), statistic=italic("t"), has_test_first=True)

    def note(self, study: Study) -> str:
        units = "responses" if self.cluster_column(study) is None else "clusters"
        return (
            f"One-sample t tests against {self.null_value:g}, {self.side}, {units} as units{self.counted_note(study)}."
        )

    def account(self, study: Study) -> Account:
        units = "responses as units"
        if self.cluster_column(study) is not None:
            units = "one degree of freedom less than there are clusters"
        text = (
            f"Means were tested by one-sample *t* tests [@student1908], {self.side}, with {units}; "
            f"{percent(self.confidence)} intervals are Student’s, and the effect size is Cohen’s *d* [@cohen1988]."
        )
        what = f"{outcome_names(study, self.outcomes)} against {number(self.null_value)}"
        detail = sentences(
            clustering(study, self.cluster_column(study), self.standard_error, crossed=self.crossed),
            self.counted(study),
        )
        return of_outcomes(study, self, "Tests of means", text, "Tested were", what=what, detail=detail)
