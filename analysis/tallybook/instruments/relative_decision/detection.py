"""Whether `init` proposes the instrument `relative-decision`, and what it drafts of it."""

from __future__ import annotations

import re
from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.reading import share_read
from tallybook.instruments.relative_decision import coder
from tallybook.instruments.relative_decision.instrument import RELATIVE_DECISIONS
from tallybook.instruments.word_association.instrument import WordColumns
from tallybook.study.draft import category, named
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
    from tallybook.study.draft import Draft

_RANK = 30
_TASKS = re.compile(r"(^|_)(activity|duty|job|occupation|position|project|role|task|workshop)(_|$)")
_SIDES = {
    "default": "a|default|dominant|first|high|majority|male|man|men|native|privileged|reference|white|1",
    "stigma": "b|black|disabled|female|foreign|hispanic|immigrant|low|minority|muslim|second|stigma|woman|women|2",
    "positive": "a|first|good|high|leader|positive|prestige|prestigious|senior|1",
    "negative": "b|bad|junior|low|negative|second|2",
}
"""How columns of two groups and of two tasks are called, by which of the two they are."""
_MOSTLY = 0.8
"""The share of texts that name what a column of groups or tasks holds."""


def proposals(kind: type[RelativeDecisionInstrument], sample: Sample) -> list[Proposal]:
    """Propose the instrument by the share of decisions, if the columns of groups and tasks are known."""
    roles = kind.roles
    is_told = all(role in sample.named for role in roles)
    columns = {role: sample.named[role] for role in roles} if is_told else _found(sample)
    if columns is None:
        return []
    instrument = kind(kind="relative-decision", columns=WordColumns(**columns), undecided="ignore", **sample.spoken)
    read = coder.read(sample.responses, instrument, None).responses

    def draft(made: Draft) -> None:
        taken = {role: made.take(column) for role, column in columns.items()}
        made.instrument = {"kind": "relative-decision", "columns": taken}
        made.outcomes["decision"] = category("Decision", "rule_decision", named(RELATIVE_DECISIONS))
        if not is_told:
            made.doubts.append(
                f"{columns['default']} is taken as the default group and {columns['stigma']} as the other, "
                f"{columns['positive']} as the positive task and {columns['negative']} as the negative one: turned "
                "round, every decision would mean the contrary. See `instrument.columns`, or --set default=COLUMN."
            )

    return [Proposal("relative-decision", share_read(read, "discriminatory"), _RANK, draft, columns.values())]


def _found(sample: Sample) -> dict[str, str] | None:
    """Find two columns of groups and two of tasks whose values the texts name, by how each pair is called."""
    said = pl.col("text").str.to_lowercase()
    own = [name for name in sample.texts if name != "text" and name in sample.responses.columns]
    shares = sample.responses.select(
        said.str.contains(pl.col(name).str.to_lowercase(), literal=True).mean().alias(name) for name in own
    )
    likely = [name for name in own if (shares.get_column(name).item() or 0.0) >= _MOSTLY]
    pairs = [pair for pair in combinations(likely, 2) if _kin(*pair)]
    tasks = [pair for pair in pairs if all(_TASKS.search(header_name(name)) for name in pair)]
    groups = [pair for pair in pairs if pair not in tasks]
    sides = [*_sided(groups, "default", "stigma"), *_sided(tasks, "positive", "negative")]
    return sides[0] | sides[1] if len(sides) == len(tasks) + len(groups) == 2 else None  # noqa: PLR2004


def _kin(first: str, second: str) -> bool:
    """Tell whether two columns are called alike but for one word."""
    one, other = _words(first), _words(second)
    return bool(one & other) and len(one - other) == len(other - one) == 1


def _words(column: str) -> set[str]:
    return {*re.findall(r"[a-z]+|\d+", header_name(column))}


def _sided(pairs: list[tuple[str, str]], first: str, second: str) -> Iterator[dict[str, str]]:
    """Tell the columns of pairs apart by their names."""
    for pair in pairs:
        for one, other in (pair, pair[::-1]):
            own = (_words(one) - _words(other), _words(other) - _words(one))
            if all(each & set(_SIDES[side].split("|")) for each, side in zip(own, (first, second), strict=True)):
                yield {first: one, second: other}
