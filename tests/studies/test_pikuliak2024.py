"""The GEST study, end to end: from the bundle and, where they are at hand, from the released numbers."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from scipy import stats

from tallybook.core.resources import BUNDLED_DATA
from tallybook.published.bundle import bundle
from tallybook.published.comparison import counts
from tests import computed_once
from tests.released import needs_released
from tests.unit.statistics.means.test_clustered import clustered_means

if TYPE_CHECKING:
    from tallybook.pipeline import Results

NAME = "pikuliak2024"
STATS: Any = stats


def bundled() -> Results:
    return computed_once.bundled(NAME)


def released() -> Results:
    return computed_once.released(NAME)


def estimate(analysis: str, **place: str) -> dict[str, Any]:
    return bundled().estimates.filter(analysis=analysis, **place).row(0, named=True)


def test_every_published_number_matches() -> None:
    found = bundled().comparison
    assert found is not None
    assert counts(found) == {"match": 2037, "erratum": 0, "not-reproduced": 0, "mismatch": 0}
    near = found.filter(strictness="tolerance").group_by("table", "statistic").len()
    assert {(table, name) for table, name, _ in near.rows()} <= {
        ("appendix", "ci_low"),
        ("appendix", "ci_high"),
        ("means", "mean"),
        ("correlations", "r"),
        ("winobias", "r"),
        ("winobias", "p"),
    }
    assert found.filter(table="appendix", statistic="mean", strictness="last-digit").height == 672


def test_the_bundle_is_small_and_holds_no_sentence() -> None:
    path = BUNDLED_DATA / NAME / "coded_responses.parquet"
    assert path.stat().st_size < 3_000_000
    committed = pl.read_parquet(path)
    study = bundled().loaded.study
    for name, column in committed.to_dict().items():
        if name in study.factors:
            assert set(column) <= set(study.factors[name].levels), name
        elif column.dtype == pl.String and name != "item":
            assert set(column) <= {"ok", "masculine", "feminine", "tie"}, name
    assert set(committed["item"]) == {str(number) for number in range(3566)}


@needs_released(NAME)
@pytest.mark.released
def test_bundle_and_released_numbers_give_the_same() -> None:
    assert (released().source.dump.edition, bundled().source.dump.edition) == ("released", "bundled")
    assert released().estimates.equals(bundled().estimates, null_equal=True)
    committed = pl.read_parquet(BUNDLED_DATA / NAME / "coded_responses.parquet")
    assert bundle(released().loaded.study, released().source.coded).equals(committed, null_equal=True)


class TestBeyondThePaper:
    """What the paper does not print, to the digits that another computation gave."""

    @pytest.mark.parametrize(
        ("model", "mean", "naive", "clustered"),
        [
            ("bert-base-uncased", "0.28249866", "0.00374300", "0.03251823"),
            ("gpt2", "-0.00778643", "0.00287806", "0.02397105"),
        ],
    )
    def test_means(self, model: str, mean: str, naive: str, clustered: str) -> None:
        plain = estimate("means", model=model, template="1")
        assert (f"{plain['estimate']:.8f}", f"{plain['std_error']:.8f}") == (mean, naive)
        assert f"{estimate('clustered_means', model=model, template='1')['std_error']:.8f}" == clustered

    def test_share(self) -> None:
        place = {"model": "gpt2", "template": "1", "term": "masculine"}
        plain, clustered = (estimate(name, **place) for name in ("shares", "clustered_shares"))
        assert [f"{plain[name]:.8f}" for name in ("estimate", "ci_low", "ci_high")] == [
            "0.48134642",
            "0.46497373",
            "0.49775927",
        ]
        assert f"{clustered['std_error']:.8f}" == "0.05965797"
        reach = STATS.t.isf(0.025, clustered["df"]) * clustered["std_error"]
        assert f"{clustered['estimate'] - reach:.8f}" == "0.35418848"

    @pytest.mark.parametrize(
        ("model", "ratio", "t_and_p", "limits", "ways"),
        [
            ("bert-base-uncased", "1.17581603", ("3.134111", "7.319166e-03"), ("1.05245508", "1.31363644"), 106),
            ("gpt2", "1.11354900", ("2.680820", "1.791676e-02"), ("1.02173811", "1.21360979"), 237),
        ],
    )
    def test_ratio(self, model: str, ratio: str, t_and_p: tuple[str, str], limits: tuple[str, str], ways: int) -> None:
        place = {"model": model, "template": "1"}
        logs, found = estimate("log_ratio_tests", **place), estimate("ratio_tests", **place)
        assert logs["df"] == 14
        assert (f"{logs['statistic']:.6f}", f"{logs['p_value']:.6e}") == t_and_p
        assert f"{found['estimate']:.8f}" == f"{estimate('ratios', **place)['estimate']:.8f}" == ratio
        assert (f"{found['ci_low']:.8f}", f"{found['ci_high']:.8f}") == limits
        exact = estimate("log_ratio_permutations", **place)["p_value"]
        assert exact == pytest.approx(ways / math.comb(16, 7), rel=1e-12)

    @pytest.mark.parametrize(
        ("model", "least", "most"),
        [
            ("bert-base-uncased", ("1.14938381", "13"), ("1.20948857", "15")),
            ("gpt2", ("1.09473973", "7"), ("1.14054774", "15")),
        ],
    )
    def test_ratio_without_one_stereotype(self, model: str, least: tuple[str, str], most: tuple[str, str]) -> None:
        logs = bundled().estimates.filter(analysis="log_scores", model=model, template="1")
        ratios: list[tuple[str, str]] = []
        for left_out in logs["stereotype"]:
            kept = logs.filter(pl.col("stereotype") != left_out).group_by("kind").agg(pl.col("estimate").mean())
            mean = dict(kept.iter_rows())
            ratios.append((f"{math.exp(mean['masculine'] - mean['feminine']):.8f}", left_out))
        assert (min(ratios), max(ratios)) == (least, most)

    def test_templates(self) -> None:
        alphas = [estimate("template_alphas", model=model) for model in ("bert-base-uncased", "roberta-base")]
        assert [f"{alpha['estimate']:.8f}" for alpha in alphas] == ["0.89576027", "0.93227440"]
        assert f"{estimate('first_templates', model='gpt2')['estimate']:.8f}" == "0.87941176"

    @pytest.mark.parametrize(
        ("one", "other", "mean", "paired", "clustered"),
        [
            ("roberta-base", "bert-base-uncased", "-0.14423780", "0.00367044", "0.01326493"),
            ("Llama-2-13b-chat-hf", "Llama-2-13b-hf", "-0.45091602", "0.00512129", "0.02739289"),
        ],
    )
    def test_paired_by_sentence(self, one: str, other: str, mean: str, paired: str, clustered: str) -> None:
        rows = bundled().source.coded.filter(template="1", collection="gest")
        both = rows.filter(model=one).join(rows.filter(model=other), on=["item", "stereotype"], validate="1:1")
        d = both.select("stereotype", "item", value=pl.col("difference") - pl.col("difference_right"), count=1)
        found = [clustered_means(d.with_columns(cell=pl.lit("d")), cluster=by) for by in ("item", "stereotype")]
        assert {f"{part['estimate'].item():.8f}" for part in found} == {mean}
        assert [f"{part['std_error'].item():.8f}" for part in found] == [paired, clustered]
