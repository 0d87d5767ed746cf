"""The parts that figures share: the axis of groups, panels, legend and words."""

from __future__ import annotations

import math
import re
import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from tallybook.core.untrusted import ELLIPSIS, visible
from tallybook.figures.style import FONT, FONT_SIZE, INK, INVALID_COLOUR, REFUSAL_COLOUR, ordered_colours
from tallybook_schemas.vocabulary import INVALID

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    import pandas as pd
    import polars as pl
    from plotnine import aes, facet_grid, facet_wrap, geom_text, guides

    from tallybook.figures.grid import Grid, Layout

Free = Literal["fixed", "free_x", "free_y"]

NO_DATA = "no data"

# Characters of axis text on an inch, the part of a figure's width that bars take, characters of a sentence on an inch,
# and what a key of the legend takes besides its label.
CHARACTERS_PER_INCH = 16.0
_SHARE_OF_WIDTH = 0.85
_IN_A_SENTENCE = 17.5
_KEY = 5

# A label that is turned is folded beyond so many characters, on at most so many lines, none of which is longer than
# the last number: more would take the room of the bars.
_FOLDED_AT = 16
_TURNED_LINES = 3
_TURNED_LENGTH = 32

# Characters of the name of a row of panels, which stands upright beside it, on one line.
_ROW_LENGTH = 20

# Inches that a line of a slanted label takes from its group, and those of a letter and a line of axis text.
_SLANTED_LINE = 0.17
LETTER, LINE = 0.07, 0.13

# Where a label may be parted: at spaces, and behind hyphens and strokes.
_PARTS_OF_WORDS = re.compile(r"(\s+|[^\s/_-]*[/_-]+)")

# The angles by which labels are turned.
_SLANT, _UPRIGHT = 40, 90


def literal(text: str) -> str:
    r"""Escape a text for matplotlib, which would find formulas in it.

    >>> print(literal("$x$"))
    \$x\$
    """
    return visible(text).replace("$", r"\$")


def as_pandas(grid: Grid, frame: pl.DataFrame) -> pd.DataFrame:
    """Get the frame as plotnine needs it: ordered categories, and no pyarrow to convert it."""
    import pandas as pd

    orders = {"row": grid.rows, "column": grid.columns, "group": grid.groups, "category": grid.categories}
    columns = frame.to_dict(as_series=False)
    return pd.DataFrame(
        {
            name: pd.Categorical(values, categories=list(orders[name])) if name in orders else values
            for name, values in columns.items()
        }
    )


def colours(
    grid: Grid, refusal: str, declared: Mapping[str, str] | None = None, *, marks: bool = False
) -> dict[str, str]:
    """Get the colour of each category, of areas or of `marks`: the declared one, or one of its own."""
    known = {refusal: REFUSAL_COLOUR, INVALID: INVALID_COLOUR, **(declared or {})}
    answers = [category for category in grid.categories if category not in known]
    found = {**dict(zip(answers, ordered_colours(len(answers), marks=marks), strict=True)), **known}
    return {category: found[category] for category in grid.categories}


def mark_colours(grid: Grid, layout: Layout) -> dict[str, str]:
    """Get the colour of the points or lines of each category; all are dark where nothing is told apart."""
    if layout.fill is None:
        return dict.fromkeys(grid.categories, INK)
    return colours(grid, layout.refusal, layout.colours, marks=True)


def names(grid: Grid, role: str) -> dict[str, str]:
    """Map each value of a role to its label."""
    return {value: literal(name) for value, name in grid.names[role].items()}


def room(grid: Grid, width: float) -> float:
    """Get the inches that each group has in a figure of this width."""
    return width * _SHARE_OF_WIDTH / max(grid.groups_across(), 1)


def texts(data: pd.DataFrame, mapping: aes, *, size: float = FONT_SIZE - 1.5, **settings: object) -> list[geom_text]:
    """Make a layer of texts, or none: plotnine cannot draw a layer without rows."""
    from plotnine import aes, geom_text

    # One group a panel: each group takes plotnine as long as a panel does.
    return [geom_text(aes(**{**mapping, "group": "1"}), data, size=size, family=FONT, **settings)] if len(data) else []


def legend(grid: Grid, width: float, *aesthetics: str, **look: object) -> guides:
    """Get the legend below the panels, on as many lines as its labels need; by default it explains the fill."""
    from plotnine import guide_legend, guides

    characters = sum(len(name) + _KEY for name in grid.names["category"].values())
    lines = math.ceil(characters / (width * _SHARE_OF_WIDTH * CHARACTERS_PER_INCH))
    settings: Any = {"nrow": max(lines, 1), "byrow": True}
    first, *others = aesthetics or ("fill",)
    # plotnine makes one legend of several with the same labels, and warns where more than one overrides.
    explained = {
        first: guide_legend(**settings, override_aes=look),
        **{name: guide_legend(**settings) for name in others},
    }
    return guides(**explained)


