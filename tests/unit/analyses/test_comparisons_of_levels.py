"""Comparisons of groups and within units: against scipy, statsmodels and pingouin row by row, printed numbers, size."""

# pyright: basic, reportAttributeAccessIssue=false, reportArgumentType=false, reportReturnType=false
from __future__ import annotations

import warnings
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import pingouin
import polars as pl
import pytest
from scipy import stats

from tallybook.core.errors import UsageError
from tallybook.statistics.comparisons.paired import paired_comparisons
from tests.levels import coded, declared, estimates
from tests.sizes import trials, within

if TYPE_CHECKING:
    from tallybook.statistics.comparisons.paired import PairedTest

GROUPS = ["young", "middle", "aged"]
COMPARISON: dict[str, Any] = {
    "statistic": "group-comparison", "outcomes": ["score"], "by": [], "factor": "group", "levels": GROUPS,
}  # fmt: skip
PAIRED = COMPARISON | {"statistic": "paired-comparison", "cluster": "item"}


def groups_data(seed: int = 3) -> tuple[Any, Any]:
    generator: Any = np.random.default_rng(seed)
    group = np.repeat(GROUPS, [12, 17, 9])
    return group, generator.integers(0, 9, group.size) + 2.0 * (group == "aged")


def units_data(seed: int = 4, units: int = 15) -> tuple[Any, Any, Any]:
    """Each unit's value at each level, apart by more than ties."""
    generator: Any = np.random.default_rng(seed)
    group, item = np.tile(GROUPS, units), np.repeat(np.arange(units), 3)
    score = generator.normal(size=units)[item] + generator.normal(size=item.size) + 0.7 * (group == "aged")
    return group, item, score


def test_tests_of_groups() -> None:
    group, score = groups_data()
    parts = [score[group == level] for level in GROUPS]
    responses = coded(group, range(group.size), score=score)
    welch = pingouin.welch_anova(data=pd.DataFrame({"g": group, "s": score}), dv="s", between="g").iloc[0]
    plain, ranks = stats.f_oneway(*parts), stats.kruskal(*parts)
    for test, expected in {
        "welch-anova": (welch["F"], welch["p_unc"]),
        "anova": (plain.statistic, plain.pvalue),
        "kruskal-wallis": (ranks.statistic, ranks.pvalue),
    }.items():
        found = estimates(declared(COMPARISON | {"test": test}), responses).row(0, named=True)
        assert (found["n"], found["df"], found["term"], found["status"]) == (38, 2.0, "comparison", "ok")
        assert (found["statistic"], found["p_value"]) == pytest.approx(expected, rel=1e-9)
        assert found["log_p_value"] == pytest.approx(np.log(expected[1]), rel=1e-9)


def test_units_are_as_many_as_libraries_take() -> None:
    group, score = groups_data()
    many = coded(group, range(group.size), score=score).with_columns(count=pl.lit(2_000_000))
    with pytest.raises(UsageError, match="76,000,000 responses in a cell: anova takes at most 50,000,000"):
        estimates(declared(COMPARISON | {"test": "anova"}), many)


def test_pairs_of_groups_and_their_correction() -> None:
    group, score = groups_data()
    settings = {"test": "mann-whitney", "pairwise": True, "family": {"method": "bonferroni"}}
    found = estimates(declared(COMPARISON | settings), coded(group, range(group.size), score=score))
    assert found["term"].to_list() == ["young - middle", "young - aged", "middle - aged"]
    first, second = (score[group == level] for level in ("young", "aged"))
    row = found.filter(term="young - aged").row(0, named=True)
    above = (first[:, None] > second).mean() + (first[:, None] == second).mean() / 2
    assert row["estimate"] == pytest.approx(above, rel=1e-12)
    assert row["p_value"] == pytest.approx(stats.mannwhitneyu(first, second, use_continuity=False).pvalue, rel=1e-9)
    assert row["p_adjusted"] == pytest.approx(min(1, 3 * row["p_value"]), rel=1e-9)


def test_a_permutation_test_lists_all_arrangements_of_few_units() -> None:
    group, score = ["young"] * 3 + ["aged"] * 3, [5.0, 6.0, 8.0, 1.0, 2.0, 5.5]
    settings = {"test": "permutation", "levels": ["young", "aged"], "alternative": "greater"}
    found = estimates(declared(COMPARISON | settings), coded(group, range(6), score=score)).row(0, named=True)
    assert (found["estimate"], found["p_value"]) == pytest.approx((3.5, 2 / 20))


def test_clusters_are_the_units_of_groups() -> None:
    group, score = groups_data()
    item = np.arange(group.size) // 3 + 100 * np.unique(group, return_inverse=True)[1]
    means = pd.DataFrame({"g": group, "i": item, "s": score}).groupby(["g", "i"], as_index=False)["s"].mean()
    expected = pingouin.welch_anova(data=means, dv="s", between="g").iloc[0]
    found = estimates(declared(COMPARISON | {"cluster": "item"}), coded(group, item, score=score)).row(0, named=True)
    assert (found["n"], found["p_value"]) == (len(means), pytest.approx(expected["p_unc"], rel=1e-9))


