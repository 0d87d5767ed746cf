"""Analyses of responses to the same items, from a study file to estimates, against statsmodels row by row."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from statsmodels.discrete.discrete_model import Logit
from statsmodels.regression.linear_model import OLS

from tallybook.core.errors import UsageError
from tallybook.pipeline import compute
from tallybook.report.data_section import repeats
from tallybook.study.loading import load
from tests.small_study import study_file

if TYPE_CHECKING:
    from pathlib import Path

STUDY = (
    study_file(
        "model",
        "item",
        "name",
        "sample:integer",
        "answer",
        "dose:number",
        "mood:number",
        factors={"model": ["alpha", "beta"]},
        categories={"choice": ("answer", ["yes", "no"])},
        scores=["dose", "mood"],
        key=["model", "item", "name", "sample"],
    ).replace("[outcomes.dose]", 'beside = ["dose"]\n\n[outcomes.dose]\nof_prompt = true')
    + """
[analyses.share]
statistic = "proportion"
outcomes = ["choice"]
by = ["model"]
cluster = "item"

[analyses.plain]
statistic = "proportion"
outcomes = ["choice"]
by = ["model"]

[analyses.mean]
statistic = "score-mean"
outcomes = ["mood"]
by = ["model"]
cluster = "name"

[analyses.test]
statistic = "t-test"
outcomes = ["mood"]
by = []
cluster = "model"

[analyses.slope]
statistic = "logistic"
outcomes = ["choice"]
category = "yes"
predictors = ["dose"]
by = ["model"]
cluster = "item"
standard_error = "CR1"

[analyses.joined]
statistic = "combination"
of = "plain"
by = []
factor = "model"
weights = { alpha = 1, beta = -1 }
cluster = "item"

[analyses.difference]
statistic = "combination"
of = "share"
by = []
factor = "model"
weights = { alpha = 1, beta = -1 }
null_value = 0

