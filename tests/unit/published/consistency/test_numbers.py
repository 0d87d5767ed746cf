"""Range, whole counts, numbers printed twice, and means of several tables."""

from __future__ import annotations

from typing import Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.published.consistency.checks import check_printed
from tests.unit.published.consistency.declared import only, published, regenerated, study

SHARE = ("T", "a", "m1", "share")


@pytest.mark.parametrize(
    ("text", "settings", "expected"),
    [
        ("0.5", {}, "holds"),
        ("1.000", {}, "holds"),
        ("1.001", {}, "violated"),  # 1.0005 at least
        ("1.0", {"highest": 0.95}, "holds"),  # .95 is printed as 1.0
        ("1.00", {"highest": 0.95}, "violated"),
        ("-0.01", {}, "violated"),
        ("-0.01", {"lowest": -1}, "holds"),
        ("-", {}, "untested"),
        ("none", {}, "untested"),
    ],
)
def test_range(text: str, settings: dict[str, Any], expected: str) -> None:
    row = only({"kind": "range", "statistics": ["share"]} | settings, published((*SHARE, text)))
    assert (row["verdict"], row["printed"], row["statistic"]) == (expected, text, "share")


def test_range_says_what_is_wrong() -> None:
    row = only({"kind": "range", "statistics": ["share"], "lowest": -1}, published((*SHARE, "1.007")))
    assert (row["expected"], row["note"]) == ("-1 to 1", "1.007 is not within -1 to 1.")


@pytest.mark.parametrize(
    ("text", "n", "digits", "expected", "verdict"),
    [
        ("0.031", [24, 32], None, "1/32", "holds"),
        ("0.167", [24, 32], None, "4/24", "holds"),
        ("0", [24, 32], 3, "0/24", "holds"),
        ("1", [24, 32], 3, "24/24", "holds"),
        ("0.05", [24, 32], 3, "1/24 or 2/32", "violated"),
        ("0.04", [24, 32], None, "1/24", "holds"),  # .035 to .045
        ("1.2", [10], None, "10/10", "violated"),
        ("-0.3", [10], None, "0/10", "violated"),
        ("0.0242857", [4200], None, "102/4200", "holds"),
        ("0.0243857", [4200], None, "102/4200", "violated"),
    ],
)
def test_whole(text: str, n: list[int], digits: int | None, expected: str, verdict: str) -> None:
    row = only({"kind": "whole", "statistics": ["share"], "n": n, "digits": digits}, published((*SHARE, text)))
    assert (row["expected"], row["verdict"]) == (expected, verdict)
    note = f"{text} is not a share of a whole number of responses; the nearest is {expected}."
    assert row["note"] == ("" if verdict == "holds" else note)


@pytest.mark.parametrize(
    ("again", "first", "expected", "verdict"),
    [
        ("0.20", "0.21044642857142856", "0.21", "violated"),
        ("0.21", "0.21044642857142856", "0.21", "holds"),
        ("0.85", "0.845035", "0.85", "holds"),
        ("0.84", "0.845035", "0.85", "violated"),
        ("0.36", "0.38", "0.38", "violated"),
        ("33599", "33600", "33600", "violated"),  # as many digits: nothing is rounded
        ("33599", "33599", "33599", "holds"),
        ("0.845035", "0.85", "0.850000", "holds"),  # fewer digits first
        ("0.855035", "0.85", "0.850000", "violated"),
    ],
)
def test_restated(again: str, first: str, expected: str, verdict: str) -> None:
    check = {"kind": "restated", "statistics": ["share"], "source": {"table": "U", "row": "x", "statistic": "r"}}
    row = only(check, published((*SHARE, again), ("U", "x", "m1", "r", first)))
    assert (row["printed"], row["expected"], row["verdict"]) == (again, expected, verdict)
    assert row["note"].startswith(f"{again} is printed here and {first} in table U (x, m1, r)" if row["note"] else "")


def test_restated_needs_what_it_repeats() -> None:
    row = only({"kind": "restated", "statistics": ["share"], "source": {"table": "U"}}, published((*SHARE, "0.2")))
    assert (row["verdict"], row["note"]) == ("untested", "No such number is listed: table U (a, m1, share).")


POOLED: dict[str, Any] = {
    "id": "pooled",
    "kind": "pooled",
    "tables": ["T", "U"],
    "statistics": ["mean"],
    "against": {"table": "S"},
}
BOTH = published(("T", "a", "m1", "mean", "0.10"), ("U", "a", "m1", "mean", "0.21"))


def pooled(value: float | None, **settings: Any) -> dict[str, Any]:
    declared = study({"checks": [POOLED | settings]})
    (row,) = check_printed(declared, BOTH, regenerated(("S", "a", "m1", "mean", value))).to_dicts()
    return row


@pytest.mark.parametrize(
    ("value", "error", "verdict"),
    [
        (0.155, 0, "holds"),
        (0.16, 0, "holds"),
        (0.161, 0, "violated"),
        (0.161, 0.001, "holds"),
        (0.1489, 0.001, "violated"),
    ],
)
def test_pooled(value: float, error: float, verdict: str) -> None:
    row = pooled(value, error=error)
    assert (row["table"], row["printed"], row["verdict"]) == ("T, U", "0.1550", verdict)
    assert row["expected"] == f"{value:.4f}"


def test_pooled_says_both_numbers() -> None:
    assert pooled(0.2)["note"] == (
        "The mean of the 2 tables is 0.1550; regenerated is 0.2000: more than rounding explains."
    )


def test_pooled_without_number_is_not_tested() -> None:
    assert (pooled(None)["verdict"], pooled(None)["note"]) == (
        "untested",
        "Nothing regenerated in table S (a, m1, mean).",
    )
    declared = study({"checks": [POOLED]})
    (row,) = check_printed(declared, BOTH.head(1), regenerated(("S", "a", "m1", "mean", 0.1))).to_dicts()
    assert (row["verdict"], row["note"]) == ("untested", "Not all tables list the number.")


def test_pooled_needs_its_table() -> None:
    with pytest.raises(UsageError, match="check 'pooled': no table 'S' is regenerated"):
        check_printed(study({"checks": [POOLED]}), BOTH, regenerated())
