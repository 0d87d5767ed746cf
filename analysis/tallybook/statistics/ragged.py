"""Cells with different numbers of entries, brought into rectangular arrays block by block."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    Integers: TypeAlias = NDArray[np.int64]
    Cells: TypeAlias = NDArray[np.intp]

BLOCK = 2**20
"""Numbers that one array of a computation in blocks holds, unless a single cell needs more."""


@dataclass(frozen=True)
class Ragged:
    """The entries of all cells end to end, cell after cell: only their numbers are kept here."""

    lengths: Integers

    def starts(self) -> Integers:
        """Get the positions where the entries of each cell begin."""
        return np.cumsum(self.lengths) - self.lengths

    def sums(self, entries: NDArray[Any]) -> Integers:
        """The sum of each cell's entries, whole numbers or flags."""
        reached = np.concatenate([[0], np.cumsum(entries, dtype=np.int64)])
        return reached[np.cumsum(self.lengths)] - reached[self.starts()]

    def padded(self, entries: NDArray[Any], cells: Cells, width: int) -> NDArray[Any]:
        """The entries of some cells as rows."""
        rows = np.zeros((cells.size, width), dtype=entries.dtype)
        lengths = self.lengths[cells]
        within = np.arange(int(lengths.sum())) - np.repeat(Ragged(lengths).starts(), lengths)
        rows[np.arange(width) < lengths[:, None]] = entries[np.repeat(self.starts()[cells], lengths) + within]
        return rows

    def widths(self) -> Integers:
        """Get the padded length of each cell's row: the next power of 2."""
        return np.left_shift(1, np.frexp(np.maximum(self.lengths, 1) - 1)[1].astype(np.int64))


def cell_blocks(
    cells: Cells, widths: Integers, load: Integers, block: int = BLOCK
) -> Iterator[tuple[Cells, tuple[int, ...]]]:
    """Cut cells into blocks of the same widths that are computed together."""
    for width in np.unique(widths[cells], axis=0):
        own = cells[(widths[cells] == width).all(axis=1)]
        size = max(1, block // int(load[own].max()))
        for start in range(0, own.size, size):
            yield own[start : start + size], tuple(width.tolist())
