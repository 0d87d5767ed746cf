"""From estimates to finished tables, as the study file lays them out."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from analysis.errors import UsageError
from analysis.tables.content import Column, Row, Table
from analysis.tables.labels import term_label
from analysis.tables.lookup import EstimateIndex
from analysis.tables.notes import conventions, valid_tests
from analysis.tables.numbers import fixed, scaled, stars
from schemas.study.coding import CategoryOutcome
from schemas.study.presentation import NumberPart, RankedPart, StarsPart
from schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.study import Study
    from schemas.study.presentation import Measure, TableSet

Context = dict[str, str]
"""Factor (or `outcome`, `term`, `measure`) -> level."""


class Cell(NamedTuple):
    """One printed statistic of a cell.

    Attributes:
        table: The table's number.
        row: The row's identity.
        column: The column's identity.
        statistic: Which statistic of the cell.
        value: The value, unrounded; None where there is none.
        text: The statistic as printed.
        interchangeable: Texts that would be as right, when compared with published ones.
        ignore: Characters that do not matter then.
    """

    table: str
    row: str
    column: str
    statistic: str
    value: float | None
    text: str
    interchangeable: tuple[str, ...] = ()
    ignore: str = ""


CELL_SCHEMA = {
    "table": pl.String,
    "row": pl.String,
    "column": pl.String,
    "statistic": pl.String,
    "value": pl.Float64,
    "text": pl.String,
    "interchangeable": pl.List(pl.String),
    "ignore": pl.String,
}
"""The columns of a frame of cells."""


class Tables(NamedTuple):
    """A study's tables.

    Attributes:
        tables: The finished tables, in the order of their numbers.
        cells: Every printed statistic, in long form.
        analyses: The analyses each table shows.
    """

    tables: list[Table]
    cells: pl.DataFrame
    analyses: dict[str, list[str]]


@dataclass
class _Sheet:
    """One table while it is laid out."""

    study: Study
    declared: TableSet
    index: EstimateIndex
    id: str
    fixed: Context
    cells: list[Cell] = field(default_factory=list[Cell])
    tests: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    incomplete: bool = False

    def lay_out(self) -> Table:
        columns = list(self._contexts(self.declared.columns))
        rows = [
            self._row(context, [self.fixed | context | column for column in columns])
            for context in self._contexts(self.declared.rows)
            if self._is_present(context)
        ]
        shown = [part.analysis for measure in self.declared.measures for part in measure.parts]
        notes = [*self.declared.notes, *conventions(self.study, shown)]
        notes += [
            sentence
            for name in dict.fromkeys(shown)
            if (sentence := valid_tests(self.study.analyses[name], self.tests))
        ]
        if self.incomplete:
            notes.append(f"{self.study.style.missing} marks a number that does not exist.")
        return Table(
            id=self.id,
            title=self._fill(self.declared.title),
            stub=self._fill(self.declared.stub),
            columns=tuple(self._column(context) for context in columns),
            rows=tuple(rows),
            notes=tuple(notes),
        )

    def _contexts(self, axes: tuple[str, ...]) -> Iterator[Context]:
        for levels in itertools.product(*(self._levels(axis) for axis in axes)):
            yield dict(zip(axes, levels, strict=True))

    def _levels(self, axis: str) -> list[str]:
        match axis:
            case "outcome":
                return list(self.declared.outcomes)
            case "measure":
                return [measure.id for measure in self.declared.measures]
            case "term":
                return self._terms()
            case _:
                return list(self.study.factors[axis].levels)

    def _terms(self) -> list[str]:
        """The outcome's terms and refusal; uncoded responses only where the data have any."""
        outcome = self.study.outcomes[self.fixed["outcome"]]
        if not isinstance(outcome, CategoryOutcome):
            raise UsageError(f"table {self.id}: columns cannot be the terms of {self.fixed['outcome']!r}")
        first = self.declared.measures[0].parts[0].analysis
        present = {
            term
            for context in self._contexts(self.declared.rows)
            for term in self.index.terms(first, self.fixed | context)
        }
        return [*outcome.terms, *(term for term in (REFUSAL, INVALID) if term in present)]

    def _is_present(self, context: Context) -> bool:
        """Whether the data have such a row in any table of the set; `male` is no row under `Age`."""
        analysis = self.declared.measures[0].parts[0].analysis
        axes = self.declared.rows
        return tuple(context.values()) in self.index.levels_present(analysis, axes)

    def _row(self, context: Context, cells: list[Context]) -> Row:
        key = "/".join(context.values())
        label = self._label(self.declared.rows[-1], context[self.declared.rows[-1]])
        texts = tuple(self._cell(key, label, cell) for cell in cells)
        n = ""
        if self.declared.row_n:
            found = self.index.terms(self.declared.row_n, self.fixed | context)
            n = str(next(iter(found.values()))["n"]) if found else "0"
            self.cells.append(Cell(self.id, key, "", "n", float(n), n))
        group = self._label(self.declared.rows[0], context[self.declared.rows[0]]) if len(context) > 1 else ""
        return Row(
            id=key, label=self.declared.row_label.replace("{n}", n).replace("{label}", label), cells=texts, group=group
        )

    def _cell(self, row: str, row_label: str, context: Context) -> str:
        measure = self._measure(context)
        column = "/".join(context[axis] for axis in self.declared.columns)
        texts: list[str] = []
        for part in measure.parts:
            found = self.index.terms(part.analysis, context)
            if isinstance(part, RankedPart):
                texts.append(self._ranked(row, column, part, found))
                continue
            term = part.term or context.get("term", "")
            estimate = found.get(term)
            if isinstance(part, StarsPart):
                if estimate is not None:
                    p_value = estimate[part.value]
                    texts.append(stars(p_value, self.study.style.stars))
                    self.cells.append(Cell(self.id, row, column, part.statistic, p_value, texts[-1]))
                continue
            texts.append(self._number(row, column, part, None if estimate is None else estimate[part.value]))
            if estimate is not None and self.index.is_score_of_tests(part.analysis):
                self.tests.append((self._column_group(context), row_label, estimate["n"]))
        return "".join(texts)

    def _number(self, row: str, column: str, part: NumberPart, value: float | None) -> str:
        style = self.study.style
        text = style.missing if value is None else fixed(value, part.digits, scale=part.scale, rounding=style.rounding)
        self.incomplete = self.incomplete or value is None
        shown = None if value is None else scaled(value, part.scale)
        self.cells.append(Cell(self.id, row, column, part.statistic, shown, text))
        return text

    def _ranked(self, row: str, column: str, part: RankedPart, found: Mapping[str, dict[str, float]]) -> str:
        rounding = self.study.style.rounding
        texts = {
            term: f"{term} ({fixed(estimate['estimate'], part.digits, scale=100, rounding=rounding)}%)"
            for term, estimate in found.items()
        }
        open_order = part.interchangeable_above is not None and len(found) > part.interchangeable_above
        entries = list(found.items())[: part.top]
        for rank, (term, estimate) in enumerate(entries, start=1):
            share = estimate["estimate"]
            tied = [text for other, text in texts.items() if open_order and found[other]["estimate"] == share]
            statistic = f"{part.statistic} {rank}"
            value = scaled(share, 100)
            self.cells.append(Cell(self.id, row, column, statistic, value, texts[term], tuple(tied), part.ignore))
        return ", ".join(texts[term] for term, _ in entries) or self.study.style.missing

    def _measure(self, context: Context) -> Measure:
        wanted = context.get("measure")
        return next(measure for measure in self.declared.measures if wanted in {None, measure.id})

    def _column(self, context: Context) -> Column:
        last = self.declared.columns[-1]
        spanner = self._column_group(context) if len(context) > 1 else ""
        is_list = isinstance(self._measure(context).parts[0], RankedPart)
        return Column(
            id="/".join(context.values()),
            label=self._label(last, context[last]),
            spanner=spanner,
            align="left" if is_list else "right",
        )

    def _column_group(self, context: Context) -> str:
        first = self.declared.columns[0]
        return self._label(first, context[first])

    def _label(self, axis: str, level: str) -> str:
        match axis:
            case "outcome":
                return self.study.outcomes[level].label
            case "measure":
                return self._measure({"measure": level}).label
            case "term":
                return term_label(self.study, self.fixed["outcome"], level)
            case _:
                return self.study.factors[axis].levels[level]

    def _fill(self, template: str) -> str:
        for axis, level in self.fixed.items():
            template = template.replace(f"{{{axis}}}", self._label(axis, level))
        return template


