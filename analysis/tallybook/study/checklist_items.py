"""The items of reporting checklists that a run can answer, with the facts that only the authors know."""

from __future__ import annotations

from typing import NamedTuple

TITLES = {
    "ARR": "ARR Responsible NLP Research",
    "NeurIPS": "NeurIPS Paper Checklist",
    "TRIPOD-LLM": "TRIPOD-LLM",
    "STROBE": "STROBE",
}
"""Checklist -> its title."""
_PEOPLE = ("hand-codes",)


class Item(NamedTuple):
    """One item of a checklist."""

    checklist: str  # the checklist, as study files name it
    number: str  # the item's number; for TRIPOD-LLM its topic
    asks: str  # what the item asks for, in a few words
    facts: tuple[str, ...]  # the facts of a run that answer it
    unknown: str = ""  # what a run cannot know; empty if the facts answer the item completely

    @property
    def name(self) -> str:
        """The name of the item in study files."""
        return f"{self.checklist} {self.number}"


ITEMS = (
    Item("ARR", "B1", "creators of artifacts cited", ("publication", "references", "software"), "how models are cited"),
    Item("ARR", "B2", "licences and terms of use", ("licences",), "the terms of the models' providers"),
    Item("ARR", "B3", "use consistent with intended use", ("licences",), "what data and models are intended for"),
    Item("ARR", "B6", "statistics of the data", ("size", "groups", "outcomes")),
    Item("ARR", "C1", "model size, budget, infrastructure", ("models", "computing"),
         "parameters of the models, and what collecting the responses took"),
    Item("ARR", "C2", "setup and hyperparameters", ("repetitions", "instrument"),
         "temperature and other settings of the requests"),
    Item("ARR", "C3", "descriptive statistics", ("estimates", "independence", "tests")),
    Item("ARR", "C4", "packages and their settings", ("software", "reproduction")),
    Item("ARR", "D1", "instructions to annotators", _PEOPLE, "the instructions in full"),
    Item("ARR", "D2", "recruitment and payment", _PEOPLE, "how people were recruited and paid"),
    Item("ARR", "D3", "consent", _PEOPLE, "whether and how people consented"),
    Item("ARR", "D4", "ethics review", _PEOPLE, "whether a board approved or exempted the study"),
    Item("ARR", "D5", "annotators' characteristics", _PEOPLE, "who the people were"),
    Item("NeurIPS", "4", "results can be reproduced", ("reproduction", "software", "comparison")),
    Item("NeurIPS", "5", "open access to data and code", ("repository", "licences"), "where this study file is public"),
    Item("NeurIPS", "6", "settings and details", ("size", "repetitions", "instrument", "independence"),
         "temperature and other settings of the requests"),
    Item("NeurIPS", "7", "statistical significance", ("estimates", "independence", "tests")),
    Item("NeurIPS", "8", "compute resources", ("computing",), "what collecting the responses took"),
    Item("NeurIPS", "12", "licences of existing assets", ("publication", "references", "licences"),
         "the terms of the models' providers"),
    Item("TRIPOD-LLM", "sample size", "sample size", ("size", "repetitions", "groups"), "how it was arrived at"),
    Item("TRIPOD-LLM", "missing data", "missing data and refusals", ("no-answer", "left-out", "uncoded", "absent")),
    Item("TRIPOD-LLM", "metrics", "metrics with uncertainty", ("estimates", "independence", "tests")),
    Item("TRIPOD-LLM", "versions", "versions of models and software", ("models", "software"),
         "the dates of the requests and the models' exact versions"),
    Item("STROBE", "10", "study size", ("size", "repetitions"), "how it was arrived at"),
    Item("STROBE", "12", "statistical methods", ("methods", "independence", "tests", "no-answer"),
         "analyses of sensitivity"),
    Item("STROBE", "13", "numbers at each stage", ("size", "left-out", "no-answer", "uncoded")),
    Item("STROBE", "14", "descriptive data", ("groups", "no-answer")),
    Item("STROBE", "15", "outcome data", ("outcomes",)),
    Item("STROBE", "16", "main results with precision", ("estimates", "absent"), "which results are the main ones"),
)  # fmt: skip
"""The items, in the order in which they are answered."""

NAMES = tuple(item.name for item in ITEMS)
"""The names of the items in study files."""
