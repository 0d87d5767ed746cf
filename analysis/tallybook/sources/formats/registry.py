"""Detect a file's format, or choose it by its name."""

from __future__ import annotations

import codecs
import re
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import DataError, UsageError
from tallybook.core.untrusted import printable
from tallybook.sources.formats.format import Head
from tallybook.sources.header_rows import first_and_last
from tallybook.study.format_base import PLAIN, formats, own_formats, plugins

if TYPE_CHECKING:
    from tallybook.sources.content import Content
    from tallybook.study.format_base import Format, Layout, Role


class Detected(NamedTuple):
    """The detected format of a file, and the role of the file."""

    format: Format
    role: Role  # whether it holds responses, or accompanies them


def format_by_name(name: str) -> Format:
    """Return the format of a name in study files."""
    known = formats()
    if name not in known:
        raise UsageError(f"no format {printable(name)}; there are {', '.join(known)}")
    return known[name]


def detect(content: Content) -> Detected | None:
    """Detect the format of a file by its beginning; None if it is unknown."""
    head = Head(content)
    own = own_formats()
    tools, plain = [one for one in own if not one.turn], [one for one in own if one.turn]
    for group in ([*tools, *plugins().values()], plain):
        found = [Detected(one, role) for one in group if (role := one.recognises(head)) is not None]
        if len(found) > 1 and group is not plain:
            names = " and ".join(one.format.name for one in found)
            raise UsageError(f"{content.name} looks like {names}; name its format with 'format'")
        if found:
            return found[0]
    return None


def detect_format(content: Content, layout: Layout = PLAIN) -> Detected:
    """Detect the format of a file, and apply the settings of a table; raise a `DataError` if it is unknown."""
    last = first_and_last(layout.header)[1]
    found = detect(content if last == 1 else content.below_line(last - 1)) or detect(content)
    if found is None:
        raise unknown(content)
    return found if found.role != "responses" else found._replace(format=found.format.laid_out(content, layout))


def unknown(content: Content) -> DataError:
    """Return the error for a file of unknown format, with the cause where it is apparent."""
    start = content.start()
    if not start.strip():
        return content.refuse("at least one response; the file is empty")
    if start.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.refuse(
            "UTF-8 text; this is UTF-16: encoding = 'utf-16' in a study file, --set encoding=utf-16 of init"
        )
    if start.startswith(b"PK\x03\x04"):
        found = next((name for name in Head(content).members if _IN_ARCHIVE.search(name)), None)
        more = f": it holds {printable(found, 60)}; unpack it, and name the folder" if found else ""
        return content.refuse(f"a whole workbook, or a log of Inspect; this zip archive is neither{more}")
    if not _CONTROLS.search(start):
        try:
            codecs.getincrementaldecoder("utf-8")().decode(start)  # it may end within a character
        except UnicodeDecodeError as error:
            return DataError([content.not_utf8(error)])
    known = "a file of a known format: a table, JSON, a log of a known tool (docs/formats.md lists all)"
    if start.lstrip().startswith(b"{"):
        known += "; a JSON object of record key and record is declared with format = 'keyed-json' in a study file"
    if program := next((name for name, form in _OF_PROGRAMS.items() if form.match(start)), None):
        known += f"; pandas.read_{program}(FILE).to_csv(NAME, index=False) makes a table of this one"
    return content.refuse(known)


_OF_PROGRAMS = {
    "stata": re.compile(rb"<stata_dta>|[\x69-\x73][\x01\x02]\x01\x00"),
    "spss": re.compile(rb"\$FL[23]"),
}
"""The beginnings of files of statistical programs, by what pandas calls these."""
_IN_ARCHIVE = re.compile(r"(?i)\.(csv|tsv|json|jsonl|ndjson|parquet|txt|xlsx)$")
"""The names of files that may hold responses, and that only unpacked archives give."""
_CONTROLS = re.compile(rb"[\x00-\x08\x0e-\x1f]")
"""Bytes that occur in no text, whatever its encoding."""
