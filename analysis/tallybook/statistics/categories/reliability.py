"""Agreement of several raters about the same units, and of factor levels in the mean scores of units."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.estimates import each_cell, estimates_of
from tallybook.statistics.tails import critical_value

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from tallybook.statistics.arrays import Floats


PAIR_TERMS = ("agreement", "cohen_kappa")
"""The coefficients for categories given by two raters."""
SCORE_TERMS = ("krippendorff_alpha", "icc_1", "icc_2", "icc_3")
"""The coefficients for scores."""
_ROUNDING, _TWO = 1e-12, 2


def category_reliability(
    frame: pl.DataFrame,
    by: Sequence[str],
    unit: str,
    category: str,
    *,
    raters: tuple[str, Sequence[str]] = ("", ()),
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute the reliability of categories that several raters gave the same units.

    With m ratings of a unit, c of which are of one category, and n in all, C of the category:

    - fleiss_kappa: of units with equally many ratings (the most frequent number): with P the mean of
      (sum c² - m) / (m (m - 1)) and e = sum (C / n)², (P - e) / (1 - e).
    - krippendorff_alpha: of units with two ratings or more: 1 - (n - 1) sum (m² - sum c²) / (m - 1) / (n² - sum C²).
    - agreement and cohen_kappa: of two raters, over the units that both rated: the share P rated alike, and kappa = (P
      - e) / (1 - e), with e the sum of the products of their shares; several ratings of a unit by one rater have equal
      weights that sum to 1.

    Args:
        category: The column of the categories; rows without a category are not ratings.
        raters: The column of the raters, and their names.

    Returns:
        Estimates: n is the number of units; standard error and Student's interval by leaving out one unit at a time.

    Source:
        Cohen, J. (1960). Educational and Psychological Measurement, 20, 37-46. Fleiss, J. L. (1971). Psychological
        Bulletin, 76, 378-382. Krippendorff, K. (2019). Content Analysis (4th ed.).
    """
    rater, names = raters
    known = frame.filter(pl.col(category).is_not_null(), pl.col("count") > 0)

    def sums(cell: pl.DataFrame) -> dict[str, Floats]:
        counts = cell.pivot(category, index=unit, values="count", aggregate_function="sum").sort(unit).drop(unit)
        table = counts.fill_null(0).to_numpy().astype(np.float64)
        ratings = table.sum(axis=1)
        several = table[ratings > 1]
        m = several.sum(axis=1)
        sizes, times = np.unique(m, return_counts=True)
        alike = several[m == sizes[times.argmax()]] if m.size else several
        k = alike.sum(axis=1)
        shared = (np.square(alike).sum(axis=1) - k) / (k * (k - 1))
        apart = (m**2 - np.square(several).sum(axis=1)) / (m - 1)
        of_two = _joint(cell, unit, category, rater, names) if len(names) == _TWO else np.zeros((0, 1))
        return {
            "fleiss_kappa": np.column_stack([np.ones(len(alike)), shared, alike]),
            "krippendorff_alpha": np.column_stack([apart, several]),
            **dict.fromkeys(PAIR_TERMS, of_two),
        }

    coefficients = {"fleiss_kappa": _fleiss, "krippendorff_alpha": _nominal}
    if len(names) == _TWO:
        coefficients |= {"agreement": _alike, "cohen_kappa": _cohen}
    return _estimated(known, by, sums, coefficients, confidence)


def _joint(cell: pl.DataFrame, unit: str, category: str, rater: str, names: Sequence[str]) -> Floats:
    """Cross-tabulate the categories of two raters, in a row for each unit that both rated."""
    units, of = np.unique(cell.get_column(unit).to_numpy(), return_inverse=True)
    known, given = np.unique(cell.get_column(category).to_numpy(), return_inverse=True)
    table = np.zeros((2, units.size, known.size))
    second = (cell.get_column(rater) == names[1]).to_numpy().astype(np.intp)
    np.add.at(table, (second, of, given), cell.get_column("count").to_numpy())
    table = table[:, (table.sum(axis=2) > 0).all(axis=0)]
    first, other = table / table.sum(axis=2, keepdims=True)
    return (first[:, :, None] * other[:, None, :]).reshape(len(first), first.shape[1] * other.shape[1])


