"""Small records of tools whose formats are lists of columns, as the tools write them."""

from __future__ import annotations

import json
from typing import Any

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
HELICONE = {"request_id": "1", "model": "m", "request_body": {"model": "m"}, "properties": {"group": "a"}}
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
    "helicone": (
        "helicone",
        [
            HELICONE | {"response_body": BODY | {"choices": BODY["choices"][:1]}},
            HELICONE | {"response_body": {"role": "assistant", "content": [{"type": "text", "text": "No."}]}},
            HELICONE | {"response_body": {"error": {"message": "late"}}, "response_status": 429},
        ],
        [("m", "Yes.", "ok"), ("m", "No.", "ok"), ("m", None, "error")],
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
