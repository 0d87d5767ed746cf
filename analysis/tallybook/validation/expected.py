"""Schemas that files are validated against, converted from pandera, JSON Schema and Table Schema.

Every part of a schema is either checked or refused by name, since a schema that is only half checked would mislead.
"""

from __future__ import annotations

import math
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar, cast

import pandera.polars as pa
import polars as pl
from pandera.api.function_dispatch import Dispatcher
from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic_core import PydanticCustomError

from tallybook.core.untrusted import printable
from tallybook.core.wording import suggestion

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tallybook.study.check_base import Severity
    from tallybook.study.instrument_base import Instrument


SUPPLIED = {
    "response_id": pl.format("{}#{}", "file", "key"),
    "position": pl.col("position"),
    "file": pl.col("file"),
    "key": pl.col("key"),
    "status": pl.lit("ok"),
    "count": pl.lit("1"),
}
"""Optional columns of files of responses -> the texts used in their absence, from a row's file, key and position."""
TYPES: dict[str, Any] = {
    "string": pl.String,
    "integer": pl.Int64,
    "number": pl.Float64,
    "boolean": pl.Boolean,
    "any": pl.String,
}
_BOUNDS: dict[str, Callable[[Any], pa.Check]] = {
    "minimum": pa.Check.ge,
    "maximum": pa.Check.le,
    "exclusiveMinimum": pa.Check.gt,
    "exclusiveMaximum": pa.Check.lt,
}
_FITTING = dict.fromkeys(_BOUNDS, ("integer", "number")) | dict.fromkeys(
    ("minLength", "maxLength", "pattern"), ("string", "any")
)
"""Constraint -> the types that it applies to."""
_NOTES = {
    *("$schema", "$id", "$comment", "title", "description", "examples", "default", "format", "deprecated"),
    *("readOnly", "writeOnly", "rdfType"),
}

"""Keywords without a constraint."""


class SchemaError(ValueError):
    """A schema contains something that cannot be checked."""


class Rule(NamedTuple):
    """A rule that every row must satisfy."""

    name: str
    description: str  # a sentence that describes the rule
    column: str  # the column that a failure is reported for
    fails: pl.Expr  # an expression that is true where a row breaks the rule
    needs: tuple[str, ...]  # the columns that the rule needs; if one is absent, it is not checked
    expectation: str  # the expected content, for the message
    severity: Severity = "error"


@dataclass(frozen=True)
class Expected:
    """The schema that files are validated against."""

    name: str  # the name of the schema
    schema: pa.DataFrameSchema  # the schema; uniqueness of columns is checked over all files, by `unique`
    unique: list[list[str]] = field(default_factory=list[list[str]])  # sets of columns, each of which identifies a row
    is_closed: bool = False  # whether other columns are refused
    # columns that files may lack -> their values
    supplied: Mapping[str, pl.Expr] = field(default_factory=dict[str, pl.Expr])
    in_parts: bool = True  # whether rows may be checked in chunks
    empties: frozenset[str] = frozenset()  # columns in which an empty cell is an empty text
    rules: tuple[Rule, ...] = ()  # further rules for rows
    one_of: tuple[str, ...] = ()  # columns of which a file must have at least one
    filled: tuple[str, ...] = ()  # columns that must have at least one value in a file
    instrument: Instrument | None = None  # the instrument that is to read the responses


def of_pandera(name: str, given: pa.DataFrameSchema) -> Expected:
    """Build an Expected from a pandera schema."""
    schema = deepcopy(given)
    unique: list[list[str]] = []
    if schema.unique:
        unique.append([schema.unique] if isinstance(schema.unique, str) else list(schema.unique))
    for column, declared in schema.columns.items():
        if declared.regex:
            raise SchemaError(f"column {printable(column)} is a pattern, which is not supported")
        if declared.unique:
            unique.append([column])
            declared.unique = False
        kind: Any = None if declared.dtype is None else declared.dtype.type
        try:
            pl.Series([None], dtype=pl.String).cast(kind or pl.String, strict=False)
        except pl.exceptions.PolarsError:
            raise SchemaError(f"column {printable(column)}: type {kind} cannot be read from text") from None
    # A user's check may look at all rows together; pandera's own checks, except one, look at each value separately.
    of_columns = [check for column in schema.columns.values() for check in cast("list[pa.Check]", column.checks)]
    is_by_value = not schema.checks and all(
        isinstance(vars(check)["_check_fn"], Dispatcher) and check.name != "unique_values_eq" for check in of_columns
    )
    return Expected(name, schema, _distinct(unique), schema.strict is True, in_parts=is_by_value)


