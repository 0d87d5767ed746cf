"""Schemas as JSON Schema (draft 2020-12), for editors and other tools."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.study.json_schema import study_schema
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandera.polars as pa

DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMES = (*FRAMES, "study")
"""The names under which schemas can be exported."""

_TYPES = {pl.String: "string", pl.Int64: "integer", pl.Float64: "number", pl.Boolean: "boolean"}


def json_schema(name: str) -> dict[str, Any]:
    """A schema as JSON Schema.

    For a frame the schema of one row as an object, which may have further columns; for `study` that of the study file.
    """
    if name == "study":
        return {"$schema": DIALECT, **study_schema()}
    model = FRAMES[name]
    return of_columns(name, (model.__doc__ or "").strip(), model.to_schema().columns)


def of_columns(name: str, description: str, columns: Mapping[str, pa.Column]) -> dict[str, Any]:
    """Columns as the JSON Schema of one row."""
    return {
        "$schema": DIALECT,
        "title": name,
        "description": description,
        "type": "object",
        "properties": {column: _property(declared) for column, declared in columns.items()},
        "required": [column for column, declared in columns.items() if declared.required],
        "additionalProperties": True,
    }


def _property(column: pa.Column) -> dict[str, Any]:
    dtype = cast("Any", column.dtype).type
    kind = next(text for known, text in _TYPES.items() if dtype == known)
    found: dict[str, Any] = {"description": column.description, "type": [kind, "null"] if column.nullable else kind}
    for check in column.checks:
        settings = cast("dict[str, Any]", check.statistics)
        match check.name:
            case "isin":
                found["enum"] = [*settings["allowed_values"], *([None] if column.nullable else [])]
            case "greater_than_or_equal_to":
                found["minimum"] = settings["min_value"]
            case "less_than_or_equal_to":
                found["maximum"] = settings["max_value"]
            case "greater_than":
                found["exclusiveMinimum"] = settings["min_value"]
            case "less_than":
                found["exclusiveMaximum"] = settings["max_value"]
            case "str_contains":
                found["pattern"] = settings["pattern"]
            case _:
                raise NotImplementedError(f"check {check.name} has no counterpart in JSON Schema")
    return found
