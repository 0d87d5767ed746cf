"""Ordinal association against R, a slow twin on raw rows, textbook tables and its own algebra."""

from __future__ import annotations

import math
from collections import Counter
from decimal import Decimal, localcontext
from fractions import Fraction

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose

from tallybook.statistics.association.rank_association import COEFFICIENTS, rank_association
from tests.unit.statistics.frames import as_rows, exactly, quick
from tests.unit.statistics.tables import BY, OBSERVATIONS, cells_of, counted_frame, frame_of_tables, table_of

NUMBERS = ("estimate", "std_error", "ci_low", "ci_high", "statistic", "p_value", "log_p_value")
STUDY = "1243 487 1413/169 431 2582"
BILLION = "200000000 100000000 30000000/100000000 300000000 70000000/10000000 40000000 150000000"

# --- slow twins -------------------------------------------------------------------------------------------------------


def sign(value):
    return (value > 0) - (value < 0)


def exact_coefficients(counts):
    """Every coefficient from real counts of pairs of values, by the definitions, in 60 digits."""
    points = list(counts.items())
    concordant = discordant = x_untied = y_untied = Decimal(0)
    for (x1, y1), c1 in points:
        for (x2, y2), c2 in points:
            direction = sign(x1 - x2) * sign(y1 - y2)
            concordant += c1 * c2 * (direction > 0)
            discordant += c1 * c2 * (direction < 0)
            x_untied += c1 * c2 * (x1 != x2)
            y_untied += c1 * c2 * (y1 != y2)
    n, surplus = sum(counts.values()), concordant - discordant
    m = min(len({x for x, _ in counts}), len({y for _, y in counts}))
    return {
        "tau_b": surplus / (x_untied * y_untied).sqrt(),
        "tau_c": m * surplus / (n * n * (m - 1)),
    }


def slow(pairs):
    """Coefficients, their standard errors by the delta method with numerical derivatives, z and n of raw rows."""
    counts = Counter(pairs)
    n = len(pairs)
    with localcontext(prec=60):
        whole = {point: Decimal(count) for point, count in counts.items()}
        estimates = exact_coefficients(whole)
        step = Decimal("1e-20")
        squares, means = Counter(), Counter()
        for point, count in whole.items():
            above, below = (exact_coefficients(whole | {point: count + by}) for by in (step, -step))
            for name in COEFFICIENTS:
                slope = (above[name] - below[name]) / (2 * step)
                squares[name] += count * slope * slope
                means[name] += count * slope
        errors = {name: (squares[name] - means[name] ** 2 / n).copy_abs().sqrt() for name in COEFFICIENTS}
    surplus = sum(sign(x1 - x2) * sign(y1 - y2) for i, (x1, y1) in enumerate(pairs) for x2, y2 in pairs[:i])
    return estimates, errors, surplus / math.sqrt(tied_variance(pairs))


def tied_variance(pairs):
    """The variance of S with the usual tie corrections, in exact fractions."""
    return variance_of_margins(*(list(Counter(values).values()) for values in zip(*pairs, strict=True)))


def variance_of_margins(x_totals, y_totals):
    n = sum(x_totals)

    def a(totals):
        return sum(t * (t - 1) * (2 * t + 5) for t in totals)

    def b(totals):
        return sum(t * (t - 1) for t in totals)

    def c(totals):
        return sum(t * (t - 1) * (t - 2) for t in totals)

    variance = Fraction(n * (n - 1) * (2 * n + 5) - a(x_totals) - a(y_totals), 18)
    variance += Fraction(b(x_totals) * b(y_totals), 2 * n * (n - 1))
    if n > 2:
        variance += Fraction(c(x_totals) * c(y_totals), 9 * n * (n - 1) * (n - 2))
    return variance


# --- R and published numbers ------------------------------------------------------------------------------------------


