"""The conventions that shaped a table, in words, printed under it."""

from __future__ import annotations

import math
from types import MappingProxyType
from typing import TYPE_CHECKING

import polars as pl

from tallybook.study.analyses import (
    Agreement,
    BinomialTest,
    Count,
    DeviationScore,
    Difference,
    Mean,
    MostFrequent,
    OfAnalyses,
    Proportion,
    RankAssociation,
    ScoreSummary,
    StereotypeScore,
)
from tallybook.study.check_terms import cluster_of
from tallybook.study.presentation import DecisionPart, NumberPart, PValuePart, RankedPart, StarsPart
from tallybook.tables.base_notes import BASES, chosen_responses
from tallybook.tables.labels import term_label, within_a_sentence
from tallybook.tables.numbers import without_leading_zero
from tallybook.tables.score_notes import joined, score_convention

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tallybook.study.analyses import Analysis, Coefficient
    from tallybook.study.analysis_base import Adjustment
    from tallybook.study.model import Study
    from tallybook.study.presentation import Style, TableSet

ABSENCES = {
    "no-data": "no data",
    "no-reference": "no reference",
    "invalid-reference": "an invalid reference",
    "degenerate": "too little variation",
    "undetectable": "an effect of no size would be found",
    "separated": "a category that predictors separate",
    "not-converged": "no convergence",
}
"""Status of an estimate -> why a number does not exist."""

_UNKNOWN: Mapping[str, Sequence[int]] = MappingProxyType({})
"""Sizes of families before anything is computed."""

_METHODS = {
    "minimum-likelihood": "minimum likelihood",
    "doubling": "twice the smaller tail",
}

_ADJUSTMENTS: dict[Adjustment, str] = {
    "bonferroni": "Bonferroni's correction",
    "holm": "Holm's correction",
    "hochberg": "Hochberg's correction",
    "benjamini-hochberg": "the correction of Benjamini and Hochberg",
    "benjamini-yekutieli": "the correction of Benjamini and Yekutieli",
}
_COEFFICIENTS: dict[Coefficient, str] = {
    "tau-b": "Kendall's tau-b",
    "tau-c": "Stuart's tau-c",
    "gamma": "Goodman and Kruskal's gamma",
    "somers-d": "Somers' symmetric d",
    "somers-d-yx": "Somers' d of the answer given the level",
    "somers-d-xy": "Somers' d of the level given the answer",
}


def family_sizes(estimates: pl.DataFrame) -> dict[str, list[int]]:
    """How many hypotheses the families of each analysis hold: the different sizes, rising."""
    sizes = estimates.filter(pl.col("family_size").is_not_null()).group_by("analysis")
    return dict(sizes.agg(pl.col("family_size").unique().sort()).iter_rows())


def convention(
    study: Study, name: str, outcomes: Collection[str] = (), sizes: Mapping[str, Sequence[int]] = _UNKNOWN
) -> str:
    """The convention of one analysis.

    Args:
        study: The study.
        name: The analysis.
        outcomes: The outcomes that are shown; by default all of the analysis.
        sizes: How many hypotheses the families of each analysis hold, as `family_sizes` gives it.

    Returns:
        One or more sentences that name every setting that changes its numbers.
    """
    analysis = study.analyses[name]
    said = [_computed(study, analysis, sizes.get(name, ()))]
    if analysis.family is not None and not isinstance(analysis, BinomialTest | RankAssociation):
        said.append(f"{_adjustment(analysis, sizes.get(name, ()))}.")
    return " ".join([*said, *chosen_responses(study, analysis, outcomes)])


def _computed(study: Study, analysis: Analysis, sizes: Sequence[int] = ()) -> str:  # noqa: PLR0911  one answer for each kind of analysis
    """How the numbers of an analysis are computed."""
    match analysis:
        case BinomialTest():
            return (
                f"Exact two-sided binomial tests ({_METHODS[analysis.method]}) of the share among "
                f"{BASES[analysis.denominator]} against the reference ({study.references[analysis.reference].label}); "
                f"{_adjustment(analysis, sizes)}. No answers or no reference: no test."
            )
        case RankAssociation():
            return _rank_association(study, analysis, sizes)
        case DeviationScore():
            p = "p" if study.analyses[analysis.of].family is None else "adjusted p"
            counted = "A category and its complement are one test."
            if analysis.counts == "rows":
                counted = "Every category is a test of its own."
            return f"Deviation score: share of the valid tests with {p} < {analysis.alpha:g}. {counted}"
        case StereotypeScore():
            return _stereotype(analysis)
        case Agreement():
            return "Agreement: share of the responses coded alike among those that both coded, and Cohen's kappa."
        case Mean():
            of = _computed(study, study.analyses[analysis.of])
            return f"Unweighted means: every cell counts the same. {joined(study, analysis)} {of}"
        case Proportion() | Count() | Difference() | MostFrequent() | ScoreSummary():
            return _description(study, analysis)
        case _:
            return score_convention(study, analysis)


