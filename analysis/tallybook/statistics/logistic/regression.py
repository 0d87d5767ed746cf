"""Logistic regression from counts, with one fit for each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from tallybook.statistics.estimates import check_confidence, estimates_of
from tallybook.statistics.logistic.cells import INTERCEPT, fit_cells
from tallybook.statistics.logistic.fit import Fit
from tallybook.statistics.tails import (
    critical_value,
    log_chi_square_tail,
    log_p_value,
    normal_quantile,
    two_sided_normal,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from tallybook.statistics.logistic.cells import Cell, ClusterCorrection
    from tallybook.statistics.logistic.fit import Estimator

ODDS_RATIO = "odds_ratio:"
"""The prefix of the names of odds ratios."""
MODEL_TERMS = (
    "log_likelihood",
    "log_likelihood_null",
    "penalized_log_likelihood",
    "pseudo_r_squared",
    "aic",
    "bic",
    "df_residual",
    "likelihood_ratio",
    "wald",
)
"""The terms that describe a whole fit."""


def logistic_regression(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    *,
    outcome: str | tuple[str, str],
    estimator: Estimator = "maximum-likelihood",
    cluster: str | None = None,
    correction: ClusterCorrection = "clusters-and-terms",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Regress the log odds of a binary outcome on numeric predictors, in every cell.

    ln(p / (1 - p)) = b_0 + b_1 x_1 + ... + b_k x_k, with an intercept always. The fit depends on the responses only
    through the counts of ones and zeros at each combination of predictor values.

    Maximum likelihood has no estimate where the data are separated (some combination of the predictors predicts without
    error); the status is then `separated`, and `estimator="firth"` is the remedy: it maximises l + ln|I| / 2, I the
    information of the coefficients. Its Wald standard errors come from the inverse of I, as in Heinze & Schemper (2002)
    and R's brglm2; R's logistf uses another covariance from version 1.24 on. In small separated data the penalised
    likelihood can have several maxima: the one reached from 0 is taken, as by logistf, and `method` mentions if a
    higher one was found.

    Args:
        frame: Counts: `by`, `predictors`, the outcome, the cluster, and `count` if the outcome is a single column. Any
            number of rows may share a combination. Rows with a null are not observations.
        by: The columns whose combinations are the cells; may be empty.
        predictors: Numeric columns; for categories see `regression`. May be empty.
        outcome: The name of a column of 0 and 1, weighted by `count`; or the names of two columns of counts, of
            successes and failures.
        estimator: `maximum-likelihood`, or `firth` for the penalised likelihood.
        cluster: A column of items whose responses are not independent: standard errors are then cluster-robust. Needs
            maximum likelihood, and tests are Student's t with G - 1 degrees of freedom. The likelihoods remain those of
            independent responses.
        correction: The small-sample factor of a cluster-robust covariance, see `cells.sandwich`; or `jackknife`:
            (G-1)/G sum (b_g - b)(b_g - b)', b_g the coefficients without cluster g (CV3).
        confidence: The level of the intervals, between 0 and 1.

    Returns:
        Estimates, for every cell these terms; n is the number of responses:

        - `Intercept` and each predictor: the coefficient (effect: its odds ratio exp b, with limits), std_error,
          limits b ± z std_error, null_value 0, and the test: statistic z = b / std_error.
        - `odds_ratio:` and each predictor's name: exp b, its limits, null_value 1, the same test; std_error exp(b) se
          (delta method).
        - `log_likelihood` at the estimates, of single responses (no binomial coefficients).
        - Maximum likelihood: `log_likelihood_null` of the intercept alone; `pseudo_r_squared`, McFadden's
          1 - l / l_null; `aic` = -2 l + 2 (k + 1); `bic` = -2 l + (k + 1) ln n.
        - Firth: `penalized_log_likelihood`.
        - `df_residual` = n - k - 1.
        - `likelihood_ratio`, if there are predictors: the test that all k slopes are 0, with df k. Firth: of penalised
          likelihoods, as logistf. With clusters instead `wald`: F = b' V^-1 b / k, on k and G - 1 degrees of freedom;
          with the jackknife Hotelling's, F (G - k) / (G - 1) on k and G - k (Pustejovsky & Tipton, 2018).

        Statuses: `no-data`; `degenerate` for an outcome that does not vary (maximum likelihood), for predictors that
        are constant or collinear in the cell, and for a standard error that does not exist (a single cluster);
        `separated`; `not-converged`.

    Raises:
        ValueError: A column is missing or of the wrong kind, a count is impossible, an outcome is neither 0 nor 1, or
            a setting is unknown or does not go with another.

    References:
        Agresti, A. (2013). Categorical Data Analysis (3rd ed.). Wiley, chapters 5 to 7.
        McFadden, D. (1974). Conditional logit analysis of qualitative choice behavior. In P. Zarembka (Ed.), Frontiers
        in Econometrics, 105-142. Academic Press.
        Further: `likelihood`, `fit`, `cells.sandwich`.

    >>> import polars as pl
    >>> heart = pl.DataFrame(  # Agresti (2013), table 4.2: snoring and heart disease
    ...     {"snoring": [0, 2, 4, 5], "yes": [24, 35, 21, 30], "no": [1355, 603, 192, 224]}
    ... )
    >>> found = logistic_regression(heart, [], ["snoring"], outcome=("yes", "no"))
    >>> found.head(2).select("term", pl.col("estimate", "std_error").round(4)).rows()
    [('Intercept', -3.8662, 0.1662), ('snoring', 0.3973, 0.05)]
    """
    check_confidence(confidence)
    taken = [name for name in predictors if name in {INTERCEPT, *MODEL_TERMS} or name.startswith(ODDS_RATIO)]
    if taken:
        raise ValueError(f"no predictor can be named {taken[0]!r}: another term is")
    cells = fit_cells(
        frame, by, predictors, outcome=outcome, estimator=estimator, cluster=cluster, correction=correction
    )
    rows: list[dict[str, Any]] = []
    for cell in cells:
        common = {**cell.key, "n": cell.n, "clusters": cell.clusters, "status": "ok"}
        if isinstance(cell.fit, Fit):
            own = _coefficient_rows(cell, cell.fit, predictors, confidence)
            own += _model_rows(cell, cell.fit, is_jackknife=correction == "jackknife")
        else:
            own = _empty_rows(cell, predictors, penalized=estimator == "firth", clustered=cluster is not None)
        rows += [{**common, **row, "method": f"{row['method']}{cell.caveat}"} for row in own]
    return estimates_of(rows, frame, by)


