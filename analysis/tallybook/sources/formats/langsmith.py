"""Runs exported from LangSmith: as JSON lines, an array, `{"runs": [...]}`, or Parquet of a bulk export.

Only runs of the type `llm` are responses; others (chains, tools) are passed over. What a run gave is in `outputs`:
LangChain's `generations`, the body or message of a provider, or a single value.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, TypeGuard

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import STATUS, records_in
from tallybook.sources.formats.fields import UnexpectedError, array, cells, is_array, is_object, mapping, names, string
from tallybook.sources.formats.objects import rows
from tallybook.sources.formats.table_rows import header, opened
from tallybook.sources.json_records import at, text_of
from tallybook.sources.json_stream import first_names
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

RUNS = {"error": "error", "interrupted": "canceled", "pending": "error"}
"""Status of a run that did not succeed -> status; so is a run with an `error`, whatever its status."""

OUTPUTS = "generations, a provider's body or message, or a single text"
_TYPES = {"chain", "tool", "retriever", "embedding", "prompt", "parser"}
_CORES = ({"id", "run_type", "trace_id"}, {"id", "run_type", "dotted_order"}, {"id", "run_type", "inputs", "outputs"})
_RUNS_BEGIN = re.compile(rb'"runs"\s*:\s*')
_OPENED = ("inputs", "outputs", "extra", "feedback_stats")
"""Objects, which are JSON in strings in Parquet."""
_TAKEN = (
    *("id", "inputs", "outputs", "error", "status", "events", "serialized", "manifest", "end_time"),
    *("inputs_preview", "outputs_preview", "extra.invocation_params", "extra.options", "extra.runtime"),
)
_MODELS = (
    *("extra.metadata.ls_model_name", "extra.invocation_params.model", "extra.invocation_params.model_name"),
    *("outputs.llm_output.model_name", "outputs.model"),
)
"""Paths of a run's model, the most reliable first."""


class LangSmith(Format):
    """Files of runs."""

    name = "langsmith"
    title = "LangSmith runs"

    def recognises(self, head: Head) -> Role | None:
        """A file whose columns, or the names in whose first object, are those of a run."""
        found = {*(head.columns or _names_in_runs(head) or head.keys or header(head.start))}
        return "responses" if any(core <= found for core in _CORES) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the model's runs of a file one by one."""
        found = rows(content, records_in(content, "runs"), partial(_records, paths))
        yield from in_parts(found, content.name)


def _names_in_runs(head: Head) -> list[str]:
    """The names in the first of the runs that an object holds."""
    if "runs" not in head.keys or head.is_array:
        return []
    return first_names(_RUNS_BEGIN.split(head.start, maxsplit=1)[-1])


def _records(paths: Sequence[str], key: str, run: dict[str, Any]) -> Iterator[Row]:
    kind = string(run.get("run_type"), "run_type")
    if kind in _TYPES:
        return
    if kind != "llm":
        raise UnexpectedError("run_type", kind, f"llm or one of {', '.join(sorted(_TYPES))}")
    run = {**run, **{name: opened(run[name]) for name in _OPENED if name in run}}
    outputs = mapping(run.get("outputs"), "outputs")
    error = chat.error_text(run.get("error"))
    ended = string(run.get("status"), "status") or ""
    failure = "error" if error else RUNS.get(ended)
    answers = [Answer(None)]
    if outputs and not failure:
        answers = _answers(outputs)
    model = next((found for path in _MODELS if isinstance(found := at(run, path), str)), None)
    usage = _usage(run, outputs)
    name = string(run.get("id"), "id")
    for place, answer in enumerate(answers):
        many = len(answers) > 1
        canonical = {
            "response_id": f"{name}#{answer.choice}" if many else name,
            "model": model,
            "sample": str(answer.choice),
            "prompt": _prompt(mapping(run.get("inputs"), "inputs")),
            "text": answer.words,
            "status": failure or chat.status(answer, STATUS),
            "stop_reason": answer.stop_reason,
            "error": error or (ended if failure else answer.error),
            "created_at": text_of(run.get("end_time") or run.get("start_time")),
            **(dict.fromkeys(usage) if place else usage),
        }
        yield f"{key}, choice {answer.choice}" if many else key, cells(canonical, run, _TAKEN, paths)


def _answers(outputs: dict[str, Any]) -> list[Answer]:
    if "generations" in outputs:
        return _generations(outputs["generations"])
    found = _said(outputs, "outputs")
    if found is None and len(outputs) == 1:
        name, value = next(iter(outputs.items()))
        found = [Answer(value)] if isinstance(value, str) else _said(value, f"outputs.{name}")
    if found is None and isinstance(outputs.get("message"), dict):
        found = _said(outputs["message"], "outputs.message")
    if found is None:
        raise UnexpectedError("outputs", names(outputs), OUTPUTS)
    return found


