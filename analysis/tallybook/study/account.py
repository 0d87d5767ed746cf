"""What a methods section says of one analysis."""

from __future__ import annotations

from typing import NamedTuple


class Account(NamedTuple):
    """The account of one analysis in the methods section. All texts are Markdown.

    Attributes:
        topic: What it is, in a few words: the heading of its passage.
        text: How all analyses of its kind are made, in whole sentences; they are said once.
        lead: How the sentence begins that says what it is applied to.
        what: What it is applied to.
        where: Which responses it is made from: conditions, each a clause.
        cells: Its cells, as `model × group`; empty for one cell of everything.
        detail: What else is said of how it is made, in whole sentences.
        within: How the sentence goes on to the cells.
        everything: How the sentence goes on instead, if there is only one cell.
    """

    topic: str
    text: str
    lead: str
    what: str
    where: tuple[str, ...] = ()
    cells: str = ""
    detail: str = ""
    within: str = "by"
    everything: str = "over all responses together"
