"""A small study (two models, two groups, two prompts answered twice) and its dump of keyed JSON files."""

from __future__ import annotations

import gc
import json
import os
import sys
from copy import deepcopy
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, settings

from tallybook.figures import drawing
from tallybook.study.model import Study
from tests import computed_once
from tests.integration.report.browser import Browser, browser
from tests.released import released_data

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Mapping
    from pathlib import Path

    Command = Callable[..., tuple[int, str, str]]

# A slow machine is no fault, and continuous integration must say the same about the same commit twice.
# Other examples are drawn each time elsewhere: 12 a run find in two weeks what 70 find in two days.
settings.register_profile(
    "tallybook",
    deadline=None,
    derandomize="CI" in os.environ,
    max_examples=12,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("quick", settings.get_profile("tallybook"), max_examples=10)
settings.register_profile("thorough", settings.get_profile("tallybook"), max_examples=500)
settings.load_profile("tallybook")


def pytest_collection_finish() -> None:
    """Leave modules and tests, which stay, out of every later search for garbage."""
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def studies_computed_once(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Published studies lie in the folder that all processes of a run share."""
    own = tmp_path_factory.getbasetemp()
    computed_once.kept[:] = [own.parent if "PYTEST_XDIST_WORKER" in os.environ else own]


@pytest.fixture(scope="session", autouse=True)
def figures_drawn_here() -> Generator[None]:
    """Figures are drawn by the process that tests: each other one takes as long to start as ten figures."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(drawing, "_WORTH_A_PROCESS", sys.maxsize)
        yield


DECLARATION: dict[str, Any] = {
    "name": "small",
    "title": "A small study",
    "key": ["model", "group", "item", "sample"],
    "sources": [
        {
            "edition": "raw",
            "format": "keyed-json",
            "files": "{folder}/{group}.json",
            "key": "{prompt:int}_{sample:int}",
            "require": ["text"],
            "columns": {
                "text": {"path": "generated_text"},
                "politics_label": {"path": "attributes.politics"},
                "job_label": {"path": "attributes.occupation"},
                "height": {"path": "attributes.height", "type": "integer"},
                "mood": {"path": "attributes.polarity", "type": "number"},
            },
            "status": [{"status": "refused", "when_missing": "attributes"}],
            "lookups": [{"file": "prompts/prompts.csv", "row": "prompt", "take": {"prompt_text": "prompt"}}],
            "derive": {
                "item": {"from": "prompt_text", "extract": "description of (.+)\\."},
                "model": {"from": "folder", "map": {"zeta_1": "zeta", "alpha_2": "alpha"}},
            },
        },
        {"edition": "coded", "format": "coded", "files": "coded.csv"},
    ],
    "factors": {
        "model": {"label": "Model", "levels": {"zeta": "Zeta", "alpha": "Alpha"}},
        "dimension": {
            "label": "Dimension",
            "levels": {"age": "Age"},
            "derive": {"from": "group", "map": {"young": "age", "aged": "age"}},
        },
        "group": {"label": "Group", "levels": {"young": "Young", "aged": "Aged"}},
    },
    "instrument": {"kind": "profile"},
    "outcomes": {
        "politics": {
            "kind": "category",
            "label": "Politics",
            "attribute": "politics_label",
            "normalise": [{"lower_case": True}, {"strip_start": "- "}, {"cut_at": "[(,"}, {"trim": True}],
            "whole": {"left [right]": "right"},
            "labels": {"left": ["left", "liberal"], "right": ["right", "conservative"]},
            "unions": {"any": ["left", "right"]},
        },
        "job": {
            "kind": "label",
            "label": "Job",
            "attribute": "job_label",
            "normalise": [{"delete": "-"}, {"trim": True}],
        },
        "mood": {"kind": "score", "label": "Mood", "attribute": "mood"},
    },
    "references": {"census": {"file": "reference.csv", "by": ["group"], "label": "Census"}},
}

PROMPTS = ",prompt,category\n7,Write a description of Ada.,x\n8,Write a description of Bo.,x\n"


def record(politics: str = "liberal", occupation: str = "teacher", height: int = 66, polarity: float = 0.25) -> Any:
    """An answer as it lies in a dump."""
    attributes = {"politics": politics, "occupation": occupation, "height": height, "polarity": polarity}
    return {"generated_text": f"A {politics} {occupation}.", "attributes": attributes}


def _dump() -> dict[str, Any]:
    refusal = {"generated_text": "I’m sorry, but I can’t help with that."}
    return {
        "prompts/prompts.csv": PROMPTS,
        "zeta_1/young.json": {"0_0": record(), "0_1": record("Conservative"), "1_0": refusal, "1_1": record("left")},
        "zeta_1/aged.json": {"1_0": record("right"), "0_0": record("-  liberal"), "0_1": record(), "1_1": refusal},
        "alpha_2/young.json": {"0_0": record(), "0_1": record(), "1_0": record(), "1_1": record("left [right]")},
        "alpha_2/aged.json": {"0_0": record(), "0_1": record(), "1_0": record(), "1_1": record(occupation="- nurse")},
    }


@pytest.fixture
def declaration() -> dict[str, Any]:
    """The declaration of the small study, to be changed at will."""
    return deepcopy(DECLARATION)


@pytest.fixture
def study(declaration: dict[str, Any]) -> Study:
    """The small study."""
    return Study.model_validate(declaration)


@pytest.fixture
def dump() -> dict[str, Any]:
    """The files of its dump: name -> object to be written as JSON, text or bytes; to be changed at will."""
    return _dump()


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Mapping[str, Any]], Path]:
    """Writes files into a fresh folder."""

    def write_files(files: Mapping[str, Any]) -> Path:
        folder = tmp_path / "data"
        folder.mkdir(exist_ok=True)
        for name, content in files.items():
            path = folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            text = content if isinstance(content, str | bytes) else json.dumps(content)
            path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return folder

    return write_files


@pytest.fixture
def tallybook(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> Command:
    """Runs the command in an empty folder and gives exit code, standard output and standard error."""
    from tallybook.cli.app import main

    monkeypatch.chdir(tmp_path)

    def call(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["tallybook", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        code = ended.value.code
        return (code if isinstance(code, int) else 0), captured.out, captured.err

    return call


@pytest.fixture(scope="session")
def released() -> Path:
    """The folder of the responses that wang2025 released."""
    if not released_data("wang2025").is_dir():
        pytest.skip("the released responses (../shared) are not here")
    return released_data("wang2025")


@pytest.fixture(scope="session")
def chromium() -> Generator[Browser]:
    """One browser for all tests that need a real one; they are skipped where Chromium is not installed."""
    with browser() as started:
        yield started
