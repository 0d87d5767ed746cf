"""Last rows and columns, several numbers in a cell, directions of decisions, and numbers that the narrative names."""

from __future__ import annotations

from typing import Any

import pytest

from tallybook.analyses.estimating import estimate
from tallybook.study.model import Study
from tallybook.tables.layout import lay_out
from tallybook.tables.parts import EstimateIndex, printed
from tallybook.tables.sets import shown_analyses
from tests.unit.statistics.frames import DECLARATION, numbered, response, tallied

MEAN: dict[str, Any] = {"statistic": "score-mean", "outcomes": ["score"], "interval": "normal"}
ANALYSES: dict[str, Any] = {
    "cells": MEAN | {"by": ["model", "group"]},
    "models": MEAN | {"by": ["model"]},
    "groups": MEAN | {"by": ["group"]},
    "all": MEAN | {"by": []},
    "test": {"statistic": "t-test", "outcomes": ["score"], "by": ["group"], "null_value": 2},
}
PARTS: list[dict[str, Any]] = [
    {"statistic": "mean", "analysis": "cells", "style": "number", "digits": 1},
    {"statistic": "n", "analysis": "cells", "value": "n", "style": "number", "digits": 0},
]
TABLE: dict[str, Any] = {
    "id": "1",
    "title": "T",
    "outcomes": ["score"],
    "rows": ["group"],
    "columns": ["model"],
    "row_margin": {"id": "every-group", "label": "Every group", "analysis": "models"},
    "column_margin": {"id": "every-model", "label": "Every model", "analysis": "groups"},
    "corner": "all",
    "measures": [{"id": "mean", "parts": PARTS, "form": "{mean} (n = {n})"}],
}
SAMPLE = numbered(
    [
        response("young", score=1.0, count=3),
        response("young", score=5.0, count=1),
        response("aged", score=4.0, count=2),
        response("young", score=3.0, model="alpha", count=4),
    ]
)


def study(**changes: Any) -> Study:
    table = {name: value for name, value in (TABLE | changes).items() if value is not None}
    return Study.model_validate(DECLARATION | {"analyses": ANALYSES, "tables": [table]})


def test_margins_show_analyses_of_their_own() -> None:
    tables = lay_out(study(), estimate(study(), tallied(SAMPLE), {}))
    (table,) = tables.tables
    assert [column.label for column in table.columns] == ["Zeta", "Alpha", "Every model"]
    assert {row.label: row.cells for row in table.rows} == {
        "Young": ("2.0 (n = 4)", "3.0 (n = 4)", "2.5 (n = 8)"),
        "Aged": ("4.0 (n = 2)", "–", "4.0 (n = 2)"),
        "Every group": ("2.7 (n = 6)", "3.0 (n = 4)", "2.8 (n = 10)"),
    }
    means = tables.cells.filter(statistic="mean")
    placed = {(row, column): value for row, column, value in means.select("row", "column", "value").iter_rows()}
    assert placed["every-group", "every-model"] == pytest.approx(2.8)
    assert placed["young", "every-model"] == pytest.approx(2.5)
    assert placed["every-group", "alpha"] == pytest.approx(3.0)
    assert tables.analyses["1"] == ["cells", "models", "groups", "all"] == shown_analyses(study().tables[0])


def test_one_margin_alone() -> None:
    own = study(column_margin=None, corner=None)
    (table,) = lay_out(own, estimate(own, tallied(SAMPLE), {})).tables
    assert [row.cells for row in table.rows][-1] == ("2.7 (n = 6)", "3.0 (n = 4)")
    own = study(row_margin=None, corner=None)
    (table,) = lay_out(own, estimate(own, tallied(SAMPLE), {})).tables
    assert [row.cells[-1] for row in table.rows] == ["2.5 (n = 8)", "4.0 (n = 2)"]


def test_a_last_row_has_every_measure() -> None:
    margin = TABLE["row_margin"] | {"analysis": "all"}
    measures = [{"id": part["statistic"], "parts": [part | {"analysis": "groups"}]} for part in PARTS]
    own = study(column_margin=None, corner=None, columns=["measure"], measures=measures, row_margin=margin)
    (table,) = lay_out(own, estimate(own, tallied(SAMPLE), {})).tables
    assert [(row.label, *row.cells) for row in table.rows] == [
        ("Young", "2.5", "8"),
        ("Aged", "4.0", "2"),
        ("Every group", "2.8", "10"),
    ]


