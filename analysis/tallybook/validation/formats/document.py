"""A validation for machines: as JSON, as JSON Lines with one failure per line, or as SARIF 2.1.0 for code scanning."""

from __future__ import annotations

import json
import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tallybook.validation.formats.text import column_and_fault

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.validation.model import Group, Report

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_MOST = 1000
"""The maximum number of groups of a check in SARIF: code scanning accepts 25,000 in all and shows 5,000."""
_MARKUP = re.compile(r"[\\\[\]]")


def render(report: Report) -> str:
    """Format the validation as one JSON object in ASCII."""
    content: dict[str, Any] = {
        "valid": report.is_valid,
        "fail_on": report.fail_on,
        "name": report.title,
        **report.details,
        "checks": [
            {"name": check.name, "description": check.description, "passed": check.worst is None}
            | {f"{severity}s": check.counts.get(severity, 0) for severity in ("error", "warning", "info")}
            for check in report.checks
        ],
        "failures": [
            group._asdict() | {"first": [{"line": line, "key": key} for line, key in group.first]}
            for group in report.failures.groups()
        ],
    }
    return ascii_json(content, indent=2)


def lines(report: Report) -> Iterator[str]:
    """Yield every failure as a JSON object: there may be millions."""
    for part in report.failures.tables():
        yield from (ascii_json(row) for row in part.iter_rows(named=True))


def ascii_json(content: object, indent: int | None = None) -> str:
    r"""Format JSON in ASCII without `##`, which continuous integration runners interpret as commands.

    >>> ascii_json("##[error]é")
    '"#\\u0023[error]\\u00e9"'
    """
    return json.dumps(content, indent=indent).replace("##", "#\\u0023")


def sarif(report: Report) -> str:
    """Format the validation as SARIF.

    Source:
        OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
    """
    numbers = {check.name: place for place, check in enumerate(report.checks)}
    rules = [
        {
            "id": check.name,
            "shortDescription": {"text": _message(check.description)},
            "defaultConfiguration": {"level": _LEVELS[check.severity]},
        }
        for check in report.checks
    ]
    results = [_result(group, numbers[group.check], report) for group in report.failures.groups(_MOST)]
    driver = {"name": "tallybook", "version": version("tallybook"), "rules": rules}
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return ascii_json({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _result(group: Group, number: int, report: Report) -> dict[str, Any]:
    places = [_location(group, line, key, report) for line, key in group.first] if group.file else []
    return {
        "ruleId": group.check,
        "ruleIndex": number,
        "level": _LEVELS[group.severity],
        "message": {"text": _message(column_and_fault(group))},
        "occurrenceCount": group.times,
    } | ({"locations": places} if places else {})


def _location(group: Group, line: int | None, key: str, report: Report) -> dict[str, Any]:
    path = Path(report.path(group.file))
    # A bare path that begins with a slash could be resolved relative to a base, so it is written as a file URI.
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line is not None:
        physical["region"] = {"startLine": line}
    named = [{"fullyQualifiedName": key}] if key else []
    return {"physicalLocation": physical} | ({"logicalLocations": named} if named else {})


def _message(text: str) -> str:
    """Escape a message: SARIF interprets brackets as links and braces as placeholders."""
    return _MARKUP.sub(r"\\\g<0>", text).replace("{", "{{").replace("}", "}}")
