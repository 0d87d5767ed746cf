"""What may be declared of tables that are printed as published, of checks, tolerances and errata."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.study.model import Study
from tallybook.study.printed import CellForm, Span
from tests.unit.published.consistency.declared import AXES, STUDY

TABLE: dict[str, Any] = {"id": "P", "title": "", "rows": ["groups"], "columns": ["models"], "cell": "{mean}"}
SIZED: dict[str, Any] = {"id": "size", "kind": "size", "tables": ["P"], "n": [{"n": 50}]}
SUM: dict[str, Any] = {"id": "sum", "kind": "sum", "tables": ["P"], "statistics": ["mean"], "over": "groups"}
PRINTED: dict[str, Any] = {"axes": AXES, "tables": [TABLE], "checks": [SIZED, SUM]}
ERRATUM: dict[str, Any] = {
    "id": "e",
    "title": "t",
    "explanation": "x",
    "violations": [{"checks": ["sum"], "tables": ["P"], "printed": "1"}],
}


def declared(printed: dict[str, Any], **parts: Any) -> Study:
    return Study.model_validate(STUDY | {"printed": printed} | parts)


def changed(path: str, value: object) -> dict[str, Any]:
    """The declaration with one setting changed."""
    result = deepcopy(PRINTED)
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    place: Any = result
    for part in way:
        place = place[part]
    place[last] = value
    return result


def message(printed: dict[str, Any], **parts: Any) -> str:
    with pytest.raises(ValidationError) as caught:
        declared(printed, **parts)
    (error,) = caught.value.errors()
    return str(error["msg"]).removeprefix("Value error, ")


def test_a_declaration_that_fits() -> None:
    study = declared(PRINTED | {"tables": [TABLE | {"repeats": ["Q"]}]}, errata=[ERRATUM])
    assert study.printed.numbers == {"P", "Q"}
    assert STUDY.keys().isdisjoint({"printed"})
    assert Study.model_validate(STUDY).printed.numbers == frozenset()


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ("axes/groups/0/factor", "none", "printed.axes.groups[1].factor: no factor 'none'; declared: model, group"),
        ("axes/groups/0/levels", ["d"], "printed.axes.groups[1].levels: no level 'd'; declared: a, b, c"),
        ("axes/groups/0/levels", ["a", "a"], "printed.axes.groups[1].levels: 'a' is there more than once"),
        ("axes/groups/0/labels", {"d": "D"}, "printed.axes.groups[1].labels: no level 'd'; declared: a, b, c"),
        (
            "axes/groups/0",
            {"factor": "group", "levels": ["a"], "labels": {"b": "B"}},
            "printed.axes.groups[1].labels: no level 'b'; declared: a",
        ),
        (
            "axes/groups",
            [{"factor": "group"}, {"entries": {"b": "B"}}],
            "printed.axes.groups: 'b' is there more than once",
        ),
        ("axes/groups/0/form", {"cell": "{x}"}, "printed.tables[1].rows: 'form' belongs to columns"),
        ("tables/0/rows", ["none"], "printed.tables[1].rows: no axis 'none'; declared: groups, models, all"),
        ("tables/0/columns", ["models", "models"], "printed.tables[1].columns: 'm1' is there more than once"),
        ("tables/0/repeats", ["P"], "printed.tables: 'P' is there more than once"),
        ("checks/1/id", "size", "printed.checks: 'size' is there more than once"),
        ("checks/1/over", "none", "printed.checks[2].over: no axis 'none'; declared: groups, models, all"),
        ("checks/0/lowest", 1, "'lowest' must be below 'highest'"),
    ],
)
def test_what_does_not_fit(path: str, value: object, expected: str) -> None:
    assert message(changed(path, value)) == expected


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("axes/groups", []),
        ("tables/0/rows", []),
        ("tables/0/columns", []),
        ("tables/0/cell", ""),
        ("tables/0/unlisted", ""),
        ("checks/0/n", []),
        ("checks/0/n", [{"n": 1}]),
        ("checks/0/z", 0),
        ("checks/0/digits", -1),
        ("checks/0/tables", []),
        ("checks/0/kind", "none"),
        ("checks/0/statistics", ["mean"]),  # an interval has no single number
        ("checks/1/statistics", []),
        ("checks/1/along", "tables"),
    ],
)
def test_settings_out_of_range(path: str, value: object) -> None:
    with pytest.raises(ValidationError) as caught:
        declared(changed(path, value))
    assert caught.value.errors()[0]["loc"][0] == "printed"


def test_what_is_printed_needs_the_list_of_published_numbers() -> None:
    needs = "printed: numbers printed as published need 'published', the list of published numbers"
    for part in ("tables", "checks"):
        assert message({"axes": AXES, part: PRINTED[part]}, published=None) == needs
    assert declared({"axes": AXES}, published=None).published is None


def test_a_factor_without_levels_has_no_rows() -> None:
    factors = STUDY["factors"] | {"empty": {"label": "Empty", "levels": {}}}
    printed = PRINTED | {"axes": AXES | {"none": [{"factor": "empty"}]}}
    assert message(printed, factors=factors) == "printed.axes.none[1].factor: 'empty' has no levels"


def test_a_violation_names_a_check() -> None:
    violation = {"checks": ["none"], "tables": ["P"], "printed": "1"}
    assert message(PRINTED, errata=[ERRATUM | {"violations": [violation]}]) == (
        "errata[1].violations.checks: no check 'none'; declared: size, sum"
    )


def test_an_erratum_covers_something() -> None:
    assert message(PRINTED, errata=[ERRATUM | {"violations": []}]) == "at least one of 'cells' and 'violations'"


@pytest.mark.parametrize("cell", ["mean", "{mean", "mean}", "{}", "{1}", "{mean} {mean}", "{{mean}}", "{a b}"])
def test_a_cell_names_its_numbers(cell: str) -> None:
    with pytest.raises(ValidationError, match="cell: "):
        CellForm(cell=cell)


def test_a_text_in_a_number_s_place_is_no_template() -> None:
    form = CellForm(cell="{mean} ({ci_low})")
    assert form.statistics == ("mean", "ci_low")
    assert form.filled({"mean": "{ci_low}", "ci_low": r"\1"}) == r"{ci_low} (\1)"


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "exactly one of 'factor' and 'entries'"),
        ({"factor": "group", "entries": {"a": "A"}}, "exactly one of 'factor' and 'entries'"),
        ({"entries": {"a": "A"}, "levels": ["a"]}, "'levels' and 'labels' belong to 'factor'"),
        ({"entries": {"a": "A"}, "labels": {"a": "B"}}, "'levels' and 'labels' belong to 'factor'"),
    ],
)
def test_a_span_is_of_one_kind(settings: dict[str, Any], expected: str) -> None:
    with pytest.raises(ValidationError, match=expected):
        Span.model_validate(settings)


@pytest.mark.parametrize(
    "changes",
    [
        {"relative": 0},
        {"relative": 1},
        {"significant": 0},
        {"of": "difference"},
        {"reason": ""},
        {"tables": []},
        {"absolute": 0.1},
    ],
)
def test_tolerances_out_of_range(changes: dict[str, Any]) -> None:
    tolerance = {"tables": ["P"], "relative": 0.02, "reason": "approximate"}
    assert declared(PRINTED, published={"file": "values.csv", "tolerances": [tolerance]}).published is not None
    with pytest.raises(ValidationError) as caught:
        declared(PRINTED, published={"file": "values.csv", "tolerances": [tolerance | changes]})
    assert caught.value.errors()[0]["loc"][:2] == ("published", "tolerances")


def test_what_is_not_compared_has_a_reason() -> None:
    published = {"file": "values.csv", "not_compared": [{"tables": ["P"]}]}
    assert message(PRINTED, published=published) == "Field required"
