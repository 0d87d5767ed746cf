"""Decisions by code or by rules: which of them counts."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.reading import failed, reported, require_columns, stopped, unread, verdict

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
    from tallybook.study.instrument_base import Reading

    Decisions = RelativeDecisionInstrument | AbsoluteDecisionInstrument

RULE, MEANING = "_rule", "_meaning"
"""The columns that the rules make of a response: the rule, and the decision or the reason for having none."""


def must_be_known(responses: pl.DataFrame, instrument: Decisions) -> None:
    """Refuse responses without a column that the instrument names, or with a code that the study does not declare."""
    require_columns(responses, instrument.reads)
    if instrument.codes is None:
        return
    column, codes = instrument.codes.column, list(instrument.codes.codes)
    code = _code(column)
    unknown = responses.filter(code.is_not_null() & ~code.is_in(codes)).select("file", "key", code)
    expected = f"one of the codes {', '.join(codes)}, or nothing"
    if unknown.height:
        raise DataError([Problem(file, key, column, found, expected) for file, key, found in unknown.iter_rows()])


def with_readings(texts: pl.DataFrame, found: Sequence[tuple[str, str]]) -> pl.DataFrame:
    """Put the meaning and the rule of texts beside them."""
    return texts.hstack(pl.DataFrame(found, schema={MEANING: pl.String, RULE: pl.String}, orient="row"))


def of_all(responses: pl.DataFrame, asked: pl.DataFrame, different: pl.DataFrame) -> list[pl.Series]:
    """Get the meaning and the rule of all responses from those of their different texts."""
    joined = asked.join(different, on=asked.columns, how="left", nulls_equal=True, maintain_order="left")
    without = pl.when(pl.lit(responses.select(stopped()).to_series()))
    return joined.select(
        without.then(pl.lit("declined")).otherwise(pl.col(MEANING).fill_null("no-response")).alias(MEANING),
        without.then(pl.lit("delivered")).otherwise(pl.col(RULE).fill_null("empty")).alias(RULE),
    ).get_columns()


def reading(
    read: pl.DataFrame, instrument: Decisions, rules: Collection[str], *, reason: str, expected: str
) -> Reading:
    """Get the reading of settled decisions.

    Its findings are the texts that are undecided by one of the rules: neither those that decline nor those that codes
    decided.
    """
    texts = read.filter(pl.col("_settled_rule").is_in(list(rules)))
    findings = partial(unread, texts, reason, instrument.decision.column, expected)
    return reported(read.drop(RULE, MEANING, "_settled_rule", "_settled_meaning"), findings, instrument.undecided)


def settled(
    read: pl.DataFrame,
    instrument: Decisions,
    decided: Collection[str],
) -> pl.DataFrame:
    """Let codes win over rules.

    The responses with what counts as `_settled_meaning` and `_settled_rule`, and `VERDICT`; both are null for failed
    requests.
    """
    missing = pl.when(pl.col(MEANING) == "declined").then(MEANING).otherwise(pl.lit("not-judged"))
    meaning, rule = pl.col(MEANING), pl.col(RULE)
    if instrument.codes is not None:
        said = _code(instrument.codes.column).replace_strict(
            instrument.codes.codes, default=None, return_dtype=pl.String
        )
        if instrument.codes.blank == "missing":
            meaning, rule = missing, pl.lit("no-code")
        meaning = pl.coalesce(said, meaning)
        rule = pl.when(said.is_not_null()).then(pl.lit("code")).otherwise(rule)
    came = ~failed()
    settled = read.with_columns(
        pl.when(came).then(meaning).alias("_settled_meaning"), pl.when(came).then(rule).alias("_settled_rule")
    )
    meaning = pl.col("_settled_meaning")
    return settled.with_columns(verdict(pl.when(~meaning.is_in(list(decided))).then(meaning)))


def _code(column: str) -> pl.Expr:
    code = pl.col(column).cast(pl.String).str.strip_chars()
    return pl.when(code != "").then(code)
