"""The parts that figures of bars share: the axis of groups, panels, legend and words."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING, Any

from analysis.figures.style import FAINT_INK, FONT, FONT_SIZE, REFUSAL_COLOUR, ordered_colours
from analysis.untrusted import ELLIPSIS, visible

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from plotnine import aes, facet_grid, geom_text, ggplot, guides

    from analysis.figures.grid import Grid

NO_DATA = "no data"

# Characters of axis text on an inch, the part of a figure's width that bars take, and what a key of the legend
# takes besides its label.
CHARACTERS_PER_INCH = 15.0
_SHARE_OF_WIDTH = 0.85
_KEY = 5

# A label that is turned is folded beyond so many characters, on at most so many lines, none of which is longer than
# the last number: more would take the room of the bars.
_FOLDED_AT = 16
_TURNED_LINES = 3
_TURNED_LENGTH = 32

# Characters of the name of a row of panels, which stands upright beside it, on one line.
_ROW_LENGTH = 20

# Inches that a line of a slanted label takes from its group.
_SLANTED_LINE = 0.17


def literal(text: str) -> str:
    r"""A text in which matplotlib finds no formula.

    >>> print(literal("$x$"))
    \$x\$
    """
    return visible(text).replace("$", r"\$")


def as_pandas(grid: Grid, frame: pl.DataFrame) -> pd.DataFrame:
    """The frame as plotnine needs it: ordered categories, and no pyarrow to convert it."""
    import pandas as pd

    orders = {"row": grid.rows, "column": grid.columns, "group": grid.groups, "category": grid.categories}
    columns = frame.to_dict(as_series=False)
    return pd.DataFrame(
        {
            name: pd.Categorical(values, categories=list(orders[name])) if name in orders else values
            for name, values in columns.items()
        }
    )


def colours(grid: Grid, refusal: str) -> dict[str, str]:
    """The colour of each category."""
    answers = [category for category in grid.categories if category != refusal]
    found = dict(zip(answers, ordered_colours(len(answers)), strict=True))
    return {category: found.get(category, REFUSAL_COLOUR) for category in grid.categories}


def names(grid: Grid, role: str) -> dict[str, str]:
    """What matplotlib prints for each value of a role."""
    return {value: literal(name) for value, name in grid.names[role].items()}


def room(grid: Grid, width: float) -> float:
    """The inches that each group has in a figure of this width."""
    return width * _SHARE_OF_WIDTH / max(grid.groups_across(), 1)


def texts(data: pd.DataFrame, mapping: aes, *, size: float = FONT_SIZE - 2, **settings: object) -> list[geom_text]:
    """A layer of texts, or none: plotnine cannot draw a layer without rows."""
    from plotnine import geom_text

    return [geom_text(mapping, data, size=size, family=FONT, **settings)] if len(data) else []


def legend(grid: Grid, width: float) -> guides:
    """The legend below the panels, on as many lines as its labels need."""
    from plotnine import guide_legend, guides

    characters = sum(len(name) + _KEY for name in grid.names["category"].values())
    lines = math.ceil(characters / (width * _SHARE_OF_WIDTH * CHARACTERS_PER_INCH))
    return guides(fill=guide_legend(nrow=max(lines, 1), byrow=True))


def group_axis(grid: Grid, width: float) -> list[Any]:
    """The horizontal axis: labels wrapped at spaces, or turned when even a single word is wider than its group."""
    from plotnine import element_text, scale_x_discrete, theme

    plain = grid.names["group"]
    characters = int(room(grid, width) * CHARACTERS_PER_INCH)
    longest = max((len(word) for name in plain.values() for word in name.split()), default=0)
    if longest <= characters:
        return [scale_x_discrete(labels={value: _wrapped(name, characters) for value, name in plain.items()})]
    lines = int(room(grid, width) / _SLANTED_LINE)
    turned = {value: _folded(name, min(max(lines, 1), _TURNED_LINES)) for value, name in plain.items()}
    slanted = element_text(rotation=40, ha="right", ma="right")
    upright = element_text(rotation=90, ha="center", va="top", ma="right")
    return [scale_x_discrete(labels=turned), theme(axis_text_x=slanted if lines else upright)]


def panels(grid: Grid, width: float) -> facet_grid:
    """Panels as wide as they have groups."""
    from plotnine import facet_grid, labeller

    rows = {value: _wrapped(name, _ROW_LENGTH) for value, name in grid.names["row"].items()}
    columns = {
        value: _wrapped(name, int(room(grid, width) * grid.groups_within[value] * CHARACTERS_PER_INCH))
        for value, name in grid.names["column"].items()
    }
    naming: Any = labeller(rows=rows.__getitem__, cols=columns.__getitem__)
    return facet_grid(
        rows="row" if len(rows) > 1 or any(rows.values()) else None,
        cols="column" if len(columns) > 1 or any(columns.values()) else None,
        scales="free_x",
        space="free_x",
        labeller=naming,
    )


def no_bars(title: str) -> ggplot:
    """The figure of an empty frame."""
    import pandas as pd
    from plotnine import aes, geom_text, ggplot, labs, theme_void

    place = pd.DataFrame({"x": [0], "y": [0], "text": [NO_DATA]})
    text = geom_text(aes("x", "y", label="text"), size=FONT_SIZE, family=FONT, color=FAINT_INK)
    return ggplot(place) + text + labs(title=literal(title) or None) + theme_void(FONT_SIZE, FONT)


def _wrapped(name: str, characters: int) -> str:
    return "\n".join(literal(line) for line in textwrap.wrap(name, max(characters, 1), break_long_words=False))


def _folded(name: str, lines: int) -> str:
    """A label on a few lines of about the same length; what does not fit is cut off."""
    words = [word if len(word) <= _TURNED_LENGTH else word[: _TURNED_LENGTH - 1] + ELLIPSIS for word in name.split()]
    longest = max(map(len, words), default=1)
    length = min(max(longest, math.ceil(len(name) / lines) + 1, _FOLDED_AT), _TURNED_LENGTH)
    folded = textwrap.wrap(" ".join(words), length, max_lines=lines, placeholder=ELLIPSIS)
    return "\n".join(literal(line) for line in folded)
