"""Frames vetted by one query: what passes is what pandera finds nothing wrong with."""

from __future__ import annotations

from typing import Any

import pandera.polars as pa
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pandera.config import ValidationDepth, config_context

from tallybook.core.vetting import Vetting, is_built_in
from tallybook_schemas.frames import FRAMES
from tests.statistics.frames import quick

NUMBERS = st.one_of(st.none(), st.sampled_from([-1, 0, 1, 2, 3]))
FLOATS = st.one_of(st.none(), st.sampled_from([-1.0, -0.0, 0.5, 1.0, float("nan"), float("inf")]))
TEXTS = st.one_of(st.none(), st.sampled_from(["", "a", "ab", "b\na", "é", "10"]))
OF_NUMBERS = st.sampled_from(
    [
        pa.Check.eq(1), pa.Check.ne(1), pa.Check.gt(0), pa.Check.ge(0), pa.Check.lt(2), pa.Check.le(2),
        pa.Check.in_range(0, 2), pa.Check.in_range(0, 2, include_min=False), pa.Check.in_range(0, 2, include_max=False),
        pa.Check.isin([0, 1, 2]), pa.Check.notin([3]), pa.Check.ge(0, error="not negative"),
        pa.Check.ge(0, ignore_na=False), pa.Check.ge(0, n_failure_cases=1),
        pa.Check(lambda data: data.lazyframe.select(pl.col(data.key) >= 0)), pa.Check.unique_values_eq([0, 1]),
        pa.Check(lambda x: x >= 0, element_wise=True), pa.Check(lambda data: data.lazyframe.select(pl.col("nowhere"))),
        pa.Check(lambda _: False, name="greater_than", statistics={"min_value": -9}),
    ]
)  # fmt: skip
OF_TEXTS = st.sampled_from(
    [
        pa.Check.eq("a"), pa.Check.isin(["a", "ab"]), pa.Check.notin(["b\na"]), pa.Check.str_matches("a"),
        pa.Check.str_matches("^a|b"), pa.Check.str_contains("a$"), pa.Check.str_startswith("a"),
        pa.Check.str_endswith("b"), pa.Check.str_length(1, 2), pa.Check.str_length(min_value=1),
        pa.Check.str_length(max_value=1), pa.Check.str_length(exact_value=2), pa.Check.ge(1),
    ]
)  # fmt: skip
SETTINGS: dict[str, Any] = {"nullable": st.booleans(), "required": st.booleans()}
COLUMNS = st.fixed_dictionaries(
    {
        "n": st.builds(pa.Column, st.sampled_from([int, pl.Int32, None]), st.lists(OF_NUMBERS, max_size=2), **SETTINGS),
        "f": st.builds(pa.Column, st.sampled_from([float, None]), st.lists(OF_NUMBERS, max_size=2), **SETTINGS),
        "t": st.builds(pa.Column, st.sampled_from([str, None]), st.lists(OF_TEXTS, max_size=2), **SETTINGS),
    }
)
ROWS = st.lists(st.tuples(NUMBERS, FLOATS, TEXTS), max_size=4)


def found_by_pandera(schema: pa.DataFrameSchema, data: pl.DataFrame) -> bool:
    try:
        with config_context(validation_enabled=True, validation_depth=ValidationDepth.SCHEMA_AND_DATA):
            schema.validate(data, lazy=True)
    except (pa.errors.SchemaErrors, pl.exceptions.SchemaError):  # the latter where it cannot put together its report
        return True
    return False


@quick
@given(COLUMNS, ROWS, st.sampled_from([["n", "f", "t"], ["n", "t"], ["f", "t", "n"]]))
def test_what_passes_is_what_pandera_finds_nothing_wrong_with(columns: Any, rows: Any, present: list[str]) -> None:
    schema = pa.DataFrameSchema(columns)
    data = pl.DataFrame(rows, schema={"n": pl.Int64, "f": pl.Float64, "t": pl.String}, orient="row").select(present)
    assert Vetting(schema).passes(data) is not found_by_pandera(schema, data)


DATA = pl.DataFrame({"n": [1, 2, 2]})


@pytest.mark.parametrize(
    "schema",
    [
        pa.DataFrameSchema({"n": pa.Column(int, unique=True)}),
        pa.DataFrameSchema({"n": pa.Column(int)}, unique=["n"]),
        pa.DataFrameSchema({}, strict=True),
        pa.DataFrameSchema({"n": pa.Column(pl.Int64), "o": pa.Column(int, required=False)}, ordered=True, strict=True),
        pa.DataFrameSchema({"n": pa.Column(int)}, checks=pa.Check(lambda _: False)),
        pa.DataFrameSchema({"n": pa.Column(int, checks=pa.Check.ge(2, raise_warning=True))}),
        pa.DataFrameSchema({"^n": pa.Column(int, checks=pa.Check.ge(2), regex=True)}),
        pa.DataFrameSchema({"n": pa.Column(pl.Enum(["1"]), coerce=True)}),
    ],
)
def test_what_only_pandera_knows_does_not_pass(schema: pa.DataFrameSchema) -> None:
    assert not Vetting(schema).passes(DATA)


@pytest.mark.parametrize("name", list(FRAMES))
def test_every_check_of_our_frames_is_known(name: str) -> None:
    schema = FRAMES[name].to_schema()
    assert all(is_built_in(check) for column in schema.columns.values() for check in column.checks)
    assert Vetting(schema)._is_known or schema.unique
