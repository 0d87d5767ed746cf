"""Analyses of categories, labels and descriptive summaries: which statistic is computed with which settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.statistics.association.ordered_categories import ordered_association
from tallybook.statistics.categories.coding_agreement import coding_agreement
from tallybook.statistics.categories.ranking import most_frequent
from tallybook.statistics.divergences.stereotype import stereotype_scores
from tallybook.statistics.means.clustered import clustered_proportions
from tallybook.statistics.means.scores import score_summaries
from tallybook.statistics.proportions.difference import share_differences
from tallybook.statistics.proportions.proportion import binomial_tests, category_counts, proportions
from tallybook.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    Difference,
    MostFrequent,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)
from tallybook.study.coding import Categories

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.statistics.association.rank_association import Coefficient as Rank
    from tallybook.study.analyses import Coefficient
    from tallybook.study.model import Study

OfCategories = (
    Proportion
    | Count
    | Difference
    | BinomialTest
    | RankAssociation
    | Agreement
    | StereotypeScore
    | MostFrequent
    | ScoreSummary
)
"""The analyses that this module computes."""

_COEFFICIENTS: dict[Coefficient, Rank] = {
    "tau-b": "tau_b",
    "tau-c": "tau_c",
    "gamma": "gamma",
    "somers-d": "somers_d",
    "somers-d-yx": "somers_d_yx",
    "somers-d-xy": "somers_d_xy",
}
"""The study file's word for a coefficient -> the estimates' term."""


def of_categories(  # noqa: PLR0911  one call for each kind of analysis
    study: Study, analysis: OfCategories, tally: pl.DataFrame, references: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    """Compute an analysis of categories.

    Args:
        study: The study.
        analysis: One of its analyses.
        tally: The part of the tally that it is computed from.
        references: The reference tables by name.

    Returns:
        Estimates.
    """
    match analysis:
        case Proportion():
            return _proportions(study, analysis, tally)
        case Count():
            return category_counts(tally, analysis.by, _terms(study, analysis))
        case Difference():
            return share_differences(
                tally,
                analysis.by,
                _terms(study, analysis),
                analysis.factor,
                analysis.levels,
                denominator=analysis.denominator,
                confidence=analysis.confidence,
            )
        case BinomialTest():
            return binomial_tests(
                tally,
                analysis.by,
                _terms(study, analysis),
                references[analysis.reference],
                study.references[analysis.reference].by,
                denominator=analysis.denominator,
                method=analysis.method,
                confidence=analysis.confidence,
            )
        case RankAssociation():
            return ordered_association(
                tally,
                analysis.by,
                {name: analysis.categories or _categories(study, name) for name in analysis.outcomes},
                analysis.factor,
                analysis.levels or list(study.factors[analysis.factor].levels),
                uncoded=analysis.uncoded,
                coefficient=_COEFFICIENTS[analysis.coefficient],
                confidence=analysis.confidence,
            )
        case Agreement():
            levels = study.factors[analysis.factor].levels
            codes = {category for name in analysis.outcomes for category in _categories(study, name)}
            return coding_agreement(
                tally,
                analysis.by,
                analysis.outcomes,
                analysis.factor,
                analysis.levels or [level for level in levels if level in codes],
                confidence=analysis.confidence,
            )
        case StereotypeScore():
            return stereotype_scores(
                tally,
                analysis.by,
                {
                    name: category_terms(study, name, analysis.categories.get(name) or _categories(study, name))
                    for name in analysis.outcomes
                },
                between=analysis.between,
                levels=list(study.factors[analysis.between].levels),
                within=analysis.within,
                refusal=analysis.refusal,
                epsilon=analysis.epsilon,
                smoothing=analysis.smoothing,
                both_directions=analysis.direction == "both",
                base=analysis.base,
            )
        case MostFrequent():
            return most_frequent(
                tally, analysis.by, analysis.outcomes, denominator=analysis.denominator, ties=analysis.ties
            )
        case ScoreSummary():
            return score_summaries(tally, analysis.by, analysis.outcomes, ddof=analysis.ddof)


def _proportions(study: Study, analysis: Proportion, tally: pl.DataFrame) -> pl.DataFrame:
    terms = _terms(study, analysis)
    if analysis.cluster is not None:
        return clustered_proportions(
            tally,
            analysis.by,
            terms,
            analysis.cluster,
            denominator=analysis.denominator,
            confidence=analysis.confidence,
        )
    return proportions(
        tally,
        analysis.by,
        terms,
        denominator=analysis.denominator,
        smoothing=analysis.smoothing,
        confidence=analysis.confidence,
    )


def _terms(study: Study, analysis: OfCategories) -> dict[str, dict[str, tuple[str, ...]]]:
    return {name: category_terms(study, name) for name in analysis.outcomes}


def _categories(study: Study, outcome: str) -> Sequence[str]:
    """An outcome's categories without unions, which would count a response twice."""
    declared = study.outcomes[outcome]
    return list(declared.labels) if isinstance(declared, Categories) else ()


def category_terms(study: Study, outcome: str, only: Sequence[str] = ()) -> dict[str, tuple[str, ...]]:
    """The terms of an outcome and the categories that each counts.

    Args:
        study: The study.
        outcome: An outcome of categories.
        only: The terms wanted; all by default.

    Returns:
        Term -> categories, in the outcome's order.
    """
    declared = study.category_outcome(outcome)
    return {term: declared.unions.get(term, (term,)) for term in only or declared.terms}
