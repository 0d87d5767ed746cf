"""Points with intervals: one estimate for each group, in panels."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.core.untrusted import visible
from tallybook.figures.composable import OnAxis
from tallybook.figures.parts import (
    CHARACTERS_PER_INCH,
    LETTER,
    LINE,
    as_pandas,
    depth,
    folded,
    framed,
    group_axis,
    group_labels,
    legend,
    literal,
    mark_colours,
    names,
    notes,
    room,
    texts,
)
from tallybook.figures.selection import chosen, interval_settings, level_names, rescaled
from tallybook.figures.slots import place_points
from tallybook.figures.style import FONT_SIZE, GRID_COLOUR, GUIDE_COLOUR, SHAPES, plain_theme
from tallybook.figures.value_axis import apart, gap_sign_height, number_scale
from tallybook.figures.words import signs_explained
from tallybook.study.base import Identifier
from tallybook.study.figure_base import Picture
from tallybook.study.presentation import Column

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.figures.grid import Grid, Layout
    from tallybook.figures.slots import Slots
    from tallybook.figures.value_axis import ValueAxis
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study

# The fraction of a group's room that the points side by side take.
_GROUP = 0.7

# Inches: the height of an unflipped panel, one of several rows and a single one, of a point in a flipped one, of the
# strip above a panel, and of the axis.
_PANEL, _ONLY_PANEL, _POINT, _STRIP, _AXIS = 1.25, 1.9, 0.15, 0.27, 0.45

# What means, and differences in means, of scores between two ends can be.
_ENDS: dict[str, Callable[[float, float], tuple[float, float]]] = {
    "score-mean": lambda low, high: (low, high),
    "mean-difference": lambda low, high: (low - high, high - low),
}

# The maximum number of lines of a label at the side.
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
        """The axes that identify a point."""
        return self.with_colour(self.panel_rows, self.panels, self.x)

    def _check_itself(self) -> None:
        super()._check_itself()
        if self.value != "estimate" and self.interval and "interval" in self.model_fields_set:
            raise ValueError(f"interval: {self.value!r} has none")

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the points."""
        shown = chosen(study, self, estimates, place, thing="point")
        shown = rescaled(shown, self.scale, self.value, "ci_low", "ci_high")
        intervals = interval_settings(shown) if self.interval and self.value == "estimate" else {}
        possible = self._possible(study) if intervals else (None, None)
        layout = self.layout(study, shown, room.width, x=self.x, y=self.value, possible=possible, **intervals)
        return points(shown, layout, self.value_axis(), flip=self.flip, side_labels=room.names_groups)

    def _possible(self, study: Study) -> tuple[float | None, float | None]:
        """Return the limits of means, and of differences in means, on a scale with ends; None without such."""
        analysis = study.analyses[self.analysis]
        ends_of = _ENDS.get(analysis.name())
        known = {column: ends for each in study.all_instruments for column, ends in each.limits.items()}
        scales = {known.get(study.outcomes[one].attribute) for one in analysis.outcomes_of(study) or ()}
        low, high = (scales.pop() if len(scales) == 1 else None) or (None, None)
        if ends_of is None or low is None or high is None:
            return None, None
        return ends_of(self.scale * low, self.scale * high)

    def side_names(self, study: Study, estimates: pl.DataFrame, place: str) -> object:
        """Return the axis, levels and labels at the plot's side; None unless flipped and without panels."""
        if not self.flip or self.panels or self.panel_rows:
            return None
        shown = chosen(study, self, estimates, place, thing="point")
        present = shown.get_column(self.x).unique().sort().to_list()
        return self.x, present, list(level_names(study, self, shown)[self.x].items())


