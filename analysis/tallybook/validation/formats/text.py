"""A validation as text: for terminals, logs and summaries of continuous integration, and as JUnit test cases."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tallybook.core.wording import counted
from tallybook.validation.model import SEVERITIES, graver

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tallybook.validation.model import Check, Group, Report

MOST = 5
"""The maximum number of groups listed for a check."""
_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}
_CHECKS = "| check | | errors | warnings | infos |\n|---|---|---:|---:|---:|"
_FAILURES = "| severity | check | where | column | found | expected | times |\n|---|---|---|---|---|---|---:|"


def render(report: Report) -> str:
    """List groups of equal failures, the most severe first and limited for each check; then the verdict and notes."""
    return "\n".join([*lines(report), verdict(report), *report.notes])


def lines(report: Report, *, only_failing: bool = False) -> list[str]:
    """Return a line for each group of failures, the most severe first."""
    told = [
        group
        for group in report.failures.groups(MOST)
        if not (group.check == "labels" and report.notes)
        and (not only_failing or group.severity in graver(report.fail_on))
    ]
    found = [line(group) for group in sorted(told, key=lambda one: SEVERITIES.index(one.severity))]
    for check in report.checks:
        of_check = [group for group in told if group.check == check.name]
        if of_check and (rest := _rest(check, of_check)) > 0:
            found.append(f"... and {rest:,} more of {check.name}; --failures FILE lists each")
    return found


def check_lines(check: Check, groups: Iterable[Group]) -> list[str]:
    """Return a line for each group of failures of one check, and how many failures are not listed."""
    told = [group for group in groups if group.check == check.name]
    rest = _rest(check, told)
    return [*map(line, told), *([f"... and {rest:,} more"] if rest > 0 else [])]


def _rest(check: Check, told: Iterable[Group]) -> int:
    return sum(check.counts.values()) - sum(group.times for group in told)


def line(group: Group) -> str:
    """Describe a group of failures in one line."""
    number, key = group.first[0]
    parts = [group.place, "" if group.times > 1 else short_key(number, key), column_and_fault(group)]
    told = f"{group.severity}: {': '.join(part for part in parts if part)}"
    if group.times > 1:
        named = [key for _, key in group.first if key]
        named += [f"and {group.times - len(named):,} more"] if named and group.times > len(named) else []
        told += f" ({group.times:,} times{': ' if named else ''}{'; '.join(named)})"
    return f"{told} [{group.check}]"


def short_key(number: int | None, key: str) -> str:
    """Return a record's key without the line number that is already shown.

    >>> short_key(7, "row 3, line 7"), short_key(7, "row 7"), short_key(7, "line 7, byte 2"), short_key(None, "row 3")
    ('row 3', '', 'byte 2', 'row 3')
    """
    left = key.removesuffix(f"line {number}").removesuffix(", ").removeprefix(f"line {number}, ")
    return "" if left == f"row {number}" else left


def column_and_fault(group: Group) -> str:
    """Describe the column, the value found and the expectation."""
    column = f"column {group.column}: " if group.column else ""
    return f"{column}{f'found {group.value}; ' if group.value else ''}expected {group.expectation}"


def verdict(report: Report) -> str:
    """Return the verdict with the numbers of errors and warnings and a summary of the data."""
    numbers = [(report.count(severity), severity) for severity in ("error", "warning")]
    told = ", ".join(counted(number, severity) for number, severity in numbers if number)
    passed, failed = report.words
    return f"{passed}: {report.summary}" if report.is_valid else f"{failed}: {told}; {report.summary}"


def github(report: Report) -> str:
    """Format the validation as workflow commands of GitHub Actions, which become annotations.

    Source:
        https://docs.github.com/actions/reference/workflow-commands-for-github-actions; the escapes are those of
        `command.ts` in GitHub's toolkit.
    """
    commands: list[str] = []
    for group in report.failures.groups(MOST):
        number, key = group.first[0]
        settings = {"file": report.path(group.file) if group.file else "", "line": str(number or "")}
        settings |= {"title": f"tallybook: {group.check}"}
        texts = {name: _data(value).replace(":", "%3A").replace(",", "%2C") for name, value in settings.items()}
        about = ",".join(f"{name}={text}" for name, text in texts.items() if text)
        parts = ("" if number else key, column_and_fault(group))
        times = f" ({group.times:,} times)" if group.times > 1 else ""
        told = _data(": ".join(part for part in parts if part) + times)
        commands.append(f"::{_GITHUB[group.severity]} {about}::{told}")
    return "\n".join([*commands, verdict(report)])


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def junit(report: Report) -> str:
    """Format the validation as JUnit XML, a test case for each check."""
    root = Element("testsuites")
    broken = sum(bool(check.failed(report.fail_on)) for check in report.checks)
    numbers = {"tests": str(len(report.checks)), "failures": str(broken), "errors": "0", "skipped": "0"}
    suite = SubElement(root, "testsuite", {"name": f"tallybook {report.title}", **numbers, "time": "0"})
    groups = report.failures.groups(MOST)
    for check in report.checks:
        case = SubElement(suite, "testcase", {"classname": report.title, "name": check.name, "time": "0"})
        told = "\n".join(check_lines(check, groups))
        if message := check.failed(report.fail_on):
            SubElement(case, "failure", {"message": message, "type": check.worst or ""}).text = told
        elif told:
            SubElement(case, "system-out").text = told
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}'


def markdown(report: Report) -> str:
    """Format the validation as Markdown, for a job's summary or a comment; texts from the data are escaped code."""
    parts = [f"### {'✅' if report.is_valid else '❌'} {_escaped(report.title)}", _escaped(verdict(report))]
    checks = [
        [_escaped(check.name), _escaped(check.description), *(f"{check.counts.get(one, 0):,}" for one in SEVERITIES)]
        for check in report.checks
    ]
    parts.append(_table(_CHECKS, checks))
    groups = sorted(report.failures.groups(MOST), key=lambda group: SEVERITIES.index(group.severity))
    failures: list[list[str]] = []
    for group in groups:
        number, key = group.first[0]
        where = group.place if number else ": ".join(part for part in (group.file, key) if part)
        texts = (where, group.column, group.value, group.expectation)
        codes = [f"<code>{_escaped(text)}</code>" if text else "" for text in texts]
        failures.append([group.severity, _escaped(group.check), *codes, f"{group.times:,}"])
    return "\n\n".join([*parts, *([_table(_FAILURES, failures)] if failures else [])])


def _table(head: str, rows: Sequence[Sequence[str]]) -> str:
    return "\n".join([head, *(f"| {' | '.join(row)} |" for row in rows)])


def _escaped(text: str) -> str:
    """Escape all punctuation of a text so that CommonMark interprets none of it as markup."""
    return _PUNCTUATION.sub(r"\\\g<0>", text)
