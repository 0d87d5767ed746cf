"""Outcomes coded from the columns that a source delivered or an instrument made, and the status that follows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import polars as pl

from analysis.coding import labels, sentiment
from analysis.coding.reading import VERDICT
from analysis.errors import UsageError
from analysis.normalise import normalise
from schemas.study.coding import CategoryOutcome, LabelOutcome, ReasonOutcome, ScoreOutcome
from schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

Outcome: TypeAlias = CategoryOutcome | ReasonOutcome | LabelOutcome | ScoreOutcome


class CodedOutcomes(NamedTuple):
    """What became of responses and their outcomes.

    Attributes:
        coded: The responses with one column an outcome and their coded status.
        unmapped: Attributes that became no value, a row each: `file`, `key`, `outcome`, `label` and `count`.
    """

    coded: pl.DataFrame
    unmapped: pl.DataFrame


def answers(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """The outcomes that answers have: all but reasons.

    Args:
        outcomes: Declared outcomes.

    Returns:
        Those of them that are no reasons, in their order.
    """
    return {name: outcome for name, outcome in outcomes.items() if not isinstance(outcome, ReasonOutcome)}


def code_outcomes(
    responses: pl.DataFrame, outcomes: Mapping[str, Outcome], progress: Callable[[int], None] = lambda _: None
) -> CodedOutcomes:
    """Code outcomes.

    A response without answer keeps its verdict as status and has no values but reasons. Of the others, one with a value
    of every outcome is `ok`, with some `partial`, with none `invalid`; reasons do not count for that.

    Args:
        responses: The responses as an instrument read them.
        outcomes: The declared outcomes.
        progress: Called with the number of texts scored since the last call, where texts are scored.

    Returns:
        The coded responses and the attributes without value.

    Raises:
        UsageError: If an outcome's attribute is neither delivered nor made by the instrument.
    """
    for name, outcome in outcomes.items():
        if outcome.attribute not in responses.columns and not _is_scored_from_text(outcome):
            raise UsageError(f"outcomes.{name}.attribute: the responses have no column {outcome.attribute!r}")
    answered = responses.get_column(VERDICT).is_null()
    # Beside the responses, not yet among them: an outcome may bear the name of the attribute it is coded from.
    values = {
        name: responses.select(pl.when(answered).then(_value(responses, outcome, answered, progress))).to_series()
        for name, outcome in answers(outcomes).items()
    }
    status = responses.select(_status(list(values.values()))).to_series()
    silent = status.is_in(WITHOUT_ANSWER)
    for name, outcome in outcomes.items():
        if isinstance(outcome, ReasonOutcome):
            reason = labels.categorise(pl.col(outcome.attribute), outcome)
            values[name] = responses.select(pl.when(silent).then(reason)).to_series()
    unmapped = [
        _unmapped(responses, name, outcome, values[name], silent if isinstance(outcome, ReasonOutcome) else answered)
        for name, outcome in outcomes.items()
        if not isinstance(outcome, LabelOutcome) and not _is_scored_from_text(outcome)
    ]
    coded = responses.with_columns(*(values[name].alias(name) for name in outcomes), status.alias("status"))
    return CodedOutcomes(coded.drop(VERDICT), pl.concat([pl.DataFrame(schema=_UNMAPPED), *unmapped]))


_UNMAPPED = {"file": pl.String, "key": pl.String, "outcome": pl.String, "label": pl.String, "count": pl.Int64}


def _is_scored_from_text(outcome: Outcome) -> bool:
    return isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute"


def _value(responses: pl.DataFrame, outcome: Outcome, answered: pl.Series, progress: Callable[[int], None]) -> pl.Expr:
    match outcome:
        case CategoryOutcome() | ReasonOutcome():
            return labels.categorise(pl.col(outcome.attribute), outcome)
        case LabelOutcome():
            label = normalise(pl.col(outcome.attribute), outcome.normalise)
            return pl.when(label != "").then(label)
        case ScoreOutcome(scorer="attribute"):
            number = pl.col(outcome.attribute).cast(pl.Float64, strict=False)
            return pl.when(number.is_finite()).then(number)
        case ScoreOutcome():
            is_blank = pl.col("text").str.strip_chars() == ""
            texts = responses.select(pl.when(answered & ~is_blank).then(pl.col("text"))).to_series()
            quantity = "polarity" if outcome.scorer == "textblob-polarity" else "subjectivity"
            return pl.lit(sentiment.scores(texts, quantity, progress))


def _status(values: list[pl.Series]) -> pl.Expr:
    valued = [pl.lit(value.is_not_null()) for value in values]
    return (
        pl.when(pl.col(VERDICT).is_not_null())
        .then(pl.col(VERDICT))
        .when(pl.all_horizontal(pl.lit(value=True), *valued))
        .then(pl.lit("ok"))
        .when(pl.any_horizontal(pl.lit(value=False), *valued))
        .then(pl.lit("partial"))
        .otherwise(pl.lit("invalid"))
    )


def _unmapped(
    responses: pl.DataFrame, name: str, outcome: Outcome, values: pl.Series, expected: pl.Series
) -> pl.DataFrame:
    """The rows whose attribute should have become a value and did not."""
    attribute = responses.get_column(outcome.attribute).cast(pl.String)
    return responses.select("file", "key", pl.lit(name).alias("outcome"), attribute.alias("label"), "count").filter(
        expected & attribute.is_not_null() & values.is_null()
    )
