"""Heterogeneity of estimates against metafor and against a plain reading of its formulas."""

# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportOperatorIssue=false, reportCallIssue=false
from __future__ import annotations

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose
from scipy import stats

from tallybook.statistics.conclusions import sensitivity
from tests.unit.statistics.frames import as_rows, exactly, quick

KINDS = {"cell": pl.String, "estimate": pl.Float64, "std_error": pl.Float64}
TERMS = ("heterogeneity", "i_squared")
ROW = st.tuples(
    st.sampled_from(["b", "a"]),
    st.one_of(st.none(), st.floats(-3, 3)),
    st.one_of(st.none(), st.floats(0.1, 2)),
)
ROWS = st.lists(ROW, max_size=14)


def summarised(rows) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema=KINDS, orient="row").with_columns(outcome=pl.lit("o")).with_row_index("prompt")
    return sensitivity(frame, ["cell"], "prompt")


def test_summaries_equal_metafor(oracle):
    r, data = oracle("random_effects"), oracle("random_effects_data")
    rows = list(zip(data["cell"], data["effect"], np.sqrt(data["variance"]), strict=True))
    found = as_rows(summarised(rows), ["cell"])
    for index, cell in enumerate(r["cell"]):
        q, share = (found[cell, "o", term] for term in TERMS)
        assert (q["n"], q["df"]) == (r["k"][index], r["k"][index] - 1)
        assert_allclose(q["statistic"], r["q"][index], rtol=1e-9)
        assert_allclose(q["log_p_value"], r["log_p_q"][index], rtol=1e-9)
        assert_allclose(share["estimate"], r["i_squared"][index], rtol=1e-9)


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_summaries_equal_their_formulas(rows, random):
    found = as_rows(summarised(rows), ["cell"])
    for cell in {row[0] for row in rows}:
        own = [(e, s) for of, e, s in rows if of == cell and None not in (e, s)]
        q, share = (found[cell, "o", term] for term in TERMS)
        assert q["n"] == share["n"] == len(own)
        assert q["status"] == share["status"] == ("no-data" if not own else "ok" if len(own) > 1 else "degenerate")
        if len(own) < 2:
            assert q["estimate"] is q["p_value"] is share["estimate"] is None
            continue
        e, s = np.array(own).T
        expected = np.sum((e - np.average(e, weights=s**-2.0)) ** 2 / s**2)
        assert_allclose(q["estimate"], expected, rtol=1e-7, atol=1e-9)
        assert_allclose(q["p_value"], stats.chi2.sf(expected, len(e) - 1), rtol=1e-7)
        assert_allclose(share["estimate"], max(0, 1 - (len(e) - 1) / expected) if expected else 0, atol=1e-7)
    shuffled = list(rows)
    random.shuffle(shuffled)
    whole, again = (frame.filter(pl.col("term").is_in(TERMS)) for frame in (summarised(rows), summarised(shuffled)))
    assert exactly(again) == exactly(whole)


@pytest.mark.parametrize(
    "effects", [[(0.3, 0.0), (0.4, 1.0)], [(1e308, 1e-150), (-1e308, 1e-150)]], ids=["no error", "too large"]
)
def test_heterogeneity_that_is_no_number(effects):
    found = summarised([("a", e, s) for e, s in effects]).filter(pl.col("term").is_in(TERMS))
    assert found.select("status", "estimate", "p_value").unique().rows() == [("degenerate", None, None)]
