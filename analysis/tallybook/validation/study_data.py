"""Validation of a study's data against its study file: reading, coding and checks in one run."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook import pipeline
from tallybook.core.errors import DataError, Problem
from tallybook.core.issue_log import Findings, IssueLog
from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook.published.released import completeness
from tallybook.sources import reading
from tallybook.sources.references import read_references
from tallybook.validation.checks.context import declared_checks, run_checks
from tallybook.validation.model import Check, Failure, Failures, Report, of_problems
from tallybook.validation.model import counted as with_counts
from tallybook.validation.safe import safe, without_keys
from tallybook_schemas.vocabulary import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.core.progress import Progress
    from tallybook.pipeline import Coded, Results
    from tallybook.study.loading import LoadedStudy
    from tallybook.study.model import Study
    from tallybook.validation.model import FailOn

BUILT_IN = (
    Check("files", "Files have the declared forms and can be read."),
    Check("records", "Every record of a file can be read."),
    Check("columns", "Files have the declared columns."),
    Check("values", "Values are there where they must be, and of the declared types."),
    Check("levels", "Factors have the declared levels and no others."),
    Check("unique", "Every response is there once."),
    Check("items", "Responses answer listed items, and every item is answered."),
    Check("coding", "Texts can be read as answers.", "warning"),
    Check("labels", "Every label has a category.", "warning"),
    Check("references", "Reference tables are whole."),
    Check(completeness.CHECK, "Files are those that were released."),
)
"""The built-in checks of a study's data."""


def planned(loaded: LoadedStudy, data: Path | None = None, edition: str | None = None) -> tuple[Check, ...]:
    """Return the checks that a validation would make of a study's data, without reading the data."""
    return _made(loaded, reading.chosen_edition(loaded.study, loaded.data_folder(data), edition, loaded.data)[1])


def validate_study(
    loaded: LoadedStudy, data: Path | None, edition: str | None, fail_on: FailOn, progress: Progress
) -> Report:
    """Read and code a study's data and run its checks; a fault does not prevent other checks."""
    issues = IssueLog()
    try:
        source = pipeline.read_and_code(loaded, data, edition, progress, issues=issues)
    except DataError as error:
        source = None
        issues.add(error.problems)
    folder = loaded.data_folder(data)
    return validate_coded(loaded, source, folder, fail_on, edition=edition, progress=progress, issues=issues)


def validate_coded(
    loaded: LoadedStudy,
    source: Coded | None,
    folder: Path,
    fail_on: FailOn,
    *,
    edition: str | None = None,
    progress: Progress,
    issues: IssueLog | None = None,
) -> Report:
    """Report the problems of reading and coding, and run the study's checks on the result without reading again."""
    study, failures = loaded.study, Failures()
    if issues is not None:
        for part in issues.parts():
            failures.add(of_problems(part, "error"))
        issues.close()
    if source is not None:
        for part in source.findings.parts():
            failures.add(of_problems(part, "warning"))
        failures.add([*_models_without_answers(source), *_labels(source)])
    failures.add(_references(loaded))
    if source is not None:
        progress.stage("Running checks")
        run_checks(study, source.rows, folder, loaded.data, failures)
    chosen = reading.chosen_edition(study, folder, edition, loaded.data)[1] if source is None else source.dump.edition
    made = with_counts(_made(loaded, chosen), failures)
    return _report(study, folder, source, made=made, failures=failures, fail_on=fail_on)


def _made(loaded: LoadedStudy, edition: str) -> tuple[Check, ...]:
    """Return the built-in checks that apply to the study, and those of its study file."""
    absent = set[str]() if loaded.study.references else {"references"}
    absent |= set[str]() if completeness.released_files(loaded, edition) else {completeness.CHECK}
    return (*(check for check in BUILT_IN if check.name not in absent), *declared_checks(loaded.study))


def _models_without_answers(source: Coded) -> list[Failure]:
    """Warn of models with mostly invalid responses: the instrument, or the column, is likely wrong."""
    counted_by = source.statuses.filter(pl.col("status") != "error").group_by("model", maintain_order=True)
    shares = counted_by.agg(
        pl.col("count").sum().alias("all"),
        pl.col("count").filter(pl.col("status").is_in(["invalid", "empty"])).sum().alias("invalid"),
    )
    most = shares.filter(pl.col("invalid") * 2 > pl.col("all"))
    expected = "an instrument that reads at least half of the responses"
    found: list[Failure] = []
    for model, number, invalid in most.iter_rows():
        value = f"{invalid:,} of {counted(number, 'response')} of {model} invalid or empty"
        told = Failure("coding", "warning", column="status", value=value, expectation=expected, times=invalid)
        found.append(told)
    return found


def _labels(source: Coded) -> list[Failure]:
    """Return a failure for each kind of uncoded response: labels without a category, attributes without a value."""
    answers = answers_among(source.by_status)
    found: list[Failure] = []
    for row in source.uncoded.iter_rows(named=True):
        outcome, label, count = row["outcome"], row["label"], int(row["count"])
        if label is not None:
            severity, expected = "warning", "a label with a category"
        elif count == answers:
            severity, expected = "warning", "an answer that gives the attribute"
        else:
            severity, expected = "info", "a value in every answer"
        value = label or ""
        found.append(Failure("labels", severity, column=outcome, value=value, expectation=expected, times=count))
    return found


def _references(loaded: LoadedStudy) -> pl.DataFrame:
    problems: list[Problem] = []
    for table in loaded.study.references.values():
        try:
            read_references(table, loaded.data, loaded.study)
        except DataError as error:
            problems += [replace(one, check="references") for one in error.problems]
    return of_problems(problems, "error")


