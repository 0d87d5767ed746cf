"""Whether an analysis of scores fits the scores, what is kept beside them, and tables of printed means."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

from tallybook.study.base import must_exist
from tallybook.study.score_analyses import Correlation, Logistic, ObservedShares, ScoreMean, TTest

if TYPE_CHECKING:
    from tallybook.study.model import Study


def check_scores(
    study: Study, analysis: ScoreMean | TTest | Correlation | Logistic | ObservedShares, place: str
) -> None:
    """Refuse an analysis of scores that asks for what is not kept, or not known.

    Args:
        study: The study.
        analysis: One of its analyses.
        place: Where it is declared.

    Raises:
        ValueError: For the first fault.
    """
    if isinstance(analysis, Correlation):
        _check_correlation(study, analysis, place)
    elif isinstance(analysis, Logistic):
        for name in analysis.outcomes:
            must_exist([analysis.category], study.category_outcome(name).labels, f"{place}.category", "category")
            kept = study.outcomes[name].beside
            must_exist(analysis.predictors, kept, f"{place}.predictors", f"score that {name} keeps beside it")
    elif isinstance(analysis, ObservedShares):
        for name in analysis.outcomes:
            must_exist([analysis.category], study.category_outcome(name).labels, f"{place}.category", "category")
            kept = study.outcomes[name].beside
            must_exist([analysis.score], kept, f"{place}.score", f"score that {name} keeps beside it")
    else:
        _check_summaries(study, analysis, place)


def _check_summaries(study: Study, analysis: ScoreMean | TTest, place: str) -> None:
    if analysis.summaries is None:
        if isinstance(analysis, ScoreMean) and analysis.interval == "given":
            raise ValueError(f"{place}.interval: 'given' needs a table of means, 'summaries'")
        return
    must_exist([analysis.summaries], study.summaries, f"{place}.summaries", "table of means")
    table = study.summaries[analysis.summaries]
    must_exist(analysis.outcomes, [table.outcome], f"{place}.outcomes", f"outcome of {analysis.summaries}")
    must_exist(analysis.by, table.by, f"{place}.by", f"factor of {analysis.summaries}")
    must_exist(analysis.where, table.by, f"{place}.where", f"factor of {analysis.summaries}")
    if analysis.uncoded is not None:
        raise ValueError(f"{place}.uncoded: the table of means {analysis.summaries} has no responses")
    if isinstance(analysis, ScoreMean) and analysis.interval in {"percentile", "basic", "bca"}:
        raise ValueError(f"{place}.interval: means alone cannot be resampled")


def _check_correlation(study: Study, analysis: Correlation, place: str) -> None:
    if len(analysis.outcomes) < 2:  # noqa: PLR2004
        raise ValueError(f"{place}.outcomes: expected at least two")
    for x, y in combinations(analysis.outcomes, 2):
        if y not in study.outcomes[x].beside and x not in study.outcomes[y].beside:
            raise ValueError(f"{place}.outcomes: one of {x!r} and {y!r} must keep the other beside it")