def points(
    frame: pl.DataFrame, layout: Layout, axis: ValueAxis, *, flip: bool = False, side_labels: bool = True
) -> Picture:
    """Draw a point with its interval for each value of `x`, in panels.

    Categories differ in colour and shape. Where a group has several categories they are side by side; where every group
    belongs to one category, it has one place. A value that does not exist leaves a gap with a sign.
    """
    import plotnine as p9

    slots = place_points(frame, layout, by_row=flip)
    grid = slots.grid
    # The axis at the side runs upwards, so the order of groups is reversed.
    drawn = replace(grid, groups=grid.groups[::-1]) if flip else grid
    side = {value: folded(name, _SIDE_LINES) for value, name in grid.names["group"].items()} if flip else {}
    longest = max((len(line) for label in side.values() for line in label.split("\n")), default=0)
    lines = max((label.count("\n") + 1 for label in side.values()), default=1)
    in_group = max(lines, len(grid.categories) if slots.beside else 1)
    if flip:
        panel = (layout.width - longest * LETTER) / grid.per_row * 0.9
    else:
        panel = _PANEL if grid.rows_of_panels() > 1 else _ONLY_PANEL
    extent = slots.extent(layout.possible)
    beside = flip and grid.per_row > 1
    scale, ends = number_scale(axis.ends(*extent), panel, upright=not flip, has_neighbours=beside)
    explained = axis.explained()
    explained += [] if slots.intervals().is_empty() else [f"Lines through points: {visible(layout.interval)}."]
    explained += ["Some go beyond the scale."] if extent != slots.extent() else []
    signs = [] if slots.empty().is_empty() else [signs_explained(layout.missing)]
    # Grid lines for numbers, and fainter ones from a group's label to its points.
    faint, plain = p9.element_line(color=GUIDE_COLOUR, size=0.3), p9.element_line(color=GRID_COLOUR, size=0.4)
    across, along = (faint, plain) if flip else (plain, faint)
    parts: list[Any] = [
        *axis.marks(upright=not flip),
        *_layers(slots, drawn, layout, gap_sign_height(ends), _POINT * in_group if flip else None),
        scale,
        p9.coord_cartesian(xlim=ends if flip else None, ylim=None if flip else ends),
        p9.labs(
            caption=notes([*explained, *signs], layout.width) or None,
            **{"x" if flip else "y": literal(layout.y_title)},
        ),
        plain_theme(),
        *(_side_axis(side, named=side_labels) if flip else group_axis(grid, layout.width)),
        *([apart(scale, layout.width)] if beside else []),
        p9.theme(panel_grid_major_x=along, panel_grid_major_y=across),
        *_looks(slots, layout),
        *framed(grid, layout, "fixed" if slots.apart is None else "free_y" if flip else "free_x"),
    ]
    plot = p9.ggplot(as_pandas(drawn, slots.frame), p9.aes(**{"y" if flip else "x": "group"})) + parts
    around = 2 * _STRIP + len(axis.explained()) * LINE
    if flip:
        height = _side_inches(slots, in_group) + _STRIP * grid.rows_of_panels() + _AXIS + around
    else:
        labels, angle = group_labels(grid, layout.width)
        height = grid.rows_of_panels() * (panel + _STRIP) + depth(labels.values(), angle) + around
    colours = "Colours" if layout.fill else ""
    axis_name = "Horizontal" if flip else "Vertical"
    said = slots.in_words(layout, "Points", axis=axis_name, categories=colours, explained=explained)
    return Picture(plot, said, layout.width, height)


def _looks(slots: Slots, layout: Layout) -> list[Any]:
    """Return the scales of colours and shapes, and the legend."""
    import plotnine as p9

    grid = slots.grid
    if slots.filled().is_empty():  # plotnine warns of an empty legend
        return []
    shapes = {category: SHAPES[number % len(SHAPES)] for number, category in enumerate(grid.categories)}
    settings: Any = {"limits": list(grid.categories), "labels": names(grid, "category")}
    return [
        p9.scale_color_manual(mark_colours(grid, layout), **settings),
        p9.scale_shape_manual(shapes, **settings),
        legend(grid, layout.width, "color", "shape", size=2.2)
        if len(grid.categories) > 1
        else p9.theme(legend_position="none"),
    ]


def _layers(slots: Slots, drawn: Grid, layout: Layout, edge: float, turned_inches: float | None) -> list[Any]:
    """Return the layers of intervals, points and signs: one of each for every category."""
    import plotnine as p9

    flip = turned_inches is not None
    step = _GROUP / len(drawn.categories) if slots.beside else 0.0
    inches = (turned_inches or room(drawn, layout.width)) * (step or 1.0)
    size = min(max(inches * 18, 2.2), 3)
    along, across = ("x", "y") if flip else ("y", "x")
    point = p9.aes(**{along: "value"}, color="category", shape="category")
    span = p9.aes(**{across: "group", f"{across}end": "group", along: "low", f"{along}end": "high"}, color="category")
    turned = not flip and len(visible(layout.missing)) > inches * CHARACTERS_PER_INCH
    look: dict[str, Any] = {"size": FONT_SIZE, "fontweight": "bold", along: edge}
    look |= {"ha": "left", "va": "center"} if flip else {"va": "bottom", "angle": 90 if turned else 0}
    layers: list[Any] = []
    for offset, filled, whiskers, signs in slots.by_category(drawn, layout.missing):
        # The first category is on the left, or at the top.
        place: Any = {"position": p9.position_nudge(**{across: offset * step * (-1 if flip else 1)})}
        if len(whiskers):
            layers.append(p9.geom_segment(span, whiskers, size=0.23 * size, show_legend=False, **place))
        if len(filled):
            layers.append(p9.geom_point(point, filled, size=size, stroke=0, **place))
        layers += texts(signs, p9.aes(label="sign"), **look, **place)
    return layers


def _side_axis(labels: dict[str, str], *, named: bool) -> list[Any]:
    """Return the group axis at the side, with the first group at the top."""
    from plotnine import element_blank, element_text, scale_y_discrete, theme

    return [
        scale_y_discrete(labels=labels),
        theme(axis_title_y=element_blank(), axis_title_x=element_text(size=FONT_SIZE)),
        # Rows of few groups have no room for a vertical name.
        theme(strip_text_y=element_text(rotation=0, ha="left", size=FONT_SIZE, weight="bold")),
        *([] if named else [theme(axis_text_y=element_blank())]),
    ]


def _side_inches(slots: Slots, in_group: int) -> float:
    """Return the total height in inches of all panels below each other."""
    groups = slots.frame.group_by("row", "column").agg(pl.col("group").n_unique())
    most = groups.group_by("row").agg(pl.col("group").max()).get_column("group").to_list()
    inches = [max(_POINT * in_group * number, 2 * _POINT) for number in most]
    return sum(inches) * slots.grid.rows_of_panels() / len(most)
