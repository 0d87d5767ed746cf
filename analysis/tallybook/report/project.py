"""Loading of a report project and its document; unknown keys of the front matter are refused."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tallybook.core.errors import ReportError
from tallybook.core.untrusted import printable
from tallybook.report import sources

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Yaml: TypeAlias = "bool | int | float | str | list[Yaml] | dict[str, Yaml] | None"
"""The content of a YAML text."""


NUMBERS = "printed-numbers"
"""The setting that maps the labels of tables and figures to the publication's numbers."""
FILTERS = ("theme/tables.lua", "theme/word-tables.lua", "theme/word.lua")
"""The theme's filters, which both engines run."""

_TEXT = r'"(?:[^"\\]|\\.)*"'
_FILE = r'"(?!/)(?!.*\.\.)[^\\:"]+"'
_FLAG = ("true|false", "true or false")
_WORDS = (_TEXT, "a text")
# The document's own settings, with a pattern for their values as JSON and its description. Captions and references
# are worded in English, so the language must be English.
_SETTINGS = {
    "toc": _FLAG,
    "toc-depth": ("[1-6]", "a number from 1 to 6"),
    "toc-title": _WORDS,
    "lang": ('"en(-[A-Z]{2})?"', "en, en-GB, en-US, ..."),
    "engine": ('"markdown"', '"markdown"'),
    "date-format": ('"iso"', '"iso"'),
    "number-sections": _FLAG,
    "bibliography": (rf"{_FILE}|\[{_FILE}(, {_FILE})*\]", "a file of the project, or a list of files"),
    "csl": (_FILE, "a file of the project"),
    "link-citations": ("true", "true"),
}
_FRONT_MATTER = _SETTINGS | {
    "title": _WORDS,
    "subtitle": _WORDS,
    "author": (rf"{_TEXT}|\[{_TEXT}(, {_TEXT})*\]", "a text or a list of texts"),
    "date": (r'"\d{4}-\d{2}-\d{2}"', "a date such as 2025-06-01"),
    "abstract": _WORDS,
}


@dataclass(frozen=True)
class Document:
    """A report's document, ready for a writer."""

    folder: Path  # the folder of the document; image paths are relative to it
    project: Path  # the project's folder; paths of style sheets and the bibliography are relative to it
    name: str  # the document's path within the project
    front: dict[str, Yaml]  # the front matter, with placeholders for its shortcodes
    # for each format ("html", "typst", "docx"), the settings of the project, the format and the document combined
    settings: dict[str, dict[str, Yaml]]
    sources: sources.Sources  # the body


def load(project: Path, document: str, *, trust: bool = False) -> Document:
    """Read a report project and check its document."""
    declared = _mapping((project / "_quarto.yml").read_text(encoding="utf-8-sig"), "_quarto.yml")
    formats = _as_mapping(declared.pop("format", {}), "_quarto.yml")
    variables = project / "_variables.yml"
    known = _mapping(variables.read_text(encoding="utf-8-sig"), "_variables.yml") if variables.is_file() else {}
    body = sources.read(project, document, known)
    if not trust:
        sources.refuse_typst(body, document)
    front = _mapping(body.front, document)
    _check(front, document, f"\n{body.front}")
    if not front.get("title"):
        raise ReportError(f"{document}:1: a report has a title")
    own = {key: value for key, value in front.items() if key in _SETTINGS}
    # The document's settings take precedence, as in Quarto.
    settings = {
        name: declared | _as_mapping(formats.get(name, {}), "_quarto.yml") | own for name in ("html", "typst", "docx")
    }

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
        front={key: filled(key, value) for key, value in front.items() if key not in _SETTINGS},
        settings=settings,
        sources=body,
    )


def printed_numbers(project: Path) -> dict[str, str] | None:
    """Return the publication's numbers of a project's tables and figures; None without a publication."""
    settings = project / "_quarto.yml"
    own = _mapping(settings.read_text(encoding="utf-8-sig"), settings.name).get(NUMBERS)
    return {label: str(number) for label, number in own.items()} if isinstance(own, dict) else None


def read_yaml(text: str, file: str) -> Yaml:
    """Parse YAML with the parser in typst, which follows YAML 1.2 as Quarto's does."""
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


def _check(given: Mapping[str, Yaml], file: str, text: str) -> None:
    """Refuse front matter that the embedded engine would not treat as Quarto does."""
    for key, value in given.items():
        line = _line_of(key, text)
        at = f"{file}:{line}" if line else file
        if key not in _FRONT_MATTER:
            raise ReportError(f"{at}: unknown key {printable(key)}: expected one of {', '.join(sorted(_FRONT_MATTER))}")
        pattern, expected = _FRONT_MATTER[key]
        found = json.dumps(value, ensure_ascii=False)
        if not re.fullmatch(pattern, found):
            raise ReportError(f"{at}: {key} is {printable(found)}: expected {expected}")


def _line_of(key: str, text: str) -> int | None:
    for number, line in enumerate(text.splitlines(), start=1):
        if re.match(rf"\s*[\"']?{re.escape(key)}[\"']?\s*:", line):
            return number
    return None
