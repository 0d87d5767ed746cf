"""Checks of test statistics, p-values, stars, degrees of freedom, effect sizes and intervals, allowing for rounding."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import TYPE_CHECKING

from tallybook.published.audit.settings import Result, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.audit.records import Record
    from tallybook.published.audit.settings import Settings

Bounds = tuple[float, float]

_SLACK = 1e-9
"""The relative error allowed for the library's tail probabilities."""
_LARGEST_EXPONENT, _LEAST_ERROR = 500, 1e-200
"""Limits beyond which odds and ratios would overflow floats."""
TWO_SIDED = ("t", "z", "r")
_RANGES = {
    "p": (0, 1, "0 to 1", "p value"),
    "r": (-1, 1, "-1 to 1", "correlation"),
    "sd": (0, math.inf, "0 or more", ""),
    "se": (0, math.inf, "0 or more", ""),
}
"""Role -> the smallest and the largest possible number, the range in words, and the name of the number."""
_NAMES = {"t": "t", "z": "z", "r": "r", "f": "F", "chi2": "χ²"}


def _tail(kind: str, value: float, df: float, df2: float) -> float:
    from scipy.stats import chi2, f, norm, t

    match kind:
        case "t":
            return float(2 * t.sf(abs(value), df))
        case "z":
            return float(2 * norm.sf(abs(value)))
        case "r":
            share = min(value * value, 1.0)
            return float(2 * t.sf(math.sqrt(share * df / (1 - share)), df)) if share < 1 else 0.0
        case "f":
            return float(f.sf(max(value, 0.0), df, df2))
        case _:
            return float(chi2.sf(max(value, 0.0), df))


def p_bounds(kind: str, statistic: Printed, df: Bounds = (1, 1), df2: Bounds = (1, 1)) -> Bounds:
    """Bound the p-value of a printed statistic by its rounding: two-sided for t, z and r, else the upper tail."""
    low, high = statistic.floats
    if kind in TWO_SIDED:
        ends = (0.0 if low <= 0 <= high else min(abs(low), abs(high)), max(abs(low), abs(high)))
    else:
        ends = (low, high)
    # F's tail is not monotone in its degrees of freedom everywhere, but they are printed as integers except by Welch.
    tails = [_tail(kind, end, one, two) for end in ends for one in set(df) for two in set(df2)]
    return min(tails) * (1 - _SLACK), max(tails) * (1 + _SLACK)


def _freedom(kind: str, numbers: Mapping[str, Printed]) -> tuple[Bounds, Bounds] | None:
    if kind == "z":
        return (1, 1), (1, 1)
    n = numbers.get("n")
    if kind == "r" and "df" not in numbers and n is not None and n.value > 2:  # noqa: PLR2004  r has n - 2
        return (float(n.value) - 2, float(n.value) - 2), (1, 1)
    bounds: list[Bounds] = []
    for role in ("df", "df2") if kind == "f" else ("df",):
        number = numbers.get(role)
        if number is None or number.value <= 0:
            return None
        whole = float(number.value)
        bounds.append((whole, whole) if number.digits <= 0 else number.floats)
    return bounds[0], bounds[-1]


def fits(p: Printed, bounds: Bounds) -> bool:
    """Return whether a printed p-value is compatible with bounds of the true one."""
    low, high = bounds
    if p.relation == "<":
        return low < float(p.value)
    if p.relation == ">":
        return high > float(p.value)
    return low <= float(p.high) and float(p.low) <= high


def check_tests(record: Record, settings: Settings) -> Iterator[Result]:
    """Check a p-value against its statistic, and numbers against their ranges."""
    for role, (low, high, expected, words) in _RANGES.items():
        number = record.numbers.get(role)
        if number is not None and (number.high < low or number.low > high):
            note = f"A {words} of {number.text}." if words else f"A negative {role.upper()}."
            yield Result("range", "impossible", (role,), expected, note)
    p = record.numbers.get("p")
    if p is None or p.high < 0 or p.low > 1:
        return
    for kind in _NAMES:
        statistic = record.numbers.get(kind)
        freedom = _freedom(kind, record.numbers)
        if statistic is None or freedom is None or statistic.relation != "=":
            continue
        if kind == "f" and statistic.high < 0:
            continue
        bounds = p_bounds(kind, statistic, *freedom)
        yield _against(kind, statistic, p, bounds, settings)


