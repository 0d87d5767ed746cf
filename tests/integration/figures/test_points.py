"""Points: values, intervals, gaps, panels, shapes, sides, and what degenerate and hostile frames become."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import polars as pl
import pytest

from tallybook.figures.grid import Layout
from tallybook.figures.points import points
from tallybook.figures.save import save
from tallybook.figures.slots import place_points
from tallybook.figures.style import BAND_COLOUR, FONT, INK, LINE_COLOUR, ordered_colours
from tallybook.figures.value_axis import ValueAxis, gap_sign_height
from tests.integration.figures.drawn import HOSTILE, all_words, laid_out, lines, markers, with_settings, words

# Means as a published study has them: stereotypes of two domains, two models.
VALUES = {
    ("m1", "race", "racism"): 0.96,
    ("m1", "race", "guilt"): 0.91,
    ("m1", "gender", "career"): 0.69,
    ("m1", "gender", "sexuality"): -0.12,
    ("m2", "race", "racism"): 0.08,
    ("m2", "race", "guilt"): 0.0,
    ("m2", "gender", "career"): 0.02,
    ("m2", "gender", "sexuality"): -0.45,
}
GROUPS = ["racism", "guilt", "career", "sexuality"]
ARGUMENTS: dict[str, Any] = {"x": "stereotype", "fill": "domain", "y": "value", "panel_columns": "model"}
ENDS = {"low": "low", "high": "high"}
AXIS = ValueAxis((-1.0, 1.0), line=0.0, band=(0.25, 1.0))


picture = with_settings(points)


def alt_text(*given: Any, **settings: Any) -> str:
    return picture(*given, **settings).alt_text


def height(*given: Any, **settings: Any) -> float:
    return picture(*given, **settings).height


def frame() -> pl.DataFrame:
    rows = [{"model": m, "domain": d, "stereotype": s, "value": value} for (m, d, s), value in VALUES.items()]
    return pl.DataFrame(rows).with_columns(low=pl.col("value") - 0.1, high=pl.col("value") + 0.05)


def without(data: pl.DataFrame, **point: str) -> pl.DataFrame:
    is_point = pl.all_horizontal(pl.col(name) == value for name, value in point.items())
    return data.with_columns(value=pl.when(~is_point).then("value"))


def drawn(data: pl.DataFrame, settings: dict[str, Any] | None = None, axis: ValueAxis = AXIS, **arguments: Any) -> Any:
    return laid_out(picture(data, Layout(**{**ARGUMENTS, **arguments}), axis, **(settings or {})).plot)


def tick_labels(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


class TestPoints:
    def test_stand_at_their_values_in_the_colour_of_their_category(self):
        first, second = drawn(frame()).axes
        race, gender = ordered_colours(2, marks=True)
        for axes, model in ((first, "m1"), (second, "m2")):
            expected = [
                (place, VALUES[model, domain, name], race if domain == "race" else gender)
                for place, (domain, name) in enumerate(
                    zip(("race", "race", "gender", "gender"), GROUPS, strict=True), 1
                )
            ]
            assert sorted(markers(axes)) == expected

    def test_declared_colours_and_those_of_others(self):
        axes = drawn(frame(), colours={"race": "#F08080"}).axes[0]
        assert {colour for *_, colour in markers(axes)} == {"#f08080", ordered_colours(1, marks=True)[0]}

    def test_categories_differ_in_shape_for_print_without_colours(self):
        axes = drawn(frame()).axes[0]
        shapes = {
            len(collection.get_paths()[0].vertices)
            for collection in axes.collections
            if len(collection.get_offsets()) == 2
        }
        assert len(shapes) == 2

    def test_without_categories_are_dark_and_have_no_legend(self):
        figure = drawn(frame(), fill=None)
        assert {colour for *_, colour in markers(figure.axes[0])} == {INK.lower()}
        assert not figure.findobj(mpl.legend.Legend)
        assert "race" not in all_words(figure)

    def test_of_several_categories_stand_side_by_side(self):
        axes = drawn(frame(), fill="model", panel_columns=None).axes[0]
        places = sorted(across for across, *_ in markers(axes))
        assert places == pytest.approx([0.825, 1.175, 1.825, 2.175, 2.825, 3.175, 3.825, 4.175])

    def test_at_the_side_the_first_stands_at_the_top(self):
        axes = drawn(frame(), {"flip": True}).axes[0]
        assert tick_labels(axes.yaxis) == GROUPS[::-1]
        assert sorted((round(up), across) for across, up, _ in markers(axes)) == [
            (5 - place, VALUES["m1", domain, name])
            for place, (domain, name) in reversed(
                list(enumerate(zip(("race", "race", "gender", "gender"), GROUPS, strict=True), 1))
            )
        ]
        upper, lower = sorted(
            markers(drawn(frame(), {"flip": True}, fill="model", panel_columns=None).axes[0]), key=lambda each: -each[1]
        )[:2]
        assert upper[:2] == (0.96, pytest.approx(4.175))
        assert lower[:2] == (0.08, pytest.approx(3.825))

    def test_every_letter_is_of_the_font_that_comes_along(self):
        figure = drawn(without(frame(), stereotype="guilt"), ENDS, title="A title")
        families = {tuple(text.get_fontfamily()) for text in figure.findobj(mpl.text.Text) if text.get_text()}
        assert families == {(FONT,)}


class TestIntervals:
    @pytest.mark.parametrize("flip", [False, True])
    def test_are_lines_through_the_points(self, flip: bool):
        axes = drawn(frame(), {**ENDS, "flip": flip}).axes[0]
        spans = [
            tuple(sorted(end[0 if flip else 1] for end in line))
            for colour in ordered_colours(2, marks=True)
            for line in lines(axes, colour)
        ]
        values = sorted(value for (model, *_), value in VALUES.items() if model == "m1")
        assert sorted(spans) == [(pytest.approx(value - 0.1), pytest.approx(value + 0.05)) for value in values]

    @pytest.mark.parametrize("end", ["low", "high"])
    def test_none_where_an_end_or_the_value_is_missing(self, end: str):
        data = without(frame(), stereotype="guilt").with_columns(
            pl.when(stereotype="career").then(None).otherwise(end).alias(end)
        )
        found = place_points(data, Layout(**ARGUMENTS, **ENDS)).intervals()
        assert found.get_column("group").unique().sort().to_list() == ["racism", "sexuality"]

    def test_are_explained(self):
        settings = {**ENDS, "interval": "95% bootstrap intervals"}
        assert "95% bootstrap intervals" in " ".join(all_words(drawn(frame(), settings)))
        assert "Lines through" not in " ".join(all_words(drawn(frame())))


class TestGaps:
    @pytest.mark.parametrize("flip", [False, True])
    def test_have_the_sign_at_the_edge(self, flip: bool):
        first, second = drawn(without(frame(), model="m1", stereotype="guilt"), {"missing": "n/a", "flip": flip}).axes
        assert (words(first), words(second)) == (["n/a"], [])
        assert len(markers(first)) == 3
        [sign] = first.texts
        along, across = sign.get_position() if flip else sign.get_position()[::-1]
        assert (across, along) == (
            3 if flip else 2,
            pytest.approx(gap_sign_height(first.get_xlim() if flip else first.get_ylim())),
        )

    def test_rows_that_are_not_there_are_missing_too(self):
        data = frame().filter(~((pl.col("model") == "m2") & (pl.col("domain") == "race")))
        assert [words(axes) for axes in drawn(data).axes] == [[], ["–", "–"]]

    def test_groups_of_one_category_or_one_panel_are_not_missing_elsewhere(self):
        for panel in ("domain", None):
            figure = drawn(frame().filter(model="m1"), panel_columns=panel)
            assert [words(axes) for axes in figure.axes] == [[] for _ in figure.axes]
        first, second = drawn(frame().filter(model="m1"), panel_columns="domain").axes
        assert (tick_labels(first.xaxis), tick_labels(second.xaxis)) == (GROUPS[:2], GROUPS[2:])

    def test_rows_of_panels_at_the_side_have_groups_of_their_own(self):
        figure = drawn(frame(), {"flip": True}, panel_rows="domain")
        assert [words(axes) for axes in figure.axes] == [[]] * 4
        assert tick_labels(figure.axes[0].yaxis) == ["guilt", "racism"]
        upright = drawn(frame(), panel_rows="domain")
        assert [len(words(axes)) for axes in upright.axes] == [2] * 4

    def test_are_explained_below_the_panels(self):
        data = without(frame(), stereotype="guilt")
        assert "– marks a number that does not exist." in " ".join(all_words(drawn(data)))
        assert "marks a number" not in " ".join(all_words(drawn(frame())))

    @pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
    @pytest.mark.parametrize("flip", [False, True])
    def test_nothing_but_them(self, value: Any, flip: bool):
        data = frame().with_columns(value=pl.lit(value, dtype=pl.Float64))
        figure = drawn(data, {**ENDS, "flip": flip}, ValueAxis())
        assert [words(axes) for axes in figure.axes] == [["–"] * 4] * 2
        assert alt_text(data, Layout(**ARGUMENTS), ValueAxis()).endswith("m1 – no data. m2 – no data.")
        assert height(data, Layout(**ARGUMENTS), ValueAxis(), flip=flip) > 1


class TestPanels:
    def test_several_rows_of_them(self):
        data = pl.concat([frame().with_columns(model=pl.lit(f"m{number}")) for number in range(5)])
        figure = drawn(data, per_row=2)
        places = [axes.get_position() for axes in figure.axes]
        assert len({round(place.x0, 3) for place in places}) == 2
        assert len({round(place.y0, 3) for place in places}) == 3
        assert {f"m{number}" for number in range(5)} <= all_words(figure)

    def test_one_has_its_title_above(self):
        figure = drawn(frame(), title="Bias", panel_columns=None, fill="model")
        assert "Bias" in all_words(figure)

    @pytest.mark.parametrize("flip", [False, True])
    def test_twenty_one_points_in_eight_of_them_can_be_read(self, flip: bool):
        names = [f"Stereotype {number}" for number in range(21)]
        data = pl.DataFrame(
            [{"model": f"m{m}", "stereotype": name, "value": 0.5, "domain": "race"} for m in range(8) for name in names]
        )
        layout = Layout(**ARGUMENTS, per_row=4 if flip else 2)
        from plotnine import theme

        tall = height(data, layout, AXIS, flip=flip)
        assert tall < 9
        figure = laid_out(points(data, layout, AXIS, flip=flip).plot + theme(figure_size=(7, tall)))
        for axes in figure.axes:
            for axis, across in ((axes.xaxis, not flip), (axes.yaxis, flip)):
                boxes = [label.get_window_extent() for label in axis.get_ticklabels() if label.get_text()]
                if axis is axes.xaxis:
                    assert all(left.x1 < right.x0 for left, right in pairwise(boxes)), across
                else:
                    assert all(below.y1 < above.y0 for below, above in pairwise(boxes)), across


class TestAxis:
    @pytest.mark.parametrize("flip", [False, True])
    def test_line_and_band(self, flip: bool):
        axes = drawn(frame(), {"flip": flip}).axes[0]
        [line] = lines(axes, LINE_COLOUR)
        assert [end[0 if flip else 1] for end in line] == [0.0, 0.0]
        [band] = [
            each for each in axes.collections if BAND_COLOUR.lower() in map(mpl.colors.to_hex, each.get_facecolor())
        ]
        extent = band.get_paths()[0].get_extents()
        assert ((extent.x0, extent.x1) if flip else (extent.y0, extent.y1)) == (0.25, 1.0)

    def test_a_number_beyond_the_limits_is_shown(self):
        axes = drawn(frame().with_columns(pl.col("value") * 3)).axes[0]
        low, high = axes.get_ylim()
        assert (low, high) == (pytest.approx(-2, abs=0.2), pytest.approx(3, abs=0.2))

    def test_is_titled(self):
        assert "Mean D" in all_words(drawn(frame(), y_title="Mean D"))
        figure = drawn(frame(), {"flip": True}, y_title="Mean D")
        [title] = [text for text in figure.findobj(mpl.text.Text) if text.get_text() == "Mean D"]
        assert title.get_rotation() == 0


class TestLabels:
    @pytest.mark.parametrize("flip", [False, True])
    def test_hostile_ones_are_no_formulas(self, flip: bool):
        labels = {"stereotype": {"racism": HOSTILE}, "domain": {"race": HOSTILE}, "model": {"m1": HOSTILE}}
        axis = ValueAxis(line=0.0, line_label=HOSTILE, band=(0.0, 1.0), band_label=HOSTILE)
        settings = {**ENDS, "interval": HOSTILE, "missing": HOSTILE, "flip": flip}
        data = without(frame(), stereotype="guilt")
        with pytest.warns(UserWarning, match="Glyph"):
            figure = drawn(data, settings, axis, labels=labels, y_title=HOSTILE, title=HOSTILE, width=60.0)
        shown = [text.get_text() for text in figure.findobj(mpl.text.Text) if "frac" in text.get_text()]
        assert len(shown) >= 6
        for text in shown:
            assert "\u202e" not in text
            assert "\x1b" not in text
            assert text.count("$") == text.count(r"\$")

    def test_the_same_for_different_values(self):
        labels = {"stereotype": dict.fromkeys(GROUPS, "Same"), "domain": dict.fromkeys(("race", "gender"), "Same")}
        axes = drawn(frame(), labels=labels).axes[0]
        assert tick_labels(axes.xaxis) == ["Same"] * 4
        assert len({place for place, *_ in markers(axes)}) == 4

    def test_at_the_side_are_left_out_beside_a_plot_that_has_them(self):
        assert tick_labels(drawn(frame(), {"flip": True}).axes[0].yaxis) == GROUPS[::-1]
        axes = drawn(frame(), {"flip": True, "side_labels": False}).axes[0]
        assert not any(label.get_visible() for label in axes.yaxis.get_ticklabels())


class TestAltText:
    def test_names_the_extremes_of_each_panel_the_gaps_and_the_marks(self):
        layout = Layout(
            **ARGUMENTS,
            labels={"model": {"m1": "First"}, "stereotype": {"guilt": "Guilt"}},
            title="Bias.",
            y_title="Mean D",
        )
        axis = ValueAxis(line=0.0, line_label="no bias", band=(0.05, 1.1))
        data = without(frame(), model="m2", stereotype="guilt")
        assert alt_text(data, layout, axis, **ENDS, interval="95% intervals") == (
            "Bias. Points. Vertical axis – Mean D. Groups: racism, Guilt, career, sexuality. Colours: race, gender. "
            "Dashed line: 0 (no bias). Grey ground: 0.05 to 1.1. Lines through points: 95% intervals. "
            "First – highest: racism 0.96; lowest: sexuality −0.12. "
            "m2 – highest: racism 0.08; lowest: sexuality −0.45; no value: Guilt."
        )

    def test_names_the_category_where_a_group_has_several(self):
        layout = Layout(x="stereotype", fill="model", y="value")
        assert "highest: racism, m1 0.96" in alt_text(frame(), layout, ValueAxis()).lower()

    def test_is_one_line_without_characters_that_act(self):
        layout = Layout(**ARGUMENTS, labels={"domain": {"race": f"a\n{HOSTILE}"}}, title=HOSTILE, y_title=HOSTILE)
        axis = ValueAxis(line=0.0, line_label=HOSTILE, band=(0.0, 1.0), band_label=f"{HOSTILE}\n")
        assert alt_text(frame(), layout, axis, **ENDS, interval=HOSTILE).isprintable()


def test_two_runs_give_the_same_bytes(tmp_path):
    data, layout = without(frame(), model="m1", stereotype="guilt"), Layout(**ARGUMENTS, per_row=1)
    first = save(picture(data, layout, AXIS, **ENDS).plot, tmp_path / "1", "points", 7, 4).files
    again = save(picture(data.clone(), layout, AXIS, **ENDS).plot, tmp_path / "2", "points", 7, 4).files
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


@pytest.mark.parametrize("flip", [False, True])
def test_nothing_is_warned_of(tmp_path, flip: bool):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        data = without(frame(), domain="race")
        save(picture(data, Layout(**ARGUMENTS), AXIS, **ENDS, flip=flip).plot, tmp_path, "points", 7, 4)


def test_intervals_go_beyond_a_scale_but_not_the_axis() -> None:
    wide = frame().with_columns(low=pl.lit(-9.0), high=pl.lit(9.0))
    free, ended = (drawn(wide, axis=ValueAxis(), possible=ends, **ENDS) for ends in ((None, None), (-1.0, 1.0)))
    for plot, end in ((free, 10.0), (ended, 1.0)):
        assert [axes.get_ylim()[1] for axes in plot.axes] == [pytest.approx(end, rel=0.06)] * len(plot.axes)
    said = "95% confidence intervals. Some go beyond the scale."
    assert said in alt_text(wide, Layout(**ARGUMENTS, **ENDS, interval=said[:24], possible=(-1.0, 1.0)), ValueAxis())
    assert "beyond" not in alt_text(wide, Layout(**ARGUMENTS, **ENDS, interval=said[:24]), ValueAxis())
