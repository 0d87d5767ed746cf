"""A validation as one HTML page: to be kept by a job, and opened by whoever has to mend the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from tallybook.validation.formats.text import left_out, short_key, verdict
from tallybook.validation.model import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.validation.model import Check, Group, Report

MOST = 50
"""How many groups of a check are told."""
_STYLE = Path(__file__).with_name("page.css")
_ALONE = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load: nothing. Whatever a text of the data were taken as, it could do nothing."""


def render(report: Report) -> str:
    """Write the validation as a page of HTML without scripts and other files."""
    page = Element("html", {"lang": "en"})
    head = SubElement(page, "head")
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _ALONE})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    _add(head, "title", f"{report.title}: {report.words[0 if report.is_valid else 1]}")
    _add(head, "style", _STYLE.read_text(encoding="utf-8"))
    main = SubElement(SubElement(page, "body"), "main")
    _add(main, "h1", report.title)
    outcome, _, told = verdict(report).partition(": ")
    line = SubElement(main, "p", {"class": "verdict"})
    _add(line, "strong", outcome, "passed" if report.is_valid else "failed").tail = f" {told}"
    if report.notes:
        notes = SubElement(main, "ul")
        for note in report.notes:
            _add(notes, "li", note)
    _add(main, "h2", "Checks")
    counts = [f"{severity.capitalize()}s" for severity in SEVERITIES]
    body = _table(main, ("Check", "Outcome", "What is checked", *counts), "checks")
    groups = report.failures.groups(MOST)
    for number, check in enumerate(report.checks, start=1):
        row = SubElement(body, "tr")
        name = SubElement(row, "th", {"scope": "row"})
        if check.worst is None:
            name.text = check.name
        else:
            SubElement(name, "a", {"href": f"#check-{number}"}).text = check.name
            _failed(main, check, number, [group for group in groups if group.check == check.name])
        outcome = "failed" if check.failed(report.fail_on) else "passed"
        _add(row, "td", outcome, outcome)
        _add(row, "td", check.description)
        for severity in SEVERITIES:
            times = check.counts.get(severity, 0)
            _add(row, "td", f"{times:,}" if times else "", "number")
    return f"<!doctype html>\n{tostring(page, encoding='unicode', method='html')}"


def _failed(main: Element, check: Check, number: int, groups: Sequence[Group]) -> None:
    """Describe the failures of one check."""
    section = SubElement(main, "section", {"id": f"check-{number}"})
    _add(section, "h2", check.name)
    _add(section, "p", check.description)
    body = _table(section, ("Severity", "Where", "Column", "Found", "Expected", "Times"), "failures")
    for group in groups:
        row = SubElement(body, "tr")
        _add(row, "td", group.severity, group.severity)
        line, key = group.first[0]
        where = _add(row, "td", ": ".join(part for part in (group.place, short_key(line, key)) if part))
        if group.times > 1 and len(group.first) > 1:
            named = [key for _, key in group.first[1:] if key]
            beyond = group.times - 1 - len(named)
            SubElement(where, "br").tail = "; ".join([*named, *([f"and {beyond:,} more"] if beyond else [])])
        _add(row, "td", group.column)
        _add(SubElement(row, "td"), "code", group.value)
        _add(row, "td", group.expectation)
        _add(row, "td", f"{group.times:,}", "number")
    for told in left_out(check, groups):
        _add(section, "p", told)


def _table(parent: Element, headings: Sequence[str], kind: str) -> Element:
    """Make an empty table that scrolls where the page is narrow."""
    frame = SubElement(parent, "div", {"class": "frame", "tabindex": "0", "role": "group", "aria-label": kind})
    table = SubElement(frame, "table", {"class": kind})
    head = SubElement(SubElement(table, "thead"), "tr")
    for heading in headings:
        SubElement(head, "th", {"scope": "col"}).text = heading
    return SubElement(table, "tbody")


def _add(parent: Element, tag: str, text: str, kind: str = "") -> Element:
    """Add an element with a text."""
    element = SubElement(parent, tag, {"class": kind} if kind else {})
    element.text = text
    return element
