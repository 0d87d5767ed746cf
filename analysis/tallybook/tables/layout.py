"""Layout of estimates as finished tables, as the study file declares them."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.study.coding import Categories
from tallybook.study.naming import term_label
from tallybook.study.presentation import DecisionPart, RankedPart
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.notes import (
    Doubts,
    absence,
    brackets,
    conventions,
    doubts,
    family_sizes,
    fixed_levels,
    independence,
    printing,
    valid_tests,
)
from tallybook.tables.parts import EstimateIndex, Printed, joined, printed, why_missing
from tallybook.tables.sets import natural_order, numbered, shown_analyses
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

    from tallybook.study.model import Study
    from tallybook.study.presentation import Block, Margin, Measure, Part, TableSet
    from tallybook.tables.parts import Row as Estimate

Context = dict[str, str]
"""Factor (or `outcome`, `term`, `measure`) -> level; together they identify a cell."""

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
"""The columns of a frame of cells: the position of a statistic, and the fields of `parts.Printed`."""

Cell = tuple[str, str, str, Printed]
"""Table, row, column and the statistic printed in the cell."""

Behind = dict[tuple[str, str], "Estimate"]
"""Row and column -> an estimate."""


class Tables(NamedTuple):
    """A study's tables."""

    tables: list[Table]  # the finished tables, in the order of their numbers
    cells: pl.DataFrame  # every printed statistic, in long form
    analyses: dict[str, list[str]]  # table -> the analyses that it shows
    supplementary: frozenset[str]  # the tables that the publication does not have
    behind: Mapping[str, Behind] = {}  # table -> row and column -> the first estimate that the cell shows


class _Rows(NamedTuple):
    """Rows that show the same analyses: all rows of a table, or the rows of one block."""

    axes: tuple[str, ...]
    block: Block | None = None

    def analysis(self, own: str) -> str:
        """Return the block's analysis, or the measure's analysis `own` for rows without a block."""
        return own if self.block is None else self.block.analysis


