"""Figures in files: formats, sizes, the same bytes every time, and nothing left behind."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

import matplotlib as mpl
import polars as pl
import pytest
from matplotlib import font_manager
from matplotlib import pyplot as plt
from PIL import Image

from tallybook.core.errors import UsageError
from tallybook.figures.grid import Layout
from tallybook.figures.save import save
from tallybook.figures.stacked_bars import stacked_bars
from tests.fonts import font
from tests.paths import TOP

if TYPE_CHECKING:
    from pathlib import Path

DATA = pl.DataFrame({"g": ["a", "a", "b"], "k": ["x", "y", "refusal"], "p": [30.0, 70.0, 100.0]})
LAYOUT = Layout(x="g", fill="k", y="p")

IN_ANOTHER_PROCESS = """
import sys
from dataclasses import replace
from pathlib import Path
import polars as pl
from tallybook.figures.grid import Layout
from tallybook.figures.save import save
from tallybook.figures.stacked_bars import stacked_bars
data = pl.DataFrame({"g": ["a", "a", "b"], "k": ["x", "y", "refusal"], "p": [30.0, 70.0, 100.0]})
save(stacked_bars(data, Layout(x="g", fill="k", y="p")).plot, Path(sys.argv[1]), "bars", 4, 3)
"""


@pytest.fixture(scope="module")
def figure():
    return stacked_bars(DATA, LAYOUT).plot


def test_every_format_in_its_own_file(figure, tmp_path):
    folder = tmp_path / "new" / "folder"
    assert save(figure, folder, "bars.1", 4, 3).files == [folder / f"bars.1.{each}" for each in ("svg", "pdf", "png")]
    assert {path.name for path in folder.iterdir()} == {"bars.1.svg", "bars.1.pdf", "bars.1.png"}


def test_sizes(figure, tmp_path):
    svg, pdf, png = save(figure, tmp_path, "bars", 4, 3).files
    with Image.open(png) as image:
        assert image.size == (1200, 900)
        assert image.info["dpi"] == pytest.approx((300, 300), rel=0.001)
        assert "Software" not in image.info
    parser = ET.XMLPullParser(events=("start",))
    parser.feed(svg.read_bytes())
    _, root = next(iter(parser.read_events()))
    assert (root.get("width"), root.get("height")) == ("288pt", "216pt")
    assert b"/MediaBox [ 0 0 288 216 ]" in pdf.read_bytes()


def test_no_dates_no_versions_no_places(figure, tmp_path):
    svg, pdf, _ = save(figure, tmp_path, "bars", 4, 3).files
    for word in (b"Date", b"matplotlib", b"Matplotlib", mpl.__version__.encode(), str(tmp_path).encode()):
        for path in (svg, pdf):
            found = path.read_bytes()
            assert word not in found.replace(b"matplotlib.axis", b""), (path.suffix, word)


def test_same_bytes_in_another_process(figure, tmp_path):
    here = save(figure, tmp_path / "here", "bars", 4, 3).files
    root = TOP
    path = os.pathsep.join(map(str, (root / "analysis", root / "schemas", root)))
    subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, str(tmp_path / "there")],
        check=True,
        cwd=root,
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": path, "MPLBACKEND": "svg"},
    )
    again = save(figure, tmp_path / "again", "bars", 4, 3).files
    for path in here:
        assert path.read_bytes() == (tmp_path / "there" / path.name).read_bytes(), path.name
    assert [path.read_bytes() for path in here] == [path.read_bytes() for path in again]


def test_settings_of_the_user_change_nothing_and_are_kept(figure, tmp_path):
    [plain] = save(figure, tmp_path / "plain", "bars", 4, 3, formats=["svg"]).files
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "mine", "savefig.bbox": "tight", "font.size": 30}):
        [other] = save(figure, tmp_path / "other", "bars", 4, 3, formats=["svg"]).files
        assert mpl.rcParams["svg.hashsalt"] == "mine"
    assert plain.read_bytes() == other.read_bytes()


def test_no_figure_stays_open_and_the_backend_comes_back(figure, tmp_path):
    before = mpl.get_backend()
    plt.switch_backend("svg")
    try:
        mine = plt.figure()
        save(figure, tmp_path, "bars", 4, 3, formats=["png"])
        assert mpl.get_backend().lower() == "svg"
        assert plt.get_fignums() == [mine.number]
        plt.close(mine)
    finally:
        plt.switch_backend(before)


def drawn_without(letters: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *fonts: Path) -> tuple[str, bytes]:
    """The letters that a figure lacks on a machine with these fonts, and the figure."""
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: list(map(str, fonts)))
    monkeypatch.setattr(font_manager.fontManager, "ttflist", font_manager.fontManager.ttflist.copy())
    strange = DATA.with_columns(k=pl.lit(f"a{letters}"))
    layout = replace(LAYOUT, panel_columns="k")  # headings of panels are bold
    saved = save(stacked_bars(strange, layout).plot, folder, "bars", 4, 3, formats=["svg"])
    return "".join(sorted(saved.lacking)), saved.files[0].read_bytes()


def test_a_font_of_the_documents_own(figure, tmp_path):
    plain, own = (
        save(figure, tmp_path / name, "a", 4, 3, formats=["pdf"], font=name).files[0] for name in ("", "STIXGeneral")
    )
    assert b"DejaVuSans" in plain.read_bytes()
    assert b"STIXGeneral" not in plain.read_bytes()
    assert b"STIXGeneral" in own.read_bytes()
    with pytest.raises(UsageError, match=r"style\.font: there is no font 'Nowhere Sans'"):
        save(figure, tmp_path, "b", 4, 3, formats=["png"], font="Nowhere Sans")


def test_letters_that_no_font_has_are_named(tmp_path, monkeypatch):
    lacking, svg = drawn_without("日本", tmp_path, monkeypatch)
    assert lacking == "日本"
    assert len(svg) > 1000


def test_letters_of_the_machines_fonts(tmp_path, monkeypatch, caplog):
    alone = drawn_without("日本", tmp_path / "1", monkeypatch)
    (tmp_path / "broken.ttf").write_bytes(b"no font")
    fonts = [font(tmp_path, "One", "日x"), font(tmp_path, "Two", "日本"), tmp_path / "broken.ttf"]
    lacking, svg = drawn_without("日本", tmp_path / "2", monkeypatch, *fonts)
    assert lacking == ""
    assert svg != alone[1]
    # As few of them as have the letters.
    assert (lacking, svg) == drawn_without("日本", tmp_path / "3", monkeypatch, fonts[1])
    assert drawn_without("日本語", tmp_path / "4", monkeypatch, fonts[1])[0] == "語"
    assert caplog.records == []
