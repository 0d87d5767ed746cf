"""Clustered responses under null hypotheses: what `coverage.py` and `clustered_elsewhere.py` are run on."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np
from scipy.special import expit

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

SPREAD = 1.0
"""The standard deviation between clusters, on the log odds or of latent scores of variance 1 within."""
CLUSTERS = (5, 10, 20, 40, 100)
LEVEL = 0.05
CUTS = (-1.5, -0.5, 0.5, 1.5)


class Sample(NamedTuple):
    """Responses of all replications: arrays of replications x responses, and what these share."""

    cluster: np.ndarray[Any, np.dtype[np.int64]]
    group: np.ndarray[Any, np.dtype[np.int64]]
    log_odds: Floats
    draw: np.random.Generator


def sample(draw: np.random.Generator, replications: int, clusters: int, *, even: bool, paired: bool) -> Sample:
    """Draw clusters of 20 responses, or of 5 to 50; groups are within clusters if paired, otherwise of clusters."""
    sizes = np.full(clusters, 20) if even else np.linspace(5, 50, clusters).astype(int) // 2 * 2
    if not paired:  # sizes in both groups alike
        sizes = np.sort(sizes)
    cluster = np.repeat(np.arange(clusters), sizes)
    within = np.concatenate([np.arange(size) for size in sizes])
    group = within % 2 if paired else cluster % 2
    return Sample(cluster, group, SPREAD * draw.normal(size=(replications, clusters))[:, cluster], draw)


def responses(data: Sample, shift: float, *, slope_between: bool) -> tuple[Floats, Floats, Floats]:
    """Answers, five-point scores and doses under null hypotheses."""
    shape = data.log_odds.shape
    yes = (data.draw.random(shape) < expit(shift + data.log_odds)).astype(float)
    score = 1.0 + np.searchsorted(CUTS, (data.log_odds + data.draw.normal(size=shape)).ravel()).reshape(shape)
    if slope_between:  # a dose of clusters
        own = data.draw.integers(0, 3, size=(shape[0], int(data.cluster.max()) + 1)).astype(float)
        dose = own[:, data.cluster]
    else:
        dose = data.draw.integers(0, 3, size=shape).astype(float)
    return yes, score, dose
