"""Power: the smallest difference that a design would have found."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.analyses.binomial_test import BinomialTest
from tallybook.analyses.each_estimate import OfEachEstimate
from tallybook.analyses.wording import number, of_estimates, percent

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study
    from tallybook.study.notation import Notation


class DetectableEffect(OfEachEstimate):
    """The smallest difference from the null value that each test of an analysis finds with a given probability."""

    statistic: Literal["detectable-effect"]
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """The level of the test, two-sided."""
    power: float = Field(default=0.8, gt=0, lt=1)
    """The probability with which the test finds the difference."""
    difference: float | None = None
    """A difference from the null value, in the estimates' unit; the power against it is the effect (`power`)."""

    results: ClassVar[str] = "smallest detectable differences"

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        if not of.has_tests:
            raise ValueError(f"{place}.of: {self.of} tests nothing")
        if self.power <= self.alpha:
            raise ValueError(f"{place}.power: {self.power:g}: expected more than alpha, {self.alpha:g}")

    def _exact(self, study: Study) -> BinomialTest | None:
        """Get the analysis that it is of if its tests are exact binomial ones."""
        of = study.analyses[self.of]
        return of if isinstance(of, BinomialTest) and of.cluster_column(study) is None else None

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.power import detectable_differences, detectable_shares

        levels = {"alpha": self.alpha, "power": self.power}
        if (of := self._exact(study)) is not None:
            tests = inputs.estimates(self.of)
            return detectable_shares(tests, self.by, method=of.method, difference=self.difference, **levels)
        return detectable_differences(self.own(inputs), self.by, difference=self.difference, **levels)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        of = study.analyses[self.of].notation(study, term, has_df=has_df)
        return replace(of, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=True)

    def _errors(self, study: Study) -> str:
        if self._exact(study) is not None:
            return "exact binomial tests, on the nearer side of the reference"
        return "given the standard errors and degrees of freedom found"

    def note(self, study: Study) -> str:
        return (
            f"Smallest difference from the null value that a two-sided test at {self.alpha:g} finds with a probability "
            f"of {self.power:g}; {self._errors(study)} ({self.of})."
        )

    def account(self, study: Study) -> Account:
        text = (
            "The smallest detectable difference is the one that a two-sided test at the level "
            f"{number(self.alpha)} finds with a probability of {percent(self.power)} [@cohen1988]; "
            f"{self._errors(study)}."
        )
        return of_estimates(study, self, "Power", text, "Computed was the power of the")
