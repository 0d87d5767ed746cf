"""Means, t tests and summaries of scores, from tallies or from printed means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias

import polars as pl

from tallybook.statistics.bootstrap.intervals import bootstrap_intervals
from tallybook.statistics.cells import totals
from tallybook.statistics.estimates import as_estimates, status_of
from tallybook.statistics.jackknife import jackknifed
from tallybook.statistics.means.contrasts import one_sample_contrasts
from tallybook.statistics.means.medians import median_intervals
from tallybook.statistics.means.moments import merged_moments, moments, summary_moments
from tallybook.statistics.means.student import t_tests
from tallybook.statistics.proportions.left_out import means_without_each
from tallybook.statistics.tails import normal_quantile

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook_schemas.vocabulary import DegreesOfFreedom

Interval: TypeAlias = Literal["t", "normal", "percentile", "basic", "bca"]


def scored(tally: pl.DataFrame, outcomes: Sequence[str], uncoded: float | None = None) -> pl.DataFrame:
    """Return the values of scores with their counts; responses without a score get the value `uncoded`."""
    value = (
        pl.when(pl.col("status") == "ok")
        .then(pl.col("value"))
        .when(pl.col("status") != "error")
        .then(pl.lit(uncoded, dtype=pl.Float64))
    )
    return tally.filter(pl.col("outcome").is_in(list(outcomes))).with_columns(value.alias("value"))


def score_means(
    counts: pl.DataFrame,
    by: Sequence[str],
    *,
    interval: Interval = "t",
    confidence: float = 0.95,
    seed: int = 0,
    ddof: int = 1,
) -> pl.DataFrame:
    """Compute the mean of every score in every cell, with an interval.

    "t": mean ± t s / sqrt n; "normal": mean ± z s / sqrt n, s with n - ddof; the others by bootstrap, computed without
    simulation error where the scores lie on a grid: see `bootstrap_intervals`.
    """
    cells = [*by, "outcome"]
    if interval == "t" or interval == "normal":  # noqa: PLR1714  the type checker follows comparisons only
        return means_of(moments(counts, cells), by, interval=interval, confidence=confidence, ddof=ddof)
    return bootstrap_intervals(counts, cells, "value", interval=interval, confidence=confidence, seed=seed)


def means_of(
    summary: pl.DataFrame,
    by: Sequence[str],
    *,
    interval: Literal["t", "normal"] = "t",
    confidence: float = 0.95,
    ddof: int = 1,
) -> pl.DataFrame:
    """Compute the means of cells with intervals, from their moments."""
    cells = [*by, "outcome"]
    contrasts = one_sample_contrasts(summary, cells)
    if interval == "t":
        found = t_tests(contrasts, cells, confidence=confidence)
        tested = ["null_value", "statistic", "df", "p_value", "log_p_value", "effect", "effect_kind"]
        found = found.with_columns(pl.lit(None).cast(found.schema[name]).alias(name) for name in tested)
        return found.with_columns(pl.lit("mean, Student's interval").alias("method"))
    if ddof == 0:
        n = pl.col("n").cast(pl.Float64)
        contrasts = contrasts.with_columns(pl.col("std_error") * ((n - 1) / n).sqrt())
    half_width = pl.col("std_error") * normal_quantile(confidence)
    found = contrasts.with_columns(
        pl.lit("mean").alias("term"),
        pl.lit(None, dtype=pl.Float64).alias("null_value"),
        (pl.col("estimate") - half_width).alias("ci_low"),
        (pl.col("estimate") + half_width).alias("ci_high"),
        pl.lit(confidence).alias("confidence"),
        pl.lit("mean, normal interval").alias("method"),
    )
    return as_estimates(found.drop("df", strict=False), cells)


def score_t_tests(
    summary: pl.DataFrame, by: Sequence[str], *, null_value: float = 0.0, confidence: float = 0.95
) -> pl.DataFrame:
    """Test the mean of every score in every cell against a value."""
    cells = [*by, "outcome"]
    contrasts = one_sample_contrasts(summary, cells, null_value=null_value)
    return t_tests(contrasts, cells, confidence=confidence, effect_interval=True)


def printed_moments(cells: pl.DataFrame, names: Sequence[str], by: Sequence[str], confidence: float) -> pl.DataFrame:
    """Compute moments of cells from printed means and intervals, pooled over the factors that are not in `by`.

    The standard error is (ci_high - ci_low) / (2 z), the standard deviation that times sqrt n.
    """
    z = normal_quantile(confidence)
    error = (pl.col("ci_high") - pl.col("ci_low")) / (2.0 * z)
    sd = error * pl.col("n").cast(pl.Float64).sqrt()
    summary = summary_moments(cells.with_columns(sd.alias("sd")), [*names, "outcome"])
    return merged_moments(summary, [*by, "outcome"])


def printed_means(cells: pl.DataFrame, by: Sequence[str], confidence: float, source: str) -> pl.DataFrame:
    """Convert printed means with their intervals to estimates."""
    found = cells.sort([*by, "outcome"]).with_columns(
        pl.lit("mean").alias("term"),
        pl.col("mean").alias("estimate"),
        pl.lit(confidence).alias("confidence"),
        pl.lit(f"as given: {source}").alias("method"),
        status_of(pl.col("mean").is_null()),
    )
    return as_estimates(found, [*by, "outcome"])


_TERMS = ("mean", "median", "sd", "missing")


def score_summaries(tally: pl.DataFrame, by: Sequence[str], outcomes: Sequence[str], *, ddof: int = 1) -> pl.DataFrame:
    """Compute mean, median, standard deviation and missing share of scores in every cell.

    The median of n values is the mean of the values at positions floor((n-1)/2) and floor(n/2), counted from 0;
    sd = sqrt(sum c (x - mean)^2 / (n - ddof)) over distinct values x with counts c.

    Args:
        ddof: 0 for the population standard deviation, 1 for the sample's.

    Returns:
        Estimates with terms `mean`, `median`, `sd` (n: responses with a score) and `missing` (n: all responses).
        Where no response has a score the first three are null with status `no-data`; an sd of fewer than ddof + 1
        values, or a number too large for a float, is `degenerate`.
    """
    own = tally.filter(pl.col("outcome").is_in(list(outcomes)))
    cell = [*by, "outcome"]
    scored = (
        own.filter(pl.col("status") == "ok")
        .group_by([*cell, "value"])
        .agg(pl.col("count").sum())
        .sort([*cell, "value"])
    )
    count, value = pl.col("count"), pl.col("value")
    total = count.sum()
    reached = count.cum_sum()
    # Moments about the smallest value: a constant score has a spread of exactly 0, and one far from 0 loses no digits.
    origin = value.min()
    offset = value - origin
    mean_offset = (count * offset).sum() / total
    moments = scored.group_by(cell, maintain_order=True).agg(
        total.alias("scored"),
        (origin + mean_offset).alias("mean"),
        ((value.filter(reached > (total - 1) // 2).first() + value.filter(reached > total // 2).first()) / 2).alias(
            "median"
        ),
        (count * (offset - mean_offset) ** 2).sum().alias("squares"),
    )
    n = pl.col("scored")
    summary = (
        totals(own, by)
        .join(moments, on=cell, how="left")
        .with_columns(n.fill_null(0))
        .with_columns(
            pl.when(n > ddof).then((pl.col("squares") / (n - ddof)).sqrt()).alias("sd"),
            pl.when(pl.col("all") > 0).then((pl.col("all") - n) / pl.col("all")).alias("missing"),
        )
        .sort(cell)
    )
    terms = [
        summary.select(
            *cell,
            pl.lit(term).alias("term"),
            (pl.col("all") if term == "missing" else n).alias("n"),
            pl.col(term).alias("estimate"),
            pl.lit(f"{term} with ddof {ddof}" if term == "sd" else term).alias("method"),
        )
        for term in _TERMS
    ]
    status = status_of(degenerate=pl.col("estimate").is_null())
    return as_estimates(pl.concat(terms).with_columns(status), by)


def with_intervals(
    summaries: pl.DataFrame,
    tally: pl.DataFrame,
    by: Sequence[str],
    cluster: str,
    *,
    confidence: float,
    df: DegreesOfFreedom,
) -> pl.DataFrame:
    """Add clustered intervals to means and medians; the status is `degenerate` where there is none."""
    counts = scored(tally, summaries.get_column("outcome").unique().to_list())
    whole = summaries.filter(term="mean")
    left = means_without_each(counts, [*by, "outcome"], cluster)
    left = left.rename({"n 0": "n", "mean 0": "estimate"}).with_columns(pl.lit("mean").alias("term"))
    means = jackknifed(whole, left, by, whole, confidence=confidence, df=df)
    medians = median_intervals(counts.sort([*by, "outcome"]), [*by, "outcome"], cluster, confidence=confidence)
    medians = medians.with_columns(pl.lit("median").alias("term"))
    own, keys = ["clusters", "std_error", "ci_low", "ci_high"], [*by, "outcome", "term"]
    known = pl.concat([means.select(*keys, *own), medians], how="diagonal")
    found = summaries.drop(own).join(known, on=keys, how="left", nulls_equal=True, maintain_order="left")
    has_one = pl.col("term").is_in(["mean", "median"])
    how = pl.when(pl.col("term") == "mean").then(pl.lit("leaving out")).otherwise(pl.lit("shares on each side without"))
    return found.with_columns(
        pl.when(has_one).then(pl.lit(confidence)).alias("confidence"),
        pl.when(has_one)
        .then(pl.format("{}, interval by {} one {} at a time", "method", how, pl.lit(cluster)))
        .otherwise("method")
        .alias("method"),
        pl.when(has_one & (pl.col("status") == "ok") & pl.col("ci_low").is_null())
        .then(pl.lit("degenerate"))
        .otherwise("status")
        .alias("status"),
    ).select(summaries.columns)
