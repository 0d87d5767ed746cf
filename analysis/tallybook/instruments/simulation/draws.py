"""Random numbers of simulated responses: they depend on seed, cell, block and purpose, and on nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from tallybook.statistics.seeds import stream, stream_keys

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

BLOCK = 2**16
"""The responses of a cell that are drawn at once. Another number would draw other responses."""


class Draws:
    """The random numbers of one block of a cell.

    Every purpose has a stream of its own and every response takes the same share of each: more responses, other cells
    or another purpose change nothing of what was drawn before.

    Attributes:
        rows: How many responses the block has.
    """

    def __init__(self, seed: int, cell: Mapping[str, str], block: int, rows: int) -> None:
        self.rows = rows
        self._seed = seed
        self._key = pl.DataFrame({**cell, "block": str(block)})

    def uniform(self, purpose: str, numbers: int = 1) -> NDArray[np.float64]:
        """Draw uniform numbers."""
        (key,) = stream_keys(self._seed, self._key, f"simulate {purpose}")
        return stream(key).random((self.rows, numbers))

    def choose(self, purpose: str, weights: Sequence[float]) -> NDArray[np.int64]:
        """Draw one of several things for each response."""
        return chosen(self.uniform(purpose)[:, 0], weights)

    def order(self, purpose: str, things: int) -> NDArray[np.int64]:
        """Draw an order of several things for each response, every order with the same probability."""
        return np.argsort(self.uniform(purpose, things), axis=1, kind="stable")


def chosen(uniform: NDArray[np.float64], weights: Sequence[float]) -> NDArray[np.int64]:
    """Choose one of several things by uniform numbers.

    >>> chosen(np.array([0.0, 0.2, 0.3, 0.99]), [1, 0, 3]).tolist()
    [0, 0, 2, 2]
    """
    ends = np.cumsum(np.asarray(weights, dtype=np.float64))
    last = int(np.flatnonzero(np.asarray(weights) > 0)[-1])
    return np.minimum(np.searchsorted(ends / ends[-1], uniform, side="right"), last).astype(np.int64)


def gathered(things: Sequence[str], numbers: NDArray[np.int64]) -> pl.Series:
    """Texts by their numbers.

    >>> gathered(["yes", "no"], np.array([1, 0, 0])).to_list()
    ['no', 'yes', 'yes']
    """
    return pl.Series(things, dtype=pl.String).gather(pl.Series(numbers))
