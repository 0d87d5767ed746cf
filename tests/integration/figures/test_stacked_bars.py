"""Stacked bars: what is drawn, in which order, and what degenerate and hostile frames become."""

from __future__ import annotations

import io
from itertools import pairwise
from typing import Any

import matplotlib as mpl
import polars as pl
import pytest

from tallybook.figures.grid import Layout, arrange
from tallybook.figures.stacked_bars import SMALLEST_LABELLED, stacked_bars
from tallybook.figures.style import BLACK, FONT, INVALID_COLOUR, REFUSAL_COLOUR, ink_on, ordered_colours
from tests.integration.figures.drawn import HOSTILE, laid_out, rectangles, words

GROUPS = {"gender": ("male", "female"), "age": ("boomer", "generation x", "generation z", "alpha")}
SHARES = {"left": 50.0, "right": 45.0, "other": 5.0, "refusal": 0.0}
ARGUMENTS: dict[str, Any] = {"x": "group", "fill": "party", "y": "share", "panel_columns": "dimension"}


def alt_text(data: pl.DataFrame, layout: Layout) -> str:
    return stacked_bars(data, layout).alt_text


def frame(models: tuple[str, ...] = ("m1",)) -> pl.DataFrame:
    return pl.DataFrame(
        [
            {"model": model, "dimension": dimension, "group": group, "party": party, "share": share}
            for model in models
            for dimension, groups in GROUPS.items()
            for group in groups
            for party, share in SHARES.items()
        ]
    )


def drawn(data: pl.DataFrame, **arguments: Any) -> Any:
    return laid_out(stacked_bars(data, Layout(**{**ARGUMENTS, **arguments})).plot)


def test_panels_are_as_wide_as_they_have_groups():
    figure = drawn(frame())
    first, second = figure.axes
    assert second.get_position().width / first.get_position().width == pytest.approx(4 / 2, rel=0.15)
    assert [label.get_text() for label in first.get_xticklabels()] == ["male", "female"]
    assert len(second.get_xticklabels()) == 4


def test_segments_stack_from_the_first_category_up():
    order = ["right", "left", "other", "refusal"]
    figure = drawn(frame(), orders={"party": order})
    colours = [*ordered_colours(3), REFUSAL_COLOUR]
    first = sorted(rectangles(figure.axes[0]))[:3]
    assert [(bottom, height) for _, bottom, height, _ in first] == [(0.0, 45.0), (45.0, 50.0), (95.0, 5.0)]
    assert [colour for *_, colour in first] == colours[:3]


def test_percentages_are_written_where_there_is_room():
    figure = drawn(frame())
    assert sorted(words(figure.axes[0])) == ["45", "45", "50", "50"]
    assert SHARES["other"] < SMALLEST_LABELLED
    exact = frame().with_columns(share=pl.when(party="other").then(SMALLEST_LABELLED).otherwise("share"))
    assert words(drawn(exact).axes[0]).count("6") == 2


def test_numbers_stand_in_the_middle_of_their_segments():
    figure = drawn(frame(), orders={"party": ["left", "right"]})
    heights = {text.get_text(): text.get_position()[1] for text in figure.axes[0].texts}
    assert heights == {"50": pytest.approx(25.0), "45": pytest.approx(72.5)}


def test_rows_of_panels():
    figure = drawn(frame(("m1", "m2")), panel_rows="model", labels={"model": {"m1": "First", "m2": "Second"}})
    assert len(figure.axes) == 4
    assert {"First", "Second", "gender", "age"} <= {text.get_text() for text in figure.findobj(mpl.text.Text)}


def test_orders_and_labels():
    labels = {"group": {"male": "Men", "female": "Women"}, "party": {"left": "Liberal"}}
    figure = drawn(frame(), orders={"group": ["female", "nobody", "male"]}, labels=labels)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["Women", "Men"]
    shown = {text.get_text() for text in figure.findobj(mpl.text.Text)}
    assert {"Liberal", "right", "other", "refusal"} <= shown
    assert "left" not in shown


def test_the_same_label_for_different_values():
    labels = {"group": dict.fromkeys(["male", "female"], "Group"), "party": {"left": "Party", "right": "Party"}}
    figure = drawn(frame(), labels=labels)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["Group", "Group"]
    assert len({colour for *_, colour in rectangles(figure.axes[0])}) == 3


@pytest.mark.parametrize("width", [3.5, 5.0, 7.0, 10.0])
def test_labels_of_the_axis_do_not_overlap(width):
    groups = {"baby": "Baby Boomer", "x": "Generation X", "z": "Generation Z", "alpha": "Generation Alpha"}
    data = pl.DataFrame({"group": list(groups), "party": ["left"] * 4, "share": [100.0] * 4})
    layout = Layout(x="group", fill="party", y="share", labels={"group": groups}, width=width)
    from plotnine import theme

    figure = (stacked_bars(data, layout).plot + theme(figure_size=(width, 3))).draw()
    figure.savefig(io.BytesIO(), format="png", dpi=100)
    labels = figure.axes[0].get_xticklabels()
    if labels[0].get_rotation():
        assert {label.get_ha() for label in labels} == {"right"}
        return
    boxes = [label.get_window_extent() for label in labels]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))


