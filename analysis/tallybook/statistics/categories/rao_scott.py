"""Chi-squared tests of clustered responses: Rao and Scott's F, with the covariance of the cluster jackknife."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
import polars as pl
from scipy import stats

from tallybook.statistics.estimates import COLUMNS, as_estimates
from tallybook.statistics.inputs import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import NDArray

    Floats: TypeAlias = NDArray[np.float64]


class _Corrected(NamedTuple):
    """A corrected test; NaN where it does not exist."""

    statistic: float
    df: float
    p_value: float
    log_p_value: float
    second_df: float
    effect: float


_NOTHING = _Corrected(*(math.nan,) * 6)
_SUM_TOLERANCE = 1.5e-8
"""Proportions that add up to 1 this closely are a distribution: the convention of R's chisq.test."""


def rao_scott(tables: Floats, excess: Callable[[Floats], tuple[Floats, Floats, Floats]]) -> _Corrected:
    """The second-order corrected test of a table that is a sum over clusters.

    With y the shares less e, those expected, n the responses and V the jackknife's covariance of y over G clusters:
    X² = n sum y² / e, and under the null hypothesis X² is a weighted sum of chi-squared variables whose weights are the
    eigenvalues of L = n V / sqrt(s s'), where s is e, or another estimate of the shares. F = X² / tr L, with
    tr(L)² / tr(L²) and G - 1 times as many degrees of freedom.

    Args:
        tables: The counts of each cluster, clusters first.
        excess: Gives y, e and s of tables of counts.

    Returns:
        F, its first degrees of freedom, p, ln p, and sqrt(X² / n).

    Source:
        Rao, J. N. K. & Scott, A. J. (1984). Annals of Statistics, 12, 46-60. Thomas, D. R. & Rao, J. N. K. (1987).
        Small-sample comparisons of level and power for simple goodness-of-fit statistics under cluster sampling. JASA,
        82, 630-636 (the F form).
    """
    whole = tables.sum(axis=0)
    clusters, n = len(tables), whole.sum()
    if clusters < 2:  # noqa: PLR2004
        return _NOTHING
    with np.errstate(all="ignore"):
        own, expected, scale = (each.ravel() for each in excess(whole))
        parts = excess(whole - tables)[0].reshape(clusters, -1)
        covariance = (clusters - 1) / clusters * (parts - own).T @ (parts - own)
        seen, possible = scale > 0, expected > 0
        scaled = n * covariance[np.ix_(seen, seen)] / np.sqrt(np.outer(scale[seen], scale[seen]))
        square = float(n * (own[possible] ** 2 / expected[possible]).sum())
        trace, spread = float(np.trace(scaled)), float(np.square(scaled).sum())
    if not (math.isfinite(trace) and math.isfinite(square) and trace > 1e-12):  # noqa: PLR2004
        return _NOTHING
    first = trace**2 / spread
    second, f = first * (clusters - 1), square / trace
    log_p = float(stats.f.logsf(f, first, second))
    return _Corrected(f, first, math.exp(log_p), log_p, second, math.sqrt(square / n))


def clustered_independence(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, cluster: str) -> pl.DataFrame:
    """Test the independence of two categories, treating clusters as independent.

    Args:
        x: The rows of the tables.

    Returns:
        Estimates with the terms `chi_square` (F; see `rao_scott`) and `cramer_v`, which carries its test.
    """

    def excess(counts: Floats) -> tuple[Floats, Floats, Floats]:
        shares = counts / counts.sum(axis=(-2, -1), keepdims=True)
        expected = shares.sum(axis=-1, keepdims=True) * shares.sum(axis=-2, keepdims=True)
        return shares - expected, expected, expected

    rows: list[Mapping[str, Any]] = []
    for cell, tables, _ in _tables(frame, by, cluster, [x, y]):
        fewest = min(tables.shape[1:]) - 1
        found = rao_scott(tables, excess) if fewest else _NOTHING
        rows += _rows(cell, tables, found, ("cramer_v", found.effect / math.sqrt(max(fewest, 1))))
    return _estimates(rows, frame, by)


