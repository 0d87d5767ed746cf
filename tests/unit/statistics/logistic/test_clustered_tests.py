"""Clustered logistic regressions against statsmodels row by row: t and F tests, and fits without each cluster."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from scipy import stats
from statsmodels.discrete.discrete_model import Logit

from tallybook.statistics.logistic.regression import logistic_regression

CLUSTERS = 8


@pytest.fixture
def rows() -> pl.DataFrame:
    chance = np.random.default_rng(3)
    item = np.repeat(np.arange(CLUSTERS), chance.integers(20, 40, CLUSTERS))
    dose, mood = chance.choice([0.0, 1.0, 2.0], item.size), chance.choice([0.0, 1.0], item.size)
    eta = chance.normal(size=CLUSTERS)[item] + 0.5 * dose - 0.3 * mood
    answer = (chance.random(item.size) < 1 / (1 + np.exp(-eta))).astype(np.int64)
    return pl.DataFrame({"item": item, "dose": dose, "mood": mood, "answer": answer, "count": 1})


def fitted(rows: pl.DataFrame, **settings: object) -> Logit:
    design = np.column_stack([np.ones(rows.height), rows["dose"].to_numpy(), rows["mood"].to_numpy()])
    return Logit(rows["answer"].to_numpy(), design).fit(disp=False, tol=1e-13, **settings)


def test_t_and_f_tests_as_statsmodels_has_them(rows: pl.DataFrame) -> None:
    found = logistic_regression(rows, [], ["dose", "mood"], outcome="answer", cluster="item")
    expected = fitted(rows, cov_type="cluster", cov_kwds={"groups": rows["item"].to_numpy()}, use_t=True)
    for place, term in enumerate(("Intercept", "dose", "mood")):
        own = found.filter(term=term).row(0, named=True)
        low, high = expected.conf_int()[place]
        for name, value in {
            "estimate": expected.params[place], "std_error": expected.bse[place], "df": CLUSTERS - 1.0,
            "ci_low": low, "ci_high": high, "p_value": expected.pvalues[place],
        }.items():  # fmt: skip
            assert own[name] == pytest.approx(value, rel=1e-7), (term, name)
    slopes = expected.wald_test(np.eye(3)[1:], use_f=True, scalar=True)
    test = found.filter(term="wald").row(0, named=True)
    assert (test["statistic"], test["p_value"], test["df"]) == pytest.approx(
        (slopes.fvalue, slopes.pvalue, 2.0), rel=1e-7
    )
    assert found.filter(term="likelihood_ratio").is_empty()


def test_the_jackknife_is_that_of_a_slow_twin(rows: pl.DataFrame) -> None:
    found = logistic_regression(rows, [], ["dose", "mood"], outcome="answer", cluster="item", correction="jackknife")
    off = np.array([fitted(rows.filter(pl.col("item") != one)).params for one in range(CLUSTERS)]) - fitted(rows).params
    covariance = (CLUSTERS - 1) / CLUSTERS * off.T @ off
    errors = [found.filter(term=term)["std_error"].item() for term in ("Intercept", "dose", "mood")]
    assert errors == pytest.approx(np.sqrt(np.diag(covariance)), rel=1e-7)
    slopes = fitted(rows).params[1:]
    squares = slopes @ np.linalg.solve(covariance[1:, 1:], slopes)  # Hotelling's T squared
    test = found.filter(term="wald").row(0, named=True)
    f = squares * (CLUSTERS - 2) / (2 * (CLUSTERS - 1))
    assert (test["statistic"], test["p_value"]) == pytest.approx((f, stats.f.sf(f, 2, CLUSTERS - 2)), rel=1e-7)


def test_cells_are_fitted_alone(rows: pl.DataFrame) -> None:
    cells = pl.concat(
        [rows.with_columns(model=pl.lit("a")), rows.filter(pl.col("item") > 1).with_columns(model=pl.lit("b"))]
    )
    settings = {"outcome": "answer", "cluster": "item", "correction": "jackknife"}
    both = logistic_regression(cells, ["model"], ["dose"], **settings)
    alone = logistic_regression(rows.filter(pl.col("item") > 1), [], ["dose"], **settings)
    own = both.filter(model="b", term="dose")
    for name in ("estimate", "std_error", "p_value"):
        assert own[name].item() == pytest.approx(alone.filter(term="dose")[name].item(), rel=1e-9)


def test_more_slopes_than_clusters_have_no_test(rows: pl.DataFrame) -> None:
    two = rows.filter(pl.col("item") < 2)
    found = logistic_regression(two, [], ["dose", "mood"], outcome="answer", cluster="item").filter(term="wald")
    assert found.select("status", "p_value").row(0) == ("degenerate", None)