def _coefficient_rows(cell: Cell, fit: Fit, predictors: Sequence[str], confidence: float) -> list[dict[str, Any]]:
    """Build the rows of the coefficients, followed by those of the odds ratios."""
    df = None if cell.clusters is None else cell.clusters - 1.0
    quantile = normal_quantile(confidence) if df is None else critical_value((1.0 - confidence) / 2.0, df)
    std_error = np.sqrt(np.diagonal(fit.design.covariance(cell.covariance)))
    estimate = fit.coefficients
    low, high, statistic = estimate - quantile * std_error, estimate + quantile * std_error, estimate / std_error
    if df is None:
        p, log_p = two_sided_normal(statistic)
    else:
        log_p = log_p_value(statistic, df)
        p = np.exp(log_p)
    with np.errstate(over="ignore"):
        ratio, ratio_low, ratio_high = np.exp(estimate), np.exp(low), np.exp(high)
        ratio_error = ratio * std_error
    rows: list[dict[str, Any]] = []
    for place, term in enumerate((INTERCEPT, *predictors)):
        exists = bool(np.isfinite(std_error[place]))
        shared = {
            "confidence": confidence,
            "effect_kind": "odds_ratio",
            "method": f"{cell.method}{cell.errors}, Wald interval and test",
            "statistic": statistic[place],
            "df": df if exists else None,
            "p_value": p[place],
            "log_p_value": log_p[place],
            "effect": ratio[place],
            "effect_ci_low": ratio_low[place],
            "effect_ci_high": ratio_high[place],
            "status": "ok" if exists else "degenerate",
        }
        for name, null, numbers in (
            (term, 0.0, (estimate, std_error, low, high)),
            (f"{ODDS_RATIO}{term}", 1.0, (ratio, ratio_error, ratio_low, ratio_high)),
        ):
            own = {key: one[place] for key, one in zip(_NUMBERS, numbers, strict=True)}
            rows.append({**shared, **own, "term": name, "null_value": null})
    return [*rows[::2], *rows[3::2]]


