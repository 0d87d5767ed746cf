"""Observed shares of a category at each value of a score."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.logistic import check_category
from tallybook.analyses.wording import of_outcomes, outcome_name, outcome_names, term_name
from tallybook.study.analysis_base import OfResponses
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import SHARE, Notation

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class ObservedShares(OfResponses):
    """The share of one category, among those that have a category, at each value of a score kept beside it."""

    statistic: Literal["observed-shares"]
    category: Identifier
    """The category."""
    score: Identifier
    """The score; the outcome keeps it beside it."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category",)

    def check_settings(self, study: Study, place: str) -> None:
        for name in self.outcomes:
            check_category(study, name, self.category, place)
            kept = study.outcomes[name].beside
            must_exist([self.score], kept, f"{place}.score", f"score that {name} keeps beside it")

    def terms(self, study: Study) -> None:
        """List nothing: the data make the values of the score."""

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.logistic.outcome_regression import observed_shares

        return observed_shares(inputs.tally, self.by, self.outcomes, self.category, self.score)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE

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
        return of_outcomes(study, self, "Observed shares", text, "They were computed of", what=what)
