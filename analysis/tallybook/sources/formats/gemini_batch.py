"""Output of Gemini batches: of the Gemini API, and of batch prediction on Vertex AI.

A line of the Gemini API is `{"key", "response"}` or `{"key", "error"}`, and what was asked is in the input file (`key`,
`request`), which is read where it lies beside. A line of Vertex AI repeats the request: `{"status", "processed_time",
"request", "response"}`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch import Batch, Request
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, array, is_array, is_object, mapping, names, string

if TYPE_CHECKING:
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role

_KNOWN = {"candidates", "promptFeedback", "usageMetadata", "modelVersion"}
_BODIES = ("response.", "")


class GeminiBatch(Batch):
    """Files of responses to batches of Gemini."""

    name = "gemini-batch"
    title = "Gemini batch output (also Vertex AI)"
    identity, asked, answered = "key", "request", "response"
    begins = ("candidates", "usageMetadata", "modelVersion", "responseId", "createTime")
    line = "a line of a batch's output (response or error)"
    columns = Batch.unread | {
        "response_id": ("key", *(f"{body}responseId" for body in _BODIES)),
        "model": tuple(f"{body}modelVersion" for body in _BODIES),
        "item": ("key",),
        "prompt": (),
        "created_at": (*(f"{body}createTime" for body in _BODIES), "processed_time"),
        "input_tokens": tuple(f"{body}usageMetadata.promptTokenCount" for body in _BODIES),
        "output_tokens": tuple(f"{body}usageMetadata.candidatesTokenCount" for body in _BODIES),
    }
    taken = ("key", "error", "request.contents", "candidates", "response.candidates", "response.modelVersion")

    def recognises(self, head: Head) -> Role | None:
        """JSON lines with a response of Gemini, or with a `key` and an error; the input file is beside."""
        return super().recognises(head) if head.line is None else self.role(head.line)

    def role(self, line: dict[str, Any]) -> Role | None:
        """Tell lines with a response or an error from those of the input file."""
        request, response = line.get("request"), line.get("response", line)
        if "response" in line or "candidates" in line:
            given: object = line.get("candidates", [])
            if not is_array(given) or not all(is_object(one) for one in given):
                return None  # a column of that name
            is_echo = is_object(request) and "contents" in request and "status" in line
            return "responses" if is_object(response) and (_KNOWN & response.keys() or is_echo) else None
        if is_object(request):
            return "beside" if "contents" in request else None
        return "responses" if isinstance(line.get("key"), str) and is_object(line.get("error")) else None

    def replies(self, line: dict[str, Any]) -> list[Answer]:
        """Get the answers of a line: its candidates, or why there are none."""
        body = mapping(line["response"], "response") if "response" in line else line
        if error := line.get("error") or line.get("status"):
            return [chat.failure(error)]
        feedback = mapping(body.get("promptFeedback"), "response.promptFeedback")
        blocked = string(feedback.get("blockReason"), "response.promptFeedback.blockReason")
        path = "response.candidates"
        found = [_candidate(one, place, path) for place, one in enumerate(array(body.get("candidates"), path))]
        nothing = [Answer(None, None, blocked, status="filtered" if blocked else None)]
        return found or (nothing if _KNOWN & body.keys() else [])

    def request(self, line: dict[str, Any]) -> Request:
        """Get what an input file asks."""
        request = line["request"]
        given = request.get("systemInstruction", request.get("system_instruction"))
        system = _words(given.get("parts")) if is_object(given) else given
        contents = request.get("contents")
        if is_array(contents) and all(is_object(one) and _words(one.get("parts")) is not None for one in contents):
            turns = [(one.get("role") or "user", _words(one["parts"])) for one in contents]
            contents = [{"role": "assistant" if role == "model" else role, "content": said} for role, said in turns]
        return Request(None, chat.prompt(contents, system))

    def own_request(self, line: dict[str, Any]) -> Request | None:
        """Get what Vertex AI repeats of the request."""
        return self.request(line) if is_object(line.get("request")) else None


def _candidate(found: object, place: int, path: str) -> Answer:
    path = f"{path}.{place}"
    fields = mapping(found, path)
    if not {"content", "finishReason"} & fields.keys():
        raise UnexpectedError(path, names(fields), "a candidate (content, finishReason)")
    given = fields.get("index")
    index = given if type(given) is int and given >= 0 else place
    content = mapping(fields.get("content"), f"{path}.content")
    texts: list[str] = []
    for number, part in enumerate(array(content.get("parts"), f"{path}.content.parts")):
        here = f"{path}.content.parts.{number}"
        said = mapping(part, here)
        if said.get("thought") is not True and "text" in said:  # calls and media are left out, too
            texts.append(string(said["text"], f"{here}.text") or "")
    text = "".join(texts) if texts else None
    return Answer(text, None, string(fields.get("finishReason"), f"{path}.finishReason"), index)


def _words(parts: object) -> str | None:
    """The text of parts that are nothing but text."""
    if is_object(parts):
        parts = [parts]
    if not is_array(parts) or not all(is_object(part) and isinstance(part.get("text"), str) for part in parts):
        return None
    return "".join(part["text"] for part in parts)


FORMAT = GeminiBatch()
