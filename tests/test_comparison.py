"""The comparison: what matches, what an erratum covers, and what it must not cover."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from analysis.comparison import Regenerated, agreement, compare, counts, read_published
from analysis.errors import DataError, UsageError
from analysis.study_file import load
from analysis.tables.layout import CELL_SCHEMA
from schemas.study import Study

if TYPE_CHECKING:
    from pathlib import Path


def study_with(errata: list[dict[str, Any]], remarks: list[dict[str, Any]] | None = None) -> Study:
    content = load("wang2025").study.model_dump(by_alias=True, exclude_unset=True)
    return Study.model_validate(content | {"errata": errata, "remarks": remarks or []})


def cells(*rows: tuple[Any, ...]) -> pl.DataFrame:
    complete = [(*row, *((), "")[len(row) - 6 :]) for row in rows]
    return pl.DataFrame(complete, schema=CELL_SCHEMA, orient="row")


def published(*rows: tuple[str, str, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=["table", "row", "column", "statistic", "printed"], orient="row")


STARS = ("A5", "white", "liberal", "stars")
ERRATUM = {
    "id": "kept",
    "title": "a kept p-value",
    "explanation": "The last loop's p-value was kept.",
    "cells": [{"tables": ["A5"], "rows": ["white"], "printed": "***", "regenerated": ""}],
}


def verdicts(study: Study, regenerated: pl.DataFrame, printed: pl.DataFrame) -> list[tuple[str, str]]:
    compared = compare(study, regenerated, printed)
    return list(compared.select("verdict", "note").iter_rows())


def test_an_erratum_covers_exactly_its_two_values() -> None:
    study = study_with([ERRATUM])
    assert verdicts(study, cells((*STARS, None, "")), published((*STARS, "***"))) == [
        ("erratum", "kept: a kept p-value")
    ]


@pytest.mark.parametrize(
    ("regenerated", "printed"), [("*", "***"), ("", "**")], ids=["other value now", "other value printed"]
)
def test_an_erratum_excuses_nothing_else(regenerated: str, printed: str) -> None:
    study = study_with([ERRATUM])
    covered = (("A5", "white", "neutral", "stars", None, ""), ("A5", "white", "neutral", "stars", "***"))
    found = verdicts(study, cells((*STARS, None, regenerated), covered[0]), published((*STARS, printed), covered[1]))
    assert [verdict for verdict, _ in found] == ["mismatch", "erratum"]
    assert found[0][1] == ("kept expects ''" if printed == "***" else "")


def test_a_stale_erratum_is_an_error() -> None:
    with pytest.raises(UsageError, match="apply to no published number: kept"):
        compare(study_with([ERRATUM]), cells((*STARS, None, "")), published((*STARS, "")))


def test_a_stale_remark_is_an_error() -> None:
    remark = {"id": "note", "title": "t", "explanation": "e", "cells": [{"tables": ["A99"]}]}
    with pytest.raises(UsageError, match="note"):
        compare(study_with([], [remark]), cells((*STARS, None, "")), published((*STARS, "")))


def test_a_remark_is_noted_on_a_match() -> None:
    remark = {"id": "note", "title": "read this", "explanation": "e", "cells": [{"tables": ["A5"]}]}
    found = verdicts(study_with([], [remark]), cells((*STARS, None, "")), published((*STARS, "")))
    assert found == [("match", "note: read this")]


def test_a_number_that_is_not_regenerated_is_a_mismatch() -> None:
    found = compare(study_with([]), cells(), published((*STARS, "")))
    assert found.row(0, named=True)["verdict"] == "mismatch"
    assert found.row(0, named=True)["regenerated"] is None
    assert found.row(0, named=True)["note"] == "no such number is regenerated"


@pytest.mark.parametrize(
    ("printed", "found", "how"),
    [
        ("5.60", Regenerated(5.6, "5.60"), ""),
        ("5.6", Regenerated(5.6, "5.60"), "at the published precision"),
        ("5.61", Regenerated(5.6, "5.60"), None),
        (".41", Regenerated(0.407, "0.407"), "at the published precision"),
        ("-0.02", Regenerated(-0.0249, "-0.025"), "at the published precision"),
        ("0.02", Regenerated(-0.02, "-0.02"), None),
        ("0.00", Regenerated(None, "–"), None),
        ("–", Regenerated(None, "–"), ""),
        ("", Regenerated(0.2, "*"), None),
        ("***", Regenerated(0.0001, "**"), None),
        ("self-employed (2.0%)", Regenerated(2.0, "selfemployed (2.0%)", ignore="-"), "apart from '-'"),
        ("nurse (2.0%)", Regenerated(2.0, "judge (2.0%)"), None),
        ("nurse (2.0%)", Regenerated(2.0, "judge (2.0%)", ("judge (2.0%)", "nurse (2.0%)")), "another order"),
        ("nurse (4.0%)", Regenerated(2.0, "judge (2.0%)", ("judge (2.0%)", "nurse (2.0%)")), None),
    ],
)
def test_agreement(printed: str, found: Regenerated, how: str | None) -> None:
    result = agreement(printed, found, "half-even")
    assert result == how if not how else result is not None and result.startswith(how)


def test_counts_name_every_verdict() -> None:
    assert counts(pl.DataFrame({"verdict": ["match", "match"]})) == {"match": 2, "erratum": 0, "mismatch": 0}


def test_published_values_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "values.csv"
    path.write_text("table,row,column,statistic,printed\n1,a,b,c,\n1,a,b,c,2\n")
    with pytest.raises(DataError, match="no two rows with the same table, row, column, statistic"):
        read_published(path)
    path.write_text("table,row,column,printed\n1,a,b,c\n")
    with pytest.raises(DataError, match="column statistic: expected this column"):
        read_published(path)
    with pytest.raises(DataError, match="a readable CSV file of published values"):
        read_published(tmp_path / "absent.csv")
    path.write_text("table,row,column,statistic,printed\n1,a,,c,\n")
    assert read_published(path).row(0) == ("1", "a", "", "c", "")
