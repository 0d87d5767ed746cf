"""Output of the batch interfaces of OpenAI (and many others), Anthropic, Gemini and Amazon Bedrock."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat
from tallybook.sources.formats.batch import Batch, Request
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.objects import UnexpectedError, array, is_array, is_object, mapping, names, string
from tallybook.sources.json_records import at, opened, text_of

if TYPE_CHECKING:
    from tallybook.sources.formats.format import Head
    from tallybook.study.format_base import Role

_BODIES = ("response.body", "response")
_OK = range(200, 300)
_ASKED = {"messages", "prompt", "input"}


class OpenAIBatch(Batch):
    """Output and error files of the OpenAI Batch API, and of the many tools that write the same lines.

    A line is `{"id", "custom_id", "response": {"status_code", "request_id", "body"} | null, "error": {"code",
    "message"} | null}`; the body is a chat completion, a legacy completion or an OpenAI response. vLLM's documentation
    shows the body in place of `response`, which is read, too. The prompt is in the input file (`custom_id`, `method`,
    `url`, `body`), which is read if it is in the same folder; users' own logs have it in `request`.
    """

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
        response = line.get("response")
        if is_object(line.get("body")) and "response" not in line:
            return "beside" if _ASKED & line["body"].keys() else None
        if is_object(response):
            return "responses" if {*self.begins, "output", "message"} & response.keys() else None
        is_error = response is None and isinstance(line.get("error"), dict | str)
        return "responses" if is_error and ("response" in line or is_object(line["error"])) else None

    def replies(self, line: dict[str, Any]) -> list[Answer]:
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

    def request(self, line: dict[str, Any], name: str = "body") -> Request:
        body = line[name]
        asked = body.get("messages", body.get("prompt", body.get("input")))
        prompt = chat.prompt(asked, body.get("instructions"))
        return Request(string(body.get("model"), f"{name}.model"), prompt, text_of(body.get("metadata")))

    def own_request(self, line: dict[str, Any]) -> Request | None:
        found = line.get("request")
        found = found["body"] if is_object(found) and is_object(found.get("body")) else found
        is_request = is_object(found) and _ASKED & found.keys()
        return self.request({"request": found}, "request") if is_request else None


_RESULTS = {"errored": "error", "canceled": "canceled", "expired": "expired"}
"""The type of a result without a message -> status."""


class AnthropicBatch(Batch):
    """Results of Anthropic Message Batches.

    A line is `{"custom_id", "result"}`, where the result's `type` is `succeeded` (with a `message`), `errored` (with an
    `error`), `canceled` or `expired`. The prompt is in the file of requests (`custom_id`, `params`), which is read if
    it is in the same folder.
    """

    name = "anthropic-batch"
    title = "Anthropic message batch results"
    asked, answered, begins = "params", "result", ("type", "message")
    line = "a line of a batch's results (custom_id, result)"
    columns = {
        "response_id": ("custom_id",),
        "model": ("result.message.model",),
        "item": ("custom_id",),
        **{name: () for name in Batch.unread if name != "sample"},
        "input_tokens": ("result.message.usage.input_tokens",),
        "output_tokens": ("result.message.usage.output_tokens",),
    }
    taken = ("custom_id", *(f"result.message.{name}" for name in ("content", "model", "role", "type")))

    def role(self, line: dict[str, Any]) -> Role | None:
        result, params = line.get("result"), line.get("params")
        if is_object(params) and "result" not in line:
            return "beside" if "messages" in params else None
        return "responses" if is_object(result) and result.get("type") in ("succeeded", *_RESULTS) else None

    def replies(self, line: dict[str, Any]) -> list[Answer]:
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
        asked = line["params"]
        prompt = chat.prompt(asked.get("messages"), asked.get("system"))
        return Request(string(asked.get("model"), "params.model"), prompt)


_OF_GEMINI = {"candidates", "promptFeedback", "usageMetadata", "modelVersion"}
_WITHIN = ("response.", "")


class GeminiBatch(Batch):
    """Output of Gemini batches: of the Gemini API, and of batch prediction on Vertex AI.

    A line of the Gemini API is `{"key", "response"}` or `{"key", "error"}`, and the prompt is in the input file (`key`,
    `request`), which is read if it is in the same folder. A line of Vertex AI repeats the request: `{"status",
    "processed_time", "request", "response"}`.
    """

    name = "gemini-batch"
    title = "Gemini batch output (also Vertex AI)"
    identity, asked, answered = "key", "request", "response"
    begins = ("candidates", "usageMetadata", "modelVersion", "responseId", "createTime")
    line = "a line of a batch's output (response or error)"
    columns = Batch.unread | {
        "response_id": ("key", *(f"{body}responseId" for body in _WITHIN)),
        "model": tuple(f"{body}modelVersion" for body in _WITHIN),
        "item": ("key",),
        "prompt": (),
        "created_at": (*(f"{body}createTime" for body in _WITHIN), "processed_time"),
        "input_tokens": tuple(f"{body}usageMetadata.promptTokenCount" for body in _WITHIN),
        "output_tokens": tuple(f"{body}usageMetadata.candidatesTokenCount" for body in _WITHIN),
    }
    taken = ("key", "error", "request.contents", "candidates", "response.candidates", "response.modelVersion")

    def recognises(self, head: Head) -> Role | None:
        return super().recognises(head) if head.line is None else self.role(head.line)

    def role(self, line: dict[str, Any]) -> Role | None:
        request, response = line.get("request"), line.get("response", line)
        if "response" in line or "candidates" in line:
            given: object = line.get("candidates", [])
            if not is_array(given) or not all(is_object(one) for one in given):
                return None  # an ordinary column of that name
            is_echo = is_object(request) and "contents" in request and "status" in line
            return "responses" if is_object(response) and (_OF_GEMINI & response.keys() or is_echo) else None
        if is_object(request):
            return "beside" if "contents" in request else None
        return "responses" if isinstance(line.get("key"), str) and is_object(line.get("error")) else None

    def replies(self, line: dict[str, Any]) -> list[Answer]:
        body = mapping(line["response"], "response") if "response" in line else line
        if error := line.get("error") or line.get("status"):
            return [chat.failure(error)]
        feedback = mapping(body.get("promptFeedback"), "response.promptFeedback")
        blocked = string(feedback.get("blockReason"), "response.promptFeedback.blockReason")
        path = "response.candidates"
        found = [_candidate(one, place, path) for place, one in enumerate(array(body.get("candidates"), path))]
        nothing = [Answer(None, None, blocked, status="filtered" if blocked else None)]
        return found or (nothing if _OF_GEMINI & body.keys() else [])

    def request(self, line: dict[str, Any]) -> Request:
        request = line["request"]
        given = request.get("systemInstruction", request.get("system_instruction"))
        system = _words(given.get("parts")) if is_object(given) else given
        contents = request.get("contents")
        if is_array(contents) and all(is_object(one) and _words(one.get("parts")) is not None for one in contents):
            turns = [(one.get("role") or "user", _words(one["parts"])) for one in contents]
            contents = [{"role": "assistant" if role == "model" else role, "content": said} for role, said in turns]
        return Request(None, chat.prompt(contents, system), text_of(request.get("labels", line.get("metadata"))))

    def own_request(self, line: dict[str, Any]) -> Request | None:
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
        if said.get("thought") is not True and "text" in said:  # calls and media are skipped, too
            texts.append(string(said["text"], f"{here}.text") or "")
    text = "".join(texts) if texts else None
    return Answer(text, None, string(fields.get("finishReason"), f"{path}.finishReason"), index)


def _words(parts: object) -> str | None:
    """Return the text of parts that consist only of text; otherwise None."""
    if is_object(parts):
        parts = [parts]
    if not is_array(parts) or not all(is_object(part) and isinstance(part.get("text"), str) for part in parts):
        return None
    return "".join(part["text"] for part in parts)


OUTPUTS = "the output of a model of a known provider"
_ONE = {"generation": "stop_reason", "text": "finish_reason"}
"""The path of the text (Llama, Command R) -> the path of the stop reason."""
_MANY = {
    "results": ("outputText", "completionReason"),
    "outputs": ("text", "stop_reason"),
    "generations": ("text", "finish_reason"),
}
"""The path of several answers (Titan, Mistral, Command) -> the paths of text and stop reason in each."""
_TAKEN = ("messages", "prompt", "inputText", "message")


class BedrockBatch(Declared):
    """Output of Amazon Bedrock's batch inference: lines `{"recordId", "modelInput", "modelOutput" | "error"}`.

    A model's input and output have its provider's form, or that of the Converse API; the forms of Anthropic, Meta,
    Mistral, Cohere, AI21, DeepSeek and Amazon (Nova, Titan) are read. Few of them name the model.
    """

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
        line = head.line
        found = set(line if line is not None else head.keys)
        if head.is_array or "modelInput" not in found:
            return "beside" if {"totalRecordCount", "processedRecordCount"} <= found else None
        if line is None and head.suffix == ".out":  # the line is longer than what was read, which may be only input
            return "responses"
        is_record = line is None or (is_object(line["modelInput"]) and isinstance(line.get("recordId"), str))
        if not is_record or "recordId" not in found:
            return None
        return "responses" if {"modelOutput", "error"} & found else "beside"

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        return record  # problems of a line are reported for its parts

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
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
        taken = mapping(record.get("modelInput"), "modelInput")
        asked = next((taken[name] for name in _TAKEN if name in taken), None)
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
    """Join the Converse API's content blocks, which have no type; return anything else unchanged."""
    if not is_array(content) or not content or not all(is_object(one) and set(one) == {"text"} for one in content):
        return content
    return "".join(text_of(one["text"]) or "" for one in content)


