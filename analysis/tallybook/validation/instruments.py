"""Schemas of the instruments: the responses that each can read, and the coded responses that it produces.

None of this is listed here. Columns and values come from the instrument itself, as declared for the dumps that
`tallybook simulate` writes; names of outcomes come from that declaration and from those of the published studies;
whether groups, words and options are usable is decided by the instrument's coder.
"""

from __future__ import annotations

import tomllib
from functools import cache
from typing import TYPE_CHECKING, Any

import pandera.polars as pa
import polars as pl
from pydantic import BaseModel, TypeAdapter

from tallybook.core.errors import DataError
from tallybook.core.frame_checks import NOT_BLANK
from tallybook.core.resources import published_studies
from tallybook.sources.coded import NO_VALUE, WITHOUT_VALUES
from tallybook.study.base import description as setting_description
from tallybook.study.coding import Categories, Outcome, ReasonOutcome, ScoreOutcome
from tallybook.study.instrument_base import INSTRUMENTS, Instrument
from tallybook.study.loading import load
from tallybook.validation.expected import SUPPLIED, TYPES, Expected, Rule
from tallybook_schemas.frames import CodedResponses, Responses
from tallybook_schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.core.errors import Problem

CODED = "coded-"
"""The prefix of the names of schemas of coded responses, before the instrument's name."""


def names() -> list[str]:
    """Return the names of the schemas: for the responses that each instrument reads, and for its coded responses."""
    return [*INSTRUMENTS, *(f"{CODED}{kind}" for kind in INSTRUMENTS)]


def description(name: str) -> str:
    """Describe what a schema is for."""
    kind = name.removeprefix(CODED)
    if kind == name:
        return f"Responses that {kind} reads; columns are called as `tallybook simulate {kind}` calls them."
    return f"Responses as {kind} codes them: what it makes, its usual outcomes, and their allowed values."


@cache
def shipped(name: str) -> Expected:
    """Return the schema of the given name, of an instrument's responses or coded responses."""
    return _coded(name.removeprefix(CODED)) if name.startswith(CODED) else _responses(name)


def _settings(kind: str) -> dict[str, Any]:
    """Read the instrument and its outcomes from the declaration for simulated dumps."""
    return tomllib.loads(INSTRUMENTS[kind].usual_declaration())


def _declared(kind: str) -> Instrument:
    return INSTRUMENTS[kind].model_validate(_settings(kind)["instrument"])


def _responses(kind: str) -> Expected:
    instrument = _declared(kind)
    columns = dict(Responses.to_schema().columns)
    for setting, column in instrument.reads.items():
        if column in columns:
            continue
        is_due = setting.partition(".")[0] in instrument.required
        checks = [pa.Check.str_contains(NOT_BLANK)] if is_due else []
        if known := instrument.known_values.get(setting):
            checks = [pa.Check.isin(list(known))]
        about = _about(instrument, setting)
        columns[column] = pa.Column(pl.String, checks, nullable=not is_due, required=is_due, description=about)
    is_silent = (pl.col("text").fill_null("").str.strip_chars() == "") & pl.col("status").is_in(["ok", "truncated"])
    silent = Rule(
        "text.present",
        "Responses that came have a text.",
        "text",
        is_silent,
        ("text", "status"),
        "a text, or a status that says why there is none",
        "warning",
    )
    schema = pa.DataFrameSchema(columns)
    return Expected(kind, schema, supplied=SUPPLIED, rules=(silent,), filled=("text",), instrument=instrument)


def _about(instrument: Any, setting: str) -> str:  # noqa: ANN401  an instrument, then a part of it
    """Describe a column by the first sentence of the setting's description in the study file's schema."""
    told = ""
    for name in setting.split("."):
        if not isinstance(instrument, BaseModel):
            return f"What the instrument takes as {setting}."
        told = setting_description(type(instrument), name) or ""
        instrument = getattr(instrument, name)
    return f"{' '.join(told.split()).partition('. ')[0].removesuffix('.')}."


