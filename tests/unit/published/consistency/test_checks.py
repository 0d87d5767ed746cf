"""All checks of a study together, and the errata that cover what they find."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.published.consistency.checks import CHECKED_SCHEMA, check_printed, counts
from tests.unit.published.consistency.declared import intervals, published, regenerated, study

ORDERED = {"id": "ordered", "kind": "ordered", "tables": ["T"]}
CENTRED = {"id": "centred", "kind": "centred", "tables": ["T", "U"]}
NUMBERS = published(
    *intervals("T", ("a", "m1", "0.3 0.2 0.4"), ("b", "m1", "0.5 0.2 0.2"), ("c", "m2", "-")),
    *intervals("U", ("a", "m1", "0.9 0.2 0.4")),
)


def erratum(*violations: dict[str, Any], name: str = "misprint") -> dict[str, Any]:
    return {"id": name, "title": "a misprint", "explanation": "Printed wrongly.", "violations": list(violations)}


def found(errata: list[dict[str, Any]]) -> list[tuple[str, ...]]:
    declared = study({"checks": [ORDERED, CENTRED]}, errata=errata)
    frame = check_printed(declared, NUMBERS, regenerated())
    return [tuple(row) for row in frame.select("check", "table", "row", "verdict", "erratum").iter_rows()]


def test_every_check_in_its_order() -> None:
    assert found([]) == [
        ("ordered", "T", "a", "holds", ""),
        ("ordered", "T", "b", "violated", ""),
        ("ordered", "T", "c", "untested", ""),
        ("centred", "T", "a", "holds", ""),
        ("centred", "T", "b", "violated", ""),
        ("centred", "T", "c", "untested", ""),
        ("centred", "U", "a", "violated", ""),
    ]


@pytest.mark.parametrize(
    ("violation", "covered"),
    [
        ({"tables": ["T"], "printed": "0.5 [0.2, 0.2]"}, [1, 4]),
        ({"tables": ["T"], "rows": ["b"], "columns": ["m1"], "printed": "0.5 [0.2, 0.2]"}, [1, 4]),
        ({"tables": ["T"], "printed": "0.5 [0.2, 0.2]", "checks": ["ordered"]}, [1]),
        ({"tables": ["T", "U"], "printed": "0.9 [0.2, 0.4]", "checks": ["centred", "ordered"]}, [6]),
    ],
)
def test_an_erratum_covers_what_it_declares(violation: dict[str, Any], covered: list[int]) -> None:
    rows = found([erratum(violation)])
    assert [place for place, row in enumerate(rows) if row[3] == "erratum"] == covered
    assert {row[4] for row in rows if row[3] == "erratum"} == {"misprint: a misprint"}
    assert {row[4] for row in rows if row[3] != "erratum"} == {""}


@pytest.mark.parametrize(
    "violation",
    [
        {"tables": ["T"], "printed": "0.3 [0.2, 0.4]"},  # it holds
        {"tables": ["T"], "printed": "0.50 [0.2, 0.2]"},  # printed otherwise
        {"tables": ["U"], "printed": "0.5 [0.2, 0.2]"},
        {"tables": ["T"], "rows": ["a"], "printed": "0.5 [0.2, 0.2]"},
        {"tables": ["T"], "columns": ["m2"], "printed": "0.5 [0.2, 0.2]"},
        {"tables": ["U"], "printed": "0.9 [0.2, 0.4]", "checks": ["ordered"]},
        {"tables": ["T"], "printed": "-"},  # not tested
    ],
)
def test_an_erratum_without_violation_is_stale(violation: dict[str, Any]) -> None:
    real = {"tables": ["T"], "printed": "0.5 [0.2, 0.2]"}
    with pytest.raises(UsageError, match=r"errata whose violations no check finds: stale$"):
        found([erratum(real), erratum(violation, real, name="stale")])


def test_an_erratum_covers_what_is_found_in_one_of_several_tables() -> None:
    pooled = {"id": "p", "kind": "pooled", "tables": ["T", "U"], "statistics": ["mean"], "against": {"table": "S"}}
    violation = {"tables": ["U"], "printed": "0.600"}
    declared = study({"checks": [pooled | {"rows": ["a"]}]}, errata=[erratum(violation)])
    frame = check_printed(declared, NUMBERS, regenerated(("S", "a", "m1", "mean", 0.4)))
    assert frame.get_column("verdict").to_list() == ["erratum"]


def test_a_check_of_nothing_is_an_error() -> None:
    with pytest.raises(UsageError, match="check 'ordered' applies to no published number"):
        check_printed(study({"checks": [ORDERED | {"tables": ["X"]}]}), NUMBERS, regenerated())


def test_a_study_without_checks() -> None:
    frame = check_printed(study(), NUMBERS, regenerated())
    assert frame.height == 0
    assert dict(frame.schema) == CHECKED_SCHEMA


def test_counts_name_every_verdict() -> None:
    assert counts(pl.DataFrame({"verdict": ["holds", "holds", "untested"]})) == {
        "holds": 2,
        "erratum": 0,
        "violated": 0,
        "untested": 1,
    }
