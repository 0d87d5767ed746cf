"""Agreement against R, raw rows and its own algebra."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.categories.agreement import agreement, agreement_alone
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.tables import BY, cells_of, frame_of_tables

ROWS = st.lists(st.tuples(st.sampled_from("ab"), st.sampled_from("pqr"), st.sampled_from("pqrs")), max_size=30)


def frame_of(rows):
    counts = Counter(rows)
    schema = {"cell": pl.String, "x": pl.String, "y": pl.String, "count": pl.Int64}
    return pl.DataFrame([(*row, count) for row, count in counts.items()], schema=schema, orient="row")


def test_every_number_equals_r(oracle):
    tables = oracle("agreement")
    found = as_rows(agreement(frame_of_tables(tables["table"]), BY, "x", "y"), BY)
    for row, table in enumerate(tables["table"]):
        share, kappa = (found[table, "", term] for term in ("agreement", "cohen_kappa"))
        assert_allclose(share["estimate"], tables["agreement"][row], rtol=1e-12)
        assert_allclose(kappa["estimate"], tables["kappa"][row], rtol=1e-9)
        # R's formula is a difference of sums; under complete disagreement only its rounding is left.
        assert_allclose(kappa["std_error"], tables["se"][row], rtol=1e-9, atol=1e-9)
        assert_allclose(kappa["statistic"], tables["z"][row], rtol=1e-9)
        assert_allclose(kappa["log_p_value"], tables["log_p"][row], rtol=1e-9)
        assert_allclose(kappa["p_value"], tables["p"][row], rtol=1e-9, atol=1e-307)


def test_the_carcinoma_ratings():
    # Agresti (2013), Categorical Data Analysis (3rd ed.), section 11.5: 118 slides, kappa 0.493, standard error 0.057.
    ratings = "22 2 2 0/5 7 14 0/0 2 36 0/0 1 17 10"
    kappa = as_rows(agreement(frame_of_tables([ratings]), [], "x", "y"), [])["", "cohen_kappa"]
    assert (kappa["n"], round(kappa["estimate"], 3), round(kappa["std_error"], 3)) == (118, 0.493, 0.057)
    reach = 1.959963984540054 * kappa["std_error"]
    assert_allclose((kappa["ci_low"], kappa["ci_high"]), (kappa["estimate"] - reach, kappa["estimate"] + reach))


def slow(pairs):
    """Kappa, its variance and its variance under independence, from raw rows in exact fractions."""
    n = len(pairs)
    levels = {value for pair in pairs for value in pair}
    share = {(a, b): Fraction(pairs.count((a, b)), n) for a in levels for b in levels}
    p, q = ({a: Fraction([pair[side] for pair in pairs].count(a), n) for a in levels} for side in (0, 1))
    po, pe = sum(share[a, a] for a in levels), sum(p[a] * q[a] for a in levels)
    if pe == 1:
        return po, None, None, None
    kappa = (po - pe) / (1 - pe)
    first = sum(share[a, a] * (1 - (p[a] + q[a]) * (1 - kappa)) ** 2 for a in levels)
    second = (1 - kappa) ** 2 * sum(share[a, b] * (q[a] + p[b]) ** 2 for a in levels for b in levels if a != b)
    variance = (first + second - (kappa - pe * (1 - kappa)) ** 2) / (n * (1 - pe) ** 2)
    null = (pe + pe**2 - sum(p[a] * q[a] * (p[a] + q[a]) for a in levels)) / (n * (1 - pe) ** 2)
    return po, kappa, variance, null


@quick
@given(ROWS)
def test_agreement_equals_that_of_raw_rows(rows):
    from statsmodels.stats.proportion import proportion_confint

    found = as_rows(agreement(frame_of(rows), BY, "x", "y", confidence=0.9), BY)
    cells = cells_of(rows)
    assert len(found) == 2 * len(cells)
    for cell, pairs in cells.items():
        share, kappa = (found[cell, "", term] for term in ("agreement", "cohen_kappa"))
        po, expected, variance, null = slow(pairs)
        assert share["estimate"] == float(po)
        assert (share["status"], share["p_value"], share["n"]) == ("ok", None, len(pairs))
        limits = proportion_confint(sum(a == b for a, b in pairs), len(pairs), alpha=0.1, method="wilson")
        assert_allclose((share["ci_low"], share["ci_high"]), limits, rtol=1e-9, atol=1e-15)
        if expected is None:
            assert (kappa["status"], kappa["estimate"], kappa["std_error"]) == ("degenerate", None, None)
            continue
        assert_allclose(kappa["estimate"], float(expected), rtol=1e-13, atol=1e-15)
        assert_allclose(kappa["std_error"], math.sqrt(variance), rtol=1e-12, atol=1e-15)
        if null == 0:
            assert (kappa["status"], kappa["estimate"], kappa["p_value"]) == ("degenerate", 0, None)
            continue
        z = float(expected) / math.sqrt(null)
        assert (kappa["status"], kappa["null_value"]) == ("ok", 0)
        assert_allclose(kappa["statistic"], z, rtol=1e-12, atol=1e-14)
        assert_allclose(kappa["p_value"], math.erfc(abs(z) / math.sqrt(2)), rtol=1e-11)
        assert -1 <= kappa["ci_low"] <= kappa["estimate"] <= kappa["ci_high"] <= 1


@quick
@given(ROWS, st.randoms(use_true_random=False))
def test_order_splitting_and_axes(rows, random):
    frame = frame_of(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    one_by_one = pl.DataFrame([(*row, 1) for row in shuffled], schema=frame.schema, orient="row")
    estimates = agreement(frame, BY, "x", "y")
    assert exactly(agreement(one_by_one, BY, "x", "y")) == exactly(estimates)
    for cell in cells_of(rows):
        alone = agreement(frame.filter(pl.col("cell") == cell), BY, "x", "y")
        assert exactly(alone) == exactly(estimates.filter(pl.col("cell") == cell))
    swapped = as_rows(agreement(frame, BY, "y", "x"), BY)
    for key, row in as_rows(estimates, BY).items():
        for name in ("estimate", "std_error", "statistic"):
            both = row[name], swapped[key][name]
            assert both[0] == both[1] is None or both[0] == pytest.approx(both[1], rel=1e-12, abs=1e-15)


def test_rare_disagreement_keeps_seven_digits():
    # 1 - Pe is 2e-5 here: statsmodels' differences of shares keep eleven digits of kappa, and seven of its variances.
    pairs = [(True, True, 99_998), (True, False, 1), (False, False, 1)]
    frame = pl.DataFrame(pairs, schema=["x", "y", "count"], orient="row")
    kappa = as_rows(agreement(frame, [], "x", "y"), [])["", "cohen_kappa"]
    n = 10**5
    chance = Fraction(99_999 * 99_998 + 1 * 2, n * n)
    assert_allclose(kappa["estimate"], float((Fraction(n - 1, n) - chance) / (1 - chance)), rtol=1e-10)
    p, q = Fraction(1, n), Fraction(2, n)
    terms = [(1 - p) * (1 - q), p * q]
    null = sum(t * ((1 - a) * (1 - b) + chance - t) for t, a, b in zip(terms, (1 - p, p), (1 - q, q), strict=True))
    z = float(kappa["estimate"] * float(1 - chance)) * math.sqrt(n / float(null))
    assert_allclose(kappa["statistic"], z, rtol=1e-6)


def test_more_observations_than_the_root_of_64_bits():
    few, many = (
        as_rows(agreement(frame_of_tables([f"20{zeros} 5{zeros}/10{zeros} 15{zeros}"]), [], "x", "y"), [])
        for zeros in ("", "0" * 12)
    )
    for term in ("agreement", "cohen_kappa"):
        own, other = few["", term], many["", term]
        assert other["status"] == "ok"
        assert_allclose(other["estimate"], own["estimate"], rtol=1e-12)
        assert_allclose(other["std_error"], own["std_error"] / 1e6, rtol=1e-9)


def test_degenerate_input_has_a_status():
    rows = [
        ("one category", "a", "a", 3), ("one coder", "a", "a", 3), ("one coder", "a", "b", 3), ("none", None, "b", 3),
        ("none", "a", "b", 0), ("single", "a", "b", 1),
    ]  # fmt: skip
    frame = pl.DataFrame(rows, schema=["cell", "x", "y", "count"], orient="row")
    found = as_rows(agreement(frame, BY, "x", "y"), BY)
    shares = {cell: row["status"] for (cell, _, term), row in found.items() if term == "agreement"}
    assert shares == {"one category": "ok", "one coder": "ok", "none": "no-data", "single": "ok"}
    kappas = {cell: row for (cell, _, term), row in found.items() if term == "cohen_kappa"}
    assert {cell: row["status"] for cell, row in kappas.items()} == dict.fromkeys(
        ("one category", "one coder", "single"), "degenerate"
    ) | {"none": "no-data"}
    assert kappas["one category"]["estimate"] is None
    assert (kappas["one coder"]["estimate"], kappas["one coder"]["p_value"]) == (0, None)
    assert agreement(frame.clear(), BY, "x", "y").height == 0
    assert set(agreement(frame.clear(), [], "x", "y")["status"]) == {"no-data"}


def test_impossible_settings_are_refused():
    frame = pl.DataFrame({"x": ["a"], "y": [1], "count": [1]})
    with pytest.raises(ValueError, match=r"^'x' is String and 'y' is Int64: expected one type$"):
        agreement(frame, [], "x", "y")
    with pytest.raises(ValueError, match=r"^confidence is 2: "):
        agreement(frame, [], "x", "y", confidence=2)
    with pytest.raises(ValueError, match=r"^no column 'z'"):
        agreement(frame, [], "x", "z")


@quick
@given(ROWS)
def test_agreement_alone_is_that_with_errors(rows):
    frame = frame_of(rows)
    whole, alone = as_rows(agreement(frame, BY, "x", "y"), BY), as_rows(agreement_alone(frame, BY, "x", "y"), BY)
    for key, row in whole.items():
        if not row["n"]:
            continue
        assert alone[key]["n"] == row["n"]
        if row["estimate"] is None:
            assert alone[key]["estimate"] is None
        else:
            assert_allclose(alone[key]["estimate"], row["estimate"], rtol=1e-12, atol=1e-14)
