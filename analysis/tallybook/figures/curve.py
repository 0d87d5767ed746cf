"""Curves over a numeric axis, with bands, and with circles for observed values."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import visible
from tallybook.figures.composable import OnAxis
from tallybook.figures.grid import arrange
from tallybook.figures.parts import (
    LINE,
    NO_DATA,
    as_pandas,
    framed,
    legend,
    literal,
    mark_colours,
    names,
    notes,
    texts,
)
from tallybook.figures.selection import chosen, interval_settings, of_analysis, rescaled
from tallybook.figures.slots import one_column
from tallybook.figures.style import FONT_SIZE, GRID_COLOUR, INK, LINES, plain_theme
from tallybook.figures.value_axis import ValueAxis, apart, gap_sign_height, number_scale
from tallybook.figures.words import in_words, opening, panel_by_panel, signs_explained
from tallybook.study.base import Identifier, require_declared
from tallybook.study.coding import ScoreOutcome
from tallybook.study.figure_base import Picture
from tallybook_schemas.columns import Estimates

if TYPE_CHECKING:
    from tallybook.figures.grid import Grid, Layout
    from tallybook.study.figure_base import Room
    from tallybook.study.model import Study


_CURVE = ["row", "column", "category"]


@dataclass(frozen=True)
class Runs:
    """The curves of all panels of a figure."""

    # one row for each point of a curve: `row`, `column` (panels), `category`, `x`, `value` (null in a gap), `low` and
    # `high` (both null unless both exist and the value does) and `run`, the number of a stretch of adjacent rows that
    # all have a value or all lack one
    frame: pl.DataFrame
    # one row for each circle behind the curves: `row`, `column`, `x`, `value`, `n` and `size`, the square root of n
    # relative to the largest n
    circles: pl.DataFrame
    absent: pl.DataFrame  # the curves without any number: `row`, `column`, `category`
    grid: Grid  # the rows, columns and categories of the curves
    several: bool  # whether a panel has room for more than one curve

    def extent(self) -> tuple[tuple[float | None, float | None], tuple[float | None, float | None]]:
        """Return the smallest and the largest number along the horizontal and along the vertical axis."""
        found = pl.concat([self.frame.drop("category"), self.circles], how="diagonal").select(
            pl.col("x").min().alias("left"),
            pl.col("x").max().alias("right"),
            pl.min_horizontal("value", "low").min().alias("lowest"),
            pl.max_horizontal("value", "high").max().alias("highest"),
        )
        left, right, lowest, highest = found.row(0)
        return (left, right), (lowest, highest)

    def gaps(self) -> pl.DataFrame:
        """Return the gaps within curves: `row`, `column`, `category`, and `x`, the middle of the gap."""
        missing = self.frame.filter(pl.col("value").is_null()).join(self.absent, on=_CURVE, how="anti")
        return missing.group_by(*_CURVE, "run", maintain_order=True).agg(
            ((pl.col("x").min() + pl.col("x").max()) / 2).alias("x")
        )


def place_runs(frame: pl.DataFrame, layout: Layout, x: str, circles: pl.DataFrame | None = None) -> Runs:
    """Sort the points of curves by panel, category and x; find gaps, curves without data and circles."""
    tidy, grid = arrange(frame, layout, {"x": x, "value": layout.y, "low": layout.low, "high": layout.high})
    whole = pl.all_horizontal(pl.col("value", "low", "high").is_not_null())
    order = {"row": grid.rows, "column": grid.columns, "category": grid.categories}
    curves = (
        tidy.filter(pl.col("x").is_not_null())
        .with_columns(pl.when(whole).then(name).alias(name) for name in ("low", "high"))
        .sort(*(pl.col(role).cast(pl.Enum(values)) for role, values in order.items()), "x", maintain_order=True)
        .with_columns(pl.struct(*_CURVE, pl.col("value").is_null()).rle_id().cast(pl.Int64).alias("run"))
    )
    places = tidy.select("column", "category").unique()
    if places.get_column("category").is_duplicated().any():
        places = one_column("column", grid.columns).join(one_column("category", grid.categories), how="cross")
    several = bool(places.get_column("column").is_duplicated().any())
    places = one_column("row", grid.rows).join(places, how="cross").select(_CURVE)
    known = curves.filter(pl.col("value").is_not_null())
    absent = places.join(known, on=_CURVE, how="anti").sort(pl.col(role).cast(pl.Enum(order[role])) for role in _CURVE)
    nothing = frame.clear().with_columns(n=pl.lit(0))
    seen = _circles(nothing if circles is None else circles, layout, x, grid)
    return Runs(curves.select(*_CURVE, "x", "value", "low", "high", "run"), seen, absent, grid, several)


def _circles(circles: pl.DataFrame, layout: Layout, x: str, grid: Grid) -> pl.DataFrame:
    tidy, _ = arrange(circles, replace(layout, fill=None), {"x": x, "value": layout.y, "n": "n"})
    shown = tidy.filter(
        pl.col("row").is_in(grid.rows),
        pl.col("column").is_in(grid.columns),
        pl.all_horizontal(pl.col("x", "value").is_not_null()),
        pl.col("n") > 0,
    )
    size = (pl.col("n") / pl.col("n").max()).sqrt().alias("size")
    # Large circles are drawn first, so that small ones remain visible.
    return shown.select("row", "column", "x", "value", "n", size).sort("n", descending=True, maintain_order=True)


# Inches: the height of a panel in a single row of panels and in several, of the strip above it, and of the axis.
_ONE_PANEL, _PANEL, _STRIP, _AXIS = 2.2, 1.5, 0.27, 0.5

# The fraction of a figure's width that panels take.
_SHARE_OF_WIDTH = 0.88

# The size of the largest circle, and the opacity of circles and of bands.
_CIRCLE, _CIRCLE_OPACITY, _BAND_OPACITY = 5.0, 0.22, 0.2

# Inches added beyond the ends of the axes, without circles and with them: circles would otherwise be cut off.
_EDGE, _CIRCLE_EDGE = 0.04, 0.08

# The vertical distance between the gap signs of several curves, as a fraction of the axis length.
_ABOVE = 0.08

# The numeric columns of estimates, each of which can be the x of a curve, and the name of a further column for x.
_NUMBERS = tuple(name for name, column in Estimates.columns.items() if column.kind is not str)
_X = "number on the axis"


class Curve(OnAxis):
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
    points_label: str = ""
    """The description of the circles."""

    @property
    def axes(self) -> tuple[str, ...]:
        """The axes that identify a curve."""
        return self.with_colour(self.panel_rows, self.panels)

    @property
    def analyses(self) -> tuple[str, ...]:
        """The analyses whose estimates are shown."""
        return (self.analysis, *([self.points] if self.points else []))

    def _check_itself(self) -> None:
        super()._check_itself()
        if self.points is None and self.points_label:
            raise ValueError("points_label needs 'points'")
        if self.x in self.axes:
            raise ValueError(f"{self.x!r} is used twice: for panels, rows of panels, x or colours")

    def check_names(self, study: Study, place: str) -> None:
        """Raise a ValueError if the plot refers to names that the study does not declare or its x is not numeric."""
        super().check_names(study, place)
        scores = [name for name, outcome in study.outcomes.items() if isinstance(outcome, ScoreOutcome)]
        require_declared([self.x], (*scores, *study.factors, *_NUMBERS), f"{place}.x", "score, factor or number")
        shown = self.levels.get(self.x) or (study.factors[self.x].levels if self.x in study.factors else ())
        for level in shown:
            if not _is_number(level):
                raise ValueError(f"{place}.x: level {level!r} of {self.x} is not a number")
        if self.points is not None:
            require_declared([self.points], study.analyses, f"{place}.points", "analysis")

    def draw(self, study: Study, estimates: pl.DataFrame, place: str, room: Room) -> Picture:
        """Draw the curves."""
        shown = self._with_x(chosen(study, self, estimates, place, thing="point", x=self.x), place)
        shown = rescaled(shown, self.scale, "estimate", "ci_low", "ci_high")
        circles = None
        if self.points:
            circles = of_analysis(self, estimates, self.points, ())
            if circles.is_empty():
                raise UsageError(f"{place}: {self.points} has no estimates for it")
            circles = rescaled(self._with_x(circles, place), self.scale, "estimate")
        intervals = interval_settings(shown) if self.interval else {}
        layout = self.layout(study, shown, room.width, x=None, y="estimate", **intervals)
        settings: dict[str, Any] = {"circles": circles, "circles_label": self.points_label}
        return curve(shown, layout, self.value_axis(), x=_X, x_title=self.x_label, **settings)

    def _with_x(self, shown: pl.DataFrame, place: str) -> pl.DataFrame:
        """Add the numbers on the horizontal axis as a further column."""
        numbers = shown.get_column(self.x).cast(pl.Float64, strict=False) if self.x in shown.columns else None
        if numbers is None or not numbers.is_finite().any():
            raise UsageError(f"{place}: {shown['analysis'][0]} has no numbers {self.x!r}")
        return shown.with_columns(numbers.alias(_X))


def _is_number(level: str) -> bool:
    try:
        return math.isfinite(float(level))
    except ValueError:
        return False


def curve(
    frame: pl.DataFrame,
    layout: Layout,
    axis: ValueAxis,
    *,
    x: str,
    x_title: str,
    circles: pl.DataFrame | None = None,
    circles_label: str = "",
) -> Picture:
    """Draw curves with bands, in panels.

    Categories differ in colour and, if a panel can have several curves, in line type. A stretch without
    numbers is a gap with a sign below it.
    """
    import plotnine as p9

    runs = place_runs(frame, layout, x, circles)
    grid = runs.grid
    (left, right), (lowest, highest) = runs.extent()
    wide = layout.width * _SHARE_OF_WIDTH / grid.per_row
    tall = _ONE_PANEL if grid.rows_of_panels() == 1 else _PANEL
    edge = _EDGE if runs.circles.is_empty() else _CIRCLE_EDGE
    number_line = ValueAxis().ends(left, right)
    if left is not None and right is not None and left < right:  # the axis ends with the first and the last number
        number_line = left, right
    across, x_ends = number_scale(number_line, wide, upright=False, edge=edge, has_neighbours=grid.per_row > 1)
    up, y_ends = number_scale(axis.ends(lowest, highest), tall, edge=edge)
    explained = [*axis.explained(), *_explained(runs, layout.interval, circles_label)]
    has_signs = not (runs.gaps().is_empty() and runs.absent.is_empty())
    signs = [signs_explained(layout.missing)] if has_signs else []
    parts: list[Any] = [
        *axis.marks(),
        *_layers(runs, layout.missing, x_ends, y_ends),
        across,
        up,
        p9.coord_cartesian(xlim=x_ends, ylim=y_ends),
        p9.labs(
            x=literal(x_title),
            y=literal(layout.y_title),
            caption=notes([*explained, *signs], layout.width) or None,
        ),
        plain_theme(),
        p9.theme(
            axis_title_x=p9.element_text(size=FONT_SIZE),
            panel_grid_major_x=p9.element_line(color=GRID_COLOUR, size=0.4),
        ),
        apart(across, layout.width),
        *_looks(runs, layout),
        *framed(grid, layout),
    ]
    plot = p9.ggplot(as_pandas(grid, runs.frame), p9.aes("x", "value")) + parts
    around = _AXIS + _STRIP * (len(grid.categories) > 1) + (1 + len(axis.explained())) * LINE
    axes = [f"Horizontal axis – {visible(x_title)}.", f"Vertical axis – {visible(layout.y_title)}."]
    categories = ", ".join(grid.names["category"][category] for category in grid.categories)
    colours = [f"Colours: {categories}."] if layout.fill else []
    ends = panel_by_panel(grid, runs.frame, lambda panel: "; ".join(_ends_in_words(runs, panel)))
    said = " ".join([*opening(layout.title, "Curves"), *axes, *colours, *explained, *ends])
    return Picture(plot, said, layout.width, grid.rows_of_panels() * (tall + _STRIP) + around)


def _layers(runs: Runs, missing: str, x_ends: tuple[float, float], y_ends: tuple[float, float]) -> list[Any]:
    """Return the layers of circles, bands, curves and signs."""
    import plotnine as p9

    grid = runs.grid
    known = runs.frame.filter(pl.col("value").is_not_null())
    # A curve needs two points: a single one is drawn as a dot.
    is_alone = pl.len().over("run") == 1
    layers: list[Any] = []
    circles = as_pandas(grid, runs.circles.with_columns(pl.col("size") * _CIRCLE))
    if len(circles):
        round_ = p9.aes("x", "value", size="size")
        layers += [p9.geom_point(round_, circles, color=INK, stroke=0, alpha=_CIRCLE_OPACITY), p9.scale_size_identity()]
    stretches = known.with_columns(pl.struct("run", pl.col("low").is_null()).rle_id().alias("band"))
    has_band = (pl.len().over("band") > 1) & pl.col("low").is_not_null()
    bands = as_pandas(grid, stretches.filter(has_band))
    if len(bands):
        edges = p9.aes(ymin="low", ymax="high", fill="category", group="band")
        layers.append(p9.geom_ribbon(edges, bands, alpha=_BAND_OPACITY, show_legend=False))
    lines = as_pandas(grid, known.filter(~is_alone))
    if len(lines):
        layers.append(p9.geom_line(p9.aes(color="category", linetype="category", group="run"), lines, size=0.8))
    dots = as_pandas(grid, known.filter(is_alone))
    if len(dots):
        layers.append(p9.geom_point(p9.aes(color="category"), dots, size=1.2, stroke=0, show_legend=not len(lines)))
    absent = runs.absent.with_columns(x=pl.lit(sum(x_ends) / 2))
    step = (y_ends[1] - y_ends[0]) * _ABOVE * runs.several
    above = pl.col("category").cast(pl.Enum(grid.categories)).to_physical().cast(pl.Float64)
    signs = pl.concat([runs.gaps().drop("run"), absent]).with_columns(
        value=gap_sign_height(y_ends) + above * step, sign=pl.lit(literal(missing))
    )
    look: dict[str, Any] = {"size": FONT_SIZE, "fontweight": "bold", "va": "bottom", "show_legend": False}
    return layers + texts(as_pandas(grid, signs), p9.aes(label="sign", color="category"), **look)


def _looks(runs: Runs, layout: Layout) -> list[Any]:
    """Return the scales of colours and line types, and the legend."""
    import plotnine as p9

    grid = runs.grid
    fills = mark_colours(grid, layout)
    kinds = LINES if runs.several else LINES[:1]
    lines = {category: kinds[number % len(kinds)] for number, category in enumerate(grid.categories)}
    settings: Any = {"limits": list(grid.categories), "labels": names(grid, "category")}
    known = runs.frame.filter(pl.col("value").is_not_null()).get_column("run")
    looks: list[Any] = [p9.scale_fill_manual(fills, guide=None, **settings)]
    # plotnine warns of an empty legend.
    if known.is_empty() or len(grid.categories) == 1:
        looks.append(p9.scale_color_manual(fills, guide=None, **settings))
        return [*looks, p9.scale_linetype_manual(lines, guide=None, **settings)]
    looks.append(p9.scale_color_manual(fills, **settings))
    if not known.is_duplicated().any():
        return [*looks, legend(grid, layout.width, "color")]
    # A dashed line needs a longer key than a dot.
    looks += [p9.scale_linetype_manual(lines, **settings), p9.theme(legend_key_width=22)]
    return [*looks, legend(grid, layout.width, "color", "linetype")]


def _explained(runs: Runs, interval: str, circles_label: str) -> list[str]:
    said: list[str] = []
    if runs.frame.get_column("low").is_not_null().any():
        said.append(f"Bands: {visible(interval)}.")
    if not runs.circles.is_empty():
        largest = int(max(runs.circles.get_column("n").to_list()))
        name = f"Circles: {visible(circles_label)}" if circles_label else "Circles"
        said.append(f"{name}, their area in proportion to the number of responses (largest: {largest}).")
    return said


def _ends_in_words(runs: Runs, panel: pl.DataFrame) -> list[str]:
    """Describe the first and last point of each curve of a panel."""
    (left, right), (lowest, highest) = runs.extent()
    words: list[str] = []
    for category in runs.grid.categories:
        rows = panel.filter(pl.col("value").is_not_null(), category=category)
        ends = NO_DATA
        if not rows.is_empty():
            ends = "from " + " to ".join(
                f"{in_words(value, lowest or 0.0, highest or 0.0)} at {in_words(x, left or 0.0, right or 0.0)}"
                for x, value in (rows.select("x", "value").row(place) for place in (0, -1))
            )
        if runs.several:
            words.append(f"{runs.grid.names['category'][category]}: {ends}")
        elif category in panel.get_column("category"):
            words.append(ends)
    return words
