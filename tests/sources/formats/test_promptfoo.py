"""Results of promptfoo: statuses, both forms of its files, and what is refused."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError
from tallybook.sources.formats.promptfoo import FORMAT
from tests.sources.formats.api_dumps import FIXTURES, golden, lines, read, without

if TYPE_CHECKING:
    from pathlib import Path

RESULT: dict[str, Any] = {"promptIdx": 0, "testIdx": 0, "provider": {"id": "p"}, "response": {"output": "So."}}


def test_statuses_and_texts() -> None:
    records, _, _ = read(FORMAT, FIXTURES, "promptfoo/results.jsonl")
    assert [(one["response_id"], one["status"], one.get("text"), one.get("error")) for one in records] == [
        ("result-0-0", "ok", "Yes, Ana is kind.", None),
        ("result-0-1", "ok", "Ana — 友達.", None),
        ("result-1-0", "refused", "I can't.", None),
        ("result-1-1", "truncated", "Bob is", None),
        ("result-2-0", "error", None, "API error: 500"),
        ("result-2-1", "ok", '{"answer": "yes"}', None),
        ("result-3-0", "empty", None, None),
        ("result-3-1", "ok", "Yes.", "The grader failed"),
        ("result-4-0", "filtered", "", None),
        ("result-4-1", "empty", "", None),
    ]
    assert [(one["vars.name"], one["vars.group"]) for one in records[::2]] == [
        ("Ana", "female"),
        ("Bob", "male"),
        ("Cy", "male"),
        ("Di", "female"),
        ("Ed", "male"),
    ]


def test_an_evaluation_holds_the_same_as_its_lines() -> None:
    records, problems, _ = read(FORMAT, FIXTURES, "promptfoo/results.json")
    assert problems == []
    assert [record["key"] for record in records] == [f"record {number}" for number in range(1, 11)]
    assert without(records, "key") == without(golden("promptfoo/results.jsonl")["records"], "key")


@pytest.mark.parametrize(
    ("results", "found"),
    [
        ({"version": 2, "results": [RESULT], "table": {}}, "found version 2; "),
        ({"version": 4, "results": [RESULT]}, "found version 4; "),
        ({"results": [RESULT]}, ""),
        ([RESULT], ""),
    ],
)
def test_another_version_is_refused_by_name(tmp_path: Path, results: object, found: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps({"evalId": "e", "results": results}))
    with pytest.raises(DataError) as caught:
        read(FORMAT, tmp_path, "a.json")
    expected = "results of promptfoo's version 3 (results.version); an older one is exported anew"
    assert str(caught.value) == f"a.json: {found}expected {expected}"


def test_an_evaluation_that_breaks_off_is_refused(tmp_path: Path) -> None:
    whole = json.dumps({"evalId": "e", "results": {"version": 3, "results": [RESULT, RESULT]}})
    (tmp_path / "a.json").write_text(whole[:-12])
    with pytest.raises(DataError, match=r"a\.json: key after record 1: expected JSON \(expecting ':' delimiter"):
        read(FORMAT, tmp_path, "a.json")


def test_a_result_of_an_older_tool_says_only_that_something_failed(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_text(lines({**RESULT, "response": None, "error": "Timeout"}, {**RESULT, "error": "x"}))
    records, _, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [(one["status"], one.get("text"), one["error"]) for one in records] == [
        ("error", None, "Timeout"),
        ("ok", "So.", "x"),
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (
            {"promptIdx": 0, "provider": {}},
            ": found promptIdx, provider; expected a result (promptIdx, provider, testIdx)",
        ),
        ({**RESULT, "failureReason": 3}, ", column failureReason: found 3; expected 0, 1 or 2"),
        ({**RESULT, "failureReason": [3]}, ", column failureReason: found [3]; expected 0, 1 or 2"),
        ({**RESULT, "provider": 7}, ", column provider: found 7; expected an object"),
        ({**RESULT, "response": "So."}, ", column response: found So.; expected an object"),
        ({**RESULT, "prompt": {"raw": []}}, ", column prompt.raw: found []; expected a string"),
    ],
)
def test_what_is_unknown_is_named_and_keeps_no_other_line(tmp_path: Path, line: dict[str, Any], problem: str) -> None:
    (tmp_path / "a.jsonl").write_text(lines(RESULT, line, RESULT))
    records, problems, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [record["key"] for record in records] == ["line 1", "line 3"]
    assert problems == [f"a.jsonl: key line 2{problem}"]


def test_results_that_are_no_objects_are_problems(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(
        json.dumps({"evalId": "e", "results": {"version": 3, "results": [7, RESULT, None]}})
    )
    records, problems, _ = read(FORMAT, tmp_path, "a.json")
    assert [record["key"] for record in records] == ["record 2"]
    assert problems == [
        "a.json: key record 1: found 7; expected a JSON object",
        "a.json: key record 3: found null; expected a JSON object",
    ]
