"""How far an outcome agrees with a factor that codes the same responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.statistics.categories.agreement import agreement

if TYPE_CHECKING:
    from collections.abc import Sequence

# A column that no tally has.
_OUTCOME = "outcome of the cell"


def coding_agreement(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    factor: str,
    levels: Sequence[str],
    *,
    confidence: float = 0.95,
) -> pl.DataFrame:
    """Percent agreement and Cohen's kappa of outcomes with a factor, in every cell.

    Args:
        tally: A tally.
        by: The factors whose combinations are the cells.
        outcomes: The outcomes that are one coding.
        factor: The factor that is the other coding, with levels named as the categories.
        levels: Its levels that are codes; responses with another level do not count.
        confidence: The level of the intervals.

    Returns:
        Estimates, two a cell and outcome: see `agreement.agreement`. Responses without a category do not count.

    >>> rows = {"hand": ["a", "a", "b", "none"], "category": ["a", "b", "b", "a"], "count": [4, 1, 5, 9]}
    >>> tally = pl.DataFrame(rows).with_columns(pl.lit("code").alias("outcome"), pl.lit("ok").alias("status"))
    >>> found = coding_agreement(tally, [], ["code"], "hand", ["a", "b"])
    >>> found.select("outcome", "term", "n", "estimate").rows()
    [('code', 'agreement', 10, 0.9), ('code', 'cohen_kappa', 10, 0.8)]
    """
    pairs = (
        tally.filter(pl.col("outcome").is_in(list(outcomes)))
        .with_columns(
            pl.when(pl.col(factor).is_in(list(levels))).then(pl.col(factor)).alias(factor),
            pl.when(pl.col("status") == "ok").then(pl.col("category")).alias("category"),
        )
        .rename({"outcome": _OUTCOME})
    )
    found = agreement(pairs, [*by, _OUTCOME], factor, "category", confidence=confidence)
    return found.with_columns(pl.col(_OUTCOME).alias("outcome")).drop(_OUTCOME)
