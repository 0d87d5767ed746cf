"""The citation file, against the schema of the Citation File Format 1.2.0 (by S. Druskat and others, CC BY 4.0)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest

from tallybook.core.resources import REPORTS
from tallybook.report.citation import citation
from tallybook.report.methods_section import PROGRAMS
from tallybook.report.project import read_yaml
from tallybook.study.loading import load

SCHEMA = json.loads((Path(__file__).parent / "cff-1.2.0.schema.json").read_text(encoding="utf-8"))
VERSIONS = dict.fromkeys(PROGRAMS, "1.2.3")


def read(study: str, narrative: Path, versions: dict[str, str] | None = None) -> dict[str, Any]:
    content: Any = read_yaml(citation(load(study).study, narrative, versions or VERSIONS), "CITATION.cff")
    jsonschema.validate(content, SCHEMA)
    return content


@pytest.fixture
def document(tmp_path: Path) -> Path:
    return tmp_path / "index.qmd"


@pytest.mark.parametrize("study", ["wang2025", "kamruzzaman2024", "bai2025"])
def test_a_published_study(study: str) -> None:
    content = read(study, REPORTS / study / "index.qmd")
    assert "regenerated" in content["title"]
    assert content["authors"] == [{"name": "The Tallybook authors"}]
    paper, *programs = content["references"]
    publication = load(study).study.publication
    assert publication is not None
    assert (paper["type"], paper["title"], paper["year"]) == ("article", publication.title, publication.year)
    assert [author["family-names"] for author in paper["authors"]] == list(publication.authors)
    assert paper["repository-code"] == f"https://github.com/{publication.repository}"
    assert [(one["title"], one["version"]) for one in programs] == [(one.name, "1.2.3") for one in PROGRAMS.values()]


def test_title_and_authors_are_those_of_the_front_matter(document: Path) -> None:
    front = 'title: "Ours: a \\"study\\""\nauthor: [Ada Lovelace, "van Rossum, Guido", Ludwig van Beethoven, Plato]'
    document.write_text(f"---\n{front}\n---\n\nText.\n")
    content = read("wang2025", document)
    assert content["title"] == 'Ours: a "study"'
    assert content["authors"] == [
        {"given-names": "Ada", "family-names": "Lovelace"},
        {"given-names": "Guido", "family-names": "van Rossum"},
        {"given-names": "Ludwig", "name-particle": "van", "family-names": "Beethoven"},
        {"family-names": "Plato"},
    ]


@pytest.mark.parametrize("author", ["Ada Lovelace", "{name: Ada Lovelace}", "[{name: Ada Lovelace, email: a@b.org}]"])
def test_one_author_however_it_is_written(document: Path, author: str) -> None:
    document.write_text(f"---\ntitle: T\nauthor: {author}\n---\n")
    assert read("wang2025", document)["authors"] == [{"given-names": "Ada", "family-names": "Lovelace"}]


def test_a_title_that_names_the_study_is_the_study_s() -> None:
    content = read("wang2025", REPORTS / "default" / "index.qmd")
    assert content["title"] == load("wang2025").study.title


def test_hostile_titles_are_only_text(document: Path) -> None:
    document.write_text('---\ntitle: "a: [b\\u202e\\n# c \\u0007"\n---\n')
    assert read("wang2025", document)["title"] == "a: [b\\u202e # c \\x07"


def test_a_study_of_one_s_own_is_by_its_authors(document: Path) -> None:
    document.write_text("No front matter.\n")
    text = citation(load("wang2025").study.model_copy(update={"publication": None}), document, {})
    content: Any = read_yaml(text, "CITATION.cff")
    jsonschema.validate(content, SCHEMA)
    assert content["authors"] == [{"name": "The authors of the study wang2025"}]
    assert "references" not in content
