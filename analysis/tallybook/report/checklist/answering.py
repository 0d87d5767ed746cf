"""Checklists answered from a run: every item with its sentences, where they come from, and what is left open."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, NamedTuple

from tallybook.core.markdown import readable
from tallybook.report.checklist.facts import FACTS, LACKING, Fact, Run
from tallybook.study.checklist_items import ITEMS, TITLES

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tallybook.pipeline import Results
    from tallybook.study.checklist_items import Item


_STATES = ("answered", "answered in part", "open", "not applicable")
_LEAD = """\
Answered from the run. What a run cannot know is left open, by name, for the authors: `[checklist]` in the study file.
"""


class Answer(NamedTuple):
    """An item with what is known of it."""

    item: Item
    facts: tuple[Fact, ...]  # what the run and the authors know
    unknown: tuple[str, ...]  # what is left open
    applies: bool = True  # whether the item applies to the study at all

    @property
    def state(self) -> str:
        """The degree to which it is answered."""
        if not self.applies:
            return "not applicable"
        return ("answered" if self.facts else "open") if not (self.facts and self.unknown) else "answered in part"


def answers(results: Results, provenance: Mapping[str, Any]) -> list[Answer]:
    """Answer every item from a run; `provenance`: what the manifest says, with the versions."""
    run = Run(results, provenance)
    needed = dict.fromkeys(name for item in ITEMS for name in item.facts)
    known = {name: FACTS[name](run) for name in needed}
    return [_answer(item, known, results.loaded.study.checklist.get(item.name)) for item in ITEMS]


def _answer(item: Item, known: Mapping[str, Fact | None], own: str | None) -> Answer:
    facts = tuple(fact for name in item.facts if (fact := known[name]) is not None)
    if own is not None:
        return Answer(item, (*facts, Fact(readable(own), "study file, checklist")), ())
    if item.facts == ("hand-codes",) and not facts:
        return Answer(item, (Fact("No response was coded by people.", "study file, overrides"),), (), applies=False)
    lacking = [LACKING[name] for name in item.facts if known[name] is None and name in LACKING]
    return Answer(item, facts, (*lacking, *([item.unknown] if item.unknown else [])))


def checklist(results: Results, provenance: Mapping[str, Any], level: int = 2) -> str:
    """Write the checklists as Markdown, with headings of a level."""
    found = answers(results, provenance)
    parts = [_LEAD]
    for name, title in TITLES.items():
        own = [one for one in found if one.item.checklist == name]
        states = Counter(one.state for one in own)
        said = ", ".join(f"{number} {state}" for state in _STATES if (number := states[state]))
        parts.append(f"{'#' * level} {title}\n\n{len(own)} items: {said}.\n")
        parts += [_item(one) for one in own]
    return "\n".join(parts)


def _item(answer: Answer) -> str:
    asks = f"{answer.item.asks[:1].upper()}{answer.item.asks[1:]}"
    number = f"{answer.item.number}. " if answer.item.number[-1].isdigit() else ""
    lines = [f"**{number}{asks}** ({answer.state})\n"]
    lines += [f"- {fact.sentence} (`{fact.source}`)" for fact in answer.facts]
    lines += [f"- *Open:* {readable('; '.join(answer.unknown))}."] if answer.unknown else []
    return "\n".join([*lines, ""])
