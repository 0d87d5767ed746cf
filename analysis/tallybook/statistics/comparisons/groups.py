"""Tests for independent groups, by scipy, statsmodels and pingouin; the units are responses or means of clusters."""

from __future__ import annotations

import math
from functools import partial
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.estimates import each_cell, estimates_of
from tallybook.statistics.seeds import stream, stream_keys
from tallybook.statistics.tails import log_chi_square_tail

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.tails import Alternative


TERM = "comparison"
"""The term of a comparison of scores."""


class Tested(NamedTuple):
    """The results of a test; NaN where undefined."""

    estimate: float
    statistic: float
    p_value: float
    method: str
    df: float = math.nan
    df2: float = math.nan
    effect: float = math.nan
    effect_kind: str | None = None
    log_p_value: float = math.nan
    std_error: float = math.nan
    ci_low: float = math.nan
    ci_high: float = math.nan
    null_value: float = math.nan


def units(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Compute the mean value of every unit."""
    value, count = pl.col("value"), pl.col("count")
    whole = frame.sort([*keys, "value"]).group_by(keys, maintain_order=True)
    return whole.agg((value * count).sum() / count.sum()).with_columns(pl.lit(1).alias("count"))


def cell_key(seed: int, row: Mapping[str, Any], keys: Sequence[str]) -> NDArray[np.uint64]:
    """Return the key of the random stream of a row."""
    named = {name: [str(row[name])] for name in keys}
    return stream_keys(seed, pl.DataFrame(named), "comparison of levels")[0]


def level_sets(levels: Sequence[str], *, pairwise: bool) -> list[tuple[str, ...]]:
    """List the sets of levels to compare: all at once, or every pair."""
    return list(combinations(levels, 2)) if pairwise else [tuple(levels)]


def compared(
    frame: pl.DataFrame,
    by: Sequence[str],
    sets: Sequence[tuple[str, ...]],
    samples: Callable[[pl.DataFrame, tuple[str, ...]], tuple[int, list[Floats]]],
    test: Callable[[list[Floats], Mapping[str, Any]], Tested | None],
) -> pl.DataFrame:
    """Test sets of levels in every cell.

    Args:
        samples: A function that returns a cell's number of units and the values at each level.
        test: A function that tests the values, given the row's key; it returns None where there is no test.

    Returns:
        Estimates, a row a cell, outcome, term and set of levels; a term names its levels if there are several sets.
        Without values at a level the status is `no-data`, without test `degenerate`.
    """
    keys = [*by, "outcome", "term"]
    rows: list[Mapping[str, Any]] = []
    for named, cell in each_cell(frame, keys):
        for levels in sets:
            n, values = samples(cell, levels)
            row = named | {"term": _term(named["term"], levels, several=len(sets) > 1), "n": n, "method": ""}
            if not all(each.size for each in values):
                rows.append(row | {"status": "no-data"})
            elif (found := test(values, row)) is None or not math.isfinite(found.estimate):
                rows.append(row | {"status": "degenerate"})
            else:
                if math.isnan(found.log_p_value):
                    found = found._replace(log_p_value=_log(found.p_value))
                rows.append(row | found._asdict() | {"status": "ok"})
    return estimates_of(rows, frame, by)


def _log(p: float) -> float:
    return min(0.0, math.log(p)) if p > 0 else math.nan


def _term(term: str, levels: tuple[str, ...], *, several: bool) -> str:
    pair = " - ".join(levels)
    return term if not several else pair if term == TERM else f"{term}: {pair}"


GroupTest: TypeAlias = Literal[
    "welch-anova", "anova", "kruskal-wallis", "mann-whitney", "permutation", "ceat", "bayes-factor"
]
CONTEXTS = 1_000
"""The number of draws of one response a cluster for a combined effect size."""
DRAWS = 9_999
"""The number of random permutations if not all permutations are enumerated."""
MOST = 50_000_000
"""The maximum number of responses of a cell if these are the units: the libraries take one value per unit."""


def group_comparisons(
    frame: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    levels: Sequence[str],
    *,
    test: GroupTest = "welch-anova",
    alternative: Alternative = "two-sided",
    pairwise: bool = False,
    cluster: str | None = None,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare the values of independent groups in every cell.

    - welch-anova: Welch's F, which allows unequal variances; anova: Fisher's F (statsmodels' `anova_oneway`; R:
      oneway.test). The effect is eta squared.
    - kruskal-wallis: H with correction for ties (scipy `kruskal`); the effect is epsilon squared, H / (n - 1).
    - mann-whitney: U of the first group, exact without ties up to 8 units a group, else normal without correction for
      continuity (scipy `mannwhitneyu`); the estimate is U / (n1 n2), the probability that a unit of the first group
      exceeds one of the second, a tie counting half. The effect is the rank-biserial correlation.
    - permutation: the difference of means, with units permuted between the groups in all ways or 9,999 times (scipy
      `permutation_test`); the effect is the difference divided by the standard deviation of all units. Of association
      scores of words in two target sets it is the WEAT (Caliskan, Bryson & Narayanan 2017).
    - ceat: of words in contexts (clusters), the combined effect size of `CONTEXTS` draws of one context a word (CEAT,
      Guo & Caliskan 2021): the random-effects mean of their WEAT effects (DerSimonian & Laird), each with the variance
      1 / n1 + 1 / n2 + d² / (2 (n1 + n2)). p is that of the permutation test of the means of words: the draws are no
      independent studies, whatever their number.
    - bayes-factor: ln BF10 of Student's t (pingouin `bayesfactor_ttest`), without p-value.

    Args:
        alternative: For two groups: `greater` if the first is expected to be above the second, `less` if below.
        pairwise: Whether every pair of groups is tested, instead of all at once.
        cluster: The column of the clusters, whose means are the units. If None, every response is a unit.
        seed: The seed of random permutations, combined with the cell's key.

    Returns:
        Estimates; n is the number of units. The estimate is the test statistic unless said otherwise.

    Raises:
        ValueError: A cluster occurs at several levels, so that groups are not independent; or a cell has more than
            `MOST` responses.

    References:
        Welch, B. L. (1951). On the comparison of several mean values. Biometrika, 38, 330-336. Kruskal, W. H. & Wallis,
        W. A. (1952). JASA, 47, 583-621. Mann, H. B. & Whitney, D. R. (1947). Annals of Mathematical Statistics, 18,
        50-60. Guo, W. & Caliskan, A. (2021). Detecting emergent intersectional biases. AIES, 122-133. DerSimonian, R. &
        Laird, N. (1986). Meta-analysis in clinical trials. Controlled Clinical Trials, 7, 177-188.
    """
    keys = [*by, "outcome", "term"]
    own = frame.filter(pl.col(factor).is_in(list(levels)), pl.col("value").is_not_null(), pl.col("count") > 0)
    if test == "ceat" and (cluster is None or pairwise or len(levels) != 2):  # noqa: PLR2004  two sets of words
        raise ValueError("'ceat' is of two levels, not pairwise, whose words are the clusters")
    contexts = own
    if cluster is not None:
        _refuse_shared(own, factor, cluster)
        own = units(own, [*keys, factor, cluster])

    def samples(cell: pl.DataFrame, chosen: tuple[str, ...]) -> tuple[int, list[Floats]]:
        parts = [cell.filter(pl.col(factor) == level).sort("value") for level in chosen]
        if (size := sum(int(part["count"].sum()) for part in parts)) > MOST:
            raise ValueError(f"{size:,} responses in a cell: {test} takes at most {MOST:,}; expected a cluster")
        values = [np.repeat(part["value"].to_numpy().astype(np.float64), part["count"].to_numpy()) for part in parts]
        return sum(each.size for each in values), values

    def run(values: list[Floats], row: Mapping[str, Any]) -> Tested | None:
        if np.ptp(np.concatenate(values)) == 0:
            return None
        if test == "permutation":
            return _permutation(values, alternative, stream(cell_key(seed, row, keys)))
        if test == "ceat" and cluster is not None:
            generator = stream(cell_key(seed, row, keys))
            words = contexts.filter(pl.col(name).eq_missing(pl.lit(row[name])) for name in keys)
            tested = _permutation(values, alternative, generator)
            return _combined([_contexts(words, factor, cluster, level) for level in levels], tested, generator)
        return _mann_whitney(values, alternative) if test == "mann-whitney" else _TESTS[test](values)

    found = compared(own, by, level_sets(levels, pairwise=pairwise), samples, run)
    return found if cluster is None else found.with_columns(pl.col("n").alias("clusters"))


def _refuse_shared(frame: pl.DataFrame, factor: str, cluster: str) -> None:
    levels = frame.group_by(cluster).agg(pl.col(factor).n_unique().alias("levels"), pl.col(factor).unique().sort())
    shared = levels.filter(pl.col("levels") > 1).sort(cluster)
    if shared.height:
        name, _, at = shared.row(0)
        raise ValueError(
            f"{shared.height:,} of {levels.height:,} clusters occur at several levels of {factor!r} "
            f"({cluster} {name!r} at {', '.join(at[:3])}): groups are not independent; expected "
            "'paired-comparison' in place of 'group-comparison', or cluster = []"
        )


def _anova(values: list[Floats], *, equal: bool) -> Tested | None:
    from scipy import stats
    from statsmodels.stats import oneway

    spread = [each.var(ddof=1) if each.size > 1 else 0.0 for each in values]
    total = sum(each.size for each in values)
    if (not equal and min(spread) == 0) or max(spread) == 0 or total <= len(values):
        return None
    anova: Any = oneway.anova_oneway  # pyright: ignore[reportUnknownVariableType]
    found = anova(values, use_var="equal" if equal else "unequal")
    first, second = float(found.df_num), float(found.df_denom)
    together = np.concatenate(values)
    between = sum(each.size * (each.mean() - together.mean()) ** 2 for each in values)
    name = "one-way ANOVA" if equal else "Welch's ANOVA"
    return Tested(
        estimate=float(found.statistic),
        statistic=float(found.statistic),
        p_value=float(found.pvalue),
        log_p_value=float(stats.f.logsf(found.statistic, first, second)),
        df=first,
        df2=second,
        effect=between / np.square(together - together.mean()).sum(),
        effect_kind="eta_squared",
        method=name,
    )


def _kruskal(values: list[Floats]) -> Tested:
    from scipy import stats

    found: Any = stats.kruskal(*values)
    statistic, n = float(found.statistic), sum(each.size for each in values)
    tested = chi_square(
        statistic,
        len(values) - 1.0,
        "Kruskal-Wallis test",
        effect=statistic / (n - 1.0),
        effect_kind="epsilon_squared",
    )
    return tested._replace(p_value=float(found.pvalue))


def chi_square(
    statistic: float, df: float, method: str, *, effect: float = math.nan, effect_kind: str | None = None
) -> Tested:
    """Return the result of a test whose statistic is referred to a chi-squared distribution."""
    log_p = float(log_chi_square_tail(statistic, df))
    return Tested(
        estimate=statistic,
        statistic=statistic,
        df=df,
        p_value=math.exp(log_p),
        log_p_value=log_p,
        effect=effect,
        effect_kind=effect_kind,
        method=method,
    )


def _mann_whitney(values: list[Floats], alternative: Alternative) -> Tested:
    from scipy import stats

    first, second = values
    found: Any = stats.mannwhitneyu(first, second, alternative=alternative, use_continuity=False)
    superiority = float(found.statistic) / (first.size * second.size)
    return Tested(
        estimate=superiority,
        statistic=float(found.statistic),
        p_value=float(found.pvalue),
        effect=2.0 * superiority - 1.0,
        effect_kind="rank_biserial",
        null_value=0.5,
        method=f"Mann-Whitney test, {alternative}",
    )


def _permutation(values: list[Floats], alternative: Alternative, generator: np.random.Generator) -> Tested:
    from scipy import stats

    def gap(first: Floats, second: Floats, axis: int) -> Floats:
        return np.mean(first, axis=axis) - np.mean(second, axis=axis)

    sizes = [each.size for each in values]
    exact = math.comb(sum(sizes), sizes[0]) <= DRAWS
    found: Any = stats.permutation_test(
        values, gap, alternative=alternative, n_resamples=DRAWS, rng=generator, vectorized=True, batch=200
    )
    how = "exact" if exact else f"{DRAWS} permutations"
    return Tested(
        estimate=float(found.statistic),
        statistic=float(found.statistic),
        p_value=float(found.pvalue),
        null_value=0.0,
        effect=float(found.statistic) / float(np.concatenate(values).std(ddof=1)),
        effect_kind="standardised_difference",
        method=f"permutation test of the difference of means, {how}, {alternative}",
    )


def _contexts(words: pl.DataFrame, factor: str, cluster: str, level: str) -> list[Floats]:
    """Return the values of each word's contexts."""
    own = words.filter(pl.col(factor) == level).sort(cluster, "value").partition_by(cluster, maintain_order=True)
    return [np.repeat(one["value"].to_numpy().astype(np.float64), one["count"].to_numpy()) for one in own]


def _combined(sets: list[list[Floats]], tested: Tested, generator: np.random.Generator) -> Tested | None:
    """Combine the effect sizes of draws of one context a word (statsmodels' variance between draws may be negative)."""
    first, second = (
        np.array([generator.choice(word, CONTEXTS) for word in words]) if words else np.empty((0, CONTEXTS))
        for words in sets
    )
    m, n = len(first), len(second)
    with np.errstate(all="ignore"):
        sizes: Floats = (first.mean(axis=0) - second.mean(axis=0)) / np.concatenate([first, second]).std(axis=0, ddof=1)
    sizes = sizes[np.isfinite(sizes)]
    if not sizes.size:
        return None
    variances = 1 / m + 1 / n + np.square(sizes) / (2 * (m + n))
    weights = 1 / variances
    excess = (weights * np.square(sizes - np.average(sizes, weights=weights))).sum() - (sizes.size - 1)
    between = max(0.0, excess / (weights.sum() - np.square(weights).sum() / weights.sum()))
    return tested._replace(
        estimate=float(np.average(sizes, weights=1 / (variances + between))),
        statistic=tested.estimate,
        effect_kind="effect_of_means",
        method=f"combined effect size of {CONTEXTS:,} draws of contexts; {tested.method}",
    )


def _bayes_factor(values: list[Floats]) -> Tested | None:
    from scipy import stats

    found: Any = stats.ttest_ind(*values)
    return bayes_factor(float(found.statistic), float(found.df), values[0].size, values[1].size)


def bayes_factor(t: float, df: float, first: int, second: int | None = None) -> Tested | None:
    """Compute the JZS Bayes factor of a t statistic, by pingouin.

    References:
        Rouder, J. N., Speckman, P. L., Sun, D., Morey, R. D. & Iverson, G. (2009). Bayesian t tests for accepting and
        rejecting the null hypothesis. Psychonomic Bulletin & Review, 16, 225-237.
    """
    import pingouin

    if not math.isfinite(t):
        return None
    factor_of: Any = pingouin.bayesfactor_ttest  # pyright: ignore[reportUnknownVariableType]
    try:
        factor = float(factor_of(t, first, second, r=math.sqrt(0.5)))
    except ZeroDivisionError:  # beyond the largest float
        factor = math.inf
    return Tested(
        estimate=math.log(factor) if 0 < factor < math.inf else math.nan,
        statistic=t,
        df=df,
        p_value=math.nan,
        effect=factor,
        effect_kind="bf10",
        method="JZS Bayes factor, Cauchy prior of scale 0.7071",
    )


_TESTS: dict[str, Callable[[list[Floats]], Tested | None]] = {
    "welch-anova": partial(_anova, equal=False),
    "anova": partial(_anova, equal=True),
    "kruskal-wallis": _kruskal,
    "bayes-factor": _bayes_factor,
}
