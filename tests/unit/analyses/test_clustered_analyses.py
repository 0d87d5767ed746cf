"""A study's clusters reach every analysis, and tests of clustered responses hold their size."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false, reportReturnType=false
from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest
from scipy import special, stats
from scipy.spatial import distance
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.contingency_tables import Table2x2

from tallybook.analyses.estimating import clusters, estimate
from tallybook.report.methods_section import methods
from tallybook.statistics.means.medians import median_intervals
from tallybook.statistics.regression import Model, regressions
from tallybook.study.model import Study
from tallybook.tables.notes import Doubts, convention, doubts, independence_notes
from tallybook.tally import by_cluster, tally
from tests.unit.statistics.frames import DECLARATION

if TYPE_CHECKING:
    from collections.abc import Callable

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


def twin(of: Callable[[np.ndarray], float], item: np.ndarray, onto: Callable[[float], float]) -> tuple[float, float]:
    """A statistic of rows on a scale, and its error by leaving out one item after the other."""
    names = np.unique(item)
    whole = onto(of(np.ones(item.size, dtype=bool)))
    off = [onto(of(item != one)) - whole for one in names]
    return whole, float(np.sqrt((names.size - 1) / names.size * np.sum(np.square(off))))


def limits(whole: float, error: float, clusters: int) -> list[float]:
    return [whole + sign * stats.t.ppf(0.975, clusters - 1) * error for sign in (-1, 1)]


DIVERGENCES: dict[str, tuple[Callable[[Any, Any], Any], bool]] = {
    "jensen-shannon": (lambda p, q: distance.jensenshannon(p, q, 2) ** 2, True),
    "kullback-leibler": (lambda p, q: stats.entropy(p, q, 2), True),
    "total-variation": (lambda p, q: np.abs(p - q).sum() / 2, False),
    "hellinger": (lambda p, q: np.sqrt(np.square(np.sqrt(p) - np.sqrt(q)).sum() / 2), False),
}


@pytest.mark.parametrize("kind", DIVERGENCES)
def test_a_divergence_is_that_of_a_slow_twin(kind: str) -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 9, 5, 1.0)
    measure, is_square = DIVERGENCES[kind]

    def divergence(kept: np.ndarray) -> float:
        shares = [answers[kept & (group == level)].mean() for level in ("young", "aged")]
        return measure(*(np.array([share, 1 - share]) for share in shares))

    of = {"statistic": "group-divergence", "outcomes": ["belief"], "by": [], "factor": "group", "kind": kind}
    of |= {"levels": ["young", "aged"], "permutations": 99}
    found = estimates(study(analyses={"of": of}), coded(answers, item, group)).row(0, named=True)
    power = 4 if is_square else 2  # intervals on the square root of a distance
    whole, error = twin(divergence, item, lambda one: one ** (1 / power))
    low, high = (max(limit, 0.0) ** power for limit in limits(whole, error, 9))
    assert found["estimate"] == pytest.approx(divergence(item >= 0), rel=1e-9)
    assert found["std_error"] == pytest.approx(twin(divergence, item, float)[1], rel=1e-9)
    assert [found["ci_low"], found["ci_high"]] == pytest.approx([low, high], rel=1e-9)
    assert found["p_value"] > 0  # that of the permutation test
    assert "permutation test of clusters (item), error by leaving out one item at a time" in found["method"]


def test_a_divergence_from_a_level_of_one_cluster_has_no_error() -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 6, 3, 1.0)
    kept = (group == "young") | (item == 0)
    of = {"statistic": "group-divergence", "outcomes": ["belief"], "by": [], "factor": "group", "permutations": 9}
    found = estimates(study(analyses={"of": of}), coded(answers[kept], item[kept], group[kept]))
    found = found.filter(term="young || aged").row(0, named=True)
    assert (found["status"], found["std_error"]) == ("degenerate", None)
    assert found["estimate"] > 0


def test_an_odds_ratio_is_a_clustered_logistic_regression() -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 9, 5, 1.0)
    pair = {"outcomes": ["belief"], "by": [], "factor": "group", "levels": ["young", "aged"]}
    ratio = {"statistic": "odds-ratio", **pair}
    found = estimates(study(analyses={"ratio": ratio}), coded(answers, item, group))
    own = found.filter(term="some").row(0, named=True)
    rows = pl.DataFrame({"y": answers.astype(int), "group": group, "item": item, "count": 1})
    slope = regressions(rows, [], Model("y", "logistic", (("group",),), {"group": ("aged", "young")}), cluster="item")
    other = slope.filter(term="group=young").row(0, named=True)
    assert own["estimate"] == pytest.approx(np.exp(other["estimate"]), rel=1e-9)
    assert [own["ci_low"], own["ci_high"]] == pytest.approx(np.exp([other["ci_low"], other["ci_high"]]), rel=1e-7)
    assert [own["statistic"], own["df"], own["p_value"]] == pytest.approx(
        [other["statistic"], 8, other["p_value"]], rel=1e-7
    )
    # Without clusters: Woolf's interval and Fisher's test, and the error of the ratio by the delta method.
    table = [[np.sum(answers[group == level]), np.sum(~answers[group == level])] for level in ("young", "aged")]
    alone = estimates(study(analyses={"ratio": ratio}, cluster=[]), coded(answers, item, group))
    plain = alone.filter(term="some").row(0, named=True)
    of_table: Any = Table2x2(np.array(table))
    assert [plain["ci_low"], plain["ci_high"]] == pytest.approx(of_table.oddsratio_confint(), rel=1e-9)
    assert plain["std_error"] == pytest.approx(of_table.oddsratio * of_table.log_oddsratio_se, rel=1e-9)
    assert plain["p_value"] == pytest.approx(stats.fisher_exact(table).pvalue, rel=1e-9)


def test_terms_of_odds_ratios_of_all_pairs() -> None:
    declared = {"of": {"statistic": "odds-ratio", "outcomes": ["belief"], "by": [], "factor": "model"}}
    three = {"of": {"statistic": "odds-ratio", "outcomes": ["belief"], "by": [], "factor": "group"}}
    assert "some" in (study(analyses=declared).analyses["of"].terms(study(analyses=declared)) or [])
    assert "some: young / middle" in (study(analyses=three).analyses["of"].terms(study(analyses=three)) or [])


def test_a_stereotype_score_is_that_of_a_slow_twin() -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 9, 5, 1.0)

    def score(kept: np.ndarray) -> float:
        counts = [
            [np.sum(answers[kept & (group == one)] == some) for some in (True, False)] for one in ("young", "aged")
        ]
        return stats.entropy(*np.array(counts, dtype=float))

    of = {"statistic": "stereotype-score", "outcomes": ["belief"], "by": [], "between": "group", "within": "model"}
    found = estimates(study(analyses={"of": of}), coded(answers, item, group)).filter(term="mean").row(0, named=True)
    low, high = (max(limit, 0.0) ** 4 for limit in limits(*twin(score, item, lambda one: one**0.25), 9))
    assert (found["n"], found["status"]) == (1, "ok")
    assert found["estimate"] == pytest.approx(score(item >= 0), rel=1e-9)
    assert found["std_error"] == pytest.approx(twin(score, item, float)[1], rel=1e-8)
    assert [found["ci_low"], found["ci_high"]] == pytest.approx([low, high], rel=1e-8)


def log_odds_limits(share: Callable[[np.ndarray], float], item: np.ndarray) -> list[float]:
    """The interval of a share on the log odds; where that is infinite without an item, its error is scaled."""
    with np.errstate(all="ignore"):
        whole, error = twin(share, item, special.logit)
        if not np.isfinite(error):
            p, plain = twin(share, item, float)
            error = float(np.divide(plain, p * (1 - p)))
        limit = limits(whole, error, np.unique(item).size)
    return [-np.inf, np.inf] if np.isnan(limit).any() else limit


def test_few_clusters_are_said_under_a_table() -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 9, 5, 1.0)
    found = estimates(study(), coded(answers, item, group))
    own = doubts(found)
    assert own.few["difference"] == 9
    said = independence_notes(study(), ["difference"], own)
    assert said[1].startswith("There are few clusters (9, by item): intervals and tests")
    assert len(said) == 2
    answers, item, group = clustered_answers(np.random.default_rng(7), 10, 5, 1.0)
    assert not doubts(estimates(study(), coded(answers, item, group))).few


def test_few_crossed_clusters_are_the_fewer_of_both() -> None:
    crossed = ANALYSES["difference"] | {"cluster": ["item", "group"], "crossed": True}
    said = independence_notes(study(analyses={"difference": crossed}), ["difference"], Doubts({"difference": 6}))
    assert said[1].startswith("There are few clusters (6, by item or by group, whichever are fewer):")


def test_intervals_of_three_clusters_are_said_to_be_useless() -> None:
    answers, item, group = clustered_answers(np.random.default_rng(7), 3, 5, 1.0)
    own = doubts(estimates(study(), coded(answers, item, group)))
    assert "With 3 clusters no interval or test supports a conclusion." in independence_notes(study(), ["share"], own)


def test_a_group_without_variance_has_an_exact_test_and_no_interval() -> None:
    item, group = np.repeat(np.arange(4), 6), np.tile(np.repeat(["young", "aged"], 3), 4)
    answers = (group == "aged") & (np.tile(np.arange(6), 4) == 5)
    answers[5] = False  # 0 of 12, and 3 of 12: in three of four clusters
    declared = study(analyses=ANALYSES | {"odds": ANALYSES["difference"] | {"statistic": "odds-ratio"}})
    found = estimates(declared, coded(answers, item, group))
    for name, term in (("difference", "some"), ("difference", "centre"), ("odds", "some")):
        row = found.row(by_predicate=(pl.col("analysis") == name) & (pl.col("term") == term), named=True)
        assert row["p_value"] == pytest.approx(0.25), (name, term)
        assert (row["std_error"], row["ci_low"], row["df"], row["status"]) == (None, None, None, "degenerate")
    one = found.row(by_predicate=(pl.col("analysis") == "difference") & (pl.col("term") == "some"), named=True)
    assert (one["estimate"], one["clusters"]) == (-0.25, 4)
    assert "exact test" in independence_notes(declared, ["difference"], doubts(found))[-1]
    many = (group == "aged") & (item > 0)  # where the exact test leaves no doubt, the jackknife stays
    item, group, many = (np.concatenate([one] * 6) for one in (item, group, many))
    found = estimates(declared, coded(many, item + 4 * np.repeat(np.arange(6), 24), group))
    assert found.filter(analysis="difference", term="some").select("clusters", "status").row(0) == (24, "ok")


def test_the_share_that_others_are_divided_by_is_no_missing_number() -> None:
    ratio = {"statistic": "impact-ratio", "outcomes": ["belief"], "by": [], "factor": "group", "category": "some"}
    declared = study(analyses={"ratio": ratio}, cluster=["item", "dimension"])
    crossed = study(analyses={"ratio": ratio | {"crossed": True}}, cluster=["item", "dimension"])
    answers, item, group = clustered_answers(np.random.default_rng(7), 9, 5, 1.0)
    rows = coded(answers, item, group).with_columns(dimension=pl.col("position").cast(pl.String).str.tail(1))
    for own in (declared, crossed):
        found = estimates(own, rows)
        base = found.filter(pl.col("estimate") == 1)
        assert base.select("term", "std_error", "p_value", "status").rows() == [(base["term"][0], None, None, "ok")]
        assert found.filter(pl.col("estimate") < 1)["std_error"].item() > 0


def test_a_summary_of_scores_has_intervals_over_clusters() -> None:
    generator = np.random.default_rng(5)
    item = np.repeat(np.arange(8), 6)
    score = np.round(generator.normal(size=8)[item] + generator.normal(size=48), 1)
    of = {"statistic": "score-summary", "outcomes": ["score"], "by": []}
    declared = study(analyses={"of": of})
    frame = coded(item > 3, item, np.repeat("young", 48)).with_columns(score=score)
    names, factors = dict(declared.outcomes), list(declared.factors)
    clustered = by_cluster(frame.lazy(), factors, {"score": names["score"]}, clusters(declared))
    found = estimate(declared, tally(frame, factors, {"score": names["score"]}), {}, {}, clustered)
    rows = {row["term"]: row for row in found.iter_rows(named=True)}
    low, high = limits(*twin(lambda kept: score[kept].mean(), item, float), 8)
    assert [rows["mean"]["ci_low"], rows["mean"]["ci_high"]] == pytest.approx([low, high], rel=1e-9)
    inside = []
    for value in np.unique(score):  # is it within what half of the scores may lie on each side of?
        below = log_odds_limits(lambda kept, value=value: np.mean(score[kept] < value), item)[0]
        up_to = log_odds_limits(lambda kept, value=value: np.mean(score[kept] <= value), item)[1]
        inside += [value] if below <= 0 <= up_to else []
    assert rows["median"]["estimate"] == np.median(score)
    assert [rows["median"]["ci_low"], rows["median"]["ci_high"]] == [min(inside), max(inside)]
    assert rows["sd"]["ci_low"] is None
    assert "shares on each side" in convention(declared, "of")


def test_a_summary_of_one_cluster_has_no_interval() -> None:
    counts = pl.DataFrame({"item": "x", "value": [1.0, 2.0], "count": [3, 4]})
    assert median_intervals(counts, [], "item").rows() == [(1, None, None)]


def test_a_median_of_constant_scores_has_no_interval_and_says_so() -> None:
    declared = study(
        analyses={"of": {"statistic": "score-summary", "outcomes": ["score"], "by": [], "cluster": "item"}}
    )
    item = np.repeat(np.arange(4), 3)
    frame = coded(item > 1, item, np.repeat("young", 12)).with_columns(score=pl.lit(1.0))
    names, factors = {"score": declared.outcomes["score"]}, list(declared.factors)
    clustered = by_cluster(frame.lazy(), factors, names, clusters(declared))
    found = estimate(declared, tally(frame, factors, names), {}, {}, clustered).filter(term="median")
    shown = found.select("estimate", "clusters", "ci_low", "ci_high", "status")
    assert shown.rows() == [(1.0, 4, None, None, "degenerate")]


def test_a_count_of_clustered_tests_says_what_was_independent() -> None:
    declared = study(analyses=ANALYSES | {"score": {"statistic": "deviation-score", "of": "test", "by": []}})
    assert "Only clusters (item) were treated as independent by its tests" in convention(declared, "score")
    assert "independent" not in convention(study(analyses=dict(declared.analyses), cluster=None), "score")


def test_tests_hold_their_size() -> None:
    """Of true null hypotheses 5% are rejected; if responses are treated as independent, 20% and more are."""
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


CROSSED: dict[str, dict[str, Any]] = {
    "share": {"statistic": "proportion", "outcomes": ["belief"], "by": [], "denominator": "coded"},
    "difference": ANALYSES["difference"],
    "odds": ANALYSES["difference"] | {"statistic": "odds-ratio"},
    "test": ANALYSES["test"],
    "mean": {"statistic": "t-test", "outcomes": ["score"], "by": [], "null_value": 1.0},
    "gap": {"statistic": "mean-difference", "outcomes": ["score"], "by": [], "factor": "group",
            "levels": ["young", "aged"], "alternative": "greater"},
    "sum": {"statistic": "combination", "of": "means", "by": [], "factor": "group", "weights": {"young": 1, "aged": -2},
            "null_value": 0.0},
}  # fmt: skip
MEANS = {"statistic": "score-mean", "outcomes": ["score"], "by": ["group"]}


def test_clusters_that_cross_have_the_errors_of_both_less_those_of_their_pairs() -> None:
    generator, item = np.random.default_rng(6), np.repeat(np.arange(8), 30)
    job, old = np.tile(np.repeat(np.arange(5), 6), 8), np.tile([True, False], 120)
    own = generator.normal(size=8)[item] + generator.normal(size=5)[job] + 0.5 * old
    yes, scores = generator.random(240) < 1 / (1 + np.exp(-own)), own + generator.normal(size=240)
    frame = coded(yes, item, np.where(old, "aged", "young"))
    frame = frame.with_columns(dimension=pl.Series(job.astype(str)), score=pl.Series(scores))
    ways = {"first": ["item"], "second": ["dimension"], "pairs": ["item", "dimension"]}
    sandwich = CROSSED["mean"] | {"cluster": ["item", "dimension"], "crossed": True, "standard_error": "CR1"}
    declared = study(
        analyses={"sandwich": sandwich, "means": MEANS}
        | {
            f"{name}-{way}": one | settings
            for name, one in CROSSED.items()
            for way, settings in (
                *((way, {"cluster": columns}) for way, columns in ways.items()),
                ("crossed", {"cluster": ["item", "dimension"], "crossed": True}),
            )
        },
    )
    names, factors = {name: declared.outcomes[name] for name in ("belief", "score")}, list(declared.factors)
    clustered = by_cluster(frame.lazy(), factors, names, clusters(declared))
    census = pl.DataFrame({"outcome": "belief", "category": "some", "proportion": [0.5]})
    found = estimate(declared, tally(frame, factors, names), {"census": census}, {}, clustered)
    for name in CROSSED:
        rows = {way: found.filter(analysis=f"{name}-{way}").row(0, named=True) for way in (*ways, "crossed")}
        first, second, pairs = (rows[way]["std_error"] ** 2 for way in ways)
        two = rows["crossed"]
        assert two["std_error"] == pytest.approx(np.sqrt(max(first + second - pairs, first, second)), rel=1e-9)
        assert (two["clusters"], two["status"], two["estimate"]) == (5, "ok", rows["first"]["estimate"])
        assert two["method"].count("item and dimension") == 1
        if name in {"mean", "gap", "sum"}:  # on the scale of the estimate
            statistic = (two["estimate"] - two["null_value"]) / two["std_error"]
            p = stats.t.sf(statistic, 4) if name == "gap" else 2 * stats.t.sf(abs(statistic), 4)
            assert (two["statistic"], two["df"], two["p_value"]) == pytest.approx((statistic, 4, p), rel=1e-9)
            reach = stats.t.ppf(0.975, 4) * two["std_error"]
            assert two["ci_high"] - two["estimate"] == pytest.approx(reach, rel=1e-9)
        elif name != "difference":  # as wide on its scale as the larger, or the sum less the pairs
            onto = np.log if name == "odds" else lambda share: np.log(share / (1 - share))
            half = {way: onto(row["ci_high"]) - onto(row["estimate"]) for way, row in rows.items()}
            squares = [
                (half[way] / stats.t.ppf(0.975, number - 1)) ** 2 for way, number in zip(ways, (8, 5, 40), strict=True)
            ]
            own = np.sqrt(max(squares[0] + squares[1] - squares[2], *squares[:2]))
            assert half["crossed"] == pytest.approx(stats.t.ppf(0.975, 4) * own, rel=1e-9)
    groups = {"groups": np.column_stack([item, job]), "use_correction": True}
    fit = OLS(scores - 1.0, np.ones(240)).fit(cov_type="cluster", cov_kwds=groups)
    assert found.filter(analysis="sandwich")["std_error"].item() == pytest.approx(fit.bse[0], rel=1e-9)
    assert "clustered by item and by dimension" in independence_notes(declared, ["gap-crossed"], Doubts())[0]
    assert "clustered both by item and by dimension [@cameron2011]" in methods(declared, {})


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"cluster": "item", "crossed": True}, "crossed: 1 columns of clusters; expected two"),
        ({"cluster": ["item", "group"], "by": ["group"], "crossed": True}, "crossed: 'group' is in 'by'"),
        ({"statistic": "score-summary", "outcomes": ["score"], "cluster": ["item", "group"], "crossed": True},
         "no two-way errors"),
    ],
)  # fmt: skip
def test_what_cannot_cross_is_refused(settings: dict[str, Any], message: str) -> None:
    common = {"by": []} if "statistic" in settings else CROSSED["share"]
    with pytest.raises(ValueError, match=message):
        study(analyses={"of": common | settings})


def test_sums_of_estimates_do_not_take_pairs_of_crossed_clusters_for_clusters() -> None:
    crossed = {"cluster": ["item", "dimension"], "crossed": True}
    own = CROSSED["sum"] | {"cluster": ["item", "dimension"]}
    assert study(analyses={"means": MEANS | crossed, "sum": own | {"crossed": True}})
    for means, settings in ((MEANS | crossed, CROSSED["sum"]), (MEANS, CROSSED["sum"] | {"crossed": True})):
        with pytest.raises(ValueError, match="sum: two-way errors need both"):
            study(analyses={"means": means, "sum": settings})


def test_marginal_effects_have_no_exponential() -> None:
    log_odds = {"statistic": "regression", "distribution": "logistic", "outcomes": ["belief"], "category": "some",
                "by": [], "predictors": ["group"], "cluster": []}  # fmt: skip
    declared = study(analyses={"fit": log_odds, "ratio": {"statistic": "exponential", "of": "fit", "by": []}})
    fitted, ratios = (declared.analyses[name].terms(declared) or [] for name in ("fit", "ratio"))
    assert [term for term in fitted if not term.startswith("margin:")] == ratios
    assert len(ratios) < len(fitted)