def test_every_coefficient_equals_r(oracle):
    tables = oracle("rank_association")
    frame = frame_of_tables(tables["table"])
    found = as_rows(rank_association(frame, BY, "x", "y"), BY)
    assert (tables["p"] == 0).sum() > 2
    for row, table in enumerate(tables["table"]):
        for name in COEFFICIENTS:
            estimate = found[table, "", name]
            assert estimate["status"] == "ok"
            assert estimate["n"] == tables["n"][row]
            assert_allclose(estimate["estimate"], tables[name][row], rtol=1e-12)
            # R subtracts sums of squares; where all pairs agree only the square root of their rounding is left.
            rounding = 1e-7 / estimate["n"] ** 0.5
            assert_allclose(estimate["std_error"], tables[f"se_{name}"][row], rtol=1e-9, atol=rounding)
            # R's variance of S subtracts, too: 1e-11 of z at n = 1e9.
            assert_allclose(estimate["statistic"], tables["z"][row], rtol=1e-9)
            assert_allclose(estimate["log_p_value"], tables["log_p"][row], rtol=1e-9)
            if tables["n"][row] < 10**6:
                assert_allclose(estimate["p_value"], tables["p"][row], rtol=1e-9, atol=1e-307)


def test_the_published_test_of_a_model():
    # Kamruzzaman et al. (2024), table 1: GPT-4, stimulus to attribute.
    found = as_rows(rank_association(frame_of_tables([STUDY]), [], "x", "y"), [])["", "tau_c"]
    assert found["n"] == 6325
    surplus = found["estimate"] * 6325**2 / 4
    assert surplus == pytest.approx(4072490, rel=1e-15)
    assert f"{found['estimate']:.5f}" == "0.40719"
    assert f"{found['p_value']:.4e}" == "4.7007e-235"


# --- raw rows ---------------------------------------------------------------------------------------------------------


@quick
@given(OBSERVATIONS)
def test_coefficients_equal_those_of_raw_rows(rows):
    found = as_rows(rank_association(counted_frame(rows), BY, "x", "y"), BY)
    cells = cells_of(rows)
    assert found.keys() == {(cell, "", name) for cell in cells for name in COEFFICIENTS}
    for cell, pairs in cells.items():
        constant = any(len(set(values)) == 1 for values in zip(*pairs, strict=True))
        estimates, errors, z = ({}, {}, 0.0) if constant else slow(pairs)
        for name in COEFFICIENTS:
            row = found[cell, "", name]
            assert row["n"] == len(pairs)
            if constant:
                assert row["status"] == "degenerate"
                assert all(row[number] is None for number in NUMBERS)
                continue
            assert row["status"] == "ok"
            assert_allclose(row["estimate"], float(estimates[name]), rtol=1e-13)
            assert_allclose(row["std_error"], float(errors[name]), rtol=1e-10, atol=1e-15)
            assert_allclose(row["statistic"], z, rtol=1e-13)
            assert_allclose(row["p_value"], math.erfc(abs(z) / math.sqrt(2)), rtol=1e-12)
            assert_allclose(row["log_p_value"], math.log(row["p_value"]), rtol=1e-12, atol=1e-15)
            assert -1 <= row["ci_low"] <= row["estimate"] <= row["ci_high"] <= 1


def test_tau_b_equals_scipy_on_raw_rows():
    from scipy.stats import kendalltau

    random = np.random.default_rng(17)
    for levels in (2, 5, 40, 10**6):
        x = random.integers(0, levels, 300)
        y = np.where(random.random(300) < 0.5, x, random.integers(0, levels, 300))
        frame = pl.DataFrame({"x": x, "y": y, "count": 1})
        found = as_rows(rank_association(frame, [], "x", "y"), [])
        tau = kendalltau(x, y, method="asymptotic")
        assert_allclose(found["", "tau_b"]["estimate"], tau.statistic, rtol=1e-12)
        assert_allclose(found["", "tau_b"]["p_value"], tau.pvalue, rtol=1e-9)
        assert_allclose(found["", "tau_c"]["estimate"], kendalltau(x, y, variant="c").statistic, rtol=1e-12)