def _coded(kind: str) -> Expected:
    columns = dict(CodedResponses.to_schema().columns)
    made = _made(kind)
    columns |= {name: column for name, column in made.items() if name not in columns}
    own = {name for instruments, _ in _declarations(kind) for one in instruments for name in one.makes}
    rules: dict[str, Rule] = {}
    for _, outcomes in _declarations(kind):
        for name, outcome in outcomes.items():
            is_of_prompt = isinstance(outcome, ScoreOutcome) and outcome.of_prompt
            if name in made and name not in own and not is_of_prompt:  # the instrument's own columns always have values
                rules[name] = _without_value(name, is_reason=isinstance(outcome, ReasonOutcome))
    one_of = () if INSTRUMENTS[kind].has_own_columns else tuple(made)
    schema = pa.DataFrameSchema(columns)
    return Expected(f"{CODED}{kind}", schema, supplied=SUPPLIED, rules=tuple(rules.values()), one_of=one_of)


def _without_value(name: str, *, is_reason: bool) -> Rule:
    silent = ~pl.col("status").is_in(WITHOUT_ANSWER) if is_reason else pl.col("status").is_in(WITHOUT_VALUES)
    about = f"{name} has values only where the status allows it."
    return Rule(f"{name}.status", about, name, pl.col(name).is_not_null() & silent, (name, "status"), NO_VALUE)


def _declarations(kind: str) -> Iterator[tuple[list[Instrument], dict[str, Outcome]]]:
    """Yield the bundled declarations of an instrument, with outcomes: of simulated dumps and of published studies."""
    outcomes = TypeAdapter(dict[str, Outcome]).validate_python(_settings(kind)["outcomes"])
    yield [_declared(kind)], outcomes
    for name in published_studies():
        study = load(name).study
        every = [study.instrument] if study.instrument else study.instruments.values()
        if own := [instrument for instrument in every if isinstance(instrument, INSTRUMENTS[kind])]:
            yield own, dict(study.outcomes)


def _made(kind: str) -> dict[str, pa.Column]:
    """Return the columns that an instrument makes, and the outcomes that are coded from them."""
    types: dict[str, str] = {}
    values: dict[str, dict[str | int, None]] = {}
    limits: dict[str, tuple[float, float | None]] = {}
    every = list(_declarations(kind))
    for instrument in (instrument for instruments, _ in every for instrument in instruments):
        types |= instrument.makes
        limits |= instrument.limits
        for name, known in instrument.vocabulary.items():
            values.setdefault(name, {}).update(dict.fromkeys(known))
    coded = [(name, outcome) for _, outcomes in every for name, outcome in outcomes.items()]
    for name, outcome in coded:
        if outcome.attribute in types and isinstance(outcome, ScoreOutcome):
            types[name] = "number"
            limits |= {name: limits[outcome.attribute]} if outcome.attribute in limits else {}
            values.setdefault(name, {}).update(values.get(outcome.attribute, {}))
        elif outcome.attribute in types:
            types.setdefault(name, "string")
    for name, outcome in coded:
        if name in types and isinstance(outcome, Categories) and not INSTRUMENTS[kind].has_own_columns:
            reasons = values.get(outcome.attribute, {}) if isinstance(outcome, ReasonOutcome) else {}
            values.setdefault(name, {}).update(dict.fromkeys([*outcome.labels, *reasons]))
    about = dict.fromkeys(types, f"A column that {kind} makes.")
    about |= {name: f"Outcome: {outcome.label}." for name, outcome in reversed(coded)}
    return {name: _column(of, list(values.get(name, ())), limits.get(name), about[name]) for name, of in types.items()}


def _column(
    kind: str, values: list[str | int], limits: tuple[float, float | None] | None, description: str
) -> pa.Column:
    known = [float(value) for value in values] if kind == "number" else values
    checks = [pa.Check.isin(known)] if known else []
    if limits is not None:
        checks.append(pa.Check.ge(limits[0]))
        checks += [pa.Check.le(limits[1])] if limits[1] is not None else []
    return pa.Column(TYPES[kind], checks, nullable=True, required=False, description=description)


def unusable(instrument: Instrument, rows: pl.DataFrame) -> list[Problem]:
    """Return why an instrument's coder refuses responses whatever their texts say, by running it without texts."""
    if "text" not in rows.columns:
        return []
    absent = {setting for setting, column in instrument.reads.items() if column not in rows.columns}
    own = instrument.without(absent)
    silent = rows.with_columns(pl.lit(None, pl.String).alias("text"), pl.lit("error").alias("status"))
    try:
        if own is not None:
            own.code(silent, {})
    except DataError as error:
        return [problem for problem in error.problems if problem.value.strip()]
    return []
