"""Dumps of JSON files that each hold one object: record key -> record."""

from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.core.errors import READABLE, Problem
from tallybook.core.safe_paths import below, read_bytes
from tallybook.sources.derive import derive_all
from tallybook.sources.filtering import Filter
from tallybook.sources.join import look_up, lookup_files
from tallybook.sources.patterns import Pattern
from tallybook.sources.read_result import Delivery
from tallybook.sources.unicode_text import is_text
from tallybook.sources.values import TYPES, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tallybook.sources.read_result import Inputs
    from tallybook.study.base import ColumnType
    from tallybook.study.sources import KeyedJsonSource, SourceColumn

_LARGEST_INTEGER = 2**63 - 1


@dataclass
class _Reader:
    """Collects the columns of one source, and what is wrong with its files."""

    source: KeyedJsonSource
    key: Pattern
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    problems: list[Problem] = field(default_factory=list[Problem])

    def read_file(self, path: Path, name: str, captured: tuple[str | int, ...]) -> None:
        try:
            content = json.loads(read_bytes(path).decode("utf-8-sig"), object_pairs_hook=_object)
        except OSError as error:
            self._add(name, expected=READABLE, value=error.strerror or type(error).__name__)
            return
        except UnicodeDecodeError as error:
            self._add(name, f"byte {error.start}", expected="UTF-8 text")
            return
        except json.JSONDecodeError as error:
            self._add(name, f"line {error.lineno}", expected=f"JSON ({error.msg}, character {error.colno})")
            return
        except ValueError:  # Python reads no whole number of more than some thousand digits
            self._add(name, expected="numbers of less than 4,300 digits")
            return
        except RecursionError:
            self._add(name, expected="JSON that is less deeply nested")
            return
        if not isinstance(content, dict):
            self._add(name, value=_json_type(content), expected="one JSON object of records by their keys")
            return
        records = cast("dict[str, Any]", content)
        for repeated in _repeats(records):
            self._add(name, repeated, expected="every key once in its object")
        if not records:
            self._add(name, expected="at least one record")
        for key, record in records.items():
            self._read_record(name, key, record, captured)

    def _read_record(self, file: str, key: str, record: object, captured: tuple[str | int, ...]) -> None:
        parts = self.key.match(key) if is_text(key) else None
        if parts is None:
            self._add(file, key, expected=f"a key of the form {self.source.key}")
            return
        if not isinstance(record, dict):
            self._add(file, key, value=_json_type(record), expected="an object")
            return
        values: dict[str, Any] = {}
        for path, value in _leaves(cast("dict[str, Any]", record)):
            if path in values or value is _REPEATED:
                self._add(file, key, path, expected="every key once in its object")
            else:
                values[path] = value
        status = next((rule.status for rule in self.source.status if _is_missing(values, rule.when_missing)), "ok")
        cells: list[object] = []
        for name, column in self.source.columns.items():
            value = values.get(column.path)
            if name in self.source.require and _is_missing(values, column.path):
                self._add(file, key, column.path, expected="a value")
            cells.append(self._value(file, key, column, value))
        self._check_undeclared(file, key, values)
        self.rows.append((file, key, status, *captured, *parts.values(), *cells))

    def _check_undeclared(self, file: str, key: str, values: dict[str, Any]) -> None:
        """Report what stands where no column reads it; a declared path that holds the wrong thing in any case."""
        declared: dict[str, ColumnType] = {column.path: column.type for column in self.source.columns.values()}
        for name, kind in declared.items():
            if any(path.startswith(f"{name}.") for path in values):
                self._add(file, key, name, value="an object", expected=WORDS[kind])
        for path, value in values.items():
            if path in declared or any(path.startswith(f"{name}.") for name in declared):
                continue
            if any(name.startswith(f"{path}.") for name in declared):
                if value is not None and value != {}:
                    self._add(file, key, path, value=_json_type(value), expected="an object")
            elif self.source.extra == "error":
                self._add(file, key, path, expected=f"one of the declared paths ({', '.join(declared)})")

    def _value(self, file: str, key: str, column: SourceColumn, value: object) -> object:
        if value is None:
            return None
        match column.type, value:
            case "string", str() if is_text(value):
                return value
            case _, bool():
                pass  # which Python takes for a whole number
            case "integer", int() if abs(value) <= _LARGEST_INTEGER:
                return value
            case "number", int() | float() if abs(value) <= sys.float_info.max:  # false for NaN
                return float(value)
            case _:
                pass
        expected = "Unicode text" if column.type == "string" and isinstance(value, str) else WORDS[column.type]
        self._add(file, key, column.path, value=_shown(value), expected=expected)
        return None

    def _add(self, file: str, key: str = "", column: str = "", *, expected: str, value: str = "") -> None:
        self.problems.append(Problem(file, key, column, value, expected))


