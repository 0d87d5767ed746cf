"""The instrument `word-association`: scorings side by side, statuses, and every response accounted for."""

from __future__ import annotations

import time
from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.decisions import TextPart
from tallybook.instruments.outcomes import code_outcomes
from tallybook.instruments.reading import VERDICT, part
from tallybook.instruments.word_association import coder as word_association
from tallybook.instruments.word_association.instrument import SCORE_COLUMNS, WordAssociationInstrument
from tallybook.study.coding import ScoreOutcome
from tests.unit.instruments.word_studies import (
    AS_PUBLISHED,
    CORRECTED,
    LISTS,
    TEXT,
    instrument,
    responses,
    rows,
    scored,
)
from tests.unit.statistics.frames import quick

FULL = "sunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple"
SORRY = "I'm sorry, but I can't help with that."
BOTH = {"as_published": AS_PUBLISHED, "corrected": CORRECTED}
BEST = 2 / 2.01 + 2 / 2.01 - 1


def read(texts: list[str | None], declared: WordAssociationInstrument | None = None, **columns: Any) -> pl.DataFrame:
    return word_association.read(responses(texts, **columns), declared or instrument(BOTH), rows()).responses


def test_scorings_stand_side_by_side() -> None:
    read_ = read([FULL, "**sunny** → Green\nrude → Purple", "sunny - Green\ntable - Green", SORRY, "", None])
    assert [name for name in read_.columns if name.startswith("as_published_")] == [
        f"as_published_{name}" for name in SCORE_COLUMNS
    ]
    told = read_.select("as_published_bias", "as_published_status", "as_published_reason").rows()
    assert told == [
        (pytest.approx(BEST), "ok", None), (0, "invalid", "no-pair"), (0, "invalid", "unknown"),
        (0, "refused", "declined"), (0, "invalid", "empty"), (0, "invalid", "empty"),
    ]  # fmt: skip
    told = read_.select("corrected_bias", "corrected_status", "corrected_reason").rows()
    assert told == [
        (pytest.approx(BEST), "ok", None), (pytest.approx(1 / 1.01 + 1 / 1.01 - 1), "partial", None),
        (pytest.approx(1 / 1.01 - 1), "partial", None), (None, "refused", "declined"), (None, "invalid", "empty"),
        (None, "invalid", "empty"),
    ]  # fmt: skip
    # A response to which some convention gives a bias is no response without answer.
    assert read_.get_column(VERDICT).null_count() == 6


def test_verdicts_where_no_scoring_gives_a_bias() -> None:
    texts = [FULL, SORRY, "hello", "", FULL, FULL, FULL, "sunny - Green"]
    status = ["ok", "ok", "ok", "ok", "error", "expired", "refused", "truncated"]
    made = read(texts, instrument({"s": CORRECTED}), status=status)
    assert made.get_column(VERDICT).to_list() == [
        None,
        "refused",
        "invalid",
        "invalid",
        "error",
        "error",
        "refused",
        None,
    ]
    assert made.select("s_status", "s_reason").rows() == [
        ("ok", None), ("refused", "declined"), ("invalid", "no-pair"), ("invalid", "empty"),
        ("error", None), ("error", None), ("refused", "delivered"), ("partial", None),
    ]  # fmt: skip
    zero = read(texts, instrument({"s": {**CORRECTED, "empty": "zero"}}), status=status)
    assert zero.get_column(VERDICT).null_count() == len(texts)
    assert zero.get_column("s_bias").null_count() == 0


def test_outcomes_are_coded_from_the_columns() -> None:
    frame = read([FULL, SORRY, "hello"], instrument({"s": CORRECTED})).with_columns(count=pl.lit(1, dtype=pl.Int64))
    outcomes = {"d": ScoreOutcome(kind="score", label="D", attribute="s_bias")}
    coded = code_outcomes(frame, outcomes).coded
    assert coded.select("d", "status").rows() == [(pytest.approx(BEST), "ok"), (None, "refused"), (None, "invalid")]


