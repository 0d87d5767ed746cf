"""Rows of several factors, blocks of rows, headings of both columns, and what of a table is chosen."""

from __future__ import annotations

from typing import Any, cast

import polars as pl
import pytest
from pydantic import ValidationError

from tallybook.analyses.estimating import estimate
from tallybook.analyses.wording import NOTE_BASES as BASES
from tallybook.core.errors import UsageError
from tallybook.study.model import Study
from tallybook.study.naming import term_label
from tallybook.study.presentation import TableSet
from tallybook.tables.content import Column, Row, Table
from tallybook.tables.layout import Tables, lay_out
from tallybook.tables.sets import shown_analyses
from tests.unit.statistics.frames import DECLARATION, numbered, response, tallied

ANALYSES: dict[str, Any] = {
    "share": {"statistic": "proportion", "outcomes": ["politics", "belief"], "by": ["model", "dimension", "group"]},
    "by_group": {"statistic": "count", "outcomes": ["politics"], "by": ["group"]},
    "by_model": {"statistic": "proportion", "outcomes": ["politics"], "by": ["model"], "denominator": "coded"},
    "association": {
        "statistic": "rank-association",
        "outcomes": ["politics"],
        "by": ["model"],
        "factor": "group",
        "levels": ["young", "male"],
        "coefficient": "tau-c",
    },
}
PERCENT = {"statistic": "percent", "analysis": "share", "style": "number", "digits": 0, "scale": 100}
MEASURE = {"id": "percent", "label": "%", "parts": [PERCENT]}
TABLE: dict[str, Any] = {
    "id": "1",
    "title": "T",
    "outcomes": ["politics"],
    "rows": ["model", "dimension", "group"],
    "columns": ["term"],
    "measures": [MEASURE],
}
SAMPLE = numbered(
    [
        response("young", politics="left", belief="some", count=3),
        response("young", politics="right", belief="some", count=1),
        response("aged", politics="left", belief="some", count=1),
        response("aged", "refused", count=1),
        response("male", politics="right", belief="centre", count=2),
        response("young", politics="centre", belief="some", model="alpha", count=2),
        response("male", politics="left", belief="some", model="alpha", count=1),
        response("male", politics="right", belief="some", model="alpha", count=1),
    ]
)


def laid_out(*tables: dict[str, Any], rows: Any = SAMPLE, listings: Any = (), **parts: Any) -> Tables:
    study = Study.model_validate(DECLARATION | {"analyses": ANALYSES, "tables": list(tables)} | parts)
    return lay_out(study, estimate(study, tallied(rows), {}), listings)


def table_of(**changes: Any) -> Table:
    rows = changes.pop("sample", SAMPLE)
    (table,) = laid_out(
        {name: value for name, value in (TABLE | changes).items() if value is not None}, rows=rows
    ).tables
    return table


# --- rows -------------------------------------------------------------------------------------------------------------


def test_rows_of_three_factors_are_grouped_by_the_first_two() -> None:
    rows = table_of().rows
    assert [(row.id, row.group, row.label) for row in rows] == [
        ("zeta/gender/male", "Zeta, Gender", "Male"),
        ("zeta/age/young", "Zeta, Age", "Young"),
        ("zeta/age/aged", "Zeta, Age", "Aged"),
        ("alpha/gender/male", "Alpha, Gender", "Male"),
        ("alpha/age/young", "Alpha, Age", "Young"),
    ]
    assert rows[2].cells == ("50", "0", "50", "0", "50")


def test_a_category_is_named_as_such_though_an_outcome_has_its_name() -> None:
    score = {"kind": "score", "label": "Points", "attribute": "points"}
    outcomes = cast("Any", DECLARATION)["outcomes"] | {"left": score}
    (table,) = laid_out(TABLE, outcomes=outcomes).tables
    assert table.columns == table_of().columns
    assert "Points" not in {column.label for column in table.columns}
    study = Study.model_validate(DECLARATION | {"outcomes": outcomes})
    assert [term_label(study, outcome, "left") for outcome in ("politics", "belief")] == ["Left", "Points"]