SLOPES = {"statistic": "regression", "outcomes": ["score"], "by": [], "predictors": ["model"], "cluster": []}


@pytest.mark.parametrize("shown", [("model=alpha",), ("model=alpha", "Intercept")])
def test_rows_are_the_chosen_terms_of_a_regression(shown: tuple[str, ...]) -> None:
    measure = {"id": "b", "parts": [PARTS[0] | {"analysis": "slopes"}]}
    table = {"id": "1", "title": "T", "outcomes": ["score"], "rows": ["term"], "columns": ["measure"]}
    table |= {"terms": shown, "measures": [measure]}
    own = Study.model_validate(DECLARATION | {"analyses": {"slopes": SLOPES}, "tables": [table]})
    (laid,) = lay_out(own, estimate(own, tallied(SAMPLE), {})).tables
    values = {"model=alpha": ("0.3",), "Intercept": ("2.7",)}
    assert {row.id: row.cells for row in laid.rows} == {term: values[term] for term in shown}
    with pytest.raises(ValueError, match="'model=alpa'"):
        Study.model_validate(
            DECLARATION | {"analyses": {"slopes": SLOPES}, "tables": [table | {"terms": ["model=alpa"]}]}
        )


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"corner": None}, "'corner' is where a 'row_margin' and a 'column_margin' meet"),
        ({"row_margin": None}, "'corner' is where a 'row_margin' and a 'column_margin' meet"),
        ({"corner": "none"}, r"tables\[1\].corner: no analysis 'none'"),
        ({"rows": None, "blocks": [{"id": "b", "label": "B", "analysis": "cells", "rows": ["group"]}]},
         "margins are of tables with 'rows'"),
        ({"columns": ["measure"], "measures": [{"id": one, "parts": PARTS[:1]} for one in "ab"]},
         "a 'column_margin' is of a table with one measure"),
        ({"measures": [{"id": "mean", "parts": PARTS, "form": "{mean}"}]}, "must name the statistic of every part"),
        ({"measures": [{"id": "mean", "parts": PARTS, "form": "{mean} {n} {x}"}]}, "must name the statistic of every"),
    ],
)  # fmt: skip
def test_faults(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        study(**changes)


def test_a_decision_may_say_on_which_side() -> None:
    tests = {"young": "below", "aged": "kept", "male": "yes"}
    sample = [response("young", score=score, count=9) for score in (0.9, 1.1)]
    sample += [response("aged", score=score, count=1) for score in (1.0, 4.0)]
    sample += [response("male", score=score, count=9) for score in (3.9, 4.1)]
    part = {"statistic": "d", "analysis": "test", "style": "decision", "rejected": "yes", "below": "below"}
    own = study(
        row_margin=None, column_margin=None, corner=None, columns=["measure"],
        measures=[{"id": "d", "parts": [part | {"retained": "kept"}]}],
    )  # fmt: skip
    (table,) = lay_out(own, estimate(own, tallied(numbered(sample)), {})).tables
    assert {row.id: row.cells[0] for row in table.rows} == tests
    assert "yes: p < 0.05 (below: and the estimate is below the null value); kept: otherwise." in table.notes


NUMBER = {"outcome": "score", "where": {"group": "young"}, "part": PARTS[0] | {"analysis": "groups"}}


def test_numbers_that_the_narrative_names() -> None:
    own = Study.model_validate(DECLARATION | {"analyses": ANALYSES, "numbers": {"young": NUMBER}})
    index = EstimateIndex(own, estimate(own, tallied(SAMPLE), {}))
    inline = own.numbers["young"]
    (found,) = printed(inline.part, index.terms("groups", inline.where | {"outcome": "score"}), None, own.style)
    assert found.text == "2.5"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"where": {}}, "numbers.young.where: 'group' is missing, by which groups is split"),
        ({"where": {"group": "young", "model": "zeta"}}, "numbers.young.where: no factor of groups 'model'"),
        ({"where": {"group": "old"}}, "numbers.young.where.group: no level 'old'"),
        ({"outcome": "x"}, "numbers.young.outcome: no outcome 'x'"),
        ({"part": PARTS[0] | {"analysis": "x"}}, "numbers.young.part.analysis: no analysis 'x'"),
    ],
)
def test_faults_of_numbers(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Study.model_validate(DECLARATION | {"analyses": ANALYSES, "numbers": {"young": NUMBER | changes}})