def group_axis(grid: Grid, width: float) -> list[Any]:
    """Get the horizontal axis: labels wrapped at spaces, or turned when even a single word is wider than its group."""
    from plotnine import element_text, scale_x_discrete, theme

    labels, angle = group_labels(grid, width)
    slanted = element_text(rotation=angle, ha="right", ma="right")
    upright = element_text(rotation=angle, ha="center", va="top", ma="right")
    turned = {0: [], _SLANT: [theme(axis_text_x=slanted)], _UPRIGHT: [theme(axis_text_x=upright)]}
    return [scale_x_discrete(labels=labels), *turned[angle]]


def group_labels(grid: Grid, width: float) -> tuple[dict[str, str], int]:
    """Get the labels of the groups on a horizontal axis, and their angle."""
    plain = grid.names["group"]
    characters = int(room(grid, width) * CHARACTERS_PER_INCH)
    longest = max((len(part) for name in plain.values() for part in _PARTS_OF_WORDS.split(name)), default=0)
    if longest <= characters:
        return {value: _wrapped(name, characters) for value, name in plain.items()}, 0
    lines = int(room(grid, width) / _SLANTED_LINE)
    turned = {value: folded(name, min(max(lines, 1), _TURNED_LINES)) for value, name in plain.items()}
    return turned, _SLANT if lines else _UPRIGHT


def depth(labels: Iterable[str], angle: int) -> float:
    """Get the inches that labels below an axis, turned by an angle, take from the panels."""
    lines = [label.split("\n") for label in labels]
    longest = max((len(line) for each in lines for line in each), default=0)
    most = max(map(len, lines), default=0)
    turn = math.radians(angle)
    return math.sin(turn) * longest * LETTER + math.cos(turn) * most * LINE


def notes(sentences: Iterable[str], width: float) -> str:
    """Break sentences below the panels into lines as long as the figure is wide."""
    return _wrapped(" ".join(sentences), int(width * _IN_A_SENTENCE))


def framed(grid: Grid, layout: Layout, free: Free = "fixed") -> list[Any]:
    """Get the panels of a plot and its title: a single panel has it where others have their names."""
    from plotnine import labs

    if layout.panel_columns or layout.panel_rows:
        return [panels(grid, layout.width, free), labs(title=literal(layout.title) or None)]
    if not layout.title:
        return []
    return [panels(replace(grid, names={**grid.names, "column": {"": visible(layout.title)}}), layout.width, free)]


def panels(grid: Grid, width: float, free: Free = "free_x") -> facet_grid | facet_wrap:
    """Arrange panels side by side, and in rows."""
    from plotnine import facet_grid, facet_wrap, labeller

    rows = {value: _wrapped(name, _ROW_LENGTH) for value, name in grid.names["row"].items()}
    columns = {
        value: _wrapped(name, int(_panel_width(grid, width, value) * CHARACTERS_PER_INCH))
        for value, name in grid.names["column"].items()
    }
    naming: Any = labeller(rows=rows.__getitem__, cols=columns.__getitem__)
    # Only wrapped panels side by side can differ along the vertical axis.
    if grid.per_row < len(grid.columns) or (free == "free_y" and len(grid.rows) == 1):
        return facet_wrap("column", ncol=grid.per_row, scales=free, labeller=naming)
    return facet_grid(
        rows="row" if len(rows) > 1 or any(rows.values()) else None,
        cols="column" if len(columns) > 1 or any(columns.values()) else None,
        scales=free,
        space=free,
        labeller=naming,
    )


def _panel_width(grid: Grid, width: float, column: str) -> float:
    if grid.per_row < len(grid.columns):
        return width * _SHARE_OF_WIDTH / grid.per_row
    return room(grid, width) * grid.groups_within[column]


class _Wrapper(textwrap.TextWrapper):
    """Lines of a label: names of models, too, are parted behind their hyphens and strokes."""

    wordsep_re = _PARTS_OF_WORDS


def _wrapped(name: str, characters: int) -> str:
    return "\n".join(map(literal, _Wrapper(max(characters, 1), break_long_words=False).wrap(name)))


def folded(name: str, lines: int) -> str:
    r"""Fold a label into a few lines of about equal length; cut off the rest.

    >>> folded("meta-llama/Llama-3.1-70B-Instruct", 2), folded("non-binary person - teenager", 2)
    ('meta-llama/Llama-3.1-70B-\nInstruct', 'non-binary person\n- teenager')
    """
    longest = max(map(len, name.split()), default=1)
    least = min(max(longest, math.ceil(len(name) / lines) + 1, _FOLDED_AT), _TURNED_LENGTH)
    fitting = (length for length in range(least, _TURNED_LENGTH) if len(_Wrapper(length).wrap(name)) <= lines)
    length = next(fitting, _TURNED_LENGTH)
    return "\n".join(map(literal, _Wrapper(length, max_lines=lines, placeholder=ELLIPSIS).wrap(name)))
