"""Tests of equivalence: whether a difference is too small to matter."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.each_estimate import OfEachEstimate
from tallybook.analyses.wording import number, of_estimates, percent
from tallybook.study.notation import italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation


class Equivalence(OfEachEstimate):
    """Whether each estimate of an analysis lies within bounds: two one-sided t tests with that analysis' errors."""

    statistic: Literal["equivalence"]
    bounds: tuple[float, float]
    """Differences from the null value within these bounds are equivalent to it: lower and upper bound, in the
    estimates' unit (of shares 0.05 is five points)."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """The level of the test; the interval's is 1 - 2 alpha."""

    has_p_values: ClassVar[bool] = True
    results: ClassVar[str] = "tests of equivalence"

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError(f"{place}.bounds: {self.bounds[0]:g}, {self.bounds[1]:g}: expected two rising numbers")

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.equivalence import equivalence_tests

        low, high = self.bounds
        return equivalence_tests(self.own(inputs), self.by, low=low, high=high, alpha=self.alpha)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return replace(study.analyses[self.of].notation(study, term, has_df=has_df), statistic=italic("t"))

    def note(self, study: Study) -> str:
        low, high = self.bounds
        of = study.analyses[self.of].note(study)
        return f"Equivalence within {low:g} and {high:g} of the null value: two one-sided t tests of {self.of}. {of}"

    def account(self, study: Study) -> Account:
        low, high = self.bounds
        text = (
            f"Equivalence, a difference from the null value between {number(low)} and {number(high)}, was tested by "
            "two one-sided *t* tests [@schuirmann1987] with the standard errors of the estimates; intervals have the "
            f"level {percent(1 - 2 * self.alpha)}."
        )
        return of_estimates(study, self, "Equivalence", text, "Tested were the")
