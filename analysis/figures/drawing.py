"""From a declared figure and the estimates to pictures in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.errors import UsageError
from analysis.figures import grouped_bars, stacked_bars
from analysis.figures.grid import Layout
from analysis.figures.save import save
from analysis.tables.labels import term_label
from schemas.study.presentation import GroupedBars
from schemas.vocabulary import INVALID

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from schemas.study import Study
    from schemas.study.presentation import Figure, StackedBars

# Inches. A figure is as wide as a page's text, and each row of panels needs room for its bars.
WIDTH = 7.0
_ONE_ROW = 3.6
_MORE_ROWS = 1.75
_LEGEND = 1.2


def draw(study: Study, figure: Figure, estimates: pl.DataFrame, folder: Path) -> str:
    """Draw one figure and save it as `<folder>/<id>.svg`, `.pdf` and `.png`.

    Args:
        study: The study.
        figure: The declaration.
        estimates: The study's estimates.
        folder: Where to write.

    Returns:
        What the figure shows, for those who do not see it.

    Raises:
        UsageError: If there is no estimate to show, or not exactly one for each bar.
    """
    chosen = [pl.col(name).is_in(levels) for name, levels in figure.levels.items()]
    shown = estimates.filter(*chosen, analysis=figure.analysis, outcome=figure.outcome, **figure.where)
    if isinstance(figure, GroupedBars):
        return _draw_grouped(study, figure, shown, folder)
    return _draw_stacked(study, figure, shown, folder)


def _draw_stacked(study: Study, figure: StackedBars, estimates: pl.DataFrame, folder: Path) -> str:
    # Responses that could not be coded are part of the bars too: a bar that ends early would hide them.
    rest = estimates.filter(pl.col("term") == INVALID, pl.col("estimate") > 0).height > 0
    terms = [*figure.terms, *([INVALID] if rest and INVALID not in figure.terms else [])]
    shown = _one_each(study, figure, estimates, terms).with_columns(percent=100 * pl.col("estimate"))
    named = {term: term_label(study, figure.outcome, term) for term in terms}
    layout = _layout(study, figure, named, "percent")
    save(stacked_bars.stacked_bars(shown, layout), folder, figure.id, WIDTH, _height(figure, shown))
    return stacked_bars.alt_text(shown, layout)


def _draw_grouped(study: Study, figure: GroupedBars, estimates: pl.DataFrame, folder: Path) -> str:
    shown = _one_each(study, figure, estimates, figure.terms)
    if "term" in figure.axes:
        # A term without any estimate has a place too, though an empty one.
        places = shown.select(figure.axes).drop("term").unique(maintain_order=True)
        terms = pl.DataFrame({"term": figure.terms})
        shown = places.join(terms, how="cross").join(shown, on=figure.axes, how="left", nulls_equal=True)
    numbers = {figure.value, "ci_low", "ci_high"}
    shown = shown.with_columns(pl.col(number).cast(pl.Float64) * figure.scale for number in sorted(numbers))
    named = {term: figure.names.get(term) or term_label(study, figure.outcome, term) for term in figure.terms}
    layout = _layout(study, figure, named, figure.value)
    whiskers: dict[str, str] = {}
    if figure.interval and figure.value == "estimate":
        whiskers = {"low": "ci_low", "high": "ci_high", "interval": _intervals(shown)}
    drawn = grouped_bars.grouped_bars(shown, layout, missing=study.style.missing, **whiskers)
    save(drawn, folder, figure.id, WIDTH, _height(figure, shown))
    return grouped_bars.alt_text(shown, layout, **whiskers)


def _one_each(study: Study, figure: Figure, estimates: pl.DataFrame, terms: Sequence[str]) -> pl.DataFrame:
    """The estimates of some terms, of which there must be one for each bar or segment."""
    shown = estimates.filter(pl.col("term").is_in(terms))
    if shown.is_empty():
        raise UsageError(f"figure {figure.id}: {figure.analysis} has no estimates for it")
    if unsplit := [axis for axis in figure.axes if shown[axis].is_null().all()]:
        raise UsageError(f"figure {figure.id}: {figure.analysis} is not split by {unsplit[0]}")
    if shown.select(figure.axes).is_duplicated().any():
        left = [factor for factor in study.factors if factor not in figure.axes and shown[factor].n_unique() > 1]
        raise UsageError(
            f"figure {figure.id}: {figure.analysis} has several estimates for the same bar; fix "
            f"{' or '.join(left) or 'the other factors'} in 'where'"
        )
    return shown


def _layout(study: Study, figure: Figure, terms: Mapping[str, str], number: str) -> Layout:
    names = {axis: terms if axis == "term" else study.factors[axis].levels for axis in figure.axes}
    return Layout(
        x=figure.x,
        fill=figure.fill,
        y=number,
        panel_columns=figure.panels,
        panel_rows=figure.panel_rows,
        labels=names,
        orders={axis: figure.levels.get(axis) or tuple(values) for axis, values in names.items()},
        y_title=figure.y_label,
        width=WIDTH,
    )


def _height(figure: Figure, shown: pl.DataFrame) -> float:
    rows = shown.get_column(figure.panel_rows).n_unique() if figure.panel_rows else 1
    return _ONE_ROW if rows == 1 else _LEGEND + _MORE_ROWS * rows


def _intervals(shown: pl.DataFrame) -> str:
    """What the intervals of some estimates are."""
    levels = shown.filter(pl.col("ci_low").is_not_null()).get_column("confidence").unique().to_list()
    return f"{100 * levels[0]:g} % confidence intervals" if len(levels) == 1 and levels[0] else "intervals"
