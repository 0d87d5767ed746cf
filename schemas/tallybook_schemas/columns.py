"""The columns of every frame that crosses a stage boundary.

A frame lists the columns that every frame of its kind has. Factor columns and outcome columns differ between studies:
they are allowed beside the listed ones, and `tallybook.core.frame_checks` adds the study's own checks for them.
`tallybook_schemas.frames` builds pandera models from them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook_schemas.vocabulary import (
    CODED_STATUSES,
    DELIVERED_STATUSES,
    ESTIMATE_STATUSES,
    STRICTNESS,
    TALLY_STATUSES,
    VERDICTS,
)

if TYPE_CHECKING:
    from collections.abc import Mapping


class Column(NamedTuple):
    """A column that a frame must have."""

    kind: type  # its type: `str` is polars' String, `int` Int64, `float` Float64
    description: str  # its meaning
    nullable: bool = False  # whether values may be missing
    ge: float | None = None  # the smallest value allowed
    le: float | None = None  # the largest value allowed
    gt: float | None = None  # the exclusive lower bound
    lt: float | None = None  # the exclusive upper bound
    isin: tuple[str, ...] = ()  # the values allowed; empty for any
    optional: bool = False  # whether a frame may lack it


class Frame(NamedTuple):
    """The schema of a frame."""

    name: str  # the name of its pandera model
    description: str  # the meaning of its rows
    columns: Mapping[str, Column]  # the required columns
    is_finite: bool = True  # whether infinite and NaN numbers are refused, also in other columns
    unique: tuple[str, ...] = ()  # the columns that together identify a row


Responses = Frame(
    "Responses",
    "One answer of one model to one prompt, one sample a row, as a source delivers it.",
    {
        "response_id": Column(str, "What identifies the response in its dump, where it is kept.", optional=True),
        "model": Column(str, "The model that answered."),
        "item": Column(str, "The prompt's identity, for instance the name in it."),
        "sample": Column(int, "The repetition of the item, counted from 0.", ge=0),
        "text": Column(str, "The answer; untrusted. Null when none was delivered.", nullable=True),
        "status": Column(str, "How the response was delivered.", isin=DELIVERED_STATUSES),
        "count": Column(int, "How many responses the row stands for.", ge=1),
        "position": Column(int, "The row's place in the dump, counted from 0: what breaks ties.", ge=0),
        "file": Column(str, "The file it was read from, relative to the data folder."),
        "key": Column(str, "The record's key or number in that file."),
    },
    is_finite=False,
)

CodedResponses = Frame(
    "CodedResponses",
    "Responses after coding: the factor columns, one column an outcome and a status.",
    {
        "model": Column(str, "The model that answered."),
        "status": Column(str, "What coding made of the response.", isin=CODED_STATUSES),
        "count": Column(int, "How many responses the row stands for.", ge=1),
        "position": Column(int, "The first such response's place in the dump: what breaks ties.", ge=0),
    },
)

Tallies = Frame(
    "Tallies",
    "The narrow waist: how often each category, label or value of an outcome occurs in each cell.",
    {
        "outcome": Column(str, "The outcome that was counted."),
        "category": Column(str, "The category or label; null for a score or without one.", nullable=True),
        "value": Column(float, "The distinct value of a score; null for a category.", nullable=True),
        "status": Column(str, "What coding made of the outcome.", isin=TALLY_STATUSES),
        "count": Column(int, "The number of responses.", ge=1),
        "first_seen": Column(int, "The smallest position among them.", ge=0),
    },
)

Estimates = Frame(
    "Estimates",
    "One row a result. A number that does not exist is null, and the status says why.",
    {
        "analysis": Column(str, "The analysis of the study file that made the row."),
        "outcome": Column(str, "The outcome it is about."),
        "term": Column(str, "The category, statistic or coefficient."),
        "n": Column(int, "The number of responses (or tests) it rests on.", ge=0),
        "clusters": Column(
            int,
            "The number of clusters that its error takes for independent; files have it where a study has clusters.",
            nullable=True,
            ge=0,
            optional=True,
        ),
        "estimate": Column(float, "The estimate, unrounded.", nullable=True),
        "std_error": Column(float, "Its standard error.", nullable=True),
        "ci_low": Column(float, "Lower end of its interval.", nullable=True),
        "ci_high": Column(float, "Upper end of its interval.", nullable=True),
        "confidence": Column(float, "The interval's confidence level.", nullable=True, gt=0, lt=1),
        "null_value": Column(float, "The value under the null hypothesis.", nullable=True),
        "statistic": Column(float, "The test statistic; of a ranking the rank, from 1.", nullable=True),
        "df": Column(float, "Degrees of freedom.", nullable=True),
        "df2": Column(
            float,
            "The second degrees of freedom of an F test; files have it where there is one.",
            nullable=True,
            optional=True,
        ),
        "p_value": Column(float, "The p-value.", nullable=True, ge=0, le=1),
        "log_p_value": Column(float, "Its natural logarithm, where a method gives it.", nullable=True, le=0),
        "p_adjusted": Column(float, "The p-value adjusted within its family.", nullable=True, ge=0, le=1),
        "log_p_adjusted": Column(float, "Its natural logarithm.", nullable=True, le=0),
        "family_size": Column(int, "How many hypotheses its family holds.", nullable=True, ge=1),
        "effect": Column(float, "The effect size.", nullable=True),
        "effect_kind": Column(str, "Which effect size it is.", nullable=True),
        "effect_ci_low": Column(float, "Lower end of the effect size's interval.", nullable=True),
        "effect_ci_high": Column(float, "Upper end of the effect size's interval.", nullable=True),
        "method": Column(str, "How the row was computed."),
        "status": Column(str, "Why the numbers exist, or why not.", isin=ESTIMATE_STATUSES),
    },
)

References = Frame(
    "References",
    "Known population proportions of the categories of an outcome in a group.",
    {
        "outcome": Column(str, "The outcome."),
        "category": Column(str, "Its category."),
        "proportion": Column(float, "The share of the population, between 0 and 1.", ge=0, le=1),
        "source": Column(str, "Where the proportion comes from."),
    },
)

_CELL = {
    "table": Column(str, "The table's number, as printed."),
    "row": Column(str, "The row's identity: factor levels joined by '/'."),
    "column": Column(str, "The column's identity: factor levels or measures joined by '/'."),
    "statistic": Column(str, "Which statistic of the cell."),
}

TableCells = Frame(
    "TableCells",
    "Every printed statistic of every table, in long form.",
    _CELL
    | {
        "value": Column(float, "The value, unrounded; null where there is none.", nullable=True),
        "text": Column(str, "The statistic as printed."),
    },
)

PublishedValues = Frame(
    "PublishedValues",
    "Every printed number of a publication, keyed as the regenerated tables are.",
    _CELL
    | {
        "printed": Column(str, "The statistic as printed; empty where nothing is printed."),
    },
    is_finite=False,
    unique=("table", "row", "column", "statistic"),
)

Comparison = Frame(
    "Comparison",
    "Published against regenerated, a row a printed number.",
    _CELL
    | {
        "published": Column(str, "The statistic as published."),
        "regenerated": Column(str, "The statistic as regenerated; null if there is no cell.", nullable=True),
        "verdict": Column(str, "Whether they agree.", isin=VERDICTS),
        "strictness": Column(str, "How strict a match is; empty if it is none.", isin=("", *STRICTNESS)),
        "note": Column(str, "Which erratum or remark applies, or what a match took."),
    },
    is_finite=False,
)
