"""Analyses of scores: means and their tests, correlations, regressions, and what is made of their estimates."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from tallybook.study.analysis_base import Clustered, CountedAnalysis, DerivedAnalysis
from tallybook.study.base import Declaration, FilePath, Identifier


class SummaryTable(Declaration):
    """Means of cells that nobody can compute again: read from a publication's tables or figures, a row a cell."""

    file: FilePath
    """A CSV file, relative to the folder of the study file (of a published study: to its bundled data)."""
    by: tuple[Identifier, ...]
    """The factor columns that identify a cell."""
    outcome: Identifier
    """The score they are means of."""
    n: str = "n"
    """The column of the number of responses."""
    mean: str = "mean"
    """The column of the mean."""
    ci_low: str = "ci_low"
    """The column of the lower end of the mean's interval."""
    ci_high: str = "ci_high"
    """The column of its upper end."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval. The standard error is its width by that of a standard normal one."""
    label: str
    """Where the means come from, for table notes."""


class _OfScores(CountedAnalysis, Clustered):
    uncoded: float | None = None
    """The value that responses without one count as, refusals included; by default they do not count."""
    summaries: Identifier | None = None
    """The table of means that it is computed from, instead of responses."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""


class ScoreMean(_OfScores):
    """The mean of a score with an interval."""

    statistic: Literal["score-mean"]
    interval: Literal["t", "normal", "percentile", "basic", "bca", "given"] = "t"
    """Student's, the normal one, a bootstrap one, or that of the table of means."""


class TTest(_OfScores):
    """The mean of a score tested against a value by a t test, two-sided, with Cohen's d."""

    statistic: Literal["t-test"]
    null_value: float = 0.0
    """The mean under the null hypothesis."""


class Correlation(CountedAnalysis):
    """The correlation of every pair of scores, response by response: a term for each other score, and for itself."""

    statistic: Literal["correlation"]
    method: Literal["pearson", "spearman"] = "pearson"
    """Of the numbers, or of their ranks."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""


class Logistic(CountedAnalysis, Clustered):
    """A logistic regression of one category of an outcome, among those that have a category, on scores kept beside."""

    statistic: Literal["logistic"]
    category: Identifier
    """The category whose log odds are regressed."""
    predictors: tuple[Identifier, ...] = Field(min_length=1)
    """The scores they are regressed on; the outcome keeps them beside it."""
    estimator: Literal["maximum-likelihood", "firth"] = "maximum-likelihood"
    """Firth's penalised likelihood has estimates where data are separated, too."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the intervals."""


class ObservedShares(CountedAnalysis):
    """The share of one category, among those that have a category, at each value of a score kept beside it."""

    statistic: Literal["observed-shares"]
    category: Identifier
    """The category."""
    score: Identifier
    """The score; the outcome keeps it beside it."""


class LogisticCurve(DerivedAnalysis):
    """The fitted curve of a logistic regression on one score, with its band: what a figure shows."""

    statistic: Literal["logistic-curve"]
    of: Identifier
    """The regression; the curve has its cells."""
    points: int = Field(default=101, ge=2, le=10_001)
    """At how many values of the predictor, from its smallest to its largest in the data."""


class MeansCorrelation(DerivedAnalysis):
    """The correlation of every pair of scores over cells: of the estimates of an analysis of their means."""

    statistic: Literal["correlation-of-means"]
    of: Identifier
    """The analysis of means; over its cells within `by` the correlation is taken."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""


class Combination(DerivedAnalysis):
    """A weighted sum of the estimates of an analysis at several levels of a factor."""

    statistic: Literal["combination"]
    of: Identifier
    """The analysis."""
    factor: Identifier
    """The factor whose levels are combined."""
    weights: dict[str, float] = Field(min_length=1)
    """Level -> its weight."""
    constant: float = 0.0
    """What is added to the sum."""
    confidence: float = Field(default=0.95, gt=0, lt=1)
    """The level of the interval."""


class Changes(DerivedAnalysis):
    """How estimates and the conclusions from their tests change from one analysis to another of the same cells."""

    statistic: Literal["changes"]
    of: Identifier
    """The analysis of tests."""
    to: Identifier
    """The analysis that it is compared with, cell by cell."""
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test rejects when its p-value is below alpha. A conclusion is that it does not, or that it does and on which
    side of the null value the estimate lies."""
