"""Tests of whole distributions: against scipy and statsmodels row by row, a slow twin of Rao and Scott's, and size."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false, reportReturnType=false
from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from scipy import stats

from tallybook.sources.references import read_references
from tallybook.statistics.categories.contingency import clustered_independence
from tallybook.statistics.categories.goodness_of_fit import clustered_fit
from tests.levels import coded, declared, estimates
from tests.unit.statistics.frames import as_rows

INDEPENDENCE: dict[str, Any] = {
    "statistic": "independence", "outcomes": ["politics"], "by": [], "factor": "group", "levels": ["young", "aged"],
}  # fmt: skip
FIT: dict[str, Any] = {"statistic": "goodness-of-fit", "outcomes": ["politics"], "by": [], "reference": "census"}
CENSUS = {"references": {"census": {"file": "census.csv", "by": [], "label": "the census"}}}
NAMES = ["right", "left", "centre"]


def census(*proportions: float) -> dict[str, pl.DataFrame]:
    return {"census": pl.DataFrame({"outcome": "politics", "category": NAMES, "proportion": proportions})}


def answers(seed: int = 2, items: int = 10, times: int = 6) -> tuple[Any, Any, Any]:
    generator: Any = np.random.default_rng(seed)
    item = np.repeat(np.arange(items), 2 * times)
    group = np.tile(np.repeat(["young", "aged"], times), items)
    return group, item, generator.choice(NAMES, item.size, p=[0.5, 0.3, 0.2])


def table_of(rows: Any, columns: Any) -> Any:
    return np.array([[((rows == r) & (columns == c)).sum() for c in NAMES] for r in ("young", "aged")])


def test_independence_and_residuals() -> None:
    group, item, politics = answers()
    table = table_of(group, politics)
    found = as_rows(estimates(declared(INDEPENDENCE), coded(group, item, politics=politics)), [])
    expected = stats.chi2_contingency(table, correction=False)
    chi_square, g = (found["politics", term] for term in ("chi_square", "g"))
    assert (chi_square["statistic"], chi_square["p_value"], chi_square["df"]) == pytest.approx(
        (expected.statistic, expected.pvalue, expected.dof), rel=1e-9
    )
    assert g["p_value"] == pytest.approx(stats.chi2_contingency(table, lambda_="log-likelihood")[1], rel=1e-9)
    assert found["politics", "cramer_v"]["estimate"] == pytest.approx(stats.contingency.association(table), rel=1e-9)
    residuals = {"statistic": "residuals", "outcomes": ["politics"], "by": ["group"], "factor": "group"}
    own = estimates(declared(residuals), coded(group, item, politics=politics)).filter(group="young", term="left")
    observed, fitted = table[0, 1], expected.expected_freq[0, 1]
    rest = (1 - table[0].sum() / table.sum()) * (1 - table[:, 1].sum() / table.sum())
    assert own["estimate"].item() == pytest.approx((observed - fitted) / np.sqrt(fitted * rest), rel=1e-9)


def test_refusals_count_on_demand() -> None:
    group, item, politics = answers()
    status = np.where((politics == "left") & (group == "aged"), "refused", "ok")
    responses = coded(group, item, politics=np.where(status == "ok", politics, None), status=status)
    whole = estimates(declared(INDEPENDENCE | {"denominator": "all"}), responses)
    assert set(whole["n"]) == {120}
    assert whole.filter(term="chi_square")["df"].item() == 3
    assert set(estimates(declared(INDEPENDENCE), responses)["n"]) == {int((status == "ok").sum())}


def test_one_hypothesis_a_table() -> None:
    group, item, politics = answers()
    study = declared(INDEPENDENCE | {"outcomes": ["politics", "belief"], "family": {"method": "bonferroni"}})
    belief = np.where(politics == "left", "some", "centre")
    found = estimates(study, coded(group, item, politics=politics, belief=belief)).filter(term="chi_square")
    assert found["family_size"].to_list() == [2, 2]
    assert found["p_adjusted"].to_list() == pytest.approx([min(1, 2 * p) for p in found["p_value"]], rel=1e-9)


def test_fit() -> None:
    group, item, politics = answers(items=1)
    counts = [(politics == name).sum() for name in NAMES]
    found = as_rows(
        estimates(
            declared(FIT | {"test": "exact"}, **CENSUS), coded(group, item, politics=politics), census(0.4, 0.4, 0.2)
        ),
        [],
    )
    n, mass = sum(counts), stats.multinomial(sum(counts), [0.4, 0.4, 0.2])
    every = [mass.pmf([i, j, n - i - j]) for i in range(n + 1) for j in range(n + 1 - i)]
    exact = sum(p for p in every if p <= mass.pmf(counts) * (1 + 1e-7))
    assert found["politics", "exact"]["p_value"] == pytest.approx(exact, rel=1e-9)


def test_rounded_proportions_are_divided_by_their_sum_and_others_are_no_reference() -> None:
    group, item, politics = answers(items=1)
    responses = coded(group, item, politics=politics)
    for settings in ({}, {"test": "exact"}, {"cluster": "item"}):
        study = declared(FIT | settings, **CENSUS)
        assert set(estimates(study, responses, census(0.33, 0.33, 0.33))["status"]) <= {"ok", "degenerate"}
        assert set(estimates(study, responses, census(0.3, 0.3, 0.3))["status"]) == {"invalid-reference"}
        assert set(estimates(study, responses, {"census": census(1, 0, 0)["census"][:1]})["status"]) == {"no-reference"}


def test_weights_of_a_reference_are_divided_by_their_sum(tmp_path: Any) -> None:
    (tmp_path / "census.csv").write_text(
        "outcome,category,proportion,source\n"
        + "".join(f"politics,{name},{w},x\n" for name, w in zip(NAMES, (9, 3, 4), strict=True))
    )
    study = declared(FIT, references={"census": CENSUS["references"]["census"] | {"weights": True}})
    read = read_references(study.references["census"], tmp_path, study)
    assert read["proportion"].to_list() == [9 / 16, 3 / 16, 4 / 16]
    group, item, politics = answers()
    responses = coded(group, item, politics=politics)
    counts = np.array([(politics == name).sum() for name in NAMES])
    expected = stats.chisquare(counts, counts.sum() * np.array([9, 3, 4]) / 16).statistic
    for settings, term in (
        ({}, "chi_square"),
        ({"test": "g"}, "g"),
        ({"test": "exact"}, "exact"),
        ({"cluster": "item"}, ""),
    ):
        found = estimates(declared(FIT | settings, **CENSUS), responses, {"census": read})
        assert found["status"].to_list() == ["ok"]
        if term == "chi_square":
            assert found["statistic"].item() == pytest.approx(expected, rel=1e-9)


def slow_rao_scott(y: Any, e: Any, s: Any, clusters: list[Any]) -> tuple[float, float]:
    """F and p by loops over clusters and categories; y gives the shares less those expected."""
    whole, n, size = y(sum(clusters)), sum(clusters).sum(), len(clusters)
    parts = [y(sum(one for one in clusters if one is not left)) - whole for left in clusters]
    k = whole.size
    scaled = np.zeros((k, k))
    for i in range(k):
        for j in range(k):
            own = sum(part.ravel()[i] * part.ravel()[j] for part in parts) * (size - 1) / size
            scaled[i, j] = n * own / np.sqrt(s.ravel()[i] * s.ravel()[j])
    square = n * sum(whole.ravel()[i] ** 2 / e.ravel()[i] for i in range(k))
    roots = np.linalg.eigvalsh(scaled)
    df = roots.sum() ** 2 / (roots**2).sum()
    return square / roots.sum(), stats.f.sf(square / roots.sum(), df, df * (size - 1))


def test_clustered_tests_against_a_slow_twin() -> None:
    group, item, politics = answers()
    responses = coded(group, item, politics=politics)
    tables = [table_of(group[item == one], politics[item == one]) for one in range(10)]

    def dependence(table: Any) -> Any:
        return table / table.sum() - np.outer(table.sum(axis=1), table.sum(axis=0)) / table.sum() ** 2

    total = np.sum(tables, axis=0)
    expected = np.outer(total.sum(axis=1), total.sum(axis=0)) / total.sum() ** 2
    found = estimates(declared(INDEPENDENCE | {"cluster": "item"}), responses).row(0, named=True)
    assert (found["statistic"], found["p_value"]) == pytest.approx(
        slow_rao_scott(dependence, expected, expected, tables), rel=1e-9
    )
    null = np.array([0.4, 0.4, 0.2])
    sums = [table.sum(axis=0) for table in tables]

    def against(table: Any) -> Any:
        return table / table.sum() - null

    study = declared(FIT | {"cluster": "item"}, **CENSUS)
    found = estimates(study, responses, census(*null)).row(0, named=True)
    shares = np.sum(sums, axis=0) / np.sum(sums)
    assert found["term"] == "chi_square"
    assert (found["statistic"], found["p_value"]) == pytest.approx(
        slow_rao_scott(against, null, shares, sums), rel=1e-9
    )


def test_where_every_cluster_is_one_response_the_correction_is_none() -> None:
    group, _, politics = answers(items=300)
    item = np.arange(group.size)
    responses = coded(group, item, politics=politics)
    plain = estimates(declared(INDEPENDENCE), responses).filter(term="chi_square").row(0, named=True)
    own = (
        estimates(declared(INDEPENDENCE | {"cluster": "item"}), responses).filter(term="chi_square").row(0, named=True)
    )
    assert own["p_value"] == pytest.approx(plain["p_value"], rel=0.02)
    assert own["statistic"] * 2 == pytest.approx(plain["statistic"], rel=0.02)


@pytest.mark.parametrize(("clusters", "crossed"), [(8, True), (8, False), (30, True), (30, False)])
def test_size(clusters: int, crossed: bool) -> None:
    """Clusters of 20 answers whose log odds have a standard deviation of 1: of true nulls 5% are rejected."""
    generator, runs = np.random.default_rng(clusters), 400
    odds = np.exp(np.log([0.5, 0.3, 0.2]) + generator.normal(size=(runs, clusters, 3)))
    odds /= odds.sum(axis=-1, keepdims=True)
    counts = generator.multinomial(10, odds[:, :, None, :], size=(runs, clusters, 2))
    run, item, level, category = (each.ravel() for each in list[Any](np.indices(counts.shape)))
    level = level if crossed else item % 2
    frame = pl.DataFrame({"run": run, "item": item, "x": level, "y": category, "count": counts.ravel()})
    found = clustered_independence(frame, ["run"], "x", "y", "item").filter(term="chi_square")
    assert 0.005 <= (found["p_value"] < 0.05).sum() / runs <= 0.07
    center = np.exp(np.log([0.5, 0.3, 0.2]) + np.random.default_rng(1).normal(size=(200_000, 3)))
    null = (center / center.sum(axis=1, keepdims=True)).mean(axis=0)
    references = pl.DataFrame({"y": [0, 1, 2], "proportion": null})
    found = clustered_fit(frame, ["run"], "y", references, [], cluster="item").filter(term="chi_square")
    assert 0.02 <= (found["p_value"] < 0.05).sum() / runs <= 0.07


def test_faults() -> None:
    with pytest.raises(ValueError, match="'group' is the factor"):
        declared(INDEPENDENCE | {"cluster": "group"})
    with pytest.raises(ValueError, match="Yates' correction is of independent responses"):
        declared(INDEPENDENCE | {"cluster": "item", "continuity": True})
    with pytest.raises(ValueError, match="no factor of 'by' 'group'"):
        declared({"statistic": "residuals", "outcomes": ["politics"], "by": [], "factor": "group"})
