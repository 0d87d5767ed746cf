"""The title page of a report: title and authors."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.report.project import read_yaml
from tallybook.report.sources import front_matter

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.report.project import Yaml
    from tallybook.study.model import Study


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