@dataclass
class _Sheet:
    """One table during its layout."""

    study: Study
    declared: TableSet
    index: EstimateIndex
    id: str
    fixed: Context
    cells: list[Cell] = field(default_factory=list[Cell])
    tests: list[tuple[str, str, int]] = field(default_factory=list[tuple[str, str, int]])
    sizes: Mapping[str, Sequence[int]] = field(default_factory=dict[str, list[int]])
    doubts: Doubts = field(default_factory=Doubts)
    absent: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])  # column, reason
    left_out: set[str] = field(default_factory=set[str])  # measures
    behind: Behind = field(default_factory=dict[tuple[str, str], "Estimate"])

    def lay_out(self) -> Table:
        columns = list(self._contexts(self.declared.columns))
        rows = [
            self._row(rows, context, [self.fixed | context | column for column in columns])
            for rows in self._rows()
            for context in self._contexts(rows.axes)
            if self._is_present(rows, context)
        ]
        self._leave_out(columns)
        kept = [number for number, context in enumerate(columns) if self._measure(context).id not in self.left_out]
        columns = [columns[number] for number in kept]
        if self.left_out:
            rows = [replace(row, cells=tuple(row.cells[number] for number in kept)) for row in rows]
        if self.declared.row_margin is not None:
            rows.append(self._margin_row(self.declared.row_margin, [self.fixed | column for column in columns]))
        margin = self.declared.column_margin
        last = () if margin is None else (Column(id=margin.id, label=margin.label, spanner="", align="right"),)
        return Table(
            id=self.id,
            title=self._fill(self.declared.title),
            stub=self._fill(self.declared.stub),
            columns=(*(self._column(context) for context in columns), *last),
            rows=tuple(rows),
            notes=tuple(self._notes()),
        )

    def _leave_out(self, columns: list[Context]) -> None:
        """Leave out the optional measures that have no number in any row."""
        known = {column for *_, column, statistic in self.cells if statistic.value is not None}
        optional = {one.id for one in self.declared.measures if all(part.optional for part in one.parts)}
        places = {"/".join(context.values()): self._measure(context).id for context in columns}
        self.left_out = optional - {places[column] for column in known if column in places}
        self.cells = [cell for cell in self.cells if places.get(cell[2]) not in self.left_out]
        self.absent = [one for one in self.absent if places.get(one[0]) not in self.left_out]
        self.behind = {at: row for at, row in self.behind.items() if places.get(at[1]) not in self.left_out}

    def _notes(self) -> list[str]:
        shown = shown_analyses(self.declared)
        named = (part.outcome for measure in self.declared.measures for part in measure.parts)
        outcomes = {self.fixed.get("outcome"), *named, *(self.declared.outcomes if "outcome" not in self.fixed else ())}
        has_intervals = any(statistic.statistic == "ci_low" for *_, statistic in self.cells)
        said = brackets(self.study, self.declared) if has_intervals else []
        notes = [one for one in said if one not in self.declared.notes]
        notes += self.declared.notes
        notes += conventions(self.study, shown, {name for name in outcomes if name}, self.sizes)
        notes += independence(self.study, self.declared, self.doubts)
        notes += fixed_levels(self.study, self.declared)
        notes += [sentence for name in shown if (sentence := valid_tests(self.study.analyses[name], self.tests))]
        notes += printing(self.study.style, self.declared)
        return [*notes, *([absence(self.study.style.missing, [why for _, why in self.absent])] if self.absent else [])]

    def _rows(self) -> list[_Rows]:
        if self.declared.rows:
            return [_Rows(self.declared.rows)]
        return [_Rows(block.rows, block) for block in self.declared.blocks]

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
                return list(self.declared.levels.get(axis) or self.study.factors[axis].levels)

    def _terms(self) -> list[str]:
        """Return the terms declared, or the outcome's (refusal and uncoded only if present), or those estimated."""
        if self.declared.terms:
            return list(self.declared.terms)
        outcome = self.study.outcomes[self.fixed["outcome"]]
        own = (*outcome.terms, REFUSAL, INVALID) if isinstance(outcome, Categories) else ()
        first = self.declared.measures[0].parts[0].analysis
        present = dict.fromkeys(
            term
            for rows in self._rows()
            for context in self._contexts(
                tuple(axis for axis in (*rows.axes, *self.declared.columns) if axis not in {"term", "measure"})
            )
            for term in self.index.terms(rows.analysis(first), self.fixed | context)
        )
        if not {*own} & {*(self.study.analyses[first].terms(self.study) or own)}:
            return list(present)
        return [*own[:-2], *(term for term in own[-2:] if term in present)]

    def _is_present(self, rows: _Rows, context: Context) -> bool:
        """Return whether the data have such a row in any table of the set; e.g., `male` is no row under `Age`."""
        analysis = rows.analysis(self.declared.measures[0].parts[0].analysis)
        if "term" in rows.axes:  # terms are declared or the outcome's own: those without estimates are shown as missing
            return True
        return tuple(context.values()) in self.index.levels_present(analysis, rows.axes)

    def _row(self, rows: _Rows, context: Context, cells: list[Context]) -> Row:
        *groups, last = rows.axes
        head = [] if rows.block is None else [rows.block]
        key = "/".join([*(block.id for block in head), *context.values()])
        label = self._label(last, context[last])
        texts = tuple(self._cell(rows, key, label, cell) for cell in cells)
        if self.declared.column_margin is not None:
            margin = self.declared.column_margin
            texts = (*texts, self._margin_cell(key, margin.id, margin.analysis, self.fixed | context))
        n = ""
        if self.declared.row_n:
            found = self.index.terms(self.declared.row_n, self.fixed | context)
            count: int = next(iter(found.values()))["n"] if found else 0
            self.cells.append((self.id, key, "", Printed("n", float(count), str(count))))
            n = f"{count:,}"
        headings = [*(block.label for block in head), *(self._label(axis, context[axis]) for axis in groups)]
        return Row(
            id=key,
            label=self.declared.row_label.replace("{n}", n).replace("{label}", label),
            cells=texts,
            group=", ".join(headings),
        )

    def _margin_row(self, margin: Margin, cells: list[Context]) -> Row:
        """Return the last row, whose cells show another analysis."""
        columns = ["/".join(cell[axis] for axis in self.declared.columns) for cell in cells]
        texts = [
            self._margin_cell(margin.id, column, margin.analysis, cell)
            for column, cell in zip(columns, cells, strict=True)
        ]
        if self.declared.column_margin is not None and self.declared.corner is not None:
            place = self.declared.column_margin.id
            texts.append(self._margin_cell(margin.id, place, self.declared.corner, self.fixed))
        return Row(id=margin.id, label=margin.label, cells=tuple(texts), group="")

    def _margin_cell(self, row: str, column: str, analysis: str, context: Context) -> str:
        """Return a cell of the margin row or column: the measure's parts, computed by the margin's analysis."""
        measure = self._measure(context)
        return self._joined(measure, [self._part(part, analysis, (row, column), context) for part in measure.parts])

    def _joined(self, measure: Measure, texts: list[str]) -> str:
        """Join the texts of a measure's parts in one cell."""
        if not measure.layout:
            return "".join(texts)
        if len(set(texts)) == 1 and texts[0] in {self.study.style.missing, ""}:
            return texts[0]
        cell = measure.layout
        for part, text in zip(measure.parts, texts, strict=True):
            cell = cell.replace(f"{{{part.statistic}}}", text)
        sign = self.study.style.missing  # once, without brackets, for an interval that does not exist
        return cell.replace(f"[{sign}, {sign}]", sign).replace("[, ]", "").rstrip()

    def _cell(self, rows: _Rows, row: str, row_label: str, context: Context) -> str:
        column = "/".join(context[axis] for axis in self.declared.columns)
        texts: list[str] = []
        measure = self._measure(context)
        for part in measure.parts:
            analysis = rows.analysis(part.analysis)
            texts.append(self._part(part, analysis, (row, column), context))
            if self.study.analyses[analysis].counts_tests and (found := self._found(part, analysis, context)):
                self.tests.append((self._column_group(context), row_label, next(iter(found.values()))["n"]))
        return self._joined(measure, texts)

    def _found(self, part: Part, analysis: str, context: Context) -> dict[str, Estimate]:
        return self.index.terms(analysis, context | ({"outcome": part.outcome} if part.outcome else {}))

    def _part(self, part: Part, analysis: str, place: tuple[str, str], context: Context) -> str:
        """Return the text of a measure's part in a cell, and record its numbers, estimate and missing values."""
        found = self._found(part, analysis, context)
        statistics = printed(part, found, context.get("term"), self.study.style)
        if found and statistics:
            first = next(iter(found.values()))
            self.behind.setdefault(place, found.get(part.term or context.get("term", ""), first))
        for statistic in statistics:
            self.cells.append((self.id, *place, statistic))
            if statistic.value is None and statistic.text == self.study.style.missing:
                self.absent.append((place[1], why_missing(part, found, context.get("term"))))
        return joined(part, statistics, self.study.style)

    def _measure(self, context: Context) -> Measure:
        wanted = context.get("measure")
        return next(measure for measure in self.declared.measures if wanted in {None, measure.id})

    def _column(self, context: Context) -> Column:
        last = self.declared.columns[-1]
        label, spanner = self._label(last, context[last]), ""
        if self.declared.column_label:
            label = self.declared.column_label
            for axis, level in context.items():
                label = label.replace(f"{{{axis}}}", self._label(axis, level))
        elif len(context) > 1:
            spanner = self._column_group(context)
        is_text = isinstance(self._measure(context).parts[0], RankedPart | DecisionPart)
        align = "left" if is_text else "right"
        return Column("/".join(context.values()), label, spanner, align, is_statistic=last == "measure")

    def _column_group(self, context: Context) -> str:
        first = self.declared.columns[0]
        return self._label(first, context[first])

    def _label(self, axis: str, level: str) -> str:
        if level in self.declared.labels.get(axis, {}):
            return self.declared.labels[axis][level]
        match axis:
            case "outcome":
                return self.study.outcomes[level].label
            case "measure":
                return self._measure({"measure": level}).label
            case "term" if "outcome" in self.fixed:
                return term_label(self.study, self.fixed["outcome"], level)
            case "term":  # a term of a correlation
                return self.study.outcomes[level].label
            case _:
                return self.study.factors[axis].levels[level]

    def _fill(self, template: str) -> str:
        for axis, level in self.fixed.items():
            template = template.replace(f"{{{axis}}}", self._label(axis, level))
        return template


