"""Figures: which estimates they show, and how."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from tallybook.study.base import Declaration, FileName, Identifier, all_faults
from tallybook.study.presentation import Column

Colour = Annotated[str, StringConstraints(pattern=r"^#[0-9A-Fa-f]{6}$")]
"""A colour: '#' and six hexadecimal digits."""

Range = tuple[float, float]


class _Named(Declaration):
    id: FileName
    """The figure's number, which names its files."""
    title: str
    """The caption."""
    supplementary: bool = False
    """Whether the publication has no such figure."""


class _Plot(Declaration):
    analysis: Identifier
    """The analysis whose estimates are shown."""
    where: dict[Identifier, str] = {}
    """Fixed levels of factors."""
    levels: dict[Identifier, tuple[str, ...]] = {}
    """Factor -> the levels it shows, in their order; all levels otherwise."""
    labels: dict[Identifier, dict[str, str]] = {}
    """Factor (`outcome` or `term`) -> level -> how this figure calls it, instead of its own label."""
    panels: Identifier | None = None
    """The factor whose levels are panels side by side."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What identifies an estimate in the figure: factors, `outcome` and `term`."""
        return (self.panels,) if self.panels else ()

    @property
    def analyses(self) -> tuple[str, ...]:
        """The analyses whose estimates are shown."""
        return (self.analysis,)

    @model_validator(mode="after")
    @all_faults
    def _axes_differ(self) -> Self:
        if repeated := [axis for axis in self.axes if self.axes.count(axis) > 1]:
            raise ValueError(f"{repeated[0]!r} is used twice: for panels, rows of panels, x or colours")
        return self


class _Bars(_Named, _Plot):
    outcome: Identifier
    """The outcome whose terms are shown."""
    x: Identifier
    """The factor whose levels stand side by side on the horizontal axis."""
    panel_rows: Identifier | None = None
    """The factor whose levels are rows of panels."""

    @property
    def fill(self) -> str:
        """What colours stand for: `term` or a factor."""
        return "term"

    @property
    def outcomes(self) -> tuple[str, ...]:
        """The outcomes shown."""
        return (self.outcome,)

    @property
    def axes(self) -> tuple[str, ...]:
        """What a bar, or a segment of one, is identified by: factors and `term`."""
        return tuple(axis for axis in (self.panel_rows, self.panels, self.x, self.fill) if axis)


class StackedBars(_Bars):
    """Bars of 100 %: one a level of `x`, split by the terms of an outcome."""

    kind: Literal["stacked-bars"]
    terms: tuple[str, ...]
    """The parts of a bar, in order; together they are all responses."""
    y_label: str = "Percentage (%)"
    """The title of the vertical axis, with the unit."""


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
    @all_faults
    def _settings_agree(self) -> GroupedBars:
        if "term" not in self.axes and len(self.terms) > 1:
            raise ValueError("more than one term, but none of x, bars, panels and panel_rows is 'term'")
        if unknown := [term for term in self.names if term not in self.terms]:
            raise ValueError(f"names: {unknown[0]!r} is none of the terms")
        if self.value != "estimate" and self.interval and "interval" in self.model_fields_set:
            raise ValueError(f"interval: {self.value!r} has none")
        return self


class _Estimates(_Plot):
    """What the kinds below have in common: `outcome` and `term` can take the places of factors."""

    outcomes: tuple[Identifier, ...] = ()
    """The outcomes shown, in order; all that the analysis has otherwise."""
    terms: tuple[str, ...] = ()
    """The terms shown, in order; all that the analysis has otherwise."""
    heading: str = ""
    """What stands above the panels: for a plot that is one of several in a figure."""
    scale: int = Field(default=1, ge=1)
    """What numbers are multiplied by; 100 for percent."""
    y_label: str
    """What the numbers are, with the unit: the title of their axis."""
    legend: bool = True
    """Whether a legend explains colours."""


class _OnAxis(_Estimates):
    """What points and curves have in common: an axis of numbers, panels in rows, and colours."""

    panel_rows: Identifier | None = None
    """The factor whose levels are rows of panels."""
    panels_per_row: int | None = Field(default=None, ge=1)
    """How many of the panels stand side by side before the next row begins; by default all."""
    colour: Identifier | None = None
    """The factor told apart by colours (and by shapes or kinds of lines, for print without colours)."""
    colours: dict[str, Colour] = {}
    """Level -> its colour; colours of their own for others."""
    y_limits: Range | None = None
    """The ends of the axis of numbers, which nevertheless reaches as far as the numbers do."""
    line: float | None = None
    """A number that a dashed line marks, for instance that of no effect."""
    line_label: str = ""
    """What it stands for."""
    band: Range | None = None
    """A range of numbers on a grey ground."""
    band_label: str = ""
    """What it stands for."""
    interval: bool = True
    """Whether intervals are shown, where estimates have one."""

    def _with_colour(self, *places: str | None) -> tuple[str, ...]:
        """The axes: colours may stand for the levels of one that there is already."""
        axes = tuple(axis for axis in places if axis)
        return axes if self.colour is None or self.colour in axes else (*axes, self.colour)

    @model_validator(mode="after")
    @all_faults
    def _axis_fits(self) -> Self:
        for name, ends in (("y_limits", self.y_limits), ("band", self.band)):
            if ends is not None and ends[0] >= ends[1]:
                raise ValueError(f"{name}: the first number must be below the second")
        if self.line_label and self.line is None:
            raise ValueError("line_label: there is no 'line'")
        if self.band_label and self.band is None:
            raise ValueError("band_label: there is no 'band'")
        if self.panels_per_row is not None and (self.panels is None or self.panel_rows is not None):
            raise ValueError("panels_per_row needs 'panels', and no 'panel_rows'")
        if self.colours and self.colour is None:
            raise ValueError("colours: there is no 'colour'")
        return self


