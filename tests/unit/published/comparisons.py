"""A published study with errata, and regenerated and printed numbers to compare."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl

from tallybook.published.comparison import compare
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook.tables.layout import CELL_SCHEMA


@cache
def _declared() -> dict[str, Any]:
    return load("wang2025").study.model_dump(by_alias=True, exclude_unset=True)


def study_with(errata: list[dict[str, Any]], remarks: list[dict[str, Any]] | None = None, **parts: Any) -> Study:
    return Study.model_validate(
        _declared() | {"errata": errata, "remarks": remarks or [], "not_reproduced": []} | parts
    )


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
    "evidence": {"files": ["white.json"], "rows": "all", "rule": "the previous p-value"},
    "cells": [{"tables": ["A5"], "rows": ["white"], "printed": "***", "regenerated": ""}],
}


def verdicts(study: Study, regenerated: pl.DataFrame, printed: pl.DataFrame) -> list[tuple[str, str]]:
    compared = compare(study, regenerated, printed)
    return list(compared.select("verdict", "note").iter_rows())


SHARE = ("A5", "white", "liberal", "percent")
OTHER_SHARE = ("A5", "black", "liberal", "percent")
NEAR = {"tables": ["A5"], "relative": 0.02, "reason": "read from a figure"}
