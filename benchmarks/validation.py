"""Ten checks of a dump by `tallybook validate`, by one select of polars by hand, and by other libraries, side by side.

    python benchmarks/validation.py [--rows N] [--own PYTHON] [--rivals PYTHON] [--memory N]

Tallybook and polars run in the interpreter given as --own, pandera, dataframely and pointblank in the one given as
--rivals (by default this one); what is not installed there is left out. Importing pandera takes twice as long where
pandas is installed: commands are compared fairly in environments without it, as `pip install .` makes one. The checks
stand in `validation_sides.py`, `validation_schema.json` and `validation_model.py`.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import polars as pl
from side_by_side import cost, ratio, seconds_told

HERE = Path(__file__).parent
SIDES = str(HERE / "validation_sides.py")
SCHEMAS = {"tallybook": "validation_schema.json", "tallybook-model": "validation_model.py:Model"}
RIVALS = ("pandera", "dataframely", "pointblank")
AT_ONCE = 1_000_000


def responses(start: int, end: int) -> pl.DataFrame:
    """Some simulated responses of eight models, each different from all others in model, item and sample."""
    number = pl.col("number")
    chance = number.hash(seed=7)
    return pl.select(pl.int_range(start, end).alias("number")).select(
        pl.format("model-{}", number % 8).alias("model"),
        pl.format("item-{}", number // 80).alias("item"),
        (number // 8 % 10).alias("sample"),
        (chance % 3).replace_strict([0, 1, 2], ["younger", "older", "unstated"]).alias("age"),
        pl.format('Question {}: "{}", I would say, or {}.', number, chance % 1000, chance % 7).alias("text"),
        (chance % 10_000 / 10_000).alias("score"),
        (chance % 20).clip(0, 2).replace_strict([0, 1, 2], ["refused", "truncated", "ok"]).alias("status"),
        (chance % 500 + 1).cast(pl.Int64).alias("tokens"),
    )


def make(folder: Path, rows: int) -> Path:
    """Write so many responses as Parquet."""
    parts = folder / "parts"
    parts.mkdir()
    for start in range(0, rows, AT_ONCE):
        responses(start, min(start + AT_ONCE, rows)).write_parquet(parts / f"{start:012}.parquet")
    pl.scan_parquet(parts / "*.parquet").sink_parquet(folder / "responses.parquet")
    for part in parts.iterdir():
        part.unlink()
    return folder / "responses.parquet"


def command(own: str, side: str, file: Path) -> list[str]:
    """`tallybook validate`."""
    return [own, "-m", "tallybook", "validate", str(file), "-s", str(HERE / SCHEMAS[side]), "--quiet"]


def installed(python: str) -> list[str]:
    """The other libraries that an interpreter has."""
    found: list[str] = []
    for name in RIVALS:
        has = subprocess.run([python, "-c", f"import {name}"], capture_output=True, check=False).returncode == 0
        found += [name] if has else []
        if not has:
            print(f"{name} is not installed in {Path(python).name}: left out")
    return found


def side_by_side(file: Path, own: str, rivals: dict[str, str], runs: int) -> None:
    """Run all sides in turn, and print how many times as long Tallybook takes as each other one."""
    others = {name: [python, SIDES, name, str(file)] for name, python in ({"polars": own} | rivals).items()}
    whole: dict[str, list[float]] = {name: [] for name in (*SCHEMAS, *others)}
    work: dict[str, list[float]] = {name: [] for name in (*SCHEMAS, *others)}
    for run in range(runs + 1):
        for name in SCHEMAS:
            took = cost(command(own, name, file)).seconds
            _, checking = seconds_told([own, SIDES, name, str(file)])
            if run:
                whole[name].append(took)
                work[name].append(checking)
        for name, other in others.items():
            took, checking = seconds_told(other)
            if run:
                whole[name].append(took)
                work[name].append(checking)
    for ours in SCHEMAS:
        for name in others:
            print(f"{file.suffix} {ours} / {name}: command {ratio(whole[ours], whole[name])}; "
                  f"without imports {ratio(work[ours], work[name])}")  # fmt: skip


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--own", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--rivals", default=sys.executable, metavar="PYTHON")
    parser.add_argument("--memory", type=int, default=20_000_000, metavar="ROWS")
    arguments = parser.parse_args()
    rivals = dict.fromkeys(installed(arguments.rivals), arguments.rivals)
    with tempfile.TemporaryDirectory() as name:
        parquet = make(Path(name), arguments.rows)
        table = pl.read_parquet(parquet)
        table.write_csv(parquet.with_suffix(".csv"))
        table.write_ndjson(parquet.with_suffix(".jsonl"))
        for suffix in (".parquet", ".csv", ".jsonl"):
            side_by_side(parquet.with_suffix(suffix), arguments.own, rivals, arguments.runs)
    with tempfile.TemporaryDirectory() as name:
        large = make(Path(name), arguments.memory)
        for side in SCHEMAS:
            taken = cost(command(arguments.own, side, large)).megabytes
            print(f"{arguments.memory:,} rows, {side}: at most {taken:,.0f} MB")


if __name__ == "__main__":
    main()
