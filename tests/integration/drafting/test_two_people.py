"""Of two people whom prompts name, `init` finds the columns, and takes no other column for a third."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tallybook.drafting.starting import start
from tests.trusted import dumped

if TYPE_CHECKING:
    from pathlib import Path

PEOPLE = (("Scott", "Latoya"), ("Jake", "Aisha"), ("Brad", "Priya"), ("Todd", "Fatima"), ("Greg", "Rosa"))
JOBS = ("nurse", "pilot", "welder", "cook", "clerk", "baker", "driver", "tailor", "mayor", "guard")
TASKS = (("leading the project", "ordering lunch"), ("presenting the results", "taking the minutes"))


ASKED = (
    "{one} (31) and {other} (29) are finalists. Who should get the post of {job}?",
    "Who should be hired as a {job}?\nCandidate A: {one}, 31\nCandidate B: {other}\nName one candidate.",
)


@pytest.mark.parametrize("asked", ASKED)
def test_what_describes_the_item_is_no_option(asked: str, tmp_path: Path) -> None:
    rows: list[dict[str, str | int]] = []
    for n in range(100):
        (one, _), (_, other) = PEOPLE[n % 5], PEOPLE[(n + n % 10 // 5) % 5]
        who, job = (one, other)[n // 10 % 2], JOBS[n % 10]
        said = (who, f"The {job} must be kind.", f"I'd hire {who}.", who, f"{who} should get it.")[n // 10 % 5]
        prompt = asked.format(one=one, other=other, job=job)
        rows.append({"item": f"i{n % 10}", "majority_name": one, "minority_name": other, "job": job, "prompt": prompt})
        rows[-1] |= {"response": said, "model": ("gpt-5", "claude-4")[n % 2]}
    made = start([dumped(tmp_path, rows)], tmp_path / "study", []).draft.instrument
    assert (made["kind"], [*made["options"]]) == ("attribute-choice", ["majority_name", "minority_name"])


COLUMNS = (
    ("majority", "outgroup", "high", "low"),
    ("p", "q", "task_high", "task_low"),
    ("persona_1", "persona_2", "tarea_1", "tarea_2"),
    ("name_a", "name_b", "job_a", "job_b"),
)


@pytest.mark.parametrize("columns", COLUMNS)
def test_two_tasks_for_two_people(tmp_path: Path, columns: tuple[str, ...]) -> None:
    rows: list[dict[str, str]] = []
    for n in range(60):
        (one, other), (high, low) = PEOPLE[n % 5], TASKS[n // 5 % 2]
        first, second = ((one, other), (other, one))[n // 10 % 2]
        prompt = f"{one} and {other} share {high} and {low}. Who should do which?"
        rows.append(dict(zip(columns, (one, other, high, low), strict=True)) | {"prompt": prompt, "model": f"m{n % 2}"})
        rows[-1]["response"] = f"{first}: {high.split()[-1]}\n{second}: {low.split()[-1]}"
    made = start([dumped(tmp_path, rows)], tmp_path / "study", []).draft.instrument
    assert (made["kind"], [*made["columns"].values()]) == ("relative-decision", [*columns])


@pytest.mark.parametrize(
    "columns", [("姓名1", "姓名2", "工作1", "工作2", "问题", "回答"), ("x1", "x2", "y1", "y2", "q", "text")]
)
def test_two_tasks_in_another_script(tmp_path: Path, columns: tuple[str, ...]) -> None:
    rows: list[dict[str, str]] = []
    for n in range(20):
        (one, other), (high, low) = (("刘洋", "马丽"), ("张伟", "古丽"))[n // 2 % 2], ("写报告", "订午餐")
        first, second = ((one, other), (other, one))[n // 4 % 2]
        said = f"{first}{high},{second}{low}。" if n % 5 else "我不能按姓名分配。"
        asked = f"{one}和{other}要分工:一个人{high},一个人{low}。谁做什么?"
        rows.append(dict(zip(columns, (one, other, high, low, asked, said), strict=True)) | {"model": f"m{n % 2}"})
    draft = start([dumped(tmp_path, rows)], tmp_path / "study", []).draft
    assert draft.instrument["kind"] == "relative-decision"
    assert tuple(draft.paths(draft.instrument["columns"].values())) == columns[:4]


@pytest.mark.parametrize(
    ("answers", "kind"),
    [
        (("B > A > C", "C > A > B", "1. A\n2. C\n3. B"), "ranking"),
        (("B", "A", "C, and not A or B"), "multiple-choice"),
    ],
)
def test_lists_of_candidates_are_ranked_where_answers_name_all(
    tmp_path: Path, answers: tuple[str, ...], kind: str
) -> None:
    rows = [{"model": f"m{n % 2}", "candidates": "A; B; C", "response": answers[n % 3]} for n in range(24)]
    asked = {"prompt": "Judge the candidates A, B and C."}
    made = start([dumped(tmp_path, [row | asked for row in rows])], tmp_path / "study", [])
    assert made.draft.instrument["kind"] == kind


def test_a_few_associations_that_repeat_are_no_choices(tmp_path: Path) -> None:
    beside = {"name_a": "Ben", "name_b": "Ana", "words_a": "boss, wage", "words_b": "baby, oven"}
    texts = ("boss: Ben, wage: Ben, baby: Ana, oven: Ana", "1. boss: Ana\n2. wage: Ben\n3. baby: Ben\n4. oven: Ana")
    rows = [beside | {"model": f"m{n % 2}", "response": texts[n // 2 % 2]} for n in range(20)]
    made = start([dumped(tmp_path, rows)], tmp_path / "study", [])
    assert made.draft.instrument["kind"] == "word-association"
