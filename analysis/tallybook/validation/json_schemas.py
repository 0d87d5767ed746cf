"""JSON Schema and Table Schema as pandera's columns: what they say is checked, or refused by its name."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, cast

import pandera.polars as pa
import polars as pl

from tallybook.core.untrusted import printable
from tallybook.core.wording import suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

Columns = dict[str, pa.Column]
Read = tuple[Columns, list[list[str]], bool]
"""Columns, keys that are unique, and whether there may be no other columns."""

_TYPES: dict[str, Any] = {
    "string": pl.String,
    "integer": pl.Int64,
    "number": pl.Float64,
    "boolean": pl.Boolean,
    "any": pl.String,
}
_NOTES = {"title", "description", "examples", "default", "$comment", "format", "deprecated", "readOnly", "writeOnly"}
"""Words that say nothing to be checked."""
_RULES = {
    "type", "enum", "const", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength",
    "pattern",
}  # fmt: skip
_BOUNDS: dict[str, Callable[[Any], pa.Check]] = {
    "minimum": pa.Check.ge,
    "maximum": pa.Check.le,
    "exclusiveMinimum": pa.Check.gt,
    "exclusiveMaximum": pa.Check.lt,
}
_OBJECT = {"$schema", "$id", "type", "properties", "required", "additionalProperties", *_NOTES}
_CONSTRAINTS = {
    "required",
    "unique",
    "enum",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
}
_FIELD = {"name", "type", "constraints", "rdfType", *_NOTES}
_MATCHES = ("exact", "equal", "subset", "superset", "partial")
_TABLE = {"$schema", "name", "fields", "fieldsMatch", "primaryKey", "uniqueKeys", *_NOTES}


class SchemaError(ValueError):
    """A schema says what cannot be checked."""


def from_json_schema(schema: dict[str, Any]) -> Read:
    """Convert a JSON Schema of an object, whose properties are columns."""
    _only(schema, _OBJECT, "the schema")
    if schema.get("type", "object") != "object":
        raise SchemaError("the schema is not one of an object")
    further = schema.get("additionalProperties", True)
    if not isinstance(further, bool):
        raise SchemaError("additionalProperties: only true and false are supported")
    required = _names(schema.get("required", []), "required")
    if not isinstance(schema["properties"], dict):
        raise SchemaError("properties: expected an object")
    columns: Columns = {}
    for name, rules in cast("dict[str, dict[str, Any]]", schema["properties"]).items():
        _only(rules, _RULES | _NOTES, f"property {printable(name)}")
        kinds = rules.get("type", "string" if "enum" in rules or "const" in rules else "any")
        listed = cast("list[object]", kinds if isinstance(kinds, list) else [kinds])
        kinds = _names(listed, f"type of property {printable(name)}")
        named = [kind for kind in kinds if kind != "null"]
        if len(named) != 1 or named[0] not in _TYPES:
            meant = suggestion(named[0], _TYPES) if len(named) == 1 else ""
            raise SchemaError(f"property {printable(name)}: no type {printable(', '.join(kinds))} in a table{meant}")
        constraints = {word: rules[word] for word in _RULES - {"type", "const"} if word in rules}
        if "const" in rules:
            constraints["enum"] = [rules["const"]]
        is_nullable = "null" in kinds or name not in required or None in constraints.get("enum", ())
        checks = _checks(constraints, name, named[0], whole=False)
        columns[name] = pa.Column(_TYPES[named[0]], checks, nullable=is_nullable, required=name in required)
    beside = {name: pa.Column(pl.String, nullable=True) for name in required if name not in columns}
    return columns | beside, [], not further


def from_table_schema(schema: dict[str, Any]) -> Read:
    """Convert a Table Schema (Frictionless, Data Package)."""
    _only(schema, _TABLE, "the schema")
    match = schema.get("fieldsMatch", "exact")
    match = cast("str", match[0] if isinstance(match, list) and match else match)
    if match not in _MATCHES:
        raise SchemaError(f"fieldsMatch: no {printable(str(match))}; {', '.join(_MATCHES)} are supported")
    columns: Columns = {}
    primary = schema.get("primaryKey", [])
    key_columns = _names([primary] if isinstance(primary, str) else primary, "primaryKey")
    others: object = schema.get("uniqueKeys", [])
    if not isinstance(others, list) or not isinstance(schema["fields"], list):
        raise SchemaError(f"{'fields' if isinstance(others, list) else 'uniqueKeys'}: expected a list")
    unique = [key_columns] if key_columns else []
    unique += [_names(key, "uniqueKeys, each of them") for key in cast("list[object]", others)]
    for number, one in enumerate(cast("list[dict[str, Any]]", schema["fields"]), start=1):
        _only(one, _FIELD, f"field {number}")
        name = one.get("name")
        if not isinstance(name, str) or not name or name in columns:
            raise SchemaError(f"field {number}: expected a name, which no other field has")
        constraints = cast("dict[str, Any]", one.get("constraints", {}))
        _only(constraints, _CONSTRAINTS, f"constraints of field {printable(name)}")
        kind = one.get("type", "any")
        if not isinstance(kind, str) or kind not in _TYPES:
            told = f"type {printable(str(kind))} is not supported{suggestion(kind, _TYPES)}"
            raise SchemaError(f"field {printable(name)}: {told}")
        if constraints.get("unique"):
            unique.append([name])
        is_required = bool(constraints.get("required")) or name in key_columns
        checks = _checks(constraints, name, kind, whole=True)
        # A field that may be absent is all null then, which a field with a value in every row is not.
        is_due = is_required or match not in {"superset", "partial"}
        columns[name] = pa.Column(_TYPES[kind], checks, nullable=not is_required, required=is_due)
    if absent := [name for key in unique for name in key if name not in columns]:
        raise SchemaError(f"no field {printable(absent[0])}, which a key names")
    return columns, unique, match not in {"subset", "partial"}


def _checks(rules: dict[str, Any], name: str, kind: str, *, whole: bool) -> list[pa.Check]:
    """Convert constraints to pandera's checks."""
    _vet(rules, name, kind)
    checks: list[pa.Check] = []
    if "enum" in rules:
        values = [value for value in rules["enum"] if value is not None]
        try:
            allowed = pl.Series(values, dtype=_TYPES[kind], strict=True).to_list()
        except (TypeError, pl.exceptions.PolarsError):
            raise SchemaError(f"{printable(name)}: a value of enum is not of the type {kind}") from None
        checks.append(pa.Check.isin(allowed))
    checks += [check(rules[word]) for word, check in _BOUNDS.items() if word in rules]
    if "minLength" in rules or "maxLength" in rules:
        checks.append(pa.Check.str_length(rules.get("minLength"), rules.get("maxLength")))
    if "pattern" in rules:
        pattern = f"^(?:{rules['pattern']})$" if whole else str(rules["pattern"])
        try:
            pl.Series([""]).str.contains(pattern)
        except pl.exceptions.PolarsError:
            raise SchemaError(f"{printable(name)}: the pattern {printable(pattern)} is not supported") from None
        checks.append(pa.Check.str_contains(pattern))
    return checks


