"""Results of promptfoo: the whole evaluation as JSON (version 3), one result a line, or a table as CSV."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from tallybook.sources.formats import chat, promptfoo_table
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.fields import UnexpectedError, mapping, names, string
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import before_array, in_array, in_lines, rows
from tallybook.sources.json_records import text_of
from tallybook.sources.records import in_parts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.sources.records import Records
    from tallybook.study.format_base import Role

FAILED = 2
"""The `failureReason` of failures: the call if there is no output, else what graded it, and the response
stands. 1 is an assertion that did not hold: what `error` says then is its verdict (also in `gradingResult.reason`)."""
VERSION = 3


class Promptfoo(Declared):
    """Files of promptfoo's results."""

    name = "promptfoo"
    title = "promptfoo results"
    cores = (frozenset({"promptIdx", "testIdx", "provider"}),)
    is_strict = True
    columns = {  # noqa: RUF012  it is declared once and never changed
        "response_id": ("id",),
        "model": ("provider.label", "provider.id"),  # providers that differ in their settings only have labels
        "item": ("item",),
        "prompt": ("prompt.raw",),
        "text": (),
        "stop_reason": (),
        "error": (),
        "input_tokens": ("response.tokenUsage.prompt",),
        "output_tokens": ("response.tokenUsage.completion",),
    }
    taken = (
        *("id", "item", "error", "gradingResult.componentResults", "gradingResult.score", "prompt.raw"),
        *("provider.label", "response.error", "response.output", "response.raw", "response.providerTransformedOutput"),
        *("testCase.assert", "testCase.vars"),
    )

    def recognises(self, head: Head) -> Role | None:
        """An object with an `evalId` and results, lines with a test, a prompt and a provider, or a table of such."""
        if head.is_array:
            return None
        found = {*(head.line if head.line is not None else head.keys)}
        is_table = not head.keys and promptfoo_table.is_table(head.start)
        is_whole = {"evalId", "results"} <= {*head.keys}
        return "responses" if is_whole or is_table or self.cores[0] <= found else None

    def read(self, content: Content, paths: Sequence[str] = ()) -> Iterator[Records]:
        """Read a file result by result."""
        if {"evalId", "results"} & {*Head(content).keys}:
            version = before_array(content, "results.results")[0].get("results.version")
            if version != VERSION:
                expected = f"results of promptfoo's version {VERSION} (results.version); an older one is exported anew"
                raise content.refuse(expected, value="" if version is None else f"version {text_of(version)}")
            found = in_array(content, "results.results")
        elif promptfoo_table.is_table(content.start()):
            found = promptfoo_table.results(content)
        else:
            found = in_lines(content)
        yield from in_parts(rows(content, found, partial(self.records, paths)), content.name)

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Name a result and its prompt: a test that is repeated, or of another provider, has the same."""
        if not self.cores[0] <= record.keys():
            raise UnexpectedError("", names(record), f"a result ({', '.join(sorted(self.cores[0]))})")
        asked, test = mapping(record.get("prompt"), "prompt"), text_of(record["testIdx"])
        template = string(asked.get("label"), "prompt.label") or string(record.get("promptId"), "promptId")
        filled = mapping(record.get("testCase"), "testCase").get("vars") or record.get("vars")
        item = " ".join(part for part in (template, text_of(filled or None)) if part) or test
        provider = record["provider"]
        return record | {
            "id": record.get("id") or f"{test}:{text_of(record['promptIdx'])}",
            "item": item,
            "provider": {"id": provider} if isinstance(provider, str) else provider,
        }

    def answers(self, record: dict[str, Any], given: object) -> list[Answer]:
        """Get the answer of a result, and whether the call failed."""
        del given
        response = mapping(record.get("response"), "response")
        output, reason = response.get("output"), record.get("failureReason")
        if reason not in (None, 0, 1, FAILED):
            raise UnexpectedError("failureReason", reason, "0, 1 or 2")
        # Older results do not say what failed.
        error = chat.error_text(record.get("error")) if reason in {None, FAILED} else None
        is_flagged = mapping(response.get("guardrails"), "response.guardrails").get("flagged") is True
        failure, text, status = chat.error_text(response.get("error")), text_of(output), None
        if failure or (output is None and (reason == FAILED or error)):
            status = "error"
        elif response.get("isRefusal") is True:
            status = "refused"
        elif is_flagged and chat.is_blank(text):
            status = "filtered"
        stopped = string(response.get("finishReason"), "response.finishReason")
        return [Answer(text, None, stopped, error=failure or error, status=status)]

    def prompt(self, record: dict[str, Any], given: object) -> str | None:
        """Get what was asked, as it is."""
        del record
        return string(given, "prompt.raw")


FORMAT = Promptfoo()
