"""Agreement of several raters about the same units."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.estimates import COLUMNS, as_estimates
from tallybook.statistics.means.student_distribution import critical_value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

SCORE_TERMS = ("krippendorff_alpha", "icc_1", "icc_2", "icc_3")
"""The coefficients of scores."""
_ROUNDING = 1e-12


def category_reliability(
    frame: pl.DataFrame, by: Sequence[str], unit: str, category: str, *, confidence: float = 0.95
) -> pl.DataFrame:
    """The reliability of categories that several raters gave the same units.

    With m ratings of a unit, c of which are of one category, and n in all, C of the category:

    - fleiss_kappa: of units with equally many ratings (the most frequent number): with P the mean of
      (sum c² - m) / (m (m - 1)) and e = sum (C / n)², (P - e) / (1 - e).
    - krippendorff_alpha: of units with two ratings or more: 1 - (n - 1) sum (m² - sum c²) / (m - 1) / (n² - sum C²).

    Args:
        category: The column of the categories; rows without one are no ratings.

    Returns:
        Estimates: n is the number of units; standard error and Student's interval by leaving out one unit at a time.

    Source:
        Fleiss, J. L. (1971). Psychological Bulletin, 76, 378-382. Krippendorff, K. (2019). Content Analysis (4th ed.).
    """
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
        return {
            "fleiss_kappa": np.column_stack([np.ones(len(alike)), shared, alike]),
            "krippendorff_alpha": np.column_stack([apart, several]),
        }

    return _estimated(known, by, sums, {"fleiss_kappa": _fleiss, "krippendorff_alpha": _nominal}, confidence)


def score_reliability(
    frame: pl.DataFrame, by: Sequence[str], unit: str, rater: str, *, confidence: float = 0.95
) -> pl.DataFrame:
    """The reliability of scores that several raters gave the same units.

    - krippendorff_alpha: with the interval metric, of units with two ratings or more.
    - icc_1, icc_2, icc_3: Shrout and Fleiss' ICC(1,1), (2,1) and (3,1): one-way, absolute agreement, consistency.

    All but the first are of units with a score of every rater; several scores of a rater are averaged.

    Returns:
        As `category_reliability`.

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
        table = table - np.nanmean(table)  # digits: all coefficients are of differences
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
    """Mean squares between units, within them, between raters and of the rest, and the number of raters."""
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
    """Compute coefficients from sums over units, and again without each unit."""
    rows: list[dict[str, Any]] = []
    cells = frame.sort(by).partition_by(by, as_dict=True, maintain_order=True) if by else {(): frame}
    for key, cell in cells.items():
        parts = sums(cell) if cell.height else {}
        for term, coefficient in coefficients.items():
            own = parts.get(term, np.zeros((0, 1)))
            n = len(own)
            row = dict(zip(by, key, strict=True)) | {
                "outcome": "",
                "term": term,
                "n": n,
                "clusters": n,
                "method": _METHOD,
            }
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
    kinds = {name: frame.schema[name] for name in by}
    return as_estimates(pl.DataFrame(rows, schema=kinds | COLUMNS, orient="row"), by)


_METHOD = "error by leaving out one unit at a time"
