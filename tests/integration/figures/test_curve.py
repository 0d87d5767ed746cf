"""Curves: lines, bands, circles, gaps, panels, and what degenerate and hostile frames become."""

from __future__ import annotations

import math
import warnings
from typing import Any

import matplotlib as mpl
import polars as pl
import pytest

from tallybook.figures.curve import curve, place_runs
from tallybook.figures.grid import Layout
from tallybook.figures.save import save
from tallybook.figures.style import FONT, INK, LINE_COLOUR, ordered_colours
from tallybook.figures.value_axis import ValueAxis, gap_sign_height
from tests.integration.figures.drawn import HOSTILE, all_words, curves, laid_out, lines, markers, with_settings, words

ARGUMENTS: dict[str, Any] = {"x": None, "fill": None, "y": "p", "panel_columns": "domain", "y_title": "Probability"}
AXES: dict[str, Any] = {"x": "score", "x_title": "Score"}
BAND = {"low": "low", "high": "high"}
AXIS = ValueAxis((0.0, 1.0))
SCORES = [-1.0, -0.5, 0.0, 0.5, 1.0]


picture = with_settings(curve)


def alt_text(*given: Any, **settings: Any) -> str:
    return picture(*given, **settings).alt_text


def frame() -> pl.DataFrame:
    """Logistic curves of two domains, their points in no order."""
    rows = [
        {"domain": domain, "score": score, "p": 1 / (1 + math.exp(-slope * score)), "n": 10}
        for domain, slope in (("race", 1.0), ("health", 3.0))
        for score in SCORES[::-1]
    ]
    return pl.DataFrame(rows).with_columns(low=pl.col("p") * 0.8, high=pl.col("p") * 1.1)


def circles() -> pl.DataFrame:
    rows = [
        {"domain": domain, "score": score, "p": p, "n": n}
        for domain in ("race", "health")
        for score, p, n in ((-1.0, 0.0, 16), (0.5, 1.0, 4), (1.0, 1.0, 1), (1.0, 0.0, 0))
    ]
    return pl.DataFrame(rows)


def without(data: pl.DataFrame, domain: str, *scores: float) -> pl.DataFrame:
    lost = (pl.col("domain") == domain) & pl.col("score").is_in(scores or SCORES)
    return data.with_columns(p=pl.when(~lost).then("p"))


def drawn(data: pl.DataFrame, settings: dict[str, Any] | None = None, axis: ValueAxis = AXIS, **arguments: Any) -> Any:
    return laid_out(picture(data, Layout(**{**ARGUMENTS, **arguments}), axis, **{**AXES, **(settings or {})}).plot)


class TestCurves:
    def test_run_through_their_points_in_the_order_of_x(self):
        for axes, slope in zip(drawn(frame()).axes, (1.0, 3.0), strict=True):
            [(line, colour, _)] = curves(axes)
            assert colour == INK.lower()
            assert line == [(score, pytest.approx(1 / (1 + math.exp(-slope * score)), abs=1e-6)) for score in SCORES]

    def test_of_several_categories_differ_in_colour_and_kind_of_line(self):
        axes = drawn(frame(), panel_columns=None, fill="domain").axes[0]
        found = curves(axes)
        assert [colour for _, colour, _ in found] == ordered_colours(2, marks=True)
        assert len({kind for *_, kind in found}) == 2

    def test_are_solid_where_a_panel_has_one(self):
        figure = drawn(frame(), fill="domain", colours={"race": "#F08080"})
        found = [each for axes in figure.axes for each in curves(axes)]
        assert [(colour, kind) for _, colour, kind in found] == [
            ("#f08080", "-"),
            (ordered_colours(1, marks=True)[0], "-"),
        ]

    def test_a_single_point_is_a_dot(self):
        assert markers(drawn(frame().filter(score=0.5)).axes[0]) == [(0.5, pytest.approx(0.622459), INK.lower())]

    def test_the_axis_ends_with_the_data(self):
        low, high = drawn(frame()).axes[0].get_xlim()
        assert (low, high) == (pytest.approx(-1, abs=0.1), pytest.approx(1, abs=0.1))

    def test_every_letter_is_of_the_font_that_comes_along(self):
        figure = drawn(without(frame(), "race", 0.0), BAND, title="A title")
        families = {tuple(text.get_fontfamily()) for text in figure.findobj(mpl.text.Text) if text.get_text()}
        assert families == {(FONT,)}

    def test_panels_are_as_wide_as_each_other(self):
        data = frame().filter((pl.col("domain") == "race") | (pl.col("score") > 0))
        first, second = (axes.get_position() for axes in drawn(data).axes)
        assert first.width == pytest.approx(second.width)


