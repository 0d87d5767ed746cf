"""Sums, and means in margins."""

from __future__ import annotations

from typing import Any

import pytest

from tests.unit.published.consistency.declared import checked, intervals, only, published

SUM = {"kind": "sum", "statistics": ["share"], "over": "groups", "along": "rows"}
MARGIN = {"kind": "margin", "statistics": ["mean"], "rows": ["all"], "over": "groups"}
WEIGHTED = {
    "kind": "weighted-margin",
    "rows": ["all"],
    "over": "groups",
    "n": [{"n": 1000}],
}


def shares(column: str, *texts: str) -> list[tuple[str, str, str, str, str]]:
    return [("T", row, column, "share", text) for row, text in zip("abc", texts, strict=False)]


@pytest.mark.parametrize(
    ("texts", "settings", "printed", "expected"),
    [
        (("0.20", "0.30", "0.50"), {}, "1.00", "holds"),
        (("0.333", "0.333", "0.333"), {}, "0.999", "holds"),
        (("0.33", "0.333", "0.333"), {}, "0.996", "holds"),  # ± .006 in all
        (("0.33", "0.333", "0.333"), {"digits": 3}, "0.996", "violated"),
        (("20.0", "30.1", "49.6"), {"total": 100}, "99.7", "violated"),
        (("20.0", "30.2", "49.7"), {"total": 100}, "99.9", "holds"),
    ],
)
def test_sums(texts: tuple[str, ...], settings: dict[str, Any], printed: str, expected: str) -> None:
    row = only(SUM | settings, published(*shares("m1", *texts)))
    assert (row["printed"], row["verdict"]) == (printed, expected)
    assert (row["row"], row["column"], row["statistic"]) == ("", "m1", "share")


def test_a_sum_says_what_is_wrong() -> None:
    row = only(SUM | {"total": 100}, published(*shares("m1", "20.0", "30.1", "49.6")))
    assert row["expected"] == "100"
    assert row["note"] == "The 3 numbers add up to 99.7, not to 100: more than rounding explains."


def test_sums_of_rows() -> None:
    numbers = published(
        ("T", "a", "m1", "share", "0.4"), ("T", "a", "m2", "share", "0.6"), ("T", "a", "other", "share", "0.9"),
        ("T", "b", "m2", "share", "0.6"), ("T", "b", "m1", "share", "0.6"), ("T", "b", "m1", "score", "7"),
        ("T", "c", "other", "share", "0.9"),
    )  # fmt: skip
    rows = checked({"kind": "sum", "statistics": ["share"], "over": "models"}, numbers)
    assert [(row["row"], row["column"], row["verdict"]) for row in rows] == [("a", "", "holds"), ("b", "", "violated")]


@pytest.mark.parametrize("texts", [("0.2", "0.3"), ("0.2", "0.3", "-")])
def test_a_sum_of_which_a_part_is_missing_is_not_tested(texts: tuple[str, ...]) -> None:
    row = only(SUM, published(*shares("m1", *texts)))
    assert (row["verdict"], row["printed"], row["expected"]) == ("untested", "", "1")
    assert row["note"] == "Not all of the 3 numbers that it rests on are listed."


def means(margin: str, *texts: str) -> list[tuple[str, str, str, str, str]]:
    return [("T", row, "m1", "mean", text) for row, text in zip(("a", "b", "c", "all"), (*texts, margin), strict=True)]


@pytest.mark.parametrize(
    ("margin", "verdict"),
    [
        ("0.20", "holds"),
        ("0.21", "holds"),  # .195 to .205 and .205 to .215 touch
        ("0.22", "violated"),
        ("-0.20", "violated"),
    ],
)
def test_margins(margin: str, verdict: str) -> None:
    row = only(MARGIN, published(*means(margin, "0.10", "0.20", "0.30")))
    assert (row["verdict"], row["expected"], row["printed"]) == (verdict, "0.195 to 0.205", margin)


def test_a_margin_says_what_the_mean_is() -> None:
    row = only(MARGIN, published(*means("0.22", "0.10", "0.20", "0.31")))
    assert row["note"] == (
        "The mean of the 3 numbers is 0.203 (0.198 to 0.209, as far as rounding leaves it open), not 0.22."
    )