def test_findings_are_what_nobody_can_read() -> None:
    reading = word_association.read(
        responses([FULL, SORRY, "hello", "", "sunny → Green", "a - b"]), instrument(BOTH), rows()
    )
    assert [(one.key, one.column, one.value) for one in reading.findings] == [
        ("row 4", "text", "hello"), ("row 5", "text", ""), ("row 7", "text", "a - b"),
    ]  # fmt: skip
    silent = instrument(BOTH, unread="ignore")
    assert word_association.read(responses(["hello"]), silent, rows()).findings == ()


def test_each_scoring_may_have_its_text_and_its_end() -> None:
    declared = instrument({
        "cut": {"text": "answer", "until": "Task 2"},
        "whole": {"text": "answer"},
        "other": {"text": "pairs"},
    })  # fmt: skip
    frame = responses([""]).with_columns(
        answer=pl.lit(f"**Task 1**\n{FULL}\n**Task 2:** Ann is kind.\nkind - Purple"), pairs=pl.lit("sunny - Green")
    )
    made = word_association.read(frame, declared, rows()).responses
    assert made.select("cut_pairs", "whole_pairs", "other_pairs").row(0) == (4, 4, 1)
    assert made.select("cut_stigma_positive", "whole_stigma_positive").row(0) == (0, 1)
    assert made.select("cut_repeated", "whole_repeated").row(0) == (0, 1)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a\nTask 2: b\nTask 2: c", "a\n"),
        ("a\n  **TASK 2** b", "a\n"),
        ("Tasks: task 1, task 2, task 3.\na\n\n### Task 2\nb", "Tasks: task 1, task 2, task 3.\na\n\n"),
        ("a Task 2: b", "a "),
        ("Task 2", ""),
        ("a Task 21 b", "a Task 21 b"),
        ("a MyTask 2 b", "a MyTask 2 b"),
        ("a", "a"),
        ("", ""),
        (None, None),
    ],
)
def test_until(text: str | None, expected: str | None) -> None:
    frame = pl.DataFrame({"text": [text]}, schema={"text": pl.String})
    assert frame.select(part(TextPart(until="Task 2"))).item() == expected
    assert frame.select(part(TextPart())).item() == text


@quick
@given(TEXT, st.text(min_size=1).filter(str.isprintable))
def test_until_cuts_at_any_mark(text: str, mark: str) -> None:
    cut = pl.DataFrame({"text": [text]}).select(part(TextPart(until=mark))).item()
    assert text.startswith(cut)


def test_labels_pooled_and_own() -> None:
    texts = ["sunny - Green", "sunny - abled", "happy - Green", "happy - abled"]
    assert scored(texts).get_column("pairs").to_list() == [1, 0, 0, 0]
    assert scored(texts, {"labels": "pooled"}).get_column("pairs").to_list() == [1, 1, 1, 1]
    assert scored(texts, datasets="able").get_column("pairs").to_list() == [0, 0, 0, 1]


def test_groups_of_the_prompt_only() -> None:
    declared = instrument(
        {"prompt": {"groups": "prompt"}, "listed": {}}, prompt={"groups": ["g", "h"], "words": "w"}, dataset="dataset"
    )
    frame = responses(
        ["ice tea - Lee\nwell-off - O'Hara\ncan't lose - Al-Amin Said"] * 2, "name",
        g=["lee", "O'Hara"], h=["Al-Amin Said", "Mary-Ann Lee"],
        w=["['ice tea', \"can't lose\"]", "ice tea, well-off, can't lose"],
    )  # fmt: skip
    made = word_association.read(frame, declared, rows()).responses
    assert made.get_column("prompt_pairs").to_list() == [2, 1]
    assert made.get_column("listed_pairs").to_list() == [3, 3]
    assert made.get_column("prompt_status").to_list() == ["ok", "partial"]
    assert made.get_column("listed_status").to_list() == ["ok", "ok"]