_NUMBERS = ("estimate", "std_error", "ci_low", "ci_high")


def _model_rows(cell: Cell, fit: Fit, *, is_jackknife: bool) -> list[dict[str, Any]]:
    """Build the rows that describe the whole fit."""
    terms, full, n = len(fit.coefficients), fit.log_likelihood, float(cell.n)
    slopes, values = terms - 1, {"log_likelihood": full}
    if fit.penalized:
        values["penalized_log_likelihood"] = fit.penalized_log_likelihood
    else:
        null = fit.null_log_likelihood
        values["log_likelihood_null"] = null
        # 1 - l / l_null, without the cancellation where the predictors explain little.
        values["pseudo_r_squared"] = fit.likelihood_ratio / (-2.0 * null)
        values |= {"aic": -2.0 * full + 2.0 * terms, "bic": float(-2.0 * full + terms * np.log(n))}
    values["df_residual"] = n - terms
    rows: list[dict[str, Any]] = [
        {"term": term, "method": cell.method, "estimate": value} for term, value in values.items()
    ]
    if slopes and cell.clusters is not None:
        return [*rows, _slopes_test(cell, fit, cell.clusters, is_jackknife=is_jackknife)]
    if slopes:
        ratio = fit.likelihood_ratio
        log_p = float(log_chi_square_tail(ratio, slopes))
        test = {"estimate": ratio, "statistic": ratio, "df": slopes, "p_value": np.exp(log_p), "log_p_value": log_p}
        method = f"{cell.method}, likelihood ratio test of all slopes"
        status = "not-converged" if np.isnan(ratio) else "ok"
        rows.append({"term": "likelihood_ratio", "method": method, **test, "status": status})
    return rows


def _slopes_test(cell: Cell, fit: Fit, clusters: float, *, is_jackknife: bool) -> dict[str, Any]:
    """Test that all slopes are 0: by F, or Hotelling's F with jackknife covariances."""
    from tallybook.statistics.regression import wald_test

    slopes = len(fit.coefficients) - 1
    less, covariance = slopes if is_jackknife else 1, fit.design.covariance(cell.covariance)[1:, 1:]
    method = f"{cell.method}{cell.errors}, Wald test of all slopes: F on {slopes} and clusters less {less}"
    found = wald_test(fit.coefficients[1:], covariance, clusters - 1.0, is_jackknife=is_jackknife)
    return {"term": "wald", "method": method, **found}


def _empty_rows(cell: Cell, predictors: Sequence[str], *, penalized: bool, clustered: bool) -> list[dict[str, Any]]:
    """Build the rows of a cell without a fit; their status is the reason."""
    of_model = [term for term in MODEL_TERMS[:-2] if penalized == term.startswith("penalized") or term in _ALWAYS]
    ends = (["wald"] if clustered else ["likelihood_ratio"]) if predictors else []
    names = [INTERCEPT, *predictors, *(f"{ODDS_RATIO}{name}" for name in predictors), *of_model, *ends]
    return [{"term": name, "method": cell.method, "status": cell.fit} for name in names]


_ALWAYS = {"log_likelihood", "df_residual"}
"""The terms of a whole fit that do not depend on the estimator."""
