"""Agreement of the levels of a factor in the mean scores of the same units."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
import polars as pl

from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.means.score_means import OUTCOME, of_outcomes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

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
        within: Factors; only levels that are equal in all of them are compared, and all pairs of a cell count the same.
        measure: What is computed.
        ratios: Whether scores are logarithms of ratios, whose means are compared as ratios.

    Returns:
        Estimates, one a cell and outcome: term `correlation` or `alpha`; n is the number of pairs of levels that have
        a correlation, of alpha the number of units. Without any, or with levels that alpha cannot hold together, the
        status is `no-data`.

    Source:
        Feldt, L. S., Woodruff, D. J., & Salih, F. A. (1987). Statistical inference for coefficient alpha. Applied
        Psychological Measurement, 11(1), 93-103.
    """
    keys = [*by, OUTCOME]
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
        found = _alpha(wide, confidence) if measure == "cronbach-alpha" else _mean_correlation(wide, measure)
        rows.append(dict(zip(keys, key, strict=True)) | {"outcome": "", "confidence": confidence} | found)
    schema = dict.fromkeys(keys, pl.String()) | {"outcome": pl.String(), "confidence": pl.Float64()}
    schema |= {"term": pl.String(), "n": pl.Int64(), "method": pl.String(), "status": pl.String()}
    schema |= dict.fromkeys(("estimate", "ci_low", "ci_high"), pl.Float64())
    return of_outcomes(as_estimates(pl.DataFrame(rows, schema=schema, orient="row"), keys))


def _wide(means: pl.DataFrame, factor: str, unit: str) -> Floats:
    """A row for each unit, a column for each level; NaN where a level lacks a unit."""
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


def _alpha(wide: Sequence[Floats], confidence: float) -> dict[str, Any]:
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
