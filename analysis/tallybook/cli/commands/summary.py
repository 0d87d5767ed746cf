"""Summaries of a study's results, as text and as data."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.core import issue_log
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook_schemas.vocabulary import STRICTNESS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tallybook.cli.output import Summary
    from tallybook.pipeline import Coded, Results
    from tallybook.report.formats import Rendered


def summary_of(
    results: Results,
    target: Path,
    rendered: Rendered | None = None,
    files: Sequence[Path] = (),
    notes: Sequence[str] = (),
) -> Summary:
    """Summarise a study's results."""
    from tallybook.validation import study_data

    study = results.loaded.study
    statuses = study_data.statuses_of(results.source)
    summary: Summary = {
        "study": study.name,
        "out": str(target),
        "responses": statuses,
        "tables": len(results.tables.tables),
        "left_out": [one._asdict() for one in results.source.dump.left_out],
        **findings_of(results.source),
    }
    lines = [f"{study.name}: {study_data.status_text(statuses)}, {counted(len(results.tables.tables), 'table')}"]
    lines += study_data.left_out(results.source)
    for name, one in study.analyses.items():
        if number := one.specifications(study):
            lines.append(f"{name}: {number:,} specifications")
    found, told = study_data.agreement(results)
    summary |= found
    lines += [*study_data.by_hand(results.source), *told]
    lines += study_data.uncoded_text(results.source.uncoded.to_dicts(), statuses)
    lines += [*_compared(results, summary), *_checked(results, summary)]
    more = [*_repeated(results), *_silent(results.source), *notes, *(rendered.notes if rendered else ())]
    summary["warnings"] = [*summary["warnings"], *as_warnings(more)]
    if rendered is not None:
        made = report_summary(rendered, files)
        summary["report"] = made["report"]
        lines.append(made["text"])
    if results.source.kept is None and results.source.dump.digests is None:
        lines.append("responses.parquet was not written: --responses writes it however large the dump is")
    lines.append(f"Output: {target}")
    summary["text"] = "\n".join(lines)
    return summary


def _repeated(results: Results) -> list[str]:
    """Warn that responses to repeated items are treated as independent, if the study declares no clusters."""
    if results.repeated is None:
        return []
    of = f"{counted(results.repeated.responses, 'response')} to {counted(results.repeated.items, 'item')}"
    advice = 'cluster = "item" in the study file, or cluster = [] if that is meant'
    return [f"{of} are treated as independent, and intervals are too narrow if they are not: expected {advice}"]


def _silent(source: Coded) -> list[str]:
    """Warn of models nearly all of whose responses hold no answer, nor a refusal, where others answer."""
    numbers = source.statuses.group_by("model").agg(
        pl.col("count").sum().alias("all"),
        *(pl.col("count").filter(status=status).sum().alias(status) for status in ("empty", "invalid", "error")),
    )
    share = pl.max_horizontal("empty", "invalid", "error") / pl.col("all")
    silent = numbers.filter(share >= _SILENT).sort("model")
    if silent.height == numbers.height:  # then the summary says so at once
        return []
    return [
        f"model {printable(row['model'])}: {row[status]:,} of {counted(row['all'], 'response')} are {_CALLED[status]}: "
        "are its answers in another column or form?"
        for row in silent.iter_rows(named=True)
        for status in (max(_CALLED, key=lambda one: row[one]),)
    ]


_SILENT = 0.95
"""The share of a model's responses without an answer that is more than models leave out."""
_CALLED = {"empty": "empty", "invalid": "not read (invalid)", "error": "failed requests"}


def as_warnings(notes: Sequence[str]) -> list[str]:
    """Prefix notes on files as warnings."""
    return [f"warning: {note}" for note in notes]


def report_summary(rendered: Rendered, files: Sequence[Path]) -> Summary:
    """Return the summary of a rendered report: its engine, its files and its warnings."""
    return {
        "report": {"engine": rendered.engine, "version": rendered.version, "files": [str(file) for file in files]},
        "warnings": as_warnings(rendered.notes),
        "text": f"Report ({rendered.engine} engine, {rendered.version}): {', '.join(map(str, files))}",
    }


def findings_of(source: Coded) -> Summary:
    """Summarise the faults of the data that the study declares as known."""
    kinds = source.findings.grouped()
    return {"findings": kinds, "warnings": issue_log.warnings(kinds)}


def _compared(results: Results, summary: Summary) -> list[str]:
    """Return lines on the agreement with published numbers, and add the numbers to the summary."""
    if results.comparison is None:
        return []
    from tallybook.published.comparison import ABSENT, counts, counts_by_strictness

    study, verdicts = results.loaded.study, counts(results.comparison)
    strictness = counts_by_strictness(results.comparison)
    notes = results.comparison.get_column("note").to_list()
    reasons = {
        entry.title: sum(note.startswith(f"{entry.id}: ") for note in notes)
        for entry in (*study.errata, *study.not_reproduced)
    }
    summary.update({
        "comparison": verdicts,
        "strictness": strictness,
        "not_compared": dict(results.not_compared),
        "errata": {entry.title: reasons[entry.title] for entry in study.errata},
        "not_reproduced": {entry.title: reasons[entry.title] for entry in study.not_reproduced},
    })  # fmt: skip
    compared, left_out = sum(verdicts.values()), sum(results.not_compared.values())
    printed = f"{compared:,} of {counted(compared + left_out, 'printed number')}" if left_out else ""
    return [
        f"{printed or counted(compared, 'printed number')} compared:",
        f"  {verdicts['match']:>6,} match",
        *_reasons({STRICTNESS[name]: number for name, number in strictness.items()}),
        f"  {verdicts['erratum']:>6,} contradicted by the authors' own data and rule",
        *_reasons(summary["errata"]),
        f"  {verdicts['not-reproduced']:>6,} not reproduced by any known rule",
        *_reasons(summary["not_reproduced"]),
        f"  {verdicts['mismatch']:>6,} unexplained",
        *_reasons({"name no number of the study: see `comparison.csv`": notes.count(ABSENT)}),
        *([f"{left_out:,} not compared:"] if left_out else []),
        *(f"  {number:>6,} {reason}" for reason, number in results.not_compared.items()),
    ]


def _reasons(counts: Mapping[str, int]) -> list[str]:
    return [f"       {number:>6,} {title}" for title, number in counts.items() if number]


def _checked(results: Results, summary: Summary) -> list[str]:
    """Return lines on the checks of tables printed as published, and add the numbers to the summary."""
    if results.checks is None:
        return []
    from tallybook.published.consistency.checks import counts

    checked = counts(results.checks)
    summary["checks"] = checked
    return [
        f"{counted(sum(checked.values()), 'check')} of tables that are printed as published:",
        f"  {checked['holds']:>6,} hold",
        f"  {checked['erratum']:>6,} are violated for a declared reason",
        f"  {checked['untested']:>6,} cannot be made",
        f"  {checked['violated']:>6,} are violated without one",
    ]
