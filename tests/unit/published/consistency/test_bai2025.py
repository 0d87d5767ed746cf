"""The printed tables of Bai et al. (2024, 2025): the checks find what was found by hand, and nothing else."""

from __future__ import annotations

from functools import cache
from typing import Any

import polars as pl

from tallybook.core.resources import PUBLISHED
from tallybook.published.comparison import read_published
from tallybook.published.consistency.checks import check_printed
from tallybook.study.model import Study
from tests.unit.published.consistency.declared import STUDY, regenerated

# The means of the four variations together, as read from the markers of version 2's Figure 2 (error below 1e-5).
POOLED = {
    "racism": 0.76091, "guilt": 0.56816, "skintone": 0.82301, "weapon": 0.52938, "black": -0.04657,
    "hispanic": -0.00247, "asian": -0.01613, "arab": 0.05786, "english": 0.0986, "career": 0.36953,
    "science": 0.35231, "power": 0.32812, "sexuality": -0.12989, "islam": 0.21101, "judaism": 0.14623,
    "buddhism": 0.08923, "disability": 0.61912, "weight": 0.07045, "age": 0.48108, "mentalill": 0.17826,
    "eating": 0.07346,
}  # fmt: skip
POOLED_MODELS = {"gpt-4": 0.39811, "gpt-3.5-turbo": 0.25334, "alpaca-7b": 0.13871, "category-level": 0.26484}
EMOTIONS = ["neutral", "joy", "surprise", "disgust", "fear", "sadness", "anger"]
ASSOCIATION = ["v2-6", "v2-7", "v2-8", "v2-9"]
DECISION = ["v2-11", "v2-12", "v2-13"]
VERSION_1 = {"tables": ["v1-5", "v1-6"], "digits": 3}
ALL = {"tables": ["v1-5", "v1-6", *ASSOCIATION, *DECISION], "digits": 3}
OVERALL = {"rows": ["model-level"], "columns": ["category-level"], "over": "stereotypes"}
HIGHEST = 16 / 8.01 - 1
SIZES = [
    {"rows": ["model-level"], "columns": ["category-level"], "n": 8400},
    {"rows": ["model-level"], "n": 1050},
    {"columns": ["category-level"], "n": 400},
    {"n": 50},
]
MISPRINTS = [
    ("v1-5", "black", "alpaca-7b"),
    ("v1-5", "hispanic", "alpaca-7b"),
    ("v1-6", "guilt", "gpt-3.5-turbo"),
    ("v1-6", "english", "gpt-3.5-turbo"),
    ("v2-13", "english", "category-level"),
]


@cache
def printed_numbers() -> pl.DataFrame:
    return read_published(PUBLISHED / "bai2025" / "values.csv")


def findings(check: dict[str, Any], cells: pl.DataFrame | None = None) -> pl.DataFrame:
    axes = {
        "stereotypes": [{"entries": dict.fromkeys(POOLED, "")}],
        "emotions": [{"entries": dict.fromkeys(EMOTIONS, "")}],
    }
    declared = Study.model_validate(STUDY | {"printed": {"axes": axes, "checks": [{"id": "it"} | check]}})
    return check_printed(declared, printed_numbers(), regenerated() if cells is None else cells)


def found(check: dict[str, Any], cells: pl.DataFrame | None = None) -> tuple[int, list[tuple[str, ...]]]:
    """How many were tested, and table, row and column of those that are violated."""
    frame = findings(check, cells)
    wrong = frame.filter(verdict="violated").select("table", "row", "column")
    return frame.filter(pl.col("verdict") != "untested").height, list(wrong.iter_rows())


def test_order() -> None:
    tested, wrong = found({"kind": "ordered"} | ALL)
    assert tested == 301
    assert sorted(wrong) == sorted(MISPRINTS)


def test_centres() -> None:
    tested, wrong = found({"kind": "centred"} | ALL)
    assert tested == 301
    others = [("v2-9", "racism", "category-level"), ("v2-13", "guilt", "category-level")]
    assert sorted(wrong) == sorted([*MISPRINTS, *others])