def _against(kind: str, statistic: Printed, p: Printed, bounds: Bounds, settings: Settings) -> Result:
    check, roles = f"p-of-{kind}", (kind, "p")
    if fits(p, bounds):
        return Result(check, "", roles)
    expected = " to ".join(dict.fromkeys(f"{bound:.3g}" for bound in bounds))
    half = (bounds[0] / 2, bounds[1] / 2)
    if kind in TWO_SIDED and fits(p, half):
        if settings.one_sided:
            return Result(check, "", roles)
        note = f"p fits {_NAMES[kind]} = {statistic.text} only if the test is one-sided."
        return Result(check, "unlikely", roles, expected, note)
    level = next(
        (a for a in (0.05,) if (bounds[0] > a) != (float(p.value) > a) and (bounds[1] > a) == (bounds[0] > a)), 0
    )
    turned = f" It is {'not ' if bounds[0] > level else ''}below {level}." if level else ""
    note = f"{_NAMES[kind]} = {statistic.text} has another p value than {p.shown}.{turned}"
    return Result(check, "impossible", roles, expected, note)


def check_degrees(records: Sequence[Record]) -> Iterator[tuple[Record, Result]]:
    """Check that t tests have no more degrees of freedom than all rows' responses: a row's n may be of one group."""
    whole = sum((one.numbers["n"].value for one in records if "n" in one.numbers), Fraction(0))
    for record in records:
        df, n = record.numbers.get("df"), record.numbers.get("n")
        if df is None or n is None or "t" not in record.numbers or not n.is_whole:
            continue
        note = f"More degrees of freedom than all {whole} responses of the table have."
        ok = df.low <= whole - 1
        yield record, judged("df-of-n", ok, ("df", "n"), f"{whole - 1} at most", note, wrong="unlikely")


def check_stars(record: Record, legend: Mapping[int, float]) -> Iterator[Result]:
    """Check stars against the printed p-value, or against estimate and standard error."""
    starred = [(role, number) for role, number in record.numbers.items() if number.stars]
    p = record.numbers.get("p")
    if not legend:
        return
    role, count = (starred[0][0], starred[0][1].stars) if starred else ("p", 0)
    if p is not None and p.relation != ">":
        low, high = (0.0, float(p.value)) if p.relation == "<" else (float(p.low), float(p.high))
        below, above = legend.get(count), legend.get(count + 1)
        if below is not None and low >= below:
            note = f"{'*' * count} says p < {below}; printed is {p.shown}."
            yield Result("stars", "impossible", (role, "p"), f"p < {below}", note)
        elif above is not None and (high < above or (p.relation == "<" and high <= above)):
            note = f"{p.shown} has {count} star{'' if count == 1 else 's'} and would have {count + 1} or more."
            yield Result("stars", "unlikely", (role, "p"), "*" * (count + 1), note)
        else:
            yield Result("stars", "", (role, "p"))
        return
    bounds = _ratio(record)
    if count and bounds is not None and (level := legend.get(count)) is not None:
        from scipy.stats import norm

        largest = float(norm.isf(level))  # one-sided, as the weakest reading
        ok = max(abs(bounds[0]), abs(bounds[1])) >= largest
        note = f"{'*' * count} says p < {level}; the estimate is less than {largest:.2f} standard errors from 0."
        yield judged("stars", ok, (role, "se"), "no star", note, wrong="unlikely")


def _ratio(record: Record) -> Bounds | None:
    estimate, error = record.numbers.get("estimate"), record.numbers.get("se")
    if estimate is None or error is None or error.low < _LEAST_ERROR:
        return None
    ends = [end / spread for end in (estimate.low, estimate.high) for spread in (error.low, error.high)]
    return float(min(ends)), float(max(ends))


