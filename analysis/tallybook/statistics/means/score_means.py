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

    from tallybook_schemas.vocabulary import StandardError

Interval: TypeAlias = Literal["t", "normal", "percentile", "basic", "bca"]

OUTCOME = "outcome of the cell"
"""The column that names the outcome of a cell while a statistic has a column `outcome` of its own."""


def scored(tally: pl.DataFrame, outcomes: Sequence[str], uncoded: float | None = None) -> pl.DataFrame:
    """The values of scores with their counts."""
    value = (
        pl.when(pl.col("status") == "ok")
        .then(pl.col("value"))
        .when(pl.col("status") != "error")
        .then(pl.lit(uncoded, dtype=pl.Float64))
    )
    own = tally.filter(pl.col("outcome").is_in(list(outcomes)))
    return own.with_columns(value.alias("value")).rename({"outcome": OUTCOME})


def score_means(
    counts: pl.DataFrame,
    by: Sequence[str],
    *,
    interval: Interval = "t",
    confidence: float = 0.95,
    seed: int = 0,
    ddof: int = 1,
) -> pl.DataFrame:
    """The mean of every score in every cell, with an interval.

    "t": mean ± t s / sqrt n; "normal": mean ± z s / sqrt n, s with n - ddof; the others by bootstrap, computed without
    simulation error where the scores lie on a grid: see `bootstrap_intervals`.
    """
    cells = [*by, OUTCOME]
    if interval == "t" or interval == "normal":  # noqa: PLR1714  the type checker follows comparisons only
        return means_of(moments(counts, cells), by, interval=interval, confidence=confidence, ddof=ddof)
    found = bootstrap_intervals(counts, cells, "value", interval=interval, confidence=confidence, seed=seed)
    return of_outcomes(found)


def means_of(
    summary: pl.DataFrame,
    by: Sequence[str],
    *,
    interval: Literal["t", "normal"] = "t",
    confidence: float = 0.95,
    ddof: int = 1,
) -> pl.DataFrame:
    """The means of cells with an interval, from their moments."""
    contrasts = one_sample_contrasts(summary, [*by, OUTCOME])
    if ddof == 0:
        n = pl.col("n").cast(pl.Float64)
        contrasts = contrasts.with_columns(pl.col("std_error") * ((n - 1) / n).sqrt())
    return _means(contrasts, by, interval=interval, confidence=confidence)


def clustered_means(
    counts: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    *,
    interval: Literal["t", "normal"] = "t",
    confidence: float = 0.95,
    kind: StandardError = "CR1",
) -> pl.DataFrame:
    """The mean of every score in every cell, with a standard error clustered by a column."""
    contrasts = clustered_contrasts(counts, [*by, OUTCOME], cluster, kind=kind)
    return _clustered_by(_means(contrasts, by, interval=interval, confidence=confidence), cluster, kind)


def clustered_t_tests(
    counts: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    *,
    null_value: float = 0.0,
    confidence: float = 0.95,
    kind: StandardError = "CR1",
) -> pl.DataFrame:
    """Test the mean of every score in every cell against a value, with a standard error clustered by a column."""
    cells = [*by, OUTCOME]
    contrasts = clustered_contrasts(counts, cells, cluster, null_value=null_value, kind=kind)
    return _clustered_by(of_outcomes(t_tests(contrasts, cells, confidence=confidence)), cluster, kind)


def _clustered_by(found: pl.DataFrame, cluster: str, kind: StandardError) -> pl.DataFrame:
    told = pl.format("{}, standard error clustered by {} ({})", "method", pl.lit(cluster), pl.lit(kind))
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
        return of_outcomes(found.with_columns(pl.lit("mean, Student's interval").alias("method")))
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
    return of_outcomes(as_estimates(found.drop("df", strict=False), cells))


def score_t_tests(
    summary: pl.DataFrame, by: Sequence[str], *, null_value: float = 0.0, confidence: float = 0.95
) -> pl.DataFrame:
    """Test the mean of every score in every cell against a value."""
    cells = [*by, OUTCOME]
    contrasts = one_sample_contrasts(summary, cells, null_value=null_value)
    return of_outcomes(t_tests(contrasts, cells, confidence=confidence, effect_interval=True))


def printed_moments(cells: pl.DataFrame, names: Sequence[str], by: Sequence[str], confidence: float) -> pl.DataFrame:
    """Moments of cells from printed means and intervals, pooled over the factors that are left out.

    The standard error is (ci_high - ci_low) / (2 z), the standard deviation that times sqrt n.
    """
    z = -float(ndtri((1.0 - confidence) / 2.0))
    error = (pl.col("ci_high") - pl.col("ci_low")) / (2.0 * z)
    sd = error * pl.col("n").cast(pl.Float64).sqrt()
    summary = summary_moments(cells.with_columns(sd.alias("sd")), [*names, OUTCOME])
    return merged_moments(summary, [*by, OUTCOME])


def printed_means(cells: pl.DataFrame, by: Sequence[str], confidence: float, source: str) -> pl.DataFrame:
    """Printed means with their own intervals as estimates."""
    found = cells.sort([*by, OUTCOME]).with_columns(
        pl.lit("mean").alias("term"),
        pl.col("mean").alias("estimate"),
        pl.lit(confidence).alias("confidence"),
        pl.lit(f"as given: {source}").alias("method"),
        pl.when(pl.col("mean").is_null()).then(pl.lit("no-data")).otherwise(pl.lit("ok")).alias("status"),
        pl.lit("").alias("outcome"),
    )
    return of_outcomes(as_estimates(found, [*by, OUTCOME]))


def of_outcomes(found: pl.DataFrame) -> pl.DataFrame:
    """Estimates whose outcome is that of the cell."""
    return found.with_columns(pl.col(OUTCOME).alias("outcome")).drop(OUTCOME)
