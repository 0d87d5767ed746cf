"""The data section of a report: origin of the data, findings of validation, and coding of the responses."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.markdown import literal
from tallybook.core.wording import counted, shortened
from tallybook.report.fragments import table_fragment
from tallybook.study.number_text import fixed
from tallybook.tables.content import Column, Row, Table
from tallybook_schemas.vocabulary import CODED_STATUSES, WITHOUT_ANSWER

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.pipeline import Results
    from tallybook.study.check_base import Severity
    from tallybook.study.presentation import Rounding
    from tallybook.validation.model import Check, Report

_STATUSES = {
    "ok": "every outcome is coded",
    "partial": "some are",
    "refused": "the model declined",
    "invalid": "nothing usable and no refusal",
    "empty": "no text",
}
_FAILING = {"error", "warning"}
_FILES_SHOWN = 5
_FAILURES_SHOWN = 10
_OUTCOMES: dict[Severity, str] = {"error": "error", "warning": "warning", "info": "note"}


def data(results: Results, validation: Report | None) -> str:
    """Return the data section: sources, design, checks of the data and responses."""
    checks = []
    if validation is not None:
        table = table_fragment(checks_table(validation), "Checks of the data and their outcomes.")
        checks = [checks_text(validation, results.source.failed_requests), table, failures(validation)]
    told = (sources(results), f"Design: {design(results)}.\n", *checks, responses(results), repeats(results))
    return "\n".join(part for part in told if part)


def design(results: Results) -> str:
    """Describe the design in numbers: models, items and responses per model and item."""
    rows, number = results.source.rows, results.source.statuses["model"].n_unique()
    models, errors = counted(number, "model"), results.source.failed_requests
    noun, failed = ("request", f", of which {errors:,} failed") if errors else ("response", "")
    if "item" not in rows.collect_schema().names():
        return models
    asked = rows.group_by("model", "item").agg(pl.col("count").sum())
    ends = pl.col("count").min().alias("least"), pl.col("count").max().alias("most")
    found = asked.select(pl.len(), pl.col("item").n_unique(), *ends).collect(engine="streaming")
    cells, items, least, most = found.row(0)
    crossed = f"{models} × {counted(items, 'item')}"
    if least == most and cells == items * number:
        levels = _within_items(results, cells) if most > 1 else {}
        of_factors = "".join(f" × {size:,} levels of {literal(name)}" for name, size in levels.items())
        return f"{crossed}{of_factors} × {counted(most // prod(levels.values()), noun)}{failed}"
    often = f"{most:,}" if least == most else f"{least:,} to {most:,}"
    some = "" if cells == items * number else ", where the model was asked"
    return f"{crossed}, {often} {noun}{'' if most == 1 else 's'} of a model to an item{some}{failed}"


def _within_items(results: Results, cells: int) -> dict[str, int]:
    """Return the factors whose levels each model met equally often with each item, with the number of levels."""
    rows, factors = results.source.rows, results.loaded.study.factors
    keys, found = ["model", "item"], dict[str, int]()
    for name in [one for one in rows.collect_schema().names() if one in factors and one not in keys]:
        size, finer = rows.select(pl.col(name).n_unique(), pl.struct(*keys, name).n_unique().alias("")).collect().row(0)
        if size > 1 and finer == cells * prod(found.values()) * size:
            found |= {name: size}
            keys.append(name)
    times = rows.group_by(keys).agg(pl.col("count").sum()).select(pl.col("count").n_unique()).collect().item()
    return {factors[name].label.lower(): size for name, size in found.items()} if times == 1 else {}


def repeats(results: Results) -> str:
    """Warn that responses to one item are treated as independent, if items repeat and no clusters are declared."""
    if results.repeated is None:
        return ""
    return (
        f"The {counted(results.repeated.responses, 'response')} are to {counted(results.repeated.items, 'item')}. "
        "Intervals and tests treat all responses as independent of each other, and are too certain if responses to one "
        "item resemble each other.\n"
    )


def sources(results: Results) -> str:
    """Describe the data: files, rows and responses."""
    source = results.source
    by_file = {row["file"]: row for row in source.files.iter_rows(named=True)}
    files = source.dump.files
    all_rows = sum(row["rows"] for row in by_file.values())
    responses, errors = sum(row["count"] for row in by_file.values()), source.failed_requests
    editions = {one.edition for one in results.loaded.study.sources}
    edition = f" ({literal(source.dump.edition)} edition)" if len(editions) > 1 else ""
    size = counted(responses - errors, "response") + (f" and {counted(errors, 'failed request')}" if errors else "")
    if all_rows != responses:
        size = f"{counted(all_rows, 'row')} for {size} (equal responses share a row)"
    if len(files) == 1:
        return f"The data{edition} are in the file `{_verbatim(files[0])}`: {size}.\n"
    shown = [
        f"`{_verbatim(name)}`" + (f" ({counted(by_file[name]['rows'], 'row')})" if name in by_file else "")
        for name in files
    ]
    return f"The data{edition} are in {len(files):,} files, {size}: {shortened(shown, _FILES_SHOWN)}.\n"


def _verbatim(name: str) -> str:
    """Return a file's name for inline code, with characters replaced that could end or escape the code."""
    return "".join(character if character.isprintable() and character not in "`{}<" else "?" for character in name)