def test_terms_of_a_logistic_regression_have_labels() -> None:
    study = Study.model_validate(DECLARATION)
    terms = ("odds_ratio:score", "odds_ratio:Intercept", "aic", "df_residual", "log_likelihood_null", "wald")
    assert [term_label(study, "politics", term) for term in terms] == [
        "Score (odds ratio)",
        "Intercept (odds ratio)",
        "AIC",
        "Residual df",
        "Log-likelihood of the intercept alone",
        "Wald test of all slopes",
    ]


def test_rows_of_one_or_two_factors() -> None:
    two = table_of(rows=["dimension", "group"], where={"model": "zeta"})
    assert [(row.id, row.group) for row in two.rows] == [
        ("gender/male", "Gender"), ("age/young", "Age"), ("age/aged", "Age"),
    ]  # fmt: skip
    one = table_of(rows=["model"], where={"dimension": "age", "group": "young"})
    assert [(row.id, row.group, row.label) for row in one.rows] == [("zeta", "", "Zeta"), ("alpha", "", "Alpha")]


def test_rows_of_outcomes() -> None:
    found = table_of(
        outcomes=["belief", "politics"],
        rows=["outcome", "dimension", "group"],
        columns=["measure"],
        where={"model": "zeta"},
        measures=[{"id": "refused", "label": "Refused", "parts": [PERCENT | {"term": "refusal"}]}],
    )
    assert [(row.id, row.group, row.cells) for row in found.rows] == [
        ("belief/gender/male", "Belief, Gender", ("0",)),
        ("belief/age/young", "Belief, Age", ("0",)),
        ("belief/age/aged", "Belief, Age", ("50",)),
        ("politics/gender/male", "Politics, Gender", ("0",)),
        ("politics/age/young", "Politics, Age", ("0",)),
        ("politics/age/aged", "Politics, Age", ("50",)),
    ]


def test_rows_of_terms() -> None:
    """Every term is a row, whether a cell has it or not."""
    found = table_of(
        rows=["dimension", "group", "term"],
        columns=["model"],
        terms=["left", "invalid"],
        levels={"group": ["young", "aged"], "dimension": ["age"]},
    )
    assert [(row.id, row.group, row.label, row.cells) for row in found.rows] == [
        ("age/young/left", "Age, Young", "Left", ("75", "0")),
        ("age/young/invalid", "Age, Young", "Invalid", ("–", "–")),
        ("age/aged/left", "Age, Aged", "Left", ("50", "–")),
        ("age/aged/invalid", "Age, Aged", "Invalid", ("–", "–")),
    ]


def test_a_part_may_show_an_outcome_of_its_own() -> None:
    parts = [PERCENT | {"outcome": "belief", "term": "centre"}]
    found = table_of(rows=["dimension", "group"], columns=["model", "measure"], measures=[MEASURE | {"parts": parts}])
    assert [(row.label, row.cells) for row in found.rows] == [
        ("Male", ("100", "0")), ("Young", ("0", "0")), ("Aged", ("0", "–")),
    ]  # fmt: skip


# --- blocks -----------------------------------------------------------------------------------------------------------

BLOCKS = [
    {"id": "groups", "label": "By group", "analysis": "by_group", "rows": ["group"]},
    {"id": "cells", "label": "By model and group", "analysis": "share", "rows": ["model", "dimension", "group"]},
    {"id": "models", "label": "By model", "analysis": "by_model", "rows": ["model"]},
]
COUNT = {"id": "m", "parts": [{"statistic": "m", "analysis": "share", "style": "number", "digits": 2}]}


def blocks(**changes: Any) -> Any:
    declared = TABLE | {"rows": [], "blocks": BLOCKS, "measures": [COUNT], "terms": ["right", "left"]} | changes
    return laid_out(declared)


def test_every_block_has_rows_and_an_analysis_of_its_own() -> None:
    (table,) = blocks().tables
    assert [(row.id, row.group, row.label, row.cells) for row in table.rows] == [
        ("groups/young", "By group", "Young", ("1.00", "3.00")),
        ("groups/aged", "By group", "Aged", ("0.00", "1.00")),
        ("groups/male", "By group", "Male", ("3.00", "1.00")),
        ("cells/zeta/gender/male", "By model and group, Zeta, Gender", "Male", ("1.00", "0.00")),
        ("cells/zeta/age/young", "By model and group, Zeta, Age", "Young", ("0.25", "0.75")),
        ("cells/zeta/age/aged", "By model and group, Zeta, Age", "Aged", ("0.00", "0.50")),
        ("cells/alpha/gender/male", "By model and group, Alpha, Gender", "Male", ("0.50", "0.50")),
        ("cells/alpha/age/young", "By model and group, Alpha, Age", "Young", ("0.00", "0.00")),
        ("models/zeta", "By model", "Zeta", ("0.43", "0.57")),
        ("models/alpha", "By model", "Alpha", ("0.25", "0.25")),
    ]


