"""Reading of CSV lists that an instrument needs, such as the groups and words of a study of associations."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.sources import csv_file
from tallybook.sources.content import Content
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.instrument_base import ListFile
    from tallybook.study.model import Study
    from tallybook.study.sources import Source


def files(study: Study, edition: str) -> list[str]:
    """List the files of lists that are needed to read the responses of an edition."""
    return list(dict.fromkeys(name for one in study.sources if one.edition == edition for name in files_of(study, one)))


def files_of(study: Study, source: Source) -> list[str]:
    """List the files of lists that are needed to read a source's responses; empty if these are coded already."""
    if isinstance(source, CodedSource):
        return []
    return [each.file for each in study.instrument_of(source).list_files]


def read(folder: Path, declared: ListFile) -> pl.DataFrame:
    """Read the lists as stripped strings, with each row's key in `row`; an empty cell is null."""
    headers = declared.header_of
    cells = csv_file.read(Content(folder, declared.file), declared.delimiter, headers.values())
    columns = {name: cells.column(header) for name, header in headers.items()}
    stripped = pl.exclude("row").str.strip_chars().replace("", None)
    return pl.DataFrame({"row": cells.keys, **columns}).with_columns(stripped)
