"""What analyses of mean scores share: responses without a score, and tables of printed means."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

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

    outcome_kinds: ClassVar[tuple[str, ...]] = ("score",)
    needs_values: ClassVar[bool] = False

    def not_clustered(self) -> str | None:
        """Name the setting, if there is one, with which there is no clustered standard error."""
        return "summaries" if self.summaries is not None else None

    def check_settings(self, study: Study, place: str) -> None:
        """Raise a ValueError if a table of means is not declared, or lacks what is asked for."""
        if self.summaries is None:
            return
        must_exist([self.summaries], study.summaries, f"{place}.summaries", "table of means")
        table = study.summaries[self.summaries]
        must_exist(self.outcomes, [table.outcome], f"{place}.outcomes", f"outcome of {self.summaries}")
        must_exist(self.by, table.by, f"{place}.by", f"factor of {self.summaries}")
        must_exist(self.where, table.by, f"{place}.where", f"factor of {self.summaries}")
        if self.uncoded is not None:
            raise ValueError(f"{place}.uncoded: the table of means {self.summaries} has no responses")

    def rests_on(self, study: Study, levels: Mapping[str, str]) -> bool:
        """Tell whether it is computed from responses of these levels; one of printed means is of none."""
        return self.summaries is None and super().rests_on(study, levels)

    def scores(self, inputs: Inputs) -> pl.DataFrame:
        """Get the counts of each value of its scores."""
        from tallybook.statistics.means.score_means import scored

        return scored(inputs.tally, self.outcomes, self.uncoded)

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
        if self.uncoded is not None:
            return f"; responses without a score count as {self.uncoded:g}"
        return "; responses without a score do not count"

    def counted(self, study: Study) -> str:
        """Say in the methods section what becomes of responses without a score, or where means come from."""
        if self.summaries is not None:
            return (
                "They are computed from given means and intervals, not from responses "
                f"({literal(self.source(study))}): the standard error of a given mean is the width of its interval by "
                "that of a standard normal one."
            )
        if self.uncoded is not None:
            return f"Responses without a score, refusals included, count as {number(self.uncoded)}."
        return "Responses without a score are left out, refusals included."


def from_printed(found: pl.DataFrame, label: str) -> pl.DataFrame:
    """Say in the method that estimates are from printed means."""
    return found.with_columns(pl.format("{}; from {}", "method", pl.lit(label)).alias("method"))
