"""The base class of formats of dump files, and their discovery: each is a module of `tallybook.sources.formats`."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.core.registry import installed, modules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.header_rows import HeaderRows
    from tallybook.sources.records import Records

Role = Literal["responses", "beside"]
"""The role of a file: it contains responses, or supplementary data (prompts, errors, the model's name)."""
PACKAGE = "tallybook.sources.formats"
GROUP = "tallybook.formats"
"""The entry point group of formats from installed packages; a format is named `package.format`."""


class Layout(NamedTuple):
    """The settings that say where and how a table stands in its file."""

    delimiter: str | None = None
    sheet: str | None = None
    table: str | None = None
    header: HeaderRows = 1


PLAIN = Layout()
"""The layout of a table that is alone in its file, below one row of headers."""


class Format:
    """A format of dump files; each module's instance, usually `FORMAT`, is found by its name in a study file."""

    name: str
    """How study files name it, for instance `inspect`."""
    title: str
    """How people name it, for instance `Inspect AI logs`."""
    has_header: bool = False
    """Whether all records of a file have the same columns, so that one that is missing is missed at once."""
    turn: int = 0
    """Its turn when a file's format is detected. What tools write has 0, and is never of two formats; then come tables
    and JSON of anyone's making, which a file of a tool can look like too: the first that recognises it reads it."""
    is_declared: bool = True
    """Whether a study file can name it."""

    def recognises(self, head: Head) -> Role | None:
        """Detect from the beginning of a file whether it has this format; return the file's role, or None."""
        raise NotImplementedError

    def laid_out(self, content: Content, layout: Layout) -> Format:
        """Return the format with the settings of a table; by default it has none."""
        return self

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Yield the records of a file in parts, with at least the columns `paths`; log problems in `content`."""
        raise NotImplementedError


@cache
def own_formats() -> tuple[Format, ...]:
    """List this package's formats in the order in which they are tried."""
    found = [one for module in modules(PACKAGE) for one in vars(module).values() if isinstance(one, Format)]
    return tuple(sorted(dict.fromkeys(found), key=lambda one: (one.turn, one.name)))


@cache
def plugins() -> Mapping[str, Format]:
    """Return the formats of installed packages by the names of their entry points."""
    return installed(GROUP)


def formats() -> dict[str, Format]:
    """Return all formats that study files can name, by name."""
    return {one.name: one for one in own_formats() if one.is_declared} | dict(plugins())