def _description(study: Study, analysis: Proportion | Count | Difference | MostFrequent | ScoreSummary) -> str:
    """The convention of an analysis that describes and does not test."""
    match analysis:
        case Proportion():
            smoothing = ""
            if analysis.smoothing:
                smoothing = f" {analysis.smoothing:g} is added to the count of a category and to that of all others."
            return f"Percentages are of {BASES[analysis.denominator]}.{smoothing}"
        case Count():
            return "Counts of responses."
        case Difference():
            first, second = (study.factors[analysis.factor].levels[level] for level in analysis.levels)
            return f"Differences ({first} less {second}) of shares of {BASES[analysis.denominator]}."
        case MostFrequent():
            entry = " Refusal is an entry." if analysis.denominator == "all" else ""
            order = "in order of first appearance" if analysis.ties == "first-seen" else "in alphabetical order"
            return f"Percentages are of {BASES[analysis.denominator]}.{entry} Equally frequent entries stand {order}."
        case ScoreSummary():
            divisor = "n" if analysis.ddof == 0 else "n - 1"
            return f"Median and standard deviation (divisor {divisor}) are of the responses that have a value."


def _adjustment(analysis: Analysis, sizes: Sequence[int]) -> str:
    """Whether p-values are corrected for many tests, and how."""
    if analysis.family is None:
        return "not corrected for multiple tests"
    within = f" within {', '.join(analysis.family.by)}" if analysis.family.by else ""
    rows = ", each row counting as one" if analysis.family.counts == "rows" else ""
    return f"p_adjusted: {_ADJUSTMENTS[analysis.family.method]}{over_tests(sizes)}{within}{rows}"


def over_tests(sizes: Sequence[int]) -> str:
    """Over how many tests p-values are adjusted; nothing where that is not known.

    >>> over_tests([3]), over_tests([1]), over_tests([3, 4, 6]), over_tests([])
    (' over 3 tests', ' over 1 test', ' over 3 to 6 tests', '')
    """
    if not sizes:
        return ""
    number = f"{sizes[0]}" if len(sizes) == 1 else f"{sizes[0]} to {sizes[-1]}"
    return f" over {number} test{'' if number == '1' else 's'}"


def _rank_association(study: Study, analysis: RankAssociation, sizes: Sequence[int]) -> str:
    factor = study.factors[analysis.factor]
    levels = " < ".join(factor.levels[level] for level in analysis.levels or factor.levels)
    parts: list[str] = []
    for name in analysis.outcomes:
        categories = analysis.categories or study.category_outcome(name).labels
        rising = " < ".join(term_label(study, name, term) for term in categories)
        parts.append(f"{within_a_sentence(study.outcomes[name].label)} ({rising})")
    uncoded = "do not count"
    if analysis.uncoded is not None:
        names = dict.fromkeys(term_label(study, name, analysis.uncoded) for name in analysis.outcomes)
        uncoded = f"count as {' and '.join(names)}"
    return (
        f"{_COEFFICIENTS[analysis.coefficient]} of {within_a_sentence(factor.label)} ({levels}) with "
        f"{', '.join(parts)}; two-sided asymptotic p, corrected for ties, {_adjustment(analysis, sizes)}. "
        f"Responses without a category {uncoded}."
    )


def _stereotype(analysis: StereotypeScore) -> str:
    base = "natural logarithm" if analysis.base == math.e else f"logarithm to base {analysis.base:g}"
    direction = "from an earlier to a later group" if analysis.direction == "forward" else "in both directions"
    refusal = "refusal is a category" if analysis.refusal else "refusals are left out"
    return (
        f"Stereotype score: mean over the levels of {analysis.within} of the largest Kullback-Leibler divergence "
        f"between two of their groups, {direction} ({base}; {analysis.epsilon:g} added to {analysis.smoothing}; "
        f"{refusal})."
    )


def star_levels(levels: dict[str, float], p_value: str = "p") -> str:
    """What each star means, the weakest first.

    Args:
        levels: Sign -> the largest p-value that earns it.
        p_value: What the p-value is called.

    Returns:
        The levels, without a full stop.

    >>> star_levels({"**": 0.01, "*": 0.05})
    '* p ≤ .05, ** p ≤ .01'
    """
    return ", ".join(
        f"{sign} {p_value} ≤ {without_leading_zero(f'{level:g}')}" for sign, level in reversed(levels.items())
    )


