"""How often do tests of clustered responses reject true null hypotheses? Side by side with errors in use elsewhere.

    python benchmarks/coverage.py [REPLICATIONS] > docs/coverage.md

Every replication is a level of a factor, and everything is computed as a study file declares it. The simulation error
of a rate near 5 % is about 0.22 / sqrt(REPLICATIONS): 0.5 percentage points for 2,000.
"""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from clustered_samples import CLUSTERS, CUTS, LEVEL, SPREAD, Floats, Sample, responses, sample
from scipy.special import expit, ndtr, rel_entr

from tallybook.analyses.estimating import estimate
from tallybook.study.model import Study

if TYPE_CHECKING:
    from collections.abc import Iterator

COLUMNS = {
    "model": "",
    "item": "",
    "group": "",
    "every": "",
    "answer": "",
    "sample": "integer",
    "score": "number",
    "dose": "number",
}
DIVERGENCES = ("jensen-shannon", "kullback-leibler", "total-variation", "hellinger")


def marginal(shift: float) -> float:
    """The share of yes among all clusters."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    return float(weights @ expit(shift + SPREAD * nodes) / weights.sum())


def study(replications: int, reference: float, *, intervals: bool = False) -> tuple[Study, dict[str, pl.DataFrame]]:
    """The study of all replications: of tests, or of intervals of what has no test over clusters."""
    cells = {"outcomes": ["answer"], "by": ["model"]}
    scores = {"outcomes": ["score"], "by": ["model"]}
    pair = {"factor": "group", "levels": ["0", "1"]}
    declared = {
        "name": "clusters", "title": "Clusters", "key": ["model", "item", "sample"], "cluster": "item",
        "df": "effective",
        "sources": [{"format": "csv", "files": "x.csv", "columns": {
            name: {"path": name, **({"type": kind} if kind else {})} for name, kind in COLUMNS.items()}}],
        "instrument": {"kind": "profile"},
        "factors": {
            "model": {"label": "Model", "levels": {f"m{number}": f"m{number}" for number in range(replications)}},
            "group": {"label": "Group", "levels": {"0": "first", "1": "second"}},
            "every": {"label": "Every", "levels": {"all": "all"}},
        },
        "outcomes": {
            "answer": {"kind": "category", "label": "Answer", "attribute": "answer", "beside": ["dose"],
                       "labels": {"yes": ["yes"], "no": ["no"]}},
            "score": {"kind": "score", "label": "Score", "attribute": "score", "beside": ["dose"]},
            "dose": {"kind": "score", "label": "Dose", "attribute": "dose"},
        },
        "references": {"truth": {"file": "truth.csv", "by": [], "label": "the truth"}},
        "analyses": {
            "share": {"statistic": "proportion", "denominator": "coded", **cells},
            "test against reference": {"statistic": "binomial-test", "reference": "truth", **cells},
            "difference": {"statistic": "difference", **cells, **pair},
            "tau": {"statistic": "rank-association", **cells, "factor": "group", "levels": ["0", "1"]},
            "logistic slope": {"statistic": "logistic", "category": "yes", "predictors": ["dose"], **cells},
            "mean difference": {"statistic": "mean-difference", **scores, **pair},
            "correlation": {"statistic": "correlation", "outcomes": ["score", "dose"], "by": ["model"]},
        } if not intervals else {
            **{f"{kind} divergence": {"statistic": "group-divergence", **cells, "factor": "group", "kind": kind,
                                      "permutations": 1} for kind in DIVERGENCES},
            "odds ratio": {"statistic": "odds-ratio", **cells, **pair},
            "stereotype score": {"statistic": "stereotype-score", **cells, "between": "group", "within": "every"},
            "median": {"statistic": "score-summary", **scores},
        },
    }  # fmt: skip
    declared["analyses"] = {name.replace(" ", "-"): one for name, one in declared["analyses"].items()}
    truth = pl.DataFrame({"outcome": "answer", "category": "yes", "proportion": [reference]})
    return Study.model_validate(declared), {"truth": truth}


def tally(data: Sample, yes: Floats, score: Floats, dose: Floats) -> pl.DataFrame:
    """The tally by model, group and cluster."""
    replications, size = yes.shape
    base = pl.DataFrame({
        "model": np.repeat([f"m{number}" for number in range(replications)], size),
        "group": np.tile(data.group, replications).astype(str),
        "every": "all",
        "item": np.tile(data.cluster, replications).astype(str),
        "yes": yes.ravel(), "score": score.ravel(), "dose": dose.ravel(),
    })  # fmt: skip
    category = pl.when(pl.col("yes") > 0).then(pl.lit("yes")).otherwise(pl.lit("no"))
    nothing, number = pl.lit(None, dtype=pl.String), pl.lit(None, dtype=pl.Float64)
    parts = [
        base.with_columns(outcome=pl.lit("answer"), category=category, value=number),
        base.with_columns(outcome=pl.lit("score"), category=nothing, value=pl.col("score")),
        base.with_columns(outcome=pl.lit("dose"), category=nothing, value=pl.col("dose"), dose=number),
    ]
    keys = ["model", "group", "every", "item", "outcome", "category", "value", "dose"]
    counted = pl.concat(parts).group_by(keys).agg(pl.len().cast(pl.Int64).alias("count"))
    return counted.sort(keys).with_columns(status=pl.lit("ok"), first_seen=pl.lit(0, dtype=pl.Int64))


def elsewhere(data: Sample, yes: Floats, truth: float) -> Iterator[tuple[str, str, float]]:
    """How often other errors make the same answers significant: a share against its value, and a difference."""
    clusters = int(data.cluster.max()) + 1
    member = np.arange(clusters)[:, None] == data.cluster
    first = data.group == 0
    every, shares = np.ones(first.size, dtype=bool), [yes[:, one].mean(axis=1) for one in (first, ~first)]
    times = data.draw.multinomial(clusters, np.full(clusters, 1 / clusters), size=400).astype(float)

    def resampled(which: np.ndarray[Any, np.dtype[np.bool_]]) -> Floats:
        own = (member & which).astype(float)
        with np.errstate(all="ignore"):
            return (yes @ own.T) @ times.T / (times @ own.sum(axis=1))

    both = yes.mean(axis=1)
    for name, off, mean, scale, found in (
        ("share", both - truth, both[:, None], 1 / first.size, lambda: resampled(every) - truth),
        (
            "difference",
            shares[0] - shares[1],
            np.where(first, shares[0][:, None], shares[1][:, None]),
            np.where(first, 1 / first.sum(), -1 / (~first).sum()),
            lambda: resampled(first) - resampled(~first),
        ),
    ):
        parts = (yes - mean) * scale  # what each response adds to the estimate
        squares = np.square(parts @ member.T.astype(float)).sum(axis=1)
        errors = {
            "rows treated as independent": np.sqrt(np.square(parts).sum(axis=1)),
            # stderr(cluster=...): the squares of clusters, times G / (G - 1), and the normal distribution.
            "inspect_ai": np.sqrt(clusters / (clusters - 1) * squares),
        }
        for method, error in errors.items():
            with np.errstate(all="ignore"):
                yield name, method, float(np.mean(2 * ndtr(-np.abs(off / error)) < LEVEL))
        low, high = np.nanquantile(found(), [LEVEL / 2, 1 - LEVEL / 2], axis=1)
        yield name, "percentile bootstrap of clusters", float(np.mean((low > 0) | (high < 0)))


OF_SHARES = ("test-against-reference", "difference", "logistic-slope")
"""What is simulated for a rare answer, too."""


def rates(draw: np.random.Generator, replications: int, clusters: int, *, even: bool, paired: bool) -> dict[str, float]:
    """The share of rejections, by method."""
    found: dict[str, float] = {}
    for shift in (0.0, -2.0) if paired else (0.0,):
        truth = marginal(shift)
        data = sample(draw, replications, clusters, even=even, paired=paired)
        yes, score, dose = responses(data, shift, slope_between=not paired)
        declared, references = study(replications, truth)
        counted = tally(data, yes, score, dose)
        estimates = estimate(declared, counted, references, {}, {"item": counted})
        of = f" (share {truth:.2f})"
        if paired:
            own = estimates.filter(analysis="share", term="yes").drop_nulls("ci_low")
            missed = own.select((pl.col("ci_low") > truth) | (pl.col("ci_high") < truth)).to_series()
            found[f"share, interval{of}"] = float(np.mean(missed.to_numpy()))
        for name in OF_SHARES if shift else [one for one in declared.analyses if one != "share"]:
            tested = estimates.filter(pl.col("p_value").is_not_null(), analysis=name)
            own = tested.filter(term="dose") if name == "logistic-slope" else tested
            own = own.unique("model", maintain_order=True, keep="first")  # the test of "no" is that of "yes"
            if paired or name != "test-against-reference":
                label = name.replace("-", " ") + (of if name in OF_SHARES else "")
                found[label] = float(np.mean(own["p_value"].to_numpy() < LEVEL))
        for name, method, rate in elsewhere(data, yes, truth):
            if paired or name == "difference":
                found[f"{name}{of}: {method}"] = rate
    return found


HEAD = """# How often tests of clustered responses reject true null hypotheses