def test_combined_effects_of_words_in_contexts_against_all_draws() -> None:
    """The random-effects mean of all 6 ** 4 ways to draw a context a word, by its formula."""
    generator: Any = np.random.default_rng(9)
    word, group = np.repeat(np.arange(4), 6), np.repeat(["young", "aged"], 12)
    score = generator.normal(size=4)[word] + 1.5 * (group == "young") + 0.5 * generator.normal(size=24)
    declaration = COMPARISON | {"test": "ceat", "levels": ["young", "aged"], "cluster": "item"}
    found = estimates(declared(declaration), coded(group, word, score=score)).row(0, named=True)
    drawn = np.array([*product(*(score[word == one] for one in range(4)))])
    sizes = (drawn[:, :2].mean(axis=1) - drawn[:, 2:].mean(axis=1)) / drawn.std(axis=1, ddof=1)
    variances = 1 + sizes**2 / 8
    weights = 1 / variances
    fixed = (weights * sizes).sum() / weights.sum()
    excess = (weights * (sizes - fixed) ** 2).sum() - (sizes.size - 1)
    between = max(0, excess / (weights.sum() - (weights**2).sum() / weights.sum()))
    together = 1 / (variances + between)
    assert found["estimate"] == pytest.approx((together * sizes).sum() / together.sum(), abs=0.05)
    means = [score[word == one].mean() for one in range(4)]
    assert found["statistic"] == pytest.approx(np.mean(means[:2]) - np.mean(means[2:]), rel=1e-9)
    assert found["p_value"] == pytest.approx(stats.permutation_test(
        (means[:2], means[2:]), lambda a, b: np.mean(a) - np.mean(b), n_resamples=np.inf).pvalue)  # fmt: skip
    assert (found["n"], found["clusters"], found["std_error"], found["ci_low"]) == (4, 4, None, None)


def test_groups_that_share_clusters_are_refused() -> None:
    group, item, score = units_data()
    with pytest.raises(UsageError, match=r"15 of 15 clusters occur at several levels.*expected 'paired-comparison'"):
        estimates(declared(COMPARISON | {"cluster": "item"}), coded(group, item, score=score))


def test_tests_within_units() -> None:
    group, item, score = units_data()
    young, middle, aged = (score[group == level] for level in GROUPS)
    responses = coded(group, item, score=score)
    t, ranks = stats.ttest_rel(young, aged), stats.wilcoxon(young, aged)
    friedman = stats.friedmanchisquare(young, middle, aged)
    table = pd.DataFrame({"u": item, "g": group, "s": score})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # pingouin calls what pandas is about to remove
        warnings.simplefilter("ignore", DeprecationWarning)
        anova = pingouin.rm_anova(data=table, dv="s", within="g", subject="u", correction=True, detailed=True).iloc[0]
    two = {"levels": ["young", "aged"]}
    for settings, expected in [
        (two | {"test": "t"}, (t.statistic, t.pvalue)),
        (two | {"test": "wilcoxon"}, (ranks.statistic, ranks.pvalue)),
        ({"test": "friedman"}, (friedman.statistic, friedman.pvalue)),
        ({"test": "repeated-anova"}, (anova["F"], anova["p_GG_corr"])),
    ]:
        found = estimates(declared(PAIRED | settings), responses).row(0, named=True)
        assert found["n"] == 15
        assert (found["statistic"], found["p_value"]) == pytest.approx(expected, rel=1e-9)
    interval = t.confidence_interval()
    found = estimates(declared(PAIRED | two), responses).row(0, named=True)
    assert (found["ci_low"], found["ci_high"]) == pytest.approx((interval.low, interval.high), rel=1e-9)


def test_several_responses_of_a_unit_are_one_mean_and_units_without_a_level_are_left_out() -> None:
    group, item, score = units_data()
    twice = coded([*group, *group, "young"], [*item, *item, 99], score=[*(score - 1), *(score + 1), 5.0])
    two = PAIRED | {"levels": ["young", "aged"]}
    once, both = (
        estimates(declared(two), each).row(0, named=True) for each in (coded(group, item, score=score), twice)
    )
    assert (once["n"], both["n"]) == (15, 15)
    assert both["p_value"] == pytest.approx(once["p_value"], rel=1e-9)


@pytest.mark.parametrize(("first", "second", "p"), [(415, 32, 4.691529e-86), (135, 8, 6.767917e-31)])
def test_mcnemar_as_printed_for_discordant_items(first: int, second: int, p: float) -> None:
    yes = ["some"] * first + ["centre"] * second + ["some"] * 5
    no = ["centre"] * first + ["some"] * second + ["some"] * 5
    units = len(yes)
    responses = coded(["young"] * units + ["aged"] * units, [*range(units), *range(units)], belief=[*yes, *no])
    settings = {"outcomes": ["belief"], "test": "mcnemar", "levels": ["young", "aged"]}
    row = estimates(declared(PAIRED | settings), responses).filter(term="some").row(0, named=True)
    assert row["p_value"] == pytest.approx(p, rel=2e-7)
    assert row["estimate"] == pytest.approx((first - second) / units, rel=1e-12)


