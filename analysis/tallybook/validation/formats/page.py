"""A validation as one HTML page: to be kept by a job, and opened by whoever has to mend the data."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING
from xml.etree.ElementTree import Element, SubElement, tostring

from tallybook.validation.formats.text import left_out, short_key, verdict
from tallybook.validation.severity import SEVERITIES, graver

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.validation.grouping import Group
    from tallybook.validation.model import Check, Report

MOST = 50
"""How many groups of a check are told."""
_STYLE = Path(__file__).with_name("page.css")
_ALONE = "default-src 'none'; style-src 'unsafe-inline'"
"""What the page may load: nothing. Whatever a text of the data were taken as, it could do nothing."""


def render(report: Report) -> str:
    """Write the validation as a page of HTML without scripts and other files."""
    page = Element("html", {"lang": "en"})
    _head(page, report)
    main = SubElement(SubElement(page, "body"), "main")
    SubElement(main, "h1").text = report.title
    outcome, _, told = verdict(report).partition(": ")
    line = SubElement(main, "p", {"class": "verdict"})
    badge = SubElement(line, "strong", {"class": "passed" if report.is_valid else "failed"})
    badge.text, badge.tail = outcome, f" {told}"
    if report.notes:
        notes = SubElement(main, "ul")
        for note in report.notes:
            SubElement(notes, "li").text = note
    _checks(main, report)
    groups = report.failures.groups(MOST)
    for number, check in enumerate(report.checks, start=1):
        if check.worst is not None:
            _failed(main, check, number, [group for group in groups if group.check == check.name])
    return f"<!doctype html>\n{tostring(page, encoding='unicode', method='html')}"


def _head(page: Element, report: Report) -> None:
    head = SubElement(page, "head")
    SubElement(head, "meta", {"charset": "utf-8"})
    SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _ALONE})
    SubElement(head, "meta", {"name": "viewport", "content": "width=device-width, initial-scale=1"})
    SubElement(head, "title").text = f"{report.title}: {report.words[0 if report.is_valid else 1]}"
    SubElement(head, "style").text = _STYLE.read_text(encoding="utf-8")


def _checks(main: Element, report: Report) -> None:
    """List every check, those that passed too."""
    SubElement(main, "h2").text = "Checks"
    body = _table(
        main,
        ("Check", "Outcome", "What is checked", *(f"{severity.capitalize()}s" for severity in SEVERITIES)),
        "checks",
    )
    for number, check in enumerate(report.checks, start=1):
        row = SubElement(body, "tr")
        name = SubElement(row, "th", {"scope": "row"})
        if check.worst is None:
            name.text = check.name
        else:
            SubElement(name, "a", {"href": f"#check-{number}"}).text = check.name
        outcome = "failed" if check.worst in graver(report.fail_on) else "passed"
        SubElement(row, "td", {"class": outcome}).text = outcome
        SubElement(row, "td").text = check.description
        for severity in SEVERITIES:
            times = check.counts.get(severity, 0)
            SubElement(row, "td", {"class": "number"}).text = f"{times:,}" if times else ""


def _failed(main: Element, check: Check, number: int, groups: Sequence[Group]) -> None:
    """Describe the failures of one check."""
    section = SubElement(main, "section", {"id": f"check-{number}"})
    SubElement(section, "h2").text = check.name
    SubElement(section, "p").text = check.description
    body = _table(section, ("Severity", "Where", "Column", "Found", "Expected", "Times"), "failures")
    for group in groups:
        row = SubElement(body, "tr")
        SubElement(row, "td", {"class": group.severity}).text = group.severity
        where = SubElement(row, "td")
        where.text = _where(group)
        if group.times > 1 and len(group.first) > 1:
            SubElement(where, "br").tail = _further(group)
        SubElement(row, "td").text = group.column
        SubElement(SubElement(row, "td"), "code").text = group.value
        SubElement(row, "td").text = group.expectation
        SubElement(row, "td", {"class": "number"}).text = f"{group.times:,}"
    for line in left_out(check, groups):
        SubElement(section, "p").text = line


def _where(group: Group) -> str:
    line, key = group.first[0]
    return ": ".join(part for part in (group.place, short_key(line, key)) if part)


def _further(group: Group) -> str:
    """Get the next places of a group, and how many there are beyond."""
    named = [key for _, key in group.first[1:] if key]
    beyond = group.times - 1 - len(named)
    return "; ".join([*named, *([f"and {beyond:,} more"] if beyond else [])])


def _table(parent: Element, headings: Sequence[str], kind: str) -> Element:
    """Make an empty table that scrolls where the page is narrow."""
    frame = SubElement(parent, "div", {"class": "frame", "tabindex": "0", "role": "group", "aria-label": kind})
    table = SubElement(frame, "table", {"class": kind})
    head = SubElement(SubElement(table, "thead"), "tr")
    for heading in headings:
        SubElement(head, "th", {"scope": "col"}).text = heading
    return SubElement(table, "tbody")
