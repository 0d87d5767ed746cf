"""Plain text with an answer a file: the column `text`; the names of folders and files say what was asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.sources.content import MOST_LINE, NOT_UTF8
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Role


class TextFile(Format):
    """Files of plain text that hold one answer each; `init` recognises a folder of them, and no other command."""

    name = "text-file"
    title = "plain text, an answer a file"
    has_header = True
    turn = 11

    def recognises(self, head: Head) -> Role | None:
        """No file by its beginning alone."""
        del head

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file as one record, without the line end after it."""
        del paths
        with content.open() as stream:
            raw = stream.read(MOST_LINE + 1)
        if len(raw) > MOST_LINE:
            raise content.refuse(f"at most {MOST_LINE:,} bytes in an answer")
        try:
            text = raw.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise content.refuse(NOT_UTF8, value=raw[error.start : error.end].hex(" ")) from None
        yield from in_parts([("text", {"text": text.rstrip("\r\n")})], content.name)


FORMAT = TextFile()
