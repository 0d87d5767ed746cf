"""The checks of a drafted study: the dump passes them, and what is missing of the next one is named."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.cli.app import main
from tallybook.study.loading import load

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

HEADER = "model,prompt_id,gender,run,response"
ROWS = [
    f"{model},{prompt},{gender},{run},Yes"
    for model in ("alpha", "beta", "gamma")
    for prompt, gender in (("p1", "female"), ("p2", "male"))
    for run in range(3)
]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    return tmp_path


def _run(monkeypatch: pytest.MonkeyPatch, *arguments: str) -> int:
    monkeypatch.setattr(sys, "argv", ["tallybook", *arguments])
    with pytest.raises(SystemExit) as ended:
        main()
    return int(ended.value.code or 0)


def _write(folder: Path, rows: Sequence[str], header: str = HEADER, name: str = "answers.csv") -> None:
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")


def _checks(folder: Path) -> dict[str, Any]:
    return {name: check.model_dump() for name, check in load(str(folder)).study.checks.items()}


def _without(rows: Sequence[str], *columns: int) -> list[str]:
    return [",".join(cell for place, cell in enumerate(row.split(",")) if place not in columns) for row in rows]


def test_a_model_that_is_missing_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(folder, ROWS)
    assert _run(monkeypatch, "init", "answers.csv") == 0
    assert list(_checks(folder)) == ["encoding", "requests", "secrets", "design"]
    assert _checks(folder)["design"]["values"] == {"model": ("alpha", "beta", "gamma"), "sample": 3}
    assert _run(monkeypatch, "validate", ".") == 0
    _write(folder, ROWS[:12])
    capsys.readouterr()
    assert _run(monkeypatch, "validate", ".") == 1
    told = capsys.readouterr().out
    assert "expected a response with model gamma, item p1, sample 0 [design]" in told
    assert "invalid: 6 errors, 1 warning; 1 file, 12 responses (12 ok)" in told


def test_a_key_in_a_text_is_told(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    _write(folder, ROWS)
    assert _run(monkeypatch, "init", "answers.csv") == 0
    _write(folder, [*ROWS[:-1], ROWS[-1].replace("Yes", "Yes itâ€™s sk-proj-" + "a1B2" * 10)])
    assert _run(monkeypatch, "validate", ".", "--fail-on", "warning") == 1
    told = capsys.readouterr().out
    assert "[secrets]" in told
    assert "[encoding]" in told


@pytest.mark.parametrize(
    ("rows", "header"),
    [
        (ROWS[1:], HEADER),  # a response is missing
        (ROWS[:-3], HEADER),  # a model has fewer prompts
        (["alpha,p1,female,0,Yes", "alpha,p1,female,1,Yes", "beta,p1,female,1,Yes"], HEADER),
        ([row.replace("gamma", "") for row in ROWS], HEADER),  # some have no model
    ],
)
def test_a_design_that_is_not_whole_is_not_checked(
    folder: Path, monkeypatch: pytest.MonkeyPatch, rows: Sequence[str], header: str
) -> None:
    _write(folder, rows, header)
    assert _run(monkeypatch, "init", "answers.csv") == 0
    assert list(_checks(folder)) == ["encoding", "requests", "secrets"]
    assert _run(monkeypatch, "validate", ".") == 0


def test_repetitions_that_are_numbered_as_they_come(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _write(folder, _without(ROWS, 3), "model,prompt_id,gender,response")
    assert _run(monkeypatch, "init", "answers.csv") == 0
    design = _checks(folder)["design"]
    assert (design["cross"], design["values"]["sample"]) == (("model", ("item", "gender"), "sample"), 3)
    assert _run(monkeypatch, "validate", ".") == 0
    _write(folder, _without(ROWS[:-1], 3), "model,prompt_id,gender,response")
    assert _run(monkeypatch, "validate", ".") == 1


def test_models_that_files_are_named_after(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number, model in enumerate(("alpha", "beta", "gamma")):
        _write(folder, _without(ROWS[6 * number : 6 * number + 6], 0), HEADER.partition(",")[2], f"runs/{model}.csv")
    assert _run(monkeypatch, "init", "runs", "--out", ".") == 0
    assert _checks(folder)["design"]["values"] == {"model": ("alpha", "beta", "gamma"), "sample": 3}
    assert _run(monkeypatch, "validate", ".") == 0
    (folder / "runs/beta.csv").unlink()
    assert _run(monkeypatch, "validate", ".") == 1


@pytest.mark.parametrize("parts", [1, 2, 6])
def test_models_that_folders_are_named_after(folder: Path, monkeypatch: pytest.MonkeyPatch, parts: int) -> None:
    header, rows = HEADER.partition(",")[2], _without(ROWS, 0)
    for number, model in enumerate(("alpha", "beta", "gamma")):
        for part in range(parts):
            of_model = rows[6 * number : 6 * number + 6]
            _write(folder, of_model[part::parts], header, f"runs/{model}/out{part}.csv")
    assert _run(monkeypatch, "init", "runs", "--out", ".") == 0
    study = load(str(folder)).study
    assert study.sources[0].files == ("runs/{model}/out0.csv" if parts == 1 else "runs/{model}/*.csv")
    assert list(study.factors["model"].levels) == ["alpha", "beta", "gamma"]
    assert ("design" in study.checks) == (parts == 1)
    assert _run(monkeypatch, "validate", ".") == 0
    if parts == 1:  # the column of repetitions is read, so that a model that has one twice is told
        assert study.key == ("model", "item", "sample")
        _write(folder, [*rows[:6], rows[0]], header, "runs/alpha/out0.csv")
        assert _run(monkeypatch, "validate", ".") == 1


def test_numbers_have_no_texts_to_be_checked(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = [row.replace("Yes", str(number % 7)) for number, row in enumerate(ROWS)]
    _write(folder, rows, HEADER.replace("response", "score"))
    assert _run(monkeypatch, "init", "answers.csv") == 0
    assert list(_checks(folder)) == ["design"]
    assert _run(monkeypatch, "validate", ".") == 0
