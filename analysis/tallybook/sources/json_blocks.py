"""Reading of JSON Lines in blocks: lines of a simple shape are parsed together, all others one by one.

`read_line` defines how a line is read. Everything else here is for speed, and does not change the result.
"""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, NamedTuple, cast

import polars as pl

from tallybook.core.errors import DataError
from tallybook.sources.content import MOST_LINE, START
from tallybook.sources.json_records import HALF, flatten, is_text, record_of
from tallybook.sources.json_shapes import Shape
from tallybook.sources.records import Records, as_text, in_parts

if TYPE_CHECKING:
    import io
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Row

AT_ONCE = 3 * 2**23
"""The approximate number of bytes of a file that are read at once."""
_EXAMPLES = 16
"""The number of lines from which a shape is learned."""
_FEW = 16
"""Another shape is learned if more than one line in this many has no known shape."""
_MOST_SHAPES = 8
_MOST_LEFT = 2**10
"""The number of lines without a known shape up to which a block is always read by shapes."""

_NUMBER, _WORD = "_number", "line"


def read(content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
    """Read a JSON Lines file in parts; lines that are not objects, or not text, become problems of the file."""
    shapes = _Shapes(paths)
    above = 0
    for block in _blocks(content):
        number = block.count(b"\n") + (not block.endswith(b"\n"))
        lines = _lines(block, number)
        groups, left = ([], None) if lines is None else shapes.sort(lines, block)
        if lines is None or left is None or not groups or left.len() > max(_MOST_LEFT, lines.len() // _FEW):
            yield from _one_by_one(content, block, above, paths)
        else:
            rows = {
                place: found
                for place, text in zip(left + above + 1, lines.gather(left), strict=True)
                if (found := read_line(content, place, _stripped(text, place), paths)) is not None
            }
            yield _together(groups, rows, above)
        above += number


def read_line(content: Content, number: int, text: str, paths: Sequence[str]) -> dict[str, str | None] | None:
    """Parse a single line to columns; None if it is blank or a problem."""
    if not text or text.isspace():
        return None
    key = f"line {number}"
    try:
        columns = flatten(record_of(text), paths)
    except ValueError as error:
        content.problems.append(content.fault(key, "", text, str(error)))
        return None
    if is_text("".join(columns)) and is_text("".join(filter(None, columns.values()))):
        return columns
    for name, value in columns.items():
        if not is_text(name):
            content.problems.append(content.fault(key, "", name, HALF))
        elif value is not None and not is_text(value):
            content.problems.append(content.fault(key, name, value, HALF))
    return None


class _Group(NamedTuple):
    """The lines of a block with the same shape: their indices, from 0, and their values in columns "0", "1", ..."""

    header: list[str]
    places: pl.Series
    values: pl.DataFrame


class _Shapes:
    """The shapes of a file's lines, which are learned during reading."""

    def __init__(self, paths: Sequence[str]) -> None:
        self._paths = paths
        self._known: list[Shape] = []

    def sort(self, lines: pl.Series, block: bytes) -> tuple[list[_Group], pl.Series]:
        """Return the parsed lines of each shape, and the indices of the remaining lines."""
        groups: list[_Group] = []
        left = pl.int_range(lines.len(), eager=True)
        for shape in self._known:
            left = _take(shape, lines, left, block, groups)
        while left.len() * _FEW > lines.len():
            shape = self._learn(lines.gather(left.head(_EXAMPLES)).to_list())
            before = left.len()
            left = left if shape is None else _take(shape, lines, left, block, groups)
            if left.len() == before:
                break
        return groups, left

    def _learn(self, texts: list[str]) -> Shape | None:
        """Learn a shape from lines that fit none, perhaps by widening a known one; None if that is impossible."""
        shape = Shape.of(texts, self._paths)
        if shape is None:
            return None
        for place, known in enumerate(self._known):
            if (wider := known.widened(shape.leaves)) is not None:
                self._known[place] = wider
                return wider
        if len(self._known) == _MOST_SHAPES:
            return None
        self._known.append(shape)
        return shape


def _take(shape: Shape, lines: pl.Series, left: pl.Series, block: bytes, groups: list[_Group]) -> pl.Series:
    """Parse the lines of a shape into a group; return the indices of the remaining lines."""
    if not left.len():
        return left
    texts = lines if left.len() == lines.len() else lines.gather(left)
    try:
        fits = shape.fits(texts)
    except pl.exceptions.PolarsError:  # the pattern is too large
        return left
    if not fits.any():
        return left
    chosen = left.filter(fits)
    values = shape.read(lines, block) if chosen.len() == lines.len() else shape.read(texts.filter(fits))
    if values is None:
        return left
    groups.append(_Group(shape.header, chosen, values))
    return left.filter(~fits)


def _together(groups: list[_Group], rows: dict[int, dict[str, str | None]], above: int) -> Records:
    """Combine groups and single lines to the records of a block, in the order of its lines."""
    if len(groups) == 1 and not rows:
        return Records(groups[0].header, groups[0].values, groups[0].places + above + 1, _WORD)
    first = [(group.places[0] + above + 1, group.header) for group in groups]
    first += [(number, list(row)) for number, row in rows.items()]
    header = list(dict.fromkeys(name for _, names in sorted(first, key=lambda one: one[0]) for name in names))
    places = {name: str(place) for place, name in enumerate(header)}
    frames = [
        pl.DataFrame(
            {_NUMBER: group.places + above + 1}
            | {places[name]: as_text(group.values.to_series(at)) for at, name in enumerate(group.header)}
        )
        for group in groups
    ]
    columns = {at: [row.get(name) for row in rows.values()] for name, at in places.items()}
    cells = {at: pl.Series(texts, dtype=pl.String) for at, texts in columns.items()}
    frames.append(pl.DataFrame({_NUMBER: pl.Series([*rows], dtype=pl.Int64), **cells}))
    values = pl.concat(frames, how="diagonal").sort(_NUMBER)
    return Records(header, values.select(places.values()), values.get_column(_NUMBER), _WORD)


def _one_by_one(content: Content, block: bytes, above: int, paths: Sequence[str]) -> Iterator[Records]:
    """Parse each line of a block on its own; a fatal error is raised after the records before it."""
    ended: list[DataError] = []

    def rows() -> Iterator[Row]:
        for number, raw in enumerate(block.removesuffix(b"\n").split(b"\n"), start=above + 1):
            try:
                text = content.line(number, raw)
            except DataError as error:
                if len(raw) <= MOST_LINE:
                    ended.append(error)
                    return
                content.problems += error.problems
                continue
            if (found := read_line(content, number, text, paths)) is not None:
                yield f"{_WORD} {number}", found

    yield from in_parts(rows(), content.name)
    if ended:
        raise ended[0]


def _lines(block: bytes, number: int) -> pl.Series | None:
    """Split a block into decoded lines; None if it is too large or not text."""
    if len(block) > MOST_LINE:
        return None
    try:
        lines = pl.read_lines(block).to_series()
    except pl.exceptions.PolarsError:
        return None
    return lines if lines.len() == number else None


def _stripped(text: str, number: int) -> str:
    """Strip a line as `Content.line` does."""
    return (text.removeprefix("\ufeff") if number == 1 else text).strip("\r\n")


def _blocks(content: Content) -> Iterator[bytes]:
    """Yield blocks of whole lines, which together are the file as far as it can be read."""
    waiting: list[bytes] = []
    size, enough = 0, AT_ONCE
    with content.open() as stream:
        try:
            while chunk := _chunk(stream):
                waiting.append(chunk)
                size += len(chunk)
                if size >= enough:
                    if end := chunk.rfind(b"\n") + 1:  # all chunks but the last are copied once
                        whole, rest = b"".join([*waiting[:-1], chunk[:end]]), chunk[end:]
                    else:
                        whole, rest = _cut(b"".join(waiting))
                    if whole:
                        yield whole
                    waiting, size = [rest], len(rest)
                    # The block grows by more than a little, so that line ends are not searched for too often.
                    enough = max(AT_ONCE, min(2 * size, MOST_LINE + 1))
                    if size > MOST_LINE:  # the rest of the line is not kept
                        yield rest + b"\n"
                        rest = _after(stream)
                        waiting, size = [rest], len(rest)
        except DataError:  # decompression fails
            whole, _ = _cut(b"".join(waiting))
            if whole:
                yield whole
            raise
    if size:
        yield b"".join(waiting)


def _chunk(stream: IO[bytes]) -> bytes:
    """Read what one call returns, so that nothing read before a failure is lost."""
    return cast("io.BufferedReader", stream).read1(START)


def _cut(read: bytes) -> tuple[bytes, bytes]:
    """Split bytes into whole lines and the beginning of the next line."""
    end = read.rfind(b"\n") + 1
    return read[:end], read[end:]


def _after(stream: IO[bytes]) -> bytes:
    """Skip the rest of a line; return the bytes read after it."""
    while chunk := _chunk(stream):
        if end := chunk.find(b"\n") + 1:
            return chunk[end:]
    return b""
