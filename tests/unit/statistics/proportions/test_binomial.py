"""Binomial probabilities and tests against R, scipy and exact arithmetic."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from tallybook.statistics.proportions.binomial import (
    binomial_counts,
    binomial_test,
    deviance_part,
    first_index,
    log_probability_mass,
    two_sided_p_value,
)


def two_sided_log_p_value(*arguments):
    return binomial_test(*arguments)[1]


METHODS = ("minimum-likelihood", "doubling", "mid-p")
BILLION = 10**9

# --- slow twins -------------------------------------------------------------------------------------------------------


@cache
def exact_masses(n: int, p: float) -> tuple[list[int], int]:
    """All n + 1 probabilities as whole numbers over one denominator; p is the double, digit for digit."""
    successes, whole = Fraction(p).as_integer_ratio()
    failures = whole - successes
    return [math.comb(n, i) * successes**i * failures ** (n - i) for i in range(n + 1)], whole**n


def exact_two_sided(k: int, n: int, p: float, method: str) -> float:
    return min(1.0, float(Fraction(*exact_fraction(k, n, p, method))))


def exact_fraction(k: int, n: int, p: float, method: str) -> tuple[int, int]:
    """The p-value as a fraction of whole numbers, which may be below the smallest float."""
    masses, whole = exact_masses(n, p)
    if method == "doubling":
        return 2 * min(sum(masses[: k + 1]), sum(masses[k:])), whole
    if method == "mid-p":
        return min(2 * sum(masses[:k]) + masses[k], 2 * sum(masses[k + 1 :]) + masses[k]), whole
    # pmf(i) <= pmf(k) (1 + 1e-7), the tolerance of R and scipy, in whole numbers
    bound = masses[k] * (10**7 + 1)
    return sum(mass for mass in masses if mass * 10**7 <= bound), whole


@cache
def log_factorial(n: int) -> Decimal:
    """50 digits: the product up to 2000, Stirling's series above (its next term is below 1e-50 there)."""
    if n <= 2000:
        return Decimal(math.factorial(n)).ln()
    x = Decimal(n)
    half_log_tau = Decimal("0.918938533204672741780329736405617639861397473637783412817152")
    bernoulli = ["1/6", "-1/30", "1/42", "-1/30", "5/66", "-691/2730", "7/6", "-3617/510"]
    terms = (
        Decimal(b.numerator) / b.denominator / (2 * j * (2 * j - 1) * x ** (2 * j - 1))
        for j, b in enumerate(map(Fraction, bernoulli), start=1)
    )
    return (x + Decimal("0.5")) * x.ln() - x + half_log_tau + sum(terms)


def precise_log_mass(k: int, n: int, p: float) -> Decimal:
    chance = Decimal(p)
    choices = log_factorial(n) - log_factorial(k) - log_factorial(n - k)
    return choices + k * chance.ln() + (n - k) * (1 - chance).ln()


def precise_tail(k: int, n: int, p: float, step: int) -> Decimal:
    """The probabilities of k, k + step, k + 2 step ... added up until they no longer count."""
    odds = Decimal(p) / (1 - Decimal(p))
    mass = precise_log_mass(k, n, p).exp() if 0 <= k <= n else Decimal(0)
    total = mass
    while mass > total * Decimal("1e-20"):
        mass *= Decimal(n - k) / (k + 1) * odds if step > 0 else Decimal(k) / (n - k + 1) / odds
        k += step
        total += mass
    return total


