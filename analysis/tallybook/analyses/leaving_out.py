"""Means and weighted sums of estimates that share clusters: all of it recomputed without each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tallybook.analyses.derived import of_estimates
from tallybook.statistics.jackknife import LEFT_OUT, jackknifed, without_each
from tallybook.study.analyses import Mean
from tallybook.study.check_terms import counted_by
from tallybook.study.score_analyses import Combination

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.study.analyses import Analysis, OfTally
    from tallybook.study.model import Study

Joined: TypeAlias = Mean | Combination
"""The analyses that join estimates of several cells."""


def left_out(
    study: Study,
    analysis: Joined,
    of: pl.DataFrame,
    *,
    tally: pl.DataFrame,
    cluster: str,
    compute: Callable[[OfTally, pl.DataFrame], pl.DataFrame],
) -> pl.DataFrame:
    """Compute an analysis of estimates with the errors of the jackknife over clusters.

    Args:
        study: The study.
        analysis: The analysis.
        of: The estimates that it is of.
        tally: The part of the tally that those are computed from, with the clusters.
        cluster: The column of the clusters.
        compute: Computes an analysis of a tally.

    Returns:
        The estimates: see `jackknife.jackknifed`.
    """
    inner = counted_by(study, analysis)
    chain: list[Joined] = [analysis]
    while isinstance(one := study.analyses[chain[-1].of], Mean | Combination):
        chain.append(one)
    kept = [name for name in study.factors if name in _factors(inner) and name != cluster]
    parts = without_each(tally, cluster, analysis.by, kept)
    alone = {"by": (*inner.by, LEFT_OUT), "family": None}
    alone |= {"cluster": None} if hasattr(inner, "cluster") else {}
    alone |= {"interval": "t"} if hasattr(inner, "interval") else {}  # no bootstrap of every replicate
    base = inner.model_copy(update=alone)
    found = compute(base, parts)
    for one in reversed(chain):
        found = of_estimates(one.model_copy(update={"by": (*one.by, LEFT_OUT)}), found, inner.by)
    null_value = analysis.null_value if isinstance(analysis, Combination) else None
    named = pl.col("method").str.replace(", normal interval", ", Student's interval", literal=True)
    method = pl.format("{}, error by leaving out one {} at a time", named, pl.lit(cluster))
    whole = of_estimates(analysis, of, inner.by).with_columns(method.alias("method"))
    return jackknifed(whole, found, analysis.by, of, confidence=analysis.confidence, null_value=null_value)


def _factors(analysis: Analysis) -> set[str | None]:
    """The factors that the counts of an analysis must keep."""
    return {*analysis.by, *(getattr(analysis, setting, None) for setting in ("factor", "between", "within"))}
