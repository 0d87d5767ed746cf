"""Percent agreement and Cohen's kappa of two codings of the same responses, from their joint counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

from tallybook.statistics.estimates import as_estimates, check_confidence, counted, status_of
from tallybook.statistics.pairs import cell_by_cell, codes, counted_pairs, run_sums
from tallybook.statistics.proportions.intervals import proportion_interval
from tallybook.statistics.tails import normal_quantile, two_sided_normal

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from tallybook.statistics.arrays import Counts, Floats
    from tallybook.statistics.pairs import Pairs


def agreement(frame: pl.DataFrame, by: Sequence[str], x: str, y: str, *, confidence: float = 0.95) -> pl.DataFrame:
    """Compute the agreement of two codings of the same responses in every cell.

    With p and q the shares of the categories in either coding:

    - agreement: the share Po of responses coded alike, with its Wilson interval
    - cohen_kappa: (Po - Pe) / (1 - Pe), Pe = sum p q, by statsmodels' `cohens_kappa`. Its std_error is the asymptotic
      one under multinomial sampling, the interval kappa ± z std_error, kept within [-1, 1]; the test of kappa = 0 uses
      another standard error, the one under independence (Fleiss, Cohen & Everitt 1969).

    Args:
        frame: Counts: `by`, the two codings `x` and `y`, of one type, and `count`.
        by: The columns whose combinations are the cells; may be empty.
        x: The column of the first coding.
        y: The column of the second.
        confidence: The level of the intervals, between 0 and 1.

    Returns:
        Estimates, one a cell and term: n, estimate, std_error, interval, and for kappa null_value 0, statistic z,
        p_value and log_p_value. Responses that either coding leaves null do not count; a cell without any other is
        `no-data`. If both codings use only the same single category, kappa is undefined; if just one of them uses a
        single category, kappa is 0 and has no test: both are `degenerate`.

    Raises:
        ValueError: A column is missing, the codings differ in type, a count is impossible, or the confidence lies
            outside (0, 1).

    References:
        Cohen, J. (1960). A coefficient of agreement for nominal scales. Educational and Psychological Measurement,
        20, 37-46. Fleiss, J. L., Cohen, J. & Everitt, B. S. (1969). Large sample standard errors of kappa and weighted
        kappa. Psychological Bulletin, 72, 323-327.

    >>> counts = pl.DataFrame({"a": [True, True, False, False], "b": [True, False] * 2, "count": [20, 5, 10, 15]})
    >>> found = agreement(counts, [], "a", "b")
    >>> [(row["term"], round(row["estimate"], 4), round(row["std_error"], 4)) for row in found.iter_rows(named=True)]
    [('agreement', 0.7, 0.0648), ('cohen_kappa', 0.4, 0.127)]
    """
    check_confidence(confidence)
    if {x, y} <= set(frame.columns) and frame.schema[x] != frame.schema[y]:
        raise ValueError(f"{x!r} is {frame.schema[x]} and {y!r} is {frame.schema[y]}: expected one type")
    pairs = counted_pairs(frame, by, x, y, numeric=False)
    first, second = np.split(codes(pl.concat([pairs.rows.get_column(name).alias(x) for name in (x, y)])), 2)
    tables = [
        _cross_table(*(column[rows] for column in (first, second, pairs.count)))
        for rows in np.split(np.arange(pairs.count.size), pairs.first[1:])
        if rows.size
    ]
    agreeing = run_sums(np.where(first == second, pairs.count, 0), pairs.first)
    parts = [
        pairs.cells.with_columns(
            pl.lit(term).alias("term"),
            pl.lit(method).alias("method"),
            *(pairs.spread(values).alias(name) for name, values in columns.items()),
        )
        for term, method, columns in (
            ("agreement", "percent agreement, Wilson interval", _share(pairs, agreeing, confidence)),
            ("cohen_kappa", "Cohen's kappa, asymptotic standard error", _kappas(tables, confidence)),
        )
    ]
    status = status_of(degenerate=(pl.col("term") == "cohen_kappa") & pl.col("p_value").is_nan())
    results = cell_by_cell(parts).with_columns(pl.lit(confidence).alias("confidence"), status)
    return as_estimates(results, by)


def _cross_table(first: NDArray[np.intp], second: NDArray[np.intp], count: Counts) -> Floats:
    """Cross-tabulate two codings over all categories that occur in either."""
    known, places = np.unique(np.concatenate([first, second]), return_inverse=True)
    table = np.zeros((known.size, known.size))
    table[places[: first.size], places[first.size :]] = count
    return table


def _share(pairs: Pairs, agreeing: Counts, confidence: float) -> dict[str, Floats]:
    n = run_sums(pairs.count, pairs.first)
    share = agreeing / n
    low, high = proportion_interval(agreeing, n, confidence)
    return {"estimate": share, "std_error": np.sqrt(share * (1.0 - share) / n), "ci_low": low, "ci_high": high}


def _kappas(tables: Sequence[Floats], confidence: float) -> dict[str, Floats]:
    """Compute kappa of every table, with standard errors and tests; NaN where undefined."""
    numbers = np.array([_kappa(table) for table in tables]).reshape(-1, 3)
    kappa, std_error, z = numbers.T
    p, log_p = two_sided_normal(z)
    reach = normal_quantile(confidence) * std_error
    return {
        "estimate": kappa,
        "std_error": std_error,
        "ci_low": np.clip(kappa - reach, -1.0, 1.0),
        "ci_high": np.clip(kappa + reach, -1.0, 1.0),
        "null_value": np.where(np.isnan(kappa), np.nan, 0.0),
        "statistic": z,
        "p_value": p,
        "log_p_value": log_p,
    }


def _kappa(table: Floats) -> tuple[float, float, float]:
    """Compute kappa, its standard error and its z statistic under independence."""
    from statsmodels.stats import inter_rater

    if table.shape[0] == 1:
        return np.nan, np.nan, np.nan
    if min((table.sum(axis=axis) > 0).sum() for axis in (0, 1)) == 1:
        return 0.0, 0.0, np.nan  # one coding is constant: agreement is that expected by chance
    with np.errstate(all="ignore"):
        found: Any = inter_rater.cohens_kappa(table)
        # statsmodels' variance is a difference of sums: rounding may make 0 negative.
        return found.kappa, np.sqrt(max(found.var_kappa, 0.0)), np.float64(found.kappa) / np.sqrt(found.var_kappa0)


def agreement_alone(frame: pl.DataFrame, by: Sequence[str], x: str, y: str) -> pl.DataFrame:
    """Compute the estimates of `agreement` without standard errors, fast enough for very many cells."""
    rows = counted(frame, by, [x, y])
    count = pl.col("count").cast(pl.Float64).sum()
    first, second = (rows.group_by([*by, name]).agg(count).rename({name: x}) for name in (x, y))
    both = first.join(second, on=[*by, x], nulls_equal=True).sort([*by, x])
    chance = both.group_by(by, maintain_order=True).agg((pl.col("count") * pl.col("count_right")).sum())
    alike = pl.col("count").filter(pl.col(x) == pl.col(y)).cast(pl.Float64).sum().alias("alike")
    cells = rows.group_by(by, maintain_order=True).agg(pl.col("count").sum().alias("n"), alike)
    cells = cells.join(chance, on=list(by), how="left", nulls_equal=True, maintain_order="left")
    share = pl.col("alike") / pl.col("n")
    expected = pl.col("count").fill_null(0.0) / pl.col("n").cast(pl.Float64).pow(2)
    kappa = pl.when(expected < 1).then((share - expected) / (1 - expected))
    numbers = {"agreement": share, "cohen_kappa": kappa}
    parts = [
        cells.select(*by, "n", value.alias("estimate"), pl.lit(term).alias("term"), pl.lit(term).alias("method"))
        for term, value in numbers.items()
    ]
    return as_estimates(pl.concat(parts), by)


def coding_agreement(
    tally: pl.DataFrame,
    by: Sequence[str],
    outcomes: Sequence[str],
    factor: str,
    levels: Sequence[str],
    *,
    confidence: float | None = 0.95,
) -> pl.DataFrame:
    """Compute agreement and kappa of outcomes with a factor in every cell; without a confidence no standard errors."""
    pairs = tally.filter(pl.col("outcome").is_in(list(outcomes))).with_columns(
        pl.when(pl.col(factor).is_in(list(levels))).then(pl.col(factor)).alias(factor),
        pl.when(pl.col("status") == "ok").then(pl.col("category")).alias("category"),
    )
    cells = [*by, "outcome"]
    if confidence is None:
        return agreement_alone(pairs, cells, factor, "category")
    return agreement(pairs, cells, factor, "category", confidence=confidence)


def hand_agreement(pairs: pl.DataFrame, outcomes: Sequence[str], scores: Collection[str] = ()) -> pl.DataFrame:
    """Compute percent agreement and Cohen's kappa between rules and hand codes for every outcome.

    Only responses that the rules coded are compared: those left uncoded would only show that they are hard to code.

    Args:
        pairs: `outcome`, `rules`, `hand` and `count`: the frequency of each pair of codes, refusal and invalid
            included.
        outcomes: The outcomes, in their order.
        scores: The outcomes that are scores.

    Returns:
        Estimates, two an outcome, but only the agreement of scores, which have no categories; see `agreement`.

    >>> codes = {"outcome": ["d"] * 3, "rules": ["a", "b", "invalid"], "hand": ["a", "b", "b"], "count": [4, 4, 2]}
    >>> hand_agreement(pl.DataFrame(codes), ["d"]).select("outcome", "term", "n", "estimate").row(0)
    ('d', 'agreement', 8, 1.0)
    """
    coded = pairs.filter(pl.col("rules") != "invalid")
    place = pl.col("outcome").replace_strict(outcomes, range(len(outcomes)), return_dtype=pl.Int32)
    return (
        agreement(coded, ["outcome"], "rules", "hand")
        .drop("analysis")
        .filter(~pl.col("outcome").is_in(list(scores)) | (pl.col("term") == "agreement"))
        .sort(place, maintain_order=True)
    )
