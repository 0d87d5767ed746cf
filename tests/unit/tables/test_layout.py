"""Tables as declared: rows, columns, cells, notes, and what happens where an estimate is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest
from pydantic import ValidationError

from tallybook import tally
from tallybook.analyses.estimating import estimate
from tallybook.analyses.wording import NOTE_BASES as BASES
from tallybook.core.errors import UsageError
from tallybook.study.model import Study
from tallybook.study.naming import term_label
from tallybook.tables.content import Table
from tallybook.tables.layout import lay_out
from tallybook.tables.sets import natural_order, note_bearers

STUDY: dict[str, Any] = {
    "name": "tiny",
    "title": "A tiny study",
    "sources": [{"format": "coded", "files": "coded.csv"}],
    "factors": {
        "model": {"label": "Model", "levels": {"m1": "Model 1", "m2": "Model 2"}},
        "group": {"label": "Group", "levels": {"a": "Group A", "b": "Group B"}},
    },
    "instrument": {"kind": "profile"},
    "outcomes": {
        "politics": {
            "kind": "category",
            "label": "Politics",
            "attribute": "politics_label",
            "labels": {"left": ["left"], "right": ["right"]},
            "names": {"left": "Left wing"},
        },
        "job": {"kind": "label", "label": "Job", "attribute": "job_label"},
        "tone": {"kind": "score", "label": "Tone", "attribute": "tone_score"},
    },
    "analyses": {
        "share": {"statistic": "proportion", "outcomes": ["politics"], "by": ["model", "group"]},
        "jobs": {"statistic": "most-frequent", "outcomes": ["job"], "by": ["model", "group"]},
        "tone": {"statistic": "score-summary", "outcomes": ["tone"], "by": ["model", "group"]},
    },
}
PERCENT = {"statistic": "percent", "analysis": "share", "style": "number", "digits": 1, "scale": 100}
SHARES = {
    "id": "T{number}",
    "for_each": ["model"],
    "outcomes": ["politics"],
    "title": "{outcome} of {model}",
    "stub": "{model}",
    "rows": ["group"],
    "row_label": "{label} (n={n})",
    "row_n": "share",
    "columns": ["term"],
    "measures": [{"id": "share", "parts": [PERCENT]}],
}
CODED = [
    ("m1", "a", "left", "cook", 0.5, "ok"),
    ("m1", "a", "right", "cook", None, "partial"),
    ("m1", "a", None, None, None, "refused"),
    ("m1", "b", None, None, None, "refused"),
    ("m2", "a", "left", "=cmd()", 0.25, "ok"),
]


def tables_of(*declared: dict[str, Any], rows: list[tuple[Any, ...]] = CODED, **changes: Any) -> Any:
    study = Study.model_validate(STUDY | {"tables": list(declared)} | changes)
    columns = ["model", "group", "politics", "job", "tone", "status"]
    coded = pl.DataFrame(rows, schema=columns, orient="row").with_columns(
        pl.col("tone").cast(pl.Float64), count=pl.lit(1, pl.Int64), position=pl.int_range(pl.len())
    )
    counted = tally.tally(coded, list(study.factors), study.outcomes)
    return lay_out(study, estimate(study, counted, {}))


def test_a_table_for_each_level_with_labels_and_counts() -> None:
    first, second = tables_of(SHARES).tables
    assert (first.id, first.title, first.stub) == ("T1", "Politics of Model 1", "Model 1")
    assert (second.id, second.title) == ("T2", "Politics of Model 2")
    assert [column.label for column in first.columns] == ["Left wing", "Right", "Refusal"]
    assert [(row.label, row.cells) for row in first.rows] == [
        ("Group A (n=3)", ("33.3", "33.3", "33.3")),
        ("Group B (n=1)", ("0.0", "0.0", "100.0")),
    ]
    assert first.notes == (f"Percentages are of {BASES['all']}.",)


def test_a_cell_without_data_is_marked_and_explained() -> None:
    second = tables_of(SHARES).tables[1]
    # Model 2 has no response of group B; other models have, so the row stands in its table too.
    assert [(row.label, row.cells) for row in second.rows] == [
        ("Group A (n=1)", ("100.0", "0.0", "0.0")),
        ("Group B (n=0)", ("–", "–", "–")),
    ]
    assert second.notes[-1] == "– marks a number that does not exist: no data."


def test_the_n_of_a_row_is_written_as_in_prose_and_kept_as_a_number() -> None:
    tables = tables_of(SHARES, rows=[("m1", "a", "left", "cook", 0.5, "ok")] * 1200)
    assert tables.tables[0].rows[0].label == "Group A (n=1,200)"
    assert tables.cells.filter(table="T1", row="a", statistic="n").select("value", "text").rows() == [(1200.0, "1200")]


def test_numbers_that_there_cannot_be_are_empty_and_a_column_without_any_is_left_out() -> None:
    fit = {"statistic": "goodness-of-fit", "outcomes": ["politics"], "by": ["model"]}
    part = {"analysis": "fit", "style": "number", "optional": True}
    values = {"estimate": True, "effect": False, "statistic": False, "df": False, "df2": False}
    measures = [
        {"id": name, "label": name, "parts": [part | {"statistic": name, "value": name, "interval": interval}]}
        for name, interval in values.items()
    ]
    declared = {"id": "1", "title": "Fit", "outcomes": ["politics"], "rows": ["model"], "columns": ["measure"]}
    fits = {"analyses": STUDY["analyses"] | {"fit": fit}, "rows": [("m1", "a", "left", "cook", 0.5, "ok")] * 4}
    [table] = tables_of(declared | {"measures": measures}, **fits).tables
    assert [column.id for column in table.columns] == ["effect", "statistic", "df"]
    assert table.rows[0].cells == ("1.00", "4.00", "1.00")


def test_large_numbers_may_have_fewer_digits() -> None:
    mean = {"statistic": "mean", "analysis": "tone", "style": "number", "large_digits": 0}
    declared = SHARES | {"outcomes": ["tone"], "measures": [{"id": "mean", "parts": [mean | {"term": "mean"}]}]}
    declared |= {"columns": ["measure"], "row_label": "", "row_n": None}
    rows = [("m1", "a", "left", "cook", 100.1, "ok"), ("m2", "a", "left", "cook", 0.25, "ok")]
    table, small = tables_of(declared, rows=rows).tables
    assert (table.rows[0].cells, small.rows[0].cells) == (("100",), ("0.25",))


@pytest.mark.parametrize(
    ("outcome", "term", "label"),
    [
        ("tone", "total_variation", "Total variation distance"),
        ("tone", "s", "s"),
        ("tone", "g", "G"),
        ("tone", "score: s", "Score: s"),
        ("politics", "far_left", "Far left"),
    ],
)
def test_labels_of_terms_are_words_and_names_of_formulas_stay(outcome: str, term: str, label: str) -> None:
    labels = {"labels": {"far_left": ["far left"], "right": ["right"]}, "names": {}}
    outcomes = STUDY["outcomes"] | {"politics": STUDY["outcomes"]["politics"] | labels}
    assert term_label(Study.model_validate(STUDY | {"outcomes": outcomes}), outcome, term) == label


def test_tables_of_a_group_that_have_the_same_notes() -> None:
    study = Study.model_validate(STUDY | {"tables": [SHARES, SHARES | {"id": "U{number}", "for_each": ["model"]}]})
    tables = [Table(name, "", "", (), (), notes=("Of all.",)) for name in ("T1", "T2", "U1", "U2", "other")]
    assert note_bearers(study, tables) == {"T2": "T1", "U2": "U1"}
    assert note_bearers(study, tables[1:]) == {"U2": "U1"}
    changed = [tables[0], replace(tables[1], notes=("Of all.", "– marks a number that does not exist."))]
    assert note_bearers(study, changed) == {}
    several = SHARES | {"id": "V{number}", "for_each": ["group", "model"], "rows": ["term"], "columns": ["measure"]}
    study = Study.model_validate(STUDY | {"tables": [several | {"row_n": None, "row_label": "{label}"}]})
    tables = [replace(tables[0], id=f"V{number}") for number in range(1, 5)]
    assert note_bearers(study, tables) == {"V2": "V1", "V4": "V3"}


def test_uncoded_responses_get_a_column_of_their_own() -> None:
    rows = [*CODED, ("m1", "b", None, "cook", 0.1, "partial")]
    first = tables_of(SHARES, rows=rows).tables[0]
    assert [column.label for column in first.columns] == ["Left wing", "Right", "Refusal", "Invalid"]
    assert first.rows[1].cells == ("0.0", "0.0", "50.0", "50.0")


def test_cells_in_long_form() -> None:
    cells = tables_of(SHARES).cells.filter(table="T1", row="a")
    assert cells.select("column", "statistic", "text").rows() == [
        ("left", "percent", "33.3"),
        ("right", "percent", "33.3"),
        ("refusal", "percent", "33.3"),
        ("", "n", "3"),
    ]
    assert cells.get_column("value")[0] == pytest.approx(100 / 3)


def test_measures_as_columns_under_a_spanner() -> None:
    declared = {
        "id": "tone",
        "outcomes": ["tone"],
        "title": "Tone",
        "rows": ["group"],
        "columns": ["model", "measure"],
        "measures": [
            {
                "id": "median",
                "label": "Median",
                "parts": [{"statistic": "median", "analysis": "tone", "term": "median"}],
            },
            {
                "id": "missing",
                "label": "Missing (%)",
                "parts": [
                    {"statistic": "percent", "analysis": "tone", "term": "missing", "scale": 100, "digits": 0},
                ],
            },
        ],
    }
    for measure in declared["measures"]:
        measure["parts"][0]["style"] = "number"
    (table,) = tables_of(declared).tables
    assert [(column.spanner, column.label) for column in table.columns] == [
        ("Model 1", "Median"), ("Model 1", "Missing (%)"), ("Model 2", "Median"), ("Model 2", "Missing (%)"),
    ]  # fmt: skip
    assert [row.cells for row in table.rows] == [("0.50", "67", "0.25", "0"), ("–", "100", "–", "–")]


def ranked(**changes: Any) -> dict[str, Any]:
    part = {"statistic": "rank", "analysis": "jobs", "style": "ranked", "top": 1} | changes
    return {
        "id": "jobs",
        "outcomes": ["job"],
        "where": {"model": "m1"},
        "title": "Jobs",
        "rows": ["group"],
        "columns": ["measure"],
        "measures": [{"id": "jobs", "label": "Jobs", "parts": [part]}],
    }


def test_a_ranking_is_one_cell_and_one_statistic_an_entry() -> None:
    found = tables_of(ranked(top=2))
    assert found.tables[0].rows[0].cells == ("cook (66.7%), refusal (33.3%)",)
    assert found.tables[0].columns[0].align == "left"
    entries = found.cells.filter(row="a").select("statistic", "text").rows()
    assert entries == [("rank 1", "cook (66.7%)"), ("rank 2", "refusal (33.3%)")]


@pytest.mark.parametrize(("above", "interchangeable"), [(1, ["x (50.0%)", "y (50.0%)"]), (2, []), (None, [])])
def test_equally_frequent_entries_are_interchangeable_only_where_declared(
    above: int | None, interchangeable: list[str]
) -> None:
    rows = [("m1", "a", "left", job, 0.1, "ok") for job in ("x", "y")]
    found = tables_of(ranked(interchangeable_above=above), rows=rows).cells.filter(row="a")
    assert found.get_column("interchangeable").to_list() == [interchangeable]


def test_a_table_that_repeats_another() -> None:
    found = tables_of(SHARES | {"repeats": {"1": "T2"}})
    by_id = {table.id: table for table in found.tables}
    assert list(by_id) == ["1", "T1", "T2"]
    assert by_id["1"].rows == by_id["T2"].rows
    assert found.cells.filter(table="1").drop("table").equals(found.cells.filter(table="T2").drop("table"))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"repeats": {"1": "T9"}}, "table 1 repeats table T9, which is not in the same set"),
        ({"id": "{number}"}, "two tables have the number 1"),
        ({"for_each": []}, "analysis 'share' has an estimate for each model, and nothing says which is shown"),
        ({"outcomes": ["job"]}, "outcomes: no outcome of the analyses shown 'job'; declared: politics"),
    ],
)
def test_what_cannot_be_laid_out_is_said(changes: dict[str, Any], message: str) -> None:
    second = SHARES | {"for_each": [], "where": {"model": "m1"}} if changes.get("id") else None
    declared = [SHARES | changes, *([second | {"id": "1"}] if second else [])]
    with pytest.raises((UsageError, ValidationError), match=message):
        tables_of(*declared)


def test_numbers_stand_in_natural_order() -> None:
    assert sorted(["A10", "2", "A9", "10", "B1", "9"], key=natural_order) == ["2", "9", "10", "A9", "A10", "B1"]
