"""Phrases that several analyses share, for notes under tables (plain text) and the methods section (Markdown)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.core.markdown import literal
from tallybook.study.account import Account
from tallybook.study.analysis_base import OfResponses
from tallybook.study.clusters import called, parts_of
from tallybook.study.naming import term_label, verb_of, within_a_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.analysis_base import Adjustment, Analysis, Clustered, Family, OfEstimates
    from tallybook.study.model import Study
    from tallybook_schemas.vocabulary import Denominator, StandardError

BASES: dict[Denominator, str] = {
    "all": "all responses, refusals and uncoded responses included",
    "answered": "the answered responses (refusals are left out, uncoded responses are not)",
    "coded": "the coded responses (refusals and uncoded responses are left out)",
}
NOTE_BASES: dict[Denominator, str] = {
    "all": "all responses (refusals and uncoded responses included, failed requests excluded)",
    "answered": "the answered responses (refusals and failed requests excluded)",
    "coded": "the coded responses (refusals, failed requests and uncoded responses excluded)",
}
"""Denominator -> the responses that it includes, in the words of notes."""

_NOTE_ADJUSTMENTS: dict[Adjustment, str] = {
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "hochberg": "Hochberg's correction",
    "benjamini-hochberg": "the correction of Benjamini and Hochberg",
    "benjamini-yekutieli": "the correction of Benjamini and Yekutieli",
}
_ADJUSTMENTS: dict[Adjustment, str] = {
    "bonferroni": "Bonferroni’s method [@dunn1961]",
    "holm": "Holm’s method [@holm1979]",
    "hochberg": "Hochberg’s method [@hochberg1988]",
    "benjamini-hochberg": "the method of Benjamini and Hochberg [@benjamini1995]",
    "benjamini-yekutieli": "the method of Benjamini and Yekutieli [@benjamini2001]",
}


def series(parts: Sequence[str]) -> str:
    """Join items into an enumeration for a sentence.

    >>> series(["a"]), series(["a", "b"]), series(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def complements(study: Study, outcomes: Sequence[str], more: str = "") -> str:
    """State which rows are the same test, and `more` of them: the categories of outcomes with only two."""
    pairs = [(name, study.category_outcome(name).labels) for name in outcomes]
    named = [" and ".join(term_label(study, name, one) for one in own) for name, own in pairs if len(own) == 2]  # noqa: PLR2004
    return f"{'; '.join(dict.fromkeys(named))} are one test{more}" if named else ""


def percent(share: float) -> str:
    """Format a share as a percentage.

    >>> percent(0.95)
    '95%'
    """
    return f"{100 * share:.10g}%"


def number(value: float) -> str:
    """Format a number, with powers of ten if it is small or large; plain text, as formulas are not read aloud well.

    >>> number(0.5), number(1e-12), number(2.5e-05)
    ('0.5', '10^−12^', '2.5 × 10^−5^')
    """
    mantissa, _, exponent = f"{value:.15g}".replace("-", "\u2212").partition("e")
    if not exponent:
        return mantissa
    sign = "" if exponent.startswith("+") else "\u2212"
    power = f"10^{sign}{exponent[1:].lstrip('0')}^"
    return power if mantissa == "1" else f"{mantissa} × {power}"


def outcome_name(study: Study, outcome: str) -> str:
    """Format an outcome's label for a sentence, in quotes if it contains punctuation."""
    label = within_a_sentence(study.outcomes[outcome].label)
    return f"“{literal(label)}”" if any(mark in label for mark in ",;:.") else literal(label)


def factor_name(study: Study, factor: str) -> str:
    """Format the label of a factor, or of one or several cluster columns, for a sentence."""
    return literal(called(study, factor))


def level_name(study: Study, factor: str, level: str) -> str:
    """Format the label of a factor level, as in tables."""
    return literal(study.factors[factor].levels.get(level, level))


def term_name(study: Study, outcome: str, term: str) -> str:
    """Format the label of a term of an outcome, as in tables."""
    return literal(term_label(study, outcome, term))


def outcome_names(study: Study, outcomes: Sequence[str]) -> str:
    """Enumerate several outcomes within a sentence."""
    return series([outcome_name(study, name) for name in outcomes])


def as_predictors(names: Sequence[str]) -> str:
    """Describe the predictors of an outcome, in a clause; empty without any.

    >>> as_predictors(["group"]), as_predictors(["group", "age"])
    (', with group as predictor', ', with group and age as predictors')
    """
    return f", with {series(names)} as predictor{'' if len(names) == 1 else 's'}" if names else ""


def cells(study: Study, by: Sequence[str]) -> str:
    """Format the cells of an analysis, such as `model × group`."""
    return " × ".join(factor_name(study, name) for name in by)


def conditions(study: Study, where: Mapping[str, tuple[str, ...]]) -> tuple[str, ...]:
    """Describe the responses that an analysis uses, in a clause for each factor; empty if it uses all."""
    clauses: list[str] = []
    for factor, levels in where.items():
        names = [f"“{level_name(study, factor, level)}”" for level in levels]
        name = factor_name(study, factor)
        clauses.append(f"{name} {verb_of(name)} {' or '.join(names)}")
    return tuple(clauses)


INTERVALS = {
    "wilson": "Wilson’s score intervals [@wilson1927]",
    "clopper-pearson": "Clopper and Pearson’s exact intervals [@clopper1934]",
    "jeffreys": "Jeffreys’ intervals, of the Beta(½, ½) prior [@brown2001]",
    "uniform": "posterior intervals of a uniform prior, Beta(1, 1)",
}
"""An interval of a proportion -> its name in the methods section, with its source."""


def clustering(study: Study, cluster: str | None, kind: StandardError = "CR1", *, crossed: bool = False) -> str:
    """Describe how standard errors are clustered; empty if responses are independent."""
    if cluster is None:
        return ""
    if crossed:
        first, second = (factor_name(study, one) for one in parts_of(cluster))
        return (
            f"Standard errors are clustered both by {first} and by {second} [@cameron2011]: the variance is the sum of "
            f"those clustered by each, minus that clustered by their combinations ({kind}), and at least the larger "
            f"of the two. Degrees of freedom are the smaller of both: {_DEGREES[study.df]}."
        )
    name = factor_name(study, cluster)
    what = "item (prompt)" if name == "item" else name
    sources = {"CR1": "[@liang1986; @cameron2015]", "bootstrap": "by drawing these with replacement [@efron1993]"}
    how = sources.get(kind, f"by leaving out one at a time ({kind}) [@bell2002; @mackinnon2023]")
    return f"Standard errors are clustered by {what}{'' if kind == 'CR1' else ','} {how}."


def jackknife(study: Study, cluster: str) -> str:
    """Describe the standard errors of the jackknife; the methods section says once what that is."""
    return f"Standard errors are those of {JACKKNIFE}, each {factor_name(study, cluster)} being a cluster"


JACKKNIFE = "the jackknife over clusters"
"""How the accounts of analyses call it."""


def taken_as_fixed(study: Study, analysis: Analysis) -> str:
    """Name, as a sentence, the second cluster column that other analyses cross with this one's; here it is fixed."""
    cluster = analysis.cluster_column(study)
    if cluster is None or analysis.crossed_scale is not None:
        return ""
    used = {*analysis.by, getattr(analysis, "factor", None), cluster}
    for other in study.analyses.values():
        pair = parts_of(other.cluster_column(study) or "") if other.crossed_scale is not None else ()
        if cluster in pair and (beside := [one for one in pair if one not in used]):
            name = called(study, beside[0])
            return f"Each {name} is taken as fixed: results hold for those in the data alone."
    return ""


_LESS = "one degree of freedom less than there are clusters"
_DEGREES = {"clusters": _LESS, "effective": f"{_LESS}, or fewer where their sizes differ [@carter2017]"}


def degrees_of_freedom(study: Study, analysis: Clustered) -> str:
    """Describe the degrees of freedom of clustered intervals and tests."""
    return _DEGREES[analysis.degrees_of_freedom(study)]


def coefficient_tests(kind: StandardError) -> str:
    """Describe the tests of single and of several coefficients with clustered standard errors."""
    several = "*F* tests on as many" if kind == "CR1" else "Hotelling’s [@pustejovsky2018], if clusters outnumber them"
    return f"*t* tests on one degree of freedom less than there are clusters, of several coefficients at once {several}"


def adjustment(study: Study, family: Family | None) -> str:
    """State whether p-values are adjusted, as a sentence; empty if no analysis of the study adjusts them."""
    if all(analysis.family is None for analysis in study.analyses.values()):
        return ""
    if family is None:
        return "These *p*-values are not adjusted for the number of tests."
    within = "those of each analysis being one family"
    if family.by:
        names = ["outcome" if name == "outcome" else factor_name(study, name) for name in family.by]
        within = f"those of an analysis with one {series(names)} being a family"
    return f"The *p*-values are adjusted by {_ADJUSTMENTS[family.method]}, {within}."


_FEW = 3
"""The maximum number of jointly tested outcomes that are listed by name."""


def note_of_adjustment(
    family: Family | None,
    sizes: Sequence[int] = (),
    refusals: Sequence[int] = (),
    alike: str = "",
    outcomes: Sequence[str] = (),
) -> str:
    """State in a note whether and how p-values are adjusted for multiple testing.

    `sizes` are the sizes of the analysis' families, `refusals` those of its families of refusals and uncoded responses;
    `alike` states which rows are the same test; `outcomes` are the labels of its outcomes.
    """
    if family is None:
        return "Not corrected for multiple tests."
    named = series(outcomes) if len(outcomes) <= _FEW else f"{len(outcomes)} outcomes"
    pooled = f" of {named} together" if len(outcomes) > 1 and "outcome" not in family.by else ""
    within = f"{pooled} within {', '.join(family.by)}" if family.by else pooled
    rows = ", each row counting as one" if family.counts == "rows" else ""
    one = f" ({alike})" if alike and family.counts == "hypotheses" else ""
    others = f"; refusals and uncoded responses are a family of their own,{over_tests(refusals)}" if refusals else ""
    return f"Adjusted p: {_NOTE_ADJUSTMENTS[family.method]}{over_tests(sizes)}{within}{rows}{one}{others}."


def over_tests(sizes: Sequence[int]) -> str:
    """Describe the sizes of the families, such as ` over 3 tests`; empty if they are unknown.

    >>> over_tests([3]), over_tests([1]), over_tests([3, 4, 6]), over_tests([])
    (' over 3 tests', ' over 1 test', ' in families of 3 to 6 tests', '')
    """
    sizes = [size for size in sizes if size > 1] or sizes[:1]
    if not sizes:
        return ""
    least, most = min(sizes), max(sizes)
    if least < most:
        return f" in families of {least} {'to' if len(sizes) > 2 else 'and'} {most} tests"  # noqa: PLR2004  a pair
    return f" over {most} test{'' if most == 1 else 's'}"


def of_outcomes(
    study: Study, analysis: OfResponses, topic: str, text: str, lead: str, *, what: str = "", detail: str = ""
) -> Account:
    """Build the account of an analysis of responses; `what` defaults to its outcomes."""
    fixed = taken_as_fixed(study, analysis)
    text = sentences(text, "" if detail else fixed, adjustment(study, analysis.family) if analysis.has_tests else "")
    detail = sentences(detail, fixed) if detail else ""
    what = what or outcome_names(study, analysis.outcomes)
    return Account(topic, text, lead, what, conditions(study, analysis.where), cells(study, analysis.by), detail)


def of_estimates(
    study: Study,
    analysis: OfEstimates,
    topic: str,
    text: str,
    lead: str,
    *,
    what: str = "",
    everything: str = "all together",
) -> Account:
    """Build the account of an analysis of estimates; `what` defaults to the source's estimates."""
    fixed = taken_as_fixed(study, analysis)
    text = sentences(text, fixed, adjustment(study, analysis.family) if analysis.has_tests else "")
    what = what or results_of(study, study.analyses[analysis.of])
    by = cells(study, analysis.by)
    return Account(topic, text, lead, what, (), by, within="within each", everything=everything)


def of_clustered_tests(study: Study, analysis: Analysis) -> str:
    """State for a note on counted tests that these are clustered; empty if they are not."""
    cluster = analysis.cluster_column(study)
    if cluster is None:
        return ""
    return f"Only clusters ({called(study, cluster)}) were treated as independent by its tests; it has no interval."


def note_of_shares(study: Study, name: str) -> str:
    """Return the note on an analysis whose shares are printed as numbers up to 1."""
    return study.analyses[name].note(study).replace("Percentages are", "Shares are")


def results_of(study: Study, analysis: Analysis) -> str:
    """Describe the estimates of an analysis, for the account of an analysis that uses them."""
    clauses = conditions(study, analysis.where) if isinstance(analysis, OfResponses) else ()
    base = analysis.of_responses(study)
    names = f"of {outcome_names(study, analysis.outcomes_of(study) or ())}"
    if base.names_terms:
        names = series([literal(term) for term in base.terms(study) or ()])
    named = f"{analysis.results} {names}"
    by = f" by {cells(study, analysis.by)}" if analysis.by else ""
    return named + by + (f", where {' and '.join(clauses)}" if clauses else "")


def sentences(*parts: str) -> str:
    """Join the non-empty sentences into one text."""
    return " ".join(part for part in parts if part)
