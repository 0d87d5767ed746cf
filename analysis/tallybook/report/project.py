"""The declarations of a report project and its document: YAML, every key checked, unknown ones refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tallybook.core.errors import ReportError
from tallybook.core.untrusted import printable
from tallybook.report import sources

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

Yaml: TypeAlias = "bool | int | float | str | list[Yaml] | dict[str, Yaml] | None"
"""The content of a YAML text."""


@dataclass(frozen=True)
class Rule:
    """The values allowed for a key."""

    holds: Callable[[Yaml], bool]
    expected: str


def _only(*, value: Yaml) -> Rule:
    return Rule(lambda given: given == value, json.dumps(value))


def _matching(pattern: str, expected: str) -> Rule:
    return Rule(lambda given: isinstance(given, str) and re.fullmatch(pattern, given) is not None, expected)


def _is_text(value: Yaml) -> bool:
    return isinstance(value, str)


def _is_texts(value: Yaml) -> bool:
    return isinstance(value, str) or (isinstance(value, list) and bool(value) and all(map(_is_text, value)))


def _is_margin(value: Yaml) -> bool:
    sides = {"x", "y", "top", "bottom", "left", "right"}
    return isinstance(value, dict) and value.keys() <= sides and all(LENGTH.holds(length) for length in value.values())


def _is_project(value: Yaml) -> bool:
    return (
        isinstance(value, dict)
        and value.keys() <= {"type", "render"}
        and value.get("type") == "default"
        and FILES.holds(value.get("render", "index.qmd"))
    )


TEXT = Rule(_is_text, "a text")
TEXTS = Rule(_is_texts, "a text or a list of texts")
FLAG = Rule(lambda value: isinstance(value, bool), "true or false")
POINTS = Rule(lambda value: isinstance(value, int) and value in range(200, 1200), "a length in points")
DEPTH = Rule(lambda value: isinstance(value, int) and value in range(1, 7), "a number from 1 to 6")
LENGTH = _matching(r"\d+(\.\d+)?(cm|mm|in|pt|em)", "a length such as 2.5cm")
FILE = _matching(r"(?!/)(?!.*\.\.)[^\\:]+", "a file of the project")
FILES = Rule(
    lambda value: FILE.holds(value) or (isinstance(value, list) and bool(value) and all(map(FILE.holds, value))),
    "a file of the project, or a list of files",
)

NUMBERS = "printed-numbers"
"""The setting of the numbers that a publication gives to tables and figures, by their labels."""

# The theme's, which both engines run.
FILTERS = ("theme/tables.lua", "theme/word-tables.lua", "theme/word.lua")
CONTENTS = {"toc": FLAG, "toc-depth": DEPTH, "toc-title": TEXT}
# The words of captions and references are English, so the language is.
SHARED = CONTENTS | {
    "lang": _matching(r"en(-[A-Z]{2})?", "en, en-GB, en-US, ..."),
    "engine": _only(value="markdown"),
    "date-format": _only(value="iso"),
    "number-sections": FLAG,
    "bibliography": FILES,
    "csl": FILE,
    "link-citations": _only(value=True),
}
FRONT_MATTER = SHARED | {
    "title": TEXT,
    "subtitle": TEXT,
    "author": TEXTS,
    "date": _matching(r"\d{4}-\d{2}-\d{2}", "a date such as 2025-06-01"),
    "abstract": TEXT,
}
PROJECT = SHARED | {
    "project": Rule(_is_project, "type: default, and render: a list of documents"),
    NUMBERS: Rule(lambda value: isinstance(value, dict) and all(map(_is_text, value.values())), "label: number"),
    "filters": _only(value=[{"path": name, "at": "pre-ast"} for name in FILTERS]),
}
IMAGE = {"default-image-extension": _matching(r"svg|png|jpg|pdf", "svg, png, jpg or pdf")}
FORMATS: dict[str, dict[str, Rule]] = {
    "html": CONTENTS
    | IMAGE
    | {
        "theme": _only(value="none"),
        "minimal": _only(value=True),
        "css": FILE,
        "include-after-body": FILE,
        "embed-resources": _only(value=True),
        "html-math-method": _only(value="mathml"),
        "html-table-processing": _only(value="none"),
    },
    "typst": CONTENTS
    | IMAGE
    | {
        "papersize": _matching(r"[a-z0-9-]+", "a paper size such as a4"),
        "margin": Rule(_is_margin, "lengths for some of x, y, top, bottom, left and right"),
        "mainfont": TEXT,
        "fontsize": LENGTH,
        "section-numbering": TEXT,
        "citeproc": _only(value=True),
        "include-in-header": FILE,
        "include-before-body": FILE,
        # The lines of a page across and along it, in points, where a journal's are not the theme's (theme/tables.lua).
        "across": POINTS,
        "along": POINTS,
    },
    "docx": CONTENTS
    | IMAGE
    | {"shift-heading-level-by": _only(value=-1), "reference-doc": FILE, "syntax-highlighting": _only(value="none")},
}


@dataclass(frozen=True)
class Document:
    """A report's document, ready for a writer."""

    folder: Path  # the folder that holds it; images are found from here
    project: Path  # the project's folder; style sheets and the bibliography are found from here
    name: str  # the document's path within the project
    front: dict[str, Yaml]  # the front matter, with placeholders for its shortcodes
    # for each format ("html", "typst", "docx"), what the project, the document and the format declare
    settings: dict[str, dict[str, Yaml]]
    sources: sources.Sources  # the body


