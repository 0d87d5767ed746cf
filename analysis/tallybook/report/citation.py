"""The citation file of a study's output: its authors, the publication it reproduces, and the programs used."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.untrusted import visible
from tallybook.report.methods_section import PROGRAMS
from tallybook.report.project import read_yaml
from tallybook.report.sources import front_matter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.report.methods_section import Program
    from tallybook.report.project import Yaml
    from tallybook.study.model import Study
    from tallybook.study.publication import Publication

FILE = "CITATION.cff"
"""The name of the citation file."""

_REPOSITORIES = "https://github.com/"


class TitlePage(NamedTuple):
    """The title and authors of a report."""

    title: str
    authors: tuple[str, ...]  # the authors' names; empty if the narrative names none


def title_page(study: Study, narrative: Path) -> TitlePage:
    """Read the title and authors from the front matter of a narrative; the study's title if there is no plain one."""
    front = read_yaml(front_matter(narrative.read_text(encoding="utf-8-sig")), narrative.name)
    declared = front if isinstance(front, dict) else {}
    title, authors = declared.get("title"), declared.get("author")
    names = [_name(author) for author in (authors if isinstance(authors, list) else [authors])]
    own = title if isinstance(title, str) and "{{<" not in title else study.title
    return TitlePage(own, tuple(name for name in names if name.strip()))


def _name(author: Yaml) -> str:
    """Return an author's name, given alone or as an entry of a Quarto author mapping."""
    name = author.get("name") if isinstance(author, dict) else author
    return name if isinstance(name, str) else ""


def citation(study: Study, narrative: Path, versions: Mapping[str, str]) -> str:
    """Write the citation file of a study's output in the Citation File Format 1.2.0, as JSON, which is valid YAML."""
    page = title_page(study, narrative)
    # The narrative of a bundled study may name no authors.
    nobody = f"The authors of the study {study.name}" if study.publication is None else "The Tallybook authors"
    content: dict[str, Any] = {
        "cff-version": "1.2.0",
        "message": "If you use these results, please cite them, and what they rest on, as below.",
        "type": "dataset",
        "title": visible(page.title),
        "authors": [_person(name) for name in page.authors] or [{"name": nobody}],
    }
    published = [] if study.publication is None else [_published(study.publication)]
    programs = [_program(program, versions[name]) for name, program in PROGRAMS.items() if name in versions]
    if published or programs:
        content["references"] = [*published, *programs]
    lead = "# The results of a study, for citation managers (https://citation-file-format.github.io).\n"
    return lead + json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _person(name: str) -> dict[str, str]:
    """Return the citation file's entry for a person named `Given Family` or `Family, Given`.

    >>> _person("Ada King van der Lovelace")
    {'family-names': 'Lovelace', 'name-particle': 'van der', 'given-names': 'Ada King'}
    >>> _person("Lovelace, Ada"), _person("Wang")
    ({'family-names': 'Lovelace', 'given-names': 'Ada'}, {'family-names': 'Wang'})
    """
    name = visible(name)
    family, comma, given = (part.strip() for part in name.partition(","))
    if comma and family and given:
        return {"family-names": family, "given-names": given}
    *given_names, family = name.split()
    particle = list(takewhile(lambda word: word[:1].islower(), reversed(given_names)))[::-1]
    parts = {
        "family-names": family,
        "name-particle": " ".join(particle),
        "given-names": " ".join(given_names[: len(given_names) - len(particle)]),
    }
    return {key: part for key, part in parts.items() if part}


def _published(publication: Publication) -> dict[str, Any]:
    """Return the citation file's entry for the paper that a study reproduces, with its code repository."""
    found = {
        "type": "article",
        "title": visible(publication.title),
        "authors": [{"family-names": visible(name)} for name in publication.authors],
        "year": publication.year,
        "journal": visible(publication.venue or ""),
        "url": publication.url,
        "repository-code": _REPOSITORIES + publication.repository if publication.repository else "",
        "commit": publication.commit,
    }
    return {key: value for key, value in found.items() if value}


def _program(program: Program, version: str) -> dict[str, Any]:
    authors = program.author or f"{{The {program.name} developers}}"
    named = [{"name": name.strip("{}")} if name.startswith("{") else _person(name) for name in authors.split(" and ")]
    found: dict[str, Any] = {"type": "software", "title": program.name, "version": version, "authors": named}
    return found | ({"url": program.url} if program.url else {})
