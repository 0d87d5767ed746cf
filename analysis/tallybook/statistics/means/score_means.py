"""Means of scores with intervals and t tests, from tallies or from printed means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl
from scipy.special import ndtri

from tallybook.statistics.bootstrap.intervals import bootstrap_intervals
from tallybook.statistics.estimates import as_estimates
from tallybook.statistics.means.clustered import clustered_contrasts
from tallybook.statistics.means.contrasts import one_sample_contrasts
from tallybook.statistics.means.moments import merged_moments, moments, summary_moments
from tallybook.statistics.means.student import t_tests

if TYPE_CHECKING:
    from collections.abc import Sequence

Interval: TypeAlias = Literal["t", "normal", "percentile", "basic", "bca"]

OUTCOME = "outcome of the cell"
"""The column that names the outcome of a cell while a statistic has a column `outcome` of its own."""


def scored(tally: pl.DataFrame, outcomes: Sequence[str], uncoded: float | None = None) -> pl.DataFrame:
    """The values of scores with their counts.

    Args:
        tally: A tally.
        outcomes: The scores.
        uncoded: The value that responses without one count as, refusals included; None leaves them out. A failed
            request is no response.

    Returns:
        The tally's rows of these outcomes, named by `OUTCOME`, with `value`: null for what does not count.
    """
    value = (
        pl.when(pl.col("status") == "ok")
        .then(pl.col("value"))
        .when(pl.col("status") != "error")
        .then(pl.lit(uncoded, dtype=pl.Float64))
    )
    own = tally.filter(pl.col("outcome").is_in(list(outcomes)))
    return own.with_columns(value.alias("value")).rename({"outcome": OUTCOME})


def score_means(
    counts: pl.DataFrame, by: Sequence[str], *, interval: Interval = "t", confidence: float = 0.95, seed: int = 0
) -> pl.DataFrame:
    """The mean of every score in every cell, with an interval.

    "t": mean ± t s / sqrt n; "normal": mean ± z s / sqrt n, s with n - 1; the others by bootstrap, computed without
    simulation error where the scores lie on a grid: see `bootstrap_intervals`.

    Args:
        counts: What `scored` gave.
        by: The factors whose combinations are the cells.
        interval: Which interval.
        confidence: Its level.
        seed: Where the streams of a simulated bootstrap start.

    Returns:
        Estimates with term `mean`.

    >>> counts = pl.DataFrame({OUTCOME: ["d"] * 2, "value": [0.0, 1.0], "count": [25, 75]})
    >>> score_means(counts, [], interval="normal").select("n", pl.col("estimate", "ci_low", "ci_high").round(4)).row(0)
    (100, 0.75, 0.6647, 0.8353)
    """
    cells = [*by, OUTCOME]
    if interval == "t" or interval == "normal":  # noqa: PLR1714  the type checker follows comparisons only
        return means_of(moments(counts, cells), by, interval=interval, confidence=confidence)
    found = bootstrap_intervals(counts, cells, ["value"], interval=interval, confidence=confidence, seed=seed)
    return _named(found)


def means_of(
    summary: pl.DataFrame, by: Sequence[str], *, interval: Literal["t", "normal"] = "t", confidence: float = 0.95
) -> pl.DataFrame:
    """The means of cells with an interval, from their moments.

    Args:
        summary: `by`, `OUTCOME`, `n`, `mean` and `squares`.
        by: The factors whose combinations are the cells.
        interval: Student's or the normal one.
        confidence: Its level.

    Returns:
        Estimates with term `mean`, without a test.
    """
    contrasts = one_sample_contrasts(summary, [*by, OUTCOME])
    return _means(contrasts, by, interval=interval, confidence=confidence)


def clustered_means(
    counts: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    *,
    interval: Literal["t", "normal"] = "t",
    confidence: float = 0.95,
) -> pl.DataFrame:
    """The mean of every score in every cell, with a standard error clustered by a column.

    Args:
        counts: What `scored` gave of a tally with the cluster as a column.
        by: The factors whose combinations are the cells.
        cluster: The column whose values are the clusters.
        interval: Student's, with one degree of freedom less than there are clusters, or the normal one.
        confidence: Its level.

    Returns:
        Estimates with term `mean`, without a test: see `clustered.clustered_contrasts`.
    """
    contrasts = clustered_contrasts(counts, [*by, OUTCOME], cluster)
    return _clustered_by(_means(contrasts, by, interval=interval, confidence=confidence), cluster)


def clustered_t_tests(
    counts: pl.DataFrame, by: Sequence[str], cluster: str, *, null_value: float = 0.0, confidence: float = 0.95
) -> pl.DataFrame:
    """Test the mean of every score in every cell against a value, with a standard error clustered by a column.

    Args:
        counts: What `scored` gave of a tally with the cluster as a column.
        by: The factors whose combinations are the cells.
        cluster: The column whose values are the clusters.
        null_value: The mean under the null hypothesis.
        confidence: The level of the interval.

    Returns:
        Estimates with term `mean` and Cohen's d of the responses: see `clustered.clustered_contrasts`.
    """
    cells = [*by, OUTCOME]
    contrasts = clustered_contrasts(counts, cells, cluster, null_value=null_value)
    return _clustered_by(_named(t_tests(contrasts, cells, confidence=confidence)), cluster)


def _clustered_by(found: pl.DataFrame, cluster: str) -> pl.DataFrame:
    told = pl.format("{}, standard error clustered by {}", "method", pl.lit(cluster))
    return found.with_columns(told.alias("method"))


def _means(
    contrasts: pl.DataFrame, by: Sequence[str], *, interval: Literal["t", "normal"], confidence: float
) -> pl.DataFrame:
    """The means of contrasts with an interval, without a test."""
    cells = [*by, OUTCOME]
    if interval == "t":
        found = t_tests(contrasts, cells, confidence=confidence)
        tested = ["null_value", "statistic", "df", "p_value", "log_p_value", "effect", "effect_kind"]
        found = found.with_columns(pl.lit(None).cast(found.schema[name]).alias(name) for name in tested)
        return _named(found.with_columns(pl.lit("mean, Student's interval").alias("method")))
    half_width = pl.col("std_error") * -float(ndtri((1.0 - confidence) / 2.0))
    found = contrasts.with_columns(
        pl.lit("").alias("outcome"),
        pl.lit("mean").alias("term"),
        pl.lit(None, dtype=pl.Float64).alias("null_value"),
        (pl.col("estimate") - half_width).alias("ci_low"),
        (pl.col("estimate") + half_width).alias("ci_high"),
        pl.lit(confidence).alias("confidence"),
        pl.lit("mean, normal interval").alias("method"),
    )
    return _named(as_estimates(found.drop("df", strict=False), cells))


def score_t_tests(
    summary: pl.DataFrame, by: Sequence[str], *, null_value: float = 0.0, confidence: float = 0.95
) -> pl.DataFrame:
    """Test the mean of every score in every cell against a value.

    Args:
        summary: `by`, `OUTCOME`, `n`, `mean` and `squares`, as `moments` or `printed_moments` give them.
        by: The factors whose combinations are the cells.
        null_value: The mean under the null hypothesis.
        confidence: The level of the interval.

    Returns:
        Estimates of one-sample t tests, with term `mean` and Cohen's d with its interval: see `student.t_tests`.
    """
    cells = [*by, OUTCOME]
    contrasts = one_sample_contrasts(summary, cells, null_value=null_value)
    return _named(t_tests(contrasts, cells, confidence=confidence, effect_interval=True))


def printed_moments(cells: pl.DataFrame, names: Sequence[str], by: Sequence[str], confidence: float) -> pl.DataFrame:
    """Moments of cells from printed means and intervals, pooled over the factors that are left out.

    The standard error is (ci_high - ci_low) / (2 z), the standard deviation that times sqrt n.

    Args:
        cells: `names`, `OUTCOME`, `n`, `mean`, `ci_low` and `ci_high`, a row a cell.
        names: The factors that name the printed cells.
        by: Those of them whose combinations are the cells wanted.
        confidence: The level of the printed intervals.

    Returns:
        `by`, `OUTCOME`, `n`, `mean` and `squares`.

    >>> printed = {"m": ["a", "b"], OUTCOME: "d", "n": [100, 100], "mean": [0.2, 0.4]}
    >>> printed |= {"ci_low": [0.102, 0.302], "ci_high": [0.298, 0.498]}
    >>> printed_moments(pl.DataFrame(printed), ["m"], [], 0.95).select("n", pl.col("mean", "squares").round(2)).row(0)
    (200, 0.3, 51.5)
    """
    z = -float(ndtri((1.0 - confidence) / 2.0))
    error = (pl.col("ci_high") - pl.col("ci_low")) / (2.0 * z)
    sd = error * pl.col("n").cast(pl.Float64).sqrt()
    summary = summary_moments(cells.with_columns(sd.alias("sd")), [*names, OUTCOME])
    return merged_moments(summary, [*by, OUTCOME])


def printed_means(cells: pl.DataFrame, by: Sequence[str], confidence: float, source: str) -> pl.DataFrame:
    """Printed means with their own intervals as estimates.

    Args:
        cells: `by`, `OUTCOME`, `n`, `mean`, `ci_low` and `ci_high`, a row a cell.
        by: The factors that name the cells.
        confidence: The level of the intervals.
        source: Where the means come from.

    Returns:
        Estimates with term `mean`; a cell without a mean is `no-data`.
    """
    found = cells.sort([*by, OUTCOME]).with_columns(
        pl.lit("mean").alias("term"),
        pl.col("mean").alias("estimate"),
        pl.lit(confidence).alias("confidence"),
        pl.lit(f"as given: {source}").alias("method"),
        pl.when(pl.col("mean").is_null()).then(pl.lit("no-data")).otherwise(pl.lit("ok")).alias("status"),
        pl.lit("").alias("outcome"),
    )
    return _named(as_estimates(found, [*by, OUTCOME]))


def _named(found: pl.DataFrame) -> pl.DataFrame:
    """Estimates whose outcome is that of the cell."""
    return found.with_columns(pl.col(OUTCOME).alias("outcome")).drop(OUTCOME)
