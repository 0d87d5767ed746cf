"""Estimates of several parts have the clusters of each, also of the part that n does not count: by leaving each out."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false
from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from tests.levels import coded, declared, estimates


def test_ratios_of_groups_in_different_clusters() -> None:
    """Each cluster is of one group; that with the largest share of all stays the divisor."""
    draw: Any = np.random.default_rng(3)
    group, item = np.tile(["young", "middle", "aged"], 80), np.repeat(np.arange(8), 30)
    right = draw.random(240) < np.where(group == "aged", 0.3, 0.5) + 0.2 * np.sin(2.0 * item + (group == "young"))
    cluster = np.char.add(group, item.astype(str))
    settings = {"statistic": "impact-ratio", "by": [], "factor": "group", "category": "right", "cluster": "item"}
    responses = coded(group, cluster, politics=np.where(right, "right", "left"))
    found = estimates(declared(settings | {"outcomes": ["politics"]}), responses)
    assert found["term"].to_list() == ["young", "middle", "aged"]  # as declared
    for row in found.filter(term="young").to_dicts() + found.filter(term="aged").to_dicts():
        own = [one for one in np.unique(cluster) if one.startswith((row["term"], "middle"))]

        def ratio(left_out: str = "", term: str = row["term"]) -> float:
            kept = cluster != left_out
            return float(np.log(right[kept & (group == term)].mean() / right[kept & (group == "middle")].mean()))

        error = np.sqrt(15 / 16 * sum((ratio(one) - ratio()) ** 2 for one in own))
        high = np.exp(ratio() + stats.t.ppf(0.975, 15) * error)
        assert (len(own), row["clusters"], row["df"]) == (16, 16, pytest.approx(15.0))
        assert (row["estimate"], row["ci_high"]) == pytest.approx((np.exp(ratio()), high), rel=1e-9)


def test_formulas_of_outcomes_in_different_clusters() -> None:
    draw: Any = np.random.default_rng(3)
    item, first = np.repeat(np.arange(20), 10), np.repeat(np.arange(20) < 12, 10)
    right, some = draw.random(200) < 0.5 + 0.3 * np.sin(item), draw.random(200) < 0.6 + 0.2 * np.cos(item)
    responses = coded(
        ["young"] * 200,
        item,
        politics=[("right" if one else "left") if own else None for one, own in zip(right, first, strict=True)],
        belief=[("some" if one else "centre") if not own else None for one, own in zip(some, first, strict=True)],
    )
    counts = {"r": {"politics": "right"}, "p": {"politics": ["right", "left"]}}
    counts |= {"s": {"belief": "some"}, "b": {"belief": ["some", "centre"]}}
    settings = {"statistic": "formula", "outcomes": ["politics", "belief"], "by": [], "cluster": "item"}
    found = estimates(declared(settings | {"counts": counts, "formulas": {"gap": "r / p - s / b"}}), responses)
    row = found.row(0, named=True)

    def gap(left_out: int = -1) -> float:
        kept = item != left_out
        return float(right[kept & first].mean() - some[kept & ~first].mean())

    error = np.sqrt(19 / 20 * sum((gap(one) - gap()) ** 2 for one in range(20)))
    assert (row["n"], row["clusters"]) == (120, 20)
    assert (row["estimate"], row["std_error"]) == pytest.approx((gap(), error), rel=1e-9)
