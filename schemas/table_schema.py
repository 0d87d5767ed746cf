"""The schema of a dump's records as a Table Schema, for tools that know nothing of studies."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from schemas.study.record_sources import RecordSource

if TYPE_CHECKING:
    from schemas.study import Study


def table_schema(study: Study) -> dict[str, Any]:
    """Describe the columns that a study reads from files of records.

    Args:
        study: The study.

    Returns:
        A Table Schema: a field for each column of the files that the study's sources declare, under its name in the
        files, with its type, the allowed values of factors and whether a value must be there.

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
    return {"$schema": "https://datapackage.org/profiles/2.0/tableschema.json", "fields": list(fields.values())}