def test_the_cells_of_a_block_are_named_by_it() -> None:
    cells = blocks().cells.filter(column="left").select("table", "row", "statistic", "text").rows()
    assert cells[0] == ("1", "groups/young", "m", "3.00")
    assert cells[-1] == ("1", "models/alpha", "m", "0.25")


def test_a_table_of_blocks_shows_their_analyses_and_conventions() -> None:
    found = blocks()
    assert found.analyses == {"1": ["by_group", "share", "by_model"]}
    assert found.tables[0].notes == (
        "Counts of responses.",
        f"Percentages are of {BASES['all']}.",
        f"Percentages are of {BASES['coded']}.",
    )


def test_the_terms_of_a_table_of_blocks_are_those_of_any_of_them() -> None:
    def labels(*chosen: Any) -> list[str]:
        (table,) = blocks(blocks=chosen, terms=[]).tables
        return [column.label for column in table.columns]

    assert labels(BLOCKS[2]) == ["Wing", "Right", "Left", "Centre"]
    assert labels(BLOCKS[2], BLOCKS[0]) == ["Wing", "Right", "Left", "Centre", "Refusal"]


def test_row_numbers_of_blocks_are_of_their_rows() -> None:
    found = blocks(blocks=BLOCKS[2:], row_n="by_model", row_label="{label}: {n}")
    assert [row.label for row in found.tables[0].rows] == ["Zeta: 7", "Alpha: 4"]
    assert found.cells.filter(statistic="n").select("row", "column", "value", "text").rows() == [
        ("models/zeta", "", 7.0, "7"),
        ("models/alpha", "", 4.0, "4"),
    ]


def test_what_a_block_shows_must_be_fixed_too() -> None:
    wrong = [BLOCKS[1] | {"rows": ["model", "group"]}]
    with pytest.raises(ValidationError, match="'share' has an estimate for each dimension, and nothing says which"):
        blocks(blocks=wrong)


def test_the_analyses_of_a_table() -> None:
    parts = [PERCENT, PERCENT | {"analysis": "by_model"}]
    declared = TABLE | {"measures": [MEASURE | {"parts": parts}]}
    of_blocks = declared | {"rows": [], "blocks": BLOCKS[:1]}
    assert shown_analyses(TableSet.model_validate(declared)) == ["share", "by_model"]
    assert shown_analyses(TableSet.model_validate(of_blocks)) == ["by_group"]


# --- headings ---------------------------------------------------------------------------------------------------------


def test_a_heading_over_columns_is_the_label_of_the_first_of_two() -> None:
    found = table_of(rows=["dimension", "group"], columns=["model", "term"], terms=["left", "refusal"])
    assert [(column.id, column.spanner, column.label) for column in found.columns] == [
        ("zeta/left", "Zeta", "Left"),
        ("zeta/refusal", "Zeta", "Refusal"),
        ("alpha/left", "Alpha", "Left"),
        ("alpha/refusal", "Alpha", "Refusal"),
    ]


def test_a_heading_may_be_made_of_both() -> None:
    found = table_of(
        rows=["dimension", "group"],
        columns=["model", "term"],
        terms=["left", "refusal"],
        column_label="{model}{term}",
        labels={"model": {"zeta": "Z"}, "term": {"left": "L"}},
    )
    assert [(column.id, column.spanner, column.label) for column in found.columns] == [
        ("zeta/left", "", "ZL"),
        ("zeta/refusal", "", "ZRefusal"),
        ("alpha/left", "", "AlphaL"),
        ("alpha/refusal", "", "AlphaRefusal"),
    ]
    single = table_of(terms=["left"], column_label="{term} (%)")
    assert [column.label for column in single.columns] == ["Left (%)"]


