"""Counts and shares of categories and labels, and ratios of selection rates to the largest one."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import OfCategories, categories_of, check_category, check_factor
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import (
    BASES,
    INTERVALS,
    NOTE_BASES,
    clustering,
    degrees_of_freedom,
    factor_name,
    number,
    of_outcomes,
    outcome_name,
    outcome_names,
    percent,
    sentences,
    term_name,
)
from tallybook.study.analysis_base import OfResponses, Scale
from tallybook.study.base import Identifier, require_declared
from tallybook.study.naming import term_label
from tallybook.study.notation import SHARE, Notation
from tallybook_schemas.vocabulary import Denominator, StandardError

if TYPE_CHECKING:
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Count(OfCategories):
    """The number of responses of each category, label or refusal."""

    statistic: Literal["count"]

    results: ClassVar[str] = "counts"
    form: ClassVar[Notation] = Notation(unit="count", shows_n=True)

    def terms(self, study: Study) -> list[str] | None:
        return [*(super().terms(study) or ()), "total"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import category_counts

        return category_counts(inputs.tally, self.by, self.members(study))

    def note(self, study: Study) -> str:
        return "Counts of responses."

    def account(self, study: Study) -> Account:
        text = "Counts are of responses, and have no test."
        return of_outcomes(study, self, "Counts", text, "Counts are reported for the categories of")


class OfShares(OfCategories, Jackknifed):
    """An analysis of the share of each category, on the log-odds scale if it is clustered."""

    denominator: Denominator
    error_scale: ClassVar[Scale] = "logit"

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the shares without intervals and tests."""
        from tallybook.statistics.proportions.proportion import plain_shares

        return plain_shares(inputs.tally, self.by, self.members(study), denominator=self.denominator)

    def without_each(self, study: Study, inputs: Inputs, cluster: str) -> pl.DataFrame:
        """Compute the shares with each cluster left out, from the counts of the clusters."""
        from tallybook.statistics.proportions.left_out import shares_without_each

        members = self.members(study)
        found = shares_without_each(inputs.tally, self.by, cluster, members, denominator=self.denominator)
        return found.rename({"n 0": "n", "share 0": "estimate"})


class Proportion(OfShares):
    """The share of each category, label or refusal. With clusters, its interval is one on the log odds."""

    statistic: Literal["proportion"]
    denominator: Denominator = "all"
    """The denominator of the share, by default the study's; see `Denominator`."""
    smoothing: float = Field(default=0.0, ge=0)
    """The constant added to the count of a category and to that of all others together before dividing; the interval
    is of the counts as they are."""
    interval: Literal["wilson", "clopper-pearson", "jeffreys", "uniform"] = "wilson"
    """The interval without clusters: Wilson's, the exact one of Clopper and Pearson, that of Jeffreys, or of a uniform
    prior, Beta(1, 1)."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "CR1")
    results: ClassVar[str] = "shares"
    estimand: ClassVar[str] = "share"
    form: ClassVar[Notation] = SHARE

    def setting_without_clusters(self) -> str | None:
        return "smoothing" if self.smoothing > 0 else None

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import proportions

        return proportions(
            inputs.tally,
            self.by,
            self.members(study),
            denominator=self.denominator,
            smoothing=self.smoothing,
            interval=self.interval,
            confidence=self.confidence,
        )

    def note(self, study: Study) -> str:
        smoothing = ""
        if self.smoothing:
            smoothing = f" {self.smoothing:g} is added to the count of a category and to that of all others."
        return f"Percentages are of {NOTE_BASES[self.denominator]}.{smoothing}"

    def account(self, study: Study) -> Account:
        interval = f"The {percent(self.confidence)} intervals are {INTERVALS[self.interval]}."
        if (cluster := self.cluster_column(study)) is not None:
            errors = clustering(study, cluster, self.standard_error, crossed=self.crossed)
            degrees = "" if self.crossed else f", with {degrees_of_freedom(study, self)}"
            interval = (
                f"{errors} The {percent(self.confidence)} intervals are Student’s on the log odds [@korn1998]{degrees}."
            )
        smoothing = ""
        if self.smoothing:
            smoothing = (
                f"Before dividing, {number(self.smoothing)} is added to the count of a category and to that of all "
                "others together; intervals are of the counts as they are."
            )
        text = f"Shares are of {BASES[self.denominator]}."
        lead = "Shares are reported for the categories of"
        return of_outcomes(study, self, "Shares of categories", text, lead, detail=sentences(interval, smoothing))


class MostFrequent(OfResponses):
    """The labels of an outcome in order of their frequency; refusals are an entry of their own."""

    statistic: Literal["most-frequent"]
    denominator: Denominator = "all"
    """The denominator of the shares, by default the study's; see `Denominator`."""
    ties: Literal["first-seen", "alphabetical"] = "first-seen"
    """Which of two equally frequent labels stands first."""

    is_of_shares: ClassVar[bool] = True
    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason", "label")
    is_ranking: ClassVar[bool] = True
    form: ClassVar[Notation] = SHARE

    def terms(self, study: Study) -> None:
        """Return None: the terms are the labels in the data."""

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import most_frequent

        return most_frequent(inputs.tally, self.by, self.outcomes, denominator=self.denominator, ties=self.ties)

    def note(self, study: Study) -> str:
        entry = " Refusal is an entry." if self.denominator == "all" else ""
        order = "in order of first appearance" if self.ties == "first-seen" else "in alphabetical order"
        return f"Percentages are of {NOTE_BASES[self.denominator]}.{entry} Equally frequent entries are {order}."

    def account(self, study: Study) -> Account:
        first = "came first in the data" if self.ties == "first-seen" else "comes first in the alphabet"
        text = (
            f"Labels are ranked by how often they occur, each with its share of {BASES[self.denominator]}; of "
            f"equally frequent ones the one that {first} stands first."
        )
        return of_outcomes(study, self, "Most frequent labels", text, "The rankings are of the labels of")


