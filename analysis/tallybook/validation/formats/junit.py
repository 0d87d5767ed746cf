"""A validation as JUnit XML: a test case for each check."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from tallybook.validation.formats.text import MOST, check_lines
from tallybook.validation.severity import graver

if TYPE_CHECKING:
    from tallybook.validation.model import Report


def render(report: Report) -> str:
    """Write the validation as JUnit XML, a test case for each check."""
    failing = graver(report.fail_on)
    broken = [check for check in report.checks if any(check.counts.get(severity) for severity in failing)]
    root = Element("testsuites")
    numbers = {"tests": str(len(report.checks)), "failures": str(len(broken)), "errors": "0", "skipped": "0"}
    suite = SubElement(root, "testsuite", {"name": f"tallybook {report.title}", **numbers, "time": "0"})
    groups = report.failures.groups(MOST)
    for check in report.checks:
        case = SubElement(suite, "testcase", {"classname": report.title, "name": check.name, "time": "0"})
        told = "\n".join(check_lines(check, groups))
        if check in broken:
            number = sum(check.counts.get(severity, 0) for severity in failing)
            about = {"message": f"{check.description} {number:,} failed.", "type": check.worst or ""}
            SubElement(case, "failure", about).text = told
        elif told:
            SubElement(case, "system-out").text = told
    indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}'
