"""Saving of a figure in several formats, with the same bytes every time."""

from __future__ import annotations

import logging
import re
import warnings
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.errors import UsageError
from tallybook.core.wording import value_text
from tallybook.figures.style import FONT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from plotnine import ggplot
    from plotnine.composition import Compose

FORMATS = ("svg", "pdf", "png")
_DOTS_PER_INCH = 300

# Letters are outlines in SVG and embedded TrueType in PDF; identifiers in SVG derive from a fixed salt.
_SETTINGS: dict[Any, Any] = {"svg.hashsalt": "tallybook", "svg.fonttype": "path", "pdf.fonttype": 42}

# Suppressed metadata: otherwise each file would have its date and the versions of programs.
_METADATA: dict[str, dict[str, None]] = {
    "svg": {"Date": None, "Creator": None},
    "pdf": {"CreationDate": None, "Creator": None, "Producer": None},
    "png": {"Software": None},
}

# Parts of matplotlib's SVG that no viewer needs: digits beyond a hundredth of a point (but not in scales), blanks,
# names of groups, long names of glyphs, and translations in full.
_MEASURES = re.compile(r' (?:d|x|y|style)="[^"]*"|translate\([^)]*')
_NUMBER = re.compile(r"-?\d+\.\d{3,}")
_BLANKS = re.compile(r"(?<=[\d.z])\s+(?=[A-Zz])|(?<=[A-Zz:;])\s+|\s+$")
_SPARED = (
    (re.compile(r'<g id="[\w.]+"'), "<g"),
    (re.compile(r'(id="|href="#)DejaVuSans(?:-(B)old)?-(?=[0-9a-f]+")'), r"\1g\2"),
    (re.compile(r'(<use [^<>]*)transform="translate\(([^ )]*) 0\)"/>'), r'\1x="\2"/>'),
    (re.compile(r"\n +(?=<)"), "\n"),
)

_WITHOUT_GLYPH = re.compile(r"Glyph (\d+) .* missing from font", re.DOTALL)


class Saved(NamedTuple):
    """The files of a figure, and the letters missing in them."""

    files: list[Path]  # the files in the order of the formats
    # letters that are in no font with outlines; matplotlib draws a box with a picture of their script
    lacking: frozenset[str] = frozenset()


def save(
    figure: ggplot | Compose,
    folder: Path,
    name: str,
    width: float,
    height: float,
    *,
    formats: Sequence[str] = FORMATS,
    font: str = "",
) -> Saved:
    """Save a figure as `<folder>/<name>.<format>` in `font` or matplotlib's own, with fallbacks for missing letters."""
    import matplotlib as mpl
    from matplotlib import pyplot as plt

    folder.mkdir(parents=True, exist_ok=True)
    paths = [folder / f"{name}.{each}" for each in formats]
    backend, log = mpl.get_backend(), logging.getLogger("matplotlib.font_manager")
    level = log.level
    plt.switch_backend("agg")
    try:
        with mpl.rc_context():
            # matplotlib's default settings instead of the user's: the same figure on every machine.
            mpl.rcdefaults()
            mpl.rcParams.update(_SETTINGS)
            # Labels come from responses, which can contain any letter.
            chosen = [_installed(font), FONT] if font else []
            lacking = _draw(figure, paths, width, height, chosen)
            if lacking and (families := _families(lacking)):
                # Some of these fonts, those with PostScript outlines, cannot be embedded as TrueType; few are bold.
                mpl.rcParams["pdf.fonttype"] = 3
                log.setLevel(logging.ERROR)
                lacking = _draw(figure, paths, width, height, [*(chosen or [FONT]), *families])
    finally:
        log.setLevel(level)
        plt.switch_backend(backend)
    return Saved(paths, lacking)


def _installed(font: str) -> str:
    """Return a font's name if it is installed, or refuse it: matplotlib would silently substitute another font."""
    from matplotlib import font_manager

    try:
        font_manager.findfont(font, fallback_to_default=False)
    except ValueError:
        raise UsageError(f"style.font: there is no font {value_text(font)} on this machine") from None
    return font


def _draw(
    figure: ggplot | Compose, paths: Sequence[Path], width: float, height: float, families: Sequence[str]
) -> frozenset[str]:
    """Draw a figure into files, with `families` instead of its own font if given, and return the letters they lack."""
    from matplotlib.text import Text
    from plotnine import theme

    with warnings.catch_warnings(record=True) as caught:
        warnings.filterwarnings("always", message=_WITHOUT_GLYPH.pattern)
        # plotnine closes the figure that it draws; adding a theme copies the plot.
        drawn = (figure + theme(figure_size=(width, height), dpi=_DOTS_PER_INCH)).draw()
        for text in drawn.findobj(Text) if families else ():
            text.set_fontfamily(families)
        for path in paths:
            kind = path.suffix.removeprefix(".")
            drawn.savefig(path, format=kind, dpi=_DOTS_PER_INCH, metadata=_METADATA[kind])
            if kind == "svg":
                path.write_text(_spare(path.read_text(encoding="utf-8")), encoding="utf-8", newline="")
    lacking = set[str]()
    for warning in caught:
        if found := _WITHOUT_GLYPH.match(str(warning.message)):
            lacking.add(chr(int(found[1])))
        else:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
    return frozenset(lacking)


def _spare(svg: str) -> str:
    """Remove the parts of an SVG that have no visible effect."""
    svg = _MEASURES.sub(_spare_digits, svg)
    for pattern, replacement in _SPARED:
        svg = pattern.sub(replacement, svg)
    return svg


def _spare_digits(measure: re.Match[str]) -> str:
    short = _NUMBER.sub(lambda number: f"{round(float(number[0]), 2) + 0.0:.2f}".rstrip("0").rstrip("."), measure[0])
    return _BLANKS.sub("", short[:-1]) + '"' if short.endswith('"') else short


def _families(letters: frozenset[str]) -> list[str]:
    """Return as few font families as possible that cover the letters, as far as installed fonts have them."""
    from matplotlib import font_manager
    from matplotlib.ft2font import FT2Font

    found: dict[str, tuple[set[str], list[str]]] = {}
    paths: list[str] = font_manager.findSystemFonts()  # pyright: ignore[reportUnknownVariableType]
    for path in sorted(paths):
        try:
            font = FT2Font(path)
        except (OSError, RuntimeError):  # not a font, or not readable
            continue
        having = {letter for letter in letters if font.get_char_index(ord(letter))}
        if having and font.scalable:
            known, files = found.setdefault(font.family_name, (set(), []))
            known |= having
            files.append(path)
    missing, chosen = set(letters), list[str]()
    # matplotlib's cached list of fonts may be older than a font.
    listed = {entry.fname for entry in font_manager.fontManager.ttflist}
    while best := max(found, key=lambda family: len(missing & found[family][0]), default=""):
        having, files = found.pop(best)
        if not missing & having:
            break
        missing -= having
        chosen.append(best)
        for path in files:
            if path not in listed:
                font_manager.fontManager.addfont(path)
    return chosen
