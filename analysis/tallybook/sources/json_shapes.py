"""JSON Lines whose objects share one simple shape: a pattern recognises them, and polars parses them together.

Polars parses leniently: it accepts repeated names and numbers that are too long. It is therefore only given lines that
match a strict pattern: the same names in the same order, strings whose escapes all stand for characters, and numbers
that are read exactly.
"""

from __future__ import annotations

import re
from collections import defaultdict
from itertools import groupby
from typing import TYPE_CHECKING, Any, Literal, cast

import polars as pl

from tallybook.sources.json_records import at, parse_object

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Kind = Literal["string", "integer", "float", "number", "boolean", "null"]
    """The type of the value at a path; a number may be whole in some lines only."""
    Leaves = dict[tuple[str, ...], Kind]
    """The values of an object and of the objects in it: names from without to within, in their order in the text."""

_HEX = "[0-9a-fA-F]"
_CHARACTER = rf"[0-9a-ce-fA-CE-F]{_HEX}{{3}}|[dD][0-7]{_HEX}{{2}}"
_PAIR = rf"[dD][89abAB]{_HEX}{{2}}\\u[dD][c-fC-F]{_HEX}{{2}}"
_STRING = rf'"(?:[^"\\\x00-\x1f]|\\(?:["\\/bfnrt]|u(?:{_CHARACTER}|{_PAIR})))*"'
_INTEGER = "(?:0|-?[1-9][0-9]{0,17})"  # Python reads -0 as 0
_EXACT = "(?:0|-?[1-9][0-9]{0,14})"
"""The pattern of whole numbers that a float holds exactly."""
_FLOAT = r"-?(?:0|[1-9][0-9]{0,17})\.[0-9]{1,25}(?:[eE][+-]?[0-9]{1,2})?"
_PATTERNS: Mapping[Kind, str] = {
    "string": _STRING,
    "integer": _INTEGER,
    "float": _FLOAT,
    "number": f"(?:{_FLOAT}|{_EXACT})",
    "boolean": "(?:true|false)",
    "null": "null",
}
_TYPES: Mapping[Kind, Any] = {
    "string": pl.String,
    "integer": pl.Int64,
    "float": pl.Float64,
    "number": pl.Float64,
    "boolean": pl.Boolean,
    "null": pl.String,
}
_KINDS: Mapping[type, Kind] = {str: "string", int: "integer", float: "float", bool: "boolean", type(None): "null"}
_BLANK = r"[ \t]*"
_PLAIN_NAME = re.compile(r'[^"\\\x00-\x1f\ud800-\udfff]+')
"""The pattern of names that are written without escapes."""
_MOST_LEAVES, _MOST_DEPTH = 128, 8
_SMALLEST, _LARGEST = 1e-4, 1e15
"""The range in which Python and polars write floats alike: without exponent, with the fewest digits that suffice."""


class Shape:
    """The shape of some lines: the dotted paths and the kinds of their values."""

    def __init__(self, leaves: Leaves) -> None:
        self.leaves = leaves
        self.header = [".".join(path) for path in leaves]

    @classmethod
    def of(cls, texts: Sequence[str], paths: Sequence[str]) -> Shape | None:
        """Learn a shape from the first simple line, and further kinds of values from others; None if none is simple."""
        found = [leaves for text in texts if (leaves := _leaves_of(text, paths)) is not None]
        if not found:
            return None
        shape = cls(found[0])
        for leaves in found[1:]:
            shape = shape.widened(leaves) or shape
        return shape

    def widened(self, leaves: Leaves) -> Shape | None:
        """Return the shape widened to the kinds of another line's values; None if that is impossible."""
        if list(self.leaves) != list(leaves):
            return None
        kinds: Leaves = {}
        for path, kind in self.leaves.items():
            wider = _wider(kind, leaves[path])
            if wider is None:
                return None
            kinds[path] = wider
        return Shape(kinds)

    def fits(self, lines: pl.Series) -> pl.Series:
        """Return for each line whether it has this shape."""
        return _matching(lines, self._pattern({}))

    def read(self, lines: pl.Series, block: bytes | None = None) -> pl.DataFrame | None:
        """Parse lines, with floats as text where Python writes them differently; None if polars does not parse all."""
        raw = lines.str.join("\n").item().encode() if block is None else block
        try:
            table = pl.read_ndjson(raw, schema=_schema(self.leaves))
        except pl.exceptions.PolarsError:
            return None
        if table.height != lines.len():
            return None
        columns = [_at(table, path) for path in self.leaves]
        for place, (path, kind) in enumerate(self.leaves.items()):
            if kind in {"float", "number"}:
                whole = _matching(lines, self._pattern({path: _EXACT})) if kind == "number" else None
                columns[place] = _written(columns[place], whole)
        return pl.DataFrame([column.alias(str(place)) for place, column in enumerate(columns)])

    def _pattern(self, instead: Mapping[tuple[str, ...], str]) -> str:
        texts = {path: instead.get(path, f"(?:{_PATTERNS[kind]}|null)") for path, kind in self.leaves.items()}
        return rf"^{_object(list(texts.items()))}{_BLANK}\r?$"


