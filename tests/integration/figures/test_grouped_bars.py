"""Bars side by side: values, gaps, whiskers, panels, labels, and what degenerate and hostile frames become."""

from __future__ import annotations

import warnings
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import polars as pl
import pytest

from tallybook.figures.grid import Layout
from tallybook.figures.grouped_bars import grouped_bars
from tallybook.figures.save import save
from tallybook.figures.slots import place_slots
from tallybook.figures.style import FONT, INK, REFUSAL_COLOUR, ordered_colours
from tests.integration.figures.drawn import HOSTILE, all_words, laid_out, lines, rectangles, with_settings, words

# Differences in percentage points as a published study has them: two directions, three bias types, three terms.
VALUES = {
    ("sai", "ageism"): (16.4, -14.0, -2.3),
    ("sai", "beauty"): (71.8, -70.9, -0.8),
    ("sai", "nationality"): (0.6, -1.3, 0.7),
    ("asa", "ageism"): (15.6, -29.8, 14.2),
    ("asa", "beauty"): (53.2, -68.3, 15.1),
    ("asa", "nationality"): (31.6, -32.2, 0.6),
}
TERMS = ("positive", "negative", "neutral")
ARGUMENTS: dict[str, Any] = {"x": "bias", "fill": "term", "y": "value", "panel_columns": "direction"}
WHISKERS = {"low": "low", "high": "high"}


picture = with_settings(grouped_bars)


def alt_text(*given: Any, **settings: Any) -> str:
    return picture(*given, **settings).alt_text


def frame(models: tuple[str, ...] = ("m1",)) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"model": model, "direction": direction, "bias": bias, "term": term, "value": value}
            for model in models
            for (direction, bias), values in VALUES.items()
            for term, value in zip(TERMS, values, strict=True)
        ]
    ).with_columns(low=pl.col("value") - 4, high=pl.col("value") + 4)


def without(data: pl.DataFrame, **bar: str) -> pl.DataFrame:
    """The frame with one value missing, though not its interval."""
    is_bar = pl.all_horizontal(pl.col(name) == value for name, value in bar.items())
    return data.with_columns(value=pl.when(~is_bar).then("value"))


def drawn(data: pl.DataFrame, settings: dict[str, Any] | None = None, **arguments: Any) -> Any:
    return laid_out(picture(data, Layout(**{**ARGUMENTS, **arguments}), **(settings or {})).plot)


def tick_labels(axis: Any) -> list[str]:
    return [label.get_text() for label in axis.get_ticklabels()]


class TestBars:
    def test_each_starts_at_zero_and_ends_at_its_value(self):
        first, second = drawn(frame()).axes
        for axes, direction in ((first, "sai"), (second, "asa")):
            expected = [
                (min(value, 0.0), abs(value), colour)
                for (panel, _), values in VALUES.items()
                if panel == direction
                for value, colour in zip(values, ordered_colours(3), strict=True)
            ]
            assert [(bottom, height, colour) for _, bottom, height, colour in sorted(rectangles(axes))] == expected

    def test_stand_side_by_side_with_room_between_groups(self):
        lefts = [left for left, *_ in sorted(rectangles(drawn(frame()).axes[0]))]
        steps = [round(after - before, 6) for before, after in pairwise(lefts)]
        assert steps == pytest.approx([0.28, 0.28, 0.44] * 2 + [0.28, 0.28])

    def test_orders_and_labels(self):
        figure = drawn(
            frame(),
            orders={"bias": ["nationality", "nothing", "ageism"], "term": ["neutral"], "direction": ["asa", "sai"]},
            labels={"term": {"positive": "ΔPL"}, "direction": {"sai": "Stimulus"}, "bias": {"ageism": "Age"}},
        )
        assert tick_labels(figure.axes[0].xaxis) == ["nationality", "Age", "beauty"]
        assert {"ΔPL", "negative", "neutral", "Stimulus", "asa"} <= all_words(figure)
        neutral, *_ = sorted(rectangles(figure.axes[0]))
        assert neutral[2:] == (0.6, ordered_colours(3)[0])

    def test_refusals_are_grey_and_last(self):
        data = pl.DataFrame({"bias": ["a", "a"], "term": ["refusal", "left"], "value": [1.0, 2.0]})
        left, refusal = sorted(rectangles(drawn(data, panel_columns=None).axes[0]))
        assert left[2:] == (2.0, ordered_colours(1)[0])
        assert refusal[2:] == (1.0, REFUSAL_COLOUR.lower())

    def test_rows_of_panels_share_the_axis(self):
        figure = drawn(frame(("m1", "m2")), panel_rows="model", labels={"model": {"m2": "Second"}})
        assert len(figure.axes) == 4
        assert len({axes.get_ylim() for axes in figure.axes}) == 1
        assert {"m1", "Second", "sai", "asa"} <= all_words(figure)

    def test_every_letter_is_of_the_font_that_comes_along(self):
        data = without(frame(), bias="beauty", term="neutral")
        figure = drawn(data, WHISKERS, title="A title")
        families = {tuple(text.get_fontfamily()) for text in figure.findobj(mpl.text.Text) if text.get_text()}
        assert families == {(FONT,)}


