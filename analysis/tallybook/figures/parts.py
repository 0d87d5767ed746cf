"""Parts that figures share: group axis, panels, legend, colours and texts."""

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

# Characters per inch of axis text, the fraction of a figure's width that bars take, characters per inch of a sentence,
# and the width of a legend key in characters, without its label.
CHARACTERS_PER_INCH = 16.0
_SHARE_OF_WIDTH = 0.85
_IN_A_SENTENCE = 17.5
_KEY = 5

# The width in characters below which rotated labels are not folded, their maximum number of lines, and the maximum
# length of a line: longer labels would take the bars' space.
_FOLDED_AT = 16
_TURNED_LINES = 3
_TURNED_LENGTH = 32

# The maximum line length of the name of a row of panels, which is printed vertically beside it, in characters.
_ROW_LENGTH = 20

# Inches of its group's width that a line of a slanted label takes, and the width of a letter and height of a line.
_SLANTED_LINE = 0.17
LETTER, LINE = 0.07, 0.13

# Where a label may be broken: at spaces, and after hyphens, slashes and underscores.
_PARTS_OF_WORDS = re.compile(r"(\s+|[^\s/_-]*[/_-]+)")

# The angles by which labels are rotated.
_SLANT, _UPRIGHT = 40, 90


def literal(text: str) -> str:
    r"""Escape a text for matplotlib, which would otherwise interpret formulas in it.

    >>> print(literal("$x$"))
    \$x\$
    """
    return visible(text).replace("$", r"\$")


def as_pandas(grid: Grid, frame: pl.DataFrame) -> pd.DataFrame:
    """Return the frame as pandas for plotnine, with ordered categories and without needing pyarrow."""
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
    """Return each category's colour, for areas or for `marks`: the declared one, or one from the palette."""
    known = {refusal: REFUSAL_COLOUR, INVALID: INVALID_COLOUR, **(declared or {})}
    answers = [category for category in grid.categories if category not in known]
    found = {**dict(zip(answers, ordered_colours(len(answers), marks=marks), strict=True)), **known}
    return {category: found[category] for category in grid.categories}


def mark_colours(grid: Grid, layout: Layout) -> dict[str, str]:
    """Return the colour of each category's points or lines; all are dark if no column is mapped to colour."""
    if layout.fill is None:
        return dict.fromkeys(grid.categories, INK)
    return colours(grid, layout.refusal, layout.colours, marks=True)


def names(grid: Grid, role: str) -> dict[str, str]:
    """Map each value of a role to its label."""
    return {value: literal(name) for value, name in grid.names[role].items()}


def room(grid: Grid, width: float) -> float:
    """Return the width in inches of each group in a figure of this width."""
    return width * _SHARE_OF_WIDTH / max(grid.groups_across(), 1)


def texts(data: pd.DataFrame, mapping: aes, *, size: float = FONT_SIZE - 1.5, **settings: object) -> list[geom_text]:
    """Return a layer of texts in a list, empty without data: plotnine cannot draw a layer without rows."""
    from plotnine import aes, geom_text

    # One group per panel: plotnine takes as long for each group as for a panel.
    return [geom_text(aes(**{**mapping, "group": "1"}), data, size=size, family=FONT, **settings)] if len(data) else []


def legend(grid: Grid, width: float, *aesthetics: str, **look: object) -> guides:
    """Return the legend below the panels, on as many lines as its labels need; by default for the fill."""
    from plotnine import guide_legend, guides

    characters = sum(len(name) + _KEY for name in grid.names["category"].values())
    lines = math.ceil(characters / (width * _SHARE_OF_WIDTH * CHARACTERS_PER_INCH))
    settings: Any = {"nrow": max(lines, 1), "byrow": True}
    first, *others = aesthetics or ("fill",)
    # plotnine merges legends with the same labels, and warns if more than one of them has overrides.
    explained = {
        first: guide_legend(**settings, override_aes=look),
        **{name: guide_legend(**settings) for name in others},
    }
    return guides(**explained)


def group_axis(grid: Grid, width: float) -> list[Any]:
    """Return the group axis with labels wrapped, or rotated if a single word is wider than its group."""
    from plotnine import element_text, scale_x_discrete, theme

    labels, angle = group_labels(grid, width)
    slanted = element_text(rotation=angle, ha="right", ma="right")
    upright = element_text(rotation=angle, ha="center", va="top", ma="right")
    turned = {0: [], _SLANT: [theme(axis_text_x=slanted)], _UPRIGHT: [theme(axis_text_x=upright)]}
    return [scale_x_discrete(labels=labels), *turned[angle]]


def group_labels(grid: Grid, width: float) -> tuple[dict[str, str], int]:
    """Return the labels of the groups on a horizontal axis, and their angle in degrees."""
    plain = grid.names["group"]
    characters = int(room(grid, width) * CHARACTERS_PER_INCH)
    longest = max((len(part) for name in plain.values() for part in _PARTS_OF_WORDS.split(name)), default=0)
    if longest <= characters:
        return {value: _wrapped(name, characters) for value, name in plain.items()}, 0
    lines = int(room(grid, width) / _SLANTED_LINE)
    turned = {value: folded(name, min(max(lines, 1), _TURNED_LINES)) for value, name in plain.items()}
    return turned, _SLANT if lines else _UPRIGHT


def depth(labels: Iterable[str], angle: int) -> float:
    """Return the height in inches of labels below an axis that are rotated by an angle."""
    lines = [label.split("\n") for label in labels]
    longest = max((len(line) for each in lines for line in each), default=0)
    most = max(map(len, lines), default=0)
    turn = math.radians(angle)
    return math.sin(turn) * longest * LETTER + math.cos(turn) * most * LINE


def notes(sentences: Iterable[str], width: float) -> str:
    """Wrap the sentences below the panels to the width of the figure."""
    return _wrapped(" ".join(sentences), int(width * _IN_A_SENTENCE))


def framed(grid: Grid, layout: Layout, free: Free = "fixed") -> list[Any]:
    """Return the panels of a plot and its title, which for a single panel takes the place of the panel's name."""
    from plotnine import labs

    if layout.panel_columns or layout.panel_rows:
        return [panels(grid, layout.width, free), labs(title=literal(layout.title) or None)]
    if not layout.title:
        return []
    return [panels(replace(grid, names={**grid.names, "column": {"": visible(layout.title)}}), layout.width, free)]


def panels(grid: Grid, width: float, free: Free = "free_x") -> facet_grid | facet_wrap:
    """Return the facets: panels side by side, and in rows."""
    from plotnine import facet_grid, facet_wrap, labeller

    rows = {value: _wrapped(name, _ROW_LENGTH) for value, name in grid.names["row"].items()}
    columns = {
        value: _wrapped(name, int(_panel_width(grid, width, value) * CHARACTERS_PER_INCH))
        for value, name in grid.names["column"].items()
    }
    naming: Any = labeller(rows=rows.__getitem__, cols=columns.__getitem__)
    # Only wrapped panels side by side can differ in their vertical axes.
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
    """A text wrapper that also breaks names of models after hyphens, slashes and underscores."""

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
