"""Lookup of schemas by name: those of frames and instruments, and users' JSON and Table Schemas and pandera models."""

from __future__ import annotations

import importlib
import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from traceback import extract_tb
from typing import TYPE_CHECKING, Any, cast

import pandera.polars as pa

from tallybook.core.errors import UsageError
from tallybook.core.safe_paths import read_bytes
from tallybook.core.untrusted import printable
from tallybook.sources.json_records import HALF, parse
from tallybook.validation.expected import SUPPLIED, SchemaError, from_json_schema, from_table_schema, of_pandera
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from types import ModuleType

    from tallybook.validation.expected import Expected

_WITH_EMPTY_TEXTS = {"published", "tables", "comparison"}
"""The frames in which an empty text is a value: nothing is printed there."""


def load(name: str) -> Expected:
    """Return the schema of the given name.

    `name`: A frame (`responses`, `coded-responses`, ...), an instrument (`attribute-choice`) or its coded responses
    (`coded-attribute-choice`), a file (`.json`: JSON Schema or Table Schema), or a
    pandera model in Python: `package.module:Model` or `file.py:Model`. Python code is run only if named like this.
    """
    frame = name.replace("_", "-")
    if frame in FRAMES:
        expected = of_pandera(frame, FRAMES[frame].to_schema())
        return replace(
            expected,
            unique=[["response_id"]] if frame == "responses" else [],
            supplied=SUPPLIED if frame in {"responses", "coded-responses"} else {},
            in_parts=True,
            empties=frozenset(expected.schema.columns if frame in _WITH_EMPTY_TEXTS else ()),
        )
    try:
        if name.lower().endswith(".json"):
            return _of_file(name)
        if ":" in name:
            return of_pandera(name, _of_python(name))
    except SchemaError as error:
        raise UsageError(f"{printable(name)}: {error}") from None
    from tallybook.validation.instruments import names, shipped  # imported late: it reads study files

    if frame in names():
        return shipped(frame)
    known = ", ".join([*FRAMES, *names()])
    raise UsageError(f"no schema {printable(name)}; there are {known}, and files: schema.json, file.py:Model")


def _of_file(name: str) -> Expected:
    try:
        content: Any = parse(read_bytes(Path(name)))
        json.dumps(content, ensure_ascii=False).encode()
    except OSError as error:
        raise UsageError(f"cannot read {printable(name)}: {error.strerror}") from None
    except UnicodeEncodeError:
        raise UsageError(f"{printable(name)}: expected {HALF}") from None
    except ValueError as error:
        raise UsageError(f"{printable(name)}: expected {error}") from None
    if isinstance(content, dict) and "fields" in content:
        return from_table_schema(name, cast("dict[str, Any]", content))
    if isinstance(content, dict) and "properties" in content:
        return from_json_schema(name, cast("dict[str, Any]", content))
    raise SchemaError("expected a JSON Schema of an object, or a Table Schema")


def _of_python(name: str) -> pa.DataFrameSchema:
    """Import a model or schema from the module that the user names."""
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
    """Describe an exception from a user's program, with the line of the program's file."""
    if isinstance(error, SyntaxError):
        file, line, said = error.filename or place, error.lineno, error.msg
    else:
        lines = [one.lineno for one in extract_tb(error.__traceback__) if _is_same(one.filename, place)]
        file, line, said = place, lines[-1] if lines else None, str(error).partition("\n")[0]
    at = "" if line is None else f"{place if _is_same(file, place) else file}:{line}: "
    return printable(f"{at}{type(error).__name__}{f': {said}' if said else ''}", 400)


def _is_same(file: str, place: str) -> bool:
    return Path(file).resolve() == Path(place).resolve()
