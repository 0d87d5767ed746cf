"""Whether an analysis fits the factors and outcomes that it is computed from."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from schemas.study.analyses import (
    BinomialTest,
    DeviationScore,
    MostFrequent,
    Proportion,
    ScoreSummary,
    StereotypeScore,
)
from schemas.study.base import must_exist

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.study.analyses import Analysis
    from schemas.study.model import Study

_KINDS = {
    Proportion: ("category",),
    BinomialTest: ("category",),
    StereotypeScore: ("category",),
    MostFrequent: ("category", "label"),
    ScoreSummary: ("score",),
}
"""Statistic -> the kinds of outcomes that it is defined for."""


def check_analysis(study: Study, analysis: Analysis, place: str) -> None:
    """Refuse an analysis that names what is not declared, or asks for what has no meaning.

    Args:
        study: The study.
        analysis: One of its analyses.
        place: Where it is declared.

    Raises:
        ValueError: For the first fault.
    """
    must_exist(analysis.by, study.factors, f"{place}.by", "factor")
    _once(analysis.by, f"{place}.by")
    if isinstance(analysis, DeviationScore):
        tests = {name: kind for name, kind in study.analyses.items() if isinstance(kind, BinomialTest)}
        must_exist([analysis.of], tests, f"{place}.of", "binomial test")
        must_exist(analysis.by, tests[analysis.of].by, f"{place}.by", f"factor of {analysis.of}")
        return
    must_exist(analysis.outcomes, study.outcomes, f"{place}.outcomes", "outcome")
    _once(analysis.outcomes, f"{place}.outcomes")
    for name in analysis.outcomes:
        kind = study.outcomes[name].kind
        if kind not in _KINDS[type(analysis)]:
            allowed = " or ".join(_KINDS[type(analysis)])
            raise ValueError(f"{place}.outcomes: {name!r} is a {kind}; a {analysis.statistic} needs a {allowed}")
    if isinstance(analysis, BinomialTest):
        must_exist([analysis.reference], study.references, f"{place}.reference", "reference")
        needed = study.references[analysis.reference].by
        must_exist(needed, analysis.by, f"{place}.by, which references.{analysis.reference} needs", "factor")
    if isinstance(analysis, StereotypeScore):
        _check_stereotype(study, analysis, place)


def _check_stereotype(study: Study, analysis: StereotypeScore, place: str) -> None:
    must_exist([analysis.between, analysis.within], study.factors, place, "factor")
    _once([*analysis.by, analysis.between, analysis.within], f"{place}: by, between and within")
    must_exist(analysis.categories, analysis.outcomes, f"{place}.categories", "outcome")
    for name, terms in analysis.categories.items():
        outcome = study.category_outcome(name)
        must_exist(terms, outcome.terms, f"{place}.categories.{name}", "category")
        _once(
            [member for term in terms for member in outcome.unions.get(term, (term,))],
            f"{place}.categories.{name}, unions taken apart",
        )


def _once(names: Iterable[str], place: str) -> None:
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(f"{place}: {repeated[0]!r} stands there more than once")
