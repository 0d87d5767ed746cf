"""Logistic regressions of categories on scores, from tallies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from analysis.statistics.logistic.curve import fitted_probabilities
from analysis.statistics.logistic.regression import logistic_regression

if TYPE_CHECKING:
    from collections.abc import Sequence

    from analysis.statistics.logistic.fit import Estimator

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
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Regress the log odds of a category on scores, among the responses that have a category and all scores.

    Args:
        tally: A tally in which the outcomes keep the scores beside them.
        by: The factors whose combinations are the cells.
        outcomes: The outcomes, each with the category.
        category: The category whose log odds are regressed.
        predictors: The scores.
        estimator: Maximum likelihood, or Firth's penalised one.
        confidence: The level of the intervals.

    Returns:
        Estimates: see `logistic_regression`.
    """
    found = logistic_regression(
        _answers(tally, outcomes, category),
        [*by, _OUTCOME],
        predictors,
        outcome=_IS_CATEGORY,
        estimator=estimator,
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
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The fitted curves of regressions on one score, from its smallest to its largest value in all cells.

    Args:
        tally: A tally in which the outcomes keep the score beside them.
        by: The factors whose combinations are the cells.
        outcomes: The outcomes, each with the category.
        category: The category whose probability is fitted.
        predictor: The score.
        points: At how many values.
        estimator: Maximum likelihood, or Firth's penalised one.
        confidence: The level of the band, at each point.

    Returns:
        Estimates: `fitted_probabilities`, with the score's value as `statistic` and in the term, `at VALUE`.
    """
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
        confidence=confidence,
    )
    return found.with_columns(
        pl.col(_OUTCOME).alias("outcome"),
        pl.col(predictor).alias("statistic"),
        pl.format("at {}", predictor).alias("term"),
    ).drop(_OUTCOME, predictor)


def _answers(tally: pl.DataFrame, outcomes: Sequence[str], category: str) -> pl.DataFrame:
    """Counts of responses that have a category, and whether it is the one."""
    coded = tally.filter(pl.col("outcome").is_in(list(outcomes)) & (pl.col("status") == "ok"))
    return coded.with_columns((pl.col("category") == category).cast(pl.Int8).alias(_IS_CATEGORY)).rename(
        {"outcome": _OUTCOME}
    )
