"""The schemas that are known by name, described and exported."""

from __future__ import annotations

from typing import Any

from analysis.errors import UsageError
from analysis.untrusted import printable
from analysis.validation import instruments
from analysis.validation.user_schemas import SUPPLIED
from schemas.export import NAMES, json_schema, of_columns
from schemas.frames import FRAMES
from schemas.table_schema import frame_table_schema, of_rows

FORMS = ("json-schema", "table-schema")
"""The forms in which schemas are exported."""
_STUDY = "study"


def described() -> dict[str, str]:
    """The schemas that are known by name.

    Returns:
        Name -> what it is of, in a sentence.
    """
    frames = {name: (model.__doc__ or "").strip().partition("\n")[0] for name, model in FRAMES.items()}
    of_instruments = {name: instruments.shipped(name).description for name in instruments.NAMES}
    return {**frames, **of_instruments, _STUDY: "A study file."}


def exported(name: str, form: str) -> dict[str, Any]:
    """A schema for other tools.

    Args:
        name: One of `described`.
        form: One of `FORMS`.

    Returns:
        The JSON Schema of a row, or of the study file; or the Table Schema of a file of rows.

    Raises:
        UsageError: If there is no such schema, or not in this form.
    """
    known = (*NAMES[:-1], *instruments.NAMES, _STUDY)
    if name not in known:
        raise UsageError(f"no schema {printable(name)}; there are {', '.join(known)}")
    if form not in FORMS or (form == "table-schema" and name == _STUDY):
        raise UsageError(f"--form {printable(form)}: expected json-schema, or table-schema for what is a table")
    if name in NAMES:
        return json_schema(name) if form == "json-schema" else frame_table_schema(name)
    shipped = instruments.shipped(name)
    schema = of_columns(name, shipped.description, shipped.columns)
    # What reading gives by itself need not be in a file.
    schema["required"] = [column for column in schema["required"] if column not in SUPPLIED]
    return schema if form == "json-schema" else of_rows(schema)
