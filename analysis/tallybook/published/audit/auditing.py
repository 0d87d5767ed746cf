"""The audit of printed tables: runs every check on every record and collects the results."""

from __future__ import annotations

import re
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl

from tallybook.published.audit.means import check_means, debit
from tallybook.published.audit.numbers import plain, shown
from tallybook.published.audit.p_values import (
    check_centres,
    check_degrees,
    check_estimates,
    check_intervals,
    check_stars,
    check_tests,
)
from tallybook.published.audit.records import Record, merged, records, reported, reported_estimates
from tallybook.published.audit.roles import of_header
from tallybook.published.audit.settings import STARS, Result, Settings, between, judged
from tallybook.published.audit.whole_tables import check_tables

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from tallybook.published.audit.settings import Table


def check_shares(record: Record) -> Iterator[Result]:
    """Check a share against its range, the count and the number of responses."""
    n, count = record.numbers.get("n"), record.numbers.get("count")
    if n is not None and count is not None and n.is_whole and count.is_whole:
        fits = 0 <= count.value <= n.value
        note = f"{count.text} of {n.text}."
        yield judged("range", fits, ("count", "n"), f"0 to {n.text}", note)
    for role, whole in (("percent", 100), ("proportion", 1)):
        share = record.numbers.get(role)
        if share is None or share.relation != "=":
            continue
        if not share.high >= 0 or not share.low <= whole:
            severity = "impossible" if n is not None or count is not None else "unlikely"
            yield Result("range", severity, (role,), f"0 to {whole}", f"A share of {share.text}.")
            continue
        if n is None or not n.is_whole or n.value < 1:
            continue
        if count is not None and count.is_whole:
            exact = whole * count.value / n.value
            fits = share.low <= exact <= share.high
            near = shown(exact, share.digits)
            note = f"{count.text} of {n.text} is {near}, not {share.text}."
            yield judged("share-of-count", fits, (role, "count", "n"), near, note)
        elif n.value < whole * Fraction(10) ** share.digits:
            fits = bool(between(share.low * n.value / whole, share.high * n.value / whole))
            below = Fraction(share.value * n.value / whole).__floor__()
            near = " or ".join(shown(Fraction(whole * one) / n.value, share.digits) for one in (below, below + 1))
            note = f"No number of {n.text} responses is {share.text}."
            header, of_n = record.columns.get(role, ""), record.columns.get("n", "")
            # A percentage whose header does not name a share may be of other responses than n.
            is_named = "%" not in share.text or header == of_n or bool(of_header(header))
            yield judged("share-of-n", fits, (role, "n"), near, note, wrong="impossible" if is_named else "unlikely")


CHECKS = {
    "scale": "a mean lies on its scale",
    "grim": "a mean that whole numbers can have (GRIM)",
    "grimmer": "a standard deviation that whole numbers can have (GRIMMER)",
    "debit": "mean and standard deviation of zeros and ones (DEBIT)",
    "share-of-n": "a share that a number of responses can have",
    "share-of-count": "a share is its count over n",
    "total": "a total is the sum of its rows",
    "sum-of-shares": "shares sum to 100",
    "p-of-t": "p against t",
    "p-of-z": "p against z",
    "p-of-r": "p against a correlation",
    "p-of-f": "p against F",
    "p-of-chi2": "p against chi-squared",
    "stars": "stars against p",
    "df-of-n": "degrees of freedom against n",
    "statistic-of-error": "a statistic is the estimate over its error",
    "odds-ratio": "an odds ratio is exp(coefficient)",
    "effect-of-t": "an effect size against t and n",
    "interval-order": "an estimate within its limits",
    "interval-width": "limits against the standard error",
    "interval-centre": "an estimate in the middle of its limits",
    "symmetry": "a symmetric matrix",
    "printed-twice": "one number printed twice",
    "last-digits": "last digits equally frequent",
    "range": "a number in its range",
}
"""Check -> its description."""

_NAMES: list[str] = ["file", "table", "place", "row", "column", "check", "severity", "printed", "expected", "note"]
FINDINGS = dict.fromkeys(_NAMES, pl.String)
"""The columns of an audit."""

_LEGEND = re.compile(r"(?<!\*)(\*{1,4})\s*:?\s*p?\s*[<≤]\s*(0?\.\d+)")
_TRUNCATING = 5
"""The number of findings in a table from which truncation is considered as an explanation."""
_FEWEST = 3
"""The number of means with deviations needed to recognise binary values."""


def audit_tables(tables: Iterable[Table], settings: Settings, declared: Mapping[str, str]) -> pl.DataFrame:
    """Check printed tables; return one row per check made, with an empty `severity` if it holds."""
    rows: list[tuple[str, ...]] = []
    for table in map(merged, tables):
        found = list(records(table, declared))
        results = (*audit_records(found, settings, _legend(table, found)), *check_tables(table, declared, found))
        rows += [_row(record, result) for record, result in results]
    return pl.DataFrame(rows, schema=FINDINGS, orient="row")


