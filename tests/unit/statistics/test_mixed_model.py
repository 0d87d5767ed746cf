"""Mixed models against lme4, statsmodels, analysis of variance and a likelihood written out with dense matrices."""

# pyright: basic, reportArgumentType=false, reportAttributeAccessIssue=false
from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from statsmodels.discrete.discrete_model import Logit
from statsmodels.regression.mixed_linear_model import MixedLM

from tallybook.statistics.mixed_logistic import LogisticData, logistic_fit
from tallybook.statistics.mixed_model import mixed_models
from tallybook.statistics.regression import Model
from tests.levels import coded, declared, estimates
from tests.paths import ORACLE

SETS = pl.read_csv(ORACLE / "mixed_model_data.csv").with_columns(count=pl.lit(1))
EXPECTED = pl.read_csv(ORACLE / "mixed_model.csv", null_values="NA")
X = Model("score", "linear", (("x",),), {})
ANSWERS = pl.read_csv(ORACLE / "mixed_logistic_data.csv").with_columns(count=pl.lit(1))
LOGISTIC = pl.read_csv(ORACLE / "mixed_logistic.csv", null_values="NA")
YES = Model("yes", "logistic", (("x",),), {})
MEAN = Model("score", "linear", (), {})


def told(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    """Seven digits of lme4's optimiser; a variance of 0 is 0."""
    joined = expected.join(found, on="term", suffix="_own", how="left", maintain_order="left")
    for name, floor in (("estimate", 1e-7), ("std_error", 0.0), ("statistic", 1e-6)):
        both = joined.filter(pl.col(name).is_not_null())
        if name == "statistic":
            both = both.filter(pl.col("term").str.starts_with("variance"))
        assert both.get_column(f"{name}_own").to_numpy() == pytest.approx(both.get_column(name).to_numpy(), 2e-6, floor)


@pytest.mark.parametrize("number", range(1, 9))
def test_crossed_intercepts_against_lme4(number: int) -> None:
    told(mixed_models(SETS.filter(set=number), [], X, ["item", "prompt"]), EXPECTED.filter(set=number))


def test_factors_against_lme4() -> None:
    rows = pl.read_csv(ORACLE / "regression_data.csv").with_columns(count=pl.lit(1))
    model = Model("score", "linear", (("group",), ("age",)), {"group": ("a", "b", "c")})
    told(mixed_models(rows, [], model, ["item"]), EXPECTED.filter(set=0))


@pytest.mark.parametrize("number", range(1, 7))
def test_crossed_intercepts_on_the_log_odds_against_lme4(number: int) -> None:
    found = mixed_models(ANSWERS.filter(set=number), [], YES, ["item", "prompt"])
    expected = LOGISTIC.filter((pl.col("set") == number) & (pl.col("term") != "deviance"))
    joined = expected.join(found, on="term", suffix="_own", how="left", maintain_order="left")
    for name, floor in (("estimate", 1e-6), ("std_error", 0.0), ("statistic", 1e-5)):
        both = joined.filter(pl.col(name).is_not_null())
        assert both.get_column(f"{name}_own").to_numpy() == pytest.approx(both.get_column(name).to_numpy(), 5e-6, floor)
    variances = found.filter(pl.col("term").str.starts_with("variance:")).get_column("estimate").to_numpy()
    total = variances.sum() + np.pi**2 / 3
    shares = found.filter(pl.col("term").str.starts_with("share:")).get_column("estimate")
    assert shares.to_list() == pytest.approx([*(variances / total), np.pi**2 / 3 / total])


@pytest.mark.parametrize("number", range(1, 7))
def test_deviances_are_as_low_as_those_of_lme4(number: int) -> None:
    own = ANSWERS.filter(set=number)
    codes = [np.unique(own.get_column(name), return_inverse=True)[1] for name in ("item", "prompt")]
    sizes = [int(code.max()) + 1 for code in codes]
    z = np.column_stack([np.eye(size)[code] for size, code in zip(sizes, codes, strict=True)])
    x = np.column_stack([np.ones(own.height), own.get_column("x")])
    data = LogisticData(sizes, z, x, own.get_column("yes").to_numpy().astype(float), np.ones(own.height))
    fit = logistic_fit(data, [0, 1])
    assert fit is not None
    assert fit.deviance <= LOGISTIC.filter(set=number, term="deviance").get_column("estimate").item() + 1e-8


def test_without_random_intercepts_it_is_an_ordinary_logistic_regression() -> None:
    own = ANSWERS.filter(set=4)
    found = mixed_models(own, [], YES, ["item"]).filter(pl.col("term").is_in(["Intercept", "x"]))
    plain: Any = Logit(own.get_column("yes").to_numpy(), np.column_stack([np.ones(own.height), own.get_column("x")]))
    fit = plain.fit(disp=0)
    assert mixed_models(own, [], YES, ["item"]).filter(term="variance:item").get_column("estimate").item() == 0.0
    assert found.get_column("estimate").to_list() == pytest.approx(list(fit.params), rel=1e-6)
    assert found.get_column("std_error").to_list() == pytest.approx(list(fit.bse), rel=1e-6)


@pytest.mark.parametrize(
    "answers",
    [pl.lit(1), (pl.col("x") > 0).cast(pl.Int64), (pl.col("item").rank("dense") > 6).cast(pl.Int64)],
    ids=["all alike", "separated by a number", "separated by items"],
)
def test_answers_that_no_logistic_mixed_model_fits(answers: pl.Expr) -> None:
    found = mixed_models(ANSWERS.filter(set=1).with_columns(answers.alias("yes")), [], YES, ["item"])
    assert (found.get_column("status") == "degenerate").all()
    assert found.get_column("estimate").is_null().all()


def test_equal_rows_count_and_cells_are_fitted_alone() -> None:
    doubled = pl.concat([SETS, SETS]).filter(pl.col("set") < 4)
    found = mixed_models(doubled, ["set"], X, ["item"])
    once = mixed_models(SETS.with_columns(count=pl.lit(2)).filter(set=3), ["set"], X, ["item"])
    assert once.equals(found.filter(set=3))
    assert found.get_column("set").n_unique() == 3


def test_one_random_intercept_against_statsmodels() -> None:
    own = SETS.filter(set=2)
    names, groups = own.get_column("item").to_numpy(), np.column_stack([np.ones(own.height), own.get_column("x")])
    fit: Any = MixedLM(own.get_column("score").to_numpy(), groups, groups=names).fit(method="powell", ftol=1e-14)
    found = mixed_models(own, [], X, ["item"])
    assert found.get_column("estimate")[2] == pytest.approx(float(fit.cov_re.item()), rel=1e-5)
    assert found.get_column("estimate")[:2].to_list() == pytest.approx(list(fit.fe_params), rel=1e-6)


def test_balanced_data_against_analysis_of_variance() -> None:
    """Crossed intercepts of balanced data are the moments of two-way analysis of variance where these are positive."""
    generator: Any = np.random.default_rng(5)
    scores = generator.normal(size=(9, 4)) + 2 * generator.normal(size=(9, 1)) + generator.normal(size=(1, 4))
    item, prompt = (each.ravel() for each in np.indices(scores.shape))
    frame = pl.DataFrame({"item": item, "prompt": prompt, "score": scores.ravel(), "count": 1})
    found = mixed_models(frame, [], MEAN, ["item", "prompt"])
    rows, columns = scores.mean(1, keepdims=True), scores.mean(0, keepdims=True)
    left = ((scores - rows - columns + scores.mean()) ** 2).sum() / (8 * 3)
    expected = [(4 * rows.var(ddof=1) - left) / 4, (9 * columns.var(ddof=1) - left) / 9, left]
    assert found.get_column("estimate")[1:4].to_list() == pytest.approx(expected, rel=1e-6)
    assert found.get_column("estimate")[4:].to_list() == pytest.approx(
        [one / sum(expected) for one in expected], rel=1e-6
    )
    assert found.get_column("df")[0] == 3


@pytest.mark.parametrize(
    ("changed", "random", "status"),
    [
        (pl.lit(1).alias("score"), ["item"], "degenerate"),
        (pl.lit("a").alias("item"), ["item"], "degenerate"),
        (pl.int_range(pl.len()).alias("item"), ["item"], "degenerate"),
        (pl.col("item").alias("prompt"), ["item", "prompt"], "degenerate"),
        (pl.lit(1.0).alias("x"), ["item"], "degenerate"),
        (pl.lit(None, dtype=pl.Float64).alias("score"), ["item"], "no-data"),
    ],
)
def test_what_has_no_fit(changed: pl.Expr, random: list[str], status: str) -> None:
    found = mixed_models(SETS.filter(set=1).with_columns(changed), [], X, random)
    assert (found.get_column("status") == status).all()
    assert found.get_column("estimate").is_null().all()


def test_a_study_says_what_share_of_the_variance_is_whose() -> None:
    own = SETS.filter(set=3)
    groups = own.get_column("prompt").replace_strict({"p1": "young", "p2": "middle", "p3": "aged", "p4": "male"})
    responses = coded(groups.to_list(), own.get_column("item").to_list(), score=own.get_column("score").to_list())
    analysis = {"statistic": "mixed-model", "outcomes": ["score"], "by": [], "random": ["item", "group"]}
    found = estimates(declared(analysis), responses)
    expected = mixed_models(own, [], MEAN, ["item", "prompt"]).get_column("estimate")
    assert found.get_column("estimate").to_list() == pytest.approx(expected.to_list(), rel=1e-6)
    assert found.get_column("term").to_list() == declared(analysis).analyses["tested"].terms(declared(analysis))


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"random": ["prompt"]}, "no column of all responses 'prompt'"),
        ({"random": ["group"], "predictors": ["group"]}, "'group' is in 'by' or 'predictors'"),
        ({"random": ["item"], "category": "some"}, "an outcome of categories needs one"),
        ({"random": ["item"], "distribution": "logistic"}, "'logistic' needs a category; 'score' is a score"),
        ({"random": ["item"], "predictors": ["age"]}, "no factor .* 'age'"),
        ({"random": ["item", "item"]}, "'item' is there more than once"),
    ],
)
def test_what_no_mixed_model_can_be(settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared({"statistic": "mixed-model", "outcomes": ["score"], "by": []} | settings)
