"""Which responses the numbers of a table are of, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.study.analysis_base import OfResponses
from tallybook.study.check_outcomes import chosen_levels
from tallybook.study.coding import ReasonOutcome
from tallybook.study.naming import within_a_sentence

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study
    from tallybook.study.presentation import TableSet


def chosen_responses(study: Study, analysis: Analysis, outcomes: Collection[str] = ()) -> list[str]:
    """Say which responses an analysis leaves out, whatever its denominator."""
    if not isinstance(analysis, OfResponses):
        inner = (one for name in analysis.sources for one in chosen_responses(study, study.analyses[name], outcomes))
        return list(dict.fromkeys(inner))
    shown = [name for name in analysis.outcomes if name in outcomes] or list(analysis.outcomes)
    sentences = [f"Only responses where {_choice(study, analysis.where)}."] if analysis.where else []
    asked: dict[str, list[str]] = {}
    for name in shown:
        where = {
            factor: levels for factor, levels in study.outcomes[name].where.items() if factor not in analysis.where
        }
        if where and getattr(analysis, "summaries", None) is None:  # a table of means is of what it is of
            asked.setdefault(_choice(study, where), []).append(study.outcomes[name].label)
    sentences += [f"{_listed(labels, 'and')}: only responses where {choice}." for choice, labels in asked.items()]
    reasons = [study.outcomes[name].label for name in shown if isinstance(study.outcomes[name], ReasonOutcome)]
    if reasons:
        sentences.append(f"{_listed(reasons, 'and')}: only responses without an answer (refused or uncoded).")
    return sentences


def fixed_levels(study: Study, declared: TableSet) -> list[str]:
    """Say what all numbers of a table have in common, where its title does not."""
    title = declared.title.casefold()
    return [
        f"{study.factors[name].label}: {study.factors[name].levels[level]}."
        for name, level in declared.where.items()
        if f"{{{name}}}" not in title and study.factors[name].levels[level].casefold() not in title
    ]


def _choice(study: Study, where: Mapping[str, str | tuple[str, ...]]) -> str:
    chosen = (
        f"{within_a_sentence(study.factors[name].label)} is "
        + _listed((study.factors[name].levels[level] for level in chosen_levels(levels)), "or")
        for name, levels in where.items()
    )
    return " and ".join(chosen)


def _listed(names: Iterable[str], joining: str) -> str:
    """Join names in a sentence: "a", "a or b", "a, b or c"."""
    *others, last = names
    return f"{', '.join(others)} {joining} {last}" if others else last
