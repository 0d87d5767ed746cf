"""Finished tables to files: one file a table and format."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from tallybook.core.errors import UsageError
from tallybook.tables.csv import table_csv
from tallybook.tables.html import html_page
from tallybook.tables.latex import table_latex
from tallybook.tables.markdown import table_markdown
from tallybook.tables.pandoc import pandoc_files
from tallybook.tables.xlsx import table_xlsx

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from tallybook.tables.content import Table

__all__ = ["FORMATS", "TableFormat", "write_tables"]

TableFormat = Literal["csv", "html", "tex", "typ", "md", "docx", "xlsx"]
FORMATS: tuple[TableFormat, ...] = get_args(TableFormat)

_TEXTS: dict[str, Callable[[Table], str]] = {
    "csv": table_csv,
    "html": html_page,
    "tex": table_latex,
    "md": table_markdown,
}


def write_tables(tables: Sequence[Table], folder: Path, formats: Sequence[str] = FORMATS) -> list[Path]:
    """Write every table in every format, as `<folder>/<id>.<format>`.

    Two runs write the same bytes; `SOURCE_DATE_EPOCH` sets the date of Word and Excel files, else it is 1980-01-01.

    Args:
        tables: The tables; their identifiers differ by more than case, for the sake of file systems without it.
        folder: Where to write; it is made when it is missing.
        formats: Some of "csv", "html", "tex", "typ", "md", "docx" and "xlsx".

    Returns:
        The files in the order of the tables, and of the formats within a table.

    Raises:
        UsageError: For an unknown format or two tables with the same identifier.
        MissingExtraError: When a format needs a package that is not installed.
        TallybookError: When Pandoc fails.
    """
    unknown = [name for name in formats if name not in FORMATS]
    if unknown:
        raise UsageError(f"no table format {unknown[0]!r}: the formats are {', '.join(FORMATS)}")
    _refuse_repeated(tables)
    contents: list[dict[str, bytes]] = [
        {name: render(table).encode("utf-8") for name, render in _TEXTS.items() if name in formats} for table in tables
    ]
    if "xlsx" in formats:
        for files, table in zip(contents, tables, strict=True):
            files["xlsx"] = table_xlsx(table)
    if tables and {"typ", "docx"} & set(formats):
        converted = pandoc_files(tables, typst="typ" in formats, docx="docx" in formats)
        for files, more in zip(contents, converted, strict=True):
            files.update(more)
    folder.mkdir(parents=True, exist_ok=True)
    paths: list[Path] = []
    for table, files in zip(tables, contents, strict=True):
        for name in dict.fromkeys(formats):
            path = folder / f"{table.id}.{name}"
            path.write_bytes(files[name])
            paths.append(path)
    return paths


def _refuse_repeated(tables: Sequence[Table]) -> None:
    seen: dict[str, str] = {}
    for table in tables:
        name = table.id.casefold()
        if name in seen:
            raise UsageError(f"tables {seen[name]!r} and {table.id!r} would be written to the same files")
        seen[name] = table.id