def _distinct(keys: list[list[str]]) -> list[list[str]]:
    """Drop repeated keys: a column may be unique by itself and as the key of its table."""
    return [list(key) for key in dict.fromkeys(map(tuple, keys))]


_Kind = Literal["string", "integer", "number", "boolean", "any"]


def _as_list(given: object) -> object:
    return [given] if isinstance(given, str) else given


_Texts = Annotated[list[str], BeforeValidator(_as_list)]


def _is_number(given: object) -> object:
    most = 2**63 if isinstance(given, int) else math.inf
    if isinstance(given, bool) or not isinstance(given, int | float) or not abs(given) < most:
        raise PydanticCustomError("number", "Input should be a number of at most 64 bits")
    return given


_Number = Annotated[Any, AfterValidator(_is_number)]
"""A number as written in the schema: integers are not converted to floats."""
_Length = Annotated[int, Field(ge=0, lt=2**32)]


class _Part(BaseModel):
    """A part of a schema, which rejects unknown keywords and ignores annotations."""

    model_config: ClassVar[ConfigDict] = ConfigDict(extra="forbid", strict=True)

    @model_validator(mode="before")
    @classmethod
    def _without_notes(cls, given: Any) -> Any:  # noqa: ANN401  whatever stands there
        if not isinstance(given, dict):
            return given
        return {word: one for word, one in cast("dict[str, Any]", given).items() if word not in _NOTES}


class _Constraints(_Part):
    enum: list[Any] | None = None
    minimum: _Number = None
    maximum: _Number = None
    exclusiveMinimum: _Number = None  # noqa: N815
    exclusiveMaximum: _Number = None  # noqa: N815
    minLength: _Length | None = None  # noqa: N815
    maxLength: _Length | None = None  # noqa: N815
    pattern: str | None = None

    def checks(self, name: str, kind: _Kind, *, whole: bool = False) -> list[pa.Check]:
        """Convert the constraints to pandera checks; a pattern must match part of a text or, if `whole`, all of it."""
        for word, kinds in _FITTING.items():
            if getattr(self, word) is not None and kind not in kinds:
                raise SchemaError(f"{printable(name)}: {word} is of the types {' and '.join(kinds)}, not of {kind}")
        checks: list[pa.Check] = []
        if self.enum is not None:
            values = [value for value in self.enum if value is not None]
            try:
                checks.append(pa.Check.isin(pl.Series(values, dtype=TYPES[kind], strict=True).to_list()))
            except (TypeError, OverflowError, pl.exceptions.PolarsError):
                raise SchemaError(f"{printable(name)}: a value of enum is not of the type {kind}") from None
        checks += [check(bound) for word, check in _BOUNDS.items() if (bound := getattr(self, word)) is not None]
        if self.minLength is not None or self.maxLength is not None:
            checks.append(pa.Check.str_length(self.minLength, self.maxLength))
        if self.pattern is not None:
            pattern = f"^(?:{self.pattern})$" if whole else self.pattern
            try:
                pl.Series([""]).str.contains(pattern)
            except pl.exceptions.PolarsError:
                raise SchemaError(f"{printable(name)}: the pattern {printable(pattern)} is not supported") from None
            checks.append(pa.Check.str_contains(pattern))
        return checks


class _Property(_Constraints):
    type: _Texts | None = None
    const: Any = None


class _Object(_Part):
    """A JSON Schema of an object, whose properties are columns."""

    type: Literal["object"] = "object"
    properties: dict[str, _Property]
    required: list[str] = []
    additionalProperties: bool = True  # noqa: N815


class _FieldConstraints(_Constraints):
    required: bool = False
    unique: bool = False


