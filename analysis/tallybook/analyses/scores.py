"""Analyses of scores: means, their tests, correlations, regressions on them; from responses or from printed means."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.statistics.association.score_correlations import score_correlations
from tallybook.statistics.logistic.outcome_regression import observed_shares, outcome_regressions
from tallybook.statistics.means.moments import moments
from tallybook.statistics.means.score_means import (
    OUTCOME,
    clustered_means,
    clustered_t_tests,
    means_of,
    printed_means,
    printed_moments,
    score_means,
    score_t_tests,
    scored,
)
from tallybook.study.score_analyses import Correlation, Logistic, ObservedShares, ScoreMean, TTest

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.model import Study

OfScores: TypeAlias = ScoreMean | TTest | Correlation | Logistic | ObservedShares
"""The analyses that this module computes."""


def of_scores(
    study: Study, analysis: OfScores, tally: pl.DataFrame, summaries: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Compute an analysis of scores.

    Args:
        study: The study.
        analysis: One of its analyses.
        tally: The part of the tally that it is computed from.
        summaries: The tables of printed means by name.

    Returns:
        Estimates.
    """
    if isinstance(analysis, Correlation):
        return score_correlations(
            tally,
            analysis.by,
            analysis.outcomes,
            {name: study.outcomes[name].beside for name in analysis.outcomes},
            method=analysis.method,
            confidence=analysis.confidence,
        )
    if isinstance(analysis, Logistic):
        return outcome_regressions(
            tally,
            analysis.by,
            analysis.outcomes,
            analysis.category,
            analysis.predictors,
            estimator=analysis.estimator,
            cluster=analysis.cluster,
            confidence=analysis.confidence,
        )
    if isinstance(analysis, ObservedShares):
        return observed_shares(tally, analysis.by, analysis.outcomes, analysis.category, analysis.score)
    if analysis.summaries is not None:
        return _of_printed(study, analysis, analysis.summaries, summaries[analysis.summaries])
    counts = scored(tally, analysis.outcomes, analysis.uncoded)
    if analysis.cluster is not None:
        return _clustered(analysis, counts, analysis.cluster)
    return _independent(study, analysis, counts)


def _independent(study: Study, analysis: ScoreMean | TTest, counts: pl.DataFrame) -> pl.DataFrame:
    if isinstance(analysis, TTest):
        return score_t_tests(
            moments(counts, [*analysis.by, OUTCOME]),
            analysis.by,
            null_value=analysis.null_value,
            confidence=analysis.confidence,
        )
    interval = "t" if analysis.interval == "given" else analysis.interval
    return score_means(counts, analysis.by, interval=interval, confidence=analysis.confidence, seed=study.seed)


def _clustered(analysis: ScoreMean | TTest, counts: pl.DataFrame, cluster: str) -> pl.DataFrame:
    if isinstance(analysis, TTest):
        return clustered_t_tests(
            counts, analysis.by, cluster, null_value=analysis.null_value, confidence=analysis.confidence
        )
    interval = "normal" if analysis.interval == "normal" else "t"
    return clustered_means(counts, analysis.by, cluster, interval=interval, confidence=analysis.confidence)


def _of_printed(study: Study, analysis: ScoreMean | TTest, name: str, cells: pl.DataFrame) -> pl.DataFrame:
    declared = study.summaries[name]
    cells = cells.with_columns(pl.lit(declared.outcome).alias(OUTCOME))
    if isinstance(analysis, ScoreMean) and analysis.interval == "given":
        if cells.select(analysis.by).is_duplicated().any():  # a factor may be left out that follows from the others
            raise UsageError(f"summaries.{name}: 'given' intervals are those of cells by {', '.join(declared.by)}")
        return printed_means(cells, analysis.by, declared.confidence, declared.label)
    summary = printed_moments(cells, declared.by, analysis.by, declared.confidence)
    if isinstance(analysis, TTest):
        found = score_t_tests(summary, analysis.by, null_value=analysis.null_value, confidence=analysis.confidence)
    else:
        interval = "normal" if analysis.interval == "normal" else "t"
        found = means_of(summary, analysis.by, interval=interval, confidence=analysis.confidence)
    return found.with_columns(pl.format("{}; from {}", "method", pl.lit(declared.label)).alias("method"))