def _alike(sums: Floats) -> Floats:
    return sums[..., :: int(np.sqrt(sums.shape[-1])) + 1].sum(axis=-1) / sums.sum(axis=-1)


def _cohen(sums: Floats) -> Floats:
    size = int(np.sqrt(sums.shape[-1]))
    table = sums.reshape(*sums.shape[:-1], size, size) / sums.sum(axis=-1)[..., None, None]
    chance = (table.sum(axis=-1) * table.sum(axis=-2)).sum(axis=-1)
    return (_alike(sums) - chance) / _positive(1 - chance)


def score_reliability(
    frame: pl.DataFrame, by: Sequence[str], unit: str, rater: str, *, confidence: float = 0.95
) -> pl.DataFrame:
    """Compute the reliability of scores that several raters gave the same units.

    - krippendorff_alpha: with the interval metric, of units with two ratings or more.
    - icc_1, icc_2, icc_3: Shrout and Fleiss' ICC(1,1), (2,1) and (3,1): one-way, absolute agreement, consistency.

    All but the first are of units with a score of every rater; several scores of a rater are averaged.

    Returns:
        Estimates as those of `category_reliability`.

    Source:
        Shrout, P. E. & Fleiss, J. L. (1979). Psychological Bulletin, 86, 420-428.
        Krippendorff (2019).
    """
    value, count = pl.col("value"), pl.col("count")
    known = frame.filter(value.is_not_null(), count > 0)
    means = known.sort(*by, unit, rater, "value").group_by([*by, unit, rater], maintain_order=True)
    known = means.agg((value * count).sum() / count.sum())

    def sums(cell: pl.DataFrame) -> dict[str, Floats]:
        table = cell.pivot(rater, index=unit, values="value").sort(unit).drop(unit).to_numpy().astype(np.float64)
        table = table - np.nanmean(table)  # for accuracy: all coefficients depend on differences only
        given = ~np.isnan(table)
        m, full = given.sum(axis=1), table[given.all(axis=1)]
        several = np.where(given, table, 0.0)[m > 1]
        m, total, squares = m[m > 1], several.sum(axis=1), np.square(several).sum(axis=1)
        apart = 2 * (m * squares - total**2) / (m - 1)
        row = full.sum(axis=1)
        moments = np.column_stack([np.ones(len(full)), np.square(full).sum(axis=1), row**2, full])
        alpha = {"krippendorff_alpha": np.column_stack([apart, m, total, squares])}
        return alpha | dict.fromkeys(SCORE_TERMS[1:], moments)

    return _estimated(known, by, sums, {"krippendorff_alpha": _interval, **_OF_VARIANCE}, confidence)


def _fleiss(sums: Floats) -> Floats:
    shares = sums[..., 2:] / sums[..., 2:].sum(axis=-1, keepdims=True)
    chance = np.square(shares).sum(axis=-1)
    return (sums[..., 1] / sums[..., 0] - chance) / _positive(1 - chance)


def _nominal(sums: Floats) -> Floats:
    n = sums[..., 1:].sum(axis=-1)
    return 1 - (n - 1) * sums[..., 0] / _positive(n**2 - np.square(sums[..., 1:]).sum(axis=-1))


def _interval(sums: Floats) -> Floats:
    apart, n, total, squares = np.moveaxis(sums, -1, 0)
    return 1 - (n - 1) * apart / _positive(2 * (n * squares - total**2))


