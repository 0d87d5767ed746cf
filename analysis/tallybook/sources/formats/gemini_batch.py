"""Output of Gemini batches: of the Gemini API, and of batch prediction on Vertex AI.

A line of the Gemini API is `{"key", "response"}` or `{"key", "error"}`, and what was asked is in the input file (`key`,
`request`), which is read where it lies beside. A line of Vertex AI repeats the request: `{"status", "processed_time",
"request", "response"}`.
"""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch_requests import Request, Requests
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, array, cells, is_array, is_object, mapping, names, string
from tallybook.sources.formats.objects import in_lines, rows
from tallybook.sources.json_records import text_of
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.formats.format import Head
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

STATUS = {
    "STOP": "ok",
    "MAX_TOKENS": "truncated",
    "SAFETY": "filtered",
    "RECITATION": "filtered",
    "BLOCKLIST": "filtered",
    "PROHIBITED_CONTENT": "filtered",
    "SPII": "filtered",
    "IMAGE_SAFETY": "filtered",
    "MODEL_ARMOR": "filtered",
    "MALFORMED_FUNCTION_CALL": "error",
    "UNEXPECTED_TOOL_CALL": "error",
}
"""Reason to finish -> status. One that is not here gives `ok`; `ok` without text becomes `empty`. A prompt that was
blocked (`promptFeedback.blockReason`) is `filtered`."""
ERRORS = {"1": "canceled", "CANCELLED": "canceled", "4": "expired", "DEADLINE_EXCEEDED": "expired"}
"""Code or status of an error -> status; any other gives `error`."""

LINE = "a line of a batch's output (response or error)"
_KNOWN = {"candidates", "promptFeedback", "usageMetadata", "modelVersion"}
_TAKEN = ("key", "error", "request.contents", "candidates", "response.candidates", "response.modelVersion")
_STARTED = re.compile(rb'"response"\s*:\s*\{\s*"(candidates|usageMetadata|modelVersion|responseId|createTime)"')


class GeminiBatch(Format):
    """Files of responses to batches of Gemini."""

    name = "gemini-batch"
    title = "Gemini batch output (also Vertex AI)"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines with a response of Gemini, or with a `key` and an error; the input file is beside."""
        line = head.line
        if line is None:  # it may be longer than what was read
            return "responses" if _STARTED.search(head.start.partition(b"\n")[0]) and not head.is_array else None
        request, response = line.get("request"), line.get("response")
        if "response" in line or "candidates" in line:
            found = response if "response" in line else line
            given = line.get("candidates", [])
            if not isinstance(given, list) or not all(is_object(one) for one in cast("list[Any]", given)):
                return None  # a column of that name
            is_echo = is_object(request) and "contents" in request and "status" in line
            return "responses" if is_object(found) and (_KNOWN & found.keys() or is_echo) else None
        if is_object(request):
            return "beside" if "contents" in request else None
        return "responses" if isinstance(line.get("key"), str) and is_object(line.get("error")) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file line by line, with the prompts from the input files beside it."""
        with Requests(content, self._keyed, "request", _request, "key") as requests:
            found = rows(content, in_lines(content), partial(_records, requests, paths))
            yield from in_parts(found, content.name)

    def _keyed(self, head: Head) -> Role | None:
        is_keyed = head.line is not None and "key" in head.line
        return self.recognises(head) if is_keyed else None


