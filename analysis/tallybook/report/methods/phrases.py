"""How parts of a study are named in running text: Markdown in which labels are only text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.report.markup import literal
from tallybook.study.analyses import OfAnalyses
from tallybook.study.check_outcomes import chosen_levels
from tallybook.study.naming import term_label, within_a_sentence

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.analyses import Analysis, Denominator
    from tallybook.study.analysis_base import Adjustment, Family
    from tallybook.study.model import Study

BASES: dict[Denominator, str] = {
    "all": "all responses, refusals and answers without a category included",
    "answered": "the answered responses (refusals are left out, answers without a category are not)",
    "coded": "the coded responses (refusals and answers without a category are left out)",
}
_ADJUSTMENTS: dict[Adjustment, str] = {
    "bonferroni": "Bonferroni’s method [@dunn1961]",
    "holm": "Holm’s method [@holm1979]",
    "hochberg": "Hochberg’s method [@hochberg1988]",
    "benjamini-hochberg": "the method of Benjamini and Hochberg [@benjamini1995]",
    "benjamini-yekutieli": "the method of Benjamini and Yekutieli [@benjamini2001]",
}


def series(parts: Sequence[str]) -> str:
    """Several things in a sentence.

    >>> series(["a"]), series(["a", "b"]), series(["a", "b", "c"])
    ('a', 'a and b', 'a, b and c')
    """
    return " and ".join(part for part in (", ".join(parts[:-1]), *parts[-1:]) if part)


def percent(share: float) -> str:
    r"""A share as a percentage; the space does not break.

    >>> percent(0.95)
    '95\xa0%'
    """
    return f"{100 * share:.10g}\u00a0%"


def number(value: float) -> str:
    """A setting: in powers of ten where it is small or large. It is text, for formulas cannot be read aloud in print.

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
    """An outcome within a sentence, in quotes if it would fall apart there."""
    label = within_a_sentence(study.outcomes[outcome].label)
    return f"“{literal(label)}”" if any(mark in label for mark in ",;:.") else literal(label)


def factor_name(study: Study, factor: str) -> str:
    """A factor, or another column, within a sentence."""
    if factor in study.factors:
        return literal(within_a_sentence(study.factors[factor].label))
    return literal(factor)


def level_name(study: Study, factor: str, level: str) -> str:
    """A level of a factor, as tables call it."""
    return literal(study.factors[factor].levels.get(level, level))


def term_name(study: Study, outcome: str, term: str) -> str:
    """A category of an outcome, as tables call it."""
    return literal(term_label(study, outcome, term))


def outcomes_of(study: Study, analysis: Analysis) -> tuple[str, ...]:
    """The outcomes that an analysis is about, be it of other analyses."""
    while isinstance(analysis, OfAnalyses):
        analysis = study.analyses[analysis.of]
    return analysis.outcomes


def outcome_names(study: Study, outcomes: Sequence[str]) -> str:
    """Several outcomes within a sentence."""
    return series([outcome_name(study, name) for name in outcomes])


def cells(study: Study, by: Sequence[str]) -> str:
    """The cells of an analysis."""
    return " × ".join(factor_name(study, name) for name in by)


def conditions(study: Study, where: Mapping[str, str | tuple[str, ...]]) -> tuple[str, ...]:
    """Which responses an analysis is made from, a clause for each factor; none if from all."""
    clauses: list[str] = []
    for factor, levels in where.items():
        names = [f"“{level_name(study, factor, level)}”" for level in chosen_levels(levels)]
        clauses.append(f"{factor_name(study, factor)} is {' or '.join(names)}")
    return tuple(clauses)


def clustering(study: Study, cluster: str | None) -> str:
    """What standard errors take for independent, as a sentence; nothing where that is the response."""
    if cluster is None:
        return ""
    what = "items (prompts)" if cluster == "item" else f"values of {factor_name(study, cluster)}"
    return f"Standard errors take {what}, and not single responses, for independent [@liang1986; @cameron2015]."


def adjustment(study: Study, family: Family | None) -> str:
    """Whether p-values are adjusted, as a sentence; nothing if none of the study is, which is said once for all."""
    if all(analysis.family is None for analysis in study.analyses.values()):
        return ""
    if family is None:
        return "These *p*-values are not adjusted for the number of tests."
    within = "all of them being one family"
    if family.by:
        names = ["outcome" if name == "outcome" else factor_name(study, name) for name in family.by]
        within = f"the tests of one {series(names)} being a family"
    return f"The *p*-values are adjusted by {_ADJUSTMENTS[family.method]}, {within}."


def sentences(*parts: str) -> str:
    """Sentences as one text, empty ones left out."""
    return " ".join(part for part in parts if part)
