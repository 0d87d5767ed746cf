"""How far an outcome agrees with a factor that codes the same responses."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.statistics.categories.agreement import agreement
from tallybook.study.coding import ScoreOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.coding import Outcome

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


def hand_agreement(pairs: pl.DataFrame, outcomes: Mapping[str, Outcome], *, confidence: float = 0.95) -> pl.DataFrame:
    """Percent agreement and Cohen's kappa of the rules with hand codes, outcome by outcome."""
    found = agreement(pairs.rename({"outcome": _OUTCOME}), [_OUTCOME], "rules", "hand", confidence=confidence)
    scores = [name for name, outcome in outcomes.items() if isinstance(outcome, ScoreOutcome)]
    place = pl.col("outcome").replace_strict(list(outcomes), range(len(outcomes)), return_dtype=pl.Int32)
    return (
        found.with_columns(pl.col(_OUTCOME).alias("outcome"))
        .drop(_OUTCOME, "analysis")
        .filter(~pl.col("outcome").is_in(scores) | (pl.col("term") == "agreement"))
        .sort(place, maintain_order=True)
    )
