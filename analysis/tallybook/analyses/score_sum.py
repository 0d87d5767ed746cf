"""Sums of scores: what a scale of weighted items comes to."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.wording import number, of_outcomes
from tallybook.study.analysis_base import OfResponses
from tallybook.study.notation import Notation

if TYPE_CHECKING:
    import polars as pl

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

    def terms(self, study: Study) -> list[str] | None:
        return ["sum"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

        from tallybook.statistics.estimates import as_estimates
        from tallybook.statistics.means.moments import moments

        found = moments(inputs.tally.filter(pl.col("outcome").is_in(list(self.outcomes))), [*self.by, "outcome"])
        total = pl.col("mean") * pl.col("n") / self.divisor + self.constant
        found = found.with_columns(
            total.alias("estimate"),
            pl.lit("sum").alias("term"),
            pl.lit("sum of scores").alias("method"),
            pl.when(pl.col("n") > 0).then(pl.lit("ok")).otherwise(pl.lit("no-data")).alias("status"),
        )
        return as_estimates(found.drop("outcome"), self.by).with_columns(found.get_column("outcome"))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(shows_n=True)

    def note(self, study: Study) -> str:
        return f"Sums of scores{self._moved()}; responses without a score add nothing."

    def account(self, study: Study) -> Account:
        text = f"Sums of scores{self._moved()} leave responses without a score out."
        return of_outcomes(study, self, "Sums of scores", (text), "Summed were")

    def _moved(self) -> str:
        divided = f", divided by {number(self.divisor)}" if self.divisor != 1 else ""
        return divided + (f", plus {number(self.constant)}" if self.constant else "")
