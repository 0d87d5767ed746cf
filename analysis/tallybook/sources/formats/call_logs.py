"""Calls of models as servers, clients and scripts log them: one a line or in an array, some as CSV or Parquet, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.objects import UnexpectedError, is_array, is_object, names, string
from tallybook.sources.json_records import opened, text_of

if TYPE_CHECKING:
    from tallybook.sources.formats.chat import Answer
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role

_ASKED = ("messages", "prompt", "input", "contents")


class ChatCompletions(Declared):
    """Completions as servers return them (vLLM, OpenAI, llama.cpp, TGI), to which scripts add the prompts."""

    name = "chat-completions"
    title = "chat completions (vLLM, OpenAI)"
    cores = (frozenset({"object", "model", "choices"}), frozenset({"id", "model", "choices", "usage"}))
    columns = {
        "response_id": ("id",),
        "model": ("model",),
        "prompt": ("request.messages", "request.prompt", "messages", "prompt"),
        "text": ("choices",),
        "created_at": ("created",),
        "input_tokens": ("usage.prompt_tokens",),
        "output_tokens": ("usage.completion_tokens",),
    }
    taken = ("object", "usage")
    written = (
        "id object created model choices usage system_fingerprint service_tier provider request messages prompt"
        " citations prompt_logprobs prompt_token_ids kv_transfer_params timings x_groq time_info stats metadata"
    )

    def recognises(self, head: Head) -> Role | None:
        """Recognise objects that are named or shaped like completions; embeddings are excluded."""
        line = head.line
        is_other = line is not None and not is_array(line.get("choices"))
        return None if is_other or {"custom_id", "call_type"} & {*head.keys} else super().recognises(head)

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        return super().answers(record, {"choices": given})


class LiteLLM(Declared):
    """LiteLLM's standard logging payloads, and the spend logs of its proxy, if it stores prompts in them."""

    name = "litellm"
    title = "LiteLLM logs"
    cores = (
        frozenset({"id", "call_type", "model", "messages", "response", "status"}),
        frozenset({"request_id", "call_type", "model", "messages", "response"}),
    )
    columns = {
        "response_id": ("id", "request_id"),
        "model": ("model",),
        "prompt": ("messages", "proxy_server_request.messages"),
        "text": ("response",),
        "error": (
            *("error_str", "error_information.error_message"),
            *(f"metadata.error_information.{name}" for name in ("error_message", "error_class", "error_code")),
        ),
        "created_at": ("endTime", "startTime"),
        "input_tokens": ("prompt_tokens",),
        "output_tokens": ("completion_tokens",),
    }
    taken = (
        *("status", "model_map_information", "hidden_params", "proxy_server_request", "request_tags"),
        *("metadata.status", "metadata.error_information"),
    )

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Parse JSON in strings, as databases export it; an empty object stands for what was not stored."""
        record = super().prepare(record) or {}
        parsed = {name: opened(record[name]) for name in ("metadata", "messages", "response") if name in record}
        return record | {name: None if value in ({}, []) else value for name, value in parsed.items()}


class Ollama(Declared):
    """Responses of Ollama's `/api/generate` and `/api/chat`."""

    name = "ollama"
    title = "Ollama responses"
    cores = tuple(frozenset({"model", "created_at", "done", text}) for text in ("response", "message"))
    columns = {
        "model": ("model",),
        "prompt": ("messages", "request.messages", "prompt", "request.prompt"),
        "text": ("message", "response"),
        "stop_reason": ("done_reason",),
        "error": ("error",),
        "created_at": ("created_at",),
        "input_tokens": ("prompt_eval_count",),
        "output_tokens": ("eval_count",),
    }
    taken = ("done", "context")
    written = (
        "model created_at done done_reason response message messages prompt request context thinking logprobs error"
        " total_duration load_duration prompt_eval_count prompt_eval_duration eval_count eval_duration"
    )


