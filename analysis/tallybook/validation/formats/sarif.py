"""A validation as SARIF 2.1.0, which code scanning reads."""

from __future__ import annotations

import re
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from tallybook.validation.formats.document import ascii_json
from tallybook.validation.formats.text import found_and_expected

if TYPE_CHECKING:
    from tallybook.validation.grouping import Group
    from tallybook.validation.model import Check, Report

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}
_MOST = 1000
"""How many groups of a check are results: code scanning takes 25,000 in all and shows 5,000."""
_MARKUP = re.compile(r"[\\\[\]]")


def render(report: Report) -> str:
    """Get the validation as SARIF.

    Source:
        OASIS, Static Analysis Results Interchange Format (SARIF) Version 2.1.0.
    """
    numbers = {check.name: place for place, check in enumerate(report.checks)}
    results = [_result(group, numbers[group.check], report) for group in report.failures.groups(_MOST)]
    driver = {
        "name": "tallybook",
        "version": version("tallybook"),
        "rules": [_rule(check) for check in report.checks],
    }
    run = {"tool": {"driver": driver}, "columnKind": "unicodeCodePoints", "results": results}
    schema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    return ascii_json({"$schema": schema, "version": "2.1.0", "runs": [run]}, indent=2)


def _rule(check: Check) -> dict[str, Any]:
    return {
        "id": check.name,
        "shortDescription": {"text": _message(check.description)},
        "defaultConfiguration": {"level": _LEVELS[check.severity]},
    }


def _result(group: Group, number: int, report: Report) -> dict[str, Any]:
    where = f"column {group.column}: " if group.column else ""
    result: dict[str, Any] = {
        "ruleId": group.check,
        "ruleIndex": number,
        "level": _LEVELS[group.severity],
        "message": {"text": _message(f"{where}{found_and_expected(group)}")},
        "occurrenceCount": group.times,
    }
    places = [_location(group, line, key, report) for line, key in group.first] if group.file else []
    return result | ({"locations": places} if places else {})


def _location(group: Group, line: int | None, key: str, report: Report) -> dict[str, Any]:
    path = Path(report.path(group.file))
    # Of a path alone, one that begins with a slash could be taken as relative to something.
    uri = path.as_uri() if path.is_absolute() else quote(path.as_posix())
    physical: dict[str, Any] = {"artifactLocation": {"uri": uri}}
    if line is not None:
        physical["region"] = {"startLine": line}
    named = [{"fullyQualifiedName": key}] if key else []
    return {"physicalLocation": physical} | ({"logicalLocations": named} if named else {})


def _message(text: str) -> str:
    """Escape a message: brackets would be links, braces places to be filled in."""
    return _MARKUP.sub(r"\\\g<0>", text).replace("{", "{{").replace("}", "}}")
