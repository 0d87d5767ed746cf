"""How estimates are laid out: tables, figures and the style of numbers."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from schemas.study.base import Declaration, Identifier

Rounding = Literal["half-even", "half-up", "truncate"]
Column = Literal[
    "n",
    "estimate",
    "std_error",
    "ci_low",
    "ci_high",
    "null_value",
    "statistic",
    "df",
    "p_value",
    "p_adjusted",
    "effect",
]


class Style(Declaration):
    """How numbers are printed throughout the study."""

    rounding: Rounding = "half-even"
    """How the last digit is found, on the number's shortest decimal form."""
    missing: str = "–"
    """What is printed for a number that does not exist."""
    stars: dict[str, Annotated[float, Field(gt=0, le=1)]] = {"***": 0.001, "**": 0.01, "*": 0.05}
    """Sign -> the largest p-value that earns it; the first that fits is printed."""


class _Part(Declaration):
    statistic: Identifier
    """How the number is called in tables.csv."""
    analysis: Identifier
    """The analysis it comes from."""
    term: str | None = None
    """The analysis' term, where the table's columns do not name it."""


class NumberPart(_Part):
    """A number in fixed notation."""

    style: Literal["number"]
    value: Column = "estimate"
    """Which number of the estimate."""
    digits: int = Field(default=2, ge=0, le=17)
    """Digits after the decimal point."""
    scale: int = Field(default=1, ge=1)
    """What the number is multiplied by; 100 for percent."""


class StarsPart(_Part):
    """The stars of a p-value; nothing where there is no p-value."""

    style: Literal["stars"]
    value: Literal["p_value", "p_adjusted"] = "p_value"


class RankedPart(_Part):
    """The first entries of a ranking, each with its share: 'teacher (54.0%), nurse (10.0%)'."""

    style: Literal["ranked"]
    top: int = Field(default=5, ge=1)
    """How many entries are printed."""
    digits: int = Field(default=1, ge=0, le=17)
    """Digits of the percentage."""
    interchangeable_above: int | None = None
    """With more distinct labels than this, equally frequent ones count as equal when compared with published ones."""
    ignore: str = ""
    """Characters ignored when compared with published entries."""


Part = Annotated[NumberPart | StarsPart | RankedPart, Field(discriminator="style")]


class Measure(Declaration):
    """What is printed in one cell: one or more parts, one after the other."""

    id: Identifier
    label: str = ""
    """The column's heading, where measures are columns."""
    parts: tuple[Part, ...] = Field(min_length=1)


class TableSet(Declaration):
    """One table, or one for every combination of `for_each`."""

    id: str
    """The table's number; `{number}` counts the combinations, other `{name}` stand for levels."""
    first: int = 1
    """The first `{number}`."""
    for_each: tuple[Identifier, ...] = ()
    """The factors (or `outcome`) that give a table each, the last running fastest."""
    outcomes: tuple[Identifier, ...] = ()
    """The outcomes it shows."""
    where: dict[Identifier, str] = {}
    """Fixed levels of factors."""
    title: str
    """The caption; `{factor}` stands for the level's label."""
    stub: str = ""
    """The heading over the row labels."""
    rows: tuple[Identifier, ...] = Field(min_length=1, max_length=2)
    """The factor (or `outcome`) whose levels are the rows, after one whose levels group them."""
    row_label: str = "{label}"
    """A row's label: `{label}` is the level's, `{n}` the `n` of `row_n`."""
    row_n: Identifier | None = None
    """The analysis whose n stands in row labels."""
    columns: tuple[Identifier, ...] = Field(min_length=1, max_length=2)
    """What the columns are: a factor, `term` or `measure`, after one that spans them."""
    measures: tuple[Measure, ...] = Field(min_length=1)
    notes: tuple[str, ...] = ()
    """Notes beside those that the conventions give."""
    repeats: dict[str, str] = {}
    """Further number -> the table of this set that it repeats."""

    @model_validator(mode="after")
    def _measures_fit(self) -> TableSet:
        if "measure" not in self.columns and len(self.measures) != 1:
            raise ValueError("more than one measure, but 'measure' is not among the columns")
        return self


class StackedBars(Declaration):
    """Bars of 100 %: one a level of `x`, split by the terms of an outcome."""

    kind: Literal["stacked-bars"]
    id: str
    """The figure's number; `{number}` counts the combinations of `for_each`."""
    title: str
    """The caption."""
    analysis: Identifier
    """The analysis of proportions that is shown."""
    outcome: Identifier
    terms: tuple[str, ...]
    """The parts of a bar, in order; together they are all responses."""
    where: dict[Identifier, str] = {}
    """Fixed levels of factors."""
    x: Identifier
    """The factor whose levels are the bars."""
    panels: Identifier | None = None
    """The factor whose levels are panels side by side."""
    panel_rows: Identifier | None = None
    """The factor whose levels are rows of panels."""
    y_label: str = "Percentage (%)"
    supplementary: bool = False
    """Whether the publication has no such figure."""


Figure = StackedBars
