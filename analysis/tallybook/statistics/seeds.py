"""Random streams of cells, derived from the seed and each cell's own key, whatever its position in a frame."""

from __future__ import annotations

import hashlib
import json
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


def stream_keys(seed: int, cells: pl.DataFrame, purpose: str) -> NDArray[np.uint64]:
    """Derive the key of every cell's random stream.

    key = the first 128 bits of SHA-256 of the JSON text [seed, purpose, [[column, value], ...]], the columns in
    alphabetical order and the values written as text, null as null. So a cell draws the same numbers whatever the order
    of rows and columns, the other cells and the division of the work into chunks; different purposes, seeds and cells
    have independent streams.

    References:
        Salmon, J. K., Moraes, M. A., Dror, R. O. & Shaw, D. E. (2011). Parallel random numbers: as easy as 1, 2, 3.
        Proceedings of SC11 (Philox: any two keys give independent streams).
    """
    columns = sorted(cells.columns)
    texts = cells.select(pl.col(columns).cast(pl.String)).iter_rows() if columns else iter([()])
    digests = [_digest(seed, purpose, zip(columns, values, strict=True)) for values in texts]
    return np.frombuffer(b"".join(digests), dtype="<u8").reshape(-1, 2).astype(np.uint64)


IN_KEYS = {"outcome": "outcome of the cell"}
"""How the outcome is called in the keys of cells: another name would give other random numbers."""


def stream(key: NDArray[np.uint64]) -> np.random.Generator:
    """Return a generator at the beginning of a random stream."""
    return np.random.Generator(np.random.Philox(key=key))


def _digest(seed: int, purpose: str, key: Iterable[tuple[str, str | None]]) -> bytes:
    text = json.dumps([seed, purpose, list(key)], separators=(",", ":"))
    return hashlib.sha256(text.encode("ascii")).digest()[:16]
