"""Reading of tables and running text from CSV, Markdown, LaTeX, HTML and Word files."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import subprocess
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.errors import READABLE, Problem, UsageError
from tallybook.core.safe_paths import open_regular
from tallybook.core.untrusted import printable
from tallybook.published.audit.settings import Row, Table
from tallybook.report.pandoc import command, installed

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PANDOC = {
    ".md": "markdown+pipe_tables+grid_tables",
    ".markdown": "markdown+pipe_tables+grid_tables",
    ".qmd": "markdown+pipe_tables+grid_tables",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".docx": "docx",
}
"""Suffix -> pandoc's name of the format."""
DELIMITED = {".csv": ",", ".tsv": "\t"}
LARGEST = 50_000_000  # bytes
MOST_CONVERTED = 2**26
"""The maximum size of pandoc's JSON for a file, in bytes: a cell's span can multiply the cells of a table."""
TIMEOUT = 120  # seconds
_COLUMNS = 500
_WIDE = re.compile(rb"(?i)(\bcolspan\s*=\s*[\"']?\s*)\d{4,}")
"""Cells that span more columns than browsers allow."""
_NOTE = re.compile(r"\W*(?:notes?\b|p ?<|standard|robust|cluster|values|numbers|figures)", re.IGNORECASE)
"""The beginning of a note under a table."""
_WORDS_AT = {"Math": 1, "Code": 1, "Span": 1, "Cite": 1, "Quoted": 1, "Div": 1, "Link": 1, "Header": 2}
"""The position of the text in the elements of pandoc that also have attributes."""
_ROWS = 200_000


class Document(NamedTuple):
    """The tables of a file and its running text."""

    tables: list[Table]
    passages: list[str]


def read(path: Path) -> Document:
    """Read the tables and running text of a file."""
    suffix = path.suffix.lower()
    if suffix not in PANDOC and suffix not in DELIMITED:
        raise UsageError(f"{path}: no format {suffix!r}; there are {', '.join((*DELIMITED, *PANDOC))}")
    try:
        with open_regular(path) as file:
            content = file.read(LARGEST + 1)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}; expected {READABLE}") from None
    if len(content) > LARGEST:
        raise UsageError(f"{path}: expected a document of at most {LARGEST:,} bytes")
    if suffix in DELIMITED:
        return Document([_delimited(path, content, DELIMITED[suffix])], [])
    return _converted(path, content, PANDOC[suffix])


def _delimited(path: Path, content: bytes, separator: str) -> Table:
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise UsageError(str(Problem(path.name, f"line {line}", "", "", "text in UTF-8"))) from None
    # Semicolons separate cells where commas are decimal points; the header decides.
    first = text.partition("\n")[0]
    if separator == "," and first.count(";") > first.count(","):
        separator = ";"
    reader = csv.reader(io.StringIO(text), delimiter=separator)
    rows: list[Row] = []
    try:
        rows.extend(
            Row(f"line {reader.line_num}", [cell.strip() for cell in cells[:_COLUMNS]])
            for cells in reader
            if any(cell.strip() for cell in cells)
        )
    except csv.Error as error:
        raise UsageError(f"{path}: line {reader.line_num}: {error}") from None
    if not rows:
        raise UsageError(f"{path}: no rows; expected a header and at least one row")
    headers, *body = rows
    return Table(str(path), path.stem, [[header] for header in headers.cells], body)