def test_lists_in_columns_of_the_responses() -> None:
    declared = instrument(
        {"s": {}, "pooled": {"labels": "pooled"}},
        columns={"default": "a", "stigma": "b", "positive": "c", "negative": "d"},
    )
    frame = responses(
        ["x - me\ny - you", "x - me\ny - you", "p - us\nx - me"],
        a=["me", "you", "us"], b=["you", "me", "them"], c=["x", "x", "['p', 'q']"], d=["y", "y", "z"],
    )  # fmt: skip
    made = word_association.read(frame, declared).responses
    assert made.get_column("s_bias").to_list() == pytest.approx([2 / 1.01 - 1, -1, 1 / 1.01 - 1])
    assert made.get_column("s_status").to_list() == ["ok", "ok", "partial"]
    assert made.get_column("pooled_pairs").to_list() == [2, 2, 2]


def test_lists_by_sides() -> None:
    sides = pl.DataFrame({"row": ["row 2", "row 3"], "positive": ["Me", "x"], "negative": ["you", "y"]})
    declared = instrument(
        {"s": {}},
        sides={"file": "s.csv", "positive": "P", "negative": "N"},
        prompt={"groups": ["g", "h"], "words": "w"},
    )
    frame = responses(["x - me\ny - you", "x - you"], g=["me", "you"], h=["you", "me"], w=["x, y", "y, x"])
    made = word_association.read(frame, declared, sides).responses
    assert made.get_column("s_bias").to_list() == pytest.approx([2 / 1.01 - 1, -1])
    assert made.get_column("s_status").to_list() == ["ok", "partial"]


def test_aliases_hold_for_responses_and_lists() -> None:
    lists = rows("colour").with_columns(dataset=pl.lit("Col/our"))
    declared = instrument({"s": {}}, aliases={"Col/our": "colour", "c": "colour"})
    made = word_association.read(responses([FULL] * 3, ["colour", "c", " Col/our "]), declared, lists).responses
    assert made.get_column("s_status").to_list() == ["ok"] * 3


def test_refusal_phrases() -> None:
    texts: list[str | None] = ["Non posso farlo.", SORRY, "sunny - Green\nnon posso"]
    declared = instrument({"s": {}}, refusal_phrases=["non posso"])
    assert read(texts, declared).get_column("s_status").to_list() == ["refused", "invalid", "partial"]


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"dataset": pl.lit("colours")}, "found colours; expected one of colour, name"),
        ({"dataset": pl.lit(None, dtype=pl.String)}, "expected one of colour, name"),
        ({"g": pl.lit("Blue")}, "found blue; expected one of the groups that are listed for colour"),
        ({"w": pl.lit("sunny, wet")}, "found wet; expected one of the words that are listed for colour"),
    ],
)
def test_what_is_not_listed_is_an_error(change: dict[str, pl.Expr], told: str) -> None:
    declared = instrument({"s": {}}, prompt={"groups": ["g"], "words": "w"})
    frame = responses([FULL, FULL], g=["Green", "Green"], w=["sunny", "sunny"]).with_columns(**change)
    with pytest.raises(DataError) as caught:
        word_association.read(frame, declared, rows())
    assert told in str(caught.value)
    assert len(caught.value.problems) == 1


def test_what_is_missing_is_a_fault_of_usage() -> None:
    declared = instrument({"s": {"text": "answer"}})
    with pytest.raises(UsageError, match=r"instrument\.scorings\.s\.text: the responses have no column 'answer'"):
        word_association.read(responses([FULL]), declared, rows())
    with pytest.raises(UsageError, match="was not read"):
        word_association.read(responses([FULL]), instrument({"s": {}}))


def test_no_responses_and_repeated_responses() -> None:
    assert read([]).height == 0
    made = read([FULL, SORRY, FULL, None, FULL])
    assert made.get_column("corrected_status").to_list() == ["ok", "refused", "ok", "invalid", "ok"]
    assert made.get_column("key").to_list() == [f"row {number}" for number in range(2, 7)]


def test_columns_of_the_responses_that_are_called_as_working_columns() -> None:
    frame = responses([FULL]).with_columns(
        groups=pl.lit("x"), words=pl.lit("y"), delivered=pl.lit("z"), forms=pl.lit("f"), bias=pl.lit(3)
    )
    made = word_association.read(frame, instrument(BOTH), rows()).responses
    assert made.select("groups", "words", "delivered", "forms", "bias").row(0) == ("x", "y", "z", "f", 3)
    assert made.get_column("corrected_pairs").item() == 4


