"""Whether an analysis of estimates fits the analysis that it is of."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.analyses import BinomialTest, DeviationScore, Mean, MostFrequent, OfAnalyses
from tallybook.study.analysis_base import Joining
from tallybook.study.base import must_differ, must_exist
from tallybook.study.check_outcomes import cluster_columns
from tallybook.study.score_analyses import (
    Changes,
    Combination,
    Logistic,
    LogisticCurve,
    MeansCorrelation,
    ScoreMean,
    TTest,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.study.analyses import Analysis
    from tallybook.study.model import Study


def check_derived(study: Study, analysis: OfAnalyses, place: str) -> None:
    """Refuse an analysis of estimates that do not exist, or have no such meaning.

    Args:
        study: The study.
        analysis: One of its analyses.
        place: Where it is declared.

    Raises:
        ValueError: For the first fault.
    """
    match analysis:
        case DeviationScore():
            kind, wanted = "binomial test", (BinomialTest,)
        case LogisticCurve():
            kind, wanted = "logistic regression", (Logistic,)
        case Changes():
            kind, wanted = "t test", (TTest,)
        case MeansCorrelation():
            kind, wanted = "analysis of means", (ScoreMean,)
        case _:  # but no ranking: a label that a cell does not have is no estimate of 0
            kind, wanted = "analysis of responses", ()
    allowed = {
        name: other
        for name, other in study.analyses.items()
        if (isinstance(other, wanted) if wanted else not isinstance(other, OfAnalyses | MostFrequent))
    }
    if isinstance(analysis, Combination):  # of means of estimates, too
        allowed |= {name: other for name, other in study.analyses.items() if isinstance(other, Mean)}
    must_exist([analysis.of], allowed, f"{place}.of", kind)
    of = allowed[analysis.of]
    must_exist(analysis.by, of.by, f"{place}.by", f"factor of {analysis.of}")
    if isinstance(analysis, Changes):
        _check_changes(analysis, of, allowed, place)
    if isinstance(analysis, Combination):
        _check_combination(study, analysis, of, place)
    if isinstance(analysis, Joining):
        _check_clusters(study, analysis, of, place)
    if isinstance(analysis, LogisticCurve) and isinstance(of, Logistic):
        _check_curve(analysis, of, place)


def _check_changes(analysis: Changes, of: Analysis, allowed: Mapping[str, Analysis], place: str) -> None:
    must_exist([analysis.to], allowed, f"{place}.to", "t test")
    to = allowed[analysis.to]
    if set(of.by) != set(to.by):
        raise ValueError(f"{place}.to: expected the cells of {analysis.of}: {', '.join(of.by) or 'none'}")
    for name, test in ((analysis.of, of), (analysis.to, to)):
        if isinstance(test, TTest) and len(test.outcomes) != 1:
            raise ValueError(f"{place}: {name} is of several outcomes; its tests have no counterparts")


def _check_combination(study: Study, analysis: Combination, of: Analysis, place: str) -> None:
    must_exist([analysis.factor], of.by, f"{place}.factor", f"factor of {analysis.of}")
    must_exist(analysis.weights, study.factors[analysis.factor].levels, f"{place}.weights", "level")
    must_differ([*analysis.by, analysis.factor], f"{place}: by and factor")


def _check_clusters(study: Study, analysis: Joining, of: Analysis, place: str) -> None:
    """Refuse clusters that the responses do not have, or of which there is one in each cell."""
    if analysis.cluster is None:
        return
    must_exist([analysis.cluster], cluster_columns(study), f"{place}.cluster", "column of all responses")
    while isinstance(of, Joining):
        of = study.analyses[of.of]
    if analysis.cluster in of.by:
        raise ValueError(f"{place}.cluster: {analysis.cluster!r} is in 'by' of the estimates: a cluster is in one cell")
    if getattr(of, "summaries", None) is not None:
        raise ValueError(f"{place}.cluster: there are no clusters of means that are given")


def _check_curve(analysis: LogisticCurve, of: Logistic, place: str) -> None:
    if len(of.predictors) > 1:
        raise ValueError(f"{place}.of: {analysis.of} has several predictors; a curve has one")
    if set(analysis.by) != set(of.by):
        raise ValueError(f"{place}.by: expected that of {analysis.of}: {', '.join(of.by) or 'none'}")
