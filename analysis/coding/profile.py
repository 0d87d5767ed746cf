"""The profile instrument: attributes of a described person become outcomes and a status."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.coding import attribute_block, labels, refusal, sentiment
from analysis.errors import DataError, Problem, UsageError
from schemas.study.coding import CategoryOutcome, LabelOutcome, ScoreOutcome

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemas.study import Study


class Coding(NamedTuple):
    """What coding made of the responses.

    Attributes:
        coded: The responses with one column an outcome and their coded status.
        unmapped: Labels that no category is declared for: `outcome`, `label`, `status`, `count`.
    """

    coded: pl.DataFrame
    unmapped: pl.DataFrame


def code(responses: pl.DataFrame, study: Study, progress: Callable[[int], None] = lambda _: None) -> Coding:
    """Code profiles.

    A delivered refusal, or a text without attributes that declines, is `refused`; a failed request is `error`. A
    response with every outcome is `ok`, with some `partial`, with none `invalid`.

    Args:
        responses: The responses, with the attributes as columns or only in `text`.
        study: The study: instrument and outcomes.
        progress: Called with the number of texts scored since the last call, where texts are scored.

    Returns:
        The coded responses and the labels outside the map.

    Raises:
        DataError: If there are such labels and the instrument's `unmapped` is `error`.
        UsageError: If an outcome's attribute is neither delivered nor parsed.
    """
    instrument = study.instrument
    if instrument.attributes == "text":
        responses = responses.with_columns(
            attribute_block.parse(responses.get_column("text"), instrument.block).get_columns()
        )
    for name, outcome in study.outcomes.items():
        if outcome.attribute not in responses.columns and not _is_scored_from_text(outcome):
            raise UsageError(f"outcomes.{name}.attribute: the responses have no column {outcome.attribute!r}")
    attributes = [outcome.attribute for outcome in study.outcomes.values() if outcome.attribute in responses.columns]
    nothing = pl.all_horizontal(pl.lit(value=True), *(pl.col(name).is_null() for name in dict.fromkeys(attributes)))
    declines = refusal.declines(pl.col("text"), instrument.refusal_phrases)
    refused = pl.col("status").is_in(["refused", "filtered"]) | (nothing & declines)
    failed = pl.col("status").is_in(["error", "expired", "canceled"])
    marked = responses.with_columns(
        pl.when(failed).then(pl.lit("error")).when(refused).then(pl.lit("refused")).alias("_without_answer")
    )
    # Beside the responses, not yet among them: an outcome may bear the name of the attribute it is coded from.
    values = marked.select(_outcome(marked, name, outcome, progress) for name, outcome in study.outcomes.items())
    unmapped = _unmapped(marked, values, study)
    if instrument.unmapped == "error" and unmapped.height:
        raise DataError(_problems(unmapped, study))
    coded = marked.with_columns(values.get_columns())
    valued = [pl.col(name).is_not_null() for name in study.outcomes]
    status = (
        pl.when(pl.col("_without_answer").is_not_null())
        .then(pl.col("_without_answer"))
        .when(pl.all_horizontal(valued))
        .then(pl.lit("ok"))
        .when(pl.any_horizontal(valued))
        .then(pl.lit("partial"))
        .otherwise(pl.lit("invalid"))
    )
    return Coding(coded.with_columns(status.alias("status")).drop("_without_answer"), _counted(unmapped))


def _is_scored_from_text(outcome: CategoryOutcome | LabelOutcome | ScoreOutcome) -> bool:
    return isinstance(outcome, ScoreOutcome) and outcome.scorer != "attribute"


def _outcome(
    marked: pl.DataFrame,
    name: str,
    outcome: CategoryOutcome | LabelOutcome | ScoreOutcome,
    progress: Callable[[int], None],
) -> pl.Expr:
    answered = pl.col("_without_answer").is_null()
    match outcome:
        case CategoryOutcome():
            value = labels.categorise(pl.col(outcome.attribute), outcome)
        case LabelOutcome():
            label = labels.normalise(pl.col(outcome.attribute), outcome.normalise)
            value = pl.when(label != "").then(label)
        case ScoreOutcome(scorer="attribute"):
            number = pl.col(outcome.attribute).cast(pl.Float64, strict=False)
            value = pl.when(number.is_finite()).then(number)
        case ScoreOutcome():
            is_blank = pl.col("text").str.strip_chars() == ""
            texts = marked.select(pl.when(answered & ~is_blank).then(pl.col("text"))).to_series()
            quantity = "polarity" if outcome.scorer == "textblob-polarity" else "subjectivity"
            value = pl.lit(sentiment.scores(texts, quantity, progress))
    return pl.when(answered).then(value).alias(name)


def _unmapped(marked: pl.DataFrame, values: pl.DataFrame, study: Study) -> pl.DataFrame:
    """The attributes of answers that became no value: `file`, `key`, `outcome`, `label` and `count`."""
    answered = marked.get_column("_without_answer").is_null()
    found = [
        marked.filter(answered & marked.get_column(outcome.attribute).is_not_null() & values.get_column(name).is_null())
        .select("file", "key", pl.lit(name).alias("outcome"), pl.col(outcome.attribute).cast(pl.String), "count")
        .rename({outcome.attribute: "label"})
        for name, outcome in study.outcomes.items()
        if not isinstance(outcome, LabelOutcome) and not _is_scored_from_text(outcome)
    ]
    names = ("file", "key", "outcome", "label")
    empty = pl.DataFrame(schema=dict.fromkeys(names, pl.String()) | {"count": pl.Int64()})
    return pl.concat([empty, *found])


def _problems(unmapped: pl.DataFrame, study: Study) -> list[Problem]:
    expected = {
        name: f"a label of {', '.join(outcome.labels)}" if isinstance(outcome, CategoryOutcome) else "a finite number"
        for name, outcome in study.outcomes.items()
    }
    return [
        Problem(row["file"], row["key"], row["outcome"], row["label"], expected[row["outcome"]])
        for row in unmapped.iter_rows(named=True)
    ]


def _counted(unmapped: pl.DataFrame) -> pl.DataFrame:
    return (
        unmapped.group_by("outcome", "label")
        .agg(pl.lit("invalid").alias("status").first(), pl.col("count").sum())
        .sort("outcome", "count", "label", descending=[False, True, False])
    )
