"""The audit as a declared check of published numbers."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import get_args

import polars as pl
import pytest

import tallybook as tb
from tallybook.core.errors import UsageError
from tallybook.published.audit.roles import ROLES
from tallybook.study.printed_checks import Role
from tests.printed.declared import checked, published

DOCS = Path(__file__).parents[2] / "docs" / "audit.md"
AUDIT = {"kind": "audit"}


def verdicts(*rows: str, **check: object) -> list[tuple[str, str]]:
    """`row statistic printed`, ... -> what each check says of which numbers."""
    numbers = published(*(("T", row, "m1", name, text) for row, name, text in map(str.split, rows)))
    return [(found["printed"], found["verdict"]) for found in checked(AUDIT | check, numbers)]


def test_numbers_of_a_cell_agree() -> None:
    rows = ["a t 2.31", "a df 19", "a p .032", "b t 1.20", "b df 24", "b p .012"]
    assert verdicts(*rows) == [("t = 2.31, p = .032", "holds"), ("t = 1.20, p = .012", "violated")]


def test_n_and_roles_are_declared() -> None:
    rows = ["a rating 3.45", "b rating 3.47", "c other 3.47"]
    declared = {"roles": {"rating": "mean"}, "n": [{"n": 20, "rows": ["a"]}, {"n": 25}]}
    assert verdicts(*rows, **declared) == [("mean = 3.45, n = 20", "holds"), ("mean = 3.47, n = 25", "violated")]


def test_what_is_weaker_holds_unless_it_is_to_fail() -> None:
    rows = ["a t 1.70", "a df 100", "a p .046"]
    assert verdicts(*rows) == [("t = 1.70, p = .046", "holds")]
    assert verdicts(*rows, fail_on="unlikely") == [("t = 1.70, p = .046", "violated")]
    assert verdicts(*rows, fail_on="unlikely", one_sided=True) == [("t = 1.70, p = .046", "holds")]


def test_an_erratum_covers_it_and_the_finding_says_which_check() -> None:
    violation = {"tables": ["T"], "printed": "mean = 3.47, n = 25"}
    erratum = {"id": "e", "title": "a misprint", "explanation": "Printed wrongly.", "violations": [violation]}
    numbers = published(("T", "b", "m1", "mean", "3.47"), ("T", "b", "m1", "n", "25"))
    (found,) = checked(AUDIT, numbers, errata=[erratum])
    assert (found["verdict"], found["expected"]) == ("erratum", "3.44 or 3.48")
    assert found["note"] == "No 25 whole numbers have a mean of 3.47. (grim, impossible)"


def test_the_rounding_of_the_study_counts() -> None:
    numbers = published(
        *(("T", "a", "m1", name, text) for name, text in zip(("mean", "n"), ("0.66", "3"), strict=True))
    )
    for rounding, verdict in (("half-even", "violated"), ("truncate", "holds")):
        (found,) = checked(AUDIT, numbers, style={"rounding": rounding})
        assert found["verdict"] == verdict


def test_nothing_to_audit_is_an_error() -> None:
    with pytest.raises(UsageError, match="applies to no published number"):
        verdicts("a mean 3.47")


def test_roles_are_those_of_the_command() -> None:
    assert {*get_args(Role)} == ROLES.keys() - {"name", "value", "label"}


def test_the_declared_example_of_the_docs() -> None:
    text = DOCS.read_text(encoding="utf-8").partition("```toml\n")[2].partition("```")[0]
    (check,) = tomllib.loads(text)["printed"]["checks"]
    numbers = published(("2", "a", "m1", "rating", "3.44"), ("2", "b", "m1", "rating", "3.47"))
    assert [found["verdict"] for found in checked(check, numbers)] == ["holds", "violated"]


def test_python_refuses_what_is_no_role() -> None:
    with pytest.raises(UsageError, match="'average': expected one of n, "):
        tb.audit(pl.DataFrame({"x": ["1"]}), roles={"x": "average"})
