"""Tools whose formats are lists of columns, and annotations: small records as the tools write them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect, format_by_name
from tests.unit.sources.formats.tool_records import ASKED, BODY, EVENT, FILES, WEAVE, webui

if TYPE_CHECKING:
    from pathlib import Path


def read(path: Path) -> tuple[str, list[dict[str, Any]]]:
    content = Content(path.parent, path.name)
    told = detect(content)
    assert told is not None
    parts = [
        part.cells.rename(dict(zip(part.cells.columns, part.header, strict=True))) for part in told.format.read(content)
    ]
    assert content.problems == []
    return told.format.name, pl.concat(parts, how="diagonal").to_dicts()


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_records(tmp_path: Path, name: str, form: str) -> None:
    kind, records, expected = FILES[name]
    path = tmp_path / f"a.{form}"
    if form == "json" and kind == "openai-evals":
        pytest.skip("its logs are lines")
    path.write_text(json.dumps(records) if form == "json" else "\n".join(map(json.dumps, records)))
    found, rows = read(path)
    assert (found, [(row["model"], row.get("text"), row["status"]) for row in rows]) == (kind, expected)
    assert all(row.get("prompt") in {None, "Hire?"} for row in rows)


def test_tables_of_langsmith_and_weave(tmp_path: Path) -> None:
    run = {"id": "1", "run_type": "llm", "trace_id": "t", "inputs": {"messages": ASKED}, "outputs": BODY}
    call = WEAVE | {"inputs": {"model": "m", "messages": ASKED}, "output": BODY}
    for name, record in (("langsmith", run | {"status": "success", "error": ""}), ("weave", call)):
        with (tmp_path / f"{name}.csv").open("w", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(record)
            writer.writerow([value if isinstance(value, str) else json.dumps(value) for value in record.values()])
        found, rows = read(tmp_path / f"{name}.csv")
        assert (found, [row["text"] for row in rows]) == (name, ["Yes.", "No, be"])


def test_people_who_answered(tmp_path: Path) -> None:
    answers = [{"value": "fair", "user_id": "1"}, {"value": "biased", "user_id": "2"}]
    record = {"id": "r1", "fields": {"response": "He is kind."}, "metadata": {"model": "m"}, "suggestions": {}}
    (tmp_path / "a.json").write_text(json.dumps([record | {"responses": {"bias": answers}}]))
    result = [{"from_name": "bias", "to_name": "t", "type": "choices", "value": {"choices": ["fair"]}}]
    people = [{"completed_by": 1, "result": result}, {"completed_by": {"id": 2}, "result": result}]
    people += [{"completed_by": 3, "result": [], "was_cancelled": True}]
    (tmp_path / "b.json").write_text(
        json.dumps([{"id": 7, "data": {"response": "He is kind."}, "annotations": people}])
    )
    kind, rows = read(tmp_path / "a.json")
    assert (kind, [(row["annotator"], row["label.bias"]) for row in rows]) == (
        "argilla",
        [("1", "fair"), ("2", "biased")],
    )
    flat = {
        "id": "r1",
        "_server_id": "s",
        "identity": "nurse",
        "response": "He is kind.",
        "bias.suggestion": "fair",
        "bias.responses": ["fair", "biased"],
    }
    flat |= {"bias.responses.users": ["1", "2"], "bias.responses.status": ["submitted"] * 2}
    (tmp_path / "flat.jsonl").write_text(json.dumps(flat))
    kind, rows = read(tmp_path / "flat.jsonl")
    assert (kind, [(row["annotator"], row["label.bias"], row["response"]) for row in rows]) == (
        "argilla",
        [("1", "fair", "He is kind."), ("2", "biased", "He is kind.")],
    )
    assert ([row["identity"] for row in rows], "_server_id" in rows[0]) == (["nurse"] * 2, False)
    kind, rows = read(tmp_path / "b.json")
    assert (kind, [(row["annotator"], row["label.bias"]) for row in rows]) == (
        "label-studio",
        [("1", "fair"), ("2", "fair")],
    )


def test_simple_evals(tmp_path: Path) -> None:
    path = tmp_path / "mmlu_gpt-4o_20260101_101010_allresults.json"
    talks = [[*ASKED, {"role": "assistant", "content": text}] for text in ("Yes.", "No.")]
    path.write_text(json.dumps({"score": 0.5, "metrics": {}, "htmls": ["<p>"], "convos": talks, "metadata": None}))
    kind, rows = read(path)
    assert (kind, [(row["model"], row["task"], row["text"]) for row in rows]) == (
        "simple-evals",
        [("gpt-4o", "mmlu", "Yes."), ("gpt-4o", "mmlu", "No.")],
    )
    (tmp_path / "mmlu_gpt-4o_20260101_101010.json").write_text('{"score:std": 0.1, "score": 0.5}')
    metrics = detect(Content(tmp_path, "mmlu_gpt-4o_20260101_101010.json"))
    assert metrics is not None
    assert (metrics.format.name, metrics.role) == ("simple-evals", "beside")


def test_conversations_keep_their_turns_and_branches(tmp_path: Path) -> None:
    talk = {name: webui(name, *said) for name, said in (("q", (None, "user")), ("a", ("q", "assistant")))}
    talk["q"]["content"], talk["a"]["content"] = "Hire?", "Yes."
    talk["again"] = webui("again", "q", "assistant", content="No.")
    talk["why"] = webui("why", "a", "user", content="Why?")
    talk["so"] = webui("so", "why", "assistant", content="So.")
    chat = {"id": "1", "user_id": "u", "title": "t", "chat": {"history": {"messages": talk}}}
    (tmp_path / "a.json").write_text(json.dumps([chat]))
    _, rows = read(tmp_path / "a.json")
    assert [(row["text"], row["turn"], row["sample"], row["item"]) for row in rows] == [
        ("Yes.", "1", "0", "1"),
        ("No.", "1", "1", "1"),
        ("So.", "2", "0", "1"),
    ]
    assert json.loads(rows[2]["prompt"]) == [
        {"role": role, "content": said} for role, said in (("user", "Hire?"), ("assistant", "Yes."), ("user", "Why?"))
    ]


DAMAGED = {
    "a batch of spans is a number": ("otel", {"resourceSpans": [{"scopeSpans": [-1]}]}, "scopeSpans"),
    "batches are no list": ("otel", {"resourceSpans": [{"scopeSpans": 1}]}, "scopeSpans"),
    "scores are no object": ("openai-evals", EVENT | {"type": "match", "data": 1}, "data"),
}


@pytest.mark.parametrize("name", DAMAGED)
def test_damaged_records_are_told(tmp_path: Path, name: str) -> None:
    form, record, column = DAMAGED[name]
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    content = Content(tmp_path, "a.jsonl")
    assert [part.height for part in format_by_name(form).read(content, []) if part.height] == []
    assert [(problem.key, problem.column) for problem in content.problems] == [("line 1", column)]


SPAN_ALONE = {"name": "c", "span_kind": "LLM", "context.span_id": "1", "status_code": "OK"}


UNTYPED: dict[str, Any] = {**EVENT, "type": [], "data": {}}


@pytest.mark.parametrize("record", [SPAN_ALONE, UNTYPED])
def test_spans_without_attributes_and_events_without_a_type_end_nothing(tmp_path: Path, record: dict[str, Any]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    content = Content(tmp_path, "a.jsonl")
    form = "otel" if "name" in record else "openai-evals"
    assert sum(part.height for part in format_by_name(form).read(content, [])) == ("name" in record)
    assert content.problems == []


def test_opencompass(tmp_path: Path) -> None:
    path = tmp_path / "predictions" / "llama" / "bias_0.json"
    path.parent.mkdir(parents=True)
    asked = [{"role": "HUMAN", "prompt": "Hire?"}]
    path.write_text(
        json.dumps({str(place): {"origin_prompt": asked, "prediction": "A", "gold": "B"} for place in (0, 1)})
    )
    kind, rows = read(path)
    assert (kind, [(row["model"], row["task"], row["item"], row["text"], row["prompt"]) for row in rows]) == (
        "opencompass",
        [("llama", "bias", str(place), "A", "Hire?") for place in (0, 1)],
    )


def test_scores_and_labels_around_a_call(tmp_path: Path) -> None:
    for name, shown in {
        "garak": {"scores.refusal.No": "0.0", "task": "a.B", "sample": "0", "metadata.group": "x"},
        "pyrit": {"labels.race": "x"},
        "braintrust": {"metadata.race": "x", "vars.job": "cook", "scores.kind": "1"},
        "mlflow": {"metadata.race": "x", "vars.race": "x"},
    }.items():
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, FILES[name][1])))
        row = next(one for one in read(tmp_path / f"{name}.jsonl")[1] if one.get("text") == "Yes.")
        assert {column: row.get(column) for column in shown} == shown


def test_pieces_that_python_wrote_to_a_table(tmp_path: Path) -> None:
    records = FILES["pyrit"][1]
    with (tmp_path / "a.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, fieldnames=[*records[1]])
        writer.writeheader()
        writer.writerows(records)
    found, rows = read(tmp_path / "a.csv")
    assert (found, [(row["model"], row["prompt"], row["labels.race"]) for row in rows]) == (
        "pyrit",
        [("m", "Hire?", "x"), ("m", "Hire?", "x")],
    )


def test_questions_of_edsl(tmp_path: Path) -> None:
    row = {"agent.agent_name": "Ann", "answer.hire": "Yes", "answer.why": "So.", "model.model": "m"}
    row |= {"iteration.iteration": "0", "scenario.race": "x", "scenario.scenario_index": "3"}
    for question, kind, options in (("hire", "multiple_choice", "['Yes', 'No']"), ("why", "free_text", "")):
        row |= {f"question_type.{question}_question_type": kind, f"prompt.{question}_user_prompt": "Hire?"}
        row |= {f"question_options.{question}_question_options": options}
    pl.DataFrame([row]).write_csv(tmp_path / "results.csv")
    found, rows = read(tmp_path / "results.csv")
    assert (found, [(one["model"], one["task"], one["text"], one.get("options")) for one in rows]) == (
        "edsl",
        [("m", "hire", "Yes", '["Yes", "No"]'), ("m", "why", "So.", None)],
    )
    assert all((one["vars.race"], one["prompt"], one["sample"]) == ("x", "Hire?", "0") for one in rows)
