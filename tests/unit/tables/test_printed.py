"""Tables that are printed as published: their cells, notes and numbers, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.published.consistency.checks import check_printed
from tallybook.tables.content import Column, Table
from tallybook.tables.layout import CELL_SCHEMA, Tables
from tallybook.tables.printed import SOURCE, lay_out_printed, with_printed
from tallybook_schemas.frames import TableCells
from tests.unit.published.consistency.declared import AXES, intervals, published, regenerated, study

TABLE: dict[str, Any] = {
    "id": "P2",
    "title": "Means",
    "stub": "Group",
    "rows": ["groups", "all"],
    "columns": ["models"],
    "cell": "{mean} [{ci_low}, {ci_high}]",
}
NUMBERS = published(
    *intervals("P2", ("a", "m1", "0.30 0.2 0.4"), ("b", "m1", "-"), ("all", "m2", "1.0e-3 -1 1"), ("c", "m1", "1 2 -")),
    *intervals("other", ("x", "y", "1 2 3")),
)
UNLISTED = "n/a: published, but not among the published numbers that are at hand."
MISSING = "– is in place of “-” instead of a number."


def tables(*declared: dict[str, Any], **parts: Any) -> Any:
    return lay_out_printed(study({"tables": list(declared)}, **parts), NUMBERS)


def grid(table: Table) -> dict[str, tuple[str, ...]]:
    return {row.id: row.cells for row in table.rows}


def test_numbers_stand_as_published() -> None:
    (table,) = tables(TABLE).tables
    assert (table.id, table.title, table.stub) == ("P2", "Means", "Group")
    assert table.columns == (Column("m1", "Model 1"), Column("m2", "Model 2"))
    assert [row.label for row in table.rows] == ["Group A", "Group B", "Group C", "All"]
    assert grid(table) == {
        "a": ("0.30 [0.2, 0.4]", "n/a"),
        "b": ("–", "n/a"),
        "c": ("1 [2, –]", "n/a"),
        "all": ("n/a", "1.0e-3 [-1, 1]"),
    }
    assert table.notes == (SOURCE, UNLISTED, MISSING)


def test_notes_say_only_what_the_table_shows() -> None:
    one = {"id": "other", "title": "", "rows": ["x"], "columns": ["y"], "cell": "{mean}/{ci_low}/{ci_high}"}
    axes = {"x": [{"entries": {"x": "X"}}], "y": [{"entries": {"y": "Y"}}]}
    declared = study({"axes": axes, "tables": [one | {"notes": ["Standard errors."]}]})
    (table,) = lay_out_printed(declared, NUMBERS).tables
    assert grid(table) == {"x": ("1/2/3",)}
    assert table.notes == ("Standard errors.", SOURCE)


def test_the_signs_are_the_study_s() -> None:
    numbers = published(*intervals("P2", ("a", "m1", "k.A."), ("b", "m1", "- 1 2")))
    declared = study({"missing": "k.A.", "tables": [TABLE | {"unlisted": "?"}]}, style={"missing": "none"})
    (table,) = lay_out_printed(declared, numbers).tables
    assert grid(table)["a"] == ("none", "?")
    assert grid(table)["b"] == ("- [1, 2]", "?")  # here a dash is a text like any other
    assert table.notes[1:] == (
        UNLISTED.replace("n/a", "?"),
        "none is in place of “k.A.” instead of a number.",
    )


def test_groups_and_spanners_with_labels_of_their_own() -> None:
    axes = {
        "groups": [
            {"label": "First", "factor": "group", "levels": ["c", "a"], "labels": {"c": "See"}},
            {"label": "Second", "factor": "group", "levels": ["b"]},
        ],
        "parts": [
            {"label": "Share", "entries": {"s/x": "X"}, "form": {"cell": "{share} %"}},
            {"label": "Score", "entries": {"t/x": "X", "t/y": "Y"}},
        ],
    }
    one = {"id": "Q", "title": "", "rows": ["groups"], "columns": ["parts"], "cell": "{score}"}
    numbers = published(
        ("Q", "c", "s/x", "share", "3.10"), ("Q", "a", "t/x", "score", ".5"), ("Q", "b", "t/y", "score", "words")
    )
    printed = lay_out_printed(study({"axes": axes, "tables": [one]}), numbers)
    (table,) = printed.tables
    assert [(row.group, row.label, row.cells) for row in table.rows] == [
        ("First", "See", ("3.10 %", "n/a", "n/a")),
        ("First", "Group A", ("n/a", ".5", "n/a")),
        ("Second", "Group B", ("n/a", "n/a", "words")),
    ]
    assert [(column.spanner, column.label) for column in table.columns] == [
        ("Share", "X"),
        ("Score", "X"),
        ("Score", "Y"),
    ]
    assert printed.cells.select("row", "column", "statistic", "value", "text").rows() == [
        ("c", "s/x", "share", 3.1, "3.10"),
        ("a", "t/x", "score", 0.5, ".5"),
        ("b", "t/y", "score", None, "words"),
    ]


def test_cells_in_long_form() -> None:
    cells = tables(TABLE).cells
    assert dict(cells.schema) == CELL_SCHEMA
    assert cells.select("table", "row", "column", "statistic", "value", "text").rows() == [
        ("P2", "a", "m1", "mean", 0.3, "0.30"),
        ("P2", "a", "m1", "ci_low", 0.2, "0.2"),
        ("P2", "a", "m1", "ci_high", 0.4, "0.4"),
        ("P2", "b", "m1", "mean", None, "–"),
        ("P2", "c", "m1", "mean", 1.0, "1"),
        ("P2", "c", "m1", "ci_low", 2.0, "2"),
        ("P2", "c", "m1", "ci_high", None, "–"),
        ("P2", "all", "m2", "mean", 0.001, "1.0e-3"),
        ("P2", "all", "m2", "ci_low", -1.0, "-1"),
        ("P2", "all", "m2", "ci_high", 1.0, "1"),
    ]
    TableCells.validate(cells.select(list(TableCells.to_schema().columns)))


def test_a_table_that_is_printed_again() -> None:
    printed = tables(TABLE | {"repeats": ["P9", "P1"]})
    assert [table.id for table in printed.tables] == ["P2", "P9", "P1"]
    first, second, _ = (printed.cells.filter(table=table.id).drop("table") for table in printed.tables)
    assert first.equals(second)
    assert len({(table.title, table.rows, table.notes) for table in printed.tables}) == 1


def test_a_study_without_such_tables() -> None:
    printed = lay_out_printed(study(), NUMBERS)
    assert printed.tables == []
    assert dict(printed.cells.schema) == CELL_SCHEMA


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"id": "P3"}, "printed table P3: no published number"),
        ({"rows": ["groups"]}, "printed table P2: no such cell: row 'all', column 'm2'"),
        ({"columns": ["groups"]}, "printed table P2: no such cell: row 'a', column 'm1'"),
        ({"repeats": ["other"]}, "printed table other has published numbers of its own: it is no repeat of P2"),
        ({"cell": "{mean} {ci_low}"}, "printed table P2, row 'a', column 'm1': 'ci_high' is not part of the cell"),
        (
            {"cell": "{mean} {ci_low} {ci_high} {sd}"},
            "printed table P2, row 'a', column 'm1': 'sd' is not in the list of published numbers",
        ),
    ],
)
def test_nothing_is_left_out_or_made_up(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        tables(TABLE | changes)
    assert str(caught.value) == message


def test_contradictions_stand_below_the_table() -> None:
    numbers = published(
        *intervals("P2", ("a", "m1", "0.9 0.2 0.4"), ("b", "m1", "0.3 0.2 0.4"), ("all", "m1", "9 0 1"))
    )
    check = {"tables": ["P2"]}
    checks = [
        {"id": "ordered", "kind": "ordered"} | check,
        {"id": "range", "kind": "range", "statistics": ["mean"]} | check,
        {"id": "sum", "kind": "sum", "statistics": ["mean"], "over": "groups", "along": "rows"} | check,
    ]
    erratum = {
        "id": "misprint",
        "title": "a misprint",
        "explanation": "It is.",
        "violations": [{"tables": ["P2"], "printed": "0.9 [0.2, 0.4]"}],
    }
    declared = study({"checks": checks, "tables": [TABLE | {"repeats": ["P9"]}]}, errata=[erratum])
    checked = check_printed(declared, numbers, regenerated())
    printed = lay_out_printed(declared, numbers, checked)
    both = "9 is not within its limits [0, 1]. 9 is not within 0 to 1."
    for table in printed.tables:
        assert table.notes == (
            SOURCE,
            UNLISTED,
            "Printed so, though it contradicts itself: Group A, Model 1. 0.9 is not within its limits [0.2, 0.4].",
            f"Printed so, though it contradicts itself: All, Model 1. {both}",
        )


def test_printed_tables_take_their_places() -> None:
    own = Table("P1", "Own", "", (), ())
    last = Table("P10", "Last", "", (), ())
    cells = regenerated(("P1", "a", "m1", "mean", 1.0), ("P10", "a", "m1", "mean", 2.0), ("P1", "b", "m1", "mean", 3.0))
    made = Tables([own, last], cells, {"P1": ["share"], "P10": []}, frozenset({"P10"}))
    both = with_printed(made, tables(TABLE))
    assert [table.id for table in both.tables] == ["P1", "P2", "P10"]
    assert both.cells.get_column("table").to_list() == ["P1", "P1", *["P2"] * 10, "P10"]
    assert both.cells.get_column("row").to_list()[:2] == ["a", "b"]
    assert both.analyses == {"P1": ["share"], "P10": [], "P2": []}
    assert both.supplementary == {"P10"}


def test_nothing_printed_changes_nothing() -> None:
    empty = Tables([], regenerated(), {}, frozenset())
    both = with_printed(empty, lay_out_printed(study({"axes": AXES}), NUMBERS))
    assert both.tables == []
    assert both.cells.height == 0


def test_no_number_is_given_twice() -> None:
    made = Tables([Table("P2", "Own", "", (), ())], regenerated(), {"P2": []}, frozenset())
    with pytest.raises(UsageError, match="two tables have the number P2"):
        with_printed(made, tables(TABLE))