class ObservedShares(OfResponses):
    """The share of one category, among those that have a category, at each value of a score kept beside it."""

    statistic: Literal["observed-shares"]
    category: Identifier
    """The category."""
    score: Identifier
    """The score; the outcome keeps it beside it."""

    is_of_cells: ClassVar[bool] = False
    outcome_kinds: ClassVar[tuple[str, ...]] = ("category",)
    form: ClassVar[Notation] = SHARE

    def check_settings(self, study: Study, place: str) -> None:
        for name in self.outcomes:
            check_category(study, name, self.category, place)
            kept = study.outcomes[name].beside
            require_declared([self.score], kept, f"{place}.score", f"score that {name} keeps beside it")

    def terms(self, study: Study) -> None:
        """Return None: the terms are the score's values in the data."""

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.logistic.curve import observed_shares

        return observed_shares(inputs.tally, self.by, self.outcomes, self.category, self.score)

    def note(self, study: Study) -> str:
        score = study.outcomes[self.score].label
        return f"Observed shares of {self.category} at each value of {score}, among the responses that have both."

    def account(self, study: Study) -> Account:
        category = term_name(study, self.outcomes[0], self.category)
        text = "Observed are the shares of a category at each value of a score, among the responses that have both."
        what = (
            f"{outcome_names(study, self.outcomes)} being “{category}” at each value of "
            f"{outcome_name(study, self.score)}"
        )
        return of_outcomes(study, self, "Observed shares", text, "They are reported for", what=what)


