"""Input and output of commands: questions, summaries, and data from standard input."""

from __future__ import annotations

import json
import shutil
import sys
from typing import TYPE_CHECKING, Any, cast

import typer

from tallybook.core.errors import UsageError
from tallybook.report.formats import FORMATS, PROJECTS, SUPPLEMENT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from io import BufferedReader
    from pathlib import Path

    from tallybook.validation.writing import Ended

Summary = dict[str, Any]
"""The output of a command: its results by name, the same for people under `text`, and warnings."""

_SUFFIXES = {b"{": ".jsonl", b"[": ".json", b"P": ".parquet"}
"""First byte of standard input -> suffix; anything else is taken for a text table. Formats are detected by content."""


def formats(given: Sequence[str] | None) -> list[str]:
    """Return the report formats that an option names; it may be given more than once."""
    text = ",".join(given or ["html,pdf"])
    formats = list(dict.fromkeys(part.strip() for part in text.split(",")))
    known = (*FORMATS, *PROJECTS, SUPPLEMENT)
    for name in formats:
        if name not in known:
            raise UsageError(f"--to {text}: no format {name!r}; there are {', '.join(known)}")
    return formats


def ask(question: str, columns: Sequence[str]) -> str:
    """Ask the user to choose one of several columns, or none."""
    from tallybook.core.untrusted import printable

    shown = "".join(f"\n  {place}. {printable(column)}" for place, column in enumerate(columns, start=1))
    while True:
        place = int(typer.prompt(f"{question}\n  0. none{shown}\nNumber", type=int, default=0))
        if 0 <= place <= len(columns):
            return columns[place - 1] if place else ""
        typer.echo(f"a number from 0 to {len(columns)}", err=True)


def say(summary: Summary, *, as_json: bool = False, quiet: bool = False) -> None:
    """Print the summary of a command."""
    if not quiet and summary["warnings"]:
        typer.echo("\n".join(summary["warnings"]), err=True)
    if as_json:
        results = {key: value for key, value in summary.items() if key not in {"text", "warnings"}}
        typer.echo(json.dumps(results, indent=2))
    elif not quiet:
        typer.echo(summary["text"])


def end(ended: Ended) -> None:
    """Print the output of a validation, comparison or audit, and exit with its exit code."""
    if ended.output:
        typer.echo(ended.output)
    if ended.exit_code:
        raise typer.Exit(ended.exit_code)


def with_standard_input(paths: Sequence[Path], folder: Path, *, replace: bool = False) -> list[Path]:
    """Save standard input as a file in a folder, and return the paths with this file in place of `-`."""
    if [str(path) for path in paths].count("-") > 1:
        raise UsageError("-: standard input can be read once")
    return [_kept(folder, replace=replace) if str(path) == "-" else path for path in paths]


def _kept(folder: Path, *, replace: bool) -> Path:
    if sys.stdin.isatty():
        raise UsageError("-: standard input is a terminal; expected a dump, as in `tallybook init - < answers.csv`")
    first = cast("BufferedReader", sys.stdin.buffer).peek(1)[:1]
    from tallybook.core.output import whole_file

    target = folder / f"responses{_SUFFIXES.get(first, '.csv')}"
    if target.exists() and not replace:
        raise UsageError(f"{target} is there already; --force replaces it")
    folder.mkdir(parents=True, exist_ok=True)
    with whole_file(target) as file, file.open("wb") as kept:
        shutil.copyfileobj(sys.stdin.buffer, kept)
    return target
