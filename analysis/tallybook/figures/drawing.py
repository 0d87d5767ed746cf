"""From a declared figure and the estimates to pictures in every format."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.figures import grouped_bars, stacked_bars
from tallybook.figures.composite import composite
from tallybook.figures.grid import Layout
from tallybook.figures.pictures import Picture, intervals, picture
from tallybook.figures.save import save
from tallybook.figures.selection import chosen, level_names, of_analysis
from tallybook.study.figures import Composite, GroupedBars, StackedBars
from tallybook.study.naming import term_label
from tallybook_schemas.vocabulary import INVALID

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.study.figures import Figure
    from tallybook.study.model import Study

    _Bars = StackedBars | GroupedBars

# Inches. A figure is as wide as a page's text, and each row of panels needs room for its bars.
WIDTH = 7.0
_ONE_ROW = 3.6
_MORE_ROWS = 1.75
_LEGEND = 1.2


class Drawn(NamedTuple):
    """A figure that was saved.

    Attributes:
        alt_text: What it shows, for those who do not see it.
        lacking: The letters that no font has.
    """

    alt_text: str
    lacking: frozenset[str]


def draw(study: Study, figure: Figure, estimates: pl.DataFrame, folder: Path) -> Drawn:
    """Draw one figure and save it as `<folder>/<id>.svg`, `.pdf` and `.png`.

    Args:
        study: The study.
        figure: The declaration.
        estimates: The study's estimates.
        folder: Where to write.

    Returns:
        What the figure shows in words, and the letters that it lacks.

    Raises:
        UsageError: If there is no estimate to show, or not exactly one for each bar.
    """
    drawn = drawing(study, figure, estimates)
    saved = save(drawn.plot, folder, figure.id, drawn.width, drawn.height)
    return Drawn(drawn.alt_text, saved.lacking)


def drawing(study: Study, figure: Figure, estimates: pl.DataFrame) -> Picture:
    """Draw one figure.

    Args:
        study: The study.
        figure: The declaration.
        estimates: The study's estimates.

    Returns:
        The picture, ready to be saved.

    Raises:
        UsageError: If there is no estimate to show, or not exactly one for each bar.
    """
    place = f"figure {figure.id}"
    match figure:
        case StackedBars():
            return _stacked(study, figure, estimates)
        case GroupedBars():
            return _grouped(study, figure, estimates)
        case Composite():
            return composite(study, figure, estimates, place, WIDTH)
        case _:
            return picture(study, figure, estimates, place, WIDTH)


def _stacked(study: Study, figure: StackedBars, estimates: pl.DataFrame) -> Picture:
    # Responses that could not be coded are part of the bars too: a bar that ends early would hide them.
    uncoded = of_analysis(figure, estimates, figure.analysis, [INVALID])
    rest = uncoded.filter(pl.col("estimate") > 0, outcome=figure.outcome).height > 0
    terms = [*figure.terms, *([INVALID] if rest and INVALID not in figure.terms else [])]
    shown = chosen(study, figure, estimates, f"figure {figure.id}", thing="bar", terms=terms)
    shown = shown.with_columns(percent=100 * pl.col("estimate"))
    named = {term: term_label(study, figure.outcome, term) for term in terms}
    layout = _layout(study, figure, shown, named, "percent")
    drawn = stacked_bars.stacked_bars(shown, layout)
    return Picture(drawn, stacked_bars.alt_text(shown, layout), WIDTH, _height(figure, shown))


def _grouped(study: Study, figure: GroupedBars, estimates: pl.DataFrame) -> Picture:
    shown = chosen(study, figure, estimates, f"figure {figure.id}", thing="bar")
    if "term" in figure.axes:
        # A term without any estimate has a place too, though an empty one.
        places = shown.select(figure.axes).drop("term").unique(maintain_order=True)
        terms = pl.DataFrame({"term": figure.terms})
        shown = places.join(terms, how="cross").join(shown, on=figure.axes, how="left", nulls_equal=True)
    numbers = {figure.value, "ci_low", "ci_high"}
    shown = shown.with_columns(pl.col(number).cast(pl.Float64) * figure.scale for number in sorted(numbers))
    named = {term: figure.names.get(term) or term_label(study, figure.outcome, term) for term in figure.terms}
    layout = _layout(study, figure, shown, named, figure.value)
    whiskers: dict[str, str] = {}
    if figure.interval and figure.value == "estimate":
        whiskers = {"low": "ci_low", "high": "ci_high", "interval": intervals(shown)}
    drawn = grouped_bars.grouped_bars(shown, layout, missing=study.style.missing, **whiskers)
    return Picture(drawn, grouped_bars.alt_text(shown, layout, **whiskers), WIDTH, _height(figure, shown))


def _layout(study: Study, figure: _Bars, shown: pl.DataFrame, terms: Mapping[str, str], number: str) -> Layout:
    names = level_names(study, figure, shown)
    if "term" in names:
        names["term"] = {**terms, **figure.labels.get("term", {})}
    return Layout(
        x=figure.x,
        fill=figure.fill,
        y=number,
        panel_columns=figure.panels,
        panel_rows=figure.panel_rows,
        labels=names,
        orders={axis: tuple(levels) for axis, levels in names.items()},
        y_title=figure.y_label,
        width=WIDTH,
    )


def _height(figure: _Bars, shown: pl.DataFrame) -> float:
    rows = shown.get_column(figure.panel_rows).n_unique() if figure.panel_rows else 1
    return _ONE_ROW if rows == 1 else _LEGEND + _MORE_ROWS * rows
