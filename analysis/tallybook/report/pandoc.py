"""Runs of pandoc, limited in time, memory and files, that treat every warning as an error."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
from typing import TYPE_CHECKING

from tallybook.core.errors import MissingExtraError, ReportError, UsageError
from tallybook.core.untrusted import printable
from tallybook.core.wording import first_of
from tallybook.report.formats import Program
from tallybook.tables.table_format import epoch

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tallybook.report.sources import Sources

MINIMUM = (3, 8)
TIMEOUT = 300  # seconds
MEMORY = "2G"
ALLOCATED = "128M"
"""The memory that pandoc fills before it frees any: with the usual 4 MB, freeing takes a third of its time."""
SHOWN = 20


def installed() -> Program:
    """Return the pandoc that the package pypandoc_binary brings."""
    try:
        import pypandoc
    except ImportError as error:
        raise MissingExtraError("pypandoc_binary", "report") from error
    try:
        executable = pypandoc.get_pandoc_path()
        version = str(pypandoc.get_pandoc_version())
    except OSError as error:
        raise MissingExtraError("pypandoc_binary", "report") from error
    numbers = tuple(int(part) for part in version.split(".")[:2])
    if numbers < MINIMUM:
        raise UsageError(f"pandoc {version} is too old: expected 3.8 or newer")
    return Program(executable, version)


def command(pandoc: Program, arguments: Sequence[str]) -> list[str]:
    """Return the command that runs pandoc in its sandbox, where it reads only the files that the arguments name."""
    return [pandoc.executable, "+RTS", f"-M{MEMORY}", f"-A{ALLOCATED}", "-RTS", "--sandbox", *arguments]


def run(pandoc: Program, arguments: Sequence[str], folder: Path, sources: Sources, what: str) -> None:
    """Run pandoc in a working folder, and raise the problems that the Lua filter leaves in `problems.json`."""
    problems = folder / "problems.json"
    problems.unlink(missing_ok=True)
    answer = _answered(pandoc, ["--fail-if-warnings", *arguments], what, folder)
    if problems.is_file():
        raise ReportError(_located(problems, sources))
    if answer.returncode != 0 or answer.stderr.strip():
        raise ReportError(_complaint(answer.stderr, answer.returncode, sources, what))


def converted(arguments: Sequence[str], what: str, text: str = "") -> str:
    """Return pandoc's conversion of a text, or of the files among its arguments."""
    answer = _answered(installed(), arguments, what, text=text)
    if answer.returncode:
        raise ReportError(f"pandoc cannot read {what}: {printable(answer.stderr.strip(), 300)}")
    return answer.stdout


def _answered(
    pandoc: Program, arguments: Sequence[str], what: str, folder: Path | None = None, text: str = ""
) -> subprocess.CompletedProcess[str]:
    try:
        return subprocess.run(  # noqa: S603 - the command is a list of our own making
            command(pandoc, arguments),
            cwd=folder,
            input=text,
            timeout=TIMEOUT,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            check=False,
            env={**os.environ, "SOURCE_DATE_EPOCH": str(epoch())},
        )
    except subprocess.TimeoutExpired as error:
        raise ReportError(f"pandoc did not finish {what} within {TIMEOUT} seconds") from error


def _located(problems: Path, sources: Sources) -> str:
    found = json.loads(problems.read_text(encoding="utf-8"))
    lines = [
        (each["place"] or sources.place(each["needle"], last=each["last"])) + printable(each["message"], 300)
        for each in found
    ]
    return "\n".join(first_of([*dict.fromkeys(lines)], SHOWN))


def _ending(code: int) -> str:
    """Describe an exit code in words.

    >>> _ending(3), _ending(-9)
    ('exit code 3', 'it was ended: Killed')
    """
    return f"it was ended: {signal.strsignal(-code) or -code}" if code < 0 else f"exit code {code}"


_AT = re.compile(r" ?(?:at )?\(?body\.md line (\d+) column \d+\)?")
"""The place that a message of pandoc names."""
_TEX = re.compile(r"Could not convert TeX math (.+), rendering as TeX")


def _complaint(stderr: str, code: int, sources: Sources, what: str) -> str:
    lines = [line for line in stderr.splitlines() if line.strip() and "Failing because" not in line]
    missing = [found[1] for line in lines if (found := re.search(r"citation (\S+) not found", line))]
    if missing:
        return "\n".join(
            f"{sources.place(f'@{key}')}the citation @{printable(key)} is not in the bibliography"
            for key in dict.fromkeys(missing)
        )
    placed = [
        sources.lines[int(found[1]) - 1].place + printable(_AT.sub("", line).replace("[WARNING] ", ""), 300)
        for line in lines
        if (found := _AT.search(line)) and int(found[1]) <= len(sources.lines)
    ]
    placed += [
        f"{sources.place(found[1])}TeX that cannot be read: {printable(found[1], 200)}"
        for line in lines
        if (found := _TEX.search(line))
    ]
    if placed:
        return "\n".join(first_of([*dict.fromkeys(placed)], SHOWN))
    said = [f"  {printable(line.strip(), 300)}" for line in lines[:SHOWN]] or [f"  {_ending(code)}"]
    return "\n".join([f"pandoc failed on {what}:", *said])
