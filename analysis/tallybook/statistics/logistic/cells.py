"""Logistic regressions of the cells of a frame: every cell with its status, and the fits of those that have one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, get_args

import numpy as np
import polars as pl
from scipy.special import ndtri

from tallybook.statistics.estimates import check_confidence
from tallybook.statistics.logistic.cluster_covariance import ClusterCorrection, cluster_covariance
from tallybook.statistics.logistic.design import INTERCEPT, first_rows, grouped_design, grouped_rows
from tallybook.statistics.logistic.fit import Estimator, Fits, fit_logits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.logistic.design import Flags, Floats


@dataclass(frozen=True)
class CellFits:
    """Cells and their fits."""

    cells: pl.DataFrame  # the key of every cell; without columns if the cells have no key
    n: NDArray[np.int64]  # the number of responses of every cell
    status: NDArray[np.str_]  # the status of every cell
    fits: Fits  # the fits of the cells whose status is `ok`, in the order of the cells
    covariance: Floats  # the covariances of their coordinates, fits x columns x columns; NaN where there is none
    anchors: Floats  # the terms' values in the first row of every fit, fits x terms
    terms: tuple[str, ...]  # the names of the coefficients
    description: str  # the estimator
    errors: str = ""  # what standard errors rest on, after a comma, if they are clustered
    # the number of clusters of every fit; None if standard errors treat responses as independent
    clusters: Floats | None = None

    @property
    def fitted(self) -> Flags:
        """Which cells have a fit."""
        return self.status == "ok"

    @property
    def caveats(self) -> list[str]:
        """The suffix that the method of every cell needs."""
        lower = np.zeros(self.n.size, np.bool_)
        lower[self.fitted] = self.fits.lower
        return [_LOWER if one else "" for one in lower]

    def scattered(self, values: Floats) -> Floats:
        """Values of the fits at all cells; NaN at those without."""
        everywhere = np.full((self.n.size, *values.shape[1:]), np.nan)
        everywhere[self.fitted] = values
        return everywhere


def fit_cells(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    *,
    outcome: str | tuple[str, str],
    estimator: Estimator,
    cluster: str | None,
    correction: ClusterCorrection,
    together: bool = False,
) -> CellFits:
    """Fit every cell; see `logistic.logistic_regression` for the arguments and errors, `fit_logits` for `together`."""
    if estimator not in get_args(Estimator):
        raise ValueError(f"estimator is {estimator!r}: expected one of {', '.join(get_args(Estimator))}")
    if correction not in get_args(ClusterCorrection):
        raise ValueError(f"correction is {correction!r}: expected one of {', '.join(get_args(ClusterCorrection))}")
    if cluster is not None and estimator == "firth":
        raise ValueError("a cluster-robust covariance needs maximum likelihood: Firth's fit has no published one")
    rows = grouped_rows(frame, by, predictors, outcome, cluster)
    cells, design = grouped_design(rows, by, predictors)
    fits = fit_logits(design, estimator, together=together)
    description = f"logistic regression, {_ESTIMATORS[estimator]}"
    errors, clusters = "", None
    if cluster is None:
        covariance = fits.inverse_information()
    else:
        kept = rows.filter(pl.Series(design.spread(fits.status == "ok"), dtype=pl.Boolean))
        first = first_rows(kept, [*by, cluster])
        starts = np.searchsorted(first, fits.basis.design.starts)
        clusters = np.diff(starts, append=first.size).astype(np.float64)
        if correction == "jackknife":
            covariance = _jackknifed(fits, kept, by=by, predictors=predictors, cluster=cluster, clusters=clusters)
        else:
            covariance = cluster_covariance(fits, first)
        errors = f", standard errors clustered by {cluster} ({_CORRECTIONS[correction]})"
    if by:
        empty = frame.select(by).unique().join(cells, on=list(by), how="anti", nulls_equal=True).sort(by)
        cells, without = pl.concat([cells, empty]), empty.height
    else:
        without = 1 - design.starts.size
    return CellFits(
        cells=cells,
        n=np.append(design.total(design.trials), np.zeros(without)).astype(np.int64),
        status=np.append(fits.status, np.full(without, "no-data")),
        fits=fits,
        covariance=covariance,
        anchors=design.columns[:, design.starts[fits.status == "ok"]].T,
        terms=(INTERCEPT, *predictors),
        description=description,
        errors=errors,
        clusters=clusters,
    )


def _jackknifed(
    fits: Fits,
    rows: pl.DataFrame,
    *,
    by: Sequence[str],
    predictors: Sequence[str],
    cluster: str,
    clusters: Floats,
) -> Floats:
    """Get the covariance of the jackknife over clusters (CV3): every fit again without each cluster of its cell."""
    counts = [pl.col(name).sum() for name in ("successes", "failures")]
    pairs = rows.select(*by, cluster).unique(maintain_order=True)
    total = (
        rows.group_by(*by, *predictors, maintain_order=True).agg(counts) if by or predictors else rows.select(counts)
    )
    every = total.join(pairs, on=list(by), nulls_equal=True) if by else total.join(pairs, how="cross")
    left_out = every.join(rows, on=[*by, *predictors, cluster], how="left", nulls_equal=True, suffix=" left out")
    parts = left_out.with_columns(
        (pl.col(name) - pl.col(f"{name} left out").fill_null(0)).cast(pl.Int64).alias(f"{name} that remain")
        for name in ("successes", "failures")
    )
    remaining = ("successes that remain", "failures that remain")
    found = fit_cells(
        parts.select(*by, cluster, *predictors, *remaining),
        [*by, cluster],
        predictors,
        outcome=remaining,
        estimator="maximum-likelihood",
        cluster=None,
        correction="jackknife",
        together=True,
    )
    names = [f"coefficient {place}" for place in range(len(found.terms))]
    replicates = found.cells.with_columns(
        pl.Series(name, values) for name, values in zip(names, found.scattered(found.fits.coefficients).T, strict=True)
    )
    ordered = pairs.join(replicates, on=[*by, cluster], how="left", nulls_equal=True, maintain_order="left")
    of_fit = np.repeat(np.arange(clusters.size), clusters.astype(np.intp))
    off = ordered.select(names).to_numpy() - fits.coefficients[of_fit]
    squares = np.zeros((clusters.size, off.shape[1], off.shape[1]))
    np.add.at(squares, of_fit, off[:, :, None] * off[:, None, :])
    with np.errstate(all="ignore"):
        factor = np.where(clusters > 1, (clusters - 1.0) / clusters, np.nan)
    back = np.linalg.inv(fits.basis.transform)
    covariance = back @ (squares * factor[:, None, None]) @ np.swapaxes(back, 1, 2)
    own = np.diagonal(fits.basis.covariance(fits.inverse_information()), axis1=1, axis2=2)
    known = np.all(np.diagonal(squares, axis1=1, axis2=2) > _NOTHING * own, axis=1)
    return np.where(known[:, None, None], covariance, np.nan)


_NOTHING = 1e-12
"""A variance below this share of the model's own is rounding: no cluster changes a coefficient."""


def normal_quantile(confidence: float) -> float:
    """The normal quantile of (1 + confidence) / 2."""
    check_confidence(confidence)
    # The lower quantile: 1 - confidence keeps the digits that 1 + confidence would round away.
    return -float(ndtri((1.0 - confidence) / 2.0))


_LOWER = "; this maximum is the one reached from 0, another is higher"
_ESTIMATORS: dict[Estimator, str] = {
    "maximum-likelihood": "maximum likelihood",
    "firth": "Firth's penalized likelihood",
}
_CORRECTIONS: dict[ClusterCorrection, str] = {
    "clusters-and-terms": "factor G/(G-1) (n-1)/(n-k)",
    "jackknife": "by leaving out one at a time",
}
