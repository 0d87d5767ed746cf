"""The cells of a heatmap: ordered, named and coloured, before anything is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from tallybook.figures.grid import arrange
from tallybook.figures.style import ink_on

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tallybook.figures.grid import Grid, Layout

Palette = Literal["sequential", "diverging"]

# From the lightest to the darkest. Blue and orange are told apart by people with any colour-blindness.
_LIGHT = "#F5F7FA"
_BLUES = (_LIGHT, "#5C9BD1", "#0B2D63")
_ORANGES = (_LIGHT, "#DB8440", "#57200A")

# Below this intensity sRGB is proportional to it (IEC 61966-2-1).
_STRAIGHT = 0.0031308

# Ottosson's matrices: linear RGB to the responses of the eye's cones, and their cube roots to lightness and two axes.
_CONES = [
    [0.4122214708, 0.5363325363, 0.0514459929],
    [0.2119034982, 0.6806995451, 0.1073969566],
    [0.0883024619, 0.2817188376, 0.6299787005],
]
_OPPONENTS = [
    [0.2104542553, 0.7936177850, -0.0040720468],
    [1.9779984951, -2.4285922050, 0.4505937099],
    [0.0259040371, 0.7827717662, -0.8086757660],
]


def heat_colours(palette: Palette, count: int = 257) -> list[str]:
    """Get hexadecimal colours, evenly spaced in lightness in Oklab, of a `sequential` or `diverging` palette.

    Source:
        Ottosson (2020), A perceptual color space for image processing.

    >>> heat_colours("sequential", 3)
    ['#f5f7fa', '#5592c8', '#0b2d63']
    """
    if palette == "sequential":
        return _between(_BLUES, count)
    half = count // 2 + 1
    return [*reversed(_between(_ORANGES, half)), *_between(_BLUES, half)[1:]]


def colour_of(value: float, low: float, high: float, colours: Sequence[str]) -> str:
    """Get the colour of a number on a palette between two numbers.

    >>> colour_of(0.2, 0.0, 1.0, ["#f5f7fa", "#5d9cd2", "#0b2d63"])
    '#f5f7fa'
    """
    place = (value - low) / (high - low) if high > low else 0.5
    return colours[round(min(max(place, 0.0), 1.0) * (len(colours) - 1))]


def _between(anchors: tuple[str, ...], count: int) -> list[str]:
    """Interpolate colours from the first anchor to the last, evenly spaced in lightness."""
    import numpy as np

    points: NDArray[np.float64] = np.array([_oklab(colour) for colour in anchors])
    # np.interp needs rising places: the anchors run from light to dark.
    darkness = np.linspace(-float(points[0, 0]), -float(points[-1, 0]), count)
    wanted = [np.interp(darkness, -points[:, 0], points[:, axis]) for axis in range(3)]
    return [_hexadecimal(colour) for colour in np.column_stack(wanted)]


def _oklab(colour: str) -> NDArray[np.float64]:
    import numpy as np
    from matplotlib.colors import to_rgb

    encoded = np.array(to_rgb(colour))
    linear = np.where(encoded <= _STRAIGHT * 12.92, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)
    return np.array(_OPPONENTS) @ np.cbrt(np.array(_CONES) @ linear)


def _hexadecimal(point: NDArray[np.float64]) -> str:
    import numpy as np
    from matplotlib.colors import to_hex

    linear = np.clip(np.linalg.solve(_CONES, np.linalg.solve(_OPPONENTS, point) ** 3), 0, 1)
    encoded = np.where(linear <= _STRAIGHT, linear * 12.92, 1.055 * linear ** (1 / 2.4) - 0.055)
    return to_hex(encoded.tolist())


@dataclass(frozen=True)
class Shades:
    """How numbers become colours."""

    palette: Palette = "sequential"  # from light to dark, or from dark over light to dark
    midpoint: float = 0.0  # the number in the middle of a diverging palette
    # the numbers at its ends, where no number lies beyond; by default the smallest and the largest
    limits: tuple[float, float] | None = None

    def ends(self, lowest: float | None, highest: float | None) -> tuple[float, float]:
        """Get the numbers at the ends of the palette."""
        inside = [number for number in (lowest, highest, *(self.limits or ())) if number is not None]
        low, high = (min(inside), max(inside)) if inside else (0.0, 1.0)
        if self.palette == "diverging":
            reach = max(self.midpoint - low, high - self.midpoint) or 1.0
            return self.midpoint - reach, self.midpoint + reach
        return (low, high) if low < high else (low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2)


@dataclass(frozen=True)
class Tiles:
    """The cells of all panels of a heatmap."""

    # one row for each cell: `row`, `column` (panels), `category` (the cell's row), `group` (its column), `value`
    # (null where there is none), `text`, `fill` and `ink`
    frame: pl.DataFrame
    grid: Grid  # the places: categories run from top to bottom, groups from left to right
    ends: tuple[float, float]  # the numbers at the ends of the palette
    colours: list[str]  # the palette


def place_tiles(frame: pl.DataFrame, layout: Layout, shades: Shades, text: str) -> Tiles:
    """Order the cells of a frame, with all rows and columns in every panel; find missing ones, colour the others."""
    tidy, grid = arrange(frame.with_columns(pl.col(text).cast(pl.String)), layout, {"value": layout.y})
    tidy = tidy.with_columns(frame.get_column(text).cast(pl.String).alias("text"))
    order = {"row": grid.rows, "column": grid.columns, "category": grid.categories, "group": grid.groups}
    places = pl.DataFrame(schema=dict.fromkeys(order, pl.String))
    if not tidy.is_empty():
        places = pl.DataFrame({"place": [0]})
        for role, values in order.items():
            places = places.join(
                pl.DataFrame({role: values}, {role: pl.String}), how="cross", maintain_order="left_right"
            )
    cells = places.select(*order).join(tidy, on=list(order), how="left", maintain_order="left")
    numbers: list[float | None] = cells.get_column("value").to_list()
    known = [value for value in numbers if value is not None]
    ends = shades.ends(min(known, default=None), max(known, default=None))
    colours = heat_colours(shades.palette)
    fills = [None if value is None else colour_of(value, *ends, colours) for value in numbers]
    inks = [None if fill is None else ink_on(fill) for fill in fills]
    cells = cells.with_columns(pl.Series("fill", fills, pl.String), pl.Series("ink", inks, pl.String))
    return Tiles(cells, grid, ends, colours)