def _records(requests: Requests, paths: Sequence[str], key: str, line: dict[str, Any]) -> Iterator[Row]:
    name = string(line.get("key"), "key")
    body = mapping(line["response"], "response") if "response" in line else line
    failure = line.get("error") or line.get("status")
    if not (failure or _KNOWN & body.keys()):
        raise UnexpectedError("", names(line), LINE)
    feedback = mapping(body.get("promptFeedback"), "response.promptFeedback")
    blocked = string(feedback.get("blockReason"), "response.promptFeedback.blockReason")
    answers = [Answer(None, error=chat.error_text(failure))] if failure else _answers(body, blocked)
    is_blocked = blocked is not None and not body.get("candidates")
    status = _failed(failure) if failure else "filtered" if is_blocked else None
    asked = requests.find(key, name, None) if name else Request(None, None)
    usage = mapping(body.get("usageMetadata"), "response.usageMetadata")
    response_id = name or string(body.get("responseId"), "response.responseId")
    for place, answer in enumerate(answers):
        many = len(answers) > 1
        canonical = {
            "response_id": f"{response_id}#{answer.choice}" if many and response_id else response_id,
            "model": string(body.get("modelVersion"), "response.modelVersion"),
            "item": name,
            "sample": str(answer.choice),
            "prompt": _request(line).prompt if is_object(line.get("request")) else asked.prompt,
            "text": answer.text,
            "status": status or chat.status(answer, STATUS),
            "stop_reason": answer.stop_reason,
            "error": answer.error,
            "created_at": text_of(body.get("createTime") or line.get("processed_time")),
            # All candidates are counted together: their tokens stand with the first.
            "input_tokens": None if place else text_of(usage.get("promptTokenCount")),
            "output_tokens": None if place else text_of(usage.get("candidatesTokenCount")),
        }
        yield f"{key}, choice {answer.choice}" if many else key, cells(canonical, line, _TAKEN, paths)


def _answers(body: dict[str, Any], blocked: str | None) -> list[Answer]:
    path = "response.candidates"
    found = [_candidate(one, place) for place, one in enumerate(array(body.get("candidates"), path))]
    return found or [Answer(None, None, blocked)]


def _candidate(found: object, place: int) -> Answer:
    path = f"response.candidates.{place}"
    fields = mapping(found, path)
    if not {"content", "finishReason"} & fields.keys():
        raise UnexpectedError(path, names(fields), "a candidate (content, finishReason)")
    given = fields.get("index")
    index = given if type(given) is int and given >= 0 else place
    content = mapping(fields.get("content"), f"{path}.content")
    parts = array(content.get("parts"), f"{path}.content.parts")
    text = _text(parts, f"{path}.content.parts")
    return Answer(text, None, string(fields.get("finishReason"), f"{path}.finishReason"), index)


def _text(parts: list[Any], path: str) -> str | None:
    """The texts of parts, concatenated; thoughts, calls and media are left out."""
    texts: list[str] = []
    for place, part in enumerate(parts):
        fields = mapping(part, f"{path}.{place}")
        if fields.get("thought") is not True and "text" in fields:
            texts.append(string(fields["text"], f"{path}.{place}.text") or "")
    return "".join(texts) if texts else None


def _failed(error: object) -> str:
    codes = (error.get("code"), error.get("status")) if is_object(error) else ()
    return next((ERRORS[code] for code in map(text_of, codes) if code in ERRORS), "error")


def _request(line: dict[str, Any]) -> Request:
    request = mapping(line["request"], "request")
    given = request.get("systemInstruction", request.get("system_instruction"))
    system = _words(given.get("parts")) if is_object(given) else given
    contents = request.get("contents")
    if not is_array(contents) or not all(is_object(one) and _words(one.get("parts")) is not None for one in contents):
        return Request(None, chat.prompt(contents, system))
    turns = [(one.get("role") or "user", _words(one["parts"])) for one in contents]
    return Request(
        None,
        chat.prompt(
            [{"role": "assistant" if role == "model" else role, "content": words} for role, words in turns], system
        ),
    )


def _words(parts: object) -> str | None:
    """The text of parts that are nothing but text."""
    if is_object(parts):
        parts = [parts]
    if not is_array(parts) or not all(is_object(part) and isinstance(part.get("text"), str) for part in parts):
        return None
    return "".join(part["text"] for part in parts)


FORMAT = GeminiBatch()
