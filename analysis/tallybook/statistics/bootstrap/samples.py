"""The units of a bootstrap: the distinct values of cells, or the distinct contents of their clusters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.inputs import counted
from tallybook.statistics.ragged import Ragged

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]
    Integers: TypeAlias = NDArray[np.int64]
    Cells: TypeAlias = NDArray[np.intp]


@dataclass(frozen=True)
class Clusters:
    """The distinct contents of clusters, cell after cell: clusters with the same counts are the same unit."""

    units: Ragged  # how many distinct contents each cell has
    multiplicity: Integers  # how many clusters hold each
    sizes: Integers  # how many observations each holds
    entries: Ragged  # how many entries each cell has, one for each unit and value that it holds
    entry_unit: Integers  # the unit, counted within its cell
    entry_position: Integers  # the value, counted within its cell
    entry_count: Integers  # how often the unit holds the value

    def contents(self, cells: Cells, units: int, positions: int) -> Floats:
        """The values of the units of some cells: cells x units x positions, padded with 0."""
        entry, row = self.entries.located(cells)
        held = np.zeros((cells.size, units, positions))
        held[row, self.entry_unit[entry], self.entry_position[entry]] = self.entry_count[entry]
        return held


@dataclass(frozen=True)
class Samples:
    """The samples of all cells."""

    cells: pl.DataFrame  # the cells' keys, a row a cell, sorted
    positions: Ragged  # how many distinct values each cell has
    counts: Integers  # how often each occurs
    values: tuple[NDArray[Any], ...]  # an array a value column: the distinct values
    clusters: Clusters | None  # how the observations are clustered, if they are

    @property
    def units(self) -> Ragged:
        """The number of distinct units, values or contents of clusters, of each cell."""
        return self.clusters.units if self.clusters else self.positions

    @property
    def multiplicity(self) -> Integers:
        """The frequency of each unit."""
        return self.clusters.multiplicity if self.clusters else self.counts

    def unit_means(self) -> tuple[Floats, NDArray[np.bool_]]:
        """The mean value of each unit, and in which cells all units are of one size."""
        own = self.clusters
        if own is None:
            return self.values[0], np.ones(self.cells.height, dtype=bool)
        owner = own.entries.owners()
        unit = own.units.starts()[owner] + own.entry_unit
        values = self.values[0][self.positions.starts()[owner] + own.entry_position]
        with np.errstate(all="ignore"):
            means = np.bincount(unit, weights=own.entry_count * values, minlength=own.sizes.size) / own.sizes
        first = np.zeros(own.units.lengths.size, dtype=np.int64)
        some = own.units.lengths > 0
        first[some] = own.sizes[own.units.starts()[some]]
        return means, own.units.sums(own.sizes != np.repeat(first, own.units.lengths)) == 0


def samples(frame: pl.DataFrame, by: Sequence[str], values: Sequence[str], cluster: str | None) -> Samples:
    """Read the samples of all cells from a frame of counts."""
    named = [*by, *values, *([cluster] if cluster else [])]
    twice = [name for place, name in enumerate(named) if name in named[:place]]
    if twice or not values:
        raise ValueError(f"column {twice[0]!r} is named twice" if twice else "no value column is named")
    counts = counted(frame, by, named[len(by) :])
    cells = frame.select(by).unique().sort(by) if by else pl.DataFrame(height=1)
    key, value = [f"by_{place}" for place in range(len(by))], [f"value_{place}" for place in range(len(values))]
    plain = counts.rename(dict(zip(named, [*key, *value, *(["cluster"] if cluster else [])], strict=True)))
    plain = _with_cell(plain, cells.rename(dict(zip(by, key, strict=True))), key)
    distinct = (
        plain.group_by(["cell", *value])
        .agg(pl.col("count").sum())
        .sort(["cell", *value])
        .with_columns(pl.int_range(pl.len()).over("cell").alias("position"))
    )
    return Samples(
        cells,
        _lengths(distinct, cells.height),
        distinct.get_column("count").to_numpy(),
        tuple(_array(distinct.get_column(name)) for name in value),
        _clusters(plain.join(distinct.drop("count"), on=["cell", *value]), cells.height) if cluster else None,
    )


def _with_cell(counts: pl.DataFrame, cells: pl.DataFrame, key: Sequence[str]) -> pl.DataFrame:
    if not key:
        return counts.with_columns(pl.lit(0, dtype=pl.Int64).alias("cell"))
    numbered = cells.with_columns(pl.int_range(pl.len()).alias("cell"))
    return counts.join(numbered, on=key, nulls_equal=True, maintain_order="left").drop(key)


def _lengths(rows: pl.DataFrame, cells: int) -> Ragged:
    return Ragged(np.bincount(rows.get_column("cell").to_numpy(), minlength=cells))


def _array(values: pl.Series) -> NDArray[Any]:
    if values.dtype.is_numeric() or values.dtype == pl.Boolean:
        return values.cast(pl.Float64).to_numpy()
    return values.cast(pl.String).to_numpy().astype(np.str_)


def _clusters(counts: pl.DataFrame, cells: int) -> Clusters:
    """Clusters by what they hold, written out as a text: position:count, ... ."""
    place, count = pl.col("position"), pl.col("count")
    contents = (
        counts.sort(["cell", "cluster", "position"])
        .group_by(["cell", "cluster"], maintain_order=True)
        .agg(place, count, pl.format("{}:{}", place, count).str.join(",").alias("written"))
    )
    units = (
        contents.group_by(["cell", "written"])
        .agg(pl.len().cast(pl.Int64).alias("multiplicity"), place.first(), count.first())
        .sort(["cell", "written"])
        .with_columns(pl.int_range(pl.len()).over("cell").alias("unit"), count.list.sum().alias("size"))
    )
    entries = units.explode("position", "count")
    return Clusters(
        _lengths(units, cells),
        units.get_column("multiplicity").to_numpy(),
        units.get_column("size").to_numpy(),
        _lengths(entries, cells),
        *(entries.get_column(name).to_numpy() for name in ("unit", "position", "count")),
    )
