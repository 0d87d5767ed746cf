"""From counts to the arrays of many regressions at once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np
import polars as pl

from tallybook.statistics.estimates import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Flags, Floats


Scalar = TypeVar("Scalar", bound=np.generic)

INTERCEPT = "Intercept"

_COUNTS = ("successes", "failures")
_FLAG = "is_success"


@dataclass(frozen=True)
class GroupedDesign:
    """The counts of several regressions with the same terms, the rows of every regression in one block."""

    columns: Floats  # terms x rows, the value of every term; a predictor vector is one contiguous row of this array
    successes: Floats  # the number of ones of every row
    failures: Floats  # the number of zeros of every row
    starts: NDArray[np.intp]  # the first row of every fit, ascending from 0; no fit is empty

    @cached_property
    def sizes(self) -> NDArray[np.intp]:
        """The number of rows of every fit."""
        return np.diff(self.starts, append=self.successes.size)

    @cached_property
    def trials(self) -> Floats:
        """Successes and failures of every row."""
        return self.successes + self.failures

    def total(self, values: Floats) -> Floats:
        """Sums over the rows of every fit; the last axis is rows in, fits out."""
        return np.add.reduceat(values, self.starts, axis=-1)

    def largest(self, values: Floats) -> Floats:
        """The largest value of every fit."""
        return np.maximum.reduceat(values, self.starts, axis=-1)

    def spread(self, values: NDArray[Scalar]) -> NDArray[Scalar]:
        """The value of every fit at each of its rows; the last axis is fits in, rows out."""
        return np.repeat(values, self.sizes, axis=-1)

    def predictor(self, coefficients: Floats) -> Floats:
        """The linear predictor of every row from coefficients, fits x terms."""
        eta = np.zeros(self.successes.size)
        for column, coefficient in zip(self.columns, coefficients.T, strict=True):
            eta += column * self.spread(coefficient)
        return eta

    def transformed(self, transform: Floats) -> GroupedDesign:
        """The same counts on other columns: term k becomes sum_j transform[fit, j, k] column j."""
        columns = [self.predictor(transform[:, :, term]) for term in range(transform.shape[2])]
        return GroupedDesign(np.array(columns), self.successes, self.failures, self.starts)

    def chosen(self, fits: Flags) -> GroupedDesign:
        """The design of some of the fits."""
        rows = self.spread(fits)
        starts = np.cumsum(self.sizes[fits]) - self.sizes[fits]
        return GroupedDesign(self.columns[:, rows], self.successes[rows], self.failures[rows], starts)


def grouped_rows(
    frame: pl.DataFrame,
    by: Sequence[str],
    predictors: Sequence[str],
    outcome: str | tuple[str, str],
    cluster: str | None = None,
) -> pl.DataFrame:
    """Successes and failures of every distinct combination of cell, cluster and predictor values."""
    values = [*([] if cluster is None else [cluster]), *predictors]
    key = [*by, *values]
    named = [*key, *((outcome,) if isinstance(outcome, str) else outcome)]
    reserved = (*_COUNTS, _FLAG, "count")
    if len(set(named)) < len(named) or set(key) & set(reserved) or outcome == "count":
        raise ValueError(f"columns {named}: expected different ones, no key or predictor named {', '.join(reserved)}")
    missing = [name for name in named if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join(named)}")
    for name in predictors:
        if not (frame.schema[name].is_numeric() or frame.schema[name] == pl.Boolean):
            raise ValueError(f"predictor {name!r} is {frame.schema[name]}: expected numbers")
    if isinstance(outcome, str):
        counts = counted(frame, by, [*values, outcome])
        ones = _is_one(counts, outcome)
    else:
        parts = [
            counted(frame.select(*key, pl.col(name).alias("count"), pl.lit(flag).alias(_FLAG)), by, [*values, _FLAG])
            for name, flag in zip(outcome, (True, False), strict=True)
        ]
        counts, ones = pl.concat(parts), pl.col(_FLAG)
    sums = [
        pl.col("count").filter(which).sum().cast(pl.Float64).alias(name)
        for name, which in zip(_COUNTS, (ones, ~ones), strict=True)
    ]
    floats = counts.with_columns(pl.col(list(predictors)).cast(pl.Float64))
    if not key:
        return floats.select(sums).head(floats.height)
    return floats.group_by(key).agg(sums).sort(key)


def _is_one(counts: pl.DataFrame, outcome: str) -> pl.Expr:
    """Whether the outcome is 1."""
    kind = counts.schema[outcome]
    if not (kind.is_numeric() or kind == pl.Boolean):
        raise ValueError(f"outcome {outcome!r} is {kind}: expected 0 and 1")
    value = pl.col(outcome).cast(pl.Float64)
    wrong = counts.filter(~value.is_in([0.0, 1.0]))
    if wrong.height:
        raise ValueError(f"outcome {outcome!r} is {wrong[outcome][0]}: expected 0 or 1")
    return value == 1.0


def grouped_design(
    rows: pl.DataFrame, by: Sequence[str], predictors: Sequence[str]
) -> tuple[pl.DataFrame, GroupedDesign]:
    """The arrays of grouped rows."""
    constant = np.ones(rows.height)
    columns = np.array([constant, *(rows.get_column(name).to_numpy() for name in predictors)], np.float64)
    first = first_rows(rows, by)
    cells = rows.select(by)[first] if by else pl.DataFrame()
    successes, failures = rows.get_column("successes").to_numpy(), rows.get_column("failures").to_numpy()
    return cells, GroupedDesign(columns, successes, failures, first)


def first_rows(rows: pl.DataFrame, key: Sequence[str]) -> NDArray[np.intp]:
    """The positions of the rows at which a new combination of the key begins; every combination stands together."""
    if not key:
        return np.arange(min(rows.height, 1))
    run = rows.select(pl.struct(list(key)).rle_id()).to_series().to_numpy()
    return np.flatnonzero(np.diff(run.astype(np.int64), prepend=-1))
