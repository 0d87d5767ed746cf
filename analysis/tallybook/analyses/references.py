"""Comparisons with known proportions: exact tests, the share of tests that are significant, similarity to a survey."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.bases import OfCategories, categories_of, check_references
from tallybook.analyses.differences import TestsCategories
from tallybook.analyses.jackknifed import Jackknifed
from tallybook.analyses.shares import OfShares
from tallybook.analyses.wording import (
    BASES,
    INTERVALS,
    NOTE_BASES,
    number,
    of_clustered_tests,
    of_estimates,
    of_outcomes,
    percent,
    sentences,
)
from tallybook.core.markdown import literal
from tallybook.study.analysis_base import HYPOTHESIS, Analysis, Counts, OfEstimates
from tallybook.study.base import Identifier, require_declared
from tallybook.study.notation import SHARE, Notation, Piece

if TYPE_CHECKING:
    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Inputs
    from tallybook.study.model import Study


_METHODS = {"minimum-likelihood": "minimum likelihood", "doubling": "twice the smaller tail", "mid-p": "mid-p"}
_TAILS = {
    "minimum-likelihood": "adds up the probabilities of all counts that are no more likely than the observed one",
    "doubling": "is twice that of the smaller tail",
    "mid-p": "is twice that of the smaller tail, in which the observed count weighs one half,",
}


class BinomialTest(OfShares, TestsCategories):
    """Each category's share among the answered tested against a reference proportion, exactly."""

    statistic: Literal["binomial-test"]
    reference: Identifier
    """The reference table."""
    denominator: Literal["answered", "coded"] = "coded"  # pyright: ignore[reportIncompatibleVariableOverride]
    """Whether tests count responses that have no category though they do not decline."""
    method: Literal["minimum-likelihood", "doubling", "mid-p"] = "minimum-likelihood"
    """The outcomes that are at least as extreme on the other side; `mid-p` doubles the smaller tail with half of the
    observed count's probability."""
    interval: Literal["wilson", "clopper-pearson", "jeffreys", "uniform"] = "wilson"
    """The interval of the share without clusters; as of a proportion."""
    results: ClassVar[str] = "tests of shares"
    estimand: ClassVar[str] = "share against its reference"
    form: ClassVar[Notation] = SHARE

    @property
    def tested(self) -> tuple[str, ...]:
        return (self.reference,)

    def check_settings(self, study: Study, place: str) -> None:
        require_declared([self.reference], study.references, f"{place}.reference", "reference")
        if self.alternative != "two-sided" and self.method != "minimum-likelihood":
            raise ValueError(f"{place}.method: {self.method!r} is of two-sided tests")
        needed = [name for name in study.references[self.reference].by if name in study.factors]
        absent = [name for name in needed if name not in self.by]
        if absent and all(name in study.factors for name in self.by):
            raise ValueError(f"{place}.by: {absent[0]!r} is missing, by which references.{self.reference} is split")

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.proportions.proportion import binomial_tests

        return binomial_tests(
            inputs.tally,
            self.by,
            self.members(study),
            inputs.references[self.reference],
            study.references[self.reference].by,
            denominator=self.denominator,
            method=self.method if self.alternative == "two-sided" else self.alternative,
            interval=self.interval,
            confidence=self.confidence,
        )

    def null_values(self) -> pl.Expr:
        return pl.col("null_value")

    @property
    def _tests(self) -> str:
        if self.alternative == "two-sided":
            return f"two-sided binomial tests ({_METHODS[self.method]})"
        return f"binomial tests, {self.side},"

    @property
    def _alternative(self) -> str:
        if self.alternative == "two-sided":
            return (
                f"The alternative is two-sided: the *p*-value {_TAILS[self.method]} under the reference [@hirji2006]."
            )
        return f"The tests are {self.side}."

    def note(self, study: Study) -> str:
        if self.cluster_column(study) is not None:
            return (
                f"Tests of the share among {NOTE_BASES[self.denominator]} against the reference "
                f"({study.references[self.reference].label}) on the log odds, {self.side}. No answers or no reference: "
                "no test."
            )
        return (
            f"Exact {self._tests} of the share among "
            f"{NOTE_BASES[self.denominator]} against the reference ({study.references[self.reference].label}). "
            "No answers or no reference: no test."
        )

    def account(self, study: Study) -> Account:
        reference = literal(study.references[self.reference].label)
        errors = self.account_of_errors(study)
        if errors:
            text = sentences(
                f"The share of each category among {BASES[self.denominator]} was tested against its reference "
                f"proportion ({reference}), {self.side}. Where there is no answer or no reference there is no test.",
                errors,
                "The effect size is Cohen’s *h* [@cohen1988].",
            )
            return of_outcomes(study, self, "Tests against known proportions", text, "Tests are of the categories of")
        text = (
            f"The share of each category among {BASES[self.denominator]} was tested against its reference proportion "
            f"({reference}) by the exact binomial test [@clopper1934]. {self._alternative} "
            "Where there is no answer or no reference there "
            f"is no test. The {percent(self.confidence)} intervals of the shares are {INTERVALS[self.interval]}, "
            "the effect size is Cohen’s *h* [@cohen1988]."
        )
        topic, lead = "Tests against known proportions", "Tests are of the categories of"
        return of_outcomes(study, self, topic, text, lead)


