"""Schemas by name: the frames' own, and users': JSON Schema, Table Schema, pandera's own forms and Python."""

from __future__ import annotations

import importlib
import importlib.util
import json
from copy import deepcopy
from dataclasses import dataclass, field, replace
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, cast

import pandera.polars as pa
import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.safe_paths import read_bytes
from tallybook.core.untrusted import printable
from tallybook.core.vetting import is_built_in
from tallybook.validation.json_schemas import SchemaError, from_json_schema, from_table_schema
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import ModuleType

    from tallybook.study.instrument_base import Instrument
    from tallybook.validation.instruments import Rule, Shipped

_BITS = 63
"""Of a whole number in a table, beside its sign."""
SUPPLIED = {"response_id": "", "position": "", "file": "", "key": "", "status": "ok", "count": "1"}
"""What reading gives each response that its file does not say, and so no file of responses needs to hold."""

_WITH_EMPTY_TEXTS = {"published", "tables", "comparison"}
"""The frames in whose columns an empty text is one like others: what is printed as nothing."""


@dataclass(frozen=True)
class Expected:
    """The schema that files are validated against."""

    name: str  # how the schema is called
    schema: pa.DataFrameSchema  # the schema; a column of it is unique only over all files, by `unique`
    unique: list[list[str]] = field(default_factory=list[list[str]])  # columns that together identify a row
    is_closed: bool = False  # whether files may hold no other columns
    # columns that files need not hold, with their values
    supplied: Mapping[str, str] = field(default_factory=dict[str, str])
    in_parts: bool = True  # whether rows may be checked some at a time
    empties: frozenset[str] = frozenset()  # columns in which an empty cell is an empty text
    rules: tuple[Rule, ...] = ()  # what must hold of rows beside
    one_of: tuple[str, ...] = ()  # columns of which a file must hold one at least
    filled: tuple[str, ...] = ()  # columns in which a file must have a value
    instrument: Instrument | None = None  # the instrument that shall read the responses


def load(name: str) -> Expected:
    """Find a schema.

    `name`: A frame (`responses`, `coded-responses`, ...), an instrument (`attribute-choice`) or what it codes to
    (`coded-attribute-choice`), a file (`.json`: JSON Schema, Table Schema or pandera's; `.yaml`: pandera's), or a
    pandera model in Python: `package.module:Model` or `file.py:Model`. Python is run only if it is named so.
    """
    frame = name.replace("_", "-")
    if frame in FRAMES:
        supplied = SUPPLIED if frame in {"responses", "coded-responses"} else {}
        expected = _of_pandera(frame, FRAMES[frame].to_schema(), supplied=supplied, in_parts=True)
        unique = [["response_id"]] if frame == "responses" else []
        empties = frozenset(expected.schema.columns if frame in _WITH_EMPTY_TEXTS else ())
        return replace(expected, unique=unique, empties=empties)
    try:
        if name.lower().endswith((".json", ".yaml", ".yml")):
            return _of_file(name)
        if ":" in name:
            return _of_pandera(name, _of_python(name))
    except SchemaError as error:
        raise UsageError(f"{printable(name)}: {error}") from None
    from tallybook.validation.instruments import names, shipped  # it reads study files: not for every schema

    if frame in names():
        return _of_instrument(shipped(frame))
    known = ", ".join([*FRAMES, *names()])
    raise UsageError(
        f"no schema {printable(name)}; there are {known}, and files: schema.json, schema.yaml, file.py:Model"
    )


def _of_instrument(known: Shipped) -> Expected:
    expected = _of_pandera(known.name, pa.DataFrameSchema(known.columns), supplied=SUPPLIED, in_parts=True)
    return replace(expected, rules=known.rules, one_of=known.one_of, filled=known.filled, instrument=known.instrument)


def _whole(digits: str) -> int:
    """Read a whole number of a schema: no value of a table is larger than 64 bits."""
    if (number := int(digits)).bit_length() > _BITS:
        raise OverflowError(f"the number {printable(digits, 40)} is too large for a table")
    return number


def _of_file(name: str) -> Expected:
    try:
        text = read_bytes(Path(name)).decode("utf-8")
        content: Any = json.loads(text, parse_int=_whole) if name.lower().endswith(".json") else None
        json.dumps(content, ensure_ascii=False).encode()
    except OSError as error:
        raise UsageError(f"cannot read {printable(name)}: {error.strerror}") from None
    except json.JSONDecodeError as error:
        said = f"{error.msg[:1].lower()}{error.msg[1:]} at character {error.colno}"
        raise UsageError(f"{printable(name)}:{error.lineno}: not JSON ({said})") from None
    except UnicodeDecodeError:
        raise UsageError(f"{printable(name)}: not UTF-8 text") from None
    except UnicodeEncodeError:
        raise UsageError(f"{printable(name)}: not Unicode text (it holds half of a surrogate pair)") from None
    except OverflowError as error:
        raise UsageError(f"{printable(name)}: {error}") from None
    except (ValueError, RecursionError):
        raise UsageError(f"{printable(name)}: not JSON") from None
    if content is None or (isinstance(content, dict) and "schema_type" in content):
        return _of_pandera(name, _serialised(name, text, is_json=content is not None))
    if isinstance(content, dict) and "fields" in content:
        columns, unique, is_closed = from_table_schema(cast("dict[str, Any]", content))
    elif isinstance(content, dict) and "properties" in content:
        columns, unique, is_closed = from_json_schema(cast("dict[str, Any]", content))
    else:
        raise SchemaError("expected a JSON Schema of an object, a Table Schema, or a schema that pandera wrote")
    return Expected(name, pa.DataFrameSchema(columns), _distinct(unique), is_closed)


