"""The conventions of analyses of scores, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.check_terms import cluster_of
from tallybook.study.score_analyses import (
    Changes,
    Combination,
    Correlation,
    Logistic,
    LogisticCurve,
    MeansCorrelation,
    ObservedShares,
    ScoreMean,
    TTest,
)
from tallybook.tables.labels import within_a_sentence

if TYPE_CHECKING:
    from tallybook.study.analyses import Mean
    from tallybook.study.model import Study

OfScores = (
    ScoreMean
    | TTest
    | Correlation
    | Logistic
    | ObservedShares
    | LogisticCurve
    | MeansCorrelation
    | Combination
    | Changes
)
"""The analyses that this module describes."""

_INTERVALS = {
    "t": "Student's",
    "normal": "normal",
    "percentile": "percentile bootstrap",
    "basic": "basic bootstrap",
    "bca": "BCa bootstrap",
}


def score_convention(study: Study, analysis: OfScores) -> str:  # noqa: PLR0911  one answer for each kind of analysis
    """The convention of an analysis of scores.

    Args:
        study: The study.
        analysis: The analysis.

    Returns:
        One or more sentences that name every setting that changes its numbers.
    """
    match analysis:
        case ScoreMean(interval="given"):
            return f"Means and intervals as given: {_source(study, analysis)}."
        case ScoreMean():
            return (
                f"Means with {_INTERVALS[analysis.interval]} {_percent(analysis)} intervals{_counted(study, analysis)}."
            )
        case TTest():
            return (
                f"One-sample t tests against {analysis.null_value:g}, two-sided, responses as units"
                f"{_counted(study, analysis)}."
            )
        case Correlation():
            kind = "Pearson" if analysis.method == "pearson" else "Spearman"
            return f"{kind} correlations over responses that have both scores."
        case MeansCorrelation():
            return "Pearson correlations over the means of cells, each cell with the same weight."
        case Logistic():
            return _logistic(study, analysis)
        case ObservedShares() | Changes():
            return _observed(study, analysis)
        case LogisticCurve():
            regression = study.analyses[analysis.of]
            fitted = _logistic(study, regression) if isinstance(regression, Logistic) else ""
            return f"Fitted probability with its pointwise band. {fitted}".strip()
        case Combination():
            factor = study.factors[analysis.factor]
            terms = [f"{weight:g} × {factor.levels[level]}" for level, weight in analysis.weights.items()]
            constant = (
                f" {'+' if analysis.constant > 0 else '−'} {abs(analysis.constant):g}" if analysis.constant else ""
            )
            return f"Weighted sum of {analysis.of}: {' + '.join(terms)}{constant}. {joined(study, analysis)}"


def joined(study: Study, analysis: Mean | Combination) -> str:
    """What the errors of joined estimates rest on."""
    null_value = analysis.null_value if isinstance(analysis, Combination) else None
    test = "" if null_value is None else f" Tested against {null_value:g}, two-sided."
    cluster = cluster_of(study, analysis)
    if cluster is None:
        return f"The cells were taken for independent; normal intervals.{test}"
    return (
        f"Standard errors by leaving out one {_column(study, cluster)} at a time (jackknife over clusters); Student's "
        f"intervals.{test}"
    )


def _column(study: Study, name: str) -> str:
    return within_a_sentence(study.factors[name].label) if name in study.factors else name


def _observed(study: Study, analysis: ObservedShares | Changes) -> str:
    """The convention of what is counted or compared, and not estimated."""
    if isinstance(analysis, ObservedShares):
        score = study.outcomes[analysis.score].label
        return f"Observed shares of {analysis.category} at each value of {score}, among the responses that have both."
    return (
        f"Changes from {analysis.of} to {analysis.to}: a conclusion is that p is at least {analysis.alpha:g}, or that "
        "it is below and the mean is above, or below, the null value; a test without p concludes nothing."
    )


def _logistic(study: Study, analysis: Logistic) -> str:
    how = "maximum likelihood" if analysis.estimator == "maximum-likelihood" else "Firth's penalised likelihood"
    predictors = ", ".join(study.outcomes[name].label for name in analysis.predictors)
    names = ", ".join(study.outcomes[name].label for name in analysis.outcomes)
    return (
        f"Logistic regression ({how}) of {names} being {analysis.category} on {predictors}, among the responses that "
        "have both; Wald tests and intervals."
    )


def _source(study: Study, analysis: ScoreMean | TTest) -> str:
    return study.summaries[analysis.summaries].label if analysis.summaries is not None else ""


def _counted(study: Study, analysis: ScoreMean | TTest) -> str:
    if analysis.summaries is not None:
        return f"; computed from given means and intervals, not from responses ({_source(study, analysis)})"
    if analysis.uncoded is not None:
        return f"; responses without a score count as {analysis.uncoded:g}"
    return "; responses without a score do not count"


def _percent(analysis: ScoreMean) -> str:
    return f"{100 * analysis.confidence:g} %"
