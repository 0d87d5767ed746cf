"""What a summary says of responses that were left out or coded by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted

if TYPE_CHECKING:
    from tallybook.pipeline import Coded, Results


def left_out(source: Coded) -> list[str]:
    """Count the responses that a study leaves out."""
    return [
        f"note: {one.left_out:,} of {counted(one.read, 'response')} in {printable(one.files)} left out by 'keep'"
        for one in source.dump.left_out
    ]


def by_hand(source: Coded) -> list[str]:
    """Count the responses that people coded."""
    hand = source.by_hand
    if hand is None:
        return []
    return [f"{counted(hand.coded, 'response')} with manual codes, {hand.changed:,} of which override the rules"]


def agreement(results: Results) -> tuple[dict[str, Any], list[str]]:
    """Describe how far the rules agree with hand codes."""
    hand, found = results.source.by_hand, results.agreement
    if hand is None or found is None:
        return {}, []
    rows = found.select("outcome", "term", "n", "estimate").rows(named=True)
    kappas = {row["outcome"]: row["estimate"] for row in rows if row["term"] == "cohen_kappa"}
    lines: list[str] = []
    for row in rows:
        if row["term"] == "agreement" and row["estimate"] is not None:
            kappa = kappas.get(row["outcome"])
            beyond = "" if kappa is None else f", kappa {kappa:.2f}"
            lines.append(f"  {row['outcome']}: the rules agree on {row['estimate']:.1%} of {row['n']:,}{beyond}")
    return {"hand_codes": {"responses": hand.coded, "changed": hand.changed, "agreement": rows}}, lines
