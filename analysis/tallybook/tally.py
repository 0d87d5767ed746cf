"""Tallies: coded responses reduced to counts of each category, label and value in each cell."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.core.spill_buffer import RowStore
from tallybook.study.clusters import parts_of
from tallybook.study.coding import ReasonOutcome, ScoreOutcome
from tallybook_schemas.vocabulary import WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    from tallybook.study.coding import CategoryOutcome, LabelOutcome

    Outcome: TypeAlias = CategoryOutcome | ReasonOutcome | LabelOutcome | ScoreOutcome

_HASH, _AT = "_hash", "_at"
MOST_WAITING = 2**20
"""The maximum number of rows of a joint tally in memory before they are merged or stored."""


def tally(
    coded: pl.DataFrame | pl.LazyFrame,
    factors: Sequence[str],
    outcomes: Mapping[str, Outcome],
) -> pl.DataFrame:
    """Count every category, label and distinct value of every outcome in every cell.

    Args:
        coded: Coded responses: factor columns, outcome columns, `status`, `count`, `position`.
        factors: The columns whose combinations are the cells.
        outcomes: Column -> the outcome in it.

    Returns:
        One row per cell, outcome, category (or value) and status, with `count` and `first_seen`, sorted. Tallies of
        parts of the data, added up by `merge`, equal the tally of the whole. For an outcome of kind
        `reason` only the responses that are `refused` or `invalid` count.
    """
    beside = list(dict.fromkeys(name for outcome in outcomes.values() for name in outcome.beside))
    parts = [_one_outcome(coded.lazy(), factors, name, outcome, beside) for name, outcome in outcomes.items()]
    # One at a time: together they would keep all rows in memory.
    return _sorted(pl.concat([part.collect(engine="streaming") for part in parts]), factors, beside)


def merge(tallies: Sequence[pl.DataFrame], factors: Sequence[str], beside: Sequence[str] = ()) -> pl.DataFrame:
    """Sum tallies over parts of the data, or over factors that are dropped.

    Args:
        tallies: Tallies with at least the factors.
        factors: The factors to keep.
        beside: The scores to keep beside outcomes.

    Returns:
        Their sum: counts added, the smallest `first_seen`.
    """
    keys = [*factors, "outcome", "category", "value", *beside, "status"]
    together = pl.concat([part.select([*keys, "count", "first_seen"]) for part in tallies])
    return _sorted(together.group_by(keys).agg(pl.col("count").sum(), pl.col("first_seen").min()), factors, beside)


def by_cluster(
    coded: pl.LazyFrame, factors: Sequence[str], outcomes: Mapping[str, Outcome], clusters: Mapping[str, Sequence[str]]
) -> dict[str, pl.DataFrame]:
    """Return cluster column -> a tally of its outcomes, with the clusters as a key besides the factors."""
    tallies: dict[str, pl.DataFrame] = {}
    for column, names in clusters.items():
        parts = parts_of(column)
        if absent := [part for part in parts if part not in coded.collect_schema().names()]:
            raise UsageError(f"the responses have no column {absent[0]!r}, by which an analysis has its 'cluster'")
        # The length of each part distinguishes "a b" and "c" from "a" and "b c".
        texts = [pl.col(part).cast(pl.String) for part in parts]
        one = (
            texts[0]
            if len(texts) == 1
            else pl.concat_str([pl.format("{}:{}", text.str.len_chars(), text) for text in texts])
        )
        rows = coded.with_columns(one.alias(column))
        if without := rows.select(pl.col(column).is_null().sum()).collect(engine="streaming").item():
            raise UsageError(f"{without:,} responses have no {column!r}, by which an analysis has its 'cluster'")
        tallies[column] = tally(rows, [*factors, column], {name: outcomes[name] for name in names})
    return tallies


class JointTally:
    """Coded responses, added part by part, with responses that are equal in some columns merged into one row.

    All counts of these columns can be made from the merged rows, however many responses there are.

    >>> joint = JointTally(["model", "status"])
    >>> for position, model in enumerate("aba"):
    ...     joint.add(pl.DataFrame({"model": model, "status": "ok", "count": 1, "position": position, "key": "k"}))
    >>> joint.scan().select("model", "status", "count", "position").sort("model").collect().rows()
    [('a', 'ok', 2, 0), ('b', 'ok', 1, 1)]
    """

    def __init__(self, columns: Iterable[str], scratch: Path | None = None) -> None:
        """Initialise an empty tally."""
        self.columns = tuple(dict.fromkeys(columns))
        self._stored = RowStore(scratch)
        self._waiting: list[pl.DataFrame] = []
        self._number = 0
        self._is_stored = False

    def add(self, coded: pl.DataFrame) -> None:
        """Add coded responses."""
        together = merge_equal_rows(coded, [name for name in self.columns if name in coded.columns])
        self._waiting.append(together)
        self._number += together.height
        if self._number > MOST_WAITING:
            together = self._together()
            # If most responses differ, the rows are moved out of memory.
            self._waiting = [together] if together.height <= MOST_WAITING // 2 else []
            if not self._waiting:
                self._stored.add(together)
                self._is_stored = True
            self._number = sum(map(len, self._waiting))

    def scan(self) -> pl.LazyFrame:
        """Return all rows; some of them may still be equal."""
        self._waiting = [self._together()] if self._waiting else []
        stored = [self._stored.scan()] if self._is_stored else []
        return pl.concat([*stored, *(rows.lazy() for rows in self._waiting)], how="diagonal_relaxed")

    def close(self) -> None:
        """Remove temporary files."""
        self._stored.close()

    def _together(self) -> pl.DataFrame:
        rows = pl.concat(self._waiting, how="diagonal_relaxed")
        return merge_equal_rows(rows, [name for name in self.columns if name in rows.columns])


def merge_equal_rows(rows: pl.DataFrame, columns: Sequence[str], *further: pl.Expr) -> pl.DataFrame:
    """Merge rows that are equal in some columns: `count`, the first `position` (else place), further aggregates.

    Rows are grouped by a hash, which takes a quarter as long as by the columns; columns in which all rows are equal are
    not hashed. That two of a million different rows have the same 64 bits has a chance of 1 in 30 million.
    """
    of_columns = rows.select(columns)
    varying = [column for column in of_columns.iter_columns() if not is_constant(column)]
    hashes = pl.DataFrame(varying or of_columns.get_columns()).hash_rows()
    count, places = rows.get_column("count"), [name for name in rows.columns if name == "position"]
    number = pl.len().cast(pl.Int64)
    total = (number * count[0]).alias("count") if is_constant(count) else pl.col("count").sum()
    # The first row of a kind has its smallest position if the rows are in order.
    smallest = pl.col(places).min() if places else pl.col(_AT).min().cast(pl.Int64).alias("position")
    hashed = rows.lazy().select("count", *places, pl.lit(hashes).alias(_HASH))
    merged = hashed.with_row_index(_AT).group_by(_HASH).agg(pl.col(_AT).min(), total, smallest, *further)
    kinds = merged.collect(engine="streaming")
    # The concatenation copies the texts: polars would keep all texts of a part for the few gathered from it.
    first_ones = of_columns[kinds.get_column(_AT)]
    return first_ones.with_columns(pl.col(pl.String) + "").hstack(kinds.drop(_HASH, _AT))


def is_constant(values: pl.Series) -> bool:
    """Return whether all values are known to be equal, as in a column that polars expanded from a single value."""
    return values.len() > 0 and values.flags["SORTED_ASC"] and values[0] is not None and values[0] == values[-1]


def _one_outcome(
    coded: pl.LazyFrame, factors: Sequence[str], name: str, outcome: Outcome, beside: Sequence[str]
) -> pl.LazyFrame:
    if outcome.where:
        coded = coded.filter(outcome.is_asked)
    if isinstance(outcome, ReasonOutcome):  # only responses without an answer have a reason
        coded = coded.filter(pl.col("status").is_in(WITHOUT_ANSWER))
    is_score = isinstance(outcome, ScoreOutcome)
    # NaN and infinity are no valid scores; no mean could be taken of them.
    coded_value = pl.when(pl.col(name).is_finite()).then(pl.col(name)) if is_score else pl.col(name)
    coded_status = pl.col("status")
    status = (
        pl.when(coded_value.is_not_null())
        .then(pl.lit("ok"))
        .when(coded_status.is_in(["refused", "error"]))
        .then(coded_status)
        .otherwise(pl.lit("invalid"))
    )
    keys = [
        *(pl.col(factor) for factor in factors),
        pl.lit(name).alias("outcome"),
        (pl.lit(None, dtype=pl.String) if is_score else coded_value).alias("category"),
        (coded_value if is_score else pl.lit(None, dtype=pl.Float64)).alias("value"),
        *((pl.col(one) if one in outcome.beside else pl.lit(None, dtype=pl.Float64)).alias(one) for one in beside),
        status.alias("status"),
    ]
    counted = coded.select(*keys, "count", "position")
    return counted.group_by([*factors, "outcome", "category", "value", *beside, "status"]).agg(
        pl.col("count").sum(), pl.col("position").min().alias("first_seen")
    )


def _sorted(tallied: pl.DataFrame, factors: Sequence[str], beside: Sequence[str]) -> pl.DataFrame:
    return tallied.sort([*factors, "outcome", "status", "category", "value", *beside], nulls_last=True)
