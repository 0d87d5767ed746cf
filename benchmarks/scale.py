"""What a run costs for each row, beside counting the same rows with nothing but polars, DuckDB, pandas or data.table.

    python benchmarks/scale.py [ROWS [FOLDER]]

It simulates a dump of ROWS answers (by default 1,000,000) in FOLDER (by default a temporary one), drafts its study by
`tallybook init` and times `tallybook run --numbers-only` of Parquet, CSV and JSON lines with six different texts, and
of Parquet with texts that all differ. The others only count texts by model and group: they check and code nothing.
Seconds of processors, since other programs may take their turns, and by the clock, the least of all runs; memory is the
largest resident size. A child begins with that of its parent, so that the dump is made in a process of its own.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import sys
import tempfile
from importlib.util import find_spec
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path

import polars as pl
from side_by_side import Cost, cost

TALLYBOOK = str(Path(sys.executable).parent / "tallybook")
TEXTS = ("Yes", "No", "yes.", "No, she should not.", "I cannot answer that.", "Yes, I would.")
PAD = "because nothing that I was told of them speaks against it, case"
RUNS = 3
MOST_OF_PANDAS = 1_000_000
"""The number of rows beyond which pandas does not read JSON lines: 10,000,000 take it 12 GB."""

BARE = (
    "import polars; rows = polars.scan_{reader}({file!r}); "
    "rows.group_by('model', 'group', 'reply').len().collect(engine='streaming')"
)
KEYED = BARE.replace("'reply'", "'reply', 'prompt'") + (
    "; rows.select(polars.struct('model', 'id').hash().n_unique()).collect(engine='streaming')"
)
"""Counts by all columns by which the study counts, its clusters, too; and the number of different keys."""
READERS = {"parquet": "parquet", "csv": "csv", "jsonl": "ndjson"}
DUCKDB = 'import duckdb; duckdb.sql("select model, \\"group\\", reply, count(*) from {file!r} group by all").fetchall()'
PANDAS = "import pandas; pandas.read_{reader}({file!r}{how}).groupby(['model', 'group', 'reply']).size()"
R = "library(data.table); invisible(fread('{file}')[, .N, by = .(model, group, reply)])"  # it reads text alone
PANDAS_READERS = {"parquet": ("parquet", ""), "csv": ("csv", ""), "jsonl": ("json", ", lines=True")}


def dump(rows: int, file: Path, *, all_differ: bool) -> None:
    """Simulate answers, in another process: the same for the same number of rows."""
    process = get_context("spawn").Process(target=_dump, args=(rows, file, all_differ))
    process.start()
    process.join()


def _dump(rows: int, file: Path, all_differ: bool) -> None:  # noqa: FBT001  arguments of a process have no names
    file.parent.mkdir(parents=True, exist_ok=True)
    number = pl.int_range(rows)
    text = number.hash(seed=1) % len(TEXTS)
    reply = pl.lit(pl.Series(TEXTS)).gather(text)
    if all_differ:
        reply = pl.format(f"{{}} {PAD} {{}}", pl.lit(pl.Series(["Yes,", "No,"])).gather(text % 2), number)
    frame = pl.select(number.alias("row")).lazy()
    answers = frame.select(
        pl.format("r{}", "row").alias("id"),
        pl.format("model-{}", number.hash(seed=2) % 3).alias("model"),
        pl.lit(pl.Series(["woman", "man"])).gather(number % 2).alias("group"),
        pl.format("Would you hire this person? {}", number % 500).alias("prompt"),
        reply.alias("reply"),
    ).collect()
    {"parquet": answers.write_parquet, "csv": answers.write_csv, "jsonl": answers.write_ndjson}[file.suffix[1:]](file)


def study(file: Path) -> str:
    """Draft the study of a dump, beside it."""
    roles = [f"--set={role}" for role in ("text=reply", "model=model", "factors=group", "item=id", "prompt=prompt")]
    cost(
        [
            TALLYBOOK,
            "init",
            str(file),
            "--out",
            str(file.parent),
            "--yes",
            "--force",
            "--instrument",
            "absolute-decision",
            *roles,
        ]
    )
    return str(file.with_name("study.toml"))


def beside(file: Path, rows: int) -> dict[str, list[str]]:
    """The commands that only count, of what is installed."""
    kind = file.suffix[1:]
    reader, how = PANDAS_READERS[kind]
    forms = {"polars": BARE, "with keys": KEYED}
    programs = {name: form.format(reader=READERS[kind], file=str(file)) for name, form in forms.items()}
    if find_spec("duckdb"):
        programs["DuckDB"] = DUCKDB.format(file=str(file))
    is_small = kind != "jsonl" or rows <= MOST_OF_PANDAS
    if find_spec("pandas") and is_small and (kind != "parquet" or find_spec("pyarrow")):
        programs["pandas"] = PANDAS.format(reader=reader, file=str(file), how=how)
    sides = {name: [sys.executable, "-c", program] for name, program in programs.items()}
    if kind == "csv" and shutil.which("Rscript"):
        of_r = ["Rscript", "-e", R.format(file=file)]
        sides |= {} if subprocess.run(of_r, capture_output=True, check=False).returncode else {"data.table": of_r}
    return sides


def told(name: str, costs: list[Cost], rows: int) -> str:
    """A side's least seconds, and its median memory."""
    cpu, clock = min(one.cpu for one in costs), min(one.seconds for one in costs)
    memory = statistics.median(one.megabytes for one in costs)
    per_row = f"{1e6 * cpu / rows:6.2f} µs a row"
    return f"  {name:<10} {cpu:8.2f} s of processors, {per_row}, {clock:8.2f} s by the clock, {memory:6.0f} MB"