def precise_two_sided(k: int, n: int, p: float) -> float:
    with localcontext(prec=50):
        # The rounded product, where R and scipy begin to look for the far tail.
        mean = n * p
        step = 1 if k < mean else -1
        bound = precise_log_mass(k, n, p) + (1 + Decimal("1e-7")).ln()
        low = math.ceil(mean) if step > 0 else math.floor(mean)
        start, high = low, n + 1 if step > 0 else -1
        while low != high:
            middle = start + step * ((abs(low - start) + abs(high - start)) // 2)
            if precise_log_mass(middle, n, p) <= bound:
                high = middle
            else:
                low = middle + step
        return float(precise_tail(k, n, p, -step) + precise_tail(low, n, p, step))


# --- probabilities ----------------------------------------------------------------------------------------------------


def test_log_mass_equals_r(oracle):
    cells = oracle("binomial_mass")
    result = log_probability_mass(cells["successes"], cells["trials"], cells["probability"])
    # R rounds n p before it takes the distance k - n p: up to 6e-11 at n = 3e7 (see the precise twin below).
    assert_allclose(result, cells["log_mass"], rtol=1e-12, atol=1e-10)
    small = cells["trials"] < 20000
    assert_allclose(result[small], cells["log_mass"][small], rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("p", [0.5, 1 / 3, 0.3, 0.07, 0.999, 1e-9, 1 - 2**-53])
def test_mass_equals_exact_arithmetic_for_every_outcome(p):
    for n in (*range(1, 31), 200):
        masses, whole = exact_masses(n, p)
        exact = np.array([mass / whole for mass in masses])
        result = np.exp(log_probability_mass(np.arange(n + 1), n, p))
        # The last bit of ln pmf is worth more the smaller the probability: 1e-13 of it at 1e-300.
        for above, tolerance in ((1e-300, 3e-13), (1e-2, 3e-15)):
            assert_allclose(result[exact > above], exact[exact > above], rtol=tolerance)


@pytest.mark.parametrize("p", [0.5, 1 / 3, 0.07, 0.999999, 1e-3, 1e-6, 3e-8])
def test_mass_keeps_thirteen_digits_at_a_billion_trials(p):
    spread = math.sqrt(BILLION * p * (1 - p))
    wanted = (round(BILLION * p + z * spread) for z in (-36, -20, -6, -2, -0.5, 0, 0.1, 1, 4, 12, 35))
    outcomes = [k for k in wanted if 0 <= k <= BILLION]
    with localcontext(prec=50):
        exact = [precise_log_mass(k, BILLION, p) for k in outcomes]
        result = log_probability_mass(outcomes, BILLION, p)
        errors = [float(abs(Decimal(float(r)) - e)) for r, e in zip(result, exact, strict=True)]
    # ln pmf is near -650 at 36 standard deviations; its last bit alone is then 1e-13.
    allowed = [1e-14 + 5e-16 * abs(float(e)) for e in exact]
    assert all(error <= bound for error, bound in zip(errors, allowed, strict=True)), errors


@pytest.mark.parametrize(("n", "p"), [(1, 0.2), (40, 0.3), (5000, 0.999), (10**6, 1e-4)])
def test_masses_add_up_to_one(n, p):
    assert math.fsum(np.exp(log_probability_mass(np.arange(n + 1), n, p))) == pytest.approx(1, abs=1e-13)


def test_log_mass_at_the_edges():
    with np.errstate(all="raise"):
        result = log_probability_mass(
            [0, 1, 3, 2, 0, 0, 1, np.nan, 1, 1, 1, 1],
            [3, 3, 3, 3, 0, 0, 2, 2, np.nan, 2, 2, 1],
            [0, 0, 1, 1, 1, 0.3, np.nan, 0.5, 0.5, -0.1, 1.1, 5e-324],
        )
    nan = np.nan
    assert_array_equal(result, [0, -np.inf, 0, -np.inf, 0, 0, nan, nan, nan, nan, nan, math.log(5e-324)], strict=True)


def test_log_mass_with_the_smallest_probability():
    # 3 p (1 - p)², with p so small that only its logarithm remains; k / (n p) would overflow.
    assert_allclose(log_probability_mass(1, 3, 5e-324), math.log(3) + math.log(5e-324), rtol=1e-15)


@given(st.floats(1e-290, 1e290), st.floats(0.1, 10))
@example(1.0, 1.0)
def test_deviance_part_is_a_distance(x, ratio):
    m = x * ratio
    with localcontext(prec=100):
        exact = float(Decimal(x) * (Decimal(x) / Decimal(m)).ln() + (Decimal(m) - Decimal(x)))
    result = deviance_part(np.array([x]), np.array([m]), np.array([m - x]))[0]
    assert result == pytest.approx(exact, rel=1e-14, abs=0)
    assert (result == 0) == (x == m)


# --- two-sided tests --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["minimum-likelihood", "doubling"])
def test_p_value_equals_r(oracle, method):
    cells = oracle("binomial_two_sided")
    result = two_sided_p_value(cells["successes"], cells["trials"], cells["probability"], method)
    expected = cells[method.replace("-", "_")]
    # Below the smallest normal double R gives 5e-324 where we give 0.
    assert_allclose(result, expected, rtol=1e-9, atol=1e-307)
    assert ((expected > 0) & (expected < 1e-290)).sum() > 5
    small = (cells["trials"] < 20000) & (expected > 1e-307)
    assert_allclose(result[small], expected[small], rtol=1e-12)


@pytest.mark.parametrize("method", ["doubling", "mid-p"])
def test_log_p_value_equals_r(oracle, method):
    cells = oracle("binomial_tails")
    arguments = cells["successes"], cells["trials"], cells["probability"], method
    result = two_sided_log_p_value(*arguments)
    expected = cells[f"log_{method.replace('-', '_')}"]
    assert (expected < -1e6).any()
    # R's dbinom, with which its tails are begun, is off by up to 6e-11 at n = 3e7.
    assert_allclose(result, expected, rtol=1e-9, atol=1e-10)
    small = cells["trials"] < 20000
    assert_allclose(result[small], expected[small], rtol=1e-12, atol=1e-12)
    assert_allclose(two_sided_p_value(*arguments), np.exp(expected), rtol=1e-9, atol=1e-307)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(("n", "p"), [(1, 0.3), (7, 0.5), (150, 0.25), (500, 0.01), (900, 2**-30), (2500, 0.625)])
def test_log_p_value_equals_exact_arithmetic(n, p, method):
    outcomes = range(0, n + 1, max(1, n // 25))
    result = two_sided_log_p_value(list(outcomes), n, p, method)
    with localcontext(prec=50):
        fractions = [exact_fraction(k, n, p, method) for k in outcomes]
        exact = [min(0.0, float(Decimal(top).ln() - Decimal(whole).ln())) for top, whole in fractions]
    assert_allclose(result, exact, rtol=1e-13, atol=2e-14)
    assert n < 900 or min(exact) < -1000


@pytest.mark.parametrize("method", METHODS)
def test_log_p_value_is_the_logarithm_of_the_p_value(method):
    random = np.random.default_rng(5)
    n = random.integers(1, 10**6, 500)
    k, p = random.binomial(n, random.random(500)), random.random(500)
    p_values, logarithms = two_sided_p_value(k, n, p, method), two_sided_log_p_value(k, n, p, method)
    seen = p_values > 1e-300
    assert_allclose(logarithms[seen], np.log(p_values[seen]), rtol=1e-12, atol=1e-15)
    assert (logarithms <= 0).all()
    assert (logarithms[~seen] < -600).all()
    assert np.isfinite(logarithms).all()


def test_mid_p_counts_half_of_the_observed_outcome():
    # Agresti (2007), Introduction to Categorical Data Analysis (2nd ed.), section 1.4.4 and 1.4.5: 9 of 10 against
    # 0.5 has a one-sided p of 0.011 and mid-p of 0.006; exact two-sided p 0.021, mid-p 0.012.
    assert two_sided_p_value(9, 10, 0.5, "doubling") == pytest.approx(22 / 1024, rel=1e-14)
    assert two_sided_p_value(9, 10, 0.5, "mid-p") == pytest.approx(12 / 1024, rel=1e-14)
    assert two_sided_p_value(5, 10, 0.5, "mid-p") == 1


@pytest.mark.parametrize("p", [0.5, 0.25, 0.01])
def test_mid_p_of_one_side_has_the_mean_one_half(p):
    # E(P(X < k) + pmf(k)/2) = 1/2; the doubled smaller side is uniform enough to have it, too.
    k = np.arange(61)
    mass = np.exp(log_probability_mass(k, 60, p))
    mean = float((mass * two_sided_p_value(k, 60, p, "mid-p")).sum())
    assert mean == pytest.approx(0.5, abs=0.06)
    assert mean < float((mass * two_sided_p_value(k, 60, p, "doubling")).sum())


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("p", [0.5, 1 / 3, 0.3, 0.25, 0.07, 0.9, 0.999, 1e-6])
def test_p_value_equals_exact_arithmetic_for_every_outcome(p, method):
    cells = [(k, n) for n in range(1, 31) for k in range(n + 1)]
    k, n = np.array(cells).T
    exact = [exact_two_sided(*cell, p, method) for cell in cells]
    assert_allclose(two_sided_p_value(k, n, p, method), exact, rtol=1e-13)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    ("n", "p"), [(86, 2**-20), (94, 2**-19), (94, 1 - 2**-19), (400, 0.01), (500, 0.25), (475, 0.07), (1000, 0.53)]
)
def test_p_value_equals_exact_arithmetic_down_to_the_smallest_probabilities(n, p, method):
    # The incomplete beta function alone is off by 1e-5 near 1e-290, and 0 from 1e-300 on.
    outcomes = range(0, n + 1, n // 25)
    exact = np.array([exact_two_sided(k, n, p, method) for k in outcomes])
    result = two_sided_p_value(list(outcomes), n, p, method)
    assert_allclose(result, exact, rtol=1e-12, atol=1e-307)
    assert (exact < 1e-200).any()


def test_p_value_equals_scipy_row_by_row():
    from scipy.stats import binomtest

    random = np.random.default_rng(20250804)
    n = random.integers(1, 3000, 800)
    p = np.where(random.random(n.size) < 0.5, random.integers(0, 101, n.size) / 100, random.random(n.size))
    k = random.binomial(n, np.clip(p + random.normal(0, 0.05, n.size), 0, 1))
    expected = [binomtest(*row).pvalue for row in zip(k.tolist(), n.tolist(), p.tolist(), strict=True)]
    # Far below the mean scipy's binom.cdf is 0 already at 1e-257: only there may ours be the larger one.
    assert_allclose(two_sided_p_value(k, n, p), expected, rtol=1e-11, atol=1e-250)


def test_p_value_equals_scipy_near_the_mean_of_a_billion_trials():
    from scipy.stats import binomtest

    # Neighbours of the mode differ by less than the tie tolerance here.
    k = np.arange(-40, 41) + 300_000_000
    expected = [binomtest(int(outcome), BILLION, 0.3).pvalue for outcome in k]
    assert_allclose(two_sided_p_value(k, BILLION, 0.3), expected, rtol=1e-10)


@pytest.mark.parametrize(
    ("k", "p"),
    [
        (20, 1e-8),
        (3, 1e-8),
        (1, 2e-9),
        (60, 4e-8),
        (1150, 1e-6),
        (70_050_000, 0.07),
        (333_250_000, 1 / 3),
        (499_800_000, 0.5),
    ],
)
def test_p_value_equals_precise_arithmetic_at_a_billion_trials(k, p):
    assert_allclose(two_sided_p_value(k, BILLION, p), precise_two_sided(k, BILLION, p), rtol=1e-9)
    mirrored = Fraction(1) - Fraction(p)
    if Fraction(float(mirrored)) == mirrored:
        assert_allclose(
            two_sided_p_value(BILLION - k, BILLION, float(mirrored)), precise_two_sided(k, BILLION, p), rtol=1e-9
        )


def test_precise_twin_equals_the_exact_one():
    for k in (0, 3, 40, 77, 120, 200):
        exact = exact_two_sided(k, 200, 0.3, "minimum-likelihood")
        assert precise_two_sided(k, 200, 0.3) == pytest.approx(exact, rel=1e-14)


def test_a_near_tie_is_decided_as_exact_arithmetic_decides_it():
    # pmf(k - 1) = pmf(k) (1 + 1.0003e-7): no tie. R 4.2.2, whose dbinom is off by 2e-11 here, returns 1.
    n, k, p = 10**7, 9_999_991, 0.999999
    ratio = Fraction(k) * (1 - Fraction(p)) / ((n - k + 1) * Fraction(p))
    assert 1 + Fraction(1, 10**7) < ratio < 1 + Fraction(11, 10**8)
    assert two_sided_p_value(k, n, p) == pytest.approx(precise_two_sided(k, n, p), rel=1e-11)
    assert two_sided_p_value(k, n, p) < 0.9


def test_a_tail_that_scipy_loses():
    # 6% of this p is a lower tail of 1.2e-277, which scipy 1.17's binom.cdf returns as 0.
    exact = exact_two_sided(1000, 1000, 0.53, "minimum-likelihood")
    assert two_sided_p_value(1000, 1000, 0.53) == pytest.approx(exact, rel=1e-12)


def test_two_modes_both_have_p_one():
    for n, p, mode in ((9, 0.5, 5), (19, 0.25, 5), (99, 0.3, 30), (999, 0.1, 100), (99999, 0.375, 37500)):
        assert_array_equal(two_sided_p_value([mode - 1, mode], n, p), [1, 1])
        assert (two_sided_p_value([mode - 2, mode + 1], n, p) < 1).all()


def test_ties_across_the_mean_count():
    assert_array_equal(two_sided_p_value([0, 2], 2, 0.5), [0.5, 0.5])
    # One unit in the last place of p0 breaks the exact tie of 2 and 8 successes; the tolerance restores it.
    assert_allclose(two_sided_p_value(2, 10, np.nextafter(0.5, [0, 1])), two_sided_p_value(2, 10, 0.5), rtol=1e-13)


@pytest.mark.parametrize("method", METHODS)
def test_impossible_references_leave_one_outcome(method):
    result = two_sided_p_value([0, 1, 5, 4, 0, 1], [5, 5, 5, 5, 1, 1], [0, 0, 1, 1, 1, 1], method)
    assert_array_equal(result, [1, 0, 1, 0, 0, 1])
    assert_array_equal(two_sided_log_p_value([0, 1], 5, 0, method), [0, -np.inf])


@pytest.mark.parametrize("method", METHODS)
def test_what_is_undefined_is_nan_without_a_warning(method):
    nan = np.nan
    with np.errstate(all="raise"):
        result = two_sided_p_value(
            [0, nan, 1, 1, 1, 1, 1, 0], [0, 5, nan, 5, 5, 5, 5, 0], [0.5, 0.5, 0.5, nan, -0.1, 1.5, np.inf, 0], method
        )
        logarithms = two_sided_log_p_value([0, nan, 1], [0, 5, 5], [0.5, 0.5, 1.5], method)
    assert np.isnan(result).all()
    assert np.isnan(logarithms).all()


def test_extreme_cells_raise_no_floating_point_flag():
    with np.errstate(all="raise"):
        result = two_sided_p_value([0, BILLION, 1, 5], [BILLION, BILLION, 1, 7], [0.5, 1e-300, 5e-324, 1e-200])
    assert_array_equal(result, [0, 0, 5e-324, 0])


@pytest.mark.parametrize(
    ("successes", "trials", "message"),
    [
        ([1, -1, -2], [3, 3, 3], r"^successes\[1\] is -1: expected a whole number"),
        ([1, 1], [3, -3], r"^trials\[1\] is -3: expected a whole number"),
        ([1, 2.5], 3, r"^successes\[1\] is 2\.5: "),
        ([1, np.inf], np.inf, r"^successes\[1\] is inf: "),
        (1, 2e15, r"^trials\[\] is 2e\+15: "),
        ([[1, 2], [3, 9]], [3, 4], r"^successes\[1, 1\] is 9: expected at most the number of trials, 4$"),
        (1, 0, r"^successes\[\] is 1: expected at most the number of trials, 0$"),
    ],
)
@pytest.mark.parametrize("kernel", [two_sided_p_value, log_probability_mass])
def test_impossible_counts_are_named(kernel, successes, trials, message):
    with pytest.raises(ValueError, match=message):
        kernel(successes, trials, 0.5)


def test_arguments_broadcast():
    k = np.arange(4, dtype=np.int64)[:, None]
    p = np.array([0.2, 0.5, 0.9])
    for kernel in (two_sided_p_value, log_probability_mass):
        table = kernel(k, 3, p)
        assert table.shape == (4, 3)
        assert table[3, 1] == kernel(3, 3, 0.5)
        assert kernel([], [], []).shape == (0,)


def test_counts_are_checked_and_broadcast():
    k, n = binomial_counts([0, np.nan, 2], 2)
    assert_array_equal(k, [0, np.nan, 2])
    assert_array_equal(n, [2, 2, 2])
    assert first_index(np.array([False, True, True])) == (1,)


# --- properties -------------------------------------------------------------------------------------------------------

# Multiples of 2^-20: 1 - p is then exact, and the mirrored test is the same test.
CHANCES = st.integers(1, 2**20 - 1).map(lambda numerator: numerator / 2**20)
CELLS = st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n), CHANCES))


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None)
@given(cells=st.lists(CELLS, min_size=1, max_size=40))
def test_p_value_is_symmetric_in_successes_and_failures(method, cells):
    k, n, p = map(np.array, zip(*cells, strict=True))
    with np.errstate(all="ignore"):
        assert_allclose(
            two_sided_p_value(k, n, p, method), two_sided_p_value(n - k, n, 1 - p, method), rtol=1e-11, atol=1e-300
        )


