"""Counts of categories, labels and refusals."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories
from tallybook.analyses.wording import of_outcomes
from tallybook.study.notation import Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Count(OfCategories):
    """The number of responses of each category, label or refusal."""

    statistic: Literal["count"]

    results: ClassVar[str] = "counts"

    def terms(self, study: Study) -> list[str] | None:
        return [*(super().terms(study) or ()), "total"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import category_counts

        return category_counts(inputs.tally, self.by, self.members(study))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation(unit="count", shows_n=True)

    def note(self, study: Study) -> str:
        return "Counts of responses."

    def account(self, study: Study) -> Account:
        text = "Counts are of responses, and have no test."
        return of_outcomes(study, self, "Counts", text, "Counted were the categories of")
