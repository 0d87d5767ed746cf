"""Logistic regression from counts: one fit a cell, all cells at once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from scipy.special import fdtrc

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.logistic.cells import fit_cells, normal_quantile
from tallybook.statistics.logistic.design import INTERCEPT
from tallybook.statistics.logistic.fit import (
    likelihood_ratio,
    log_likelihood,
    null_likelihood_ratio,
    null_log_likelihood,
    penalized_log_likelihood,
)
from tallybook.statistics.tails import critical_value, log_chi_square_tail, log_p_value, two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.logistic.cells import CellFits
    from tallybook.statistics.logistic.cluster_covariance import ClusterCorrection
    from tallybook.statistics.logistic.design import Floats
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
"""The terms that are about a whole fit."""


@dataclass(frozen=True)
class _Row:
    """A term of all fits: its settings, its numbers, and a status of its own where some of them are lacking."""

    settings: dict[str, str | float]
    numbers: dict[str, Floats]
    status: NDArray[np.str_] | None = None


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

    Maximum likelihood has no estimate where the data are separated (some combination of the predictors never errs);
    the status says so, and `estimator="firth"` is the remedy: it maximises l + ln|I| / 2, I the information of the
    coefficients. Its Wald standard errors come from the inverse of I, as in Heinze & Schemper (2002) and R's brglm2;
    R's logistf from version 1.24 on uses another covariance there. In small separated data the penalised likelihood can
    have several summits: the one reached from 0 is taken, as by logistf, and `method` says if a higher one was found.

    Args:
        frame: Counts: `by`, `predictors`, the outcome, the cluster, and `count` if the outcome is a single column. Any
            number of rows may share a combination. Rows with a null are no observations.
        by: The columns whose combinations are the cells; may be empty.
        predictors: Numeric columns; for categories see `design.treatment_coded`. May be empty.
        outcome: The name of a column of 0 and 1, weighted by `count`; or the names of two columns of counts, of
            successes and failures.
        estimator: `maximum-likelihood`, or `firth` for the penalised likelihood.
        cluster: A column of items whose responses are not independent: standard errors are then cluster-robust. Needs
            maximum likelihood, and tests are Student's t with G - 1 degrees of freedom. The likelihoods stay those of
            independent responses.
        correction: The small-sample factor of a cluster-robust covariance, see `cluster_covariance`; or `jackknife`:
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
        Further: `firth`, `separation`, `cluster_covariance`.

    >>> import polars as pl
    >>> heart = pl.DataFrame(  # Agresti (2013), table 4.2: snoring and heart disease
    ...     {"snoring": [0, 2, 4, 5], "yes": [24, 35, 21, 30], "no": [1355, 603, 192, 224]}
    ... )
    >>> found = logistic_regression(heart, [], ["snoring"], outcome=("yes", "no"))
    >>> found.head(2).select("term", pl.col("estimate", "std_error").round(4)).rows()
    [('Intercept', -3.8662, 0.1662), ('snoring', 0.3973, 0.05)]
    """
    normal_quantile(confidence)
    taken = [name for name in predictors if name in {INTERCEPT, *MODEL_TERMS} or name.startswith(ODDS_RATIO)]
    if taken:
        raise ValueError(f"no predictor can be named {taken[0]!r}: another term is")
    cells = fit_cells(
        frame, by, predictors, outcome=outcome, estimator=estimator, cluster=cluster, correction=correction
    )
    rows = [*_coefficient_rows(cells, confidence), *_model_rows(cells, correction)]
    result = pl.concat([_of_all_cells(cells, row) for row in rows], how="diagonal")
    return as_estimates(result.sort(by, maintain_order=True) if by else result, by)


def _coefficient_rows(cells: CellFits, confidence: float) -> list[_Row]:
    """The rows of the coefficients, and behind them those of the odds ratios."""
    df = None if cells.clusters is None else cells.clusters - 1.0
    quantile = normal_quantile(confidence) if df is None else critical_value((1.0 - confidence) / 2.0, df)
    covariance = cells.fits.basis.covariance(cells.covariance)
    method = f"{cells.description}{cells.errors}, Wald interval and test"
    shared: dict[str, str | float] = {"confidence": confidence, "effect_kind": "odds_ratio", "method": method}
    rows: list[_Row] = []
    ratios: list[_Row] = []
    for position, term in enumerate(cells.terms):
        estimate, std_error = cells.fits.coefficients[:, position], np.sqrt(covariance[:, position, position])
        low, high = estimate - quantile * std_error, estimate + quantile * std_error
        test = _normal_test(estimate / std_error) if df is None else _t_test(estimate / std_error, df)
        status = np.where(np.isnan(std_error), "degenerate", "ok")
        with np.errstate(over="ignore"):
            ratio, ratio_low, ratio_high = np.exp(estimate), np.exp(low), np.exp(high)
            ratio_error = ratio * std_error
        effect = {"effect": ratio, "effect_ci_low": ratio_low, "effect_ci_high": ratio_high}
        numbers = {"estimate": estimate, "std_error": std_error, "ci_low": low, "ci_high": high} | effect
        rows.append(_Row(shared | {"term": term, "null_value": 0.0}, numbers | test, status))
        numbers |= {"estimate": ratio, "std_error": ratio_error, "ci_low": ratio_low, "ci_high": ratio_high}
        ratios.append(_Row(shared | {"term": f"{ODDS_RATIO}{term}", "null_value": 1.0}, numbers | test, status))
    return [*rows, *ratios[1:]]


