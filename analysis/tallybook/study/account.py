"""The account of one analysis in the methods section."""

from __future__ import annotations

from typing import NamedTuple


class Account(NamedTuple):
    """The account of one analysis in the methods section. All texts are Markdown."""

    topic: str  # the analysis in a few words: the heading of its passage
    text: str  # how analyses of this kind are computed, in whole sentences; printed once for all of them
    lead: str  # the beginning of the sentence that names what it is applied to
    what: str  # what it is applied to
    where: tuple[str, ...] = ()  # the conditions on the responses that it uses, each a clause
    cells: str = ""  # its cells, such as `model × group`; empty for a single cell
    detail: str = ""  # further details of how it is computed, in whole sentences
    within: str = "by"  # the word that introduces the cells
    everything: str = "over all responses together"  # replaces the cells if there is only one