class DeviationScore(OfEstimates):
    """The share of an analysis' valid tests that are significant."""

    statistic: Literal["deviation-score"]
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test counts when its p-value is below alpha: the adjusted one, if the analysis has a family."""
    counts: Counts = "hypotheses"
    """The number of hypotheses: a category and its complement are one, in two rows."""

    of_kind: ClassVar[str] = "binomial test"
    counts_tests: ClassVar[bool] = True
    term_names: ClassVar[tuple[str, ...]] = ("significant",)
    form: ClassVar[Notation] = SHARE

    @property
    def counts_hypotheses_of(self) -> tuple[str, ...]:
        """The analysis whose hypotheses this one counts, unless it counts rows."""
        return (self.of,) if self.counts == "hypotheses" else ()

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, BinomialTest)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.conclusions import deviation_scores

        own = [*study.analyses[self.of].by, HYPOTHESIS] if self.counts == "hypotheses" else None
        return deviation_scores(inputs.estimates(self.of), self.by, alpha=self.alpha, hypothesis=own)

    def note(self, study: Study) -> str:
        p = "p" if study.analyses[self.of].family is None else "adjusted p"
        counted = "A category and its complement are one test."
        if self.counts == "rows":
            counted = "Every category is a test of its own."
        return sentences(
            f"Deviation score: share of the valid tests with {p} < {self.alpha:g}. {counted}",
            of_clustered_tests(study, study.analyses[self.of]),
        )

    def account(self, study: Study) -> Account:
        adjusted = "" if study.analyses[self.of].family is None else "adjusted "
        counted = "A category and its complement count as one test"
        if self.counts == "rows":
            counted = "Every category counts as a test of its own"
        text = (
            f"The score is the share of tests with {adjusted}*p* \\< {number(self.alpha)} among those that "
            f"exist; where there is no test, none counts as not significant. {counted}."
        )
        return of_estimates(study, self, "Deviation score", text, "They count the")


_TWO = 2


class Alignment(OfCategories, Jackknifed):
    """Similarity of the shares of ordered categories to a survey's: 1 - W / (N - 1), and total variation."""

    statistic: Literal["alignment"]
    reference: Identifier
    """The table of the survey's proportions."""

    results: ClassVar[str] = "alignments"
    estimand: ClassVar[str] = "alignment"
    term_names: ClassVar[tuple[str, ...]] = ("alignment", "total_variation")
    limits: ClassVar[dict[str, tuple[float, float]]] = {"alignment": (0.0, 1.0), "total_variation": (0.0, 1.0)}

    @property
    def tested(self) -> tuple[str, ...]:
        return (self.reference,)

    def check_settings(self, study: Study, place: str) -> None:
        check_references(study, self, place)
        for name in self.outcomes:
            if len(categories_of(study, name)) < _TWO:
                raise ValueError(f"{place}.outcomes: {name!r} has a single category; expected two or more, in order")

    def independent(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.statistics.divergences.divergence import distances_from_reference

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
        return of_outcomes(study, self, "Alignment", text, "The alignments are of the shares of")