class ImpactRatio(OfCategories, Jackknifed):
    """The share of each category by the largest one; or, with a factor, its share at each level by the largest one."""

    statistic: Literal["impact-ratio"]
    factor: Identifier | None = None
    """The factor whose levels are compared; by default the categories of each outcome are."""
    category: Identifier | None = None
    """The category whose shares are compared between levels of the factor."""
    against: str | None = None
    """The category, or level of the factor, by whose share others are divided; by default the one with the largest."""
    denominator: Denominator = "coded"
    """The denominator of the shares, by default the study's; see `Denominator`."""

    results: ClassVar[str] = "impact ratios"
    error_scale: ClassVar[Scale] = "log"
    estimand: ClassVar[str] = "impact ratio"
    form: ClassVar[Notation] = Notation()

    def check_settings(self, study: Study, place: str) -> None:
        if (self.factor is None) != (self.category is None):
            raise ValueError(f"{place}: 'factor' and 'category' go together: the category is compared between levels")
        if self.factor is not None:
            check_factor(study, self, self.factor, (), place)
        for name in self.outcomes:
            own = study.category_outcome(name).labels
            require_declared([self.category] if self.category else [], own, f"{place}.category", f"category of {name}")
            known = own if self.factor is None else study.factors[self.factor].levels
            require_declared([self.against] if self.against else [], known, f"{place}.against", "category or level")

    def terms(self, study: Study) -> list[str] | None:
        if self.factor is not None:
            return list(study.factors[self.factor].levels)
        names = [name for name in self.outcomes if name in study.outcomes]
        return list(dict.fromkeys(one for name in names for one in categories_of(study, name)))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import impact_ratios

        order = {term: place for place, term in enumerate(self.terms(study) or ())}
        found = impact_ratios(
            inputs.tally,
            self.by,
            self._members(study),
            factor=self.factor,
            against=self.against,
            denominator=self.denominator,
            confidence=self.confidence,
        )
        return found.sort(pl.col("term").replace_strict(order, default=None), maintain_order=True)

    def without_each(self, study: Study, inputs: Inputs, cluster: str) -> pl.DataFrame:
        """Compute the ratios with each cluster left out; the base is fixed as the largest share among all responses."""
        from tallybook.statistics.cells import ALIKE
        from tallybook.statistics.jackknife import LEFT_OUT
        from tallybook.statistics.proportions.left_out import shares_without_each

        keys, levels = [*self.by, "outcome"], [] if self.factor is None else [*study.factors[self.factor].levels]
        found = shares_without_each(
            inputs.tally,
            self.by,
            cluster,
            self._members(study),
            denominator=self.denominator,
            factor=self.factor,
            levels=levels,
        )
        if levels:
            found = pl.concat(
                found.filter(term=self.category).select(
                    pl.exclude(r"^(n|share) \d+$", "term"),
                    pl.lit(level).alias("term"),
                    pl.col(f"n {place}").alias("n"),
                    pl.col(f"share {place}").alias("share"),
                )
                for place, level in enumerate(levels)
            )
        else:
            found = found.rename({"n 0": "n", "share 0": "share"})
        whole = self.independent(study, inputs)
        is_base = (pl.col("estimate") == 1) & pl.col("std_error").is_null()
        base = whole.filter(is_base).group_by(keys, maintain_order=True).first()
        of_base = base.select(*keys, pl.col("term").alias("base"), pl.col("n").alias("n of base"))
        joined = found.join(of_base, on=keys, nulls_equal=True)
        own = found.select(*keys, LEFT_OUT, pl.col("term").alias("base"), pl.col("share", "n").name.suffix(" left"))
        joined = joined.join(own, on=[*keys, LEFT_OUT, "base"], nulls_equal=True)
        left = pl.col("n")
        if levels:  # the base has responses of its own
            left += pl.col("n left") - pl.col("n of base")
        ratio = pl.when(pl.col("share left") > 0).then(pl.col("share") / pl.col("share left"))
        return joined.select(*keys, LEFT_OUT, ALIKE, "term", left.alias("n"), ratio.alias("estimate"))

    def completed(self, study: Study, inputs: Inputs, cluster: str, found: pl.DataFrame) -> pl.DataFrame:
        """Give the shares that others are divided by their status back: they have a ratio of 1 and no error."""
        whole = self.independent(study, inputs)
        is_base = whole.get_column("std_error").is_null() & (whole.get_column("estimate") == 1)
        return found.with_columns(pl.when(is_base).then(pl.lit("ok")).otherwise("status").alias("status"))

    def _members(self, study: Study) -> dict[str, dict[str, tuple[str]]]:
        """Map each outcome to the terms whose shares are compared, or whose share at each level is."""
        wanted = {name: [self.category] if self.category else categories_of(study, name) for name in self.outcomes}
        return {name: {one: (one,) for one in categories} for name, categories in wanted.items()}

    def _divisor(self, study: Study) -> str:
        if self.against is None:
            return f"the largest share of any {'level' if self.factor else 'category'}"
        levels = study.factors[self.factor].levels if self.factor else {}
        return f"that of {levels.get(self.against) or term_label(study, self.outcomes[0], self.against)}"

    def note(self, study: Study) -> str:
        return (
            f"Impact ratios: shares of {NOTE_BASES[self.denominator]} divided by {self._divisor(study)}; intervals on "
            "the logarithm. Of several shares the smallest lies below the largest by chance alone."
        )

    def account(self, study: Study) -> Account:
        variance = (
            "the categories compete for each response, so that the logarithm of the ratio of two counts has the "
            "variance 1/*x* + 1/*y* [@agresti2013]"
            if self.factor is None
            else f"the levels of {factor_name(study, self.factor)} are treated as independent [@katz1978]"
        )
        text = sentences(
            f"Impact ratios are shares of {BASES[self.denominator]}, divided by {self._divisor(study)}.",
            self.account_of_errors(study)
            or f"The {percent(self.confidence)} intervals are normal ones on the logarithm: {variance}.",
        )
        return of_outcomes(study, self, "Impact ratios", text, "The ratios are of the categories of")