class TestValueAxis:
    def test_negative_values_bring_a_line_at_zero(self):
        axes = drawn(frame()).axes[0]
        [zero] = lines(axes, INK)
        assert [height for _, height in zero] == [0.0, 0.0]
        assert tick_labels(axes.yaxis) == ["−80", "−60", "−40", "−20", "0", "20", "40", "60", "80"]
        assert axes.get_ylim() == (-80, 80)

    def test_without_them_it_starts_at_zero(self):
        axes = drawn(frame().with_columns(pl.col("value").abs())).axes[0]
        assert lines(axes, INK) == []
        assert axes.get_ylim() == (0, 80)

    def test_a_whisker_below_zero_is_a_negative_value_too(self):
        data = frame().with_columns(pl.col("value", "low", "high").abs()).with_columns(low=-0.5)
        axes = drawn(data, WHISKERS).axes[0]
        assert axes.get_ylim()[0] < -0.5
        assert any({height for _, height in line} == {0.0} for line in lines(axes, INK))

    @pytest.mark.parametrize(
        ("largest", "labels"),
        [
            (0.34, ["0.00", "0.05", "0.10", "0.15", "0.20", "0.25", "0.30", "0.35"]),
            (1e-5, ["0", "2e−06", "4e−06", "6e−06", "8e−06", "1e−05"]),
            (5e300, ["0", "1e+300", "2e+300", "3e+300", "4e+300", "5e+300"]),
            (0.0, ["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"]),
        ],
    )
    def test_of_any_size(self, largest, labels):
        data = pl.DataFrame({"bias": ["a", "b"], "term": ["t", "t"], "value": [largest, largest / 3]})
        axes = drawn(data, panel_columns=None).axes[0]
        assert tick_labels(axes.yaxis) == labels

    def test_is_titled(self):
        figure = drawn(frame(), title="A title", y_title="Percentage points")
        assert {"A title", "Percentage points"} <= all_words(figure)


class TestMissingValues:
    def test_leave_a_gap_with_the_sign(self):
        data = without(frame(), direction="sai", bias="beauty", term="negative")
        first, second = drawn(data, {"missing": "n/a"}).axes
        assert len(rectangles(first)) == 8
        assert len(rectangles(second)) == 9
        assert words(first) == ["n/a"]
        assert words(second) == []
        # The others stay where they are, and the sign stands where the bar would.
        full = {left: (bottom, height) for left, bottom, height, _ in rectangles(drawn(frame()).axes[0])}
        gap = {left: (bottom, height) for left, bottom, height, _ in rectangles(first)}
        [(missing, _)] = full.items() - gap.items()
        assert first.texts[0].get_position() == (pytest.approx(missing + 0.14), 0.0)

    def test_have_no_whisker(self):
        data = without(frame(), direction="sai", bias="beauty", term="negative")
        spans = [{height for _, height in line} for line in lines(drawn(data, WHISKERS).axes[0], INK)]
        assert {-74.9, -66.9} not in spans
        assert {67.8, 75.8} in spans

    def test_rows_that_are_not_there_are_missing_too(self):
        data = frame(("m1", "m2")).filter(~((pl.col("model") == "m2") & (pl.col("bias") == "ageism")))
        figure = drawn(data, panel_rows="model")
        assert [words(axes) for axes in figure.axes] == [[], [], ["–"] * 3, ["–"] * 3]
        assert tick_labels(figure.axes[2].xaxis) == ["ageism", "beauty", "nationality"]

    def test_of_a_whole_category_keep_its_colour_and_key(self):
        figure = drawn(without(frame(), term="positive"))
        assert {colour for *_, colour in rectangles(figure.axes[0])} == set(ordered_colours(3)[1:])
        assert set(TERMS) <= all_words(figure)

    @pytest.mark.parametrize("term", TERMS)
    def test_do_not_change_the_order_of_groups(self, term):
        data = without(frame(), bias="ageism", term=term)
        order = {"bias": ["ageism", "nationality", "beauty"]}
        for axes in drawn(data, orders=order).axes:
            assert tick_labels(axes.xaxis) == order["bias"]

    def test_a_zero_is_not_missing(self):
        data = frame().with_columns(value=pl.when(term="neutral").then(0.0).otherwise("value"))
        figure = drawn(data)
        assert words(figure.axes[0]) == []
        assert "exist" not in " ".join(all_words(figure))

    def test_are_explained_below_the_panels(self):
        data = without(frame(), bias="beauty", term="negative")
        assert "– marks a number that does not exist." in all_words(drawn(data))
        assert "A gap marks a number that does not exist." in all_words(drawn(data, {"missing": " "}))

    def test_a_long_sign_is_turned(self):
        data = without(frame(), direction="sai", bias="beauty", term="negative")
        turned = {
            sign: drawn(data, {"missing": sign}).axes[0].texts[0].get_rotation() for sign in ("–", "not available")
        }
        assert turned == {"–": 0, "not available": 90}

    def test_signs_stay_inside_when_all_values_are_negative(self):
        data = without(frame().with_columns(-pl.col("value").abs()), bias="beauty", term="negative")
        axes = drawn(data).axes[0]
        assert axes.get_ylim()[1] == 0
        assert axes.texts[0].get_va() == "top"

    @pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
    def test_nothing_but_them(self, value):
        data = frame().with_columns(value=pl.lit(value, dtype=pl.Float64))
        figure = drawn(data, WHISKERS)
        assert [words(axes) for axes in figure.axes] == [["–"] * 9] * 2
        assert lines(figure.axes[0], INK) == []
        assert alt_text(data, Layout(**ARGUMENTS)).endswith("sai – no data. asa – no data.")


