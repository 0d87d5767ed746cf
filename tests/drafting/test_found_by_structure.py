"""Dumps whose columns are called in ways that no list knows: what `init` finds by how their values lie."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.drafting.starting import start
from tallybook.instruments.judge import JudgeInstrument
from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
from tests.trusted import computed

if TYPE_CHECKING:
    from pathlib import Path

    import polars as pl

    from tallybook.pipeline import Results

NAMES = ["Anna", "Bea", "Carl", "Dora", "Emil", "Fred"]


def drafted(folder: Path, rows: list[dict[str, Any]]) -> tuple[list[str], Results]:
    dump = folder / "dump.jsonl"
    dump.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    started = start([dump], folder / "study", [])
    return started.draft.doubts, computed(folder / "study")


def coded(results: Results) -> pl.DataFrame:
    return results.source.coded.lazy().collect()


@pytest.mark.parametrize("form", ["{}-{}", "{}/run_{}", "{}#{}"])
def test_names_of_items_that_number_their_repetitions(form: str, tmp_path: Path) -> None:
    rows = [
        {"custom_id": form.format(name, number), "model": "m", "response": ("Yes.", "No.")[(number + len(name)) % 2]}
        for name in NAMES
        for number in range(4)
    ]
    doubts, results = drafted(tmp_path, rows)
    assert results.loaded.study.cluster == "item"
    assert sorted(coded(results)["item"].unique()) == NAMES
    assert any("the 6 names before it are the items, asked 4 times each" in doubt for doubt in doubts)


def test_numbers_within_kinds_are_no_repetitions(tmp_path: Path) -> None:
    """Of three subjects with 20 questions each, every question is an item."""
    rows = [
        {"custom_id": f"{subject}-{number}", "model": "m", "response": ("Yes.", "No.")[number % 2]}
        for subject in ("law", "maths", "physics")
        for number in range(20)
    ]
    assert drafted(tmp_path, rows)[1].source.coded["item"].n_unique() == 60


def test_stories_that_mention_numbers_beside_a_verdict(tmp_path: Path) -> None:
    rows = [
        {
            "template_id": number,
            "group": group,
            "model": "m",
            "generation": f"The {group} person walked into the shop and bought item {7 * number}.",
            "judge_verdict": ("toxic", "fine", "fine")[(number + len(group)) % 3],
        }
        for number in range(20)
        for group in ("young", "old")
    ]
    _, results = drafted(tmp_path, rows)
    study = results.loaded.study
    assert isinstance(study.instrument, JudgeInstrument)
    assert study.cluster == "item"
    assert results.source.by_status["ok"] == 40


def test_groups_and_tasks_in_columns_of_their_own_names(tmp_path: Path) -> None:
    pairs = [(white, black) for white in ("Brad", "Emily", "Greg") for black in ("Jamal", "Keisha", "Tyrone")]
    rows = [
        {
            "person_white": white,
            "person_black": black,
            "task_high": "finance",
            "task_low": "cleaning",
            "model": "m",
            "run": run,
            "text": "{} should lead finance and {} should lead cleaning.".format(
                *((white, black) if (place + run) % 3 else (black, white))
            ),
        }
        for place, (white, black) in enumerate(pairs)
        for run in range(3)
    ]
    doubts, results = drafted(tmp_path, rows)
    assert isinstance(results.loaded.study.instrument, RelativeDecisionInstrument)
    assert coded(results)["discriminatory"].sum() == 18
    assert any("person_white is taken as the default group" in doubt for doubt in doubts)


def test_lists_of_records_are_no_texts(tmp_path: Path) -> None:
    """Two records of 20 questions each are not two responses."""
    rows = [
        {"model": model, "items": [{"prompt": f"How good is job {number}?", "reply": "5"} for number in range(20)]}
        for model in ("a", "b")
    ]
    with pytest.raises(UsageError, match="items holds lists of records: expected a record for each response"):
        drafted(tmp_path, rows)