def check_estimates(record: Record) -> Iterator[Result]:
    """Check a coefficient against its standard error, statistic and odds ratio, and an effect size against t."""
    numbers = record.numbers
    ratio = _ratio(record)
    for role in ("t", "z"):
        statistic = numbers.get(role)
        if ratio is not None and statistic is not None and statistic.relation == "=":
            low, high = (float(end) for end in (statistic.low, statistic.high))
            ok = ratio[0] * (1 - _SLACK) - _SLACK <= high and low <= ratio[1] * (1 + _SLACK) + _SLACK
            # Some papers print statistics without their sign.
            ok = ok or (low >= 0 and ratio[1] <= 0 and -ratio[1] - _SLACK <= high and low <= -ratio[0] + _SLACK)
            expected = f"{ratio[0]:.3g} to {ratio[1]:.3g}"
            note = f"{role} is not the estimate over its standard error."
            yield judged("statistic-of-error", ok, ("estimate", "se", role), expected, note)
    estimate, odds = numbers.get("estimate"), numbers.get("odds_ratio")
    if estimate is not None and odds is not None and abs(estimate.value) < _LARGEST_EXPONENT:
        low, high = (math.exp(float(end)) for end in (estimate.low, estimate.high))
        ok = low * (1 - _SLACK) <= float(odds.high) and float(odds.low) <= high * (1 + _SLACK)
        expected = f"{low:.4g} to {high:.4g}"
        note = f"exp({estimate.text}) is not {odds.text}."
        yield judged("odds-ratio", ok, ("estimate", "odds_ratio"), expected, note)
    yield from _effect(numbers)


_SIZES = ("n", "n1", "n2", "df")


def _effect(numbers: Mapping[str, Printed]) -> Iterator[Result]:
    d, t = numbers.get("d"), numbers.get("t")
    if d is None or t is None or any(one.value <= 0 for role, one in numbers.items() if role in _SIZES):
        return
    factors: list[float] = []
    sizes = [float(numbers[role].value) for role in ("n1", "n2") if role in numbers]
    total = float(numbers["n"].value) if "n" in numbers else None
    df = float(numbers["df"].value) if "df" in numbers else None
    if len(sizes) == 2:  # noqa: PLR2004  of two groups
        factors.append(math.sqrt(sum(1 / size for size in sizes)))
        df = df or sum(sizes) - 2
    elif total or df:
        # For one sample or pairs, and for two groups of equal size.
        for size in {total, *((df + 1, df + 2) if df else ())} - {None, 0}:
            factors += [1 / math.sqrt(size or 1), 2 / math.sqrt(size or 1)]
        if df:
            factors += [2 / math.sqrt(df), 1 / math.sqrt(df)]
    if not factors:
        return
    shrunken = [1.0] + ([1 - 3 / (4 * df - 1)] if df and df > 1 else [])
    t_low, t_high = sorted(abs(end) for end in t.floats)
    d_low, d_high = sorted(abs(end) for end in d.floats)
    ok = any(f * g * t_low <= d_high * 1.002 and d_low <= f * g * t_high * 1.002 for f in factors for g in shrunken)
    near = " or ".join(dict.fromkeys(f"{factor * abs(float(t.value)):.3g}" for factor in factors))
    note = f"t = {t.text} goes with another effect size than {d.text}."
    yield judged("effect-of-t", ok, ("d", "t"), near, note, wrong="unlikely")


ESTIMATES = ("estimate", "mean", "odds_ratio", "percent", "proportion", "d", "r")
_NOISE = 0.05
"""The largest distance of an estimate from the midpoint of its limits, relative to half their distance."""
_FEWEST, _MOST = 4, 0.75
"""The minimum number of intervals in a table, and the share of centred ones from which the others are suspect."""


def centre_of(record: Record) -> tuple[str, Printed, Printed, Printed] | None:
    """Find the estimate of an interval, in its own column or the last before it, and return it with its limits."""
    low, high = record.numbers.get("ci_low"), record.numbers.get("ci_high")
    if low is None or high is None:
        return None
    roles = list(record.numbers)
    estimates = [role for role in roles if role in ESTIMATES]
    same = [role for role in estimates if record.columns[role] == record.columns["ci_low"]]
    before = [role for role in estimates if roles.index(role) < roles.index("ci_low")]
    found = next(iter([*same, *before[::-1], *estimates]), None)
    return None if found is None else (found, record.numbers[found], low, high)