def start_up(folder: Path) -> None:
    """Print what commands cost before there is much to do."""
    file = folder / "small" / "answers.csv"
    dump(1000, file, all_differ=False)
    of = study(file)
    commands = {
        "import polars": [sys.executable, "-c", "import polars"],
        "--help": [TALLYBOOK, "--help"],
        "validate": [TALLYBOOK, "validate", of],
        "run": [TALLYBOOK, "run", of, "--numbers-only", "--quiet", "--out", str(folder / "out")],
    }
    costs = {name: [cost(command) for _ in range(RUNS + 1)][1:] for name, command in commands.items()}
    base = statistics.median(one.cpu for one in costs["import polars"])
    for name, found in costs.items():
        cpu = statistics.median(one.cpu for one in found)
        print(f"1,000 rows, {name}: {cpu:.2f} s of processors, {cpu / base:.1f} times importing polars")


def main() -> None:
    """Print the figures."""
    rows = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(temporary)  # noqa: PLR2004
        start_up(folder)
        for kind, all_differ in (("parquet", False), ("csv", False), ("jsonl", False), ("parquet", True)):
            file = folder / f"{kind}-{'all' if all_differ else 'few'}" / f"answers.{kind}"
            dump(rows, file, all_differ=all_differ)
            of = study(file)
            run = [TALLYBOOK, "run", of, "--numbers-only", "--quiet", "--out", str(folder / "out")]
            sides = {"tallybook": run, **beside(file, rows)}
            costs: dict[str, list[Cost]] = {name: [] for name in sides}
            for _ in range(RUNS):
                for name, command in sides.items():
                    costs[name].append(cost(command))
            cpu, clock = (
                min(map(measure, costs["tallybook"])) / min(map(measure, costs["polars"]))
                for measure in (attrgetter("cpu"), attrgetter("seconds"))
            )
            what = "all texts different" if all_differ else f"{len(TEXTS)} different texts"
            print(f"{rows:,} rows, {kind}, {what}: {cpu:.1f} times bare polars, {clock:.1f} by the clock")
            print(*(told(name, found, rows) for name, found in costs.items()), sep="\n")


if __name__ == "__main__":
    main()
