"""Dumps whose levels stand in no column: nested JSON, and folders with an answer a file."""

from __future__ import annotations

import json
from itertools import count, product
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.drafting.starting import start
from tests.trusted import read

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.drafting.starting import Started

JOBS = ("nurse", "pilot", "clerk", "cook")
MODELS = ("gpt-4o", "llama3-70b")
SAID = ("Yes.", "No.", "Yes, I would.", "I'm sorry, but I can't help with that.")


def begun(tmp_path: Path, files: dict[str, str]) -> tuple[Started, pl.DataFrame]:
    for name, text in files.items():
        path = tmp_path / "dump" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    started = start([tmp_path / "dump"], tmp_path / "study", [])
    return started, read(started.files[0]).coded


def said() -> Any:
    return (SAID[number * 3 % 4] for number in count())


def by_prompt(models: tuple[str, ...] = MODELS) -> Any:
    answers = said()
    return {model: {f"Hire the {job}?": [next(answers) for _ in range(3)] for job in JOBS} for model in models}


def test_prompts_of_models(tmp_path: Path) -> None:
    started, coded = begun(tmp_path, {"a.json": json.dumps(by_prompt())})
    assert started.draft.instrument["kind"] == "absolute-decision"
    assert coded.group_by("model").len().sort("model").rows() == [("gpt-4o", 12), ("llama3-70b", 12)]
    assert coded.get_column("item").n_unique() == 4
    assert sorted(coded.get_column("sample").unique()) == [0, 1, 2]
    assert coded.filter(status="refused").height == 6
    assert any("is read as the model" in doubt for doubt in started.draft.doubts)


def test_three_levels_and_records_within(tmp_path: Path) -> None:
    answers = said()
    found = {
        model: {group: {job: {"answer": next(answers), "tokens": 3} for job in JOBS} for group in ("men", "women")}
        for model in MODELS
    }
    started, coded = begun(tmp_path, {"a.json": json.dumps(found)})
    assert list(started.draft.factors) == ["model", "level_2"]
    assert (coded.height, coded.get_column("item").n_unique()) == (16, 4)
    assert sorted(coded.get_column("text").unique()) == sorted(SAID)


def test_models_within_prompts_that_no_name_is_known_of(tmp_path: Path) -> None:
    answers = said()
    found = {f"Hire the {job}?": {model: next(answers) for model in ("orion", "vega")} for job in JOBS}
    _, coded = begun(tmp_path, {"a.json": json.dumps(found)})
    assert coded.group_by("model").len().sort("model").rows() == [("orion", 4), ("vega", 4)]


def test_a_nested_file_a_model(tmp_path: Path) -> None:
    started, coded = begun(tmp_path, {f"{one}.json": json.dumps(by_prompt((one,))[one]) for one in MODELS})
    assert started.draft.source["files"] == "{model}.json"
    assert coded.group_by("model").len().sort("model").rows() == [("gpt-4o", 12), ("llama3-70b", 12)]


def test_an_answer_a_file(tmp_path: Path) -> None:
    answers = said()
    cells = product(("gpt-4", "llama-3"), ("john", "mary"), JOBS, (1, 2, 3))
    files = {f"{model}/{name}_{job}_{run}.txt": f"{next(answers)}\n" for model, name, job, run in cells}
    started, coded = begun(tmp_path, files | {"README.txt": "What was asked."})
    assert started.draft.source["files"] == "{model}/{name_1}_{name_2}_{sample:int}.txt"
    assert {name: len(one["levels"]) for name, one in started.draft.factors.items()} == {
        "model": 2,
        "name_1": 2,
        "name_2": 4,
    }
    assert (coded.height, coded.filter(status="refused").height) == (48, 12)
    assert "README.txt: no records in a known format" in started.found


@pytest.mark.parametrize(("answer", "kind"), [("{}", "rating"), ("${}0,000", "number")])
def test_a_number_a_file(tmp_path: Path, answer: str, kind: str) -> None:
    cells = product(MODELS, range(12))
    files = {f"{model}/q{item:02}.txt": answer.format(1 + item * 3 % 5) for model, item in cells}
    started, coded = begun(tmp_path, files)
    assert started.draft.instrument["kind"] == kind
    assert (coded.height, coded.get_column("item").n_unique()) == (24, 12)


@pytest.mark.parametrize(
    "found",
    [
        {"train": {"rate": 0.1, "name": "a"}, "data": {"path": "b"}},
        {"name": "x", "scripts": {"test": "pytest", "build": "make"}},
        {"a": {"b": {"c": "d"}}, "e": {"f": "g"}},
        {"q1": "Yes."},
    ],
)
def test_settings_are_no_dump(tmp_path: Path, found: dict[str, Any]) -> None:
    (tmp_path / "a.json").write_text(json.dumps(found))
    with pytest.raises(UsageError, match="a file of a known format"):
        start([tmp_path / "a.json"], tmp_path / "study", [])


def test_a_text_alone_is_no_dump(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Yes.")
    with pytest.raises(UsageError, match="a file of a known format"):
        start([tmp_path / "a.txt"], tmp_path / "study", [])