def checks_text(validation: Report, failed_requests: int = 0) -> str:
    """Return a sentence with the number of checks that the data passed, with a reference to their table."""
    failed = sum(check.worst in _FAILING for check in validation.checks)
    told = f"All {len(validation.checks)} checks of the data passed"
    if failed:
        told = f"Of {len(validation.checks)} checks of the data {len(validation.checks) - failed} passed"
    apart = f", {counted(failed_requests, 'failed request')} set aside" if failed_requests else ""
    return f"{told}{apart} (@tbl-checks).\n"


def checks_table(validation: Report) -> Table:
    """Return a table of the checks of the data and their outcomes."""
    return Table(
        id="checks",
        title="",
        stub="Check",
        columns=(Column("about", "What is checked", align="left"), Column("outcome", "Outcome", align="left")),
        rows=tuple(Row(check.name, check.name, (check.description, _outcome(check))) for check in validation.checks),
    )


def _outcome(check: Check) -> str:
    parts = [counted(check.counts[kind], word) for kind, word in _OUTCOMES.items() if check.counts.get(kind)]
    return ", ".join(parts) if check.worst in _FAILING else "passed"


def failures(validation: Report) -> str:
    """Return a Markdown list of the first groups of failures; empty if all checks passed."""
    groups = [group for group in validation.failures.groups() if group.severity in _FAILING]
    if not groups:
        return ""
    lines: list[str] = []
    for group in groups[:_FAILURES_SHOWN]:
        place = ", ".join(part for part in (group.file, f"column {group.column}" if group.column else "") if part)
        found = f"found “{group.value}”; " if group.value else ""
        times = f" ({group.times:,} times)" if group.times > 1 else ""
        told = f"{place}: {found}expected {group.expectation}" if place else f"{found}expected {group.expectation}"
        lines.append(f"- {literal(group.check)} ({group.severity}): {literal(told)}{times}")
    if len(groups) > len(lines):
        lines.append(f"- and {len(groups) - len(lines):,} more")
    return "\n".join(["What did not pass:\n", *lines, ""])


def responses(results: Results) -> str:
    """Tabulate the responses by model and status, and explain the statuses."""
    return table_fragment(status_table(results), "Responses by model and status after coding.") + notes(results)


def status_table(results: Results) -> Table:
    """Return a table of the responses by model and status."""
    found = {(row["model"], row["status"]): int(row["count"]) for row in results.source.statuses.iter_rows(named=True)}
    study = results.loaded.study
    return _by_status(found, study.factors["model"].levels, study.style.rounding)


def notes(results: Results) -> str:
    """Describe the responses that were excluded or hand-coded, and the uncoded responses."""
    return "".join((_left_out(results), _by_hand(results), _uncoded(results)))