def test_a_million_responses_with_few_texts_are_quick() -> None:
    texts = [FULL, SORRY, "sunny → Green", "hello", "Green: sunny, kind"] + [
        f"{number}. sunny - Green" for number in range(500)
    ]
    frame = responses(texts)
    many = pl.concat([frame] * (1_000_000 // frame.height + 1)).head(1_000_000)
    start = time.process_time()
    made = word_association.read(many, instrument(BOTH, unread="ignore"), rows()).responses
    assert time.process_time() - start < 60
    assert made.height == 1_000_000
    few = word_association.read(frame, instrument(BOTH, unread="ignore"), rows()).responses
    assert (
        made.tail(1).get_column("corrected_bias").item()
        == few.row(999_999 % frame.height, named=True)["corrected_bias"]
    )


def test_the_same_twice() -> None:
    texts = [FULL, SORRY, "sunny → Green", None, "x"]
    assert read(texts).equals(read(texts))


@quick
@given(st.lists(st.one_of(st.none(), TEXT, st.sampled_from([FULL, SORRY, "sunny - Green"])), max_size=6))
def test_every_response_is_accounted_for(texts: list[str | None]) -> None:
    made = read(texts)
    for name in BOTH:
        status, reason = made.get_column(f"{name}_status"), made.get_column(f"{name}_reason")
        assert set(status) <= {"ok", "partial", "refused", "invalid", "error"}
        for row in made.iter_rows(named=True):
            counts = sum(
                row[f"{name}_{side}_{kind}"] for side in ("default", "stigma") for kind in ("positive", "negative")
            )
            assert counts == row[f"{name}_pairs"]
            has_answer = row[f"{name}_status"] in {"ok", "partial"}
            assert has_answer == (counts > 0)
            assert (row[f"{name}_bias"] is None) == (name == "corrected" and not has_answer)
        assert reason.null_count() == status.is_in(["ok", "partial"]).sum()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"lists": None}, "exactly one of"),
        ({"columns": {"default": "a", "stigma": "b", "positive": "c", "negative": "d"}}, "exactly one of"),
        ({"lists": None, "sides": {"file": "f", "positive": "P", "negative": "N"}}, "need"),
        ({"scorings": {}}, "at least 1"),
        ({"scorings": {"s": {"groups": "prompt"}}}, "needs 'prompt.groups'"),
        ({"scorings": {"s": {"reading": "loose"}}}, "strict"),
        ({"scorings": {"s": {"constant": -1}}}, "greater than or equal"),
        ({"scorings": {"s": {"constant": float("inf")}}}, "finite"),
        ({"scorings": {"s": {"until": ""}}}, "at least 1"),
        ({"scorings": {"s p": {}}}, "pattern"),
        ({"scorings": {"s": {"weight": 1}}}, "not permitted"),
        ({"aliases": {"a": "b", "b": "c"}}, "is an alias itself"),
        ({"lists": {**LISTS, "words": []}}, "at least 1"),
        ({"lists": {**LISTS, "words": ["A"]}}, "named more than once"),
        ({"lists": {**LISTS, "apart": {"positive": ["a"], "negative": ["A"]}}}, "both positive and negative"),
    ],
)
def test_declarations_that_make_no_sense(change: dict[str, Any], told: str) -> None:
    declared: dict[str, Any] = {"kind": "word-association", "lists": LISTS, "scorings": {"s": {}}} | change
    with pytest.raises(ValidationError, match=told):
        WordAssociationInstrument.model_validate(declared)


def test_what_the_instrument_reads_and_makes() -> None:
    declared = instrument(BOTH, prompt={"groups": ["g", "h"], "words": "w"}, dataset="set")
    assert declared.reads == {
        "dataset": "set", "prompt.groups.1": "g", "prompt.groups.2": "h", "prompt.words": "w",
        "scorings.as_published.text": "text", "scorings.corrected.text": "text",
    }  # fmt: skip
    made = read([FULL], instrument(BOTH))
    types = {"number": pl.Float64, "integer": pl.Int64, "string": pl.String}
    assert {name: made.schema[name] for name in declared.makes} == {
        name: types[kind] for name, kind in declared.makes.items()
    }
