"""Bars side by side: the values of several categories in each group."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.errors import MissingExtraError
from analysis.figures.parts import (
    CHARACTERS_PER_INCH,
    NO_DATA,
    as_pandas,
    colours,
    group_axis,
    legend,
    literal,
    names,
    no_bars,
    panels,
    room,
    texts,
)
from analysis.figures.slots import place_slots
from analysis.figures.style import FONT_SIZE, INK, PAPER, plain_theme
from analysis.untrusted import visible

if TYPE_CHECKING:
    from plotnine import ggplot

    from analysis.figures.grid import Grid, Layout
    from analysis.figures.slots import Slots

# The part of a group's room that its bars take, and the part of a bar that the ends of its whisker take.
_GROUP = 0.84
_WHISKER = 0.4

# The largest number of intervals between the grid lines of the vertical axis.
_INTERVALS = 8

# Figures whose longest bar is shorter or longer than these have axes in scientific notation.
_SMALLEST_PLAIN, _LARGEST_PLAIN = 1e-4, 1e7

_MINUS = "\u2212"


def grouped_bars(
    frame: pl.DataFrame,
    layout: Layout,
    *,
    low: str | None = None,
    high: str | None = None,
    interval: str = "intervals",
    missing: str = "–",
) -> ggplot:
    """Draw bars side by side, one group of bars for each value of `x` and one bar for each category, in panels.

    Bars start at 0. A value that does not exist leaves a gap with a sign, and has no whisker. Where there are
    whiskers or signs, a line below the panels explains them.

    Args:
        frame: One row for each bar.
        layout: Which columns are which part; `y` may be negative.
        low: The column with the lower end of a bar's interval, drawn as a whisker; null where there is none.
        high: The column with the upper end.
        interval: What the whiskers are.
        missing: The sign for a value that does not exist.

    Returns:
        The figure, for `analysis.figures.save.save`.
    """
    try:
        import plotnine as p9
    except ImportError as error:
        raise MissingExtraError("plotnine", "report") from error

    slots = place_slots(frame, layout, low, high)
    if slots.frame.is_empty():
        return no_bars(layout.title)
    grid = slots.grid
    lowest, highest = slots.reach()
    explanations = _whiskers_explained(slots, interval) + _signs_explained(slots, missing)
    parts: list[Any] = [
        *_bars(slots, missing, room(grid, layout.width)),
        *_value_axis(lowest, highest),
        p9.labs(
            y=literal(layout.y_title),
            title=literal(layout.title) or None,
            caption=literal(" ".join(explanations)) or None,
        ),
        plain_theme(),
        *group_axis(grid, layout.width),
    ]
    if not slots.filled().is_empty():
        fills = colours(grid, layout.refusal)
        parts.append(p9.scale_fill_manual(fills, limits=list(grid.categories), labels=names(grid, "category")))
        parts.append(legend(grid, layout.width))
    if lowest < 0:
        parts.append(p9.geom_hline(yintercept=0, color=INK, size=0.4))
    if layout.panel_columns or layout.panel_rows:
        parts.append(panels(grid, layout.width))
    figure = p9.ggplot(as_pandas(grid, slots.frame), p9.aes("group"))
    for part in parts:
        figure = figure + part
    return figure


def alt_text(
    frame: pl.DataFrame,
    layout: Layout,
    *,
    low: str | None = None,
    high: str | None = None,
    interval: str = "intervals",
) -> str:
    """Say in words what `grouped_bars` shows: its parts, the highest and lowest bar of each panel, and the gaps.

    The arguments are those of `grouped_bars`. Of several highest or lowest bars the first is named.

    Returns:
        Plain text on one line; whoever puts it into a document escapes it.

    >>> from analysis.figures.grid import Layout
    >>> frame = pl.DataFrame({"sex": ["male", "female"], "term": ["mean", "mean"], "value": [1.5, -0.25]})
    >>> text = alt_text(frame, Layout(x="sex", fill="term", y="value", y_title="Score"))
    >>> text.removeprefix("Grouped bars. Vertical axis: Score. ")
    'Groups: male, female. Bars: mean. Highest: male, mean 1.50; lowest: female, mean −0.25.'
    """
    slots = place_slots(frame, layout, low, high)
    grid = slots.grid
    opening = [f"{visible(layout.title).rstrip('.')}."] if layout.title else []
    said = [*opening, "Grouped bars.", f"Vertical axis: {visible(layout.y_title)}."]
    if slots.frame.is_empty():
        return " ".join([*said, "No data."])
    said.append(f"Groups: {', '.join(grid.names['group'][group] for group in grid.groups)}.")
    said.append(f"Bars: {', '.join(grid.names['category'][category] for category in grid.categories)}.")
    said += _whiskers_explained(slots, interval)
    for row in grid.rows:
        for column in grid.columns:
            words = _panel_in_words(grid, slots.frame.filter(row=row, column=column), slots.reach())
            heading = grid.heading(row, column)
            said.append(f"{heading} – {words}." if heading else f"{words[:1].upper()}{words[1:]}.")
    return " ".join(said)


def _bars(slots: Slots, missing: str, inches: float) -> list[Any]:
    """The layers of bars, whiskers and signs: one of each kind for every category, beside the one before."""
    import plotnine as p9

    grid = slots.grid
    width = _GROUP / len(grid.categories)
    sign = pl.lit(literal(missing)).alias("sign")
    lowest, highest = slots.reach()
    signs: dict[str, Any] = {
        "size": FONT_SIZE,
        "fontweight": "bold",
        "va": "top" if lowest < highest == 0 else "bottom",
        "angle": 90 if len(visible(missing)) > inches * width * CHARACTERS_PER_INCH else 0,
    }
    height = p9.aes(y="value", fill="category")
    ends = p9.aes(ymin="low", ymax="high")
    layers: list[Any] = []
    for number, category in enumerate(grid.categories):
        place: Any = {"position": p9.position_nudge(x=(number - (len(grid.categories) - 1) / 2) * width)}
        filled = as_pandas(grid, slots.filled().filter(category=category))
        whiskers = as_pandas(grid, slots.intervals().filter(category=category))
        empty = as_pandas(grid, slots.empty().filter(category=category).with_columns(sign))
        if len(filled):
            layers.append(p9.geom_col(height, filled, width=width, color=INK, size=0.2, **place))
        if len(whiskers):
            # Dark lines with light edges are seen on light and on dark bars.
            settings: Any = {"width": width * _WHISKER, **place}
            layers.append(p9.geom_errorbar(ends, whiskers, color=PAPER, size=0.9, **settings))
            layers.append(p9.geom_errorbar(ends, whiskers, color=INK, size=0.4, **settings))
        layers += texts(empty, p9.aes(y=0, label="sign"), **signs, **place)
    return layers


def _value_axis(lowest: float, highest: float) -> list[Any]:
    """The vertical axis, from 0 or below to 0 or above: it ends at grid lines beyond the longest bars."""
    from matplotlib.ticker import MaxNLocator
    from mizani.labels import label_number
    from plotnine import coord_cartesian, scale_y_continuous

    lines = MaxNLocator(_INTERVALS, steps=[1, 2, 2.5, 5, 10])
    breaks = list(lines.tick_values(lowest, highest)) if lowest < highest else [0.0, 1.0]
    # mizani calls the typographic minus sign a hyphen.
    plain = _is_plain(lowest, highest)
    numbers: Any = label_number(style_negative="hyphen") if plain else [_scientific(line) for line in breaks]
    return [
        scale_y_continuous(breaks=breaks, expand=(0, 0), labels=numbers),
        coord_cartesian(ylim=(breaks[0], breaks[-1])),
    ]


def _whiskers_explained(slots: Slots, interval: str) -> list[str]:
    return [] if slots.intervals().is_empty() else [f"Whiskers: {visible(interval)}."]


def _signs_explained(slots: Slots, missing: str) -> list[str]:
    if slots.empty().is_empty():
        return []
    return [f"{visible(missing) or 'A gap'} marks a number that does not exist."]


def _panel_in_words(grid: Grid, panel: pl.DataFrame, reach: tuple[float, float]) -> str:
    """The highest and lowest bar of a panel, and its gaps."""

    def name(bar: dict[str, Any]) -> str:
        return f"{grid.names['group'][bar['group']]}, {grid.names['category'][bar['category']]}"

    def number(value: float) -> str:
        if not _is_plain(*reach):
            return _scientific(value)
        # All with as many decimals as give the longest bar three digits; + 0.0 makes a 0 of -0.0.
        digits = max(2 - math.floor(math.log10(max(-reach[0], reach[1]))), 0) if any(reach) else 0
        return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", _MINUS)

    bars = panel.filter(pl.col("value").is_not_null()).sort("value", descending=True, maintain_order=True)
    gaps = panel.filter(pl.col("value").is_null())
    if bars.is_empty():
        return NO_DATA
    highest, lowest = bars.row(0, named=True), bars.filter(pl.col("value") == pl.col("value").min()).row(0, named=True)
    words = f"highest: {name(highest)} {number(highest['value'])}; lowest: {name(lowest)} {number(lowest['value'])}"
    if gaps.is_empty():
        return words
    return f"{words}; no value: {'; '.join(name(bar) for bar in gaps.iter_rows(named=True))}"


def _is_plain(lowest: float, highest: float) -> bool:
    """Whether numbers of this size are written out."""
    largest = max(-lowest, highest)
    return largest == 0 or _SMALLEST_PLAIN <= largest < _LARGEST_PLAIN


def _scientific(number: float) -> str:
    return f"{number:.3g}".replace("-", _MINUS)
