"""The broken dump of docs/validation.md as flat files, which every tool can be asked to read.

`python benchmarks/comparison/dump.py FOLDER` writes:

- `dump.jsonl`: all lines of the dump with a column `model`, among them the one that is no JSON;
- `readable.jsonl`: the same without that line;
- `dump.csv`: the same as CSV; a text with a line break makes the lines behind it others than the rows;
- `more.csv`: a response that `dump.csv` has too;
- `ragged.csv`: rows with too few and too many cells, and a wrong level;
- `hostile.csv`: texts that attack whoever shows them, in a column that is checked;
- `prompts.csv`, `reference.csv`, `design.csv` (every combination): what responses are held against;
- `dump.db`: the dump as a table of SQLite;
- `example`: the dump and its study as they are, with what the tools are asked for (`files`) beside it.
"""

from __future__ import annotations

import csv
import json
import shutil
import sqlite3
import sys
from itertools import product
from pathlib import Path

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "tests" / "validation" / "example"
HEADER = ("model", "prompt", "age", "try", "answer")
HOSTILE = (
    "\x1b[31mred\x1b]0;title\x07",
    "<script>alert(1)</script><img src=x onerror=alert(1)>",
    "\n::error file=dump.csv,line=1::forged",
    "=HYPERLINK(1)",
)


def write(folder: Path) -> None:
    """Write the files into a folder, which is made."""
    folder.mkdir(parents=True, exist_ok=True)
    lines: list[str] = []
    rows: list[dict[str, object]] = []
    for model in ("vega", "atlas"):  # a text of vega has a line break: the rows of atlas stand a line further down
        for line in (EXAMPLE / f"{model}.jsonl").read_text(encoding="utf-8").splitlines():
            lines.append(line.replace("{", f'{{"model": "{model}", ', 1))
            try:
                rows.append(json.loads(lines[-1]))
            except json.JSONDecodeError:
                continue
    (folder / "dump.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    readable = [json.dumps(row, ensure_ascii=False) for row in rows]
    (folder / "readable.jsonl").write_text("\n".join(readable) + "\n", encoding="utf-8")
    _csv(folder / "dump.csv", [[row[name] for name in HEADER] for row in rows])
    _csv(folder / "more.csv", [["vega", "Dan", "younger", 1, "Yes, Dan should be hired."]])
    _csv(folder / "hostile.csv", [["atlas", "Ada", text, 0, "No."] for text in HOSTILE])
    _csv(folder / "ragged.csv", [["atlas", "Ada", "oldre", 0, "No."], ["atlas", "Bea"], ["atlas", *"abcdefg"]])
    with (EXAMPLE / "prompts.csv").open(encoding="utf-8", newline="") as file:
        prompts = list(csv.reader(file))[1:]
    design = [[model, *prompt, number] for model, prompt, number in product(("atlas", "vega"), prompts, range(3))]
    _csv(folder / "design.csv", design, HEADER[:-1])
    _database(folder / "dump.db", [tuple(str(row[name]) for name in HEADER) for row in rows])
    shutil.copytree(EXAMPLE, folder / "example", dirs_exist_ok=True)
    for path in (
        EXAMPLE / "prompts.csv",
        EXAMPLE / "reference.csv",
        *(HERE / "files").iterdir(),
        *HERE.glob("*_checks.py"),
    ):
        shutil.copy(path, folder / path.name)


def _csv(path: Path, rows: list[list[object]], header: tuple[str, ...] = HEADER) -> None:
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, lineterminator="\n").writerows([header, *rows])


def _database(path: Path, rows: list[tuple[str, ...]]) -> None:
    path.unlink(missing_ok=True)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("create table dump (model text, prompt text, age text, try text, answer text)")
        connection.executemany("insert into dump values (?, ?, ?, ?, ?)", rows)
    connection.close()


if __name__ == "__main__":
    write(Path(sys.argv[1]))
