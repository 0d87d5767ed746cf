"""The implementation of `tallybook schema`: the list of known schemas, and the export of one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.study.schemas import NAMES, frame_table_schema, json_schema, of_columns, of_rows
from tallybook.validation import instruments
from tallybook.validation.expected import SUPPLIED
from tallybook_schemas.frames import FRAMES

FORMS = ("json-schema", "table-schema")
"""The forms in which schemas are exported."""
_STUDY = "study"


def described() -> dict[str, str]:
    """Return the known schemas: name -> description."""
    frames = {name: (model.__doc__ or "").strip().partition("\n")[0] for name, model in FRAMES.items()}
    of_instruments = {name: instruments.description(name) for name in instruments.names()}
    return {**frames, **of_instruments, _STUDY: "A study file."}


def listing() -> str:
    """Return the known schemas with their descriptions, one per line."""
    known = described()
    width = max(map(len, known))
    return "\n".join(f"{name.ljust(width)}  {about}" for name, about in known.items())


def exported(name: str, form: str) -> dict[str, Any]:
    """Return a schema as JSON Schema or Table Schema."""
    if Path(name).is_file():
        raise UsageError(f"{printable(name, 200)} is a file, no schema; tallybook init writes the schema of a dump")
    known = (*NAMES[:-1], *instruments.names(), _STUDY)
    if name not in known:
        raise UsageError(f"no schema {printable(name)}; there are {', '.join(known)}")
    if form not in FORMS or (form == "table-schema" and name == _STUDY):
        raise UsageError(f"--form {printable(form)}: expected json-schema, or table-schema for a table")
    if name in NAMES:
        return json_schema(name) if form == "json-schema" else frame_table_schema(name)
    shipped = instruments.shipped(name)
    schema = of_columns(name, instruments.description(name), shipped.schema.columns)
    # Columns that reading supplies need not be in a file.
    schema["required"] = [column for column in schema["required"] if column not in SUPPLIED]
    return schema if form == "json-schema" else of_rows(schema)
