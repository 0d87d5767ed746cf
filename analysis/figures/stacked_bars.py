"""Stacked bars of percentages: how the categories share the responses of each group."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

import polars as pl

from analysis.errors import MissingExtraError
from analysis.figures.segments import place_segments
from analysis.figures.style import FONT, FONT_SIZE, REFUSAL_COLOUR, ink_on, ordered_colours, plain_theme
from analysis.untrusted import visible

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pandas as pd
    from plotnine import facet_grid, geom_text, ggplot, guides

    from analysis.figures.segments import Segments

# A segment smaller than this has no room for its number, in percent.
SMALLEST_LABELLED = 6.0

# Characters of axis text on an inch, the part of a figure's width that bars take, and what a key of the legend
# takes besides its label.
_CHARACTERS_PER_INCH = 15.0
_SHARE_OF_WIDTH = 0.85
_KEY = 5
_NO_DATA_INK = "#767676"


def stacked_bars(
    frame: pl.DataFrame,
    *,
    x: str,
    fill: str,
    y: str,
    panel_columns: str | None = None,
    panel_rows: str | None = None,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    x_order: Sequence[str] = (),
    fill_order: Sequence[str] = (),
    refusal: str = "refusal",
    title: str = "",
    y_title: str = "Percentage (%)",
    width: float = 7.0,
) -> ggplot:
    """Draw 100 % stacked bars, one bar a group and one segment a category, in panels.

    Panels side by side are as wide as they have groups. A group without any percentage keeps its place, marked
    "no data".

    Args:
        frame: One row for each segment.
        x: The column with the group of a bar.
        fill: The column with the category of a segment.
        y: The column with the percentage, from 0 to 100; null where there is none.
        panel_columns: The column that makes panels side by side, in order of appearance.
        panel_rows: The column that makes rows of panels, in order of appearance.
        labels: For a column, what to print for its values; any other value is printed as it is.
        x_order: The groups from left to right; others follow in order of appearance.
        fill_order: The categories from the lowest segment up; others follow in order of appearance.
        refusal: The category that is no answer: light grey, and above all others unless `fill_order` places it.
        title: A title inside the figure; empty for none.
        y_title: The title of the vertical axis.
        width: The width in inches at which the figure will be saved: labels are wrapped or turned to fit it.

    Returns:
        The figure, for `analysis.figures.save.save`.
    """
    try:
        import plotnine as p9
    except ImportError as error:
        raise MissingExtraError("plotnine", "report") from error

    segments = place_segments(
        frame,
        x=x,
        fill=fill,
        y=y,
        panel_columns=panel_columns,
        panel_rows=panel_rows,
        labels=labels or {},
        x_order=x_order,
        fill_order=fill_order,
        refusal=refusal,
    )
    if segments.frame.is_empty():
        return _no_bars(_literal(title))
    colours = _colours(segments, refusal)
    shown = segments.frame.filter(pl.col("percent") >= SMALLEST_LABELLED).with_columns(
        pl.col("percent").round(0).cast(pl.Int64).cast(pl.String).alias("text"),
        pl.col("category").replace_strict({key: ink_on(colour) for key, colour in colours.items()}).alias("ink"),
    )
    nothing = segments.empty.with_columns(middle=pl.lit(50.0), text=pl.lit("no data"), ink=pl.lit(_NO_DATA_INK))
    bars = p9.geom_col(
        p9.aes(fill="category"),
        position=p9.position_stack(reverse=True),
        width=0.86,
        color="#FFFFFF",
        size=0.3,
    )
    parts: list[Any] = [
        bars,
        *_texts(_pandas(segments, shown), y="middle", label="text", color="ink"),
        *_texts(_pandas(segments, nothing), y="middle", label="text", color="ink", angle=90),
        p9.scale_color_identity(),
        p9.scale_fill_manual(colours, limits=list(segments.categories), labels=_names(segments, "category")),
        p9.scale_y_continuous(breaks=range(0, 101, 25), expand=(0, 0)),
        p9.coord_cartesian(ylim=(0, 100)),
        p9.labs(y=_literal(y_title), title=_literal(title) or None),
        plain_theme(),
        _legend(segments, width),
        *_axis(segments, width),
    ]
    if panel_columns or panel_rows:
        parts.append(_panels(segments))
    figure = p9.ggplot(_pandas(segments, segments.frame), p9.aes("group", "percent"))
    for part in parts:
        figure = figure + part
    return figure


def alt_text(
    frame: pl.DataFrame,
    *,
    x: str,
    fill: str,
    y: str,
    panel_columns: str | None = None,
    panel_rows: str | None = None,
    labels: Mapping[str, Mapping[str, str]] | None = None,
    x_order: Sequence[str] = (),
    fill_order: Sequence[str] = (),
    refusal: str = "refusal",
    title: str = "",
    y_title: str = "Percentage (%)",
) -> str:
    """Say in words what `stacked_bars` shows: the categories, and the largest one in each group.

    The arguments are those of `stacked_bars`. Of several largest categories the first is named.

    Returns:
        Plain text on one line; whoever puts it into a document escapes it.

    >>> frame = pl.DataFrame({"sex": ["male", "male"], "party": ["left", "right"], "share": [60.0, 40.0]})
    >>> alt_text(frame, x="sex", fill="party", y="share")
    'Stacked bars. Vertical axis: Percentage (%). Segments: left, right. Largest in each bar: male: left 60 %.'
    """
    segments = place_segments(
        frame,
        x=x,
        fill=fill,
        y=y,
        panel_columns=panel_columns,
        panel_rows=panel_rows,
        labels=labels or {},
        x_order=x_order,
        fill_order=fill_order,
        refusal=refusal,
    )
    names = segments.names
    largest = segments.largest()
    panels: list[str] = []
    for row in segments.rows:
        for column in segments.columns:
            bars = [
                f"{names['group'][group]}: {found}"
                for group in segments.groups
                if (found := largest.get((row, column, group)))
            ]
            heading = ", ".join(part for part in (names["row"][row], names["column"][column]) if part)
            panels += [f"{heading} – {'; '.join(bars)}" if heading else "; ".join(bars)] if bars else []
    categories = ", ".join(names["category"][category] for category in segments.categories)
    opening = f"{visible(title).rstrip('.')}. " if title else ""
    shown = f"{opening}Stacked bars. Vertical axis: {visible(y_title)}. Segments: {categories or 'none'}."
    return f"{shown} Largest in each bar: {'. '.join(panels)}." if panels else f"{shown} No data."


def _no_bars(title: str) -> ggplot:
    import pandas as pd
    from plotnine import aes, geom_text, ggplot, labs, theme_void

    place = pd.DataFrame({"x": [0], "y": [0], "text": ["no data"]})
    text = geom_text(aes("x", "y", label="text"), size=FONT_SIZE, family=FONT, color=_NO_DATA_INK)
    return ggplot(place) + text + labs(title=title or None) + theme_void(FONT_SIZE, FONT)


def _colours(segments: Segments, refusal: str) -> dict[str, str]:
    answers = [category for category in segments.categories if category != refusal]
    colours = dict(zip(answers, ordered_colours(len(answers)), strict=True))
    return {category: colours.get(category, REFUSAL_COLOUR) for category in segments.categories}


def _pandas(segments: Segments, frame: pl.DataFrame) -> pd.DataFrame:
    """The frame as plotnine needs it: ordered categories, and no pyarrow to convert it."""
    import pandas as pd

    orders = {
        "row": segments.rows,
        "column": segments.columns,
        "group": segments.groups,
        "category": segments.categories,
    }
    columns = frame.to_dict(as_series=False)
    return pd.DataFrame(
        {
            name: pd.Categorical(values, categories=list(orders[name])) if name in orders else values
            for name, values in columns.items()
        }
    )


def _texts(data: pd.DataFrame, *, angle: int = 0, **aesthetics: str) -> list[geom_text]:
    """A layer of texts, or none: plotnine cannot draw a layer without rows."""
    from plotnine import aes, geom_text

    return [geom_text(aes(**aesthetics), data, size=FONT_SIZE - 2, family=FONT, angle=angle)] if len(data) else []


def _literal(text: str) -> str:
    """A text in which matplotlib finds no formula."""
    return visible(text).replace("$", r"\$")


def _names(segments: Segments, role: str) -> dict[str, str]:
    return {value: _literal(name) for value, name in segments.names[role].items()}


def _legend(segments: Segments, width: float) -> guides:
    from plotnine import guide_legend, guides

    characters = sum(len(name) + _KEY for name in segments.names["category"].values())
    lines = math.ceil(characters / (width * _SHARE_OF_WIDTH * _CHARACTERS_PER_INCH))
    return guides(fill=guide_legend(nrow=max(lines, 1), byrow=True))


def _axis(segments: Segments, width: float) -> list[Any]:
    """The horizontal axis: labels wrapped at spaces, or turned when even a single word is wider than its bar."""
    from plotnine import element_text, scale_x_discrete, theme

    names = _names(segments, "group")
    room = int(width * _SHARE_OF_WIDTH * _CHARACTERS_PER_INCH / max(segments.bars(), 1))
    longest = max((len(word) for name in names.values() for word in name.split()), default=0)
    if longest <= room:
        wrapped = {value: "\n".join(textwrap.wrap(name, room)) for value, name in names.items()}
        return [scale_x_discrete(labels=wrapped)]
    return [scale_x_discrete(labels=names), theme(axis_text_x=element_text(rotation=40, ha="right"))]


def _panels(segments: Segments) -> facet_grid:
    from plotnine import facet_grid, labeller

    rows, columns = _names(segments, "row"), _names(segments, "column")
    naming: Any = labeller(rows=rows.__getitem__, cols=columns.__getitem__)
    return facet_grid(
        rows="row" if len(rows) > 1 or any(rows.values()) else None,
        cols="column" if len(columns) > 1 or any(columns.values()) else None,
        scales="free_x",
        space="free_x",
        labeller=naming,
    )
