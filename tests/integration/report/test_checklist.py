"""Checklists answered from a run, held against what the run's own files say."""

from __future__ import annotations

import json
import re
import tomllib
from typing import TYPE_CHECKING

import pytest
from typer.testing import CliRunner

from tallybook.core.errors import DataError, UsageError
from tallybook.report.checklist import answers, wordings
from tallybook.report.manifest import machine, provenance, versions
from tallybook.study.checklist_items import ITEMS, NAMES, TITLES
from tests import computed_once
from tests.integration.report.test_rendered_again import with_one_figure
from tests.paths import DOCS
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

PAGE = DOCS / "checklists.md"
ADDED = '\n[checklist]\n"ARR C2" = "Temperature <b>1</b>."\n'


def run(*arguments: str):
    from tallybook.cli.app import app

    return CliRunner().invoke(app, [*arguments, "--quiet"])


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("answered")
    rows = ["model,race,name,text,sample"]
    for model in ("A*b*", "B"):
        for race, names in {"Black": ("Jamal", "Ebony"), "White": ("Greg", "Anne")}.items():
            for name in names:
                for sample in range(4):
                    answer = "I can't help with that." if sample == 3 else ("Yes.", "No.")[sample % 2]
                    rows.append(f"{model},{race},{name},{answer},{sample}")
    (folder / "answers.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    drafted = ["init", str(folder / "answers.csv"), "--out", str(folder), "--yes"]
    assert run(*drafted, "--instrument", "absolute-decision").exit_code == 0
    file = folder / "study.toml"
    file.write_text(with_one_figure(file.read_text(encoding="utf-8")) + ADDED, encoding="utf-8")
    return file


def test_every_item_has_facts_or_says_what_is_open(study: Path) -> None:
    results = computed(study)
    found = {one.item.name: one for one in answers(results, {"versions": versions(), **provenance(results)})}
    assert tuple(found) == NAMES
    for name, one in found.items():
        assert one.facts or one.unknown, name
    assert found["ARR B2"].state == "open"
    assert found["ARR C2"].state == "answered"
    assert {found[f"ARR D{number}"].state for number in range(1, 6)} == {"not applicable"}
    assert found["ARR C1"].state == "answered in part"
    said = " ".join(fact.sentence for fact in found["TRIPOD-LLM missing data"].facts)
    assert "refused 8 of 32 (25.0%)" in said
    (size, *_) = found["STROBE 10"].facts
    assert size.sentence == r"32 responses in 1 file; by model: A\*b\* (16), B (16)."
    estimates = results.estimates
    bounded = estimates.filter(estimates["ci_low"].is_not_null() & estimates["estimate"].is_not_null()).height
    assert f"{bounded:,} with an interval (95%)" in found["NeurIPS 7"].facts[0].sentence


def test_the_command_writes_what_a_report_includes(study: Path, tmp_path: Path) -> None:
    assert run("checklist", str(study), "-o", str(tmp_path / "c.md")).exit_code == 0
    text = (tmp_path / "c.md").read_text(encoding="utf-8")
    assert [line[3:] for line in text.splitlines() if line.startswith("## ")] == [*TITLES.values()]
    assert r"Temperature \<b\>1\</b\>." in text
    assert run("checklist", str(study)).stdout == text
    assert run("run", str(study), "--out", str(tmp_path / "out")).exit_code == 0
    section = (tmp_path / "out/report/source/_generated/checklist.qmd").read_text(encoding="utf-8")
    assert re.sub(r"(?m)^### ", "## ", section) == text.partition("\n\n")[2]


def test_items_ask_for_facts_that_there_are() -> None:
    assert {name for item in ITEMS for name in item.facts} == wordings().keys()
    assert len({*NAMES}) == len(NAMES)


def test_an_unknown_item_is_refused(study: Path, tmp_path: Path) -> None:
    other = tmp_path / "study.toml"
    other.write_text(study.read_text(encoding="utf-8").replace('"ARR C2"', '"ARR C9"'), encoding="utf-8")
    refused = run("checklist", str(other)).exception
    assert isinstance(refused, DataError | UsageError)
    assert "ARR C9" in str(refused)
    assert "did you mean 'ARR C" in str(refused)


def test_the_manifest_says_what_the_run_took(study: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    assert run("run", str(study), "--numbers-only", "--out", str(tmp_path / "out")).exit_code == 0
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert 0 < manifest["wall_seconds"] < 600
    assert manifest["hardware"].keys() == {"system", "machine", "processors"}
    assert manifest["licences"] == {"data": None}
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert machine(0.0) == {}


def test_the_declared_example_of_the_docs() -> None:
    blocks = re.findall(r"```toml\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    (declared,) = (tomllib.loads(block)["checklist"] for block in blocks)
    assert declared.keys() <= {*NAMES}


def test_the_printed_example_of_the_docs() -> None:
    results = computed_once.bundled("wang2025")
    found = {one.item.name: one for one in answers(results, {"versions": versions(), **provenance(results)})}
    sentence = found["TRIPOD-LLM missing data"].facts[0].sentence
    assert f"- {sentence} (`responses.parquet, status`)" in PAGE.read_text(encoding="utf-8")
