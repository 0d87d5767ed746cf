"""Bradley-Terry models: against printed ones, a logistic regression on rows, and as a study file declares them."""

# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false, reportOptionalMemberAccess=false
from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from numpy.testing import assert_allclose
from scipy import stats
from statsmodels.genmod.families import Binomial
from statsmodels.genmod.generalized_linear_model import GLM

from tallybook.analyses.estimating import clusters, estimate
from tallybook.report.methods_section import methods
from tallybook.statistics.bradley_terry import bradley_terry
from tallybook.study.model import Study
from tallybook.tables.notes import convention
from tallybook.tally import by_cluster, tally

JOURNALS = ["Biometrika", "Comm Statist", "JASA", "JRSS-B"]
CITED = {
    (0, 1): (730, 33),
    (0, 2): (498, 320),
    (0, 3): (221, 284),
    (1, 2): (68, 813),
    (1, 3): (17, 276),
    (2, 3): (142, 325),
}
"""Pairs of journals -> citations of the first by the second, and the other way round (Stigler, 1994; Agresti, 2013)."""
ANSWERS = ("A", "B", "tie", "neither")
DECLARED: dict[str, Any] = {
    "name": "small", "title": "Small", "cluster": "item", "sources": [{"format": "coded", "files": "x.csv"}],
    "instrument": {"kind": "profile"},
    "factors": {
        name: {"label": name.capitalize(), "levels": {"x": "X", "y": "Y", "z": "Z"}} for name in ("left", "right")
    },
    "outcomes": {
        "choice": {"kind": "category", "label": "Choice", "attribute": "choice",
                   "labels": {answer: [answer] for answer in (*ANSWERS, "x", "y", "z")}},
        "score": {"kind": "score", "label": "Score", "attribute": "score"},
    },
}  # fmt: skip
CHOICES = {
    "statistic": "bradley-terry", "outcomes": ["choice"], "by": [], "first": "left", "second": "right",
    "chooses_first": "A", "chooses_second": "B", "ties": ["tie"],
}  # fmt: skip


def responses() -> pl.DataFrame:
    draw: Any = np.random.default_rng(5)
    pairs = [(one, other) for one in "xyz" for other in "xyz" if one != other] * 30
    left, right = (np.array(names) for names in zip(*pairs, strict=True))
    ability = {"x": 0.0, "y": 0.6, "z": -0.4}
    odds = 0.3 + np.array([ability[one] - ability[other] for one, other in pairs])
    answer = np.where(draw.random(odds.size) < 1 / (1 + np.exp(-odds)), "A", "B")
    answer = np.where(draw.random(odds.size) < 0.1, "tie", answer).astype(object)
    answer[:3] = "neither"
    rows = {"left": left, "right": right, "choice": answer, "score": 1.0, "status": "ok", "count": 1, "sample": 0}
    items = [f"i{number % 9}" for number in range(odds.size)]
    return pl.DataFrame(rows | {"item": items, "position": np.arange(odds.size)})


def estimated(**settings: Any) -> pl.DataFrame:
    study = Study.model_validate(DECLARED | {"analyses": {"ability": CHOICES | settings}})
    frame, factors = responses(), list(study.factors)
    clustered = by_cluster(frame.lazy(), factors, study.outcomes, clusters(study))
    return estimate(study, tally(frame, factors, study.outcomes), {}, {}, clustered)


def twin(frame: pl.DataFrame, *, order: bool = True) -> np.ndarray:
    """The coefficients of statsmodels' regression on rows: y, z and the constant."""
    rows = frame.filter(pl.col("choice") != "neither")
    value = rows["choice"].replace_strict({"A": 1.0, "B": 0.0, "tie": 0.5}).to_numpy()
    columns = [(rows["left"] == one).cast(float) - (rows["right"] == one).cast(float) for one in "yz"]
    columns += [pl.Series(np.ones(rows.height))] * order
    matrix = np.column_stack([column.to_numpy() for column in columns])
    return GLM(value, matrix, family=Binomial()).fit(tol=1e-12).params


