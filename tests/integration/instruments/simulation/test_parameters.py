"""The true parameters are what estimates come close to, and what intervals cover as often as they should."""

from __future__ import annotations

from functools import cache
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tallybook import tally
from tallybook.analyses.estimating import estimate
from tallybook.instruments.simulation.writing import study_text
from tallybook.instruments.word_association.simulation import CONSTANT, WORDS, expected_bias
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.model import Study
from tests.integration.instruments.simulation import simulated
from tests.sizes import trials, within

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.instruments.simulation.plan import Plan

MODELS = trials(400)
"""Each model is a simulation of its own: its numbers depend on no other's."""
A_CELL = 150


def estimates(made: Plan, folder: Path) -> pl.DataFrame:
    """The study's estimates of the true outcomes: what the texts would give, for they are read without error."""
    folder.mkdir()
    path = folder / "study.toml"
    path.write_text(study_text(made, "responses.csv", "csv"), encoding="utf-8")
    study = _study(path.read_text(encoding="utf-8"))
    _, truth = simulated.together(made)
    coded = truth.with_columns(pl.lit(1, dtype=pl.Int64).alias("count"), pl.int_range(pl.len()).alias("position"))
    return estimate(study, tally.tally(coded, list(study.factors), study.outcomes), {}, {})


def _study(text: str) -> Study:
    import tomllib

    return Study.model_validate(tomllib.loads(text))


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_intervals_cover_the_truth_at_their_rate(instrument: str, tmp_path: Path) -> None:
    """Of 400 simulations with 150 responses a cell, 95% intervals cover each parameter about 380 times.

    The standard error of one parameter's rate is 0.011, and Wilson's and Newcombe's intervals of counts cover up to
    0.015 more or less than they should: by chance no parameter falls below 0.89, nor does their mean leave 0.93 to
    0.97.
    """
    cells = 2 * MODELS
    made = simulated.plan(instrument, rows=A_CELL * cells, models=MODELS, seed=5, refusals=0.1, malformed=0.1)
    names = ["analysis", *made.factors, "outcome", "term"]
    parameters = made.parameters()
    found = parameters.join(estimates(made, tmp_path / "s"), on=names, how="left", nulls_equal=True, validate="1:1")
    assert found["estimate"].null_count() == 0
    rates = found.group_by([name for name in names if name != "model"]).agg(
        ((pl.col("ci_low") <= pl.col("truth")) & (pl.col("truth") <= pl.col("ci_high"))).mean().alias("rate"), pl.len()
    )
    assert set(rates["len"]) == {MODELS}
    assert rates.filter(pl.col("rate") < 0.95 - within(0.06)).rows() == []
    assert abs(rates.select(pl.col("rate").mean()).item() - 0.95) < within(0.02)


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_estimates_come_close_to_the_truth(instrument: str, tmp_path: Path) -> None:
    made = simulated.plan(instrument, rows=3 * trials(200_000, 16), models=3, effects=(-0.7, 0.0, 0.45), seed=8)
    names = ["analysis", *made.factors, "outcome", "term"]
    found = made.parameters().join(estimates(made, tmp_path / "s"), on=names, how="left", nulls_equal=True)
    distance = (found["estimate"] - found["truth"]).abs()
    assert distance.null_count() == 0
    assert distance.max() < within(0.012, 16)  # four standard errors of a mean bias, the widest, are 0.01


@cache
def _slow_expectation(effect: float, kept: int) -> float:
    """The expected bias over all ways in which the kept words may go."""
    half, p = WORDS // 2, (1 + effect) / 2
    weights: list[float] = []
    values: list[float] = []
    for negative in range(max(0, kept - half), min(half, kept) + 1):
        ways = _choose(half, negative) * _choose(half, kept - negative) / _choose(WORDS, kept)
        for congruent in product((True, False), repeat=kept):
            counts = {"a": 0, "b": 0, "c": 0, "d": 0}
            for place, is_congruent in enumerate(congruent):
                counts[("a" if is_congruent else "c") if place < negative else ("d" if is_congruent else "b")] += 1
            weights.append(ways * p ** sum(congruent) * (1 - p) ** (kept - sum(congruent)))
            first = counts["a"] / (counts["a"] + counts["b"] + CONSTANT)
            values.append(first + counts["d"] / (counts["c"] + counts["d"] + CONSTANT) - 1)
    assert sum(weights) == pytest.approx(1)
    return sum(weight * value for weight, value in zip(weights, values, strict=True))


def _choose(n: int, k: int) -> int:
    return 1 if k in {0, n} else _choose(n - 1, k - 1) + _choose(n - 1, k)


@pytest.mark.parametrize(("effect", "kept"), list(product((-1.0, -0.3, 0.0, 0.6, 1.0), range(1, WORDS + 1))))
def test_the_expected_bias_is_that_of_all_answers(effect: float, kept: int) -> None:
    assert expected_bias(effect, kept) == pytest.approx(_slow_expectation(effect, kept), abs=1e-9)


def test_every_model_has_its_own_effect(tmp_path: Path) -> None:
    made = simulated.plan("absolute-decision", rows=60_000, models=3, effects=(-0.5, 0.0, 0.5))
    found = estimates(made, tmp_path / "s").filter(analysis="difference", term="yes").sort("model")
    assert found["estimate"].to_list() == pytest.approx([-0.5, 0.0, 0.5], abs=0.05)
    assert made.parameters().filter(analysis="difference", term="yes")["truth"].to_list() == [-0.5, 0.0, 0.5]


def test_power_is_that_of_the_test(tmp_path: Path) -> None:
    """Planning by simulation: the share of 400 simulated models whose t test finds the effect, and its exact power."""
    made = simulated.plan("relative-decision", rows=400 * 160, models=400, effects=(0.2,), refusals=0.1, seed=2)
    tests = estimates(made, tmp_path / "s").filter(analysis="test")
    found = (tests["p_value"] < 0.05).mean()
    expected = float(np.mean([_power(n, 0.6) for n in tests["n"]]))
    assert 0.5 < expected < 0.7
    assert found == pytest.approx(expected, abs=0.1)  # four standard errors


def _power(n: int, share: float) -> float:
    """The probability that the t test of n decisions against one half finds a share, summed over all counts."""
    counts = np.arange(1, n)
    shares = counts / n
    t = (shares - 0.5) / np.sqrt(shares * (1 - shares) / (n - 1))
    rejects = np.abs(t) > stats.t.ppf(0.975, n - 1)
    return float(stats.binom.pmf(counts[rejects], n, share).sum() + share**n + (1 - share) ** n)
