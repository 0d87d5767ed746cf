"""Whether a source makes the columns that factors, key, instrument and outcomes need."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import must_exist
from tallybook.study.check_outcomes import is_never_asked
from tallybook.study.coding import ScoreOutcome

if TYPE_CHECKING:
    from tallybook.study.base import ColumnType
    from tallybook.study.model import Study
    from tallybook.study.sources import CodedSource, ResponseSource


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
