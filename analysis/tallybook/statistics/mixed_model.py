"""Linear and logistic mixed models with random intercepts, nested or crossed, from counts: one fit for each cell."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from scipy import stats

from tallybook.statistics.estimates import each_cell, estimates_of
from tallybook.statistics.mixed_logistic import NEGLIGIBLE, Fit, LogisticData, least, logistic_fit
from tallybook.statistics.regression import coefficient_test

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.regression import Columns, Model


RESIDUAL = "residual"
VARIANCE, SHARE = "variance:", "share:"
"""The prefixes of the terms of variances, and of their shares of the total variance."""
_LEFT = 1e-12
"""The fraction of the sum of squares below which no residual variation is left."""


def mixed_models(
    counts: pl.DataFrame, by: Sequence[str], model: Model, random: Sequence[str], *, confidence: float = 0.95
) -> pl.DataFrame:
    """Fit y = X b + sum Z_k u_k + e with independent normal intercepts u_k and residuals e, in every cell, by REML.

    With s_k the deviation of u_k in units of that of e, D = diag(s), Z all indicators: L L' = D Z'Z D + I and
    R R' = X'X - X'Z D (L L')^-1 D Z'X give the deviance log |L|^2 + log |R|^2 + (n - p)(1 + log(2 pi rss / (n - p))),
    which is minimised over s >= 0 (Powell's method within bounds). A logistic model has no e: its fit is that of
    `logistic_fit` (Laplace), and the variance pi^2 / 3 of the logistic distribution takes its place in the shares.

    Args:
        counts: One row or more for each combination: `by`, the model's columns, the random ones, and `count`.
        model: The response and the predictors; linear or logistic.
        random: The columns with a random intercept for each value.

    Returns:
        Estimates, in every cell for each coefficient (t test and interval, on the smallest number of random intercepts
        less the number of coefficients), then `variance:` and each random column (its test against 0: likelihood
        ratio, restricted in linear models, half of chi-squared's tail on one degree of freedom) and, in linear models,
        `variance:residual`, then their `share:` of the sum (intraclass correlations).

        Statuses: `no-data`; `degenerate` where columns are collinear, a random column has a single value or one for
        each response, two are the same, nothing is left for residuals, or answers of a logistic model are separated.

    Source:
        Bates, D., Maechler, M., Bolker, B. & Walker, S. (2015). Journal of Statistical Software 67(1), 1-48 (the
        profiled criterion). Stram, D. O. & Lee, J. W. (1994). Biometrics 50, 1171-1177 (the test of a variance).
        Nakagawa, S. & Schielzeth, H. (2010). Biological Reviews 85, 935-956 (shares on the scale of log odds).

    >>> from tallybook.statistics.regression import Model
    >>> frame = pl.DataFrame({"item": ["a", "a", "b", "b"], "y": [1.0, 2.0, 4.0, 6.0], "count": 1})
    >>> found = mixed_models(frame, [], Model("y", "linear", (), {}), ["item"])
    >>> found.select("term", pl.col("estimate").round(4)).rows()[1:3]
    [('variance:item', 5.5), ('variance:residual', 1.25)]
    """
    columns = list(dict.fromkeys([*(one for parts in model.predictors for one in parts), model.response, *random]))
    known = counts.drop_nulls(columns).group_by([*by, *columns]).agg(pl.col("count").sum()).sort([*by, *columns])
    rows: list[dict[str, Any]] = []
    for cell, own in each_cell(counts, by, known):
        data = {name: own.get_column(name).to_numpy() for name in [*columns, "count"]}
        n = int(own.get_column("count").sum())
        rows += [{**cell, "n": n, **row} for row in _cell(data, model, random, confidence)]
    return estimates_of(rows, counts, by)


def _cell(data: Columns, model: Model, random: Sequence[str], confidence: float) -> list[dict[str, Any]]:
    """Compute the rows of the estimates of a cell."""
    parts = [*random, RESIDUAL]
    is_linear = model.family == "linear"
    method = "linear mixed model (REML)" if is_linear else "logistic mixed model (Laplace)"
    terms = [*model.shown, *variance_terms(model, random)]
    if not data["count"].size:
        return [{"term": term, "method": method, "status": "no-data"} for term in terms]
    fits = _fits(data, model, random)
    best = None if fits is None else fits.fit(list(range(len(random))))
    if fits is None or best is None:
        return [{"term": term, "method": method, "status": "degenerate"} for term in terms]
    rows: list[dict[str, Any]] = []
    df = float(min(fits.sizes) - len(best.coefficients))
    quantile = float(stats.t.ppf((1 + confidence) / 2, df))
    for term, value, error in zip(model.shown, best.coefficients, np.sqrt(np.diag(best.covariance)), strict=True):
        numbers = coefficient_test(float(value), float(error) if df > 0 else np.nan, quantile, df)
        rows.append({"term": term, "method": method, "confidence": confidence, **numbers})
    unit = best.residual if is_linear else 1.0
    variances = np.append(np.square(best.deviations) * unit, best.residual)
    for place, (name, value) in enumerate(zip(parts if is_linear else random, variances, strict=False)):
        row = {"term": f"{VARIANCE}{name}", "method": method, "estimate": float(value), "status": "ok"}
        without = None if name == RESIDUAL else fits.fit([one for one in range(len(random)) if one != place])
        if without is not None:
            ratio = max(0.0, without.deviance - best.deviance)
            log_p = float(stats.chi2.logsf(ratio, 1) + np.log(0.5)) if ratio > NEGLIGIBLE else 0.0
            row |= {"statistic": ratio, "df": 1.0, "p_value": float(np.exp(log_p)), "log_p_value": log_p}
            row |= {"null_value": 0.0}
        rows.append(row)
    for name, value in zip(parts, variances / variances.sum(), strict=True):
        rows.append({"term": f"{SHARE}{name}", "method": method, "estimate": float(value), "status": "ok"})
    return rows


class _Products(NamedTuple):
    """Sums over responses of products of indicators (z), predictors (x) and the centred response (y)."""

    sizes: list[int]
    zz: Floats
    zx: Floats
    zy: Floats
    xx: Floats
    xy: Floats
    yy: float
    n: float
    mean: float


class _Fits(NamedTuple):
    """The function that fits models to one cell, with the sizes of its random columns."""

    sizes: list[int]  # the number of intercepts of each random column
    fit: Callable[[list[int]], Fit | None]  # fits a model with these random columns; the deviations of the others are 0


def variance_terms(model: Model, random: Sequence[str]) -> list[str]:
    """List the terms of variances and of their shares."""
    variances = [*random, RESIDUAL] if model.family == "linear" else [*random]
    return [*(f"{VARIANCE}{name}" for name in variances), *(f"{SHARE}{name}" for name in (*random, RESIDUAL))]


def _fits(data: Columns, model: Model, random: Sequence[str]) -> _Fits | None:
    """Prepare the fits of a cell; None where variances or coefficients are not identified."""
    counts, x = data["count"].astype(float), model.matrix(data)
    n = float(counts.sum())
    codes = [np.unique(data[name], return_inverse=True)[1] for name in random]
    sizes = [int(code.max()) + 1 for code in codes]
    pairs = [(a, b) for place, a in enumerate(codes) for b in codes[:place]]
    same = any(len({*zip(a, b, strict=True)}) == len({*a}) == len({*b}) for a, b in pairs)
    if same or n <= x.shape[1] or np.linalg.matrix_rank(x) < x.shape[1] or any(not 1 < size < n for size in sizes):
        return None
    z = np.column_stack([np.eye(size)[code] for size, code in zip(sizes, codes, strict=True)])
    answers = data[model.response].astype(float)
    if model.family != "linear":
        rows = LogisticData(sizes, z, x, answers, counts)
        return _Fits(sizes, partial(logistic_fit, rows)) if np.ptp(answers) > 0 else None
    mean = float(counts @ answers / n)
    y = answers - mean
    weighted = z * counts[:, None]
    products = _Products(
        sizes,
        weighted.T @ z,
        weighted.T @ x,
        weighted.T @ y,
        (x * counts[:, None]).T @ x,
        x.T @ (counts * y),
        float(counts @ y**2),
        n,
        mean,
    )
    return _Fits(sizes, partial(_fit, products))


def _fit(products: _Products, kept: list[int]) -> Fit | None:
    """Minimise the deviance over the standard deviations of some random columns, with the others fixed at 0."""

    def at(own: Floats) -> Fit | None:
        deviations = np.zeros(len(products.sizes))
        deviations[kept] = own
        return _at(products, deviations)

    def deviance(own: Floats) -> float:
        fit = at(own)
        return np.inf if fit is None else fit.deviance

    if not kept:
        return at(np.zeros(0))
    bounds = [(0.0, 1e3)] * len(kept)
    found: Floats = np.ones(len(kept))
    if at(found) is None:
        return None
    found = least(deviance, found, bounds, 1e-7)
    for place in range(len(kept)):
        zero = np.where(np.arange(len(kept)) == place, 0.0, found)
        found = zero if deviance(zero) <= deviance(found) + NEGLIGIBLE else found
    return at(found)


def _at(products: _Products, deviations: Floats) -> Fit | None:
    """Compute the fit at given standard deviations of the random intercepts."""
    scale = np.repeat(deviations, products.sizes)
    p, sides = products.xx.shape[0], np.column_stack([products.zx, products.zy]) * scale[:, None]
    matrix = scale[:, None] * products.zz * scale + np.eye(scale.size)
    explained: Floats = sides.T @ np.linalg.solve(matrix, sides)  # not scipy's solve_triangular, in which threads wait
    inner = products.xx - explained[:p, :p]
    right = products.xy - explained[:p, p]
    try:
        diagonals = [np.diag(np.linalg.cholesky(one)) for one in (matrix, inner)]
    except np.linalg.LinAlgError:
        return None
    coefficients = np.linalg.solve(inner, right)
    squares = float(products.yy - explained[p, p] - coefficients @ right)
    df = products.n - p
    if squares <= _LEFT * products.yy:
        return None
    residual = squares / df
    logs = 2 * sum(float(np.log(one).sum()) for one in diagonals)
    deviance = logs + df * (1 + float(np.log(2 * np.pi * residual)))
    coefficients = coefficients + np.eye(p)[0] * products.mean
    return Fit(coefficients, residual * np.linalg.inv(inner), deviations, residual, deviance)