def leaves_of(record: Mapping[str, Any], within: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Kind]]:
    """Yield the path and kind of each value in an object; raise a `ValueError` if it is not simple."""
    if not record or len(within) >= _MOST_DEPTH:
        raise ValueError("an object without values, or far within others")
    for name, value in record.items():
        path = (*within, name)
        if not _PLAIN_NAME.fullmatch(name) or isinstance(value, list):
            raise ValueError("an array, or a name that needs escapes")
        if isinstance(value, dict):
            yield from leaves_of(cast("dict[str, Any]", value), path)
        else:
            yield path, _KINDS[type(value)]


def _leaves_of(text: str, paths: Sequence[str]) -> Leaves | None:
    try:
        record = parse_object(text)
        leaves = dict(leaves_of(record))
    except ValueError:
        return None
    header = {".".join(path) for path in leaves}
    is_asked_for_more = any(path not in header and at(record, path) is not None for path in paths)
    return None if len(header) < len(leaves) or len(leaves) > _MOST_LEAVES or is_asked_for_more else leaves


def _wider(one: Kind, other: Kind) -> Kind | None:
    if one == other or "null" in {one, other}:
        return other if one == "null" else one
    return "number" if {one, other} <= {"integer", "float", "number"} else None


def _object(texts: list[tuple[tuple[str, ...], str]], depth: int = 0) -> str:
    """Build the pattern of an object from the patterns of its values."""
    members: list[str] = []
    for name, inner in groupby(texts, key=lambda one: one[0][depth]):
        values = list(inner)
        is_value = len(values[0][0]) == depth + 1
        value = values[0][1] if is_value else _object(values, depth + 1)
        members.append(f'"{pl.escape_regex(name)}"{_BLANK}:{_BLANK}{value}{_BLANK}')
    return rf"\{{{_BLANK}" + f",{_BLANK}".join(members) + r"\}"


def _schema(leaves: Leaves) -> dict[str, Any]:
    inner: defaultdict[str, Leaves] = defaultdict(dict)
    for path, kind in leaves.items():
        inner[path[0]][path[1:]] = kind
    return {name: _TYPES[of[()]] if () in of else pl.Struct(_schema(of)) for name, of in inner.items()}


def _matching(lines: pl.Series, pattern: str) -> pl.Series:
    """Return for each line whether it matches, using the streaming engine to run on all processors."""
    matching = pl.col("line").str.contains(pattern)
    return lines.to_frame("line").lazy().select(matching).collect(engine="streaming").to_series()


def _at(table: pl.DataFrame, path: tuple[str, ...]) -> pl.Series:
    column = table.get_column(path[0])
    for name in path[1:]:
        column = column.struct.field(name)
    return column


def _written(values: pl.Series, whole: pl.Series | None) -> pl.Series:
    """Return floats unchanged if their text is the same in Python; otherwise Python's text of them."""
    size = values.abs()
    strange = ~((values == 0) | size.is_between(_SMALLEST, _LARGEST, closed="left"))
    if not strange.any() and (whole is None or not whole.any()):
        return values
    places = strange.fill_null(value=False).arg_true()
    texts = values.cast(pl.String).scatter(places, [repr(value) for value in values.gather(places)])
    return texts if whole is None else values.cast(pl.Int64, strict=False).cast(pl.String).zip_with(whole, texts)
