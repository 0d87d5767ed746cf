"""Logistic regressions of categories on scores, from tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.logistic.curve import fitted_probabilities
from tallybook.statistics.logistic.regression import logistic_regression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.statistics.logistic.cluster_covariance import ClusterCorrection
    from tallybook.statistics.logistic.fit import Estimator

# Columns that no tally has.
_OUTCOME, _IS_CATEGORY = "outcome of the cell", "is the category"


def outcome_regressions(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    category: str,
    predictors: Sequence[str],
    *,
    estimator: Estimator = "maximum-likelihood",
    cluster: str | None = None,
    correction: ClusterCorrection = "jackknife",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Regress the log odds of a category on scores, among the responses that have a category and all scores."""
    found = logistic_regression(
        _answers(tally, outcomes, category),
        [*by, _OUTCOME],
        predictors,
        outcome=_IS_CATEGORY,
        estimator=estimator,
        cluster=cluster,
        correction=correction,
        confidence=confidence,
    )
    return found.with_columns(pl.col(_OUTCOME).alias("outcome")).drop(_OUTCOME)


def outcome_curves(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    category: str,
    predictor: str,
    *,
    points: int = 101,
    estimator: Estimator = "maximum-likelihood",
    cluster: str | None = None,
    correction: ClusterCorrection = "jackknife",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The fitted curves of regressions on one score, from its smallest to its largest value in all cells."""
    answers = _answers(tally, outcomes, category)
    values = answers.get_column(predictor).drop_nulls().to_numpy()
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    at = pl.DataFrame({predictor: np.linspace(low, high, points)})
    found = fitted_probabilities(
        answers,
        [*by, _OUTCOME],
        [predictor],
        at,
        outcome=_IS_CATEGORY,
        estimator=estimator,
        cluster=cluster,
        correction=correction,
        confidence=confidence,
    )
    return found.with_columns(
        pl.col(_OUTCOME).alias("outcome"),
        pl.col(predictor).alias("statistic"),
        pl.format("at {}", predictor).alias("term"),
    ).drop(_OUTCOME, predictor)


def observed_shares(
    tally: pl.DataFrame, by: Sequence[str], outcomes: Sequence[str], category: str, score: str
) -> pl.DataFrame:
    """The share of a category at every value of a score: what a regression on the score is fitted to."""
    cells = [*by, _OUTCOME, score]
    shares = (
        _answers(tally, outcomes, category)
        .filter(pl.col(score).is_not_null())
        .group_by(cells)
        .agg(pl.col("count").sum().alias("n"), (pl.col("count") * pl.col(_IS_CATEGORY)).sum().alias("of"))
        .sort(cells)
        .with_columns(
            (pl.col("of") / pl.col("n")).alias("estimate"),
            pl.col(_OUTCOME).alias("outcome"),
            pl.col(score).alias("statistic"),
            pl.format("at {}", score).alias("term"),
            pl.lit("observed share").alias("method"),
        )
    )
    return as_estimates(shares, by)


def _answers(tally: pl.DataFrame, outcomes: Sequence[str], category: str) -> pl.DataFrame:
    """Counts of responses that have a category, and whether it is the one."""
    coded = tally.filter(pl.col("outcome").is_in(list(outcomes)) & (pl.col("status") == "ok"))
    return coded.with_columns((pl.col("category") == category).cast(pl.Int8).alias(_IS_CATEGORY)).rename(
        {"outcome": _OUTCOME}
    )
