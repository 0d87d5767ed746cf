"""Changes of estimates and conclusions from one analysis of tests to another."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.t_test import TTest
from tallybook.analyses.wording import number, of_clustered_tests, of_estimates, results_of, sentences
from tallybook.study.analysis_base import Analysis, OfEstimates
from tallybook.study.base import Identifier, must_exist
from tallybook.study.notation import Notation, Piece

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


class Changes(OfEstimates):
    """Changes of estimates and of their tests' conclusions from one analysis to another of the same cells."""

    statistic: Literal["changes"]
    to: Identifier
    """The analysis that it is compared with, cell by cell."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test rejects when its p-value is below alpha: the adjusted one, if its analysis has a family. A conclusion is
    that it does not, or that it does and on which side of the null value the estimate lies."""

    of_kind: ClassVar[str] = "t test"

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.of, self.to)

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, TTest)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        must_exist([self.to], allowed, f"{place}.to", self.of_kind)
        to = allowed[self.to]
        if set(of.by) != set(to.by):
            raise ValueError(f"{place}.to: expected the cells of {self.of}: {', '.join(of.by) or 'none'}")
        for name, test in ((self.of, of), (self.to, to)):
            if isinstance(test, TTest) and len(test.outcomes) != 1:
                raise ValueError(f"{place}: {name} is of several outcomes; its tests have no counterparts")

    def terms(self, study: Study) -> list[str] | None:
        return ["difference", "changed"]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.conclusions import changed_conclusions

        return changed_conclusions(
            inputs.estimates(self.of),
            inputs.estimates(self.to),
            study.analyses[self.of].by,
            self.by,
            alpha=self.alpha,
        )

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == "difference":
            return Notation((Piece("Δ"),), shows_n=True)
        return Notation(unit="count", shows_n=True)

    def note(self, study: Study) -> str:
        return sentences(
            f"Changes from {self.of} to {self.to}: a conclusion is that p is at least {self.alpha:g}, or that "
            "it is below and the mean is above, or below, the null value; a test without p concludes nothing.",
            of_clustered_tests(study, study.analyses[self.of]),
        )

    def account(self, study: Study) -> Account:
        earlier, later = (results_of(study, study.analyses[name]) for name in self.sources)
        text = (
            "A test concludes that its null hypothesis stands, or that the mean lies above it, or below it "
            f"(*p* \\< {number(self.alpha)}); one that could not be made concludes nothing. Counted are the "
            "cells in which two tests conclude differently, and averaged the differences of their estimates."
        )
        what = f"{earlier} with the {later}"
        return of_estimates(study, self, "Changes of conclusions", text, "Compared were the", what=what)
