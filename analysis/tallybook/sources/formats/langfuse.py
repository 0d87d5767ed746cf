"""Observations exported from Langfuse: as JSON, JSON lines, CSV or Parquet, from its pages or to blob storage.

Only generations are responses; other observations (spans, events, tools) are passed over. Their `output` is a string
that may be JSON, or JSON already: what is a body, a message, messages or content blocks of a provider gives the text in
it; anything else is the answer itself, as it is written.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.fields import UnexpectedError, names, string
from tallybook.sources.formats.table_rows import opened
from tallybook.sources.json_records import text_of

if TYPE_CHECKING:
    from tallybook.sources.formats.chat import Answer

_TYPES = {"SPAN", "EVENT", "AGENT", "TOOL", "CHAIN", "RETRIEVER", "EVALUATOR", "EMBEDDING", "GUARDRAIL"}
_OPENED = (
    *("metadata", "usage_details", "cost_details", "model_parameters", "tool_definitions"),
    *("usageDetails", "costDetails", "modelParameters", "usage"),
)
"""Objects, which are JSON in strings in some exports."""
_USAGE = ("usage_details", "usageDetails", "usage")


class Langfuse(Declared):
    """Files of observations, whose columns have other names in blob storage than on Langfuse's pages."""

    name = "langfuse"
    title = "Langfuse observations"
    cores = (
        frozenset({"id", "trace_id", "type", "start_time", "parent_observation_id"}),
        frozenset({"id", "traceId", "type", "startTime", "parentObservationId"}),
    )
    is_strict = True
    columns = {  # noqa: RUF012  it is declared once and never changed
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
        """Pass over what is no generation, and parse JSON in strings."""
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
        """Get the answers in an output; those of an observation at the level of an error failed."""
        found = super().answers(record, None if opened(given) == {} else given)
        if record.get("level") != "ERROR":
            return found
        said = text_of(record.get("status_message") or record.get("statusMessage"))
        return [one._replace(status="error", error=said or one.error) for one in found]


FORMAT = Langfuse()
