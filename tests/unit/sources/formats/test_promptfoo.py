"""Results of promptfoo: statuses, both forms of its files, and what is refused."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError
from tallybook.sources.formats.promptfoo import FORMAT
from tests.unit.sources.formats.api_dumps import FIXTURES, golden, lines, read, without

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


def test_the_label_of_a_provider_is_the_model_and_repeated_tests_are_one_item(tmp_path: Path) -> None:
    asked = {"prompt": {"raw": "Hire Ana?", "label": "Hire {{name}}?"}, "vars": {"name": "Ana"}}
    (tmp_path / "a.jsonl").write_text(
        lines(*({**RESULT, **asked, "testIdx": place, "provider": PROVIDERS[place]} for place in range(4)))
    )
    records, _, _ = read(FORMAT, tmp_path, "a.jsonl")
    assert [one["model"] for one in records] == ["hot", "cold", "openai:gpt", "openai:gpt"]
    assert {one["item"] for one in records} == {'Hire {{name}}? {"name": "Ana"}'}


PROVIDERS: list[Any] = [
    {"id": "openai:gpt", "label": "hot"},
    {"id": "openai:gpt", "label": "cold"},
    {"id": "openai:gpt", "label": ""},
    "openai:gpt",
]


def test_the_tools_own_table() -> None:
    records, problems, _ = read(FORMAT, FIXTURES, "promptfoo/table.csv")
    assert problems == []
    assert len(records) == 8 * 4
    counts = Counter((one["model"], one["status"]) for one in records)
    assert counts == {("gpt-4o", "ok"): 16, ("gpt-4o-hot", "ok"): 12, ("gpt-4o-hot", "error"): 4}
    assert {one["vars.name"] for one in records} == {"Ana", "Bob", "Eve", "Joe"}
    assert len({one["item"] for one in records}) == 4 * 2
    assert (records[2]["text"], records[2]["score"]) == ("No, I would not hire Ana.", "0.00")
    assert (records[2]["prompt.label"], records[2]["key"]) == ("short", "row 2, [gpt-4o-hot] short")


def test_a_table_of_an_older_version_and_cells_that_are_escaped(tmp_path: Path) -> None:
    old = 'Description,name,[gpt] Hire?\n,Ana,"[FAIL] (0.00, tone: 1.00)\n\nNo.\n\nWhy?\n\nFail Reason: it\nis"\n'
    web = "name,[gpt] Hire?\nAna,[PASS] Yes.\nBob,[ERROR] \nCy,\nDi,what\n"
    new = "name,[gpt] Hire?,Status,Score,Metric: tone\nAna,'- Yes,PASS,1.00,0.50\nBob,'tis so,FAIL,0,\n"
    for name, text in (("old", old), ("web", web), ("new", new)):
        (tmp_path / f"{name}.csv").write_text(text)
    (record,), _, _ = read(FORMAT, tmp_path, "old.csv")
    assert [record[name] for name in ("text", "score", "gradingResult.reason")] == ["No.\n\nWhy?", "0.00", "it\nis"]
    records, problems, _ = read(FORMAT, tmp_path, "web.csv")
    assert [(one.get("text"), one["status"]) for one in records] == [("Yes.", "ok"), (None, "error")]
    assert problems == [
        "web.csv: key row 5, column [gpt] Hire?: found what; expected an answer behind [PASS], [FAIL] or [ERROR]"
    ]
    records, _, _ = read(FORMAT, tmp_path, "new.csv")
    assert [one["text"] for one in records] == ["- Yes", "'tis so"]
    assert records[0]["namedScores.tone"] == "0.50"
