"""The schema that a good dump suggests, to be edited by hand: types, values, bounds and what tells records apart."""

from __future__ import annotations

from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

from tallybook.core.wording import counted
from tallybook.drafting.roles import guess
from tallybook.study.schemas import DIALECT, PROFILE

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.drafting.roles import Roles
    from tallybook.drafting.survey import Survey

Kind = Literal["any", "integer", "number", "boolean", "string"]
"""The type of a column; `any` if it has no values."""

MOST_VALUES = 20
"""How many different texts a column has at most whose values are listed."""
_LONG = 60
"""How many characters a listed value has at most."""
_TWICE = 2
"""How often the values of a column that is listed occur at least, on average: what occurs once is no category."""
_MOST_KEYS = 5
"""How many columns make a key at most."""
_MOST_TRIED = 200
"""How many sets of columns are tried as a key."""

# A number with a zero in front is a name: 007. So is one that no machine's integer holds.
_INTEGER = r"^-?(?:0|[1-9]\d*)$"
_NUMBER = r"^-?(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$"


class Field(NamedTuple):
    """What is known of a column."""

    name: str  # its name; of nested records its path
    kind: Kind  # the type of its values
    is_due: bool  # whether every record has a value
    is_partial: bool  # whether some files lack the column
    distinct: int  # how many different values it has
    values: tuple[str, ...] | None = None  # the different texts, sorted, if they are few
    least: float | None = None  # the smallest number; None of columns in which no number occurs twice
    most: float | None = None  # the largest number
    is_filled: bool = False  # whether no text is empty


class Inferred(NamedTuple):
    """What a dump suggests."""

    fields: tuple[Field, ...]  # its columns, in the order in which they first come
    key: tuple[str, ...]  # the columns that tell its records apart; empty if none do, or only too many
    rows: int  # how many records it holds
    files: int  # how many files it is


def infer(survey: Survey, most_values: int = MOST_VALUES) -> Inferred:
    """Infer a schema from a good dump; list the texts of columns with at most `most_values` different ones."""
    roles = guess(survey, {})
    fields = tuple(
        _field(survey, column.name, 0 if column.name in {roles.text, roles.prompt} else most_values)
        for column in survey.columns
    )
    return Inferred(fields, _key(survey, fields, roles), survey.rows, len(survey.files))


def _field(survey: Survey, name: str, most_values: int) -> Field:
    text, is_partial = pl.col(name), name in survey.partial
    about = (
        survey.records.select(
            nulls=text.null_count(),
            empty=(text == "").sum(),
            distinct=text.drop_nulls().n_unique(),
            longest=text.str.len_chars().max(),
            lines=text.str.contains(r"[\p{C}\p{Zl}\p{Zp}]").any(),
            **_kinds(text.filter(text != "")),
        )
        .collect(engine="streaming")
        .row(0, named=True)
    )
    filled = survey.rows - about["nulls"] - about["empty"]
    kind = _kind(about) if filled else "any"
    missing = about["nulls"] + (about["empty"] if kind not in {"string", "any"} else 0)
    found = Field(name, kind, not missing and not is_partial, is_partial, about["distinct"])
    if kind in {"integer", "number"}:
        return _with_bounds(survey, found, filled)
    if kind != "string":
        return found
    is_listed = about["distinct"] <= most_values and about["longest"] <= _LONG and not about["lines"]
    if is_listed and survey.rows - about["nulls"] >= _TWICE * about["distinct"]:
        different = survey.records.select(text.drop_nulls().unique().sort()).collect(engine="streaming")
        return found._replace(values=tuple(different.to_series()))
    return found._replace(is_filled=not about["empty"])


def _kinds(text: pl.Expr) -> dict[str, pl.Expr]:
    """Tell whether all texts of a column are of each type; what has digits beyond a machine's integers is text."""
    whole, number = text.cast(pl.Int64, strict=False), text.cast(pl.Float64, strict=False)
    is_whole = text.str.contains(_INTEGER)
    return {
        "integer": (is_whole & whole.is_not_null()).all(),
        "number": (
            text.str.contains(_NUMBER) & number.is_finite().fill_null(value=False) & (~is_whole | whole.is_not_null())
        ).all(),
        "boolean": text.str.to_lowercase().is_in(["true", "false"]).all(),
    }