def test_a_table_may_call_levels_terms_and_outcomes_otherwise() -> None:
    found = table_of(
        title="{outcome} of {model}",
        stub="{model}",
        rows=["dimension", "group"],
        where={"model": "zeta"},
        terms=["left", "centre", "refusal"],
        labels={
            "outcome": {"politics": "Views"},
            "model": {"zeta": "Z 1"},
            "dimension": {"age": "Years"},
            "group": {"young": "Under 30"},
            "term": {"left": "L", "refusal": "none"},
        },
    )
    assert (found.title, found.stub) == ("Views of Z 1", "Z 1")
    assert [column.label for column in found.columns] == ["L", "Centre", "none"]
    assert [(row.group, row.label) for row in found.rows] == [
        ("Gender", "Male"), ("Years", "Under 30"), ("Years", "Aged"),
    ]  # fmt: skip


def test_columns_of_text_are_aligned_to_the_left() -> None:
    parts = {"analysis": "association", "statistic": "s"}
    measures = [
        {"id": "tau", "label": "τ", "parts": [parts | {"style": "number"}]},
        {"id": "p", "label": "p", "parts": [parts | {"style": "p-value"}]},
        {"id": "H0", "label": "H0?", "parts": [parts | {"style": "decision", "rejected": "R", "retained": "RF"}]},
    ]
    (table,) = laid_out(TABLE | {"rows": ["model"], "columns": ["measure"], "measures": measures}).tables
    assert [(column.label, column.align) for column in table.columns] == [
        ("τ", "right"), ("p", "right"), ("H0?", "left"),
    ]  # fmt: skip
    # 3 left and 1 right answer of the young against 2 right of men; tau-c of 2 × 2: 2 · 2 · (0 - 6) / 36.
    assert table.rows[0].cells[0] == "-0.67"
    assert [row.cells[2] for row in table.rows] == ["RF", "RF"]


# --- what is chosen ---------------------------------------------------------------------------------------------------


def test_terms_are_those_chosen_in_their_order() -> None:
    found = table_of(terms=["refusal", "left", "wing"])
    assert [column.id for column in found.columns] == ["refusal", "left", "wing"]
    assert found.rows[2].cells == ("50", "50", "50")


def test_all_terms_are_shown_where_none_is_chosen() -> None:
    assert [column.id for column in table_of().columns] == ["wing", "right", "left", "centre", "refusal"]
    uncoded = numbered([*SAMPLE, response("young", "invalid")])
    assert [column.id for column in table_of(sample=uncoded).columns][-2:] == ["refusal", "invalid"]


def test_levels_are_those_chosen_in_their_order() -> None:
    found = table_of(levels={"group": ["aged", "male", "young"], "model": ["zeta"]})
    assert [row.id for row in found.rows] == ["zeta/gender/male", "zeta/age/aged", "zeta/age/young"]
    across = table_of(
        rows=["dimension", "group"], columns=["model", "term"], terms=["left"], levels={"model": ["alpha", "zeta"]}
    )
    assert [column.id for column in across.columns] == ["alpha/left", "zeta/left"]


@pytest.mark.parametrize(
    ("changes", "numbers"),
    [
        ({}, ["1", "2"]),
        ({"first": 10}, ["10", "11"]),
        ({"first": 10, "step": 3}, ["10", "13"]),
        ({"levels": {"model": ["alpha"]}, "first": 4}, ["4"]),
        ({"id": "{model}"}, ["alpha", "zeta"]),
        ({"id": "{model}-{number}", "step": 5}, ["alpha-6", "zeta-1"]),
    ],
)
def test_a_set_of_tables_is_numbered_in_steps(changes: dict[str, Any], numbers: list[str]) -> None:
    declared = TABLE | {"id": "{number}", "for_each": ["model"], "rows": ["dimension", "group"], "title": "{model}"}
    found = laid_out(declared | changes)
    assert [table.id for table in found.tables] == numbers
    if not changes:
        assert [table.title for table in found.tables] == ["Zeta", "Alpha"]


def test_a_set_follows_the_chosen_levels() -> None:
    declared = TABLE | {"id": "{number}", "for_each": ["model"], "rows": ["dimension", "group"], "title": "{model}"}
    found = laid_out(declared | {"levels": {"model": ["alpha", "zeta"]}})
    assert [table.title for table in found.tables] == ["Alpha", "Zeta"]


