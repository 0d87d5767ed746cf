"""Calls of models as servers, clients and scripts log them: one a line or in an array, Weave's as CSV, too."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.fields import is_array, is_object
from tallybook.sources.formats.table_rows import opened

if TYPE_CHECKING:
    from tallybook.sources.formats.chat import Answer
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role

_ASKED = ("messages", "prompt", "input", "contents")


class ChatCompletions(Declared):
    """Completions as servers give them (vLLM, OpenAI, llama.cpp, TGI); scripts put what was asked beside."""

    name = "chat-completions"
    title = "chat completions (vLLM, OpenAI)"
    cores = (frozenset({"object", "model", "choices"}), frozenset({"id", "model", "choices", "usage"}))
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("id",),
        "model": ("model",),
        "prompt": ("request.messages", "request.prompt", "messages", "prompt"),
        "text": ("choices",),
        "created_at": ("created",),
        "input_tokens": ("usage.prompt_tokens",),
        "output_tokens": ("usage.completion_tokens",),
    }
    taken = ("object", "usage")

    def recognises(self, head: Head) -> Role | None:
        """Objects that are named or shaped like completions; embeddings are excluded."""
        line = head.line
        is_other = line is not None and not is_array(line.get("choices"))
        return None if is_other or {"custom_id", "call_type"} & {*head.keys} else super().recognises(head)

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        """Get an answer for each choice."""
        return super().answers(record, {"choices": given})


class LiteLLM(Declared):
    """LiteLLM's standard logging payloads."""

    name = "litellm"
    title = "LiteLLM logs"
    cores = (frozenset({"id", "call_type", "model", "messages", "response", "status"}),)
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("id",),
        "model": ("model",),
        "prompt": ("messages",),
        "text": ("response",),
        "error": ("error_str", "error_information.error_message"),
        "created_at": ("endTime", "startTime"),
        "input_tokens": ("prompt_tokens",),
        "output_tokens": ("completion_tokens",),
    }
    taken = ("status", "model_map_information", "hidden_params")


class Ollama(Declared):
    """Responses of Ollama's `/api/generate` and `/api/chat`."""

    name = "ollama"
    title = "Ollama responses"
    cores = tuple(frozenset({"model", "created_at", "done", text}) for text in ("response", "message"))
    columns = {  # noqa: RUF012  it is declared once and never changed
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


class Weave(Declared):
    """Calls exported from Weave (Weights & Biases).

    A call of a model has the model and what it was asked among its inputs. Functions around such calls, evaluations and
    scorers are calls too, and repeat the answer: they are passed over, so that it counts once.
    """

    name = "weave"
    title = "Weave calls"
    cores = (frozenset({"id", "op_name", "trace_id", "inputs", "output"}), frozenset({"id", "op_name", "inputs"}))
    columns = {  # noqa: RUF012  it is declared once and never changed
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
        """Parse JSON in strings; leave out calls that are not of a model."""
        super().prepare(record)
        names = ("inputs", "output", "attributes", "summary")
        record = {**record, **{name: opened(record[name]) for name in names if name in record}}
        inputs = record.get("inputs")
        is_call = is_object(inputs) and "model" in inputs and any(name in inputs for name in _ASKED)
        return record if is_call else None


CHAT, LITELLM, OLLAMA, WEAVE = ChatCompletions(), LiteLLM(), Ollama(), Weave()
