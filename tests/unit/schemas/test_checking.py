"""Every frame model, with data checks really on: good frames pass, each kind of bad one is refused with its place."""

from __future__ import annotations

from typing import Any

import pandera.polars as pa
import polars as pl
import pytest

from tallybook.core.errors import DataError
from tallybook.core.frame_checks import check, expectation
from tallybook_schemas import columns as declared_frames
from tallybook_schemas.columns import (
    CodedResponses,
    Comparison,
    Estimates,
    Frame,
    PublishedValues,
    References,
    Responses,
    TableCells,
    Tallies,
)
from tallybook_schemas.frames import FRAMES
from tallybook_schemas.vocabulary import ESTIMATE_STATUSES

FIRST = {"responses": {"file": "f.json", "key": "0_0"}, "coded-responses": {"mood": 0.5}}


def _declared(name: str) -> Frame:
    return getattr(declared_frames, FRAMES[name].__name__)


def _good(column: pa.Column) -> Any:
    """A value that fits a declared column."""
    bounds: dict[str, Any] = {}
    for declared in column.checks:
        bounds |= declared.statistics
    if "allowed_values" in bounds:
        return bounds["allowed_values"][0]
    return {pl.String: "x", pl.Int64: 1, pl.Float64: -0.5 if bounds.get("max_value") == 0 else 0.5}[column.dtype.type]


def _frame(name: str, *changes: dict[str, Any]) -> pl.DataFrame:
    """A good frame of two rows, the second changed."""
    columns = FRAMES[name].to_schema().columns
    first = {column: _good(declared) for column, declared in columns.items()} | FIRST.get(name, {})
    rows = [first, *(first | _distinct(name) | change for change in changes or ({},))]
    schema = {column: columns[column].dtype.type if column in columns else pl.Float64 for column in first}
    return pl.DataFrame(rows, schema=schema)


def _distinct(name: str) -> dict[str, str]:
    """What tells the second row from the first."""
    columns = FRAMES[name].to_schema().columns
    others = {"table": "other", "outcome": "other", "model": "other", "side": "y"}
    return next({column: other} for column, other in others.items() if column in columns)


def _faults(frame: pl.DataFrame | pl.LazyFrame, name: str, **settings: Any) -> list[str]:
    with pytest.raises(DataError) as error:
        check(frame, _declared(name), where="stage", **settings)
    return [str(problem) for problem in error.value.problems]


def test_every_model_is_tested() -> None:
    frames = [Responses, CodedResponses, Tallies, Estimates, References, TableCells, PublishedValues, Comparison]
    assert {one.name for one in frames} == {one.__name__ for one in FRAMES.values()}


@pytest.mark.parametrize("name", FRAMES)
class TestEveryModel:
    def test_a_good_frame_is_returned_unchanged(self, name: str) -> None:
        frame = _frame(name)
        assert check(frame, _declared(name), where="stage") is frame
        assert check(frame.lazy(), _declared(name), where="stage").equals(frame)

    def test_an_empty_frame_is_good(self, name: str) -> None:
        assert check(_frame(name).clear(), _declared(name), where="stage").height == 0

    def test_further_columns_are_allowed(self, name: str) -> None:
        check(_frame(name).with_columns(further=pl.lit(1)), _declared(name), where="stage")

    def test_each_column_must_be_there(self, name: str) -> None:
        for column, declared in FRAMES[name].to_schema().columns.items():
            if declared.required:
                assert _faults(_frame(name).drop(column), name) == [f"stage: column {column}: expected this column"]
            else:
                check(_frame(name).drop(column), _declared(name), where="stage")

    def test_no_columns_at_all(self, name: str) -> None:
        required = [column for column in FRAMES[name].to_schema().columns.values() if column.required]
        assert len(_faults(pl.DataFrame(), name)) == len(required)

    def test_each_column_must_have_its_type(self, name: str) -> None:
        for column, declared in FRAMES[name].to_schema().columns.items():
            wrong = pl.int_range(2, dtype=pl.Int32).alias(column)
            assert _faults(_frame(name).with_columns(wrong), name) == [
                f"stage: column {column}: found Int32; expected type {declared.dtype.type}"
            ]

    def test_each_column_must_have_values_unless_it_may_be_null(self, name: str) -> None:
        for column, declared in FRAMES[name].to_schema().columns.items():
            frame = _frame(name, {column: None})
            if declared.nullable:
                check(frame, _declared(name), where="stage")
            else:
                faults = _faults(frame.lazy(), name)
                assert len(faults) == 1
                assert faults[0].endswith(f"column {column}: expected a value, not null")


