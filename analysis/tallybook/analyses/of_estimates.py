"""Analyses that combine the estimates of several cells: means, weighted sums, exponentials, differences."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar, Literal

import polars as pl
from pydantic import Field

from tallybook.analyses.wording import (
    clustering,
    degrees_of_freedom,
    factor_name,
    jackknife,
    level_name,
    number,
    of_estimates,
    percent,
    sentences,
)
from tallybook.core.markdown import literal
from tallybook.study.analysis_base import Clustered, OfEstimates
from tallybook.study.base import Identifier, must_differ, require_declared
from tallybook.study.clusters import Cluster, check_columns, is_within, joined
from tallybook.study.notation import Notation, Piece, Z, italic
from tallybook_schemas.vocabulary import MARGIN, DegreesOfFreedom, StandardError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.account import Account
    from tallybook.study.analysis_base import Analysis, Inputs, Scale
    from tallybook.study.model import Study


class OfCells(OfEstimates, Clustered):
    """An analysis that joins estimates of several cells. Cells that share clusters are not independent."""

    cluster: Cluster | None = None
    """The column or columns whose values are the clusters; by default that of the analysis whose estimates are joined.
    All is recomputed without each cluster: the standard error is that of the jackknife, the interval Student's.
    Without clusters cells are treated as independent."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""

    standard_errors: ClassVar[tuple[StandardError, ...]] = ("CV3", "CV3J", "bootstrap")
    degrees: ClassVar[tuple[DegreesOfFreedom, ...]] = ("clusters", "effective")
    has_two_way_errors: ClassVar[bool] = False

    @property
    def two_way_scale(self) -> Scale | None:
        return "identity" if self.has_two_way_errors else None

    @classmethod
    def takes(cls, analysis: Analysis) -> bool:
        return isinstance(analysis, OfCells) or super().takes(analysis)

    def cluster_column(self, study: Study) -> str | None:
        """Return the cluster column; by default that of the source analysis."""
        if self.cluster is not None:
            return joined(self.cluster)
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.cluster_column(study)

    @property
    def tested_value(self) -> float | None:
        return None

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        self.check_standard_error(place)
        if not self.cluster:
            is_of_two = self.has_two_way_errors and self.cluster is None and of.crossed_scale is not None
            if self.crossed or is_of_two:
                raise ValueError(f"{place}: two-way errors need both, cluster = [..., ...] and crossed = true")
            return
        self.check_crossed(study, of.of_responses(study).by, place)
        check_columns(study, self.cluster, f"{place}.cluster")
        base = of.of_responses(study)
        if is_within(self.cluster, base.by):
            raise ValueError(
                f"{place}.cluster: {joined(self.cluster)!r} is in 'by' of the estimates: a cluster is in one cell"
            )
        if getattr(base, "summaries", None) is not None:
            raise ValueError(f"{place}.cluster: there are no clusters of means that are given")

    def terms(self, study: Study) -> list[str] | None:
        of = study.analyses.get(self.of)
        return None if of is None or of is self else of.terms(study)

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        """Combine the estimates within cells, treating them as independent."""
        raise NotImplementedError

    def parts(self, estimates: pl.DataFrame) -> pl.DataFrame:
        """Return the estimates that are joined, under the terms of what they are joined to."""
        return estimates

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        from tallybook.analyses.jackknifed import clustered_estimates

        cluster = self.cluster_column(study)
        if cluster is None:
            return self.joined(inputs.estimates(self.of), self.by)
        chain: list[OfCells] = [self]
        while isinstance(below := study.analyses[chain[-1].of], OfCells):
            chain.append(below)
        return clustered_estimates(study, chain, inputs, cluster)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        of = study.analyses[self.of].notation(study, term, has_df=has_df)
        return replace(of, statistic=(), has_test_first=False, has_df_at_symbol=False, shows_n=False)

    def note_of_errors(self, study: Study) -> str:
        """Describe the standard errors for a note under a table."""
        test = "" if self.tested_value is None else f" Tested against {self.tested_value:g}, two-sided."
        cluster = self.cluster_column(study)
        if cluster is None:
            return f"The cells were treated as independent; normal intervals.{test}"
        return f"Standard errors and Student's intervals by the jackknife over clusters.{test}"

    def account_of_errors(self, study: Study) -> str:
        """Describe the standard errors for the methods section."""
        cluster, level = self.cluster_column(study), percent(self.confidence)
        if cluster is None:
            return f"The {level} intervals are normal ones, which treat the cells as independent."
        if self.crossed:
            said = clustering(study, cluster, self.standard_error, crossed=True)
            return f"{said} The {level} intervals are Student’s."
        intervals = f"the {level} intervals are Student’s, with {degrees_of_freedom(study, self)}"
        return f"{jackknife(study, cluster)}; {intervals}."


