"""Traces of calls of models: runs of LangSmith, spans of OpenTelemetry."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, TypeGuard

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.objects import UnexpectedError, array, is_array, is_object, mapping, names, string
from tallybook.sources.json_records import at, opened
from tallybook.sources.json_stream import first_names

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Row
    from tallybook.study.format_base import Role

_RUNS = {"error": "error", "interrupted": "canceled", "pending": "error"}
"""The status of an unsuccessful run -> status; a run with an `error` is one, whatever its status."""
_TYPES = {"chain", "tool", "retriever", "embedding", "prompt", "parser"}
_OPENED = ("inputs", "outputs", "extra", "metadata", "feedback_stats")
"""Fields whose objects are JSON in strings in Parquet and CSV."""
_USAGE = ("", "outputs.llm_output.token_usage.", "outputs.usage.", "outputs.usage_metadata.")
_ROLES = {"human": "user", "ai": "assistant", "system": "system"}


class LangSmith(Declared):
    """Runs exported from LangSmith: as JSON lines, an array, `{"runs": [...]}`, or Parquet of a bulk export.

    Only runs of the type `llm` are responses; others (chains, tools) are skipped. The result of a run is in `outputs`:
    LangChain's `generations`, the body or message of a provider, or a single value.
    """

    name = "langsmith"
    title = "LangSmith runs"
    cores = (
        frozenset({"id", "run_type", "trace_id"}),
        frozenset({"id", "run_type", "dotted_order"}),
        frozenset({"id", "run_type", "inputs", "outputs"}),
    )
    within = "runs"
    is_strict = True
    columns = {
        "response_id": ("id",),
        "model": (
            *("extra.metadata.ls_model_name", "extra.invocation_params.model", "extra.invocation_params.model_name"),
            *("metadata.ls_model_name", "outputs.llm_output.model_name", "outputs.model"),
        ),
        "sample": (),
        "prompt": ("inputs",),
        "text": ("outputs",),
        "stop_reason": (),
        "error": ("error",),
        "created_at": ("end_time", "start_time"),
        "input_tokens": tuple(f"{usage}{name}_tokens" for usage in _USAGE for name in ("prompt", "input")),
        "output_tokens": tuple(f"{usage}{name}_tokens" for usage in _USAGE for name in ("completion", "output")),
    }
    taken = (
        *("id", "inputs", "outputs", "error", "status", "events", "serialized", "manifest", "end_time"),
        *("inputs_preview", "outputs_preview", "extra.invocation_params", "extra.options", "extra.runtime"),
    )

    def recognises(self, head: Head) -> Role | None:
        if "runs" in head.keys and not head.is_array:
            names_in_runs = {*first_names(re.split(rb'"runs"\s*:\s*', head.start, maxsplit=1)[-1])}
            return "responses" if any(core <= names_in_runs for core in self.cores) else None
        return super().recognises(head)

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Parse JSON in strings; return None for runs that are not of a model."""
        kind = string(record.get("run_type"), "run_type")
        if kind in _TYPES:
            return None
        if kind != "llm":
            raise UnexpectedError("run_type", kind, f"llm or one of {', '.join(sorted(_TYPES))}")
        return record | {name: opened(record[name]) for name in _OPENED if name in record}

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        outputs = mapping(given, "outputs")
        ended = string(record.get("status"), "status") or ""
        if ended in _RUNS or not outputs:
            return [Answer(None, error=ended if ended in _RUNS else None, status=_RUNS.get(ended))]
        if "generations" in outputs:
            return _generations(outputs["generations"])
        found = _said(outputs, "outputs")
        if found is None and len(outputs) == 1:
            name, value = next(iter(outputs.items()))
            found = [Answer(value)] if isinstance(value, str) else _said(value, f"outputs.{name}")
        if found is None and is_object(outputs.get("message")):
            found = _said(outputs["message"], "outputs.message")
        if found is None:
            expected = "generations, a provider's body or message, or a single text"
            raise UnexpectedError("outputs", names(outputs), expected)
        return found

    def prompt(self, record: dict[str, Any], given: object) -> str | None:
        """Return the prompt, with LangChain's messages converted to the form of providers."""
        if not (inputs := mapping(given, "inputs")):
            return None
        asked: Any = inputs.get("messages", inputs.get("prompts"))
        if asked is None:
            asked = next(iter(inputs.values())) if len(inputs) == 1 else inputs
        if is_array(asked) and len(asked) == 1 and is_array(asked[0]):
            asked = asked[0]  # LangChain sends a batch of one
        if is_array(asked) and all(_is_message(one) for one in asked):
            asked = [_asked(one) for one in asked]
        return chat.prompt(asked, inputs.get("system"))


def _said(value: object, path: str) -> list[Answer] | None:
    """Return the answers in a body or message of a provider or of LangChain; None for any other value."""
    if is_array(value) and value and all(_is_message(one) for one in value):
        return [_message(value[-1], f"{path}.{len(value) - 1}")]
    return [_message(value, path)] if _is_message(value) else chat.recognised(value, path)