def star_notes(style: Style, declared: Iterable[TableSet]) -> list[str]:
    """What the stars of tables mean, if they have any.

    Args:
        style: How the study prints numbers.
        declared: The tables.

    Returns:
        A sentence, another one for the stars of adjusted p-values.
    """
    parts = [part for table in declared for measure in table.measures for part in measure.parts]
    starred = {
        part.value
        for part in parts
        if isinstance(part, StarsPart) or (isinstance(part, PValuePart) and (part.form or style.p_values) == "stars")
    }
    names = {"p_value": "p", "p_adjusted": "adjusted p"}
    return [f"{star_levels(style.stars, name)}." for column, name in names.items() if column in starred]


def absence(sign: str, statuses: Iterable[str]) -> str:
    """What the sign for a number that does not exist means in a table.

    Args:
        sign: The sign.
        statuses: Why numbers do not exist, possibly repeated.

    Returns:
        A sentence.

    >>> absence("–", ["no-data", "degenerate", "no-data"])
    '– marks a number that does not exist: no data, too little variation.'
    """
    reasons = ", ".join(dict.fromkeys(ABSENCES[status] for status in statuses if status in ABSENCES))
    return f"{sign} marks a number that does not exist{f': {reasons}' if reasons else ''}."


def conventions(
    study: Study,
    names: Iterable[str],
    outcomes: Collection[str] = (),
    sizes: Mapping[str, Sequence[int]] = _UNKNOWN,
) -> list[str]:
    """The conventions of several analyses, each once.

    Args:
        study: The study.
        names: The analyses, possibly repeated.
        outcomes: The outcomes that are shown; by default all of the analyses.
        sizes: How many hypotheses the families of each analysis hold, as `family_sizes` gives it.

    Returns:
        Their sentences, in order.
    """
    return list(dict.fromkeys(convention(study, name, outcomes, sizes) for name in names))


def printing(style: Style, declared: TableSet) -> list[str]:
    """How a table prints its numbers and decisions, where a reader would expect something else.

    Args:
        style: How the study prints numbers.
        declared: The table.

    Returns:
        The sentences.
    """
    parts = [part for measure in declared.measures for part in measure.parts]
    notes = [
        f"{part.rejected}: {'p' if part.value == 'p_value' else 'adjusted p'} < {part.alpha:g}"
        f"{'' if part.below is None else f' ({part.below}: and the estimate is below the null value)'}; "
        f"{part.retained}: otherwise."
        for part in parts
        if isinstance(part, DecisionPart)
    ]
    numbers = [part for part in parts if isinstance(part, NumberPart | PValuePart | RankedPart)]
    if style.rounding == "truncate" and any(_has_decimals(part, style) for part in numbers):
        notes.append("Numbers are cut off, not rounded.")
    return list(dict.fromkeys([*star_notes(style, [declared]), *notes]))


_OF_ERRORS = frozenset({"ci_low", "ci_high", "std_error", "statistic", "p_value", "p_adjusted"})
"""The numbers of an estimate that rest on what is taken for independent."""


def independence(study: Study, declared: TableSet) -> list[str]:
    """What intervals and tests of a table take for independent: responses or clusters of them.

    Args:
        study: The study.
        declared: The table.

    Returns:
        A sentence for each assumption; what joins other estimates says it by itself.
    """
    blocks = [block.analysis for block in declared.blocks]
    parts = [part for measure in declared.measures for part in measure.parts]
    names = [
        name
        for part in parts
        if getattr(part, "value", "") in _OF_ERRORS
        for name in (blocks or [part.analysis])
        if not isinstance(study.analyses[name], OfAnalyses)
    ]
    taken: dict[str, None] = {}
    for name in names:
        cluster = cluster_of(study, study.analyses[name])
        if getattr(study.analyses[name], "summaries", None) is not None:
            continue  # of given means, whose errors rest on what others assumed
        if cluster is None:
            taken["Responses were taken for independent of each other."] = None
        else:
            called = within_a_sentence(study.factors[cluster].label) if cluster in study.factors else cluster
            taken[f"Standard errors are clustered by {called}: only clusters were taken for independent."] = None
    return list(taken)


def _has_decimals(part: NumberPart | PValuePart | RankedPart, style: Style) -> bool:
    if isinstance(part, PValuePart):
        return (part.form or style.p_values) != "stars"
    return (style.digits if part.digits is None else part.digits) > 0


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
