"""Analyses of responses whose clusters cross: computed by one column of clusters, by the other and by both."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.clusters import joined, parts_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import polars as pl

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study


def computed(study: Study, analysis: Analysis, compute: Callable[[Analysis, str], pl.DataFrame]) -> pl.DataFrame:
    """Compute an analysis, with two-way errors if its clusters cross; `compute` does it for a column of clusters."""
    column, scale = analysis.cluster_column(study) or "", analysis.crossed_scale
    if scale is None:
        return compute(analysis, column)
    from tallybook.analyses.leaving_out import SCALES
    from tallybook.statistics.two_way import two_way

    columns = parts_of(column)

    def clustered(by: Sequence[str]) -> pl.DataFrame:
        return compute(analysis.model_copy(update={"cluster": by, "crossed": False}), joined(tuple(by)) or "")

    first, second, both = clustered(columns[:1]), clustered(columns[1:]), clustered(columns)
    found = two_way(first, second, both, *SCALES[scale])
    names = (f" by {columns[0]}", f" one {columns[0]} at a time", f" each {columns[0]} with")
    said = found.get_column("method")
    for name in names:
        said = said.str.replace(name, name.replace(columns[0], " and ".join(columns)), literal=True)
    return found.with_columns(said.alias("method"))
