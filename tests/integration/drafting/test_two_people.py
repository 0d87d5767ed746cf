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


@pytest.mark.parametrize("columns", [("majority", "outgroup", "high", "low"), ("p", "q", "task_high", "task_low")])
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