def clustered_fit(
    frame: pl.DataFrame,
    by: Sequence[str],
    category: str,
    references: pl.DataFrame,
    reference_by: Sequence[str],
    *,
    cluster: str,
) -> pl.DataFrame:
    """Test distributions of categories against references, treating clusters as independent.

    Args:
        category: The column of the categories.
        references: `reference_by`, `category` and `proportion`.
        reference_by: The columns of `by` that identify a reference.

    Returns:
        Estimates with the term `chi_square` (F; see `rao_scott`) and Cohen's w as effect. A cell with a category
        without proportion is `no-reference`, one whose proportions do not add up to 1 `invalid-reference`.
    """
    known: dict[tuple[Any, ...], dict[Any, float]] = {}
    for *group, name, proportion in references.select(*reference_by, category, "proportion").iter_rows():
        known.setdefault(tuple(group), {})[name] = proportion
    rows: list[Mapping[str, object]] = []
    for cell, tables, (names,) in _tables(frame, by, cluster, [category]):
        reference = known.get(tuple(cell[name] for name in reference_by), {})
        every = [*reference, *(name for name in names if name not in reference)]
        counts = np.zeros((len(tables), len(every)))
        counts[:, [every.index(name) for name in names]] = tables
        expected = np.array([reference.get(name, math.nan) for name in every], np.float64)
        trouble = "no-reference" if not reference or np.isnan(expected).any() else None
        trouble = trouble or (None if abs(expected.sum() - 1) < _SUM_TOLERANCE else "invalid-reference")
        impossible = trouble is None and bool(counts.sum(axis=0)[expected == 0].any())

        def excess(each: Floats, e: Floats = expected) -> tuple[Floats, Floats, Floats]:
            shares = each / each.sum(axis=-1, keepdims=True)
            # Scaled by e, 11% of true nulls are rejected where one of two categories has a share of .1.
            return shares - e, e, shares

        found = _NOTHING if trouble or impossible else rao_scott(counts, excess)
        rows += _rows(cell, tables, found, ("cohen_w", found.effect), trouble)
    return _estimates(rows, frame, by)


def _tables(
    frame: pl.DataFrame, by: Sequence[str], cluster: str, columns: Sequence[str]
) -> Iterator[tuple[dict[str, Any], Floats, list[list[Any]]]]:
    """The counts of every cell, clusters first, and the values of the other columns."""
    counts = counted(frame, [*by, cluster], columns)
    cells = counts.partition_by(by, as_dict=True, maintain_order=True) if by else {(): counts}
    for key, cell in cells.items():
        codes = [np.unique(cell[name].to_numpy(), return_inverse=True) for name in (cluster, *columns)]
        table = np.zeros([len(values) for values, _ in codes])
        table[tuple(places for _, places in codes)] = cell["count"].to_numpy()
        yield dict(zip(by, key, strict=True)), table, [values.tolist() for values, _ in codes[1:]]


def _rows(
    cell: Mapping[str, Any], tables: Floats, found: _Corrected, measure: tuple[str, float], trouble: str | None = None
) -> list[dict[str, Any]]:
    exists = math.isfinite(found.statistic)
    status = trouble or ("ok" if exists else "degenerate" if tables.sum() else "no-data")
    common = {
        **cell,
        "outcome": "",
        "n": int(tables.sum()),
        "clusters": len(tables),
        "statistic": found.statistic,
        "df": found.df,
        "df2": found.second_df,
        "p_value": found.p_value,
        "log_p_value": found.log_p_value,
        "effect": measure[1],
        "effect_kind": measure[0],
        "method": "Rao-Scott F test",
        "status": status,
    }
    chi_square = common | {"term": "chi_square", "estimate": found.statistic}
    return [chi_square, *([common | {"term": measure[0], "estimate": measure[1]}] if measure[0] == "cramer_v" else [])]


def _estimates(rows: Sequence[Mapping[str, Any]], frame: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    kinds = {name: frame.schema[name] for name in by}
    return as_estimates(pl.DataFrame(rows, schema=kinds | COLUMNS, orient="row"), by)
