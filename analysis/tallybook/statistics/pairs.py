"""Counted pairs of two variables, with the rows of all cells in one array, so that one pass serves every cell."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from tallybook.statistics.estimates import cells_of, observed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

Number = TypeVar("Number", np.int64, np.float64)

# A column name that no frame uses.
_CELL = "position of the cell"


@dataclass(frozen=True, slots=True)
class Pairs:
    """The distinct pairs of values in all cells, sorted by cell; `cell` numbers the non-empty cells only."""

    cells: pl.DataFrame
    """The `by` columns and `n`, one row a cell of the input, sorted; n = 0 where no pair is complete."""
    rows: pl.DataFrame
    """The `by` columns, both variables and `count`, one row a distinct pair, sorted."""
    cell: NDArray[np.intp]
    """The occupied cell of every row: 0, 1, ... without a gap."""
    first: NDArray[np.intp]
    """The first row of every occupied cell."""
    x: NDArray[np.intp]
    """The position of every row's first value among all values of its variable, from 0."""
    y: NDArray[np.intp]
    """Likewise the second value."""
    count: NDArray[np.int64]
    """Count every row's pair."""

    def spread(self, values: NDArray[np.float64]) -> pl.Series:
        """Expand numbers of the non-empty cells to a column for all `cells`; NaN for the others."""
        occupied = self.cells.get_column("n").to_numpy() > 0
        column = np.full(occupied.size, np.nan)
        column[occupied] = values
        return pl.Series(column, dtype=pl.Float64)


def counted_pairs(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, numeric: bool) -> Pairs:
    """Collect the distinct pairs of values in all cells, with their counts."""
    if x == y:
        raise ValueError(f"x and y are both {x!r}: expected two columns")
    if numeric:
        frame = frame.with_columns(_as_float(frame, name) for name in (x, y) if name in frame.columns)
    kept = observed(frame, by, [x, y])
    every, cell = _cells(frame, kept, by)
    x_codes, y_codes = codes(kept.get_column(x)), codes(kept.get_column(y))
    # One sort of integers instead of several columns, as sorting dominates the cost.
    order = _order(cell, x_codes, y_codes)
    distinct = starts(*(keys[order] for keys in (cell, x_codes, y_codes)))
    count = run_sums(kept.get_column("count").to_numpy()[order], distinct)
    chosen = order[distinct]
    occupied, of_row = np.unique(cell[chosen], return_inverse=True)
    first = starts(of_row)
    n = np.zeros(every.height, np.int64)
    n[occupied] = run_sums(count, first)
    return Pairs(
        cells=every.with_columns(pl.Series("n", n)),
        rows=kept[chosen].with_columns(pl.Series("count", count)),
        cell=of_row.astype(np.intp),
        first=first,
        x=x_codes[chosen],
        y=y_codes[chosen],
        count=count,
    )


def codes(values: pl.Series) -> NDArray[np.intp]:
    """Return the position of every value among the sorted distinct values."""
    if isinstance(values.dtype, pl.Enum):
        values = values.to_physical()
    return np.unique(values.to_numpy(), return_inverse=True)[1].astype(np.intp)


def stable_order(keys: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the row indices sorted by a key; rows with the same key keep their order."""
    rows = keys.size
    if (int(keys.max(initial=0)) + 1) * rows > np.iinfo(np.intp).max:
        return np.argsort(keys, kind="stable")
    # Combined with its row number each key is unique, so that an unstable sort gives the same order.
    return np.argsort(keys * rows + np.arange(rows))


def starts(*keys: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the start indices of the runs of equal keys."""
    if not keys[0].size:
        return np.zeros(0, np.intp)
    changed = np.any([key[1:] != key[:-1] for key in keys], axis=0)
    return np.concatenate([[0], np.flatnonzero(changed) + 1]).astype(np.intp)


def run_lengths(first: NDArray[np.intp], size: int) -> NDArray[np.intp]:
    """Compute the number of rows in every run."""
    return np.diff(np.append(first, size))


def run_sums(values: NDArray[Number], first: NDArray[np.intp]) -> NDArray[Number]:
    """Compute the sum of every run."""
    return np.add.reduceat(values, first) if first.size else values[:0]


def cell_by_cell(parts: Sequence[pl.DataFrame]) -> pl.DataFrame:
    """Concatenate the results of several terms, each a frame of all cells, in the order of the cells."""
    together = pl.concat(parts, how="diagonal")
    return together[np.arange(together.height).reshape(len(parts), -1).T.ravel()]


def _as_float(frame: pl.DataFrame, name: str) -> pl.Expr:
    kind = frame.schema[name]
    if not (kind.is_numeric() or kind.is_(pl.Boolean) or kind.is_(pl.Null)):
        raise ValueError(f"column {name!r} is {kind}: expected numbers")
    return pl.col(name).cast(pl.Float64)


def _cells(frame: pl.DataFrame, kept: pl.DataFrame, by: Sequence[str]) -> tuple[pl.DataFrame, NDArray[np.intp]]:
    """Return all cells of a frame, sorted, and the index of the cell of each row that is kept."""
    every = cells_of(frame, by)
    if not by:
        return every, np.zeros(kept.height, np.intp)
    numbered = every.with_row_index(_CELL)
    cell = kept.join(numbered, on=by, how="left", nulls_equal=True, maintain_order="left").get_column(_CELL)
    return every, cell.to_numpy().astype(np.intp)


def _order(cell: NDArray[np.intp], x: NDArray[np.intp], y: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the row indices sorted by cell, x and y."""
    sizes = [int(keys.max(initial=0)) + 1 for keys in (cell, x, y)]
    if prod(sizes) > np.iinfo(np.intp).max:
        return np.lexsort((y, x, cell))
    return np.argsort((cell * sizes[1] + x) * sizes[2] + y)
