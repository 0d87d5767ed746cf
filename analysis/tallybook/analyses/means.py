"""Mean scores, their tests, and their differences between levels."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import BetweenLevels, Sided
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import (
    clustering,
    degrees_of_freedom,
    number,
    of_outcomes,
    outcome_names,
    percent,
    sentences,
)
from tallybook.core.errors import UsageError
from tallybook.core.markdown import literal
from tallybook.study.base import Identifier, require_declared
from tallybook.study.notation import Notation, Piece, italic
from tallybook_schemas.vocabulary import StandardError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs, Scale
    from tallybook.study.model import Study


class OfMeans(Jackknifed):
    """An analysis of mean scores, from responses or from a table of printed means."""

    uncoded: float | None = None
    """The value that responses without one count as, refusals included; by default they do not count."""
    summaries: Identifier | None = None
    """The table of means that it is computed from, instead of responses."""
    outliers: Literal["mad", "iqr", "winsorize"] | None = None
    """Which values of a cell do not count: those too many scaled median absolute deviations from the median (`mad`), or
    interquartile ranges beyond the quartiles (`iqr`); `winsorize` replaces a share at each end by the next value."""
    outlier_limit: float | None = Field(default=None, gt=0)
    """The number of standard deviations (3 by default) or quartile ranges (1.5), or the share at each end (0.05)."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "CR1")
    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    needs_values: ClassVar[bool] = False

    def setting_without_clusters(self) -> str | None:
        return "summaries" if self.summaries is not None else None

    def check_settings(self, study: Study, place: str) -> None:
        if self.outlier_limit is not None and self.outliers is None:
            raise ValueError(f"{place}.outlier_limit: the limit of a rule, 'outliers'")
        if self.outliers == "winsorize" and self._limit >= 0.5:  # noqa: PLR2004  half at each end is all
            raise ValueError(f"{place}.outlier_limit: a share below 0.5 at each end")
        if self.summaries is None:
            return
        if self.outliers is not None:
            raise ValueError(f"{place}.outliers: the table of means {self.summaries} has no responses")
        require_declared([self.summaries], study.summaries, f"{place}.summaries", "table of means")
        table = study.summaries[self.summaries]
        require_declared(self.outcomes, [table.outcome], f"{place}.outcomes", f"outcome of {self.summaries}")
        require_declared(self.by, table.by, f"{place}.by", f"factor of {self.summaries}")
        require_declared(self.where, table.by, f"{place}.where", f"factor of {self.summaries}")
        if self.uncoded is not None:
            raise ValueError(f"{place}.uncoded: the table of means {self.summaries} has no responses")

    def uses_responses_of(self, study: Study, levels: Mapping[str, str]) -> bool:
        return self.summaries is None and super().uses_responses_of(study, levels)

    @property
    def _limit(self) -> float:
        return _LIMITS.get(self.outliers or "", 0.0) if self.outlier_limit is None else self.outlier_limit

    def scores(self, inputs: Inputs, *more: str) -> pl.DataFrame:
        """Return the counts of each score value, with outliers within cells of `by` and `more` removed or replaced."""
        from tallybook.statistics.means.moments import without_outliers
        from tallybook.statistics.means.score_means import scored

        found = scored(inputs.tally, self.outcomes, self.uncoded)
        if self.outliers is None:
            return found
        return without_outliers(found, [*self.by, *more, "outcome"], self.outliers, self._limit)

    def means_without_each(
        self, inputs: Inputs, cluster: str, factor: str | None = None, levels: Sequence[str] = ("",)
    ) -> pl.DataFrame:
        """Compute the means (at levels of a factor) with each cluster left out; outliers are those of all responses."""
        from tallybook.statistics.proportions.left_out import means_without_each

        scores = self.scores(inputs, *([factor] if factor else []))
        return means_without_each(scores, [*self.by, "outcome"], cluster, factor, levels)

    def without_each(self, study: Study, inputs: Inputs, cluster: str) -> pl.DataFrame:
        """Compute the means with each cluster left out, from the sums of the clusters."""
        found = self.means_without_each(inputs, cluster).with_columns(pl.lit("mean").alias("term"))
        return found.rename({"n 0": "n", "mean 0": "estimate"})

    def with_left_out(self, found: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
        """Append to `method` how many values in each cell the outlier rule removes or replaces."""
        from tallybook.statistics.means.score_means import scored

        if self.outliers is None:
            return found
        given = scored(inputs.tally, self.outcomes, self.uncoded).get_column("value")
        changed = self.scores(inputs).with_columns(pl.col("value").ne_missing(given).alias("changed"))
        left = changed.group_by(*self.by, "outcome").agg((pl.col("count") * pl.col("changed")).sum().alias("changed"))
        what = "winsorized" if self.outliers == "winsorize" else "left out as outliers"
        method = pl.format("{}; {} " + what, "method", "changed")
        joined = found.join(left, on=[*self.by, "outcome"], how="left", maintain_order="left")
        return joined.with_columns(pl.coalesce(method, "method").alias("method")).select(found.columns)

    def _of_outliers(self) -> str:
        """Describe which values the outlier rule affects."""
        match self.outliers:
            case None:
                return ""
            case "mad":
                unit = "scaled median absolute deviations"
                return f"values more than {self._limit:g} {unit} from the median of their cell"
            case "iqr":
                return f"values more than {self._limit:g} interquartile ranges beyond the quartiles of their cell"
            case "winsorize":
                return f"the lowest and the highest {100 * self._limit:g}% of the values of a cell"

    def printed(self, study: Study, inputs: Inputs, name: str) -> pl.DataFrame:
        """Return the cells of a table of printed means."""
        return inputs.summaries[name].with_columns(pl.lit(study.summaries[name].outcome).alias("outcome"))

    def moments_of_printed(self, study: Study, inputs: Inputs, name: str) -> pl.DataFrame:
        """Return the moments that the printed means and their intervals imply."""
        from tallybook.statistics.means.score_means import printed_moments

        declared = study.summaries[name]
        return printed_moments(self.printed(study, inputs, name), declared.by, self.by, declared.confidence)

    def source(self, study: Study) -> str:
        """Return the label of the table of printed means; empty if means are computed from responses."""
        return "" if self.summaries is None else study.summaries[self.summaries].label

    def counted_note(self, study: Study) -> str:
        """Describe for a note how responses without a score count, or where printed means come from."""
        if self.summaries is not None:
            return f"; computed from given means and intervals, not from responses ({self.source(study)})"
        is_kept = "count as the next one" if self.outliers == "winsorize" else "do not count"
        outliers = f"; {self._of_outliers()} {is_kept}" if self.outliers else ""
        if self.uncoded is not None:
            return f"; responses without a score count as {self.uncoded:g}{outliers}"
        return f"; responses without a score do not count{outliers}"

    def counted(self, study: Study) -> str:
        """Describe for the methods section how responses without a score count, or where printed means come from."""
        if self.summaries is not None:
            return (
                "They are computed from given means and intervals, not from responses "
                f"({literal(self.source(study))}): the standard error of a given mean is the width of its interval by "
                "that of a standard normal one."
            )
        is_kept = "were winsorized" if self.outliers == "winsorize" else "were left out as outliers"
        said = self._of_outliers()
        outliers = f" {said[0].upper()}{said[1:]} {is_kept} [@{_SOURCES[self.outliers]}]." if self.outliers else ""
        if self.uncoded is not None:
            return f"Responses without a score, refusals included, count as {number(self.uncoded)}.{outliers}"
        return f"Responses without a score are left out, refusals included.{outliers}"


_LIMITS = {"mad": 3.0, "iqr": 1.5, "winsorize": 0.05}
_SOURCES = {"mad": "leys2013", "iqr": "tukey1977", "winsorize": "tukey1977"}


def from_printed(found: pl.DataFrame, label: str) -> pl.DataFrame:
    """Append to `method` that estimates are computed from printed means."""
    return found.with_columns(pl.format("{}; from {}", "method", pl.lit(label)).alias("method"))


_BOOTSTRAP = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
"""The intervals computed by the bootstrap, and their names in texts."""
_NOTES = {"t": "Student's", "normal": "normal"} | {name: f"{text} bootstrap" for name, text in _BOOTSTRAP.items()}


class ScoreMean(OfMeans):
    """The mean of a score with an interval."""

    statistic: Literal["score-mean"]
    interval: Literal["t", "normal", "percentile", "basic", "bca", "given"] = "t"
    """Student's, the normal one, a bootstrap one, or that of the table of means."""

    ddof: Literal[0, 1] = 1
    """The number subtracted from n in the standard deviation of the normal interval. With 0 the interval is that of a
    normal distribution fitted to the means of very many bootstrap samples."""

    results: ClassVar[str] = "means"
    estimand: ClassVar[str] = "mean"
    term_names: ClassVar[tuple[str, ...]] = ("mean",)
    form: ClassVar[Notation] = Notation(italic("M"), shows_n=True)

    @property
    def resamples(self) -> bool:
        return self.interval in _BOOTSTRAP

    @property
    def two_way_scale(self) -> Scale | None:
        return self.scale

    def setting_without_clusters(self) -> str | None:
        return super().setting_without_clusters() or (None if self.interval == "t" else "interval")

    def check_settings(self, study: Study, place: str) -> None:
        if self.summaries is None and self.interval == "given":
            raise ValueError(f"{place}.interval: 'given' needs a table of means, 'summaries'")
        super().check_settings(study, place)
        if self.ddof == 0 and (self.interval != "normal" or self.summaries or self.cluster_column(study)):
            raise ValueError(f"{place}.ddof: 0 is for the normal interval of responses without clusters")
        if self.summaries is not None and self.resamples:
            raise ValueError(f"{place}.interval: means alone cannot be resampled")

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        if self.summaries is not None:
            return self._of_printed(study, inputs, self.summaries)
        return self.with_left_out(super().compute(study, inputs), inputs)

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.score_means import score_means

        interval = "t" if self.interval == "given" else self.interval
        scores, confidence = self.scores(inputs), self.confidence
        return score_means(scores, self.by, interval=interval, confidence=confidence, seed=study.seed, ddof=self.ddof)

    def _of_printed(self, study: Study, inputs: Inputs, name: str) -> pl.DataFrame:
        from tallybook.statistics.means.score_means import means_of, printed_means

        declared = study.summaries[name]
        if self.interval == "given":
            cells = self.printed(study, inputs, name)
            if cells.select(self.by).is_duplicated().any():  # a factor that the others determine may be omitted
                raise UsageError(f"summaries.{name}: 'given' intervals are those of cells by {', '.join(declared.by)}")
            return printed_means(cells, self.by, declared.confidence, declared.label)
        interval = "normal" if self.interval == "normal" else "t"
        moments = self.moments_of_printed(study, inputs, name)
        found = means_of(moments, self.by, interval=interval, confidence=self.confidence)
        return from_printed(found, declared.label)

    def note(self, study: Study) -> str:
        if self.interval == "given":
            return f"Means and intervals as given: {self.source(study)}."
        level = f"{100 * self.confidence:g}%"
        divisor = "" if self.ddof else " (standard deviation with divisor n)"
        return f"Means with {_NOTES[self.interval]} {level} intervals{divisor}{self.counted_note(study)}."

    def account(self, study: Study) -> Account:
        return of_outcomes(study, self, "Means", "", "Means are reported for", detail=self._detail(study))

    def _detail(self, study: Study) -> str:
        level = percent(self.confidence)
        if self.interval == "given":
            return f"These means and their intervals are taken as they are given ({literal(self.source(study))})."
        divisor = "*n* − 1" if self.ddof else "*n*"
        interval = f"normal {level} intervals, from the standard deviation with divisor {divisor}"
        if self.interval == "t":
            interval = f"Student’s {level} intervals [@student1908]"
        elif self.interval in _BOOTSTRAP:
            cited = "@efron1987; @efron1993" if self.interval == "bca" else "@efron1993; @davison1997"
            interval = (
                f"{level} {_BOOTSTRAP[self.interval]} bootstrap intervals [{cited}], computed without simulation where "
                "scores lie on a grid [@fisher1991]"
            )
        return sentences(
            f"Means have {interval}.",
            clustering(study, self.cluster_column(study), self.standard_error, crossed=self.crossed),
            self.counted(study),
        )


class TTest(OfMeans, Sided):
    """The mean of a score tested against a value by a t test, with Cohen's d."""

    statistic: Literal["t-test"]
    null_value: float = 0.0
    """The mean under the null hypothesis."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "*t* tests"
    estimand: ClassVar[str] = "mean"
    term_names: ClassVar[tuple[str, ...]] = ("mean",)
    form: ClassVar[Notation] = Notation(italic("M"), statistic=italic("t"), has_test_first=True)

    @property
    def two_way_scale(self) -> Scale | None:
        return self.scale

    def null_values(self) -> pl.Expr:
        return pl.lit(self.null_value)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.score_means import score_t_tests

        if self.summaries is None:
            return super().compute(study, inputs)
        summary = self.moments_of_printed(study, inputs, self.summaries)
        found = score_t_tests(summary, self.by, null_value=self.null_value, confidence=self.confidence)
        return from_printed(found, self.source(study))

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.moments import moments
        from tallybook.statistics.means.score_means import score_t_tests

        summary = moments(self.scores(inputs), [*self.by, "outcome"])
        return score_t_tests(summary, self.by, null_value=self.null_value, confidence=self.confidence)

    def note(self, study: Study) -> str:
        units = "responses" if self.cluster_column(study) is None else "clusters"
        return (
            f"One-sample t tests against {self.null_value:g}, {self.side}, {units} as units{self.counted_note(study)}."
        )

    def account(self, study: Study) -> Account:
        units = "responses as units"
        if self.cluster_column(study) is not None:
            units = "clusters as units" if self.crossed else degrees_of_freedom(study, self)
        text = (
            f"Means were tested by one-sample *t* tests [@student1908], {self.side}, with {units}; "
            f"{percent(self.confidence)} intervals are Student’s, and the effect size is Cohen’s *d* [@cohen1988]."
        )
        what = f"{outcome_names(study, self.outcomes)} against {number(self.null_value)}"
        detail = sentences(
            clustering(study, self.cluster_column(study), self.standard_error, crossed=self.crossed),
            self.counted(study),
        )
        return of_outcomes(study, self, "Tests of means", text, "The tests are of", what=what, detail=detail)


_TERM = "mean_difference"
"""The term of a comparison of a single pair of levels."""
_TWO_SAMPLE = {
    "unequal": "Welch’s *t* tests [@welch1947], which let the groups have variances of their own",
    "equal": "Student’s two-sample *t* tests [@student1908], which assume equal variances",
}


class MeanDifference(BetweenLevels, OfMeans, Sided):
    """The difference in the mean of a score between two levels of a factor, with a t test."""

    statistic: Literal["mean-difference"]
    variances: Literal["unequal", "equal"] = "unequal"
    """Welch's test or Student's; clustered errors need neither."""
    effect: Literal["cohen_d", "hedges_g"] = "hedges_g"
    """The effect size beside the test; of independent responses it has its interval (noncentral t)."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "bootstrap")
    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "differences of means"
    estimand: ClassVar[str] = "difference of means"
    form: ClassVar[Notation] = Notation((Piece("Δ"), Piece("M", "italic")), statistic=italic("t"))

    def check_settings(self, study: Study, place: str) -> None:
        super().check_settings(study, place)
        if self.summaries is not None:
            raise ValueError(f"{place}.summaries: a {self.name()} is of responses")

    def terms(self, study: Study) -> list[str] | None:
        pairs = self.pairs(study)
        return [_TERM] if len(pairs) < 2 else [" - ".join(pair) for pair in pairs]  # noqa: PLR2004

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        return self._tests(study, inputs, effect_interval=self.cluster_column(study) is None)

    def replicated(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the differences without confidence intervals of the effect sizes."""
        return self._tests(study, inputs, effect_interval=False)

    def _tests(self, study: Study, inputs: Inputs, *, effect_interval: bool) -> pl.DataFrame:
        from tallybook.statistics.means.contrasts import two_sample_contrasts
        from tallybook.statistics.means.moments import moments
        from tallybook.statistics.means.student import t_tests

        by = [*self.by, "outcome"]
        summary = moments(self.scores(inputs, self.factor), [*by, self.factor])

        def tested(pair: tuple[str, str]) -> pl.DataFrame:
            contrasts = two_sample_contrasts(summary, by, self.factor, pair, variances=self.variances)
            return t_tests(
                contrasts, by, confidence=self.confidence, effect=self.effect, effect_interval=effect_interval
            )

        found = self.of_pairs(study, tested)
        return found.with_columns(pl.col("term").str.strip_prefix(f"{_TERM}: "))

    def without_each(self, study: Study, inputs: Inputs, cluster: str) -> pl.DataFrame:
        """Compute the differences with each cluster left out."""
        levels = self.levels_compared(study)
        found = self.means_without_each(inputs, cluster, self.factor, levels)

        def compared(pair: tuple[str, str]) -> pl.DataFrame:
            first, second = (levels.index(level) for level in pair)
            return found.select(
                pl.exclude(r"^(n|mean) \d+$"),
                pl.lit(_TERM).alias("term"),
                (pl.col(f"n {first}") + pl.col(f"n {second}")).alias("n"),
                (pl.col(f"mean {first}") - pl.col(f"mean {second}")).alias("estimate"),
            )

        replicates = self.of_pairs(study, compared)
        return replicates.with_columns(pl.col("term").str.strip_prefix(f"{_TERM}: "))

    def note(self, study: Study) -> str:
        test = "Welch's t tests" if self.variances == "unequal" else "Student's two-sample t tests"
        test = "t tests" if self.cluster_column(study) is not None else test
        return f"Differences of means{self.pair_in_note(study, '−')}; {test}, {self.side}{self.counted_note(study)}."

    def account(self, study: Study) -> Account:
        effect = "Hedges’ *g* [@hedges1981]" if self.effect == "hedges_g" else "Cohen’s *d* [@cohen1988]"
        if self.variances == "unequal":  # the cited formulas have the pooled standard deviation
            effect = f"{effect.split(' [', maxsplit=1)[0]}\\* [@delacre2021]"
        alone = self.cluster_column(study) is None
        deviation = "pooled standard deviation" if self.variances == "equal" else "root of the mean of both variances"
        text = sentences(
            f"Differences of means were tested {self.side}.",
            self.account_of_errors(study)
            or f"The tests are {_TWO_SAMPLE[self.variances]}; the {percent(self.confidence)} intervals are Student’s.",
            f"The effect size is {effect}, in units of the {deviation}"
            f"{', with the interval of the noncentral *t* distribution' if alone else ''}.",
        )
        what = f"{outcome_names(study, self.outcomes)} {self.compared_levels(study)}"
        return of_outcomes(
            study, self, "Differences of means", text, "The differences are in", what=what, detail=self.counted(study)
        )
