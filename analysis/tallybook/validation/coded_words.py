"""What a coded dump holds, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tallybook.core.untrusted import printable
from tallybook.core.wording import counted
from tallybook_schemas.vocabulary import ANSWERS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.pipeline import Coded


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
