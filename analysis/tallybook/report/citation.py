"""The citation file of a study's output: who made it, which publication it is of, which programs made it."""

from __future__ import annotations

import json
from itertools import takewhile
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from tallybook.core.untrusted import visible
from tallybook.report.methods.software import PROGRAMS
from tallybook.report.project import read_yaml
from tallybook.report.sources import front_matter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tallybook.report.methods.software import Program
    from tallybook.report.project import Yaml
    from tallybook.study.model import Study
    from tallybook.study.publication import Publication

FILE = "CITATION.cff"
"""The name of the citation file."""

Cff: TypeAlias = "str | int | list[Cff] | dict[str, Cff]"
"""The content of a citation file."""

_REPOSITORIES = "https://github.com/"


class TitlePage(NamedTuple):
    """The head of a report."""

    title: str
    authors: tuple[str, ...]  # its authors' names; none if the narrative names none


def title_page(study: Study, narrative: Path) -> TitlePage:
    """Read the title page of a report."""
    front = read_yaml(front_matter(narrative.read_text(encoding="utf-8-sig")), narrative.name)
    declared = front if isinstance(front, dict) else {}
    title, authors = declared.get("title"), declared.get("author")
    names = [_name(author) for author in (authors if isinstance(authors, list) else [authors])]
    own = title if isinstance(title, str) and "{{<" not in title else study.title
    return TitlePage(own, tuple(name for name in names if name.strip()))


def _name(author: Yaml) -> str:
    """An author's name, by itself or among what else Quarto takes."""
    name = author.get("name") if isinstance(author, dict) else author
    return name if isinstance(name, str) else ""


def citation(study: Study, narrative: Path, versions: Mapping[str, str]) -> str:
    """The citation file of a study's output, in the Citation File Format 1.2.0."""
    page = title_page(study, narrative)
    content: dict[str, Cff] = {
        "cff-version": "1.2.0",
        "message": "If you use these results, please cite them, and what they rest on, as below.",
        "type": "dataset",
        "title": page.title,
        "authors": [_person(name) for name in page.authors] or [_nobody(study)],
    }
    published = [] if study.publication is None else [_published(study.publication)]
    programs = [_program(program, versions[name]) for name, program in PROGRAMS.items() if name in versions]
    if published or programs:
        content["references"] = [*published, *programs]
    return "# The results of a study, for citation managers (https://citation-file-format.github.io).\n" + _yaml(
        content
    )


def _nobody(study: Study) -> dict[str, Cff]:
    """Who has made a report whose narrative names no authors: those of a published study come with the program."""
    return {"name": f"The authors of the study {study.name}" if study.publication is None else "The Tallybook authors"}


def _person(name: str) -> dict[str, Cff]:
    """A person of the name `Given Family` or `Family, Given`.

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


def _published(publication: Publication) -> dict[str, Cff]:
    """The paper that a study reproduces, and where its data are."""
    found: dict[str, Cff] = {
        "type": "article",
        "title": publication.title,
        "authors": [{"family-names": name} for name in publication.authors],
        "year": publication.year,
    }
    if publication.venue:
        found["journal"] = publication.venue
    if publication.url:
        found["url"] = publication.url
    if publication.repository:
        found["repository-code"] = _REPOSITORIES + publication.repository
    if publication.commit:
        found["commit"] = publication.commit
    return found


def _program(program: Program, version: str) -> dict[str, Cff]:
    authors = program.author or f"{{The {program.name} developers}}"
    named: list[Cff] = [
        {"name": name.strip("{}")} if name.startswith("{") else _person(name) for name in authors.split(" and ")
    ]
    found: dict[str, Cff] = {"type": "software", "title": program.name, "version": version, "authors": named}
    return found | ({"url": program.url} if program.url else {})


def _yaml(value: Mapping[str, Cff], indent: str = "") -> str:
    """A mapping as YAML; texts are in double quotes, where JSON's escapes are YAML's."""
    return "".join(f"{indent}{key}:{_value(one, indent)}" for key, one in value.items())


def _value(value: Cff, indent: str) -> str:
    if isinstance(value, dict):
        return "\n" + _yaml(value, indent + "  ")
    if isinstance(value, list):
        return "\n" + "".join(_item(one, indent) for one in value)
    return f" {json.dumps(visible(value) if isinstance(value, str) else value, ensure_ascii=False)}\n"


def _item(value: Cff, indent: str) -> str:
    """An entry of a list; a mapping begins on the line of its dash."""
    if isinstance(value, dict):
        return f"{indent}  - " + _yaml(value, indent + "    ").lstrip()
    return f"{indent}  -{_value(value, indent)}"
