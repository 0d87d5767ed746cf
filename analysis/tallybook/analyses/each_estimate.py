"""Analyses of single estimates: equivalence, detectable effects, spread over prompts, changes of conclusions."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import Sided
from tallybook.analyses.means import TTest
from tallybook.analyses.references import BinomialTest
from tallybook.analyses.wording import (
    factor_name,
    note_of_shares,
    number,
    of_clustered_tests,
    of_estimates,
    percent,
    results_of,
    sentences,
)
from tallybook.study.analysis_base import Analysis, OfEstimates
from tallybook.study.base import Identifier, require_declared
from tallybook.study.clusters import called
from tallybook.study.notation import Notation, Piece, italic

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study
    from tallybook_schemas.vocabulary import Alternative


LARGE = 1e12
"""The degrees of freedom that stand for infinity, in normal intervals and tests."""


class OfEachEstimate(OfEstimates):
    """An analysis of each estimate of another, from its standard error and degrees of freedom."""

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        if set(of.by) != set(self.by):
            raise ValueError(f"{place}.by: expected the cells of {self.of}: {', '.join(of.by) or 'none'}")

    def terms(self, study: Study) -> list[str] | None:
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.terms(study)

    def own(self, inputs: Inputs) -> pl.DataFrame:
        """Return the estimates of the source analysis, without adjusted p-values, which are those of other tests.

        Estimates without a standard error get the status `degenerate`.
        """
        unknown = (pl.col("status") == "ok") & ~(pl.col("std_error") > 0).fill_null(value=False)
        found = inputs.estimates(self.of).drop("p_adjusted", "log_p_adjusted", "family_size", strict=False)
        return found.with_columns(
            pl.col("null_value").fill_null(0.0),
            pl.col("df").fill_null(LARGE),
            pl.when(unknown).then(pl.lit("degenerate")).otherwise("status").alias("status"),
        )


class Equivalence(OfEachEstimate):
    """Whether each estimate of an analysis lies within bounds: two one-sided t tests with that analysis' errors."""

    statistic: Literal["equivalence"]
    bounds: tuple[float, float]
    """Differences from the null value within these bounds are equivalent to it: lower and upper bound, in the
    estimates' unit (of shares 0.05 is five points)."""
    alpha: float = Field(default=0.05, gt=0, lt=0.5)
    """The level of the test; the interval's is 1 - 2 alpha."""

    has_p_values: ClassVar[bool] = True
    has_errors_of_source: ClassVar[bool] = True
    results: ClassVar[str] = "tests of equivalence"

    @property
    def confidence(self) -> float:
        """The level of the intervals."""
        return 1 - 2 * self.alpha

    def cluster_column(self, study: Study) -> str | None:
        """Return the clusters of the estimates, whose errors the tests have."""
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.cluster_column(study)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        if not self.bounds[0] < self.bounds[1]:
            raise ValueError(f"{place}.bounds: {self.bounds[0]:g}, {self.bounds[1]:g}: expected two rising numbers")

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.means.contrasts import equivalence_tests

        low, high = self.bounds
        found = equivalence_tests(self.own(inputs), self.by, low=low, high=high, alpha=self.alpha)
        return found.with_columns(pl.when(pl.col("df") < LARGE).then("df").alias("df"))

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return replace(study.analyses[self.of].notation(study, term, has_df=has_df), statistic=italic("t"))

    def note(self, study: Study) -> str:
        low, high = self.bounds
        of = study.analyses[self.of]
        what = f"Equivalence within {low:g} and {high:g} of the null value"
        return f"{what}: two one-sided t tests of the {of.plain_results}. {of.note(study)}"

    def account(self, study: Study) -> Account:
        low, high = self.bounds
        text = (
            f"Equivalence, a difference from the null value between {number(low)} and {number(high)}, was tested by "
            "two one-sided *t* tests [@schuirmann1987] with the standard errors of the estimates; intervals have the "
            f"level {percent(1 - 2 * self.alpha)}."
        )
        return of_estimates(study, self, "Equivalence", text, "The tests are of the")


class DetectableEffect(OfEachEstimate):
    """The smallest difference from the null value that each test of an analysis finds with a given probability."""

    statistic: Literal["detectable-effect"]
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """The level of the test, which has the sides that the analysis gives it."""
    power: float = Field(default=0.8, gt=0, lt=1)
    """The probability with which the test finds the difference."""
    difference: float | None = None
    """A difference from the null value, in the estimates' unit; the power against it is the effect (`power`)."""

    results: ClassVar[str] = "smallest detectable differences"

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        if not of.has_tests:
            raise ValueError(f"{place}.of: {self.of} tests nothing")
        if self._exact(study) is not None and _side(of) != "two-sided":
            raise ValueError(f"{place}.of: {self.of} has exact tests of one side; expected two-sided or clustered ones")
        if self.power <= self.alpha:
            raise ValueError(f"{place}.power: {self.power:g}: expected more than alpha, {self.alpha:g}")

    def _exact(self, study: Study) -> BinomialTest | None:
        """Return the source analysis if it consists of exact binomial tests, else None."""
        of = study.analyses[self.of]
        return of if isinstance(of, BinomialTest) and of.cluster_column(study) is None else None

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.power import detectable_differences, detectable_shares

        levels = {"alpha": self.alpha, "power": self.power}
        if (of := self._exact(study)) is not None:
            tests = inputs.estimates(self.of)
            return detectable_shares(tests, self.by, method=of.method, difference=self.difference, **levels)
        side = _side(study.analyses[self.of])
        return detectable_differences(self.own(inputs), self.by, difference=self.difference, alternative=side, **levels)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        of = study.analyses[self.of].notation(study, term, has_df=has_df)
        return replace(of, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=True)

    def _sided(self, study: Study) -> str:
        return "two-sided" if _side(study.analyses[self.of]) == "two-sided" else "one-sided"

    def _errors(self, study: Study) -> str:
        if self._exact(study) is not None:
            return "exact binomial tests, on the nearer side of the reference"
        return "given the standard errors and degrees of freedom found"

    def note(self, study: Study) -> str:
        return (
            f"Smallest difference from the null value that a {self._sided(study)} test at {self.alpha:g} finds with a "
            f"probability of {self.power:g}: of the {study.analyses[self.of].plain_results}, {self._errors(study)}."
        )

    def account(self, study: Study) -> Account:
        text = (
            f"The smallest detectable difference is the one that a {self._sided(study)} test at the level "
            f"{number(self.alpha)} finds with a probability of {percent(self.power)} [@cohen1988]; "
            f"{self._errors(study)}."
        )
        return of_estimates(study, self, "Power", text, "Computed was the power of the")