def _variances(sums: Floats) -> tuple[Floats, Floats, Floats, Floats, float]:
    """Compute the mean squares between units, within units, between raters and residual, and the number of raters."""
    n, squares, rows, raters = sums[..., 0], sums[..., 1], sums[..., 2], sums[..., 3:]
    k = raters.shape[-1]
    centre = raters.sum(axis=-1) ** 2 / (n * k)
    between, across = rows / k - centre, np.square(raters).sum(axis=-1) / n - centre
    rest = np.maximum(squares - centre - between - across, 0.0)
    within = (across + rest) / (n * (k - 1))
    return between / (n - 1), within, across / (k - 1), rest / ((n - 1) * (k - 1)), float(k)


def _icc_1(sums: Floats) -> Floats:
    units, within, _, _, k = _variances(sums)
    return (units - within) / _positive(units + (k - 1) * within)


def _icc_2(sums: Floats) -> Floats:
    units, _, raters, rest, k = _variances(sums)
    return (units - rest) / _positive(units + (k - 1) * rest + k * (raters - rest) / sums[..., 0])


def _icc_3(sums: Floats) -> Floats:
    units, _, _, rest, k = _variances(sums)
    return (units - rest) / _positive(units + (k - 1) * rest)


def _positive(number: Floats) -> Floats:
    return np.where(number > _ROUNDING, number, np.nan)


_OF_VARIANCE: dict[str, Callable[[Floats], Floats]] = {
    "icc_1": _icc_1,
    "icc_2": _icc_2,
    "icc_3": _icc_3,
}


def _estimated(
    frame: pl.DataFrame,
    by: Sequence[str],
    sums: Callable[[pl.DataFrame], dict[str, Floats]],
    coefficients: dict[str, Callable[[Floats], Floats]],
    confidence: float,
) -> pl.DataFrame:
    """Compute coefficients from sums over units, with standard errors by leaving out each unit."""
    rows: list[dict[str, Any]] = []
    for key, cell in each_cell(frame, by):
        parts = sums(cell) if cell.height else {}
        for term, coefficient in coefficients.items():
            own = parts.get(term, np.zeros((0, 1)))
            n = len(own)
            row = key | {"term": term, "n": n, "clusters": n, "method": _METHOD}
            with np.errstate(all="ignore"):
                estimate = float(coefficient(own.sum(axis=0))) if n > 1 else np.nan
                left = coefficient(own.sum(axis=0) - own) if n > 1 else np.zeros(0)
                error = float(np.sqrt((n - 1) / n * np.square(left - estimate).sum())) if n > 1 else np.nan
            if np.isfinite(estimate):
                row |= {"estimate": estimate, "status": "ok"}
            else:
                row |= {"status": "degenerate" if n else "no-data"}
            if error > _ROUNDING:
                reach = float(critical_value((1 - confidence) / 2, n - 1)) * error
                row |= {"std_error": error, "df": n - 1.0, "confidence": confidence}
                row |= {"ci_low": estimate - reach, "ci_high": min(estimate + reach, 1.0)}
            rows.append(row)
    return estimates_of(rows, frame, by)


_METHOD = "error by leaving out one unit at a time"


Measure: TypeAlias = Literal["pearson", "spearman", "cronbach-alpha"]


