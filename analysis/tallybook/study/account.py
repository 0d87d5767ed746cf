"""The passage of one analysis in the methods section."""

from __future__ import annotations

from typing import NamedTuple


class Account(NamedTuple):
    """The account of one analysis in the methods section. All texts are Markdown."""

    topic: str  # what it is, in a few words: the heading of its passage
    text: str  # how all analyses of its kind are made, in whole sentences; they are said once
    lead: str  # how the sentence begins that says what it is applied to
    what: str  # what it is applied to
    where: tuple[str, ...] = ()  # which responses it is made from: conditions, each a clause
    cells: str = ""  # its cells, as `model × group`; empty for one cell of everything
    detail: str = ""  # what else is said of how it is made, in whole sentences
    within: str = "by"  # how the sentence goes on to the cells
    everything: str = "over all responses together"  # how the sentence goes on instead, if there is only one cell
