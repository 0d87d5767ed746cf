"""How analyses of scores are made, and analyses of other analyses' estimates, in prose."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.report.markup import literal
from tallybook.report.methods.passages import Account
from tallybook.report.methods.phrases import (
    adjustment,
    cells,
    clustering,
    conditions,
    factor_name,
    level_name,
    number,
    outcome_name,
    outcome_names,
    outcomes_of,
    percent,
    sentences,
    term_name,
)
from tallybook.study.analyses import DeviationScore, Mean
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

if TYPE_CHECKING:
    from tallybook.study.analyses import Analysis
    from tallybook.study.model import Study

OfScores = ScoreMean | TTest | Correlation | Logistic | ObservedShares
"""The analyses of scores that this module describes."""

OfEstimates = DeviationScore | Mean | MeansCorrelation | Combination | LogisticCurve | Changes
"""The analyses of estimates that this module describes."""

BOOTSTRAP = {"percentile": "percentile", "basic": "basic", "bca": "BCa"}
"""The intervals that are made by resampling."""

_RESULTS = {
    "proportion": "shares",
    "count": "counts",
    "difference": "differences of shares",
    "binomial-test": "exact binomial tests",
    "rank-association": "coefficients of ordinal association",
    "score-mean": "means",
    "t-test": "*t* tests",
    "logistic": "logistic regressions",
    "stereotype-score": "stereotype scores",
    "agreement": "agreements",
    "mean": "means of estimates",
    "combination": "weighted sums",
}


def of_scores(study: Study, analysis: OfScores) -> Account:
    """What is said of an analysis of scores.

    Args:
        study: The study.
        analysis: The analysis.

    Returns:
        The account.
    """
    where, by = conditions(study, analysis.where), cells(study, analysis.by)
    names = outcome_names(study, analysis.outcomes)
    match analysis:
        case ScoreMean():
            return Account("Means", "", "Means were computed of", names, where, by, _mean(study, analysis))
        case TTest():
            what = f"{names} against {number(analysis.null_value)}"
            detail = sentences(clustering(study, analysis.cluster), _uncoded(study, analysis))
            return Account("Tests of means", _t_test(study, analysis), "Tested were", what, where, by, detail)
        case Correlation():
            return Account("Correlations", _correlation(study, analysis), "Correlated were", names, where, by)
        case Logistic():
            category = term_name(study, analysis.outcomes[0], analysis.category)
            what = f"{names} being “{category}” on {outcome_names(study, analysis.predictors)}"
            return Account("Logistic regression", _logistic(study, analysis), "Regressed was", what, where, by)
        case ObservedShares():
            category = term_name(study, analysis.outcomes[0], analysis.category)
            text = "Observed are the shares of a category at each value of a score, among the responses that have both."
            what = f"{names} being “{category}” at each value of {outcome_name(study, analysis.score)}"
            return Account("Observed shares", text, "They were computed of", what, where, by)


def _uncoded(study: Study, analysis: ScoreMean | TTest) -> str:
    """What becomes of responses without a score, or where means come from that are not computed from responses."""
    if analysis.summaries is not None:
        source = literal(study.summaries[analysis.summaries].label)
        return (
            f"They are computed from given means and intervals, not from responses ({source}): the standard error of a "
            "given mean is the width of its interval by that of a standard normal one."
        )
    if analysis.uncoded is not None:
        return f"Responses without a score, refusals included, count as {number(analysis.uncoded)}."
    return "Responses without a score are left out, refusals included."


def _mean(study: Study, analysis: ScoreMean) -> str:
    level = percent(analysis.confidence)
    if analysis.interval == "given":
        source = literal(study.summaries[analysis.summaries or ""].label)
        return f"These means and their intervals are taken as they are given ({source})."
    interval = f"normal {level} intervals, from the standard deviation with divisor *n* − 1"
    if analysis.interval == "t":
        interval = f"Student’s {level} intervals [@student1908]"
    elif analysis.interval in BOOTSTRAP:
        cited = "@efron1987; @efron1993" if analysis.interval == "bca" else "@efron1993; @davison1997"
        interval = (
            f"{level} {BOOTSTRAP[analysis.interval]} bootstrap intervals [{cited}], computed without simulation where "
            "scores lie on a grid [@fisher1991]"
        )
    return sentences(f"Means have {interval}.", clustering(study, analysis.cluster), _uncoded(study, analysis))


def _t_test(study: Study, analysis: TTest) -> str:
    units = "responses as units"
    if analysis.cluster is not None:
        units = "one degree of freedom less than there are clusters"
    return sentences(
        f"Means were tested by one-sample *t* tests [@student1908], two-sided, with {units}; "
        f"{percent(analysis.confidence)} intervals are Student’s, and the effect size is Cohen’s *d* [@cohen1988].",
        adjustment(study, analysis.family),
    )


def _correlation(study: Study, analysis: Correlation) -> str:
    made = "Pearson’s *r*, with intervals by Fisher’s transformation [@fisher1921]"
    if analysis.method == "spearman":
        made = "Spearman’s rank correlation [@spearman1904], with intervals after @bonett2000"
    return sentences(
        f"Correlations of two scores over the responses that have both are {made} at the "
        f"{percent(analysis.confidence)} level, tested two-sided by *t* tests.",
        adjustment(study, analysis.family),
    )


def _logistic(study: Study, analysis: Logistic) -> str:
    how, fit = "maximum likelihood [@agresti2013]", " and by McFadden’s pseudo-*R*² [@mcfadden1974]"
    separated = "Where the data are separated [@albert1984] there is no estimate."
    if analysis.estimator == "firth":
        how, fit, separated = "Firth’s penalised likelihood [@firth1993; @heinze2002]", "", ""
    return sentences(
        f"The log odds of a category were regressed by {how}, with an intercept, among the responses that have a "
        f"category and every predictor. Tests (two-sided) and {percent(analysis.confidence)} intervals of coefficients "
        f"are Wald’s; the fit is told by the likelihood ratio test of all slopes{fit}.",
        separated,
        clustering(study, analysis.cluster),
        adjustment(study, analysis.family),
    )


def of_estimates(study: Study, analysis: OfEstimates) -> Account:
    """What is said of an analysis of other analyses' estimates.

    Args:
        study: The study.
        analysis: The analysis.

    Returns:
        The account.
    """
    base = study.analyses[analysis.of]
    by = cells(study, analysis.by)
    what = _results(study, base)
    match analysis:
        case DeviationScore():
            adjusted = "" if base.family is None else "adjusted "
            counted = "A category and its complement count as one test"
            if analysis.counts == "rows":
                counted = "Every category counts as a test of its own"
            text = (
                f"The score is the share of tests with {adjusted}*p* \\< {number(analysis.alpha)} among those that "
                f"exist; where there is no test, none counts as not significant. {counted}."
            )
            return _derived("Deviation score", text, "Counted were the", what, by)
        case Mean():
            text = sentences(
                "Means of estimates give every cell the same weight, whatever its size [@cochran1977].",
                _joined(study, analysis),
            )
            return _derived("Unweighted means", text, "Averaged were the", what, by)
        case MeansCorrelation():
            text = sentences(
                "Correlations of means are Pearson’s over cells, each with the same weight; intervals at the "
                f"{percent(analysis.confidence)} level are by Fisher’s transformation [@fisher1921], tests two-sided.",
                adjustment(study, analysis.family),
            )
            return _derived("Correlations of means", text, "Correlated were the", what, by)
        case Combination():
            return _combination(study, analysis, what)
        case LogisticCurve():
            text = (
                "Fitted probabilities are drawn from the smallest to the largest value of the predictor, with their "
                "pointwise Wald bands."
            )
            return _derived("Fitted curves", text, "They are those of the", what, by)
        case Changes():
            later = _results(study, study.analyses[analysis.to])
            text = (
                "A test concludes that its null hypothesis stands, or that the mean lies above it, or below it "
                f"(*p* \\< {number(analysis.alpha)}); one that could not be made concludes nothing. Counted are the "
                "cells in which two tests conclude differently, and averaged the differences of their estimates."
            )
            return _derived("Changes of conclusions", text, "Compared were the", f"{what} with the {later}", by)


def _derived(topic: str, text: str, lead: str, what: str, by: str) -> Account:
    return Account(topic, text, lead, what, (), by, within="within each", everything="all together")


def _results(study: Study, analysis: Analysis) -> str:
    """The estimates of an analysis, as another refers to them."""
    clauses = () if isinstance(analysis, OfEstimates) else conditions(study, analysis.where)
    told = f"{_RESULTS.get(analysis.statistic, 'estimates')} of {outcome_names(study, outcomes_of(study, analysis))}"
    by = f" by {cells(study, analysis.by)}" if analysis.by else ""
    return told + by + (f", where {' and '.join(clauses)}" if clauses else "")


def _joined(study: Study, analysis: Mean | Combination) -> str:
    """What the errors of joined estimates rest on."""
    cluster, level = cluster_of(study, analysis), percent(analysis.confidence)
    if cluster is None:
        return f"Their {level} intervals are normal ones, which take the cells for independent."
    left = factor_name(study, cluster)
    return (
        f"Their standard errors are those of the jackknife over clusters: all is computed again without each {left} "
        f"[@bell2002; @mackinnon2023], so that what shares them is compared within them; the {level} intervals are "
        "Student’s, with one degree of freedom less than there are clusters."
    )


def _combination(study: Study, analysis: Combination, what: str) -> Account:
    terms = [
        f"{number(weight)} × {level_name(study, analysis.factor, level)}" for level, weight in analysis.weights.items()
    ]
    constant = ""
    if analysis.constant:
        constant = f" {'+' if analysis.constant > 0 else '−'} {number(abs(analysis.constant))}"
    test = ""
    if analysis.null_value is not None:
        test = f"They were tested against {number(analysis.null_value)}, two-sided."
    text = sentences(
        f"Weighted sums are taken over the levels of {factor_name(study, analysis.factor)}: "
        f"{' + '.join(terms)}{constant}.",
        _joined(study, analysis),
        test,
        adjustment(study, analysis.family) if test else "",
    )
    return _derived("Weighted sums", text, "Summed were the", what, cells(study, analysis.by))