Per cent of {replications:,} replications at a level of 5 %, by the number of clusters, of 20 responses each or
(uneven) of 4 to 50. Between clusters the standard deviation is 1, on the log odds of answers, and of five-point
scores in units of that within clusters. Behind a colon stand errors in use elsewhere, on the same data; the others
are Tallybook's (CV3, with Student's t), as a study file with `cluster` gives them. Of replications in which there
is a test: with 5 clusters some have none, their status says so. A rate of 5 % is known to 0.5 percentage points
(one standard error). Made by `benchmarks/coverage.py`. Differences from a share of 0 in all clusters have an exact
test (see docs/estimates.md): 3.2 where they were 3.3. Differences from scores that are the same in all clusters have
the other group's variance: simulated with 1 to 10 answers a cluster and rare other scores, they reject up to 5.1 %
where clusters have both groups, 4.7 % where six to forty have one each, 6.2 % where five have.

Under the tables of tests stand intervals of what has no test over clusters, or whose test is its interval (odds
ratios, on the logarithm): how often they do not hold the true value, of half as many replications (a rate of 5 % is
known to 0.7 points), where both groups are within each cluster and a gap on the log odds lies between them.
Divergences and stereotype scores have theirs on the square root of a distance (of a squared one, the fourth root): on
the distance itself too few miss where groups are nearly alike. The interval of a median is that of the shares on each
side of it, on the log odds, as its jackknife does not exist: it misses less often than its level says.

