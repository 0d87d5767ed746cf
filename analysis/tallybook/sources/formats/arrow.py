"""Arrow files: the IPC file format (Feather, Hugging Face datasets on disk) and the IPC stream format."""

from __future__ import annotations

from typing import TYPE_CHECKING

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

_FILE, _STREAM = b"ARROW1", b"\xff\xff\xff\xff"
"""The first bytes of the two forms."""
_BESIDE = {
    "dataset_info.json": {"features", "citation", "builder_name"},
    "state.json": {"_data_files", "_fingerprint"},
    "dataset_dict.json": {"splits"},
}
"""Files beside the shards of a dataset -> names in them."""


class Arrow(Format):
    """Arrow IPC files and streams, a response a row."""

    name = "arrow"
    title = "Arrow IPC (Feather)"
    has_header = True
    turn = 2

    def recognises(self, head: Head) -> Role | None:
        """A file that begins as one of the two forms does; what Hugging Face's `save_to_disk` writes lies beside."""
        if head.name in _BESIDE and {*head.keys} & _BESIDE[head.name]:
            return "beside"
        return "responses" if head.start.startswith((_FILE, _STREAM)) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file, its rows some at a time; the file itself is read at once, elsewhere."""
        table = apart.read(content, "Arrow file")
        for above in range(0, table.height, MOST_ROWS):
            yield records(table.slice(above, MOST_ROWS), content, paths, above)


FORMAT = Arrow()
