"""Labels in order of their frequency."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.wording import BASES, NOTE_BASES, of_outcomes
from tallybook.study.analysis_base import OfResponses
from tallybook.study.notation import SHARE, Notation
from tallybook_schemas.vocabulary import Denominator

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class MostFrequent(OfResponses):
    """The labels of an outcome in order of their frequency; refusals are an entry of their own."""

    statistic: Literal["most-frequent"]
    denominator: Denominator = "all"
    """The denominator of the shares; see `Denominator`."""
    ties: Literal["first-seen", "alphabetical"] = "first-seen"
    """Which of two equally frequent labels stands first."""

    outcome_kinds: ClassVar[tuple[str, ...]] = ("category", "reason", "label")
    is_ranking: ClassVar[bool] = True

    def terms(self, study: Study) -> None:
        """List nothing: the data make the labels."""

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.categories.ranking import most_frequent

        return most_frequent(inputs.tally, self.by, self.outcomes, denominator=self.denominator, ties=self.ties)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return SHARE

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
        return of_outcomes(study, self, "Most frequent labels", text, "Ranked were the labels of")
