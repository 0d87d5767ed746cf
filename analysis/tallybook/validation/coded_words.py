"""What a coded dump holds, in words: statuses, uncoded responses, those left out or coded by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook_schemas.vocabulary import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.pipeline import Coded, Results


def statuses_of(source: Coded) -> dict[str, int]:
    """Count the responses of each status."""
    return dict(sorted(source.by_status.items(), key=lambda item: (-item[1], item[0])))


def uncoded_text(uncoded: list[dict[str, Any]], answers: int, most: int = 10) -> list[str]:
    """Get the uncoded responses."""
    lines: list[str] = []
    for row in uncoded[:most]:
        number = counted(row["count"], "answer")
        if row["label"] is not None:
            lines.append(
                f"warning: {row['outcome']}: {number} with label {printable(row['label'])}, which has no category"
            )
        elif row["count"] == answers:
            lines.append(f"warning: {row['outcome']}: no answer gives it; is the attribute called as in the data?")
        else:
            lines.append(f"note: {row['outcome']}: {counted(row['count'], 'uncoded response')}")
    return [*lines, *([f"... and {len(uncoded) - most} more"] if len(uncoded) > most else [])]


def answers_among(statuses: Mapping[str, int]) -> int:
    """Count the responses that are answers, good or not."""
    return sum(statuses.get(status, 0) for status in ANSWERS)


def status_text(statuses: Mapping[str, int]) -> str:
    """Write how many responses have which status."""
    parts = ", ".join(f"{n:,} {status}" for status, n in statuses.items())
    return f"{counted(sum(statuses.values()), 'response')} ({parts})"


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
