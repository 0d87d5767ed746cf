"""Whether `init` proposes the instrument `relative-decision`, and what it drafts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.reading import share_read
from tallybook.instruments.relative_decision import coder
from tallybook.instruments.relative_decision.declaration import RELATIVE_DECISIONS
from tallybook.instruments.word_association.declaration import WordColumns
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample

if TYPE_CHECKING:
    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
    from tallybook.study.draft import Draft

_RANK = 30


def proposals(kind: type[RelativeDecisionInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of decisions, if the columns of groups and tasks are known."""
    roles = kind.roles
    if any(role not in sample.named for role in roles):
        return []
    columns = {role: sample.named[role] for role in roles}
    instrument = kind(kind="relative-decision", columns=WordColumns(**columns), undecided="ignore", **sample.spoken)
    read = coder.read(sample.responses, instrument, None).responses

    def draft(made: Draft) -> None:
        taken = {role: made.take(column) for role, column in columns.items()}
        made.instrument = {"kind": "relative-decision", "columns": taken}
        made.outcomes["decision"] = category("Decision", "rule_decision", named(RELATIVE_DECISIONS))

    return [Proposal("relative-decision", share_read(read, "discriminatory"), _RANK, draft, columns.values())]
