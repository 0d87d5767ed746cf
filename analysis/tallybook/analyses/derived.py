"""Analyses of other analyses' estimates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.analyses.hypotheses import HYPOTHESIS
from tallybook.statistics.association.score_correlations import correlations_of_means
from tallybook.statistics.averages import unweighted_means
from tallybook.statistics.combinations import weighted_sums
from tallybook.statistics.proportions.deviation import deviation_scores
from tallybook.study.analyses import DeviationScore, Mean
from tallybook.study.score_analyses import Combination, MeansCorrelation

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

OfEstimates = DeviationScore | Mean | MeansCorrelation | Combination
"""The analyses that this module computes."""


def of_estimates(analysis: OfEstimates, estimates: pl.DataFrame, by: Sequence[str]) -> pl.DataFrame:
    """Compute an analysis of estimates.

    Args:
        analysis: The analysis.
        estimates: The estimates of the analysis that it is of.
        by: The factors of that analysis.

    Returns:
        Estimates.
    """
    match analysis:
        case DeviationScore():
            hypothesis = [*by, HYPOTHESIS] if analysis.counts == "hypotheses" else None
            return deviation_scores(estimates, analysis.by, alpha=analysis.alpha, hypothesis=hypothesis)
        case Mean():
            return unweighted_means(estimates, analysis.by, confidence=analysis.confidence)
        case MeansCorrelation():
            return correlations_of_means(estimates, analysis.by, confidence=analysis.confidence)
        case Combination():
            return weighted_sums(
                estimates,
                analysis.by,
                analysis.factor,
                analysis.weights,
                constant=analysis.constant,
                confidence=analysis.confidence,
                null_value=analysis.null_value,
            )
