"""A figure to files: drawn once, saved in several formats, with the same bytes every time."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

from analysis.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plotnine import ggplot
    from plotnine.composition import Compose

FORMATS = ("svg", "pdf", "png")
_DOTS_PER_INCH = 300

# Letters are outlines in SVG and embedded TrueType in PDF; identifiers in SVG follow from a fixed salt.
_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "tallybook", "svg.fonttype": "path", "pdf.fonttype": 42}

# Without these each file would say when, and by which version of what, it was written.
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}


def save(
    figure: ggplot | Compose, folder: Path, name: str, width: float, height: float, *, formats: Sequence[str] = FORMATS
) -> list[Path]:
    """Draw a figure once and save it as `<folder>/<name>.<format>` in each format.

    Args:
        figure: The figure; it is left as it is.
        folder: Where to write; it is made when it is missing.
        name: The name of the files, without a suffix.
        width: The width in inches.
        height: The height in inches.
        formats: Some of "svg", "pdf" and "png" (300 dots per inch).

    Returns:
        The files in the order of the formats.

    Raises:
        UsageError: For an unknown format.
    """
    unknown = [each for each in formats if each not in FORMATS]
    if unknown:
        raise UsageError(f"no figure format {unknown[0]!r}: the formats are {', '.join(FORMATS)}")
    import matplotlib as mpl
    from matplotlib import pyplot as plt
    from plotnine import theme

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{each}" for each in dict.fromkeys(formats)]
    backend = mpl.get_backend()
    plt.switch_backend("agg")
    try:
        with mpl.rc_context(), warnings.catch_warnings():
            # matplotlib's own settings instead of the user's: the same figure on every machine.
            mpl.rcdefaults()
            mpl.rcParams.update(_SETTINGS)
            # A letter that the font lacks is drawn as a box. Labels come from responses: any letter can come.
            warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font")
            # plotnine closes the figure that it draws; adding a theme copies the plot.
            drawn = (figure + theme(figure_size=(width, height), dpi=_DOTS_PER_INCH)).draw()
            for path in paths:
                kind = path.suffix.removeprefix(".")
                drawn.savefig(path, format=kind, dpi=_DOTS_PER_INCH, metadata=_METADATA[kind])
    finally:
        plt.switch_backend(backend)
    return paths
