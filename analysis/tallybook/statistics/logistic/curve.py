"""Fitted curves of logistic regressions, with confidence bands, for figures."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import expit

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.logistic.cells import fit_cells, normal_quantile
from tallybook.statistics.tails import critical_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.logistic.cells import CellFits
    from tallybook.statistics.logistic.cluster_covariance import ClusterCorrection
    from tallybook.statistics.logistic.design import Floats
    from tallybook.statistics.logistic.fit import Estimator

_CELL = "position of the cell"
_POINT = "position of the point"


def fitted_probabilities(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    at: pl.DataFrame,
    *,
    outcome: str | tuple[str, str],
    estimator: Estimator = "maximum-likelihood",
    cluster: str | None = None,
    correction: ClusterCorrection = "clusters-and-terms",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The fitted probability of a one at given predictor values, in every cell.

    With eta = x'b and se its standard error, sqrt(x'Vx): p = 1 / (1 + exp(-eta)), and the pointwise Wald band
    1 / (1 + exp(-(eta ± z se))), which never leaves [0, 1]. R: predict(type = "link", se.fit = TRUE).

    Returns:
        Estimates whose factors are `by` and the predictors, with term `fitted`: cell after cell, the points in their
        own order. std_error is p (1 - p) se (delta method), n the cell's number of responses. A cell without fit has
        its status and no numbers.
    """
    points = _checked_points(at, by, predictors)
    cells = fit_cells(
        frame, by, predictors, outcome=outcome, estimator=estimator, cluster=cluster, correction=correction
    )
    positions = pl.Series(_CELL, np.arange(cells.n.size, dtype=np.int64))
    known = pl.DataFrame([*cells.cells.get_columns(), positions])
    shared = [name for name in by if name in points.columns]
    joined = known.join(points, on=shared, nulls_equal=True) if shared else known.join(points, how="cross")
    # The join promises no order of its own; cells come sorted, and points in theirs.
    joined = joined.sort([*by, _POINT])
    place = joined.get_column(_CELL).to_numpy()
    quantile = normal_quantile(confidence)
    if cells.clusters is not None:
        quantile = critical_value((1.0 - confidence) / 2.0, cells.scattered(cells.clusters)[place] - 1.0)
    eta, error = _predicted(cells, place, joined.select(predictors).to_numpy())
    probability = expit(eta)
    numbers = {
        "estimate": probability,
        "std_error": probability * expit(-eta) * error,
        "ci_low": expit(eta - quantile * error),
        "ci_high": expit(eta + quantile * error),
    }
    lacking = np.isnan(error) & (cells.status[place] == "ok")
    caveats = pl.Series(cells.caveats, dtype=pl.String)[place]
    result = joined.with_columns(
        pl.Series("n", cells.n[place]),
        pl.Series("status", np.where(lacking, "degenerate", cells.status[place])),
        *(pl.Series(name, values) for name, values in numbers.items()),
        pl.lit("").alias("outcome"),
        pl.lit("fitted").alias("term"),
        pl.lit(confidence).alias("confidence"),
        (f"{cells.description}{cells.errors}, Wald band on the log odds" + caveats).alias("method"),
    )
    return as_estimates(result, [*by, *predictors])


def _checked_points(at: pl.DataFrame, by: Sequence[str], predictors: Sequence[str]) -> pl.DataFrame:
    """The points with their positions, all of them finite."""
    missing = [name for name in predictors if name not in at.columns]
    if missing:
        raise ValueError(f"the points have no column {missing[0]!r}: expected {', '.join(predictors)}")
    wanted = [name for name in at.columns if name in {*by, *predictors}]
    points = at.select(wanted).with_columns(pl.col(list(predictors)).cast(pl.Float64)).with_row_index(_POINT)
    wrong = points.filter(~pl.all_horizontal(pl.lit(value=True), *(_is_finite(name) for name in predictors)))
    if wrong.height:
        raise ValueError(f"point {wrong[_POINT][0]} is not finite")
    return points


def _is_finite(name: str) -> pl.Expr:
    return pl.col(name).is_finite().fill_null(value=False)


def _predicted(cells: CellFits, place: NDArray[np.int64], values: Floats) -> tuple[Floats, Floats]:
    """The linear predictor of points and its standard error, NaN where the cell has no fit."""
    basis = cells.fits.basis
    distance = np.column_stack([np.ones(place.size), values]) - cells.scattered(cells.anchors)[place]
    first = cells.scattered(basis.design.columns[:, basis.design.starts].T)[place]
    here = first + np.einsum("pt,ptk->pk", distance, cells.scattered(basis.transform)[place])
    eta = np.einsum("pk,pk->p", here, cells.scattered(cells.fits.summit.coordinates)[place])
    variance = np.einsum("pk,pkl,pl->p", here, cells.scattered(cells.covariance)[place], here)
    return eta, np.sqrt(variance)
