"""The value axis: its limits and grid lines, and the line and range marked on it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tallybook.core.untrusted import visible
from tallybook.figures.parts import LETTER, LINE
from tallybook.figures.style import BAND_COLOUR, LINE_COLOUR
from tallybook.figures.words import MINUS, tick_labels

if TYPE_CHECKING:
    from collections.abc import Mapping

# The fraction of an axis's length by which a number may lie beyond its end.
_NEAR = 0.015

# The distance of gap signs from the lower end of an axis, as a fraction of its length.
_SIGN = 0.04

# The maximum number of intervals between grid lines, their lengths up to a power of ten, and the minimum of grid lines.
_INTERVALS = 8
_FEWEST = 2
_STEPS = [1, 2, 2.5, 5, 10]


@dataclass(frozen=True)
class ValueAxis:
    """The limits of a value axis, and the line and range marked on it."""

    # the ends of the axis unless a number lies beyond; by default grid lines around the numbers
    limits: tuple[float, float] | None = None
    line: float | None = None  # a number that a dashed line marks
    line_label: str = ""  # the meaning of the line; untrusted text
    band: tuple[float, float] | None = None  # a range with a grey background
    band_label: str = ""  # the meaning of the range; untrusted text

    def ends(self, lowest: float | None, highest: float | None) -> tuple[float, float]:
        """Return the ends of the axis: the limits, or the next grid line where a number lies well beyond a limit."""
        from matplotlib.ticker import MaxNLocator

        inside = [number for number in (lowest, highest, self.line, *(self.limits or ())) if number is not None]
        low, high = (min(inside), max(inside)) if inside else (0.0, 1.0)
        if low == high:
            low, high = low - (abs(low) or 1.0) / 2, high + (abs(high) or 1.0) / 2
        around = MaxNLocator(_INTERVALS, steps=_STEPS).tick_values(low, high)
        first, last = self.limits or (math.inf, -math.inf)
        near = (high - low) * _NEAR
        return (first if low >= first - near else float(around[0])), (
            last if high <= last + near else float(around[-1])
        )

    def explained(self) -> list[str]:
        """Explain the marked line and range, in sentences.

        >>> ValueAxis(line=0.5, line_label="chance", band=(0.5, 1.0)).explained()
        ['Dashed line: 0.5 (chance).', 'Grey ground: 0.5 to 1.']
        """
        said: list[str] = []
        if self.line is not None:
            said.append(f"Dashed line: {_labelled(_short(self.line), self.line_label)}.")
        if self.band is not None:
            ends = " to ".join(_short(end) for end in self.band)
            said.append(f"Grey ground: {_labelled(ends, self.band_label)}.")
        return said

    def marks(self, *, upright: bool = True) -> list[Any]:
        """Return the layers of the range and the line, to be drawn before all others."""
        import plotnine as p9

        layers: list[Any] = []
        # Without limits along the other axis both extend from edge to edge.
        if self.band is not None:
            along, across = ("y", "x") if upright else ("x", "y")
            corners = dict(zip((f"{along}min", f"{along}max"), self.band, strict=True))
            corners |= {f"{across}min": -math.inf, f"{across}max": math.inf}
            layers.append(p9.annotate("rect", fill=BAND_COLOUR, **corners))
        if self.line is not None:
            look: Any = {"linetype": "dashed", "color": LINE_COLOUR, "size": 0.5}
            across = p9.geom_hline(yintercept=self.line, **look)
            layers.append(across if upright else p9.geom_vline(xintercept=self.line, **look))
        return layers


def ticks_within(ends: tuple[float, float], intervals: int) -> list[float]:
    """Return round numbers between the ends of an axis, with at most the given number of intervals between them."""
    from matplotlib.ticker import MaxNLocator

    low, high = ends
    near = (high - low) * 1e-9
    around = MaxNLocator(intervals, steps=_STEPS).tick_values(low, high)
    return [float(tick) + 0.0 for tick in around if low - near <= tick <= high + near]


def number_scale(
    ends: tuple[float, float], room: float, *, upright: bool = True, edge: float = 0.04, has_neighbours: bool = False
) -> tuple[Any, tuple[float, float]]:
    """Return a numeric scale with as many grid lines as there is room for, also before a neighbour's, and its ends."""
    from plotnine import scale_x_continuous, scale_y_continuous

    low, high = ends
    ticks = [low, high]
    labels = tick_labels(ticks)
    for intervals in range(_INTERVALS, 0, -1):
        inside = ticks_within(ends, intervals)
        if len(inside) < _FEWEST:
            break
        ticks, labels = inside, tick_labels(inside)
        taken = 1.7 * LINE if upright else max(map(len, labels)) * LETTER + LINE
        if (len(ticks) - (not has_neighbours)) * taken <= room:
            break
    scale = scale_y_continuous if upright else scale_x_continuous
    margin = (high - low) * edge / room
    settings: Mapping[str, Any] = {"breaks": ticks, "labels": labels, "expand": (0, 0)}
    return scale(**settings), (low - margin, high + margin)


def apart(scale: Any, width: float) -> Any:  # noqa: ANN401  plotnine's
    """Return a theme that sets panels side by side so far apart that the last number of one is clear of the next."""
    from plotnine import theme

    inches = (len(scale.labels[0]) + len(scale.labels[-1])) / 2 * LETTER
    return theme(panel_spacing_x=max(0.035, inches / width))


def gap_sign_height(ends: tuple[float, float]) -> float:
    """Return the height of a gap's sign, just above the lower end of an axis."""
    return ends[0] + (ends[1] - ends[0]) * _SIGN


def _short(number: float) -> str:
    return f"{number:g}".replace("-", MINUS)


def _labelled(number: str, label: str) -> str:
    return f"{number} ({visible(label)})" if label else number
