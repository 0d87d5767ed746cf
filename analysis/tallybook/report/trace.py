"""Tracing of a printed number to its estimate and to the responses behind it."""

from __future__ import annotations

import random
import re
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import polars as pl

from tallybook.analyses.formula import Formula
from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable, visible
from tallybook.report.fragments import reference
from tallybook.report.inline.addresses import PREFIX, Addresses, Found
from tallybook.report.inline.apa import parts, plain
from tallybook.study.analysis_base import OfResponses
from tallybook.study.naming import levels_of_pair, term_label
from tallybook.tables.sets import natural_order, numbered, shown_analyses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.model import Study

SHOWN = 8
LONGEST = 200
"""The maximum number of characters of a response that are shown."""
_SHOWN_PLACE = re.compile(r"(table|figure)\s+(.+)", re.IGNORECASE)


class Trace(NamedTuple):
    """An estimate with the responses that it was computed from."""

    number: str  # the number's address and its printed phrase
    estimate: dict[str, Any]  # the row of estimates
    conventions: str  # the conventions of the estimate's analysis, as in the note under a table
    counts: pl.DataFrame  # the numbers of responses by status, outcome and the factor that the analysis compares
    responses: pl.LazyFrame  # those responses: place, status, outcomes, rule and text


def trace(study: Study, estimates: pl.DataFrame, coded: pl.LazyFrame, number: str) -> Trace:
    """Find the estimate behind a number, and the responses that it was computed from.

    `number`: An address, as listed by `tallybook numbers`, or words joined by commas: `table 3, Black, yes`.
    """
    found = _meant(study, list(Addresses(study, estimates)), number)
    row = found.estimate
    analysis = study.analyses[row["analysis"]]
    chosen = selection(study, row)
    rows = chosen.of(coded)
    known = rows.collect_schema().names()
    groups = list(dict.fromkeys(name for name in (*chosen.compared, "status", row["outcome"]) if name in known))
    counts = rows.group_by(groups).agg(pl.col("count").sum()).sort(*groups, nulls_last=True).collect()
    printed = plain(parts(study, row).apa)
    note = analysis.note(study)
    if chosen.counts and isinstance(analysis, Formula):
        of_counts = {name: pl.col("count").filter(_all_of(levels, known)).sum() for name, levels in chosen.counts}
        numbers = rows.select(**of_counts).collect().row(0, named=True)
        note += f" Here {', '.join(f'{name} = {number:,}' for name, number in numbers.items())}."
    return Trace(f"{'.'.join(found.address)}: {printed}", row, note, counts, rows)


Levels: TypeAlias = "tuple[tuple[str, tuple[str, ...]], ...]"
"""Columns with the levels or codes that responses have in them."""


def _all_of(conditions: Levels, known: Sequence[str]) -> pl.Expr:
    met = [pl.col(name).is_in(levels) for name, levels in conditions if name in known]
    return pl.all_horizontal(pl.lit(value=True), *met)


class Selection(NamedTuple):
    """The responses that an estimate was computed from; equal selections select the same responses."""

    levels: Levels  # columns and their included levels
    split: tuple[str, ...]  # the factors by which the estimate is split
    compared: tuple[str, ...]  # the factor that is compared, if one is
    outcome: str  # the estimate's outcome
    counts: tuple[tuple[str, Levels], ...] = ()  # the counts of a formula, by name: responses of any are selected

    def of(self, coded: pl.LazyFrame) -> pl.LazyFrame:
        """Return the selected responses: place, levels, status, outcome, rules and text."""
        known = coded.collect_schema().names()
        chosen = [pl.col("status") != "error", _all_of(self.levels, known)]
        if self.counts:
            chosen.append(pl.any_horizontal(_all_of(conditions, known) for _, conditions in self.counts))
        of_counts = [name for _, conditions in self.counts for name, _ in conditions]
        rules = [name for name in known if name.endswith("_rule")]
        levels = (*self.split, *self.compared, "status", self.outcome, *of_counts)
        shown = ("file", "key", *levels, *rules, "text", "count")
        return coded.filter(*chosen).select(name for name in dict.fromkeys(shown) if name in known)


def selection(study: Study, estimate: dict[str, Any]) -> Selection:
    """Return the selection of responses that an estimate was computed from."""
    analysis = study.analyses[estimate["analysis"]]
    split = tuple(name for name in study.factors if estimate.get(name) is not None)
    levels: list[tuple[str, tuple[str, ...]]] = [(name, (estimate[name],)) for name in split]
    compared: tuple[str, ...] = ()
    source = analysis.of_responses(study)
    levels += source.where.items()
    counts = source.counts_in(study, estimate["term"]) if isinstance(source, Formula) else {}
    if isinstance(analysis, OfResponses):
        factor = getattr(analysis, "factor", None)  # the factor that differences and associations compare
        if isinstance(factor, str) and factor in study.factors:
            compared = (factor,)
            given = getattr(analysis, "levels", ()) or tuple(study.factors[factor].levels)
            pairs = levels_of_pair(estimate["term"].rpartition(": ")[2])  # one of several pairs of levels
            of_term = next((tuple(pair) for pair in pairs if len(pair) > 1 and {*pair} <= {*given}), given)
            levels.append((factor, of_term))
    of_counts = tuple((name, tuple(conditions.items())) for name, conditions in counts.items())
    return Selection(tuple(levels), split, compared, estimate["outcome"], of_counts)