[analyses.curve]
statistic = "logistic-curve"
of = "slope"
by = ["model"]
points = 3
"""
)


@pytest.fixture
def study(tmp_path: Path) -> Path:
    chance = np.random.default_rng(5)
    rows: list[tuple[Any, ...]] = []
    for model in ("alpha", "beta"):
        for item in range(6):
            own = 2 * chance.normal()
            for name in ("Ann", "Bob", "Cid"):
                for sample in range(4):
                    dose = chance.choice([0.0, 1.0, 2.0])
                    answer = "yes" if own + dose - 1 + chance.normal() > 0 else "no"
                    rows.append((model, f"i{item}", name, sample, answer, dose, round(own + chance.normal(), 3)))
    with (tmp_path / "answers.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("model", "item", "name", "sample", "answer", "dose", "mood"), *rows])
    (tmp_path / "study.toml").write_text(STUDY)
    return tmp_path / "study.toml"


def test_as_statsmodels_says(study: Path) -> None:
    results = compute(load(str(study)))
    estimates, coded = results.estimates, results.source.coded
    for model in ("alpha", "beta"):
        own = coded.filter(model=model)
        yes = (own["choice"] == "yes").cast(pl.Float64).to_numpy()
        items, names = (np.unique(own[name].to_numpy(), return_inverse=True)[1] for name in ("item", "name"))
        ones = np.ones(own.height)
        share = OLS(yes, ones).fit(cov_type="cluster", cov_kwds={"groups": items})
        mean = OLS(own["mood"].to_numpy(), ones).fit(cov_type="cluster", cov_kwds={"groups": names}, use_t=True)
        design = np.column_stack([ones, own["dose"].to_numpy()])
        slope = Logit(yes, design).fit(disp=False, tol=1e-12, cov_type="cluster", cov_kwds={"groups": items})

        def found(analysis: str, term: str, level: str = model) -> dict[str, Any]:
            return estimates.filter(analysis=analysis, term=term, model=level).row(0, named=True)

        assert found("share", "yes")["std_error"] == pytest.approx(share.bse[0])
        assert found("share", "yes")["estimate"] == found("plain", "yes")["estimate"]
        assert found("share", "yes")["std_error"] > found("plain", "yes")["std_error"]
        assert found("mean", "mean")["std_error"] == pytest.approx(mean.bse[0])
        assert found("mean", "mean")["ci_low"] == pytest.approx(mean.conf_int()[0][0])
        assert found("slope", "dose")["estimate"] == pytest.approx(slope.params[1], rel=1e-6)
        assert found("slope", "dose")["std_error"] == pytest.approx(slope.bse[1], rel=1e-6)
        at_zero = found("curve", "at 0.0")
        odds = at_zero["estimate"] * (1 - at_zero["estimate"])
        assert at_zero["std_error"] / odds == pytest.approx(slope.bse[0], rel=1e-6)
    test = estimates.filter(analysis="test").row(0, named=True)
    groups = np.unique(coded["model"].to_numpy(), return_inverse=True)[1]
    fit = OLS(coded["mood"].to_numpy(), np.ones(coded.height)).fit(
        cov_type="cluster", cov_kwds={"groups": groups}, use_t=True
    )
    assert (test["df"], test["p_value"]) == (1.0, pytest.approx(fit.pvalues[0]))
    assert test["method"] == "mean, error by leaving out one model at a time"


def test_a_difference_takes_the_clusters_of_its_shares(study: Path) -> None:
    results = compute(load(str(study)))
    estimates, coded = results.estimates, results.source.coded
    own, named = (estimates.filter(analysis=name, term="yes").row(0, named=True) for name in ("difference", "joined"))
    assert own["std_error"] == named["std_error"]
    assert (own["df"], own["p_value"] is None, named["p_value"]) == (5.0, False, None)

    def difference(part: pl.DataFrame) -> float:
        alpha, beta = ((part.filter(model=name)["choice"] == "yes").mean() for name in ("alpha", "beta"))
        return float(alpha or 0) - float(beta or 0)

    each = [difference(coded.filter(pl.col("item") != item)) for item in coded["item"].unique()]
    squares = sum((one - difference(coded)) ** 2 for one in each)
    assert own["std_error"] == pytest.approx((5 / 6 * squares) ** 0.5, rel=1e-9)


def test_the_waist_stays_as_it_was(study: Path) -> None:
    clustered = compute(load(str(study))).tally
    text = study.read_text()
    for column in ("item", "name", "model"):
        text = text.replace(f'cluster = "{column}"\n', "")
    study.write_text(text)
    assert compute(load(str(study))).tally.equals(clustered)


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        (["analyses.share.cluster=itm"], "'itm' is not a column of all responses; expected one of 'item', 'model'"),
        (["analyses.share.cluster=model"], "'model' is in 'by': each cell would be a single cluster"),
        (["analyses.share.smoothing=0.5"], "there is no clustered standard error with smoothing = 0.5"),
        (["analyses.slope.estimator=firth"], "there is no clustered standard error with estimator = 'firth'"),
        (["analyses.mean.interval=bca"], "there is no clustered standard error with interval = 'bca'"),
        (["analyses.joined.cluster=itm"], "joined.cluster: 'itm' is not a column of all responses"),
        (["analyses.joined.cluster=model"], "'model' is in 'by' of the estimates: a cluster is in one cell"),
        (["analyses.joined.family={}"], "joined.family: a combination has no p-values that could be adjusted"),
        (["analyses.plain.clusters=item"], "unknown setting; expected one of"),
    ],
)
def test_what_cannot_be_clustered(study: Path, changes: list[str], told: str) -> None:
    with pytest.raises(UsageError) as error:
        load(str(study), changes)
    assert told in str(error.value)


def test_responses_without_the_column(study: Path) -> None:
    rows = (study.parent / "answers.csv").read_text().replace(",Ann,", ",,", 2)
    (study.parent / "answers.csv").write_text(rows)
    with pytest.raises(UsageError, match="2 responses have no 'name', by which an analysis has its 'cluster'"):
        compute(load(str(study)))


def test_coded_responses_without_the_column(study: Path) -> None:
    coded = '[[sources]]\nformat = "coded"\nedition = "coded"\nfiles = "coded.csv"\nitems = false\n\n[factors.model]'
    study.write_text(study.read_text().replace("[factors.model]", coded))
    rows = "model,status,choice,dose,mood,count\nalpha,ok,yes,1.0,0.5,3\n"
    (study.parent / "coded.csv").write_text(rows)
    with pytest.raises(UsageError, match="the responses have no column 'item', by which"):
        compute(load(str(study)), edition="coded")


def test_several_columns_are_one_cluster(study: Path) -> None:
    results = compute(load(str(study), ['analyses.share.cluster=["item", "name"]', 'analyses.plain.cluster="item"']))
    coded = results.source.coded.filter(model="alpha")
    both = np.unique((coded["item"] + "/" + coded["name"]).to_numpy(), return_inverse=True)[1]
    yes = (coded["choice"] == "yes").cast(pl.Float64).to_numpy()
    expected = OLS(yes, np.ones(yes.size)).fit(cov_type="cluster", cov_kwds={"groups": both})
    found = results.estimates.filter(analysis="share", term="yes", model="alpha").row(0, named=True)
    assert (found["std_error"], found["df"]) == (pytest.approx(expected.bse[0]), 17.0)
    assert found["method"] == "share, error by leaving out one item × name at a time"


def test_columns_whose_values_run_together_stay_apart(study: Path) -> None:
    rows = (
        (study.parent / "answers.csv").read_text().replace(",i1,Ann,", ",i1 × A,nn,").replace(",i1,Bob,", ",i1,A × nn,")
    )
    (study.parent / "answers.csv").write_text(rows)
    results = compute(load(str(study), ['analyses.share.cluster=["item", "name"]']))
    assert results.estimates.filter(analysis="share", term="yes")["df"].to_list() == [17.0, 17.0]


@pytest.mark.parametrize(
    ("changes", "found"),
    [([], (144, 6)), (["cluster=[]"], None), (["cluster=item"], None)],
)
def test_responses_that_repeat_without_a_word(study: Path, changes: list[str], found: tuple[int, int] | None) -> None:
    results = compute(load(str(study), changes))
    assert results.repeated == found
    assert ("144 responses are to 6 items" in repeats(results)) == (found is not None)
