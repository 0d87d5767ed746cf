"""The methods section: what holds for all analyses, then a passage for each way in which analyses are made."""

from __future__ import annotations

from types import MappingProxyType
from typing import TYPE_CHECKING

from tallybook.analyses.wording import conditions, number, outcome_name, over_tests, sentences, series
from tallybook.core.markdown import literal
from tallybook.report.methods.passages import passages
from tallybook.report.methods.software import software
from tallybook.study.coding import ReasonOutcome
from tallybook.study.naming import within_a_sentence
from tallybook.study.presentation import StarsPart

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.analysis_base import Family
    from tallybook.study.model import Study
    from tallybook.study.presentation import Rounding

_ROUNDING: dict[Rounding, str] = {
    "half-even": "rounded, a half to the even digit",
    "half-up": "rounded, a half away from zero",
    "truncate": "cut off, not rounded",
}


def methods(
    study: Study, versions: Mapping[str, str], sizes: Mapping[str, Sequence[int]] = MappingProxyType({})
) -> str:
    """The methods of a study's analyses, as an author would write them.

    `study`: The study; but for the sizes of families nothing else decides what is said of its analyses.
    """
    parts = [
        _responses(study),
        *passages(analysis.account(study) for analysis in study.analyses.values()),
        _tests(study, sizes),
        _resampling(study),
        _printing(study),
        software(study, versions),
    ]
    return "\n".join(part for part in parts if part)


def _responses(study: Study) -> str:
    by_hand = "Codes that people gave win over what the rules say." if study.overrides is not None else ""
    told = sentences(
        "**Responses.** The unit of observation is the response. Coding gives each a status: usable; partial, where "
        "some of what was asked for is missing; refused, where the model declined; or invalid, where nothing is usable "
        "and nothing was declined.",
        *dict.fromkeys(instrument.method for instrument in study.all_instruments),
        by_hand,
        "Refused and invalid responses are counted; whether denominators include them is said below. A failed request "
        "is not a response. An estimate that does not exist, for want of responses, of variation or of a "
        f"reference, is printed as “{literal(study.style.missing)}”, never as 0.",
        *_asked(study),
    )
    return f"{told}\n"


def _asked(study: Study) -> list[str]:
    """The outcomes that only some responses have, a sentence for all that the same ones have."""
    names: dict[str, list[str]] = {}
    for name, outcome in study.outcomes.items():
        clauses = [*conditions(study, outcome.where)]
        if isinstance(outcome, ReasonOutcome):
            clauses.append("there is no answer (refused or invalid)")
        if clauses:
            names.setdefault(" and ".join(clauses), []).append(outcome_name(study, name))
    return [f"Only responses where {which} are coded for {series(own)}." for which, own in names.items()]


def _tests(study: Study, sizes: Mapping[str, Sequence[int]]) -> str:
    """Say how large families are, or that no p-value is adjusted."""
    analyses = study.analyses.values()
    families = {name: one.family for name, one in study.analyses.items() if one.family is not None}
    if families:
        alike: dict[str, dict[str, set[int]]] = {}
        for name, family in families.items():
            own = alike.setdefault(within_a_sentence(study.analyses[name].account(study).topic), {})
            own.setdefault(_each(family), set()).update(sizes.get(name, ()))
        held = [
            f"those of {topic} are adjusted{over_tests(sorted(held))}{each}"
            for topic, by_each in alike.items()
            for each, held in by_each.items()
            if held
        ]
        text = (
            "**Multiple tests.** A family counts hypotheses: a category and its complement are one, a coefficient and "
            "its odds ratio are one, and intercepts are none."
        )
        if any(family.counts == "rows" for family in families.values()):
            text += " Where rows are counted, each row of results with a *p*-value is a test of its own."
        return f"{text} Of the *p*-values, {series(held)}.\n" if held else f"{text}\n"
    if not any(analysis.has_tests for analysis in analyses):
        return ""
    return "**Multiple tests.** No *p*-value is adjusted for the number of tests.\n"


def _each(family: Family) -> str:
    return f"{' in each family' if family.by else ''}{' (rows)' if family.counts == 'rows' else ''}"


def _resampling(study: Study) -> str:
    if not any(analysis.resamples for analysis in study.analyses.values()):
        return ""
    return (
        "**Random numbers.** Where a bootstrap distribution has to be simulated, it is from 9,999 resamples. Each cell "
        f"draws from a random stream of its own, derived from the seed {study.seed} and the cell’s name [@salmon2011], "
        "so that results do not depend on the order of the data.\n"
    )


def _printing(study: Study) -> str:
    parts = [part for table in study.tables for measure in table.measures for part in measure.parts]
    signs = [f"{literal(sign)} stands for *p* ≤ {number(level)}" for sign, level in reversed(study.style.stars.items())]
    stars = f"In tables {series(signs)}." if any(isinstance(part, StarsPart) for part in parts) else ""
    told = sentences(
        f"**Rounding.** Numbers are {_ROUNDING[study.style.rounding]}, on their shortest decimal form and for print "
        "only: every computation is made with unrounded numbers.",
        stars,
    )
    return f"{told}\n"
