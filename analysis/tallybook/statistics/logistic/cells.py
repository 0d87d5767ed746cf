"""Logistic regression in every cell of a frame: the status of each cell, its fit and its clustered covariance."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, TypedDict, get_args

import numpy as np
import polars as pl
from scipy.special import expit

from tallybook.statistics.estimates import counted, each_cell
from tallybook.statistics.logistic.fit import NEAR, Estimator, Fit, fit_logit

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Floats

ClusterCorrection: TypeAlias = Literal["clusters-and-terms", "jackknife"]


class Settings(TypedDict, total=False):
    """Settings of a regression; see `logistic_regression`."""

    estimator: Estimator
    cluster: str | None
    correction: ClusterCorrection


INTERCEPT = "Intercept"
_COUNTS = ("successes", "failures")
_FLAG = "is_success"
_NOTHING = 1e-12
"""A variance below this fraction of the model-based one is rounding error: no cluster changes the coefficient."""
_STEPS, _ENOUGH, _REGULAR = 12, 1e-8, 1e-6
"""The most steps without each cluster, the last one's size, and the least information; other fits start anew."""
_LOWER = "; this maximum is the one reached from 0, another is higher"
_ESTIMATORS: dict[Estimator, str] = {
    "maximum-likelihood": "maximum likelihood",
    "firth": "Firth's penalized likelihood",
}
_CORRECTIONS: dict[ClusterCorrection, str] = {
    "clusters-and-terms": "factor G/(G-1) (n-1)/(n-k)",
    "jackknife": "by leaving out one at a time",
}


class Cell(NamedTuple):
    """A cell and its fit."""

    key: dict[str, Any]
    n: int  # the number of responses
    fit: Fit | str  # the fit, or the status if there is none
    covariance: Floats  # of the fit's coordinates; NaN where there is none
    anchor: Floats  # the terms' values in the first row
    clusters: int | None  # the number of clusters; None if standard errors treat responses as independent
    method: str  # the estimator
    errors: str  # how standard errors are clustered, after a comma; empty if they are not
    caveat: str  # a caveat that is appended to `method`


def fit_cells(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    *,
    outcome: str | tuple[str, str],
    estimator: Estimator = "maximum-likelihood",
    cluster: str | None = None,
    correction: ClusterCorrection = "clusters-and-terms",
) -> list[Cell]:
    """Fit every cell, in their order; see `logistic_regression` for the arguments and errors."""
    if estimator not in get_args(Estimator):
        raise ValueError(f"estimator is {estimator!r}: expected one of {', '.join(get_args(Estimator))}")
    if correction not in get_args(ClusterCorrection):
        raise ValueError(f"correction is {correction!r}: expected one of {', '.join(get_args(ClusterCorrection))}")
    if cluster is not None and estimator == "firth":
        raise ValueError("a cluster-robust covariance needs maximum likelihood: Firth's fit has no published one")
    rows = grouped_rows(frame, by, predictors, outcome, cluster)
    found: list[Cell] = []
    for key, own in each_cell(frame, by, rows):
        columns = np.array([np.ones(own.height), *(own[name].to_numpy() for name in predictors)], np.float64)
        successes, failures = (own[name].to_numpy() for name in _COUNTS)
        fit = fit_logit(columns, successes, failures, estimator) if own.height else "no-data"
        number, errors, covariance = None, "", np.full((len(columns), len(columns)), np.nan)
        if cluster is not None and isinstance(fit, Fit):
            groups, at = np.unique(own[cluster].to_numpy(), return_inverse=True)
            number, errors = groups.size, f", standard errors clustered by {cluster} ({_CORRECTIONS[correction]})"
            covariance = _jackknifed(fit, own, predictors, at) if correction == "jackknife" else sandwich(fit, at)
        elif isinstance(fit, Fit):
            covariance = fit.inverse_information
        found.append(
            Cell(
                key,
                int(successes.sum() + failures.sum()),
                fit,
                covariance,
                columns[:, 0] if own.height else columns.sum(axis=1),
                number,
                f"logistic regression, {_ESTIMATORS[estimator]}",
                errors,
                _LOWER if isinstance(fit, Fit) and fit.lower else "",
            )
        )
    return found


def sandwich(fit: Fit, clusters: NDArray[np.intp]) -> Floats:
    """Compute the sandwich covariance I^-1 (sum over clusters u u') I^-1, times a small-sample factor.

    u is a cluster's sum of (y - p) x. The sum is statsmodels' `S_crosssection`, whose own factors count rows, not
    responses. With G clusters, n responses and k terms the factor is G/(G-1) (n-1)/(n-k), as statsmodels'
    cov_type="cluster", Stata's regress and R's sandwich::vcovCL(type = "HC1").

    References:
        Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika,
        73, 13-22.
        Cameron, A. C. & Miller, D. L. (2015). A practitioner's guide to cluster-robust inference. Journal of Human
        Resources, 50, 317-372.
    """
    from statsmodels.stats import sandwich_covariance

    design, eta = fit.design, fit.summit.linear_predictor
    residual = design.successes * expit(-eta) - design.failures * expit(eta)
    meat = np.asarray(sandwich_covariance.S_crosssection((residual * design.columns).T, clusters), np.float64)
    bread, number, n, k = fit.inverse_information, clusters.max() + 1.0, np.sum(design.trials), len(design.columns)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = number / (number - 1.0) * (n - 1.0) / (n - k) if number > 1 else np.nan
        return _known(fit, bread @ meat @ bread * factor)


