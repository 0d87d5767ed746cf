"""Lists of stimuli as tables."""

from __future__ import annotations

from typing import Any

import polars as pl

from tallybook.sources.listings import SCHEMA
from tallybook.study.model import Study
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.layout import lay_out_listings
from tests.unit.statistics.frames import DECLARATION

FILES = {"a.json": "Ageism", "b.json": "Beauty"}


def study_with(**changes: Any) -> Study:
    first = {"id": "32", "title": "Stimuli", "edition": "raw", "files": FILES} | changes
    second = {"id": "A1", "title": "Others", "edition": "raw", "files": {"c.json": "Other"}, "stub": "Kind"}
    source = {"format": "coded", "files": "coded.csv", "edition": "raw"}
    return Study.model_validate(DECLARATION | {"sources": [source], "listings": [first, second]})


def entries(*rows: tuple[str, str, str, str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA, orient="row")


MANY = [("32", "a.json", "old", f"word {number}") for number in range(1234)]


def test_a_row_is_a_list_with_its_size_and_first_entries() -> None:
    found = entries(
        ("32", "b.json", "nice", "kind"),
        ("32", "a.json", "old", "aged"),
        ("32", "a.json", "old", "elderly"),
        ("32", "a.json", "nice", "sweet"),
        ("A1", "c.json", "old", "antique"),
    )
    first, second = lay_out_listings(study_with(notes=["As released."]), found)
    columns = (Column("n", "Entries"), Column("entries", "First of them", align="left"))
    assert first == Table(
        "32",
        "Stimuli",
        "List",
        columns,
        (
            Row("b.json/nice", "nice", ("1", "kind"), group="Beauty"),
            Row("a.json/old", "old", ("2", "aged; elderly"), group="Ageism"),
            Row("a.json/nice", "nice", ("1", "sweet"), group="Ageism"),
        ),
        ("As released.",),
    )
    rows = (Row("c.json/old", "old", ("1", "antique"), group="Other"),)
    assert second == Table("A1", "Others", "Kind", columns, rows)


def test_a_list_is_cut_after_its_first_entries() -> None:
    def cells(**changes: Any) -> tuple[str, ...]:
        return lay_out_listings(study_with(**changes), entries(*MANY))[0].rows[0].cells

    twelve = "; ".join(f"word {number}" for number in range(12))
    assert cells() == ("1,234", f"{twelve}; …")
    assert cells(entries=2) == ("1,234", "word 0; word 1; …")
    assert cells(entries=1234)[1].endswith("; word 1233")


def test_a_listing_without_entries_is_no_table() -> None:
    assert [table.id for table in lay_out_listings(study_with(), entries(("A1", "c.json", "x", "y")))] == ["A1"]
    assert lay_out_listings(study_with(), entries()) == []