def lay_out(study: Study, estimates: pl.DataFrame) -> Tables:
    """Lay out every table of a study.

    Args:
        study: The study.
        estimates: Its estimates.

    Returns:
        The tables, their cells in long form and the analyses they show.

    Raises:
        UsageError: If a table does not fix what its analyses split by, or two tables have the same number.
    """
    index = EstimateIndex(study, estimates)
    tables: list[Table] = []
    cells: list[pl.DataFrame] = []
    analyses: dict[str, list[str]] = {}
    for declared in study.tables:
        shown = list(dict.fromkeys(part.analysis for measure in declared.measures for part in measure.parts))
        own: dict[str, tuple[Table, pl.DataFrame]] = {}
        for sheet in _sheets(study, declared, index):
            table = sheet.lay_out()
            own[table.id] = (table, pl.DataFrame(sheet.cells, schema=CELL_SCHEMA, orient="row"))
        for new, old in declared.repeats.items():
            if old not in own:
                raise UsageError(f"table {new} repeats table {old}, which is not in the same set")
            table, frame = own[old]
            own[new] = (replace(table, id=new), frame.with_columns(pl.lit(new).alias("table")))
        for number, (table, frame) in own.items():
            if number in analyses:
                raise UsageError(f"two tables have the number {number}")
            tables.append(table)
            cells.append(frame)
            analyses[number] = shown
    tables.sort(key=lambda table: natural_order(table.id))
    order = {table.id: place for place, table in enumerate(tables)}
    cells.sort(key=lambda frame: order[frame["table"][0]] if frame.height else -1)
    return Tables(tables, pl.concat([pl.DataFrame(schema=CELL_SCHEMA), *cells]), analyses)


def natural_order(number: str) -> list[tuple[str, int]]:
    """A sort key by which table 9 stands before table 10, and both before table A1.

    >>> sorted(["A10", "10", "A9", "9"], key=natural_order)
    ['9', '10', 'A9', 'A10']
    """
    return [(text, int(digits or 0)) for text, digits in re.findall(r"(\D*)(\d*)", number) if text or digits]


def _sheets(study: Study, declared: TableSet, index: EstimateIndex) -> Iterator[_Sheet]:
    def levels(axis: str) -> list[str]:
        return list(declared.outcomes) if axis == "outcome" else list(study.factors[axis].levels)

    single = {"outcome": declared.outcomes[0]} if len(declared.outcomes) == 1 else {}
    combinations = itertools.product(*(levels(axis) for axis in declared.for_each))
    for number, combination in enumerate(combinations, start=declared.first):
        context = single | declared.where | dict(zip(declared.for_each, combination, strict=True))
        name = declared.id.replace("{number}", str(number))
        for axis, level in context.items():
            name = name.replace(f"{{{axis}}}", level)
        yield _Sheet(study, declared, index, name, context)
