"""A validation as annotations of GitHub Actions: workflow commands on standard output."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.validation.formats.text import MOST, found_and_expected, verdict

if TYPE_CHECKING:
    from tallybook.validation.grouping import Group
    from tallybook.validation.model import Report

_KINDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """Get the validation as workflow commands.

    Source:
        https://docs.github.com/actions/reference/workflow-commands-for-github-actions; the escapes are those of
        `command.ts` in GitHub's toolkit.
    """
    return "\n".join([*(_command(group, report) for group in report.failures.groups(MOST)), verdict(report)])


def _command(group: Group, report: Report) -> str:
    line, key = group.first[0]
    settings = {"file": report.path(group.file) if group.file else "", "line": str(line or "")}
    settings |= {"title": f"tallybook: {group.check}"}
    told = ",".join(f"{name}={_property(value)}" for name, value in settings.items() if value)
    parts = ("" if line else key, f"column {group.column}" if group.column else "", found_and_expected(group))
    times = f" ({group.times:,} times)" if group.times > 1 else ""
    return f"::{_KINDS[group.severity]} {told}::{_data(': '.join(part for part in parts if part) + times)}"


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
