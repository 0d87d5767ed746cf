"""How a dump is read that cannot be read as it stands: another encoding, headers further below, several sheets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.errors import DataError
from tallybook.sources.content import NOT_UTF8
from tallybook.sources.formats.delimited import header_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.drafting.survey import Reading
    from tallybook.sources.content import Content

_SHEETS, _UTF16, _UNKNOWN = "the sheet to be named", "this is UTF-16", "a file of a known format"


def is_unknown(error: DataError) -> bool:
    """Tell whether a file of a folder is only no dump: of no known format, or empty."""
    return all(problem.expected.startswith((_UNKNOWN, "at least one response; the")) for problem in error.problems)


def sheets(error: DataError) -> tuple[str, ...]:
    """List the sheets of which one was to be named."""
    named = (problem.expected.partition("; there are ") for problem in error.problems)
    names = (name for what, _, listed in named if what.startswith(_SHEETS) for name in listed.split(", "))
    return tuple(dict.fromkeys(names))


def guess(error: DataError, contents: Sequence[Content], reading: Reading) -> tuple[Reading, str] | None:
    """Guess how a dump is read that was refused, and say so; None if nothing comes to mind."""
    expected = " ".join(problem.expected for problem in error.problems)
    if reading.encoding == "utf-8" and _UTF16 in expected:
        return reading._replace(encoding="utf-16"), "The files are UTF-16. See `encoding`."
    if reading.encoding == "utf-8" and NOT_UTF8 in expected and not any(map(_is_utf8, contents)):
        said = "The files are not UTF-8 and are read as windows-1252: if accents look wrong, --set encoding=iso-8859-1."
        return reading._replace(encoding="windows-1252"), said
    if reading.sheet is None and _SHEETS in expected:
        said = (
            "All sheets with the same headers are read, with the sheet's name in `sheet`; --set sheet=NAME reads one."
        )
        return reading._replace(sheet="*"), said
    refused = {problem.file for problem in error.problems}
    rows = {header_line(_start(one)) for one in contents if one.name in refused and reading.encoding == "utf-8"}
    if reading.header == 1 and len(rows) == 1 and (row := rows.pop()) > 1:
        said = f"The headers are taken to stand in row {row}: what is above is passed over. See `header`."
        return reading._replace(header=row), said
    return None


def _start(content: Content) -> bytes:
    try:
        return content.start()
    except DataError:
        return b""


def _is_utf8(content: Content) -> bool:
    """Tell whether a file is UTF-8 that another encoding would garble."""
    try:
        return any(not text.isascii() for _, text in content.lines())
    except DataError:
        return False