def lay_out(study: Study, estimates: pl.DataFrame, listings: Sequence[Table] = ()) -> Tables:
    """Lay out every table of a study."""
    index, sizes = EstimateIndex(study, estimates), family_sizes(study, estimates)
    found: dict[str, tuple[Table, pl.DataFrame]] = {}
    analyses: dict[str, list[str]] = {}
    supplementary: set[str] = set()
    behind: dict[str, Behind] = {}
    for declared in study.tables:
        own: dict[str, tuple[Table, pl.DataFrame]] = {}
        for name, context in numbered(study, declared):
            sheet = _Sheet(study, declared, index, name, context, sizes=sizes, doubts=doubts(estimates))
            table = sheet.lay_out()
            rows = [(*place, *statistic) for *place, statistic in sheet.cells]
            own[table.id] = (table, pl.DataFrame(rows, schema=CELL_SCHEMA, orient="row"))
            behind[table.id] = sheet.behind
        for new, old in declared.repeats.items():
            if old not in own:
                raise UsageError(f"table {new} repeats table {old}, which is not in the same set")
            table, frame = own[old]
            own[new] = (replace(table, id=new), frame.with_columns(pl.lit(new).alias("table")))
            behind[new] = behind[old]
        refuse_taken(own, found)
        found |= own
        analyses |= dict.fromkeys(own, shown_analyses(declared))
        if declared.supplementary:
            supplementary.update(own)
    for table in listings:
        refuse_taken([table.id], found)
        found[table.id] = (table, _listed(table))
        analyses[table.id] = []
    ordered = sorted(found.values(), key=lambda one: natural_order(one[0].id))
    cells = pl.concat([pl.DataFrame(schema=CELL_SCHEMA), *(frame for _, frame in ordered)])
    return Tables([table for table, _ in ordered], cells, analyses, frozenset(supplementary), behind)


