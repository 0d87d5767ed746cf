"""What a dump costs that is tallied in parts, and what its merging costs.

    python benchmarks/parts.py [PARTS [ROWS [FOLDER]]]

It simulates PARTS Parquet files (by default 100) of ROWS answers each (by default 200,000) in FOLDER, drafts a study of
them, times `tallybook tally` of each and `tallybook merge` of all. Seconds of processors; memory is the largest
resident size.
"""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

import polars as pl
from scale import TALLYBOOK, dump
from side_by_side import cost


def parts(folder: Path, number: int, rows: int) -> Path:
    """Simulate a dump in parts and draft its study: the parts are the same but for their ids."""
    data = folder / "data"
    dump(rows, folder / "part.parquet", all_differ=False)
    part = pl.read_parquet(folder / "part.parquet")
    data.mkdir()
    for place in range(number):
        ids = pl.format("p{}-{}", pl.lit(place), "id").alias("id")
        part.with_columns(ids).write_parquet(data / f"{place:04}.parquet")
    first = folder / "first.parquet"
    part.head(1000).write_parquet(first)
    roles = ("text=reply", "model=model", "factors=group", "item=id", "prompt=prompt")
    arguments = ["--out", str(folder), "--yes", "--instrument", "absolute-decision"]
    cost([TALLYBOOK, "init", str(first), *arguments, *(f"--set={role}" for role in roles)])
    study = folder / "study.toml"
    study.write_text(study.read_text().replace('"first.parquet"', '"data/{part}.parquet"'))
    return study


def main() -> None:
    """Print the figures."""
    number = int(sys.argv[1]) if len(sys.argv) > 1 else 100
    rows = int(sys.argv[2]) if len(sys.argv) > 2 else 200_000  # noqa: PLR2004
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[3]) if len(sys.argv) > 3 else Path(temporary)  # noqa: PLR2004
        study = str(parts(folder, number, rows))
        tallies = folder / "tallies"
        tallies.mkdir()
        each = [
            cost([TALLYBOOK, "tally", str(part), "--study", study, "-o", str(tallies / part.name), "--quiet"])
            for part in sorted((folder / "data").iterdir())
        ]
        merged = cost([TALLYBOOK, "merge", str(tallies), "--study", study, "--out", str(folder / "out")])
        size = sum(path.stat().st_size for path in tallies.iterdir()) / 2**20
        cpu, memory = statistics.median(one.cpu for one in each), max(one.megabytes for one in each)
    print(f"{number:,} parts of {rows:,} rows: {cpu:.2f} s and at most {memory:.0f} MB a part")
    print(f"merging: {merged.cpu:.1f} s, {merged.megabytes:.0f} MB; tallies and hashes of keys: {size:.0f} MB")


if __name__ == "__main__":
    main()
