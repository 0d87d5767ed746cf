"""A validation as JSON: one document, or a line for each failure."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.validation.grouping import Group
    from tallybook.validation.model import Report


def render(report: Report) -> str:
    """Write the validation as one JSON object in ASCII."""
    content: dict[str, Any] = {
        "valid": report.is_valid,
        "fail_on": report.fail_on,
        "name": report.title,
        **report.details,
        "checks": [
            {
                "name": check.name,
                "description": check.description,
                "passed": check.worst is None,
                "errors": check.counts.get("error", 0),
                "warnings": check.counts.get("warning", 0),
                "infos": check.counts.get("info", 0),
            }
            for check in report.checks
        ],
        "failures": [_group(group) for group in report.failures.groups()],
    }
    return ascii_json(content, indent=2)


def render_lines(report: Report) -> str:
    """Write every failure as a JSON object on a line."""
    return "\n".join(lines(report))


def lines(report: Report) -> Iterator[str]:
    """Yield every failure as a JSON object: there may be millions."""
    for part in report.failures.tables():
        yield from (ascii_json(row) for row in part.iter_rows(named=True))


def ascii_json(content: object, indent: int | None = None) -> str:
    r"""Write JSON in ASCII without `##`, which runners of continuous integration take for commands.

    >>> ascii_json("##[error]é")
    '"#\\u0023[error]\\u00e9"'
    """
    return json.dumps(content, indent=indent).replace("##", "#\\u0023")


def _group(group: Group) -> dict[str, Any]:
    return group._asdict() | {"first": [{"line": line, "key": key} for line, key in group.first]}
