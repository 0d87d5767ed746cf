"""Coding of outcomes from the columns of a source or an instrument, and the status that follows from them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.instruments import sentiment
from tallybook.instruments.reading import VERDICT
from tallybook.sources.normalise import normalise
from tallybook.study.coding import CategoryOutcome, LabelOutcome, ReasonOutcome, ScoreOutcome
from tallybook_schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.study.coding import Categories

Outcome: TypeAlias = CategoryOutcome | ReasonOutcome | LabelOutcome | ScoreOutcome


class CodedOutcomes(NamedTuple):
    """Responses with their coded outcomes, and the attribute values that were not mapped."""

    coded: pl.DataFrame  # the responses with a column for each outcome, and their coded status
    unmapped: pl.DataFrame  # uncoded attributes, a row each: `file`, `key`, `outcome`, `label` and `count`


def answers(outcomes: Mapping[str, Outcome]) -> dict[str, Outcome]:
    """Return the outcomes of answers, that is, all but reasons."""
    return {name: outcome for name, outcome in outcomes.items() if not isinstance(outcome, ReasonOutcome)}


def code_outcomes(
    responses: pl.DataFrame,
    outcomes: Mapping[str, Outcome],
    progress: Callable[[int], None] = lambda _: None,
    *,
    texts: Sequence[str] = (),
) -> CodedOutcomes:
    """Code the outcomes of responses, and derive the status of each response.

    A response without an answer keeps its verdict as its status and has values of reasons and prompt scores only. Of
    the others, a response with a value of every outcome asked is `ok`, with some values `partial`, with none `invalid`;
    reasons do not count. An invalid response is `empty` if all columns of `texts` are blank.
    """
    absent: list[str] = []
    asked = {name: responses.select(outcome.is_asked).to_series() for name, outcome in outcomes.items()}
    for name, outcome in outcomes.items():
        if outcome.attribute in responses.columns or _is_scored_from_text(outcome):
            continue
        if asked[name].any():
            raise UsageError(f"outcomes.{name}.attribute: the responses have no column {outcome.attribute!r}")
        absent.append(outcome.attribute)
        responses = responses.with_columns(pl.lit(None, dtype=pl.String).alias(outcome.attribute))
    answered = responses.get_column(VERDICT).is_null()
    # Kept apart from the responses for now, as an outcome may have the name of the attribute it is coded from.
    values: dict[str, pl.Series] = {}
    for name, outcome in answers(outcomes).items():
        due = asked[name] if is_of_prompt(outcome) else answered & asked[name]
        values[name] = responses.select(pl.when(due).then(_value(responses, outcome, due, progress))).to_series()
    told = {name: value for name, value in values.items() if not is_of_prompt(outcomes[name])}
    blank = [pl.col(column).cast(pl.String).str.strip_chars().fill_null("") == "" for column in texts]
    is_empty = pl.all_horizontal(pl.lit(value=bool(blank)), *blank) & (pl.col(VERDICT) == "invalid")
    whole = completeness([pl.lit(one.is_not_null()) for one in told.values()], [pl.lit(asked[name]) for name in told])
    status = responses.select(pl.coalesce(VERDICT, whole).alias(VERDICT), *dict.fromkeys(texts))
    status = status.select(pl.when(is_empty).then(pl.lit("empty")).otherwise(VERDICT)).to_series()
    silent = status.is_in(WITHOUT_ANSWER)
    due = {name: (silent if isinstance(outcomes[name], ReasonOutcome) else answered) & asked[name] for name in outcomes}
    for name, outcome in outcomes.items():
        if isinstance(outcome, ReasonOutcome):
            reason = categorise(pl.col(outcome.attribute), outcome)
            values[name] = responses.select(pl.when(due[name]).then(reason)).to_series()
    unmapped = [
        _unmapped(responses, name, outcome, values[name], due[name])
        for name, outcome in outcomes.items()
        if not isinstance(outcome, LabelOutcome) and not _is_scored_from_text(outcome)
    ]
    coded = responses.with_columns(*(values[name].alias(name) for name in outcomes), status.alias("status"))
    made_up = [name for name in dict.fromkeys(absent) if name not in outcomes]
    return CodedOutcomes(coded.drop(VERDICT, *made_up), pl.concat([pl.DataFrame(schema=_UNMAPPED), *unmapped]))


_LABEL = r"^[\p{L}\p{M}'’-]+(?: [\p{L}\p{M}'’-]+){0,4}$"
"""What may be a label that no category has: a few words."""
_UNMAPPED = {"file": pl.String, "key": pl.String, "outcome": pl.String, "label": pl.String, "count": pl.Int64}


def categorise(label: pl.Expr, outcome: Categories) -> pl.Expr:
    """Map labels onto an outcome's categories."""
    meaning = {text: category for category, texts in outcome.labels.items() for text in texts}
    normalised = normalise(label, outcome.normalise)
    mapped = normalised.replace_strict(meaning, default=None, return_dtype=pl.String)
    if outcome.other is not None:
        is_label = normalised.str.contains(_LABEL)
        mapped = pl.coalesce(mapped, pl.when(is_label).then(pl.lit(outcome.other)))
    if not outcome.whole:
        return mapped
    whole = label.replace_strict(outcome.whole, default=None, return_dtype=pl.String)
    return pl.coalesce(whole, mapped)