def refuse_taken(numbers: Iterable[str], taken: Container[str]) -> None:
    """Refuse numbers that other tables have."""
    for number in numbers:
        if number in taken:
            raise UsageError(f"two tables have the number {number}")


def lay_out_listings(study: Study, entries: pl.DataFrame) -> list[Table]:
    """Lay out the tables that list stimuli."""
    tables: list[Table] = []
    for listing in study.listings:
        own = entries.filter(listing=listing.id)
        rows: list[Row] = []
        for (name, key), group in own.group_by("file", "list", maintain_order=True):
            texts = group.get_column("entry").to_list()
            shown = "; ".join(texts[: listing.entries]) + ("; …" if len(texts) > listing.entries else "")
            rows.append(Row(f"{name}/{key}", str(key), (f"{len(texts):,}", shown), group=listing.files[str(name)]))
        if rows:
            columns = (Column("n", "Entries"), Column("entries", "First of them", align="left"))
            tables.append(Table(listing.id, listing.title, listing.stub, columns, tuple(rows), listing.notes))
    return tables


def _listed(table: Table) -> pl.DataFrame:
    """Return the cells of a table that lists stimuli, each as a statistic named after its column."""
    rows = [
        (table.id, row.id, column.id, column.id, None, text, (), "")
        for row in table.rows
        for column, text in zip(table.columns, row.cells, strict=True)
    ]
    return pl.DataFrame(rows, schema=CELL_SCHEMA, orient="row")
