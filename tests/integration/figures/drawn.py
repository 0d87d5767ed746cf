"""What is in a drawn figure, for tests that look at it."""

from __future__ import annotations

from dataclasses import replace
from itertools import cycle
from typing import TYPE_CHECKING, Any

from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_hex
from matplotlib.text import Text

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.study.figure_base import Picture

HOSTILE = "$\\frac{ $x$ <b> & \u202egnp \x1b[31m 日本 😀 {{<"
"""A label as an attacker would write it."""


def with_settings(draw: Callable[..., Picture]) -> Callable[..., Picture]:
    """A function that draws and takes what a layout says of intervals and signs among its other settings."""

    def drawn(frame: Any, layout: Any, *given: Any, **settings: Any) -> Picture:
        own = {name: settings.pop(name) for name in ("low", "high", "interval", "missing") if name in settings}
        return draw(frame, replace(layout, **own), *given, **settings)

    return drawn


def seeing(seen: list[Any], draw: Callable[..., Picture]) -> Callable[..., Picture]:
    """A function that draws and notes what it is given."""

    def drawn(*given: Any, **settings: Any) -> Picture:
        seen.extend([*given, settings])
        return draw(*given, **settings)

    return drawn


def laid_out(plot: Any) -> Any:
    """A plot as a figure whose layout is final: it is made when the figure is saved, or nearly so."""
    figure = plot.draw()
    figure.draw_without_rendering()
    return figure


def rectangles(axes: Any) -> list[tuple[float, float, float, str]]:
    """Left edge, bottom, height and colour of every rectangle that has a height."""
    found: list[tuple[float, float, float, str]] = []
    for collection in axes.collections:
        for path, colour in zip(collection.get_paths(), collection.get_facecolor(), strict=False):
            box = path.get_extents()
            if box.height > 1e-9 and box.width > 0.1:
                found.append((round(box.x0, 6), round(box.y0, 6), round(box.height, 6), to_hex(colour)))
    return found


def lines(axes: Any, colour: str) -> list[list[tuple[float, float]]]:
    """The points of every line of a colour."""
    return [
        [(round(float(x), 6), round(float(y), 6)) for x, y in segment]
        for collection in axes.collections
        if isinstance(collection, LineCollection) and to_hex(collection.get_edgecolor()[0]) == colour.lower()
        for segment in collection.get_segments()
    ]


def words(axes: Any) -> list[str]:
    """The texts inside a panel."""
    return [text.get_text() for text in axes.texts if text.get_text()]


def all_words(figure: Any) -> set[str]:
    """Every text of a figure."""
    return {text.get_text() for text in figure.findobj(Text)}


def markers(axes: Any) -> list[tuple[float, float, str]]:
    """Place and colour of every point."""
    return [
        (round(float(x), 6), round(float(y), 6), to_hex(colour))
        for collection in axes.collections
        if isinstance(collection, PathCollection)
        for (x, y), colour in zip(collection.get_offsets(), cycle(collection.get_facecolor()), strict=False)
    ]


def curves(axes: Any) -> list[tuple[list[tuple[float, float]], str, str]]:
    """The points, the colour and the kind of line of every curve."""
    return [
        (
            [(round(float(x), 6), round(float(y), 6)) for x, y in line.get_xydata()],
            to_hex(line.get_color()),
            str(line.get_linestyle()),
        )
        for line in axes.get_lines()
        if to_hex(line.get_color(), keep_alpha=True)[-2:] != "00"  # the edges of bands are not drawn
    ]