def test_sets_in_steps_take_turns() -> None:
    of_models = TABLE | {"id": "{number}", "for_each": ["model"], "rows": ["dimension", "group"], "step": 2}
    found = laid_out(of_models, of_models | {"first": 2, "supplementary": True, "title": "S"})
    assert [(table.id, table.title) for table in found.tables] == [("1", "T"), ("2", "S"), ("3", "T"), ("4", "S")]
    assert found.supplementary == {"2", "4"}
    assert list(found.cells.get_column("table").unique(maintain_order=True)) == ["1", "2", "3", "4"]


def test_numbers_that_are_cut_off_are_said_to_be() -> None:
    (table,) = laid_out(TABLE | {"measures": [COUNT]}, style={"rounding": "truncate", "missing": "./."}).tables
    assert table.notes[-1] == "Numbers are cut off, not rounded."
    assert laid_out(TABLE | {"measures": [COUNT]}).tables[0].notes == table.notes[:-1]


def test_own_notes_stand_before_those_of_the_conventions() -> None:
    found = table_of(notes=["Mind the gap."])
    assert found.notes == ("Mind the gap.", f"Percentages are of {BASES['all']}.")


def test_scores_of_tests_say_how_many_tests_they_rest_on() -> None:
    census = pl.DataFrame(
        {"outcome": "politics", "category": ["left", "right"], "proportion": [0.5, 0.25]},
        schema_overrides={"proportion": pl.Float64},
    )
    test = {"statistic": "binomial-test", "outcomes": ["politics"], "by": ["model", "group"], "reference": "census"}
    score = {"statistic": "deviation-score", "of": "test", "by": ["model", "group"]}
    part = {"statistic": "score", "analysis": "score", "style": "number", "value": "n", "digits": 0}
    declared = TABLE | {
        "rows": ["group"],
        "columns": ["model", "measure"],
        "measures": [MEASURE | {"parts": [part]}],
    }
    study = Study.model_validate(
        DECLARATION
        | {"analyses": {"test": test, "score": score}, "tables": [declared]}
        | {"references": {"census": {"file": "census.csv", "by": [], "label": "the census"}}}
    )
    found = lay_out(study, estimate(study, tallied(SAMPLE), {"census": census}))
    assert [(row.label, row.cells) for row in found.tables[0].rows] == [
        ("Young", ("2", "2")), ("Aged", ("2", "–")), ("Male", ("2", "2")),
    ]  # fmt: skip
    assert found.tables[0].notes[1:] == (
        "Valid tests: Zeta: Young 2, Aged 2, Male 2; Alpha: Young 2, Male 2.",
        "– marks a number that does not exist: no data.",
    )


# --- listings ---------------------------------------------------------------------------------------------------------

LISTED = Table(
    "2",
    "Stimuli",
    "List",
    (Column("n", "Entries"), Column("entries", "First of them", align="left")),
    (Row("a.json/x", "x", ("2", "b; c"), group="A"), Row("a.json/y", "y", ("1", "d"), group="A")),
)


def test_listings_take_their_place_among_the_tables() -> None:
    found = laid_out(TABLE | {"id": "10"}, TABLE, listings=[LISTED])
    assert [table.id for table in found.tables] == ["1", "2", "10"]
    assert found.tables[1] is LISTED
    assert found.analyses["2"] == []
    assert "2" not in found.supplementary
    own = found.cells.filter(table="2")
    assert own.select("row", "column", "statistic", "value", "text").rows() == [
        ("a.json/x", "n", "n", None, "2"),
        ("a.json/x", "entries", "entries", None, "b; c"),
        ("a.json/y", "n", "n", None, "1"),
        ("a.json/y", "entries", "entries", None, "d"),
    ]
    assert own.select("interchangeable", "ignore").unique().rows() == [([], "")]
    assert list(found.cells.get_column("table").unique(maintain_order=True)) == ["1", "2", "10"]


def test_a_study_may_have_nothing_but_listings() -> None:
    found = laid_out(listings=[LISTED])
    assert [table.id for table in found.tables] == ["2"]
    assert found.cells.height == 4


@pytest.mark.parametrize("listings", [[LISTED], [LISTED, LISTED]], ids=["a table's", "a listing's"])
def test_a_listing_needs_a_number_of_its_own(listings: list[Table]) -> None:
    tables = [TABLE | {"id": "2"}] if len(listings) == 1 else []
    with pytest.raises(UsageError, match="two tables have the number 2"):
        laid_out(*tables, listings=listings)