class TestWhiskers:
    def test_span_the_interval_in_the_middle_of_the_bar(self):
        axes = drawn(frame(), WHISKERS).axes[0]
        upright = [line for line in lines(axes, INK) if len({across for across, _ in line}) == 1]
        spans = sorted((line[0][0], *sorted(height for _, height in line)) for line in upright)
        bars = sorted(rectangles(axes))
        values = [value for (direction, _), each in VALUES.items() if direction == "sai" for value in each]
        assert spans == [
            (pytest.approx(left + 0.14), pytest.approx(value - 4), pytest.approx(value + 4))
            for (left, *_), value in zip(bars, values, strict=True)
        ]

    def test_are_explained_below_the_panels(self):
        settings = {**WHISKERS, "interval": "95% confidence intervals"}
        assert "Whiskers: 95% confidence intervals." in all_words(drawn(frame(), settings))
        assert "Whiskers" not in " ".join(all_words(drawn(frame())))

    @pytest.mark.parametrize("end", ["low", "high"])
    def test_none_where_an_end_is_missing(self, end):
        data = frame().with_columns(pl.when(term="positive").then(None).otherwise(end).alias(end))
        slots = place_slots(data, Layout(**ARGUMENTS, **WHISKERS))
        assert slots.intervals().get_column("category").unique().sort().to_list() == ["negative", "neutral"]
        assert slots.filled().height == 18


