"""Regressions on factors, numbers and products: against R, by their definition, and as a study file declares them."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from numpy.testing import assert_allclose

from tallybook.analyses.estimating import clusters, estimate
from tallybook.report.methods_section import methods
from tallybook.statistics.regression import Model, coefficient_test, regressions
from tallybook.study.model import Study
from tallybook.tables.notes import convention
from tallybook.tally import by_cluster, tally
from tests.paths import ORACLE
from tests.sizes import trials, within

DATA = pl.read_csv(ORACLE / "regression_data.csv").with_columns(count=pl.lit(1))
EXPECTED = pl.read_csv(ORACLE / "regression.csv", null_values="NA")
LEVELS = {"group": ("a", "b", "c")}
RESPONSES = {"linear": "score", "logistic": "yes", "poisson": "number", "quasi-poisson": "number"}
PREDICTORS = {"sum": (("group",), ("age",)), "product": (("group",), ("age",), ("group", "age"))}
SETTINGS: dict[str, Any] = {
    "name": "small", "title": "Small", "cluster": "item", "sources": [{"format": "coded", "files": "x.csv"}],
    "instrument": {"kind": "profile"},
    "factors": {
        "group": {"label": "Group", "levels": {"c": "C", "a": "A", "b": "B"}},
    },
    "outcomes": {
        "answer": {"kind": "category", "label": "Answer", "attribute": "answer", "beside": ["age"],
                   "labels": {"yes": ["yes"], "no": ["no"]}},
        "score": {"kind": "score", "label": "Score", "attribute": "score", "beside": ["age"]},
        "age": {"kind": "score", "label": "Age", "attribute": "age"},
    },
}  # fmt: skip
LOGISTIC = {"statistic": "regression", "distribution": "logistic", "outcomes": ["answer"], "category": "yes", "by": []}


@pytest.mark.parametrize("predictors", PREDICTORS)
@pytest.mark.parametrize("family", RESPONSES)
@pytest.mark.parametrize("cluster", [None, "item"])
def test_against_r(family: Any, predictors: str, cluster: str | None) -> None:
    model = Model(RESPONSES[family], family, PREDICTORS[predictors], LEVELS)
    found = regressions(DATA, [], model, cluster=cluster)
    expected = EXPECTED.filter(family=family, model=predictors)
    both = found.join(expected, on="term", suffix="_r", maintain_order="left")
    assert both.height == found.height
    margins = found.filter(pl.col("term").str.starts_with("margin:"))
    assert margins.height == (0 if (family, predictors) == ("linear", "sum") else 3)
    if cluster is None:
        assert_allclose(both["estimate"], both["estimate_r"], rtol=1e-9)
        own = both.filter(~pl.col("term").str.contains("^(wald|margin):"))
        assert_allclose(own["std_error"], own["std_error_r"], rtol=1e-8)
        assert_allclose(own["p_value"], own["p_value_r"], rtol=1e-7)
        tests = both.filter(pl.col("term").str.starts_with("wald:"))
        assert_allclose(tests["p_value"], tests["p_value_r"], rtol=1e-7)
        return
    tests = both.filter(pl.col("term").str.starts_with("wald:"))
    assert_allclose(tests["estimate"], tests["clustered_error"], rtol=1e-7)
    others = both.filter(~pl.col("term").str.starts_with("wald:"))
    # The average rate of change is R's by extrapolation.
    assert_allclose(others["estimate"], others["estimate_r"], rtol=1e-9)
    assert_allclose(others["std_error"], others["clustered_error"], rtol=1e-7)
    assert_allclose(both["p_value"], both["clustered_p"], rtol=1e-6)


@pytest.mark.parametrize("predictors", PREDICTORS)
@pytest.mark.parametrize("family", RESPONSES)
def test_sandwich_errors_against_r_and_statsmodels(family: Any, predictors: str) -> None:
    import statsmodels.api as sm

    model = Model(RESPONSES[family], family, PREDICTORS[predictors], LEVELS)
    counted = DATA.group_by("item", "group", "age", model.response).agg(pl.len().alias("count"))
    found = regressions(counted, [], model, cluster="item", kind="CR1")
    both = found.join(EXPECTED.filter(family=family, model=predictors), on="term", suffix="_r", maintain_order="left")
    is_test = pl.col("term").str.starts_with("wald:")
    assert_allclose(both.filter(is_test)["estimate"], both.filter(is_test)["sandwich_error"], rtol=1e-7)
    own = both.filter(~is_test, pl.col("sandwich_error").is_not_null())
    assert_allclose(own["std_error"], own["sandwich_error"], rtol=1e-8)
    assert found["df"].to_list() == pytest.approx([2.0 if term.startswith("wald:") else 11.0 for term in found["term"]])
    assert found["clusters"].unique().to_list() == [12]
    data = {name: DATA.get_column(name).to_numpy() for name in DATA.columns}
    kinds = {"linear": sm.families.Gaussian(), "logistic": sm.families.Binomial()}
    glm = sm.GLM(data[model.response], model.matrix(data), family=kinds.get(family, sm.families.Poisson()))
    twin = glm.fit(tol=1e-12, cov_type="cluster", cov_kwds={"groups": data["item"], "use_correction": False})
    assert_allclose(own["std_error"], twin.bse * np.sqrt(12 / 11), rtol=1e-7)


def test_there_is_no_sandwich_of_one_cluster() -> None:
    one = regressions(
        DATA.with_columns(item=pl.lit("a")), [], Model("score", "linear", (("age",),), {}), cluster="item", kind="CR1"
    )
    assert one.select("std_error", "status", "clusters").unique().rows() == [(None, "degenerate", 1)]


@pytest.mark.parametrize("predictors", PREDICTORS)
def test_proportional_odds_against_r(predictors: str) -> None:
    frame = DATA.with_columns(rating=pl.col("number").clip(upper_bound=4), age=pl.col("age") / 40)
    model = Model("rating", "ordinal", PREDICTORS[predictors], LEVELS)
    expected = pl.read_csv(ORACLE / "ordinal.csv").filter(model=predictors)
    alone, clustered = (regressions(frame, [], model, cluster=cluster) for cluster in (None, "item"))
    own = alone.head(expected.height)
    assert own["term"].to_list() == expected["term"].to_list()
    # polr's optimiser leaves about seven digits, its numeric Hessian about five.
    assert_allclose(own["estimate"], expected["estimate"], rtol=1e-6)
    assert_allclose(own["std_error"], expected["std_error"], rtol=1e-4)
    assert_allclose(own["effect"], np.exp(expected["estimate"].to_numpy()), rtol=1e-6)
    assert_allclose(clustered["std_error"][: expected.height], expected["clustered_error"], rtol=1e-6)
    assert clustered["df"][0] == 11
    assert set(alone["term"]) == {
        *expected["term"],
        "wald:group",
        *(["wald:group:age"] if predictors == "product" else []),
    }


def test_proportional_odds_of_two_scores_are_a_logistic_regression() -> None:
    ordinal, logistic = (regressions(DATA, [], Model("yes", one, PREDICTORS["product"], LEVELS), cluster="item")
                         for one in ("ordinal", "logistic"))  # fmt: skip
    both = ordinal.join(logistic, on="term", suffix="_logistic", maintain_order="left")
    assert both.height == ordinal.height == 7
    for name in ("estimate", "std_error", "p_value"):
        assert_allclose(both[name], both[f"{name}_logistic"], rtol=1e-8)


@pytest.mark.parametrize("separated", ["b", "c"])
def test_separated_ratings_have_no_odds(separated: str) -> None:
    frame = DATA.with_columns(
        rating=pl.when(pl.col("group") == separated).then(9).otherwise(pl.col("number").clip(0, 3))
    )
    found = regressions(frame, [], Model("rating", "ordinal", (("group",),), LEVELS))
    assert found["status"].unique().to_list() == ["separated"]


def test_errors_of_margins_are_those_of_the_delta_method() -> None:
    model = Model("yes", "logistic", (("group",), ("age",)), LEVELS)
    found = regressions(DATA, [], model)
    import statsmodels.api as sm

    data = {name: DATA.get_column(name).to_numpy() for name in DATA.columns}
    fit = sm.Logit(data["yes"], model.matrix(data)).fit(disp=0)
    by_statsmodels = fit.get_margeff(dummy=True).summary_frame()
    own = found.filter(pl.col("term") == "margin:age").row(0, named=True)
    assert own["estimate"] == pytest.approx(by_statsmodels["dy/dx"].iloc[-1], rel=1e-9)
    assert own["std_error"] == pytest.approx(by_statsmodels["Std. Err."].iloc[-1], rel=1e-7)


def test_counts_are_rows() -> None:
    model = Model("yes", "logistic", (("group",),), LEVELS)
    counted = DATA.group_by("item", "group", "yes").agg(pl.len().alias("count"))
    for cluster in (None, "item"):
        once, often = (regressions(frame, [], model, cluster=cluster) for frame in (DATA, counted))
        assert_allclose(
            often.select(pl.selectors.float()).to_numpy(), once.select(pl.selectors.float()).to_numpy(), rtol=1e-9
        )


def test_a_two_level_factor_is_a_difference_of_means() -> None:
    frame = DATA.filter(pl.col("group") != "c")
    found = regressions(frame, [], Model("score", "linear", (("group",),), {"group": ("a", "b")}))
    means = frame.group_by("group").agg(pl.col("score").mean()).sort("group").get_column("score")
    assert found["estimate"].to_list() == pytest.approx([means[0], means[1] - means[0]], rel=1e-12)
    assert found["term"].to_list() == ["Intercept", "group=b"]


def test_fixed_effects_are_dummies_that_are_not_shown() -> None:
    import statsmodels.formula.api as smf

    found = regressions(DATA, [], Model("score", "linear", (("group",), ("age",)), LEVELS, ("item",)), cluster="item")
    plain = smf.ols("score ~ C(group) + age + C(item)", pd.DataFrame(DATA.to_dict(as_series=False))).fit()
    assert found["term"].to_list() == ["Intercept", "group=b", "group=c", "age", "wald:group"]
    names = ["C(group)[T.b]", "C(group)[T.c]", "age"]
    assert_allclose(found["estimate"][1:4], plain.params[names], rtol=1e-9)
    assert (found["std_error"][1:4] > 0).all()  # although an intercept goes with each item that is left out


@pytest.mark.parametrize(
    ("change", "status"),
    [
        (pl.lit(1), "degenerate"),  # the answer does not vary
        ((pl.col("group") == "b").cast(pl.Int64), "separated"),
        (pl.lit(None, dtype=pl.Int64), "no-data"),
    ],
)
def test_there_is_no_number_without_an_estimate(change: pl.Expr, status: str) -> None:
    found = regressions(DATA.with_columns(yes=change), [], Model("yes", "logistic", (("group",),), LEVELS))
    assert found["status"].unique().to_list() == [status]
    assert found["estimate"].null_count() == found.height


def test_a_level_of_a_single_cluster_has_no_clustered_error() -> None:
    frame = DATA.filter((pl.col("group") != "c") | (pl.col("item") == 1))
    found = regressions(frame, [], Model("score", "linear", (("group",),), LEVELS), cluster="item")
    assert found["estimate"][:3].null_count() == 0
    assert found["std_error"].null_count() == found.height
    assert found["status"].unique().to_list() == ["degenerate"]


def test_the_order_of_rows_does_not_matter() -> None:
    model = Model("number", "poisson", PREDICTORS["product"], LEVELS)
    found, other = (
        regressions(frame, [], model, cluster="item") for frame in (DATA, DATA.sample(fraction=1, shuffle=True, seed=3))
    )
    assert found.equals(other)


def declared(**analysis: Any) -> Study:
    return Study.model_validate(SETTINGS | {"analyses": {"of": LOGISTIC | analysis}})


def estimates(study: Study, data: pl.DataFrame = DATA, status: pl.Expr | None = None) -> pl.DataFrame:
    is_ok = pl.col("status") == "ok"
    answer = pl.when(is_ok & (pl.col("yes") == 1)).then(pl.lit("yes")).when(is_ok).then(pl.lit("no"))
    coded = data.with_columns(status=pl.lit("ok") if status is None else status, position=pl.int_range(pl.len()))
    coded = coded.with_columns(answer=answer, item=pl.col("item").cast(pl.String), age=pl.col("age").cast(pl.Float64))
    names = dict(study.outcomes)
    clustered = by_cluster(coded.lazy(), list(study.factors), names, clusters(study))
    return estimate(study, tally(coded, list(study.factors), names), {}, {}, clustered)


def test_as_a_study_file_declares_it() -> None:
    study = declared(predictors=["group", "age"], reference={"group": "a"}, family={"method": "holm"})
    found = estimates(study)
    model = Model("yes", "logistic", (("group",), ("age",)), {"group": ("a", "c", "b")})
    expected = regressions(DATA, [], model, cluster="item")
    assert found["term"].to_list() == expected["term"].to_list()
    assert set(found["term"]) == set(study.analyses["of"].terms(study) or [])
    assert_allclose(found["p_value"], expected["p_value"], rtol=1e-9)
    # Two levels, the factor, the age; not the intercept, and a change of the mean is its coefficient's test.
    assert found["family_size"].drop_nulls().unique().to_list() == [4]
    assert "Log odds were regressed" in methods(study, {})
    assert "Levels are compared with A (group)" in methods(study, {})
    assert "by leaving out one at a time (CV3)" in methods(study, {})
    assert "Levels of reference: A (group)" in convention(study, "of")


@pytest.mark.parametrize(("denominator", "others"), [("all", ["invalid", "refused"]), ("answered", ["invalid"])])
def test_responses_without_an_answer_are_none_of_the_category(denominator: str, others: list[str]) -> None:
    study = declared(predictors=["group", "age"], reference={"group": "a"}, denominator=denominator)
    drawn = pl.col("age").hash(seed=1) % 10
    status = (
        pl.when(drawn == 0).then(pl.lit("refused")).when(drawn == 1).then(pl.lit("invalid")).otherwise(pl.lit("ok"))
    )
    found = estimates(study, status=status)
    kept = DATA.with_columns(status=status).filter(pl.col("status").is_in(["ok", *others]))
    values = kept.with_columns(yes=pl.col("yes") * (pl.col("status") == "ok"))
    model = Model("yes", "logistic", (("group",), ("age",)), {"group": ("a", "c", "b")})
    assert kept.height < DATA.height or denominator == "all"
    assert_allclose(found["estimate"], regressions(values, [], model, cluster="item")["estimate"], rtol=1e-9)
    assert convention(study, "of").count("refusals") == 1
    assert "among the answered responses" in methods(study, {}) or denominator == "all"


def test_the_probability_of_a_category_against_statsmodels() -> None:
    smf: Any = import_module("statsmodels.formula.api")
    study = declared(predictors=["group", "age"], reference={"group": "a"}, distribution="linear", standard_error="CR1")
    found = estimates(study).filter(~pl.col("term").str.contains(":"))
    frame = pd.DataFrame(DATA.to_dict(as_series=False))
    fit = smf.ols("yes ~ C(group, Treatment('a')) + age", frame).fit()
    other = fit.get_robustcov_results("cluster", groups=pd.factorize(frame["item"])[0], use_correction=False)
    items = DATA.get_column("item").n_unique()
    names = ["Intercept", "group=b", "group=c", "age"]
    rows = {row["term"]: (row["estimate"], row["std_error"]) for row in found.iter_rows(named=True)}
    errors = other.bse * (items / (items - 1)) ** 0.5
    assert [rows[name][0] for name in names] == pytest.approx(list(fit.params), rel=1e-9)
    assert [rows[name][1] for name in names] == pytest.approx(list(errors), rel=1e-9)
    assert "Probabilities were regressed by ordinary least squares" in methods(study, {})


def test_ordinal_as_a_study_file_declares_it() -> None:
    analysis = {"statistic": "regression", "distribution": "ordinal", "outcomes": ["score"], "by": []}
    study = Study.model_validate(SETTINGS | {"analyses": {"of": analysis | {"predictors": ["group", "age"]}}})
    found = estimates(study, DATA.with_columns(pl.col("score").clip(8, 12).round()))
    assert found["term"].to_list() == study.analyses["of"].terms(study)
    assert found["term"].to_list() == ["group=a", "group=b", "age", "wald:group"]
    assert set(found["status"]) == {"ok"}
    assert "proportional odds [@mccullagh1980]" in methods(study, {})
    assert "Ordinal logistic regression of" in convention(study, "of")


def test_the_first_level_is_that_of_reference() -> None:
    assert estimates(declared(predictors=["group"]))["term"].to_list()[1:3] == ["group=a", "group=b"]


def test_levels_that_are_not_chosen_have_no_coefficient() -> None:
    found = estimates(declared(predictors=["group"], where={"group": ["a", "b"]}))
    assert found["term"].to_list() == ["Intercept", "group=b", "margin:group=b"]
    assert set(found["status"]) == {"ok"}
    alone = estimates(declared(predictors=["group"]), DATA.filter(pl.col("group") != "c"))
    assert set(alone["status"]) == {"degenerate"}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"predictors": ["grup"]}, "no factor"),
        ({"predictors": ["group", "group"]}, "more than once"),
        ({"predictors": ["group"], "reference": {"group": "z"}}, "no level of group 'z'"),
        ({"predictors": ["group"], "category": None}, "an outcome of categories needs one"),
        ({"predictors": ["group"], "distribution": "poisson"}, "'poisson' needs a score"),
        ({"predictors": ["group"], "distribution": "linear", "cluster": []}, "the probability of a category needs"),
        (
            {
                "predictors": ["group"],
                "outcomes": ["score"],
                "category": None,
                "distribution": "linear",
                "denominator": "all",
            },
            "a response without a score has no value",
        ),
        ({"predictors": ["group"], "by": ["group"]}, "not in 'by'"),
        ({"predictors": ["group"], "fixed_effects": ["prompt"]}, "column of clusters"),
        (
            {
                "predictors": ["group"],
                "distribution": "ordinal",
                "outcomes": ["score"],
                "category": None,
                "standard_error": "CR1",
            },
            "an ordinal regression has no CR1",
        ),
    ],
)
def test_what_does_not_go_together_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared(**change)


@pytest.mark.slow
@pytest.mark.parametrize("between", [True, False])
def test_true_nulls_are_rejected_in_five_per_cent(between: bool) -> None:
    """20 clusters of 10, a deviation between them of 1 on the log odds; a factor of clusters, or within them."""
    draw, rejected, times = np.random.default_rng(20), 0, trials(400, 8)
    for _ in range(times):
        item = np.repeat(np.arange(20), 10)
        group = np.where((item if between else np.arange(200)) % 2 == 0, "a", "b")
        odds = draw.normal(size=20)[item]
        frame = pl.DataFrame({"item": item, "group": group, "yes": (draw.random(200) < 1 / (1 + np.exp(-odds))) * 1})
        model = Model("yes", "logistic", (("group",),), {"group": ("a", "b")})
        found = regressions(frame.with_columns(count=pl.lit(1)), [], model, cluster="item")
        rejected += bool((found.filter(term="group=b")["p_value"] < 0.05).item())
    assert abs(rejected / times - 0.05) < within(0.033, 8)


def test_logarithms_of_p_are_there_where_p_underflows():
    found = coefficient_test(76.4, 1.0, 1.96, 33599.0)  # R: log(2) + pt(-76.4, 33599, log.p = TRUE)
    assert (found["p_value"], round(found["log_p_value"], 4)) == (0.0, -2695.4558)
