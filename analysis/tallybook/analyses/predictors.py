"""Models with declared predictors: the factors of products, their check, and the responses that are fitted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.base import must_exist

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    import polars as pl

    from tallybook.study.model import Study

Parts = tuple[str, ...]
"""A predictor: a column, or the columns whose product it is."""


def parts_of(predictors: Iterable[str]) -> list[Parts]:
    """Split products into their columns: `group:age` is that of two."""
    return [tuple(one.split(":")) for one in predictors]


def check_predictors(study: Study, outcome: str, by: Sequence[str], predictors: Sequence[Parts], place: str) -> None:
    """Raise a ValueError if a predictor is neither a factor nor a score that an outcome keeps beside it."""
    known = [*(one for one in study.factors if one not in by), *study.outcomes[outcome].beside]
    every = dict.fromkeys(part for parts in predictors for part in parts)
    must_exist(every, known, f"{place}.predictors", f"factor (not in 'by'), or score that {outcome} keeps beside it")


def fitted(
    tally: pl.DataFrame, outcomes: Sequence[str], category: str | None, fit: Callable[[pl.DataFrame], pl.DataFrame]
) -> pl.DataFrame:
    """Fit each outcome's answers: their scores, or 1 for those of a category and 0 for others."""
    import polars as pl

    value = pl.col("value") if category is None else (pl.col("category") == category).cast(pl.Float64)
    answered = tally.filter(pl.col("status") == "ok").with_columns(value.alias("value"))
    return pl.concat(
        fit(answered.filter(outcome=name)).with_columns(pl.lit(name).alias("outcome")) for name in outcomes
    )
