"""Families of tests hold hypotheses: what is one test only printed twice counts once."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
import pytest

from tallybook.analyses.estimating import estimate
from tallybook.report.methods_section import methods
from tallybook.study.model import Study
from tallybook.tables.notes import convention, family_sizes
from tallybook.tally import tally

MODELS = ("a", "b", "c")
LABELS = {"model": MODELS, "age": ("old", "young")}
SCORES = {name: {"kind": "score", "label": name.upper(), "attribute": name} for name in ("u", "v")}
HIRED = {"kind": "category", "label": "Hired", "attribute": "hired", "labels": {"yes": ["yes"], "no": ["no"]}}
DECLARATION = {
    "name": "families",
    "title": "Families",
    "sources": [{"format": "coded", "files": "x.csv"}],
    "instrument": {"kind": "profile"},
    "factors": {
        name: {"label": name.capitalize(), "levels": {level: level.capitalize() for level in levels}}
        for name, levels in LABELS.items()
    },
    "outcomes": {"hired": HIRED | {"beside": ["u", "v"]}, "u": SCORES["u"] | {"beside": ["v"]}, "v": SCORES["v"]},
    "references": {"census": {"file": "census.csv", "by": ["age"], "label": "the census"}},
}
CENSUS = pl.DataFrame(
    {
        "age": ["old", "old", "young", "young"],
        "outcome": "hired",
        "category": ["yes", "no"] * 2,
        "proportion": [0.4, 0.6, 0.7, 0.3],
    }
)
ALPHA = 0.01
DIFFERENCE = {"statistic": "difference", "outcomes": ["hired"], "by": ["model"], "factor": "age"}
DIFFERENCE |= {"levels": ["old", "young"], "family": {"method": "bonferroni"}}
TEST = {"statistic": "binomial-test", "outcomes": ["hired"], "by": ["model", "age"], "reference": "census"}
LOGISTIC = {"statistic": "logistic", "outcomes": ["hired"], "by": ["model"], "category": "yes", "predictors": ["u"]}
CORRELATION = {"statistic": "correlation", "outcomes": ["u", "v"], "by": ["model"]}


def study_of(**analyses):
    return Study.model_validate(DECLARATION | {"analyses": analyses})


def rows(without: tuple[str, ...] = ("refused", "invalid"), *, per_cell: int = 40):
    """Random responses of three models to two ages."""
    made = random.Random(7)  # noqa: S311  no secret
    found = []
    for model in MODELS:
        for age in LABELS["age"]:
            for _ in range(per_cell):
                status = made.choices(["ok", "refused", "invalid"], [8, 1, 1])[0]
                status = "ok" if status in without else status
                u, v = made.gauss(0, 1), made.gauss(0, 1)
                said = "yes" if made.random() < 0.4 + 0.1 * u + 0.1 * (age == "old") else "no"
                given = {"hired": said, "u": u, "v": v} if status == "ok" else dict.fromkeys(("hired", "u", "v"))
                found.append({"model": model, "age": age, "item": "i", "status": status, "count": 1} | given)
    return (
        pl.DataFrame(found, infer_schema_length=None)
        .with_row_index("position")
        .with_columns(pl.col("position").cast(pl.Int64))
    )


def estimates_of(responses=None, **analyses):
    study = study_of(**analyses)
    counted = tally(rows() if responses is None else responses, list(LABELS), study.outcomes)
    return estimate(study, counted, {"census": CENSUS})


def test_both_categories_of_a_binary_outcome_are_one_test():
    found = estimates_of(difference=DIFFERENCE)
    tests = found.filter(pl.col("term").is_in(["yes", "no"]))
    assert tests.height == 6
    assert tests["family_size"].to_list() == [3] * 6
    expected = [min(1.0, 3 * p) for p in tests["p_value"]]
    assert tests["p_adjusted"].to_list() == pytest.approx(expected, rel=1e-12)
    as_rows = estimates_of(difference=DIFFERENCE | {"family": {"method": "bonferroni", "counts": "rows"}})
    assert as_rows.filter(term="yes")["family_size"].to_list() == [6] * 3


@pytest.mark.parametrize(
    ("settings", "size"),
    [
        ({"test": "welch-anova"}, 3),
        ({"test": "mann-whitney", "pairwise": True}, 3),
        ({"test": "mann-whitney", "alternative": "greater"}, 6),  # the other way round, "no" is another question
    ],
)
def test_both_categories_are_one_comparison_of_groups(settings, size):
    comparison = {**DIFFERENCE, "statistic": "group-comparison", **settings}
    found = estimates_of(comparison=comparison)
    assert found["family_size"].to_list() == [size] * 6
    assert found["p_adjusted"].to_list() == pytest.approx([min(1.0, size * p) for p in found["p_value"]], rel=1e-12)
    said = convention(study_of(comparison=comparison), "comparison", sizes={"comparison": [size]})
    assert ("(Yes and No are one test)" in said) == (size == 3)


@pytest.mark.parametrize(
    ("denominator", "without", "size"),
    [
        ("coded", (), None),
        ("answered", (), 3),
        ("answered", ("invalid",), None),
        ("all", (), 6),
        ("all", ("refused",), 3),
        ("all", ("refused", "invalid"), None),
    ],
)
def test_refusals_and_uncoded_responses_are_a_family_of_their_own(denominator, without, size):
    """Among all responses, too, "yes" and "no" are one test, with the larger p-value."""
    found = estimates_of(rows(without), difference=DIFFERENCE | {"denominator": denominator})
    answers = found.filter(pl.col("term").is_in(["yes", "no"]))
    assert answers["family_size"].to_list() == [3] * 6
    larger = answers.select((3 * pl.col("p_value").max().over("model")).clip(upper_bound=1.0)).to_series()
    assert answers["p_adjusted"].to_list() == pytest.approx(larger.to_list(), rel=1e-12)
    others = found.filter(pl.col("term").is_in(["refusal", "invalid"]) & pl.col("p_adjusted").is_not_null())
    assert others["family_size"].unique().to_list() == ([size] if size else [])


def test_that_all_who_answer_say_yes_is_the_test_of_refusals():
    """Where the one category that occurs is the complement of refusals there is no other test."""
    always = rows(("invalid",)).with_columns(pl.when(pl.col("hired").is_not_null()).then(pl.lit("yes")).alias("hired"))
    found = estimates_of(always, difference=DIFFERENCE | {"denominator": "all"})
    own = found.filter(pl.col("term").is_in(["yes", "refusal"]))
    assert own["family_size"].to_list() == [3] * 6
    assert own.filter(term="yes")["p_adjusted"].to_list() == own.filter(term="refusal")["p_adjusted"].to_list()


def test_the_only_category_of_an_outcome_is_in_the_family_of_answers():
    outcomes = DECLARATION["outcomes"] | {"hired": HIRED | {"labels": {"yes": ["yes"]}}}
    difference = DIFFERENCE | {"denominator": "all"}
    study = Study.model_validate(DECLARATION | {"outcomes": outcomes, "references": {}, "analyses": {"d": difference}})
    responses = rows(()).with_columns(pl.when(pl.col("hired") == "yes").then(pl.col("hired")).alias("hired"))
    found = estimate(study, tally(responses, list(LABELS), study.outcomes), {})
    assert found.filter(term="yes")["family_size"].to_list() == [3] * 3
    assert found.filter(pl.col("term") != "yes")["family_size"].to_list() == [6] * 6


def test_outcomes_of_the_same_responses_share_their_refusals():
    """Whether there is an answer is asked once a comparison; notes name the rows of the outcomes that are shown."""
    asked = HIRED | {"label": "Said", "labels": {"yes": ["yes"], "no": ["no"], "other": ["other"]}}
    outcomes = DECLARATION["outcomes"] | {"said": asked}
    difference = DIFFERENCE | {"outcomes": ["hired", "said"], "denominator": "all"}
    study = Study.model_validate(DECLARATION | {"outcomes": outcomes, "analyses": {"difference": difference}})
    responses = rows(()).with_columns(pl.col("hired").alias("said"))
    found = estimate(study, tally(responses, list(LABELS), outcomes=study.outcomes), {})
    refusals = found.filter(pl.col("term").is_in(["refusal", "invalid"]))
    assert refusals["family_size"].to_list() == [6] * 12
    one = "(Yes and No are one test: both rows have the adjusted value of the larger p)"
    assert one in convention(study, "difference", ["hired"], family_sizes(study, found))
    assert "are one test" not in convention(study, "difference", ["said"], family_sizes(study, found))


def test_with_enough_tests_a_family_of_complements_holds_its_level():
    """Yes and no of all responses count once: of true hypotheses at most 5% of families reject any."""
    draw, families = np.random.default_rng(8), 400
    cells = draw.multinomial(60, [0.5, 0.35, 0.15], size=(families, 3, 2))
    places = np.indices(cells.shape).reshape(4, -1)
    named = [
        [f"family {one}" for one in places[0]],
        *(
            [names[i] for i in own]
            for names, own in zip((MODELS, LABELS["age"], ("yes", "no", None)), places[1:], strict=True)
        ),
    ]
    counted = pl.DataFrame([*named, cells.ravel()], schema=["family", "model", "age", "category", "count"])
    counted = counted.with_columns(
        pl.lit("hired").alias("outcome"),
        pl.when(pl.col("category").is_null()).then(pl.lit("refused")).otherwise(pl.lit("ok")).alias("status"),
        pl.lit(None, dtype=pl.Float64).alias("value"),
        pl.lit(0, dtype=pl.Int64).alias("first_seen"),
    )
    levels = {name: name for name in counted["family"].unique()}
    declared = DECLARATION | {"factors": DECLARATION["factors"] | {"family": {"label": "Family", "levels": levels}}}
    difference = DIFFERENCE | {"by": ["family", "model"], "denominator": "all"}
    difference |= {"family": {"by": ["family"], "method": "holm"}}
    found = estimate(Study.model_validate(declared | {"analyses": {"difference": difference}}), counted, {})
    answers = found.filter(pl.col("term").is_in(["yes", "no"]))
    rejected = answers.group_by("family").agg((pl.col("p_adjusted") < 0.05).any())["p_adjusted"].mean()
    assert rejected <= 0.05


def test_tests_against_a_reference_count_a_category_that_never_occurs():
    never = rows().with_columns(pl.when(pl.col("hired").is_not_null()).then(pl.lit("no")).alias("hired"))
    found = estimates_of(never, test=TEST | {"family": {"by": ["model"]}})
    assert found["family_size"].to_list() == [2] * 12
    # Two levels of a factor cannot differ in what all responses have.
    assert estimates_of(never, difference=DIFFERENCE)["family_size"].to_list() == [None] * 6


def test_a_regression_has_one_test_for_each_slope():
    """The ratio of odds is the coefficient's own test; the intercept and the likelihood ratio of one slope are none."""
    found = estimates_of(logistic=LOGISTIC | {"family": {}})
    slopes = found.filter(term="u").sort("p_value")
    assert slopes["family_size"].to_list() == [3] * 3
    p = slopes["p_value"].to_list()
    assert slopes["p_adjusted"][0] == pytest.approx(3 * p[0], rel=1e-12)
    ratios = found.filter(term="odds_ratio:u").sort("p_value")
    assert ratios["p_adjusted"].to_list() == slopes["p_adjusted"].to_list()
    others = found.filter(pl.col("term").is_in(["Intercept", "likelihood_ratio"]))
    assert others["p_value"].null_count() == 0
    assert others["p_adjusted"].null_count() == others["family_size"].null_count() == others.height == 6


