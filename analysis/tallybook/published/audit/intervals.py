"""Intervals against their estimates and errors."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from tallybook.published.audit.settings import Result, judged

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.audit.records import Record
    from tallybook.published.audit.settings import Settings

ESTIMATES = ("estimate", "mean", "odds_ratio", "percent", "proportion", "d", "r")
_SLACK = 1e-9
_NOISE = 0.05
"""How far from the middle of its limits an estimate may be, as a share of half their distance."""
_FEWEST, _MOST = 4, 0.75
"""Intervals of a table, and the share of them in the middle, from which the others stand out."""


def centre_of(record: Record) -> tuple[str, Printed, Printed, Printed] | None:
    """Name the estimate of an interval: of its column, or the last one before it, with its limits."""
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
    """Check that limits are in order, hold the estimate, and are as wide as the standard error says."""
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
    # With few degrees of freedom an interval is wider; with a normal quantile never narrower.
    least = float(norm.isf(tail))
    most = float(t.isf(tail, max(float(df.low) - 2, 1))) if df is not None and df.low >= 1 else float(t.isf(tail, 1))
    # 1.96 and 2 are both in use for it.
    least, most = min(least, round(least, 2)), max(most, 2.0)
    if wide * (1 + _SLACK) >= least * float(error.low) and narrow <= most * float(error.high) * (1 + _SLACK):
        return Result("interval-width", "", roles)
    expected = f"about ± {least * float(error.value):.{max(low.digits, 1)}f}"
    note = f"The limits are {(narrow + wide) / 2 / float(error.high):.2f} standard errors from their middle."
    return Result("interval-width", "unlikely", roles, expected, note)


def _is_centred(record: Record, *, logarithms: bool) -> bool | None:
    """Tell whether the estimate is in the middle of its limits; None without an interval."""
    found = centre_of(record)
    if found is None:
        return None
    _, value, low, high = found
    numbers = [float(end) for one in (low, high, value) for end in (one.low, one.high)]
    if logarithms:
        if min(numbers) <= 0:
            return None
        numbers = [math.log(number) for number in numbers]
    # Limits by simulation are not exactly symmetric.
    slack = _NOISE * abs(numbers[3] - numbers[0]) / 2
    middle = (numbers[0] + numbers[2]) / 2 - slack, (numbers[1] + numbers[3]) / 2 + slack
    return middle[0] <= numbers[5] and numbers[4] <= middle[1]


def check_centres(records: Sequence[Record]) -> Iterator[tuple[Record, Result]]:
    """Check that estimates are in the middle of their limits, in a table where nearly all of them are."""
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