def _safe(kind: dict[str, Any]) -> dict[str, Any]:
    first = [{"key": safe(one["key"]), "value": safe(one["value"])} for one in kind["first"]]
    return kind | {"expected": safe(kind["expected"], 400), "first": first}


def _report(
    study: Study, folder: Path, source: Coded | None, *, made: list[Check], failures: Failures, fail_on: FailOn
) -> Report:
    statuses = {} if source is None else statuses_of(source)
    uncoded = [] if source is None else source.uncoded.to_dicts()
    known = Findings() if source is None else source.findings
    files = () if source is None else source.dump.files
    details = {
        "edition": None if source is None else source.dump.edition,
        "files": len(files),
        "responses": statuses,
        "uncoded": [row | {"label": row["label"] and without_keys(row["label"])} for row in uncoded],
        "findings": [_safe(kind) for kind in known.grouped()],
        "left_out": [] if source is None else [one._asdict() for one in source.dump.left_out],
    }
    rows = sum(statuses.values())
    summary = f"{counted(len(files), 'file')}, {status_text(statuses)}" if rows else "no response could be used"
    about = [] if source is None else [*left_out(source), *by_hand(source)]
    notes = [*about, *uncoded_text(uncoded, statuses)]
    if known:
        notes.append(f"note: {counted(len(known), 'warning')} allowed by the study file (`report`, not `error`)")
    return Report(printable(study.name), made, failures, files, rows, fail_on, details, summary, notes, folder)


def statuses_of(source: Coded) -> dict[str, int]:
    """Count the responses of each status."""
    return dict(sorted(source.by_status.items(), key=lambda item: (-item[1], item[0])))


def uncoded_text(uncoded: list[dict[str, Any]], statuses: Mapping[str, int], most: int = 10) -> list[str]:
    """Describe the uncoded responses, in one line per outcome and label, and which statuses they have.

    >>> rows = [{"outcome": name, "label": None, "count": 7} for name in ("rating", "answer")]
    >>> uncoded_text(rows, {"ok": 2, "invalid": 5, "empty": 2})
    ['note: rating: 7 uncoded responses (5 invalid, 2 empty)', 'note: answer: 7 uncoded responses (5 invalid, 2 empty)']
    """
    answers = answers_among(statuses)
    # Numbers tell the statuses of a single outcome, and of several where no response has one and lacks another.
    is_alone = len(uncoded) == 1 or "partial" not in statuses
    lines: list[str] = []
    for row in uncoded[:most]:
        number = counted(row["count"], "answer")
        if row["label"] is not None:
            lines.append(
                f"warning: {row['outcome']}: {number} with label {printable(row['label'])}, which has no category"
            )
        elif row["count"] == answers:
            lines.append(f"warning: {row['outcome']}: no answer gives it; is the attribute called as in the data?")
        else:
            told = status_of_uncoded(row["count"], statuses) if is_alone else ""
            lines.append(f"note: {row['outcome']}: {counted(row['count'], 'uncoded response')}{told}")
    return [*lines, *([f"... and {len(uncoded) - most} more"] if len(uncoded) > most else [])]


def status_of_uncoded(count: int, statuses: Mapping[str, int]) -> str:
    """Say in brackets which statuses uncoded responses have, where their number tells; otherwise return nothing.

    >>> status_of_uncoded(7, {"ok": 2, "invalid": 5, "empty": 2})
    ' (5 invalid, 2 empty)'
    """
    for among in (("invalid", "empty"), ("partial",), ("partial", "invalid", "empty")):
        found = {status: statuses[status] for status in among if statuses.get(status)}
        if sum(found.values()) == count:
            return f" ({', '.join(f'{number:,} {status}' for status, number in found.items())})"
    return ""


def answers_among(statuses: Mapping[str, int]) -> int:
    """Return the number of responses that are answers, usable or not."""
    return sum(statuses.get(status, 0) for status in ANSWERS)


def status_text(statuses: Mapping[str, int]) -> str:
    """Describe the number of responses of each status."""
    parts = ", ".join(f"{n:,} {status}" for status, n in statuses.items())
    return f"{counted(sum(statuses.values()), 'response')} ({parts})"


def left_out(source: Coded) -> list[str]:
    """Describe how many responses a study's conditions exclude."""
    return [
        f"note: {one.left_out:,} of {counted(one.read, 'response')} in {printable(one.files)} left out by 'keep'"
        for one in source.dump.left_out
    ]


def by_hand(source: Coded) -> list[str]:
    """Describe how many responses have manual codes."""
    hand = source.by_hand
    if hand is None:
        return []
    return [f"{counted(hand.coded, 'response')} with manual codes, {hand.changed:,} of which override the rules"]


def agreement(results: Results) -> tuple[dict[str, Any], list[str]]:
    """Return the agreement between rules and hand codes, as data and in words."""
    hand, found = results.source.by_hand, results.agreement
    if hand is None or found is None:
        return {}, []
    rows = found.select("outcome", "term", "n", "estimate").rows(named=True)
    kappas = {row["outcome"]: row["estimate"] for row in rows if row["term"] == "cohen_kappa"}
    lines: list[str] = []
    for row in rows:
        if row["term"] == "agreement" and row["estimate"] is not None:
            kappa = kappas.get(row["outcome"])
            beyond = "" if kappa is None else f", kappa {kappa:.2f}"
            lines.append(f"  {row['outcome']}: the rules agree on {row['estimate']:.1%} of {row['n']:,}{beyond}")
    return {"hand_codes": {"responses": hand.coded, "changed": hand.changed, "agreement": rows}}, lines
