"""Joined estimates of cells that share clusters: all of it recomputed without each cluster."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.jackknife import LEFT_OUT, jackknifed, without_each

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.analyses.mean import OfCells
    from tallybook.study.analysis_base import Analysis, Inputs
    from tallybook.study.model import Study


def left_out(study: Study, chain: Sequence[OfCells], inputs: Inputs, cluster: str) -> pl.DataFrame:
    """Compute an analysis of estimates with the errors of the jackknife over clusters.

    Args:
        study: The study.
        chain: The analysis, and those that join estimates below it.
        inputs: What it is computed from; the tally keeps the clusters.
        cluster: The column of the clusters.

    Returns:
        The estimates: see `jackknife.jackknifed`.
    """
    analysis = chain[0]
    inner, of = analysis.of_responses(study), inputs.estimates(analysis.of)
    kept = [name for name in study.factors if name in _factors(inner) and name != cluster]
    parts = without_each(inputs.tally, cluster, analysis.by, kept)
    alone = {"by": (*inner.by, LEFT_OUT), "family": None}
    alone |= {"cluster": None} if hasattr(inner, "cluster") else {}
    alone |= {"interval": "t"} if hasattr(inner, "interval") else {}  # no bootstrap of every replicate
    found = inner.model_copy(update=alone).compute(study, inputs._replace(tally=parts))
    for one in reversed(chain):
        found = one.joined(found, (*one.by, LEFT_OUT))
    named = pl.col("method").str.replace(", normal interval", ", Student's interval", literal=True)
    method = pl.format("{}, error by leaving out one {} at a time", named, pl.lit(cluster))
    whole = analysis.joined(of, analysis.by).with_columns(method.alias("method"))
    return jackknifed(whole, found, analysis.by, of, confidence=analysis.confidence, null_value=analysis.tested_value)


def _factors(analysis: Analysis) -> set[str | None]:
    """List the factors that the counts of an analysis must keep."""
    return {*analysis.by, *(getattr(analysis, setting, None) for setting in ("factor", "between", "within"))}
