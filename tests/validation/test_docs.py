"""What the docs show of the program is what it says."""

from __future__ import annotations

import re
import shutil
import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

from typer.testing import CliRunner

from analysis.cli import app
from schemas.study import Study

if TYPE_CHECKING:
    import pytest

DOCS = (Path(__file__).parents[2] / "docs" / "validation.md").read_text(encoding="utf-8")
EXAMPLE = Path(__file__).parent / "example"


def test_the_transcript(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (shown,) = re.findall(r"(?m)^    \$ tallybook (.+)\n((?:    .*\n)+)", DOCS)
    shutil.copytree(EXAMPLE, tmp_path, dirs_exist_ok=True)
    monkeypatch.chdir(tmp_path)
    ended = CliRunner().invoke(app, shown[0].split())
    assert ended.exit_code == 1
    assert ended.stdout == re.sub(r"(?m)^    ", "", shown[1])


def test_the_checks_that_are_shown(declaration: dict[str, Any]) -> None:
    shown = "".join(re.findall(r"(?m)^    (\[checks\.[a-z]+\](?:.*\n)(?:    .*\n)*)", DOCS))
    checks = tomllib.loads(re.sub(r"(?m)^    ", "", shown))["checks"]
    assert len(checks) == 6
    declaration["factors"]["age"] = {"label": "Age", "levels": {}, "derive": {"from": "group", "map": {"a": "b"}}}
    assert len(Study.model_validate(declaration | {"checks": checks}).checks) == 6


def test_every_column_of_instruments_is_told() -> None:
    from analysis.validation.instruments import KINDS, shipped
    from schemas.frames import Responses

    for kind in KINDS:
        assert f"`{kind}`" in DOCS
        for column in shipped(kind).columns.keys() - Responses.to_schema().columns.keys():
            assert f"`{column}`" in DOCS, column


def test_every_kind_and_option_is_told() -> None:
    from schemas.study.checks import CompleteCheck, DriftCheck, EncodingCheck, ForeignKeyCheck, RateCheck, SecretsCheck

    for kind in (CompleteCheck, DriftCheck, EncodingCheck, ForeignKeyCheck, RateCheck, SecretsCheck):
        for setting in kind.model_fields:
            assert f"`{setting}`" in DOCS or setting == "where", setting
