"""How often intervals of means and of standardised differences cover the truth, by simulation."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose

from tallybook.statistics.means.contrasts import two_sample_contrasts
from tallybook.statistics.means.moments import summary_moments
from tallybook.statistics.means.student import t_tests
from tests.sizes import trials, within
from tests.unit.statistics.score_frames import GROUPS, contrasts_of, pair_frame


@pytest.mark.slow
@pytest.mark.parametrize("n", [50, 200, 1050])
def test_intervals_cover_and_tests_reject_as_often_as_they_say(n):
    generator = np.random.default_rng(20250805)
    cells, values, chances = (
        trials(20_000),
        np.arange(1.0, 6.0),
        np.array([[0.1, 0.2, 0.4, 0.2, 0.1], [0.3, 0.15, 0.1, 0.15, 0.3]]),
    )
    counts = np.stack([generator.multinomial(n, chance, size=cells) for chance in chances], axis=1)
    scores = pl.DataFrame(
        {
            "cell": np.repeat(np.arange(cells), 10),
            "group": np.tile(np.repeat(GROUPS, 5), cells),
            "value": np.tile(values, 2 * cells),
            "count": counts.ravel(),
        }
    )
    # Both distributions have mean 3.
    for design, null_value in (("one-sample", 3.0), ("two-sample", 0.0), ("welch", 0.0)):
        tests = t_tests(contrasts_of(design, scores, pair_frame([]), null_value), ["cell"])
        covered = ((tests["ci_low"] <= null_value) & (null_value <= tests["ci_high"])).mean()
        rejected = (tests["p_value"] < 0.05).mean()
        assert abs(covered - 0.95) < within(0.005)
        assert_allclose(rejected, 1 - covered, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "size"), [(5, 9, 1.5), (50, 50, 0.3), (20, 200, -0.8)])
def test_intervals_of_normal_scores_cover_as_often_as_they_say_and_g_has_no_bias(n, m, size):
    generator = np.random.default_rng(20250806)
    cells = trials(20_000)
    draws = [generator.normal(mean, 1.0, (cells, k)) for k, mean in ((n, size), (m, 0.0))]
    printed = pl.DataFrame(
        {
            "cell": np.tile(np.arange(cells), 2),
            "group": np.repeat(GROUPS, cells),
            "n": np.repeat([n, m], cells),
            "mean": np.concatenate([scores.mean(axis=1) for scores in draws]),
            "sd": np.concatenate([scores.std(axis=1, ddof=1) for scores in draws]),
        }
    )
    summary = summary_moments(printed, ["cell", "group"])
    for variances in ("equal", "unequal"):
        contrasts = two_sample_contrasts(summary, ["cell"], "group", GROUPS, variances=variances)
        sizes = t_tests(contrasts, ["cell"], effect="hedges_g", effect_interval=True)
        covered = ((sizes["effect_ci_low"] <= size) & (size <= sizes["effect_ci_high"])).mean()
        assert abs(covered - 0.95) < within(0.005 if variances == "equal" else 0.015)
        spread = sizes["effect"].std() / math.sqrt(cells)
        assert abs(sizes["effect"].mean() - size) < 4 * spread + (0 if variances == "equal" else 0.01)