def load(project: Path, document: str) -> Document:
    """Read a report project."""
    text = (project / "_quarto.yml").read_text(encoding="utf-8-sig")
    declared = _mapping(text, "_quarto.yml")
    formats = _as_mapping(declared.pop("format", {}), "_quarto.yml")
    _check(declared, PROJECT, "_quarto.yml", text)
    if unknown := sorted(formats.keys() - FORMATS.keys()):
        raise ReportError(f"_quarto.yml: unknown format {printable(unknown[0])}: html, typst and docx are supported")
    variables = project / "_variables.yml"
    known = _mapping(variables.read_text(encoding="utf-8-sig"), "_variables.yml") if variables.is_file() else {}
    body = sources.read(project, document, known)
    front = _mapping(body.front, document)
    _check(front, FRONT_MATTER, document, f"\n{body.front}")
    if not front.get("title"):
        raise ReportError(f"{document}:1: a report has a title")
    shared = {key: value for key, value in declared.items() if key in SHARED or key == NUMBERS}
    own = {key: value for key, value in front.items() if key in SHARED}
    settings: dict[str, dict[str, Yaml]] = {}
    for name, rules in FORMATS.items():
        given = _as_mapping(formats.get(name, {}), "_quarto.yml")
        _check(given, rules, "_quarto.yml", text)
        # The document's word is the last, as in Quarto.
        settings[name] = shared | given | own

    def filled(key: str, value: Yaml) -> Yaml:
        if isinstance(value, list):
            return [filled(key, item) for item in value]
        if not isinstance(value, str):
            return value
        return sources.fill(sources.Line(value, document, _line_of(key, f"\n{body.front}") or 1), known, body)

    return Document(
        folder=(project / document).parent,
        project=project,
        name=document,
        front={key: filled(key, value) for key, value in front.items() if key not in SHARED},
        settings=settings,
        sources=body,
    )


def printed_numbers(project: Path) -> dict[str, str] | None:
    """Get the numbers that a publication gives to a project's tables and figures; None without a publication."""
    settings = project / "_quarto.yml"
    own = _mapping(settings.read_text(encoding="utf-8-sig"), settings.name).get(NUMBERS)
    return {label: str(number) for label, number in own.items()} if isinstance(own, dict) else None


def read_yaml(text: str, file: str) -> Yaml:
    """Read YAML with the reader that typst carries, which follows YAML 1.2 as Quarto's does."""
    import typst

    try:
        answer = typst.query(
            b"#metadata(yaml(bytes(sys.inputs.text)))<value>",
            "<value>",
            field="value",
            one=True,
            ignore_system_fonts=True,
            sys_inputs={"text": text},
        )
    except RuntimeError as error:
        reason = str(error).partition("failed to parse YAML")[2].strip(" ()")
        raise ReportError(f"{file}: no valid YAML: {printable(reason or str(error), 200)}") from error
    return json.loads(answer)


def _mapping(text: str, file: str) -> dict[str, Yaml]:
    return _as_mapping(read_yaml(text, file), file)


def _as_mapping(value: Yaml, file: str) -> dict[str, Yaml]:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ReportError(f"{file}: expected keys and values")
    return value


def _check(given: Mapping[str, Yaml], rules: Mapping[str, Rule], file: str, text: str) -> None:
    for key, value in given.items():
        line = _line_of(key, text)
        at = f"{file}:{line}" if line else file
        if key not in rules:
            raise ReportError(f"{at}: unknown key {printable(key)}: expected one of {', '.join(sorted(rules))}")
        if not rules[key].holds(value):
            found = printable(json.dumps(value, ensure_ascii=False))
            raise ReportError(f"{at}: {key} is {found}: expected {rules[key].expected}")


def _line_of(key: str, text: str) -> int | None:
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*:", line):
            return number
    return None
