"""What the docs show of the program is what it says."""

from __future__ import annotations

import importlib.util
import re
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.study.check_base import CHECKS
from tallybook.study.model import Study
from tests.paths import DOCS, TOP

if TYPE_CHECKING:
    import pytest

PAGE = (DOCS / "validation.md").read_text(encoding="utf-8")
EXAMPLE = Path(__file__).parent / "example"


def test_the_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"(?m)^    \$ tallybook (.+)\n((?:    .*\n)+)", PAGE)
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(app, shown[0].split())
    assert ended.exit_code == 1
    assert ended.stdout == re.sub(r"(?m)^    ", "", shown[1])


def test_the_checks_that_are_shown(declaration: dict[str, Any]) -> None:
    shown = "".join(re.findall(r"(?m)^    (\[checks\.[a-z]+\](?:.*\n)(?:    .*\n)*)", PAGE))
    checks = tomllib.loads(re.sub(r"(?m)^    ", "", shown))["checks"]
    assert len(checks) == 6
    declaration["factors"]["age"] = {"label": "Age", "levels": {}, "derive": {"from": "group", "map": {"a": "b"}}}
    assert len(Study.model_validate(declaration | {"checks": checks}).checks) == 6


def test_every_column_of_instruments_is_told() -> None:
    from tallybook.study.instrument_base import INSTRUMENTS
    from tallybook.validation.instruments import shipped
    from tallybook_schemas.frames import Responses

    for kind in INSTRUMENTS:
        assert f"`{kind}`" in PAGE
        for column in shipped(kind).schema.columns.keys() - Responses.to_schema().columns.keys():
            assert f"`{column}`" in PAGE, column


def test_every_kind_and_option_is_told() -> None:
    for kind in CHECKS.classes.values():
        assert f"| `{get_args(kind.model_fields['kind'].annotation)[0]}` |" in PAGE
        for setting in kind.model_fields:
            assert f"`{setting}`" in PAGE or setting == "where", setting


class TestComparison:
    """The table of other tools: what stands on the page is what `run.py` ran."""

    HERE = TOP
    CONTENT = tomllib.loads((HERE / "benchmarks" / "comparison" / "comparison.toml").read_text(encoding="utf-8"))

    def table(self) -> str:
        path = self.HERE / "benchmarks" / "comparison" / "run.py"
        spec = importlib.util.spec_from_file_location("comparison_run", path)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        return module.table(self.CONTENT)

    def test_the_table(self) -> None:
        assert self.table() in (self.HERE / "docs" / "comparison.md").read_text(encoding="utf-8")

    def test_every_cell_follows_from_runs_of_its_tool(self) -> None:
        runs = {run["id"]: run["tool"] for run in self.CONTENT["runs"]}
        assert len(runs) == len(self.CONTENT["runs"])
        named = set()
        for want in self.CONTENT["wants"]:
            assert set(want["cells"]) == {tool["name"] for tool in self.CONTENT["tools"]}
            for tool, cell in want["cells"].items():
                mark, *ids = cell.split()
                assert mark in {"yes", "part", "py", "no"}
                assert ids
                assert {runs[one] for one in ids} == {tool}
                named |= set(ids)
        assert set(runs) - named <= {"d9"}  # named in a sentence

    def test_the_page_shows_every_run_and_version(self) -> None:
        page = (self.HERE / "docs" / "comparison.md").read_text(encoding="utf-8")
        for run in self.CONTENT["runs"]:
            assert f"### {run['id']}\n" in page
            assert f"$ {run['command']}\n" in page
        for tool in self.CONTENT["tools"]:
            assert all(f"=={tool['version']}" in tool["install"][0] for _ in tool["install"])
            assert not tool["install"] or f"{tool['title']} {tool['version']}" in page