class TestBands:
    def test_span_the_interval(self):
        axes = drawn(frame(), BAND).axes[0]
        [band] = [each for each in axes.collections if each.get_alpha() or len(each.get_facecolor())]
        extent = band.get_paths()[0].get_extents()
        values = frame().filter(domain="race")
        assert (extent.x0, extent.x1) == (-1, 1)
        assert (extent.y0, extent.y1) == (values["low"].min(), values["high"].max())

    @pytest.mark.parametrize("end", ["low", "high"])
    def test_none_where_an_end_is_missing(self, end: str):
        data = frame().with_columns(pl.when(domain="health").then(end).alias(end))
        runs = place_runs(data, Layout(**ARGUMENTS, **BAND), "score")
        known = runs.frame.filter(pl.col("low").is_not_null() | pl.col("high").is_not_null())
        assert known.get_column("column").unique().to_list() == ["health"]

    def test_are_explained(self):
        settings = {**BAND, "interval": "95% confidence intervals"}
        assert "Bands: 95% confidence intervals." in all_words(drawn(frame(), settings))
        assert "Bands" not in " ".join(all_words(drawn(frame())))


class TestCircles:
    def test_have_areas_in_proportion_to_their_number(self):
        figure = drawn(frame(), {"circles": circles()})
        for axes in figure.axes:
            [cloud] = [each for each in axes.collections if len(each.get_offsets()) == 3]
            sizes = dict(zip(map(tuple, cloud.get_offsets().tolist()), cloud.get_sizes(), strict=True))
            assert set(sizes) == {(-1.0, 0.0), (0.5, 1.0), (1.0, 1.0)}
            large, middle, small = (sizes[place] for place in ((-1.0, 0.0), (0.5, 1.0), (1.0, 1.0)))
            assert (large / middle, large / small) == (pytest.approx(4), pytest.approx(16))

    def test_are_seen_whole_at_the_ends_of_the_axis(self):
        low, high = drawn(frame(), {"circles": circles()}).axes[0].get_ylim()
        assert low < -0.025
        assert high > 1.025

    def test_of_panels_without_curve_are_left_out(self):
        data = pl.concat([circles(), circles().with_columns(domain=pl.lit("gender"))])
        assert len(drawn(frame(), {"circles": data}).axes) == 2

    def test_are_explained(self):
        settings = {"circles": circles(), "circles_label": "decisions"}
        said = "Circles: decisions, their area in proportion to the number of responses (largest: 16)."
        assert said in " ".join(" ".join(all_words(drawn(frame(), settings))).split())
        assert said in alt_text(frame(), Layout(**ARGUMENTS), AXIS, **AXES, **settings)


class TestGaps:
    def test_break_the_curve_and_have_the_sign_below_them(self):
        first, second = drawn(without(frame(), "race", 0.0), {**BAND, "missing": "n/a"}).axes
        assert [[x for x, _ in line] for line, *_ in curves(first)] == [[-1.0, -0.5], [0.5, 1.0]]
        assert (words(first), words(second)) == (["n/a"], [])
        [sign] = first.texts
        assert sign.get_position() == (0.0, pytest.approx(gap_sign_height(first.get_ylim())))

    def test_a_curve_without_numbers_has_the_sign_in_the_middle(self):
        first, second = drawn(without(frame(), "race")).axes
        assert (words(first), words(second)) == (["–"], [])
        assert first.texts[0].get_position()[0] == pytest.approx(0, abs=0.01)

    def test_a_curve_that_is_not_there_is_missing_too(self):
        data = pl.concat([frame().with_columns(model=pl.lit(model)) for model in ("m1", "m2")])
        data = data.filter(~((pl.col("model") == "m2") & (pl.col("domain") == "race")))
        first, second = drawn(data, panel_columns="model", fill="domain").axes
        assert (words(first), words(second)) == ([], ["–"])

    def test_signs_of_several_curves_stand_above_each_other(self):
        data = frame().with_columns(p=pl.when(pl.col("score") != 0).then("p"))
        axes = drawn(data, panel_columns=None, fill="domain").axes[0]
        below, above = (text.get_position()[1] for text in axes.texts)
        assert below + 0.05 < above

    def test_are_explained_below_the_panels(self):
        assert "– marks a number that does not exist." in all_words(drawn(without(frame(), "race", 0.0)))
        assert "marks" not in " ".join(all_words(drawn(frame())))

    @pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
    def test_nothing_but_them(self, value: Any):
        data = frame().with_columns(p=pl.lit(value, dtype=pl.Float64))
        assert [words(axes) for axes in drawn(data, BAND, ValueAxis()).axes] == [["–"], ["–"]]
        assert alt_text(data, Layout(**ARGUMENTS), AXIS, **AXES).endswith("race – no data. health – no data.")


