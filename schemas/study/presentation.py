"""How estimates are laid out: tables, figures and the style of numbers."""

from __future__ import annotations

from typing import Annotated, Literal, Self

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
    """The analysis' term, where the table's columns do not name it and there is more than one."""


class NumberPart(_Part):
    """A number in fixed notation."""

    style: Literal["number"]
    value: Column = "estimate"
    """Which number of the estimate."""
    digits: int = Field(default=2, ge=0, le=17)
    """Digits after the decimal point."""
    scale: int = Field(default=1, ge=1)
    """What the number is multiplied by; 100 for percent."""


class PValuePart(_Part):
    """A p-value: in fixed notation, or in scientific notation (4.7e-235) where fixed would show too little of it."""

    style: Literal["p-value"]
    value: Literal["p_value", "p_adjusted"] = "p_value"
    digits: int = Field(default=4, ge=1, le=17)
    """Digits after the decimal point in fixed notation."""
    scientific_below: float | None = Field(default=None, ge=0, le=1)
    """The p-value below which notation is scientific; by default 10^-digits."""
    mantissa_digits: int = Field(default=1, ge=0, le=16)
    """Digits after the decimal point in scientific notation."""


class DecisionPart(_Part):
    """Whether a test rejects its null hypothesis."""

    style: Literal["decision"]
    value: Literal["p_value", "p_adjusted"] = "p_value"
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test rejects when its p-value is below alpha."""
    rejected: str = "rejected"
    """What is printed if it does."""
    retained: str = "not rejected"
    """What is printed if it does not."""


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


Part = Annotated[NumberPart | PValuePart | DecisionPart | StarsPart | RankedPart, Field(discriminator="style")]


class Measure(Declaration):
    """What is printed in one cell: one or more parts, one after the other."""

    id: Identifier
    label: str = ""
    """The column's heading, where measures are columns."""
    parts: tuple[Part, ...] = Field(min_length=1)


class Block(Declaration):
    """Rows of a table that show an analysis of their own, under a heading."""

    id: Identifier
    """What the block's rows are called in tables.csv, before their levels."""
    label: str
    """The heading."""
    analysis: Identifier
    """The analysis that stands in for those of the table's measures."""
    rows: tuple[Identifier, ...] = Field(min_length=1, max_length=3)
    """The factors whose levels are the rows."""


class TableSet(Declaration):
    """One table, or one for every combination of `for_each`."""

    id: str
    """The table's number; `{number}` counts the combinations, other `{name}` stand for levels."""
    first: int = 1
    """The first `{number}`."""
    step: int = Field(default=1, ge=1)
    """How far apart the `{number}`s are."""
    for_each: tuple[Identifier, ...] = ()
    """The factors (or `outcome`) that give a table each, the last running fastest."""
    outcomes: tuple[Identifier, ...] = ()
    """The outcomes it shows."""
    where: dict[Identifier, str] = {}
    """Fixed levels of factors."""
    levels: dict[Identifier, tuple[str, ...]] = {}
    """Factor -> the levels it shows, in their order; all levels otherwise."""
    terms: tuple[Identifier, ...] = ()
    """The terms it shows where columns are terms, in their order; all terms otherwise."""
    title: str
    """The caption; `{factor}` stands for the level's label."""
    stub: str = ""
    """The heading over the row labels."""
    rows: tuple[Identifier, ...] = Field(default=(), max_length=3)
    """The factor (or `outcome`) whose levels are the rows, after those whose levels group them."""
    blocks: tuple[Block, ...] = ()
    """Instead of `rows`: blocks of rows, each of an analysis of its own."""
    row_label: str = "{label}"
    """A row's label: `{label}` is the level's, `{n}` the `n` of `row_n`."""
    row_n: Identifier | None = None
    """The analysis whose n stands in row labels."""
    columns: tuple[Identifier, ...] = Field(min_length=1, max_length=2)
    """What the columns are: a factor, `term` or `measure`, after one that spans them."""
    column_label: str = ""
    """A column's heading where it is made of both, as `{given}{term}`; the spanning headings are left out then."""
    labels: dict[Identifier, dict[str, str]] = {}
    """Factor (`outcome` or `term`) -> level -> how this table calls it, instead of its own label."""
    measures: tuple[Measure, ...] = Field(min_length=1)
    notes: tuple[str, ...] = ()
    """Notes beside those that the conventions give."""
    repeats: dict[str, str] = {}
    """Further number -> the table of this set that it repeats."""

    supplementary: bool = False
    """Whether the publication has no such table."""

    @model_validator(mode="after")
    def _measures_fit(self) -> TableSet:
        if "measure" not in self.columns and len(self.measures) != 1:
            raise ValueError("more than one measure, but 'measure' is not among the columns")
        if bool(self.rows) == bool(self.blocks):
            raise ValueError("exactly one of 'rows' and 'blocks'")
        return self


