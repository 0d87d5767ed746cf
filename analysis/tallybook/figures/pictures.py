"""From declared points, heatmaps and curves to plots, with their sizes and what they show in words."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.figures import curve, heatmap, points
from tallybook.figures.grid import Layout
from tallybook.figures.numbers import MINUS
from tallybook.figures.selection import chosen, level_names, of_analysis
from tallybook.figures.tiles import Shades
from tallybook.figures.value_axis import ValueAxis
from tallybook.study.figures import CurvePlot, HeatPlot, PointPlot
from tallybook.study.number_text import fixed, scaled

if TYPE_CHECKING:
    from plotnine import ggplot
    from plotnine.composition import Compose

    from tallybook.study.figures import Plot
    from tallybook.study.model import Study

# Columns beside those of the estimates.
_TEXT, _X = "text of the number", "number on the axis"


class Picture(NamedTuple):
    """A plot that is ready to be saved.

    Attributes:
        plot: The plot.
        alt_text: What it shows, for those who do not see it.
        width: The inches it needs.
        height: The inches it needs.
    """

    plot: ggplot | Compose
    alt_text: str
    width: float
    height: float


def picture(
    study: Study, plot: Plot, estimates: pl.DataFrame, place: str, width: float, *, side_labels: bool = True
) -> Picture:
    """Draw a declared plot.

    Args:
        study: The study.
        plot: The declaration.
        estimates: The study's estimates.
        place: How the plot is called in a message.
        width: The inches it may take.
        side_labels: Whether the groups of flipped points are named.

    Returns:
        The picture.

    Raises:
        UsageError: If there is no estimate to show, or not exactly one for each point or cell.
    """
    match plot:
        case PointPlot():
            return _points(study, plot, estimates, place, width, side_labels=side_labels)
        case HeatPlot():
            return _heatmap(study, plot, estimates, place, width)
        case CurvePlot():
            return _curve(study, plot, estimates, place, width)


def intervals(shown: pl.DataFrame) -> str:
    """What the intervals of some estimates are.

    Args:
        shown: Rows of the estimates.

    Returns:
        The level of confidence, where all have the same.
    """
    levels = shown.filter(pl.col("ci_low").is_not_null()).get_column("confidence").unique().to_list()
    return f"{100 * levels[0]:g} % confidence intervals" if len(levels) == 1 and levels[0] else "intervals"


def _points(
    study: Study, plot: PointPlot, estimates: pl.DataFrame, place: str, width: float, *, side_labels: bool
) -> Picture:
    shown = _scaled(chosen(study, plot, estimates, place, thing="point"), plot.scale, plot.value, "ci_low", "ci_high")
    layout, axis = _layout(study, plot, shown, width), _value_axis(plot)
    settings: dict[str, Any] = {"flip": plot.flip}
    if plot.interval and plot.value == "estimate":
        settings |= {"low": "ci_low", "high": "ci_high", "interval": intervals(shown)}
    drawn = points.points(shown, layout, axis, missing=study.style.missing, side_labels=side_labels, **settings)
    said = points.alt_text(shown, layout, axis, **settings)
    return Picture(drawn, said, width, points.height(shown, layout, axis, flip=plot.flip))


def _heatmap(study: Study, plot: HeatPlot, estimates: pl.DataFrame, place: str, width: float) -> Picture:
    shown = chosen(study, plot, estimates, place, thing="cell")
    cells = _completed(plot, shown.select(*plot.axes, pl.col(plot.value).cast(pl.Float64)))
    numbers: list[float | None] = cells.get_column(plot.value).to_list()
    cells = cells.with_columns(
        pl.Series(plot.value, [None if each is None else scaled(each, plot.scale) for each in numbers], pl.Float64),
        pl.Series(_TEXT, [None if each is None else _printed(study, plot, each) for each in numbers], pl.String),
    )
    layout = _heat_layout(study, plot, shown, width)
    narrow, height = heatmap.size(cells, layout, text=_TEXT)
    layout = replace(layout, width=narrow)
    shades = Shades(plot.palette, plot.midpoint or 0.0, plot.limits)
    drawn = heatmap.heatmap(cells, layout, shades, text=_TEXT, missing=study.style.missing)
    return Picture(drawn, heatmap.alt_text(cells, layout, text=_TEXT), narrow, height)


def _curve(study: Study, plot: CurvePlot, estimates: pl.DataFrame, place: str, width: float) -> Picture:
    shown = _with_x(plot, chosen(study, plot, estimates, place, thing="point", x=plot.x), place)
    shown = _scaled(shown, plot.scale, "estimate", "ci_low", "ci_high")
    layout, axis = _layout(study, plot, shown, width), _value_axis(plot)
    settings: dict[str, Any] = {"x": _X, "x_title": plot.x_label}
    if plot.interval:
        settings |= {"low": "ci_low", "high": "ci_high", "interval": intervals(shown)}
    if plot.points:
        circles = of_analysis(plot, estimates, plot.points, plot.point_terms)
        if circles.is_empty():
            raise UsageError(f"{place}: {plot.points} has no estimates for it")
        circles = _scaled(_with_x(plot, circles, place), plot.scale, "estimate")
        settings |= {"circles": circles, "circles_label": plot.points_label}
    drawn = curve.curve(shown, layout, axis, missing=study.style.missing, **settings)
    return Picture(
        drawn, curve.alt_text(shown, layout, axis, **settings), width, curve.height(shown, layout, axis, x=_X)
    )


def _layout(study: Study, plot: PointPlot | CurvePlot, shown: pl.DataFrame, width: float) -> Layout:
    names = level_names(study, plot, shown)
    return Layout(
        x=plot.x if isinstance(plot, PointPlot) else None,
        fill=plot.colour,
        y=plot.value if isinstance(plot, PointPlot) else "estimate",
        panel_columns=plot.panels,
        panel_rows=plot.panel_rows,
        labels=names,
        orders={axis: tuple(levels) for axis, levels in names.items()},
        colours=plot.colours,
        per_row=plot.panels_per_row,
        legend=plot.legend,
        title=plot.heading,
        y_title=plot.y_label,
        width=width,
    )


def _heat_layout(study: Study, plot: HeatPlot, shown: pl.DataFrame, width: float) -> Layout:
    names = level_names(study, plot, shown)
    if plot.symmetric:
        # Each estimate has a place in two rows and columns: both have all names, and the same order.
        both = {**names[plot.columns], **names[plot.rows]}
        known = [name for name in study.outcomes if name in both]
        order = [*known, *(name for name in both if name not in known)]
        names |= {axis: {name: both[name] for name in order} for axis in (plot.rows, plot.columns)}
    return Layout(
        x=plot.columns,
        fill=plot.rows,
        y=plot.value,
        panel_columns=plot.panels,
        labels=names,
        orders={axis: tuple(levels) for axis, levels in names.items()},
        legend=plot.legend,
        title=plot.heading,
        y_title=plot.y_label,
        width=width,
    )


def _value_axis(plot: PointPlot | CurvePlot) -> ValueAxis:
    return ValueAxis(plot.y_limits, plot.line, plot.line_label, plot.band, plot.band_label)


def _completed(plot: HeatPlot, cells: pl.DataFrame) -> pl.DataFrame:
    """The cells of a matrix that is declared symmetric, with its other half and its diagonal."""
    if plot.symmetric:
        mirrored = cells.rename({plot.rows: plot.columns, plot.columns: plot.rows}).select(cells.columns)
        cells = pl.concat([cells, mirrored.join(cells, on=plot.axes, how="anti", nulls_equal=True)])
    if plot.diagonal is not None:
        panels = [plot.panels] if plot.panels else []
        levels = pl.concat([cells.select(*panels, pl.col(name).alias("level")) for name in (plot.rows, plot.columns)])
        same = levels.unique(maintain_order=True).select(
            *panels,
            pl.col("level").alias(plot.rows),
            pl.col("level").alias(plot.columns),
            pl.lit(plot.diagonal).alias(plot.value),
        )
        absent = same.join(cells, on=plot.axes, how="anti", nulls_equal=True)
        cells = pl.concat([cells, absent.select(cells.columns)])
    return cells


def _printed(study: Study, plot: HeatPlot, number: float) -> str:
    text = fixed(number, plot.digits, scale=plot.scale, rounding=study.style.rounding)
    return text.replace("-", MINUS)


def _scaled(shown: pl.DataFrame, scale: int, *numbers: str) -> pl.DataFrame:
    return shown.with_columns(pl.col(number).cast(pl.Float64) * scale for number in dict.fromkeys(numbers))


def _with_x(plot: CurvePlot, shown: pl.DataFrame, place: str) -> pl.DataFrame:
    """The rows that have a number on the horizontal axis, in a column of its own."""
    numbers = shown.get_column(plot.x).cast(pl.Float64, strict=False) if plot.x in shown.columns else None
    if numbers is None or not numbers.is_finite().any():
        raise UsageError(f"{place}: {shown['analysis'][0]} has no numbers {plot.x!r}")
    return shown.with_columns(numbers.alias(_X))
