"""Similarity of shares of ordered categories to those of a survey."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.categories import OfCategories, categories_of
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.wording import of_outcomes, sentences
from tallybook.core.markdown import literal
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import Notation, Piece

if TYPE_CHECKING:
    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study

_TWO = 2


class Alignment(OfCategories, Jackknifed):
    """Similarity of the shares of ordered categories to a survey's: 1 - W / (N - 1), and total variation."""

    statistic: Literal["alignment"]
    reference: Identifier
    """The table of the survey's proportions."""

    results: ClassVar[str] = "alignments"
    estimand: ClassVar[str] = "alignment"

    @property
    def tested(self) -> tuple[str, ...]:
        return (self.reference,)

    def check_settings(self, study: Study, place: str) -> None:
        must_exist(self.tested, study.references, f"{place}.reference", "reference")
        needed = study.references[self.reference].by
        must_exist([name for name in needed if name in study.factors], self.by, f"{place}.by", "factor of the cells")
        for name in self.outcomes:
            if len(categories_of(study, name)) < _TWO:
                raise ValueError(f"{place}.outcomes: {name!r} has a single category; expected two or more, in order")

    def terms(self, study: Study) -> list[str] | None:
        return ["alignment", "total_variation"]

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        import polars as pl

        from tallybook.statistics.divergences.reference_distance import distances_from_reference

        shared = [name for name in study.references[self.reference].by if name in self.by]
        parts: list[pl.DataFrame] = []
        for name in self.outcomes:
            own = inputs.tally.filter((pl.col("outcome") == name) & (pl.col("status") == "ok"))
            known = inputs.references[self.reference].filter(pl.col("outcome") == name)
            found = distances_from_reference(
                own.select(*self.by, "category", "count"), self.by, categories_of(study, name), known, shared
            )
            parts.append(found.with_columns(pl.lit(name).alias("outcome")))
        return pl.concat(parts)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation((Piece("TV"),) if term == "total_variation" else (Piece("A"),), "bounded", shows_n=True)

    def note(self, study: Study) -> str:
        label = study.references[self.reference].label
        return f"Alignment with the reference ({label}): 1 less the Wasserstein distance as a share of the largest one."

    def account(self, study: Study) -> Account:
        label = literal(study.references[self.reference].label)
        text = sentences(
            f"Alignment with the reference ({label}) is 1 − *W* / (*N* − 1), where *W* is the Wasserstein distance of "
            "the shares of the coded responses from its proportions over *N* ordered categories; the total variation "
            "distance is half the sum of the absolute differences.",
            self.account_of_errors(study),
        )
        return of_outcomes(study, self, "Alignment", text, "Compared were the shares of")
