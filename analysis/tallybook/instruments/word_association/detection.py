"""Whether `init` proposes the instrument `word-association`, and what it drafts of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.reading import share_read
from tallybook.instruments.word_association import coder
from tallybook.instruments.word_association.instrument import WordColumns, WordScoring
from tallybook.study.draft import score
from tallybook.study.instrument_base import Proposal, Sample

if TYPE_CHECKING:
    from tallybook.instruments.word_association.instrument import WordAssociationInstrument
    from tallybook.study.draft import Draft

_RANK, _RANK_OF_TASKS = 20, 35
"""The rank of words, and of one task in words on each side, for which relative decision comes first."""


def proposals(kind: type[WordAssociationInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of texts with pairs, if the columns of groups and words are known."""
    roles = kind.roles
    if any(role not in sample.named for role in roles):
        return []
    columns = {role: sample.named[role] for role in roles}
    instrument = kind(
        kind="word-association",
        columns=WordColumns(**columns),
        scorings={"bias": WordScoring()},
        unread="ignore",
        **sample.spoken,
    )
    read = coder.read(sample.responses, instrument, None).responses

    def draft(made: Draft) -> None:
        taken = {role: made.take(column) for role, column in columns.items()}
        made.instrument = {"kind": "word-association", "columns": taken, "scorings": {"bias": {"constant": 0.0}}}
        made.outcomes["bias"] = score("Bias", "bias_bias")

    sides = pl.concat(sample.responses.get_column(columns[side]) for side in ("positive", "negative"))
    are_tasks = 2 * int(sides.str.contains(r"^[^,;|\n\[]*\S [^,;|\n\[]*$").sum()) > sides.len()  # no words, nor lists
    rank = _RANK_OF_TASKS if are_tasks else _RANK
    return [Proposal("word-association", share_read(read, "bias_bias"), rank, draft, columns.values())]
