"""How much time and memory a dump takes that is many times as large, beside what a notebook would take.

    python benchmarks/kamruzzaman2024_memory.py [TIMES...] [--data RELEASED_DATA]

Every response is repeated as so many samples (by default once and 20 times); the numbers are those of
`tallybook run --numbers-only` and of `kamruzzaman2024_pandas.py`.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
from pathlib import Path

import polars as pl
from side_by_side import Cost, cost

HERE = Path(__file__).parent
TALLYBOOK = str(Path(sys.executable).parent / "tallybook")
RELEASED = HERE.parents[1] / "shared" / "studies" / "kamruzzaman2024" / "data"
STUDY = HERE.parent / "analysis" / "tallybook" / "studies" / "kamruzzaman2024" / "study.toml"
CHANGES = {
    "constants = { sample = 0 }\n": "",
    "[sources.columns]\n": '[sources.columns]\nsample = { path = "sample", type = "integer" }\n',
}


def make(data: Path, folder: Path, times: int) -> None:
    """Write a dump with every response as so many samples, and its study."""
    (folder / "outputs").mkdir(parents=True)
    for path in sorted((data / "outputs").glob("*.csv")):
        responses = pl.read_csv(path, infer_schema=False)
        with (folder / "outputs" / path.name).open("wb") as file:
            for sample in range(times):
                responses.with_columns(sample=pl.lit(sample)).write_csv(file, include_header=sample == 0)
    shutil.copy(data / "dataset.csv", folder)
    shutil.copytree(data / "input_attributes", folder / "input_attributes")
    study = STUDY.read_text(encoding="utf-8").partition("[published]")[0]
    for old, new in CHANGES.items():
        if study.count(old) != 1:
            sys.exit(f"{STUDY} does not hold once: {old}")
        study = study.replace(old, new)
    (folder / "study.toml").write_text(study, encoding="utf-8")


def compare(data: Path, times: int, runs: int = 3) -> str:
    """Run both sides in turn."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        make(data, folder / "data", times)
        run = [TALLYBOOK, "run", str(folder / "data" / "study.toml"), "--data", str(folder / "data")]
        run += ["--numbers-only", "--quiet", "--out", str(folder / "out")]
        notebook = [sys.executable, str(HERE / "kamruzzaman2024_pandas.py"), str(folder / "data")]
        notebook.append(str(folder / "notebook.csv"))
        pairs = [(cost(run), cost(notebook)) for _ in range(runs)]
    return f"seconds {_ratio(pairs, 'seconds')}; MB {_ratio(pairs, 'megabytes')}"


def _ratio(pairs: list[tuple[Cost, Cost]], what: str) -> str:
    first, second = ([getattr(pair[side], what) for pair in pairs] for side in (0, 1))
    ratio = statistics.median(a / b for a, b in zip(first, second, strict=True))
    return f"{statistics.median(first):.1f} / {statistics.median(second):.1f} = {ratio:.2f}"


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser()
    parser.add_argument("times", nargs="*", type=int, default=[1, 20])
    parser.add_argument("--data", type=Path, default=RELEASED)
    arguments = parser.parse_args()
    if not arguments.data.is_dir():
        sys.exit(f"the released responses are not at {arguments.data}: no comparison with the notebook")
    for times in arguments.times:
        print(f"{times} times as many responses, run / pandas: {compare(arguments.data, times)}")


if __name__ == "__main__":
    main()