def check_intervals(record: Record, settings: Settings) -> Iterator[Result]:
    """Check that limits are in order, contain the estimate, and have the width implied by the standard error."""
    low, high = record.numbers.get("ci_low"), record.numbers.get("ci_high")
    if low is None or high is None:
        return
    if low.low > high.high:
        note = f"The lower limit {low.text} is above the upper limit {high.text}."
        yield Result("interval-order", "impossible", ("ci_low", "ci_high"), "lower ≤ upper", note)
        return
    found = centre_of(record)
    if found is None:
        return
    role, value, low, high = found
    ok = low.low <= value.high and value.low <= high.high
    note = f"{value.text} is outside of [{low.text}, {high.text}]."
    yield judged("interval-order", ok, (role, "ci_low", "ci_high"), "within its limits", note)
    error = record.numbers.get("se")
    if ok and error is not None and error.high > 0 and role in {"estimate", "mean"}:
        yield _width(record, error, low, high, settings)


def _width(record: Record, error: Printed, low: Printed, high: Printed, settings: Settings) -> Result:
    from scipy.stats import norm, t

    roles = ("ci_low", "ci_high", "se")
    narrow, wide = float(high.low - low.high) / 2, float(high.high - low.low) / 2
    tail = (1 - settings.level) / 2
    df = record.numbers.get("df") or record.numbers.get("n")
    # With few degrees of freedom an interval is wider than with the normal quantile, never narrower.
    least = float(norm.isf(tail))
    most = float(t.isf(tail, max(float(df.low) - 2, 1))) if df is not None and df.low >= 1 else float(t.isf(tail, 1))
    # Both 1.96 and 2 are in use as the normal quantile.
    least, most = min(least, round(least, 2)), max(most, 2.0)
    if wide * (1 + _SLACK) >= least * float(error.low) and narrow <= most * float(error.high) * (1 + _SLACK):
        return Result("interval-width", "", roles)
    expected = f"about ± {least * float(error.value):.{max(low.digits, 1)}f}"
    note = f"The limits are {(narrow + wide) / 2 / float(error.high):.2f} standard errors from their middle."
    return Result("interval-width", "unlikely", roles, expected, note)


def _is_centred(record: Record, *, logarithms: bool) -> bool | None:
    """Return whether the estimate is the midpoint of its limits, allowing for rounding; None without an interval."""
    found = centre_of(record)
    if found is None:
        return None
    _, value, low, high = found
    numbers = [float(end) for one in (low, high, value) for end in (one.low, one.high)]
    if logarithms:
        if min(numbers) <= 0:
            return None
        numbers = [math.log(number) for number in numbers]
    # Limits from simulation are not exactly symmetric.
    slack = _NOISE * abs(numbers[3] - numbers[0]) / 2
    middle = (numbers[0] + numbers[2]) / 2 - slack, (numbers[1] + numbers[3]) / 2 + slack
    return middle[0] <= numbers[5] and numbers[4] <= middle[1]


def check_centres(records: Sequence[Record]) -> Iterator[tuple[Record, Result]]:
    """Check that estimates are the midpoints of their limits, in a table where most of them are."""
    scales = [
        [(one, middle) for one in records if (middle := _is_centred(one, logarithms=logarithms)) is not None]
        for logarithms in (False, True)
    ]
    shares = [sum(middle for _, middle in scale) / len(scale) if scale else 0.0 for scale in scales]
    logarithms = shares[1] > shares[0]
    centred = scales[logarithms]
    if len(centred) < _FEWEST or shares[logarithms] < _MOST:
        return
    for record, middle in centred:
        found = centre_of(record)
        if found is None:
            continue
        role, value, low, high = found
        scale = " of the logarithms" if logarithms else ""
        note = f"{value.text} is not the middle{scale} of [{low.text}, {high.text}], as others are of theirs."
        roles = (role, "ci_low", "ci_high")
        yield record, judged("interval-centre", middle, roles, "the middle of the limits", note, wrong="unlikely")
