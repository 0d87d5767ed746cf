"""Analyses of mean scores: responses without a score, and tables of printed means."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.wording import number
from tallybook.core.markdown import literal
from tallybook.study.analysis_base import Clustered, OfResponses
from tallybook.study.base import Identifier, must_exist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class OfMeans(OfResponses, Clustered):
    """An analysis of mean scores, from responses or from a table of printed means."""

    uncoded: float | None = None
    """The value that responses without one count as, refusals included; by default they do not count."""
    summaries: Identifier | None = None
    """The table of means that it is computed from, instead of responses."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""
    outliers: Literal["mad", "iqr", "winsorize"] | None = None
    """Which values of a cell do not count: those too many scaled median absolute deviations from the median (`mad`), or
    interquartile ranges beyond the quartiles (`iqr`); `winsorize` replaces a share at each end by the next value."""
    outlier_limit: float | None = Field(default=None, gt=0)
    """The number of standard deviations (3 by default) or quartile ranges (1.5), or the share at each end (0.05)."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    needs_values: ClassVar[bool] = False

    def not_clustered(self) -> str | None:
        return "summaries" if self.summaries is not None else None

    def check_settings(self, study: Study, place: str) -> None:
        if self.outlier_limit is not None and self.outliers is None:
            raise ValueError(f"{place}.outlier_limit: the limit of a rule, 'outliers'")
        if self.outliers == "winsorize" and self._limit >= _HALF:
            raise ValueError(f"{place}.outlier_limit: a share below 0.5 at each end")
        if self.summaries is None:
            return
        if self.outliers is not None:
            raise ValueError(f"{place}.outliers: the table of means {self.summaries} has no responses")
        must_exist([self.summaries], study.summaries, f"{place}.summaries", "table of means")
        table = study.summaries[self.summaries]
        must_exist(self.outcomes, [table.outcome], f"{place}.outcomes", f"outcome of {self.summaries}")
        must_exist(self.by, table.by, f"{place}.by", f"factor of {self.summaries}")
        must_exist(self.where, table.by, f"{place}.where", f"factor of {self.summaries}")
        if self.uncoded is not None:
            raise ValueError(f"{place}.uncoded: the table of means {self.summaries} has no responses")

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        return self.summaries is None and super().rests_on(study, levels)

    @property
    def _limit(self) -> float:
        return _LIMITS.get(self.outliers or "", 0.0) if self.outlier_limit is None else self.outlier_limit

    def scores(self, inputs: Inputs, *more: str) -> pl.DataFrame:
        """Get the counts of each value of its scores, outliers of cells by its factors and more taken out."""
        from tallybook.statistics.means.outliers import without_outliers
        from tallybook.statistics.means.score_means import OUTCOME, scored

        found = scored(inputs.tally, self.outcomes, self.uncoded)
        if self.outliers is None:
            return found
        return without_outliers(found, [*self.by, *more, OUTCOME], self.outliers, self._limit)

    def with_left_out(self, found: pl.DataFrame, inputs: Inputs) -> pl.DataFrame:
        """Say in the method how many values of each cell the outlier rule takes out or replaces."""
        from tallybook.statistics.means.score_means import OUTCOME, scored

        if self.outliers is None:
            return found
        given = scored(inputs.tally, self.outcomes, self.uncoded).get_column("value")
        changed = self.scores(inputs).with_columns(pl.col("value").ne_missing(given).alias("changed"))
        left = changed.group_by(*self.by, OUTCOME).agg((pl.col("count") * pl.col("changed")).sum().alias("changed"))
        what = "winsorized" if self.outliers == "winsorize" else "left out as outliers"
        method = pl.format("{}; {} " + what, "method", "changed")
        joined = found.join(
            left, left_on=[*self.by, "outcome"], right_on=[*self.by, OUTCOME], how="left", maintain_order="left"
        )
        return joined.with_columns(pl.coalesce(method, "method").alias("method")).select(found.columns)

    def _of_outliers(self) -> str:
        """Say what becomes of outliers."""
        match self.outliers:
            case None:
                return ""
            case "mad":
                return (
                    f"values more than {self._limit:g} scaled median absolute deviations from the median of their cell"
                )
            case "iqr":
                return f"values more than {self._limit:g} interquartile ranges beyond the quartiles of their cell"
            case "winsorize":
                return f"the lowest and the highest {100 * self._limit:g}% of the values of a cell"

    def printed(self, study: Study, inputs: Inputs, name: str) -> pl.DataFrame:
        """Get the cells of a table of printed means."""
        from tallybook.statistics.means.score_means import OUTCOME

        return inputs.summaries[name].with_columns(pl.lit(study.summaries[name].outcome).alias(OUTCOME))

    def moments_of_printed(self, study: Study, inputs: Inputs, name: str) -> pl.DataFrame:
        """Get the moments that a table of printed means and intervals implies."""
        from tallybook.statistics.means.score_means import printed_moments

        declared = study.summaries[name]
        return printed_moments(self.printed(study, inputs, name), declared.by, self.by, declared.confidence)

    def source(self, study: Study) -> str:
        """Name the table of means that it is computed from; empty if from responses."""
        return "" if self.summaries is None else study.summaries[self.summaries].label

    def counted_note(self, study: Study) -> str:
        """Say under a table what becomes of responses without a score, or where means come from."""
        if self.summaries is not None:
            return f"; computed from given means and intervals, not from responses ({self.source(study)})"
        is_kept = "count as the next one" if self.outliers == "winsorize" else "do not count"
        outliers = f"; {self._of_outliers()} {is_kept}" if self.outliers else ""
        if self.uncoded is not None:
            return f"; responses without a score count as {self.uncoded:g}{outliers}"
        return f"; responses without a score do not count{outliers}"

    def counted(self, study: Study) -> str:
        """Say in the methods section what becomes of responses without a score, or where means come from."""
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
_HALF = 0.5
_SOURCES = {"mad": "leys2013", "iqr": "tukey1977", "winsorize": "tukey1977"}


def from_printed(found: pl.DataFrame, label: str) -> pl.DataFrame:
    """Say in the method that estimates are from printed means."""
    return found.with_columns(pl.format("{}; from {}", "method", pl.lit(label)).alias("method"))
