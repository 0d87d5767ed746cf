"""Notes under tables: the conventions of the analyses, and the responses that the numbers are based on."""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.analyses.differences import TestsCategories
from tallybook.analyses.wording import NOTE_BASES, note_of_adjustment, percent, series, taken_as_fixed
from tallybook.study.analysis_base import OfEstimates, OfResponses
from tallybook.study.clusters import called, parts_of
from tallybook.study.coding import ReasonOutcome
from tallybook.study.naming import verb_of, within_a_sentence
from tallybook.study.number_text import without_leading_zero
from tallybook.study.presentation import DecisionPart, NumberPart, PValuePart, RankedPart, StarsPart
from tallybook_schemas.vocabulary import EXACT, INVALID, REFUSAL

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from tallybook.study.analysis_base import Analysis
    from tallybook.study.model import Study
    from tallybook.study.presentation import Style, TableSet


def selection_notes(study: Study, analysis: Analysis, outcomes: Collection[str] = ()) -> list[str]:
    """Describe which responses an analysis includes, whatever its denominator."""
    if not isinstance(analysis, OfResponses):
        inner = (one for name in analysis.sources for one in selection_notes(study, study.analyses[name], outcomes))
        return list(dict.fromkeys(inner))
    shown = _shown_outcomes(analysis, outcomes)
    sentences = [f"Only responses where {_choice(study, analysis.where)}."] if analysis.where else []
    asked: dict[str, list[str]] = {}
    for name in shown:
        where = {
            factor: levels for factor, levels in study.outcomes[name].where.items() if factor not in analysis.where
        }
        if where and getattr(analysis, "summaries", None) is None:  # a table of means has no responses to select
            asked.setdefault(_choice(study, where), []).append(study.outcomes[name].label)
    sentences += [f"{_listed(labels, 'and')}: only responses where {choice}." for choice, labels in asked.items()]
    reasons = [study.outcomes[name].label for name in shown if isinstance(study.outcomes[name], ReasonOutcome)]
    if reasons:
        sentences.append(f"{_listed(reasons, 'and')}: only {_UNANSWERED} ({_WHICH}).")
    return sentences


_UNANSWERED, _WHICH = "responses without an answer", "refused or uncoded"
"""The responses that outcomes of reasons are of, and those reasons."""


def _shown_outcomes(analysis: Analysis, outcomes: Collection[str]) -> list[str]:
    """Return the outcomes of an analysis of responses that a table shows, by default all."""
    every = list(analysis.outcomes) if isinstance(analysis, OfResponses) else []
    return [name for name in every if name in outcomes] or every


def fixed_levels(study: Study, declared: TableSet) -> list[str]:
    """Name the levels that all numbers of a table share, unless its title names them."""
    title = declared.title.casefold()
    return [
        f"{study.factors[name].label}: {study.factors[name].levels[level]}."
        for name, level in declared.where.items()
        if f"{{{name}}}" not in title and study.factors[name].levels[level].casefold() not in title
    ]


def _choice(study: Study, where: Mapping[str, tuple[str, ...]]) -> str:
    said: list[str] = []
    for name, levels in where.items():
        label, known = within_a_sentence(study.factors[name].label), study.factors[name].levels
        said.append(f"{label} {verb_of(label)} {_listed((known[level] for level in levels), 'or')}")
    return " and ".join(said)


def _listed(names: Iterable[str], joining: str) -> str:
    """Join names in a sentence: "a", "a or b", "a, b or c"."""
    *others, last = names
    return f"{', '.join(others)} {joining} {last}" if others else last


ABSENCES = {
    "no-data": "no data",
    "no-reference": "no reference",
    "invalid-reference": "an invalid reference",
    "degenerate": "too little variation",
    "few-clusters": "too few clusters to test so many coefficients at once",
    "undetectable": "an effect of no size would be found",
    "separated": "a category that predictors separate",
    "not-converged": "no convergence",
}
"""Status of an estimate -> the reason why there is no number."""

_UNKNOWN: Mapping[str, Sequence[int]] = MappingProxyType({})
"""The sizes of families before they have been computed: none."""


_OF_REFUSALS = "{} (refusals)"
"""The name in notes of an analysis's families of tests of refusals and uncoded responses."""