class PointPlot(_OnAxis):
    """A point with an interval for each level of `x`."""

    kind: Literal["points"]
    x: Identifier
    """The factor whose levels each have a point."""
    flip: bool = False
    """Whether the levels of `x` stand below each other at the side, where long names can be read."""
    value: Column = "estimate"
    """Which number of the estimates is shown; no other has an interval."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What a point is identified by."""
        return self._with_colour(self.panel_rows, self.panels, self.x)

    @model_validator(mode="after")
    @all_faults
    def _interval_fits(self) -> Self:
        if self.value != "estimate" and self.interval and "interval" in self.model_fields_set:
            raise ValueError(f"interval: {self.value!r} has none")
        return self


class HeatPlot(_Estimates):
    """A number in each cell of a grid, with a colour that says how large it is."""

    kind: Literal["heatmap"]
    rows: Identifier
    """The factor (`outcome` or `term`) whose levels are the rows."""
    columns: Identifier
    """The factor (`outcome` or `term`) whose levels are the columns."""
    value: Column = "estimate"
    """Which number of the estimates is shown."""
    digits: int = Field(default=2, ge=0, le=17)
    """Digits after the decimal point."""
    palette: Literal["sequential", "diverging"] = "sequential"
    """From light to dark, or from a light middle to two dark colours."""
    midpoint: float | None = None
    """The number in the middle of a diverging palette; 0 unless another is said."""
    limits: Range | None = None
    """The numbers at the ends of the palette, which nevertheless reaches as far as the numbers do; by default the
    smallest and the largest."""
    symmetric: bool = False
    """Whether an estimate of a row and a column is also that of the column and the row, as a correlation is."""
    diagonal: float | None = None
    """What stands where row and column are the same and there is no estimate: 1 for correlations."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What a cell is identified by."""
        return tuple(axis for axis in (self.panels, self.rows, self.columns) if axis)

    @model_validator(mode="after")
    @all_faults
    def _settings_agree(self) -> Self:
        if self.limits is not None and self.limits[0] >= self.limits[1]:
            raise ValueError("limits: the first number must be below the second")
        if self.midpoint is not None and self.palette != "diverging":
            raise ValueError("midpoint: only a diverging palette has one")
        return self


class CurvePlot(_OnAxis):
    """Curves over an axis of numbers, with a band where the estimates have intervals."""

    kind: Literal["curve"]
    x: Identifier = "statistic"
    """The numbers on the horizontal axis: a number of the estimates (fitted curves have the predictor's value as
    `statistic`), a factor of which the levels shown are numbers, or a score that the estimates have as a column."""
    x_label: str
    """The title of the horizontal axis, with the unit."""
    points: Identifier | None = None
    """An analysis whose estimates are drawn as circles behind the curves, the larger the more responses each rests on:
    for instance the outcomes that a curve was fitted to."""
    point_terms: tuple[str, ...] = ()
    """Its terms; all by default."""
    points_label: str = ""
    """What the circles are."""

    @property
    def axes(self) -> tuple[str, ...]:
        """What a curve is identified by."""
        return self._with_colour(self.panel_rows, self.panels)

    @property
    def analyses(self) -> tuple[str, ...]:
        """The analyses whose estimates are shown."""
        return (self.analysis, *([self.points] if self.points else []))

    @model_validator(mode="after")
    @all_faults
    def _points_exist(self) -> Self:
        if self.points is None and (self.point_terms or self.points_label):
            raise ValueError("point_terms and points_label: there are no 'points'")
        if self.x in self.axes:
            raise ValueError(f"{self.x!r} is used twice: for panels, rows of panels, x or colours")
        return self


Plot = Annotated[PointPlot | HeatPlot | CurvePlot, Field(discriminator="kind")]


class Points(_Named, PointPlot):
    """A figure of points with intervals."""


class Heatmap(_Named, HeatPlot):
    """A figure of numbers in coloured cells."""


class Curve(_Named, CurvePlot):
    """A figure of curves."""


class Composite(_Named):
    """A figure of several plots, each with estimates, axes and a heading of its own."""

    kind: Literal["composite"]
    direction: Literal["beside", "below"]
    """Whether the plots stand side by side or below each other."""
    plots: tuple[Plot, ...] = Field(min_length=2)
    """The plots, in order; each has the settings of a figure of its kind, without number and caption."""


Figure = Annotated[
    StackedBars | GroupedBars | Points | Heatmap | Curve | Composite,
    Field(discriminator="kind"),
]


def placed_plots(figure: Figure, place: str) -> list[tuple[StackedBars | GroupedBars | Plot, str]]:
    """The plots that a figure is made of.

    Args:
        figure: The figure.
        place: Where it is declared.

    Returns:
        Each plot, and where it is declared; a figure that is not composite is its only plot.
    """
    if isinstance(figure, Composite):
        return [(plot, f"{place}.plots[{number}]") for number, plot in enumerate(figure.plots, start=1)]
    return [(figure, place)]