def _serialised(name: str, text: str, *, is_json: bool) -> pa.DataFrameSchema:
    """Read a schema that pandera wrote."""
    try:
        if is_json:
            return pa.DataFrameSchema.from_json(text)
        return _of_yaml(text)
    except ImportError:
        raise UsageError(f"{printable(name)}: YAML needs the package PyYAML; pandera writes JSON too") from None
    except Exception as error:  # noqa: BLE001  whatever pandera raises for what it did not write
        reason = str(error).partition("\n")[0]
        raise SchemaError(f"no schema that pandera can read ({printable(reason, 200)})") from None


def _of_yaml(text: str) -> pa.DataFrameSchema:
    """Read a schema that pandera wrote as YAML: it would take any other file for one that allows everything."""
    import yaml

    content = yaml.safe_load(text)
    if not isinstance(content, dict) or "schema_type" not in content:
        raise SchemaError("it names no schema_type")
    return pa.DataFrameSchema.from_yaml(text)


def _of_python(name: str) -> pa.DataFrameSchema:
    """Get a model or schema from a module that the user names."""
    place, _, attribute = name.rpartition(":")
    if place.endswith(".py") and not Path(place).is_file():
        raise UsageError(f"no file {printable(place)}")
    try:
        module = _module_of_file(Path(place)) if place.endswith(".py") else importlib.import_module(place)
        schema: object = getattr(module, attribute, None)
        if isinstance(schema, type) and issubclass(schema, pa.DataFrameModel):
            return schema.to_schema()
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever the user's own program raises
        raise UsageError(f"-s {printable(name)}: {_raised(error, place)}") from None
    if isinstance(schema, pa.DataFrameSchema):
        return schema
    raise SchemaError(f"no pandera.polars model or schema {printable(attribute)}")


def _module_of_file(path: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location(path.stem, path)
    if found is None or found.loader is None:
        raise SchemaError("no Python module")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


def _raised(error: BaseException, place: str) -> str:
    """Describe what a user's program raised, and in which line of its file."""
    if isinstance(error, SyntaxError):
        file, line, said = error.filename or place, error.lineno, error.msg
    else:
        lines = [one.lineno for one in extract_tb(error.__traceback__) if _is_same(one.filename, place)]
        file, line, said = place, lines[-1] if lines else None, str(error).partition("\n")[0]
    at = "" if line is None else f"{place if _is_same(file, place) else file}:{line}: "
    return printable(f"{at}{type(error).__name__}{f': {said}' if said else ''}", 400)


def _is_same(file: str, place: str) -> bool:
    return Path(file).resolve() == Path(place).resolve()


def _of_pandera(
    name: str, given: pa.DataFrameSchema, *, supplied: Mapping[str, str] | None = None, in_parts: bool = False
) -> Expected:
    schema = deepcopy(given)
    unique: list[list[str]] = []
    if schema.unique:
        unique.append([schema.unique] if isinstance(schema.unique, str) else list(schema.unique))
    for column, declared in schema.columns.items():
        if declared.regex:
            raise SchemaError(f"column {printable(column)} is a pattern, which is not supported")
        if declared.unique:
            unique.append([column])
            declared.unique = False
        kind: Any = None if declared.dtype is None else declared.dtype.type
        if kind is not None and not isinstance(pl.String(), kind if isinstance(kind, type) else type(kind)):
            _must_be_readable(column, kind)
    is_closed = schema.strict is True
    is_by_value = in_parts or _looks_at_values(schema)
    return Expected(name, schema, _distinct(unique), is_closed, supplied or {}, is_by_value)


def _distinct(keys: list[list[str]]) -> list[list[str]]:
    """Drop repeated keys: a column may be unique by itself and as the key of its table."""
    return [list(key) for key in dict.fromkeys(map(tuple, keys))]


def _looks_at_values(schema: pa.DataFrameSchema) -> bool:
    """Tell whether every check looks at each value by itself: one of a user's may look at all rows together."""
    of_columns = [check for column in schema.columns.values() for check in cast("list[pa.Check]", column.checks)]
    return not schema.checks and all(map(is_built_in, of_columns))


def _must_be_readable(column: str, kind: Any) -> None:  # noqa: ANN401  polars' types have no common one
    """Refuse a type that no text can be read as."""
    try:
        pl.Series([None], dtype=pl.String).cast(kind, strict=False)
    except pl.exceptions.PolarsError:
        raise SchemaError(f"column {printable(column)}: type {kind} cannot be read from text") from None