FINITE = "a finite number or null"
DELIVERED = "one of ok, truncated, refused, filtered, empty, error, expired, canceled"
UNBOUNDED = [
    name
    for name, column in FRAMES["estimates"].to_schema().columns.items()
    if column.dtype.type == pl.Float64 and not column.checks
]


@pytest.mark.parametrize(
    ("name", "change", "expected"),
    [
        ("responses", {"status": "okay"}, DELIVERED),
        ("responses", {"status": "ComputeError(x"}, DELIVERED),
        ("responses", {"sample": -1}, "at least 0"),
        ("responses", {"count": 0}, "at least 1"),
        ("responses", {"position": -1}, "at least 0"),
        ("coded-responses", {"status": "truncated"}, "one of ok, partial, refused, invalid, empty, error"),
        ("coded-responses", {"count": 0}, "at least 1"),
        ("coded-responses", {"position": -1}, "at least 0"),
        ("coded-responses", {"mood": float("nan")}, FINITE),
        ("tallies", {"status": "partial"}, "one of ok, refused, invalid, error"),
        ("tallies", {"count": 0}, "at least 1"),
        ("tallies", {"first_seen": -1}, "at least 0"),
        ("tallies", {"value": float("inf")}, FINITE),
        ("estimates", {"n": -1}, "at least 0"),
        ("estimates", {"confidence": 0.0}, "more than 0"),
        ("estimates", {"confidence": 1.0}, "less than 1"),
        ("estimates", {"p_value": -0.1}, "at least 0"),
        ("estimates", {"p_value": 1.1}, "at most 1"),
        ("estimates", {"p_adjusted": -0.1}, "at least 0"),
        ("estimates", {"p_adjusted": 1.1}, "at most 1"),
        ("estimates", {"status": "fine"}, f"one of {', '.join(ESTIMATE_STATUSES)}"),
        *(("estimates", {column: float(value)}, FINITE) for column in UNBOUNDED for value in ("nan", "inf", "-inf")),
        ("references", {"proportion": 1.01}, "at most 1"),
        ("references", {"proportion": -0.01}, "at least 0"),
        ("tables", {"value": float("-inf")}, FINITE),
        ("comparison", {"verdict": "equal"}, "one of match, erratum, not-reproduced, mismatch"),
    ],
)
@pytest.mark.parametrize("lazy", [False, True])
def test_values(name: str, change: dict[str, Any], expected: str, lazy: bool) -> None:
    frame = _frame(name, change)
    where = "f.json: key 0_0" if name == "responses" else "stage: key row 2"
    ((column, value),) = change.items()
    message = f"{where}, column {column}: found {value}; expected {expected}"
    assert _faults(frame.lazy() if lazy else frame, name) == [message]


@pytest.mark.parametrize(("column", "message"), [("p_value", "at most 1"), ("confidence", "less than 1")])
def test_nan_is_no_number_of_a_bounded_column(column: str, message: str) -> None:
    faults = _faults(_frame("estimates", {column: float("nan")}), "estimates")
    assert f"stage: key row 2, column {column}: found nan; expected a finite number or null" in faults
    assert all(message in fault or "finite" in fault for fault in faults)


def test_pandera_alone_would_let_a_lazy_frame_pass() -> None:
    """Why `check` exists: should pandera ever check values by default, this says so."""
    bad = _frame("responses", {"status": "okay"}).lazy()
    assert FRAMES["responses"].validate(bad).collect().height == 2
    assert len(_faults(bad, "responses")) == 1


def test_a_row_without_file_and_key_is_named_by_where_and_number() -> None:
    frame = _frame("responses", {"file": None, "key": None, "status": "x"})
    assert "stage: key row 2, column status: found x" in _faults(frame, "responses")[0]


def test_untrusted_values_are_escaped() -> None:
    frame = _frame("responses", {"status": "\x1b[31m\n::error::", "key": "k\u202e"})
    assert _faults(frame, "responses")[0].startswith(
        "f.json: key k\\u202e, column status: found \\x1b[31m\\n::error::; expected one of"
    )


