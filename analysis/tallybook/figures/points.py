"""Points with intervals: one estimate for each group, in panels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Self

import polars as pl
from pydantic import model_validator

from tallybook.core.untrusted import visible
from tallybook.figures.composable import OnAxis, interval_settings
from tallybook.figures.parts import (
    CHARACTERS_PER_INCH,
    LETTER,
    LINE,
    as_pandas,
    colours,
    depth,
    folded,
    framed,
    group_axis,
    group_labels,
    legend,
    literal,
    names,
    no_bars,
    notes,
    room,
    texts,
)
from tallybook.figures.selection import chosen, level_names, rescaled
from tallybook.figures.slots import place_points
from tallybook.figures.style import FONT_SIZE, GRID_COLOUR, GUIDE_COLOUR, INK, SHAPES, plain_theme
from tallybook.figures.value_axis import number_scale, sign_place
from tallybook.figures.words import signs_explained, slots_in_words
from tallybook.study.base import Identifier, all_faults
from tallybook.study.figure_base import Picture
from tallybook.study.presentation import Column

if TYPE_CHECKING:
    from plotnine import ggplot, theme

    from tallybook.figures.grid import Grid, Layout
    from tallybook.figures.parts import Free
    from tallybook.figures.slots import Slots
    from tallybook.figures.value_axis import ValueAxis
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

# The part of a group's room that points beside each other take.
_GROUP = 0.7

# Inches: a panel with upright intervals, a point in one that is turned, the strip above a panel, and the axis below.
_PANEL, _POINT, _STRIP, _AXIS = 1.25, 0.15, 0.27, 0.45

# Labels at the side stand on so many lines.
_SIDE_LINES = 2


class Points(OnAxis):
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
        return self.with_colour(self.panel_rows, self.panels, self.x)

    @model_validator(mode="after")
    @all_faults
    def _interval_fits(self) -> Self:
        if self.value != "estimate" and self.interval and "interval" in self.model_fields_set:
            raise ValueError(f"interval: {self.value!r} has none")
        return self

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw it."""
        shown = chosen(study, self, estimates, place, thing="point")
        shown = rescaled(shown, self.scale, self.value, "ci_low", "ci_high")
        layout = self.axis_layout(study, shown, room.width, self.x, self.value)
        axis = self.value_axis()
        settings: dict[str, Any] = {"flip": self.flip}
        if self.interval and self.value == "estimate":
            settings |= interval_settings(shown)
        drawn = points(shown, layout, axis, missing=study.style.missing, side_labels=room.names_groups, **settings)
        said = alt_text(shown, layout, axis, **settings)
        return Picture(drawn, said, room.width, height(shown, layout, axis, flip=self.flip))

    def side_names(self, study: Study, estimates: pl.DataFrame, place: str) -> object:
        """Get the groups that stand below each other, and their names."""
        if not self.flip or self.panels or self.panel_rows:
            return None
        shown = chosen(study, self, estimates, place, thing="point")
        present = shown.get_column(self.x).unique().sort().to_list()
        return self.x, present, list(level_names(study, self, shown)[self.x].items())


def points(
    frame: pl.DataFrame,
    layout: Layout,
    axis: ValueAxis,
    *,
    flip: bool = False,
    low: str | None = None,
    high: str | None = None,
    interval: str = "intervals",
    missing: str = "–",
    side_labels: bool = True,
) -> ggplot:
    """Draw a point with its interval for each value of `x`, in panels.

    Categories differ in colour and shape. Where a group has several they stand side by side; where every group
    belongs to one of them, it has one place. A value that does not exist leaves a gap with a sign.

    `low`: The column with the lower end of a point's interval, drawn as a line; null where there is none.
    """
    import plotnine as p9

    slots = place_points(frame, layout, low, high, by_row=flip)
    if slots.frame.is_empty():
        return no_bars(layout.title)
    grid = slots.grid
    scale, ends = number_scale(axis.ends(*slots.extent()), _panel_inches(grid, layout, flip=flip), upright=not flip)
    explanations = [*axis.explained(), *_slots_explained(slots, interval, missing)]
    parts: list[Any] = [
        *axis.marks(upright=not flip),
        *_points(slots, missing, sign_place(ends), layout.width, flip=flip),
        scale,
        p9.coord_cartesian(xlim=ends if flip else None, ylim=None if flip else ends),
        p9.labs(
            caption=notes(explanations, layout.width) or None,
            **{"x" if flip else "y": literal(layout.y_title)},
        ),
        plain_theme(),
        *(_side_axis(grid, named=side_labels) if flip else group_axis(grid, layout.width)),
        _guides(flip=flip),
    ]
    parts += _looks(slots, layout)
    parts += framed(grid, layout, _free(slots, flip=flip))
    return p9.ggplot(as_pandas(_drawn(grid, flip=flip), slots.frame), p9.aes(**{"y" if flip else "x": "group"})) + parts