def _normal_test(statistic: Floats) -> dict[str, Floats]:
    """A Wald test."""
    p, log_p = two_sided_normal(statistic)
    return {"statistic": statistic, "log_p_value": log_p, "p_value": p}


def _t_test(statistic: Floats, df: Floats) -> dict[str, Floats]:
    """A Wald test with clustered standard errors."""
    log_p = log_p_value(statistic, df)
    return {"statistic": statistic, "df": np.where(np.isnan(statistic), np.nan, df)} | {
        "log_p_value": log_p,
        "p_value": np.exp(log_p),
    }


def _slopes_test(cells: CellFits, clusters: Floats, *, is_jackknife: bool) -> _Row:
    """Test that all slopes are 0: F, Hotelling's where errors are a jackknife's."""
    slopes = len(cells.terms) - 1
    less = slopes if is_jackknife else 1
    df = clusters - less
    own, covariance = cells.fits.coefficients[:, 1:], cells.fits.basis.covariance(cells.covariance)[:, 1:, 1:]
    known = np.isfinite(covariance).all(axis=(1, 2)) & (clusters > slopes)
    safe = np.where(known[:, None, None], covariance, np.eye(slopes))
    f = np.where(known, np.einsum("fi,fij,fj->f", own, np.linalg.pinv(safe, hermitian=True), own) / slopes, np.nan)
    with np.errstate(divide="ignore", invalid="ignore"):
        f *= df / (clusters - 1.0)
        p = fdtrc(float(slopes), df, f)
        numbers = {"estimate": f, "statistic": f, "df": np.where(known, float(slopes), np.nan)}
        numbers |= {"df2": np.where(known, df, np.nan), "p_value": p, "log_p_value": np.log(p)}
    method = f"{cells.description}{cells.errors}, Wald test of all slopes: F on {slopes} and clusters less {less}"
    return _Row({"term": "wald", "method": method}, numbers, np.where(known, "ok", "degenerate"))


def _chi_square_test(statistic: Floats, df: int) -> dict[str, Floats]:
    """A likelihood ratio test."""
    log_p = log_chi_square_tail(statistic, df)
    degrees = np.full(statistic.size, float(df))
    return {"statistic": statistic, "df": degrees, "log_p_value": log_p, "p_value": np.exp(log_p)}


def _model_rows(cells: CellFits, correction: ClusterCorrection) -> list[_Row]:
    """The rows that are about a whole fit."""
    fits, n = cells.fits, np.asarray(cells.n[cells.fitted], dtype=np.float64)
    slopes = len(cells.terms) - 1
    full = log_likelihood(fits)
    values = {"log_likelihood": full}
    if fits.penalized:
        values["penalized_log_likelihood"] = penalized_log_likelihood(fits)
        ratio = likelihood_ratio(fits, range(1, slopes + 1))
    else:
        null, ratio = null_log_likelihood(fits), null_likelihood_ratio(fits)
        values["log_likelihood_null"] = null
        # 1 - l / l_null, without the cancellation where the predictors explain little.
        values["pseudo_r_squared"] = ratio / (-2.0 * null)
        values["aic"] = -2.0 * full + 2.0 * (slopes + 1)
        values["bic"] = -2.0 * full + (slopes + 1) * np.log(n)
    values["df_residual"] = n - (slopes + 1.0)
    rows = [_Row({"term": term, "method": cells.description}, {"estimate": value}) for term, value in values.items()]
    if slopes and cells.clusters is not None:
        rows.append(_slopes_test(cells, cells.clusters, is_jackknife=correction == "jackknife"))
    elif slopes:
        method = f"{cells.description}, likelihood ratio test of all slopes"
        numbers = {"estimate": ratio} | _chi_square_test(ratio, slopes)
        status = np.where(np.isnan(ratio), "not-converged", "ok")
        rows.append(_Row({"term": "likelihood_ratio", "method": method}, numbers, status))
    return rows


def _of_all_cells(cells: CellFits, row: _Row) -> pl.DataFrame:
    """A row of every cell: with the cell's own status and no numbers where it has no fit."""
    status = cells.status.copy()
    if row.status is not None:
        status[cells.fitted] = row.status
    numbers = [pl.Series(name, cells.scattered(values)) for name, values in row.numbers.items()]
    every = [*cells.cells.get_columns(), pl.Series("n", cells.n), pl.Series("status", status), *numbers]
    if cells.clusters is not None:
        every.append(pl.Series("clusters", cells.scattered(cells.clusters)).fill_nan(None))
    settings = [pl.lit(value).alias(name) for name, value in row.settings.items()]
    labelled = pl.DataFrame(every).with_columns(*settings, pl.lit("").alias("outcome"))
    return labelled.with_columns(pl.col("method") + pl.Series(cells.caveats, dtype=pl.String))
