"""Results of Anthropic Message Batches.

A line is `{"custom_id", "result"}`, where the result's `type` is `succeeded` (with a `message`), `errored` (with an
`error`), `canceled` or `expired`. What was asked is in the file of requests (`custom_id`, `params`), which is read
where it lies beside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch import Batch, Request
from tallybook.sources.formats.fields import UnexpectedError, is_object, mapping, names, string

if TYPE_CHECKING:
    from tallybook.sources.formats.chat import Answer
    from tallybook.study.format_base import Role

_RESULTS = {"errored": "error", "canceled": "canceled", "expired": "expired"}
"""Type of a result without a message -> status."""


class AnthropicBatch(Batch):
    """Files of results of message batches."""

    name = "anthropic-batch"
    title = "Anthropic message batch results"
    asked, answered, begins = "params", "result", ("type", "message")
    line = "a line of a batch's results (custom_id, result)"
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("custom_id",),
        "model": ("result.message.model",),
        "item": ("custom_id",),
        **{name: () for name in Batch.unread if name != "sample"},
        "input_tokens": ("result.message.usage.input_tokens",),
        "output_tokens": ("result.message.usage.output_tokens",),
    }
    taken = ("custom_id", *(f"result.message.{name}" for name in ("content", "model", "role", "type")))

    def role(self, line: dict[str, Any]) -> Role | None:
        """Tell lines with a result of a known type from those of the file of requests."""
        result, params = line.get("result"), line.get("params")
        if is_object(params) and "result" not in line:
            return "beside" if "messages" in params else None
        return "responses" if is_object(result) and result.get("type") in ("succeeded", *_RESULTS) else None

    def replies(self, line: dict[str, Any]) -> list[Answer]:
        """Get the answer of a line."""
        if line.get("custom_id") is None or "result" not in line:
            return []
        result = mapping(line["result"], "result")
        kind = string(result.get("type"), "result.type")
        if kind in _RESULTS:
            error = mapping(result.get("error"), "result.error")
            return [chat.failure(error.get("error", error))._replace(status=_RESULTS[kind])]
        if kind != "succeeded":
            raise UnexpectedError("result.type", kind, f"one of succeeded, {', '.join(_RESULTS)}")
        body = mapping(result.get("message"), "result.message")
        if "content" not in body:
            raise UnexpectedError("result.message", names(body), "a message (content)")
        return [chat.message(body, "result.message")]

    def request(self, line: dict[str, Any]) -> Request:
        """Get what a file of requests asks."""
        asked = line["params"]
        return Request(
            string(asked.get("model"), "params.model"), chat.prompt(asked.get("messages"), asked.get("system"))
        )


FORMAT = AnthropicBatch()