def is_of_prompt(outcome: Outcome) -> bool:
    """Return whether an outcome is a score of the prompt, which responses without an answer have, too."""
    return isinstance(outcome, ScoreOutcome) and outcome.of_prompt


def _is_scored_from_text(outcome: Outcome) -> bool:
    return isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute"


def _value(responses: pl.DataFrame, outcome: Outcome, answered: pl.Series, progress: Callable[[int], None]) -> pl.Expr:
    match outcome:
        case CategoryOutcome() | ReasonOutcome():
            return categorise(pl.col(outcome.attribute), outcome)
        case LabelOutcome():
            label = normalise(pl.col(outcome.attribute), outcome.normalise)
            return pl.when(label != "").then(label)
        case ScoreOutcome(scorer="attribute"):
            number = pl.col(outcome.attribute).cast(pl.Float64, strict=False)
            if outcome.of_effect is not None:
                number = difference_of_effect(number, outcome.of_effect)
            return pl.when(number.is_finite()).then(number)
        case ScoreOutcome():
            is_blank = pl.col("text").str.strip_chars() == ""
            texts = responses.select(pl.when(answered & ~is_blank).then(pl.col("text"))).to_series()
            quantity = "polarity" if outcome.scorer == "textblob-polarity" else "subjectivity"
            return pl.lit(sentiment.scores(texts, quantity, progress))


def difference_of_effect(effect: pl.Expr, epsilon: float) -> pl.Expr:
    """Recover the difference d of associations from the effect size of one word a side, e = d / (|d| / 2 + epsilon).

    Such an effect size tells little but the sign, as |e| is almost 2 wherever |d| is much larger than epsilon.

    The result is d = epsilon e / (1 - |e| / 2), or null if |e| is not below 2, as no d has such an effect size.

    >>> effects = pl.DataFrame({"effect": [0.0, 0.02 / 0.011, -0.02 / 0.011, 2.0]})
    >>> effects.select(difference_of_effect(pl.col("effect"), 0.001).round(9)).to_series().to_list()
    [0.0, 0.02, -0.02, None]
    """
    return pl.when(effect.abs() < 2.0).then(epsilon * effect / (1.0 - effect.abs() / 2.0))  # noqa: PLR2004


def completeness(valued: Sequence[pl.Expr], asked: Sequence[pl.Expr]) -> pl.Expr:
    """Return the status of an answer, `ok`, `partial` or `invalid`, by which of the outcomes asked have values."""
    is_whole = pl.all_horizontal(pl.lit(value=True), *(has | ~due for has, due in zip(valued, asked, strict=True)))
    is_partial = pl.any_horizontal(pl.lit(value=False), *valued)
    return pl.when(is_whole).then(pl.lit("ok")).when(is_partial).then(pl.lit("partial")).otherwise(pl.lit("invalid"))


def _unmapped(
    responses: pl.DataFrame, name: str, outcome: Outcome, values: pl.Series, expected: pl.Series
) -> pl.DataFrame:
    """Return the rows whose attribute should have been mapped to a value and was not."""
    attribute = responses.get_column(outcome.attribute).cast(pl.String)
    return responses.select("file", "key", pl.lit(name).alias("outcome"), attribute.alias("label"), "count").filter(
        expected & attribute.is_not_null() & values.is_null()
    )
