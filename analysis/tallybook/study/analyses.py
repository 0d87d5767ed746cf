"""Which statistics are computed, from which outcomes and under which conventions."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field, model_validator

from tallybook.study.analysis_base import Clustered, CountedAnalysis, DerivedAnalysis
from tallybook.study.base import Declaration, FilePath, Identifier, all_faults, must_exist
from tallybook.study.score_analyses import (
    Changes,
    Combination,
    Correlation,
    Logistic,
    LogisticCurve,
    MeansCorrelation,
    ObservedShares,
    ScoreMean,
    TTest,
)

Denominator = Literal["all", "answered", "coded"]
"""All responses, those that are no refusals, or those that have a category (or label, or value)."""


class ReferenceTable(Declaration):
    """A table of known population proportions: one row a group, outcome and category.

    Its columns are those of `by`, `outcome`, `category`, `proportion` (from 0 to 1) and `source`, in words.
    """

    file: FilePath | None = None
    """A CSV file, relative to the folder of the study file (of a published study: to its bundled data)."""
    bundled: FilePath | None = None
    """Instead: a table that comes with the program, `"wang2025/reference_distributions.csv"`. Its rows of groups and
    outcomes that the study does not have are passed over."""
    by: tuple[Identifier, ...]
    """The factor columns that identify the group."""
    columns: dict[Identifier, str] = {}
    """Factor -> the column of the file that names its level, where it is called otherwise."""
    where: dict[str, str] = {}
    """Column of the file -> the value that rows must have there; others are passed over."""
    absent: Literal["error", "report"] = "error"
    """What a level of a factor is for which the table has no proportion of an outcome that is tested against it. When
    reported, its tests have the status `no-reference`."""
    tolerance: float = Field(default=0.02, ge=0, le=0.5)
    """How far from 1 the proportions of a group's categories may add up, if all of them (or more than 1) are given."""
    label: str
    """What the proportions describe, for table notes."""

    @model_validator(mode="after")
    @all_faults
    def _one_file(self) -> ReferenceTable:
        if (self.file is None) == (self.bundled is None):
            raise ValueError("exactly one of 'file' and 'bundled'")
        must_exist(self.columns, self.by, "columns", "factor of 'by'")
        return self

    @property
    def name(self) -> str:
        """The file, as messages call it."""
        return self.file or self.bundled or ""


Coefficient = Literal["tau-b", "tau-c", "gamma", "somers-d", "somers-d-yx", "somers-d-xy"]
"""Coefficients of ordinal association; see `tallybook.statistics.association.rank_association`."""


class Proportion(CountedAnalysis, Clustered):
    """The share of each category, label or refusal. With clusters, its interval is one on the log odds."""

    statistic: Literal["proportion"]
    denominator: Denominator = "all"
    """What the share is of; see `Denominator`."""
    smoothing: float = Field(default=0.0, ge=0)
    """What is added to the count of a category and to that of all others together before dividing; the interval is of
    the counts as they are."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the Wilson interval."""


class BinomialTest(CountedAnalysis):
    """Each category's share among the answered tested against a reference proportion, exactly and two-sided."""

    statistic: Literal["binomial-test"]
    reference: Identifier
    """The reference table."""
    denominator: Literal["answered", "coded"] = "coded"
    """Whether responses that are no refusals but have no category count among the tested ones."""
    method: Literal["minimum-likelihood", "doubling"] = "minimum-likelihood"
    """What counts as at least as extreme on the other side."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the Wilson interval."""


class DeviationScore(DerivedAnalysis):
    """The share of an analysis' valid tests that are significant."""

    statistic: Literal["deviation-score"]
    of: Identifier
    """The analysis whose tests are counted, within `by` and the outcome."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test counts when its p-value is below alpha."""


class StereotypeScore(CountedAnalysis):
    """How far groups differ: the mean over dimensions of the largest divergence between two groups."""

    statistic: Literal["stereotype-score"]
    between: Identifier
    """The factor whose levels are compared."""
    within: Identifier
    """The factor whose levels hold the groups that are compared with each other."""
    categories: dict[Identifier, tuple[Identifier, ...]] = {}
    """Outcome -> the categories of its distribution; all of its categories otherwise."""
    refusal: bool = True
    """Whether refusal is one of the categories."""
    epsilon: float = Field(default=1e-12, ge=0)
    """What is added to each category before dividing."""
    smoothing: Literal["counts", "proportions"] = "counts"
    """What epsilon is added to."""
    direction: Literal["forward", "both"] = "forward"
    """From the earlier to the later group only, or both ways."""
    base: float = Field(default=math.e, gt=1)
    """The base of the logarithm."""


class MostFrequent(CountedAnalysis):
    """The labels of an outcome in order of their frequency; refusals are an entry of their own."""

    statistic: Literal["most-frequent"]
    denominator: Denominator = "all"
    """What the shares are of; see `Denominator`."""
    ties: Literal["first-seen", "alphabetical"] = "first-seen"
    """Which of two equally frequent labels stands first."""


class ScoreSummary(CountedAnalysis):
    """Median, standard deviation and missing share of a score."""

    statistic: Literal["score-summary"]
    ddof: Literal[0, 1] = 0
    """0 for the population standard deviation, 1 for the sample's."""


class Count(CountedAnalysis):
    """How often each category, label or refusal occurs."""

    statistic: Literal["count"]


class RankAssociation(CountedAnalysis):
    """Whether the categories of an outcome rise with the levels of a factor: an ordinal coefficient and its test."""

    statistic: Literal["rank-association"]
    factor: Identifier
    """The factor whose levels are one variable."""
    levels: tuple[str, ...] = ()
    """Its levels, rising; by default in the factor's order. Responses with other levels do not count."""
    categories: tuple[Identifier, ...] = ()
    """The outcome's categories, rising; by default in the outcome's order. Other categories do not count."""
    uncoded: Identifier | None = None
    """The category that answers without one count as; by default they do not count."""
    coefficient: Coefficient = "tau-b"
    """Which coefficient is computed."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""


class Difference(CountedAnalysis):
    """How much more often each category occurs at one level of a factor than at another."""

    statistic: Literal["difference"]
    factor: Identifier
    """The factor whose levels are compared."""
    levels: tuple[str, str]
    """The share at the first level less the share at the second."""
    denominator: Denominator = "coded"
    """What the shares are of; see `Denominator`."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the Newcombe interval."""


class Mean(DerivedAnalysis):
    """The mean of an analysis' estimates over the factors that are left out, each estimate with the same weight."""

    statistic: Literal["mean"]
    of: Identifier
    """The analysis whose estimates are averaged."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""


class Agreement(CountedAnalysis):
    """How far an outcome agrees with a factor that codes the same responses: percent agreement and Cohen's kappa."""

    statistic: Literal["agreement"]
    factor: Identifier
    """The other coding; its levels are named as the outcome's categories."""
    levels: tuple[str, ...] = ()
    """Levels that are codes; responses with others do not count. By default those that are categories."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals."""


OfTally = (
    Proportion
    | Count
    | Difference
    | BinomialTest
    | RankAssociation
    | StereotypeScore
    | MostFrequent
    | ScoreSummary
    | Agreement
    | ScoreMean
    | TTest
    | Correlation
    | Logistic
    | ObservedShares
)
"""Analyses of the tally."""

OfAnalyses = DeviationScore | Mean | MeansCorrelation | Combination | LogisticCurve | Changes
"""Analyses of other analyses' estimates."""

Analysis = Annotated[OfTally | OfAnalyses, Field(discriminator="statistic")]
