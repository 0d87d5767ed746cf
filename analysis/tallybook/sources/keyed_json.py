"""Reading of dumps of JSON files that each hold one object, which maps record keys to records."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.sources.conditions import Filter
from tallybook.sources.content import Content
from tallybook.sources.derive import derive_all
from tallybook.sources.join import look_up, lookup_files
from tallybook.sources.json_records import MOST_DEPTH, is_array, is_object, is_text, parse_object
from tallybook.sources.patterns import Pattern
from tallybook.sources.values import TYPES, WORDS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.sources.read_result import Delivery, Inputs
    from tallybook.study.base import ColumnType
    from tallybook.study.sources import KeyedJsonSource, SourceColumn

_LARGEST_INTEGER = 2**63 - 1


@dataclass
class _Reader:
    """Collect the rows of a source, and the problems of its files."""

    source: KeyedJsonSource
    key: Pattern
    problems: list[Problem]
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])

    def read_file(self, content: Content, captured: tuple[str | int, ...]) -> None:
        try:
            with content.open() as file:
                records = parse_object(file.read().decode("utf-8-sig"))
        except UnicodeDecodeError as error:
            self.problems.append(content.not_utf8(error))
            return
        except DataError as error:
            self.problems += error.problems
            return
        except ValueError as error:
            self._add(content.name, expected=str(error))
            return
        if not records:
            self._add(content.name, expected="at least one record")
        for key, record in records.items():
            self._read_record(content.name, key, record, captured)

    def _read_record(self, file: str, key: str, record: object, captured: tuple[str | int, ...]) -> None:
        parts = self.key.match(key) if is_text(key) else None
        if parts is None:
            self._add(file, key, expected=f"a key of the form {self.source.key}")
            return
        if not is_object(record):
            self._add(file, key, value=record, expected="an object")
            return
        values: dict[str, Any] = {}
        for path, value in _leaves(record):
            if path in values:
                self._add(file, key, path, expected="one value at this path")
            values[path] = value
        status = next((rule.status for rule in self.source.status if _is_missing(values, rule.when_missing)), "ok")
        cells: list[object] = []
        for name, column in self.source.columns.items():
            if name in self.source.require and _is_missing(values, column.path):
                self._add(file, key, column.path, expected="a value")
            cells.append(self._value(file, key, column, values.get(column.path)))
        self._check_undeclared(file, key, values)
        self.rows.append((file, key, status, *captured, *parts.values(), *cells))

    def _check_undeclared(self, file: str, key: str, values: dict[str, Any]) -> None:
        """Report values at undeclared paths, if that is an error, and in any case wrong types at declared paths."""
        declared: dict[str, ColumnType] = {column.path: column.type for column in self.source.columns.values()}
        for name, kind in declared.items():
            if any(path.startswith(f"{name}.") for path in values):
                self._add(file, key, name, value={}, expected=WORDS[kind])
        for path, value in values.items():
            if path in declared or any(path.startswith(f"{name}.") for name in declared):
                continue
            if any(name.startswith(f"{path}.") for name in declared):
                if value is not None and value != {}:
                    self._add(file, key, path, value=value, expected="an object")
            elif self.source.extra == "error":
                self._add(file, key, path, expected=f"one of the declared paths ({', '.join(declared)})")

    def _value(self, file: str, key: str, column: SourceColumn, value: object) -> object:
        if value is None or (column.type == "string" and isinstance(value, str) and is_text(value)):
            return value
        is_whole = type(value) is int  # excludes booleans
        if column.type == "integer" and is_whole and abs(value) <= _LARGEST_INTEGER:
            return value
        if column.type == "number" and (is_whole or isinstance(value, float)) and abs(value) <= sys.float_info.max:
            return float(value)  # no NaN
        expected = "Unicode text" if column.type == "string" and isinstance(value, str) else WORDS[column.type]
        self._add(file, key, column.path, value=value, expected=expected)
        return None

    def _add(self, file: str, key: str = "", column: str = "", *, expected: str, value: object = ...) -> None:
        self.problems.append(Problem(file, key, column, "" if value is ... else _shown(value), expected))


def read(source: KeyedJsonSource, inputs: Inputs, delivery: Delivery) -> pl.DataFrame:
    """Read every record of a keyed-JSON source, in the order of its files."""
    reader = _Reader(source, Pattern.parse(source.key), delivery.problems)
    files, problems = inputs.files(source)
    delivery.problems += problems
    delivery.files += [name for name, _ in files]
    for name, parts in files:
        reader.read_file(Content(inputs.folder.path, name), tuple(parts.values()))
    schema: dict[str, Any] = {"file": pl.String, "key": pl.String, "status": pl.String}
    for form in (Pattern.parse(source.files), reader.key):
        schema |= {part: pl.Int64 if part in form.integers else pl.String for part in form.names}
    schema |= {name: TYPES[column.type] for name, column in source.columns.items()}
    frame = pl.DataFrame(reader.rows, schema=schema, orient="row")

    def of(made: tuple[pl.DataFrame, list[Problem]]) -> pl.DataFrame:
        delivery.problems.extend(made[1])
        return made[0]

    # Lookups and derivations run even if some records are broken, so that one run reports all faults.
    wanted = Filter(source)
    frame = of(wanted.before(frame))
    for lookup in source.lookups:
        delivery.lookups += lookup_files(frame, lookup)
        frame = of(look_up(frame, lookup, inputs.own if lookup.own else inputs.folder.path))
    frame = of(wanted.after(of(derive_all(frame, source.derive))))
    delivery.problems += wanted.problems
    delivery.left_out += wanted.counted
    return frame


def _leaves(record: dict[str, Any], above: str = "", depth: int = 1) -> Iterator[tuple[str, Any]]:
    """Yield each value of a record with its path, including empty objects, which must not count as missing."""
    for name, value in record.items():
        path = f"{above}{name}"
        if is_object(value) and value and depth < MOST_DEPTH:
            yield from _leaves(value, f"{path}.", depth + 1)
        else:
            yield path, value


def _is_missing(values: dict[str, Any], path: str) -> bool:
    return values.get(path) is None and not any(name.startswith(f"{path}.") for name in values)


def _shown(value: object) -> str:
    """Format a value as JSON; of objects and arrays only the type."""
    if is_object(value) or is_array(value):
        return "an object" if is_object(value) else "an array"
    return json.dumps(value, ensure_ascii=False)
