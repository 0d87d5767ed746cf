"""The style of all figures: theme, type and colours."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotnine import theme

# This font ships with matplotlib: a figure has the same letters, and the same bytes, on every machine.
FONT = "DejaVu Sans"
FONT_SIZE = 8

# Categories that are no answer are light grey, whatever the palette; uncoded responses are lighter than refusals.
REFUSAL_COLOUR = "#DCDCDC"
INVALID_COLOUR = "#F0F0F0"
INK = "#1A1A1A"
BLACK = "#000000"
FAINT_INK = "#767676"
PAPER = "#FFFFFF"

# Marks on an axis stay visually behind the data.
BAND_COLOUR = "#EFEFEF"
LINE_COLOUR = "#5A5A5A"
GRID_COLOUR = "#E6E6E6"
GUIDE_COLOUR = "#EDEDED"

# Shapes and line types that distinguish categories without colour; the shapes have about the same area.
SHAPES = ("o", "s", "^", "D", "v", "P", "X", "p")
LINES = ("solid", "dashed", "dotted", "dashdot")

# The range of viridis that is darker than the grey of refusals, and its end for points and lines, which have a contrast
# of at least 3 with paper.
_DARKEST, _LIGHTEST, _LIGHTEST_MARK = 0.08, 0.86, 0.58

# The relative luminance (W3C) of a background on which white and black type have the same contrast, 4.58.
_EVEN_LUMINANCE = 0.1791


def ordered_colours(count: int, *, marks: bool = False) -> list[str]:
    """Return colours in order of lightness, safe for colour-blind readers and for print without colours.

    `marks`: Whether the colours are for points and lines, and not for areas.

    Source:
        Nuñez, Anderton & Renslow (2018), Optimizing colormaps with consideration for color vision deficiency.

    >>> ordered_colours(3)
    ['#481d6f', '#23898e', '#a2da37']
    """
    from matplotlib import colormaps
    from matplotlib.colors import to_hex

    step = ((_LIGHTEST_MARK if marks else _LIGHTEST) - _DARKEST) / max(count - 1, 1)
    viridis = colormaps["viridis"]
    return [to_hex(viridis(_DARKEST + step * position)) for position in range(count)]


def ink_on(colour: str) -> str:
    """Choose black or white type for a background colour by relative luminance (WCAG's, with a plain exponent of 2.2).

    >>> ink_on("#481d6f"), ink_on("#a2da37")
    ('#FFFFFF', '#000000')
    """
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    luminance = sum(weight * value**2.2 for weight, value in zip((0.2126, 0.7152, 0.0722), channels, strict=True))
    return BLACK if luminance > _EVEN_LUMINANCE else PAPER


def plain_theme() -> theme:
    """Return a theme for print: white, without frames, horizontal grid lines only, the legend below."""
    from plotnine import element_blank, element_line, element_rect, element_text, theme, theme_minimal

    return theme_minimal(base_size=FONT_SIZE, base_family=FONT) + theme(
        text=element_text(family=FONT, color=INK),
        plot_background=element_rect(fill=PAPER, color=PAPER),
        plot_title=element_text(size=FONT_SIZE + 2, weight="bold", ha="left"),
        panel_grid_minor=element_blank(),
        panel_grid_major_x=element_blank(),
        panel_grid_major_y=element_line(color=GRID_COLOUR, size=0.4),
        axis_text=element_text(color=INK, size=FONT_SIZE - 1),
        axis_title_x=element_blank(),
        strip_text=element_text(weight="bold", size=FONT_SIZE),
        panel_spacing_y=0.035,
        plot_caption=element_text(size=FONT_SIZE - 1, ha="left", margin={"t": 6}),
        legend_position="bottom",
        legend_title=element_blank(),
        legend_key_size=9,
        legend_box_spacing=0.02,
    )
