"""Selection of the estimates that a declared figure shows, with their order and labels."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import UsageError
from tallybook.study.naming import term_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tallybook.study.figure_base import Plot
    from tallybook.study.model import Study


def chosen(
    study: Study,
    plot: Plot,
    estimates: pl.DataFrame,
    place: str,
    *,
    thing: str,
    terms: Sequence[str] | None = None,
    x: str | None = None,
) -> pl.DataFrame:
    """Return the estimates that a plot shows, after checking that they exist and are unambiguous."""
    shown = of_analysis(plot, estimates, plot.analysis, plot.terms if terms is None else terms)
    if plot.shown_outcomes:
        shown = shown.filter(pl.col("outcome").is_in(plot.shown_outcomes))
    if shown.is_empty():
        raise UsageError(f"{place}: {plot.analysis} has no estimates for it")
    identity = [*plot.axes, *([x] if x else [])]
    if unsplit := [axis for axis in identity if axis not in shown.columns or shown[axis].is_null().all()]:
        raise UsageError(f"{place}: {plot.analysis} is not split by {unsplit[0]}")
    if shown.select(identity).is_duplicated().any():
        ways = _ways_to_settle(study, shown, identity)
        raise UsageError(f"{place}: {plot.analysis} has several estimates for the same {thing}; fix {ways}")
    return shown


def of_analysis(plot: Plot, estimates: pl.DataFrame, analysis: str, terms: Sequence[str]) -> pl.DataFrame:
    """Return the estimates of an analysis at the levels that a plot shows."""
    levels = [pl.col(name).is_in(levels) for name, levels in plot.levels.items()]
    named = [pl.col("term").is_in(terms)] if terms else []
    return estimates.filter(*levels, *named, analysis=analysis, **plot.where)


def level_names(study: Study, plot: Plot, shown: pl.DataFrame) -> dict[str, dict[str, str]]:
    """Map the levels of each axis of a plot to their labels, in order."""
    return {axis: _names(study, plot, shown, axis) | plot.labels.get(axis, {}) for axis in plot.axes}


def _ways_to_settle(study: Study, shown: pl.DataFrame, identity: Sequence[str]) -> str:
    """List the settings that would resolve several estimates for one place."""
    free = [name for name in (*study.factors, "outcome", "term") if name not in identity and shown[name].n_unique() > 1]
    factors = [name for name in free if name in study.factors]
    settings = [f"'{name}s'" for name in free if name not in study.factors]
    by_level = [f"{' or '.join(factors) or 'the other factors'} in 'where'"] if factors or not settings else []
    return " or ".join([*by_level, *settings])


def _names(study: Study, plot: Plot, shown: pl.DataFrame, axis: str) -> dict[str, str]:
    if axis in study.factors:
        levels = study.factors[axis].levels
        return {level: levels[level] for level in plot.levels.get(axis, levels)}
    if axis == "outcome":
        return {name: study.outcomes[name].label for name in plot.shown_outcomes or study.outcomes}
    known = {term: _term_name(study, outcome, term) for outcome, term in shown.select("outcome", "term").iter_rows()}
    # Terms that are outcomes, as in correlations, have the order of the study's outcomes.
    order = plot.terms or (*plot.shown_outcomes, *study.outcomes)
    return _in_order(known, order)


def _in_order(names: Mapping[str, str], order: Iterable[str]) -> dict[str, str]:
    first = {name: names[name] for name in order if name in names}
    return first | {name: label for name, label in names.items() if name not in first}


def _term_name(study: Study, outcome: str, term: str) -> str:
    if outcome in study.outcomes:
        return term_label(study, outcome, term)
    return study.outcomes[term].label if term in study.outcomes else term


def intervals(shown: pl.DataFrame) -> str:
    """Describe the intervals of some estimates, with the confidence level if they share one."""
    levels = shown.filter(pl.col("ci_low").is_not_null()).get_column("confidence").unique().to_list()
    return f"{100 * levels[0]:g}% confidence intervals" if len(levels) == 1 and levels[0] else "intervals"


def interval_settings(shown: pl.DataFrame) -> dict[str, Any]:
    """Return the layout's settings for intervals: the columns of their limits and their description."""
    return {"low": "ci_low", "high": "ci_high", "interval": intervals(shown)}


def rescaled(shown: pl.DataFrame, scale: int, *numbers: str) -> pl.DataFrame:
    """Multiply columns of estimates by a factor, as floats."""
    return shown.with_columns(pl.col(number).cast(pl.Float64) * scale for number in dict.fromkeys(numbers))