def _kind(fits: dict[str, Any]) -> Kind:
    kinds: tuple[Kind, ...] = ("integer", "number", "boolean", "string")
    return next(kind for kind in kinds if fits.get(kind, True))


def _with_bounds(survey: Survey, field: Field, filled: int) -> Field:
    """Add a column's smallest and largest number; where none occurs twice they say nothing of the next record."""
    number = pl.col(field.name).replace("", None).cast(pl.Int64 if field.kind == "integer" else pl.Float64)
    bounds = survey.records.select(
        least=number.min(), most=number.max(), distinct=number.drop_nulls().n_unique()
    ).collect(engine="streaming")
    least, most, distinct = bounds.row(0)
    field = field._replace(distinct=distinct)
    return field if distinct == filled > 1 else field._replace(least=least, most=most)


def _key(survey: Survey, fields: tuple[Field, ...], roles: Roles) -> tuple[str, ...]:
    """Find the first of the smallest sets of columns that tell records apart; those of responses come first."""
    if survey.rows <= 1:
        return ()
    identity = [name for name in (roles.model, roles.item, roles.prompt, roles.sample) if name]
    order = list(dict.fromkeys([*identity, *roles.factors, *(field.name for field in fields)]))
    different = {
        field.name: field.distinct
        for field in fields
        if field.is_due and field.kind in {"string", "integer", "boolean"} and field.name != roles.text
    }
    likely = [name for name in order if name in different]
    tried = 0
    for columns in _sets(likely, identity, roles.factors):
        if prod(different[name] for name in columns) < survey.rows:
            continue
        if survey.sample.select(pl.struct(*columns).is_duplicated().any()).item():
            continue
        tried += 1
        if tried > _MOST_TRIED:
            break
        if survey.is_unique(columns):
            places = {field.name: place for place, field in enumerate(fields)}
            return tuple(sorted(columns, key=places.__getitem__))
    return ()


def _sets(likely: list[str], identity: list[str], factors: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    """List candidate keys: single columns, then sets that identify responses."""
    yield from combinations(likely, 1)
    for known in (identity, [*identity, *factors], likely):
        for size in range(2, _MOST_KEYS + 1):
            yield from combinations([name for name in likely if name in known], size)


def as_table_schema(inferred: Inferred, *, closed: bool) -> dict[str, Any]:
    """Write the inferred schema as a Table Schema.

    Source:
        Table Schema, a Data Package standard: https://datapackage.org/standard/table-schema/
    """
    fields: list[dict[str, Any]] = []
    for field in inferred.fields:
        constraints: dict[str, Any] = ({"required": True} if field.is_due else {}) | _rules(field)
        fields.append({"name": field.name, "type": field.kind} | ({"constraints": constraints} if constraints else {}))
    are_partial = any(field.is_partial for field in inferred.fields)
    match = {(False, False): "subset", (True, False): "equal", (False, True): "partial", (True, True): "superset"}
    key = {"primaryKey": list(inferred.key)} if inferred.key else {}
    return {
        "$schema": PROFILE,
        "description": _description(inferred),
        "fields": fields,
        "fieldsMatch": match[closed, are_partial],
        **key,
    }


def as_json_schema(inferred: Inferred, *, closed: bool) -> dict[str, Any]:
    """Write the inferred schema as the JSON Schema of a record."""
    properties: dict[str, Any] = {}
    for field in inferred.fields:
        rules = _rules(field)
        if not field.is_due and "enum" in rules:
            rules["enum"] = [*rules["enum"], None]
        kind = field.kind if field.is_due else [field.kind, "null"]
        properties[field.name] = ({"type": kind} if field.kind != "any" else {}) | rules
    return {
        "$schema": DIALECT,
        "description": _description(inferred),
        "type": "object",
        "properties": properties,
        "required": [field.name for field in inferred.fields if field.is_due],
        "additionalProperties": not closed,
    }


def _rules(field: Field) -> dict[str, Any]:
    """List the constraints of a column in words that both kinds of schemas share."""
    rules: dict[str, Any] = {}
    if field.values is not None:
        rules["enum"] = list(field.values)
    if field.least is not None:
        rules |= {"minimum": field.least, "maximum": field.most}
    if field.is_filled:
        rules["minLength"] = 1
    return rules


def _description(inferred: Inferred) -> str:
    rows, files = counted(inferred.rows, "row"), counted(inferred.files, "file")
    return f"Inferred from {rows} of {files}: what these hold. What others may hold is for you to say; edit it."
