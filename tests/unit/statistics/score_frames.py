"""Scores in two groups of several cells: as R's oracles hold them, at random, and at the edges of a test of means."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
from hypothesis import strategies as st

from tallybook.core.frame_checks import check
from tallybook.statistics.means.contrasts import one_sample_contrasts, paired_contrasts, two_sample_contrasts
from tallybook.statistics.means.moments import moments
from tallybook_schemas.columns import Estimates

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

GROUPS = ("first", "second")
DESIGNS = ("one-sample", "two-sample", "welch", "paired")
SCHEMA = {"cell": pl.String, "group": pl.String, "value": pl.Float64, "count": pl.Int64}
PAIR_SCHEMA = {"cell": pl.String, "first": pl.Float64, "second": pl.Float64, "count": pl.Int64}

_VALUES = st.one_of(st.integers(1, 5).map(float), st.sampled_from([0.1, 2.5, math.nan, None]))
_CELLS = st.sampled_from(["a", "b", "c"])
ROWS = st.lists(st.tuples(_CELLS, st.sampled_from(GROUPS), _VALUES, st.integers(0, 9)), max_size=40)
PAIRS = st.lists(st.tuples(_CELLS, _VALUES, _VALUES, st.integers(0, 9)), max_size=40)


def score_frame(rows: Iterable[tuple]) -> pl.DataFrame:
    """Counted scores of the groups of cells."""
    return pl.DataFrame(list(rows), schema=SCHEMA, orient="row")


def pair_frame(rows: Iterable[tuple]) -> pl.DataFrame:
    """Counted pairs of scores of cells."""
    return pl.DataFrame(list(rows), schema=PAIR_SCHEMA, orient="row")


def contrasts_of(design: str, scores: pl.DataFrame, pairs: pl.DataFrame, null_value: float = 0.0) -> pl.DataFrame:
    """The contrasts of a design: the first group, both, or the pairs."""
    match design:
        case "one-sample":
            first = scores.filter(pl.col("group") == "first")
            return one_sample_contrasts(moments(first, ["cell"]), ["cell"], null_value=null_value)
        case "paired":
            return paired_contrasts(pairs, ["cell"], "first", "second", null_value=null_value)
        case _:
            return two_sample_contrasts(
                moments(scores, ["cell", "group"]),
                ["cell"],
                "group",
                GROUPS,
                variances="equal" if design == "two-sample" else "unequal",
                null_value=null_value,
            )


def oracle_frames(oracle: Callable[[str], dict[str, np.ndarray]]) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The scores and pairs on which R's t tests were made."""
    scores, pairs = (
        pl.DataFrame({name: column.tolist() for name, column in oracle(f"t_test_{kind}").items()}).with_columns(
            pl.col("count").cast(pl.Int64)
        )
        for kind in ("counts", "pairs")
    )
    return scores, pairs


def by_cell(estimates: pl.DataFrame) -> dict[str, dict]:
    """The only row of every cell, after holding the frame against its schema."""
    checked = check(estimates.with_columns(pl.lit("x").alias("analysis")), Estimates, where="x")
    rows = {row["cell"]: row for row in checked.iter_rows(named=True)}
    assert len(rows) == estimates.height, "two estimates of one cell"
    return rows


def observations(rows: Iterable[tuple], cell: str, group: str) -> np.ndarray:
    """One value an observation."""
    chosen = [(value, count) for name, of_group, value, count in rows if (name, of_group) == (cell, group)]
    return np.array([value for value, count in chosen if is_number(value) for _ in range(count)], float)


def differences(rows: Iterable[tuple], cell: str) -> tuple[np.ndarray, np.ndarray]:
    """One pair an observation, as two arrays."""
    chosen = [
        (first, second)
        for name, first, second, count in rows
        if name == cell and is_number(first) and is_number(second)
        for _ in range(count)
    ]
    return np.array([first for first, _ in chosen], float), np.array([second for _, second in chosen], float)


def is_number(value: float | None) -> bool:
    """Whether a value is an observation."""
    return value is not None and not math.isnan(value)


EDGES = {
    "no rows at all": [],
    "nothing observed": [("a", "first", None, 4), ("a", "second", math.nan, 2)],
    "counts of zero": [("a", "first", 1.0, 0), ("a", "second", 2.0, 0)],
    "one group only": [("a", "first", 1.0, 4), ("a", "first", 2.0, 4)],
    "one observation": [("a", "first", 1.0, 1)],
    "one observation each": [("a", "first", 1.0, 1), ("a", "second", 2.0, 1)],
    "one against many": [("a", "first", 1.0, 1), ("a", "second", 2.0, 5), ("a", "second", 3.0, 5)],
    "constant": [("a", "first", 0.1, 7), ("a", "second", 0.1, 9)],
    "constant, but different": [("a", "first", 0.1, 7), ("a", "second", 0.3, 9)],
    "constant at the null value": [("a", "first", 0.0, 7), ("a", "second", 0.0, 9)],
    "one group constant": [("a", "first", 1.0, 7), ("a", "second", 0.3, 9), ("a", "second", 0.4, 9)],
    "a billion": [("a", group, value, 10**9) for group in GROUPS for value in (0.0, 1.0)],
    "a billion and one": [("a", "first", 1.0, 10**9), ("a", "first", 0.0, 1), ("a", "second", 1.0, 10**9)],
    "too large to square": [("a", "first", 1e200, 2), ("a", "first", -1e200, 2), ("a", "second", 1.0, 3)],
    "too small to square": [("a", "first", 1e-200, 2), ("a", "first", 3e-200, 2), ("a", "second", 0.0, 3)],
    "infinite": [("a", "first", math.inf, 2), ("a", "first", 1.0, 2), ("a", "second", -math.inf, 2)],
    "tiny spread far away": [("a", "first", 1e9, 5), ("a", "first", 1e9 + 1e-6, 5), ("a", "second", -1e9, 5)],
}
"""Scores that some test of means has no answer for."""


def edge_pairs(rows: list[tuple]) -> list[tuple]:
    """Every first score with every second one."""
    firsts = [(value, count) for _, group, value, count in rows if group == "first"]
    seconds = [value for _, group, value, _ in rows if group == "second"]
    return [("a", first, second, count) for first, count in firsts for second in seconds]
