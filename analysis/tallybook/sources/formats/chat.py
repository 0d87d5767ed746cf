"""Read the text, the refusal and the stop reason from providers' bodies, messages and content blocks."""

from __future__ import annotations

from typing import Any, NamedTuple, TypeGuard

from tallybook.sources.formats.objects import UnexpectedError, array, is_array, is_object, mapping, names, string
from tallybook.sources.json_records import at, text_of

BODIES = "a chat completion or completion (choices), a response (output) or a message (role, content)"
_TEXTS = ("text", "output_text", "input_text")
"""The types of content blocks with text; blocks of other types (thinking, tool calls, images) are ignored."""
_SAID = {"message", "text"}
"""The fields of which a choice has at least one."""
ROLES = ("system", "developer", "user", "assistant", "tool", "function", "model", "human", "ai")
"""The roles of messages: an object with another role may be an answer in the form of JSON."""

_STOPS = {
    "truncated": "length model_length max_tokens max_output_tokens incomplete pause_turn model_context_window_exceeded",
    "filtered": "content_filter content_filtered guardrail_intervened error_toxic safety recitation blocklist "
    "prohibited_content spii image_safety model_armor",
    "refused": "refusal",
    "error": "error failed queued in_progress malformed_function_call unexpected_tool_call",
    "canceled": "abort cancelled",
}
STATUS = {reason: status for status, reasons in _STOPS.items() for reason in reasons.split()}
"""Stop reason of any provider, in lower case -> status; any other gives `ok`."""
ERRORS = {
    **dict.fromkeys(("batch_expired", "deadline_exceeded", "4"), "expired"),
    **dict.fromkeys(("batch_cancelled", "batch_canceled", "cancelled", "1"), "canceled"),
    **dict.fromkeys(("content_filter", "content_policy_violation"), "filtered"),
}
"""Error code in lower case -> status; any other gives `error`."""


class Answer(NamedTuple):
    """The answer of a model."""

    text: str | None  # its text; None if there is none
    refusal: str | None = None  # its text in the provider's field for refusals
    stop_reason: str | None = None  # the stop reason in the provider's terms
    choice: int = 0  # its index among the answers to the same prompt
    error: str | None = None  # the error message
    status: str | None = None  # its status, if that does not follow from the stop reason

    @property
    def words(self) -> str | None:
        """The text, or else the refusal."""
        return self.refusal if self.refusal and is_blank(self.text) else self.text


def is_blank(text: str | None) -> bool:
    """Return whether a text is missing, empty or white space."""
    return not text or text.isspace()


def status(answer: Answer) -> str:
    """Return the status of an answer.

    Its own status; `refused` if the provider's field for refusals is filled; else that of the stop reason; and `empty`
    instead of `ok` if there is no text.

    >>> [status(Answer("Yes", None, reason)) for reason in ("MAX_TOKENS", "a new one", None)]
    ['truncated', 'ok', 'ok']
    """
    if answer.status or answer.refusal:
        return answer.status or "refused"
    found = STATUS.get((answer.stop_reason or "").lower(), "ok")
    return "empty" if found == "ok" and is_blank(answer.text) else found


def failure(error: object) -> Answer:
    """Return the answer of a failed request."""
    codes = (text_of(at(error, path)) for path in ("code", "type", "innererror.code", "status"))
    known = (ERRORS[code.lower()] for code in codes if code and code.lower() in ERRORS)
    return Answer(None, error=error_text(error), status=next(known, "error"))


def answers(body: dict[str, Any], path: str) -> list[Answer]:
    """Return the answers in the body of a provider's response."""
    if is_array(choices := body.get("choices")):
        return [_choice(choice, place, f"{path}.choices.{place}") for place, choice in enumerate(choices)]
    if body.get("object") == "response" and is_array(body.get("output")):
        return [_response(body, path)]
    if is_message(body):
        return [message(body, path)]
    raise UnexpectedError(path, names(body), BODIES)


def recognised(value: object, path: str) -> list[Answer] | None:
    """Return the answers in a provider's body, message, messages or content blocks; None for any other value.

    >>> recognised([{"role": "user", "content": "Why?"}, {"role": "assistant", "content": "So."}], "output")
    [Answer(text='So.', refusal=None, stop_reason=None, choice=0, error=None, status=None)]
    >>> recognised({"answer": "So.", "choices": ["So.", "No."]}, "output") is None
    True
    """
    if is_object(value):
        choices = value.get("choices")
        are_choices = is_array(choices) and choices and all(is_object(one) and _SAID & one.keys() for one in choices)
        is_body = are_choices or value.get("object") == "response" or is_message(value)
        return answers(value, path) if is_body else None
    if not is_array(value) or not value:
        return None
    if all(is_message(one) for one in value):
        return [message(value[-1], f"{path}.{len(value) - 1}")]
    types = [one.get("type") if is_object(one) else None for one in value]
    if all(isinstance(kind, str) for kind in types) and any(kind in (*_TEXTS, "refusal") for kind in types):
        return [Answer(*content_text(value, path))]
    return None