def _jackknifed(fit: Fit, rows: pl.DataFrame, predictors: Sequence[str], clusters: NDArray[np.intp]) -> Floats:
    """Compute the jackknife covariance over clusters (CV3), by Newton's method without each cluster, all at once."""
    number, design, whole = int(clusters.max()) + 1, fit.design, fit.summit.coordinates
    table = np.column_stack([np.ones(rows.height), rows.select(predictors).to_numpy()])
    values, first, at = np.unique(table, axis=0, return_index=True, return_inverse=True)
    counts = np.zeros((2, number, len(values)))  # of each cluster at each combination of predictors
    for own, name in zip(counts, _COUNTS, strict=True):
        np.add.at(own, (clusters, at.ravel()), rows[name].to_numpy())
    ones, zeros = counts.sum(axis=1, keepdims=True) - counts
    columns, off = design.columns[:, first], np.zeros((number, whole.size))
    squares = np.einsum("kv,lv->vkl", columns, columns)
    eta = information = length = np.empty(0)
    for _ in range(_STEPS):
        eta = (whole + off) @ columns
        score = (ones * expit(-eta) - zeros * expit(eta)) @ columns.T
        information = np.tensordot((ones + zeros) * expit(eta) * expit(-eta), squares, axes=1)
        step = np.einsum("gkl,gl->gk", np.linalg.pinv(information, hermitian=True), score).clip(-NEAR, NEAR)
        off += step
        length = np.abs(step @ columns).max(axis=1)
        if (length < _ENOUGH).all():
            break
    regular = np.linalg.eigvalsh(information)[:, 0] > _REGULAR
    for place in np.flatnonzero(~regular | (length > _ENOUGH) | (np.abs(eta).max(axis=1) > NEAR)):
        kept = (ones + zeros)[place] > 0
        again = fit_logit(values[kept].T, ones[place, kept], zeros[place, kept], "maximum-likelihood")
        found = again.coefficients - fit.coefficients if isinstance(again, Fit) else np.full(whole.size, np.nan)
        off[place] = np.linalg.solve(design.transform, found)
    factor = (number - 1.0) / number if number > 1 else np.nan
    return _known(fit, off.T @ off * factor)


def _known(fit: Fit, covariance: Floats) -> Floats:
    """Replace the covariance by NaN if a variance is only rounding error."""
    own, found = (np.diagonal(fit.design.covariance(one)) for one in (fit.inverse_information, covariance))
    return covariance if (found > _NOTHING * own).all() else np.full_like(covariance, np.nan)


def grouped_rows(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    outcome: str | tuple[str, str],
    cluster: str | None = None,
) -> pl.DataFrame:
    """Sum successes and failures over each distinct combination of cell, cluster and predictor values."""
    values = [*([] if cluster is None else [cluster]), *predictors]
    key = [*by, *values]
    named = [*key, *((outcome,) if isinstance(outcome, str) else outcome)]
    reserved = (*_COUNTS, _FLAG, "count")
    if len(set(named)) < len(named) or set(key) & set(reserved) or outcome == "count":
        raise ValueError(f"columns {named}: expected different ones, no key or predictor named {', '.join(reserved)}")
    missing = [name for name in named if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join(named)}")
    for name in predictors:
        if not (frame.schema[name].is_numeric() or frame.schema[name] == pl.Boolean):
            raise ValueError(f"predictor {name!r} is {frame.schema[name]}: expected numbers")
    if isinstance(outcome, str):
        counts = counted(frame, by, [*values, outcome])
        ones = _is_one(counts, outcome)
    else:
        parts = [
            counted(frame.select(*key, pl.col(name).alias("count"), pl.lit(flag).alias(_FLAG)), by, [*values, _FLAG])
            for name, flag in zip(outcome, (True, False), strict=True)
        ]
        counts, ones = pl.concat(parts), pl.col(_FLAG)
    sums = [
        pl.col("count").filter(which).sum().cast(pl.Float64).alias(name)
        for name, which in zip(_COUNTS, (ones, ~ones), strict=True)
    ]
    floats = counts.with_columns(pl.col(list(predictors)).cast(pl.Float64))
    if not key:
        return floats.select(sums).head(floats.height)
    return floats.group_by(key).agg(sums).sort(key)


def _is_one(counts: pl.DataFrame, outcome: str) -> pl.Expr:
    """Return the expression for whether the outcome is 1; raise a ValueError for other values than 0 and 1."""
    kind = counts.schema[outcome]
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise ValueError(f"outcome {outcome!r} is {kind}: expected 0 and 1")
    value = pl.col(outcome).cast(pl.Float64)
    wrong = counts.filter(~value.is_in([0.0, 1.0]))
    if wrong.height:
        raise ValueError(f"outcome {outcome!r} is {wrong[outcome][0]}: expected 0 or 1")
    return value == 1.0