def _by_status(found: Mapping[tuple[str, str], int], models: Mapping[str, str], rounding: Rounding) -> Table:
    """Build the table of counts by model and status, with percentages without an answer, and row and column totals.

    Failed requests, which are no responses, are counted beside the totals.
    """
    present = {status for _, status in found}
    statuses = [one for one in CODED_STATUSES if one in present or (one == "invalid" and "empty" in present)]
    columns: list[Column] = []
    for status in statuses:
        if status == "empty":  # percentages count empty responses as invalid, here as in all tables
            columns.append(Column(status, "Of these empty", "Invalid"))
        elif status in WITHOUT_ANSWER:
            spanner = status.capitalize()
            columns += [
                Column(status, "n", spanner, is_statistic=True),
                Column(f"{status}_share", "%", spanner),
            ]
        elif status != "error":
            columns.append(Column(status, status.capitalize()))
    columns += [Column("all", "All"), *([Column("error", "Failed requests")] if "error" in statuses else [])]

    def line(name: str, label: str, counts: Sequence[int]) -> Row:
        cells: list[str] = []
        of_status = dict(zip(statuses, counts, strict=True))
        failed = [f"{of_status.pop('error'):,}"] if "error" in of_status else []
        total = sum(count for status, count in of_status.items() if status != "empty")
        for status, count in of_status.items():
            cells.append(f"{count:,}")
            if status in WITHOUT_ANSWER and status != "empty":
                cells.append(fixed(count / total, 1, scale=100, rounding=rounding) if total else "–")
        return Row(name, label, (*cells, f"{total:,}", *failed))

    apart = " Failed requests are no responses, and in no percentage." if "error" in statuses else ""

    def count(model: str, status: str) -> int:
        empty = found.get((model, "empty"), 0) if status == "invalid" else 0
        return found.get((model, status), 0) + empty

    of_models = [[count(model, status) for status in statuses] for model in models]
    return Table(
        id="responses",
        title="",
        stub="Model",
        columns=tuple(columns),
        rows=(
            *(line(model, label, counts) for (model, label), counts in zip(models.items(), of_models, strict=True)),
            line("all", "All", [sum(counts) for counts in zip(*of_models, strict=True)]),
        ),
        notes=(" ".join(f"{one.capitalize()}: {_STATUSES[one]}." for one in statuses if one != "error") + apart,),
    )


def _left_out(results: Results) -> str:
    """Report how many responses the study's conditions exclude; empty without such conditions."""
    counted = results.source.dump.left_out
    lines = [f"{one.left_out:,} of {one.read:,} in {literal(one.files)}" for one in counted]
    told = "Responses that do not meet the study's conditions are left out of every number"
    return f"\n{told}: {'; '.join(lines)}.\n" if lines else ""


def _by_hand(results: Results) -> str:
    """Report how many responses were hand-coded and how well the rules agree; empty without hand codes."""
    by_hand, agreement = results.source.by_hand, results.agreement
    if by_hand is None or agreement is None:
        return ""
    outcomes = results.loaded.study.outcomes
    known = {(row["outcome"], row["term"]): row for row in agreement.iter_rows(named=True)}
    lines: list[str] = []
    for name, outcome in outcomes.items():
        share, kappa = known.get((name, "agreement")), known.get((name, "cohen_kappa"))
        if share is None or share["estimate"] is None:
            continue
        beyond = "" if kappa is None or kappa["estimate"] is None else f", Cohen's kappa {kappa['estimate']:.2f}"
        lines.append(f"- {literal(outcome.label)}: {share['estimate']:.1%} of {share['n']:,}{literal(beyond)}")
    have = "has" if by_hand.coded == 1 else "have"
    told = (
        f"\n{counted(by_hand.coded, 'response')} {have} manual codes, {by_hand.changed:,} of which override the rules"
    )
    if not lines:
        return f"{told}.\n"
    return "\n".join(
        [f"{told}. How often the rules agree with the hand codes, of the responses that both coded:\n", *lines, ""]
    )


def _uncoded(results: Results) -> str:
    """Return a Markdown list of the uncoded responses that the table of statuses does not count as invalid."""
    study, statuses = results.loaded.study, results.source.by_status
    invalid = statuses.get("invalid", 0) + statuses.get("empty", 0)
    empty = ", empty texts included" if statuses.get("empty", 0) else ""
    lines = [
        f"- {literal(study.outcomes[row['outcome']].label)}: {counted(row['count'], 'answer')}"
        + (
            f" that no rule reads{empty}"
            if row["label"] is None
            else f" with the label “{literal(row['label'])}”, of no category"
        )
        for row in results.source.uncoded.iter_rows(named=True)
        if row["label"] is not None or row["count"] != invalid
    ]
    return "\n".join(["\nUncoded responses:\n", *lines, ""]) if lines else ""
