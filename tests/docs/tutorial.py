"""The tutorial as a program: its cells are run without a kernel, and what they show is written as the page has it.

`python -m tests.docs.tutorial` runs docs/tutorial.qmd and brings what it shows up to date.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shutil
import tempfile
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, NamedTuple

import polars as pl

from tests.paths import TOP

TUTORIAL = TOP / "docs" / "tutorial.qmd"
EXAMPLE = Path("data") / "raw" / "example" / "answers.csv"
# What a cell shows follows it in an element that Quarto leaves out, for it runs the cell itself; a code host shows it.
_START, _END = '<div class="content-visible" when-format="gfm">\n\n', "\n\n</div>\n"
_CELL = re.compile(
    rf"(?ms)^```{{python}}\n(?P<code>.*?)^```\n(?:\n{re.escape(_START)}(?P<shown>.*?){re.escape(_END)})?"
)


class Cell(NamedTuple):
    """A cell of the page: its code, and what the page says that it shows."""

    code: str
    shown: str


def cells(text: str) -> list[Cell]:
    return [Cell(found["code"], found["shown"] or "") for found in _CELL.finditer(text)]


def prose(text: str) -> str:
    """What is neither front matter, code nor output."""
    body = re.sub(r"(?s)\A---\n.*?\n---\n", "", text)
    return re.sub(r"`[^`]*`|\]\([^)]*\)", " ", re.sub(r"(?ms)^```.*?^```\n", "", _CELL.sub("", body)))


def run(text: str, folder: Path) -> list[tuple[str, Any]]:
    """What each cell shows, and its value; they are run in a copy of the folders that they name."""
    (folder / "docs").mkdir()
    (folder / EXAMPLE).parent.mkdir(parents=True)
    shutil.copy(TOP / EXAMPLE, folder / EXAMPLE)
    before = Path.cwd()
    os.chdir(folder / "docs")
    try:
        with pl.Config():
            namespace: dict[str, Any] = {}
            return [_run_cell(cell.code, namespace) for cell in cells(text)]
    finally:
        os.chdir(before)


def _run_cell(code: str, namespace: dict[str, Any]) -> tuple[str, Any]:
    body = ast.parse(code).body
    last = body.pop() if isinstance(body[-1], ast.Expr) else None
    value = None
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(ast.Module(body, []), "tutorial.qmd", "exec"), namespace)  # noqa: S102  our own page
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "tutorial.qmd", "eval"), namespace)  # noqa: S307  as above
    if hasattr(value, "as_raw_html"):
        return _pipe_table(value.as_raw_html()), value
    if hasattr(value, "_repr_mimebundle_"):  # a figure: a page of plain text has no picture of it
        return "", value
    text = printed.getvalue() + ("" if value is None else f"{value!r}\n")
    return (f"```text\n{text}```" if text else ""), value


class _Rows(HTMLParser):
    """The rows of a table: what is in its cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.within = False
        self.spanned = 1  # how many columns a spanning heading has
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        if "gt_column_spanner_outer" in given.get("class", ""):
            self.spanned = int(given.get("colspan", "1"))
        if tag == "tr":
            self.rows.append([])
        elif tag in {"td", "th"}:
            self.rows[-1].append("")
            self.within = True

    def handle_endtag(self, tag: str) -> None:
        if tag == "th":
            self.rows[-1] += [self.rows[-1][-1]] * (self.spanned - 1)
            self.spanned = 1
        self.within = self.within and tag not in {"td", "th"}

    def handle_data(self, data: str) -> None:
        if self.within:
            self.rows[-1][-1] += re.sub(r"\s*\n\s*", "", data)


def _pipe_table(html: str) -> str:
    (title,), head, *rows = _Rows(html).rows
    width = len(head)
    if len(rows[0]) == width - 1:  # of columns below spanning headings
        labels = rows.pop(0)
        head = [head[0], *(" / ".join(both) for both in zip(head[1:], labels, strict=True))]
    lines = [f"**{title}**", "", head, ["---", *["---:"] * (width - 1)]]
    lines += [
        row if len(row) == width else [f"**{row[0]}**", *[""] * (width - 1)] for row in rows if _is_body(row, rows)
    ]
    notes = [row[0] for row in rows if not _is_body(row, rows)]
    made = [line if isinstance(line, str) else f"| {' | '.join(line)} |".replace("*", r"\*") for line in lines]
    made = [line.replace(r"\*\*", "**") if line.startswith(r"| \*\*") else line for line in made]
    return "\n".join([*made, *(part for note in notes for part in ("", note.replace("*", r"\*")))])


def _is_body(row: list[str], rows: list[list[str]]) -> bool:
    """Whether a row is one of the table or the heading of a group, and no note below."""
    last = max(number for number, one in enumerate(rows) if len(one) > 1)
    return any(row is one for one in rows[: last + 1])


def _recorded(text: str) -> str:
    """The page with what its cells show."""
    with tempfile.TemporaryDirectory() as folder:
        shown = iter(run(text, Path(folder)))

    def cell(found: re.Match[str]) -> str:
        output, _ = next(shown)
        return f"```{{python}}\n{found['code']}```\n" + (f"\n{_START}{output}{_END}" if output else "")

    return _CELL.sub(cell, text)


if __name__ == "__main__":
    TUTORIAL.write_text(_recorded(TUTORIAL.read_text(encoding="utf-8")), encoding="utf-8", newline="")