def audit_passages(passages: Sequence[str], file: str, settings: Settings) -> pl.DataFrame:
    """Check the tests and estimates that a text reports."""
    results = [(record, result) for record in reported(passages, file) for result in check_tests(record, settings)]
    for record in reported_estimates(passages, file):
        results += [(record, result) for result in (*check_estimates(record), *check_intervals(record, settings))]
    return pl.DataFrame([_row(record, result) for record, result in results], schema=FINDINGS, orient="row")


def as_printed(record: Record, result: Result) -> str:
    """Format the printed numbers that a check is about."""
    numbers = {role: record.numbers[role] for role in result.roles if role in record.numbers}
    return ", ".join(
        number.shown if len(numbers) == 1 else f"{role} {'= ' if number.relation == '=' else ''}{number.shown}"
        for role, number in numbers.items()
    )


def _row(record: Record, result: Result) -> tuple[str, ...]:
    columns = ", ".join(dict.fromkeys(record.columns[role] for role in result.roles if role in record.columns))
    column = ", ".join(part for part in (record.column, columns) if part and part != record.column) or record.column
    return (
        record.file, record.table, record.place, record.row, column,
        result.check, result.severity, as_printed(record, result), result.expected, result.note,
    )  # fmt: skip


def audit_records(
    found: Sequence[Record], settings: Settings, legend: Mapping[int, float]
) -> Iterator[tuple[Record, Result]]:
    """Check the records of one table; `legend`: number of stars -> the level that p is below."""
    settings = _inferred(found, settings)
    if settings.truncated:
        found = [_truncated(record) for record in found]
    results = list(_each(found, settings, legend))
    if not settings.truncated:
        results = _explained_by_truncation(found, results, settings)
    yield from results
    yield from check_degrees(found)
    yield from check_centres(found)


def _each(found: Sequence[Record], settings: Settings, legend: Mapping[int, float]) -> Iterator[tuple[Record, Result]]:
    for record in found:
        for results in (
            check_means(record, settings),
            check_shares(record),
            check_tests(record, settings),
            check_estimates(record),
            check_intervals(record, settings),
            check_stars(record, legend),
        ):
            yield from ((record, result) for result in results)


def _inferred(found: Sequence[Record], settings: Settings) -> Settings:
    """Infer binary or continuous values by DEBIT, if no mean of a table lies outside of 0 to 1."""
    if settings.values is not None:
        return settings
    pairs = [
        (record.numbers["mean"], record.numbers["sd"], record.numbers["n"])
        for record in found
        if {"mean", "sd", "n"} <= record.numbers.keys()
        and record.numbers["n"].is_whole
        and record.numbers["n"].value > 1
    ]
    if len(pairs) < _FEWEST or any(mean.low > 1 or mean.high < 0 for mean, _, _ in pairs):
        return settings
    fitting = sum(debit(mean, deviation, int(n.value)) for mean, deviation, n in pairs)
    return replace(settings, values="binary" if fitting * 2 > len(pairs) else "continuous")


def _truncated(record: Record) -> Record:
    return replace(record, numbers={role: number.truncated() for role, number in record.numbers.items()})


def _explained_by_truncation(
    found: Sequence[Record], results: list[tuple[Record, Result]], settings: Settings
) -> list[tuple[Record, Result]]:
    """Downgrade impossible shares and means of a table to `rounding` if truncation of digits explains all of them."""
    kinds = {"share-of-count", "share-of-n", "grim"}
    wrong = [place for place, (_, result) in enumerate(results) if result.check in kinds and result.severity]
    if len(wrong) < _TRUNCATING:
        return results
    cut = [
        result
        for record in found
        for results in (check_means(_truncated(record), settings), check_shares(_truncated(record)))
        for result in results
        if result.check in kinds
    ]
    if any(result.severity for result in cut):
        return results
    for place in wrong:
        record, result = results[place]
        note = f"{result.note} Numbers of this table may have been cut off, not rounded."
        results[place] = (record, result._replace(severity="rounding", note=note))
    return results


def _legend(table: Table, found: Sequence[Record]) -> Mapping[int, float]:
    """Read the meaning of stars from caption or notes, else assume the usual levels; empty without stars."""
    if not any(number.stars for record in found for number in record.numbers.values()):
        return {}
    texts = [table.caption, *(" ".join(row.cells) for row in table.rows[-3:])]
    legend = {len(stars): float(level) for text in texts for stars, level in _LEGEND.findall(plain(text))}
    return legend or STARS
