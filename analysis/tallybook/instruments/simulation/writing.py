"""Writers of frames too large for memory: batch by batch, as CSV, JSON Lines or Parquet."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Literal

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Generator
    from pathlib import Path

DumpFormat = Literal["csv", "jsonl", "parquet"]

FORMATS: tuple[DumpFormat, ...] = ("csv", "jsonl", "parquet")
"""The formats of dumps; each is also the suffix of its files."""

DEFAULT_FORMAT: DumpFormat = "csv"
"""The format of dumps unless another is asked for: one that sources of studies can read."""

_ROW_GROUP = 2**17


@contextmanager
def writer(path: Path, form: DumpFormat) -> Generator[Callable[[pl.DataFrame], None]]:
    """Write a file batch by batch."""
    if form == "parquet":
        with _parquet(path) as write:
            yield write
        return
    with path.open("wb") as file:
        is_first = True

        def append(batch: pl.DataFrame) -> None:
            nonlocal is_first
            if form == "jsonl":
                batch.write_ndjson(file)
            else:
                batch.write_csv(file, include_header=is_first)
            is_first = False

        yield append


@contextmanager
def _parquet(path: Path) -> Generator[Callable[[pl.DataFrame], None]]:
    """One file of all batches: each is a file of its own first, for Parquet cannot be appended to."""
    parts: list[Path] = []

    def add(batch: pl.DataFrame) -> None:
        part = path.with_name(f"{path.name}.{len(parts)}")
        parts.append(part)
        batch.write_parquet(part, compression="lz4")

    try:
        yield add
        if parts:
            together = pl.scan_parquet(parts, glob=False)
            together.sink_parquet(path, row_group_size=_ROW_GROUP, maintain_order=True)
    finally:
        for part in parts:
            part.unlink(missing_ok=True)