class BedrockLog(BedrockBatch):
    """Logs of calls of models on Amazon Bedrock: a request with its input and output, streamed or whole, in a line."""

    name = "bedrock-log"
    title = "Amazon Bedrock invocation logs"
    cores = (frozenset({"schemaType", "modelId", "input", "output"}), frozenset({"modelId", "requestId", "input"}))
    columns = {**BedrockBatch.columns, "model": ("modelId",), "item": (), "created_at": ("timestamp",)}
    taken = (*BedrockBatch.taken, "modelId", "timestamp", "identity", "modelInput", "modelOutput")

    def recognises(self, head: Head) -> Role | None:
        return Declared.recognises(self, head)

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Return a record in the form of a batch's lines."""
        given: Any = opened(at(record, "input.inputBodyJson"))
        said: Any = opened(at(record, "output.outputBodyJson"))
        kept = {name: record[name] for name in ("modelId", "timestamp", "operation", "region") if name in record}
        told = {"recordId": record.get("requestId"), "metadata": record.get("requestMetadata"), "modelInput": given}
        error = record.get("errorCode") or (None if said else "no output")
        said = _streamed(said) if is_array(said) else said
        return kept | told | {"modelOutput": said, "error": error}


_DELTAS = (
    *("delta.text", "contentBlockDelta.delta.text", "outputText", "generation", "completion", "outputs.0.text", "text"),
    *("choices.0.delta.content", "choices.0.message.content"),
)
_STOPPED = ("delta.stop_reason", "messageStop.stopReason", "completionReason", "stop_reason", "finish_reason")


def _streamed(events: list[Any]) -> dict[str, Any]:
    """Return the joined text and the stop reason of a streamed answer, in the form of Llama's."""
    texts, reasons = ([at(one, path) for one in events for path in paths] for paths in (_DELTAS, _STOPPED))
    reason = next((one for one in reversed(reasons) if one), None)
    return {"generation": "".join(one for one in texts if isinstance(one, str)), "stop_reason": reason}


OPENAI, ANTHROPIC, GEMINI, BEDROCK = OpenAIBatch(), AnthropicBatch(), GeminiBatch(), BedrockBatch()
BEDROCK_LOG = BedrockLog()
