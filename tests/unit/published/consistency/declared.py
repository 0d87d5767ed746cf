"""A small study with printed numbers, for tests of what is printed as published."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.published.consistency.checks import check_printed
from tallybook.study.model import Study
from tallybook.tables.layout import CELL_SCHEMA

if TYPE_CHECKING:
    from collections.abc import Iterable

STUDY: dict[str, Any] = {
    "name": "tiny",
    "title": "A tiny study",
    "sources": [{"format": "coded", "files": "coded.csv"}],
    "factors": {
        "model": {"label": "Model", "levels": {"m1": "Model 1", "m2": "Model 2"}},
        "group": {"label": "Group", "levels": {"a": "Group A", "b": "Group B", "c": "Group C"}},
    },
    "instrument": {"kind": "profile"},
    "outcomes": {
        "politics": {
            "kind": "category",
            "label": "Politics",
            "attribute": "politics_label",
            "labels": {"left": ["left"]},
        },
    },
    "published": {"file": "values.csv"},
}
AXES: dict[str, Any] = {
    "groups": [{"factor": "group"}],
    "models": [{"factor": "model"}],
    "all": [{"entries": {"all": "All"}}],
}
INTERVAL = ("mean", "ci_low", "ci_high")


def study(printed: dict[str, Any] | None = None, **parts: Any) -> Study:
    return Study.model_validate(STUDY | {"printed": {"axes": AXES} | (printed or {})} | parts)


def published(*rows: tuple[str, str, str, str, str]) -> pl.DataFrame:
    names = ["table", "row", "column", "statistic", "printed"]
    return pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row")


def intervals(table: str, *cells: tuple[str, str, str]) -> Iterable[tuple[str, str, str, str, str]]:
    """Row, column and `mean low high` of cells -> their published numbers."""
    for row, column, numbers in cells:
        for statistic, number in zip(INTERVAL, numbers.split(), strict=False):
            yield table, row, column, statistic, number


def regenerated(*rows: tuple[str, str, str, str, float | None]) -> pl.DataFrame:
    return pl.DataFrame([(*row, "", [], "") for row in rows], schema=CELL_SCHEMA, orient="row")


def checked(check: dict[str, Any], numbers: pl.DataFrame, **parts: Any) -> list[dict[str, str]]:
    """What one check makes of published numbers."""
    declared = study({"checks": [{"id": "it", "tables": ["T"]} | check]}, **parts)
    return check_printed(declared, numbers, regenerated()).to_dicts()


def only(check: dict[str, Any], numbers: pl.DataFrame, **parts: Any) -> dict[str, str]:
    """What one check makes of the one number that it is about."""
    (row,) = checked(check, numbers, **parts)
    return row
