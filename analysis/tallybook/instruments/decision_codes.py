"""Decisions from delivered codes and from rules that read the text: codes take precedence."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.reading import failed, once, reported, require_columns, stopped, unread, verdict

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
    from tallybook.study.instrument_base import Reading

    Decisions = RelativeDecisionInstrument | AbsoluteDecisionInstrument

MEANING = pl.col("_meaning")
"""The decision that counts, or the reason for having none."""


def must_be_known(responses: pl.DataFrame, instrument: Decisions) -> None:
    """Raise an error for responses that lack a declared column or have an undeclared code."""
    require_columns(responses, instrument.reads)
    if instrument.codes is None:
        return
    column, codes = instrument.codes.column, list(instrument.codes.codes)
    code = _code(column)
    unknown = responses.filter(code.is_not_null() & ~code.is_in(codes)).select("file", "key", code)
    expected = f"one of the codes {', '.join(codes)}, or nothing"
    if unknown.height:
        raise DataError([Problem(file, key, column, found, expected) for file, key, found in unknown.iter_rows()])


def coded(
    responses: pl.DataFrame,
    instrument: Decisions,
    *,
    asked: pl.DataFrame,
    read: Callable[[pl.DataFrame], Sequence[tuple[str, str]]],
    rules: Collection[str],
    made: Mapping[str, pl.Expr],
    names: tuple[str, str, str],
    expected: str,
) -> Reading:
    """Code decisions; delivered codes override the rules.

    `read` takes the distinct rows of `asked` and returns the meaning and the rule of each. `made` are the columns of
    decisions, null where there is none; `names` are the columns of the deciding rule, of the reason and of the result
    of the rules. Findings are the texts that one of `rules` leaves undecided, except those that decline and those that
    codes decide. All these columns are null for failed requests.
    """

    def readings(different: pl.DataFrame) -> pl.DataFrame:
        return pl.DataFrame(read(different), schema={"_meaning": pl.String, "_rule": pl.String}, orient="row")

    came = ~failed()
    found = responses.with_columns(once(asked, asked.columns, readings).get_columns())
    told = pl.when(stopped()).then(pl.lit("declined")).otherwise(MEANING.fill_null("no-response"))
    meaning: pl.Expr = told
    rule: pl.Expr = pl.when(stopped()).then(pl.lit("delivered")).otherwise(pl.col("_rule").fill_null("empty"))
    if instrument.codes is not None:
        known = instrument.codes.codes
        said = _code(instrument.codes.column).replace_strict(known, default=None, return_dtype=pl.String)
        if instrument.codes.blank == "missing":
            meaning = pl.when(told == "declined").then(told).otherwise(pl.lit("not-judged"))
            rule = pl.lit("no-code")
        meaning = pl.coalesce(said, meaning)
        rule = pl.when(said.is_not_null()).then(pl.lit("code")).otherwise(rule)
    of_rule, reason, by_rules = names
    found = found.with_columns(
        pl.when(came).then(meaning).alias("_meaning"),
        pl.when(came).then(rule).alias("_rule"),
        pl.when(came).then(told).alias("_told"),
    ).with_columns(**made)
    is_decided = pl.any_horizontal(pl.col(name).is_not_null() for name in made)
    found = found.with_columns(
        pl.col("_rule").alias(of_rule),
        pl.when(~is_decided).then(MEANING).alias(reason),
        pl.col("_told").alias(by_rules),
    )
    found = found.with_columns(verdict(pl.col(reason))).drop("_meaning", "_rule", "_told")
    texts = found.filter(pl.col(of_rule).is_in(list(rules)))
    return reported(found, partial(unread, texts, reason, instrument.decision.column, expected), instrument.undecided)


def _code(column: str) -> pl.Expr:
    code = pl.col(column).cast(pl.String).str.strip_chars()
    return pl.when(code != "").then(code)
