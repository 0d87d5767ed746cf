"""All analyses of a study, in an order in which each finds what it is computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.analyses.categories import of_categories
from tallybook.analyses.derived import of_estimates
from tallybook.analyses.hypotheses import HYPOTHESIS, with_hypotheses
from tallybook.analyses.scores import of_scores
from tallybook.statistics.conclusions import changed_conclusions
from tallybook.statistics.estimates import COLUMNS
from tallybook.statistics.logistic.outcome_regression import outcome_curves
from tallybook.statistics.multiplicity import with_adjusted_p_values
from tallybook.study.analyses import DeviationScore, OfAnalyses
from tallybook.study.analysis_base import Clustered
from tallybook.study.check_outcomes import chosen_levels
from tallybook.study.score_analyses import (
    Changes,
    Correlation,
    Logistic,
    LogisticCurve,
    ObservedShares,
    ScoreMean,
    TTest,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.analyses import Analysis, OfTally
    from tallybook.study.model import Study


def estimate(
    study: Study,
    tally: pl.DataFrame,
    references: Mapping[str, pl.DataFrame],
    summaries: Mapping[str, pl.DataFrame] | None = None,
    clustered: Mapping[str, pl.DataFrame] | None = None,
) -> pl.DataFrame:
    """Compute every analysis of a study.

    Args:
        study: The study.
        tally: The tally of its coded responses.
        references: The reference tables by name.
        summaries: The tables of printed means by name.
        clustered: The tallies that keep a column of clusters, by that column: see `clusters`.

    Returns:
        The estimates of all analyses, in their order; a factor that an analysis does not split by is null.
    """
    done: dict[str, pl.DataFrame] = {}
    told_apart = _with_hypotheses(study)

    def counts_of(analysis: Analysis) -> pl.DataFrame:
        cluster = analysis.cluster if isinstance(analysis, Clustered) else None
        return tally if cluster is None else (clustered or {}).get(cluster, tally)

    def compute(name: str) -> pl.DataFrame:
        if name in done:
            return done[name]
        analysis = study.analyses[name]
        if isinstance(analysis, LogisticCurve):
            found = _curve(study, analysis, counts_of(study.analyses[analysis.of]))
        elif isinstance(analysis, Changes):
            found = changed_conclusions(
                compute(analysis.of),
                compute(analysis.to),
                study.analyses[analysis.of].by,
                analysis.by,
                alpha=analysis.alpha,
            )
        elif isinstance(analysis, OfAnalyses):
            found = of_estimates(analysis, compute(analysis.of), study.analyses[analysis.of].by)
        elif isinstance(analysis, ScoreMean | TTest | Correlation | Logistic | ObservedShares):
            found = of_scores(study, analysis, _selected(counts_of(analysis), analysis), summaries or {})
        else:
            found = of_categories(study, analysis, _selected(counts_of(analysis), analysis), references)
        if name in told_apart:
            found = with_hypotheses(study, analysis, found, _of_tests(analysis, counts_of(analysis)))
        if (family := analysis.family) is not None:
            own = [*analysis.by, HYPOTHESIS] if family.counts == "hypotheses" else None
            found = with_adjusted_p_values(found, family.by, family.method, hypothesis=own)
        done[name] = found.with_columns(pl.lit(name).alias("analysis"))
        return done[name]

    schema = dict.fromkeys(study.factors, pl.String()) | COLUMNS
    together = pl.concat([pl.DataFrame(schema=schema), *(compute(name) for name in study.analyses)], how="diagonal")
    return together.drop(HYPOTHESIS, strict=False).sort(_declared_order(study), maintain_order=True)


def clusters(study: Study) -> dict[str, list[str]]:
    """The columns of clusters that tallies must keep beside the factors.

    Args:
        study: The study.

    Returns:
        Column -> the outcomes of which it is needed; a factor, which every tally keeps, is none.
    """
    needed: dict[str, list[str]] = {}
    for analysis in study.analyses.values():
        if isinstance(analysis, Clustered) and analysis.cluster is not None and analysis.cluster not in study.factors:
            needed.setdefault(analysis.cluster, []).extend(analysis.outcomes)
    return {column: list(dict.fromkeys(outcomes)) for column, outcomes in needed.items()}


def _declared_order(study: Study) -> list[pl.Expr]:
    """Analyses, factor levels and outcomes in the order in which the study file lists them."""
    orders = {"analysis": list(study.analyses)}
    orders |= {name: list(factor.levels) for name, factor in study.factors.items()}
    orders |= {"outcome": list(study.outcomes)}
    return [
        pl.col(name).replace_strict(values, range(len(values)), default=None, return_dtype=pl.Int32)
        for name, values in orders.items()
    ]


def _with_hypotheses(study: Study) -> set[str]:
    """The analyses whose hypotheses are counted."""
    counted: set[str] = set()
    for name, analysis in study.analyses.items():
        if analysis.family is not None and analysis.family.counts == "hypotheses":
            counted.add(name)
        if isinstance(analysis, DeviationScore) and analysis.counts == "hypotheses":
            counted.add(analysis.of)
    return counted


def _of_tests(analysis: Analysis, tally: pl.DataFrame) -> pl.DataFrame:
    return tally if isinstance(analysis, OfAnalyses) else _selected(tally, analysis)


def _selected(tally: pl.DataFrame, analysis: OfTally) -> pl.DataFrame:
    """The part of a tally that an analysis is computed from."""
    chosen = [pl.col(name).is_in(chosen_levels(levels)) for name, levels in analysis.where.items()]
    return tally.filter(pl.lit(value=True), *chosen)


def _curve(study: Study, curve: LogisticCurve, tally: pl.DataFrame) -> pl.DataFrame:
    regression = study.analyses[curve.of]
    if not isinstance(regression, Logistic):  # the study file is checked for it
        raise TypeError(f"{curve.of} is no logistic regression")
    return outcome_curves(
        _selected(tally, regression),
        regression.by,
        regression.outcomes,
        regression.category,
        regression.predictors[0],
        points=curve.points,
        estimator=regression.estimator,
        cluster=regression.cluster,
        confidence=regression.confidence,
    )
