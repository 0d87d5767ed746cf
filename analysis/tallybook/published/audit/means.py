"""Checks of means and standard deviations of whole numbers: GRIM, GRIMMER and DEBIT, in exact arithmetic."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import TYPE_CHECKING

from tallybook.published.audit.numbers import shown
from tallybook.published.audit.settings import Result, between, judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.audit.records import Record
    from tallybook.published.audit.settings import Settings

_MEASURED = re.compile(
    r"\b(?:(?:response |reaction )?times?|seconds?|secs?|minutes?|hours?|duration|latency|similarit(?:y|ies)|cosine|"
    r"distances?|probabilit(?:y|ies)|logits?|log|entropy|divergence|toxicity|sentiment|polarity|perplexity|bleu|rouge|"
    r"bert ?score|percentages?|rates?|shares?|proportions?|correlations?|weights?|heights?)\b"
    r"|%|\((?:s|ms|min|h|kg|cm)\)",
    re.IGNORECASE,
)
"""Words for quantities that are measured, not rated in whole numbers."""
_MOST = 10_000
"""The maximum number of sums of one mean that GRIMMER tries; with more, some sum fits any deviation."""


def grim(mean: Printed, n: int, items: int = 1) -> bool:
    """Return whether a mean of whole numbers can be printed like this.

    True if some sum of `n * items` whole numbers, divided by their number, lies within the mean's rounding interval.

    Source:
        Brown and Heathers (2017), doi:10.1177/1948550616673876.
    """
    return bool(between(mean.low * n * items, mean.high * n * items))


def grimmer(
    mean: Printed, deviation: Printed, n: int, items: int = 1, *, divisor: int, scale: tuple[int, int] | None = None
) -> bool:
    """Return whether whole numbers can have this mean and standard deviation.

    A sum S and a sum of squares Q of whole numbers are both even or both odd, and Q is not below that of numbers as
    equal as the sum allows, nor above that of numbers at the ends of the scale.

    Source:
        Anaya (2016), doi:10.7287/peerj.preprints.2400v1; Allard (2018), analytic GRIMMER.
    """
    low, high = max(deviation.low, Fraction(0)), deviation.high
    sums = between(mean.low * n * items, mean.high * n * items)
    if sums[_MOST:]:
        return True
    for total in sums:
        # Responses are means of items: their squares are whole numbers after multiplication by items squared.
        around = Fraction(total * total, n)
        squares = between(divisor * low**2 * items**2 + around, divisor * high**2 * items**2 + around)
        least, most = _bounds(total, n, items, scale)
        first = max(squares.start, least)
        first += (first - total) % 2
        if first < squares.stop and (most is None or first <= most):
            return True
    return False


def _bounds(total: int, n: int, items: int, scale: tuple[int, int] | None) -> tuple[int, int | None]:
    """Return the smallest and largest sum of squares of n whole numbers with this sum."""
    each, more = divmod(total, n)
    least = (n - more) * each**2 + more * (each + 1) ** 2
    if scale is None:
        return least, None
    bottom, top = scale[0] * items, scale[1] * items
    if not n * bottom <= total <= n * top:
        return least, -1
    at_top, rest = divmod(total - n * bottom, top - bottom)
    most = at_top * top**2 + (n - at_top) * bottom**2
    if rest:
        most += (bottom + rest) ** 2 - bottom**2
    return least, most


def debit(mean: Printed, deviation: Printed, n: int) -> bool:
    """Return whether zeros and ones can have this mean and standard deviation.

    The deviation of k ones among n is sqrt(k (n - k) / (n (n - 1))).

    True if a mean within its rounding has a deviation within its rounding. As in the source, the mean need not be k/n:
    that is tested by GRIM.

    Source:
        Heathers and Brown (2019), DEBIT, osf.io/5vb3u.
    """
    low, high = max(mean.low, Fraction(0)), min(mean.high, Fraction(1))
    if low > high:
        return False
    factor = Fraction(n, n - 1)
    variances = [factor * share * (1 - share) for share in (low, high)]
    largest = factor / 4 if low <= Fraction(1, 2) <= high else max(variances)
    return min(variances) <= deviation.high**2 and max(deviation.low, Fraction(0)) ** 2 <= largest


def check_means(record: Record, settings: Settings) -> Iterator[Result]:
    """Check a mean and its standard deviation against the number of responses."""
    mean, deviation, n = (record.numbers.get(role) for role in ("mean", "sd", "n"))
    if mean is None or n is None or mean.relation != "=" or not n.is_whole or n.value < 1:
        return
    size = int(n.value)
    about = f"{record.columns['mean']} {record.column} {record.row}"
    if settings.values == "continuous" or (settings.values is None and _MEASURED.search(about)):
        return
    if settings.scale is not None:
        low, high = settings.scale
        if mean.high < low or mean.low > high:
            yield Result("scale", "impossible", ("mean",), f"{low} to {high}", f"A mean outside of {low} to {high}.")
            return
    possible = grim(mean, size, settings.items)
    if 10**mean.digits > size * settings.items:
        unit = Fraction(1, size * settings.items)
        below = (mean.value // unit) * unit
        near = " or ".join(shown(value, mean.digits) for value in (below, below + unit))
        note = f"No {size * settings.items} whole numbers have a mean of {mean.text}."
        yield judged("grim", possible, ("mean", "n"), near, note)
    if deviation is None or not possible or size <= 1 or deviation.relation != "=":
        return
    if deviation.value < 0:
        return
    if settings.values == "binary":
        fits = debit(mean, deviation, size)
        share = min(max(mean.value, Fraction(0)), Fraction(1))
        near = f"{(float(share * (1 - share)) * size / (size - 1)) ** 0.5:.{max(deviation.digits, 0)}f}"
        note = f"Zeros and ones with a mean of {mean.text} have another deviation."
        yield judged("debit", fits, ("mean", "sd", "n"), near, note)
        return
    yield _grimmer(mean, deviation, size, settings)


def _grimmer(mean: Printed, deviation: Printed, size: int, settings: Settings) -> Result:
    roles = ("mean", "sd", "n")
    expected = "a deviation that whole numbers with this mean can have"
    for divisor in (size - 1, size):
        if grimmer(mean, deviation, size, settings.items, divisor=divisor, scale=settings.scale):
            if divisor == size - 1:
                return Result("grimmer", "", roles)
            return Result("grimmer", "unlikely", roles, expected, "Fits only a deviation divided by n, not n - 1.")
    note = f"No {size * settings.items} whole numbers have mean {mean.text} and standard deviation {deviation.text}."
    return Result("grimmer", "impossible", roles, expected, note)
