"""Output and error files of the OpenAI Batch API, and of the many tools that write the same lines.

A line is `{"id", "custom_id", "response": {"status_code", "request_id", "body"} | null, "error": {"code", "message"} |
null}`; the body is a chat completion, a legacy completion or an OpenAI response. Azure, Mistral, LiteLLM and vLLM write
the same; vLLM's documentation shows the body in place of `response`, which is read too. What was asked is in the input
file (`custom_id`, `method`, `url`, `body`), which is read where it lies beside; logs of one's own have it in `request`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch import Batch, Request
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, is_object, mapping, string
from tallybook.sources.json_records import text_of

if TYPE_CHECKING:
    from tallybook.study.format_base import Role

_BODIES = ("response.body", "response")
_OK = range(200, 300)
_ASKED = {"messages", "prompt", "input"}


class OpenAIBatch(Batch):
    """Files of responses to batches in OpenAI's layout."""

    name = "openai-batch"
    title = "OpenAI batch output (also vLLM, Azure, Mistral, LiteLLM)"
    asked, answered = "body", "response"
    begins = ("status_code", "request_id", "body", "object", "choices")
    line = "a line of a batch's output (custom_id, and response or error)"
    columns = Batch.unread | {
        "response_id": ("custom_id",),
        "model": tuple(f"{body}.model" for body in _BODIES),
        "item": ("custom_id",),
        "created_at": tuple(f"{body}.{name}" for body in _BODIES for name in ("created", "created_at")),
        **{
            f"{kind}_tokens": tuple(f"{body}.usage.{name}_tokens" for body in _BODIES for name in names)
            for kind, names in {"input": ("prompt", "input"), "output": ("completion", "output")}.items()
        },
    }
    taken = (
        *("id", "custom_id", "error"),
        *(f"{body}.{name}" for body in _BODIES for name in ("choices", "output", "model", "error")),
    )

    def role(self, line: dict[str, Any]) -> Role | None:
        """Tell lines with a response or an error that are objects from those of the input file."""
        response = line.get("response")
        if is_object(line.get("body")) and "response" not in line:
            return "beside" if _ASKED & line["body"].keys() else None
        if is_object(response):
            return "responses" if {*self.begins, "output", "message"} & response.keys() else None
        is_error = response is None and isinstance(line.get("error"), dict | str)
        return "responses" if is_error and ("response" in line or is_object(line["error"])) else None

    def replies(self, line: dict[str, Any]) -> list[Answer]:
        """Get the answers of a line, one without text if there are none."""
        if line.get("custom_id") is None or not ("response" in line or "error" in line):
            return []
        response, error = mapping(line.get("response"), "response"), line.get("error")
        is_wrapped = "body" in response or "status_code" in response
        body, code = response.get("body") if is_wrapped else response, response.get("status_code")
        if code is not None and not (text_of(code) or "").isdecimal():
            raise UnexpectedError("response.status_code", code, "an HTTP status")
        if code is not None and int(text_of(code) or "") not in _OK:
            said = error or (body.get("error") if is_object(body) else None) or body or response.get("message")
            return [chat.failure(said or f"status {code}")]
        if error:
            return [chat.failure(error)]
        if not response:
            raise UnexpectedError("response", line.get("response"), "an object, or an error")
        path = _BODIES[not is_wrapped]
        return chat.answers(mapping(body, path), path) or [Answer(None)]

    def request(self, line: dict[str, Any]) -> Request:
        """Get what an input file asks."""
        return _asked(line["body"], "body")

    def own_request(self, line: dict[str, Any]) -> Request | None:
        """Get what a line says itself was asked: its `request`, as it is or with the `body` of an input file."""
        found = line.get("request")
        found = found["body"] if is_object(found) and is_object(found.get("body")) else found
        return _asked(found, "request") if is_object(found) and _ASKED & found.keys() else None


def _asked(body: dict[str, Any], path: str) -> Request:
    asked = body.get("messages", body.get("prompt", body.get("input")))
    return Request(string(body.get("model"), f"{path}.model"), chat.prompt(asked, body.get("instructions")))


FORMAT = OpenAIBatch()