class TestLabels:
    def test_hostile_ones_are_no_formulas(self):
        axis = ValueAxis(line=0.5, line_label=HOSTILE)
        settings = {**BAND, "interval": HOSTILE, "missing": HOSTILE, "x_title": HOSTILE}
        settings |= {"circles": circles(), "circles_label": HOSTILE}
        data, labels = without(frame(), "race", 0.0), {"domain": {"race": HOSTILE}}
        with pytest.warns(UserWarning, match="Glyph"):
            figure = drawn(
                data, settings, axis, labels=labels, y_title=HOSTILE, title=HOSTILE, fill="domain", width=60.0
            )
        shown = [text.get_text() for text in figure.findobj(mpl.text.Text) if "frac" in text.get_text()]
        assert len(shown) >= 6
        for text in shown:
            assert "\u202e" not in text
            assert "\x1b" not in text
            assert text.count("$") == text.count(r"\$")

    def test_axes_are_titled_and_the_line_is_drawn(self):
        figure = drawn(frame(), axis=ValueAxis((0.0, 1.0), line=0.5))
        assert {"Score", "Probability", "Dashed line: 0.5."} <= all_words(figure)
        assert [height for _, height in lines(figure.axes[0], LINE_COLOUR)[0]] == [0.5, 0.5]


class TestAltText:
    def test_says_where_each_curve_begins_and_ends(self):
        layout = Layout(**ARGUMENTS, labels={"domain": {"race": "Race"}}, title="Curves.")
        assert alt_text(without(frame(), "health"), layout, ValueAxis(line=0.5), **AXES, **BAND, interval="95%") == (
            "Curves. Curves. Horizontal axis – Score. Vertical axis – Probability. Dashed line: 0.5. Bands: 95%. "
            "Race – from 0.269 at −1.00 to 0.731 at 1.00. health – no data."
        )

    def test_names_several_curves_of_a_panel(self):
        layout = Layout(**{**ARGUMENTS, "panel_columns": None, "fill": "domain"})
        said = alt_text(without(frame(), "health", 1.0), layout, AXIS, **AXES)
        assert "Colours: race, health." in said
        assert said.endswith(
            "Race: from 0.269 at −1.00 to 0.731 at 1.00; health: from 0.047 at −1.00 to 0.818 at 0.50."
        )

    def test_is_one_line_without_characters_that_act(self):
        layout = Layout(
            **{**ARGUMENTS, "y_title": HOSTILE}, labels={"domain": {"race": f"a\n{HOSTILE}"}}, title=HOSTILE
        )
        settings: dict[str, Any] = {"circles": circles(), "circles_label": HOSTILE, "interval": HOSTILE}
        assert alt_text(frame(), layout, AXIS, x="score", x_title=HOSTILE, **BAND, **settings).isprintable()


def test_two_runs_give_the_same_bytes(tmp_path):
    data, layout = without(frame(), "race", 0.0), Layout(**ARGUMENTS)
    settings: dict[str, Any] = {**AXES, **BAND, "circles": circles()}
    first = save(picture(data, layout, AXIS, **settings).plot, tmp_path / "1", "curve", 7, 3).files
    again = save(picture(data.clone(), layout, AXIS, **settings).plot, tmp_path / "2", "curve", 7, 3).files
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


@pytest.mark.parametrize("lost", [(), (0.0,), (-1.0, -0.5, 0.5), tuple(SCORES)])
def test_nothing_is_warned_of(tmp_path, lost: tuple[float, ...]):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = frame().with_columns(p=pl.when(~pl.col("score").is_in(lost)).then("p"))
        settings: dict[str, Any] = {**AXES, **BAND, "circles": circles()}
        for fill in (None, "domain"):
            layout = Layout(**{**ARGUMENTS, "fill": fill, "panel_columns": None if fill else "domain"})
            save(picture(data, layout, AXIS, **settings).plot, tmp_path, "curve", 7, 3, formats=["svg"])
