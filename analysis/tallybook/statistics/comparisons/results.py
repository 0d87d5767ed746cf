"""The result of one test in one cell, and the cells of tests."""

from __future__ import annotations

import math
from itertools import combinations
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import polars as pl

from tallybook.statistics.estimates import COLUMNS, as_estimates
from tallybook.statistics.seeds import stream_keys

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]

TERM = "comparison"
"""The term of a comparison of scores."""


class Tested(NamedTuple):
    """The numbers of a test; NaN where it does not exist."""

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
    """The mean value of every unit."""
    value, count = pl.col("value"), pl.col("count")
    whole = frame.sort([*keys, "value"]).group_by(keys, maintain_order=True)
    return whole.agg((value * count).sum() / count.sum()).with_columns(pl.lit(1).alias("count"))


def cell_key(seed: int, row: Mapping[str, Any], keys: Sequence[str]) -> NDArray[np.uint64]:
    """The key of the random stream of a row."""
    named = {name: [str(row[name])] for name in keys}
    return stream_keys(seed, pl.DataFrame(named), "comparison of levels")[0]


def level_sets(levels: Sequence[str], *, pairwise: bool) -> list[tuple[str, ...]]:
    """The comparison: all levels at once, or each two of them."""
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
        sets: The sets of levels.
        samples: Gives a cell's number of units and the values of each level.
        test: Gives the numbers of a test, from the values and the row's key; None where it does not exist.

    Returns:
        Estimates, a row a cell, outcome, term and set of levels; a term names its levels if there are several sets.
        Without values at a level the status is `no-data`, without test `degenerate`.
    """
    keys = [*by, "outcome", "term"]
    rows: list[Mapping[str, Any]] = []
    for key, cell in frame.sort(keys).partition_by(keys, as_dict=True, maintain_order=True).items():
        named = dict(zip(keys, key, strict=True))
        for levels in sets:
            n, values = samples(cell, levels)
            row = named | {"term": _term(named["term"], levels, several=len(sets) > 1), "n": n, "method": ""}
            if not all(each.size for each in values):
                rows.append(row | {"status": "no-data"})
            elif (found := test(values, row)) is None or not math.isfinite(found.estimate):
                rows.append(row | {"status": "degenerate"})
            else:
                own = (
                    found if found.log_p_value == found.log_p_value else found._replace(log_p_value=_log(found.p_value))
                )
                rows.append(row | own._asdict() | {"status": "ok"})
    kinds = {name: frame.schema[name] for name in by}
    return as_estimates(pl.DataFrame(rows, schema=kinds | COLUMNS, orient="row"), by)


def _log(p: float) -> float:
    return min(0.0, math.log(p)) if p > 0 else math.nan


def _term(term: str, levels: tuple[str, ...], *, several: bool) -> str:
    pair = " - ".join(levels)
    return term if not several else pair if term == TERM else f"{term}: {pair}"
