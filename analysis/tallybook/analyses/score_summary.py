"""Summaries of scores: mean, median, standard deviation and missing share."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import factor_name, of_outcomes, percent, sentences
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.notation import Notation, italic

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_NOTATIONS = {
    "mean": Notation(italic("M"), shows_n=True),
    "median": Notation(italic("Mdn"), shows_n=True),
    "sd": Notation(italic("SD"), shows_n=True),
    "missing": Notation(unit="count", shows_n=True),
}


class ScoreSummary(OfResponses, Clustered):
    """Median, standard deviation and missing share of a score."""

    statistic: Literal["score-summary"]
    ddof: Literal[0, 1] = 0
    """0 for the population standard deviation, 1 for the sample's."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals that mean and median have with clusters."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)

    def terms(self, study: Study) -> list[str] | None:
        return list(_NOTATIONS)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.scores import score_summaries, with_intervals

        found = score_summaries(inputs.tally, self.by, self.outcomes, ddof=self.ddof)
        if (cluster := self.cluster_column(study)) is None:
            return found
        return with_intervals(found, inputs.tally, self.by, cluster, confidence=self.confidence)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return _NOTATIONS[term]

    def note(self, study: Study) -> str:
        divisor = "n" if self.ddof == 0 else "n - 1"
        return sentences(
            f"Median and standard deviation (divisor {divisor}) are of the responses that have a value.",
            "" if self.cluster_column(study) is None else "Intervals of medians are those of the shares on each side.",
        )

    def account(self, study: Study) -> Account:
        divisor = "*n*" if self.ddof == 0 else "*n* − 1"
        cluster, intervals = self.cluster_column(study), ""
        if cluster is not None:
            intervals = (
                f"The {percent(self.confidence)} intervals of means are Student’s, by the jackknife over clusters "
                f"({factor_name(study, cluster)}) [@bell2002; @mackinnon2023]; those of medians hold the values of "
                "which, with the same errors, neither side has significantly more than half of the scores "
                "[@francisco1991]."
            )
        text = sentences(
            "Scores are summarised by mean, median and standard deviation "
            f"(with divisor {divisor}) of the responses that have one, and by the share of those that have none.",
            intervals,
        )
        return of_outcomes(study, self, "Summaries of scores", text, "The summaries are of")
