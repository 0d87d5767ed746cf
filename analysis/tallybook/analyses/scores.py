"""Sums and summaries of scores, and means over clusters."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import category_terms, check_factor, is_compared
from tallybook.analyses.wording import factor_name, level_name, number, of_outcomes, percent, sentences
from tallybook.core.wording import with_article
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier
from tallybook.study.coding import Categories
from tallybook.study.notation import Notation, italic
from tallybook_schemas.vocabulary import DegreesOfFreedom

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class ScoreSum(OfResponses):
    """The sum of a score over a cell's responses, divided and moved onto a scale. It has no standard error."""

    statistic: Literal["score-sum"]
    divisor: float = Field(default=1.0, gt=0)
    """The divisor of the sum."""
    constant: float = 0.0
    """The constant added after that."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    results: ClassVar[str] = "sums"
    term_names: ClassVar[tuple[str, ...]] = ("sum",)
    form: ClassVar[Notation] = Notation(shows_n=True)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.estimates import as_estimates, status_of
        from tallybook.statistics.means.moments import moments

        cells = [*self.by, "outcome"]
        found = moments(inputs.tally.filter(pl.col("outcome").is_in(list(self.outcomes))), cells)
        total = pl.col("mean") * pl.col("n") / self.divisor + self.constant
        found = found.with_columns(
            total.alias("estimate"),
            pl.lit("sum").alias("term"),
            pl.lit("sum of scores").alias("method"),
            status_of(),
        )
        return as_estimates(found, cells)

    def note(self, study: Study) -> str:
        return f"Sums of scores{self._moved()}; responses without a score add nothing."

    def account(self, study: Study) -> Account:
        text = f"Sums of scores{self._moved()} leave responses without a score out."
        return of_outcomes(study, self, "Sums of scores", text, "The sums are of")

    def _moved(self) -> str:
        divided = f", divided by {number(self.divisor)}" if self.divisor != 1 else ""
        return divided + (f", plus {number(self.constant)}" if self.constant else "")


_SUMMARIES = {
    "mean": Notation(italic("M"), shows_n=True),
    "median": Notation(italic("Mdn"), shows_n=True),
    "sd": Notation(italic("SD"), shows_n=True),
    "missing": Notation(unit="count", shows_n=True),
}


class ScoreSummary(OfResponses, Clustered):
    """Median, standard deviation and missing share of a score."""

    statistic: Literal["score-summary"]
    ddof: Literal[0, 1] = 1
    """1 for the sample's standard deviation, as in R and pandas; 0 for the population's, as in numpy."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals that mean and median have with clusters."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    degrees: ClassVar[tuple[DegreesOfFreedom, ...]] = ("clusters", "effective")

    def terms(self, study: Study) -> list[str] | None:
        return list(_SUMMARIES)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.score_means import score_summaries, with_intervals

        found = score_summaries(inputs.tally, self.by, self.outcomes, ddof=self.ddof)
        if (cluster := self.cluster_column(study)) is None:
            return found
        df = self.degrees_of_freedom(study)
        return with_intervals(found, inputs.tally, self.by, cluster, confidence=self.confidence, df=df)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return _SUMMARIES[term]

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


_WHAT = {
    "share": "the share of each category among the coded responses",
    "disagreement": "the share of pairs of coded responses that are of different categories",
    "mean": "the mean score",
    "sum": "the sum of the scores",
}


