"""Writes docs/broken-dumps.md: every broken dump of `tests/hostile/broken`, and what `tallybook validate` tells of it.

`python -m tests.integration.validation.broken_page` writes the page anew: read the difference.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import sys
from itertools import groupby
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, NamedTuple
from unittest.mock import patch

from tallybook.cli.app import main
from tests.hostile import test_broken_dumps
from tests.hostile.test_broken_dumps import FOLDER, Case
from tests.paths import DOCS

if TYPE_CHECKING:
    from collections.abc import Iterator

PAGE = DOCS / "broken-dumps.md"
HEAD = """\
# Broken dumps, and their messages

<!-- Written by `python -m tests.integration.validation.broken_page`: a test fails if it differs. -->

What `tallybook validate` says of {number} dumps, each broken in one way: look here for what a message means.
[validation.md](validation.md) lists the checks, and the formats for CI systems.

A message reads

    error: answers.csv:3: column try: found first; expected a whole number [values]

from left to right: the severity (an `error` makes data invalid, a `warning` does with `--fail-on warning`, an `info`
never does), file and line, the column, the value found, what was expected, and the check that failed. Where a file has
no lines, or a record spans several of them, the record is named too: `row 2`, `record 3`. The last line sums up. The
command ends with 1, so a job fails; it ends with 2 if nothing could be checked, for example because the study file
itself is broken (`tests/hostile/broken/messages.txt` has those messages).

All dumps but the last four are of one study, which asks two models whether they say yes or no:

```toml
{study}```

Where a dump needs another study, the changed lines are shown: `-` is replaced by `+`.

{contents}
"""
DONE = {
    "latin-1": "encoded in Latin-1",
    "utf-16": "encoded in UTF-16",
    "gzip": "compressed with gzip",
    "parquet": "as a Parquet file",
    "xlsx": "as a workbook",
}
_PUNCTUATION = re.compile(r"[\\`*_{}\[\]<>#|!]")


class Ran(NamedTuple):
    """What a command printed, and how it ended."""

    code: int
    output: str


def read_cases() -> list[Case]:
    """The dumps with faults that reading and coding tell, then those that only a validation does."""
    return [*test_broken_dumps.read_cases(), *test_broken_dumps.read_cases(FOLDER / "checks.txt")]


def arguments(case: Case) -> str:
    """What stands behind `tallybook validate`."""
    return next((line[2:] for line in case.lines if line.startswith("$ ")), ".")


def run(case: Case, folder: Path) -> Ran:
    """Validate a dump as a user would, in its folder."""
    test_broken_dumps.lay(case, folder)
    if "-s" in arguments(case).split():
        (folder / "study.toml").unlink()
    printed = io.StringIO()
    command = ["tallybook", "validate", *arguments(case).split()]
    free = {name: text for name, text in os.environ.items() if not name.startswith("GITHUB_")}
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(printed),
        contextlib.redirect_stderr(printed),
        patch.object(sys, "argv", command),
        patch.dict(os.environ, free, clear=True),
    ):
        try:
            main()
            code = 0
        except SystemExit as ended:
            code = int(ended.code or 0)
    return Ran(code, printed.getvalue())


def page() -> str:
    """The page."""
    cases = read_cases()
    sections = [
        (title.removeprefix("## "), list(group)) for title, group in groupby(cases, key=lambda one: one.section)
    ]
    study = (FOLDER / "dump.toml").read_text(encoding="utf-8")
    contents = "\n".join(f"- [{escaped(title)}](#{anchor(title)}): {len(group)}" for title, group in sections)
    parts = [HEAD.format(number=len(cases), study=study, contents=contents)]
    for title, group in sections:
        parts.append(f"## {escaped(title)}\n")
        parts += [entry(case) for case in group]
    return "\n".join(parts)


def entry(case: Case) -> str:
    """A dump, and what is told of it."""
    with TemporaryDirectory() as folder:
        ran = run(case, Path(folder))
    assert ran.output, case.title
    blocks = [f"### {escaped(case.title.removeprefix('# '))}\n"]
    if case.edits:
        blocks.append(fenced("\n".join(line.rstrip() for line in case.edits), "diff"))
    blocks += [block for name, (lines, done) in case.files.items() for block in shown(name, lines, done)]
    ended = {0: "", 1: "", 2: " # ends with 2"}[ran.code]
    blocks.append(fenced(f"$ tallybook validate {arguments(case)}{ended}\n{ran.output.rstrip()}", "console"))
    return "\n".join(blocks)


def shown(name: str, lines: list[str], done: list[str]) -> Iterator[str]:
    """A file: its name, what was done to it, its lines."""
    what = [DONE.get(one, one.replace("zip as ", "as a zip archive's member ")) for one in done]
    what = [one.replace("last 1 bytes", "last byte") for one in what]
    told = f"`{name}`{''.join(f', {one}' for one in what)}"
    if not lines:
        yield f"{told} (empty)\n"
        return
    yield f"{told}:\n"
    yield fenced("\n".join(lines), "")


def fenced(text: str, language: str) -> str:
    """A block of code, whatever stands in it."""
    ticks = max((len(found) for found in re.findall(r"^ {0,3}(`{3,})", text, flags=re.MULTILINE)), default=2) + 1
    return f"{'`' * ticks}{language}\n{text}\n{'`' * ticks}\n"


def escaped(text: str) -> str:
    """A text that is no Markdown."""
    return _PUNCTUATION.sub(r"\\\g<0>", text)


def anchor(title: str) -> str:
    """What a heading is linked by on GitHub and GitLab."""
    return re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