def _side(analysis: Analysis) -> Alternative:
    return analysis.alternative if isinstance(analysis, Sided) else "two-sided"


class PromptSensitivity(OfEstimates):
    """The smallest, median and largest estimate over prompts or templates, and their spread."""

    statistic: Literal["prompt-sensitivity"]
    over: Identifier
    """The factor of the prompts; a factor of the analysis that it is of."""
    term: str
    """Which estimate: a category of a share, `mean` of a score."""

    results: ClassVar[str] = "sensitivities to the prompt"
    has_p_values: ClassVar[bool] = True
    term_names: ClassVar[tuple[str, ...]] = ("min", "median", "max", "range", "sd", "heterogeneity", "i_squared")

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        require_declared([self.over], of.by, f"{place}.over", f"factor of {self.of}")
        if {*self.by, self.over} != set(of.by) or self.over in self.by:
            rest = [name for name in of.by if name != self.over]
            raise ValueError(
                f"{place}.by: expected the cells of {self.of} but {self.over}: {', '.join(rest) or 'none'}"
            )
        require_declared([self.term], of.terms(study) or [self.term], f"{place}.term", f"term of {self.of}")

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.conclusions import sensitivity

        return sensitivity(inputs.estimates(self.of).filter(term=self.term), self.by, self.over)

    def hypotheses(self, study: Study, found: pl.DataFrame, tally: pl.DataFrame) -> pl.Expr:
        """Name the hypothesis: homogeneity of the prompts, which only Cochran's Q tests."""
        return pl.when(pl.col("term") == "heterogeneity").then("outcome")

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        if term == "heterogeneity":
            return Notation(italic("Q"), has_df_at_symbol=True)
        if term == "i_squared":
            return Notation((Piece("I", "italic"), Piece("²")), "bounded")
        of = study.analyses[self.of].notation(study, self.term, has_df=has_df)
        unit = "points" if of.unit == "percent" and term in {"range", "sd"} else of.unit
        return replace(of, unit=unit, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=False)

    def note(self, study: Study) -> str:
        over = called(study, self.over)
        return (
            f"Smallest, median and largest estimate over {over}, range and standard "
            f"deviation; Cochran's Q treats {over} as independent. "
            f"{note_of_shares(study, self.of)}"
        )

    def account(self, study: Study) -> Account:
        text = (
            "Sensitivity to the prompt is described by the smallest, median and largest estimate over prompts, their "
            "range and standard deviation; Cochran’s *Q* [@dersimonian1986] tests whether prompts differ beyond the "
            "estimates’ standard errors, treating them as independent."
        )
        what = f"{results_of(study, study.analyses[self.of])} over {factor_name(study, self.over)}"
        return of_estimates(study, self, "Prompt sensitivity", text, "They describe the", what=what)


class Changes(OfEstimates):
    """Changes of estimates and of their tests' conclusions from one analysis to another of the same cells."""

    statistic: Literal["changes"]
    to: Identifier
    """The analysis that it is compared with, cell by cell."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test rejects when its p-value is below alpha: the adjusted one, if its analysis has a family. A conclusion is
    that it does not, or that it does and on which side of the null value the estimate lies."""

    is_of_cells: ClassVar[bool] = False
    of_kind: ClassVar[str] = "t test"
    term_names: ClassVar[tuple[str, ...]] = ("difference", "changed")

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.of, self.to)

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, TTest)

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        require_declared([self.to], allowed, f"{place}.to", self.of_kind)
        to = allowed[self.to]
        if set(of.by) != set(to.by):
            raise ValueError(f"{place}.to: expected the cells of {self.of}: {', '.join(of.by) or 'none'}")
        for name, test in ((self.of, of), (self.to, to)):
            if isinstance(test, TTest) and len(test.outcomes) != 1:
                raise ValueError(f"{place}: {name} is of several outcomes; its tests have no counterparts")

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
            f"(*p* \\< {number(self.alpha)}); one that could not be made concludes nothing. The "
            "cells in which two tests conclude differently are counted, the differences of their estimates averaged."
        )
        what = f"{earlier} with the {later}"
        return of_estimates(study, self, "Changes of conclusions", text, "The comparisons are of the", what=what)
