"""Differences of estimates between two levels of a factor, each estimate one observation."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from tallybook.analyses.mean import OfCells
from tallybook.analyses.wording import factor_name, level_name, of_estimates, percent
from tallybook.study.base import Identifier, must_differ, must_exist
from tallybook.study.notation import Notation, Piece, italic

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study

_TESTS = {
    "welch": "Welch’s *t* test [@welch1947]",
    "student": "Student’s two-sample *t* test [@student1908]",
    "permutation": "the exact permutation test over all ways to divide them into groups of these sizes",
}


class EstimateDifference(OfCells):
    """The difference between two levels of a factor in the estimates of an analysis, which are the units.

    The claim that it tests is of the units, such as stereotypes: of others that could have been drawn, not of more
    responses to these.
    """

    statistic: Literal["estimate-difference"]
    factor: Identifier
    """The factor whose levels are compared."""
    levels: tuple[str, str]
    """The mean at the first level less that at the second."""
    test: Literal["welch", "student", "permutation"] = "welch"
    """The test; the permutation test goes through all ways to divide the estimates into two groups."""

    results: ClassVar[str] = "differences of estimates"
    has_p_values: ClassVar[bool] = True

    def cluster_column(self, study: Study) -> str | None:
        """Get no clusters: the estimates are the units."""

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        must_exist([self.factor], of.by, f"{place}.factor", f"factor of {self.of}")
        must_exist(self.levels, study.factors[self.factor].levels, f"{place}.levels", "level")
        must_differ(self.levels, f"{place}.levels")
        must_differ([*self.by, self.factor], f"{place}: by and factor")

    def terms(self, study: Study) -> list[str] | None:
        return ["difference"]

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import estimate_differences

        return estimate_differences(estimates, by, self.factor, self.levels, test=self.test, confidence=self.confidence)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        return self.joined(inputs.estimates(self.of), self.by)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation((Piece("Δ"), Piece("M", "italic")), statistic=italic("t"))

    def note(self, study: Study) -> str:
        first, second = (study.factors[self.factor].levels[level] for level in self.levels)
        test = {"welch": "Welch's t test", "student": "Student's t test", "permutation": "exact permutation test"}
        what = f"Mean of {self.of}: {first} minus {second}; every estimate is one observation"
        return f"{what}; {test[self.test]}, two-sided."

    def account(self, study: Study) -> Account:
        first, second = (level_name(study, self.factor, level) for level in self.levels)
        text = (
            f"Estimates of two levels of {factor_name(study, self.factor)}, “{first}” less “{second}”, are compared as "
            f"single observations by {_TESTS[self.test]}, two-sided; the {percent(self.confidence)} intervals are "
            "Student’s."
        )
        return of_estimates(study, self, "Differences of estimates", text, "Compared were the")
