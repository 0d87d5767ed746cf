"""How analyses of categories, labels and descriptive summaries are made, in prose."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallybook.report.markup import literal
from tallybook.report.methods.passages import Account
from tallybook.report.methods.phrases import (
    BASES,
    adjustment,
    cells,
    clustering,
    conditions,
    factor_name,
    level_name,
    number,
    outcome_name,
    outcome_names,
    percent,
    sentences,
    series,
    term_name,
)
from tallybook.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    Difference,
    MostFrequent,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)

if TYPE_CHECKING:
    from tallybook.study.analyses import Coefficient
    from tallybook.study.model import Study

OfCategories = (
    Proportion
    | Count
    | Difference
    | BinomialTest
    | RankAssociation
    | Agreement
    | StereotypeScore
    | MostFrequent
    | ScoreSummary
)
"""The analyses that this module describes."""

_COEFFICIENTS: dict[Coefficient, str] = {
    "tau-b": "Kendall’s tau-b [@kendall1970]",
    "tau-c": "Stuart’s tau-c [@stuart1953]",
    "gamma": "Goodman and Kruskal’s gamma [@goodman1963]",
    "somers-d": "Somers’ symmetric *d* [@somers1962]",
    "somers-d-yx": "Somers’ *d* of the answer given the level [@somers1962]",
    "somers-d-xy": "Somers’ *d* of the level given the answer [@somers1962]",
}
_TAILS = {
    "minimum-likelihood": "adds up the probabilities of all counts that are no more likely than the observed one",
    "doubling": "is twice that of the smaller tail",
}


def of_categories(study: Study, analysis: OfCategories) -> Account:  # noqa: PLR0911  one answer for each kind of analysis
    """What is said of an analysis of categories.

    Args:
        study: The study.
        analysis: The analysis.

    Returns:
        The account.
    """
    match analysis:
        case Proportion():
            return _proportion(study, analysis)
        case Count():
            text = "Counts are of responses, and have no test."
            return _of_outcomes(study, analysis, "Counts", text, "Counted were the categories of")
        case Difference():
            return _difference(study, analysis)
        case BinomialTest():
            return _binomial(study, analysis)
        case RankAssociation():
            return _rank_association(study, analysis)
        case Agreement():
            return _agreement(study, analysis)
        case StereotypeScore():
            return _stereotype(study, analysis)
        case MostFrequent():
            first = "came first in the data" if analysis.ties == "first-seen" else "comes first in the alphabet"
            text = (
                f"Labels are ranked by how often they occur, each with its share of {BASES[analysis.denominator]}; of "
                f"equally frequent ones the one that {first} stands first."
            )
            return _of_outcomes(study, analysis, "Most frequent labels", text, "Ranked were the labels of")
        case ScoreSummary():
            divisor = "*n*" if analysis.ddof == 0 else "*n* − 1"
            text = (
                "Scores are summarised by mean, median and standard deviation "
                f"(with divisor {divisor}) of the responses that have one, and by the share of those that have none."
            )
            return _of_outcomes(study, analysis, "Summaries of scores", text, "The summaries are of")


def _of_outcomes(study: Study, analysis: OfCategories, topic: str, text: str, lead: str) -> Account:
    what = outcome_names(study, analysis.outcomes)
    return Account(topic, text, lead, what, conditions(study, analysis.where), cells(study, analysis.by))


def _proportion(study: Study, analysis: Proportion) -> Account:
    interval = f"Their {percent(analysis.confidence)} intervals are Wilson’s score intervals [@wilson1927]."
    if analysis.cluster is not None:
        interval = (
            f"{clustering(study, analysis.cluster)} The {percent(analysis.confidence)} intervals are Student’s on the "
            "log odds, with one degree of freedom less than there are clusters [@korn1998]."
        )
    smoothing = ""
    if analysis.smoothing:
        smoothing = (
            f"Before dividing, {number(analysis.smoothing)} is added to the count of a category and to that of all "
            "others together; intervals are of the counts as they are."
        )
    text = sentences(f"Shares are of {BASES[analysis.denominator]}.", interval, smoothing)
    lead = "Shares were computed of the categories of"
    return _of_outcomes(study, analysis, "Shares of categories", "", lead)._replace(detail=text)


def _difference(study: Study, analysis: Difference) -> Account:
    first, second = (level_name(study, analysis.factor, level) for level in analysis.levels)
    text = sentences(
        f"Differences are those of shares of {BASES[analysis.denominator]}. Their {percent(analysis.confidence)} "
        "intervals are Newcombe’s hybrid score intervals [@newcombe1998]; their *p*-values are those of Fisher’s exact "
        "test, two-sided [@fisher1935].",
        adjustment(study, analysis.family),
    )
    what = (
        f"{outcome_names(study, analysis.outcomes)} between “{first}” and “{second}” (the first less the second) of "
        f"{factor_name(study, analysis.factor)}"
    )
    where, by = conditions(study, analysis.where), cells(study, analysis.by)
    return Account("Differences of shares", text, "Compared are the categories of", what, where, by)


def _binomial(study: Study, analysis: BinomialTest) -> Account:
    reference = literal(study.references[analysis.reference].label)
    text = sentences(
        f"The share of each category among {BASES[analysis.denominator]} was tested against its reference proportion "
        f"({reference}) by the exact binomial test [@clopper1934]. The alternative is two-sided: the *p*-value "
        f"{_TAILS[analysis.method]} under the reference [@hirji2006]. Where there is no answer or no reference there "
        f"is no test. The {percent(analysis.confidence)} intervals of the shares are Wilson’s [@wilson1927], the "
        "effect size is Cohen’s *h* [@cohen1988].",
        adjustment(study, analysis.family),
    )
    topic, lead = "Tests against known proportions", "Tested were the categories of"
    return _of_outcomes(study, analysis, topic, text, lead)


def _rank_association(study: Study, analysis: RankAssociation) -> Account:
    text = sentences(
        f"Whether answers rise with the levels of a variable is measured by {_COEFFICIENTS[analysis.coefficient]}. The "
        "test is two-sided: the number of concordant less discordant pairs, over its standard deviation given both "
        "margins, corrected for ties but not for continuity, is referred to the standard normal distribution "
        f"[@kendall1970]. The {percent(analysis.confidence)} intervals rest on the coefficient’s own asymptotic "
        "standard error [@brown1977].",
        adjustment(study, analysis.family),
    )
    chosen = analysis.levels or tuple(study.factors[analysis.factor].levels)
    levels = " \\< ".join(level_name(study, analysis.factor, level) for level in chosen)
    answers = series([_ordered(study, analysis, name) for name in analysis.outcomes])
    what = f"{factor_name(study, analysis.factor)} ({levels}) with {answers}"
    where, by = conditions(study, analysis.where), cells(study, analysis.by)
    return Account("Ordinal association", text, "Related were", what, where, by)


def _ordered(study: Study, analysis: RankAssociation, outcome: str) -> str:
    """An outcome with its categories, rising, and what becomes of answers without one."""
    categories = analysis.categories or tuple(study.category_outcome(outcome).labels)
    rising = " \\< ".join(term_name(study, outcome, term) for term in categories)
    uncoded = "left out"
    if analysis.uncoded is not None:
        uncoded = f"counted as “{term_name(study, outcome, analysis.uncoded)}”"
    return f"{outcome_name(study, outcome)} ({rising}; responses without a category {uncoded})"


def _agreement(study: Study, analysis: Agreement) -> Account:
    level = percent(analysis.confidence)
    text = sentences(
        "Agreement of two codings is the share of responses coded alike among those that both code, with Wilson’s "
        f"{level} interval [@wilson1927], and Cohen’s kappa [@cohen1960], whose {level} interval rests on its "
        "asymptotic standard error [@fleiss1969].",
        adjustment(study, analysis.family),
    )
    what = f"{outcome_names(study, analysis.outcomes)} with {factor_name(study, analysis.factor)}"
    where, by = conditions(study, analysis.where), cells(study, analysis.by)
    return Account("Agreement of codings", text, "Compared were", what, where, by)


def _stereotype(study: Study, analysis: StereotypeScore) -> Account:
    between, within = factor_name(study, analysis.between), factor_name(study, analysis.within)
    logarithm = "natural logarithms" if analysis.base == math.e else f"logarithms to base {number(analysis.base)}"
    direction = "from an earlier to a later one" if analysis.direction == "forward" else "in both directions"
    refusal = "refusal being one" if analysis.refusal else "refusals being left out"
    epsilon = (
        f"To the {'count' if analysis.smoothing == 'counts' else 'proportion'} of each category "
        f"{number(analysis.epsilon)} is added, so that the divergence is finite where two share no category."
    )
    only = [
        f"Of {outcome_name(study, name)} the categories {series([term_name(study, name, term) for term in terms])} "
        "are compared."
        for name, terms in analysis.categories.items()
    ]
    text = sentences(
        f"The score is the mean, over the levels of {within}, of the largest Kullback–Leibler divergence "
        f"[@kullback1951] between two levels of {between}, {direction}, with {logarithm}. The distributions are those "
        f"of categories, {refusal}.",
        epsilon if analysis.epsilon else "",
        *only,
        "The score has no test.",
    )
    return _of_outcomes(study, analysis, "Stereotype score", text, "The scores are of")
