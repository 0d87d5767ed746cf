"""What an analysis may be declared as: every name it uses must exist and have a meaning there."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.core.wording import with_article
from tallybook.study.model import Study
from tests.unit.statistics.frames import DECLARATION as FRAMES

DECLARATION: dict[str, Any] = FRAMES | {
    "factors": FRAMES["factors"]
    | {"hand": {"label": "Hand", "levels": {"left": "Left", "right": "Right", "unsure": "Unsure"}}},
    "outcomes": FRAMES["outcomes"]
    | {"politics": FRAMES["outcomes"]["politics"] | {"beside": ["score"]}}
    | {"why": {"kind": "reason", "label": "Why", "attribute": "reason", "labels": {"none": ["none"]}}},
    "references": {"census": {"file": "census.csv", "by": ["group"], "label": "Census"}},
}
ANALYSES: dict[str, dict[str, Any]] = {
    "share": {"statistic": "proportion", "outcomes": ["politics"], "by": ["model", "group"]},
    "count": {"statistic": "count", "outcomes": ["politics", "why"], "by": ["model"]},
    "test": {"statistic": "binomial-test", "outcomes": ["politics"], "by": ["group"], "reference": "census"},
    "deviation": {"statistic": "deviation-score", "of": "test", "by": []},
    "difference": {
        "statistic": "difference",
        "outcomes": ["politics", "belief"],
        "by": ["model"],
        "factor": "group",
        "levels": ["young", "aged"],
    },
    "association": {
        "statistic": "rank-association",
        "outcomes": ["politics"],
        "by": ["model"],
        "factor": "group",
        "levels": ["young", "middle", "aged"],
        "categories": ["left", "right"],
        "uncoded": "right",
    },
    "mean": {"statistic": "mean", "of": "share", "by": ["model"]},
    "agreement": {"statistic": "agreement", "outcomes": ["politics"], "by": ["model"], "factor": "hand"},
    "stereotype": {
        "statistic": "stereotype-score",
        "outcomes": ["politics"],
        "by": ["model"],
        "between": "group",
        "within": "dimension",
    },
    "ranking": {"statistic": "most-frequent", "outcomes": ["job"], "by": ["model"]},
    "summary": {"statistic": "score-summary", "outcomes": ["score"], "by": ["model"]},
    "shares": {
        "statistic": "observed-shares",
        "outcomes": ["politics"],
        "by": [],
        "category": "left",
        "score": "score",
    },
    "t": {"statistic": "t-test", "outcomes": ["score"], "by": ["model"]},
    "other_t": {"statistic": "t-test", "outcomes": ["score"], "by": ["model"], "uncoded": 0},
    "changes": {"statistic": "changes", "of": "t", "to": "other_t", "by": []},
}
FACTORS = "model, dimension, group, hand"
OUTCOMES = "politics, belief, job, score, why"
OF_RESPONSES = "share, count, test, difference, association, agreement, stereotype, summary, shares, t, other_t"
GROUPS = "young, middle, aged, male, female"


def study_with(name: str, **changes: Any) -> Study:
    """A study of all analyses, one of them changed."""
    analyses = deepcopy(ANALYSES)
    analyses[name] |= changes
    return Study.model_validate(DECLARATION | {"analyses": analyses})


def fault(name: str, **changes: Any) -> str:
    """What is said of a study with one analysis changed."""
    with pytest.raises(ValidationError) as error:
        study_with(name, **changes)
    (found,) = error.value.errors()
    place = ".".join(map(str, found["loc"]))
    return ": ".join(part for part in (place, found["msg"].removeprefix("Value error, ")) if part)


def test_every_kind_of_analysis_may_be_declared() -> None:
    study = study_with("share")
    assert [analysis.statistic for analysis in study.analyses.values()] == [
        analysis["statistic"] for analysis in ANALYSES.values()
    ]


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        # observed shares and changes
        ("shares", {"category": "wing"}, "shares.category: no category 'wing'; declared: right, left, centre"),
        ("shares", {"score": "job"}, "shares.score: no score that politics keeps beside it 'job'; declared: score"),
        ("shares", {"outcomes": ["job"]},
         "shares.outcomes: 'job' is a label; an observed-shares needs a category"),
        ("changes", {"to": "share"}, "changes.to: no t test 'share'; declared: t, other_t"),
        ("changes", {"of": "mean"}, "changes.of: no t test 'mean'; declared: t, other_t"),
        ("changes", {"by": ["group"]}, "changes.by: no factor of t 'group'; declared: model"),
        ("other_t", {"by": []}, "changes.to: expected the cells of t: model"),
        # where
        ("share", {"where": {"sex": "male"}}, f"share.where: no factor 'sex'; declared: {FACTORS}"),
        ("share", {"where": {"outcome": "politics"}}, f"share.where: no factor 'outcome'; declared: {FACTORS}"),
        ("share", {"where": {"group": "old"}}, f"share.where.group: no level 'old'; declared: {GROUPS}"),
        ("count", {"where": {"group": ["aged", "old"]}}, f"count.where.group: no level 'old'; declared: {GROUPS}"),
        ("ranking", {"where": {"model": ["beta"]}}, "ranking.where.model: no level 'beta'; declared: zeta, alpha"),
        # family
        ("test", {"family": {"by": ["model"]}},
         "test.family.by: no factor of the analysis 'model'; declared: group, outcome"),
        ("difference", {"family": {"by": ["outcome", "group"]}},
         "difference.family.by: no factor of the analysis 'group'; declared: model, outcome"),
        ("deviation", {"family": {"by": ["group"]}},
         "deviation.family: a deviation-score has no p-values that could be adjusted"),
        # by and outcomes of the new kinds
        ("count", {"by": ["sex"]}, f"count.by: no factor 'sex'; declared: {FACTORS}"),
        ("difference", {"by": ["model", "model"]}, "difference.by: 'model' is there more than once"),
        ("association", {"outcomes": ["x"]}, f"association.outcomes: no outcome 'x'; declared: {OUTCOMES}"),
        ("agreement", {"outcomes": ["politics", "politics"]},
         "agreement.outcomes: 'politics' is there more than once"),
        # the factor
        ("difference", {"factor": "sex"}, f"difference.factor: no factor 'sex'; declared: {FACTORS}"),
        ("association", {"factor": "politics"}, f"association.factor: no factor 'politics'; declared: {FACTORS}"),
        ("agreement", {"factor": "x"}, f"agreement.factor: no factor 'x'; declared: {FACTORS}"),
        ("difference", {"by": ["group"]}, "difference: by and factor: 'group' is there more than once"),
        ("association", {"factor": "model", "levels": []},
         "association: by and factor: 'model' is there more than once"),
        ("agreement", {"by": ["hand"]}, "agreement: by and factor: 'hand' is there more than once"),
        # its levels
        ("difference", {"levels": ["young", "old"]}, f"difference.levels: no level 'old'; declared: {GROUPS}"),
        ("difference", {"levels": ["young"]}, "difference.levels: one level; expected two or more"),
        ("difference", {"levels": ["young", "young"]}, "difference.levels: 'young' is there more than once"),
        ("association", {"levels": ["young", "old"]}, f"association.levels: no level 'old'; declared: {GROUPS}"),
        ("association", {"levels": ["aged", "young", "aged"]},
         "association.levels: 'aged' is there more than once"),
        ("agreement", {"levels": ["centre"]}, "agreement.levels: no level 'centre'; declared: left, right, unsure"),
        ("agreement", {"levels": ["left", "unsure"]},
         "agreement.levels: no category of politics 'unsure'; declared: right, left, centre"),
        ("agreement", {"levels": ["left"], "outcomes": ["politics", "belief"]},
         "agreement.levels: no category of belief 'left'; declared: some, centre"),
        ("agreement", {"levels": ["left", "left"]}, "agreement.levels: 'left' is there more than once"),
        # the categories
        ("association", {"categories": ["left", "wing"]},
         ("association.categories: no category of politics 'wing'; declared: right, left, centre\n"
          "analyses.association.uncoded: no counted category 'right'; declared: left, wing")),
        ("association", {"categories": ["left", "right", "left"]},
         "association.categories: 'left' is there more than once"),
        ("association", {"outcomes": ["politics", "belief"], "categories": ["left", "centre"], "uncoded": None},
         "association.categories: no category of belief 'left'; declared: some, centre"),
        ("association", {"uncoded": "centre"},
         "association.uncoded: no counted category 'centre'; declared: left, right"),
        ("association", {"uncoded": "refusal", "categories": []},
         "association.uncoded: no counted category 'refusal'; declared: right, left, centre"),
        ("association", {"uncoded": "left", "categories": [], "outcomes": ["politics", "belief"]},
         "association.uncoded: no counted category 'left'; declared: some, centre"),
        # analyses of analyses
        ("mean", {"of": "other"}, f"mean.of: no analysis of responses 'other'; declared: {OF_RESPONSES}"),
        ("mean", {"of": "mean"}, f"mean.of: no analysis of responses 'mean'; declared: {OF_RESPONSES}"),
        ("mean", {"of": "deviation"}, f"mean.of: no analysis of responses 'deviation'; declared: {OF_RESPONSES}"),
        ("mean", {"by": ["dimension"]}, "mean.by: no factor of share 'dimension'; declared: model, group"),
        ("mean", {"by": ["model", "model"]}, "mean.by: 'model' is there more than once"),
        ("mean", {"by": ["sex"]}, f"mean.by: no factor 'sex'; declared: {FACTORS}"),
        ("deviation", {"of": "difference"}, "deviation.of: no binomial test 'difference'; declared: test"),
        ("deviation", {"by": ["model"]}, "deviation.by: no factor of test 'model'; declared: group"),
    ],
)  # fmt: skip
def test_names_that_do_not_exist_there(name: str, changes: dict[str, Any], message: str) -> None:
    assert fault(name, **changes) == f"analyses.{message}"


@pytest.mark.parametrize(
    ("name", "allowed"),
    [
        *(
            (name, ("category", "reason"))
            for name in ("share", "count", "test", "difference", "agreement", "stereotype")
        ),
        ("association", ("category", "reason")),
        ("ranking", ("category", "reason", "label")),
        ("summary", ("score",)),
    ],
)
def test_every_statistic_is_of_certain_outcomes(name: str, allowed: tuple[str, ...]) -> None:
    statistic, free = ANALYSES[name]["statistic"], {"categories": [], "uncoded": None}
    for outcome, kind in {"politics": "category", "why": "reason", "job": "label", "score": "score"}.items():
        changes = {"outcomes": [outcome]} | (free if name == "association" else {})
        if kind in allowed:
            assert study_with(name, **changes).analyses[name].statistic == statistic
        else:
            needed = f"{with_article(statistic)} needs a {' or '.join(allowed)}"
            assert fault(name, **changes) == f"analyses.{name}.outcomes: {outcome!r} is a {kind}; {needed}"


COEFFICIENTS = "'tau-b' or 'tau-c'"
METHODS = "'bonferroni', 'holm', 'hochberg', 'benjamini-hochberg' or 'benjamini-yekutieli'"


@pytest.mark.parametrize(
    ("name", "changes", "message"),
    [
        ("difference", {"denominator": "some"}, "denominator: Input should be 'all', 'answered' or 'coded'"),
        ("difference", {"confidence": 1}, "confidence: Input should be less than 1"),
        ("agreement", {"confidence": 0}, "confidence: Input should be greater than 0"),
        ("association", {"confidence": -0.1}, "confidence: Input should be greater than 0"),
        ("mean", {"confidence": 95}, "confidence: Input should be less than 1"),
        ("mean", {"where": {"group": "aged"}}, "where: Extra inputs are not permitted"),
        ("mean", {"outcomes": ["politics"]}, "outcomes: Extra inputs are not permitted"),
        ("count", {"confidence": 0.9}, "confidence: Extra inputs are not permitted"),
        ("association", {"coefficient": "tau"}, f"coefficient: Input should be {COEFFICIENTS}"),
        ("association", {"coefficient": "tau_b"}, f"coefficient: Input should be {COEFFICIENTS}"),
        ("test", {"family": {"method": "fdr"}}, f"family.method: Input should be {METHODS}"),
        ("test", {"family": {"within": []}}, "family.within: Extra inputs are not permitted"),
    ],
)  # fmt: skip
def test_wrong_settings(name: str, changes: dict[str, Any], message: str) -> None:
    assert fault(name, **changes) == f"analyses.{name}.{ANALYSES[name]['statistic']}.{message}"


def test_an_unknown_statistic_is_named() -> None:
    found = fault("association", statistic="tau")
    assert found.startswith("analyses.association: Input tag 'tau' found using 'statistic' does not match any of ")
