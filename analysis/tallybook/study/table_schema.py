"""The schema of a dump's records as a Table Schema, for tools that know nothing of studies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.study.record_sources import RecordSource
from tallybook.study.schemas import json_schema
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from tallybook.study.model import Study

PROFILE = "https://datapackage.org/profiles/2.0/tableschema.json"
"""The profile that a Table Schema names."""


def table_schema(study: Study) -> dict[str, Any]:
    """Describe the columns that a study reads from files of records.

    A Table Schema: a field for each column of the files that the study's sources declare, under its name in the files,
    with its type, the allowed values of factors and whether a value must be there.

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
    """A frame as a Table Schema.

    A field for each column that every such frame has, with its description and constraints; a file may have more.

    Source:
        Table Schema, a Data Package standard: https://datapackage.org/standard/table-schema/
    """
    unique = FRAMES[name].to_schema().unique
    return of_rows(json_schema(name)) | ({"primaryKey": unique} if unique else {})


def of_rows(schema: dict[str, Any]) -> dict[str, Any]:
    """The JSON Schema of a row as the Table Schema of a file of rows."""
    fields: list[dict[str, Any]] = []
    for column, declared in schema["properties"].items():
        kinds = declared["type"] if isinstance(declared["type"], list) else [declared["type"]]
        is_due = column in schema["required"] and "null" not in kinds
        constraints: dict[str, Any] = {"required": True} if is_due else {}
        for word in ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "enum"):
            if word in declared:
                constraints[word] = (
                    [one for one in declared[word] if one is not None] if word == "enum" else declared[word]
                )
        if "pattern" in declared:  # which here is one of the whole value
            constraints["pattern"] = rf"[\s\S]*{declared['pattern']}[\s\S]*"
        field = {"name": column, "type": kinds[0], "description": declared["description"]}
        fields.append(field | ({"constraints": constraints} if constraints else {}))
    are_all_due = len(schema["required"]) == len(fields)
    return {"$schema": PROFILE, "fields": fields, "fieldsMatch": "subset" if are_all_due else "partial"}
