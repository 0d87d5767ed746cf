"""Plain text: a record a line, or an answer a file, whose folders and name say what was asked."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.sources.content import MOST_LINE
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Role

_NUMBERS = re.compile(rb"\s*(?:[-+]?[0-9][0-9.eE+-]*\s*\n\s*)+[-+]?[0-9]?[0-9.eE+-]*\s*")
"""The beginning of a file of numbers, at least two of them; the last one may be cut off."""


class TextLines(Format):
    """Files in which every line is a record, even a blank one, as other data refer to the lines by number."""

    name = "text"
    title = "plain text, a record a line"
    has_header = True
    turn = 9

    def recognises(self, head: Head) -> Role | None:
        """Recognise a file with the suffix .txt and a number in each line; other text may be anything."""
        return "responses" if head.suffix == ".txt" and _NUMBERS.fullmatch(head.start) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file to columns `line`, counted from 1, and `text`; an empty last line does not count."""
        with content.open() as stream:
            lines = enumerate(iter(lambda: stream.readline(MOST_LINE + 1), b""), start=1)
            rows = ((f"line {at}", {"line": str(at), "text": content.line(at, raw)}) for at, raw in lines)
            yield from in_parts(rows, content.name)


class TextFile(Format):
    """Files that hold one answer each; only `init` recognises a folder of them."""

    name = "text-file"
    title = "plain text, an answer a file"
    has_header = True
    turn = 11

    def recognises(self, head: Head) -> Role | None:
        return None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file as one record, without its final line end."""
        with content.open() as stream:
            raw = stream.read(MOST_LINE + 1)
        if len(raw) > MOST_LINE:
            raise content.refuse(f"at most {MOST_LINE:,} bytes in an answer")
        yield from in_parts([("text", {"text": content.line(1, raw)})], content.name)


LINES, FILE = TextLines(), TextFile()
