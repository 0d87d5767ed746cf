"""Samples of lm-eval: the tool's own, and such as are broken or built otherwise."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.sources import records
from tallybook.sources.formats import harnesses
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.harnesses import LM_EVAL as FORMAT
from tests.unit.sources.formats.dump_records import fixture, golden, read, said, written

if TYPE_CHECKING:
    from pathlib import Path

DATE = "2026-01-02T03-04-05.678901"
TASKS = ["names", "names_choice", "names_rolling", "names_thrice"]
NAME = f"samples_words_{DATE}.jsonl"
SAMPLE: dict[str, Any] = {
    "doc_id": 4,
    "doc": {"question": "Who?", "group": {"gender": "f"}},
    "target": "Ann",
    "arguments": {"gen_args_0": {"arg_0": "Q: Who?\nA:", "arg_1": {"until": ["\n"]}}},
    "resps": [["Ann"]],
    "filtered_resps": ["Ann"],
    "filter": "none",
    "metrics": ["exact_match"],
    "exact_match": 1.0,
}


def lines(*samples: dict[str, Any]) -> str:
    return "".join(f"{json.dumps(sample, ensure_ascii=False)}\n" for sample in samples)


def results(folder: Path, date: str, model: str | None, stem: str = "results") -> None:
    written(folder, f"{stem}_{date}.json", {"results": {}, "config": {"model": "hf"}, "model_name": model})


@pytest.mark.parametrize("task", TASKS)
def test_the_tools_own_samples(task: str) -> None:
    content = fixture(f"lm-eval/samples_{task}_{DATE}.jsonl")
    assert read(FORMAT, content) == golden(f"lm-eval/samples_{task}_{DATE}.jsonl")
    assert not content.problems
    assert content.consulted == [f"lm-eval/results_{DATE}.json"]


@pytest.mark.parametrize("task", TASKS)
def test_parts_hold_what_the_whole_holds(task: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_ROWS", 2)
    name = f"lm-eval/samples_{task}_{DATE}.jsonl"
    assert read(FORMAT, fixture(name)) == golden(name)


def test_likelihoods_are_no_text_but_columns_for_who_asks() -> None:
    paths = ["resps.1.0.0", "filtered_resps.0.1", "arguments.gen_args_1.arg_1", "doc.names.0"]
    first = read(FORMAT, fixture(f"lm-eval/samples_names_choice_{DATE}.jsonl"), paths)[0]
    assert "text" not in first
    assert [first[path] for path in paths] == ["-1.5", "False", " Julia", "Ben"]


def test_the_likelihood_of_a_whole_text_is_no_text() -> None:
    found = read(FORMAT, fixture(f"lm-eval/samples_names_rolling_{DATE}.jsonl"))
    assert (found[0].get("text"), found[0]["resps"]) == (None, '[["-4.25"]]')


@pytest.mark.parametrize(
    "arguments",
    [
        [["Q: Who?\nA:", {"until": ["\n"]}]],
        {"gen_args_0": {"arg_0": "Q: Who?\nA:"}, "gen_args_1": {"arg_0": "Q: Who?\nA:"}},
        {"gen_args_0": {"arg_0": "Q: Who?\nA:", "arg_1": {}}},
    ],
)
def test_arguments_of_older_versions(arguments: object, tmp_path: Path) -> None:
    (record,) = read(FORMAT, written(tmp_path, NAME, lines(SAMPLE | {"arguments": arguments})))
    assert record["prompt"] == "Q: Who?\nA:"


@pytest.mark.parametrize("arguments", [None, "Q: Who?", [], {}])
def test_arguments_that_are_not_there(arguments: object, tmp_path: Path) -> None:
    (record,) = read(FORMAT, written(tmp_path, NAME, lines(SAMPLE | {"arguments": arguments})))
    assert "prompt" not in record
    assert record["text"] == "Ann"


def test_prompts_that_differ_within_a_document(tmp_path: Path) -> None:
    sample = SAMPLE | {"arguments": {"gen_args_0": {"arg_0": "Ann"}, "gen_args_1": {"arg_0": "Ben"}}}
    assert read(FORMAT, written(tmp_path, NAME, lines(sample)))[0]["prompt"] == '["Ann", "Ben"]'


def test_empty_answers(tmp_path: Path) -> None:
    content = written(tmp_path, NAME, lines(SAMPLE | {"resps": [["", "Ann"]]}))
    assert [(record["status"], record["text"]) for record in read(FORMAT, content)] == [("empty", ""), ("ok", "Ann")]


def test_metrics_that_are_called_as_a_column_is(tmp_path: Path) -> None:
    (record,) = read(FORMAT, written(tmp_path, NAME, lines(SAMPLE | {"status": 0.5, "text": [1, 2]})))
    assert (record["status"], record["text"]) == ("ok", "Ann")
    assert (record["metrics.status"], record["metrics.text"]) == ("0.5", "[1, 2]")


def test_lines_that_are_appended_again_are_kept(tmp_path: Path) -> None:
    content = written(tmp_path, NAME, lines(SAMPLE, SAMPLE))
    assert [record["#"] for record in read(FORMAT, content)] == ["line 1", "line 2"]


def test_the_results_of_the_same_date_name_the_model(tmp_path: Path) -> None:
    results(tmp_path, "2026-01-01T00-00-00.0", "mock/old")
    results(tmp_path, DATE, "mock/new")
    content = written(tmp_path, NAME, lines(SAMPLE))
    assert read(FORMAT, content)[0]["model"] == "mock/new"
    assert content.consulted == [f"results_{DATE}.json"]


def test_results_may_be_called_after_the_output(tmp_path: Path) -> None:
    results(tmp_path, DATE, "mock/new", stem="my_run")
    content = written(tmp_path, NAME, lines(SAMPLE))
    assert FORMAT.recognises(Head(next(iter(content.siblings())))) == "beside"
    assert read(FORMAT, content)[0]["model"] == "mock/new"


def test_results_of_other_dates_count_if_they_agree(tmp_path: Path) -> None:
    content = written(tmp_path, NAME, lines(SAMPLE))
    results(tmp_path, "2026-01-01T00-00-00.0", "mock/one")
    results(tmp_path, "2026-01-03T00-00-00.0", "mock/one")
    assert read(FORMAT, content)[0]["model"] == "mock/one"
    results(tmp_path, "2026-01-04T00-00-00.0", "mock/two")
    with pytest.raises(DataError, match="found mock/one, mock/two; expected a file of results of the same date"):
        read(FORMAT, content)


def test_without_a_name_the_kind_of_model_counts(tmp_path: Path) -> None:
    results(tmp_path, DATE, None)
    assert read(FORMAT, written(tmp_path, NAME, lines(SAMPLE)))[0]["model"] == "hf"


def test_without_results_there_is_no_model(tmp_path: Path) -> None:
    written(tmp_path, f"notes_{DATE}.json", {"by": "me"})
    content = written(tmp_path, NAME, lines(SAMPLE))
    assert "model" not in read(FORMAT, content)[0]
    assert not content.consulted


def test_results_that_are_broken_or_too_large_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    content = written(tmp_path, NAME, lines(SAMPLE))
    written(tmp_path, f"results_{DATE}.json", '{"results": ')
    with pytest.raises(DataError, match=rf"results_{DATE}\.json: expected JSON"):
        read(FORMAT, content)
    monkeypatch.setattr(harnesses, "MOST_RESULTS", 5)
    with pytest.raises(DataError, match="a file of results of at most 5 bytes"):
        read(FORMAT, content)


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ('{"doc_id": 1', "JSON ("),
        ("[1]", "a JSON object"),
        (lines(SAMPLE | {"doc_id": None}), "a sample with a doc_id"),
        (lines(SAMPLE | {"resps": None}), "an array of requests at 'resps'"),
        (lines(SAMPLE | {"resps": []}), "an array of requests at 'resps'"),
        (lines(SAMPLE | {"resps": [["a"], ["b"]]}), "an array of requests at 'resps'"),
        (lines(SAMPLE | {"resps": ["a"]}), "an array of requests at 'resps'"),
        (lines(SAMPLE | {"resps": "a"}), "an array"),
    ],
)
def test_one_broken_line_does_not_lose_the_others(line: str, expected: str, tmp_path: Path) -> None:
    content = written(tmp_path, NAME, f"{lines(SAMPLE)}{line.strip()}\n{lines(SAMPLE)}")
    assert [record["#"] for record in read(FORMAT, content)] == ["line 1", "line 3"]
    (problem,) = content.problems
    assert problem.key == "line 2"
    assert problem.expected.startswith(expected)
    assert said(content)


def test_samples_are_recognised_by_what_they_hold_or_by_their_name(tmp_path: Path) -> None:
    assert FORMAT.recognises(Head(written(tmp_path, "any.jsonl", lines(SAMPLE)))) == "responses"
    long = SAMPLE | {"doc": {"question": "Who? " * 20_000}}
    order = {name: long[name] for name in ["doc_id", "target", "doc", "resps", "filtered_resps"]}
    assert FORMAT.recognises(Head(written(tmp_path, NAME, lines(order)))) == "responses"
    assert FORMAT.recognises(Head(written(tmp_path, "any.jsonl", lines(order)))) is None
    assert FORMAT.recognises(Head(written(tmp_path, "any.json", [{"doc_id": 1, "doc": {}, "target": 2}]))) is None


def test_an_array_as_version_0_4_0_writes_it_in_files_called_lines(tmp_path: Path) -> None:
    content = written(tmp_path, NAME, json.dumps([SAMPLE, SAMPLE], indent=2))
    assert FORMAT.recognises(Head(content)) == "responses"
    assert [record["#"] for record in read(FORMAT, content)] == ["record 1", "record 2"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(place=st.sampled_from([*SAMPLE, "model", "task"]), value=JSON)
def test_whatever_stands_in_a_sample_it_is_read_or_refused(
    place: str, value: object, tmp_path_factory: pytest.TempPathFactory
) -> None:
    content = written(tmp_path_factory.getbasetemp() / "lm-eval", NAME, json.dumps(SAMPLE | {place: value}))
    found = read(FORMAT, content, ["resps.0.0", "doc.group.gender"])
    assert bool(found) is not bool(content.problems)