def level_agreement(
    counts: pl.DataFrame,
    by: Sequence[str],
    factor: str,
    unit: str,
    *,
    within: Sequence[str] = (),
    measure: Measure = "pearson",
    ratios: bool = False,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Compute the agreement of the levels of a factor in the mean scores of units, in every cell.

    A level's scores are the means of its units. "pearson" and "spearman": the mean correlation of all pairs of levels
    over the units that both have, by scipy; "cronbach-alpha": alpha of the levels as items of a scale, over the units
    that all have, by pingouin, with Feldt's interval.

    Args:
        counts: Scores, as `score_means.scored` gives them.
        factor: The factor whose levels are compared.
        unit: The column that names the units.
        within: Factors within whose combinations the levels are compared; all pairs of a cell have the same weight.
        measure: The coefficient that is computed.
        ratios: Whether scores are logarithms of ratios, whose means are compared as ratios.

    Returns:
        Estimates, one a cell and outcome: term `correlation` or `alpha`; n is the number of pairs of levels that have
        a correlation, of alpha the number of units. Without any, or with several sets of levels for alpha, the status
        is `no-data`.

    Source:
        Feldt, L. S., Woodruff, D. J., & Salih, F. A. (1987). Statistical inference for coefficient alpha. Applied
        Psychological Measurement, 11(1), 93-103.
    """
    keys = [*by, "outcome"]
    groups = list(dict.fromkeys([*keys, *within]))
    value, weight = pl.col("value"), pl.col("count")
    mean = (value * weight).sum() / weight.sum()
    means = (
        counts.filter(value.is_not_null())
        .sort([*groups, factor, unit, "value"])
        .group_by([*groups, factor, unit], maintain_order=True)
        .agg((mean.exp() if ratios else mean).alias("mean"))
    )
    rows: list[dict[str, Any]] = []
    for key, cell in means.group_by(keys, maintain_order=True):
        wide = [_wide(part, factor, unit) for _, part in cell.group_by(groups, maintain_order=True)]
        found = _cronbach(wide, confidence) if measure == "cronbach-alpha" else _mean_correlation(wide, measure)
        rows.append(dict(zip(keys, key, strict=True)) | {"confidence": confidence} | found)
    return estimates_of(rows, means, keys)


def _wide(means: pl.DataFrame, factor: str, unit: str) -> Floats:
    """Pivot means into a row for each unit and a column for each level; NaN where a level lacks a unit."""
    wide = means.pivot(factor, index=unit, values="mean").sort(unit).drop(unit)
    return wide.select(pl.all().fill_null(float("nan"))).to_numpy()


def _mean_correlation(wide: Sequence[Floats], measure: Measure) -> dict[str, Any]:
    found = [r for scores in wide for r in _correlations(scores, measure)]
    known = sorted(r for r in found if np.isfinite(r))
    missing = "" if len(known) == len(found) else f" of {len(found)}"
    return {
        "term": "correlation",
        "n": len(known),
        "estimate": float(np.sum(known) / len(known)) if known else None,
        "method": f"mean of {len(known)}{missing} {measure} correlations",
        "status": "ok" if known else "no-data",
    }


def _correlations(scores: Floats, measure: Measure) -> Iterator[float]:
    from scipy import stats

    scipy: Any = stats
    correlate = scipy.pearsonr if measure == "pearson" else scipy.spearmanr
    for first, second in combinations(range(scores.shape[1]), 2):
        x, y = scores[~np.isnan(scores[:, [first, second]]).any(axis=1)][:, [first, second]].T
        has_spread = len(x) > 1 and np.ptp(x) > 0 and np.ptp(y) > 0
        yield float(correlate(x, y).statistic) if has_spread else float("nan")


def _cronbach(wide: Sequence[Floats], confidence: float) -> dict[str, Any]:
    import pandas as pd
    import pingouin
    from scipy.stats import f

    made: dict[str, Any] = {
        "term": "alpha",
        "n": 0,
        "method": "Cronbach's alpha, Feldt's interval",
        "status": "no-data",
    }
    if len(wide) != 1:
        return made
    scores = wide[0][~np.isnan(wide[0]).any(axis=1)]
    if scores.shape[1] < 2 or len(scores) < 2 or np.ptp(scores.sum(axis=1)) == 0:  # noqa: PLR2004  a scale, a variance
        return made
    n, k = scores.shape
    alpha_of: Any = pingouin.cronbach_alpha  # pyright: ignore[reportUnknownVariableType]
    alpha = float(alpha_of(data=pd.DataFrame(scores))[0])
    tail = (1 - confidence) / 2  # pingouin rounds the limits to three digits
    low, high = (1 - (1 - alpha) * float(f.isf(q, n - 1, (n - 1) * (k - 1))) for q in (tail, 1 - tail))
    return made | {"n": n, "estimate": alpha, "ci_low": low, "ci_high": high, "status": "ok"}