class Weave(Declared):
    """Calls exported from Weave (Weights & Biases).

    A call of a model has the model and the prompt among its inputs. Functions around such calls, evaluations and
    scorers are calls, too, and repeat the answer: they are skipped, so that it counts once.
    """

    name = "weave"
    title = "Weave calls"
    cores = (frozenset({"id", "op_name", "trace_id", "inputs", "output"}), frozenset({"id", "op_name", "inputs"}))
    columns = {
        "response_id": ("id",),
        "model": ("inputs.model",),
        "prompt": tuple(f"inputs.{name}" for name in _ASKED),
        "text": ("output",),
        "error": ("exception",),
        "created_at": ("ended_at", "started_at"),
        "input_tokens": ("output.usage.prompt_tokens", "output.usage.input_tokens"),
        "output_tokens": ("output.usage.completion_tokens", "output.usage.output_tokens"),
    }
    taken = ("trace_id", "inputs.self", "summary", "project_id")

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Parse JSON in strings; return None for calls that are not of a model."""
        super().prepare(record)
        parsed = ("inputs", "output", "attributes", "summary")
        record = {**record, **{name: opened(record[name]) for name in parsed if name in record}}
        inputs = record.get("inputs")
        is_call = is_object(inputs) and "model" in inputs and any(name in inputs for name in _ASKED)
        return record if is_call else None


_TYPES = {"SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
_OPENED = (
    *("metadata", "usage_details", "cost_details", "model_parameters", "tool_definitions"),
    *("usageDetails", "costDetails", "modelParameters", "usage"),
)
"""Fields whose objects are JSON in strings in some exports."""
_USAGE = ("usage_details", "usageDetails", "usage")


class Langfuse(Declared):
    """Observations exported from Langfuse: as JSON, JSON lines, CSV or Parquet, from its pages or to blob storage.

    Columns have other names in blob storage. Only generations are responses; other observations (spans, events, tools)
    are skipped. Their `output` is JSON, perhaps in a string: the text is taken from a provider's body, message,
    messages or content blocks; any other output is itself the answer.
    """

    name = "langfuse"
    title = "Langfuse observations"
    cores = (
        frozenset({"id", "trace_id", "type", "start_time", "parent_observation_id"}),
        frozenset({"id", "traceId", "type", "startTime", "parentObservationId"}),
        frozenset({"id", "traceId", "type", "startTime", "output"}),
        frozenset({"id", "trace_id", "type", "start_time", "output"}),
    )
    is_strict = True
    columns = {
        "response_id": ("id",),
        "model": ("provided_model_name", "providedModelName", "model"),
        "sample": (),
        "prompt": ("input",),
        "text": ("output",),
        "stop_reason": (),
        "error": (),
        "created_at": ("end_time", "endTime", "start_time", "startTime"),
        "input_tokens": (*(f"{usage}.input" for usage in _USAGE), "inputUsage", "promptTokens"),
        "output_tokens": (*(f"{usage}.output" for usage in _USAGE), "outputUsage", "completionTokens"),
    }
    taken = ("id", "input", "output", "provided_model_name", "providedModelName", "end_time", "endTime")

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Parse JSON in strings; return None for observations that are not generations."""
        kind = string(record.get("type"), "type")
        if kind in _TYPES:
            return None
        if kind != "GENERATION":
            raise UnexpectedError("type", kind, f"GENERATION or one of {', '.join(sorted(_TYPES))}")
        if "output" not in record:
            expected = "an observation with its input and output (exported with the group io)"
            raise UnexpectedError("", names(record), expected)
        # Langfuse writes missing values as empty strings, and Parquet an empty map as an empty list.
        record = {name: None if value == "" else value for name, value in record.items()}
        return record | {name: opened(record[name]) or None for name in _OPENED if name in record}

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        found = super().answers(record, None if opened(given) == {} else given)
        if record.get("level") != "ERROR":
            return found
        said = text_of(record.get("status_message") or record.get("statusMessage"))
        return [one._replace(status="error", error=said or one.error) for one in found]


class Helicone(Declared):
    """Requests exported from Helicone, with the bodies of whichever provider answered."""

    name = "helicone"
    title = "Helicone requests"
    cores = (frozenset({"request_id", "request_body", "response_body"}),)
    columns = {
        "response_id": ("request_id",),
        "model": ("model", "request_model", "response_model"),
        "prompt": tuple(f"request_body.{name}" for name in _ASKED),
        "text": ("response_body",),
        "error": ("response_body.error",),
        "created_at": ("response_created_at", "request_created_at"),
        "input_tokens": ("prompt_tokens",),
        "output_tokens": ("completion_tokens",),
    }
    taken = ("response_id", "request_body", "request_properties")
    written = (
        "request_id request_body request_path request_user_id request_properties request_model request_created_at"
        " response_id response_body response_status response_model response_created_at model model_override"
        " provider helicone_user delay_ms time_to_first_token total_tokens prompt_tokens completion_tokens"
        " prompt_id prompt_version llmSchema country_code asset_ids asset_urls assets scores feedback_rating"
        " costUSD cost target_url cache_enabled cache_reference_id updated_at organization_id"
        " is_passthrough_billing"
    )


CHAT, LITELLM, LANGFUSE, OLLAMA, WEAVE = ChatCompletions(), LiteLLM(), Langfuse(), Ollama(), Weave()
HELICONE = Helicone()
