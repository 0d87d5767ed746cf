"""Associations of embeddings: cosines by hand, contexts, models apart, what is no vector, and what is refused."""

from __future__ import annotations

from math import sqrt
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.core.errors import DataError
from tallybook.instruments.embedding_association.instrument import EmbeddingAssociationInstrument
from tallybook.instruments.reading import VERDICT

SETTINGS = {"kind": "embedding-association", "first": ["A"], "second": ["B"]}


def read(rows: list[tuple[str, str, str | None]], **settings: Any) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=["model", "set", "text"], orient="row").with_columns(
        pl.lit("ok").alias("status"),
        pl.lit("e.csv").alias("file"),
        pl.format("row {}", pl.int_range(pl.len())).alias("key"),
    )
    return EmbeddingAssociationInstrument.model_validate(SETTINGS | settings).code(frame, {}).responses


def test_cosines_by_hand() -> None:
    found = read([("m", "X", "[3, 4]"), ("m", "A", "[1, 0]"), ("m", "A", "[1, 1]"), ("m", "B", "[0 2]")])
    expected = (3 / 5 + 7 / 5 / sqrt(2)) / 2 - 4 / 5
    assert found["association"].to_list() == [pytest.approx(expected, rel=1e-15), None, None, None]
    assert found[VERDICT].to_list() == [None] * 4


def test_models_are_apart_unless_declared_otherwise() -> None:
    rows: list[tuple[str, str, str | None]] = [
        *(("m", name, text) for name, text in (("X", "[1, 0]"), ("A", "[1, 0]"), ("B", "[0, 1]"))),
        *(("n", name, text) for name, text in (("X", "[1, 0, 0]"), ("A", "[0, 1, 0]"), ("B", "[1, 0, 0]"))),
    ]
    assert read(rows)["association"].drop_nulls().to_list() == [1.0, -1.0]
    with pytest.raises(DataError, match=r"e\.csv: key row 3, column text: found 3 numbers; expected 2"):
        read(rows, within=[])


@pytest.mark.parametrize("cell", ["", None, "[]", "[0, 0]", "[1, x]", "[1, NaN]", "yes", "[1, inf]"])
def test_no_vector(cell: str | None) -> None:
    found = read([("m", "X", cell), ("m", "X", "[2, 0]"), ("m", "A", "[1, 0]"), ("m", "B", "[0, 1]")])
    assert found.select("association", "no_association", VERDICT).row(0) == (None, "no-vector", "invalid")
    assert found["association"][1] == 1.0


def test_a_side_without_vectors_is_refused() -> None:
    with pytest.raises(
        DataError, match=r"e\.csv: key row 0, column set: .*expected a vector of B beside the words of model m"
    ):
        read([("m", "X", "[1, 0]"), ("m", "A", "[1, 0]")])


def test_sides_must_differ() -> None:
    with pytest.raises(ValidationError, match="'A' is a set of 'first' too"):
        EmbeddingAssociationInstrument.model_validate(SETTINGS | {"second": ["B", "A"]})


@given(st.integers(0, 2**32 - 1))
def test_twin_scale_and_order(seed: int) -> None:
    """A slow twin; neither the length of vectors nor the order of rows changes anything."""
    generator = np.random.default_rng(seed)
    size, sets = int(generator.integers(2, 9)), generator.permutation([*"XXXXAAABB"])
    numbers = generator.normal(size=(len(sets), size)) * 10.0 ** generator.integers(-200, 200, size=(len(sets), 1))
    rows: list[tuple[str, str, str | None]] = [
        ("m", str(name), str([float(number) for number in row])) for name, row in zip(sets, numbers, strict=True)
    ]
    found = read(rows)["association"].to_list()

    def cosine(one: Any, other: Any) -> float:
        one, other = one / np.abs(one).max(), other / np.abs(other).max()
        return float(one @ other / sqrt(one @ one) / sqrt(other @ other))

    for name, row, association in zip(sets, numbers, found, strict=True):
        sides = [[cosine(row, other) for own, other in zip(sets, numbers, strict=True) if own == s] for s in "AB"]
        expected = None if name in {"A", "B"} else float(np.mean(sides[0]) - np.mean(sides[1]))
        assert association == (None if expected is None else pytest.approx(expected, abs=1e-12))
    order = generator.permutation(len(rows))
    again = read([rows[place] for place in order])["association"].to_list()
    assert again == [found[place] for place in order]
