"""Checks that a table names declared things, and shows the factors, outcomes, terms and p-values of its analyses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import BRACED, OF_TABLE_NUMBERS, TABLE_NUMBER, require_declared
from tallybook.study.presentation import TableSet, TestPart

if TYPE_CHECKING:
    from tallybook.study.figure_base import Figure
    from tallybook.study.model import Study
    from tallybook.study.presentation import Part


def check_shown(study: Study, table: TableSet, place: str) -> None:
    """Raise a ValueError for a table that would be empty or show only signs for missing numbers."""
    if "outcome" in (*table.for_each, *table.rows, *table.columns) and not table.outcomes:
        raise ValueError(f"{place}.outcomes: this setting is missing; expected the outcomes that the table is split by")
    _check_rows(study, table, place)
    _check_one_estimate_a_cell(study, table, place)
    _check_placeholders(table, place)
    _check_levels_in_numbers(study, table, place)
    _check_terms(study, table, place)
    outcomes = [name for part in shown_in(table) for name in study.analyses[part].outcomes_of(study) or ()]
    require_declared(table.outcomes, dict.fromkeys(outcomes), f"{place}.outcomes", "outcome of the analyses shown")
    for number, measure in enumerate(table.measures, start=1):
        for position, part in enumerate(measure.parts, start=1):
            _check_part(study, part, f"{place}.measures[{number}].parts[{position}]")


def _check_rows(study: Study, table: TableSet, place: str) -> None:
    """Check that the analysis of each section of rows is split by the factors in its rows."""
    first = table.measures[0].parts[0].analysis
    sections = [(table.rows, first, f"{place}.rows")] if table.rows else []
    sections += [
        (block.rows, block.analysis, f"{place}.blocks[{number}].rows")
        for number, block in enumerate(table.blocks, start=1)
    ]
    for rows, analysis, setting in sections:
        split = (*study.analyses[analysis].by, "outcome", "term")
        require_declared(rows, split, setting, f"factor that analysis {analysis} splits by")


def _check_one_estimate_a_cell(study: Study, table: TableSet, place: str) -> None:
    """Check that each cell shows exactly one estimate: every factor of its analysis must be fixed or on an axis."""
    around = [*table.for_each, *table.where, *(["outcome"] if len(table.outcomes) == 1 else [])]
    shown = [(one.analysis, table.rows, table.columns) for measure in table.measures for one in measure.parts]
    shown = [(block.analysis, block.rows, table.columns) for block in table.blocks] or shown
    shown += [(table.row_n, table.rows, ())] if table.row_n and table.rows else []
    shown += [(table.row_margin.analysis, (), table.columns)] if table.row_margin else []
    shown += [(table.column_margin.analysis, table.rows, ())] if table.column_margin else []
    shown += [(table.corner, (), ())] if table.corner else []
    outcomes = {part.analysis for measure in table.measures for part in measure.parts if part.outcome is not None}
    for analysis, rows, columns in shown:
        own = {*around, *rows, *columns, *(["outcome"] if analysis in outcomes else [])}
        if free := [name for name in ("outcome", *study.analyses[analysis].by) if name not in own]:
            raise ValueError(
                f"{place}: analysis {analysis!r} has an estimate for each {' and '.join(free)}, and nothing says which "
                "is shown; name it in 'for_each', 'rows', 'columns' or 'where'"
            )


def _check_levels_in_numbers(study: Study, table: TableSet, place: str) -> None:
    """Check that the levels which a table's number holds can be part of one."""
    for axis in [name for name in BRACED.findall(table.id) if name in study.factors]:
        levels = [table.where[axis]] if axis in table.where else table.levels.get(axis) or study.factors[axis].levels
        if wrong := [level for level in levels if not TABLE_NUMBER.fullmatch(f"1{level}")]:
            told = (
                f"{axis} {wrong[0]!r} cannot be part of a table's number; expected {OF_TABLE_NUMBERS}: use {{number}}"
            )
            raise ValueError(f"{place}.id: {told}")


