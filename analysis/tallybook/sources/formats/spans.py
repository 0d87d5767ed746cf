"""Spans of OpenTelemetry in which models were asked: GenAI's conventions, OpenInference's (Phoenix), OpenLLMetry's.

They come as Phoenix exports them (Parquet, CSV, JSON lines), as exporters print them, and as OTLP in JSON, in which
attributes are lists of keys and values. Spans of anything but a model are passed over.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.objects import array, is_array, is_object, mapping
from tallybook.sources.formats.table_rows import opened
from tallybook.sources.json_records import at

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.records import Row

_OPERATIONS = ("chat", "text_completion", "generate_content")
_CALLS = ("gen_ai.output.messages", "gen_ai.completion", "gen_ai.input.messages", "llm.output_messages")


class Spans(Declared):
    """Files of spans."""

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
        """Read a span, or a batch of OTLP, in which they lie for each resource and scope."""
        if "resourceSpans" not in whole:
            yield from super().records(paths, about, key, whole)
            return
        spans = [whole]
        for name in ("resourceSpans", "scopeSpans", "spans"):
            spans = [mapping(inner, name) for one in spans for inner in array(one.get(name), name)]
        for number, span in enumerate(spans, start=1):
            yield from super().records(paths, about, f"{key}, span {number}", span)

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Give attributes the objects that their names with dots stand for; pass over spans of no model."""
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
        if is_object(held) and "metadata" in held:  # Phoenix has it as JSON
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
    """Get a value of OTLP, which says its type: `{"stringValue": "a"}`."""
    if not is_object(value) or len(value) != 1:
        return value
    inner = next(iter(value.values()))
    return [_otlp(one) for one in inner.get("values", [])] if is_object(inner) and "arrayValue" in value else inner


def nested(flat: dict[str, Any]) -> dict[str, Any]:
    """Make objects, and lists, of names with dots.

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
    """Get an object whose names are 0, 1, ... as a list."""
    if not is_object(value):
        return value
    inner = {name: _listed(one) for name, one in value.items()}
    return [*inner.values()] if inner and [*inner] == [str(number) for number in range(len(inner))] else inner


def _mend(span: dict[str, Any], place: str) -> None:
    """Give messages the form that providers' have: GenAI's have parts, OpenInference's lie in objects."""
    *before, last = place.split(".")
    holder = at(span, ".".join(before))
    listed = opened(holder.get(last)) if is_object(holder) else None
    if is_array(listed) and listed and all(is_object(one) for one in listed):
        holder[last] = [_message(one) for one in listed]


def _message(one: dict[str, Any]) -> dict[str, Any]:
    inner = one.get("message", nested(one).get("message", one))
    if is_array(inner.get("parts")):
        texts = [
            str(part.get("content", "")) for part in inner["parts"] if is_object(part) and part.get("type") == "text"
        ]
        inner = {"role": inner.get("role"), "content": "".join(texts), "stop_reason": inner.get("finish_reason")}
    kept = {"role": inner.get("role") or "assistant", "content": inner.get("content")}
    return kept | ({"stop_reason": inner["stop_reason"]} if inner.get("stop_reason") else {})


FORMAT = Spans()