class _Field(_Part):
    name: str = Field(min_length=1)
    type: _Kind = "any"
    constraints: _FieldConstraints = _FieldConstraints()


class _Table(_Part):
    """A Table Schema (Frictionless, Data Package)."""

    name: Any = None
    fields: list[_Field]
    fieldsMatch: _Texts = ["exact"]  # noqa: N815
    primaryKey: _Texts = []  # noqa: N815
    uniqueKeys: list[list[str]] = []  # noqa: N815


def from_json_schema(name: str, content: dict[str, Any]) -> Expected:
    """Convert a JSON Schema of an object, whose properties are columns."""
    schema = _read(_Object, content)
    columns: dict[str, pa.Column] = {}
    for column, rules in schema.properties.items():
        if "const" in rules.model_fields_set:
            rules.enum = [rules.const]
        kinds = rules.type or ["any" if rules.enum is None else "string"]
        named = [kind for kind in kinds if kind != "null"]
        if len(named) != 1 or named[0] not in TYPES:
            meant = suggestion(named[0], TYPES) if len(named) == 1 else ""
            raise SchemaError(f"property {printable(column)}: no type {printable(', '.join(kinds))} in a table{meant}")
        is_due = column in schema.required
        is_nullable = "null" in kinds or not is_due or None in (rules.enum or ())
        checks = rules.checks(column, cast("_Kind", named[0]))
        columns[column] = pa.Column(TYPES[named[0]], checks, nullable=is_nullable, required=is_due)
    beside = {column: pa.Column(pl.String, nullable=True) for column in schema.required if column not in columns}
    return Expected(name, pa.DataFrameSchema(columns | beside), is_closed=not schema.additionalProperties)


def from_table_schema(name: str, content: dict[str, Any]) -> Expected:
    """Convert a Table Schema (Frictionless, Data Package)."""
    schema = _read(_Table, content)
    match, known = schema.fieldsMatch[0], ("exact", "equal", "subset", "superset", "partial")
    if match not in known:
        raise SchemaError(f"fieldsMatch: no {printable(match)}; {', '.join(known)} are supported")
    unique = [key for key in (schema.primaryKey, *schema.uniqueKeys) if key]
    columns: dict[str, pa.Column] = {}
    for number, one in enumerate(schema.fields, start=1):
        if one.name in columns:
            raise SchemaError(f"field {number}: expected a name, which no other field has")
        unique += [[one.name]] if one.constraints.unique else []
        is_filled = one.constraints.required or one.name in schema.primaryKey
        # A field that may be absent is then all null, so a field that needs a value in every row may not be absent.
        is_due = is_filled or match not in {"superset", "partial"}
        checks = one.constraints.checks(one.name, one.type, whole=True)
        columns[one.name] = pa.Column(TYPES[one.type], checks, nullable=not is_filled, required=is_due)
    if absent := [column for key in unique for column in key if column not in columns]:
        raise SchemaError(f"no field {printable(absent[0])}, which a key names")
    is_closed = match not in {"subset", "partial"}
    return Expected(name, pa.DataFrameSchema(columns), _distinct(unique), is_closed)


_Model = TypeVar("_Model", bound=BaseModel)


def _read(model: type[_Model], content: dict[str, Any]) -> _Model:
    """Validate a schema, or raise an error with the place and the reason."""
    try:
        return model.model_validate(content)
    except ValidationError as error:
        fault = error.errors()[0]
    *place, word = (step + 1 if isinstance(step, int) else printable(step) for step in fault["loc"])
    within = f"{'.'.join(map(str, place))}: " if place else ""
    if fault["type"] == "extra_forbidden":
        every = {name for one in (_Object, _Property, _Table, _Field, _FieldConstraints) for name in one.model_fields}
        raise SchemaError(f"{within}{word} is not supported{suggestion(str(word), every)}")
    if fault["type"] == "literal_error":
        given = str(fault["input"])
        raise SchemaError(f"{within}{word} {printable(given)} is not supported{suggestion(given, TYPES)}")
    where = ".".join(map(str, (*place, word)))
    raise SchemaError(f"{where}: {fault['msg'][:1].lower()}{fault['msg'][1:]}")