def test_of_several_slopes_the_likelihood_ratio_is_a_test_of_its_own():
    found = estimates_of(logistic=LOGISTIC | {"predictors": ["u", "v"], "family": {"by": ["model"]}})
    assert found.filter(term="likelihood_ratio")["family_size"].to_list() == [3] * 3


@pytest.mark.parametrize(("predictors", "size"), [(["age", "v"], 2), (["age", "v", "age:v"], 5)])
def test_a_marginal_effect_is_a_test_of_its_own_where_products_have_the_predictor(predictors, size):
    declared = {"statistic": "regression", "outcomes": ["hired"], "by": ["model"], "predictors": predictors}
    declared |= {"distribution": "logistic", "category": "yes", "family": {"by": ["model"], "method": "bonferroni"}}
    found = estimates_of(regression=declared).filter(pl.col("term") != "Intercept")
    assert found["family_size"].to_list() == [size] * found.height
    p = dict(found.filter(model=MODELS[0]).select("term", "p_value").iter_rows())
    adjusted = dict(found.filter(model=MODELS[0]).select("term", "p_adjusted").iter_rows())
    decisive = p["margin:v"] if size == 5 else max(p["margin:v"], p["v"])
    assert adjusted["margin:v"] == pytest.approx(min(1.0, size * decisive), rel=1e-12)


