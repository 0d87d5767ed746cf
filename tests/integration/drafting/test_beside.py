"""Files of a dump that hold no answers are joined with those that do."""

from __future__ import annotations

import json
import re
import sqlite3
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.drafting.starting import start
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

PROMPTS = [
    (place, f"Should {('Ann', 'Bob')[place % 2]} be hired?", ("female", "male")[place % 2]) for place in range(8)
]
ANSWERS = [
    (place, model, again, ("Yes.", "No.")[(place + again) % 2])
    for place, _, _ in PROMPTS
    for model in ("orion", "vega")
    for again in range(3)
]


def _csv(path: Path, head: str, rows: Sequence[tuple[object, ...]]) -> None:
    path.write_text("\n".join([head, *(",".join(map(str, row)) for row in rows)]) + "\n", encoding="utf-8")


def _same_name(folder: Path) -> None:
    _csv(folder / "prompts.csv", "prompt_id,prompt,gender", PROMPTS)
    _csv(folder / "responses.csv", "prompt_id,model,run,response", ANSWERS)


def _an_id(folder: Path) -> None:
    _csv(folder / "items.csv", "id,prompt,gender", PROMPTS)
    _csv(folder / "outputs.csv", "prompt_id,model,run,response", ANSWERS)


def _json_lines(folder: Path) -> None:
    prompts = [{"prompt_id": place, "prompt": text, "gender": gender} for place, text, gender in PROMPTS]
    answers = [dict(zip(("prompt_id", "model", "run", "response"), row, strict=True)) for row in ANSWERS]
    for name, records in (("a_prompts", prompts), ("b_answers", answers)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, records)), encoding="utf-8")


def _answers_in_two_files(folder: Path) -> None:
    _csv(folder / "prompts.csv", "prompt_id,prompt,gender", PROMPTS)
    for model in ("orion", "vega"):
        rows = [row for row in ANSWERS if row[1] == model]
        _csv(folder / f"{model}.csv", "prompt_id,model,run,response", rows)


@pytest.mark.parametrize("write", [_same_name, _an_id, _json_lines, _answers_in_two_files])
def test_it_is_looked_up(tmp_path: Path, write: Callable[[Path], None]) -> None:
    (tmp_path / "dump").mkdir()
    write(tmp_path / "dump")
    started = start([tmp_path / "dump"], tmp_path, [])
    assert started.rows == len(ANSWERS)
    assert re.search(r"factor +gender ", started.found)
    assert any("holds no answers and is joined by prompt_id for gender" in one for one in started.draft.doubts)
    coded = read(tmp_path / "study.toml").coded
    assert coded.group_by("gender", "status").len().sort("gender").rows() == [("female", "ok", 24), ("male", "ok", 24)]
    assert coded.filter(pl.col("gender") == "male").select(pl.col("item").cast(pl.Int64) % 2).unique().item() == 1


def test_a_list_that_lacks_a_prompt_is_not_joined(tmp_path: Path) -> None:
    (tmp_path / "dump").mkdir()
    _csv(tmp_path / "dump" / "prompts.csv", "prompt_id,prompt,gender", PROMPTS[1:])
    _csv(tmp_path / "dump" / "responses.csv", "prompt_id,model,run,response", ANSWERS)
    started = start([tmp_path / "dump"], tmp_path, [])
    assert started.rows == len(ANSWERS)
    assert "lookups" not in started.draft.source
    said = f"prompts.csv lacks response and is left out, with {len(PROMPTS) - 1} records. See `lookups`."
    assert any(said in one for one in started.draft.doubts)


def test_answers_under_two_names_are_not_left_out(tmp_path: Path) -> None:
    (tmp_path / "dump").mkdir()
    for model, name in (("a", "response"), ("b", "reply")):
        rows = [row for row in ANSWERS if row[1] == ANSWERS[0][1]]
        _csv(tmp_path / "dump" / f"{model}.csv", f"prompt_id,model,run,{name}", rows)
    started = start([tmp_path / "dump"], tmp_path, [])
    assert any("its records count as empty responses." in one for one in started.draft.doubts)