def _generations(found: object) -> list[Answer]:
    """Read LangChain's generations: a list for each prompt, of which a run has one, or only that list."""
    path = "outputs.generations"
    listed = array(found, path)
    if listed and is_array(listed[0]):
        if len(listed) > 1:
            raise UnexpectedError(path, f"{len(listed)} lists", "the generations of one prompt")
        listed, path = listed[0], f"{path}.0"
    return [_generation(one, f"{path}.{place}")._replace(choice=place) for place, one in enumerate(listed)]


def _generation(given: object, path: str) -> Answer:
    found, answer = mapping(given, path), Answer(None)
    if found.get("message") is not None:
        held = mapping(found["message"], f"{path}.message")
        if not (_is_message(held) or chat.is_message(held)):
            raise UnexpectedError(f"{path}.message", names(held), "a message (content)")
        answer = _message(held, f"{path}.message") if _is_message(held) else chat.message(held, f"{path}.message")
    elif "text" not in found:
        raise UnexpectedError(path, names(found), "a generation (text, message)")
    reason = _reason(found, "generation_info", path) or answer.stop_reason
    text = string(found.get("text"), f"{path}.text")
    return answer._replace(text=answer.text if chat.is_blank(text) else text, stop_reason=reason)


def _is_message(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is a message of LangChain, in one of its serialised forms."""
    if not is_object(value):
        return False
    inner = value.get("kwargs", value.get("data"))
    is_plain = value.get("type") in ("ai", "human", "system", "AIMessageChunk") and "content" in value
    return is_plain or ("role" not in value and is_object(inner) and "content" in inner)


def _message(value: dict[str, Any], path: str) -> Answer:
    name = next((name for name in ("kwargs", "data") if is_object(value.get(name))), None)
    found, path = (value, path) if name is None else (value[name], f"{path}.{name}")
    text, refusal = chat.content_text(found.get("content"), f"{path}.content")
    extra = mapping(found.get("additional_kwargs"), f"{path}.additional_kwargs")
    refusal = string(extra.get("refusal"), f"{path}.additional_kwargs.refusal") or refusal
    return Answer(text, refusal, _reason(found, "response_metadata", path))


def _reason(found: dict[str, Any], name: str, path: str) -> str | None:
    """Return the stop reason, for which LangChain's integrations use the names of their providers."""
    told = mapping(found.get(name), f"{path}.{name}")
    called = next((one for one in ("finish_reason", "stop_reason", "finishReason") if told.get(one)), "")
    return string(told.get(called), f"{path}.{name}.{called}")


def _asked(found: dict[str, Any]) -> dict[str, Any]:
    """Convert a message of LangChain to the form of providers."""
    inner = found.get("kwargs", found.get("data", found))
    called = found.get("id")
    name = str(called[-1]) if is_array(called) and called else str(found.get("type"))
    name = name.lower().removesuffix("chunk").removesuffix("message")
    return {"role": _ROLES.get(name, name), "content": inner["content"]}


_OPERATIONS = ("chat", "text_completion", "generate_content")
_CALLS = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.input.messages", "llm.output_messages")


class Spans(Declared):
    """Spans of OpenTelemetry for calls of models: GenAI's conventions, OpenInference's (Phoenix), OpenLLMetry's.

    They come as Phoenix exports them (Parquet, CSV, JSON lines), as exporters print them, and as OTLP in JSON, in which
    attributes are lists of keys and values. Spans of anything but a model are skipped.
    """

    name = "otel"
    title = "OpenTelemetry spans (GenAI, Arize Phoenix)"
    cores = (
        frozenset({"name", "span_kind", "context.span_id", "status_code"}),
        frozenset({"name", "context", "span_kind", "attributes"}),
        frozenset({"name", "context", "kind", "attributes"}),
        frozenset({"name", "traceId", "spanId", "attributes"}),
        frozenset({"resourceSpans"}),
    )
    columns = {
        "response_id": ("context.span_id", "spanId"),
        "model": tuple(
            f"attributes.{name}" for name in ("gen_ai.request.model", "llm.model_name", "gen_ai.response.model")
        ),
        "prompt": (
            "attributes.gen_ai.input.messages",
            "attributes.llm.input_messages",
            "attributes.gen_ai.prompt",
            "attributes.input.value",
        ),
        "text": (
            "attributes.gen_ai.output.messages",
            "attributes.llm.output_messages",
            "attributes.gen_ai.completion",
            "attributes.output.value",
        ),
        "stop_reason": ("attributes.gen_ai.response.finish_reasons.0",),
        "error": ("error",),
        "created_at": ("end_time", "endTimeUnixNano", "start_time"),
        "input_tokens": ("attributes.gen_ai.usage.input_tokens", "attributes.llm.token_count.prompt"),
        "output_tokens": ("attributes.gen_ai.usage.output_tokens", "attributes.llm.token_count.completion"),
    }
    taken = ("context", "status", "status_code", "events", "resource", "attributes.output", "attributes.input")

    def records(self, paths: Sequence[str], about: Any, key: str, whole: dict[str, Any]) -> Iterator[Row]:  # noqa: ANN401  as above
        """Yield the rows of a span, or of an OTLP batch, in which spans are grouped by resource and scope."""
        if "resourceSpans" not in whole:
            yield from super().records(paths, about, key, whole)
            return
        spans = [whole]
        for name in ("resourceSpans", "scopeSpans", "spans"):
            spans = [mapping(inner, name) for one in spans for inner in array(one.get(name), name)]
        for number, span in enumerate(spans, start=1):
            yield from super().records(paths, about, f"{key}, span {number}", span)

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Convert attributes with dotted names to objects; return None for spans that are not of a model."""
        super().prepare(record)
        attributes = record.get("attributes")
        if is_array(attributes):
            attributes = {
                str(one["key"]): _otlp(one.get("value")) for one in attributes if is_object(one) and "key" in one
            }
        flat = {name: value for name, value in record.items() if name.startswith(("attributes.", "context."))}
        rest = {name: value for name, value in record.items() if name not in flat and name != "attributes"}
        span = (
            rest | nested(flat) if flat else rest | {"attributes": nested(attributes if is_object(attributes) else {})}
        )
        held = span.get("attributes")
        if is_object(held) and "metadata" in held:  # a JSON string in Phoenix
            held["metadata"] = opened(held["metadata"])
        kind = at(span, "attributes.openinference.span.kind") or span.get("span_kind")
        is_model = kind == "LLM" or at(span, "attributes.gen_ai.operation.name") in _OPERATIONS
        if not is_model and kind not in (None, "", "UNKNOWN"):
            return None
        if not is_model and not any(at(span, f"attributes.{path}") for path in _CALLS):
            return None
        status = span.get("status_code") or at(span, "status.status_code") or at(span, "status.code")
        if status in ("ERROR", "STATUS_CODE_ERROR", 2):
            said = span.get("status_message") or at(span, "status.description") or at(span, "status.message")
            span["error"] = said or "error"
        for path in ("text", "prompt"):
            for place in self.columns[path]:
                _mend(span, place)
        return span


def _otlp(value: Any) -> Any:  # noqa: ANN401  whatever JSON can say
    """Return the value of an OTLP object that names its type: `{"stringValue": "a"}`."""
    if not is_object(value) or len(value) != 1:
        return value
    inner = next(iter(value.values()))
    return [_otlp(one) for one in inner.get("values", [])] if is_object(inner) and "arrayValue" in value else inner


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Convert dotted names to nested objects and lists.

    >>> nested({"llm.model": "m", "llm.out.0.message.content": "Yes"})
    {'llm': {'model': 'm', 'out': [{'message': {'content': 'Yes'}}]}}
    """
    made: dict[str, Any] = {}
    for name, value in flat.items():
        holder = made
        *before, last = name.split(".")
        for part in before:
            inner = holder.setdefault(part, {})
            if not is_object(inner):
                inner = holder[part] = {"value": inner}
            holder = inner
        held = holder.get(last)
        holder[last] = {"value": value} | held if is_object(held) and not is_object(value) else value
    return {name: _listed(value) for name, value in made.items()}


def _listed(value: Any) -> Any:  # noqa: ANN401  whatever JSON can say
    """Convert an object whose names are 0, 1, ... to a list, at any depth."""
    if not is_object(value):
        return value
    inner = {name: _listed(one) for name, one in value.items()}
    return [*inner.values()] if inner and [*inner] == [str(number) for number in range(len(inner))] else inner


def _mend(span: dict[str, Any], place: str) -> None:
    """Convert messages to the form of providers: GenAI's have parts, and OpenInference's are nested in objects."""
    *before, last = place.split(".")
    holder = at(span, ".".join(before))
    listed = opened(holder.get(last)) if is_object(holder) else None
    if is_array(listed) and listed and all(is_object(one) for one in listed):
        holder[last] = [_as_message(one) for one in listed]


def _as_message(one: dict[str, Any]) -> dict[str, Any]:
    inner = one.get("message", nested(one).get("message", one))
    if is_array(inner.get("parts")):
        texts = [
            str(part.get("content", "")) for part in inner["parts"] if is_object(part) and part.get("type") == "text"
        ]
        inner = {"role": inner.get("role"), "content": "".join(texts), "stop_reason": inner.get("finish_reason")}
    kept = {"role": inner.get("role") or "assistant", "content": inner.get("content")}
    return kept | ({"stop_reason": inner["stop_reason"]} if inner.get("stop_reason") else {})


LANGSMITH, SPANS = LangSmith(), Spans()
