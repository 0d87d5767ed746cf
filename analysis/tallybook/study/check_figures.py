"""Whether a figure fits the factors, outcomes and analyses that it shows."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallybook.study.base import must_exist
from tallybook.study.check_tables import check_levels
from tallybook.study.coding import ScoreOutcome
from tallybook.study.figures import CurvePlot, GroupedBars, PointPlot, StackedBars, placed_plots
from tallybook_schemas.frames import Estimates

if TYPE_CHECKING:
    from tallybook.study.figures import Figure, Plot
    from tallybook.study.model import Study

AXES = ("panel_rows", "panels", "x", "bars", "colour", "rows", "columns")
"""The settings that each name what a figure is split by."""

_NUMBERS = tuple(name for name, kind in Estimates.to_schema().dtypes.items() if str(kind).startswith(("Float", "Int")))
"""The numbers of estimates, each of which can be the x of a curve."""


def check_figure(study: Study, figure: Figure, place: str) -> None:
    """Refuse a figure that names what is not declared.

    Args:
        study: The study.
        figure: One of its figures.
        place: Where it is declared.

    Raises:
        ValueError: For the first fault.
    """
    for plot, own in placed_plots(figure, place):
        _check_plot(study, plot, own)


def _check_plot(study: Study, plot: StackedBars | GroupedBars | Plot, place: str) -> None:
    must_exist([plot.analysis], study.analyses, f"{place}.analysis", "analysis")
    is_bars = isinstance(plot, StackedBars | GroupedBars)
    must_exist(plot.outcomes, study.outcomes, f"{place}.{'outcome' if is_bars else 'outcomes'}", "outcome")
    for setting in AXES:
        axis = getattr(plot, setting, None)
        if axis in plot.axes and axis not in (("term",) if is_bars else ("outcome", "term")):
            must_exist([axis], study.factors, f"{place}.{setting}", "factor")
    must_exist(plot.where, study.factors, f"{place}.where", "factor")
    must_exist(plot.levels, study.factors, f"{place}.levels", "factor")
    check_levels(study, {name: (level,) for name, level in plot.where.items()}, f"{place}.where")
    check_levels(study, plot.levels, f"{place}.levels")
    must_exist(plot.labels, (*study.factors, "outcome", "term"), f"{place}.labels", "factor")
    known = {name: tuple(labels) for name, labels in plot.labels.items() if name != "term"}
    check_levels(study, known, f"{place}.labels")
    if isinstance(plot, PointPlot | CurvePlot) and plot.colour in study.factors:
        must_exist(plot.colours, study.factors[plot.colour].levels, f"{place}.colours", "level")
    if isinstance(plot, CurvePlot):
        _check_x(study, plot, place)
        if plot.points is not None:
            must_exist([plot.points], study.analyses, f"{place}.points", "analysis")


def _check_x(study: Study, plot: CurvePlot, place: str) -> None:
    """The x of a curve must be numbers."""
    scores = [name for name, outcome in study.outcomes.items() if isinstance(outcome, ScoreOutcome)]
    must_exist([plot.x], (*scores, *study.factors, *_NUMBERS), f"{place}.x", "score, factor or number")
    shown = plot.levels.get(plot.x) or (study.factors[plot.x].levels if plot.x in study.factors else ())
    for level in shown:
        if not _is_number(level):
            raise ValueError(f"{place}.x: level {level!r} of {plot.x} is no number")


def _is_number(level: str) -> bool:
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False
