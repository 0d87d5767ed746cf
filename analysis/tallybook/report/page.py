"""Common post-processing of HTML reports: the main part is marked, SVG embedded as text, redundant styles removed."""

from __future__ import annotations

import base64
import re
from collections import Counter
from typing import TYPE_CHECKING
from urllib.parse import quote

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

_SVG = re.compile(r'(?<=src=")data:image/svg\+xml;base64,([A-Za-z0-9+/=\s]*)(?=")')
_TEXT_WITH_QUOTES = re.compile(r'>[^<]*"')
_PLAIN_HEAD = re.compile(r"\s*(?:<\?xml[^>]*>\s*)?(?:<!DOCTYPE[^>\[]*>\s*)?")
_UNCHANGED = " '=:/;,.()-!@$*+|~>"
_INDENTED = re.compile(r"\n +(?=</?t[dhr]\b)")
# Quarto's page without a theme has no <main>: its main part lies between the contents and the theme's scripts.
_TEXT_PART = re.compile(r"(</header>(?:\s*<nav id=\"TOC\".*?</nav>)?)(.*)(<!-- What a report offers)", re.DOTALL)
_SKIP = '<a class="skip-link" href="#content">Skip to content</a>\n'
# The identifiers of header cells, which every data cell repeats.
_HEADERS = re.compile(r'(<t[hd] [^<>]*?\b(?:id|headers)=")(tab-[^"]*)(?=")')
_ALIGNED = re.compile(r'(<t[dh] [^<>]*class="[^"]*\bgt_(left|right|center)\b[^"]*"[^<>]*?) style="text-align: \2"')


# The number in a caption, and in a reference to a table or figure.
_CAPTION = re.compile(
    r'(<figcaption[^>]*\bid="((tbl|fig)-[\w.-]+?)-caption[^"]*"[^>]*>\s*(?:<p>)?\s*(?:Table|Figure)(?:&nbsp;|\u00a0))\d+'
)
_REFERENCE = re.compile(r'(<a href="#((?:tbl|fig)-[^"]+)" class="quarto-xref"[^>]*>[^<\d]*)\d+')


def finish_page(report: Path, numbers: Mapping[str, str] | None = None) -> None:
    """Mark the page's main part, embed SVG as text, and remove from tables what the style sheet already declares.

    `numbers`: The publication's numbers of tables and figures, by their labels.
    """
    page = report.read_text(encoding="utf-8")
    page = page if numbers is None else _numbered(page, numbers)
    if "<main" not in page:
        page = _TEXT_PART.sub(r'\1\n<main id="content">\2</main>\n\3', page, count=1)
        page = page.replace("<body>\n", f"<body>\n{_SKIP}", 1) if "<main" in page else page
    page = _SVG.sub(lambda found: _text(found[1]) or found[0], page)
    page = _INDENTED.sub("\n", page).replace(' class="gt_row ', ' class="')
    short: dict[str, str] = {}

    def shortened(found: re.Match[str]) -> str:
        return found[1] + " ".join(short.setdefault(name, f"h{len(short)}") for name in found[2].split())

    page = _HEADERS.sub(shortened, page)
    if ".gt_right { text-align: right; }" in page:
        page = _ALIGNED.sub(r"\1", page)
    report.write_text(page, encoding="utf-8", newline="")


def _numbered(page: str, own: Mapping[str, str]) -> str:
    """Number tables and figures as in the publication, and the others S1, S2, ..."""
    numbers, taken, beside = dict(own), {(label[:3], number) for label, number in own.items()}, Counter[str]()
    for _, label, kind in _CAPTION.findall(page):
        while label not in numbers:
            beside[kind] += 1
            if (kind, number := f"S{beside[kind]}") not in taken:
                numbers[label] = number
    page = _CAPTION.sub(lambda found: found[1] + numbers[found[2]], page)
    return _REFERENCE.sub(lambda found: found[1] + numbers.get(found[2], found[0][len(found[1]) :]), page)


def _text(packed: str) -> str:
    """Return a base64 SVG as a data URI with text that is escaped only where necessary; empty if it is not UTF-8.

    >>> _text("PHN2ZyBpZD0iYSIvPg==")
    "data:image/svg+xml,%3Csvg id='a'/>"
    """
    try:
        head, start, svg = base64.b64decode(packed).decode("utf-8").partition("<svg")
    except ValueError:
        return ""
    # The part before <svg> may say more than that an SVG in UTF-8 follows.
    svg = start + svg if _PLAIN_HEAD.fullmatch(head) else head + start + svg
    if "'" not in svg and not _TEXT_WITH_QUOTES.search(svg):
        svg = svg.replace('"', "'")
    return "data:image/svg+xml," + quote(svg.replace("\n", " "), safe=_UNCHANGED)
