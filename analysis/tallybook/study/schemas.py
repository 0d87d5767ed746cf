"""Export of frames and study files as JSON Schema (draft 2020-12) and Table Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import polars as pl

from tallybook.study.base import IDENTIFIER
from tallybook.study.model import schema_of_models
from tallybook.study.record_sources import RecordSource
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Mapping

    import pandera.polars as pa

    from tallybook.study.model import Study

PROFILE = "https://datapackage.org/profiles/2.0/tableschema.json"
"""The profile that exported Table Schemas name."""
DIALECT = "https://json-schema.org/draft/2020-12/schema"
NAMES = (*FRAMES, "study")
"""The names of the schemas that can be exported."""
_WORDS = {
    "isin": ("enum", "allowed_values"),
    "greater_than_or_equal_to": ("minimum", "min_value"),
    "less_than_or_equal_to": ("maximum", "max_value"),
    "greater_than": ("exclusiveMinimum", "min_value"),
    "less_than": ("exclusiveMaximum", "max_value"),
    "str_contains": ("pattern", "pattern"),
}
"""Pandera's check -> the keyword of JSON Schema, and the check's setting with its value."""
_TYPES = {pl.String: "string", pl.Int64: "integer", pl.Float64: "number", pl.Boolean: "boolean"}


def table_schema(study: Study) -> dict[str, Any]:
    """Export the columns that a study reads from files of records as a Table Schema.

    Source:
        Table Schema, a Data Package standard: https://datapackage.org/standard/table-schema/
    """
    fields: dict[str, dict[str, Any]] = {}
    for source in study.sources:
        if isinstance(source, RecordSource):
            for name, column in source.columns.items():
                field: dict[str, Any] = {"name": column.path, "type": column.type}
                constraints: dict[str, Any] = {}
                if name in source.require or column.blank == "error" or name in study.factors:
                    constraints["required"] = True
                if name in study.factors:
                    constraints["enum"] = list(study.factors[name].levels)
                fields.setdefault(column.path, field | ({"constraints": constraints} if constraints else {}))
    return {"$schema": PROFILE, "fields": list(fields.values())}


def frame_table_schema(name: str) -> dict[str, Any]:
    """Export a frame's model as a Table Schema.

    Source:
        Table Schema, a Data Package standard: https://datapackage.org/standard/table-schema/
    """
    unique = FRAMES[name].to_schema().unique
    return of_rows(json_schema(name)) | ({"primaryKey": unique} if unique else {})


def of_rows(schema: dict[str, Any]) -> dict[str, Any]:
    """Convert the JSON Schema of a row into the Table Schema of a file of rows."""
    fields: list[dict[str, Any]] = []
    for column, declared in schema["properties"].items():
        kinds = declared["type"] if isinstance(declared["type"], list) else [declared["type"]]
        is_due = column in schema["required"] and "null" not in kinds
        constraints: dict[str, Any] = {"required": True} if is_due else {}
        limits = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")
        constraints |= {word: declared[word] for word in limits if word in declared}
        if "enum" in declared:
            constraints["enum"] = [one for one in declared["enum"] if one is not None]
        if "pattern" in declared:  # a Table Schema pattern must match the whole value
            constraints["pattern"] = rf"[\s\S]*{declared['pattern']}[\s\S]*"
        field = {"name": column, "type": kinds[0], "description": declared["description"]}
        fields.append(field | ({"constraints": constraints} if constraints else {}))
    are_all_due = len(schema["required"]) == len(fields)
    return {"$schema": PROFILE, "fields": fields, "fieldsMatch": "subset" if are_all_due else "partial"}


Node = dict[str, Any]


def study_schema() -> Node:
    """Build the JSON Schema (draft 2020-12) of study files."""
    made = cast("Node", _clean(schema_of_models()))
    # The abbreviations that `tallybook.study.settings` expands before validation.
    [(pattern, factor)] = made["properties"]["factors"]["patternProperties"].items()
    levels = {"type": "array", "items": {"type": "string"}, "description": "Its levels, called as they are."}
    made["properties"]["factors"]["patternProperties"] = {pattern: {"anyOf": [levels, factor]}}
    tables = made["$defs"]["TableSet"]
    tables["anyOf"] = [{"required": ["usual"]}, {"required": tables.pop("required")}]
    named = {"type": "array", "items": {"type": "string", "pattern": IDENTIFIER}, "minItems": 1}
    about = "The usual figures of some analyses, one for each outcome; settings beside `usual` are those that differ."
    usual = {"usual": named | {"description": "The analyses whose usual figures these are."}}
    figures: Node = {"type": "object", "title": "The usual figures of some analyses", "description": about}
    figures |= {"properties": usual, "required": ["usual"]}
    made["$defs"]["UsualFigures"] = figures
    made["properties"]["figures"]["items"]["oneOf"].append({"$ref": "#/$defs/UsualFigures"})
    return made


def _clean(node: object, *, names: bool = False) -> object:
    """Remove keywords that JSON Schema does not know and nulls, which TOML does not have."""
    if isinstance(node, list):
        return [_clean(item) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    part = cast("Node", node)
    if names:
        return {key: _clean(value) for key, value in part.items()}
    if "anyOf" in part:  # TOML has no null: a setting that has no value is left out
        part = part | {"anyOf": [option for option in part["anyOf"] if option != {"type": "null"}]}
        if len(part["anyOf"]) == 1:
            only = part.pop("anyOf")[0]
            part = part | only
    if "patternProperties" in part:
        part = part | {"additionalProperties": False}
    kept = {key: value for key, value in part.items() if key != "discriminator" and (key, value) != ("default", None)}
    return {
        key: value
        if key in {"default", "const", "enum", "required"}
        else _clean(value, names=key in {"properties", "patternProperties", "$defs"})
        for key, value in kept.items()
    }


def json_schema(name: str) -> dict[str, Any]:
    """Export the JSON Schema of a frame's row, or of study files."""
    if name == "study":
        return {"$schema": DIALECT, **study_schema()}
    model = FRAMES[name]
    return of_columns(name, (model.__doc__ or "").strip(), model.to_schema().columns)


def of_columns(name: str, description: str, columns: Mapping[str, pa.Column]) -> dict[str, Any]:
    """Export columns as the JSON Schema of one row."""
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
        if check.name not in _WORDS:
            raise NotImplementedError(f"check {check.name} has no counterpart in JSON Schema")
        word, setting = _WORDS[check.name]
        found[word] = cast("dict[str, Any]", check.statistics)[setting]
    if "enum" in found:
        found["enum"] = [*found["enum"], *([None] if column.nullable else [])]
    return found