Clusters of unequal sizes are as good as fewer of one size, G* = (sum of sizes)² / sum of squared sizes (Carter,
Schnepel & Steigerwald 2017). On G - 1 degrees of freedom tests then reject up to 7.5 % with five to ten clusters, the
smallest of 4 responses, the largest of 50; on G* - 1 they reject too few, as CV3 is above the variance where sizes
differ: 2.8 to 5.4 %. With `df = "effective"`, which `init` drafts where sizes differ more than twofold and the tables
below have, 1 / df is the mean of 1 / (G - 1) and, twice, 1 / (G* - 1): in 20,000 replications each with five, six,
eight and ten clusters 4.1 to 6.0 % of shares, differences in shares and in means, and tau, and 6.3 % of differences
between groups of three clusters each; 3.3 % where 11 responses a group are expected to say yes. The last table has
other sizes. Correlations and logistic slopes keep their level on G - 1, which is all that they have.
"""
"""What stands above the tables."""


def main(replications: int) -> None:
    """Print the tables."""
    print(HEAD.format(replications=replications))
    for paired, even in TABLES:
        print(table(replications, paired=paired, even=even), flush=True)
    for even in (True, False):
        print(table_of_misses(max(1, replications // 2), even=even), flush=True)


TABLES = [(paired, even) for paired in (True, False) for even in (True, False)]
"""Whether groups are within clusters, and whether these are of one size."""


def table(replications: int, *, paired: bool, even: bool) -> str:
    """A table of all numbers of clusters."""
    where = "Both groups within each cluster" if paired else "Each cluster of one group, with one dose"
    columns = {
        clusters: rates(np.random.default_rng(clusters), replications, clusters, even=even, paired=paired)
        for clusters in CLUSTERS
    }
    rows = [
        f"| {name} | " + " | ".join(f"{100 * found[name]:.1f}" for found in columns.values()) + " |\n"
        for name in sorted(columns[CLUSTERS[0]], key=lambda name: (":" in name, name))
    ]
    head = f"| | {' | '.join(map(str, CLUSTERS))} |\n|---{'|---:' * len(CLUSTERS)}|\n"
    return f"## {where}; clusters {'even' if even else 'uneven'}\n\n{head}{''.join(rows)}"


def misses(draw: np.random.Generator, replications: int, clusters: int, *, even: bool, gap: float) -> dict[str, float]:
    """How often the interval does not hold the true value: of a gap between the groups on the log odds."""
    data = sample(draw, replications, clusters, even=even, paired=True)
    log_odds: Floats = data.log_odds + gap * (data.group == 0)
    yes = (draw.random(log_odds.shape) < expit(log_odds)).astype(float)
    fine: Floats = np.round(data.log_odds + draw.normal(size=log_odds.shape), 1)
    found: dict[str, float] = {}
    for cuts, of in ((None, "median (scores to 0.1)"), (CUTS, "median (five-point scores)")):
        # A median between the cuts, not in the middle of a point.
        score: Floats = fine if cuts is None else 1.0 + np.searchsorted(cuts, (fine + 0.45).ravel()).reshape(fine.shape)
        declared, references = study(replications, 0.5, intervals=True)
        counted = tally(data, yes, score, np.zeros_like(score))
        estimates = estimate(declared, counted, references, {}, {"item": counted}).drop_nulls("ci_low")
        p, q = marginal(gap), marginal(0.0)
        both, other = np.array([p, 1 - p]), np.array([q, 1 - q])
        middle = (both + other) / 2
        bits = [float(rel_entr(one, middle).sum() / np.log(2)) for one in (both, other)]
        truths = {
            "jensen-shannon-divergence": sum(bits) / 2,
            "kullback-leibler-divergence": float(rel_entr(both, other).sum() / np.log(2)),
            "total-variation-divergence": p - q,
            "hellinger-divergence": float(np.sqrt(np.square(np.sqrt(both) - np.sqrt(other)).sum() / 2)),
            "odds-ratio": p / (1 - p) * (1 - q) / q,
            "stereotype-score": float(rel_entr(both, other).sum()),
            "median": 0.0 if cuts is None else 3.0,
        }
        terms = {"odds-ratio": "yes", "stereotype-score": "mean", "median": "median"}
        for name, truth in truths.items():
            own = estimates.filter(analysis=name)
            own = own.filter(term=terms[name]) if name in terms else own
            missed = own.select((pl.col("ci_low") > truth) | (pl.col("ci_high") < truth)).to_series()
            label = of if name == "median" else f"{name.replace('-', ' ')} (gap {gap:g})"
            found[label] = float(np.mean(missed.to_numpy()))
    return found


def table_of_misses(replications: int, *, even: bool) -> str:
    """A table of the intervals that miss, of all numbers of clusters."""
    columns: dict[int, dict[str, float]] = {}
    for clusters in CLUSTERS[:-1]:
        draw = np.random.default_rng(clusters)
        parts = [misses(draw, replications, clusters, even=even, gap=gap) for gap in (1.0, 0.5)]
        columns[clusters] = parts[1] | parts[0]
    rows = [
        f"| {name} | " + " | ".join(f"{100 * found[name]:.1f}" for found in columns.values()) + " |\n"
        for name in sorted(columns[CLUSTERS[0]])
    ]
    head = f"| | {' | '.join(map(str, columns))} |\n|---{'|---:' * len(columns)}|\n"
    return f"## Intervals that miss the true value; clusters {'even' if even else 'uneven'}\n\n{head}{''.join(rows)}"


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 2_000)
