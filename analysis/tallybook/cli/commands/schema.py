"""Schemas written: those that are known by name, and those that a dump suggests."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tallybook.core.errors import UsageError
from tallybook.core.output import write_text
from tallybook.core.progress import progress
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.study.schemas import NAMES, frame_table_schema, json_schema, of_columns, of_rows
from tallybook.validation import instruments
from tallybook.validation.expected import SUPPLIED
from tallybook_schemas.frames import FRAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

FORMS = ("json-schema", "table-schema")
"""The forms in which schemas are exported."""
_STUDY = "study"


def described() -> dict[str, str]:
    """Get the schemas that are known by name."""
    frames = {name: (model.__doc__ or "").strip().partition("\n")[0] for name, model in FRAMES.items()}
    of_instruments = {name: instruments.description(name) for name in instruments.names()}
    return {**frames, **of_instruments, _STUDY: "A study file."}


def listing() -> str:
    """Get the schemas that are known by name, a line each."""
    known = described()
    width = max(map(len, known))
    return "\n".join(f"{name.ljust(width)}  {about}" for name, about in known.items())


def single(names: Sequence[str]) -> str:
    """Get the one schema that is asked for."""
    if files := [name for name in names if Path(name).is_file()]:
        raise UsageError(f"{printable(files[0], 200)} is a file, no schema; --infer makes a schema of it")
    if len(names) > 1:
        raise UsageError("one schema at a time")
    return names[0]


def as_text(schema: dict[str, Any]) -> str:
    """Write a schema as people edit it."""
    return json.dumps(schema, indent=2, ensure_ascii=False) + "\n"


def infer(
    dump: Sequence[Path],
    *,
    form: str | None,
    most_values: int | None,
    closed: bool,
    output: Path | None,
    force: bool,
    quiet: bool,
) -> dict[str, Any]:
    """Infer a schema from a dump."""
    from tallybook.drafting import inferred as drafting
    from tallybook.drafting.survey import survey

    if not dump:
        raise UsageError("--infer: name the files of a dump")
    if form is not None and form not in FORMS:
        raise UsageError(f"--form {printable(form)}: expected json-schema or table-schema")
    if output is not None:
        _check_target(output, force=force)
    with progress(quiet=quiet) as shown:
        found = survey(dump, shown)
        shown.stage("Looking at columns")
        made = drafting.infer(found, drafting.MOST_VALUES if most_values is None else most_values)
    is_table = form != "json-schema"
    text = as_text((drafting.as_table_schema if is_table else drafting.as_json_schema)(made, closed=closed))
    key = ", ".join(printable(name) for name in made.key)
    unsaid = f"note: {key} tell rows apart, which JSON Schema cannot say; --form table-schema can"
    warnings = [unsaid] if made.key and not is_table else []
    if output is None:
        return {"text": text.rstrip("\n"), "warnings": warnings}
    write_text(output, text)
    apart = f"distinguished by {key}" if key else "that no few columns tell apart"
    about = f"{counted(len(made.fields), 'column')} of {counted(made.rows, 'row')} {apart}"
    lines = [f"{output}: {about}", f"next: edit it, then tallybook validate FILES -s {output}"]
    return {"text": "\n".join(lines), "warnings": warnings}


def _check_target(output: Path, *, force: bool) -> None:
    shown = printable(str(output), 200)
    if output.suffix != ".json":
        raise UsageError(f"--output {shown}: the file's name ends in .json, by which validate knows a schema")
    if output.exists() and not force:
        raise UsageError(f"{shown} exists, and you may have edited it; --force replaces it")


def exported(name: str, form: str) -> dict[str, Any]:
    """Export a schema for other tools."""
    known = (*NAMES[:-1], *instruments.names(), _STUDY)
    if name not in known:
        raise UsageError(f"no schema {printable(name)}; there are {', '.join(known)}")
    if form not in FORMS or (form == "table-schema" and name == _STUDY):
        raise UsageError(f"--form {printable(form)}: expected json-schema, or table-schema for a table")
    if name in NAMES:
        return json_schema(name) if form == "json-schema" else frame_table_schema(name)
    shipped = instruments.shipped(name)
    schema = of_columns(name, instruments.description(name), shipped.schema.columns)
    # What reading gives by itself need not be in a file.
    schema["required"] = [column for column in schema["required"] if column not in SUPPLIED]
    return schema if form == "json-schema" else of_rows(schema)
