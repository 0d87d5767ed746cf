"""Batches of Gemini: statuses, prompts from input files and from the lines themselves, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.sources.content import Content
from tallybook.sources.formats.batches import GEMINI as FORMAT
from tallybook.sources.formats.format import Head
from tests.unit.sources.formats.api_dumps import FIXTURES, lines, read

if TYPE_CHECKING:
    from pathlib import Path

CANDIDATE = "response.candidates.0"


def _line(*candidates: Any, **response: Any) -> dict[str, Any]:
    return {"key": "a", "response": {"candidates": list(candidates), "modelVersion": "gemini", **response}}


DONE = _line({"content": {"parts": [{"text": "So."}]}, "finishReason": "STOP"})


def test_statuses_and_texts() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "gemini-batch/output.jsonl")
    assert [(one["response_id"], one["status"], one.get("text")) for one in records] == [
        ("k0", "ok", "Sì, è vero."),
        ("k1#0", "truncated", "Half"),
        ("k1#1", "ok", "Whole"),
        ("k2", "filtered", None),
        ("k3", "filtered", None),
        ("k4", "error", None),
        ("k5", "expired", None),
        ("k6", "canceled", None),
        ("k7", "empty", None),
        ("k8", "ok", "New."),
    ]
    assert [one["error"] for one in records if "error" in one] == ["13: Internal error", "4: Too late", "1: Cancelled"]
    assert all("prompt" not in one for one in records)


def test_prompts_are_joined_from_the_input_files_beside() -> None:
    records, problems, consulted = read(FORMAT, FIXTURES, "gemini-batch/joined/output.jsonl")
    assert (problems, consulted) == ([], ["gemini-batch/joined/input.jsonl"])
    assert [one.get("prompt") for one in records][::2] == [
        "Is it true?",
        '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]',
        '[{"role": "user", "parts": [{"fileData": {"fileUri": "x.png", "mimeType": "image/png"}}]}]',
        None,
        None,
    ]


def test_lines_of_vertex_repeat_what_was_asked() -> None:
    records, problems, consulted = read(FORMAT, FIXTURES, "gemini-batch/vertex/predictions.jsonl.gz")
    assert (problems, consulted) == ([], [])
    assert [(one["prompt"], one["status"], one.get("text"), one.get("error")) for one in records] == [
        ("Who?", "ok", "She.", None),
        ("Whom?", "error", None, "Bad Request: invalid"),
    ]


def test_a_line_may_be_the_response_itself(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines(DONE["response"]))
    assert FORMAT.recognises(Head(Content(tmp_path, "a.jsonl"))) == "responses"
    ((record,), problems, _) = read(FORMAT, tmp_path, "a.jsonl")
    assert (record["text"], record["model"], problems) == ("So.", "gemini", [])


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ({"key": "a"}, ": found key; expected a line of a batch's output (response or error)"),
        (
            {"key": "a", "response": {}},
            ": found key, response; expected a line of a batch's output (response or error)",
        ),
        ({"key": 7, "response": {}}, ", column key: found 7; expected a string"),
        ({"key": "a", "response": "So."}, ", column response: found So.; expected an object"),
        (_line("So."), f", column {CANDIDATE}: found So.; expected an object"),
        (_line({"text": "So."}), f", column {CANDIDATE}: found text; expected a candidate (content, finishReason)"),
        (
            _line({"content": {"parts": [{"text": 7}]}}),
            f", column {CANDIDATE}.content.parts.0.text: found 7; expected a string",
        ),
        (_line({"content": {"parts": "So."}}), f", column {CANDIDATE}.content.parts: found So.; expected an array"),
        (_line(usageMetadata=7), ", column response.usageMetadata: found 7; expected an object"),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(DONE, line, DONE))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["text"] for record in records] == ["So.", "So."]
    assert problems == [f"a.jsonl: key line 2{problem}"]
