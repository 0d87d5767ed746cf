"""Detection and draft of the instrument `word-association`."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.reading import share_read
from tallybook.instruments.word_association import coder
from tallybook.instruments.word_association.instrument import WordColumns, WordScoring
from tallybook.instruments.word_association.stimuli import cells_of
from tallybook.study.draft import score
from tallybook.study.instrument_base import Proposal, Sample

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.instruments.word_association.instrument import WordAssociationInstrument
    from tallybook.study.draft import Draft

_RANK, _RANK_OF_TASKS = 4, 35
"""The rank of words, and of one word or task on each side, for which relative decision comes first."""


def proposals(kind: type[WordAssociationInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of texts with pairs, if the columns of groups and words are known."""
    roles = kind.roles
    is_told = all(role in sample.named for role in roles)
    columns = {role: sample.named[role] for role in roles} if is_told else _found(sample)
    if columns is None:
        return []
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
        if not is_told:
            doubt_sides(made, columns, "words and {} as the negative ones", "every bias would have the other sign")

    both = int((read.get_column("bias_bias").abs() < 0.9).sum())  # noqa: PLR2004  some of both sides
    are_tasks = are_single(sample, columns) and 5 * both < read.height
    rank = _RANK_OF_TASKS if are_tasks else _RANK
    return [Proposal("word-association", share_read(read, "bias_bias"), rank, draft, columns.values())]


def are_single(sample: Sample, columns: Mapping[str, str]) -> bool:
    """Return whether most cells of both sides hold one word or task and no list."""
    sides = pl.concat(sample.responses.get_column(columns[side]) for side in ("positive", "negative"))
    return 2 * int(sides.str.contains(r"^[^,;|\n\[]+$").sum()) > sides.len()


def doubt_sides(made: Draft, columns: Mapping[str, str], tasks: str, consequence: str) -> None:
    """Say which columns were taken for which side; `tasks` goes on after "the positive", with the column in braces."""
    default, stigma, positive, negative = map(made.original, columns.values())
    made.doubts.append(
        f"{default} is taken as the default group and {stigma} as the other, {positive} as the positive "
        f"{tasks.format(negative)}: turned round, {consequence}. See `instrument.columns`, or --set default=COLUMN."
    )


def _found(sample: Sample) -> dict[str, str] | None:
    """Find two columns of groups and two of lists of words that the texts name, where there are no others."""
    texts = [text.lower() for text in sample.responses.get_column("text")]
    lists: dict[str, list[set[str]]] = {}
    groups: list[str] = []
    for name in sample.free:
        cells = [cells_of(cell) for cell in sample.responses.get_column(name).fill_null("")]
        is_said = [
            2 * sum(one.lower() in text for one in own) > len(own) for own, text in zip(cells, texts, strict=True)
        ]
        if sum(is_said) < _MOSTLY * len(is_said):
            continue
        if all(len(own) > 1 for own in cells):
            lists[name] = [{*own} for own in cells]
        elif all(len(own) == 1 and len(own[0]) <= _LONGEST for own in cells):
            groups.append(name)
    pairs = [
        (first, second)
        for first, second in combinations(lists, 2)
        if not any(one & other for one, other in zip(lists[first], lists[second], strict=True))
    ]
    if len(groups) != _BOTH or len(pairs) != 1:
        return None
    return dict(zip(("default", "stigma", "positive", "negative"), (*groups, *pairs[0]), strict=True))


_BOTH, _LONGEST, _MOSTLY = 2, 40, 0.6
"""The number of groups, the longest name of one, and the least share of texts that name a column's values."""
