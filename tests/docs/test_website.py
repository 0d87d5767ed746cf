"""The website: every page has a place, every link a target, the reference has everything, and the recipes run."""

from __future__ import annotations

import os
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest
import yaml

import tallybook as tb
from tallybook.cli.app import app
from tallybook.study.analysis_base import ANALYSES
from tests.paths import DOCS
from tests.trusted import computed

QUARTO = os.environ.get("QUARTO_PATH") or shutil.which("quarto")
RECIPES = (DOCS / "how-to.md").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def reference(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("website")
    runpy.run_path(str(DOCS / "website.py"))["write"](folder)
    return folder / "reference"


def _heading_ids(page: str) -> set[str]:
    """The anchors of a page: those given, and those that pandoc makes of headings."""
    headings = re.findall(r"(?m)^#+ (.*)$", re.sub(r"(?s)```.*?```", "", page))
    ids = {match[1] for heading in headings if (match := re.search(r"\{#(.*?)\}$", heading))}
    return ids | {re.sub(r"[^\w\s.-]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_every_page_has_a_place() -> None:
    contents = yaml.safe_load((DOCS / "_quarto.yml").read_text(encoding="utf-8"))["website"]["sidebar"]["contents"]
    placed = [page for each in contents for page in (each["contents"] if isinstance(each, dict) else [each])]
    pages = {each.name for each in (*DOCS.glob("*.md"), *DOCS.glob("*.qmd"))}
    assert len(placed) == len(set(placed))
    assert {page for page in placed if not page.startswith("reference/")} == pages
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert {page for page in pages if f"({page})" not in index} == {"index.md"}


def test_headings_that_links_name_are_there(reference: Path) -> None:
    pages = [*DOCS.glob("*.md"), *reference.glob("*.md")]
    for page in pages:
        text = page.read_text(encoding="utf-8")
        for link, anchor in re.findall(r"\]\(([^)#\s:]*)#([^)\s]+)\)", text):
            target = text if not link else (DOCS / Path(link).name).read_text(encoding="utf-8")
            assert anchor in _heading_ids(target), f"{page.name}: {link}#{anchor}"


def test_the_reference_has_everything(reference: Path) -> None:
    settings, commands, python = (
        (reference / f"{name}.md").read_text(encoding="utf-8") for name in ("settings", "commands", "python")
    )
    assert all(f'### `statistic = "{name}"`' in settings for name in ANALYSES)
    assert "| `cluster` | text or list of text |  |" in settings
    assert "From [tests](../tests.md)." in settings
    names = {command.name or command.callback.__name__ for command in app.registered_commands if command.callback}
    assert names == set(re.findall(r"(?m)^## (\w+)$", commands))
    assert commands.count("Usage: tallybook ") == len(names)
    assert set(tb.__all__) == set(re.findall(r"(?m)^## tb\.(\w+)$", python))
    assert "### tb.Study.difference" in python


def test_recipes_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copy(DOCS.parent / "data" / "raw" / "example" / "answers.csv", tmp_path)
    drafted = tb.init("answers.csv").text
    first, *others = re.findall(r"(?s)```toml\n(.*?)```", RECIPES)
    assert first.strip() in drafted
    Path("study.toml").write_text("\n".join([drafted, *others]), encoding="utf-8")
    results = computed(Path("study.toml"))
    found = results.estimates.filter(pl.col("analysis") == "age_gap", pl.col("term") == "yes")
    assert found["family_size"].to_list() == [3] * 3
    assert found["clusters"].to_list() == [6] * 3 if "clusters" in found.columns else found["df"].to_list() == [5.0] * 3
    kinds = {"robust": 3 * 2 * 4, "detectable": 3 * 2}
    for name, least in kinds.items():
        assert results.estimates.filter(analysis=name, status="ok").height >= least


@pytest.mark.skipif(QUARTO is None, reason="Quarto is not installed")
@pytest.mark.slow
def test_quarto_renders_it(reference: Path) -> None:
    done = subprocess.run([str(QUARTO), "render", str(reference.parent)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "WARN" not in done.stderr
    assert (reference.parent / "_site" / "reference" / "settings.html").exists()
