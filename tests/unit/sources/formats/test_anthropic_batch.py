"""Results of message batches: statuses, what is joined from requests, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.sources.formats.batches import ANTHROPIC as FORMAT
from tests.unit.sources.formats.api_dumps import FIXTURES, lines, read

if TYPE_CHECKING:
    from pathlib import Path

DONE = {"custom_id": "done", "result": {"type": "succeeded", "message": {"content": [{"type": "text", "text": "So."}]}}}


def _succeeded(**message: Any) -> dict[str, Any]:
    return {"custom_id": "a", "result": {"type": "succeeded", "message": message}}


def test_statuses_and_texts() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "anthropic-batch/results.jsonl")
    assert {one["response_id"]: (one["status"], one.get("text")) for one in records} == {
        "q0": ("ok", "Both are equal."),
        "q1": ("ok", "Ça dépend 🙂."),
        "q2": ("refused", None),
        "q3": ("truncated", "A long"),
        "q4": ("empty", None),
        "q5": ("ok", "Stopped"),
        "q6": ("truncated", "Paused"),
        "q7": ("truncated", "Full"),
        "q8": ("ok", "New"),
        "q9": ("error", None),
        "q10": ("canceled", None),
        "q11": ("expired", None),
    }
    assert all("sample" not in record for record in records)


def test_prompts_are_joined_from_requests_beside() -> None:
    records, _, consulted = read(FORMAT, FIXTURES, "anthropic-batch/joined/results.jsonl")
    assert consulted == ["anthropic-batch/joined/requests.jsonl"]
    assert [(one["model"], one["params.model"], one["prompt"]) for one in records] == [
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "Is it so?"),
        (
            "claude-sonnet-4-5-20250929",
            "claude-sonnet-4-5",
            '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Is it not?"}]',
        ),
        ("claude-sonnet-4-5-20250929", "claude-sonnet-4-5", "Is it too late?"),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            {"custom_id": "a", "result": {"type": "skipped"}},
            ", column result.type: found skipped; expected one of succeeded, errored, canceled, expired",
        ),
        (
            {"custom_id": "a", "result": {}},
            ", column result.type: found null; expected one of succeeded, errored, canceled, expired",
        ),
        ({"custom_id": "a"}, ": found custom_id; expected a line of a batch's results (custom_id, result)"),
        ({"custom_id": "a", "result": "x"}, ", column result: found x; expected an object"),
        (_succeeded(id="m"), ", column result.message: found id; expected a message (content)"),
        (
            _succeeded(content=[{"type": "text", "text": 7}]),
            ", column result.message.content.0.text: found 7; expected a string",
        ),
        (
            _succeeded(content="So.", stop_reason=7),
            ", column result.message.stop_reason: found 7; expected a string",
        ),
        (
            {"custom_id": "a", "result": {"type": "errored", "error": "x"}},
            ", column result.error: found x; expected an object",
        ),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(DONE, line, DONE))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["text"] for record in records] == ["So.", "So."]
    assert problems == [f"a.jsonl: key line 2{problem}"]
