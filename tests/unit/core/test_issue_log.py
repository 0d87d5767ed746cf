"""Problems put away and found again, and the records that they name."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core import spill_buffer
from tallybook.core.errors import Problem
from tallybook.core.issue_log import IssueLog, as_frame, without_records
from tests.unit.statistics.frames import quick

KEYS = st.one_of(
    st.builds("{} {}".format, st.sampled_from(["row", "line", "record", "Row", "rows"]), st.integers(0, 12)),
    st.builds("row {}, line {}".format, st.integers(1, 4), st.integers(1, 4)),
    st.sampled_from(
        ["", "row 01", "row 1,line 2", "row 1234567890123456789", "sample 3, epoch 1", "row 1\n", "é", "row -1"]
    ),
)
PLACES = st.lists(st.tuples(st.sampled_from(["a.csv", "b.jsonl"]), KEYS), max_size=20)


@quick
@given(PLACES, PLACES, st.sampled_from([0, 2**25]))
def test_just_the_named_records(problems: Any, rows: Any, in_memory: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill_buffer, "IN_MEMORY", in_memory)
        issues = IssueLog()
        for start in range(0, len(problems), 3):
            issues.add([Problem(file, key, "c", "v", "e") for file, key in problems[start : start + 3]])
        records = issues.records()
        issues.close()
    frame = pl.DataFrame(rows, schema={"file": pl.String, "key": pl.String}, orient="row")
    assert without_records(frame, records).rows() == [one for one in rows if not one[1] or one not in set(problems)]


def test_what_is_told_twice() -> None:
    whole, row = Problem("a.csv", "", "x", "", "this column"), Problem("a.csv", "row 2", "x", "y", "z", "unique")
    issues = IssueLog()
    assert not issues
    issues.add([row, whole, row])
    issues.add([whole])
    issues.add(as_frame([whole]))
    assert len(issues) == 2
    assert [one for part in issues.parts() for one in part.rows()] == as_frame([row, whole]).rows()


def test_texts_that_are_none() -> None:
    assert as_frame([Problem("a", "line 1", "\ud800", "x\udfff", "é")]).row(0) == (
        "a", "line 1", "\\ud800", "x\\udfff", "é", "",
    )  # fmt: skip
