"""Results of promptfoo: the whole evaluation as JSON (version 3), one result a line, or a table as CSV.

The table has a row a test, and in it a cell or several columns a provider and prompt. Headers of answers are
`[PROVIDER] PROMPT`, those before them name vars. Since 2025 each is followed by `Status`, `Score`, `Named Scores`,
`Metric: NAME`, `Grader Reason` and `Comment`; before that a cell was `[PASS] (1.00)`, the answer and why it was graded
so, with blank lines between them.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from tallybook.sources import csv_file
from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.format import Head
from tallybook.sources.formats.objects import (
    UnexpectedError,
    before_array,
    in_array,
    in_lines,
    mapping,
    names,
    string,
)
from tallybook.sources.json_records import text_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tallybook.sources.content import Content
    from tallybook.study.format_base import Role

FAILED = 2
"""The `failureReason` of errors: of the call if there is no output, else of the grading, and then the
response is valid. 1 is a failed assertion, whose verdict is in `error` (also in `gradingResult.reason`)."""
VERSION = 3


class Promptfoo(Declared):
    """Files of promptfoo's results."""

    name = "promptfoo"
    title = "promptfoo results"
    cores = (frozenset({"promptIdx", "testIdx", "provider"}),)
    is_strict = True
    columns = {
        "response_id": ("id",),
        "model": ("provider.label", "provider.id"),  # only labels tell apart providers that differ in settings
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
        if head.is_array:
            return None
        found = {*(head.line if head.line is not None else head.keys)}
        is_table = not head.keys and _is_table(head.start)
        is_whole = {"evalId", "results"} <= {*head.keys}
        return "responses" if is_whole or is_table or self.cores[0] <= found else None

    def objects(self, content: Content) -> Iterable[tuple[str, dict[str, Any]]]:
        if {"evalId", "results"} & {*Head(content).keys}:
            version = before_array(content, "results.results")[0].get("results.version")
            if version != VERSION:
                expected = f"results of promptfoo's version {VERSION} (results.version); an older one is exported anew"
                raise content.refuse(expected, value="" if version is None else f"version {text_of(version)}")
            return in_array(content, "results.results")
        if _is_table(content.start()):
            return _results(content)
        return in_lines(content)

    def prepare(self, record: dict[str, Any]) -> dict[str, Any] | None:
        """Add an identifier and the item of a result: repetitions and other providers' results have the same item."""
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
        response = mapping(record.get("response"), "response")
        output, reason = response.get("output"), record.get("failureReason")
        if reason not in (None, 0, 1, FAILED):
            raise UnexpectedError("failureReason", reason, "0, 1 or 2")
        # Older results do not state the kind of failure.
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
        return string(given, "prompt.raw")


_ANSWER = re.compile(r"\[(?P<provider>[^\]]+)\] (?P<prompt>.*)", re.DOTALL)
_CELL = re.compile(
    r"\[(?P<status>PASS|FAIL|ERROR)\](?: \((?P<score>-?[\d.]+)[^\n]*\)\n)?\s*(?P<text>.*?)"
    r"(?:\s*\n\n\s*(?:Pass|Fail) Reason: (?P<reason>.*))?",
    re.DOTALL,
)
_ESCAPED = re.compile(r"'(?=[\s\u200b-\u200d]*[=+@-])")
"""The prefix that promptfoo adds to cells that a spreadsheet would read as formulas."""
_FAILURES = {"PASS": 0, "FAIL": 1, "ERROR": 2}
_BESIDE = {"Status", "Score", "Grader Reason", "Comment"}


def _is_table(start: bytes) -> bool:
    r"""Return whether a file begins like such a table.

    >>> _is_table(b"name,[gpt] Hire {{name}}?,Status,Score\nAna,Yes,PASS,1.00\n")
    True
    >>> _is_table(b"name,[gpt] answer\nAna,Yes\n")
    False
    """
    records = csv.reader(io.StringIO(start.decode("utf-8-sig", errors="replace"), newline=""))
    nothing: list[str] = []
    try:
        header, first = next(records, nothing), next(records, nothing)
    except csv.Error:
        return False
    places = [place for place, name in enumerate(header) if _ANSWER.fullmatch(name)]
    if not places:
        return False
    return header[places[0] + 1 : places[0] + 3] == ["Status", "Score"] or any(
        _CELL.fullmatch(first[place]) for place in places if place < len(first)
    )


def _results(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the answers of a table, each in the form of promptfoo's JSON."""
    test = 0
    for part in csv_file.parts(content, ","):
        places = [place for place, name in enumerate(part.header) if _ANSWER.fullmatch(name)]
        if not places:
            raise content.refuse("a column of answers: [PROVIDER] PROMPT", key="row 1")
        for key, cells in zip(part.keys, part.cells.iter_rows(), strict=True):
            asked = {name: cells[place] for place, name in enumerate(part.header[: places[0]]) if name != "Description"}
            for number, place in enumerate(places):
                until = [*places, len(cells)][number + 1]
                try:
                    found = _result(part.header[place:until], cells[place:until])
                except UnexpectedError as fault:
                    content.problems.append(content.fault(key, part.header[place], fault.value, fault.expected))
                    continue
                if found is not None:
                    yield f"{key}, {part.header[place]}", {"promptIdx": number, "testIdx": test, "vars": asked, **found}
            test += 1


def _result(header: Sequence[str], cells: Sequence[str | None]) -> dict[str, Any] | None:
    """Return an answer in the form of promptfoo's JSON; None if the test has none in these columns."""
    named = _ANSWER.fullmatch(header[0])
    beside = {
        name: cell
        for name, cell in zip(header[1:], cells[1:], strict=True)
        if cell and (name in _BESIDE or name.startswith("Metric: "))
    }
    text = cells[0] or ""
    if "Status" in header:
        text = _ESCAPED.sub("", text, count=1) if _ESCAPED.match(text) else text
    elif cell := _CELL.fullmatch(text):
        text = cell["text"]
        beside = {"Status": cell["status"], "Score": cell["score"], "Grader Reason": cell["reason"]}
    elif text:
        raise UnexpectedError(header[0], text, "an answer behind [PASS], [FAIL] or [ERROR]")
    status = beside.pop("Status", None)
    if named is None or (status is None and not text):
        return None
    if status not in _FAILURES:
        raise UnexpectedError("Status", status, f"one of {', '.join(_FAILURES)}")
    result: dict[str, Any] = {
        "provider": {"id": named["provider"]},
        "prompt": {"label": named["prompt"]},
        "response": {"output": text or (None if status == "ERROR" else "")},
        "failureReason": _FAILURES[status],
        "score": beside.get("Score"),
        "gradingResult": {"reason": beside.get("Grader Reason")},
        "namedScores": {name.removeprefix("Metric: "): cell for name, cell in beside.items() if ": " in name},
    }
    return result | ({"comment": beside["Comment"]} if "Comment" in beside else {})


FORMAT = Promptfoo()
