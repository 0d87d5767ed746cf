"""Tolerances of published numbers: what they allow, and what comes before them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import UsageError
from tests.unit.published.comparisons import ERRATUM, NEAR, SHARE, cells, published, study_with, verdicts

if TYPE_CHECKING:
    from tallybook.study.model import Study

FULL = {"tables": ["A5"], "relative": 1e-9, "significant": 13, "reason": "the last digits depend on the machine"}
IN_NOTE = "within 0.02 of the published number: read from a figure"


def with_tolerances(*tolerances: dict[str, Any], remarks: Any = (), **published: Any) -> Study:
    declared = {"file": "values.csv", "tolerances": list(tolerances)} | published
    return study_with([], list(remarks), published=declared)


@pytest.mark.parametrize(
    ("value", "verdict"),
    [(10.2, "match"), (9.8, "match"), (10.2001, "mismatch"), (9.79, "mismatch"), (-10.0, "mismatch")],
)
def test_a_tolerance_is_a_share_of_the_published_number(value: float, verdict: str) -> None:
    found = verdicts(with_tolerances(NEAR), cells((*SHARE, value, f"{value:.3f}")), published((*SHARE, "10.00")))
    assert found == [(verdict, IN_NOTE if verdict == "match" else "")]


def test_a_number_that_agrees_anyway_needs_no_tolerance() -> None:
    printed = published((*SHARE, "10.0"))
    assert verdicts(with_tolerances(NEAR), cells((*SHARE, 10.04, "10.04")), printed) == [
        ("match", "at the published precision")
    ]


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "match"),
        ({"rows": ["black"]}, "mismatch"),
        ({"columns": ["conservative"]}, "mismatch"),
        ({"statistics": ["percent"]}, "match"),
        ({"statistics": ["stars"]}, "mismatch"),
    ],
)
def test_a_tolerance_is_for_the_numbers_that_it_selects(changes: dict[str, Any], verdict: str) -> None:
    others = (("A5", "black", "conservative", "stars", "*"), ("A5", "black", "conservative", "percent", "1"))
    regenerated = cells((*SHARE, 10.1, "10.1"), (*others[0][:4], None, "*"), (*others[1][:4], 1.0, "1"))
    found = verdicts(with_tolerances(NEAR | changes), regenerated, published((*SHARE, "10.0"), *others))
    assert [verdict for verdict, _ in found] == [verdict, "match", "match"]


@pytest.mark.parametrize(
    ("printed", "value", "verdict"),
    [
        ("36.24740975506726", 36.24740975506728, "match"),
        ("36.24740975506726", 36.2474097551, "match"),
        ("36.24740975506726", 36.2474099, "mismatch"),
        ("7.742145278030203e-281", 7.74214527809863e-281, "match"),
        ("1.3811164278935356e-307", 1.3811164278935e-307, "match"),
        ("0.00011255432010055761", 0.00011255432010053459, "match"),
        ("36.2474097550", 36.2474097551, "mismatch"),  # twelve digits are a number that somebody rounded
        ("0.0000000000011", 1.2e-12, "mismatch"),  # two digits
    ],
)
def test_numbers_printed_in_full(printed: str, value: float, verdict: str) -> None:
    found = verdicts(with_tolerances(FULL), cells((*SHARE, value, repr(value))), published((*SHARE, printed)))
    note = "within 1e-09 of the published number: the last digits depend on the machine"
    assert found == [(verdict, note if verdict == "match" else "")]


@pytest.mark.parametrize(
    ("row", "verdict"),
    [
        ({"t": 4.2, "df": 1599}, "match"),
        ({"t": 4.2}, "mismatch"),
        ({"t": 4.4, "df": 1599}, "mismatch"),
        ({}, "mismatch"),
    ],
)
def test_p_is_as_far_off_as_the_t_of_its_row(row: dict[str, float], verdict: str) -> None:
    study = with_tolerances(NEAR | {"of": "t", "statistics": ["p"]})
    others = [("A5", "white", name, name, value, str(value)) for name, value in row.items()]
    key = ("A5", "white", "p", "p")
    found = verdicts(study, cells((*key, 2.8e-05, "2.8e-05"), *others), published((*key, "3.3e-05")))
    note = "its t is within 0.02 of the published one: read from a figure"
    assert found == [(verdict, note if verdict == "match" else "")]


@pytest.mark.parametrize(("printed", "value"), [("***", 10.0), ("–", 10.0), ("", 10.0), ("10.0", None), ("0.0", 0.1)])
def test_no_tolerance_helps_what_is_no_number(printed: str, value: float | None) -> None:
    found = verdicts(with_tolerances(NEAR), cells((*SHARE, value, "x")), published((*SHARE, printed)))
    assert found == [("mismatch", "")]


def test_the_first_tolerance_that_a_number_is_within_is_named() -> None:
    study = with_tolerances(FULL, NEAR, NEAR | {"reason": "another"})
    found = verdicts(study, cells((*SHARE, 10.1, "10.1")), published((*SHARE, "10.000000000000000")))
    assert found == [("match", IN_NOTE)]


def test_another_rounding_comes_before_a_tolerance() -> None:
    regenerated, printed = cells((*SHARE, 6.789, "6.789")), published((*SHARE, "6.7"))
    assert verdicts(with_tolerances(NEAR), regenerated, printed) == [("match", IN_NOTE)]
    allowed = [{"tables": ["A5"], "rounding": "truncate"}]
    found = verdicts(with_tolerances(NEAR, rerounded=allowed), regenerated, printed)
    assert found == [("match", "agrees only if cut off")]


def test_an_erratum_comes_before_a_tolerance() -> None:
    erratum = ERRATUM | {"cells": [{"tables": ["A5"], "printed": "6.8", "regenerated": "6.7"}]}
    study = study_with([erratum], published={"file": "values.csv", "tolerances": [NEAR]})
    assert verdicts(study, cells((*SHARE, 6.7, "6.7")), published((*SHARE, "6.8"))) == [
        ("erratum", "kept: a kept p-value")
    ]


def test_remarks_stand_behind_a_tolerance() -> None:
    remark = {"id": "note", "title": "read this", "explanation": "e", "cells": [{"tables": ["A5"]}]}
    study = with_tolerances(NEAR, remarks=[remark])
    found = verdicts(study, cells((*SHARE, 10.1, "10.1")), published((*SHARE, "10.0")))
    assert found == [("match", f"{IN_NOTE}; note: read this")]


def test_a_stale_tolerance_is_an_error() -> None:
    with pytest.raises(UsageError, match=r"published.tolerances\[2\] applies to no published number"):
        verdicts(with_tolerances(NEAR, NEAR | {"rows": ["x"]}), cells(), published((*SHARE, "10.0")))
