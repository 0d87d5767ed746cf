"""Tests for levels within shared units (items, prompts, names), by scipy and statsmodels."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.comparisons.groups import (
    DRAWS,
    Tested,
    bayes_factor,
    cell_key,
    chi_square,
    compared,
    level_sets,
    units,
)
from tallybook.statistics.means.contrasts import paired_contrasts
from tallybook.statistics.means.student import t_tests
from tallybook.statistics.proportions.binomial import binomial_test
from tallybook.statistics.seeds import stream

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tallybook.statistics.arrays import Floats
    from tallybook.statistics.tails import Alternative


PairedTest: TypeAlias = Literal[
    "t", "wilcoxon", "sign-flip", "mcnemar", "bayes-factor", "repeated-anova", "friedman", "cochran-q"
]
OF_BINARY = ("mcnemar", "cochran-q")
"""The tests for units with values 0 or 1."""


def paired_comparisons(
    frame: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    levels: Sequence[str],
    cluster: str,
    *,
    test: PairedTest = "t",
    alternative: Alternative = "two-sided",
    pairwise: bool = False,
    confidence: float = 0.95,
    seed: int = 0,
) -> pl.DataFrame:
    """Compare levels of a factor within units in every cell.

    A unit's value at a level is its mean there; units without a value at one of the compared levels are left out.

    - t: the paired t test with Student's interval; the effect is Cohen's d of the differences (R: t.test with
      paired = TRUE).
    - wilcoxon: signed ranks, zeros left out, exact without ties up to 50 units (scipy `wilcoxon`); the effect is the
      matched-pairs rank-biserial correlation.
    - sign-flip: the mean difference, with the units' signs flipped in all ways or 9,999 times (scipy
      `permutation_test`).
    - mcnemar: the exact binomial test of the discordant units; the estimate is the difference of the shares.
    - bayes-factor: ln BF10 of the paired t (pingouin `bayesfactor_ttest`).
    - repeated-anova: F with Greenhouse and Geisser's correction; the effect is the generalised eta squared.
    - friedman: chi-squared of ranks, corrected for ties (scipy `friedmanchisquare`); the effect is Kendall's W.
    - cochran-q: Cochran's Q of values 0 and 1 (statsmodels `cochrans_q`).

    Args:
        alternative: For two levels: `greater` if the first is expected to be above the second, `less` if below.
        pairwise: Whether every pair of levels is tested, instead of all at once.
        seed: The seed of random signs, combined with the cell's key.

    Returns:
        Estimates; n is the number of units. Status `degenerate` where units do not differ, are too few, or, for
        `mcnemar` and `cochran-q`, are not 0 or 1.

    References:
        Wilcoxon, F. (1945), Biometrics Bulletin 1, 80-83. McNemar, Q. (1947), Psychometrika 12, 153-157. Friedman, M.
        (1937), JASA 32, 675-701. Cochran, W. G. (1950), Biometrika 37, 256-266. Greenhouse, S. W. & Geisser, S. (1959),
        Psychometrika 24, 95-112.
    """
    keys = [*by, "outcome", "term"]
    own = frame.filter(pl.col(factor).is_in(list(levels)), pl.col("value").is_not_null(), pl.col("count") > 0)
    own = units(own, [*keys, factor, cluster])

    def samples(cell: pl.DataFrame, chosen: tuple[str, ...]) -> tuple[int, list[Floats]]:
        wide = cell.filter(pl.col(factor).is_in(chosen)).pivot(factor, index=cluster, values="value").sort(cluster)
        if any(level not in wide.columns for level in chosen):
            return 0, [np.zeros(0)]
        matched = wide.select(chosen).drop_nulls()
        return matched.height, [matched[level].to_numpy().astype(np.float64) for level in chosen]

    def run(values: list[Floats], row: Mapping[str, Any]) -> Tested | None:
        table = np.column_stack(values)
        if len(table) < 2 or (np.ptp(table, axis=1) == 0).all():  # noqa: PLR2004
            return None
        if test in OF_BINARY and not np.isin(table, (0.0, 1.0)).all():
            return None
        if test == "sign-flip":
            return _sign_flip(table, alternative, stream(cell_key(seed, row, keys)))
        if test == "t":
            return _t(table, alternative, confidence)
        return _SIDED[test](table, alternative) if test in _SIDED else _TESTS[test](table)

    found = compared(own, by, level_sets(levels, pairwise=pairwise), samples, run)
    has_interval = pl.col("ci_low").is_not_null() | pl.col("ci_high").is_not_null()
    return found.with_columns(pl.col("n").alias("clusters"), pl.when(has_interval).then(confidence).alias("confidence"))


def _t(table: Floats, alternative: Alternative, confidence: float) -> Tested | None:
    pairs = pl.DataFrame({"first": table[:, 0], "second": table[:, 1], "count": 1})
    contrasts = paired_contrasts(pairs, [], "first", "second")
    found = t_tests(contrasts, [], alternative=alternative, confidence=confidence).row(0, named=True)
    if found["status"] != "ok":
        return None
    known: dict[str, Any] = {
        name: math.nan if found[name] is None else found[name] for name in Tested._fields if name in found
    }
    return Tested(**known)


def _wilcoxon(table: Floats, alternative: Alternative) -> Tested:
    from scipy import stats

    differences = table[:, 0] - table[:, 1]
    found: Any = stats.wilcoxon(differences, alternative=alternative, zero_method="wilcox", correction=False)
    kept = differences[differences != 0]
    ranks = stats.rankdata(np.abs(kept))
    effect = float((ranks * np.sign(kept)).sum() / ranks.sum())
    return Tested(
        estimate=float(np.median(differences)),
        statistic=float(found.statistic),
        p_value=float(found.pvalue),
        null_value=0.0,
        effect=effect,
        effect_kind="rank_biserial",
        method=f"Wilcoxon signed-rank test of {kept.size} units that differ, median difference, {alternative}",
    )


def _sign_flip(table: Floats, alternative: Alternative, generator: np.random.Generator) -> Tested:
    from scipy import stats

    differences = table[:, 0] - table[:, 1]

    def mean(values: Floats, axis: int) -> Floats:
        return np.mean(values, axis=axis)

    # With a single sample, scipy flips the signs of its values.
    found: Any = stats.permutation_test(
        (differences,), mean, permutation_type="samples", alternative=alternative, n_resamples=DRAWS, rng=generator,
        vectorized=True,
    )  # fmt: skip
    how = "exact" if 2**differences.size <= DRAWS else f"{DRAWS} draws"
    return Tested(
        estimate=float(differences.mean()),
        statistic=math.nan,
        p_value=float(found.pvalue),
        null_value=0.0,
        method=f"sign-flip test of the mean difference, {how}, {alternative}",
    )


def _mcnemar(table: Floats, alternative: Alternative) -> Tested:
    from scipy import stats

    first, second = (float((table[:, one] > table[:, other]).sum()) for one, other in ((0, 1), (1, 0)))
    k, n = np.array([first]), np.array([first + second])
    if alternative == "two-sided":
        p, log_p = (float(each[0]) for each in binomial_test(k, n, np.array([0.5])))
    else:
        found: Any = stats.binomtest(int(first), int(first + second), alternative=alternative)
        p = float(found.pvalue)
        log_p = math.nan
    return Tested(
        estimate=(first - second) / len(table),
        statistic=math.nan,
        p_value=p,
        log_p_value=log_p,
        null_value=0.0,
        effect=first / second if second else math.nan,
        effect_kind="odds_ratio",
        method=f"exact McNemar test, {first:.0f} against {second:.0f} units, {alternative}",
    )


def _bayes_factor(table: Floats) -> Tested | None:
    found = _t(table, "two-sided", 0.95)
    return None if found is None else bayes_factor(found.statistic, found.df, len(table))


def _repeated_anova(table: Floats) -> Tested | None:
    from scipy import stats

    n, k = table.shape
    units, levels = table.mean(axis=1, keepdims=True) - table.mean(), table.mean(axis=0) - table.mean()
    residual = table - table.mean() - units - levels
    between, of_units, error = n * np.square(levels).sum(), k * np.square(units).sum(), np.square(residual).sum()
    if error <= 1e-24 * np.square(table).sum():  # a rounding error in place of 0
        return None
    # The residuals' covariance is double-centred; epsilon is computed from its trace.
    covariance = residual.T @ residual
    epsilon = float(np.trace(covariance) ** 2 / ((k - 1) * np.square(covariance).sum()))
    f = float(between / (error / (n - 1)))
    first, second = epsilon * (k - 1), epsilon * (k - 1) * (n - 1)
    return Tested(
        estimate=f,
        statistic=f,
        df=first,
        df2=second,
        p_value=float(stats.f.sf(f, first, second)),
        log_p_value=float(stats.f.logsf(f, first, second)),
        effect=float(between / (between + of_units + error)),
        effect_kind="generalised_eta_squared",
        method=f"repeated-measures ANOVA, Greenhouse-Geisser epsilon {epsilon:.4g}",
    )


def _friedman(table: Floats) -> Tested:
    from scipy import stats

    n, k = table.shape
    found: Any = stats.friedmanchisquare(*table.T)
    square = float(found.statistic)
    return chi_square(square, k - 1.0, "Friedman test", effect=square / (n * (k - 1)), effect_kind="kendall_w")


def _cochran(table: Floats) -> Tested:
    from statsmodels.stats import contingency_tables

    cochrans_q: Any = contingency_tables.cochrans_q  # pyright: ignore[reportUnknownVariableType]
    found = cochrans_q(table)
    return chi_square(float(found.statistic), table.shape[1] - 1.0, "Cochran's Q test")


_SIDED: dict[str, Callable[[Floats, Alternative], Tested]] = {"wilcoxon": _wilcoxon, "mcnemar": _mcnemar}
_TESTS: dict[str, Callable[[Floats], Tested | None]] = {
    "bayes-factor": _bayes_factor,
    "repeated-anova": _repeated_anova,
    "friedman": _friedman,
    "cochran-q": _cochran,
}
