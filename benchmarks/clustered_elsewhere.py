"""The same simulated responses by inspect_ai and evalstats themselves: how often are true null hypotheses rejected?

    python benchmarks/clustered_elsewhere.py [REPLICATIONS] >> docs/coverage.md

Needs both packages and no Tallybook: `pip install inspect_ai evalstats` into an environment of their own.
"""

# pyright: basic, reportMissingImports=false
from __future__ import annotations

import sys
import warnings
from importlib.metadata import version
from typing import Any

import numpy as np
from clustered_samples import CLUSTERS, LEVEL, Floats, responses, sample
from scipy.special import ndtr

FEWEST = 15
"""evalstats compares nothing on fewer items."""


def by_inspect_ai(yes: Floats, cluster: Any) -> dict[str, bool]:  # noqa: ANN401
    """Whether a share of 1/2 is rejected by its clustered error and the normal, and by its clustered interval."""
    from inspect_ai.scorer import SampleScore, Score, stderr
    from inspect_ai.scorer._metrics.std import ci

    scores = [
        SampleScore(score=Score(value=float(value)), sample_metadata={"item": int(item)})
        for value, item in zip(yes, cluster, strict=True)
    ]
    error: Any = stderr(cluster="item")(scores)
    limits: Any = ci(cluster="item")(scores)
    return {
        "share: inspect_ai stderr(cluster), normal": bool(2 * ndtr(-abs(yes.mean() - 0.5) / error) < LEVEL),
        "share: inspect_ai ci(cluster), t": not limits["lower"] <= 1 / 2 <= limits["upper"],
    }


def by_evalstats(yes: Floats, cluster: Any, group: Any) -> dict[str, bool]:  # noqa: ANN401
    """Whether a share of 1/2, and equal shares of two groups, are rejected."""
    import evalstats
    import pandas as pd

    number = int(cluster.max()) + 1
    shares = [yes[cluster == item].mean() for item in range(number)]
    found = {"share: evalstats mean_ci of responses": yes, "share: evalstats mean_ci of means of clusters": shares}
    rejected: dict[str, bool] = {}
    for name, values in found.items():
        interval = evalstats.mean_ci(values)
        rejected[name] = not interval.ci_low <= 1 / 2 <= interval.ci_high
    if number >= FEWEST:
        run = np.concatenate([np.arange(size).repeat(2)[:size] for size in np.bincount(cluster)])
        rows = pd.DataFrame({"model": group.astype(str), "item": cluster, "run": run, "score": yes.astype(int)})
        pairs = evalstats.compare(evalstats.load_from(rows), factors="model").pairwise
        rejected["difference: evalstats compare"] = next(iter(pairs.results.values())).p_value < LEVEL
    return rejected


def main(replications: int) -> None:
    """Print the table: both groups within each cluster, clusters even, share 1/2."""
    warnings.simplefilter("ignore")
    columns: dict[int, dict[str, float]] = {}
    for clusters in CLUSTERS:
        data = sample(np.random.default_rng(clusters), replications, clusters, even=True, paired=True)
        yes = responses(data, 0.0, slope_between=False)[0]
        rows = [by_inspect_ai(own, data.cluster) | by_evalstats(own, data.cluster, data.group) for own in yes]
        columns[clusters] = {name: float(np.mean([row[name] for row in rows])) for name in rows[0]}
    names = sorted(columns[CLUSTERS[-1]])
    cells = [[f"{100 * columns[at][name]:.1f}" if name in columns[at] else "–" for at in CLUSTERS] for name in names]
    made = f"inspect_ai {version('inspect_ai')} and evalstats {version('evalstats')} on {replications:,} replications"
    print(
        "\n## The packages themselves; both groups within each cluster; clusters even; share 0.50\n\n"
        f"{made} of the same design, as\ntheir users call them (`benchmarks/clustered_elsewhere.py`). evalstats "
        "refuses comparisons of fewer than 15 items.\n"
    )
    print(f"| | {' | '.join(map(str, CLUSTERS))} |\n|---{'|---:' * len(CLUSTERS)}|")
    print("\n".join(f"| {name} | {' | '.join(own)} |" for name, own in zip(names, cells, strict=True)))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000)
