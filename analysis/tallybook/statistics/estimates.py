"""The input and output formats of statistics: frames of counts, and estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from polars._typing import PolarsDataType


COLUMNS: dict[str, PolarsDataType] = {
    "analysis": pl.String(),
    "outcome": pl.String(),
    "term": pl.String(),
    "n": pl.Int64(),
    "clusters": pl.Int64(),
    "estimate": pl.Float64(),
    "std_error": pl.Float64(),
    "ci_low": pl.Float64(),
    "ci_high": pl.Float64(),
    "confidence": pl.Float64(),
    "null_value": pl.Float64(),
    "statistic": pl.Float64(),
    "df": pl.Float64(),
    "df2": pl.Float64(),
    "p_value": pl.Float64(),
    "log_p_value": pl.Float64(),
    "p_adjusted": pl.Float64(),
    "log_p_adjusted": pl.Float64(),
    "family_size": pl.Int64(),
    "effect": pl.Float64(),
    "effect_kind": pl.String(),
    "effect_ci_low": pl.Float64(),
    "effect_ci_high": pl.Float64(),
    "method": pl.String(),
    "status": pl.String(),
}
"""The columns of estimates that follow the factors. Values that a statistic does not compute are null."""


_DEFAULTS = {"outcome": "", "status": "ok"}


def status_of(empty: pl.Expr | None = None, **others: pl.Expr) -> pl.Expr:
    """Return the status of results: `no-data` where empty (n is 0), else the first other that holds, else `ok`."""
    conditions = {"no-data": pl.col("n") == 0 if empty is None else empty, **others}
    found = (pl.when(holds).then(pl.lit(name.replace("_", "-"))) for name, holds in conditions.items())
    return pl.coalesce(*found, pl.lit("ok")).alias("status")


def as_estimates(frame: pl.DataFrame, factors: Sequence[str]) -> pl.DataFrame:
    """Convert results to the format of estimates.

    Args:
        frame: Factor columns and any of the columns of estimates; other columns are dropped.
        factors: The columns of the cells: factors, and `outcome` where there are several.

    Returns:
        Factor columns and all columns of estimates, in order. NaN, which kernels return for undefined numbers, and
        infinity become null; the status is `ok` if none is given, and `degenerate` instead of `ok` if the estimate is
        not finite.
    """
    given = set(frame.columns)
    columns = [
        (pl.col(name) if name in given else pl.lit(_DEFAULTS.get(name))).cast(kind).alias(name)
        for name, kind in COLUMNS.items()
    ]
    numbers, estimate, status = pl.selectors.float(), pl.col("estimate"), pl.col("status")
    impossible = estimate.is_not_null() & ~estimate.is_finite() & (status == "ok")
    return frame.select(*(name for name in factors if name not in COLUMNS), *columns).with_columns(
        pl.when(numbers.is_finite()).then(numbers),
        pl.when(impossible).then(pl.lit("degenerate")).otherwise(status).alias("status"),
    )


def cells_of(frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """List the cells of a frame, sorted; without columns that name cells there is one."""
    return frame.select(by).unique().sort(by) if by else pl.DataFrame(height=1)


def each_cell(
    frame: pl.DataFrame, by: Sequence[str], rows: pl.DataFrame | None = None
) -> Iterator[tuple[dict[str, Any], pl.DataFrame]]:
    """Yield every cell of a frame with the rows that it has there, or in another frame."""
    rows = frame if rows is None else rows
    parts = rows.partition_by(by, as_dict=True) if by else {(): rows}
    for key in cells_of(frame, by).rows() if by else [()]:
        yield dict(zip(by, key, strict=True)), parts.get(key, rows[:0])


def estimates_of(rows: Sequence[Mapping[str, Any]], frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Convert rows of results to estimates; the columns of the cells have the types that they have in `frame`."""
    given = {name for row in rows for name in row} or {*COLUMNS}
    schema = {name: frame.schema[name] for name in by}
    schema |= {name: kind for name, kind in COLUMNS.items() if name in given - schema.keys()}
    return as_estimates(pl.DataFrame(rows, schema=schema, orient="row"), by)


def observed(frame: pl.DataFrame, by: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Return the rows of a frame of counts that are observations; raise a ValueError for impossible counts."""
    missing = [name for name in (*by, *values, "count") if name not in frame.columns]
    if missing:
        raise ValueError(f"no column {missing[0]!r}: expected {', '.join((*by, *values, 'count'))}")
    count = pl.col("count")
    impossible = count.is_null() | (count < 0)
    if not frame.schema["count"].is_integer():
        impossible |= count.cast(pl.Float64) % 1 != 0
    if frame.select(impossible.any()).item():
        row, wrong = frame.with_row_index("row").filter(impossible).select("row", "count").row(0)
        raise ValueError(f"row {row} has count {wrong}: expected a whole number, at least 0")
    present = [pl.col(name).is_not_null() for name in values]
    present += [pl.col(name).is_not_nan() for name in values if frame.schema[name].is_float()]
    return frame.filter(pl.all_horizontal(pl.lit(value=True), *present) & (count > 0)).select(
        *by, *values, count.cast(pl.Int64)
    )


def counted(frame: pl.DataFrame, by: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Aggregate counts so that each distinct combination of cell and values is one row."""
    return observed(frame, by, values).group_by([*by, *values]).agg(pl.col("count").sum()).sort([*by, *values])


def check_confidence(level: float, name: str = "confidence") -> None:
    """Raise a ValueError for a level that is not between 0 and 1."""
    if not 0 < level < 1:
        raise ValueError(f"{name} is {level}: expected a number between 0 and 1, both excluded")
