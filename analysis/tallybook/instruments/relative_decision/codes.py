"""Decisions by code, by a judge or by rules: which of them counts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import Problem
from tallybook.instruments.reading import VERDICT, failed

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.instruments.absolute_decision.instrument import AbsoluteDecisionInstrument
    from tallybook.instruments.decisions import Judge
    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument

RULE, MEANING = "_rule", "_meaning"
"""The columns of what the rules say of a response: the rule, and the decision or the reason why there is none."""

_FORMS = {
    "exact": r"\{Decision: (Yes|No)\}\s*\z",
    "tolerant": r"""(?i)\bdecision[\s*_`"']*[:=][\s*_`"']*(yes|no)[\s*_`"'.!\])}]*\z""",
}


def verdict(text: pl.Expr, form: str) -> pl.Expr:
    """What a judge's texts end with.

    >>> texts = pl.DataFrame({"text": ["... {Decision: Yes}", "**Decision:** no.", "Decision: Yes or no?", None]})
    >>> texts.select(verdict(pl.col("text"), "tolerant")).to_series().to_list()
    ['yes', 'no', None, None]
    """
    return text.str.extract(_FORMS[form]).str.to_lowercase()


def unknown_codes(
    responses: pl.DataFrame, instrument: RelativeDecisionInstrument | AbsoluteDecisionInstrument
) -> list[Problem]:
    """The codes that the study does not declare."""
    if instrument.codes is None:
        return []
    column, codes = instrument.codes.column, list(instrument.codes.codes)
    code = _code(column)
    return [
        Problem(file, key, column, found, f"one of the codes {', '.join(codes)}, or nothing")
        for file, key, found in responses.filter(code.is_not_null() & ~code.is_in(codes))
        .select("file", "key", code)
        .iter_rows()
    ]


def settled(
    read: pl.DataFrame,
    instrument: RelativeDecisionInstrument | AbsoluteDecisionInstrument,
    judged: Mapping[str, str],
) -> pl.DataFrame:
    """Let codes win over the judge, and the judge over rules.

    The responses with what counts as `_settled_meaning` and `_settled_rule`, and `VERDICT`; both are null for failed
    requests.
    """
    missing = pl.when(pl.col(MEANING) == "declined").then(MEANING).otherwise(pl.lit("not-judged"))
    meaning, rule = pl.col(MEANING), pl.col(RULE)
    if instrument.judge is not None:
        meaning, rule = _by_judge(instrument.judge, judged, missing)
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
    return settled.with_columns(_verdict(list(judged.values())).alias(VERDICT))


def _by_judge(judge: Judge, judged: Mapping[str, str], missing: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """What the judge's text says, and the rule."""
    said = verdict(pl.col(judge.column).cast(pl.String), judge.form).replace_strict(
        judged, default=None, return_dtype=pl.String
    )
    otherwise = (missing, pl.lit("no-verdict")) if judge.otherwise == "missing" else (pl.col(MEANING), pl.col(RULE))
    is_judged = said.is_not_null()
    return pl.coalesce(said, otherwise[0]), pl.when(is_judged).then(pl.lit("judge")).otherwise(otherwise[1])


def _verdict(decisions: list[str]) -> pl.Expr:
    meaning = pl.col("_settled_meaning")
    return (
        pl.when(failed())
        .then(pl.lit("error"))
        .when(meaning == "declined")
        .then(pl.lit("refused"))
        .when(~meaning.is_in(decisions))
        .then(pl.lit("invalid"))
    )


def _code(column: str) -> pl.Expr:
    code = pl.col(column).cast(pl.String).str.strip_chars()
    return pl.when(code != "").then(code)
