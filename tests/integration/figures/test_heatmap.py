"""Heatmaps: cells, their colours and numbers, gaps, sizes, and what degenerate and hostile frames become."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import numpy as np
import polars as pl
import pytest
from matplotlib.colors import to_hex, to_rgb

from tallybook.figures.grid import Layout
from tallybook.figures.heatmap import Palette, Shades, heatmap
from tallybook.figures.save import save
from tallybook.figures.style import BLACK, FONT, PAPER, ink_on
from tests.integration.figures.drawn import HOSTILE, all_words, laid_out, with_settings, words

VALUES = {("men", "career"): 1.0, ("men", "science"): 0.18, ("women", "career"): 0.0, ("women", "science"): 0.91}
ARGUMENTS: dict[str, Any] = {"x": "set", "fill": "who", "y": "value", "y_title": "Share"}
SHARES = Shades("sequential", limits=(0.0, 1.0))


def frame(**columns: Any) -> pl.DataFrame:
    rows = [{"who": who, "set": name, "value": value, "panel": "one"} for (who, name), value in VALUES.items()]
    data = pl.DataFrame(rows, {"who": pl.String, "set": pl.String, "value": pl.Float64, "panel": pl.String})
    return with_text(data.with_columns(**columns))


picture = with_settings(heatmap)


def colours(palette: Palette) -> list[str]:
    """The colours of numbers from one end of a palette to the other."""
    numbers = pl.Series(np.linspace(0.0, 1.0, 257))
    return [colour or "" for colour in Shades(palette).colours(numbers, (0.0, 1.0))]


def alt_text(data: pl.DataFrame, layout: Layout) -> str:
    return heatmap(data, layout, SHARES, text="text").alt_text


def size(data: pl.DataFrame, layout: Layout) -> tuple[float, float]:
    found = heatmap(data, layout, Shades(), text="text")
    return found.width, found.height


def with_text(data: pl.DataFrame) -> pl.DataFrame:
    texts = [None if value is None else f"{value:.2f}" for value in data["value"]]
    return data.with_columns(pl.Series("text", texts, pl.String))


def drawn(data: pl.DataFrame, shades: Shades = SHARES, missing: str = "–", **arguments: Any) -> Any:
    return laid_out(picture(data, Layout(**{**ARGUMENTS, **arguments}), shades, text="text", missing=missing).plot)


def cells(axes: Any) -> dict[tuple[float, float], str]:
    """The colour of each cell by its middle."""
    return {
        (round(box.x0 + box.width / 2, 6), round(box.y0 + box.height / 2, 6)): to_hex(colour)
        for collection in axes.collections
        for path, colour in zip(collection.get_paths(), collection.get_facecolor(), strict=False)
        for box in [path.get_extents()]
    }


def tick_labels(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


class TestCells:
    def test_rows_run_down_and_columns_to_the_right(self):
        axes = drawn(frame()).axes[0]
        assert tick_labels(axes.xaxis) == ["career", "science"]
        assert tick_labels(axes.yaxis) == ["women", "men"]
        palette = colours("sequential")
        expected = {(1, 2): 1.0, (2, 2): 0.18, (1, 1): 0.0, (2, 1): 0.91}
        found = cells(axes)
        for place, value in expected.items():
            steps = [np.abs(np.subtract(to_rgb(found[place]), to_rgb(each))).max() for each in palette]
            assert np.argmin(steps) == pytest.approx(value * 256, abs=2)

    def test_numbers_can_be_read_on_them(self):
        axes = drawn(frame()).axes[0]
        inks = {text.get_text(): text.get_color() for text in axes.texts}
        assert {text: to_hex(ink).upper() for text, ink in inks.items()} == {
            "1.00": PAPER,
            "0.18": BLACK,
            "0.00": BLACK,
            "0.91": PAPER,
        }

    def test_orders_and_labels(self):
        orders = {"who": ["women", "nobody", "men"], "set": ["science"]}
        axes = drawn(frame(), orders=orders, labels={"who": {"men": "Men-Career"}, "set": {"career": "Career"}}).axes[0]
        assert tick_labels(axes.yaxis) == ["Men-Career", "women"]
        assert tick_labels(axes.xaxis) == ["science", "Career"]

    def test_panels_have_all_rows_and_columns(self):
        other = frame(panel=pl.lit("two")).filter(pl.col("who") == "men")
        first, second = drawn(pl.concat([frame(), other]), panel_columns="panel").axes
        assert sorted(words(first)) == ["0.00", "0.18", "0.91", "1.00"]
        assert sorted(words(second)) == ["0.18", "1.00", "–", "–"]

    def test_numbers_are_turned_where_cells_are_narrow(self):
        wide = pl.DataFrame([{"who": "a", "set": f"s{number}", "value": 0.5} for number in range(60)])
        axes = drawn(with_text(wide)).axes[0]
        assert {text.get_rotation() for text in axes.texts} == {90}
        assert {text.get_rotation() for text in drawn(frame()).axes[0].texts} == {0}

    @pytest.mark.parametrize("columns", [2, 8, 21, 40, 60])
    def test_numbers_stay_inside(self, columns: int):
        from plotnine import theme

        data = with_text(
            pl.DataFrame([{"who": w, "set": f"s{n}", "value": -0.55} for n in range(columns) for w in ("a", "b")])
        )
        layout = Layout(**ARGUMENTS)
        width, tall = size(data, layout)
        assert width <= 6.3
        plot = heatmap(data, Layout(**{**ARGUMENTS, "width": width}), Shades(), text="text").plot
        [axes] = laid_out(plot + theme(figure_size=(width, tall))).axes
        boxes = sorted((text.get_window_extent() for text in axes.texts), key=lambda box: (box.y0, box.x0))
        for left, right in pairwise(boxes):
            assert left.x1 < right.x0 or left.y1 < right.y0

    def test_every_letter_is_of_the_font_that_comes_along(self):
        figure = drawn(frame(value=pl.Series([1.0, None, 0.3, 0.2])), title="A title")
        families = {tuple(text.get_fontfamily()) for text in figure.findobj(mpl.text.Text) if text.get_text()}
        assert families == {(FONT,)}


class TestGaps:
    def test_are_white_with_the_sign(self):
        figure = drawn(frame(value=pl.Series([1.0, None, 0.0, 0.91])), missing="n/a")
        axes = figure.axes[0]
        assert sorted(words(axes)) == ["0.00", "0.91", "1.00", "n/a"]
        assert cells(axes)[(2, 2)] == PAPER.lower()
        assert "n/a marks a number that does not exist." in all_words(figure)
        assert "marks" not in " ".join(all_words(drawn(frame())))

    def test_rows_that_are_not_there_are_gaps_too(self):
        assert sorted(words(drawn(frame().head(3)).axes[0])) == ["0.00", "0.18", "1.00", "–"]

    @pytest.mark.parametrize("value", [None, float("nan"), float("-inf")])
    def test_nothing_but_them(self, value: Any):
        data = frame().with_columns(value=pl.lit(value, pl.Float64))
        assert words(drawn(data).axes[0]) == ["–"] * 4
        assert alt_text(data, Layout(**ARGUMENTS)).endswith("No data.")


class TestColours:
    @pytest.mark.parametrize("palette", ["sequential", "diverging"])
    def test_differ_in_equal_steps_of_lightness(self, palette: Any):
        def lightness(colour: str) -> float:
            linear = [((c + 0.055) / 1.055) ** 2.4 if c > 0.04045 else c / 12.92 for c in to_rgb(colour)]
            y = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
            return 116 * y ** (1 / 3) - 16

        found = [lightness(colour) for colour in colours(palette)]
        count = len(found)
        middle = found.index(max(found))
        assert middle == (0 if palette == "sequential" else pytest.approx(count // 2, abs=1))
        falling = [before - after for before, after in pairwise(found[middle:])]
        # Colours of 8 bits differ from equal steps by what rounding does.
        length = len(falling) // 8
        steps = [sum(falling[start : start + length]) for start in range(0, length * 8, length)]
        assert max(steps) / min(steps) < 1.25

    def test_a_diverging_palette_has_its_middle_at_zero(self):
        for lowest, highest in ((0.2, 0.9), (-3.0, 1.0), (0.0, 0.0), (1.0, 2.0)):
            low, high = Shades("diverging").ends(lowest, highest)
            assert low < high
            assert (low + high) / 2 == pytest.approx(0)
            assert low <= lowest <= highest <= high

    def test_limits_hold_unless_a_number_lies_beyond(self):
        assert SHARES.ends(0.2, 0.3) == (0.0, 1.0)
        assert SHARES.ends(0.2, 1.5) == (0.0, 1.5)
        assert Shades().ends(0.2, 0.3) == (0.2, 0.3)
        assert Shades().ends(0.2, 0.2) == pytest.approx((0.1, 0.3))
        assert Shades().ends(None, None) == (0.0, 1.0)

    @pytest.mark.parametrize("palette", ["sequential", "diverging"])
    def test_every_number_can_be_read(self, palette: Any):
        for colour in colours(palette):
            behind, ink = (
                sum(
                    weight * channel**2.2
                    for weight, channel in zip((0.2126, 0.7152, 0.0722), to_rgb(each), strict=True)
                )
                for each in (colour, ink_on(colour))
            )
            assert (max(behind, ink) + 0.05) / (min(behind, ink) + 0.05) > 3.9

    def test_the_legend_names_numbers_and_what_they_are(self):
        assert {"Share", "0.0", "0.4", "1.0"} <= all_words(drawn(frame()))
        assert {"−1.0", "0.0", "1.0"} <= all_words(drawn(frame(), Shades("diverging", limits=(-1.0, 1.0))))


class TestSize:
    def test_grows_with_rows_and_columns_up_to_the_page(self):
        def of(rows: int, columns: int) -> tuple[float, float]:
            data = [{"who": f"r{r}", "set": f"c{c}", "value": 0.5} for r in range(rows) for c in range(columns)]
            return size(with_text(pl.DataFrame(data)), Layout(**ARGUMENTS))

        assert of(3, 3)[0] < of(3, 6)[0] <= 6.3
        assert of(3, 30)[0] == 6.3
        assert of(3, 3)[1] < of(21, 8)[1] < 9


class TestLabels:
    def test_long_ones_of_rows_are_folded_and_cut_off(self):
        labels = {"who": {"men": "A name that goes on for quite a while, and further", "women": "x" * 80}}
        long, short = (drawn(frame(), labels=labels).axes[0].yaxis.get_ticklabels()[place] for place in (1, 0))
        assert long.get_text().count("\n") == 1
        assert short.get_text() == "x" * 32 + "\n…"

    def test_hostile_ones_are_no_formulas(self):
        labels = {"who": {"men": HOSTILE}, "set": {"career": HOSTILE}, "panel": {"one": HOSTILE}}
        data = frame(value=pl.Series([1.0, None, 0.0, 0.91]))
        data = data.with_columns(text=pl.when(pl.col("text") == "1.00").then(pl.lit(HOSTILE)).otherwise("text"))
        settings: dict[str, Any] = {"labels": labels, "y_title": HOSTILE, "missing": HOSTILE, "panel_columns": "panel"}
        with pytest.warns(UserWarning, match="Glyph"):
            figure = drawn(data, title=HOSTILE, width=60.0, **settings)
        shown = [text.get_text() for text in figure.findobj(mpl.text.Text) if "frac" in text.get_text()]
        assert len(shown) >= 7
        for text in shown:
            assert "\u202e" not in text
            assert "\x1b" not in text
            assert text.count("$") == text.count(r"\$")


class TestAltText:
    def test_names_the_extremes_and_the_gaps(self):
        layout = Layout(**ARGUMENTS, labels={"who": {"men": "Men"}}, title="Absolute.")
        assert alt_text(frame(value=pl.Series([1.0, None, 0.0, 0.91])), layout) == (
            "Absolute. Heatmap. Numbers: Share. Rows: Men, women. Columns: career, science. "
            "Highest: Men, career 1.00; lowest: women, career 0.00; no value: Men, science."
        )

    def test_is_one_line_without_characters_that_act(self):
        layout = Layout(**{**ARGUMENTS, "y_title": HOSTILE}, labels={"who": {"men": f"a\n{HOSTILE}"}}, title=HOSTILE)
        assert alt_text(frame(), layout).isprintable()


def test_two_runs_give_the_same_bytes(tmp_path):
    data, layout = frame(value=pl.Series([1.0, None, 0.0, 0.91])), Layout(**ARGUMENTS)
    first = save(heatmap(data, layout, SHARES, text="text").plot, tmp_path / "1", "heat", 5, 3).files
    again = save(heatmap(data.clone(), layout, SHARES, text="text").plot, tmp_path / "2", "heat", 5, 3).files
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]
    assert first[0].stat().st_size < 100_000


def test_nothing_is_warned_of(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = frame(value=pl.Series([1.0, None, 0.0, 0.91]))
        save(heatmap(data, Layout(**ARGUMENTS), SHARES, text="text").plot, tmp_path, "heat", 5, 3)
