"""Checks of one interval: what holds, what does not, and what cannot be tested."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.published.consistency.declared import checked, intervals, only, published


def verdict(check: dict[str, Any], numbers: str) -> tuple[str, str]:
    row = only(check, published(*intervals("T", ("a", "m1", numbers))))
    return row["verdict"], row["note"]


@pytest.mark.parametrize(
    ("numbers", "note"),
    [
        ("0.3 0.2 0.4", ""),
        ("0.2 0.2 0.2", ""),
        ("-0.3 -0.4 -0.3", ""),
        ("0.293 0.243 0.243", "0.293 is not within its limits [0.243, 0.243]."),
        ("0.2 0.3 0.4", "0.2 is not within its limits [0.3, 0.4]."),
        ("0.560 0.611 0.609", "The lower limit 0.611 is above the upper limit 0.609."),
    ],
)
def test_ordered(numbers: str, note: str) -> None:
    assert verdict({"kind": "ordered"}, numbers) == ("violated" if note else "holds", note)


@pytest.mark.parametrize(
    ("numbers", "digits", "off"),
    [
        ("0.398 0.283 0.513", None, ""),
        ("0.500 0.400 0.602", None, ""),  # .001 apart: half a unit of the mean, and half a unit of the limits
        ("0.509 0.419 0.603", None, "0.0020"),
        ("0.5 0.400 0.6", None, ""),  # .5 may be .45 to .55
        ("0.55 0.4 0.5", None, "0.100"),  # .45 ± .05 is not .55 ± .005
        ("0.5 0.4 0.602", 3, ""),
        ("0.5 0.4 0.604", 3, "0.0020"),  # the same zeros, not printed
        ("-0.05 -0.2 0.1", 2, ""),
    ],
)
def test_centred(numbers: str, digits: int | None, off: str) -> None:
    found, note = verdict({"kind": "centred", "digits": digits}, numbers)
    assert found == ("violated" if off else "holds")
    assert note.endswith(f": {off} apart is more than rounding explains." if off else "")


def test_centred_says_where_the_middle_is() -> None:
    row = only({"kind": "centred"}, published(*intervals("T", ("a", "m1", "0.701 0.663 0.752"))))
    assert row == {
        "table": "T",
        "row": "a",
        "column": "m1",
        "statistic": "",
        "check": "it",
        "printed": "0.701 [0.663, 0.752]",
        "expected": "0.7075",
        "verdict": "violated",
        "note": "The middle of [0.663, 0.752] is 0.7075, not 0.701: 0.0065 apart is more than rounding explains.",
        "erratum": "",
    }


@pytest.mark.parametrize(
    ("numbers", "alike", "expected"),
    [
        ("0.4 0.4 0.5", [], "holds"),
        ("0.4 0.4 0.4", [], "violated"),
        ("0.4 0.40 0.4", [], "violated"),
        ("0.997 0.997 0.997", [0.9971], "holds"),
        ("0.996 0.996 0.996", [0.9971], "violated"),
        ("0.293 0.997 0.997", [0.9971], "violated"),  # the estimate counts
        ("0 0 0", [0, 0.999, 1], "holds"),  # no decision, or every one
        ("1 1 1", [0, 0.999, 1], "holds"),
        ("0.5 1 1", [0, 0.999, 1], "violated"),
    ],
)
def test_width(numbers: str, alike: list[float], expected: str) -> None:
    assert verdict({"kind": "width", "alike": alike}, numbers)[0] == expected


N = [{"rows": ["a"], "columns": ["m1"], "n": 100}]


@pytest.mark.parametrize(
    ("numbers", "expected"),
    [
        ("0.50 0.40 0.60", "holds"),
        ("0.50 0.39 0.61", "violated"),
        ("0.500 0.402 0.598", "holds"),
        ("0.500 0.401 0.599", "violated"),  # .0985 at least, and 1.96 * .5 / sqrt(99) is .09849
        ("0.500 0.500 0.500", "holds"),
        ("0.000 -0.050 0.050", "violated"),  # 0 or 1, all are 0: no width
    ],
)
def test_spread(numbers: str, expected: str) -> None:
    assert verdict({"kind": "spread", "n": N}, numbers)[0] == expected


def test_spread_says_how_wide_an_interval_can_be() -> None:
    row = only({"kind": "spread", "n": N, "lowest": -1}, published(*intervals("T", ("a", "m1", "0.0 -0.4 0.4"))))
    assert (row["expected"], row["verdict"]) == ("half width ≤ 0.20", "violated")
    assert row["note"] == "Half the width is 0.40; 100 responses with this mean make it 0.20 at most."


@pytest.mark.parametrize(
    ("numbers", "note"),
    [
        ("0.500 0.402 0.598", ""),  # .0985 at most: n is 99.99
        ("0.500 0.403 0.597", "An interval so narrow takes at least 103 responses; there are at most 100."),
        ("0.500 0.405 0.595", "An interval so narrow takes at least 107 responses; there are at most 100."),
        ("0.999 0.999 0.999", "An interval so narrow takes at least 7,681 responses; there are at most 100."),
        ("1.000 1.000 1.000", ""),
    ],
)
def test_size(numbers: str, note: str) -> None:
    assert verdict({"kind": "size", "n": N}, numbers) == ("violated" if note else "holds", note)


@pytest.mark.parametrize("kind", ["size", "spread"])
def test_limits_of_the_wrong_way_round_imply_no_size(kind: str) -> None:
    found, note = verdict({"kind": kind, "n": N}, "0.560 0.611 0.609")
    assert found == "untested"
    assert note == "The limits [0.611, 0.609] are the wrong way round: they imply no number of responses."


def test_the_first_entry_that_holds_a_cell_says_its_n() -> None:
    sizes = [{"rows": ["a"], "columns": ["m1"], "n": 100}, {"rows": ["a"], "n": 50}, {"columns": ["m1"], "n": 20}]
    numbers = published(
        *intervals("T", *((row, column, "0.5 0.4 0.6") for row in ("a", "b") for column in ("m1", "m2")))
    )
    rows = checked({"kind": "size", "n": sizes}, numbers)
    assert [(row["row"], row["column"], row["expected"], row["verdict"]) for row in rows] == [
        ("a", "m1", "n ≤ 100", "holds"),
        ("a", "m2", "n ≤ 50", "holds"),
        ("b", "m1", "n ≤ 20", "violated"),
        ("b", "m2", "", "untested"),
    ]
    assert rows[-1]["note"] == "The check declares no number of responses for this cell."


@pytest.mark.parametrize("kind", ["ordered", "centred", "width", "spread", "size"])
@pytest.mark.parametrize(("numbers", "printed"), [("-", "-"), ("0.5 0.4", "0.5 0.4"), ("0.5 0.4 -", "0.5 0.4 -")])
def test_a_part_that_is_not_printed_is_not_tested(kind: str, numbers: str, printed: str) -> None:
    sizes = {"n": N} if kind in {"spread", "size"} else {}
    row = only({"kind": kind, **sizes}, published(*intervals("T", ("a", "m1", numbers))))
    assert (row["verdict"], row["printed"]) == ("untested", printed)
    assert row["note"] == "No estimate with two limits is printed."


def test_an_interval_may_have_other_names() -> None:
    names = {"value": "coef", "low": "from", "high": "to"}
    numbers = published(*(("T", "a", "m1", name, text) for name, text in (("coef", "2"), ("from", "3"), ("to", "4"))))
    assert only({"kind": "ordered", **names}, numbers)["verdict"] == "violated"


def test_a_check_is_of_its_tables_rows_and_columns_only() -> None:
    cells = [(row, column, "0.5 0.4 0.6") for row in ("a", "b") for column in ("m1", "m2")]
    numbers = published(*intervals("T", *cells), *intervals("U", *cells))
    rows = checked({"kind": "ordered", "rows": ["b"], "columns": ["m2", "m1"]}, numbers)
    assert [(row["table"], row["row"], row["column"]) for row in rows] == [("T", "b", "m1"), ("T", "b", "m2")]


def test_numbers_that_were_cut_off() -> None:
    cut = {"style": {"rounding": "truncate"}}
    numbers = published(*intervals("T", ("a", "m1", "0.5 0.4 0.7")))  # .5 to .6, and .55 to .65 between the limits
    assert only({"kind": "centred"}, numbers, **cut)["verdict"] == "holds"
    numbers = published(*intervals("T", ("a", "m1", "0.6 0.4 0.5")))  # .6 to .7, and .45 to .55
    assert only({"kind": "centred"}, numbers, **cut)["verdict"] == "violated"
