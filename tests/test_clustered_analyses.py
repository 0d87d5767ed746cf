"""A study's clusters reach every analysis, and tests of clustered responses hold their size."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

from tallybook.analyses.estimating import clusters, estimate
from tallybook.study.model import Study
from tallybook.tally import by_cluster, tally
from tests.statistics.frames import DECLARATION

FACTORS = ("model", "group")
ANALYSES: dict[str, dict[str, Any]] = {
    "share": {"statistic": "proportion", "outcomes": ["belief"], "by": ["group"]},
    "difference": {
        "statistic": "difference", "outcomes": ["belief"], "by": [], "factor": "group", "levels": ["young", "aged"],
    },
    "test": {"statistic": "binomial-test", "outcomes": ["belief"], "by": [], "reference": "census"},
    "association": {
        "statistic": "rank-association", "outcomes": ["belief"], "by": [], "factor": "group",
        "levels": ["young", "aged"],
    },
}  # fmt: skip


def study(**changes: Any) -> Study:
    references = {"census": {"file": "census.csv", "by": [], "label": "the census"}}
    declared = DECLARATION | {"analyses": ANALYSES, "cluster": "item", "references": references, "key": ["item"]}
    return Study.model_validate(declared | changes)


def coded(answers: np.ndarray, item: np.ndarray, group: np.ndarray) -> pl.DataFrame:
    frame = {
        "model": "alpha",
        "group": group,
        "item": item.astype(str),
        "belief": np.where(answers, "some", "centre"),
        "politics": None,
        "status": "ok",
        "count": 1,
        "position": np.arange(answers.size),
    }
    factors = {name: None for name in DECLARATION["factors"] if name not in FACTORS}
    return pl.DataFrame(frame | factors).with_columns(pl.lit(None, dtype=pl.String).alias("politics"))


def estimates(study: Study, responses: pl.DataFrame, share: float = 0.5) -> pl.DataFrame:
    names = {name: outcome for name, outcome in study.outcomes.items() if name == "belief"}
    factors = list(study.factors)
    census = pl.DataFrame({"outcome": "belief", "category": "some", "proportion": [share]})
    counted = tally(responses, factors, names)
    clustered = by_cluster(responses.lazy(), factors, names, clusters(study))
    return estimate(study, counted, {"census": census}, {}, clustered)


def clustered_answers(
    generator: np.random.Generator, size: int, times: int, spread: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    item = np.repeat(np.arange(size), 2 * times)
    group = np.tile(np.repeat(["young", "aged"], times), size)
    odds = np.exp(spread * generator.normal(size=size))[item]
    return generator.random(item.size) < odds / (1 + odds), item, group


def test_what_a_study_says_once_holds_for_every_analysis() -> None:
    found = estimates(study(), coded(*clustered_answers(np.random.default_rng(1), 12, 4, 1.0)))
    tested = found.filter(pl.col("p_value").is_not_null())
    assert set(tested["analysis"]) == {"difference", "test", "association"}
    assert set(tested["df"]) == {11.0}
    assert found.filter(analysis="share", term="some")["df"].to_list() == [11.0, 11.0]


def test_an_analysis_may_decline() -> None:
    declined = {name: one | {"cluster": []} for name, one in ANALYSES.items()}
    answers = coded(*clustered_answers(np.random.default_rng(1), 12, 4, 1.0))
    alone = estimates(study(analyses=declined), answers)
    assert alone.equals(estimates(study(cluster=None), answers))


def test_cells_of_a_single_cluster_are_taken_for_independent_responses() -> None:
    within = {"share": ANALYSES["share"] | {"by": ["model"]}}
    assert study(analyses=within, cluster="model").analyses["share"].cluster_column(study(cluster="model")) is None


def test_unknown_clusters() -> None:
    with pytest.raises(ValueError, match="cluster: no column of all responses 'promt'"):
        study(cluster="promt")


def test_a_difference_is_that_of_a_slow_twin() -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 9, 5, 1.0)

    def difference(kept: np.ndarray) -> float:
        young = group == "young"
        return answers[kept & young].mean() - answers[kept & ~young].mean()

    whole = difference(np.ones(item.size, dtype=bool))
    off = [difference(item != one) - whole for one in range(9)]
    expected = np.sqrt(8 / 9 * np.sum(np.square(off)))
    found = estimates(study(), coded(answers, item, group)).filter(analysis="difference", term="some")
    assert found["estimate"].item() == pytest.approx(whole, rel=1e-9)
    assert found["std_error"].item() == pytest.approx(expected, rel=1e-9)
    assert found["statistic"].item() == pytest.approx(whole / expected, rel=1e-9)


def test_tests_hold_their_size() -> None:
    """Of true null hypotheses 5% are rejected; if responses are taken for independent, 20% and more are."""
    generator, runs = np.random.default_rng(3), [f"run{number}" for number in range(250)]
    drawn = [coded(*clustered_answers(generator, 12, 5, 1.0)).with_columns(model=pl.lit(run)) for run in runs]
    factors = DECLARATION["factors"] | {"model": {"label": "Model", "levels": {run: run for run in runs}}}
    analyses = {name: one | {"by": ["model"]} for name, one in ANALYSES.items()}
    found = estimates(study(factors=factors, analyses=analyses), pl.concat(drawn)).drop_nulls("p_value")
    first = found.unique(["analysis", "model"], keep="first", maintain_order=True)
    shares = dict(first.group_by("analysis").agg((pl.col("p_value") < 0.05).mean()).iter_rows())
    assert set(shares) == {"difference", "test", "association"}
    assert first.height == 3 * len(runs)
    assert all(0.02 <= share <= 0.085 for share in shares.values()), shares
