"""Correlations of pairs of scores against numpy on single responses."""

from __future__ import annotations

from itertools import product

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.association.correlation import correlations_of_means, score_correlations
from tests.unit.statistics.frames import as_rows, quick

VALUE = st.sampled_from([None, -1.0, 0.0, 0.5, 1.0])
RESPONSES = st.lists(st.tuples(st.sampled_from("ab"), VALUE, VALUE, VALUE), max_size=30)
KEPT = {"x": ["y", "z"], "z": ["y"]}


def tally_of(responses):
    """A tally of three scores, x keeping y and z beside it, z keeping y."""
    rows = []
    for cell, x, y, z in responses:
        values = {"x": x, "y": y, "z": z}
        for name, value in values.items():
            beside = {other: values[other] if other in KEPT.get(name, ()) else None for other in ("y", "z")}
            status = "ok" if value is not None else "invalid"
            rows.append({"cell": cell, "outcome": name, "value": value, **beside, "status": status, "count": 1})
    schema = {"cell": pl.String, "outcome": pl.String, "value": pl.Float64, "y": pl.Float64, "z": pl.Float64}
    return pl.DataFrame(rows, schema=schema | {"status": pl.String, "count": pl.Int64})


@quick
@given(RESPONSES)
def test_every_pair_is_that_of_the_responses_with_both(responses):
    found = as_rows(score_correlations(tally_of(responses), ["cell"], ["x", "y", "z"], KEPT), ["cell"])
    for cell in {response[0] for response in responses}:
        columns = {
            name: [response[place] for response in responses if response[0] == cell]
            for place, name in enumerate("xyz", start=1)
        }
        for first, second in product("xyz", repeat=2):
            both = [
                (u, v) for u, v in zip(columns[first], columns[second], strict=True) if u is not None and v is not None
            ]
            row = found.get((cell, first, second))
            if first == second:
                assert (row is None) == (not both)
                assert row is None or (row["estimate"], row["n"]) == (1.0, len(both))
                continue
            u, v = (np.array(side) for side in zip(*both, strict=True)) if both else (np.zeros(0), np.zeros(0))
            if len(both) > 1 and np.ptp(u) and np.ptp(v):
                assert_allclose(row["estimate"], np.corrcoef(u, v)[0, 1], rtol=1e-9, atol=1e-12)
                assert row["n"] == len(both)
            else:
                assert row is None or row["estimate"] is None


def test_correlations_of_means_are_over_cells():
    means = {"s": ["a", "b", "c"] * 2, "outcome": ["x"] * 3 + ["y"] * 3, "estimate": [1.0, 2.0, 4.0, 1.0, 3.0, None]}
    frame = pl.DataFrame(means).with_columns(pl.lit("mean").alias("term"), pl.lit(9).alias("n"))
    rows = as_rows(correlations_of_means(frame, []), [])
    assert rows["x", "x"]["n"] == 3
    assert (rows["x", "y"]["n"], rows["y", "x"]["n"], rows["y", "y"]["n"]) == (2, 2, 2)
    assert rows["x", "y"]["estimate"] == pytest.approx(1.0)


def test_no_cells_have_no_correlations():
    frame = pl.DataFrame(schema={"outcome": pl.String, "model": pl.String, "estimate": pl.Float64})
    assert correlations_of_means(frame, []).is_empty()


def test_spearman_is_of_ranks():
    tally = tally_of([("a", 1.0, -1.0, None), ("a", 0.5, 0.0, None), ("a", 0.0, 1.0, None), ("a", -1.0, 0.5, None)])
    rows = as_rows(score_correlations(tally, ["cell"], ["x", "y"], KEPT, method="spearman"), ["cell"])
    assert rows["a", "x", "y"]["estimate"] == pytest.approx(-0.8)
