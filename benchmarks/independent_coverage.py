"""Do 95% intervals cover, and do tests at 5% reject, as often as they say? Simulated at the sizes the studies use.

    python benchmarks/independent_coverage.py [REPLICATIONS] > docs/independent-coverage.md

Every replication is a cell, so that one call analyses all of them. The simulation error of a rate near 95% is about
0.22 / sqrt(REPLICATIONS): 0.15 percentage points for 20,000.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tallybook.statistics.association.correlation import pearson
from tallybook.statistics.association.rank_association import rank_association
from tallybook.statistics.bootstrap.intervals import bootstrap_intervals
from tallybook.statistics.categories.goodness_of_fit import goodness_of_fit
from tallybook.statistics.logistic.regression import logistic_regression
from tallybook.statistics.means.contrasts import one_sample_contrasts, two_sample_contrasts
from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.student import t_tests
from tallybook.statistics.proportions.binomial import two_sided_p_value
from tallybook.statistics.proportions.intervals import proportion_interval
from tallybook.statistics.proportions.two_proportions import two_proportions

if TYPE_CHECKING:
    from collections.abc import Iterator

SCORES = np.arange(1.0, 6.0)
EVEN = np.array([0.1, 0.2, 0.4, 0.2, 0.1])
LEVEL = 0.05
SKEWED = np.array([0.5, 0.25, 0.15, 0.07, 0.03])


class Rate(NamedTuple):
    """How often an interval covered or a test rejected."""

    method: str
    setting: str
    kind: str
    rate: float


def main(replications: int) -> None:
    """Print the table."""
    print("# How often intervals cover and tests reject\n")
    print(f"{replications:,} replications each; 95% intervals, tests at 5% under the null hypothesis.")
    print("Exact tests of counts cannot reject in exactly 5% of cases: they stay below.\n")
    print("| method | setting | rate | % |\n|---|---|---|---:|")
    for simulation in (proportions, means, differences, ordinal, correlations, distributions, regressions, bootstraps):
        for rate in simulation(np.random.default_rng(20_251_120), replications):
            print(f"| {rate.method} | {rate.setting} | {rate.kind} | {100 * rate.rate:.1f} |")


def proportions(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """Intervals of a proportion, and its exact test."""
    for n, p in ((50, 0.1), (50, 0.5), (500, 0.1), (500, 0.5)):
        k = generator.binomial(n, p, replications)
        for interval in ("wilson", "clopper-pearson", "jeffreys"):
            low, high = proportion_interval(k, n, interval=interval)
            yield Rate(interval, f"n = {n}, p = {p}", "covers", float(np.mean((low <= p) & (p <= high))))
        rejected = float(np.mean(two_sided_p_value(k, n, p) < LEVEL))
        yield Rate("exact binomial test", f"n = {n}, p = {p}", "rejects", rejected)


def means(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """The t test and interval of a mean of five-point scores."""
    for name, shape in (("symmetric", EVEN), ("skewed", SKEWED)):
        for n in (50, 200):
            truth = float(SCORES @ shape)
            values = counted(generator.multinomial(n, shape, replications), value=SCORES)
            results = t_tests(one_sample_contrasts(moments(values, ["cell"]), ["cell"], null_value=truth), ["cell"])
            yield from rates("one-sample t", f"five-point, {name}, n = {n}", results, truth)


def differences(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """Welch's test and Newcombe's interval of a difference."""
    truth = float(SCORES @ EVEN - SCORES @ SKEWED)
    groups = [
        counted(generator.multinomial(n, shape, replications), value=SCORES).with_columns(group=pl.lit(name))
        for name, n, shape in (("a", 50, EVEN), ("b", 100, SKEWED))
    ]
    summary = moments(pl.concat(groups), ["cell", "group"])
    contrasts = two_sample_contrasts(summary, ["cell"], "group", ("a", "b"), null_value=truth)
    yield from rates("Welch's t", "five-point, n = 50 and 100", t_tests(contrasts, ["cell"]), truth)
    for first, second in ((0.5, 0.3), (0.1, 0.1)):
        shares = [
            counted(np.column_stack([k, 50 - k]), success=np.array([1, 0])).with_columns(group=pl.lit(name))
            for name, p in (("a", first), ("b", second))
            for k in [generator.binomial(50, p, replications)]
        ]
        found = two_proportions(pl.concat(shares), ["cell"], "group", "success", levels=("a", "b"))
        own = found.filter(pl.col("term") == "risk_difference")
        for rate in rates("Newcombe, Fisher", f"p = {first} and {second}, n = 50 each", own, first - second):
            if rate.kind == "covers" or first == second:
                yield rate


def ordinal(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """Rank association of a sign and a three-point polarity, as attribute choices have them."""
    independent = np.outer([0.5, 0.5], [0.2, 0.3, 0.5])
    associated = np.array([[0.2, 0.2, 0.1], [0.05, 0.15, 0.3]])
    places = np.array([(x, y) for x in (-1.0, 1.0) for y in (-1.0, 0.0, 1.0)])
    for name, shape in (("independent", independent), ("associated", associated)):
        surplus = sum(
            np.sign((places[i] - places[j]).prod()) * shape.ravel()[i] * shape.ravel()[j]
            for i in range(6)
            for j in range(6)
        )
        for n in (100, 500):
            pairs = counted(generator.multinomial(n, shape.ravel(), replications), x=places[:, 0], y=places[:, 1])
            found = rank_association(pairs, ["cell"], "x", "y", coefficients=["tau_c"])
            for rate in rates("Stuart's tau-c", f"2 x 3, {name}, n = {n}", found, 2.0 * float(surplus)):
                if rate.kind == "covers" or name == "independent":
                    yield rate


def correlations(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """Pearson's r with Fisher's interval; normal variables."""
    few, n = replications // 10, 50
    for truth in (0.0, 0.5):
        x = generator.normal(size=(few, n))
        y = truth * x + np.sqrt(1 - truth**2) * generator.normal(size=(few, n))
        cell = np.repeat(np.arange(few), n)
        rows = pl.DataFrame({"cell": cell, "x": x.ravel(), "y": y.ravel(), "count": np.ones(few * n, np.int64)})
        for rate in rates("Pearson's r", f"normal, r = {truth}, n = {n}", pearson(rows, ["cell"], "x", "y"), truth):
            if rate.kind == "covers" or truth == 0:
                yield rate


def distributions(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """Goodness of fit of five categories."""
    names = [f"c{place}" for place in range(len(SKEWED))]
    references = pl.DataFrame({"category": names, "proportion": SKEWED})
    for n in (50, 500):
        counts = counted(generator.multinomial(n, SKEWED, replications), category=np.array(names))
        found = goodness_of_fit(counts, ["cell"], "category", references, [], tests=("chi_square", "g"))
        for term in ("chi_square", "g"):
            p_values = found.filter(pl.col("term") == term).get_column("p_value").to_numpy()
            yield Rate(
                f"goodness of fit, {term}", f"five categories, n = {n}", "rejects", float(np.mean(p_values < LEVEL))
            )


def regressions(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """Logistic regression on a predictor with nine values, at the 617 rows of the association study."""
    few, n = replications // 10, 617
    values = np.linspace(-1, 1, 9)
    for truth in (0.0, 1.0):
        chosen = generator.multinomial(n, np.full(9, 1 / 9), few)
        ones = generator.binomial(chosen, 1 / (1 + np.exp(-(0.5 + truth * values))))
        frame = pl.concat(
            [
                counted(counts, x=values).with_columns(decision=pl.lit(outcome))
                for outcome, counts in ((1, ones), (0, chosen - ones))
            ]
        )
        found = logistic_regression(frame, ["cell"], ["x"], outcome="decision").filter(pl.col("term") == "x")
        for rate in rates("logistic slope, Wald", f"b = {truth}, n = {n}", found, truth):
            if rate.kind == "covers" or truth == 0:
                yield rate


def bootstraps(generator: np.random.Generator, replications: int) -> Iterator[Rate]:
    """The computed bootstrap of a mean of five-point scores."""
    few = replications // 10
    for n in (50, 200):
        truth = float(SCORES @ SKEWED)
        values = counted(generator.multinomial(n, SKEWED, few), value=SCORES)
        for interval in ("percentile", "basic", "bca"):
            found = bootstrap_intervals(values, ["cell"], "value", interval=interval)
            setting = f"mean, five-point, skewed, n = {n}"
            yield from rates(f"bootstrap, {interval}", setting, found, truth)


def counted(counts: np.ndarray, **values: np.ndarray) -> pl.DataFrame:
    """One row for each cell (row of the counts) and value (column) that occurs."""
    cells, places = np.nonzero(counts)
    columns = {name: given[places] for name, given in values.items()}
    return pl.DataFrame({"cell": cells, **columns, "count": counts[cells, places].astype(np.int64)})


def rates(method: str, setting: str, estimates: pl.DataFrame, truth: float) -> Iterator[Rate]:
    """How often the intervals of estimates cover the truth and, where there are p-values, how often they reject."""
    covered = estimates.select(((pl.col("ci_low") <= truth) & (truth <= pl.col("ci_high"))).mean()).item()
    yield Rate(method, setting, "covers", covered)
    if estimates.get_column("p_value").null_count() < estimates.height:
        yield Rate(method, setting, "rejects", estimates.select((pl.col("p_value") < LEVEL).mean()).item())


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 20_000)
