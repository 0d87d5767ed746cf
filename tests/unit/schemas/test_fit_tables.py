"""What a table, a listing and a figure may be declared as."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.study.model import Study
from tests.unit.statistics.frames import DECLARATION as FRAMES

SHARE = {"statistic": "percent", "analysis": "share", "style": "number"}
DECLARATION: dict[str, Any] = FRAMES | {
    "analyses": {
        "share": {"statistic": "proportion", "outcomes": ["politics"], "by": ["model", "dimension", "group"]},
        "count": {"statistic": "count", "outcomes": ["politics"], "by": ["model"]},
    },
    "tables": [
        {
            "id": "{number}",
            "for_each": ["dimension"],
            "outcomes": ["politics"],
            "title": "T",
            "rows": ["dimension", "model", "group"],
            "columns": ["term"],
            "column_label": "{term}",
            "terms": ["wing", "refusal"],
            "levels": {"group": ["aged", "young"]},
            "labels": {"group": {"aged": "Old"}, "term": {"wing": "A wing"}, "outcome": {"politics": "P"}},
            "row_n": "share",
            "measures": [{"id": "share", "parts": [SHARE]}],
        },
        {
            "id": "B",
            "outcomes": ["politics"],
            "title": "T",
            "blocks": [
                {"id": "shares", "label": "Shares", "analysis": "share", "rows": ["model", "dimension", "group"]},
                {"id": "counts", "label": "Counts", "analysis": "count", "rows": ["model"]},
            ],
            "columns": ["term"],
            "measures": [{"id": "share", "parts": [SHARE]}],
        },
    ],
    "figures": [
        {
            "kind": "stacked-bars",
            "id": "1",
            "title": "F",
            "analysis": "share",
            "outcome": "politics",
            "terms": ["wing", "centre", "refusal"],
            "x": "group",
            "panels": "model",
            "levels": {"group": ["young", "aged"]},
        }
    ],
    "listings": [{"id": "L", "title": "L", "edition": "raw", "files": {"lists.json": "Lists"}}],
    "sources": [{"format": "coded", "files": "coded.csv", "edition": "raw"}],
}
FACTORS = "model, dimension, group"
AXES = f"{FACTORS}, outcome"
GROUPS = "young, middle, aged, male, female"
OUTCOMES = "politics, belief, job, score"


def changed(path: str, value: object) -> dict[str, Any]:
    """The declaration with one value set."""
    declaration = deepcopy(DECLARATION)
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    inner: Any = declaration
    for part in way:
        inner = inner[part]
    inner[last] = value
    return declaration


def fault(path: str, value: object) -> str:
    """What is said of the declaration with one value set."""
    with pytest.raises(ValidationError) as error:
        Study.model_validate(changed(path, value))
    (found,) = error.value.errors()
    place = ".".join(map(str, found["loc"]))
    return ": ".join(part for part in (place, found["msg"].removeprefix("Value error, ")) if part)


def test_the_declaration_is_good() -> None:
    first, second = Study.model_validate(DECLARATION).tables
    assert (first.step, first.first, first.supplementary, first.blocks) == (1, 1, False, ())
    assert ([block.id for block in second.blocks], second.rows) == (["shares", "counts"], ())


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tables/0/for_each", ["sex"], f"tables[1].for_each: no factor 'sex'; declared: {AXES}"),
        ("tables/0/where", {"sex": "male"}, f"tables[1].where: no factor 'sex'; declared: {AXES}"),
        ("tables/0/where", {"group": "old"}, f"tables[1].where.group: no level 'old'; declared: {GROUPS}"),
        ("tables/0/where", {"outcome": "x"}, f"tables[1].where.outcome: no level 'x'; declared: {OUTCOMES}"),
        ("tables/0/levels", {"sex": ["male"]}, f"tables[1].levels: no factor 'sex'; declared: {FACTORS}"),
        ("tables/0/levels", {"outcome": ["politics"]}, f"tables[1].levels: no factor 'outcome'; declared: {FACTORS}"),
        ("tables/0/levels", {"group": ["aged", "old"]}, f"tables[1].levels.group: no level 'old'; declared: {GROUPS}"),
        ("tables/0/labels", {"sex": {}}, f"tables[1].labels: no factor 'sex'; declared: {AXES}, term"),
        ("tables/0/labels", {"measure": {}}, f"tables[1].labels: no factor 'measure'; declared: {AXES}, term"),
        ("tables/0/labels", {"group": {"old": "O"}}, f"tables[1].labels.group: no level 'old'; declared: {GROUPS}"),
        ("tables/0/rows", ["model", "sex"], f"tables[1].rows: no factor 'sex'; declared: {AXES}, term"),
        ("tables/0/rows", ["measure"], f"tables[1].rows: no factor 'measure'; declared: {AXES}, term"),
        ("tables/0/columns", ["sex"], f"tables[1].columns: no factor 'sex'; declared: {AXES}, term, measure"),
        ("tables/0/outcomes", ["x"], f"tables[1].outcomes: no outcome 'x'; declared: {OUTCOMES}"),
        ("tables/0/row_n", "x", "tables[1].row_n: no analysis 'x'; declared: share, count"),
        ("tables/0/measures/0/parts/0", SHARE | {"analysis": "x"},
         "tables[1].measures[1].parts[1].analysis: no analysis 'x'; declared: share, count"),
        ("tables/0/measures/0/parts/0", SHARE | {"outcome": "x"},
         f"tables[1].measures[1].parts[1].outcome: no outcome 'x'; declared: {OUTCOMES}"),
        ("tables/1/blocks/1/rows", ["model", "sex"], f"tables[2].blocks[2].rows: no factor 'sex'; declared: {AXES}"),
        ("tables/1/blocks/0/rows", ["measure"], f"tables[2].blocks[1].rows: no factor 'measure'; declared: {AXES}"),
        ("tables/1/blocks/1/analysis", "x", "tables[2].blocks[2].analysis: no analysis 'x'; declared: share, count"),
        ("figures/0/levels", {"sex": ["male"]}, f"figures[1].levels: no factor 'sex'; declared: {FACTORS}"),
        ("figures/0/levels", {"group": ["old"]}, f"figures[1].levels.group: no level 'old'; declared: {GROUPS}"),
        ("figures/0/where", {"model": "beta"}, "figures[1].where.model: no level 'beta'; declared: zeta, alpha"),
        ("listings/0/edition", "released", "listings[1].edition: no edition 'released'; declared: raw"),
    ],
)  # fmt: skip
def test_names_that_are_not_declared(path: str, value: object, message: str) -> None:
    assert fault(path, value) == message


FOUR = ["model", "dimension", "group", "outcome"]
BLOCK = {"id": "x", "label": "X", "analysis": "share", "rows": ["model"]}


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("tables/0/blocks", [BLOCK], "tables.0: exactly one of 'rows' and 'blocks'"),
        ("tables/1/blocks", [], "tables.1: exactly one of 'rows' and 'blocks'"),
        ("tables/1/blocks/0/rows", [],
         "tables.1.blocks.0.rows: Tuple should have at least 1 item after validation, not 0"),
        ("tables/1/blocks/0/rows", FOUR,
         "tables.1.blocks.0.rows: Tuple should have at most 3 items after validation, not 4"),
        ("tables/0/rows", FOUR, "tables.0.rows: Tuple should have at most 3 items after validation, not 4"),
        ("tables/0/columns", [], "tables.0.columns: Tuple should have at least 1 item after validation, not 0"),
        ("tables/0/columns", FOUR[:3], "tables.0.columns: Tuple should have at most 2 items after validation, not 3"),
        ("tables/0/step", 0, "tables.0.step: Input should be greater than or equal to 1"),
        ("tables/0/measures", [], "tables.0.measures: Tuple should have at least 1 item after validation, not 0"),
        ("tables/0/measures", [{"id": "a", "parts": [SHARE]}, {"id": "b", "parts": [SHARE]}],
         "tables.0: more than one measure, but 'measure' is not among the columns"),
        ("listings/0/entries", 0, "listings.0.entries: Input should be greater than or equal to 1"),
        ("listings/0/rows", ["model"], "listings.0.rows: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_wrong_settings(path: str, value: object, message: str) -> None:
    assert fault(path, value) == message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"style": "p-value", "digits": 0}, "digits: Input should be greater than or equal to 1"),
        ({"style": "p-value", "mantissa_digits": 17}, "mantissa_digits: Input should be less than or equal to 16"),
        ({"style": "p-value", "scientific_below": 2}, "scientific_below: Input should be less than or equal to 1"),
        ({"style": "p-value", "value": "estimate"}, "value: Input should be 'p_value' or 'p_adjusted'"),
        ({"style": "p-value", "scale": 100}, "scale: Extra inputs are not permitted"),
        ({"style": "decision", "alpha": 1}, "alpha: Input should be less than 1"),
        ({"style": "decision", "value": "n"}, "value: Input should be 'p_value' or 'p_adjusted'"),
        ({"style": "number", "digits": 18}, "digits: Input should be less than or equal to 17"),
        ({"style": "number", "scale": 0}, "scale: Input should be greater than or equal to 1"),
    ],
)
def test_wrong_parts(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError) as error:
        Study.model_validate(changed("tables/0/measures/0/parts/0", SHARE | changes))
    found = error.value.errors()[0]  # a list without its faulty items is too short besides
    place = ".".join(map(str, found["loc"]))
    assert f"{place}: {found['msg']}" == f"tables.0.measures.0.parts.0.{changes['style']}.{message}"
