"""Responses that repeat, in a study that does not say what its clusters are."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.study.analysis_base import Clustered, OfResponses

if TYPE_CHECKING:
    from tallybook.study.model import Study


class Repeated(NamedTuple):
    """The number of responses to a number of items."""

    responses: int
    items: int


def repeated(study: Study, coded: pl.LazyFrame) -> Repeated | None:
    """Count responses and items, where items repeat and the study neither names clusters nor declines them."""
    if not counts_items(study) or "item" not in coded.collect_schema().names():
        return None
    counted = coded.select(
        responses=pl.col("count").sum(),
        different=pl.struct("model", "item").n_unique(),
        items=pl.col("item").n_unique(),
    )
    responses, different, items = counted.collect(engine="streaming").row(0)
    return Repeated(responses, items) if responses > different and items > 1 else None


def counts_items(study: Study) -> bool:
    """Tell whether items are counted: the study does not say what its clusters are, and something rests on it."""
    silent = (one for one in study.analyses.values() if isinstance(one, OfResponses) and _is_silent(one))
    return study.cluster is None and any(silent)


def _is_silent(analysis: OfResponses) -> bool:
    return isinstance(analysis, Clustered) and analysis.cluster is None and analysis.not_clustered() is None
