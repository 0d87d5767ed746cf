"""Dumps of JSON files that each hold one object: record key -> record."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, cast

import polars as pl

from analysis.errors import Problem
from analysis.sources.patterns import Pattern

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from schemas.study.sources import KeyedJsonSource, SourceColumn

TYPES = {"string": pl.String, "integer": pl.Int64, "number": pl.Float64}
_LARGEST_INTEGER = 2**63
_WORDS = {"string": "a string", "integer": "a whole number", "number": "a finite number"}


@dataclass
class _Reader:
    """Collects the columns of one source, and what is wrong with its files."""

    source: KeyedJsonSource
    key: Pattern
    rows: list[tuple[Any, ...]] = field(default_factory=list[tuple[Any, ...]])
    problems: list[Problem] = field(default_factory=list[Problem])

    def read_file(self, path: Path, name: str, captured: tuple[str | int, ...]) -> None:
        try:
            content = json.loads(
                path.read_bytes(), object_pairs_hook=_object_without_duplicates, parse_constant=_refuse_constant
            )
        except OSError as error:
            self._add(name, expected="a readable file", value=error.strerror or type(error).__name__)
            return
        except UnicodeDecodeError as error:
            self._add(name, f"byte {error.start}", expected="UTF-8 text")
            return
        except json.JSONDecodeError as error:
            self._add(name, f"line {error.lineno}", expected=f"JSON ({error.msg})")
            return
        except _JsonContentError as error:
            self._add(name, error.key, value=error.value, expected=error.expected)
            return
        except RecursionError:
            self._add(name, expected="JSON that is less deeply nested")
            return
        if not isinstance(content, dict):
            self._add(name, value=_json_type(content), expected="one JSON object of records by their keys")
            return
        records = cast("dict[str, Any]", content)
        if not records:
            self._add(name, expected="at least one record")
        for key, record in records.items():
            self._read_record(name, key, record, captured)

    def _read_record(self, file: str, key: str, record: object, captured: tuple[str | int, ...]) -> None:
        parts = self.key.match(key)
        if parts is None:
            self._add(file, key, expected=f"a key of the form {self.source.key}")
            return
        if not isinstance(record, dict):
            self._add(file, key, value=_json_type(record), expected="an object")
            return
        values = dict(_leaves(cast("dict[str, Any]", record)))
        status = next((rule.status for rule in self.source.status if _is_missing(values, rule.when_missing)), "ok")
        cells = [
            self._value(file, key, column, values.pop(column.path, None)) for column in self.source.columns.values()
        ]
        for name, cell in zip(self.source.columns, cells, strict=True):
            if cell is None and name in self.source.require:
                self._add(file, key, self.source.columns[name].path, expected="a value")
        if self.source.extra == "error":
            self._check_undeclared(file, key, values)
        self.rows.append((file, key, status, *captured, *parts.values(), *cells))

    def _check_undeclared(self, file: str, key: str, values: dict[str, Any]) -> None:
        declared = [column.path for column in self.source.columns.values()]
        for path, value in values.items():
            if not any(name.startswith(f"{path}.") for name in declared):
                self._add(file, key, path, expected=f"one of the declared paths ({', '.join(declared)})")
            elif value is not None and value != {}:
                self._add(file, key, path, value=_json_type(value), expected="an object")

    def _value(self, file: str, key: str, column: SourceColumn, value: object) -> object:
        if value is None:
            return None
        fits = {
            "string": isinstance(value, str),
            "integer": isinstance(value, int) and not isinstance(value, bool) and abs(value) < _LARGEST_INTEGER,
            "number": isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value),
        }[column.type]
        if not fits:
            self._add(file, key, column.path, value=json.dumps(value), expected=_WORDS[column.type])
            return None
        return value

    def _add(self, file: str, key: str = "", column: str = "", *, expected: str, value: str = "") -> None:
        self.problems.append(Problem(file, key, column, value, expected))


class _JsonContentError(ValueError):
    """JSON that is well formed but says something a dump must not."""

    def __init__(self, key: str, value: str, expected: str) -> None:
        super().__init__(expected)
        self.key, self.value, self.expected = key, value, expected


def read(source: KeyedJsonSource, folder: Path) -> tuple[pl.DataFrame, list[Problem]]:
    """Read every record of a keyed-JSON source.

    Args:
        source: The declaration: form of paths and keys, columns and their paths, statuses.
        folder: The data folder.

    Returns:
        The records, one a row in order of path and of the file, with columns `file`, `key`, `status`, what path and
        key capture, and the declared columns; and everything that is wrong. A file with the form's suffix at the
        form's depth whose path does not fit the form is a problem too.
    """
    pattern = Pattern.parse(source.files)
    reader = _Reader(source, Pattern.parse(source.key))
    for path, name in files(source.files, folder):
        parts = pattern.match(name)
        if parts is None:
            reader.problems.append(Problem(name, "", "", "", f"a path of the form {source.files}"))
        else:
            reader.read_file(path, name, tuple(parts.values()))
    schema: dict[str, Any] = {"file": pl.String, "key": pl.String, "status": pl.String}
    for form in (pattern, reader.key):
        schema |= {part: pl.Int64 if part in form.integers else pl.String for part in form.names}
    schema |= {name: TYPES[column.type] for name, column in source.columns.items()}
    return pl.DataFrame(reader.rows, schema=schema, orient="row"), reader.problems


def files(form: str, folder: Path) -> list[tuple[Path, str]]:
    """The files at a form's depth that have its suffix.

    Args:
        form: The declared form of paths.
        folder: The data folder.

    Returns:
        Path and name relative to the folder, sorted by name.
    """
    depth = form.count("/")
    suffix = form.rpartition("/")[2].rpartition(".")[2]
    found = ((path, path.relative_to(folder).as_posix()) for path in folder.glob("*/" * depth + f"*.{suffix}"))
    return sorted(found, key=lambda pair: pair[1])


def _leaves(record: dict[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Every value of a record by its path; an empty object is a leaf too, so that it is not mistaken for absence."""
    for name, value in record.items():
        if isinstance(value, dict) and value:
            yield from _leaves(cast("dict[str, Any]", value), f"{prefix}{name}.")
        else:
            yield f"{prefix}{name}", value


def _is_missing(values: dict[str, Any], path: str) -> bool:
    return values.get(path) is None and not any(name.startswith(f"{path}.") for name in values)


def _object_without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        seen: set[str] = set()
        duplicate = next(name for name, _ in pairs if name in seen or seen.add(name))
        raise _JsonContentError(duplicate, "", "every key once in its object")
    return found


def _refuse_constant(constant: str) -> NoReturn:
    raise _JsonContentError("", constant, "a finite number")


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