def family_sizes(study: Study, estimates: pl.DataFrame) -> dict[str, list[int]]:
    """Return the distinct family sizes of each analysis, in ascending order, with families of refusals listed apart."""
    apart = [name for name, one in study.analyses.items() if isinstance(one, TestsCategories) and one.refusals_apart]
    name, term = pl.col("analysis"), pl.col("term").str.split(": ").list.first()
    refusals = name.is_in(apart) & term.is_in([REFUSAL, INVALID])
    named = pl.when(refusals).then(pl.format(_OF_REFUSALS, name)).otherwise(name).alias("analysis")
    sizes = estimates.filter(pl.col("family_size").is_not_null()).group_by(named)
    return dict(sizes.agg(pl.col("family_size").unique().sort()).iter_rows())


class Doubts(NamedTuple):
    """The weaknesses of clustered inference that notes mention."""

    few: Mapping[str, int] = MappingProxyType({})  # analysis -> the smallest number of clusters, where below ten
    exact: frozenset[str] = frozenset()  # analyses with exact tests of groups that do not vary between clusters


def doubts(estimates: pl.DataFrame) -> Doubts:
    """Return which analyses have estimates of fewer than ten clusters, and exact tests instead of clustered ones."""
    own = estimates.filter(pl.col("clusters").is_between(2, _ENOUGH - 1), pl.col("std_error").is_not_null())
    exact = estimates.filter(pl.col("method").str.contains(EXACT, literal=True)).get_column("analysis")
    return Doubts(dict(own.group_by("analysis").agg(pl.col("clusters").min()).iter_rows()), frozenset(exact))


_ENOUGH = 10
"""With fewer clusters, if they differ in size, tests at 5% reject up to 7% of true hypotheses: see docs/coverage.md."""
_USELESS = 3
"""With so few clusters an interval is 2.2 (three) or 6.5 (two) times as wide as one of the same error with many."""


def convention(
    study: Study, name: str, outcomes: Collection[str] = (), sizes: Mapping[str, Sequence[int]] = _UNKNOWN
) -> str:
    """Return the note on one analysis: its conventions, adjustment for multiple tests and selection of responses."""
    analysis = study.analyses[name]
    said = [analysis.note(study)]
    selection = selection_notes(study, analysis, outcomes)
    shown = _shown_outcomes(analysis, outcomes)
    if shown and all(isinstance(study.outcomes[one], ReasonOutcome) for one in shown) and NOTE_BASES["all"] in said[0]:
        said = [said[0].replace(NOTE_BASES["all"], f"the {_UNANSWERED} ({_WHICH}, failed requests excluded)")]
        selection = [one for one in selection if _UNANSWERED not in one]
    if analysis.has_tests:
        refusals = sizes.get(_OF_REFUSALS.format(name), ())
        alike = analysis.alike(study, outcomes)
        names_terms = analysis.of_responses(study).names_terms
        outcomes_of = () if names_terms else analysis.outcomes_of(study) or ()
        pooled = [within_a_sentence(study.outcomes[one].label) for one in outcomes_of]
        said.append(note_of_adjustment(analysis.family, sizes.get(name, ()), refusals, alike, pooled))
    return _APOSTROPHE.sub("’", " ".join([*said, *selection]))


_APOSTROPHE = re.compile(r"(?<=\w)'(?=\w| |\)|,)")


def star_levels(levels: dict[str, float], p_value: str = "p") -> str:
    """Return the significance levels of the stars, the fewest stars first.

    >>> star_levels({"**": 0.01, "*": 0.05})
    '* p ≤ .05, ** p ≤ .01'
    """
    return ", ".join(
        f"{sign} {p_value} ≤ {without_leading_zero(f'{level:g}')}" for sign, level in reversed(levels.items())
    )


def star_notes(style: Style, declared: Iterable[TableSet]) -> list[str]:
    """Return the explanations of the stars in tables that have stars."""
    parts = [part for table in declared for measure in table.measures for part in measure.parts]
    starred = {
        part.value
        for part in parts
        if isinstance(part, StarsPart) or (isinstance(part, PValuePart) and (part.form or style.p_values) == "stars")
    }
    names = {"p_value": "p", "p_adjusted": "adjusted p"}
    return [f"{star_levels(style.stars, name)}." for column, name in names.items() if column in starred]


