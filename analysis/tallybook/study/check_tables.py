"""Whether a table fits the factors, outcomes and analyses that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import must_exist

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.model import Study
    from tallybook.study.presentation import Inline, TableSet


def check_table(study: Study, table: TableSet, place: str) -> None:
    """Refuse a table that names what is not declared."""
    axes = (*study.factors, "outcome")
    must_exist(table.for_each, axes, f"{place}.for_each", "factor")
    must_exist(table.where, axes, f"{place}.where", "factor")
    check_levels(study, {name: (level,) for name, level in table.where.items()}, f"{place}.where")
    must_exist(table.levels, study.factors, f"{place}.levels", "factor")
    check_levels(study, table.levels, f"{place}.levels")
    must_exist(table.labels, (*axes, "term"), f"{place}.labels", "factor")
    for name in table.labels:
        if name in study.factors:
            must_exist(table.labels[name], study.factors[name].levels, f"{place}.labels.{name}", "level")
    must_exist(table.rows, (*axes, "term"), f"{place}.rows", "factor")
    must_exist(table.columns, (*axes, "term", "measure"), f"{place}.columns", "factor")
    must_exist(table.outcomes, study.outcomes, f"{place}.outcomes", "outcome")
    for number, block in enumerate(table.blocks, start=1):
        must_exist(block.rows, axes, f"{place}.blocks[{number}].rows", "factor")
        must_exist([block.analysis], study.analyses, f"{place}.blocks[{number}].analysis", "analysis")
    _check_margins(study, table, place)
    if table.row_n:
        must_exist([table.row_n], study.analyses, f"{place}.row_n", "analysis")
    for number, measure in enumerate(table.measures, start=1):
        for position, part in enumerate(measure.parts, start=1):
            setting = f"{place}.measures[{number}].parts[{position}]"
            must_exist([part.analysis], study.analyses, f"{setting}.analysis", "analysis")
            if part.outcome is not None:
                must_exist([part.outcome], study.outcomes, f"{setting}.outcome", "outcome")


def _check_margins(study: Study, table: TableSet, place: str) -> None:
    for setting, margin in (("row_margin", table.row_margin), ("column_margin", table.column_margin)):
        if margin is not None:
            must_exist([margin.analysis], study.analyses, f"{place}.{setting}.analysis", "analysis")
    if table.corner is not None:
        must_exist([table.corner], study.analyses, f"{place}.corner", "analysis")


def check_inline(study: Study, inline: Inline, place: str) -> None:
    """Refuse a number of the narrative that is not of one cell."""
    must_exist([inline.part.analysis], study.analyses, f"{place}.part.analysis", "analysis")
    must_exist([inline.outcome], study.outcomes, f"{place}.outcome", "outcome")
    by = study.analyses[inline.part.analysis].by
    must_exist(inline.where, by, f"{place}.where", f"factor of {inline.part.analysis}")
    if absent := [name for name in by if name not in inline.where]:
        raise ValueError(f"{place}.where: {absent[0]!r} is missing, by which {inline.part.analysis} is split")
    check_levels(study, {name: (level,) for name, level in inline.where.items()}, f"{place}.where")


def check_levels(study: Study, chosen: Mapping[str, tuple[str, ...]], place: str) -> None:
    """Refuse a level that its factor (or `outcome`) does not have."""
    for name, levels in chosen.items():
        if name in study.factors:
            must_exist(levels, study.factors[name].levels, f"{place}.{name}", "level")
        elif name == "outcome":
            must_exist(levels, study.outcomes, f"{place}.{name}", "level")
