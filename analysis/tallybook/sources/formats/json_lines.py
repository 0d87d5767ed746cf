"""JSON lines (JSONL, NDJSON): an object a line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.sources import json_blocks
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Role


class JsonLines(Format):
    """Files with an object a line; objects within are flattened to columns with dotted names."""

    name = "jsonl"
    title = "JSON lines"
    turn = 5

    def recognises(self, head: Head) -> Role | None:
        """A file that begins with an object and is called so, or whose first line is a whole object."""
        if head.suffix in {".jsonl", ".ndjson"}:
            return "responses" if head.keys else None
        # One object alone in a file called .json is a document, perhaps of records within it.
        is_document = head.suffix == ".json" and not head.has_lines
        return "responses" if head.line and head.is_line_whole and not is_document else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        yield from json_blocks.read(content, paths)


FORMAT = JsonLines()