def absence(sign: str, statuses: Iterable[str]) -> str:
    """Explain the sign for a number that does not exist.

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
    """Return the notes on several analyses, without repetition."""
    notes = list(dict.fromkeys(convention(study, name, outcomes, sizes) for name in names))
    return [one for one in notes if not any(one in other for other in notes if other != one)]


def brackets(study: Study, declared: TableSet) -> list[str]:
    """Explain the brackets around the limits of intervals."""
    blocks = [block.analysis for block in declared.blocks]
    parts = [part for measure in declared.measures for part in measure.parts]
    names = [name for part in parts if getattr(part, "interval", False) for name in (blocks or [part.analysis])]
    levels = dict.fromkeys(getattr(study.analyses[name], "confidence", 0.95) for name in names)
    return [f"In brackets: {series([percent(level) for level in levels])} confidence intervals."] if levels else []


def printing(style: Style, declared: TableSet) -> list[str]:
    """Explain how a table prints decisions, stars and truncated numbers."""
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
"""The columns of an estimate that depend on the units that are treated as independent."""


_REPEATED = (
    "Responses were treated as independent of each other, although prompts repeat: intervals and tests are too certain "
    "if responses to one prompt resemble each other."
)
"""The note in a study with clusters on analyses that do not use them."""


def independence(study: Study, declared: TableSet, of_clusters: Doubts) -> list[str]:
    """Describe what the intervals and tests of a table treat as independent."""
    blocks = [block.analysis for block in declared.blocks]
    parts = [part for measure in declared.measures for part in measure.parts]
    names = [
        name
        for part in parts
        if getattr(part, "value", "") in _OF_ERRORS
        for name in (blocks or [part.analysis])
        if not isinstance(one := study.analyses[name], OfEstimates)
        or one.has_errors_of_source
        or one.cluster_column(study) is not None
    ]
    return independence_notes(study, names, of_clusters)


def independence_notes(study: Study, names: Sequence[str], of_clusters: Doubts) -> list[str]:
    """Describe what standard errors treat as independent, without repetition; published means are skipped."""
    notes: list[str] = []
    for analysis in (study.analyses[name] for name in names):
        cluster = analysis.cluster_column(study)
        if analysis.states_independence or getattr(analysis, "summaries", None) is not None:
            continue
        if cluster is None:
            notes.append(_REPEATED if study.cluster else "Responses were treated as independent of each other.")
        elif analysis.crossed_scale is not None:
            first, second = (called(study, one) for one in parts_of(cluster))
            notes.append(
                f"Standard errors are clustered by {first} and by {second}: responses that share neither are treated "
                "as independent."
            )
        else:
            by = called(study, cluster)
            notes.append(f"Standard errors are clustered by {by}: only clusters were treated as independent.")
        notes.append(taken_as_fixed(study, analysis))
    if known := {name: of_clusters.few[name] for name in names if name in of_clusters.few}:
        fewest = min(known, key=lambda name: known[name])
        column = study.analyses[fewest].cluster_column(study) or "item"
        of = f"by {called(study, column)}"
        if study.analyses[fewest].crossed_scale is not None:
            of = " or ".join(f"by {called(study, one)}" for one in parts_of(column)) + ", whichever are fewer"
        notes.append(
            f"There are few clusters ({known[fewest]}, {of}): intervals and tests may be too optimistic, above all "
            "where clusters differ in size."
        )
        if known[fewest] <= _USELESS:
            notes.append(f"With {known[fewest]} clusters no interval or test supports a conclusion.")
    if of_clusters.exact.intersection(names):
        notes.append(_CONSTANT)
    return list(dict.fromkeys(filter(None, notes)))


_CONSTANT = (
    "Where a share is 0% or 100% in all clusters of a group, and few of the other differ from that, there is no "
    "interval, and p is that of an exact test that exchanges the groups within clusters, or clusters between them."
)


def _has_decimals(part: NumberPart | PValuePart | RankedPart, style: Style) -> bool:
    if isinstance(part, PValuePart):
        return (part.form or style.p_values) != "stars"
    return (style.digits if part.digits is None else part.digits) > 0


def valid_tests(analysis: Analysis, counts: list[tuple[str, str, int]]) -> str:
    """Report the number of valid tests behind each deviation score."""
    if not analysis.counts_tests:
        return ""
    by_column: dict[str, list[str]] = {}
    for column, row, n in counts:
        by_column.setdefault(column, []).append(f"{row} {n}")
    columns_by_text: dict[str, list[str]] = {}
    for column, texts in by_column.items():
        columns_by_text.setdefault(", ".join(texts), []).append(column)
    parts = [f"{', '.join(columns)}: {text}" for text, columns in columns_by_text.items()]
    return f"Valid tests: {'; '.join(parts)}."
