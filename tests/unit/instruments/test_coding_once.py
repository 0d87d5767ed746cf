"""Responses that are coded alike are coded once: nothing else about them differs from coding each of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from tallybook.core.errors import DataError
from tallybook.instruments import coder, coding_once
from tallybook.instruments.coding_once import CodingOnce
from tallybook.study.model import Study
from tallybook_schemas.vocabulary import DELIVERED_STATUSES
from tests.unit.statistics.frames import quick

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.coder import Coding

DECLARATION: dict[str, Any] = {
    "name": "decisions",
    "title": "Decisions",
    "sources": [{"format": "coded", "files": "coded.csv"}],
    "factors": {
        "model": {"label": "Model", "levels": {"a": "A", "b": "B"}},
        "group": {"label": "Group", "levels": {"x": "X", "y": "Y"}},
    },
    "instrument": {"kind": "absolute-decision"},
    "outcomes": {
        # Of some responses only, and one label has no category.
        "decision": {"kind": "category", "label": "D", "attribute": "answer", "labels": {"yes": ["yes"]}},
        "asked": {
            "kind": "category",
            "label": "A",
            "attribute": "answer",
            "labels": {"yes": ["yes"], "no": ["no"]},
            "where": {"group": ["x"]},
        },
        "reason": {
            "kind": "reason",
            "label": "R",
            "attribute": "unanswered_reason",
            "labels": {"declined": ["declined"], "hedged": ["hedged"]},
        },
    },
}
TEXTS = ("Yes.", "No.", "", None, "I cannot answer that.", "Perhaps.", "Yes and no")
STUDY = Study.model_validate(DECLARATION)
ROW = st.tuples(
    st.sampled_from(TEXTS), st.sampled_from(DELIVERED_STATUSES), st.sampled_from("ab"), st.sampled_from("xy")
)


def _frame(rows: Sequence[tuple[str | None, str, str, str]], start: int = 0) -> pl.DataFrame:
    schema = {"text": pl.String, "status": pl.String, "model": pl.String, "group": pl.String}
    number = pl.int_range(pl.len()) + start
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.format("f#{}", number).alias("response_id"),
        pl.format("i{}", number).alias("item"),
        pl.lit(0, dtype=pl.Int64).alias("sample"),
        (number % 3 + 1).cast(pl.Int64).alias("count"),
        number.cast(pl.Int64).alias("position"),
        pl.lit("f").alias("file"),
        number.cast(pl.String).alias("key"),
    )


def _are_equal(one: Coding, other: Coding) -> None:
    assert_frame_equal(one.coded, other.coded)
    assert_frame_equal(one.unmapped, other.unmapped)
    assert one.findings == other.findings


def _study(undecided: str) -> Study:
    return Study.model_validate(DECLARATION | {"instrument": {"kind": "absolute-decision", "undecided": undecided}})


@quick
@given(st.lists(st.lists(ROW, min_size=1, max_size=30), min_size=1, max_size=4), st.sampled_from(["ignore", "report"]))
def test_parts_are_coded_as_they_would_be_one_by_one(
    parts: list[list[tuple[str | None, str, str, str]]], undecided: str
) -> None:
    study = _study(undecided)
    once = CodingOnce(study, study.instrument, ())
    for number, rows in enumerate(parts):
        frame = _frame(rows, 100 * number)
        _are_equal(once.code(frame), coder.code(frame, study, study.instrument))


@pytest.mark.parametrize("limits", [{"_REMEMBERED": 2}, {"_FEW": 2}])
def test_responses_that_hardly_repeat_are_not_remembered(
    limits: dict[str, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, limit in limits.items():
        monkeypatch.setattr(coding_once, name, limit)
    once = CodingOnce(STUDY, STUDY.instrument, ())
    for rows in ([(text, "ok", "a", "x") for text in TEXTS], [("Yes.", "ok", "b", "y")] * 9):
        _are_equal(once.code(_frame(rows)), coder.code(_frame(rows), STUDY, STUDY.instrument))


def test_parts_may_have_other_columns() -> None:
    once, frame = CodingOnce(STUDY, STUDY.instrument, ()), _frame([("Yes.", "ok", "a", "x")] * 2)
    for part in (frame, frame.with_columns(pl.lit("no").alias("answer")), frame):
        _are_equal(once.code(part), coder.code(part, STUDY, STUDY.instrument))


@pytest.mark.parametrize("order", [1, -1])
def test_an_item_that_is_a_prompt_tells_where_an_answer_ends(order: int) -> None:
    asked = [
        "Would you hire Ann Miller, a nurse with ten years of experience?",
        "May Bo Larsen keep the keys of the library over the summer holidays?",
    ]
    text = "No. Would you hire Tom Hall, a nurse with ten years of experience? Yes, I would hire him."
    frame = _frame([(text, "ok", "a", "x")] * 2).with_columns(item=pl.Series(asked[::order]))
    coding = CodingOnce(STUDY, STUDY.instrument, ()).code(frame)
    _are_equal(coding, coder.code(frame, STUDY, STUDY.instrument))
    assert coding.coded["answer"].to_list()[::order] == ["no", None]


def test_each_different_text_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    settled = coding_once.settled

    def counting(responses: pl.DataFrame, *rest: Any, **settings: Any) -> Any:
        read.append(responses.height)
        return settled(responses, *rest, **settings)

    monkeypatch.setattr(coding_once, "settled", counting)
    once = CodingOnce(_study("ignore"), _study("ignore").instrument, ())
    for texts in (("Yes.", "No."), ("No.", "Yes."), ("No.", "Perhaps.")):
        once.code(_frame([(text, "ok", "a", "x") for text in texts * 5]))
    assert read == [2, 1]


def test_each_response_at_fault_is_named() -> None:
    study, frame = _study("error"), _frame([("Perhaps.", "ok", "a", "x")] * 3)
    with pytest.raises(DataError) as error:
        CodingOnce(study, study.instrument, ()).code(frame)
    assert [problem.key for problem in error.value.problems] == ["0", "1", "2"]
