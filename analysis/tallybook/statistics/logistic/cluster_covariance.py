"""Cluster-robust covariance of logistic coefficients, from counts of cluster and predictor values.

Samples of one item resemble each other; a standard error that counts them as independent is then too small.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np
from scipy.special import expit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tallybook.statistics.logistic.design import Floats
    from tallybook.statistics.logistic.fit import Fits

ClusterCorrection: TypeAlias = Literal["clusters-and-terms", "jackknife"]

_NOTHING = 1e-12
"""A variance below this share of the model's own is rounding: the clusters' scores are all 0."""


def cluster_covariance(fits: Fits, clusters: NDArray[np.intp]) -> Floats:
    """The sandwich covariance I^-1 (sum over clusters u u') I^-1, u a cluster's sum of (y - p) x, times a factor.

    The sum is statsmodels' `S_crosssection`; its factors count rows, not responses.
    With G clusters, n responses and k terms the factor is G/(G-1) (n-1)/(n-k), as statsmodels' cov_type="cluster",
    Stata's regress and R's sandwich::vcovCL(type = "HC1").

    References:
        Liang, K.-Y. & Zeger, S. L. (1986). Longitudinal data analysis using generalized linear models. Biometrika,
        73, 13-22.
        Cameron, A. C. & Miller, D. L. (2015). A practitioner's guide to cluster-robust inference. Journal of Human
        Resources, 50, 317-372.
    """
    from statsmodels.stats import sandwich_covariance

    design, eta = fits.basis.design, fits.linear_predictor
    residual = design.successes * expit(-eta) - design.failures * expit(eta)
    first = np.searchsorted(clusters, design.starts)
    number = np.diff(first, append=clusters.size)
    label = np.repeat(np.arange(clusters.size), np.diff(clusters, append=residual.size))
    scores = np.split((residual * design.columns).T, design.starts[1:])
    groups = np.split(label, design.starts[1:])
    parts = zip(scores, groups, strict=True) if label.size else ()
    meat = np.array([sandwich_covariance.S_crosssection(own, group) for own, group in parts])
    meat = meat.reshape(-1, *fits.basis.transform.shape[1:])
    bread = fits.inverse_information()
    n, k = design.total(design.trials), design.columns.shape[0]
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(number > 1, number / (number - 1.0) * (n - 1.0) / (n - k), np.nan)
    robust = bread @ meat @ bread * factor[:, None, None]
    own, found = (np.diagonal(fits.basis.covariance(each), axis1=1, axis2=2) for each in (bread, robust))
    known = np.all(found > _NOTHING * own, axis=1)
    return np.where(known[:, None, None], robust, np.nan)
