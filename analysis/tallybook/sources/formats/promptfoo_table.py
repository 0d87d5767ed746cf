"""The table that promptfoo exports as CSV: a row a test, and in it a cell or several columns a provider and prompt.

Headers of answers are `[PROVIDER] PROMPT`, those before them name vars. Since 2025 each is followed by `Status`,
`Score`, `Named Scores`, `Metric: NAME`, `Grader Reason` and `Comment`; before that a cell was
`[PASS] (1.00)`, the answer and why it was graded so, with blank lines between them.
"""

from __future__ import annotations

import csv
import io
import re
from typing import TYPE_CHECKING, Any

from tallybook.sources import csv_file
from tallybook.sources.formats.fields import UnexpectedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.sources.content import Content

_ANSWER = re.compile(r"\[(?P<provider>[^\]]+)\] (?P<prompt>.*)", re.DOTALL)
_CELL = re.compile(
    r"\[(?P<status>PASS|FAIL|ERROR)\](?: \((?P<score>-?[\d.]+)[^\n]*\)\n)?\s*(?P<text>.*?)"
    r"(?:\s*\n\n\s*(?:Pass|Fail) Reason: (?P<reason>.*))?",
    re.DOTALL,
)
_ESCAPED = re.compile(r"'(?=[\s\u200b-\u200d]*[=+@-])")
"""The prefix that promptfoo gives cells that a spreadsheet would take for a formula."""
_FAILURES = {"PASS": 0, "FAIL": 1, "ERROR": 2}
_BESIDE = {"Status", "Score", "Grader Reason", "Comment"}


def is_table(start: bytes) -> bool:
    r"""Whether a file begins as such a table does.

    >>> is_table(b"name,[gpt] Hire {{name}}?,Status,Score\nAna,Yes,PASS,1.00\n")
    True
    >>> is_table(b"name,[gpt] answer\nAna,Yes\n")
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


def results(content: Content) -> Iterator[tuple[str, dict[str, Any]]]:
    """The answers of a table, each as promptfoo's JSON has it."""
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
    """An answer; None where the test was not asked so."""
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
