"""Responses of the small study with given outcomes, and the estimates of one analysis of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.analyses.estimating import clusters, estimate
from tallybook.study.model import Study
from tallybook.tally import by_cluster, tally
from tests.unit.statistics.frames import DECLARATION

if TYPE_CHECKING:
    from collections.abc import Mapping

OUTCOMES: dict[str, Any] = {"politics": pl.String, "belief": pl.String, "job": pl.String, "score": pl.Float64}


def declared(analysis: Mapping[str, Any], **changes: Any) -> Study:
    """The small study with one analysis, `tested`."""
    return Study.model_validate(DECLARATION | {"analyses": {"tested": dict(analysis)}, "key": ["item"]} | changes)


def coded(group: Any, item: Any, **columns: Any) -> pl.DataFrame:
    """Coded responses, one a group and item; outcomes that are not given are null."""
    values: dict[str, Any] = {"group": group, "item": [str(one) for one in item]} | columns
    frame = pl.DataFrame(values, strict=False)
    given = {"model": "zeta", "dimension": "age", "status": "ok", "count": 1}
    frame = frame.with_columns(pl.lit(value).alias(name) for name, value in given.items() if name not in columns)
    absent = [pl.lit(None, dtype=kind).alias(name) for name, kind in OUTCOMES.items() if name not in columns]
    casts = [pl.col(name).cast(kind) for name, kind in OUTCOMES.items() if name in columns]
    return frame.with_columns(*absent, *casts, pl.int_range(pl.len()).alias("position"))


def estimates(
    study: Study, responses: pl.DataFrame, references: Mapping[str, pl.DataFrame] | None = None
) -> pl.DataFrame:
    """The estimates of a study's analyses of responses."""
    factors = list(study.factors)
    counted = tally(responses, factors, study.outcomes)
    clustered = by_cluster(responses.lazy(), factors, study.outcomes, clusters(study))
    return estimate(study, counted, references or {}, {}, clustered)