class Listing(Declaration):
    """A table of the lists of stimuli that prompts were made of, from JSON files that each hold an object of lists."""

    id: str
    """The table's number."""
    title: str
    """The caption."""
    stub: str = "List"
    """The heading over the names of the lists."""
    edition: Identifier
    """The edition of the data that has the files; from other editions the table is not made."""
    files: dict[str, str]
    """File, relative to the data folder -> the heading over its lists."""
    entries: int = Field(default=12, ge=1)
    """How many entries of each list are shown."""
    notes: tuple[str, ...] = ()


class _Bars(Declaration):
    id: str
    """The figure's number, which names its files."""
    title: str
    """The caption."""
    analysis: Identifier
    """The analysis whose estimates are shown."""
    outcome: Identifier
    where: dict[Identifier, str] = {}
    """Fixed levels of factors."""
    levels: dict[Identifier, tuple[str, ...]] = {}
    """Factor -> the levels it shows, in their order; all levels otherwise."""
    x: Identifier
    """The factor whose levels stand side by side on the horizontal axis."""
    panels: Identifier | None = None
    """The factor whose levels are panels side by side."""
    panel_rows: Identifier | None = None
    """The factor whose levels are rows of panels."""
    supplementary: bool = False
    """Whether the publication has no such figure."""

    @property
    def fill(self) -> str:
        """What colours stand for: `term` or a factor."""
        return "term"

    @property
    def axes(self) -> tuple[str, ...]:
        """What a bar, or a segment of one, is identified by: factors and `term`."""
        return tuple(axis for axis in (self.panel_rows, self.panels, self.x, self.fill) if axis)

    @model_validator(mode="after")
    def _axes_differ(self) -> Self:
        if repeated := [axis for axis in self.axes if self.axes.count(axis) > 1]:
            raise ValueError(f"{repeated[0]!r} is used twice: for panels, rows of panels, x or colours")
        return self


class StackedBars(_Bars):
    """Bars of 100 %: one a level of `x`, split by the terms of an outcome."""

    kind: Literal["stacked-bars"]
    terms: tuple[str, ...]
    """The parts of a bar, in order; together they are all responses."""
    y_label: str = "Percentage (%)"


class GroupedBars(_Bars):
    """Bars side by side: a group of them for each level of `x`, all starting at 0.

    One of `x`, `bars`, `panels` and `panel_rows` may be `term` instead of a factor; `bars` is unless another is said.
    """

    kind: Literal["grouped-bars"]
    terms: tuple[str, ...] = Field(min_length=1)
    """The terms of the analysis that are shown, in order."""
    names: dict[str, str] = {}
    """Term -> how it is called in this figure; otherwise as in tables."""
    bars: Identifier = "term"
    """What the bars of a group are, told apart by colour."""
    value: Column = "estimate"
    """Which number of the estimates is shown."""
    scale: int = Field(default=1, ge=1)
    """What it is multiplied by; 100 for percent."""
    y_label: str
    """The title of the vertical axis, with the unit."""
    interval: bool = True
    """Whether whiskers show the interval, where an estimate has one; no other number has an interval."""

    @property
    def fill(self) -> str:
        """What colours stand for: `term` or a factor."""
        return self.bars

    @model_validator(mode="after")
    def _settings_agree(self) -> GroupedBars:
        if "term" not in self.axes and len(self.terms) > 1:
            raise ValueError("more than one term, but none of x, bars, panels and panel_rows is 'term'")
        if unknown := [term for term in self.names if term not in self.terms]:
            raise ValueError(f"names: {unknown[0]!r} is none of the terms")
        if self.value != "estimate" and self.interval and "interval" in self.model_fields_set:
            raise ValueError(f"interval: {self.value!r} has none")
        return self


Figure = Annotated[StackedBars | GroupedBars, Field(discriminator="kind")]
