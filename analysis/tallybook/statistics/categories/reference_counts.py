"""Counts of categories beside the proportions that a reference gives them, cell by cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from tallybook.statistics.inputs import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

CELL = "_cell"
"""The number of a cell in both frames, from 0."""

# Proportions that add up to 1 this closely are a distribution: the convention of R's chisq.test.
_SUM_TOLERANCE = float(np.sqrt(np.finfo(np.float64).eps))


class ReferenceCounts(NamedTuple):
    """The cells of a tally, and the categories of those that can be tested."""

    cells: pl.DataFrame
    """The `by` columns, `_cell`, `n`, `total` (the sum of the proportions), `missing` and `tested`; sorted."""
    entries: pl.DataFrame
    """`_cell`, the category, `count` and `proportion`, which adds up to 1; the tested cells only, sorted."""


def reference_counts(
    frame: pl.DataFrame,
    by: Sequence[str],
    category: str,
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    rescale: bool,
) -> ReferenceCounts:
    """Put the reference proportions of every cell's categories beside their counts."""
    observed = counted(frame, by, [category])
    known = _known(references, reference_by, category, largest=float("inf") if rescale else 1.0)
    if known.schema[category] != observed.schema[category]:
        raise ValueError(
            f"{category!r} is {observed.schema[category]} and {known.schema[category]} in the references: "
            "expected one type"
        )
    cells = frame.select(by).unique().sort(by) if by else pl.DataFrame({CELL: [0]})
    cells = cells.with_columns(pl.int_range(pl.len(), dtype=pl.Int64).alias(CELL))
    alone = observed.with_columns(pl.lit(0, pl.Int64).alias(CELL))
    seen = observed.join(cells, on=by, how="left", nulls_equal=True) if by else alone
    wanted = cells.join(known, on=reference_by, nulls_equal=True) if reference_by else cells.join(known, how="cross")
    entries = (
        wanted.select(CELL, category, "proportion")
        .join(seen.select(CELL, category, "count"), on=[CELL, category], how="full", coalesce=True)
        .with_columns(pl.col("count").fill_null(0))
        .sort(CELL, category)
    )
    proportion, total = pl.col("proportion"), pl.col("total")
    sums = entries.group_by(CELL).agg(
        pl.col("count").sum().alias("n"), proportion.sum().alias("total"), proportion.is_null().any().alias("missing")
    )
    is_sum = (total > 0) if rescale else ((total - 1).abs() < _SUM_TOLERANCE)
    cells = (
        cells.join(sums, on=CELL, how="left", maintain_order="left")
        .with_columns(pl.col("n").fill_null(0), total.fill_null(0.0), pl.col("missing").fill_null(value=True))
        .with_columns(((pl.col("n") > 0) & ~pl.col("missing") & is_sum).alias("tested"))
    )
    tested = entries.join(cells.filter("tested").select(CELL, "total"), on=CELL, maintain_order="left")
    # In numpy: polars may multiply by the reciprocal of a repeated denominator, and be off in the last digit.
    parts, whole = (tested.get_column(name).to_numpy() for name in ("proportion", "total"))
    shares = pl.Series("proportion", parts / whole, dtype=pl.Float64)
    return ReferenceCounts(cells=cells, entries=tested.select(CELL, category, "count").with_columns(shares))


def _known(references: pl.DataFrame, reference_by: Sequence[str], category: str, *, largest: float) -> pl.DataFrame:
    """Check the references; invalid proportions, and weights that cannot be rescaled, become null."""
    wanted = [*reference_by, category, "proportion"]
    missing = [name for name in wanted if name not in references.columns]
    if missing:
        raise ValueError(f"the references have no column {missing[0]!r}: expected {', '.join(wanted)}")
    known = references.select(*reference_by, category, pl.col("proportion").cast(pl.Float64))
    twice = known.filter(known.select(*reference_by, category).is_duplicated())
    if twice.height:
        raise ValueError(f"the references give {twice.row(0)[:-1]} twice: expected one proportion")
    proportion = pl.col("proportion")
    return known.with_columns(pl.when(proportion.is_finite() & proportion.is_between(0, largest)).then(proportion))
