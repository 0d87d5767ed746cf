"""Results of promptfoo: the whole evaluation as JSON (version 3), one result a line, or a table as CSV."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat, promptfoo_table
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.fields import UnexpectedError, cells, mapping, names, string
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import in_array, in_lines, rows
from tallybook.sources.json_records import text_of
from tallybook.sources.json_stream import walk
from tallybook.sources.records import in_parts
from tallybook.study.format_base import Format

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Records, Row
    from tallybook.study.format_base import Role

STATUS = {
    "stop": "ok",
    "stop_sequence": "ok",
    "tool_calls": "ok",
    "length": "truncated",
    "content_filter": "filtered",
    "end_turn": "ok",
    "tool_use": "ok",
    "max_tokens": "truncated",
    "refusal": "refused",
}
"""The reason in `response.finishReason` -> status, where the call did not fail. One that is not here gives `ok`, as no
reason does; `ok` without output becomes `empty`. Before that, `response.isRefusal` gives `refused`, and no output that
`response.guardrails` flagged `filtered`."""
FAILED = 2
"""The `failureReason` of failures: the call if there is no output, else what graded it, and the response
stands. 1 is an assertion that did not hold: what `error` says then is its verdict (also in `gradingResult.reason`)."""

VERSION = 3
_RESULT = {"promptIdx", "testIdx", "provider"}
_TAKEN = (
    "id",
    "error",
    "gradingResult.componentResults",
    "prompt.raw",
    "gradingResult.score",
    "provider.label",
    "response.error",
    "response.output",
    "response.raw",
    "response.providerTransformedOutput",
    "testCase.assert",
    "testCase.vars",
)


class Promptfoo(Format):
    """Files of promptfoo's results."""

    name = "promptfoo"
    title = "promptfoo results"

    def recognises(self, head: Head) -> Role | None:
        """An object with an `evalId` and results, lines with a test, a prompt and a provider, or a table of such."""
        if head.is_array:
            return None
        is_whole = {"evalId", "results"} <= set(head.keys)
        is_table = not head.keys and promptfoo_table.is_table(head.start)
        return "responses" if is_whole or is_table or _is_result(head) else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file result by result."""
        if {"evalId", "results"} & set(Head(content).keys):
            _check_version(content)
            found = in_array(content, "results.results")
        elif promptfoo_table.is_table(content.start()):
            found = promptfoo_table.results(content)
        else:
            found = in_lines(content)
        yield from in_parts(rows(content, found, partial(_records, paths)), content.name)


def _is_result(head: Head) -> bool:
    line = head.line
    return _RESULT.issubset(line if line is not None else head.keys)


def _check_version(content: Content) -> None:
    """Refuse an evaluation of another version than 3; the version stands before the results, so little is read."""
    with content.open() as stream:
        try:
            values = walk(stream, ["", "results", "results.results"])
            found = next((value for path, value in values if path == "results.version"), None)
        except ValueError:
            found = None
    if found != VERSION:
        expected = f"results of promptfoo's version {VERSION} (results.version); an older one is exported anew"
        raise content.refuse(expected, value="" if found is None else f"version {text_of(found)}")


def _records(paths: Sequence[str], key: str, result: dict[str, Any]) -> Iterator[Row]:
    if not _RESULT.issubset(result):
        raise UnexpectedError("", names(result), f"a result ({', '.join(sorted(_RESULT))})")
    response = mapping(result.get("response"), "response")
    provider = result["provider"]
    named = {"id": provider} if isinstance(provider, str) else mapping(provider, "provider")
    asked = mapping(result.get("prompt"), "prompt")
    test = text_of(result["testIdx"])
    answer, status = _answer(result, response)
    usage = mapping(response.get("tokenUsage"), "response.tokenUsage")
    canonical = {
        "response_id": string(result.get("id"), "id") or f"{test}:{text_of(result['promptIdx'])}",
        # Providers that differ in their settings only have labels; without one it is null or empty.
        "model": string(named.get("label"), "provider.label") or string(named.get("id"), "provider.id"),
        "item": _item(result, asked) or test,
        "prompt": string(asked.get("raw"), "prompt.raw"),
        "text": answer.text,
        "status": status,
        "stop_reason": answer.stop_reason,
        "error": answer.error,
        "input_tokens": text_of(usage.get("prompt")),
        "output_tokens": text_of(usage.get("completion")),
    }
    yield key, cells(canonical, result, _TAKEN, paths)


def _item(result: dict[str, Any], asked: dict[str, Any]) -> str | None:
    """Identify a prompt: its template and vars; a test that is repeated, or of another provider, has the same."""
    template = string(asked.get("label"), "prompt.label") or string(result.get("promptId"), "promptId")
    filled = mapping(result.get("testCase"), "testCase").get("vars") or result.get("vars")
    return " ".join(part for part in (template, text_of(filled or None)) if part) or None


def _answer(result: dict[str, Any], response: dict[str, Any]) -> tuple[Answer, str]:
    output = response.get("output")
    answer = Answer(text_of(output), None, string(response.get("finishReason"), "response.finishReason"))
    reason = result.get("failureReason")
    if reason not in (None, 0, 1, FAILED):
        raise UnexpectedError("failureReason", reason, "0, 1 or 2")
    if reason in {None, FAILED}:  # older results do not say what failed
        answer = answer._replace(error=chat.error_text(result.get("error")))
    if failure := chat.error_text(response.get("error")):
        return answer._replace(error=failure), "error"
    if output is None and (reason == FAILED or answer.error):
        return answer, "error"
    if response.get("isRefusal") is True:
        return answer, "refused"
    is_flagged = mapping(response.get("guardrails"), "response.guardrails").get("flagged") is True
    if is_flagged and chat.is_blank(answer.text):
        return answer, "filtered"
    return answer, chat.status(answer, STATUS)


FORMAT = Promptfoo()
