"""Tools whose formats are lists of columns, and annotations: small records as the tools write them."""

from __future__ import annotations

import csv
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.sources.content import Content
from tallybook.sources.formats.registry import detect, format_by_name

if TYPE_CHECKING:
    from pathlib import Path

ASKED = [{"role": "user", "content": "Hire?"}]
BODY = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {"index": place, "message": {"role": "assistant", "content": text}, "logprobs": None, "finish_reason": reason}
        for place, (text, reason) in enumerate([("Yes.", "stop"), ("No, be", "length")])
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 4},
}
OLLAMA = {"model": "m", "created_at": "2026-01-01T00:00:00Z", "done": True, "eval_count": 4}
LITELLM = {"id": "1", "call_type": "completion", "model": "m", "messages": ASKED, "status": "success"}
WEAVE = {"id": "1", "op_name": "weave:///a/b/op/openai.chat.completions.create:v1", "trace_id": "t"}
PHOENIX = {
    "name": "call",
    "span_kind": "LLM",
    "context.span_id": "1",
    "status_code": "OK",
    "attributes.llm.model_name": "m",
}
SPOKEN = [{"role": "user", "parts": [{"type": "text", "content": "Hire?"}]}]
ANSWERED = [
    {"role": "assistant", "parts": [{"type": "reasoning", "content": "Hm"}, {"type": "text", "content": "Yes."}]}
    | {"finish_reason": "stop"}
]
GENAI = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": "m",
    "gen_ai.input.messages": json.dumps(SPOKEN),
    "gen_ai.output.messages": json.dumps(ANSWERED),
}
SPAN = {"name": "chat m", "context": {"span_id": "1"}, "kind": "CLIENT"}
OTLP = [{"key": name, "value": {"stringValue": value}} for name, value in GENAI.items()]
EVENT = {"run_id": "r", "event_id": 0, "sample_id": "s.1", "created_at": "2026"}

FILES: dict[str, tuple[str, list[dict[str, Any]], list[tuple[str | None, ...]]]] = {
    "chat completions": ("chat-completions", [BODY], [("m", "Yes.", "ok"), ("m", "No, be", "truncated")]),
    "ollama, generated": ("ollama", [OLLAMA | {"response": "Yes.", "done_reason": "stop"}], [("m", "Yes.", "ok")]),
    "ollama, chat": (
        "ollama",
        [OLLAMA | {"message": {"role": "assistant", "content": "Yes"}, "done_reason": "length"}],
        [("m", "Yes", "truncated")],
    ),
    "litellm": (
        "litellm",
        [
            LITELLM | {"response": BODY | {"choices": BODY["choices"][:1]}},
            LITELLM | {"response": {}, "error_str": "late"},
        ],  # pyright: ignore[reportIndexIssue, reportArgumentType]
        [("m", "Yes.", "ok"), ("m", None, "error")],
    ),
    "weave": (
        "weave",
        [
            WEAVE | {"op_name": "weave:///a/b/op/Model.predict:v1", "inputs": {"job": "cook"}, "output": "Yes."},
            WEAVE | {"inputs": {"model": "m", "messages": ASKED}, "output": BODY | {"choices": BODY["choices"][:1]}},  # pyright: ignore[reportIndexIssue, reportArgumentType]
            WEAVE | {"inputs": {"model": "m", "messages": ASKED}, "output": None, "exception": "RateLimit"},
        ],
        [("m", "Yes.", "ok"), ("m", None, "error")],
    ),
    "phoenix": (
        "otel",
        [
            PHOENIX | {"attributes.llm.output_messages": [{"message.role": "assistant", "message.content": "Yes."}]},
            PHOENIX | {"span_kind": "CHAIN", "attributes.output.value": "Yes."},
            PHOENIX | {"status_code": "ERROR", "status_message": "late"},
        ],
        [("m", "Yes.", "ok"), ("m", None, "error")],
    ),
    "spans": (
        "otel",
        [SPAN | {"attributes": GENAI}, SPAN | {"attributes": {"gen_ai.operation.name": "invoke_agent"}}],
        [("m", "Yes.", "ok")],
    ),
    "spans of OTLP": (
        "otel",
        [
            {
                "resourceSpans": [
                    {"scopeSpans": [{"spans": [{"name": "c", "traceId": "t", "spanId": "1", "attributes": OTLP}]}]}
                ]
            }
        ],
        [("m", "Yes.", "ok")],
    ),
    "evals": (
        "openai-evals",
        [
            {"spec": {"completion_fns": ["m"], "eval_name": "hire"}},
            EVENT | {"type": "sampling", "data": {"prompt": ASKED, "sampled": ["Yes."]}},
            EVENT | {"type": "match", "data": {"correct": True, "expected": "Yes"}},
            {"final_report": {"accuracy": 1.0}, "run_id": "r"},
        ],
        [("m", "Yes.", "ok")],
    ),
}


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


@pytest.mark.parametrize("record", [SPAN_ALONE, EVENT | {"type": [], "data": {}}])
def test_spans_without_attributes_and_events_without_a_type_end_nothing(tmp_path: Path, record: dict[str, Any]) -> None:
    (tmp_path / "a.jsonl").write_text(json.dumps(record))
    content = Content(tmp_path, "a.jsonl")
    form = "otel" if "name" in record else "openai-evals"
    assert sum(part.height for part in format_by_name(form).read(content, [])) == ("name" in record)
    assert content.problems == []
