"""Simulated tables: the intervals of coefficients hold their truth as often as they say, the tests keep their level."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from tallybook.statistics.association.correlation import pearson, spearman
from tallybook.statistics.association.rank_association import COEFFICIENTS, rank_association
from tallybook.statistics.categories.agreement import agreement
from tests.sizes import trials, within

TABLES = trials(4000)
DEPENDENT = np.array([[40, 25, 10], [20, 30, 25], [8, 17, 25]]) / 200
INDEPENDENT = np.outer([0.5, 0.3, 0.2], [0.25, 0.45, 0.3])


def simulated(shares, n):
    """Tables of n observations: one cell each, counts of x and y."""
    drawn = np.random.default_rng(20250101).multinomial(n, shares.ravel(), size=TABLES)
    x, y = (axis.ravel() for axis in np.indices(shares.shape))
    return pl.DataFrame(
        {
            "cell": np.repeat(np.arange(TABLES), 9),
            "x": np.tile(x, TABLES),
            "y": np.tile(y, TABLES),
            "count": drawn.ravel(),
        }
    )


def whole(shares):
    """The population: its coefficients are the truth."""
    x, y = (axis.ravel() for axis in np.indices(shares.shape))
    return pl.DataFrame({"x": x, "y": y, "count": np.rint(shares.ravel() * 10**8).astype(np.int64)})


def covered(estimates, truths):
    own = estimates.join(truths.select("term", pl.col("estimate").alias("truth")), on="term")
    inside = (pl.col("ci_low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("ci_high"))
    return dict(own.group_by("term").agg(inside.mean()).iter_rows())


@pytest.mark.slow
@pytest.mark.parametrize("n", [150, 1000])
def test_intervals_of_ordinal_association_cover(n):
    found = rank_association(simulated(DEPENDENT, n), ["cell"], "x", "y")
    rates = covered(found, rank_association(whole(DEPENDENT), [], "x", "y"))
    assert rates.keys() == set(COEFFICIENTS)
    assert all(abs(rate - 0.95) < within(0.015) for rate in rates.values()), rates


@pytest.mark.slow
def test_intervals_of_correlations_and_kappa_cover():
    tables = simulated(DEPENDENT, 400)
    for statistic, term in ((pearson, "pearson_r"), (spearman, "spearman_rho"), (agreement, "cohen_kappa")):
        rate = covered(statistic(tables, ["cell"], "x", "y"), statistic(whole(DEPENDENT), [], "x", "y"))[term]
        # Fisher's interval presumes normal scores, Bonett and Wright's ranks without ties.
        assert abs(rate - 0.95) < within(0.02), (term, rate)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 1000])
def test_tests_keep_their_level(n):
    tables = simulated(INDEPENDENT, n)
    for statistic in (rank_association, pearson, spearman, agreement):
        found = statistic(tables, ["cell"], "x", "y").filter(pl.col("p_value").is_not_null())
        rejected = dict(found.group_by("term").agg((pl.col("p_value") <= 0.05).mean()).iter_rows())
        assert all(abs(rate - 0.05) < within(0.01) for rate in rejected.values()), rejected
