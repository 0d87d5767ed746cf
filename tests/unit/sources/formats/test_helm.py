"""Runs of HELM: files written after its data classes, and such as are broken or built otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources import json_stream, records
from tallybook.sources.formats import chat
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.harnesses import HELM as FORMAT
from tests.unit.sources.formats.dump_records import fixture, golden, read, said, written

if TYPE_CHECKING:
    from pathlib import Path

STATE = "scenario_state.json"
COMPLETIONS = ", column result.completions: found Ann; expected"
REQUEST: dict[str, Any] = {
    "instance": {"input": {"text": "Who?"}, "references": [], "split": "test", "id": "id4"},
    "train_trial_index": 0,
    "request": {"model": "mock/one", "prompt": "Q: Who?", "num_completions": 1},
    "result": {"success": True, "embedding": [], "completions": [{"text": "Ann", "logprob": 0, "tokens": []}]},
}


def state(folder: Path, *requests: Any) -> Any:
    return written(folder, STATE, {"adapter_spec": {"model": "mock/spec"}, "request_states": requests})


def one(folder: Path, **changes: Any) -> dict[str, str]:
    content = state(folder, REQUEST | changes)
    (record,) = read(FORMAT, content)
    assert not content.problems
    return record


def test_a_run() -> None:
    content = fixture(f"helm/{STATE}")
    assert read(FORMAT, content) == golden(f"helm/{STATE}")
    assert not content.problems
    assert content.consulted == ["helm/run_spec.json"]


def test_tokens_are_passed_over() -> None:
    assert not [
        name for record in read(FORMAT, fixture(f"helm/{STATE}")) for name in record if "token" in name.split(".")
    ]


@pytest.mark.parametrize("chunk", [1, 7, 2**10])
def test_parts_hold_what_the_whole_holds(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_stream, "_CHUNK", chunk)
    monkeypatch.setattr(records, "MOST_ROWS", 2)
    assert read(FORMAT, fixture(f"helm/{STATE}")) == golden(f"helm/{STATE}")


def test_columns_that_are_asked_for_are_looked_up() -> None:
    paths = ["instance.references.1.output.text", "request.stop_sequences.0", "result.completions.0.tokens.0.text"]
    first = read(FORMAT, fixture(f"helm/{STATE}"), paths)[0]
    assert [first[path] for path in paths] == ["Julia", "\n", "Julia"]


@pytest.mark.parametrize(
    ("reason", "status"),
    [*chat.STATUS.items(), ("MAX_TOKENS", "truncated"), ("SAFETY", "filtered"), ("wandered_off", "ok"), (None, "ok")],
)
def test_finish_reasons(reason: str | None, status: str, tmp_path: Path) -> None:
    finish = {"finish_reason": {"reason": reason}} if reason else {}
    completion = {"text": "Ann", "logprob": 0, "tokens": []} | finish
    record = one(tmp_path, result={"success": True, "completions": [completion]})
    assert (record["status"], record.get("stop_reason"), record["text"]) == (status, reason, "Ann")


@pytest.mark.parametrize(
    ("result", "status"),
    [
        (None, "canceled"),
        ({"success": True, "completions": []}, "empty"),
        ({"success": True, "completions": [{"text": ""}]}, "empty"),
        ({"success": True, "completions": [{"text": "", "finish_reason": {"reason": "length"}}]}, "truncated"),
        ({"success": False, "completions": [], "error": "busy"}, "error"),
        ({"success": False, "completions": []}, "error"),
        ({"success": False, "completions": [{"text": ""}], "error": "Content blocked: 3"}, "filtered"),
        ({"success": False, "completions": [], "error": "Prompt blocked by OpenAI's safety filter"}, "filtered"),
    ],
)
def test_statuses(result: dict[str, Any] | None, status: str, tmp_path: Path) -> None:
    record = one(tmp_path, result=result)
    assert (record["status"], record.get("error")) == (status, (result or {}).get("error"))
    assert record.get("text") == ("" if result and result["completions"] and status == "empty" else None)


def test_repetitions_count_over_trials_and_completions(tmp_path: Path) -> None:
    completions = [{"text": "Ann"}, {"text": "Ben"}]
    request = REQUEST["request"] | {"num_completions": 2}
    again = REQUEST | {"request": request, "train_trial_index": 1}
    full = again | {"result": {"success": True, "completions": completions}}
    content = state(tmp_path, full | {"train_trial_index": 0}, full)
    assert [record["sample"] for record in read(FORMAT, content)] == ["0", "1", "2", "3"]


def test_the_model_of_the_run_where_requests_name_none(tmp_path: Path) -> None:
    assert one(tmp_path, request={"prompt": "Q: Who?"})["model"] == "mock/spec"


def test_a_run_spec_that_is_broken_is_refused(tmp_path: Path) -> None:
    content = state(tmp_path, REQUEST)
    written(tmp_path, "run_spec.json", '{"name": ')
    with pytest.raises(DataError, match=r"run_spec\.json: expected JSON"):
        read(FORMAT, content)


@pytest.mark.parametrize(
    ("request_state", "expected"),
    [
        ("Ann", ": found Ann; expected a JSON object"),
        ({}, ": expected objects at 'request' and 'instance'"),
        (REQUEST | {"request": "Who?"}, ", column request: found Who?; expected an object"),
        (REQUEST | {"result": {"choices": []}}, ": expected 'success' and 'completions' in an object at 'result'"),
        (REQUEST | {"result": {"success": True, "completions": "Ann"}}, f"{COMPLETIONS} an array"),
        (REQUEST | {"result": {"success": True, "completions": ["Ann"]}}, f"{COMPLETIONS} an object"),
        (
            REQUEST | {"result": {"success": True, "completions": [{}]}},
            ": expected 'text' in each of 'result.completions'",
        ),
        (
            REQUEST | {"instance": {"id": "a", "references": ["Ann"]}},
            ", column instance.references: found Ann; expected an object",
        ),
    ],
)
def test_one_broken_request_does_not_lose_the_others(request_state: Any, expected: str, tmp_path: Path) -> None:
    content = state(tmp_path, REQUEST, request_state, REQUEST)
    assert [record["#"] for record in read(FORMAT, content)] == ["request 1", "request 3"]
    assert said(content) == [f"{STATE}: key request 2{expected}"]


def test_a_file_that_is_cut_off_keeps_what_was_wrong_before(tmp_path: Path) -> None:
    text = json.dumps({"adapter_spec": {}, "request_states": [REQUEST, {}, REQUEST]})
    content = written(tmp_path, STATE, text[:-20])
    with pytest.raises(DataError, match=rf"{STATE}: key after request 2: expected JSON \("):
        read(FORMAT, content)
    assert [problem.key for problem in content.problems] == ["request 2"]


@pytest.mark.parametrize("states", [{}, {"request_states": []}, {"request_states": None}, {"request_states": {"a": 1}}])
def test_a_run_without_requests_is_refused(states: dict[str, Any], tmp_path: Path) -> None:
    with pytest.raises(DataError, match="at least one request in an array at 'request_states'"):
        read(FORMAT, written(tmp_path, STATE, {"adapter_spec": {}} | states))


def test_the_files_of_a_run_are_recognised_by_name_and_content(tmp_path: Path) -> None:
    assert FORMAT.recognises(Head(written(tmp_path, "stats.json", []))) == "beside"
    assert FORMAT.recognises(Head(written(tmp_path, "stats.json", [{"mean": 1}]))) is None
    assert FORMAT.recognises(Head(written(tmp_path, "other.json", {"adapter_spec": {}}))) is None
    long = {"adapter_spec": {"instructions": "Think. " * 10_000}, "request_states": []}
    assert FORMAT.recognises(Head(written(tmp_path, STATE, long))) == "responses"


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(place=st.sampled_from([*REQUEST, "annotations", "output_mapping", "reference_index"]), value=JSON)
def test_whatever_stands_in_a_request_it_is_read_or_refused(
    place: str, value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = state(tmp_path_factory.getbasetemp() / "helm", REQUEST | {place: value})
    found = read(FORMAT, content, ["instance.references.0.output.text"])
    assert bool(found) is not bool(content.problems)