def _said(value: object, path: str) -> list[Answer] | None:
    """Read a provider's body or message, or one of LangChain's; None if it is neither."""
    if is_array(value) and value and all(_is_message(one) for one in value):
        return [_message(value[-1], f"{path}.{len(value) - 1}")]
    return [_message(value, path)] if _is_message(value) else chat.recognised(value, path)


def _generations(found: object) -> list[Answer]:
    """LangChain's generations: a list for each prompt, of which a run has one, or that list itself."""
    path = "outputs.generations"
    listed = array(found, path)
    if listed and is_array(listed[0]):
        if len(listed) > 1:
            raise UnexpectedError(path, f"{len(listed)} lists", "the generations of one prompt")
        listed, path = array(listed[0], f"{path}.0"), f"{path}.0"
    answers = [_generation(mapping(one, f"{path}.{place}"), f"{path}.{place}") for place, one in enumerate(listed)]
    return [answer._replace(choice=place) for place, answer in enumerate(answers)] or [Answer(None)]


def _generation(found: dict[str, Any], path: str) -> Answer:
    answer = Answer(None)
    if found.get("message") is not None:
        held = mapping(found["message"], f"{path}.message")
        if not (_is_message(held) or chat.is_message(held)):
            raise UnexpectedError(f"{path}.message", names(held), "a message (content)")
        answer = _message(held, f"{path}.message") if _is_message(held) else chat.message(held, f"{path}.message")
    elif "text" not in found:
        raise UnexpectedError(path, names(found), "a generation (text, message)")
    info = mapping(found.get("generation_info"), f"{path}.generation_info")
    reason = _reason(info, f"{path}.generation_info") or answer.stop_reason
    text = string(found.get("text"), f"{path}.text")
    return answer._replace(text=answer.text if chat.is_blank(text) else text, stop_reason=reason)


def _is_message(value: object) -> TypeGuard[dict[str, Any]]:
    """Whether a value is one of LangChain's messages, in one of the forms in which it writes them."""
    if not is_object(value):
        return False
    inner = value.get("kwargs", value.get("data"))
    is_plain = value.get("type") in ("ai", "human", "system", "AIMessageChunk") and "content" in value
    return is_plain or ("role" not in value and is_object(inner) and "content" in inner)


def _message(value: dict[str, Any], path: str) -> Answer:
    name = next((name for name in ("kwargs", "data") if is_object(value.get(name))), None)
    here = path if name is None else f"{path}.{name}"
    found = value if name is None else mapping(value[name], here)
    text, refusal = chat.content_text(found.get("content"), f"{here}.content")
    extra = mapping(found.get("additional_kwargs"), f"{here}.additional_kwargs")
    refusal = string(extra.get("refusal"), f"{here}.additional_kwargs.refusal") or refusal
    told = mapping(found.get("response_metadata"), f"{here}.response_metadata")
    return Answer(text, refusal, _reason(told, f"{here}.response_metadata"))


def _reason(told: dict[str, Any], path: str) -> str | None:
    """The stop reason, which LangChain's integrations name as their providers do."""
    given = ((name, told[name]) for name in ("finish_reason", "stop_reason", "finishReason") if told.get(name))
    return next((string(value, f"{path}.{name}") for name, value in given), None)


def _prompt(inputs: dict[str, Any]) -> str | None:
    if not inputs:
        return None
    asked: Any = inputs.get("messages", inputs.get("prompts"))
    if asked is None:
        asked = next(iter(inputs.values())) if len(inputs) == 1 else inputs
    if is_array(asked) and len(asked) == 1 and is_array(asked[0]):
        asked = asked[0]  # LangChain asks for a batch of one
    if is_array(asked) and all(_is_message(one) for one in asked):
        asked = [_asked(one) for one in asked]
    return chat.prompt(asked, inputs.get("system"))


def _asked(found: dict[str, Any]) -> dict[str, Any]:
    """One of LangChain's messages as a provider would take it."""
    roles = {"human": "user", "ai": "assistant", "system": "system"}
    inner = found.get("kwargs", found.get("data", found))
    called = found.get("id")
    name = str(called[-1]) if is_array(called) and called else str(found.get("type"))
    name = name.lower().removesuffix("chunk").removesuffix("message")
    return {"role": roles.get(name, name), "content": inner["content"]}


def _usage(run: dict[str, Any], outputs: dict[str, Any]) -> dict[str, str | None]:
    places = (run, at(outputs, "llm_output.token_usage"), outputs.get("usage"), outputs.get("usage_metadata"))
    found = (chat.tokens(place, "usage") for place in places if is_object(place))
    nothing: dict[str, str | None] = {"input_tokens": None, "output_tokens": None}
    return next((usage for usage in found if any(usage.values())), nothing)


FORMAT = LangSmith()
