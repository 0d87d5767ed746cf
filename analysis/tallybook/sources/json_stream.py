"""Reading of a large JSON document value by value, so that it is never in memory as a whole."""

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
"""The least number of bytes that are read at once."""
_BLANKS = re.compile(r"[ \t\r\n]*")
_LONGEST_WORD = 16
"""The longest number or literal, in characters: an error so close to the end of the text read so far may only mean
that a value is cut off there."""


def walk(stream: IO[bytes], within: Collection[str] = ()) -> Iterator[tuple[str, Any]]:
    """Yield each value with its path; objects and arrays at the paths in `within` are read value by value.

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
    """Return the names in the first object of a document, of an array of objects, or of JSON lines.

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
        pass  # the text is cut off or not JSON: the names found before are returned
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
    """The text of a document, of which only the part for the current value is in memory."""

    def __init__(self, stream: IO[bytes], errors: str = "strict") -> None:
        self._stream = stream
        self._characters = codecs.getincrementaldecoder("utf-8-sig")(errors)
        self._decoder = json.JSONDecoder(object_pairs_hook=once)
        self._read = ""
        self._place = 0
        self._before = 0
        self._is_whole = False

    def next_character(self) -> str:
        """Return the next character that is not blank, without consuming it; empty at the end."""
        while True:
            blanks = _BLANKS.match(self._read, self._place)
            self._place = self._place if blanks is None else blanks.end()
            if self._place < len(self._read) or self._is_whole:
                return self._read[self._place : self._place + 1]
            self._more()

    def skip(self, character: str) -> None:
        """Consume an expected character; raise a `ValueError` if it does not come next."""
        if self.next_character() != character:
            raise self.broken(f"expecting {character!r}")
        self._place += 1

    def value(self) -> Any:  # noqa: ANN401  whatever JSON can say
        """Parse and consume the next value."""
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
                if end + _LONGEST_WORD <= len(self._read) or self._is_whole:  # a number may continue
                    self._place = end
                    return value
            self._more()

    def broken(self, what: str) -> ValueError:
        """Build the error that the text is not JSON at the current position."""
        return ValueError(f"JSON ({what.removesuffix(' at')} at character {self._before + self._place + 1})")

    def _more(self) -> None:
        """Read at least as much again as is waiting, so that a long value is not parsed anew too often."""
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
