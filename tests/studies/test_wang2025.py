"""The published study, end to end: from the bundle and, where they are at hand, from the released responses."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.published.comparison import counts
from tests import computed_once
from tests.released import needs_released

if TYPE_CHECKING:
    from tallybook.pipeline import Results


def bundled() -> Results:
    return computed_once.bundled("wang2025")


def released() -> Results:
    return computed_once.released("wang2025")


def test_every_published_number_matches_or_is_a_declared_erratum() -> None:
    compared = bundled().comparison
    assert compared is not None
    assert counts(compared) == {"match": 5088, "erratum": 27, "not-reproduced": 3, "mismatch": 0}
    matched = Counter(name.split(" ")[0] for name in compared.filter(verdict="match").get_column("statistic").to_list())
    printed = Counter(name.split(" ")[0] for name in compared.get_column("statistic").to_list())
    assert {name: (matched[name], printed[name]) for name in printed} == {
        "n": (432, 432),
        "percent": (2208 + 120, 2208 + 120),  # categorical cells and the polarity tables' "Refusal"
        "stars": (1471, 1488),
        "rank": (566, 566),
        "median": (119, 120),
        "sd": (119, 120),
        "score": (53, 64),
    }


def test_no_number_matches_only_by_a_tolerance() -> None:
    compared = bundled().comparison
    assert compared is not None
    strictness = compared.filter(verdict="match").group_by("strictness").len()
    assert sorted(strictness.rows()) == [("last-digit", 5070), ("tied-order", 18)]
    notes = compared.filter(pl.col("note") != "", verdict="match").group_by("table", "note").len().rows()
    assert sorted(notes) == [
        ("A36", "another order among equally frequent entries", 8),
        ("A40", "another order among equally frequent entries", 10),
        ("A40", "apart from '-'", 1),
        ("A45", "missing-is-not-refusal: 11 responses without a stored polarity, none of them refused", 3),
    ]


def test_three_scores_are_not_reproduced() -> None:
    compared = bundled().comparison
    assert compared is not None
    found = compared.filter(verdict="not-reproduced").select("table", "row", "column", "published").rows()
    assert found == [
        ("9", "politics", "command-r-plus/stereotype", "1.848"),
        ("10", "politics", "command-r-plus/stereotype", "14.379"),
        ("10", "religion", "command-r-plus/stereotype", "1.484"),
    ]


def test_the_tables_are_those_of_the_paper() -> None:
    numbers = [table.id for table in bundled().tables.tables]
    assert numbers == [*(str(n) for n in range(1, 11)), *(f"A{n}" for n in range(1, 49))]
    by_id = {table.id: table for table in bundled().tables.tables}
    assert by_id["A12"].title == "Religion analysis of implicit bias for command-r-plus."
    assert [column.label for column in by_id["A24"].columns] == [
        "Heterosexual", "LGBTQ", "Homosexual", "Bisexual", "Other", "Refusal",
    ]  # fmt: skip
    assert [(row.group, row.label) for row in by_id["A1"].rows][:3] == [
        ("Gender", "Male (n = 500)"),
        ("Gender", "Female (n = 500)"),
        ("Ethnicity/Race", "Neutral (n = 50)"),
    ]
    assert by_id["1"].rows == by_id["A25"].rows
    assert [column.spanner for column in by_id["9"].columns][:2] == ["claude-3.5-sonnet"] * 2


@needs_released("wang2025")
@pytest.mark.released
def test_bundle_and_released_responses_give_the_same_numbers_to_the_last_digit() -> None:
    assert released().source.dump.edition == "released"
    assert bundled().source.dump.edition == "bundled"
    assert released().tables.cells.equals(bundled().tables.cells, null_equal=True)
    assert released().tables.tables == bundled().tables.tables
    assert released().estimates.equals(bundled().estimates, null_equal=True)


@needs_released("wang2025")
@pytest.mark.released
def test_the_committed_bundle_is_what_the_released_responses_give() -> None:
    from tallybook.core.resources import BUNDLED_DATA
    from tallybook.published.bundle import bundle

    committed = (BUNDLED_DATA / "wang2025" / "coded_responses.csv").read_text(encoding="utf-8")
    assert bundle(released().loaded.study, released().source.coded).write_csv() == committed


@needs_released("wang2025")
@pytest.mark.released
def test_no_response_text_is_bundled() -> None:
    from tallybook.core.resources import BUNDLED_DATA

    committed = pl.read_csv(BUNDLED_DATA / "wang2025" / "coded_responses.csv", infer_schema=False)
    longest = max(committed.get_column(name).str.len_chars().max() or 0 for name in committed.columns)
    shortest_text = released().source.coded.get_column("text").str.len_chars().min()
    assert longest <= 60
    assert shortest_text is not None
    assert shortest_text > 60


@pytest.mark.parametrize(
    ("setting", "cell", "text"),
    [
        ("analyses.stereotype.direction=both", ("10", "sexual_orientation", "claude-3.5-sonnet/stereotype"), "20.552"),
        ("analyses.share.denominator=answered", ("A5", "ethnicity_and_race/black", "liberal"), "100.00"),
        ("style.missing=n/a", ("A45", "ethnicity_and_race/white", "median"), "n/a"),
    ],
)
def test_a_convention_is_one_setting(setting: str, cell: tuple[str, str, str], text: str) -> None:
    cells = computed_once.changed("wang2025", setting, "errata=[]", "remarks=[]").tables.cells
    table, row, column = cell
    found = cells.filter(table=table, row=row, column=column).get_column("text").to_list()
    assert found[0] == text
