"""The study of ranked résumés, end to end: from the bundle and, where they are here, from released responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from scipy import stats

from tallybook.core.resources import BUNDLED_DATA
from tallybook.instruments.ranking.instrument import RankingInstrument
from tallybook.published.bundle import bundle
from tallybook.published.comparison import counts
from tests import computed_once
from tests.released import needs_released

if TYPE_CHECKING:
    import numpy as np

    from tallybook.pipeline import Results

NAME = "bloomberg2024"
GROUPS = ["A_M", "A_W", "B_M", "B_W", "H_M", "H_W", "W_M", "W_W"]
GPT_35 = "gpt-3.5-turbo"


def bundled() -> Results:
    return computed_once.bundled(NAME)


def number(analysis: str, column: str = "estimate", **wanted: str) -> float:
    found = bundled().estimates.filter(pl.col("analysis") == analysis, *(pl.col(k) == v for k, v in wanted.items()))
    assert found.height == 1
    return found.get_column(column).item()


def ranks(model: str, job: str) -> np.ndarray:
    """The ranks of answers that rank all."""
    chosen = bundled().source.coded.filter(model=model, job=job, completeness="complete")
    return chosen.select(f"rank_{group}" for group in GROUPS).to_numpy()


def test_every_published_number_matches() -> None:
    found = bundled().comparison
    assert found is not None
    assert counts(found) == {"match": 193, "erratum": 0, "not-reproduced": 0, "mismatch": 0}
    assert set(found.get_column("strictness")) == {"last-digit"}


def test_the_same_is_regenerated_of_the_other_model() -> None:
    cells = bundled().tables.cells.filter(pl.col("statistic").is_in(["top", "top_og"]))
    for table in ("top", "bottom"):
        rows = cells.filter(pl.col("table") == table, pl.col("row").str.starts_with("gpt-4/"))
        by_statistic = rows.group_by("statistic").agg(pl.col("value").sum())
        assert dict(by_statistic.iter_rows()) == {"top": 4000, "top_og": 4000}
    assert set(cells.filter(table="top", statistic="top_og")["value"]) == {125}


@pytest.mark.parametrize(
    ("model", "job", "expected"),
    [
        (GPT_35, "HR specialist", ["50.192000", "1.324382e-08", "0.224036", "1.059506e-07", "48.295996"]),
        (GPT_35, "retail", ["8.256000", "3.105624e-01", "0.090863", "1.000000e+00", "8.356138"]),
        ("gpt-4", "financial analyst", ["8.528000", "2.883416e-01", "0.092347", "1.000000e+00", "8.776478"]),
    ],
)
def test_goodness_of_fit(model: str, job: str, expected: list[str]) -> None:
    columns = {"statistic": ".6f", "p_value": ".6e", "effect": ".6f", "p_adjusted": ".6e"}
    found = [f"{number('uniform_top', name, model=model, job=job):{form}}" for name, form in columns.items()]
    assert [*found, f"{number('uniform_top_g', model=model, job=job):.6f}"] == expected
    assert number("uniform_top", "family_size", model=model, job=job) == 8


def test_impact_ratios_have_intervals() -> None:
    for job, group, expected in (
        ("HR specialist", "W_M", [0.530387, 0.414114, 0.679306]),
        ("financial analyst", "B_M", [0.441860, 0.337320, 0.578800]),
    ):
        columns = ("estimate", "ci_low", "ci_high")
        found = [number("top_ratio", column, model=GPT_35, job=job, term=group) for column in columns]
        assert found == pytest.approx(expected, abs=5e-7)
    ratios = bundled().estimates.filter(analysis="top_ratio")
    below = ratios.filter(pl.col("estimate") < 0.8).group_by("model", "job").len()
    sure = ratios.filter(pl.col("ci_high") < 0.8)
    assert sure.filter(model=GPT_35, job="HR specialist")["term"].to_list() == ["A_M", "B_M", "H_M", "W_M"]
    assert below.filter(model=GPT_35, job="HR specialist")["len"].item() == 6
    gpt_4 = dict(below.filter(model="gpt-4").select("job", "len").iter_rows())
    assert gpt_4 == {"HR specialist": 2, "financial analyst": 1, "software engineer": 2}
    assert sure.filter(model="gpt-4").is_empty()


def test_absent_candidates_are_a_status() -> None:
    assert bundled().source.by_status == {"ok": 7470, "partial": 530}
    for model, job, complete in (
        (GPT_35, "HR specialist", 889),
        (GPT_35, "retail", 884),
        ("gpt-4", "HR specialist", 978),
    ):
        found = [number("completeness", model=model, job=job, term=term) for term in ("complete", "partial")]
        assert found == [complete, 1000 - complete]
    coded = bundled().source.coded.filter(model=GPT_35)
    absent = [coded.get_column(f"rank_{group}").null_count() for group in GROUPS]
    assert dict(zip(GROUPS, absent, strict=True)) == {
        "A_M": 67, "A_W": 47, "B_M": 95, "B_W": 70, "H_M": 49, "H_W": 63, "W_M": 71, "W_W": 48,
    }  # fmt: skip
    tops = (ranks(GPT_35, "HR specialist") == 1).sum(axis=0)
    fit = stats.chisquare(tops)
    assert (tops.sum(), fit.statistic, fit.pvalue) == pytest.approx((889, 46.334083, 7.526186e-08), rel=5e-7)
    assert tops.min() / tops.max() == pytest.approx(0.521739, abs=5e-7)


@pytest.mark.parametrize(
    ("job", "n", "chi_square", "p"),
    [("HR specialist", 889, 55.676040, 1.095035e-09), ("software engineer", None, 52.040000, 5.733530e-09)],
)
def test_friedmans_test_of_all_ranks(job: str, n: int | None, chi_square: float, p: float) -> None:
    own = ranks(GPT_35, job)
    found = stats.friedmanchisquare(*own.T)
    assert n in {None, len(own)}
    assert found.statistic == pytest.approx(chi_square, abs=5e-3 if n is None else 5e-7)
    assert found.pvalue == pytest.approx(p, rel=1e-2 if n is None else 5e-7)
    if n is not None:
        assert found.statistic / (7 * n) == pytest.approx(0.008947, abs=5e-7)
        means = dict(zip(GROUPS, own.mean(axis=0), strict=True))
        assert (means["H_W"], means["W_M"]) == pytest.approx((4.200225, 4.833521), abs=5e-7)


def test_the_position_decides_more() -> None:
    positions = [f"position_{place}" for place in range(1, 9)]
    found = [number("top_position_count", model=GPT_35, term=place) for place in positions]
    assert found == [2243, 487, 247, 181, 200, 224, 204, 214]
    assert number("uniform_top_position", model=GPT_35) == pytest.approx(7079.152, abs=5e-4)


@needs_released(NAME)
def test_released_answers_give_the_same() -> None:
    found = computed_once.released(NAME)
    assert found.estimates.equals(bundled().estimates, null_equal=True)
    coded = bundle(found.loaded.study, found.source.coded)
    assert coded.write_csv() == (BUNDLED_DATA / NAME / "coded_responses.csv").read_text(encoding="utf-8")


@needs_released(NAME)
def test_stated_orders_agree_with_the_order_of_mentions() -> None:
    """The stated order has misspelt names, too, so that it is complete more often; 10 of 8,000 begin with no option."""
    mentions = computed_once.released(NAME).source.coded
    settings = {"kind": "ranking", "undecided": "ignore", "offered": "names", "repeated": "first"}
    responses = mentions.select("text", "names", "file", "key", "status")
    stated = RankingInstrument.model_validate(settings).code(responses, {}).responses
    assert mentions["completeness"].value_counts().sort("completeness").rows() == [("complete", 7470), ("partial", 530)]
    assert stated["completeness"].value_counts().sort("completeness").rows() == [
        (None, 10),
        ("complete", 7782),
        ("partial", 208),
    ]
    differ = stated["first_position"].ne(mentions["first_position"])
    assert differ.sum() == 40  # each begins with a misspelt name
    assert set(mentions.filter(differ)["completeness"]) == {"partial"}
