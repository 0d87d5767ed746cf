"""Agreement of an outcome with a factor that codes the same responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.categories.agreement import agreement

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

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
    """Percent agreement and Cohen's kappa of outcomes with a factor, in every cell."""
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


def hand_agreement(
    pairs: pl.DataFrame, outcomes: Sequence[str], scores: Collection[str] = (), *, confidence: float = 0.95
) -> pl.DataFrame:
    """Percent agreement and Cohen's kappa of the rules with hand codes, outcome by outcome.

    Args:
        pairs: `outcome`, `rules`, `hand` and `count`: how often which codes went together, refusal and invalid among
            them.
        outcomes: The outcomes, in their order.
        scores: Those of them that are scores.

    Returns:
        Estimates, two an outcome, of a score only its agreement (numbers are no categories): see `agreement.agreement`.

    >>> codes = {"outcome": ["d"] * 3, "rules": ["a", "b", "invalid"], "hand": ["a", "b", "b"], "count": [4, 4, 2]}
    >>> hand_agreement(pl.DataFrame(codes), ["d"]).select("outcome", "term", "n", "estimate").row(0)
    ('d', 'agreement', 10, 0.8)
    """
    found = agreement(pairs.rename({"outcome": _OUTCOME}), [_OUTCOME], "rules", "hand", confidence=confidence)
    place = pl.col("outcome").replace_strict(outcomes, range(len(outcomes)), return_dtype=pl.Int32)
    return (
        found.with_columns(pl.col(_OUTCOME).alias("outcome"))
        .drop(_OUTCOME, "analysis")
        .filter(~pl.col("outcome").is_in(list(scores)) | (pl.col("term") == "agreement"))
        .sort(place, maintain_order=True)
    )