class TestLabels:
    @pytest.mark.parametrize(
        ("names", "panels"),
        [
            (("Ageism", "Beauty", "Beauty in the profession", "Institution", "Nationality"), 2),
            (("Afghanistan", "Bosnia and Herzegovina", "Chad", "Democratic Republic of the Congo", "Estonia") * 2, 4),
            (("one", "two", "a b c"), 1),
        ],
    )
    def test_of_groups_do_not_overlap(self, names, panels):
        from plotnine import theme

        groups = {f"g{number}": name for number, name in enumerate(names)}
        data = pl.DataFrame(
            [
                {"direction": f"panel {panel}", "bias": group, "term": "t", "value": 1.0}
                for panel in range(panels)
                for group in groups
            ]
        )
        plot = grouped_bars(data, Layout(**ARGUMENTS, labels={"bias": groups})).plot
        figure = laid_out(plot + theme(figure_size=(7, 3.6)))
        for axes in figure.axes:
            labels = axes.get_xticklabels()
            angle = labels[0].get_rotation()
            boxes = [label.get_window_extent() for label in labels]
            if angle == 40:
                # Slanted labels are parallel: they are apart when the lines they stand on are.
                depth = max(label.get_text().count("\n") + 1 for label in labels) * 7 * figure.dpi / 72
                ticks = [axes.transData.transform((place, 0))[0] for place in axes.get_xticks()]
                assert all((after - before) * 0.64 > depth for before, after in pairwise(ticks))
            else:
                assert angle in {0, 90}
                assert all(left.x1 < right.x0 for left, right in pairwise(boxes))

    def test_of_groups_are_cut_off_where_they_would_take_the_panel(self):
        name = "x" * 120
        data = pl.DataFrame({"bias": [f"{name}{number}" for number in range(9)], "term": "t", "value": 1.0})
        (label,) = {*tick_labels(drawn(data, panel_columns=None).axes[0].xaxis)}
        assert [*map(len, label.split("\n"))] == [32, 32, 1]
        assert label.endswith("…")

    def test_the_same_for_different_values(self):
        labels = {"bias": dict.fromkeys(["ageism", "beauty"], "Same"), "term": dict.fromkeys(TERMS, "Same")}
        figure = drawn(frame(), labels=labels)
        assert tick_labels(figure.axes[0].xaxis) == ["Same", "Same", "nationality"]
        assert len(rectangles(figure.axes[0])) == 9

    def test_hostile_ones_are_no_formulas(self):
        labels = {"bias": {"ageism": HOSTILE}, "term": {"positive": HOSTILE}, "direction": {"sai": HOSTILE}}
        settings = {**WHISKERS, "interval": HOSTILE, "missing": HOSTILE}
        data = without(frame(), bias="beauty", term="negative")
        with pytest.warns(UserWarning, match="Glyph"):
            figure = drawn(data, settings, labels=labels, title=HOSTILE, y_title=HOSTILE, width=60.0)
        shown = [text.get_text() for text in figure.findobj(mpl.text.Text) if "frac" in text.get_text()]
        assert len(shown) >= 7
        for text in shown:
            assert "\u202e" not in text
            assert "\x1b" not in text
            assert text.count("$") == text.count(r"\$")

    def test_hostile_ones_stay_no_formulas_when_they_are_folded(self):
        name = "$" * 30 + " $x$"
        data = pl.DataFrame({"bias": [f"{name} {number}" for number in range(9)], "term": "t", "value": 1.0})
        for label in tick_labels(drawn(data, panel_columns=None).axes[0].xaxis):
            assert label.count("$") == label.count(r"\$") > 0

    def test_values_that_look_like_columns_are_only_values(self):
        data = pl.DataFrame({"bias": ["value", "__import__('os')"], "term": ["group", "sign"], "value": [1.0, 2.0]})
        figure = drawn(data, panel_columns=None)
        assert [height for _, _, height, _ in sorted(rectangles(figure.axes[0]))] == [1.0, 2.0]


class TestAltText:
    def test_names_the_extremes_of_each_panel_and_the_gaps(self):
        layout = Layout(
            **ARGUMENTS,
            panel_rows="model",
            labels={"model": {"m1": "First"}, "term": {"positive": "ΔPL"}, "direction": {"asa": "ASA"}},
            title="Deltas.",
            y_title="Points",
        )
        data = without(frame(), direction="asa", bias="beauty", term="negative")
        assert alt_text(data, layout, **WHISKERS, interval="95% intervals") == (
            "Deltas. Grouped bars. Vertical axis – Points. Groups: ageism, beauty, nationality. "
            "Bars: ΔPL, negative, neutral. Whiskers: 95% intervals. "
            "First, sai – highest: beauty, ΔPL 71.8; lowest: beauty, negative −70.9. "
            "First, ASA – highest: beauty, ΔPL 53.2; lowest: nationality, negative −32.2; no value: beauty, negative."
        )

    def test_is_one_line_without_characters_that_act(self):
        layout = Layout(**ARGUMENTS, labels={"term": {"positive": f"a\n{HOSTILE}"}}, title=HOSTILE, y_title=HOSTILE)
        assert alt_text(frame(), layout).isprintable()

    @pytest.mark.parametrize(
        ("value", "text"), [(-0.0, "0"), (0.12345, "0.123"), (12345.6, "12,346"), (1e-7, "1e−07"), (2.5e9, "2.5e+09")]
    )
    def test_numbers_of_any_size(self, value, text):
        data = pl.DataFrame({"bias": ["a"], "term": ["t"], "value": [value]})
        said = alt_text(data, Layout(x="bias", fill="term", y="value"))
        assert said.endswith(f"Highest: a, t {text}; lowest: a, t {text}.")


def test_two_runs_give_the_same_bytes(tmp_path):
    data = without(frame(("m1", "m2")), bias="beauty", term="neutral")
    layout = Layout(**ARGUMENTS, panel_rows="model")
    first = save(picture(data, layout, **WHISKERS).plot, tmp_path / "1", "bars", 7, 4.7).files
    again = save(picture(data.clone(), layout, **WHISKERS).plot, tmp_path / "2", "bars", 7, 4.7).files
    assert [path.suffix for path in first] == [".svg", ".pdf", ".png"]
    assert [path.read_bytes() for path in first] == [path.read_bytes() for path in again]


def test_nothing_is_warned_of(tmp_path):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        plot = picture(without(frame(), term="positive"), Layout(**ARGUMENTS), **WHISKERS).plot
        save(plot, tmp_path, "bars", 7, 3.6)
