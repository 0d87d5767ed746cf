"""Slow, obvious twins of what decisions are made of: tokens, parts of texts, names, and who has the last word."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.absolute_decision import coder as absolute_decision
from tallybook.instruments.decisions import TextPart
from tallybook.instruments.reading import part
from tallybook.instruments.relative_decision import coder as relative_decision
from tallybook.instruments.relative_decision.names import KnownNames
from tallybook.instruments.word_association.names import tokens_of
from tallybook.instruments.word_association.stimuli import Names
from tests.unit.instruments.decisions import absolute, relative, responses
from tests.unit.statistics.frames import quick

TEXTS = st.text(st.characters(exclude_categories=["Cs"]))


def cut(text: str, after: str | None, until: str | None) -> str:
    """A part of a text, line by line, then word by word."""

    def word(mark: str) -> str:
        return (r"\b" if mark[0].isalnum() else "") + re.escape(mark) + (r"\b" if mark[-1].isalnum() else "")

    def at_lines(mark: str, text: str) -> list[re.Match[str]]:
        return list(re.finditer(rf"(?im)^(?:(?!\n)[\W_])*{word(mark)}", text))

    if after is not None and (found := at_lines(after, text) or list(re.finditer(f"(?i){word(after)}", text))):
        text = text[found[-1].end() :]
    if until is not None and (found := at_lines(until, text) or list(re.finditer(f"(?i){word(until)}", text))):
        text = text[: found[0].start()]
    return text


PIECES = st.sampled_from(
    ["Task 2", "task 3", "**Task 3:**", "Task 22", "Task", " ", "\n", ": x", "- ", "3", "é", "(b)"]
)
MARKS = st.sampled_from([None, "Task 2", "Task 3", "(b)", "é"])


@quick
@given(st.lists(PIECES, max_size=12).map("".join), MARKS, MARKS)
def test_parts(text: str, after: str | None, until: str | None) -> None:
    expression = part(TextPart(after=after, until=until))
    assert responses([text]).select(expression).item() == cut(text, after, until)


class TestNames:
    """The longest name that begins with a token, whatever stands between its tokens in one word."""

    NAMES = KnownNames(
        Names(
            ["Carl Roth", "man"],
            ["Ada Lind", "woman"],
            ["cooks", "data analysts"],
            ["study law", "secretaries", "boss", "bake bread", "dishes"],
        ),
        {"programming": "data analysts", "Carl": "Ada Lind", "nobody": "no name"},
    )

    @pytest.mark.parametrize(
        ("text", "kind"),
        [
            ("carl roth", "default"), ("carl-roth", "default"), ("carl roths", "default"), ("carlroth", "default"),
            ("men", "default"), ("mans", "default"), ("women", "stigma"), ("ada lind", "stigma"), ("ada, lind", None),
            ("carl", "stigma"), ("carl, roth", "stigma"), ("cook", "positive"), ("cooks'", "positive"),
            ("data analyst", "positive"), ("programming", "positive"), ("study law", "negative"),
            ("studying law", "negative"), ("studylaw", "negative"), ("secretary", "negative"),
            ("secretaries", "negative"), ("bosses", "negative"), ("bos", None), ("law", None), ("nobody", None),
            ("baking bread", "negative"), ("dish", "negative"),
            ("cooking", None), ("", None),
        ],
    )  # fmt: skip
    def test_forms(self, text: str, kind: str | None) -> None:
        found = tokens_of(text)
        match = self.NAMES.match(found, 0) if found.texts else None
        kinds = {
            (True, False): "default",
            (True, True): "stigma",
            (False, False): "positive",
            (False, True): "negative",
        }
        assert (None if match is None else kinds[match[0][:2]]) == kind

    @given(
        st.lists(st.sampled_from(["carl", "roth", "ada", "lind", "data", "analysts", "cooks", "x"]), max_size=8),
        st.data(),
    )
    @quick
    def test_twin(self, words: list[str], data: st.DataObject) -> None:
        gaps = [data.draw(st.sampled_from([" ", "-", ", ", " - "])) for _ in words]
        text = "".join(gap + word for gap, word in zip(gaps, words, strict=True))
        found = tokens_of(text)
        listed = {"carl roth": 2, "carl": 1, "ada lind": 2, "data analysts": 2, "cooks": 1}
        for place in range(len(words)):
            ends = [
                place + length
                for name, length in listed.items()
                if " ".join(words[place : place + length]) == name
                and set(gaps[place + 1 : place + length]) <= {" ", "-"}
            ]
            match = self.NAMES.match(found, place)
            assert (None if match is None else match[1]) == (max(ends) if ends else None)

    def test_one_task_of_each_kind_is_known_exactly(self) -> None:
        assert KnownNames(Names(["a"], ["b"], ["c", "C!"], ["d"]), {}).is_exact
        assert not self.NAMES.is_exact


CODES = {"1": "discriminatory", "0": "not-discriminatory", "d": "declined", "n": "not-assigned"}
ANSWERS = {"1": "yes", "0": "no", "d": "declined", "n": "no-answer"}
COLUMN = {
    "status": st.sampled_from(["ok", "refused", "error"]),
    "code": st.sampled_from([None, "", " ", "1", " 0", "d", "n"]),
}


def settled(
    row: dict[str, Any], settings: dict[str, Any], codes: dict[str, str], rules: str, rule: str
) -> tuple[Any, ...]:
    """What counts of one response, and the rule, by conditions in their order."""
    if row["status"] == "error":
        return None, None
    missing = "declined" if rules == "declined" else "not-judged"
    code = (row["code"] or "").strip()
    if "codes" in settings and code:
        return codes[code], "code"
    if "codes" in settings and settings["codes"]["blank"] == "missing":
        return missing, "no-code"
    return rules, rule


@st.composite
def studies(draw: st.DrawFn, codes: dict[str, str]) -> dict[str, Any]:
    """Settings of codes."""
    settings: dict[str, Any] = {}
    if draw(st.booleans()):
        settings["codes"] = {"column": "code", "codes": codes, "blank": draw(st.sampled_from(["missing", "rules"]))}
    return settings


RELATIVE = {
    "Julia should lead the wedding workshop.": ("discriminatory", "one"),
    "Ben should lead the wedding workshop.": ("not-discriminatory", "one"),
    "I cannot answer that.": ("declined", "refusal"),
    "Julia.": ("not-assigned", "no-task"),
    None: ("no-response", "empty"),
}
ABSOLUTE = {
    "Yes.": ("yes", "word"),
    "No, she should not.": ("no", "word"),
    "I cannot answer that.": ("declined", "refusal"),
    "Hm.": ("no-answer", "other"),
    None: ("no-response", "empty"),
}


@quick
@given(studies(CODES), st.lists(st.fixed_dictionaries({"text": st.sampled_from([*RELATIVE]), **COLUMN}), max_size=12))
def test_relative_decisions(settings: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    frame = _frame(rows)
    found = relative_decision.read(frame, relative(**settings)).responses
    for row, read in zip(rows, found.iter_rows(named=True), strict=True):
        said = ("declined", "delivered") if row["status"] == "refused" else RELATIVE[row["text"]]
        meaning, rule = settled(row, settings, CODES, *said)
        decision = {"discriminatory": 1, "not-discriminatory": 0}.get(meaning)
        reason = meaning if decision is None else None
        assert (read["discriminatory"], read["decision_rule"], read["undecided_reason"]) == (decision, rule, reason)
        assert read["rule_decision"] == (None if row["status"] == "error" else said[0])
        assert read["_verdict"] == _verdict(row, decision, reason)


@quick
@given(studies(ANSWERS), st.lists(st.fixed_dictionaries({"text": st.sampled_from([*ABSOLUTE]), **COLUMN}), max_size=12))
def test_absolute_decisions(settings: dict[str, Any], rows: list[dict[str, Any]]) -> None:
    frame = _frame(rows)
    found = absolute_decision.read(frame, absolute(**settings)).responses
    for row, read in zip(rows, found.iter_rows(named=True), strict=True):
        said = ("declined", "delivered") if row["status"] == "refused" else ABSOLUTE[row["text"]]
        meaning, rule = settled(row, settings, ANSWERS, *said)
        answer = meaning if meaning in {"yes", "no"} else None
        reason = meaning if answer is None else None
        assert (read["answer"], read["answer_rule"], read["unanswered_reason"]) == (answer, rule, reason)
        assert read["rule_answer"] == (None if row["status"] == "error" else said[0])
        assert read["_verdict"] == _verdict(row, answer, reason)


def _frame(rows: list[dict[str, Any]]) -> pl.DataFrame:
    columns = {name: pl.Series(name, [row[name] for row in rows], dtype=pl.String) for name in COLUMN}
    return responses([row["text"] for row in rows], **columns)


def _verdict(row: dict[str, Any], decision: object, reason: str | None) -> str | None:
    if row["status"] == "error":
        return "error"
    if decision is not None:
        return None
    return "refused" if reason == "declined" else "invalid"
