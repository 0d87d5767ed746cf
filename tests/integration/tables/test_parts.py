"""What each part of a cell prints, and what it prints where a number does not exist."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tallybook.statistics.estimates import COLUMNS
from tallybook.study.number_text import fixed
from tallybook.study.presentation import Part, Style
from tallybook.tables.parts import Printed, joined, printed

STYLE = Style(missing="–")
PARTS: TypeAdapter[Part] = TypeAdapter(Part)


def part(style: str, **settings: Any) -> Part:
    return PARTS.validate_python({"statistic": "s", "analysis": "a", "style": style} | settings)


def estimates(**terms: Any) -> dict[str, dict[str, Any]]:
    """Term -> estimate; what is not given is null."""
    return {term: dict.fromkeys(COLUMNS) | {"term": term} | numbers for term, numbers in terms.items()}


TWO = estimates(left={"estimate": 0.25, "n": 8}, right={"estimate": 0.75, "n": 8})
ONE = estimates(tau_b={"estimate": -0.125, "p_value": 0.0004, "p_adjusted": 0.06, "log_p_value": -7.824, "n": 90})
MISSING = Printed("s", None, "–")


@pytest.mark.parametrize(
    ("settings", "value", "text"),
    [
        ({"digits": 2}, -0.125, "-0.12"),
        ({"digits": 1, "scale": 100}, -12.5, "-12.5"),
        ({"value": "n", "digits": 0}, 90, "90"),
        ({"value": "p_value", "digits": 4}, 0.0004, "0.0004"),
        ({"value": "effect"}, None, "–"),
    ],
)
def test_a_number(settings: dict[str, Any], value: float | None, text: str) -> None:
    assert printed(part("number", **settings), ONE, None, STYLE) == [Printed("s", value, text)]


def test_a_number_is_rounded_as_the_study_says() -> None:
    for rounding, text in (("half-even", "-0.12"), ("half-up", "-0.13"), ("truncate", "-0.12")):
        style = Style.model_validate({"rounding": rounding})
        assert printed(part("number"), ONE, None, style) == [Printed("s", -0.125, text)]


@pytest.mark.parametrize(
    ("named", "column", "value"),
    [("left", None, 0.25), (None, "right", 0.75), ("left", "right", 0.25), (None, None, None), (None, "centre", None)],
    ids=["by the part", "by the column", "the part comes first", "by nobody", "not there"],
)
def test_which_term_is_printed(named: str | None, column: str | None, value: float | None) -> None:
    found = printed(part("number", term=named), TWO, column, STYLE)
    assert found == [Printed("s", value, "–" if value is None else fixed(value, 2))]


def test_the_only_term_needs_no_name() -> None:
    assert printed(part("number"), ONE, None, STYLE)[0].value == -0.125
    assert printed(part("number", term="gamma"), ONE, None, STYLE) == [MISSING]
    assert printed(part("number"), ONE, "left", STYLE) == [MISSING]


@pytest.mark.parametrize(
    ("settings", "value", "text"),
    [
        ({}, 0.0004, "0.0004"),
        ({"digits": 2}, 0.0004, "4.0e-04"),
        ({"digits": 3, "mantissa_digits": 0}, 0.0004, "4e-04"),
        ({"scientific_below": 0.001}, 0.0004, "4.0e-04"),
        ({"value": "p_adjusted"}, 0.06, "0.0600"),
        ({"value": "p_adjusted", "scientific_below": 0.1}, 0.06, "6.0e-02"),
    ],
)
def test_a_p_value(settings: dict[str, Any], value: float, text: str) -> None:
    assert printed(part("p-value", **settings), ONE, None, STYLE) == [Printed("s", value, text)]


def test_a_p_value_too_small_for_a_float_is_printed_from_its_logarithm() -> None:
    found = estimates(tau={"p_value": 0.0, "log_p_value": -1000.0, "p_adjusted": 0.0, "log_p_adjusted": -990.0})
    assert printed(part("p-value"), found, None, STYLE) == [Printed("s", 0.0, "5.1e-435")]
    assert printed(part("p-value", value="p_adjusted"), found, None, STYLE) == [Printed("s", 0.0, "1.1e-430")]


@pytest.mark.parametrize(
    ("style", "settings", "of_zero", "of_little"),
    [
        ("p-value", {}, "< 0.0001", "1.0e-09"),
        ("p-value", {"digits": 2}, "< 0.01", "1.0e-09"),
        ("p-value", {"form": "apa"}, "< .001", "< .001"),
        ("p-value", {"scientific_below": 0}, "< 0.0001", "< 0.0001"),
        ("number", {"digits": 4}, "< 0.0001", "< 0.0001"),
        ("number", {"digits": 1, "scale": 100, "leading_zero": False}, "< .1", "< .1"),
    ],
)
def test_an_adjusted_p_value_is_never_printed_as_zero(
    style: str, settings: dict[str, Any], of_zero: str, of_little: str
) -> None:
    for found, text in (({"p_adjusted": 0.0}, of_zero), ({"p_adjusted": 1e-9, "log_p_adjusted": -20.72}, of_little)):
        own = printed(part(style, value="p_adjusted", **settings), estimates(tau=found), None, STYLE)
        assert [one.text for one in own] == [text]


@pytest.mark.parametrize(
    ("p_value", "settings", "text"),
    [
        (0.0499, {}, "rejected"),
        (0.05, {}, "not rejected"),
        (0.02, {"alpha": 0.01}, "not rejected"),
        (0.02, {"rejected": "R", "retained": "RF"}, "R"),
        (1.0, {"rejected": "R", "retained": "RF"}, "RF"),
        (0.0, {}, "rejected"),
        (None, {}, "–"),
    ],
)
def test_a_decision(p_value: float | None, settings: dict[str, Any], text: str) -> None:
    found = estimates(x={"p_value": p_value, "p_adjusted": 1.0})
    assert printed(part("decision", **settings), found, None, STYLE) == [Printed("s", p_value, text)]


def test_a_decision_may_rest_on_the_adjusted_p_value() -> None:
    assert printed(part("decision", value="p_adjusted"), ONE, None, STYLE) == [Printed("s", 0.06, "not rejected")]


def test_stars() -> None:
    assert printed(part("stars"), ONE, None, STYLE) == [Printed("s", 0.0004, "***")]
    assert printed(part("stars", value="p_adjusted"), ONE, None, STYLE) == [Printed("s", 0.06, "")]
    # An estimate that has no test earns none; without an estimate there is nothing to say.
    assert printed(part("stars"), TWO, "left", STYLE) == [Printed("s", None, "")]
    assert printed(part("stars"), TWO, "centre", STYLE) == []


@pytest.mark.parametrize("style", ["number", "p-value", "decision"])
def test_without_an_estimate_the_missing_sign_is_printed(style: str) -> None:
    for found in ({}, estimates(x={}), estimates(x={}, y={})):
        statistics = printed(part(style), found, None, STYLE)
        assert statistics == [MISSING]
        assert joined(part(style), statistics, STYLE) == "–"


# --- rankings ---------------------------------------------------------------------------------------------------------

JOBS = estimates(nurse={"estimate": 0.4}, cook={"estimate": 0.25}, clerk={"estimate": 0.25}, smith={"estimate": 0.0999})


def test_a_ranking_is_cut_after_its_first_entries() -> None:
    statistics = printed(part("ranked", top=2), JOBS, None, STYLE)
    assert statistics == [Printed("s 1", 40.0, "nurse (40.0%)"), Printed("s 2", 25.0, "cook (25.0%)")]
    assert joined(part("ranked"), statistics, STYLE) == "nurse (40.0%), cook (25.0%)"
    assert len(printed(part("ranked"), JOBS, None, STYLE)) == 4


def test_entries_are_rounded_as_the_study_says() -> None:
    style = Style.model_validate({"rounding": "truncate"})
    assert printed(part("ranked"), JOBS, None, style)[-1].text == "smith (9.9%)"
    assert printed(part("ranked", digits=0), JOBS, None, STYLE)[-1].text == "smith (10%)"


@pytest.mark.parametrize(("above", "ties"), [(3, ("cook (25.0%)", "clerk (25.0%)")), (4, ()), (None, ())])
def test_equally_frequent_entries_are_interchangeable_in_long_rankings(
    above: int | None, ties: tuple[str, ...]
) -> None:
    statistics = printed(part("ranked", interchangeable_above=above, ignore="-"), JOBS, None, STYLE)
    assert [statistic.interchangeable for statistic in statistics[1:3]] == [ties, ties]
    assert {statistic.ignore for statistic in statistics} == {"-"}
    alone = ("nurse (40.0%)",) if ties else ()
    assert statistics[0].interchangeable == alone


def test_a_ranking_without_entries_is_the_missing_sign() -> None:
    assert printed(part("ranked"), {}, None, STYLE) == []
    assert joined(part("ranked"), [], STYLE) == "–"


@given(st.lists(st.text(max_size=5), max_size=4))
def test_other_parts_follow_one_another_without_a_separator(texts: list[str]) -> None:
    statistics = [Printed("s", None, text) for text in texts]
    assert joined(part("number"), statistics, STYLE) == "".join(texts)