def exact_z(table):
    """S and z of a table in exact arithmetic."""
    counts = {(i, j): count for i, row in enumerate(table) for j, count in enumerate(row)}
    surplus = sum(
        sign(i - k) * sign(j - m) * count * other
        for (i, j), count in counts.items()
        for (k, m), other in counts.items()
    )
    half = Fraction(surplus, 2)
    margins = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    square = half * half / variance_of_margins(*(list(filter(None, totals)) for totals in margins))
    with localcontext(prec=50):
        z = (Decimal(square.numerator) / square.denominator).sqrt()
    return half, math.copysign(float(z), half)


@pytest.mark.parametrize(
    "table",
    [
        BILLION,
        # 64 bits end at n(n-1)(2n+5) for 1.7 million, at sums of t(t-1)(t-2) for 2 million observations.
        "40000 30000/30000 40000",
        "999999999 1/1 1",
        "1 999999998/1 1",
        "1000000000 1000000000/0 999999999",
        "500000000 250000000/249999999 250000001",
    ],
)
def test_counts_up_to_three_billion_are_exact(table):
    surplus, z = exact_z(table_of(table))
    found = as_rows(rank_association(frame_of_tables([table]), [], "x", "y"), [])["", "tau_c"]
    m, n = min(len(table_of(table)), len(table_of(table)[0])), found["n"]
    assert_allclose(found["estimate"], float(2 * m * surplus / (n * n * (m - 1))), rtol=1e-14)
    assert_allclose(found["statistic"], z, rtol=1e-13)
    if abs(z) > 40:
        assert found["p_value"] == 0
        assert found["log_p_value"] == pytest.approx(-z * z / 2, rel=1e-2)


@quick
@given(st.lists(st.lists(st.integers(0, 10**8), min_size=3, max_size=3), min_size=2, max_size=3))
def test_large_random_tables_are_exact(table):
    margins = [sum(row) for row in table], [sum(column) for column in zip(*table, strict=True)]
    if min(sum(total > 0 for total in totals) for totals in margins) < 2:
        return
    text = "/".join(" ".join(map(str, row)) for row in table)
    surplus, z = exact_z(table)
    found = as_rows(rank_association(frame_of_tables([text]), [], "x", "y"), [])
    assert_allclose(found["", "tau_c"]["statistic"], z, rtol=1e-12)
    with localcontext(prec=60):
        counts = {(i, j): Decimal(c) for i, row in enumerate(table) for j, c in enumerate(row) if c}
        expected = exact_coefficients(counts)
    for name in COEFFICIENTS:
        assert_allclose(found["", name]["estimate"], float(expected[name]), rtol=1e-13, atol=1e-300)
    assert (surplus > 0) == (found["", "tau_b"]["estimate"] > 0)


# --- properties -------------------------------------------------------------------------------------------------------


@quick
@given(OBSERVATIONS, st.randoms(use_true_random=False))
def test_order_and_splitting_of_rows_change_no_bit(rows, random):
    frame = counted_frame(rows)
    shuffled = list(rows)
    random.shuffle(shuffled)
    one_by_one = pl.DataFrame([(*row, 1) for row in shuffled], schema=frame.schema, orient="row")
    expected = exactly(rank_association(frame, BY, "x", "y"))
    assert exactly(rank_association(one_by_one, BY, "x", "y")) == expected
    empty = frame.with_columns(pl.lit(0, pl.Int64).alias("count"))
    assert exactly(rank_association(pl.concat([empty, frame]), BY, "x", "y")) == expected


@quick
@given(OBSERVATIONS)
def test_a_cell_alone_gives_what_it_gives_among_others(rows):
    together = rank_association(counted_frame(rows), BY, "x", "y")
    for cell in cells_of(rows):
        alone = rank_association(counted_frame([row for row in rows if row[0] == cell]), BY, "x", "y")
        assert exactly(alone) == exactly(together.filter(pl.col("cell") == cell))


