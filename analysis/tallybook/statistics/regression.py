"""Generalised linear regressions of answers on factors, numeric predictors and their products, from counts."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy import stats
from scipy.special import expit

from tallybook.statistics.estimates import each_cell, estimates_of
from tallybook.statistics.ordinal import proportional_odds
from tallybook.statistics.tails import log_p_value
from tallybook_schemas.vocabulary import MARGIN, WALD

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Floats
    from tallybook_schemas.vocabulary import StandardError

    Columns: TypeAlias = Mapping[str, NDArray[Any]]

Family: TypeAlias = Literal["linear", "logistic", "ordinal", "poisson", "quasi-poisson"]
Predictor: TypeAlias = tuple[str, ...]
"""A predictor: one column, or the columns of a product."""

INTERCEPT = "Intercept"
FARTHEST = 17.0
"""The limit of linear predictors: beyond it (a probability below 4e-8) they diverge, since the data are separated."""
_RATIOS: dict[Family, str] = {
    "logistic": "odds_ratio",
    "ordinal": "odds_ratio",
    "poisson": "rate_ratio",
    "quasi-poisson": "rate_ratio",
}


@dataclass(frozen=True)
class Model:
    """The response and the predictors of a regression."""

    response: str  # the numeric column that is regressed; 0 or 1 in a logistic regression
    family: Family  # the distribution of the answers, with its canonical link
    predictors: tuple[Predictor, ...]
    # column -> its levels, the reference first; a column without levels is numeric
    levels: Mapping[str, tuple[str, ...]]
    fixed: tuple[str, ...] = ()  # columns with a separate intercept for each value; these are not reported

    def names(self, predictor: Predictor) -> list[str]:
        """List the coefficients of a predictor: `age`, `group=women`, `group=women:job=nurse`."""
        parts = [
            [f"{one}={level}" for level in self.levels[one][1:]] if one in self.levels else [one] for one in predictor
        ]
        return [":".join(names) for names in product(*parts)]

    @property
    def shown(self) -> list[str]:
        """The reported coefficients: without those of fixed effects and the thresholds of ordinal models."""
        intercept = [] if self.family == "ordinal" else [INTERCEPT]
        return [*intercept, *(name for predictor in self.predictors for name in self.names(predictor))]

    def matrix(self, data: Columns) -> Floats:
        """Build the design matrix, rows x coefficients: the intercept, the predictors, the fixed effects."""
        size = len(next(iter(data.values())))
        columns = [np.ones(size)]
        for predictor in self.predictors:
            parts = [
                [(data[one] == level).astype(float) for level in self.levels[one][1:]]
                if one in self.levels
                else [data[one].astype(float)]
                for one in predictor
            ]
            columns += [np.prod(factors, axis=0) for factors in product(*parts)]
        columns += [(data[one] == level).astype(float) for one in self.fixed for level in np.unique(data[one])[1:]]
        return np.column_stack(columns)

    @property
    def margins(self) -> list[str]:
        """The coefficients with an average marginal effect that differs from the coefficient."""
        is_plain = self.family == "linear" and all(len(predictor) == 1 for predictor in self.predictors)
        return (
            []
            if is_plain or self.family == "ordinal"
            else [name for one in self.predictors if len(one) == 1 for name in self.names(one)]
        )

    def mean(self, predictor: Floats) -> Floats:
        """Compute the mean responses, given the linear predictor."""
        if self.family == "linear":
            return predictor
        return expit(predictor) if self.family == "logistic" else np.exp(predictor)

    def slope(self, predictor: Floats) -> Floats:
        """Compute the derivative of the means by the linear predictor."""
        mean = self.mean(predictor)
        return np.ones_like(mean) if self.family == "linear" else mean * (1.0 - mean * (self.family == "logistic"))

    def changes(self, data: Columns, coefficients: Floats) -> Floats:
        """Compute the average marginal effect of each single predictor."""
        weights, changes = data["count"] / data["count"].sum(), np.zeros(len(self.margins))
        for place, margin in enumerate(self.margins):
            name, _, level = margin.partition("=")
            if name in self.levels:
                at: list[Columns] = [
                    {**data, name: np.full(weights.size, value)} for value in (level, self.levels[name][0])
                ]
                means = [self.mean(self.matrix(one) @ coefficients) for one in at]
                changes[place] = weights @ (means[0] - means[1])
            else:
                predictor = self.matrix(data) @ coefficients
                rate = self.matrix({**data, name: data[name] + 1.0}) @ coefficients - predictor
                changes[place] = weights @ (self.slope(predictor) * rate)
        return changes

    def reported(self, data: Columns, coefficients: Floats) -> Floats:
        """Return the reported coefficients, followed by the average marginal effects."""
        return np.concatenate([coefficients[: len(self.shown)], self.changes(data, coefficients)])


class _Fit(NamedTuple):
    """The result of a fit."""

    coefficients: Floats  # those of the fixed effects come last
    covariance: Floats  # the model-based covariance of the coefficients
    df: float  # the degrees of freedom of the tests
    # the score (derivatives of the log-likelihood) of each row, rows x coefficients; None for ordinal models
    scores: Floats | None = None


def regressions(
    counts: pl.DataFrame,
    by: Sequence[str],
    model: Model,
    *,
    cluster: str | None = None,
    confidence: float = 0.95,
    kind: StandardError = "CV3",
) -> pl.DataFrame:
    """Regress answers on factors, numbers and their products, in every cell.

    g(E y) = b_0 + sum b_j x_j, by statsmodels' GLM on the counts of equal rows: g the identity (linear), the log odds
    (logistic; y is 0 or 1) or the logarithm (poisson, quasi-poisson). ordinal: proportional odds of higher scores, the
    thresholds not shown (`proportional_odds`). Factors are coded against their first level.

    Args:
        counts: One row or more for each combination: `by`, the model's columns, `count` (how many responses) and the
            cluster. Rows with a null in one of these are not observations.
        model: The response and the predictors.
        cluster: The column whose values are independent of each other. The model is refitted without each of the G
            clusters: V = (G-1)/G sum (b_g - b)(b_g - b)' (CV3); tests are t and F tests on G - 1 degrees of freedom.
        kind: `CV3`, or `CR1` for the sandwich G/(G-1) C (sum over clusters u u') C, u a cluster's sum of scores and C
            the model's covariance; as R's sandwich::vcovCL of a GLM. Not available for ordinal models.

    Returns:
        Estimates, in every cell for each coefficient (`effect`: its odds or rate ratio, exp b), then `wald:` and each
        predictor of several coefficients (the test that all q are 0: F on q, which is `df`, and the residual degrees of
        freedom or with CR1 G - 1, or chi-squared; with CV3 Hotelling's, (G - q) / (q (G - 1)) b' V^-1 b, which is F on
        q and G - q), then `margin:` and each single predictor: the average marginal effect over the responses, which is
        the change of the mean from the reference level to another, or for a number the derivative of the mean. Without
        clusters standard errors are the model's (of a margin by the delta method); tests are t tests (linear,
        quasi-poisson: on n less the coefficients) or normal ones.

        Statuses: `no-data`; `degenerate` for columns that are constant or collinear, and for a standard error that
        does not exist (a cluster without which there is no fit); `separated` where a coefficient is infinite.

    References:
        Agresti, A. (2013). Categorical Data Analysis (3rd ed.), chapters 4 and 5. Bell, R. M. & McCaffrey, D. F.
        (2002). Survey Methodology 28, 169-181. MacKinnon, J. G., Nielsen, M. O. & Webb, M. D. (2023). Journal of
        Applied Econometrics 38, 671-694. Pustejovsky, J. E. & Tipton, E. (2018). Journal of Business & Economic
        Statistics 36, 672-683 (Hotelling's test).

    >>> import polars as pl
    >>> counts = pl.DataFrame({"group": ["a", "a", "b", "b"], "y": [0, 1, 0, 1], "count": [30, 10, 20, 20]})
    >>> found = regressions(counts, [], Model("y", "logistic", (("group",),), {"group": ("a", "b")}))
    >>> found.select("term", pl.col("estimate", "std_error").round(4)).rows()
    [('Intercept', -1.0986, 0.3651), ('group=b', 1.0986, 0.483), ('margin:group=b', 0.25, 0.1046)]
    """
    parts = [name for predictor in model.predictors for name in predictor]
    every: list[str] = [*parts, *model.fixed, model.response, *([] if cluster is None else [cluster])]
    columns = list(dict.fromkeys(every))
    known = counts.drop_nulls(columns).group_by([*by, *columns]).agg(pl.col("count").sum()).sort([*by, *columns])
    rows: list[dict[str, Any]] = []
    for cell, own in each_cell(counts, by, known):
        data = {name: own.get_column(name).to_numpy() for name in [*columns, "count"]}
        common = {**cell, "n": own.get_column("count").sum(), "confidence": confidence}
        common |= {} if cluster is None else {"clusters": own.get_column(cluster).n_unique()}
        rows += [{**common, **row} for row in _cell(data, model, cluster, confidence, kind)]
    return estimates_of(rows, counts, by)


def _cell(
    data: Columns, model: Model, cluster: str | None, confidence: float, kind: StandardError
) -> list[dict[str, Any]]:
    """Compute the rows of the estimates of a cell."""
    names = model.shown
    labels = [*names, *(f"{MARGIN}{name}" for name in model.margins)]
    method = f"{model.family} regression"
    fit = _fit(data, model) if data["count"].size else "no-data"
    if isinstance(fit, str):
        labels += [f"{WALD}{':'.join(one)}" for one in model.predictors if len(model.names(one)) > 1]
        return [{"term": term, "method": method, "status": fit} for term in labels]
    whole = model.reported(data, fit.coefficients)
    is_jackknife = cluster is not None and kind == "CV3"
    if cluster is None or kind == "CR1":
        slopes = _gradient(partial(model.reported, data), fit.coefficients)
        own, df = (fit.covariance, fit.df) if cluster is None else _sandwich(fit, data[cluster])
        covariance = slopes @ own @ slopes.T
        method += "" if cluster is None else f", standard error clustered by {cluster} (CR1)"
    else:
        covariance, df = _left_out(data, model, cluster, whole)
        method += f", error by leaving out one {cluster} at a time"
    error = np.sqrt(np.diagonal(covariance))
    quantile = float(stats.t.ppf((1 + confidence) / 2, df))
    rows: list[dict[str, Any]] = [
        {"term": label, "method": method, **coefficient_test(float(estimate), float(own), quantile, df)}
        for label, estimate, own in zip(labels, whole, error, strict=True)
    ]
    if (ratio := _RATIOS.get(model.family)) is not None:
        for row in rows[names.count(INTERCEPT) : len(names)]:
            ends = {f"effect_{end}": float(np.exp(row[end])) for end in ("ci_low", "ci_high") if end in row}
            row |= {"effect": float(np.exp(row["estimate"])), "effect_kind": ratio, **ends}
    tests: list[dict[str, Any]] = []
    at = names.count(INTERCEPT)
    for predictor in model.predictors:
        chosen = slice(at, at := at + len(model.names(predictor)))
        if chosen.stop - chosen.start > 1:
            term = {"term": f"{WALD}{':'.join(predictor)}", "method": f"{method}, Wald test"}
            tests.append(term | wald_test(whole[chosen], covariance[chosen, chosen], df, is_jackknife=is_jackknife))
    return [*rows[: len(names)], *tests, *rows[len(names) :]]


def _fit(data: Columns, model: Model) -> _Fit | str:
    """Fit a regression; return a status instead if there is no fit."""
    from statsmodels.genmod import families
    from statsmodels.genmod.generalized_linear_model import GLM

    matrix, weights, answers = model.matrix(data), data["count"].astype(float), data[model.response].astype(float)
    free = float(weights.sum()) - matrix.shape[1]
    if np.linalg.matrix_rank(matrix) < matrix.shape[1] or np.ptp(answers) == 0 or free <= 0:
        return "degenerate"
    if model.family == "ordinal":
        odds = proportional_odds(answers, matrix[:, 1:], weights)
        if odds is None or np.ptp(matrix[:, 1:] @ odds[0][: matrix.shape[1] - 1]) > 2 * FARTHEST:
            return "separated"
        return _Fit(*odds, np.inf)
    distribution: dict[Family, Any] = {"linear": families.Gaussian, "logistic": families.Binomial}
    glm: Any = GLM(answers, matrix, family=distribution.get(model.family, families.Poisson)(), freq_weights=weights)
    # Perfect predictions are detected below, even if only some are perfect.
    glm.raise_on_perfect_prediction = False
    is_scaled = model.family in {"linear", "quasi-poisson"}
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        fitted = glm.fit(maxiter=100, tol=1e-12, tol_criterion="params", scale="X2" if is_scaled else None)
    coefficients = np.asarray(fitted.params, dtype=float)
    if model.family != "linear" and not _is_finite_fit(matrix @ coefficients, model.family):
        return "separated"
    scores = matrix * (weights * (answers - fitted.fittedvalues) / fitted.scale)[:, None]
    return _Fit(coefficients, np.asarray(fitted.cov_params(), dtype=float), free if is_scaled else np.inf, scores)


def _is_finite_fit(predictor: Floats, family: Family) -> bool:
    """Return whether no linear predictor diverges: for counts only -inf is a divergence, as means may be large."""
    return bool(((np.abs(predictor) if family == "logistic" else -predictor) < FARTHEST).all())


def _left_out(data: Columns, model: Model, cluster: str, whole: Floats) -> tuple[Floats, float]:
    """Compute the jackknife covariance over clusters and its degrees of freedom; NaN if a fit is missing."""
    clusters, nothing = np.unique(data[cluster]), (np.full((whole.size, whole.size), np.nan), np.nan)
    replicates: list[Floats] = []
    for one in clusters:
        kept = {name: values[data[cluster] != one] for name, values in data.items()}
        fit = _fit(kept, model) if kept["count"].size else "no-data"
        if isinstance(fit, str):
            return nothing
        replicates.append(model.reported(kept, fit.coefficients))
    off, number = np.array(replicates) - whole, float(clusters.size)
    return (number - 1.0) / number * off.T @ off, number - 1.0


def _sandwich(fit: _Fit, clusters: NDArray[Any]) -> tuple[Floats, float]:
    """Compute the clustered covariance from statsmodels' sum of products (CR1), and its degrees of freedom."""
    from statsmodels.stats import sandwich_covariance

    names, at = np.unique(clusters, return_inverse=True)
    number = float(names.size)
    if number == 1 or fit.scores is None:
        return np.full_like(fit.covariance, np.nan), np.nan
    products = np.asarray(sandwich_covariance.S_crosssection(fit.scores, at), dtype=float)
    return number / (number - 1.0) * fit.covariance @ products @ fit.covariance, number - 1.0


def _gradient(function: Any, at: Floats) -> Floats:  # noqa: ANN401  statsmodels has no types
    from statsmodels.tools import numdiff

    derivative: Any = numdiff.approx_fprime  # pyright: ignore[reportUnknownVariableType]
    return np.atleast_2d(derivative(at, function, centered=True))


def coefficient_test(estimate: float, error: float, quantile: float, df: float) -> dict[str, Any]:
    """Return an estimate with its interval and the test that it is 0."""
    found: dict[str, Any] = {"estimate": estimate, "null_value": 0.0}
    if not error > 0:
        return found | {"status": "degenerate"}
    statistic = estimate / error
    log_p = float(np.log(2.0) + stats.t.logsf(abs(statistic), df))
    if np.isneginf(log_p):  # scipy takes the logarithm of a tail that underflows
        log_p = float(log_p_value(statistic, df))
    half = quantile * error
    return found | {
        "std_error": error,
        "ci_low": estimate - half,
        "ci_high": estimate + half,
        "statistic": statistic,
        "df": df,
        "p_value": float(np.exp(log_p)),
        "log_p_value": log_p,
        "status": "ok",
    }


def wald_test(coefficients: Floats, covariance: Floats, df: float, *, is_jackknife: bool) -> dict[str, Any]:
    """Test that several coefficients are 0: by F, Hotelling's F with jackknife covariances, or chi-squared."""
    size = coefficients.size
    left = df - size + 1.0 if is_jackknife else df
    if not np.isfinite(covariance).all() or np.linalg.matrix_rank(covariance) < size or left < 1 or df < size:
        return {"status": "degenerate"}
    squares = float(coefficients @ np.linalg.solve(covariance, coefficients))
    if np.isfinite(df):
        statistic = squares / size * (left / df)
        log_p = float(stats.f.logsf(statistic, size, left))
    else:
        statistic, log_p = squares, float(stats.chi2.logsf(squares, size))
    numbers = {"estimate": statistic, "statistic": statistic, "df": float(size)}
    numbers |= {"df2": left} if np.isfinite(df) else {}
    return numbers | {"p_value": float(np.exp(log_p)), "log_p_value": log_p, "status": "ok"}
