"""Whether outcomes fit the factors, and sources make the columns that factors, key, instrument and outcomes need."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.study.base import must_exist
from tallybook.study.coding import ScoreOutcome
from tallybook.study.record_sources import RecordSource
from tallybook.study.sources import CodedSource

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.base import ColumnType
    from tallybook.study.coding import Outcome
    from tallybook.study.model import Study
    from tallybook.study.sources import ResponseSource


def is_asked(outcome: Outcome) -> pl.Expr:
    """Tell whether responses have an outcome: one that a study asks of some responses is not missed of others."""
    return pl.all_horizontal(
        pl.lit(value=True), *(pl.col(name).is_in(chosen_levels(levels)) for name, levels in outcome.where.items())
    )


def check_source(study: Study, source: ResponseSource, place: str) -> None:
    """Refuse a source that lacks a column."""
    made = source.made
    for name, factor in study.factors.items():
        if name not in made:
            origin = (name,) if factor.derive is None else factor.derive.columns
            must_exist(origin, made, f"{place}: factors.{name}", "column")
            made[name] = "string"
    must_exist(["model", "item", "sample"], made, f"{place}: what identifies a response", "column")
    if made["sample"] != "integer":
        raise ValueError(f"{place}: column 'sample' counts the answers to an item: its type must be 'integer'")
    must_exist(study.key, made, f"{place}: key", "column")
    _check_instrument(study, source, made, place)
    for name, outcome in study.outcomes.items():
        if is_never_asked(outcome, source) or (isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute"):
            continue
        must_exist([outcome.attribute], made, f"{place}: outcomes.{name}.attribute", "column")
        if not isinstance(outcome, ScoreOutcome) and made[outcome.attribute] != "string":
            raise ValueError(f"{place}: outcomes.{name}.attribute: {outcome.attribute!r} is a number, not a label")


def check_coded_source(study: Study, source: CodedSource, place: str) -> None:
    """Refuse a table of coded responses that names what is not declared."""
    must_exist(source.constants, study.factors, f"{place}.constants", "factor")
    for name, level in source.constants.items():
        must_exist([level], study.factors[name].levels, f"{place}.constants.{name}", "level")
    must_exist(source.outcomes or (), study.outcomes, f"{place}.outcomes", "outcome")


def _check_instrument(study: Study, source: ResponseSource, made: dict[str, ColumnType], place: str) -> None:
    """Refuse an instrument whose columns the source lacks, or has already."""
    own = "instrument"
    if study.instruments:
        if source.instrument is None:
            names = ", ".join(repr(name) for name in study.instruments)
            raise ValueError(
                f"{place}.instrument: this setting is missing; expected the name of an instrument: {names}"
            )
        must_exist([source.instrument], study.instruments, f"{place}.instrument", "instrument")
        own = f"instruments.{source.instrument}"
    elif source.instrument is not None:
        raise ValueError(
            f"{place}.instrument: the study has a single 'instrument', which no source names; leave this setting out, "
            "or declare several 'instruments'"
        )
    instrument = study.instrument_of(source)
    for setting, column in instrument.reads.items():
        must_exist([column], made, f"{place}: {own}.{setting}", "column")
    if twice := [column for column in instrument.makes if column in made]:
        raise ValueError(f"{place}: column {twice[0]!r} is made by the instrument too; choose another name")
    made |= instrument.makes


def check_outcome(study: Study, outcome: Outcome, place: str) -> None:
    """Refuse an outcome that names what is not declared."""
    check_where(study, outcome.where, f"{place}.where")
    scores = [name for name, other in study.outcomes.items() if isinstance(other, ScoreOutcome)]
    must_exist(outcome.beside, scores, f"{place}.beside", "score")


def cluster_columns(study: Study) -> list[str]:
    """Get the columns of all responses whose values can be clusters."""
    made = [source.made for source in study.sources if not isinstance(source, CodedSource)]
    common = [name for name in (made[0] if made else ()) if all(name in others for others in made)]
    return [name for name in dict.fromkeys(["item", *study.factors, *common]) if name not in study.outcomes]


def check_where(study: Study, where: Mapping[str, str | tuple[str, ...]], place: str) -> None:
    """Refuse a choice of responses by factors or levels that are not declared, or by none."""
    for name, levels in where.items():
        must_exist([name], study.factors, place, "factor")
        if not levels:
            raise ValueError(f"{place}.{name}: no level is chosen; expected at least one")
        if name in study.factors:
            must_exist(chosen_levels(levels), study.factors[name].levels, f"{place}.{name}", "level")


def is_never_asked(outcome: Outcome, source: ResponseSource) -> bool:
    """Tell whether no response of a source has an outcome, as far as the source's constants tell."""
    constants = source.constants if isinstance(source, RecordSource) else {}
    return any(
        name in constants and str(constants[name]) not in chosen_levels(levels)
        for name, levels in outcome.where.items()
    )


def chosen_levels(levels: str | tuple[str, ...]) -> tuple[str, ...]:
    """Get the levels that a `where` names: one or several."""
    return (levels,) if isinstance(levels, str) else levels
