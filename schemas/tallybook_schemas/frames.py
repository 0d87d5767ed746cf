"""Pandera models of every frame that crosses a stage boundary.

A model names the columns that every such frame has. Factor columns and outcome columns differ from study to study:
they are allowed beside the named ones, and `tallybook.core.frame_checks` adds the study's own checks for them.
"""

from __future__ import annotations

import pandera.polars as pa
import polars as pl

from tallybook_schemas.vocabulary import (
    CODED_STATUSES,
    DELIVERED_STATUSES,
    ESTIMATE_STATUSES,
    SIDES,
    STRICTNESS,
    TALLY_STATUSES,
    VERDICTS,
)


class _Finite(pa.DataFrameModel):
    """What every frame with numbers has in common."""

    @pa.dataframe_check
    def finite(cls, data: pa.PolarsData) -> pl.LazyFrame:  # noqa: N805  pandera makes a class method of it
        """No number is infinite or NaN."""
        return data.lazyframe.select(
            pl.all_horizontal(
                pl.lit(value=True), pl.selectors.float().is_finite() | pl.selectors.float().is_null()
            ).alias("finite")
        )


class Responses(pa.DataFrameModel):
    """One answer of one model to one prompt, one sample a row, as a source delivers it."""

    response_id: str = pa.Field(description="What identifies the response in its dump.")
    model: str = pa.Field(description="The model that answered.")
    item: str = pa.Field(description="The prompt's identity, for instance the name in it.")
    sample: int = pa.Field(ge=0, description="The repetition of the item, counted from 0.")
    text: str = pa.Field(nullable=True, description="The answer; untrusted. Null when none was delivered.")
    status: str = pa.Field(isin=DELIVERED_STATUSES, description="How the response was delivered.")
    count: int = pa.Field(ge=1, description="How many responses the row stands for.")
    position: int = pa.Field(ge=0, description="The row's place in the dump, counted from 0: what breaks ties.")
    file: str = pa.Field(description="The file it was read from, relative to the data folder.")
    key: str = pa.Field(description="The record's key or number in that file.")


class CodedResponses(_Finite):
    """Responses after coding: the factor columns, one column an outcome and a status."""

    model: str = pa.Field(description="The model that answered.")
    status: str = pa.Field(isin=CODED_STATUSES, description="What coding made of the response.")
    count: int = pa.Field(ge=1, description="How many responses the row stands for.")
    position: int = pa.Field(ge=0, description="The first such response's place in the dump: what breaks ties.")


class Tallies(_Finite):
    """The narrow waist: how often each category, label or value of an outcome occurs in each cell."""

    outcome: str = pa.Field(description="The outcome that was counted.")
    category: str = pa.Field(nullable=True, description="The category or label; null for a score or without one.")
    value: float = pa.Field(nullable=True, description="The distinct value of a score; null for a category.")
    status: str = pa.Field(isin=TALLY_STATUSES, description="What coding made of the outcome.")
    count: int = pa.Field(ge=1, description="The number of responses.")
    first_seen: int = pa.Field(ge=0, description="The smallest position among them.")


