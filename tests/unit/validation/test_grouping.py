"""Equal failures put together part by part are those of all failures at once."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core import spill_buffer
from tallybook.validation import model
from tallybook.validation.model import FIRST, SCHEMA, SEVERITIES, Failure, Failures, grouped
from tests.unit.statistics.frames import quick

FAILURES = st.lists(
    st.builds(
        Failure,
        st.sampled_from(["levels", "values"]),
        st.sampled_from(SEVERITIES),
        st.sampled_from(["a.csv", "b.csv"]),
        st.none() | st.integers(1, 3),
        st.sampled_from(["row 1", "row 2", ""]),
        st.just("age"),
        st.sampled_from(["x", "y", "z", ""]),
        st.sampled_from(["one", "other"]),
        st.just(1),
    ),
    max_size=30,
)


def slowly(failures: list[Failure], most: int | None) -> list[tuple[Any, ...]]:
    groups: dict[tuple[str, ...], list[Failure]] = {}
    for one in failures:
        groups.setdefault((one.check, one.severity, one.file, one.column, one.value, one.expectation), []).append(one)
    checks = list(dict.fromkeys(one.check for one in failures))
    found: list[tuple[Any, ...]] = []
    for check in checks:
        of_check = [(same, times) for same, times in groups.items() if same[0] == check]
        of_check.sort(key=lambda group: SEVERITIES.index(group[0][1]))  # stable
        found += [
            (*same, len(times), tuple((one.line, one.key) for one in times[:FIRST])) for same, times in of_check[:most]
        ]
    return found


@quick
@given(FAILURES, st.integers(1, 7), st.sampled_from([None, 1, 2, 5]), st.sampled_from([0, 4, 2**16]))
def test_groups(failures: list[Failure], size: int, most: int | None, at_once: int) -> None:
    parts = [
        pl.DataFrame(failures[start : start + size], schema=SCHEMA, orient="row")
        for start in range(0, len(failures), size)
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "_AT_ONCE", at_once)
        assert [tuple(group) for group in grouped(parts, most)] == slowly(failures, most)


@quick
@given(FAILURES, st.integers(1, 7), st.sampled_from([0, 200]))
def test_all_failures_in_temporary_files(failures: list[Failure], size: int, in_memory: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spill_buffer, "IN_MEMORY", in_memory)
        kept = Failures()
        for start in range(0, len(failures), size):
            kept.add(failures[start : start + size])
        expected = [one for severity in SEVERITIES for one in failures if one.severity == severity]
        assert kept.table().rows() == [tuple(one) for one in expected]
        assert [tuple(group) for group in kept.groups(2)] == slowly(failures, 2)
        counts = {(one.check, one.severity) for one in failures}
        assert kept.counts() == {
            check: {
                severity: sum((one.check, one.severity) == (check, severity) for one in failures)
                for severity in sorted(SEVERITIES)
                if (check, severity) in counts
            }
            for check in sorted({one.check for one in failures})
        }
        kept.close()