def test_citations_of_journals_as_printed():
    """Agresti (2013), section 11.6, and the manual of R's BradleyTerry2."""
    rows = [
        {"first": JOURNALS[one], "second": JOURNALS[other], "value": value, "count": count}
        for (one, other), counts in CITED.items()
        for value, count in zip((1.0, 0.0), counts, strict=True)
    ]
    found = bradley_terry(pl.DataFrame(rows), [], JOURNALS, order_effect=False)
    assert found["term"].to_list() == [*JOURNALS[1:], "wald:abilities"]
    assert found["estimate"].round(5).to_list()[:3] == [-2.94907, -0.47957, 0.26895]
    assert found["std_error"].round(5).to_list()[:3] == [0.10255, 0.06059, 0.07083]
    assert found["n"].unique().to_list() == [3727]
    turned = [row | {"first": row["second"], "second": row["first"], "value": 1 - row["value"]} for row in rows[::3]]
    mixed = [row for place, row in enumerate(rows) if place % 3] + turned
    again = bradley_terry(pl.DataFrame(mixed), [], JOURNALS, order_effect=False)
    assert_allclose(again["estimate"], found["estimate"], rtol=1e-9)


@pytest.mark.parametrize("order", [True, False])
def test_clustered_errors_are_those_of_leaving_out_each_item(order: bool):
    found, frame = estimated(order_effect=order), responses()
    whole = twin(frame, order=order)
    replicates = np.array([twin(frame.filter(pl.col("item") != item), order=order) for item in frame["item"].unique()])
    covariance = 8 / 9 * (replicates - whole).T @ (replicates - whole)
    coefficients = found.filter(pl.col("term") != "wald:abilities")
    assert coefficients["term"].to_list() == ["y", "z", *["order_effect"] * order]
    assert_allclose(coefficients["estimate"], whole, rtol=1e-9)
    assert_allclose(coefficients["std_error"], np.sqrt(np.diagonal(covariance)), rtol=1e-7)
    assert_allclose(coefficients["effect"], np.exp(whole), rtol=1e-9)
    assert found["df"].to_list() == [8.0, 8.0, *[8.0] * order, 2.0]
    test = whole[:2] @ np.linalg.solve(covariance[:2, :2], whole[:2]) * 7 / (2 * 8)
    assert_allclose(found["statistic"][-1], test, rtol=1e-7)
    assert_allclose(found["p_value"][-1], stats.f.sf(test, 2, 7), rtol=1e-6)


def test_categories_may_be_the_names():
    by_name = responses().with_columns(
        choice=pl.when(pl.col("choice") == "A")
        .then("left")
        .when(pl.col("choice") == "B")
        .then("right")
        .otherwise("choice")
    )
    study = Study.model_validate(
        DECLARED | {"analyses": {"ability": CHOICES | {"chooses_first": None, "chooses_second": None}}}
    )
    clustered = by_cluster(by_name.lazy(), ["left", "right"], study.outcomes, clusters(study))
    found = estimate(study, tally(by_name, ["left", "right"], study.outcomes), {}, {}, clustered)
    assert found.equals(estimated())


def test_a_reference_and_the_words():
    found = estimated(reference="y")
    assert_allclose(
        found.filter(term="z")["estimate"],
        estimated().filter(pl.col("term").is_in(["y", "z"]))["estimate"].diff()[1:],
        rtol=1e-7,
    )
    study = Study.model_validate(DECLARED | {"analyses": {"ability": CHOICES | {"reference": "y"}}})
    assert study.analyses["ability"].terms(study) == found["term"].to_list()
    assert "Y being 0" in convention(study, "ability")
    text = methods(study, {})
    assert "Bradley-Terry model [@bradley1952]" in text
    assert "Standard errors are clustered by item" in text


@pytest.mark.parametrize(
    ("winners", "status"),
    [({"ab": 1.0, "cd": 0.5}, "degenerate"), ({"ab": 0.5, "ac": 1.0, "ad": 0.5}, "separated")],
)
def test_abilities_that_do_not_exist(winners: dict[str, float], status: str):
    """No comparison connects a and b with c and d; c never wins."""
    rows = [
        {"first": pair[0], "second": pair[1], "value": value, "count": 5}
        for pair, mean in winners.items()
        for value in {mean, 1.0 if mean == 1.0 else 1.0 - mean, 1.0 if status == "degenerate" else mean}
    ]
    found = bradley_terry(pl.DataFrame(rows), [], "abcd", order_effect=False)
    assert found["status"].unique().to_list() == [status]
    assert found["estimate"].null_count() == found.height


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"second": "left"}, "second"),
        ({"first": "who"}, "factor"),
        ({"chooses_second": None}, "need each other"),
        ({"ties": ["A"]}, "ties"),
        ({"chooses_first": "C"}, "category"),
        ({"reference": "w"}, "level of left"),
        ({"by": ["left"]}, "factor"),
        ({"outcomes": ["score"]}, "is a score"),
    ],
)
def test_faults_of_declarations(settings: dict[str, Any], message: str):
    with pytest.raises(ValueError, match=message):
        Study.model_validate(DECLARED | {"analyses": {"ability": CHOICES | settings}})