@pytest.mark.parametrize("method", METHODS)
@settings(deadline=None)
@given(cells=st.lists(CELLS, min_size=1, max_size=40), data=st.data())
def test_every_row_is_tested_by_itself(method, cells, data):
    shuffled = data.draw(st.permutations(range(len(cells))))
    k, n, p = map(np.array, zip(*cells, strict=True))
    together = two_sided_p_value(k, n, p, method)
    assert_array_equal(two_sided_p_value(k[shuffled], n[shuffled], p[shuffled], method), together[shuffled])
    assert together[-1] == two_sided_p_value(*cells[-1], method)


@settings(deadline=None)
@given(n=st.integers(1, 300), p=CHANCES)
def test_p_value_falls_away_from_the_mode(n, p):
    result = two_sided_p_value(np.arange(n + 1), n, p)
    mode = int(np.argmax(log_probability_mass(np.arange(n + 1), n, p)))
    assert result[mode] == 1
    slack = 1 + 1e-11
    assert (result[:mode] <= result[1 : mode + 1] * slack).all()
    assert (result[mode + 1 :] <= result[mode:-1] * slack).all()
    seen = log_probability_mass(np.arange(n + 1), n, p) > math.log(1e-300)
    assert ((result > 0) & (result <= 1))[seen].all()
    # No outcome is rarer than its own p-value.
    assert (result[seen] * slack >= np.exp(log_probability_mass(np.arange(n + 1), n, p))[seen]).all()