@quick
@given(OBSERVATIONS)
def test_swapping_and_turning_axes(rows):
    frame = counted_frame(rows)
    found, swapped, turned, stretched = (
        as_rows(rank_association(other, BY, *axes), BY)
        for other, axes in (
            (frame, "xy"),
            (frame, "yx"),
            (frame.with_columns(-pl.col("x")), "xy"),
            (frame.with_columns(pl.col("x").exp(), pl.col("y") * 1e300 - 5), "xy"),
        )
    )
    for (cell, outcome, name), row in found.items():
        other = swapped[cell, outcome, name]
        flipped = turned[cell, outcome, name]
        assert {number: stretched[cell, outcome, name][number] for number in NUMBERS} == {
            number: row[number] for number in NUMBERS
        }
        if row["status"] != "ok":
            assert other["status"] == flipped["status"] == row["status"]
            continue
        assert_allclose(other["estimate"], row["estimate"], rtol=1e-14)
        assert_allclose(other["p_value"], row["p_value"], rtol=1e-13)
        assert_allclose(other["std_error"], row["std_error"], rtol=1e-9, atol=1e-15)
        assert flipped["estimate"] == -row["estimate"]
        assert flipped["p_value"] == row["p_value"]
        assert_allclose(flipped["std_error"], row["std_error"], rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("n", [2, 3, 10, 1000])
def test_perfect_agreement(n):
    frame = pl.DataFrame({"x": range(n), "y": range(n), "count": 1})
    for direction in (1, -1):
        found = as_rows(rank_association(frame.with_columns(pl.col("y") * direction), [], "x", "y"), [])
        for name in COEFFICIENTS:
            row = found["", name]
            assert (row["estimate"], row["std_error"], row["ci_low"], row["ci_high"]) == (
                direction,
                0,
                direction,
                direction,
            )


def test_tables_of_agreement_have_coefficients_of_one():
    found = as_rows(rank_association(frame_of_tables(["7 0 0/0 123456 0/0 0 19"]), [], "x", "y"), [])
    for name in set(COEFFICIENTS) - {"tau_c"}:
        assert (found["", name]["estimate"], found["", name]["std_error"]) == (1, 0)
    # Stuart's reaches 1 only if all totals are equal.
    assert found["", "tau_c"]["estimate"] < 0.01


# --- degenerate input -------------------------------------------------------------------------------------------------


def test_what_has_no_coefficient_says_why():
    nan = float("nan")
    rows = [
        ("one", 1.0, 1.0, 1),
        ("constant x", 1.0, 1.0, 3),
        ("constant x", 1.0, 2.0, 4),
        ("constant y", 1.0, 2.0, 3),
        ("constant y", 0.0, 2.0, 4),
        ("empty", None, 2.0, 4),
        ("empty", 1.0, nan, 4),
        ("empty", 1.0, 3.0, 0),
        (None, 1.0, 1.0, 2),
        (None, 2.0, 3.0, 1),
    ]
    frame = pl.DataFrame(rows, schema=["cell", "x", "y", "count"], orient="row")
    estimates = rank_association(frame, BY, "x", "y")
    assert estimates.height == 5 * len(COEFFICIENTS)
    statuses = dict(estimates.select("cell", "status").unique().iter_rows())
    assert statuses == {
        "one": "degenerate",
        "constant x": "degenerate",
        "constant y": "degenerate",
        "empty": "no-data",
        None: "ok",
    }
    assert estimates.filter(pl.col("status") != "ok").select(NUMBERS).null_count().row(0) == (8,) * 7
    assert dict(estimates.select("cell", "n").unique().iter_rows())["empty"] == 0


def test_an_empty_frame():
    frame = pl.DataFrame(schema={"cell": pl.String, "x": pl.Float64, "y": pl.Float64, "count": pl.Int64})
    assert rank_association(frame, BY, "x", "y").height == 0
    whole = rank_association(frame, [], "x", "y", coefficients=["tau_b"])
    assert whole.select("n", "status", "estimate").row(0) == (0, "no-data", None)


def test_infinite_scores_have_an_order():
    frame = pl.DataFrame({"x": [-math.inf, 0.0, math.inf], "y": [1, 2, 3], "count": 1})
    assert rank_association(frame, [], "x", "y", coefficients=["tau_b"])["estimate"].item() == 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"x": "z"}, r"^no column 'z': expected cell, z, y, count$"),
        ({"x": "y"}, r"^x and y are both 'y'"),
        ({"x": "cell"}, r"^column 'cell' is String: expected numbers$"),
        ({"coefficients": ["tau_a"]}, r"^coefficients are \['tau_a'\]: expected some of tau_b, "),
        ({"coefficients": []}, r"^coefficients are \[\]"),
        ({"confidence": 1.0}, r"^confidence is 1\.0"),
    ],
)
def test_impossible_settings_are_refused(change, message):
    arguments = {"x": "x", "y": "y"} | change
    with pytest.raises(ValueError, match=message):
        rank_association(frame_of_tables([STUDY]), BY if change.get("x") != "cell" else [], **arguments)


