"""Output of Amazon Bedrock's batch inference: `{"recordId", "modelInput", "modelOutput" | "error"}` a line.

What a model takes and gives has its provider's form, or that of the Converse API; the forms of Anthropic, Meta,
Mistral, Cohere, AI21, DeepSeek and Amazon (Nova, Titan) are read. Few of them name the model.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch import Batch
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.fields import UnexpectedError, is_array, is_object, mapping, names, string
from tallybook.sources.json_records import text_of

if TYPE_CHECKING:
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role

OUTPUTS = "the output of a model of a known provider"
_ONE = {"generation": "stop_reason", "text": "finish_reason"}
"""Paths of the text (Llama, Command R) -> paths of the stop reason."""
_MANY = {
    "results": ("outputText", "completionReason"),
    "outputs": ("text", "stop_reason"),
    "generations": ("text", "finish_reason"),
}
"""Paths of several answers (Titan, Mistral, Command) -> paths of the text and the stop reason in each."""
_ASKED = ("messages", "prompt", "inputText", "message")


class BedrockBatch(Declared):
    """Files of responses to Bedrock's batch inference."""

    name = "bedrock-batch"
    title = "Amazon Bedrock batch output"
    is_strict = True
    columns = Batch.unread | {
        "response_id": ("recordId",),
        "model": ("modelOutput.model",),
        "item": ("recordId",),
        "prompt": (),
        "input_tokens": (
            *(f"modelOutput.usage.{name}" for name in ("prompt_tokens", "input_tokens", "inputTokens")),
            *("modelOutput.prompt_token_count", "modelOutput.inputTextTokenCount"),
        ),
        "output_tokens": (
            *(f"modelOutput.usage.{name}" for name in ("completion_tokens", "output_tokens", "outputTokens")),
            "modelOutput.generation_token_count",
        ),
    }
    taken = (
        *("recordId", "error", "modelInput.messages", "modelInput.system", "modelInput.prompt", "modelInput.inputText"),
        *(f"modelOutput.{name}" for name in ("content", "choices", "output", *_ONE, *_MANY, "model")),
    )

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

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Any line: what is wrong with it is told of its parts."""
        return record

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        """Get the answers of a line, in the form of the model's provider."""
        del given
        path, output = "modelOutput", mapping(record.get("modelOutput"), "modelOutput")
        error = record.get("error")
        if record.get("recordId") is None or not (error or output):
            raise UnexpectedError("", names(record), "a line of a batch's output (recordId, and modelOutput or error)")
        if error:
            return [chat.failure(error)._replace(status="error")]
        if is_array(output.get("choices")) or chat.is_message(output):
            return chat.answers(output, path)
        if is_object(output.get("output")):
            here = f"{path}.output.message"
            said = chat.message(mapping(output["output"].get("message"), here), here)
            return [said._replace(stop_reason=string(output.get("stopReason"), f"{path}.stopReason"))]
        for name, (text, reason) in _MANY.items():
            if is_array(found := output.get(name)):
                here = f"{path}.{name}"
                return [_answer(one, text, reason, f"{here}.{place}", place) for place, one in enumerate(found)]
        for text, reason in _ONE.items():
            if text in output:
                return [_answer(output, text, reason, path)]
        raise UnexpectedError(path, names(output), OUTPUTS)

    def prompt(self, record: dict[str, Any], given: object) -> str | None:
        """Get what the model took: messages in the form that other providers' have."""
        del given
        taken = mapping(record.get("modelInput"), "modelInput")
        asked = next((taken[name] for name in _ASKED if name in taken), None)
        if not is_array(asked):
            return chat.prompt(asked, taken.get("system"))
        messages = [one | {"content": _joined(one.get("content"))} if is_object(one) else one for one in asked]
        return chat.prompt(messages, _joined(taken.get("system")))


def _answer(given: object, text: str, reason: str, path: str, place: int = 0) -> Answer:
    found = mapping(given, path)
    if text not in found:
        raise UnexpectedError(path, names(found), f"an answer ({text})")
    return Answer(string(found[text], f"{path}.{text}"), None, string(found.get(reason), f"{path}.{reason}"), place)


def _joined(content: object) -> object:
    """The text of the Converse API's content blocks, which have no type; anything else as it is."""
    if not is_array(content) or not content or not all(is_object(one) and set(one) == {"text"} for one in content):
        return content
    return "".join(text_of(one["text"]) or "" for one in content)


FORMAT = BedrockBatch()