def _converted(path: Path, content: bytes, form: str) -> Document:
    content = _WIDE.sub(rb"\g<1>1000", content) if form == "html" else content
    with TemporaryFile() as made:
        try:
            done = subprocess.run(  # noqa: S603  the command is a list of our own making
                command(installed(), ["--from", form, "--to", "json"]),
                input=content,
                stdout=made,
                stderr=subprocess.PIPE,
                timeout=TIMEOUT,
                check=False,
            )
        except subprocess.TimeoutExpired:
            raise UsageError(f"{path}: pandoc did not finish within {TIMEOUT} seconds") from None
        if done.returncode:
            message = printable(done.stderr.decode("utf-8", "replace").strip(), 300)
            raise UsageError(f"{path}: pandoc cannot read it: {message}")
        if os.fstat(made.fileno()).st_size > MOST_CONVERTED:
            raise UsageError(f"{path}: expected tables of fewer cells, those included that other cells span")
        made.seek(0)
        try:
            return _document(json.load(made)["blocks"], str(path))
        except RecursionError:
            raise UsageError(f"{path}: its parts are nested too deeply") from None


def _document(blocks: object, file: str) -> Document:
    """Collect tables and paragraphs in their order; a note directly below a table is added to its caption."""
    found = Document([], [])
    is_below = False
    for kind, content in _blocks(blocks):
        if kind == "Table":
            found.tables.append(_table(content, file, len(found.tables) + 1))
            is_below = True
        else:
            text = _text(content)
            found.passages.append(text)
            is_below = is_below and _NOTE.match(text) is not None
            if is_below:
                found.tables[-1] = found.tables[-1]._replace(caption=f"{found.tables[-1].caption} {text}")
    return found


def _blocks(node: Any) -> Iterator[tuple[str, Any]]:  # noqa: ANN401  pandoc's JSON
    match node:
        case {"t": "Table" | "Para" | "Plain" as kind, "c": content}:
            yield kind, content
        case {"c": content}:
            yield from _blocks(content)
        case [*parts]:
            for part in parts:
                yield from _blocks(part)
        case _:
            pass


def _table(content: Any, file: str, number: int) -> Table:  # noqa: ANN401
    _, caption, columns, head, bodies, foot = content
    width = min(len(columns), _COLUMNS)
    header_rows = _grid(head[1], width)
    rows: list[list[str]] = []
    for _, _, between, body in bodies:
        rows += _grid([*between, *body], width)
    rows += _grid(foot[1], width)
    if not header_rows and rows:
        header_rows, rows = rows[:1], rows[1:]
    # LaTeX does not mark headers: rows without a number at the top belong to the header.
    while rows and len(rows) > 1 and not any(re.search(r"\d", cell) for cell in rows[0]):
        header_rows = [*header_rows, rows.pop(0)]
    headers = [list(dict.fromkeys(row[place] for row in header_rows if row[place])) for place in range(width)]
    name = f"table {number}"
    return Table(
        file,
        name,
        headers,
        [Row(f"{name}, row {place}", row) for place, row in enumerate(rows[:_ROWS], start=1)],
        _text(caption),
    )


def _grid(rows: Any, width: int) -> list[list[str]]:  # noqa: ANN401
    """Return rows of cells, with cells repeated that span rows or columns."""
    grid = [[""] * width for _ in rows]
    taken = [[False] * width for _ in rows]
    for place, (_, cells) in enumerate(rows):
        column = 0
        for _, _, down, across, blocks in cells:
            while column < width and taken[place][column]:
                column += 1
            text = _text(blocks)
            for below in range(place, min(place + down, len(grid))):
                for beside in range(column, min(column + across, width)):
                    grid[below][beside], taken[below][beside] = text, True
            column += across
    return grid


def _text(node: object) -> str:
    """Return the text of a part of pandoc's document."""
    return " ".join("".join(_words(node)).split())


def _words(node: Any) -> Iterator[str]:  # noqa: ANN401  pandoc's JSON
    match node:
        case str():
            yield node
        case {"t": "Space" | "SoftBreak" | "LineBreak"}:
            yield " "
        case {"t": "RawInline" | "RawBlock" | "Note" | "Image"}:
            pass
        case {"t": kind, "c": content}:
            yield "^" if kind == "Superscript" else ""
            yield from _words(content[_WORDS_AT[kind]] if kind in _WORDS_AT else content)
        case [*parts]:
            for part in parts:
                yield from _words(part)
        case _:
            pass