def is_message(value: object) -> TypeGuard[dict[str, Any]]:
    """Return whether a JSON value is a message: an object with a known role and with content or a substitute for it."""
    if not is_object(value) or value.get("role") not in ROLES:
        return False
    return any(name in value for name in ("content", "tool_calls", "refusal"))


def message(found: dict[str, Any], path: str) -> Answer:
    """Return the answer in a message."""
    text, refusal = content_text(found.get("content"), f"{path}.content")
    refusal = string(found.get("refusal"), f"{path}.refusal") or refusal
    return Answer(text, refusal, string(found.get("stop_reason"), f"{path}.stop_reason"))


def content_text(content: object, path: str) -> tuple[str | None, str | None]:
    """Return the joined text blocks in the content of a message, and its joined refusal blocks.

    >>> content_text([{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Yes"}], "content")
    ('Yes', None)
    """
    if content is None or isinstance(content, str):
        return content, None
    if not is_array(content):
        raise UnexpectedError(path, content, "a string or an array of content blocks")
    texts: list[str] = []
    refusals: list[str] = []
    for place, block in enumerate(content):
        if isinstance(block, str):
            texts.append(block)
            continue
        here = f"{path}.{place}"
        fields = mapping(block, here)
        kind = string(fields.get("type"), f"{here}.type")
        if kind == "refusal":
            refusals.append(string(fields.get("refusal"), f"{here}.refusal") or "")
        elif kind in _TEXTS or (kind is None and "text" in fields):
            texts.append(string(fields.get("text"), f"{here}.text") or "")
        elif kind is None:
            raise UnexpectedError(here, names(fields), "a content block (type)")
    return "".join(texts) if texts else None, "".join(refusals) or None


def prompt(messages: object, system: object = None) -> str | None:
    """Return the text if it is all there is, by one user; else the messages as JSON, with the system prompt first.

    >>> prompt([{"role": "user", "content": "Why?"}])
    'Why?'
    >>> prompt([{"role": "user", "content": "Why?"}], "Be brief.")
    '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]'
    """
    listed: Any = messages
    if system:
        if isinstance(messages, str):
            listed = [{"role": "user", "content": messages}]
        if is_array(listed):
            return text_of([{"role": "system", "content": system}, *listed])
        return text_of({"system": system, "messages": messages})
    only = listed[0] if is_array(listed) and len(listed) == 1 else None
    if isinstance(only, str):
        return only
    if is_message(only) and set(only) <= {"role", "content", "type"} and only["role"] == "user":
        content = only.get("content")
        if isinstance(content, str):
            return content
        if is_array(content) and all(is_object(block) and block.get("type") in _TEXTS for block in content):
            return content_text(content, "content")[0]
    return text_of(listed)


def error_text(error: object) -> str | None:
    """Format a provider's error as text, with its code.

    >>> error_text({"code": "batch_expired", "message": "Too late."})
    'batch_expired: Too late.'
    """
    if not is_object(error):
        return text_of(error) or None
    if not error:
        return None
    told = (("code", "errorCode", "type"), ("message", "errorMessage"))
    said = (next((text_of(error[name]) for name in names if error.get(name)), None) for names in told)
    return ": ".join(text for text in said if text) or text_of(error)


def _choice(choice: object, place: int, path: str) -> Answer:
    fields = mapping(choice, path)
    given = fields.get("index")
    index = given if isinstance(given, int) and not isinstance(given, bool) and given >= 0 else place
    told = "finish_reason" if "finish_reason" in fields else "stop_reason"
    stop_reason = string(fields.get(told), f"{path}.{told}")
    if is_object(fields.get("message")):
        said = message(fields["message"], f"{path}.message")
        return said._replace(stop_reason=stop_reason, choice=index)
    if "text" in fields:
        return Answer(string(fields["text"], f"{path}.text"), None, stop_reason, index)
    raise UnexpectedError(path, names(fields), "a choice with a message or a text")


def _response(body: dict[str, Any], path: str) -> Answer:
    """Read the body of `/v1/responses`: the texts of its messages, without reasoning and tool calls."""
    texts: list[str] = []
    refusals: list[str] = []
    for place, item in enumerate(array(body["output"], f"{path}.output")):
        here = f"{path}.output.{place}"
        fields = mapping(item, here)
        if string(fields.get("type"), f"{here}.type") == "message":
            text, refusal = content_text(fields.get("content"), f"{here}.content")
            texts += [] if text is None else [text]
            refusals += [refusal] if refusal else []
    details = mapping(body.get("incomplete_details"), f"{path}.incomplete_details")
    reason = string(details.get("reason"), f"{path}.incomplete_details.reason")
    stop_reason = reason or string(body.get("status"), f"{path}.status")
    text = "".join(texts) if texts else None
    return Answer(text, "".join(refusals) or None, stop_reason, 0, error_text(body.get("error")))