def test_all_faults_at_once() -> None:
    frame = (
        _frame("responses", {"status": "x", "count": 0}, {"model": None}).drop("text").with_columns(sample=pl.lit("0"))
    )
    faults = _faults(frame, "responses")
    assert sorted(fault.partition("column ")[2].partition(":")[0] for fault in faults) == [
        "count", "model", "sample", "status", "text",
    ]  # fmt: skip


class TestLevels:
    """The study's own rules for factors."""

    def test_good(self) -> None:
        check(_frame("tallies", {"outcome": "p"}), Tallies, where="stage", levels={"outcome": ["x", "p"]})

    @pytest.mark.parametrize(
        ("levels", "message"),
        [
            ({"outcome": ["x"]}, "stage: key row 2, column outcome: found other; expected one of x"),
            ({"outcome": ["other", "['"]}, "stage: key row 1, column outcome: found x; expected one of other, ['"),
            ({"group": ["x"]}, "stage: column group: expected this column"),
            ({"count": ["1"]}, "stage: column count: found Int64; expected type String"),
        ],
    )  # fmt: skip
    def test_bad(self, levels: dict[str, list[str]], message: str) -> None:
        assert _faults(_frame("tallies"), "tallies", levels=levels) == [message]

    def test_null_is_no_level(self) -> None:
        faults = _faults(_frame("tallies", {"category": None}), "tallies", levels={"category": ["x"]})
        assert faults == ["stage: key row 2, column category: expected a value, not null"]


class TestUnique:
    """No two rows with one key."""

    def test_of_the_study(self) -> None:
        frame = _frame("responses", {}, {"model": "x"})
        assert _faults(frame, "responses", unique=["model", "sample"]) == [
            "f.json: key 0_0: found x, 1; expected no two rows with the same model, sample",
            "f.json: key 0_0: found x, 1; expected no two rows with the same model, sample",
        ]

    def test_of_the_model(self) -> None:
        faults = _faults(_frame("published", {"table": "x", "printed": "5"}), "published")
        assert faults == [
            f"stage: key row {n}: found x, x, x, x; expected no two rows with the same table, row, column, statistic"
            for n in (1, 2)
        ]

    def test_both(self) -> None:
        frame = _frame("published", {"table": "x"}, {"printed": "5"})
        faults = _faults(frame, "published", unique=["printed"])
        assert sum("the same table, row" in fault for fault in faults) == 2
        assert sum(fault.endswith("the same printed") for fault in faults) == 2

    def test_a_column_that_is_not_there(self) -> None:
        assert _faults(_frame("tallies"), "tallies", unique=["outcome", "group"]) == [
            "stage: column group: expected this column"
        ]

    def test_nulls_are_values(self) -> None:
        frame = _frame("tallies", {"category": None}, {"category": None})
        assert len(_faults(frame, "tallies", unique=["category"])) == 2

    def test_rules_of_one_call_do_not_reach_the_next(self) -> None:
        """Pandera hands out one schema a model."""
        check(_frame("tallies"), Tallies, where="stage", unique=["outcome"], levels={"outcome": ["x", "other"]})
        repeated = _frame("tallies", {"outcome": "x"})
        assert check(repeated, Tallies, where="stage") is repeated
        assert FRAMES["tallies"].to_schema().unique is None
        assert FRAMES["published"].to_schema().unique == ["table", "row", "column", "statistic"]


def test_a_check_without_words_is_named() -> None:
    assert expectation("str_startswith('s')", pa.DataFrameSchema(), "name") == "str_startswith('s')"


@pytest.mark.parametrize(
    ("bounds", "words"),
    [
        ({"min_value": 1}, "text of at least 1 character"),
        ({"min_value": 2}, "text of at least 2 characters"),
        ({"min_value": 1, "max_value": 3}, "text of at least 1 and at most 3 characters"),
        ({"max_value": 0}, "text of at most 0 characters"),
    ],
)
def test_lengths_in_words(bounds: dict[str, int], words: str) -> None:
    shown = str(pa.Check.str_length(**bounds).error)
    assert expectation(shown, pa.DataFrameSchema(), "name") == words
