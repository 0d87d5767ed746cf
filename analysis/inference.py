"""From a study's declared analyses to estimates: which statistic is computed with which settings."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from analysis.statistics.categories.ranking import most_frequent
from analysis.statistics.divergences.stereotype import stereotype_scores
from analysis.statistics.estimates import COLUMNS
from analysis.statistics.means.scores import score_summaries
from analysis.statistics.proportions.deviation import deviation_scores
from analysis.statistics.proportions.proportion import binomial_tests, proportions
from schemas.study.analyses import (
    BinomialTest,
    DeviationScore,
    MostFrequent,
    Proportion,
    ScoreSummary,
    StereotypeScore,
)
from schemas.study.coding import CategoryOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.study import Study
    from schemas.study.analyses import Analysis


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
    # A score of tests needs the tests: analyses of analyses come second.
    for name, analysis in sorted(study.analyses.items(), key=lambda item: isinstance(item[1], DeviationScore)):
        done[name] = _estimate_one(study, analysis, tally, references, done).with_columns(
            pl.lit(name).alias("analysis")
        )
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


def _estimate_one(
    study: Study,
    analysis: Analysis,
    tally: pl.DataFrame,
    references: Mapping[str, pl.DataFrame],
    done: Mapping[str, pl.DataFrame],
) -> pl.DataFrame:
    match analysis:
        case Proportion():
            return proportions(
                tally,
                analysis.by,
                {name: category_terms(study, name) for name in analysis.outcomes},
                denominator=analysis.denominator,
                confidence=analysis.confidence,
            )
        case BinomialTest():
            return binomial_tests(
                tally,
                analysis.by,
                {name: category_terms(study, name) for name in analysis.outcomes},
                references[analysis.reference],
                study.references[analysis.reference].by,
                denominator=analysis.denominator,
                method=analysis.method,
                confidence=analysis.confidence,
            )
        case DeviationScore():
            return deviation_scores(done[analysis.of], analysis.by, alpha=analysis.alpha)
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


def _categories(study: Study, outcome: str) -> Sequence[str]:
    """An outcome's categories without unions, which would count a response twice."""
    declared = study.outcomes[outcome]
    return list(declared.labels) if isinstance(declared, CategoryOutcome) else ()