class Mean(OfCells):
    """The mean of an analysis' estimates over the factors that are left out, each estimate with the same weight."""

    statistic: Literal["mean"]

    has_two_way_errors: ClassVar[bool] = True
    results: ClassVar[str] = "unweighted means"

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import unweighted_means

        return unweighted_means(estimates, by, confidence=self.confidence)

    def note(self, study: Study) -> str:
        of = study.analyses[self.of].note(study)
        return f"Unweighted means: every cell counts the same. {self.note_of_errors(study)} {of}"

    def account(self, study: Study) -> Account:
        text = sentences(
            "Means of estimates give every cell the same weight, whatever its size [@cochran1977].",
            self.account_of_errors(study),
        )
        return of_estimates(study, self, "Unweighted means", text, "The means are of the")


class Combination(OfCells):
    """A weighted sum of the estimates of an analysis at several levels of a factor, or each level less a reference."""

    statistic: Literal["combination"]
    factor: Identifier
    """The factor whose levels are combined."""
    weights: dict[str, float] = {}
    """Level -> its weight."""
    reference: str | None = None
    """Instead of `weights`: a level that is subtracted from each other level, as in `other - reference`."""
    constant: float = 0.0
    """The constant added to the sum."""
    null_value: float | None = None
    """The sum under the null hypothesis; by default nothing is tested."""

    has_two_way_errors: ClassVar[bool] = True
    results: ClassVar[str] = "weighted sums"

    @property
    def has_tests(self) -> bool:
        return self.null_value is not None

    @property
    def tested_value(self) -> float | None:
        return self.null_value

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        require_declared([self.factor], of.by, f"{place}.factor", f"factor of {self.of}")
        require_declared(self.weights, study.factors[self.factor].levels, f"{place}.weights", "level")
        if bool(self.weights) == (self.reference is not None) or (self.reference is not None and self.constant):
            raise ValueError(
                f"{place}: exactly one of 'weights' and 'reference', and a 'constant' beside weights alone"
            )
        if self.reference is not None:
            require_declared([self.reference], study.factors[self.factor].levels, f"{place}.reference", "level")
        must_differ([*self.by, self.factor], f"{place}: by and factor")

    def terms(self, study: Study) -> list[str] | None:
        own = super().terms(study)
        if self.reference is None or own is None or self.factor not in study.factors:
            return own
        others = [level for level in study.factors[self.factor].levels if level != self.reference]
        return [_less(term, level, self.reference) for term in own for level in others]

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import weighted_sums

        return weighted_sums(
            self.parts(estimates),
            by,
            self.factor,
            self.weights or {"level": 1, "reference": -1},
            constant=self.constant,
            confidence=self.confidence,
            null_value=self.null_value,
        )

    def parts(self, estimates: pl.DataFrame) -> pl.DataFrame:
        """Repeat the estimates of the reference beside each other level, as terms that name both."""
        if (reference := self.reference) is None:
            return estimates
        level, terms = pl.col(self.factor), estimates.get_column("term").unique()
        others = estimates.get_column(self.factor).unique(maintain_order=True).to_list()
        return pl.concat(
            estimates.filter(level.is_in([other, reference])).with_columns(
                pl.col("term").replace({term: _less(term, other, reference) for term in terms}),
                pl.when(level == reference).then(pl.lit("reference")).otherwise(pl.lit("level")).alias(self.factor),
            )
            for other in others
            if other != reference or len(others) == 1
        )

    @property
    def is_difference(self) -> bool:
        """Whether the sum is one level less another."""
        return self.reference is not None or (sorted(self.weights.values()) == [-1, 1] and not self.constant)

    def pair(self, study: Study) -> str:
        """Return the two levels of a difference, such as `Men − Women`; empty for another sum."""
        return self._sum(study) if self.weights and self.is_difference else ""

    def _sum(self, study: Study) -> str:
        """Write the sum, its positive terms first."""
        terms = sorted(self.weights.items(), key=lambda one: one[1] < 0)
        labels = study.factors[self.factor].levels
        if self.reference is not None:
            return f"each other level − {labels[self.reference]}"
        parts = [
            (weight, labels[level] if abs(weight) == 1 else f"{abs(weight):g} × {labels[level]}")
            for level, weight in terms
        ]
        parts += [(self.constant, f"{abs(self.constant):g}")] if self.constant else []
        (first, text), *others = parts
        return f"{'−' * (first < 0)}{text}" + "".join(f" {'−' if weight < 0 else '+'} {one}" for weight, one in others)

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        of = super().notation(study, term, has_df=has_df)
        of = replace(of, statistic=(italic("t") if has_df else Z) if self.has_tests else ())
        if not self.is_difference:
            return of
        symbol = (Piece("Δ"), *of.symbol) if of.symbol else ()
        return replace(of, symbol=symbol, unit="points" if of.unit == "percent" else of.unit)

    def note(self, study: Study) -> str:
        what = "Difference" if self.is_difference else "Weighted sum"
        results = study.analyses[self.of].plain_results
        return f"{what} of the {results}: {self._sum(study)}. {self.note_of_errors(study)}"

    def account(self, study: Study) -> Account:
        test = "" if self.null_value is None else f"They were tested against {number(self.null_value)}, two-sided."
        sums = "Differences" if self.is_difference else "Weighted sums"
        over = f"{sums} are taken over the levels of {factor_name(study, self.factor)}: {literal(self._sum(study))}."
        text = sentences(over, self.account_of_errors(study), test)
        topic = "Differences of estimates" if self.is_difference else sums
        lead = f"The {sums.lower().removeprefix('weighted ')} are of the"
        return of_estimates(study, self, topic, text, lead, everything="")