def test_a_list_that_adds_nothing_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "dump").mkdir()
    _csv(tmp_path / "dump" / "prompts.csv", "prompt_id,prompt", [row[:2] for row in PROMPTS])
    _csv(tmp_path / "dump" / "responses.csv", "prompt_id,model,run,response", ANSWERS)
    started = start([tmp_path / "dump"], tmp_path, [])
    assert started.rows == len(ANSWERS)
    assert any("prompts.csv holds no answers and is left out." in one for one in started.draft.doubts)


@pytest.mark.parametrize("more", [(), ("CREATE TABLE runs (started TEXT)", "INSERT INTO runs VALUES ('today')")])
def test_tables_of_a_database_are_joined(tmp_path: Path, more: tuple[str, ...]) -> None:
    """Both tables have an `id`, which is that of a prompt in one only."""
    with sqlite3.connect(tmp_path / "a.db") as database:
        database.execute("CREATE TABLE completions (id INTEGER, prompt_id INTEGER, model TEXT, response TEXT)")
        database.execute("CREATE TABLE prompts (id INTEGER, prompt TEXT, gender TEXT)")
        rows = [(place, prompt, model, said) for place, (prompt, model, _, said) in enumerate(ANSWERS[::3])]
        database.executemany("INSERT INTO completions VALUES (?, ?, ?, ?)", rows)
        database.executemany(
            "INSERT INTO prompts VALUES (?, ?, ?)", [*PROMPTS, *[(9 + n, "?", "male") for n in range(9)]]
        )
        for statement in more:
            database.execute(statement)
    database.close()
    made = start([tmp_path / "a.db"], tmp_path / "study", []).draft
    coded = read(tmp_path / "study" / "study.toml").coded
    [lookup] = made.source["lookups"]
    assert (lookup["table"], lookup["on"]) == ("prompts", {"item": "id"})
    assert coded.group_by("model", "gender").len().get_column("len").to_list() == [4] * 4
    assert any(
        doubt.startswith("The table prompts holds no answers and is joined by prompt_id") for doubt in made.doubts
    )
    assert any("not runs:" in doubt for doubt in made.doubts) == bool(more)


@pytest.mark.parametrize(
    ("file", "key", "column", "said"),
    [
        ("models", "id", "model_id", ["gpt-4o", "llama-3-8b"]),
        ("models", "model_id", "model_id", ["gpt-4o", "llama-3-8b"]),
        ("engines", "id", "engine", ["first", "second"]),
        ("sizes", "model", "model", ["1", "2"]),
    ],
)
def test_models_are_called_as_a_list_of_them_names_them(
    tmp_path: Path, file: str, key: str, column: str, said: list[str]
) -> None:
    (tmp_path / "dump").mkdir()
    names = dict(enumerate(said if file != "sizes" else ["big", "small"], start=1))
    _csv(tmp_path / "dump" / f"{file}.csv", f"{key},{'size' if file == 'sizes' else 'name'}", [*names.items()])
    rows = [(number, 1 + (model == "vega"), item, text) for number, (item, model, _, text) in enumerate(ANSWERS[::3])]
    _csv(tmp_path / "dump" / "answers.csv", f"id,{column},case,reply", rows)
    started = start([tmp_path / "dump"], tmp_path, [])
    assert (started.rows, [*started.draft.factors["model"]["levels"]]) == (len(rows), said)


def test_questions_called_texts_beside_lists_of_samples(tmp_path: Path) -> None:
    (tmp_path / "dump").mkdir()
    _csv(tmp_path / "dump" / "prompts.csv", "prompt_id,text,gender", PROMPTS)
    rows = [{"model": m, "prompt_id": place, "samples": ["Yes.", "No.", "Yes"]} for m in "ov" for place in range(8)]
    (tmp_path / "dump" / "said.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    made = start([tmp_path / "dump"], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    assert [*made.factors] == ["model", "gender"]
    assert dict(coded.group_by("answer").len().iter_rows()) == {"yes": 32, "no": 16}