def test_a_margin_of_columns() -> None:
    numbers = published(
        ("T", "a", "m1", "mean", "0.4"), ("T", "a", "m2", "mean", "0.6"), ("T", "a", "all", "mean", "0.5"),
        ("T", "b", "m1", "mean", "0.4"), ("T", "b", "m2", "mean", "0.6"), ("T", "b", "all", "mean", "0.9"),
    )  # fmt: skip
    check = {"kind": "margin", "statistics": ["mean"], "over": "models", "along": "columns"}
    rows = checked(check, numbers)
    assert [(row["row"], row["column"], row["verdict"]) for row in rows] == [
        ("a", "all", "holds"),
        ("b", "all", "violated"),
    ]


@pytest.mark.parametrize("numbers", [means("0.2", "0.1", "0.2", "-"), means("0.2", "0.1", "0.2", "0.3")[1:]])
def test_a_margin_of_which_a_part_is_missing_is_not_tested(numbers: list[tuple[str, str, str, str, str]]) -> None:
    row = only(MARGIN, published(*numbers))
    assert (row["verdict"], row["printed"]) == ("untested", "0.2")


def test_a_margin_without_number_is_not_tested() -> None:
    row = only(MARGIN, published(*means("-", "0.1", "0.2", "0.3")))
    assert (row["verdict"], row["printed"]) == ("untested", "-")


# Three shares with n = 100, 400 and 900, by the widths of their intervals; the weighted mean is .3786.
CELLS = (("a", "m1", "0.800 0.721 0.879"), ("b", "m1", "0.500 0.451 0.549"), ("c", "m1", "0.278 0.249 0.307"))


@pytest.mark.parametrize(("margin", "expected"), [("0.379", "holds"), ("0.526", "violated"), ("0.390", "violated")])
def test_weighted_margins(margin: str, expected: str) -> None:
    numbers = published(*intervals("T", *CELLS, ("all", "m1", f"{margin} 0 1")))
    row = only(WEIGHTED, numbers)
    assert (row["verdict"], row["statistic"], row["printed"]) == (expected, "mean", margin)
    low, high = (float(text) for text in row["expected"].split(" to "))
    assert low < 0.3786 < high
    assert high - low < 0.02


@pytest.mark.parametrize(
    ("margin", "verdict"), [("0.330", "violated"), ("0.350", "holds"), ("0.540", "holds"), ("0.560", "violated")]
)
def test_an_interval_that_implies_no_n_counts_with_any(margin: str, verdict: str) -> None:
    # Without `a` the mean is .346; with 1,000 rows of it .544.
    reversed_limits = ("a", "m1", "0.800 0.879 0.721")
    numbers = published(*intervals("T", reversed_limits, *CELLS[1:], ("all", "m1", f"{margin} 0 1")))
    assert only(WEIGHTED, numbers)["verdict"] == verdict


def test_no_weight_is_above_the_declared_number() -> None:
    numbers = published(*intervals("T", *CELLS, ("all", "m1", "0.526 0 1")))
    assert only(WEIGHTED | {"n": [{"n": 2}]}, numbers)["verdict"] == "holds"  # all alike


@pytest.mark.parametrize("cells", [CELLS[1:], (*CELLS[:2], ("c", "m1", "-"))])
def test_a_weighted_margin_of_which_a_part_is_missing_is_not_tested(cells: tuple[tuple[str, str, str], ...]) -> None:
    row = only(WEIGHTED, published(*intervals("T", *cells, ("all", "m1", "0.4 0 1"))))
    assert (row["verdict"], row["printed"]) == ("untested", "0.4")


def test_the_others_are_no_margins_of_themselves() -> None:
    numbers = published(*intervals("T", *CELLS, ("all", "m1", "0.379 0 1")))
    rows = checked(WEIGHTED | {"rows": []}, numbers)
    assert [(row["row"], row["verdict"]) for row in rows] == [("all", "holds")]


def test_weights_need_a_declared_number() -> None:
    numbers = published(*intervals("T", *CELLS, ("all", "m1", "0.379 0 1")))
    row = only(WEIGHTED | {"n": [{"rows": ["a"], "n": 100}]}, numbers)
    assert row["verdict"] == "untested"


def test_a_mean_of_numbers_that_are_printed_elsewhere() -> None:
    numbers = [("T", row, "m1", "mean", text) for row, text in zip("abc", ("0.1", "0.2", "0.3"), strict=True)]
    elsewhere = {"tables": ["P"], "source": {"table": "T", "column": "m1", "statistic": "mean"}}
    check = {"kind": "margin", "statistics": ["value"], "rows": ["all"], "over": "groups"} | elsewhere
    for text, verdict in (("0.2", "holds"), ("0.4", "violated")):
        row = only(check, published(*numbers, ("P", "all", "x", "value", text)))
        assert (row["table"], row["printed"], row["verdict"]) == ("P", text, verdict)
