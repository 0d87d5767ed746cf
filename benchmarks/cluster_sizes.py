"""How many degrees of freedom do tests have whose clusters differ in size? The weights of the effective number.

    python benchmarks/cluster_sizes.py [REPLICATIONS]

Tests of true null hypotheses with the jackknife over clusters (CV3), on G - 1, on G* - 1 (Carter, Schnepel &
Steigerwald 2017), and on the degrees of freedom between them that Tallybook takes; see docs/coverage.md.
"""

from __future__ import annotations

import sys

import numpy as np
from clustered_samples import LEVEL, Floats
from scipy.special import expit, stdtr

SIZES = {
    "4 to 50, five clusters": [4, 16, 26, 38, 50],
    "4 to 50, ten clusters": [4, 10, 14, 20, 24, 30, 34, 40, 44, 50],
    "half of 10, half of 50, ten clusters": [10] * 5 + [50] * 5,
    "200 / 1, 200 / 2 ..., ten clusters": [200, 100, 66, 50, 40, 34, 28, 24, 22, 20],
    "lognormal, twenty clusters": [2 * max(1, round(10 * np.exp(1.2 * z))) for z in np.linspace(-1.6, 1.6, 20)],
    "two of 100, eight of 10": [10] * 8 + [100] * 2,
    "one of 180, nine of 20": [20] * 9 + [180],
}


def jackknifed(whole: Floats, without: Floats) -> Floats:
    """The t statistic of a hypothesis that is true: 0."""
    groups = without.shape[1]
    with np.errstate(all="ignore"):
        return whole / np.sqrt((groups - 1) / groups * np.square(without - whole[:, None]).sum(axis=1))


def statistics(draw: np.random.Generator, sizes: Floats, replications: int) -> dict[str, Floats]:
    """The t statistics of a mean, and of a difference in shares within clusters and between them."""
    shape = (replications, sizes.size)
    between, half = draw.normal(size=shape), sizes // 2
    found: dict[str, Floats] = {}
    total = sizes * between + np.sqrt(sizes) * draw.normal(size=shape)
    whole = total.sum(axis=1)
    found["mean"] = jackknifed(whole / sizes.sum(), (whole[:, None] - total) / (sizes.sum() - sizes))
    first, second = (draw.binomial(half.astype(int), expit(between)).astype(float) for _ in range(2))
    gap = first - second
    whole = gap.sum(axis=1)
    found["difference within"] = jackknifed(whole / half.sum(), (whole[:, None] - gap) / (half.sum() - half))
    yes, group = draw.binomial(sizes.astype(int), expit(between)).astype(float), np.arange(sizes.size) % 2
    difference, without = np.zeros(replications), np.zeros(shape)
    for place, sign in ((group == 0, 1.0), (group == 1, -1.0)):
        own, n = yes * place, sizes * place
        difference += sign * own.sum(axis=1) / n.sum()
        without += sign * (own.sum(axis=1)[:, None] - own) / (n.sum() - n)
    return found | {"difference between": jackknifed(difference, without)}


def main(replications: int) -> None:
    """Print the table."""
    print("| sizes | | G - 1 | G* - 1 | taken |\n|---|---|---:|---:|---:|")
    for name, own in SIZES.items():
        sizes = np.array(own, dtype=np.float64)
        most, fewest = sizes.size - 1.0, sizes.sum() ** 2 / np.square(sizes).sum() - 1.0
        choices = (most, fewest, max(1.0, 3.0 * most * fewest / (2.0 * most + fewest)))
        for statistic, t in statistics(np.random.default_rng(7), sizes, replications).items():
            known = np.abs(t[np.isfinite(t)])
            rates = " | ".join(f"{100 * np.mean(2 * stdtr(df, -known) < LEVEL):.1f}" for df in choices)
            print(f"| {name} | {statistic} | {rates} |")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 40_000)