def test_a_correlation_is_one_test_in_both_orders():
    found = estimates_of(correlation=CORRELATION | {"family": {"method": "bonferroni"}})
    both = found.filter(pl.col("outcome") != pl.col("term"))
    assert both["family_size"].to_list() == [3] * 6
    assert both["p_adjusted"].to_list() == pytest.approx([min(1.0, 3 * p) for p in both["p_value"]], rel=1e-12)


@pytest.mark.parametrize(("counts", "n"), [("hypotheses", 6), ("rows", 12)])
def test_a_deviation_score_counts_hypotheses_and_their_adjusted_p_values(counts, n):
    deviation = {"statistic": "deviation-score", "of": "test", "by": [], "counts": counts, "alpha": ALPHA}
    family = {"family": {"method": "bonferroni", "counts": counts}}
    plain, adjusted = (estimates_of(test=TEST | more, deviation=deviation) for more in ({}, family))
    scores = [found.filter(analysis="deviation") for found in (plain, adjusted)]
    assert [score["n"].item() for score in scores] == [n, n]
    tests = adjusted.filter(analysis="test")
    assert tests["family_size"].unique().to_list() == [n]
    below = [(tests[name] < ALPHA).sum() / tests.height for name in ("p_value", "p_adjusted")]
    assert [score["estimate"].item() for score in scores] == pytest.approx(below)
    assert below[0] > below[1] > 0
    assert [score["method"].item() for score in scores] == [
        f"share of tests with p < {ALPHA:g}",
        f"share of tests with adjusted p < {ALPHA:g}",
    ]


