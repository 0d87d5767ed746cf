"""From a study's declared analyses to estimates: which statistic is computed with which settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.statistics.association.ordered_categories import ordered_association
from analysis.statistics.averages import unweighted_means
from analysis.statistics.categories.coding_agreement import coding_agreement
from analysis.statistics.categories.ranking import most_frequent
from analysis.statistics.divergences.stereotype import stereotype_scores
from analysis.statistics.estimates import COLUMNS
from analysis.statistics.means.scores import score_summaries
from analysis.statistics.multiplicity import with_adjusted_p_values
from analysis.statistics.proportions.deviation import deviation_scores
from analysis.statistics.proportions.difference import share_differences
from analysis.statistics.proportions.proportion import binomial_tests, category_counts, proportions
from schemas.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    DeviationScore,
    Difference,
    Mean,
    MostFrequent,
    OfAnalyses,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)
from schemas.study.coding import Categories

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from analysis.statistics.association.rank_association import Coefficient as Rank
    from schemas.study import Study
    from schemas.study.analyses import Coefficient, OfTally

_COEFFICIENTS: dict[Coefficient, Rank] = {
    "tau-b": "tau_b",
    "tau-c": "tau_c",
    "gamma": "gamma",
    "somers-d": "somers_d",
    "somers-d-yx": "somers_d_yx",
    "somers-d-xy": "somers_d_xy",
}
"""The study file's word for a coefficient -> the estimates' term."""


def estimate(study: Study, tally: pl.DataFrame, references: Mapping[str, pl.DataFrame]) -> pl.DataFrame:
    """Compute every analysis of a study.

    Args:
        study: The study.
        tally: The tally of its coded responses.
        references: The reference tables by name.

    Returns:
        The estimates of all analyses, in their order; a factor that an analysis does not split by is null.
    """
    done: dict[str, pl.DataFrame] = {}
    # Analyses of other analyses' estimates come second.
    for name, analysis in sorted(study.analyses.items(), key=lambda item: isinstance(item[1], OfAnalyses)):
        if isinstance(analysis, OfAnalyses):
            found = _of_estimates(analysis, done[analysis.of])
        else:
            found = _of_tally(study, analysis, _selected(tally, analysis), references)
        if analysis.family is not None:
            found = with_adjusted_p_values(found, analysis.family.by, analysis.family.method)
        done[name] = found.with_columns(pl.lit(name).alias("analysis"))
    schema = dict.fromkeys(study.factors, pl.String()) | COLUMNS
    together = pl.concat([pl.DataFrame(schema=schema), *(done[name] for name in study.analyses)], how="diagonal")
    return together.sort(_declared_order(study), maintain_order=True)


def _declared_order(study: Study) -> list[pl.Expr]:
    """Analyses, factor levels and outcomes in the order in which the study file lists them."""
    orders = {"analysis": list(study.analyses)}
    orders |= {name: list(factor.levels) for name, factor in study.factors.items()}
    orders |= {"outcome": list(study.outcomes)}
    return [
        pl.col(name).replace_strict(values, range(len(values)), default=None, return_dtype=pl.Int32)
        for name, values in orders.items()
    ]


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


def _selected(tally: pl.DataFrame, analysis: OfTally) -> pl.DataFrame:
    """The part of a tally that an analysis is computed from."""
    chosen = [
        pl.col(name).is_in([levels] if isinstance(levels, str) else list(levels))
        for name, levels in analysis.where.items()
    ]
    return tally.filter(pl.lit(value=True), *chosen)


def _of_estimates(analysis: OfAnalyses, estimates: pl.DataFrame) -> pl.DataFrame:
    match analysis:
        case DeviationScore():
            return deviation_scores(estimates, analysis.by, alpha=analysis.alpha)
        case Mean():
            return unweighted_means(estimates, analysis.by, confidence=analysis.confidence)


def _of_tally(  # noqa: PLR0911  one call for each kind of analysis
    study: Study, analysis: OfTally, tally: pl.DataFrame, references: Mapping[str, pl.DataFrame]
) -> pl.DataFrame:
    match analysis:
        case Proportion():
            return proportions(
                tally,
                analysis.by,
                _terms(study, analysis),
                denominator=analysis.denominator,
                confidence=analysis.confidence,
            )
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


def _terms(study: Study, analysis: OfTally) -> dict[str, dict[str, tuple[str, ...]]]:
    return {name: category_terms(study, name) for name in analysis.outcomes}


def _categories(study: Study, outcome: str) -> Sequence[str]:
    """An outcome's categories without unions, which would count a response twice."""
    declared = study.outcomes[outcome]
    return list(declared.labels) if isinstance(declared, Categories) else ()