def _check_placeholders(table: TableSet, place: str) -> None:
    """Raise an error for placeholders in braces that would not be filled in, and would be printed as they are."""
    fixed = [*table.for_each, *table.where, *(["outcome"] if len(table.outcomes) == 1 else [])]
    names = BRACED.findall(table.id)
    if table.for_each and "number" not in names and not set(table.for_each) <= set(names):
        raise ValueError(f"{place}.id: every table of the set would have this number; expected '{{number}}' in it")
    for setting, text, known in (
        ("id", table.id, ["number", *fixed]),
        ("title", table.title, fixed),
        ("stub", table.stub, fixed),
        ("row_label", table.row_label, ["label", "n"]),
        ("column_label", table.column_label, table.columns),
    ):
        require_declared(BRACED.findall(text), known, f"{place}.{setting}", "name to be filled in")
    if "{n}" in table.row_label and table.row_n is None:
        raise ValueError(f"{place}.row_n: this setting is missing; expected the analysis that '{{n}}' is the n of")


def _check_terms(study: Study, table: TableSet, place: str) -> None:
    terms = [study.analyses[name].terms(study) for name in shown_in(table)]
    if None not in terms:
        known = dict.fromkeys(term for own in terms for term in own or ())
        require_declared(table.terms, known, f"{place}.terms", "term of the analyses shown")
        require_declared(table.labels.get("term", ()), known, f"{place}.labels.term", "term of the analyses shown")
    if "term" not in (*table.rows, *table.columns):
        return
    is_fixed = "outcome" in (*table.for_each, *table.where) or len(table.outcomes) == 1
    named = (*study.outcomes, *table.labels.get("term", ()))
    if not is_fixed and not (table.terms and all(term in named for term in table.terms)):
        raise ValueError(
            f"{place}: the terms of several outcomes have different names; "
            "expected one outcome, 'outcome' in 'for_each', or 'terms' with their names in 'labels.term'"
        )


def shown_in(part: TableSet | Figure) -> list[str]:
    """List the analyses whose estimates a table or a figure shows."""
    if isinstance(part, TableSet):
        own = [block.analysis for block in part.blocks]
        shown = own or [one.analysis for measure in part.measures for one in measure.parts]
        shown += [part.row_n] if part.row_n else []
        shown += [margin.analysis for margin in (part.row_margin, part.column_margin) if margin is not None]
        shown += [part.corner] if part.corner else []
    else:
        shown = [name for plot, _ in part.placed("") for name in plot.analyses]
    return list(dict.fromkeys(shown))


def _check_part(study: Study, part: Part, place: str) -> None:
    analysis = study.analyses[part.analysis]
    known = analysis.terms(study)
    if part.term is not None and known is not None:
        require_declared([part.term], known, f"{place}.term", f"term of {part.analysis}")
    if part.outcome is not None:
        outcomes = analysis.outcomes_of(study)
        require_declared([part.outcome], outcomes or (), f"{place}.outcome", f"outcome of {part.analysis}")
    if not isinstance(part, TestPart):
        return
    if not analysis.has_tests:
        raise ValueError(f"{place}.analysis: {part.analysis!r} tests nothing: its statistic has no p-values")
    if part.value == "p_adjusted" and analysis.family is None:
        raise ValueError(f"{place}.value: the p-values of {part.analysis!r} are not adjusted: it has no 'family'")


def check_table(study: Study, table: TableSet, place: str) -> None:
    """Raise an error if a table refers to something that is not declared."""
    axes = (*study.factors, "outcome")
    require_declared(table.for_each, axes, f"{place}.for_each", "factor")
    table.check_selection(study, axes, place)
    require_declared(table.rows, (*axes, "term"), f"{place}.rows", "factor")
    require_declared(table.columns, (*axes, "term", "measure"), f"{place}.columns", "factor")
    require_declared(table.outcomes, study.outcomes, f"{place}.outcomes", "outcome")
    for number, block in enumerate(table.blocks, start=1):
        require_declared(block.rows, axes, f"{place}.blocks[{number}].rows", "factor")
        require_declared([block.analysis], study.analyses, f"{place}.blocks[{number}].analysis", "analysis")
    margins = {"row_margin.analysis": table.row_margin, "column_margin.analysis": table.column_margin}
    others = {name: None if margin is None else margin.analysis for name, margin in margins.items()}
    for setting, analysis in (others | {"corner": table.corner, "row_n": table.row_n}).items():
        require_declared([] if analysis is None else [analysis], study.analyses, f"{place}.{setting}", "analysis")
    for number, measure in enumerate(table.measures, start=1):
        for position, part in enumerate(measure.parts, start=1):
            setting = f"{place}.measures[{number}].parts[{position}]"
            require_declared([part.analysis], study.analyses, f"{setting}.analysis", "analysis")
            if part.outcome is not None:
                require_declared([part.outcome], study.outcomes, f"{setting}.outcome", "outcome")