def test_the_dash_is_the_one_number_that_is_not_tested() -> None:
    frame = findings({"kind": "ordered"} | ALL).filter(verdict="untested")
    assert frame.select("table", "row", "column", "printed").rows() == [("v2-8", "guilt", "alpaca-7b", "-")]


def test_widths() -> None:
    tested, wrong = found({"kind": "width", "alike": [0.997, 0.999]} | ALL)
    assert tested == 301
    assert wrong == [MISPRINTS[0], *MISPRINTS[2:4]]
    # Without the scores at which all responses are alike, six more: as high as they can be.
    _, every = found({"kind": "width"} | VERSION_1)
    assert set(every) - set(wrong) == {
        ("v1-5", "racism", "gpt-4"),
        ("v1-5", "racism", "gpt-3.5-turbo"),
        ("v1-5", "skintone", "gpt-3.5-turbo"),
        ("v1-5", "weight", "gpt-4"),
        ("v1-6", "power", "gpt-4"),
        ("v1-6", "eating", "gpt-4"),
    }


def test_ranges() -> None:
    scores = {"kind": "range", "tables": ["v1-5", *ASSOCIATION], "digits": 3, "lowest": -1, "highest": HIGHEST}
    assert found(scores | {"statistics": ["mean"]}) == (163, [])
    shares = {"kind": "range", "tables": ["v1-6", *DECISION], "digits": 3}
    assert found(shares | {"statistics": ["mean"]}) == (138, [])
    limits = {"statistics": ["ci_low", "ci_high"]}
    tested, wrong = found(scores | {"highest": 1} | limits)
    assert tested == 326
    assert wrong == [  # as limits of normal intervals may be
        ("v1-5", "guilt", "gpt-3.5-turbo"),
        ("v1-5", "sexuality", "gpt-3.5-turbo"),
        ("v1-5", "age", "gpt-4"),
    ]
    assert found(shares | limits) == (276, [])


def test_spreads() -> None:
    spread = {"kind": "spread", "tables": ASSOCIATION, "lowest": -1, "highest": HIGHEST, "n": SIZES}
    assert found(spread) == (100, [])
    # A hundred times the responses would make intervals too narrow for those that are printed.
    tested, wrong = found(spread | {"n": [{"n": 100 * size["n"]} for size in SIZES[:1]]})
    assert (tested, len(wrong)) == (100, 100)


def test_sizes() -> None:
    assert found({"kind": "size", "tables": DECISION, "n": SIZES}) == (74, [])
    frame = findings({"kind": "size", "tables": DECISION, "n": SIZES}).filter(verdict="untested")
    assert frame.select("table", "row", "column").rows() == [("v2-13", "english", "category-level")]


def test_sizes_of_version_1_are_not_those_of_shares() -> None:
    # By hand the n implied is above 15,000, by the mean as printed: .9995 would be printed so too, and implies half.
    frame = findings({"kind": "size", "tables": ["v1-6"], "digits": 3, "n": [{"n": 7500}]})
    wrong = frame.filter(verdict="violated")
    assert frame.height == 63
    assert wrong.select("row", "column").rows() == [
        *((row, column) for _, row, column in MISPRINTS[2:4]),  # limits that are equal, by mistake
        ("power", "gpt-4"),
        ("eating", "gpt-4"),
    ]
    assert set(wrong.get_column("note")[2:]) == {
        "An interval so narrow takes at least 7,681 responses; there are at most 7,500."
    }


def test_margins_of_association() -> None:
    margin = {"kind": "margin", "tables": ASSOCIATION, "statistics": ["mean"]} | OVERALL
    assert found(margin) == (4, [("v2-6", "model-level", "category-level")])
    assert findings(margin).get_column("note")[0] == (
        "The mean of the 21 numbers is 0.2364 (0.2359 to 0.2370, as far as rounding leaves it open), not 0.243."
    )