def _less(term: str, level: str, reference: str) -> str:
    """Name the difference from a reference level; of a mean, which scores have alone, by the levels."""
    return f"{level} - {reference}" if term == "mean" else f"{term}: {level} - {reference}"


class Exponential(OfCells):
    """The exponential of an analysis' estimates: of mean log ratios their geometric mean, of a difference a ratio.

    Average marginal effects of regressions are in units of the outcome, and are left out.
    """

    statistic: Literal["exponential"]

    results: ClassVar[str] = "ratios"

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        require_declared(of.by, self.by, f"{place}.by: every factor of {self.of}", "factor")

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import exponentials

        return exponentials(estimates.filter(~pl.col("term").str.starts_with(MARGIN)))

    def terms(self, study: Study) -> list[str] | None:
        terms = super().terms(study)
        return terms and [term for term in terms if not term.startswith(MARGIN)]

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        """Compute the exponentials of the estimates and of their confidence limits."""
        return self.joined(inputs.estimates(self.of).drop("hypothesis of the test", strict=False), self.by)

    def note(self, study: Study) -> str:
        return f"Exponentials, with those of the limits. {study.analyses[self.of].note(study)}"

    def account(self, study: Study) -> Account:
        text = (
            "Estimates on the scale of logarithms are given as ratios, by the exponential of the estimate and of its "
            "limits: of a mean of log ratios that is their geometric mean."
        )
        return of_estimates(study, self, "Ratios", text, "They transform the")


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
        """Return None: the estimates are the units, not the clusters."""

    def check_of(self, study: Study, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
        super().check_of(study, of, allowed, place)
        require_declared([self.factor], of.by, f"{place}.factor", f"factor of {self.of}")
        require_declared(self.levels, study.factors[self.factor].levels, f"{place}.levels", "level")
        must_differ(self.levels, f"{place}.levels")
        must_differ([*self.by, self.factor], f"{place}: by and factor")

    def terms(self, study: Study) -> list[str] | None:
        return ["difference"]

    def notation(self, study: Study, term: str, *, has_df: bool) -> Notation:
        return Notation((Piece("Δ"), Piece("M", "italic")), statistic=italic("t"))

    def joined(self, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
        from tallybook.statistics.of_estimates import estimate_differences

        return estimate_differences(estimates, by, self.factor, self.levels, test=self.test, confidence=self.confidence)

    def compute(self, study: Study, inputs: Inputs) -> pl.DataFrame:
        return self.joined(inputs.estimates(self.of), self.by)

    def note(self, study: Study) -> str:
        first, second = (study.factors[self.factor].levels[level] for level in self.levels)
        test = {"welch": "Welch's t test", "student": "Student's t test", "permutation": "exact permutation test"}
        units = study.analyses[self.of].plain_results
        return f"{first} minus {second}, each of the {units} one observation; {test[self.test]}, two-sided."

    def account(self, study: Study) -> Account:
        first, second = (level_name(study, self.factor, level) for level in self.levels)
        text = (
            f"Estimates of two levels of {factor_name(study, self.factor)}, “{first}” less “{second}”, are compared as "
            f"single observations by {_TESTS[self.test]}, two-sided; the {percent(self.confidence)} intervals are "
            "Student’s."
        )
        return of_estimates(study, self, "Differences of estimates", text, "The differences are between the")