def height(frame: pl.DataFrame, layout: Layout, axis: ValueAxis, *, flip: bool = False) -> float:
    """Get the inches that a figure of points needs to be read."""
    slots = place_points(frame, layout, by_row=flip)
    grid = slots.grid
    around = 2 * _STRIP + len(axis.explained()) * LINE
    if flip:
        return _side_inches(slots) + _STRIP * grid.rows_of_panels() + _AXIS + around
    panel = _panel_inches(grid, layout, flip=False) + _STRIP
    return grid.rows_of_panels() * panel + _label_depth(grid, layout.width) + around


def alt_text(
    frame: pl.DataFrame,
    layout: Layout,
    axis: ValueAxis,
    *,
    flip: bool = False,
    low: str | None = None,
    high: str | None = None,
    interval: str = "intervals",
) -> str:
    """Say in words what `points` shows: its parts, the highest and lowest point of each panel, and the gaps.

    >>> from tallybook.figures.grid import Layout
    >>> from tallybook.figures.value_axis import ValueAxis
    >>> frame = pl.DataFrame({"sex": ["male", "female"], "value": [1.5, -0.25]})
    >>> text = alt_text(frame, Layout(x="sex", fill=None, y="value", y_title="Score"), ValueAxis(line=0))
    >>> text.removeprefix("Points. Vertical axis: Score. Groups: male, female. ")
    'Dashed line: 0. Highest: male 1.50; lowest: female −0.25.'
    """
    slots = place_points(frame, layout, low, high, by_row=flip)
    explained = [*axis.explained(), *_slots_explained(slots, interval)]
    side, colours = "Horizontal" if flip else "Vertical", "Colours" if layout.fill else ""
    return slots_in_words(slots, layout, "Points", axis=side, categories=colours, explained=explained)


def _looks(slots: Slots, layout: Layout) -> list[Any]:
    """Get the colour and shape of each category, and the legend."""
    import plotnine as p9

    grid = slots.grid
    if slots.filled().is_empty():  # plotnine warns of a legend of nothing
        return []
    fills = dict.fromkeys(grid.categories, INK)
    if layout.fill:
        fills = colours(grid, layout.refusal, layout.colours, marks=True)
    shapes = {category: SHAPES[number % len(SHAPES)] for number, category in enumerate(grid.categories)}
    settings: Any = {"limits": list(grid.categories), "labels": names(grid, "category")}
    shown = layout.legend and len(grid.categories) > 1
    return [
        p9.scale_color_manual(fills, **settings),
        p9.scale_shape_manual(shapes, **settings),
        legend(grid, layout.width, "color", "shape", size=2.2) if shown else p9.theme(legend_position="none"),
    ]


def _points(slots: Slots, missing: str, edge: float, width: float, *, flip: bool) -> list[Any]:
    """Get the layers of intervals, points and signs: one of each kind for every category."""
    import plotnine as p9

    grid = slots.grid
    inches = _POINT * _rows_in_group(slots) if flip else room(grid, width)
    step = _GROUP / len(grid.categories) if slots.beside else 0.0
    size = min(max(inches * (step or 1.0) * 12.5, 1.2), 2.0)
    sign = pl.lit(literal(missing)).alias("sign")
    along, across = ("x", "y") if flip else ("y", "x")
    point = p9.aes(**{along: "value"}, color="category", shape="category")
    span = p9.aes(**{across: "group", f"{across}end": "group", along: "low", f"{along}end": "high"}, color="category")
    turned = not flip and len(visible(missing)) > inches * (step or 1.0) * CHARACTERS_PER_INCH
    sign_look: dict[str, Any] = {"size": FONT_SIZE, "fontweight": "bold"}
    sign_look |= {"ha": "left", "va": "center"} if flip else {"va": "bottom", "angle": 90 if turned else 0}
    drawn = _drawn(grid, flip=flip)
    layers: list[Any] = []
    for number, category in enumerate(grid.categories):
        # The first category stands at the left, or at the top.
        offset = (number - (len(grid.categories) - 1) / 2) * step * (-1 if flip else 1)
        place: Any = {"position": p9.position_nudge(**{across: offset})}
        filled = as_pandas(drawn, slots.filled().filter(category=category))
        whiskers = as_pandas(drawn, slots.intervals().filter(category=category))
        empty = as_pandas(drawn, slots.empty().filter(category=category).with_columns(sign))
        if len(whiskers):
            layers.append(p9.geom_segment(span, whiskers, size=0.32 * size, show_legend=False, **place))
        if len(filled):
            layers.append(p9.geom_point(point, filled, size=size, stroke=0, **place))
        layers += texts(empty, p9.aes(label="sign"), **{along: edge}, **sign_look, **place)
    return layers


