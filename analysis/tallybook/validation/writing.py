"""Output of validations: to standard output, files and a job's summary, and every failure to a table."""

from __future__ import annotations

import os
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.output import harmless, whole_file, write_text, write_texts
from tallybook.core.spill_buffer import RowStore
from tallybook.core.untrusted import printable
from tallybook.validation.formats import document, text
from tallybook.validation.model import SCHEMA

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tallybook.validation.model import Report

FORMATS: dict[str, Callable[[Report], str]] = {
    "text": text.render,
    "json": document.render,
    "jsonl": lambda report: "\n".join(document.lines(report)),
    "github": text.github,
    "junit": text.junit,
    "sarif": document.sarif,
    "markdown": text.markdown,
}
"""Name of a format -> the function that formats a validation."""

_SUFFIXES = {".txt": "text", ".json": "json", ".jsonl": "jsonl", ".xml": "junit", ".sarif": "sarif", ".md": "markdown"}
_SUMMARY_LIMIT = 2**20
"""The maximum size of a step summary, in bytes."""
TABLES = (".parquet", ".csv", ".jsonl")
"""The suffixes of tables of failures."""


class Ended(NamedTuple):
    """The output and the exit code of a validation, a comparison or an audit."""

    output: str  # the text to print
    exit_code: int  # 0 if nothing is wrong, 1 if something is, 2 if a file could not be opened


def targets(outputs: Iterable[Path], form: str | None) -> list[tuple[Path, str]]:
    """Return the files to write, each with its format."""
    if form is not None and form not in FORMATS:
        raise UsageError(f"--format {printable(form)}: no such format; there are {', '.join(FORMATS)}")
    written: list[tuple[Path, str]] = []
    for path in outputs:
        name = "sarif" if path.name.endswith(".sarif.json") else _SUFFIXES.get(path.suffix.lower(), form)
        if name is None:
            ends = ", ".join(_SUFFIXES)
            raise UsageError(f"-o {printable(str(path))}: its name ends in one of {ends}, or --format says")
        check_folder(path)
        written.append((path, name))
    return written


def check_folder(path: Path) -> None:
    """Refuse an output file whose folder does not exist."""
    if not path.parent.is_dir():
        raise UsageError(f"no folder {printable(str(path.parent))}")


def write(report: Report, path: Path, name: str) -> None:
    """Write a validation to a file in the given format."""
    if name == "jsonl":
        write_texts(path, (f"{line}\n" for line in document.lines(report)))
    else:
        content = FORMATS[name](report)
        write_text(path, f"{content}\n" if content else "")


def write_failures(report: Report, path: Path) -> None:
    """Write every failure to a table."""
    if path.suffix == ".jsonl":
        write(report, path, "jsonl")
        return
    parts = chain([pl.DataFrame(schema=SCHEMA)], report.failures.tables())
    if path.suffix == ".csv":
        write_texts(path, (harmless(part).write_csv(include_header=not number) for number, part in enumerate(parts)))
        return
    with RowStore() as store:
        for part in parts:
            store.add(part)
        with whole_file(path) as temporary:
            store.scan().sink_parquet(temporary)


def write_summary(report: Report) -> None:
    """Append a validation to the summary of the current GitHub Actions step, if there is one."""
    target = os.environ.get("GITHUB_STEP_SUMMARY")
    if not target:
        return
    content = f"{text.markdown(report)}\n\n".encode()
    if len(content) <= _SUMMARY_LIMIT:
        try:
            with Path(target).open("ab") as file:
                file.write(content)
        except OSError as error:
            raise UsageError(f"cannot write GITHUB_STEP_SUMMARY: {error.strerror}") from None