def test_changes_of_conclusions_are_those_of_adjusted_p_values():
    of = {"statistic": "t-test", "outcomes": ["u"], "by": ["model"], "where": {"age": "old"}}
    changes = {"statistic": "changes", "of": "of", "to": "to", "by": [], "alpha": 0.05}
    shifted = rows().with_columns(pl.col("u") + 0.3 * (pl.col("age") == "young"))
    found = {}
    for name, more in (("plain", {}), ("adjusted", {"family": {"method": "bonferroni"}})):
        to = of | {"where": {"age": "young"}} | more
        estimates = estimates_of(shifted, of=of | more, to=to, changes=changes)
        p = "p_adjusted" if more else "p_value"
        before, after = (estimates.filter(analysis=which)[p] < 0.05 for which in ("of", "to"))
        found[name] = estimates.filter(analysis="changes", term="changed")["estimate"].item()
        assert found[name] == (before != after).sum()
    assert found["plain"] != found["adjusted"]


def test_the_size_of_a_family_is_printed():
    analyses = {"difference": DIFFERENCE, "test": TEST | {"family": {"by": ["model"]}}}
    study, estimates = study_of(**analyses), estimates_of(**analyses)
    sizes = family_sizes(study, estimates)
    assert sizes == {"difference": [3], "test": [2]}
    assert "Adjusted p: Bonferroni’s correction over 3 tests (Yes and No are one test)." in convention(
        study, "difference", sizes=sizes
    )
    assert "Adjusted p: Holm’s correction over 2 tests within model (Yes and No are one test)." in convention(
        study, "test", sizes=sizes
    )
    text = methods(study, {}, sizes)

    assert (
        "those of differences of shares are adjusted over 3 tests and those of tests against known proportions "
        "over 2 tests in each family." in text
    )


def test_a_level_whose_name_ends_like_a_term_of_another_pair_has_a_test_of_its_own():
    levels = {"A": "old", "Answer: A": "young", "B": "other"}
    spread = pl.concat([rows(), rows().filter(age="old").with_columns(pl.lit("other").alias("age"))])
    spread = spread.with_columns(pl.col("age").replace({old: level for level, old in levels.items()}))
    spread = spread.drop("position").with_row_index("position").with_columns(pl.col("position").cast(pl.Int64))
    named = {"age": {"label": "Age", "levels": {level: level for level in levels}}}
    settings = {name: value for name, value in DIFFERENCE.items() if name != "levels"}
    study = Study.model_validate(
        DECLARATION | {"factors": DECLARATION["factors"] | named, "references": {}, "analyses": {"d": settings}}
    )
    found = estimate(study, tally(spread, list(LABELS), study.outcomes), {})
    assert found.filter(pl.col("term").str.starts_with("yes"))["family_size"].to_list() == [9] * 9


def test_the_methods_section_says_that_refusals_are_apart():
    declared = {"difference": DIFFERENCE | {"denominator": "all"}}
    study, apart = study_of(**declared), "Refusals and uncoded responses are a family of their own."
    with_refusals, without = (estimates_of(rows(kept), **declared) for kept in ((), ("refused", "invalid")))
    assert apart in methods(study, {}, family_sizes(study, with_refusals))
    assert apart not in methods(study, {}, family_sizes(study, without))
