"""Observations exported from Langfuse: as JSON, JSON lines, CSV or Parquet, from its pages or to blob storage.

Only generations are responses; other observations (spans, events, tools) are passed over. Their `output` is a string
that may be JSON, or JSON already: what is a body, a message, messages or content blocks of a provider gives the text in
it; anything else is the answer itself, as it is written.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import STATUS, asked, records_in
from tallybook.sources.formats.fields import UnexpectedError, cells, mapping, names, string
from tallybook.sources.formats.objects import rows
from tallybook.sources.formats.table_rows import header, opened
from tallybook.sources.json_records import text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

LEVELS = {"ERROR": "error"}
"""Level of an observation -> status, before its stop reason; other levels say nothing."""

_CORES = (
    {"id", "trace_id", "type", "start_time", "parent_observation_id"},
    {"id", "traceId", "type", "startTime", "parentObservationId"},
)
"""The columns that every export has, in blob storage and from Langfuse's pages."""
_TYPES = {"SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
_OPENED = (
    *("metadata", "usage_details", "cost_details", "model_parameters", "tool_definitions"),
    *("usageDetails", "costDetails", "modelParameters", "usage"),
)
"""Objects, which are JSON in strings in some exports."""
_TAKEN = ("id", "input", "output", "provided_model_name", "providedModelName", "end_time", "endTime")


class Langfuse(Format):
    """Files of observations."""

    name = "langfuse"
    title = "Langfuse observations"

    def recognises(self, head: Head) -> Role | None:
        """A file whose columns, or the names in whose first object, are those of an observation."""
        found = {*(head.columns or head.keys or header(head.start))}
        return "responses" if any(core <= found for core in _CORES) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read the generations of a file one by one."""
        found = rows(content, records_in(content), partial(_records, paths))
        yield from in_parts(found, content.name)


def _records(paths: Sequence[str], key: str, row: dict[str, Any]) -> Iterator[Row]:
    kind = string(row.get("type"), "type")
    if kind in _TYPES:
        return
    if kind != "GENERATION":
        raise UnexpectedError("type", kind, f"GENERATION or one of {', '.join(sorted(_TYPES))}")
    if "output" not in row:
        raise UnexpectedError("", names(row), "an observation with its input and output (exported with the group io)")
    # Langfuse writes missing values as empty strings, and Parquet an empty map as an empty list.
    row = {name: None if value == "" else value for name, value in row.items()}
    row |= {name: opened(row[name]) or None for name in _OPENED if name in row}
    level, said = _given(row, "level"), _given(row, "status_message", "statusMessage")
    answers = _answers(row["output"])
    usage = _usage(row)
    custom_id = _given(row, "id")
    for place, answer in enumerate(answers):
        many = len(answers) > 1
        canonical = {
            "response_id": f"{custom_id}#{answer.choice}" if many else custom_id,
            "model": _given(row, "provided_model_name", "providedModelName", "model"),
            "sample": str(answer.choice),
            "prompt": asked(row.get("input")),
            "text": answer.words,
            "status": LEVELS.get(level or "") or chat.status(answer, STATUS),
            "stop_reason": answer.stop_reason,
            "error": (said or answer.error) if level in LEVELS else answer.error,
            "created_at": _given(row, "end_time", "endTime", "start_time", "startTime"),
            **(dict.fromkeys(usage) if place else usage),
        }
        yield f"{key}, choice {answer.choice}" if many else key, cells(canonical, row, _TAKEN, paths)


def _given(row: dict[str, Any], *columns: str) -> str | None:
    """The first of some columns that has a value."""
    return next((text_of(row[name]) for name in columns if row.get(name) is not None), None)


def _answers(output: object) -> list[Answer]:
    value = opened(output)
    if value == {}:
        value = None
    found = chat.recognised(value, "output")
    # What is no provider's is the answer, with all its blanks and quotes.
    return [Answer(text_of(output) if value is not None else None)] if found is None else found


def _usage(row: dict[str, Any]) -> dict[str, str | None]:
    details = mapping(row.get("usage_details", row.get("usageDetails", row.get("usage"))), "usage_details")
    return {
        "input_tokens": text_of(details.get("input")) or _given(row, "inputUsage", "promptTokens"),
        "output_tokens": text_of(details.get("output")) or _given(row, "outputUsage", "completionTokens"),
    }


FORMAT = Langfuse()
