"""A large JSON document read value by value, so that it is never in memory at once."""

from __future__ import annotations

import codecs
import io
import json
import re
from typing import IO, TYPE_CHECKING, Any

from tallybook.sources.json_records import MOST_DEPTH, once

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

MOST_VALUE = 2**28
"""The longest value that is read in one piece, in characters."""
_CHUNK = 2**18
"""The least number of bytes that is read at once."""
_BLANKS = re.compile(r"[ \t\r\n]*")
_LONGEST_WORD = 16
"""No number that tools write, and no word of JSON, is cut further from the end of what has been read than this, unless
the value is broken there."""


def walk(stream: IO[bytes], within: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield path and value of each value: objects and arrays whose paths are in `within` are read value by value.

    >>> import io
    >>> document = io.BytesIO(b'{"version": 2, "samples": [{"id": 1}, {"id": 2}]}')
    >>> list(walk(document, ["", "samples"]))
    [('version', 2), ('samples[]', {'id': 1}), ('samples[]', {'id': 2})]
    """
    text = _Text(stream)
    yield from _value(text, "", within)
    if text.next_character():
        raise text.broken("extra data")


def first_names(start: bytes) -> list[str]:
    """The names in the first object of a document, of an array of objects, or of JSON lines.

    >>> first_names(b'[{"id": 1, "text": "Yes, and')
    ['id', 'text']
    """
    text = _Text(io.BytesIO(start), errors="replace")
    names: list[str] = []
    try:
        if text.next_character() == "[":
            text.skip("[")
        text.skip("{")
        while text.next_character() == '"':
            names.append(text.value())
            text.skip(":")
            text.value()
            text.skip(",")
    except ValueError:
        pass  # it was cut off, or is no JSON: what was found before stands
    return names


def _value(text: _Text, path: str, within: Collection[str]) -> Iterator[tuple[str, Any]]:
    character = text.next_character()
    if path in within and character == "{":
        yield from _object(text, path, within)
    elif path in within and character == "[":
        yield from _array(text, path, within)
    else:
        yield path, text.value()


def _object(text: _Text, path: str, within: Collection[str]) -> Iterator[tuple[str, Any]]:
    text.skip("{")
    seen: set[str] = set()
    while text.next_character() != "}":
        if seen:
            text.skip(",")
        if text.next_character() != '"':
            raise text.broken("expecting a name in double quotes")
        name: str = text.value()
        if name in seen:
            raise ValueError(f"the name {name!r} once in an object")
        seen.add(name)
        text.skip(":")
        yield from _value(text, f"{path}.{name}" if path or not name else name, within)
    text.skip("}")


def _array(text: _Text, path: str, within: Collection[str]) -> Iterator[tuple[str, Any]]:
    text.skip("[")
    is_first = True
    while text.next_character() != "]":
        if not is_first:
            text.skip(",")
        is_first = False
        yield from _value(text, f"{path}[]", within)
    text.skip("]")


class _Text:
    """The document's text: as much of it as the value that is being read needs."""

    def __init__(self, stream: IO[bytes], errors: str = "strict") -> None:
        self._stream = stream
        self._characters = codecs.getincrementaldecoder("utf-8-sig")(errors)
        self._decoder = json.JSONDecoder(object_pairs_hook=once)
        self._read = ""
        self._place = 0
        self._before = 0
        self._is_whole = False

    def next_character(self) -> str:
        """Get the next character that is not blank, without consuming it; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._read, self._place)
            self._place = self._place if blanks is None else blanks.end()
            if self._place < len(self._read) or self._is_whole:
                return self._read[self._place : self._place + 1]
            self._more()

    def skip(self, character: str) -> None:
        """Pass over a character that must come now."""
        if self.next_character() != character:
            raise self.broken(f"expecting {character!r}")
        self._place += 1

    def value(self) -> Any:  # noqa: ANN401  whatever JSON can say
        """Read the value that comes now."""
        self.next_character()
        while True:
            try:
                value, end = self._decoder.raw_decode(self._read, self._place)
            except json.JSONDecodeError as error:
                is_cut = error.msg.startswith("Unterminated") or error.pos > len(self._read) - _LONGEST_WORD
                if self._is_whole or not is_cut:
                    self._place = error.pos
                    raise self.broken(f"{error.msg[:1].lower()}{error.msg[1:]}") from None
            except RecursionError:
                raise ValueError(f"JSON that nests at most {MOST_DEPTH} deep") from None
            else:
                if end + _LONGEST_WORD <= len(self._read) or self._is_whole:  # a number may go on
                    self._place = end
                    return value
            self._more()

    def broken(self, what: str) -> ValueError:
        """Make the error of text that is not JSON here."""
        return ValueError(f"JSON ({what.removesuffix(' at')} at character {self._before + self._place + 1})")

    def _more(self) -> None:
        """Read on: as much again as waits, so that a long value is not begun too often."""
        self._read = self._read[self._place :]
        self._before += self._place
        self._place = 0
        if len(self._read) > MOST_VALUE:
            raise ValueError(f"JSON values of at most {MOST_VALUE:,} characters")
        chunk = self._stream.read(max(_CHUNK, len(self._read)))
        try:
            self._read += self._characters.decode(chunk, final=not chunk)
        except UnicodeDecodeError as error:
            found = error.object[error.start : error.end].hex(" ")
            raise ValueError(f"UTF-8 text (not the bytes {found})") from None
        self._is_whole = not chunk
