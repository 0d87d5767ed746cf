"""Records of typed tables: their values are those that their text reads back as."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.sources import records
from tallybook.sources.records import Records, in_parts
from tallybook.sources.values import texts_and_values, typed

NUMBERS: dict[Any, st.SearchStrategy[Any]] = {
    pl.Float64: st.floats(),
    pl.Float32: st.floats(width=32),
    pl.Int64: st.integers(-(2**63), 2**63 - 1),
    pl.Int8: st.integers(-128, 127),
    pl.UInt32: st.integers(0, 2**32 - 1),
    pl.UInt64: st.integers(0, 2**64 - 1),
    pl.Boolean: st.booleans(),
    pl.String: st.sampled_from(["", "1", "1.0", " 1", "x", "1e3", "true"]),
}


@given(st.data(), st.sampled_from(list(NUMBERS)), st.sampled_from([pl.String, pl.Int64, pl.Float64, pl.Boolean]))
def test_values_are_what_their_text_reads_back_as(data: st.DataObject, given: Any, wanted: Any) -> None:
    column = pl.Series("0", data.draw(st.lists(st.none() | NUMBERS[given], max_size=5)), dtype=given)
    part = Records(["a"], column.to_frame(), pl.int_range(column.len(), eager=True))
    values = part.values("a", wanted)
    assert part.column("a").dtype == pl.String
    assert part.cells.to_series().equals(part.column("a"))
    if values is not None:
        assert values.dtype == wanted
        text = part.column("a")
        if wanted == pl.Boolean:
            assert text.to_list() == [None if value is None else str(value).lower() for value in values]
        else:
            assert text.cast(wanted, strict=False).equals(values, null_equal=True)


@given(st.data(), st.sampled_from(list(NUMBERS)), st.sampled_from(["string", "integer", "number"]))
def test_declared_types_of_typed_tables(data: st.DataObject, given: Any, wanted: Any) -> None:
    column = pl.Series("0", data.draw(st.lists(st.none() | NUMBERS[given], max_size=5)), dtype=given)
    part = Records(["a"], column.to_frame(), pl.int_range(column.len(), eager=True))
    told, values = texts_and_values(part, "a", wanted)
    text = part.column("a").replace("", None)
    expected = typed(text, wanted)
    assert values.equals(expected)
    assert (values.is_null() & told.is_not_null()).equals(expected.is_null() & text.is_not_null())
    assert told.is_null().equals(text.is_null())


@pytest.mark.parametrize(("word", "keys"), [("row", ["row 2", "row 5"]), ("line", ["line 2", "line 5"])])
def test_keys_by_number(word: str, keys: list[str]) -> None:
    assert Records(["a"], pl.DataFrame({"0": [1, 2]}), pl.Series([2, 5]), word).keys.to_list() == keys


def test_records_with_columns_of_their_own_come_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(records, "MOST_CELLS", 100)
    parts = list(in_parts(((f"line {place}", {"id": "x", f"k{place}": "y"}) for place in range(50)), "a.jsonl"))
    assert sum(part.height for part in parts) == 50
    assert max(part.height * len(part.header) for part in parts) < 130
