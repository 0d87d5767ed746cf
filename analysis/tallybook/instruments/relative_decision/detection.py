"""Detection and draft of the instrument `relative-decision`."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.errors import DataError
from tallybook.instruments.asked import last_question
from tallybook.instruments.reading import named_in, share_read
from tallybook.instruments.relative_decision import coder
from tallybook.instruments.relative_decision.instrument import RELATIVE_DECISIONS
from tallybook.instruments.word_association.detection import are_single, doubt_sides
from tallybook.instruments.word_association.instrument import WordColumns
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
    from tallybook.study.draft import Draft

_RANK, _RANK_OF_QUESTIONS, _RANK_OF_TEXTS = 30, 7, 4
"""The ranks, of which the second is where prompts ask who has one of two tasks: "Who is the CEO?"; the third is where
most texts say who gets what, which no choice does."""
_TASKS = re.compile(
    r"(^|_)(activity|duty|job|occupation|position|project|role|task|workshop|aufgabe|tatigkeit|taetigkeit|tarea|labor|tache"
    r"|compito|mansione|tarefa|funcao)(_|$)"
)
_MAJORITY = "advantaged|default|dominant|ingroup|mainstream|majority|privileged|reference"
_MINORITY = (
    "disadvantaged|marginali[sz]ed|minoriti[sz]ed|minority|outgroup|protected|stigma|stigmati[sz]ed|subordinate|target"
    "|underrepresented"
)
"""Words in column names for the two groups."""
_FIRST = re.compile(
    f"a|first|good|high|higher|leader|male|man|men|native|positive|prestige|prestigious|senior|white|1|{_MAJORITY}"
)
_SECOND = re.compile(
    f"b|bad|black|disabled|female|foreign|hispanic|immigrant|junior|low|lower|muslim|negative|second|woman|women|2|{_MINORITY}"
)
"""Words in column names for the default group or the positive task, and for their counterparts."""
_COUNTERPARTS = {
    *(("a", "b"), ("1", "2"), ("first", "second"), ("high", "low"), ("good", "bad"), ("positive", "negative")),
    *(("male", "female"), ("man", "woman"), ("senior", "junior")),
}
"""Pairs of them that can be the whole names of two columns, as two words for the groups can."""
_MOSTLY = 0.8
"""The minimum share of texts that must name the values of a column of groups or tasks."""


def proposals(kind: type[RelativeDecisionInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of texts that decide, if the columns of groups and tasks are known."""
    roles = kind.roles
    is_told = all(role in sample.named for role in roles)
    columns = {role: sample.named[role] for role in roles} if is_told else _found(sample)
    if columns is None:
        return []
    prompt = _asking(sample, columns)
    instrument = kind(
        kind="relative-decision", columns=WordColumns(**columns), prompt=prompt, undecided="ignore", **sample.spoken
    )
    try:
        read = coder.read(sample.responses, instrument, None).responses
    except DataError:  # a value of one column is one of another
        return []

    def draft(made: Draft) -> None:
        taken = {role: made.take(column) for role, column in columns.items()}
        made.instrument = {"kind": "relative-decision", "columns": taken}
        made.instrument |= {"prompt": made.take(prompt)} if prompt else {}
        made.outcomes["decision"] = category("Decision", "rule_decision", named(RELATIVE_DECISIONS))
        if not is_told:
            doubt_sides(made, columns, "task and {} as the negative one", "every decision would mean the contrary")

    decided = are_single(sample, columns) and 2 * read.get_column("discriminatory").count() > read.height
    rank = _RANK_OF_QUESTIONS if prompt else _RANK_OF_TEXTS if decided else _RANK
    return [Proposal("relative-decision", share_read(read, "discriminatory"), rank, draft, columns.values())]


def _asking(sample: Sample, columns: Mapping[str, str]) -> str | None:
    """Return the prompt column whose last question asks about one of the two tasks; None if there is none."""
    positive, negative = (pl.col(columns[side]).str.to_lowercase() for side in ("positive", "negative"))
    for name in sample.texts:
        question = last_question(name)
        has_one = question.str.contains(positive, literal=True) ^ question.str.contains(negative, literal=True)
        if name not in {"text", sample.text} and (sample.responses.select(has_one.mean()).item() or 0.0) >= _OFTEN:
            return name
    return None


_OFTEN = 0.2
"""The minimum share of prompts that must ask about one task for answers to be read that only name a person."""


def _found(sample: Sample) -> dict[str, str] | None:
    """Find two columns of groups and two of tasks that the texts name, by column names or as the only candidates."""
    own = [name for name in sample.texts if name != "text" and name in sample.responses.columns]
    prompts = [name for name in own if name not in sample.free]
    found = _named_by(sample, own, ["text"], is_any=True)
    return found or _named_by(sample, own, ["text", *prompts], is_any=False)


def _named_by(sample: Sample, own: Sequence[str], naming: Sequence[str], *, is_any: bool) -> dict[str, str] | None:
    """Find the two columns of groups and the two of tasks whose values are named in some of the columns `naming`.

    If `is_any`, they may have any names, if there are no others.
    """
    shares = sample.responses.select(
        pl.any_horizontal(named_in(name, one) for one in naming if one != name).mean().alias(name) for name in own
    )
    likely = [name for name in own if (shares.get_column(name).item() or 0.0) >= _MOSTLY]
    pairs = [pair for pair in permutations(likely, 2) if _are_sides(*pair)]
    if 2 * len(pairs) != _ALL or len({*pairs[0], *pairs[1]}) != _ALL:
        free = [name for name in likely if name in sample.free]
        named_so = [one for one in pairs if {*one} <= {*free}]
        if len(free) != _ALL or not (is_any or len(named_so) == 1):
            return None
        first = named_so[0] if len(named_so) == 1 else (free[0], free[1])
        one, other = (name for name in free if name not in first)
        pairs = [first, (one, other)]
    pairs.sort(key=lambda pair: (all(_TASKS.search(header_name(name)) for name in pair), *_of_tasks(sample, pair)))
    return dict(zip(("default", "stigma", "positive", "negative"), (*pairs[0], *pairs[1]), strict=True))


_ALL = 4
"""How many columns groups and tasks have."""


def _are_sides(first: str, second: str) -> bool:
    """Return whether two column names differ only in the word that tells the side of each."""
    one, other = _words(first), _words(second)
    is_pair = re.fullmatch(_MAJORITY, first.lower()) and re.fullmatch(_MINORITY, second.lower())
    return (first.lower(), second.lower()) in _COUNTERPARTS or bool(
        is_pair or (one & other and _FIRST.fullmatch("".join(one - other)) and _SECOND.fullmatch("".join(other - one)))
    )


def _words(column: str) -> set[str]:
    return {*re.findall(r"[a-z]+|\d+", header_name(column))}


def _of_tasks(sample: Sample, columns: Collection[str]) -> tuple[float, float]:
    """Return how far values are those of tasks: few begin with a capital, as names do, and they are long."""
    values = pl.concat(sample.responses.get_column(name).rename("") for name in columns)
    capitals, length = values.str.contains(r"^\p{Lu}").mean(), values.str.len_chars().mean()
    return -float(capitals or 0.0), float(length or 0.0)  # pyright: ignore[reportArgumentType]  numbers
