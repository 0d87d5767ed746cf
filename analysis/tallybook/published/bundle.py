"""Bundles: coded responses without texts, collapsed to distinct rows with counts, which give the same tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources.coded import coded_columns
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from tallybook.study.model import Study


def bundle(study: Study, coded: pl.DataFrame | pl.LazyFrame) -> pl.DataFrame:
    """Collapse coded responses to distinct rows with their `count`, in the order of first appearance."""
    coded_sources = [source for source in study.sources if isinstance(source, CodedSource) and not source.own]
    columns = list(coded_columns(study, coded_sources[0] if coded_sources else None))
    keys = [name for name in columns if name != "count"]
    distinct = coded.lazy().group_by(keys).agg(pl.col("count").sum(), pl.col("position").min())
    return distinct.collect(engine="streaming").sort("position").select(columns)
