"""Output and error files of the OpenAI Batch API, and of the many tools that write the same lines.

A line is `{"id", "custom_id", "response": {"status_code", "request_id", "body"} | null, "error": {"code", "message"} |
null}`; the body is a chat completion, a legacy completion or an OpenAI response. Azure, Mistral, LiteLLM and vLLM write
the same; vLLM's documentation shows the body in place of `response`, which is read too. What was asked is in the input
file (`custom_id`, `method`, `url`, `body`), which is read where it lies beside; logs of one's own have it in `request`.
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
from tallybook.sources.json_records import at, text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

STATUS = {
    "stop": "ok",
    "tool_calls": "ok",
    "function_call": "ok",
    "length": "truncated",
    "model_length": "truncated",
    "content_filter": "filtered",
    "error": "error",
    "abort": "canceled",
    # of a response, the reason why it is incomplete, or else its status
    "completed": "ok",
    "max_output_tokens": "truncated",
    "incomplete": "truncated",
    "failed": "error",
    "cancelled": "canceled",
    "queued": "error",
    "in_progress": "error",
}
"""Stop reason -> status. One that is not here gives `ok`; `ok` without text becomes `empty`; text in the field for
refusals gives `refused` whatever the reason."""
ERRORS = {
    "batch_expired": "expired",
    "batch_cancelled": "canceled",
    "batch_canceled": "canceled",
    "content_filter": "filtered",
    "content_policy_violation": "filtered",
}
"""Code of an error -> status; any other gives `error`."""

LINE = "a line of a batch's output (custom_id, and response or error)"
_TAKEN = (
    "id",
    "custom_id",
    "error",
    *(f"response{body}.{name}" for body in ("", ".body") for name in ("choices", "output", "model", "error")),
)
_STARTED = re.compile(rb'"response"\s*:\s*\{\s*"(status_code|request_id|body|object|choices)"')
_OK = range(200, 300)
_ASKED = {"messages", "prompt", "input"}


class OpenAIBatch(Format):
    """Files of responses to batches in OpenAI's layout."""

    name = "openai-batch"
    title = "OpenAI batch output (also vLLM, Azure, Mistral, LiteLLM)"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines with a `custom_id`, and a response or an error that are objects; the input file is beside."""
        line = head.line
        if line is None:
            return role_by_beginning(head, "response", _STARTED, "body")
        if not isinstance(line.get("custom_id"), str):
            return None
        if isinstance(line.get("body"), dict) and "response" not in line:
            return "beside" if _ASKED & line["body"].keys() else None
        response = line.get("response")
        if isinstance(response, dict):
            known = {"status_code", "request_id", "body", "choices", "output", "message"}
            return "responses" if known & response.keys() else None
        is_error = response is None and isinstance(line.get("error"), dict | str)
        return "responses" if is_error and ("response" in line or isinstance(line["error"], dict)) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file line by line, with the prompts from the input files beside it."""
        with Requests(content, self.recognises, "body", _request) as requests:
            found = rows(content, in_lines(content), partial(_records, requests, paths))
            yield from in_parts(found, content.name)


def _records(requests: Requests, paths: Sequence[str], key: str, line: dict[str, Any]) -> Iterator[Row]:
    custom_id = string(line.get("custom_id"), "custom_id")
    if custom_id is None or not ("response" in line or "error" in line):
        raise UnexpectedError("", names(line), LINE)
    body, answers, failure = _answers(line)
    model = string(body.get("model"), "response.body.model")
    asked = requests.find(key, custom_id, model)
    own = _own_request(line)
    beside = {"prompt": asked.prompt, "body.model": asked.model} if requests.files else {}
    if own is not None:
        beside |= {"prompt": own.prompt}
        asked = asked._replace(model=own.model or asked.model)
    nothing = {"input_tokens": None, "output_tokens": None}
    for place, answer in enumerate(answers):
        many = len(answers) > 1
        canonical = {
            "response_id": f"{custom_id}#{answer.choice}" if many else custom_id,
            "model": model or requests.answered(asked.model, "response.body.model"),
            "item": custom_id,
            "sample": str(answer.choice),
            **beside,
            "text": answer.words,
            "status": failure or chat.status(answer, STATUS),
            "stop_reason": answer.stop_reason,
            "error": answer.error,
            "created_at": text_of(body.get("created", body.get("created_at"))),
            # All choices are counted together: their tokens stand with the first.
            **(nothing if place else chat.tokens(body.get("usage"), "response.body.usage")),
        }
        yield f"{key}, choice {answer.choice}" if many else key, cells(canonical, line, _TAKEN, paths)


def _answers(line: dict[str, Any]) -> tuple[dict[str, Any], list[Answer], str | None]:
    """Get the body of a line, its answers (one without text if there are none), and the status of a failure."""
    response = mapping(line.get("response"), "response")
    is_wrapped = "body" in response or "status_code" in response
    path = "response.body" if is_wrapped else "response"
    code = response.get("status_code")
    if code is not None and not (text_of(code) or "").isdecimal():
        raise UnexpectedError("response.status_code", code, "an HTTP status")
    error = line.get("error")
    if code is not None and int(text_of(code) or "") not in _OK:
        body = response.get("body")
        error = error or (body.get("error") if is_object(body) else None) or body or response.get("message")
        said = chat.error_text(error) or f"status {code}"
        return {}, [Answer(None, error=said)], _failure(error)
    if error:
        return {}, [Answer(None, error=chat.error_text(error))], _failure(error)
    if not response:
        raise UnexpectedError("response", line.get("response"), "an object, or an error")
    body = mapping(response.get("body"), path) if is_wrapped else response
    return body, chat.answers(body, path) or [Answer(None)], None


def _failure(error: object) -> str:
    codes = (at(error, path) for path in ("code", "type", "innererror.code"))
    return next((ERRORS[code] for code in codes if isinstance(code, str) and code in ERRORS), "error")


def _own_request(line: dict[str, Any]) -> Request | None:
    """What a line says itself was asked: its `request`, as it is or with the `body` of an input file."""
    found = line.get("request")
    found = found["body"] if is_object(found) and is_object(found.get("body")) else found
    return _asked(found, "request") if is_object(found) and _ASKED & found.keys() else None


def _request(line: dict[str, Any]) -> Request:
    return _asked(mapping(line["body"], "body"), "body")


def _asked(body: dict[str, Any], path: str) -> Request:
    asked = body.get("messages", body.get("prompt", body.get("input")))
    return Request(string(body.get("model"), f"{path}.model"), chat.prompt(asked, body.get("instructions")))


FORMAT = OpenAIBatch()