class _ObjectWithRepeats(dict[str, Any]):
    """A JSON object in which keys stand more than once."""

    def __init__(self, pairs: list[tuple[str, Any]]) -> None:
        super().__init__(pairs)
        self.repeats = [name for name, times in Counter(name for name, _ in pairs).items() if times > 1]


_REPEATED = object()
"""Stands for the value of a key that its object holds more than once."""


def read(source: KeyedJsonSource, inputs: Inputs) -> Delivery:
    """Read every record of a keyed-JSON source.

    `source`: The declaration: form of paths and keys, columns and their paths, statuses, lookups and derivations.

    The records, one a row in order of path and of the file, with columns `file`, `key`, `status`, what path and key
    capture, the declared columns, and those looked up and derived; and everything that is wrong.
    """
    reader = _Reader(source, Pattern.parse(source.key))
    files, problems = inputs.files(source)
    for name, parts in files:
        reader.read_file(below(inputs.folder.path, name), name, tuple(parts.values()))
    schema: dict[str, Any] = {"file": pl.String, "key": pl.String, "status": pl.String}
    for form in (Pattern.parse(source.files), reader.key):
        schema |= {part: pl.Int64 if part in form.integers else pl.String for part in form.names}
    schema |= {name: TYPES[column.type] for name, column in source.columns.items()}
    frame = pl.DataFrame(reader.rows, schema=schema, orient="row")
    problems += reader.problems
    wanted = Filter(source)
    frame, faults = wanted.before(frame)
    problems += faults
    # Lookups and derivations run although some records are broken, so that one run reports all faults.
    lookups: list[str] = []
    for lookup in source.lookups:
        lookups += lookup_files(frame, lookup)
        frame, faults = look_up(frame, lookup, inputs.own if lookup.own else inputs.folder.path)
        problems += faults
    frame, faults = derive_all(frame, source.derive)
    problems += faults
    frame, faults = wanted.after(frame)
    problems += faults
    problems += wanted.problems
    return Delivery(
        frames=[frame],
        problems=problems,
        files=[name for name, _ in files],
        lookups=lookups,
        left_out=wanted.counted,
    )


def _leaves(record: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Every value of a record by its path; an empty object is a leaf too, so that it is not mistaken for absence.

    A key that stands more than once in its object is given once more, with `_REPEATED` for its value.
    """
    # No recursion: records may be nested more deeply than calls may be.
    waiting: list[tuple[str | None, Any]] = [(None, record)]
    while waiting:
        path, value = waiting.pop()
        if path is None or (isinstance(value, dict) and value):
            inner = cast("dict[str, Any]", value)
            prefix = "" if path is None else f"{path}."
            yield from ((f"{prefix}{name}", _REPEATED) for name in _repeats(inner))
            waiting += [(f"{prefix}{name}", item) for name, item in reversed(inner.items())]
        else:
            yield path, value


def _is_missing(values: dict[str, Any], path: str) -> bool:
    return values.get(path) is None and not any(name.startswith(f"{path}.") for name in values)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    return found if len(found) == len(pairs) else _ObjectWithRepeats(pairs)


def _repeats(found: dict[str, Any]) -> list[str]:
    return found.repeats if isinstance(found, _ObjectWithRepeats) else []


def _shown(value: object) -> str:
    """A value as JSON, or for what has values in it only its type."""
    is_scalar = value is None or isinstance(value, str | int | float)
    return json.dumps(value, ensure_ascii=False) if is_scalar else _json_type(value)


def _json_type(value: object) -> str:
    match value:
        case dict():
            return "an object"
        case list():
            return "an array"
        case str():
            return "a string"
        case bool():
            return "true or false"
        case None:
            return "null"
        case _:
            return "a number"