def _vet(rules: dict[str, Any], name: str, kind: str) -> None:
    """Refuse constraints that no value can be held against, for they would be told as faults of the data."""
    for word, value in rules.items():
        if word in _BOUNDS:
            fits, expected = _is_number(value), "a number"
            of = ("integer", "number")
        elif word in {"minLength", "maxLength"}:
            fits, expected = isinstance(value, int) and not isinstance(value, bool) and value >= 0, "a whole number"
            of = ("string", "any")
        elif word == "pattern":
            fits, expected = isinstance(value, str), "a text"
            of = ("string", "any")
        elif word == "enum":
            fits, expected, of = isinstance(value, list), "a list", (kind,)
        else:  # required, unique
            fits, expected, of = isinstance(value, bool), "true or false", (kind,)
        if not fits:
            raise SchemaError(f"{printable(name)}: {word}: expected {expected}")
        if kind not in of:
            raise SchemaError(f"{printable(name)}: {word} is of the types {' and '.join(of)}, not of {kind}")


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _names(value: object, what: str) -> list[str]:
    """Check that a value is a list of texts."""
    if not isinstance(value, list) or not all(isinstance(one, str) for one in cast("list[object]", value)):
        raise SchemaError(f"{what}: expected a list of texts")
    return list(cast("list[str]", value))


def _only(part: object, known: Collection[str], what: str) -> None:
    """Refuse words that nothing is made of: a schema that is half checked is worse than none."""
    if not isinstance(part, dict):
        raise SchemaError(f"{what}: expected an object")
    if unknown := [str(word) for word in cast("dict[Any, Any]", part) if word not in known]:
        raise SchemaError(f"{what}: {printable(unknown[0])} is not supported{suggestion(unknown[0], known)}")
