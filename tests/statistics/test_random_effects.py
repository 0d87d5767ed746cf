"""Random-effects summaries against metafor and against a plain reading of their formulas."""

# pyright: basic, reportArgumentType=false, reportOptionalMemberAccess=false, reportOperatorIssue=false, reportCallIssue=false
from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.random_effects import TERMS, random_effects
from tests.statistics.frames import as_rows, exactly, quick

KINDS = {"cell": pl.String, "effect": pl.Float64, "variance": pl.Float64, "count": pl.Int64}
ROW = st.tuples(
    st.sampled_from(["b", "a"]),
    st.one_of(st.none(), st.floats(-3, 3)),
    st.one_of(st.none(), st.floats(0.01, 4)),
    st.integers(0, 3),
)
ROWS = st.lists(ROW, max_size=14)


def frame(rows):
    return pl.DataFrame(rows, schema=KINDS, orient="row")


def test_summaries_equal_metafor(oracle):
    r = oracle("random_effects")
    data = pl.DataFrame(dict(oracle("random_effects_data"))).with_columns(count=1)
    found = as_rows(random_effects(data, ["cell"]), ["cell"])
    for index, cell in enumerate(r["cell"]):
        row = {term: found[cell, "", term] for term in TERMS}
        combined, q = row["combined_effect"], row["heterogeneity"]
        assert combined["n"] == r["k"][index]
        numbers = {
            "effect": combined["estimate"],
            "std_error": combined["std_error"],
            "low": combined["ci_low"],
            "high": combined["ci_high"],
            "z": combined["statistic"],
            "log_p": combined["log_p_value"],
            "tau_squared": row["tau_squared"]["estimate"],
            "q": q["statistic"],
            "log_p_q": q["log_p_value"],
            "i_squared": row["i_squared"]["estimate"],
        }
        for name, value in numbers.items():
            assert_allclose(value, r[name][index], rtol=1e-9, err_msg=f"{cell} {name}")


@quick
@given(ROWS)
def test_summaries_equal_their_formulas_on_single_effects(rows):
    found = as_rows(random_effects(frame(rows), ["cell"]), ["cell"])
    assert {key[0] for key in found} == {row[0] for row in rows}
    for cell in {row[0] for row in rows}:
        own = [(e, v) for of, e, v, count in rows for _ in range(count) if of == cell and None not in (e, v)]
        row = {term: found[cell, "", term] for term in TERMS}
        assert {each["n"] for each in row.values()} == {len(own)}
        if not own:
            assert {each["status"] for each in row.values()} == {"no-data"}
            continue
        e, v = np.array(own).T
        w = 1 / v
        q = np.sum(w * (e - np.sum(w * e) / np.sum(w)) ** 2)
        tau = max(0, (q - (len(e) - 1)) / (np.sum(w) - np.sum(w**2) / np.sum(w))) if len(e) > 1 else 0
        w = 1 / (v + tau)
        combined = row["combined_effect"]
        assert_allclose(combined["estimate"], np.sum(w * e) / np.sum(w), rtol=1e-7, atol=1e-9)
        assert_allclose(combined["std_error"], 1 / math.sqrt(np.sum(w)), rtol=1e-7)
        assert {each["status"] for term, each in row.items() if term != TERMS[0]} == {
            "ok" if len(e) > 1 else "degenerate"
        }
        if len(e) > 1:
            assert_allclose(row["tau_squared"]["estimate"], tau, rtol=1e-7, atol=1e-9)
            assert_allclose(row["heterogeneity"]["estimate"], q, rtol=1e-7, atol=1e-9)
            assert_allclose(
                row["i_squared"]["estimate"], max(0, (q - len(e) + 1) / q) if q else 0, rtol=1e-7, atol=1e-7
            )


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_order_and_grouping_of_rows_do_not_matter(rows, random):
    single = [(*row[:3], 1) for row in rows for _ in range(row[3])] + [(*row[:3], 0) for row in rows]
    random.shuffle(single)
    assert exactly(random_effects(frame(single), ["cell"])) == exactly(random_effects(frame(rows), ["cell"]))


@quick
@given(ROWS)
def test_turning_all_effects_around_turns_the_summary(rows):
    turned = [(cell, None if e is None else -e, v, count) for cell, e, v, count in rows]
    found = as_rows(random_effects(frame(turned), ["cell"], alternative="greater"), ["cell"])
    for key, row in as_rows(random_effects(frame(rows), ["cell"], alternative="greater"), ["cell"]).items():
        if key[-1] != "combined_effect" or row["estimate"] is None:
            continue
        other = found[key]
        assert_allclose(other["estimate"], -row["estimate"], rtol=1e-9, atol=1e-12)
        assert_allclose(other["p_value"] + row["p_value"], 1, rtol=1e-9)
        assert_allclose(math.exp(other["log_p_value"]), other["p_value"], rtol=1e-9)


def test_the_alternatives_of_the_test():
    rows = frame([("a", 1.0, 0.25, 2)])
    two, one = (random_effects(rows, ["cell"], alternative=name)["p_value"][0] for name in ("two-sided", "greater"))
    assert_allclose([two, one], [2 * one, one], rtol=1e-12)
    assert_allclose(two, math.erfc(2.0), rtol=1e-12)  # z = 1 / sqrt(0.25 / 2)


@pytest.mark.parametrize(
    ("effects", "statuses"),
    [
        ([], ["no-data"] * 4),
        ([(None, 1.0)], ["no-data"] * 4),
        ([(0.3, 0.5)], ["ok", "degenerate", "degenerate", "degenerate"]),
        ([(0.3, 0.0), (0.4, 1.0)], ["degenerate"] * 4),
        ([(0.3, 0.5), (0.3, 0.5)], ["ok"] * 4),
        ([(1e308, 1e-300), (-1e308, 1e-300)], ["degenerate"] * 4),
    ],
)
def test_degenerate_effects_have_a_status(effects, statuses):
    rows = frame([("a", e, v, 1) for e, v in effects])
    result = random_effects(rows, [])
    assert as_rows(result, [])
    assert result["status"].to_list() == statuses
    assert result["term"].to_list() == list(TERMS)


def test_impossible_input_is_refused():
    rows = frame([("a", 0.5, 0.1, 1)])
    with pytest.raises(ValueError, match="expected one of two-sided, greater"):
        random_effects(rows, [], alternative="less")
    with pytest.raises(ValueError, match="confidence is 0"):
        random_effects(rows, [], confidence=0)
    with pytest.raises(ValueError, match=r"variance is -0\.5"):
        random_effects(frame([("a", 0.5, -0.5, 1)]), [])
    with pytest.raises(ValueError, match="no column 'variance'"):
        random_effects(rows.drop("variance"), [])
