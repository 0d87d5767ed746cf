"""Results of Anthropic Message Batches.

A line is `{"custom_id", "result"}`, where the result's `type` is `succeeded` (with a `message`), `errored` (with an
`error`), `canceled` or `expired`. What was asked is in the file of requests (`custom_id`, `params`), which is read
where it lies beside.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch_requests import Request, Requests, role_by_beginning
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, cells, is_object, mapping, names, string
from tallybook.sources.formats.objects import in_lines, rows
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

STATUS = {
    "end_turn": "ok",
    "stop_sequence": "ok",
    "tool_use": "ok",
    "pause_turn": "truncated",
    "max_tokens": "truncated",
    "model_context_window_exceeded": "truncated",
    "refusal": "refused",
}
"""Stop reason -> status. One that is not here gives `ok`; `ok` without text becomes `empty`."""
RESULTS = {"errored": "error", "canceled": "canceled", "expired": "expired"}
"""Type of a result without a message -> status."""

LINE = "a line of a batch's results (custom_id, result)"
_TAKEN = ("custom_id", "result.message.content", "result.message.model", "result.message.role", "result.message.type")
_STARTED = re.compile(rb'"result"\s*:\s*\{\s*"(type|message)"')


class AnthropicBatch(Format):
    """Files of results of message batches."""

    name = "anthropic-batch"
    title = "Anthropic message batch results"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines with a `custom_id` and a result of a known type; the file of requests is beside."""
        line = head.line
        if line is None:
            return role_by_beginning(head, "result", _STARTED, "params")
        if not isinstance(line.get("custom_id"), str):
            return None
        result, params = line.get("result"), line.get("params")
        if isinstance(params, dict) and "result" not in line:
            return "beside" if "messages" in params else None
        return "responses" if is_object(result) and result.get("type") in ("succeeded", *RESULTS) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file line by line, with the prompts from the files of requests beside it."""
        with Requests(content, self.recognises, "params", _request) as requests:
            found = rows(content, in_lines(content), partial(_records, requests, paths))
            yield from in_parts(found, content.name)


def _records(requests: Requests, paths: Sequence[str], key: str, line: dict[str, Any]) -> Iterator[Row]:
    custom_id = string(line.get("custom_id"), "custom_id")
    if custom_id is None or "result" not in line:
        raise UnexpectedError("", names(line), LINE)
    result = mapping(line["result"], "result")
    kind = string(result.get("type"), "result.type")
    body: dict[str, Any] = {}
    if kind == "succeeded":
        body = mapping(result.get("message"), "result.message")
        if "content" not in body:
            raise UnexpectedError("result.message", names(body), "a message (content)")
        answer = chat.message(body, "result.message")
        status = chat.status(answer, STATUS)
    elif kind in RESULTS:
        error = mapping(result.get("error"), "result.error")
        answer = Answer(None, error=chat.error_text(error.get("error", error)))
        status = RESULTS[kind]
    else:
        raise UnexpectedError("result.type", kind, f"one of succeeded, {', '.join(RESULTS)}")
    model = string(body.get("model"), "result.message.model")
    asked = requests.find(key, custom_id, model)
    canonical = {
        "response_id": custom_id,
        "model": model or requests.answered(asked.model, "result.message.model"),
        "item": custom_id,
        **({"prompt": asked.prompt, "params.model": asked.model} if requests.files else {}),
        "text": answer.words,
        "status": status,
        "stop_reason": answer.stop_reason,
        "error": answer.error,
        **chat.tokens(body.get("usage"), "result.message.usage"),
    }
    yield key, cells(canonical, line, _TAKEN, paths)


def _request(line: dict[str, Any]) -> Request:
    params = mapping(line["params"], "params")
    return Request(
        string(params.get("model"), "params.model"), chat.prompt(params.get("messages"), params.get("system"))
    )


FORMAT = AnthropicBatch()
