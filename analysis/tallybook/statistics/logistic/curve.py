"""Logistic regressions of categories on scores, from tallies, with fitted curves and observed shares for figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import expit

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.logistic.cells import fit_cells
from tallybook.statistics.logistic.fit import Fit
from tallybook.statistics.logistic.regression import logistic_regression
from tallybook.statistics.tails import critical_value, normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Unpack

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.logistic.cells import Cell, Settings


def fitted_probabilities(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    at: pl.DataFrame,
    *,
    outcome: str | tuple[str, str],
    confidence: float = 0.95,
    **settings: Unpack[Settings],
) -> pl.DataFrame:
    """Compute the fitted probability of a success at given predictor values, in every cell.

    With eta = x'b and se its standard error, sqrt(x'Vx): p = 1 / (1 + exp(-eta)), and the pointwise Wald band
    1 / (1 + exp(-(eta ± z se))), which never leaves [0, 1]. R: predict(type = "link", se.fit = TRUE).

    Returns:
        Estimates whose factors are `by` and the predictors, with term `fitted`: sorted by cell, with the points in the
        given order. std_error is p (1 - p) se (delta method), n the cell's number of responses. A cell without a fit
        has only its status.
    """
    points = at.select(pl.col(list(predictors)).cast(pl.Float64))
    parts = [
        _band(cell, points, predictors, confidence).with_columns(
            pl.lit(value, frame.schema[name]).alias(name) for name, value in cell.key.items()
        )
        for cell in fit_cells(frame, by, predictors, outcome=outcome, **settings)
    ]
    columns = dict.fromkeys(by, pl.String()) | dict.fromkeys(predictors, pl.Float64())
    return as_estimates(pl.concat(parts) if parts else pl.DataFrame(schema=columns), [*by, *predictors])


def _band(cell: Cell, points: pl.DataFrame, predictors: Sequence[str], confidence: float) -> pl.DataFrame:
    """Compute the fitted probabilities of a cell at given points, with their Wald band."""
    quantile = normal_quantile(confidence)
    if cell.clusters is not None:
        quantile = float(critical_value((1.0 - confidence) / 2.0, cell.clusters - 1.0))
    eta, error = np.full((2, points.height), np.nan)
    if isinstance(cell.fit, Fit):
        eta, error = _predicted(cell, cell.fit, points.select(predictors).to_numpy())
    status = cell.fit if isinstance(cell.fit, str) else "degenerate" if np.isnan(error).any() else "ok"
    probability = expit(eta)
    numbers = {
        "estimate": probability,
        "std_error": probability * expit(-eta) * error,
        "ci_low": expit(eta - quantile * error),
        "ci_high": expit(eta + quantile * error),
    }
    return points.with_columns(
        *(pl.Series(name, values) for name, values in numbers.items()),
        pl.lit(cell.n).alias("n"),
        pl.lit(status).alias("status"),
        pl.lit("fitted").alias("term"),
        pl.lit(confidence).alias("confidence"),
        pl.lit(f"{cell.method}{cell.errors}, Wald band on the log odds{cell.caveat}").alias("method"),
    )


def _predicted(cell: Cell, fit: Fit, values: Floats) -> tuple[Floats, Floats]:
    """Compute the linear predictor at given points and its standard error."""
    distance = np.column_stack([np.ones(len(values)), values]) - cell.anchor
    here = fit.design.columns[:, 0] + np.einsum("pt,tk->pk", distance, fit.design.transform)
    eta = np.einsum("pk,k->p", here, fit.summit.coordinates)
    return eta, np.sqrt(np.einsum("pk,kl,pl->p", here, cell.covariance, here))


# A column name that no tally uses.
_IS_CATEGORY = "is the category"


def outcome_regressions(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    category: str,
    predictors: Sequence[str],
    *,
    confidence: float = 0.95,
    **settings: Unpack[Settings],
) -> pl.DataFrame:
    """Regress the log odds of a category on scores, over the responses that have a category and all scores."""
    answers = _answers(tally, outcomes, category)
    return logistic_regression(
        answers, [*by, "outcome"], predictors, outcome=_IS_CATEGORY, confidence=confidence, **settings
    )


def outcome_curves(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    category: str,
    predictor: str,
    *,
    points: int = 101,
    confidence: float = 0.95,
    **settings: Unpack[Settings],
) -> pl.DataFrame:
    """Compute the fitted curves of regressions on one score, from its smallest to its largest value in all cells."""
    answers = _answers(tally, outcomes, category)
    values = answers.get_column(predictor).drop_nulls().to_numpy()
    low, high = (values.min(), values.max()) if values.size else (0.0, 1.0)
    at = pl.DataFrame({predictor: np.linspace(low, high, points)})
    found = fitted_probabilities(
        answers, [*by, "outcome"], [predictor], at, outcome=_IS_CATEGORY, confidence=confidence, **settings
    )
    return found.with_columns(pl.col(predictor).alias("statistic"), pl.format("at {}", predictor).alias("term")).drop(
        predictor
    )


def observed_shares(
    tally: pl.DataFrame, by: Sequence[str], outcomes: Sequence[str], category: str, score: str
) -> pl.DataFrame:
    """Compute the share of a category at every value of a score, for comparison with a fitted curve."""
    cells = [*by, "outcome", score]
    shares = (
        _answers(tally, outcomes, category)
        .filter(pl.col(score).is_not_null())
        .group_by(cells)
        .agg(pl.col("count").sum().alias("n"), (pl.col("count") * pl.col(_IS_CATEGORY)).sum().alias("of"))
        .sort(cells)
        .with_columns(
            (pl.col("of") / pl.col("n")).alias("estimate"),
            pl.col(score).alias("statistic"),
            pl.format("at {}", score).alias("term"),
            pl.lit("observed share").alias("method"),
        )
    )
    return as_estimates(shares, by)


def _answers(tally: pl.DataFrame, outcomes: Sequence[str], category: str) -> pl.DataFrame:
    """Return the counts of coded responses, with an indicator of the category."""
    coded = tally.filter(pl.col("outcome").is_in(list(outcomes)) & (pl.col("status") == "ok"))
    return coded.with_columns((pl.col("category") == category).cast(pl.Int8).alias(_IS_CATEGORY))
