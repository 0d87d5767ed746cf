"""Tables as typst and Word files, all of them written in one run of Pandoc."""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from functools import partial
from math import floor
from pathlib import Path
from typing import TYPE_CHECKING

from tallybook.core.errors import MissingExtraError, TallybookError
from tallybook.core.untrusted import printable
from tallybook.tables.content import visible_table
from tallybook.tables.docx import finished_docx
from tallybook.tables.html import table_html
from tallybook.tables.table_format import TableFormat
from tallybook.tables.widths import fit_to_page

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.tables.content import Alignment, Table

_SCRIPT = Path(__file__).with_name("pandoc_writers.lua")

# The most memory Pandoc may take, and the time it has, in seconds: some to start and some for each table.
_MEMORY = "1G"
_TIME, _TIME_PER_TABLE = 30.0, 2.0

# 1980-01-01, the earliest date that an entry of a zip archive can have: the date of files that shall have none.
_NO_DATE = "315532800"

# Rows that fit on a page of A4 across and along it; digits on its lines, in typst's own size of type; and 7 pt of 11.
_PAGE_ROWS, _TURNED_ROWS = 40, 22
_LINE, _TURNED_LINE = 88.0, 136.0
_LEAST_SIZE = 7 / 11

_ALIGNMENTS: dict[Alignment, str] = {"left": "AlignLeft", "right": "AlignRight", "center": "AlignCenter"}


def pandoc_files(tables: Sequence[Table], *, typst: bool, docx: bool) -> list[Mapping[str, bytes]]:
    """Write tables as typst, as Word files, or as both.

    `typst`: Whether to write typst: a `#figure` of kind table with a native table, caption and label `<tab-ID>`, on a
    page of its own where it stands along the page.
    """
    with tempfile.TemporaryDirectory(prefix="tallybook-") as name:
        raw = [Path(name, f"{number}.docx") if docx else None for number in range(len(tables))]
        jobs = [_job(table, typst=typst, docx=path) for table, path in zip(tables, raw, strict=True)]
        written = _run(jobs)
        return [
            ({"typ": text.encode("utf-8")} if typst else {})
            | ({"docx": finished_docx(path.read_bytes(), table)} if path else {})
            for table, text, path in zip(tables, written, raw, strict=True)
        ]


def _job(table: Table, *, typst: bool, docx: Path | None) -> dict[str, object]:
    shown = visible_table(table)
    fit = fit_to_page(shown, _LINE, _TURNED_LINE, _LEAST_SIZE)
    return {
        "html": table_html(shown, caption=shown.title),
        "label": f"tab-{shown.id}",
        "alignments": ["AlignLeft", *(_ALIGNMENTS[column.align] for column in shown.columns)],
        "size": "" if fit.size == 1 else f"{floor(1000 * fit.size) / 1000:g}em",
        "turned": fit.turned,
        "breakable": len(shown.rows) > (_TURNED_ROWS if fit.turned else _PAGE_ROWS),
        "typst": typst,
        "docx": str(docx or ""),
    }


def _run(jobs: list[dict[str, object]]) -> list[str]:
    try:
        import pypandoc
    except ImportError as error:
        raise MissingExtraError("pypandoc-binary", "report") from error

    command = [pypandoc.get_pandoc_path(), "lua", "-E", str(_SCRIPT), "+RTS", f"-M{_MEMORY}", "-RTS"]
    limit = _TIME + _TIME_PER_TABLE * len(jobs)
    try:
        done = subprocess.run(  # noqa: S603 (Pandoc's own binary; no text of a table is among its arguments)
            command,
            input=json.dumps(jobs).encode("ascii"),
            capture_output=True,
            timeout=limit,
            check=False,
            env={"SOURCE_DATE_EPOCH": _NO_DATE} | os.environ,
        )
    except subprocess.TimeoutExpired as error:
        raise TallybookError(f"pandoc wrote {len(jobs)} tables for {limit:.0f} s and was stopped") from error
    if done.returncode:
        message = printable(done.stderr.decode("utf-8", "replace").strip(), limit=500)
        raise TallybookError(f"pandoc could not write the tables (exit code {done.returncode}): {message}")
    return json.loads(done.stdout)


def _files(kind: str, tables: Sequence[Table]) -> list[bytes]:
    return [made[kind] for made in pandoc_files(tables, typst=kind == "typ", docx=kind == "docx")]


TYPST = TableFormat("typ", partial(_files, "typ"))
DOCX = TableFormat("docx", partial(_files, "docx"))