class ClusterMean(OfResponses, Clustered):
    """The mean over clusters of what the responses of each come to, with Student's interval: clusters are the units.

    A cluster is an item, a respondent, a template: what `cluster` names. With `factor` and `levels` it is of the
    difference between two levels within each cluster, tested by a paired t test.
    """

    statistic: Literal["cluster-mean"]
    measure: Literal["share", "disagreement", "mean", "sum"]
    """The value of each cluster: the share of each category, the share of pairs of its responses that are of
    different categories, the mean of its scores or their sum. What is not coded does not count."""
    divisor: float = Field(default=1.0, gt=0)
    """The divisor of a sum or mean of scores."""
    constant: float = 0.0
    """The constant added to a sum or mean of scores after that."""
    factor: Identifier | None = None
    """The factor whose levels are compared within clusters."""
    levels: tuple[str, str] | None = None
    """The value at the first level less that at the second, of the clusters that have both."""
    null_value: float | None = None
    """The mean under the null hypothesis; of differences 0, otherwise by default nothing is tested."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason", "score")
    results: ClassVar[str] = "means over clusters"

    @property
    def has_tests(self) -> bool:
        return self.tested_value is not None

    @property
    def tested_value(self) -> float | None:
        return 0.0 if self.null_value is None and self.levels is not None else self.null_value

    def check_settings(self, study: Study, place: str) -> None:
        if self.cluster_column(study) is None:
            raise ValueError(f"{place}.cluster: the column whose values are the clusters")
        of_scores = self.measure in {"mean", "sum"}
        for name in self.outcomes:
            if isinstance(study.outcomes[name], Categories) == of_scores:
                needed = "score" if of_scores else "category"
                raise ValueError(f"{place}.outcomes: {name!r} is not {with_article(needed)}, as {self.measure!r} needs")
        if (self.factor is None) != (self.levels is None):
            raise ValueError(f"{place}: both 'factor' and 'levels', or neither")
        if self.factor is not None:
            check_factor(study, self, self.factor, self.levels or (), place)

    def terms(self, study: Study) -> list[str] | None:
        if self.measure == "share":
            members = [category_terms(study, name) for name in self.outcomes if name in study.outcomes]
            return list(dict.fromkeys(term for terms in members for term in terms))
        return ["disagreement"] if self.measure == "disagreement" else ["mean", "sd"]

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        is_of = self.factor is None or is_compared(self.factor, self.levels or (), levels)
        return is_of and super().uses_responses_of(study, levels)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.estimates import as_estimates
        from tallybook.statistics.means.moments import (
            TERM,
            differences_of_clusters,
            disagreements_of_clusters,
            moments,
            scores_of_clusters,
            shares_of_clusters,
        )
        from tallybook.statistics.means.score_means import means_of, score_t_tests, scored

        cluster = self.cluster_column(study) or ""
        by = [*self.by, *([self.factor] if self.factor else [])]
        if self.measure == "mean" or self.measure == "sum":  # noqa: PLR1714  the type checker follows comparisons only
            scores = scored(inputs.tally, self.outcomes)
            values = scores_of_clusters(scores, by, cluster, self.measure, divisor=self.divisor, constant=self.constant)
        else:
            members = {name: category_terms(study, name) for name in self.outcomes}
            take = disagreements_of_clusters if self.measure == "disagreement" else shares_of_clusters
            values = take(inputs.tally, by, cluster, members)
        if self.factor is not None and self.levels is not None:
            values = differences_of_clusters(values, self.by, cluster, self.factor, self.levels)
        inner = [*self.by, TERM]
        summary = moments(values.with_columns(pl.lit(1).alias("count")), [*inner, "outcome"])
        if self.tested_value is None:
            found = means_of(summary, inner, confidence=self.confidence)
        else:
            found = score_t_tests(summary, inner, null_value=self.tested_value, confidence=self.confidence)
        method = pl.format("{} of each {}, {}", pl.lit(self.measure), pl.lit(cluster), "method")
        found = found.with_columns(
            pl.col(TERM).alias("term"), method.alias("method"), pl.col("n").alias("clusters")
        ).drop(TERM)
        if "sd" not in (self.terms(study) or ()):
            return found
        spread = found.select(
            *(*self.by, "outcome", "n", "clusters", "confidence", "status"),
            (pl.col("std_error") * pl.col("n").sqrt()).alias("estimate"),
            pl.lit("sd").alias("term"),
            pl.lit(f"standard deviation over {cluster}, divisor n - 1").alias("method"),
        )
        return pl.concat([found, as_estimates(spread, self.by)])

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == "sd":
            return Notation(italic("SD"))
        unit = "number" if self.measure in {"mean", "sum"} else "percent" if self.levels is None else "points"
        statistic = italic("t") if self.has_tests else ()
        return Notation(italic("M") if unit == "number" else (), unit, statistic=statistic)

    def note(self, study: Study) -> str:
        return f"Means over clusters ({self.cluster_column(study)}), each with the same weight: {self._what(study)}."

    def _what(self, study: Study) -> str:
        what = _WHAT[self.measure]
        if self.divisor != 1 or self.constant:
            what += f", divided by {self.divisor:g}, plus {self.constant:g}"
        if self.factor is None or self.levels is None:
            return what
        first, second = (study.factors[self.factor].levels[level] for level in self.levels)
        return f"{what}, {first} minus {second}"

    def account(self, study: Study) -> Account:
        unit, level = factor_name(study, self.cluster_column(study) or ""), percent(self.confidence)
        tested = ""
        if self.tested_value is not None:
            paired = "paired " if self.levels else ""
            tested = f"They were tested against {number(self.tested_value)} by {paired}*t* tests [@student1908]."
        of = f"of each {unit} {_WHAT[self.measure]}"
        if self.factor is not None and self.levels is not None:
            first, second = (f"“{level_name(study, self.factor, one)}”" for one in self.levels)
            of += f", {first} minus {second}"
        text = sentences(
            f"Means over clusters take {of}, and give every {unit} the same weight; the {level} intervals are "
            "Student’s, with one degree of freedom less than there are clusters.",
            tested,
        )
        return of_outcomes(study, self, "Means over clusters", text, "They are reported for")