def test_impossible_counts_are_refused():
    frame = frame_of_tables([STUDY])
    with pytest.raises(ValueError, match=r"^row 0 has count -1: expected a whole number, at least 0$"):
        rank_association(frame.with_columns(pl.lit(-1).alias("count")), BY, "x", "y")


@pytest.mark.parametrize("times", [10**6, 10**10, 10**14])
def test_more_observations_than_the_root_of_64_bits(times):
    """Times as many of each pair: coefficients stay, errors shrink with the root."""
    some = frame_of_tables([STUDY])
    many = some.with_columns(pl.col("count") * times)
    few, found = (rank_association(frame, BY, "x", "y").sort("term") for frame in (some, many))
    assert many["count"].sum() > 3e9
    assert set(found["status"]) == {"ok"}
    assert_allclose(found["estimate"], few["estimate"], rtol=1e-12)
    assert_allclose(found["std_error"], few["std_error"] / times**0.5, rtol=1e-9)
    assert_allclose(found["statistic"], _exact_z(many), rtol=1e-12)


def test_no_association_among_very_many_is_exactly_none():
    found = rank_association(frame_of_tables(["30000000001 30000000001/50000000003 50000000003"]), BY, "x", "y")
    assert set(found["estimate"]) == {0.0}
    assert set(found["statistic"]) == {0.0}


def _exact_z(frame):
    """S by its standard error, from Kendall's formula in whole numbers."""
    rows = frame.select("x", "y", "count").rows()
    n = sum(c for _, _, c in rows)
    sign = lambda one: (one > 0) - (one < 0)  # noqa: E731
    s = sum(c * d * sign(x - u) * sign(y - v) for x, y, c in rows for u, v, d in rows) // 2
    t, u = ([sum(row[2] for row in rows if row[i] == one) for one in {row[i] for row in rows}] for i in (0, 1))

    def total(of, values):
        return sum(of(one) for one in values)

    variance = Fraction(
        n * (n - 1) * (2 * n + 5) - sum(total(lambda a: a * (a - 1) * (2 * a + 5), one) for one in (t, u)), 18
    )
    pairs = [total(lambda a: a * (a - 1), one) for one in (t, u)]
    triples = [total(lambda a: a * (a - 1) * (a - 2), one) for one in (t, u)]
    variance += Fraction(pairs[0] * pairs[1], 2 * n * (n - 1))
    variance += Fraction(triples[0] * triples[1], 9 * n * (n - 1) * (n - 2))
    return s / float(variance) ** 0.5
