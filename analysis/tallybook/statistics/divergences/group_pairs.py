"""Pairs of groups with the counts of their categories: what divergences between groups are computed from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.inputs import counted
from tallybook.statistics.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]


@dataclass(frozen=True)
class Pairs:
    """All pairs of levels in all cells.

    Attributes:
        keys: A row a pair: the columns of its cell, the level P and the level Q.
        categories: How many categories each pair has.
        counts_p: How often each of them occurs in P, pair after pair.
        counts_q: How often it occurs in Q.
        widths: What the counts of each pair are padded to. Declared categories are not padded: all of them count.
    """

    keys: pl.DataFrame
    categories: Ragged
    counts_p: Integers
    counts_q: Integers
    widths: Integers

    def groups(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """The keys of the groups P and of the groups Q, a row a pair."""
        *cell, first, second = self.keys.columns
        return self.keys.select(*cell, first), self.keys.select(*cell, pl.col(second).alias(first))

    def tables(self, pairs: NDArray[np.intp], width: int) -> Integers:
        """The counts of some pairs: pairs x (P, Q) x categories."""
        sides = (self.categories.padded(counts, pairs, width) for counts in (self.counts_p, self.counts_q))
        return np.stack(list(sides), axis=1)


def level_pairs(
    frame: pl.DataFrame,
    by: Sequence[str],
    between: str,
    category: str,
    *,
    levels: Sequence[object] | None,
    categories: Sequence[object] | None,
    both_directions: bool,
) -> Pairs:
    """Pair the levels of a factor in every cell."""
    named = [*by, between, category]
    twice = [name for place, name in enumerate(named) if name in named[:place]]
    if twice:
        raise ValueError(f"column {twice[0]!r} is named twice")
    renamed = dict(zip(named, [*_numbered(by), "level", "category"], strict=True))
    counts = counted(frame, [*by, between], [category]).rename(renamed)
    groups = frame.select(*by, between).unique().rename({name: renamed[name] for name in (*by, between)})
    kind = groups.schema["level"]
    order = groups.get_column("level").drop_nulls().unique().sort() if levels is None else pl.Series(levels, dtype=kind)
    ranked = order.unique(maintain_order=True).alias("level").to_frame().with_row_index("rank")
    groups = groups.join(ranked, on="level")
    keys = _paired(groups, _numbered(by), both_directions=both_directions)
    entries = _entries(keys, counts, _numbered(by))
    if categories is not None:
        declared = pl.Series("category", categories, dtype=counts.schema["category"]).unique(maintain_order=True)
        every = keys.select("pair").join(declared.to_frame().with_row_index("place"), how="cross")
        entries = every.join(entries, on=["pair", "category"], how="left").sort("pair", "place").fill_null(0)
    lengths = Ragged(np.bincount(entries.get_column("pair").to_numpy(), minlength=keys.height))
    names = [*by, f"{between}: P", f"{between}: Q"]
    return Pairs(
        keys.select([*_numbered(by), "level", "level_other"]).rename(
            dict(zip([*_numbered(by), "level", "level_other"], names, strict=True))
        ),
        lengths,
        entries.get_column("p").to_numpy(),
        entries.get_column("q").to_numpy(),
        lengths.widths() if categories is None else lengths.lengths,
    )


def _numbered(by: Sequence[str]) -> list[str]:
    return [f"by_{place}" for place in range(len(by))]


def _paired(groups: pl.DataFrame, cell: Sequence[str], *, both_directions: bool) -> pl.DataFrame:
    """Every two groups of a cell."""
    if cell:
        pairs = groups.join(groups, on=cell, nulls_equal=True, suffix="_other")
    else:
        pairs = groups.join(groups, how="cross", suffix="_other")
    rank, other = pl.col("rank"), pl.col("rank_other")
    wanted = rank != other if both_directions else rank < other
    return pairs.filter(wanted).sort(*cell, "rank", "rank_other").with_row_index("pair")


def _entries(keys: pl.DataFrame, counts: pl.DataFrame, cell: Sequence[str]) -> pl.DataFrame:
    """The categories that occur in each pair, with their counts `p` and `q`, sorted."""
    sides = [
        keys.select("pair", *cell, pl.col(level).alias("level"))
        .join(counts, on=[*cell, "level"], nulls_equal=True)
        .select("pair", "category", *(pl.col("count").alias(name) if name == side else _none(name) for name in "pq"))
        for level, side in (("level", "p"), ("level_other", "q"))
    ]
    return pl.concat(sides).group_by("pair", "category").agg(pl.col("p", "q").sum()).sort("pair", "category")


def _none(name: str) -> pl.Expr:
    return pl.lit(0, dtype=pl.Int64).alias(name)
