"""Which outcomes, terms and p-values an analysis has: what tables and figures can show of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    DeviationScore,
    Difference,
    Mean,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)
from tallybook.study.analysis_base import CountedAnalysis
from tallybook.study.coding import Categories
from tallybook.study.score_analyses import (
    Changes,
    Combination,
    Correlation,
    Logistic,
    MeansCorrelation,
    ScoreMean,
    TTest,
)
from tallybook_schemas.vocabulary import INVALID, REFUSAL

if TYPE_CHECKING:
    from tallybook.study.analyses import Analysis
    from tallybook.study.model import Study

WITH_P_VALUES = (BinomialTest, RankAssociation, Difference, Agreement, TTest, Correlation, Logistic, MeansCorrelation)
"""The analyses that test something."""

_FIXED: dict[type[Analysis], tuple[str, ...]] = {
    ScoreMean: ("mean",),
    TTest: ("mean",),
    ScoreSummary: ("mean", "median", "sd", "missing"),
    Agreement: ("agreement", "cohen_kappa"),
    DeviationScore: ("significant",),
    Changes: ("difference", "changed"),
    RankAssociation: ("tau_b", "tau_c", "gamma", "somers_d", "somers_d_yx", "somers_d_xy"),
}
"""The terms of analyses whose settings do not name them. Of a coefficient any will do: it is a convention."""

_OF_REGRESSIONS = (
    "Intercept",
    "odds_ratio:Intercept",
    "log_likelihood",
    "log_likelihood_null",
    "penalized_log_likelihood",
    "pseudo_r_squared",
    "aic",
    "bic",
    "df_residual",
    "likelihood_ratio",
)


def outcomes_of(study: Study, analysis: Analysis) -> tuple[str, ...] | None:
    """The outcomes that an analysis has estimates of.

    Args:
        study: The study.
        analysis: One of its analyses.

    Returns:
        Their names; None if the analysis is of one that is not declared.
    """
    if isinstance(analysis, CountedAnalysis):
        return analysis.outcomes
    of = study.analyses.get(analysis.of)
    return None if of is None or of is analysis else outcomes_of(study, of)


def terms_of(study: Study, analysis: Analysis) -> list[str] | None:
    """The terms that the estimates of an analysis can have.

    Args:
        study: The study.
        analysis: One of its analyses.

    Returns:
        The terms; None where the data make them, as the labels of a ranking.
    """
    match analysis:
        case Proportion() | Count() | Difference() | BinomialTest():
            outcomes = [study.outcomes[name] for name in analysis.outcomes if name in study.outcomes]
            own = [term for outcome in outcomes if isinstance(outcome, Categories) for term in outcome.terms]
            found = [*own, REFUSAL, INVALID, *(["total"] if isinstance(analysis, Count) else [])]
        case StereotypeScore():
            within = study.factors.get(analysis.within)
            found = ["mean", *(within.levels if within else ())]
        case Correlation():
            found = list(analysis.outcomes)
        case MeansCorrelation():
            found = list(outcomes_of(study, analysis) or ())
        case Logistic():
            found = [*analysis.predictors, *(f"odds_ratio:{name}" for name in analysis.predictors), *_OF_REGRESSIONS]
        case Mean() | Combination():
            of = study.analyses.get(analysis.of)
            return None if of is None or of is analysis else terms_of(study, of)
        case _:
            return list(_FIXED[type(analysis)]) if type(analysis) in _FIXED else None
    return list(dict.fromkeys(found))
