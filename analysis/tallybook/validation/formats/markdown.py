"""A validation as Markdown: for a job's summary, a comment, a wiki."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.validation.formats.text import MOST, verdict
from tallybook.validation.severity import SEVERITIES

if TYPE_CHECKING:
    from tallybook.validation.grouping import Group
    from tallybook.validation.model import Report

_PUNCTUATION = re.compile(r"[!-/:-@\[-`{-~]")


def render(report: Report) -> str:
    """Write the validation as Markdown; texts from the data are escaped code."""
    mark = "✅" if report.is_valid else "❌"
    parts = [f"### {mark} {_escaped(report.title)}", _escaped(verdict(report)), _checks(report)]
    groups = sorted(report.failures.groups(MOST), key=lambda group: SEVERITIES.index(group.severity))
    if groups:
        head = "| severity | check | where | column | found | expected | times |\n|---|---|---|---|---|---|---:|"
        parts.append("\n".join([head, *map(_row, groups)]))
    return "\n\n".join(parts)


def _checks(report: Report) -> str:
    rows = [
        f"| {_escaped(check.name)} | {_escaped(check.description)} | "
        + " | ".join(f"{check.counts.get(severity, 0):,}" for severity in SEVERITIES)
        + " |"
        for check in report.checks
    ]
    return "\n".join(["| check | | errors | warnings | infos |\n|---|---|---:|---:|---:|", *rows])


def _row(group: Group) -> str:
    line, key = group.first[0]
    where = f"{group.file}:{line}" if line else ": ".join(part for part in (group.file, key) if part)
    cells = (group.severity, _escaped(group.check), _code(where), _code(group.column), _code(group.value))
    return f"| {' | '.join(cells)} | {_code(group.expectation)} | {group.times:,} |"


def _code(text: str) -> str:
    return f"<code>{_escaped(text)}</code>" if text else ""


def _escaped(text: str) -> str:
    """Escape a text so that nothing in it is markup (CommonMark)."""
    return _PUNCTUATION.sub(r"\\\g<0>", text)
