"""DuckDB databases: a table of one, by the library, which is an extra."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

from tallybook.core.errors import MissingExtraError
from tallybook.sources.formats import apart
from tallybook.sources.formats.tabular import records
from tallybook.sources.records import MOST_ROWS
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Role


class DuckDB(Format):
    """Databases with a response in each row of a table."""

    name = "duckdb"
    title = "DuckDB"
    has_header = True
    turn = 4

    def __init__(self, table: str | None = None) -> None:
        """Choose a table."""
        self._table = table

    def recognises(self, head: Head) -> Role | None:
        """A file that begins as every database does."""
        return "responses" if head.start[8:12] == b"DUCK" else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a table, its rows some at a time; the file itself is read at once, elsewhere."""
        if find_spec("duckdb") is None:
            raise MissingExtraError("duckdb", "duckdb")
        table = apart.read(content, "DuckDB database", self._table)
        for above in range(0, table.height, MOST_ROWS):
            yield records(table.slice(above, MOST_ROWS), content, paths, above)


FORMAT = DuckDB()
