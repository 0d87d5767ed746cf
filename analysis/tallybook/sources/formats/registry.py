"""All formats, and how a file's format is told."""

from __future__ import annotations

import codecs
import re
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, NamedTuple, cast

from tallybook.core.errors import DataError, UsageError
from tallybook.core.untrusted import printable
from tallybook.sources.formats import (
    anthropic_batch,
    arrow,
    bedrock_batch,
    delimited,
    excel,
    gemini_batch,
    helm,
    inspect_log,
    json_array,
    json_lines,
    langfuse,
    langsmith,
    llm_log,
    lm_eval,
    openai_batch,
    parquet,
    promptfoo,
    sqlite,
    text_lines,
)
from tallybook.sources.formats.delimited import Delimited
from tallybook.sources.formats.excel import Excel
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.sqlite import Sqlite

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Format, Role

ENTRY_POINTS = "tallybook.formats"
"""The group of entry points under which installed packages bring formats: the name is `package.format`."""

TOOLS: tuple[Format, ...] = (
    inspect_log.FORMAT,
    lm_eval.FORMAT,
    helm.FORMAT,
    openai_batch.FORMAT,
    anthropic_batch.FORMAT,
    gemini_batch.FORMAT,
    bedrock_batch.FORMAT,
    promptfoo.FORMAT,
    langfuse.FORMAT,
    langsmith.FORMAT,
    llm_log.FORMAT,
)
"""What evaluation tools and providers of models write."""

PLAIN: tuple[Format, ...] = (
    parquet.FORMAT,
    arrow.FORMAT,
    excel.FORMAT,
    sqlite.FORMAT,
    json_lines.FORMAT,
    json_array.FORMAT,
    delimited.CSV,
    delimited.TSV,
    delimited.FORMAT,
    text_lines.FORMAT,
)
"""Tables, JSON and plain text of anyone's making. A file that is of a tool's format too is taken for that."""


class Told(NamedTuple):
    """What a file was told to be.

    Attributes:
        format: Its format.
        role: Whether it holds responses, or what is read beside them.
    """

    format: Format
    role: Role


@cache
def plugins() -> Mapping[str, Format]:
    """The formats that installed packages bring, by the names of their entry points."""
    return {point.name: cast("Format", point.load()) for point in entry_points(group=ENTRY_POINTS)}


def formats() -> dict[str, Format]:
    """All formats.

    Returns:
        Name in study files -> format.
    """
    return {one.name: one for one in (*TOOLS, *PLAIN) if one is not delimited.FORMAT} | dict(plugins())


def named(name: str, delimiter: str | None = None, sheet: str | None = None, table: str | None = None) -> Format:
    """The format that a study file names.

    Args:
        name: Its name.
        delimiter: What separates the columns, where that is set.
        sheet: The sheet, where that is set.
        table: The table, where that is set.

    Returns:
        The format.

    Raises:
        UsageError: If there is none of this name.
    """
    if name == "csv" and delimiter is not None:
        return Delimited("csv", "CSV", delimiter)
    if name == "excel" and sheet is not None:
        return Excel(sheet)
    if name == "sqlite" and table is not None:
        return Sqlite(table)
    known = formats()
    if name not in known:
        raise UsageError(f"no format {printable(name)}; there are {', '.join(known)}")
    return known[name]


def tell(content: Content) -> Told | None:
    """Tell the format of a file by its beginning.

    Args:
        content: The file.

    Returns:
        The format and the file's role; None if no format is known.

    Raises:
        UsageError: If the file looks like the output of more than one tool.
    """
    head = Head(content)
    for group in ((*TOOLS, *plugins().values()), PLAIN):
        told = [Told(one, role) for one in group if (role := one.recognises(head)) is not None]
        if len(told) > 1 and group is not PLAIN:
            names = " and ".join(one.format.name for one in told)
            raise UsageError(f"{content.name} looks like {names}; name its format with 'format'")
        if told:
            return told[0]
    return None


def told_format(
    content: Content, delimiter: str | None = None, sheet: str | None = None, table: str | None = None
) -> Told:
    """Tell the format of a file, with what is set of it.

    Args:
        content: The file.
        delimiter: What separates the columns, where that is set.
        sheet: The sheet, where that is set.
        table: The table, where that is set.

    Returns:
        The format and the file's role.

    Raises:
        DataError: If no format is known.
        UsageError: If the file looks like the output of more than one tool.
    """
    told = tell(content)
    if told is None:
        raise unknown(content)
    if isinstance(told.format, Delimited) and delimiter is not None:
        return told._replace(format=named("csv", delimiter))
    if isinstance(told.format, Excel) and sheet is not None:
        return told._replace(format=named("excel", sheet=sheet))
    is_database = isinstance(told.format, Sqlite) or told.format is llm_log.FORMAT
    if is_database and table is not None and told.role == "responses":
        return told._replace(format=named("sqlite", table=table))
    return told


def unknown(content: Content) -> DataError:
    """What is told of a file whose format cannot be told: why, where that shows.

    Args:
        content: The file.

    Returns:
        The error.
    """
    start = content.start()
    if not start.strip():
        return content.refuse("at least one response; the file is empty")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.refuse(
            "UTF-8 text; this is UTF-16: encoding = 'utf-16' in a study file, --set encoding=utf-16 of init"
        )
    if start.startswith(b"PK\x03\x04"):
        return content.refuse("a whole workbook, or a log of Inspect; this zip archive is neither")
    if not _CONTROLS.search(start):
        try:
            codecs.getincrementaldecoder("utf-8")().decode(start)  # it may end within a character
        except UnicodeDecodeError as error:
            return DataError([content.not_utf8(error)])
    known = f"a file of a known format ({', '.join(formats())})"
    if start.lstrip().startswith(b"{"):
        known += "; a JSON object of record key and record is declared with format = 'keyed-json' in a study file"
    return content.refuse(known)


_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that stand in no text, whatever its encoding."""