def test_margins_of_single_models_cannot_be_tested() -> None:
    margin = {"kind": "margin", "tables": ASSOCIATION, "statistics": ["mean"], "over": "stereotypes"}
    frame = findings(margin | {"rows": ["model-level"]})
    tested = frame.filter(pl.col("verdict") != "untested").get_column("column")
    assert set(tested) == {"category-level"}
    assert frame.height == 16


def test_margins_of_decision_need_weights() -> None:
    weighted = {"kind": "weighted-margin", "tables": DECISION, "n": SIZES} | OVERALL
    assert found(weighted) == (3, [])
    equal = {"kind": "margin", "tables": DECISION, "statistics": ["mean"]} | OVERALL
    assert found(equal) == (3, [(table, "model-level", "category-level") for table in DECISION])


def test_emotions_add_up() -> None:
    emotions = {"kind": "sum", "tables": ["v1-3"], "statistics": ["mean"], "digits": 3, "over": "emotions"}
    assert found(emotions) == (13, [])
    assert set(findings(emotions).get_column("printed")) == {"0.999", "1.000", "1.001"}
    assert found(emotions | {"total": 1.01})[1] != []


def test_flags_and_rejections_are_whole_counts() -> None:
    flags = {"kind": "whole", "tables": ["v1-4"], "statistics": ["share"], "digits": 3, "n": [24, 32]}
    assert found(flags) == (63, [])
    counted = findings(flags).filter(pl.col("printed") != "0")
    assert counted.get_column("expected").to_list() == ["1/32", "1/32", "1/32", "4/24"]
    rejections = {"kind": "whole", "tables": ["v2-figure-4"], "statistics": ["share"], "n": [4200]}
    counted = [int(share.removesuffix("/4200")) for share in findings(rejections)["expected"]]
    assert (counted, sum(counted)) == ([102, 267, 70, 1788, 758, 672, 1359, 2055], 7071)
    assert found(rejections) == (8, [])


def test_what_the_text_restates() -> None:
    slope = {"table": "v1-7", "row": "published"}
    embedding = {"row": "stored", "column": "embedding"}
    restated = [
        ({"rows": ["rejection"], "columns": ["decision"], "statistics": ["share"]}, {"table": "notebook"}),
        ({"rows": ["logit"], "statistics": ["coef"]}, slope | {"column": "coef"}),
        ({"rows": ["logit"], "statistics": ["ci_low"]}, slope | {"column": "ci_low"}),
        ({"rows": ["logit"], "statistics": ["ci_high"]}, slope | {"column": "ci_high"}),
        ({"rows": ["prompt-level"], "statistics": ["r"]}, embedding | {"table": "v1-figure-5"}),
        ({"rows": ["category-level"], "statistics": ["r"]}, embedding | {"table": "v1-figure-6"}),
        ({"columns": ["all"], "statistics": ["mean"]}, {"table": "notebook"}),
        ({"rows": ["science"], "statistics": ["share"]}, {"table": "v1-figure-7"}),
    ]
    results = [found({"kind": "restated", "tables": ["text"], "source": source} | what) for what, source in restated]
    assert sum(tested for tested, _ in results) == 12  # the odds ratio exp(.986) is no repeat
    assert [row for _, wrong in results for _, row, _ in wrong] == ["rejection", "prompt-level", "category-level"]


def test_means_of_the_four_variations() -> None:
    cells = regenerated(
        *(("S1", row, "category-level", "mean", value) for row, value in POOLED.items()),
        *(("S1", "model-level", column, "mean", value) for column, value in POOLED_MODELS.items()),
    )
    pooled = {"kind": "pooled", "tables": ASSOCIATION, "statistics": ["mean"], "against": {"table": "S1"}}
    tested, wrong = found(pooled | {"error": 2e-5}, cells)
    assert tested == 25
    assert [row for _, row, _ in wrong] == ["racism", "black", "asian", "arab"]
