"""All analyses of a study, in an order in which each finds what it is computed from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import polars as pl

from tallybook.analyses.categories import of_categories
from tallybook.analyses.derived import of_estimates
from tallybook.analyses.hypotheses import HYPOTHESIS, with_hypotheses
from tallybook.analyses.leaving_out import left_out
from tallybook.analyses.scores import of_scores
from tallybook.statistics.conclusions import changed_conclusions
from tallybook.statistics.estimates import COLUMNS
from tallybook.statistics.logistic.outcome_regression import outcome_curves
from tallybook.statistics.multiplicity import with_adjusted_p_values
from tallybook.study.analyses import DeviationScore, Mean, OfAnalyses
from tallybook.study.check_outcomes import chosen_levels
from tallybook.study.check_terms import cluster_of, counted_by
from tallybook.study.score_analyses import (
    Changes,
    Combination,
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
    computed = _Computed(study, tally, references, summaries or {}, clustered or {}, _with_hypotheses(study))
    schema = dict.fromkeys(study.factors, pl.String()) | COLUMNS
    together = pl.concat([pl.DataFrame(schema=schema), *(computed.of(name) for name in study.analyses)], how="diagonal")
    return together.drop(HYPOTHESIS, strict=False).sort(_declared_order(study), maintain_order=True)


@dataclass(frozen=True)
class _Computed:
    """The analyses of a study, each computed when it is first asked for."""

    study: Study
    tally: pl.DataFrame
    references: Mapping[str, pl.DataFrame]
    summaries: Mapping[str, pl.DataFrame]
    clustered: Mapping[str, pl.DataFrame]
    told_apart: set[str]
    done: dict[str, pl.DataFrame] = field(default_factory=dict[str, pl.DataFrame])

    def of(self, name: str) -> pl.DataFrame:
        if name not in self.done:
            analysis = self.study.analyses[name]
            found = self._of_estimates(analysis) if isinstance(analysis, OfAnalyses) else self._of_counts(analysis)
            if name in self.told_apart:
                found = with_hypotheses(self.study, analysis, found, self._counts(analysis))
            if (family := analysis.family) is not None:
                own = [*analysis.by, HYPOTHESIS] if family.counts == "hypotheses" else None
                found = with_adjusted_p_values(found, family.by, family.method, hypothesis=own)
            self.done[name] = found.with_columns(pl.lit(name).alias("analysis"))
        return self.done[name]

    def _counts(self, analysis: Analysis) -> pl.DataFrame:
        """The part of the tally that an analysis rests on, with its clusters."""
        cluster, base = cluster_of(self.study, analysis), counted_by(self.study, analysis)
        counts = self.tally if cluster is None else self.clustered.get(cluster, self.tally)
        chosen = [pl.col(name).is_in(chosen_levels(levels)) for name, levels in base.where.items()]
        return counts.filter(pl.lit(value=True), *chosen)

    def _of_counts(self, analysis: OfTally, counts: pl.DataFrame | None = None) -> pl.DataFrame:
        counts = self._counts(analysis) if counts is None else counts
        if isinstance(analysis, ScoreMean | TTest | Correlation | Logistic | ObservedShares):
            return of_scores(self.study, analysis, counts, self.summaries)
        return of_categories(self.study, analysis, counts, self.references)

    def _of_estimates(self, analysis: OfAnalyses) -> pl.DataFrame:
        of, cluster = self.study.analyses[analysis.of], cluster_of(self.study, analysis)
        if isinstance(analysis, LogisticCurve):
            return _curve(self.study, analysis, self._counts(of))
        if isinstance(analysis, Changes):
            later = self.of(analysis.to)
            return changed_conclusions(self.of(analysis.of), later, of.by, analysis.by, alpha=analysis.alpha)
        if isinstance(analysis, Mean | Combination) and cluster is not None:
            counts = self._counts(analysis)
            return left_out(
                self.study, analysis, self.of(analysis.of), tally=counts, cluster=cluster, compute=self._of_counts
            )
        return of_estimates(analysis, self.of(analysis.of), of.by)


def clusters(study: Study) -> dict[str, list[str]]:
    """The columns of clusters that tallies must keep beside the factors.

    Args:
        study: The study.

    Returns:
        Column -> the outcomes of which it is needed; a factor, which every tally keeps, is none.
    """
    needed: dict[str, list[str]] = {}
    for analysis in study.analyses.values():
        cluster = cluster_of(study, analysis)
        if cluster is not None and cluster not in study.factors:
            needed.setdefault(cluster, []).extend(counted_by(study, analysis).outcomes)
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


def _curve(study: Study, curve: LogisticCurve, tally: pl.DataFrame) -> pl.DataFrame:
    regression = study.analyses[curve.of]
    if not isinstance(regression, Logistic):  # the study file is checked for it
        raise TypeError(f"{curve.of} is no logistic regression")
    return outcome_curves(
        tally,
        regression.by,
        regression.outcomes,
        regression.category,
        regression.predictors[0],
        points=curve.points,
        estimator=regression.estimator,
        cluster=regression.cluster,
        confidence=regression.confidence,
    )
