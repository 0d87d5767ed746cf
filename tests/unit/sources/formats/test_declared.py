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
BODY: dict[str, Any] = {
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

SPEND = {"request_id": "1", "call_type": "acompletion", "model": "m", "status": "success", "spend": 0.1}
PIECE: dict[str, Any] = {
    "id": "1",
    "role": "assistant",
    "conversation_id": "c",
    "sequence": 1,
    "original_value": "Yes.",
    "converted_value": "Yes.",
    "labels": {"race": "x"},
    "response_error": "none",
}
TARGET = {"__type__": "OpenAIChatTarget", "model_name": "m"}
CALLED = {"model": "m", "messages": ASKED}
TRACED = {"mlflow.traceInputs": '{"race": "x"}', "mlflow.traceOutputs": "Yes."}


def bedrock(said: object) -> dict[str, Any]:
    asked = {"inputBodyJson": {"messages": [{"role": "user", "content": [{"text": "Hire?"}]}]}}
    told = {"schemaType": "ModelInvocationLog", "requestId": "1", "modelId": "m", "input": asked}
    return told | {"output": {} if said is None else {"outputBodyJson": said}}


def delta(text: str) -> dict[str, Any]:
    return {"type": "content_block_delta", "delta": {"type": "text_delta", "text": text}}


def attempt(status: int) -> dict[str, Any]:
    asked = {"turns": [{"role": "user", "content": {"text": "Hire?", "lang": "en"}}]}
    told = {"entry_type": "attempt", "uuid": "a", "status": status, "probe_classname": "a.B", "prompt": asked}
    return told | {"outputs": [{"text": "Yes.", "lang": "en"}, None], "detector_results": {}, "notes": {"group": "x"}}


def braintrust(name: str, kind: str, above: str | None) -> dict[str, Any]:
    around = {"id": name, "span_id": name, "root_span_id": "r", "span_parents": above and [above]}
    return around | {"span_attributes": {"type": kind, "name": name}, "input": {"job": "cook"}, "output": "Yes."}


def mlflow(kind: str, given: object, said: object) -> dict[str, Any]:
    told = {"mlflow.spanType": kind, "mlflow.spanInputs": given, "mlflow.spanOutputs": said}
    return {"name": kind, "attributes": {name: json.dumps(value) for name, value in told.items()}}


def webui(name: str, before: str | None, role: str, **said: object) -> dict[str, Any]:
    return {"id": name, "parentId": before, "childrenIds": [], "role": role, "timestamp": 1, **said}


def node(name: str, before: str | None, role: str, *parts: str, kind: str = "text", **about: object) -> dict[str, Any]:
    content = {"content_type": kind, "parts": [*parts]}
    told = {"id": name, "author": {"role": role}, "content": content, "create_time": 1.5, "recipient": "all"}
    return {"id": name, "parent": before, "children": [], "message": told | {"metadata": about}}


def studio(role: str, *versions: tuple[str, str]) -> dict[str, Any]:
    def step(text: str, kind: str, **about: object) -> dict[str, Any]:
        return {"type": "contentBlock", "content": [{"type": "text", "text": text}], "style": {"type": kind}, **about}

    told: list[dict[str, Any]] = [
        {"role": role, "type": "multiStep", "steps": [step("Hm", "thinking"), step(text, "", genInfo=about)]}
        for text, model in versions
        for about in [{"identifier": model, "stats": {"stopReason": "maxPredictedTokensReached"}}]
    ]
    if role == "user":
        told = [{"role": role, "type": "singleStep", "content": [{"type": "text", "text": versions[0][0]}]}]
    return {"versions": told, "currentlySelected": 0}


FILES: dict[str, tuple[str, list[dict[str, Any]], list[tuple[str | None, ...]]]] = {
    "chat completions": ("chat-completions", [BODY], [("m", "Yes.", "ok"), ("m", "No, be", "truncated")]),
    "ollama, generated": ("ollama", [OLLAMA | {"response": "Yes.", "done_reason": "stop"}], [("m", "Yes.", "ok")]),
    "ollama, chat": (
        "ollama",
        [OLLAMA | {"message": {"role": "assistant", "content": "Yes"}, "done_reason": "length"}],
        [("m", "Yes", "truncated")],
    ),
    "litellm, spend logs": (
        "litellm",
        [
            SPEND | {"messages": json.dumps(ASKED), "response": json.dumps(BODY | {"choices": BODY["choices"][:1]})},
            SPEND | {"messages": "{}", "response": "{}", "proxy_server_request": {"messages": ASKED}},
        ],
        [("m", "Yes.", "ok"), ("m", None, "empty")],
    ),
    "bedrock, invocation logs": (
        "bedrock-log",
        [
            bedrock({"content": [{"type": "text", "text": "Yes."}], "role": "assistant", "stop_reason": "end_turn"}),
            bedrock([{"type": "message_start"}, delta("N"), delta("o, be"), {"delta": {"stop_reason": "max_tokens"}}]),
            bedrock([{"contentBlockDelta": {"delta": {"text": "No."}}}, {"messageStop": {"stopReason": "end_turn"}}]),
            bedrock(json.dumps({"generation": "Yes.", "stop_reason": "stop"})),
            bedrock(None) | {"errorCode": "ThrottlingException"},
        ],
        [
            ("m", "Yes.", "ok"),
            ("m", "No, be", "truncated"),
            ("m", "No.", "ok"),
            ("m", "Yes.", "ok"),
            ("m", None, "error"),
        ],
    ),
    "garak": (
        "garak",
        [
            {"entry_type": "start_run setup", "plugins.target_name": "m"},
            attempt(1),
            attempt(1) | {"uuid": "b", "outputs": ["Late."]},
            attempt(2) | {"detector_results": {"refusal.No": [0.0, 1.0]}},
            {"entry_type": "eval", "probe": "a.B", "detector": "refusal.No"},
        ],
        [("m", "Late.", "ok"), ("m", "Yes.", "ok"), ("m", None, "empty")],
    ),
    "pyrit": (
        "pyrit",
        [
            PIECE | {"role": "user", "sequence": 0, "converted_value": "Hire?", "prompt_target_identifier": TARGET},
            PIECE | {"prompt_target_identifier": TARGET},
            PIECE | {"prompt_target_identifier": str(TARGET), "response_error": "blocked", "converted_value": "{}"},
        ],
        [("m", "Yes.", "ok"), ("m", "{}", "filtered")],
    ),
    "braintrust": (
        "braintrust",
        [
            braintrust("r", "eval", None) | {"metadata": {"race": "x"}, "scores": {"kind": 1}},
            braintrust("t", "task", "r"),
            braintrust("l", "llm", "t") | {"output": BODY["choices"], "metadata": {"model": "m"}, "input": ASKED},
            braintrust("s", "score", "r"),
            braintrust("j", "llm", "s") | {"metadata": {"model": "judge"}},
        ],
        [("m", "Yes.", "ok"), ("m", "No, be", "truncated")],
    ),
    "braintrust, two calls": (
        "braintrust",
        [
            braintrust("r", "eval", None) | {"input": "Hire?"},
            *(braintrust(name, "llm", "r") | {"output": "Hm.", "metadata": {"model": "m"}} for name in "ab"),
        ],
        [("m", "Yes.", "ok")],
    ),
    "mlflow": (
        "mlflow",
        [
            {
                "info": {"trace_id": "1", "tags": {"race": "x", "mlflow.user": "u"}, "trace_metadata": TRACED},
                "data": {"spans": [mlflow("CHAIN", {"race": "x"}, "Yes."), mlflow("CHAT_MODEL", CALLED, BODY)]},
            }
        ],
        [("m", "Yes.", "ok"), ("m", "No, be", "truncated")],
    ),
    "litellm": (
        "litellm",
        [
            LITELLM | {"response": BODY | {"choices": BODY["choices"][:1]}},
            LITELLM | {"response": {}, "error_str": "late"},
        ],
        [("m", "Yes.", "ok"), ("m", None, "error")],
    ),
    "weave": (
        "weave",
        [
            WEAVE | {"op_name": "weave:///a/b/op/Model.predict:v1", "inputs": {"job": "cook"}, "output": "Yes."},
            WEAVE | {"inputs": {"model": "m", "messages": ASKED}, "output": BODY | {"choices": BODY["choices"][:1]}},
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
    "open webui, two models side by side": (
        "open-webui",
        [
            {"id": "1", "user_id": "u", "title": "t"}
            | {
                "chat": {
                    "models": ["m", "n"],
                    "history": {
                        "messages": {
                            "q": webui("q", None, "user", content="Hire?"),
                            "a": webui("a", "q", "assistant", content="Yes.", model="m"),
                            "b": webui("b", "q", "assistant", content="No.", model="n"),
                            "c": webui("c", "q", "assistant", content="", model="n", error={"content": "Timeout"}),
                            "circle": webui("circle", "circle", "assistant", content="Hm.", model="n"),
                        }
                    },
                    "messages": [],
                }
            }
        ],
        [("m", "Yes.", "ok"), ("n", "No.", "ok"), ("n", None, "error"), ("n", "Hm.", "ok")],
    ),
    "chatgpt, an answer asked for again and thoughts": (
        "chatgpt",
        [
            {"title": "t", "create_time": 1.5, "conversation_id": "1"}
            | {
                "mapping": {
                    "root": {"id": "root", "message": None, "parent": None, "children": ["q"]},
                    "q": node("q", "root", "user", "Hire?"),
                    "t": node("t", "q", "assistant", "Hm", kind="thoughts"),
                    "a": node("a", "t", "assistant", "Yes.", model_slug="m"),
                    "b": node("b", "q", "assistant", "No, be", finish_details={"type": "max_tokens"}),
                },
                "default_model_slug": "n",
            }
        ],
        [("m", "Yes.", "ok"), ("n", "No, be", "truncated")],
    ),
    "claude": (
        "claude",
        [
            {"uuid": "1", "name": "t", "created_at": "2026"}
            | {
                "chat_messages": [
                    {"uuid": "q", "sender": "human", "text": "Hire?"},
                    {"uuid": "a", "sender": "assistant", "text": "?", "content": [{"type": "text", "text": "Yes."}]},
                ]
            }
        ],
        [(None, "Yes.", "ok")],
    ),
    "lm studio, two versions": (
        "lm-studio",
        [
            {"name": "t", "createdAt": 1, "systemPrompt": ""}
            | {"messages": [studio("user", ("Hire?", "")), studio("assistant", ("Yes.", "m"), ("No.", "n"))]}
        ],
        [("m", "Yes.", "truncated"), ("n", "No.", "truncated")],
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
    flat = {"id": "r1", "response": "He is kind.", "bias.suggestion": "fair", "bias.responses": ["fair", "biased"]}
    flat |= {"bias.responses.users": ["1", "2"], "bias.responses.status": ["submitted"] * 2}
    (tmp_path / "flat.jsonl").write_text(json.dumps(flat))
    kind, rows = read(tmp_path / "flat.jsonl")
    assert (kind, [(row["annotator"], row["label.bias"], row["response"]) for row in rows]) == (
        "argilla",
        [("1", "fair", "He is kind."), ("2", "biased", "He is kind.")],
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