def _meant(study: Study, candidates: list[Found], number: str) -> Found:
    if number.strip().startswith(f"{PREFIX}."):
        wanted = number.strip().split(".")
        named = [one for one in candidates if list(one.address) in (wanted, wanted[:-1])]
        return _single(named, candidates, number)
    words = _parted(number)
    place = _SHOWN_PLACE.fullmatch(words[0]) if words else None
    analyses: list[str] = []
    if place:
        analyses = _analyses_of(study, place[1].lower(), place[2])
        candidates, words = [one for one in candidates if one.estimate["analysis"] in analyses], words[1:]
    fitting = [one for one in candidates if _fits(_names(study, one), words)]
    if analyses and len(fitting) > 1:
        # A table may show several analyses of one cell: the first of them is meant.
        first = next(name for name in analyses if any(one.estimate["analysis"] == name for one in fitting))
        fitting = [one for one in fitting if one.estimate["analysis"] == first]
    return _single(fitting, candidates, number)


def _analyses_of(study: Study, kind: str, name: str) -> list[str]:
    """List the analyses that a table or figure shows, in their order."""
    if kind == "table":
        every = [(number, shown_analyses(table)) for table in study.tables for number, _ in numbered(study, table)]
        shown = sorted(every, key=lambda one: natural_order(one[0]))
    else:
        figures = [(one.id, [plot for plot, _ in one.placed("")]) for one in study.figures]
        shown = [(number, [name for plot in plots for name in plot.analyses]) for number, plots in figures]
    by_number = {reference(kind, number): analyses for number, analyses in shown}
    by_place = {reference(kind, str(place)): analyses for place, (_, analyses) in enumerate(shown, start=1)}
    if (found := (by_place | by_number).get(reference(kind, name))) is not None:
        return list(dict.fromkeys(found))
    numbers = ", ".join(number for number, _ in shown)
    raise UsageError(f"{study.name} has no {kind} {printable(name)!r}; there are {numbers or 'none'}")


def _names(study: Study, found: Found) -> set[str]:
    """Return the names and labels of an estimate's levels, term, outcome and analysis, as `_fits` compares them."""
    row = found.estimate
    names = [row["analysis"], row["outcome"], row["term"]]
    if row["outcome"] in study.outcomes:
        names += [study.outcomes[row["outcome"]].label, term_label(study, row["outcome"], row["term"])]
    for name, factor in study.factors.items():
        level = row.get(name)
        if level is not None:
            names += [level, str(factor.levels.get(level, level))]
    return {", ".join(_parted(str(name))).casefold() for name in names if name is not None}


def _parted(text: str) -> list[str]:
    return [part.strip() for part in text.split(",") if part.strip()]


def _fits(names: set[str], words: Sequence[str]) -> bool:
    """Return whether words are names, of which some consist of several words because they have commas."""
    return not words or any(
        ", ".join(words[:end]).casefold() in names and _fits(names, words[end:]) for end in range(1, len(words) + 1)
    )


def _single(found: Sequence[Found], candidates: Sequence[Found], number: str) -> Found:
    if len(found) == 1:
        return found[0]
    told = [".".join(one.address) for one in (found or candidates)[:SHOWN]]
    more = len(found or candidates) - len(told)
    listed = "".join(f"\n  {printable(address, 200)}" for address in told) + (f"\n  and {more} more" if more else "")
    if not found:
        raise UsageError(f"no number is called {printable(number)!r}; there are:{listed}")
    raise UsageError(f"{len(found)} numbers could be meant by {printable(number)!r}; say more, or one of:{listed}")


def sampled(responses: pl.LazyFrame, size: int, seed: int | str) -> pl.DataFrame:
    """Draw a random sample of responses, in their original order and reproducible by the seed."""
    total = int(responses.select(pl.len()).collect().item())
    chosen = sorted(random.Random(seed).sample(range(total), min(size, total)))  # noqa: S311  a sample to read
    return responses.with_row_index("_place").filter(pl.col("_place").is_in(chosen)).drop("_place").collect()


def as_text(traced: Trace, sample: pl.DataFrame) -> str:
    """Format a trace as text for a terminal, with responses shortened and escaped."""
    lines = [traced.number, *([f"  {traced.conventions}"] if traced.conventions else [])]
    lines += [f"{int(traced.counts['count'].sum()):,} responses:"]
    for row in traced.counts.iter_rows(named=True):
        names = ", ".join(printable(str(value)) for name, value in row.items() if name != "count" and value is not None)
        lines.append(f"  {row['count']:>8,}  {names}")
    lines += [f"{sample.height} of them:"] if sample.height else []
    for row in sample.iter_rows(named=True):
        text = row.pop("text", None)
        lines.append("  " + ", ".join(printable(str(value)) for value in row.values() if value is not None))
        lines += [] if text is None else [f"      {printable(text, LONGEST)}"]
    return "\n".join(lines)


def as_html(traced: Trace, sample: pl.DataFrame) -> str:
    """Format a trace as an HTML page, with data escaped and texts shortened."""
    return (
        "<!DOCTYPE html>\n<html lang='en'><head><meta charset='utf-8'><title>Trace</title><style>"
        "body{font-family:sans-serif;margin:2em auto;max-width:70em}table{border-collapse:collapse;margin:1em 0}"
        "td,th{border-bottom:1px solid #ccc;padding:.3em .6em;text-align:left;vertical-align:top}</style></head><body>"
        f"<h1>{escape(traced.number)}</h1><p>{escape(traced.conventions)}</p>"
        f"{_table(traced.counts)}{_table(sample)}</body></html>\n"
    )


def _table(frame: pl.DataFrame) -> str:
    head = "".join(f"<th>{escape(name)}</th>" for name in frame.columns)
    body = "".join(
        "<tr>" + "".join(f"<td>{escape(visible(_shortened(value)))}</td>" for value in row) + "</tr>\n"
        for row in frame.iter_rows()
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _shortened(value: object) -> str:
    text = "" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