def test_cochran_q_and_units_that_are_not_binary() -> None:
    group, item, score = units_data()
    belief = np.where(score > 0, "some", "centre")
    settings = PAIRED | {"outcomes": ["belief"], "test": "cochran-q"}
    wide = pd.DataFrame({"i": item, "g": group, "s": (score > 0) * 1.0})
    expected = pingouin.cochran(data=wide, dv="s", within="g", subject="i").iloc[0]
    found = estimates(declared(settings), coded(group, item, belief=belief)).filter(term="some").row(0, named=True)
    assert (found["statistic"], found["p_value"]) == pytest.approx((expected["Q"], expected["p_unc"]), rel=1e-9)
    mixed = coded([*group, "young"], [*item, 0], belief=[*belief, "some" if belief[0] == "centre" else "centre"])
    assert set(estimates(declared(settings), mixed)["status"]) == {"degenerate"}


def test_bayes_factors_as_printed() -> None:
    """Rouder et al. (2009): t = 2.24 of 80 observations at the scale 1 is BF01 = 1.56; here by pingouin at 0.7071."""
    group, item, score = units_data()
    two = PAIRED | {"levels": ["young", "aged"], "test": "bayes-factor"}
    found = estimates(declared(two), coded(group, item, score=score)).row(0, named=True)
    t = stats.ttest_rel(score[group == "young"], score[group == "aged"]).statistic
    expected = float(pingouin.bayesfactor_ttest(t, 15, r=0.5**0.5))
    assert (found["effect"], found["estimate"]) == pytest.approx((expected, np.log(expected)), rel=1e-9)
    assert found["p_value"] is None


@pytest.mark.slow
@pytest.mark.parametrize(("test", "units"), [("t", 6), ("t", 20), ("wilcoxon", 20), ("sign-flip", 10)])
def test_size_within_units(test: PairedTest, units: int) -> None:
    """Units with a level effect of their own and 4 responses a level: 5% of true nulls are rejected, not 35%."""
    generator, runs = np.random.default_rng(units), trials(400)
    own = generator.normal(size=(runs, units, 2, 1)) + generator.normal(size=(runs, units, 1, 1))
    score = own + generator.normal(size=(runs, units, 2, 4))
    run, item, level, _ = (each.ravel() for each in list[Any](np.indices(score.shape)))
    columns = {"run": run, "item": item, "group": level, "value": score.ravel()}
    frame = pl.DataFrame(columns).with_columns(
        pl.col("group").cast(pl.String), outcome=pl.lit("score"), term=pl.lit("comparison"), count=pl.lit(1)
    )
    found = paired_comparisons(frame, ["run"], "group", ["0", "1"], "item", test=test)
    assert found["confidence"].is_null().all() if test != "t" else (found["confidence"] == 0.95).all()  # of an interval
    assert abs((found["p_value"] < 0.05).sum() / runs - 0.05) <= within(0.03)


@pytest.mark.parametrize(
    ("declaration", "message"),
    [
        (COMPARISON | {"test": "mann-whitney"}, "3 levels of group: expected two levels, or pairwise = true"),
        (COMPARISON | {"alternative": "less"}, "'less' is of two levels"),
        (COMPARISON | {"levels": ["young"]}, "1 levels of group"),
        (COMPARISON | {"cluster": "group"}, "'group' is the factor"),
        (PAIRED | {"cluster": [], "levels": ["young", "aged"]}, "expected the column of the units"),
        (PAIRED | {"test": "friedman", "levels": ["young", "aged"]}, "three levels or more"),
        (COMPARISON | {"test": "bayes-factor", "pairwise": True, "family": {}}, "has no p-values"),
    ],
)
def test_faults(declaration: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        declared(declaration)


def test_results_do_not_depend_on_the_order_of_rows() -> None:
    group, item, score = units_data()
    responses = coded(group, item, score=score)
    shuffled = responses.sample(fraction=1, shuffle=True, seed=1)
    for settings in (
        PAIRED | {"test": "sign-flip", "pairwise": True},
        COMPARISON | {"test": "permutation", "pairwise": True},
    ):
        one, other = (estimates(declared(settings), each) for each in (responses, shuffled))
        assert one.equals(other)


def test_no_values_at_a_level_is_no_data() -> None:
    group, score = groups_data()
    kept = group != "aged"
    found = estimates(declared(COMPARISON), coded(group[kept], range(int(kept.sum())), score=score[kept]))
    assert found["status"].to_list() == ["no-data"]
    constant = estimates(declared(COMPARISON), coded(group, range(group.size), score=np.ones(group.size)))
    assert constant.select("status", "p_value").rows() == [("degenerate", None)]
    assert pl.Series(constant["n"]).to_list() == [38]