class Estimates(_Finite):
    """One row a result. A number that does not exist is null, and the status says why."""

    analysis: str = pa.Field(description="The analysis of the study file that made the row.")
    outcome: str = pa.Field(description="The outcome it is about.")
    term: str = pa.Field(description="The category, statistic or coefficient.")
    n: int = pa.Field(ge=0, description="The number of responses (or tests) it rests on.")
    estimate: float = pa.Field(nullable=True, description="The estimate, unrounded.")
    std_error: float = pa.Field(nullable=True, description="Its standard error.")
    ci_low: float = pa.Field(nullable=True, description="Lower end of its interval.")
    ci_high: float = pa.Field(nullable=True, description="Upper end of its interval.")
    confidence: float = pa.Field(nullable=True, gt=0, lt=1, description="The interval's confidence level.")
    null_value: float = pa.Field(nullable=True, description="The value under the null hypothesis.")
    statistic: float = pa.Field(nullable=True, description="The test statistic; of a ranking the rank, from 1.")
    df: float = pa.Field(nullable=True, description="Degrees of freedom.")
    p_value: float = pa.Field(nullable=True, ge=0, le=1, description="The p-value.")
    log_p_value: float = pa.Field(nullable=True, le=0, description="Its natural logarithm, where a method gives it.")
    p_adjusted: float = pa.Field(nullable=True, ge=0, le=1, description="The p-value adjusted within its family.")
    log_p_adjusted: float = pa.Field(nullable=True, le=0, description="Its natural logarithm.")
    family_size: int = pa.Field(nullable=True, ge=1, description="How many hypotheses its family holds.")
    effect: float = pa.Field(nullable=True, description="The effect size.")
    effect_kind: str = pa.Field(nullable=True, description="Which effect size it is.")
    effect_ci_low: float = pa.Field(nullable=True, description="Lower end of the effect size's interval.")
    effect_ci_high: float = pa.Field(nullable=True, description="Upper end of the effect size's interval.")
    method: str = pa.Field(description="How the row was computed.")
    status: str = pa.Field(isin=ESTIMATE_STATUSES, description="Why the numbers exist, or why not.")


class References(_Finite):
    """Known population proportions of the categories of an outcome in a group."""

    outcome: str = pa.Field(description="The outcome.")
    category: str = pa.Field(description="Its category.")
    proportion: float = pa.Field(ge=0, le=1, description="The share of the population, between 0 and 1.")
    source: str = pa.Field(description="Where the proportion comes from.")


class EmbeddingAssociations(_Finite):
    """One target word of an embedding association test a row; further columns say which test it is of."""

    side: str = pa.Field(isin=SIDES, description="The target set that the word is of.")
    association: float = pa.Field(
        nullable=True,
        ge=-2,
        le=2,
        description="Its mean cosine to the first attributes, less that to the second; null where it has no embedding.",
    )


class TableCells(_Finite):
    """Every printed statistic of every table, in long form."""

    table: str = pa.Field(description="The table's number, as printed.")
    row: str = pa.Field(description="The row's identity: factor levels joined by '/'.")
    column: str = pa.Field(description="The column's identity: factor levels or measures joined by '/'.")
    statistic: str = pa.Field(description="Which statistic of the cell.")
    value: float = pa.Field(nullable=True, description="The value, unrounded; null where there is none.")
    text: str = pa.Field(description="The statistic as printed.")


class PublishedValues(pa.DataFrameModel):
    """Every printed number of a publication, keyed as the regenerated tables are."""

    table: str = pa.Field(description="The table's number, as printed.")
    row: str = pa.Field(description="The row's identity.")
    column: str = pa.Field(description="The column's identity.")
    statistic: str = pa.Field(description="Which statistic of the cell.")
    printed: str = pa.Field(description="The statistic as printed; empty where nothing is printed.")

    class Config(pa.DataFrameModel.Config):
        """A printed number is given once."""

        unique = ["table", "row", "column", "statistic"]  # noqa: RUF012  pandera reads it from the class


class Comparison(pa.DataFrameModel):
    """Published against regenerated, a row a printed number."""

    table: str = pa.Field(description="The table's number, as printed.")
    row: str = pa.Field(description="The row's identity.")
    column: str = pa.Field(description="The column's identity.")
    statistic: str = pa.Field(description="Which statistic of the cell.")
    published: str = pa.Field(description="The statistic as published.")
    regenerated: str = pa.Field(nullable=True, description="The statistic as regenerated; null if there is no cell.")
    verdict: str = pa.Field(isin=VERDICTS, description="Whether they agree.")
    strictness: str = pa.Field(isin=("", *STRICTNESS), description="How strict a match is; empty if it is none.")
    note: str = pa.Field(description="Which erratum or remark applies, or what a match took.")


FRAMES: dict[str, type[pa.DataFrameModel]] = {
    "responses": Responses,
    "coded-responses": CodedResponses,
    "tallies": Tallies,
    "estimates": Estimates,
    "references": References,
    "embedding-association": EmbeddingAssociations,
    "tables": TableCells,
    "published": PublishedValues,
    "comparison": Comparison,
}
"""Every frame model by the name the command line knows it by."""