def test_title_and_axis():
    figure = drawn(frame(), title="A title", y_title="Share")
    shown = {text.get_text() for text in figure.findobj(mpl.text.Text)}
    assert {"A title", "Share"} <= shown
    assert "A title" not in {text.get_text() for text in drawn(frame()).findobj(mpl.text.Text)}
    assert figure.axes[0].get_ylim() == (0, 100)


def test_every_letter_is_of_the_font_that_comes_along():
    figure = drawn(frame(("m1", "m2")), panel_rows="model", title="A title")
    families = {tuple(text.get_fontfamily()) for text in figure.findobj(mpl.text.Text) if text.get_text()}
    assert families == {(FONT,)}


def test_group_without_percentages_keeps_its_place():
    data = frame().with_columns(share=pl.when(group="female").then(None).otherwise("share"))
    figure = drawn(data)
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["male", "female"]
    assert words(figure.axes[0]).count("no data") == 1


@pytest.mark.parametrize("value", [None, float("nan"), float("inf")])
def test_no_percentages_at_all(value):
    data = frame().with_columns(share=pl.lit(value, dtype=pl.Float64))
    assert words(drawn(data).axes[0]) == ["no data", "no data"]
    assert "female: no data" in alt_text(data, Layout(**ARGUMENTS))


def test_whole_numbers_rounding_beyond_a_hundred_and_missing_values():
    data = pl.DataFrame({"g": ["a", "a", None], "k": ["x", None, "x"], "p": [60, 41, 30]})
    figure = laid_out(stacked_bars(data, Layout(x="g", fill="k", y="p")).plot)
    assert sorted(words(figure.axes[0])) == ["30", "41", "60"]
    assert [label.get_text() for label in figure.axes[0].get_xticklabels()] == ["a", "–"]


def test_hostile_labels_are_no_formulas():
    labels = {"group": {"male": HOSTILE}, "party": {"left": HOSTILE}, "dimension": {"age": HOSTILE}}
    with pytest.warns(UserWarning, match="Glyph"):
        figure = drawn(frame(), labels=labels, title=HOSTILE, y_title=HOSTILE, width=40.0)
    shown = [text for text in figure.findobj(mpl.text.Text) if "frac" in text.get_text()]
    assert len(shown) >= 5
    for text in shown:
        assert "\u202e" not in text.get_text()
        assert "\x1b" not in text.get_text()
        assert text.get_text().count("$") == text.get_text().count(r"\$")


def test_alt_text_names_the_largest_of_each_group():
    layout = Layout(
        **ARGUMENTS,
        panel_rows="model",
        labels={"model": {"m1": "First"}, "party": {"left": "Liberal"}},
        orders={"group": ["female"]},
    )
    assert alt_text(frame(("m1", "m2")), layout) == (
        "Stacked bars. Vertical axis – Percentage (%). Segments: Liberal, right, other, refusal. "
        "Largest in each bar: First, gender – female: Liberal 50%; male: Liberal 50%. "
        "First, age – boomer: Liberal 50%; generation x: Liberal 50%; generation z: Liberal 50%; "
        "alpha: Liberal 50%. m2, gender – female: Liberal 50%; male: Liberal 50%. "
        "m2, age – boomer: Liberal 50%; generation x: Liberal 50%; generation z: Liberal 50%; alpha: Liberal 50%."
    )


def test_alt_text_is_one_line_without_characters_that_act():
    text = alt_text(frame(), Layout(**ARGUMENTS, labels={"party": {"left": f"a\n{HOSTILE}"}}, title=HOSTILE))
    assert text.isprintable()


def test_refusal_is_last_unless_it_is_placed():
    data = frame().sort("party", descending=True)
    assert arrange(data, Layout(**ARGUMENTS), {})[1].categories == ("right", "other", "left", "refusal")
    _, placed = arrange(data, Layout(**ARGUMENTS, orders={"party": ["refusal", "left"]}), {})
    assert placed.categories == ("refusal", "left", "right", "other")


def test_colours_can_be_told_apart_in_print_without_colours():
    for count in range(1, 9):
        colours = [*ordered_colours(count), REFUSAL_COLOUR, INVALID_COLOUR]
        grey = [sum(w * int(c[at : at + 2], 16) for w, at in ((0.299, 1), (0.587, 3), (0.114, 5))) for c in colours]
        assert grey == sorted(grey)
        assert all(after - before > 8 for before, after in pairwise(grey))
    assert len(ordered_colours(0)) == 0
    assert ink_on(REFUSAL_COLOUR) == ink_on(INVALID_COLOUR) == ink_on("#FFFFFF") == BLACK
    assert ink_on("#000000") == "#FFFFFF"


def luminance(colour: str) -> float:
    """WCAG's relative luminance."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one: str, other: str) -> float:
    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def test_type_stands_out_from_any_colour_and_marks_from_paper():
    for count in range(1, 9):
        for colour in ordered_colours(count):
            assert contrast(ink_on(colour), colour) >= 4.5
        assert all(contrast(colour, "#FFFFFF") >= 3 for colour in ordered_colours(count, marks=True))
    for shade in range(256):
        colour = f"#{shade:02X}{shade:02X}{shade:02X}"
        assert contrast(ink_on(colour), colour) >= 4.4
