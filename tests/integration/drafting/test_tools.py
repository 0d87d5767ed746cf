"""The outputs of tools, and simulated dumps: a study that runs with no flags but the path."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Literal

import pytest
from typer.testing import CliRunner

from tallybook import load
from tallybook.cli.app import app
from tallybook.core.progress import Progress
from tallybook.drafting.starting import start
from tallybook.instruments.simulation.plan import planned, scenario
from tallybook.instruments.simulation.writing import write_dump
from tests.integration.report.test_rendered_again import with_one_figure
from tests.paths import DUMPS
from tests.trusted import computed, read

if TYPE_CHECKING:
    from pathlib import Path

FILES = (
    "inspect/words.eval",
    "inspect/words.json",
    "lm-eval",
    "helm",
    "openai-batch",
    "anthropic-batch/joined",
    "gemini-batch/joined",
    "bedrock-batch",
    "promptfoo/results.json",
    "promptfoo/results.jsonl",
    "langfuse/observations_v2.csv",
    "langfuse/observations_v2.parquet",
    "langfuse/ui.json",
    "langsmith/runs.json",
    "langsmith/runs.parquet",
)


@pytest.mark.parametrize("dump", FILES)
def test_a_study_that_runs(tmp_path: Path, dump: str) -> None:
    source = DUMPS / dump
    copied = tmp_path / source.name
    if source.is_dir():
        shutil.copytree(source, copied)
    else:
        shutil.copy(source, copied)
    started = start([copied], tmp_path / "study", [])
    results = computed(tmp_path / "study" / "study.toml")
    assert results.source.coded.height == started.rows > 0
    assert results.tables.tables
    assert set(results.source.coded.get_column("status")) <= {"ok", "partial", "refused", "invalid", "empty", "error"}


@pytest.mark.slow
def test_init_validate_and_report_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    run = CliRunner()
    assert run.invoke(app, ["init", str(DUMPS / "promptfoo" / "results.json")]).exit_code == 0
    study = tmp_path / "study.toml"
    study.write_text(with_one_figure(study.read_text(encoding="utf-8")), encoding="utf-8")
    data = ["--data", str(load(".").declared_data)]
    assert run.invoke(app, ["validate", ".", *data]).exit_code == 0
    assert run.invoke(app, ["report", ".", "--to", "html", "--engine", "embedded", *data]).exit_code == 0
    assert list((tmp_path / "out").glob("*/report/*.html"))


@pytest.mark.parametrize(
    ("instrument", "form"),
    [
        ("attribute-choice", "csv"), ("word-association", "jsonl"), ("absolute-decision", "parquet"),
        ("relative-decision", "jsonl"), ("profile", "csv"),
    ],
)  # fmt: skip
def test_a_simulated_dump(tmp_path: Path, instrument: str, form: Literal["csv", "jsonl", "parquet"]) -> None:
    plan = planned(scenario(instrument), rows=120, seed=1, models=2, effects=(0.5,), refusals=0.05, malformed=0.03)
    dump = tmp_path / f"dump.{form}"
    write_dump(plan, dump, form, Progress())
    started = start([dump], tmp_path / "study", [])
    assert started.draft.instrument["kind"] == instrument
    statuses = read(tmp_path / "study" / "study.toml").by_status
    assert statuses["ok"] > 0.7 * started.rows
