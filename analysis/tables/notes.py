"""The conventions that shaped a table, in words, printed under it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from schemas.study.analyses import (
    BinomialTest,
    DeviationScore,
    MostFrequent,
    Proportion,
    ScoreSummary,
    StereotypeScore,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.study import Study
    from schemas.study.analyses import Analysis

_BASES = {
    "all": "responses, refusals included",
    "answered": "answered responses (refusals excluded)",
    "coded": "coded responses (refusals and what has no category excluded)",
}
_METHODS = {
    "minimum-likelihood": "minimum likelihood",
    "doubling": "twice the smaller tail",
}


def convention(study: Study, name: str) -> str:  # noqa: PLR0911  one answer for each kind of analysis
    """The convention of one analysis.

    Args:
        study: The study.
        name: The analysis.

    Returns:
        One or more sentences that name every setting that changes its numbers.
    """
    analysis = study.analyses[name]
    match analysis:
        case Proportion(denominator="all"):
            return "Percentages are of all responses, refusals included."
        case Proportion():
            return f"Percentages are of the {_BASES[analysis.denominator]}."
        case BinomialTest():
            return (
                f"Stars: exact two-sided binomial test ({_METHODS[analysis.method]}) of the share among the "
                f"{_BASES[analysis.denominator]} against the reference ({study.references[analysis.reference].label}); "
                f"{star_levels(study.style.stars)}; not corrected for multiple tests. "
                "No answers or no reference: no test, no star."
            )
        case DeviationScore():
            return f"Deviation score: share of the valid tests with p < {analysis.alpha:g}."
        case StereotypeScore():
            return _stereotype(analysis)
        case MostFrequent():
            base = (
                "all responses, with refusal as an entry"
                if analysis.denominator == "all"
                else _BASES[analysis.denominator]
            )
            order = "in order of first appearance" if analysis.ties == "first-seen" else "in alphabetical order"
            return f"Percentages are of {base}. Equally frequent entries stand {order}."
        case ScoreSummary():
            divisor = "n" if analysis.ddof == 0 else "n - 1"
            return f"Median and standard deviation (divisor {divisor}) are of the responses that have a value."


def _stereotype(analysis: StereotypeScore) -> str:
    base = "natural logarithm" if analysis.base == math.e else f"logarithm to base {analysis.base:g}"
    direction = "from an earlier to a later group" if analysis.direction == "forward" else "in both directions"
    refusal = "refusal is a category" if analysis.refusal else "refusals are left out"
    return (
        f"Stereotype score: mean over the levels of {analysis.within} of the largest Kullback-Leibler divergence "
        f"between two of their groups, {direction} ({base}; {analysis.epsilon:g} added to {analysis.smoothing}; "
        f"{refusal})."
    )


def star_levels(levels: dict[str, float]) -> str:
    """What each star means, the weakest first.

    >>> star_levels({"**": 0.01, "*": 0.05})
    '* p ≤ .05, ** p ≤ .01'
    """
    return ", ".join(f"{sign} p ≤ {f'{level:g}'.removeprefix('0')}" for sign, level in reversed(levels.items()))


def conventions(study: Study, names: Iterable[str]) -> list[str]:
    """The conventions of several analyses, each once.

    Args:
        study: The study.
        names: The analyses, possibly repeated.

    Returns:
        Their sentences, in order.
    """
    return list(dict.fromkeys(convention(study, name) for name in names))


def valid_tests(analysis: Analysis, counts: list[tuple[str, str, int]]) -> str:
    """How many valid tests each deviation score rests on.

    Args:
        analysis: The analysis.
        counts: Column label, row label and number of tests.

    Returns:
        A sentence; empty if the analysis is no deviation score.
    """
    if not isinstance(analysis, DeviationScore):
        return ""
    by_column: dict[str, list[str]] = {}
    for column, row, n in counts:
        by_column.setdefault(column, []).append(f"{row} {n}")
    columns_by_text: dict[str, list[str]] = {}
    for column, texts in by_column.items():
        columns_by_text.setdefault(", ".join(texts), []).append(column)
    parts = [f"{', '.join(columns)}: {text}" for text, columns in columns_by_text.items()]
    return f"Valid tests: {'; '.join(parts)}."
