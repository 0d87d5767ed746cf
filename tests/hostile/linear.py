"""Time that coders and readers take for long hostile texts: four times the text, about four times the time.

`python -m tests.hostile.linear [CHARACTERS] [INSTRUMENT|FORMAT...]` measures every instrument with every text, and
every reader of text with every file (1,000,000 characters unless told; texts longer than what is coded are cut), and
prints a table of seconds and of how often longer the last four-fold took.
"""

from __future__ import annotations

import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import polars as pl

from tallybook import pipeline
from tallybook.core.errors import DataError
from tallybook.core.issue_log import IssueLog
from tallybook.instruments.simulation.command import simulate
from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect_format, format_by_name
from tallybook.sources.reading import MOST_TEXT
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load

UNITS = (
    "a", " ", "\n", "a ", "A", "9", "1 ", "1. x\n", "- x\n", "(", "()", "[", "{", '{"a":', '"', "'", "*", "**a", "`",
    "#", "|", "<b>", "$", "\\", ":", ",", ".", "...", ". A", "yes", "yes no ", "not ", "I would not ", "and ", "A, B; ",
    "A) B) ", "answer: ", "Answer: A\n", "not A but B, ", "if so, then ", "e\u0301", "\u200b", "\U0001f600", "ſ", "İ",
    "1,", "1.", "1 - ", "9/", "$9-", "-", "—", "A>", "A > B ", "he she ", "I'm sorry, but ", "either A or B ", "\r",
    "neither (A) ", "(A) nobody knows ", "A is not B ", "Person A. ", "if A, B. ", "1. A\n2. B\n", "**A** ",
    "9 out of 10 ", "A, not B, ", "I'd give 3\n", "i agree ",
)  # fmt: skip
"""What texts repeat."""
MOST = 8.0
"""How often longer four times the text may take; what is quadratic takes 16 times as long."""
LEAST = 0.2
"""Seconds that a fourth counts at least: what is shorter is mostly noise."""


def prepared(folder: Path, kind: str) -> pl.DataFrame:
    """Simulate a study of an instrument; its responses."""
    settings = {"rows": 8, "seed": 1, "models": 1, "effect": "0.2", "refusals": 0.0, "malformed": 0.0}
    simulate(kind, **settings, out=folder, output=None, form=None, quiet=True)  # pyright: ignore[reportArgumentType]
    return pl.read_csv(folder / "responses.csv", infer_schema=False)


def seconds(folder: Path, dump: pl.DataFrame, text: str) -> float:
    """Read and code a dump with one text in place of its first: how long the process computed."""
    texts = [text, *dump["text"].to_list()[1:]]
    dump.with_columns(pl.Series("text", texts)).write_csv(folder / "responses.csv", quote_style="always")
    issues, study = IssueLog(), load(str(folder))
    start = time.process_time()
    try:
        pipeline.read_and_code(study, issues=issues)
        return time.process_time() - start
    finally:
        issues.close()


def slow(kind: str, characters: int, units: tuple[str, ...] = UNITS) -> list[tuple[str, float, float]]:
    """Measure an instrument: the unit of each text, seconds for the longest, and how often longer than for a fourth."""
    found: list[tuple[str, float, float]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name, "study")
        dump = prepared(folder, kind)
        seconds(folder, dump, "a")  # what is imported or compiled once
        idle = seconds(folder, dump, "a")
        for unit in units:
            quarter, whole = (
                max(0.0, seconds(folder, dump, unit * (size // len(unit))) - idle)
                for size in (characters // 4, characters)
            )
            found.append((unit, whole, whole / max(LEAST, quarter)))
    return found


FILES = (
    "a", ",", ";", "\t", '"', '""', '",', '"\n', "a,", 'a,"', "\n", "\r", "\r\n", "a\n", "a,b\n", '"a"\n', "'",
    "[", "[]", "[1],", "{", "{}", "{}\n", '{"a":', '{"a":1}\n', '[{"a":1}]\n', '"a":1,', "\\", '\\"', "\\ud800",
    "null,", "1e9", "9", "-", " ", "\u2028", "\0", "# x\n", "---\n", "Answer: a\n", "\U0001f600", "e\u0301",
)  # fmt: skip
"""What files repeat."""
FORMATS = {
    "csv": ("id,text\n1,", "\n2,b\n"),
    "tsv": ("id\ttext\n1\t", "\n2\tb\n"),
    "jsonl": ('{"text": "a"}\n', '\n{"text": "b"}\n'),
    "json": ('[{"text": "a"}, ', "]"),
    "text": ("", "\n"),
    "auto": ("", "\n"),
}
"""Format -> what stands before and behind what a file repeats; `auto` is told by the content."""


def slow_reading(form: str, characters: int, units: tuple[str, ...] = FILES) -> list[tuple[str, float, float]]:
    """Measure a reader: the unit of each file, seconds for the longest, and how often longer than for a fourth."""
    with tempfile.TemporaryDirectory() as name:
        path, (before, behind) = Path(name, "a"), FORMATS[form]

        def seconds_of(unit: str, size: int) -> float:
            path.write_text(f"{before}{unit * (size // len(unit))}{behind}", newline="", encoding="utf-8")
            content, start = Content(path.parent, path.name, is_named=True), time.process_time()
            with suppress(DataError):
                reader = detect_format(content).format if form == "auto" else format_by_name(form)
                for part in reader.read(content, []):
                    for column in part.header[:1]:
                        part.column(column)
            return time.process_time() - start

        seconds_of("a", 10)  # what is imported once
        found = [(unit, seconds_of(unit, characters // 4), seconds_of(unit, characters)) for unit in units]
        return [(unit, whole, whole / max(LEAST, quarter)) for unit, quarter, whole in found]


def main() -> int:
    """Measure instruments and readers, and print what they took."""
    characters = next((int(one) for one in sys.argv[1:] if one.isdigit()), 1_000_000)
    chosen = [one for one in sys.argv[1:] if not one.isdigit()] or [*INSTRUMENTS, *FORMATS]
    wrong = 0
    sys.stdout.write(f"| instrument | slowest text | seconds for {characters:,} characters | most times longer |\n")
    sys.stdout.write("|---|---|--:|--:|\n")
    for kind in chosen:
        found = slow_reading(kind, characters) if kind in FORMATS else slow(kind, min(characters, MOST_TEXT))
        unit, longest, _ = max(found, key=lambda one: one[1])
        ratio = max(one[2] for one in found)
        above = [one for one in found if one[2] > MOST]
        sys.stdout.write(f"| `{kind}` | {unit!r} | {longest:.1f} | {ratio:.1f} |\n")
        sys.stdout.write(
            "".join(f"superlinear: {kind}: {one!r}: {time:.1f} s, {ratio:.1f}\n" for one, time, ratio in above)
        )
        sys.stdout.flush()
        wrong += len(above)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
