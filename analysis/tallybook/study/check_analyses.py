"""Whether an analysis fits the factors and outcomes that it is computed from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    Difference,
    MostFrequent,
    OfAnalyses,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)
from tallybook.study.analysis_base import Clustered
from tallybook.study.base import must_differ, must_exist
from tallybook.study.check_derived import check_derived
from tallybook.study.check_outcomes import check_where, cluster_columns
from tallybook.study.check_scores import check_scores
from tallybook.study.check_terms import has_p_values
from tallybook.study.score_analyses import Correlation, Logistic, ObservedShares, ScoreMean, TTest

if TYPE_CHECKING:
    from tallybook.study.analyses import Analysis
    from tallybook.study.model import Study

_KINDS = {
    **dict.fromkeys(
        (Proportion, Count, Difference, BinomialTest, RankAssociation, StereotypeScore, Agreement),
        ("category", "reason"),
    ),
    MostFrequent: ("category", "reason", "label"),
    **dict.fromkeys((ScoreSummary, ScoreMean, TTest, Correlation), ("score",)),
    **dict.fromkeys((Logistic, ObservedShares), ("category",)),
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
    must_differ(analysis.by, f"{place}.by")
    _check_family(analysis, place)
    if isinstance(analysis, OfAnalyses):
        check_derived(study, analysis, place)
        return
    must_exist(analysis.outcomes, study.outcomes, f"{place}.outcomes", "outcome")
    must_differ(analysis.outcomes, f"{place}.outcomes")
    for name in analysis.outcomes:
        kind = study.outcomes[name].kind
        if kind not in _KINDS[type(analysis)]:
            allowed = " or ".join(_KINDS[type(analysis)])
            raise ValueError(f"{place}.outcomes: {name!r} is a {kind}; a {analysis.statistic} needs a {allowed}")
    if isinstance(analysis, BinomialTest):
        must_exist([analysis.reference], study.references, f"{place}.reference", "reference")
        needed = [name for name in study.references[analysis.reference].by if name in study.factors]
        absent = [name for name in needed if name not in analysis.by]
        if absent and all(name in study.factors for name in analysis.by):
            raise ValueError(f"{place}.by: {absent[0]!r} is missing, by which references.{analysis.reference} is split")
    if isinstance(analysis, StereotypeScore):
        _check_stereotype(study, analysis, place)
    if isinstance(analysis, RankAssociation | Difference | Agreement):
        _check_factor(study, analysis, place)
    if isinstance(analysis, ScoreMean | TTest | Correlation | Logistic | ObservedShares):
        check_scores(study, analysis, place)
    if isinstance(analysis, Clustered):
        _check_cluster(study, analysis, place)
    check_where(study, analysis.where, f"{place}.where")


def _check_cluster(study: Study, analysis: Proportion | ScoreMean | TTest | Logistic, place: str) -> None:
    """Refuse clusters that the responses do not have, or with which there is no such statistic."""
    if analysis.cluster is None:
        return
    must_exist([analysis.cluster], cluster_columns(study), f"{place}.cluster", "column of all responses")
    if analysis.cluster in analysis.by:
        raise ValueError(f"{place}.cluster: {analysis.cluster!r} is in 'by': each cell would be a single cluster")
    impossible = {
        "smoothing": isinstance(analysis, Proportion) and analysis.smoothing > 0,
        "estimator": isinstance(analysis, Logistic) and analysis.estimator == "firth",
        "summaries": isinstance(analysis, ScoreMean | TTest) and analysis.summaries is not None,
        "interval": isinstance(analysis, ScoreMean) and analysis.interval not in {"t", "normal"},
    }
    for setting, is_so in impossible.items():
        if is_so:
            value = getattr(analysis, setting)
            raise ValueError(f"{place}.cluster: there is no clustered standard error with {setting} = {value!r}")


def _check_family(analysis: Analysis, place: str) -> None:
    if analysis.family is None:
        return
    if not has_p_values(analysis):
        told = f"{place}.family: a {analysis.statistic} has no p-values that could be adjusted"
        raise ValueError(told)
    must_exist(analysis.family.by, [*analysis.by, "outcome"], f"{place}.family.by", "factor of the analysis")


def _check_factor(study: Study, analysis: RankAssociation | Difference | Agreement, place: str) -> None:
    must_exist([analysis.factor], study.factors, f"{place}.factor", "factor")
    must_differ([*analysis.by, analysis.factor], f"{place}: by and factor")
    must_exist(analysis.levels, study.factors[analysis.factor].levels, f"{place}.levels", "level")
    must_differ(analysis.levels, f"{place}.levels")
    if isinstance(analysis, RankAssociation):
        for name in analysis.outcomes:
            categories = study.category_outcome(name).labels
            must_exist(analysis.categories, categories, f"{place}.categories", f"category of {name}")
            if analysis.uncoded is not None:
                counted = analysis.categories or categories
                must_exist([analysis.uncoded], counted, f"{place}.uncoded", "counted category")
        must_differ(analysis.categories, f"{place}.categories")
    if isinstance(analysis, Agreement):
        for name in analysis.outcomes:
            must_exist(analysis.levels, study.category_outcome(name).labels, f"{place}.levels", f"category of {name}")


def _check_stereotype(study: Study, analysis: StereotypeScore, place: str) -> None:
    must_exist([analysis.between], study.factors, f"{place}.between", "factor")
    must_exist([analysis.within], study.factors, f"{place}.within", "factor")
    must_differ([*analysis.by, analysis.between, analysis.within], f"{place}: by, between and within")
    must_exist(analysis.categories, analysis.outcomes, f"{place}.categories", "outcome")
    for name in [name for name in analysis.categories if name in analysis.outcomes]:
        terms, outcome = analysis.categories[name], study.category_outcome(name)
        must_exist(terms, outcome.terms, f"{place}.categories.{name}", "category")
        must_differ(
            [member for term in terms for member in outcome.unions.get(term, (term,))],
            f"{place}.categories.{name}, unions taken apart",
        )
