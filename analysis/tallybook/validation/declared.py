"""How a study says that each of its files is read: the format, what separates columns, the encoding."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.sources.folder import Folder
from tallybook.sources.formats.registry import named, tell, told_format
from tallybook.sources.read_result import Inputs
from tallybook.study.record_sources import RecordSource

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.sources.content import Content
    from tallybook.study.format_base import Format
    from tallybook.study.model import Study


class Reading(NamedTuple):
    """The way a file is read."""

    format: str = "auto"  # the format's name; `auto` for what its content tells
    # what separates the columns of CSV; None for what the format has, or the file's first lines suggest
    delimiter: str | None = None
    sheet: str | None = None  # the sheet of a spreadsheet; None for the only one
    encoding: str = "utf-8"  # the encoding of text
    table: str | None = None  # the table of a database; None for the only one

    def format_of(self, content: Content) -> Format | None:
        """Get the format of a file."""
        if self.format != "auto":
            return named(self.format, self.delimiter, self.sheet, self.table)
        return None if tell(content) is None else told_format(content, self.delimiter, self.sheet, self.table).format


def readings(study: Study, data: Path, own: Path, edition: str | None) -> dict[str, Reading]:
    """Map each file of a study's data to how it is read; others are read as their content tells."""
    inputs = Inputs(Folder(data), study, own)
    found: dict[str, Reading] = {}
    if study.overrides is not None:
        found[study.overrides.file] = Reading("csv", study.overrides.delimiter)
    for source in study.sources:
        if not isinstance(source, RecordSource) or edition not in {None, source.edition}:
            continue
        if source.items is not None:
            found[source.items.file] = Reading("csv", source.items.delimiter)
        settings = (source.delimiter, source.sheet, source.encoding, source.table)
        read_as = Reading(source.plugin or source.format, *settings)
        found |= {name: read_as for name, _ in inputs.files(source)[0]}
    return found