def _drawn(grid: Grid, *, flip: bool) -> Grid:
    """Get the places in the order of an axis, which runs upwards at the side: there the first group comes last."""
    return replace(grid, groups=grid.groups[::-1]) if flip else grid


def _guides(*, flip: bool) -> theme:
    """Get the grid lines of numbers, and fainter ones that lead from a group's label to its points."""
    from plotnine import element_line, theme

    faint, plain = element_line(color=GUIDE_COLOUR, size=0.3), element_line(color=GRID_COLOUR, size=0.4)
    return theme(panel_grid_major_x=plain if flip else faint, panel_grid_major_y=faint if flip else plain)


def _free(slots: Slots, *, flip: bool) -> Free:
    """Get the axis along which panels have groups of their own."""
    if slots.apart is None:
        return "fixed"
    return "free_y" if flip else "free_x"


def _side_axis(grid: Grid, *, named: bool) -> list[Any]:
    """Get the axis of groups at the side, the first one at the top."""
    from plotnine import element_blank, element_text, scale_y_discrete, theme

    return [
        scale_y_discrete(labels=_side_labels(grid)),
        # The last number below a panel and the first below the next one stay apart.
        theme(axis_title_y=element_blank(), axis_title_x=element_text(size=FONT_SIZE), panel_spacing_x=0.035),
        # Rows of few groups have no room for a name that stands upright.
        theme(strip_text_y=element_text(rotation=0, ha="left", size=FONT_SIZE, weight="bold")),
        *([] if named else [theme(axis_text_y=element_blank())]),
    ]


def _label_depth(grid: Grid, width: float) -> float:
    labels, angle = group_labels(grid, width)
    return depth(labels.values(), angle)


def _side_labels(grid: Grid) -> dict[str, str]:
    return {value: folded(name, _SIDE_LINES) for value, name in grid.names["group"].items()}


def _rows_in_group(slots: Slots) -> int:
    """Count the points, or lines of a label, below each other in a group at the side."""
    lines = max((label.count("\n") + 1 for label in _side_labels(slots.grid).values()), default=1)
    return max(lines, len(slots.grid.categories) if slots.beside else 1)


def _side_inches(slots: Slots) -> float:
    """Get the inches of all panels below each other."""
    grid = slots.grid
    groups = slots.frame.group_by("row", "column").agg(pl.col("group").n_unique())
    most = groups.group_by("row").agg(pl.col("group").max()).get_column("group").to_list()
    inches = [max(_POINT * _rows_in_group(slots) * number, 2 * _POINT) for number in most]
    return sum(inches) * grid.rows_of_panels() / max(len(most), 1)


def _panel_inches(grid: Grid, layout: Layout, *, flip: bool) -> float:
    """Get the inches of a panel along the axis of numbers."""
    if not flip:
        return _PANEL if grid.rows_of_panels() > 1 else 2 * _PANEL
    longest = max((len(line) for label in _side_labels(grid).values() for line in label.split("\n")), default=0)
    return (layout.width - longest * LETTER) / grid.per_row * 0.9


def _slots_explained(slots: Slots, interval: str, missing: str | None = None) -> list[str]:
    said = [] if slots.intervals().is_empty() else [f"Lines through points: {visible(interval)}."]
    return said + ([] if missing is None or slots.empty().is_empty() else [signs_explained(missing)])
