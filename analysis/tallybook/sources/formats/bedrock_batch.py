"""Output of Amazon Bedrock's batch inference: `{"recordId", "modelInput", "modelOutput" | "error"}` a line.

What a model takes and gives has its provider's form, or that of the Converse API; the forms of Anthropic, Meta,
Mistral, Cohere, AI21, DeepSeek and Amazon (Nova, Titan) are read. Few of them name the model.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import anthropic_batch, chat, openai_batch
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, cells, is_array, is_object, mapping, names, string
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
    **openai_batch.STATUS,
    **anthropic_batch.STATUS,
    "guardrail_intervened": "filtered",
    "content_filtered": "filtered",
    "CONTENT_FILTERED": "filtered",
    "ERROR_TOXIC": "filtered",
    "MAX_TOKENS": "truncated",
    "LENGTH": "truncated",
    "ERROR": "error",
    "COMPLETE": "ok",
    "FINISH": "ok",
    "FINISHED": "ok",
    "STOP_CRITERIA_MET": "ok",
}
"""Stop reason -> status. One that is not here gives `ok`; `ok` without text becomes `empty`."""

LINE = "a line of a batch's output (recordId, and modelOutput or error)"
OUTPUTS = "the output of a model of a known provider"
_ONE = {"generation": "stop_reason", "text": "finish_reason"}
"""Paths of the text (Llama, Command R) -> paths of the stop reason."""
_MANY = {
    "results": ("outputText", "completionReason"),
    "outputs": ("text", "stop_reason"),
    "generations": ("text", "finish_reason"),
}
"""Paths of several answers (Titan, Mistral, Command) -> paths of the text and the stop reason in each."""
_TAKEN = (
    *("recordId", "error", "modelInput.messages", "modelInput.system", "modelInput.prompt", "modelInput.inputText"),
    *(f"modelOutput.{name}" for name in ("content", "choices", "output", *_ONE, *_MANY, "model")),
)


class BedrockBatch(Format):
    """Files of responses to Bedrock's batch inference."""

    name = "bedrock-batch"
    title = "Amazon Bedrock batch output"

    def recognises(self, head: Head) -> Role | None:
        """JSON lines with a `recordId`, what the model took, and what it gave; a file without that is beside."""
        line = head.line
        found = set(line if line is not None else head.keys)
        if head.is_array or "modelInput" not in found:
            return None
        if line is None and head.suffix == ".out":  # it is longer than what was read: the input may fill that
            return "responses"
        is_record = line is None or (is_object(line["modelInput"]) and isinstance(line.get("recordId"), str))
        if not is_record or "recordId" not in found:
            return None
        return "responses" if {"modelOutput", "error"} & found else "beside"

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file line by line."""
        yield from in_parts(rows(content, in_lines(content), partial(_records, paths)), content.name)


def _records(paths: Sequence[str], key: str, line: dict[str, Any]) -> Iterator[Row]:
    record = string(line.get("recordId"), "recordId")
    error, output = line.get("error"), mapping(line.get("modelOutput"), "modelOutput")
    if record is None or not (error or output):
        raise UnexpectedError("", names(line), LINE)
    answers = [Answer(None, error=_error(error))] if error else _answers(output) or [Answer(None)]
    usage = _usage(output)
    for place, answer in enumerate(answers):
        many = len(answers) > 1
        canonical = {
            "response_id": f"{record}#{answer.choice}" if many else record,
            "model": string(output.get("model"), "modelOutput.model"),
            "item": record,
            "sample": str(answer.choice),
            "prompt": _prompt(mapping(line.get("modelInput"), "modelInput")),
            "text": answer.words,
            "status": "error" if error else chat.status(answer, STATUS),
            "stop_reason": answer.stop_reason,
            "error": answer.error,
            **(dict.fromkeys(usage) if place else usage),
        }
        yield f"{key}, choice {answer.choice}" if many else key, cells(canonical, line, _TAKEN, paths)


def _answers(output: dict[str, Any]) -> list[Answer]:
    path = "modelOutput"
    if is_array(output.get("choices")) or chat.is_message(output):
        return chat.answers(output, path)
    if is_object(output.get("output")):
        said = chat.message(
            mapping(output["output"].get("message"), f"{path}.output.message"), f"{path}.output.message"
        )
        return [said._replace(stop_reason=string(output.get("stopReason"), f"{path}.stopReason"))]
    for name, (text, reason) in _MANY.items():
        if is_array(found := output.get(name)):
            here = [
                (f"{path}.{name}.{place}", mapping(one, f"{path}.{name}.{place}")) for place, one in enumerate(found)
            ]
            return [_answer(one, text, reason, at)._replace(choice=place) for place, (at, one) in enumerate(here)]
    for text, reason in _ONE.items():
        if text in output:
            return [_answer(output, text, reason, path)]
    raise UnexpectedError(path, names(output), OUTPUTS)


def _answer(found: dict[str, Any], text: str, reason: str, path: str) -> Answer:
    if text not in found:
        raise UnexpectedError(path, names(found), f"an answer ({text})")
    return Answer(string(found[text], f"{path}.{text}"), None, string(found.get(reason), f"{path}.{reason}"))


def _error(error: object) -> str | None:
    if not is_object(error) or "errorMessage" not in error:
        return chat.error_text(error)
    return chat.error_text({"code": error.get("errorCode"), "message": error["errorMessage"]})


def _usage(output: dict[str, Any]) -> dict[str, str | None]:
    usage = mapping(output.get("usage"), "modelOutput.usage")
    converse = {"input_tokens": usage.get("inputTokens"), "output_tokens": usage.get("outputTokens")}
    llama = {"input_tokens": output.get("prompt_token_count"), "output_tokens": output.get("generation_token_count")}
    places = (usage, converse, llama, {"input_tokens": output.get("inputTextTokenCount")})
    found = (chat.tokens(place, "modelOutput.usage") for place in places)
    nothing: dict[str, str | None] = {"input_tokens": None, "output_tokens": None}
    return next((one for one in found if any(one.values())), nothing)


def _prompt(taken: dict[str, Any]) -> str | None:
    asked = next((taken[name] for name in ("messages", "prompt", "inputText", "message") if name in taken), None)
    if not is_array(asked):
        return chat.prompt(asked, taken.get("system"))
    return chat.prompt([_plain(one) for one in asked], _joined(taken.get("system")))


def _plain(message: object) -> object:
    """A message with its content as text, where it is nothing but text."""
    return {**message, "content": _joined(message.get("content"))} if is_object(message) else message


def _joined(content: object) -> object:
    """The text of the Converse API's content blocks, which have no type; anything else as it is."""
    if not is_array(content) or not content or not all(is_object(one) and set(one) == {"text"} for one in content):
        return content
    return "".join(text_of(one["text"]) or "" for one in content)


FORMAT = BedrockBatch()
