"""Shares, counts and what they are shares of, in exact arithmetic."""

from __future__ import annotations

from fractions import Fraction
from typing import TYPE_CHECKING

from tallybook.published.audit.roles import of_header
from tallybook.published.audit.rounding import shown
from tallybook.published.audit.settings import Result, between, judged

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.published.audit.records import Record


def check_shares(record: Record) -> Iterator[Result]:
    """Check a share against the count and the number of responses."""
    n, count = record.numbers.get("n"), record.numbers.get("count")
    if n is not None and count is not None and n.is_whole and count.is_whole:
        fits = 0 <= count.value <= n.value
        note = f"{count.text} of {n.text}."
        yield judged("range", fits, ("count", "n"), f"0 to {n.text}", note)
    for role, whole in (("percent", 100), ("proportion", 1)):
        share = record.numbers.get(role)
        if share is None or share.relation != "=":
            continue
        if not share.high >= 0 or not share.low <= whole:
            severity = "impossible" if n is not None or count is not None else "unlikely"
            yield Result("range", severity, (role,), f"0 to {whole}", f"A share of {share.text}.")
            continue
        if n is None or not n.is_whole or n.value < 1:
            continue
        if count is not None and count.is_whole:
            exact = whole * count.value / n.value
            fits = share.low <= exact <= share.high
            near = shown(exact, share.digits)
            note = f"{count.text} of {n.text} is {near}, not {share.text}."
            yield judged("share-of-count", fits, (role, "count", "n"), near, note)
        elif n.value < whole * Fraction(10) ** share.digits:
            fits = len(between(share.low * n.value / whole, share.high * n.value / whole)) > 0
            below = Fraction(share.value * n.value / whole).__floor__()
            near = " or ".join(shown(Fraction(whole * one) / n.value, share.digits) for one in (below, below + 1))
            note = f"No number of {n.text} responses is {share.text}."
            header, of_n = record.columns.get(role, ""), record.columns.get("n", "")
            # A percentage whose header says nothing of a share may be of other responses than n.
            is_named = "%" not in share.text or header == of_n or bool(of_header(header))
            yield judged("share-of-n", fits, (role, "n"), near, note, wrong="impossible" if is_named else "unlikely")
