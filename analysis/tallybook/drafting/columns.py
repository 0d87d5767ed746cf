"""A column of a dump: what stands in it, and what its name and values say by themselves."""

from __future__ import annotations

import re
from functools import cache
from typing import Literal, NamedTuple

from tallybook.drafting.header_words import BOOKKEEPING, LABELS, MODEL, NAMES, RATINGS, SCORES
from tallybook.study.names import header_name

Kind = Literal["empty", "integer", "number", "boolean", "text"]
"""What all values of a column are."""

MOST_LEVELS = 30
"""How many levels a factor has at most."""
LONG = 60
"""The mean length, in characters, from which a text is no level of a factor."""
_SPEAKING = 4
"""How many letters a name has at least that says something beside other words."""
_TOOLS = re.compile(
    r"^(output\.(?!(content|text|message|response|answer|completion)$)|usage\.|log_status$|epoch$|choices$|limit$|filter$|annotator$|scores\..*(answer|explanation|\..*\.)$)"
)
"""What evaluation tools say of a response beside what it was asked and answered."""
_CODED = ("scores.", "label.")
"""How the names of columns begin in which formats put what was coded."""


class Column(NamedTuple):
    """What stands in a column."""

    name: str  # its name in the files
    kind: Kind  # what its values are
    missing: int  # in how many records it is empty or absent
    distinct: int  # how many different values it has
    # its values with the number of records of each, the most frequent first; empty if there are more than `LISTED`
    values: dict[str, int]
    length: float  # the mean number of characters of a value
    example: str  # a value
    has_commas: bool = False  # whether it holds numbers that have a comma before their decimals

    @property
    def header(self) -> str:
        """Its name, to be compared with known ones."""
        return header_name(self.name)

    @property
    def called(self) -> tuple[str, ...]:
        """Its names: its own, and with that of the object around it (`model.name`)."""
        return _called(self.name)

    @property
    def objects(self) -> set[str]:
        """The objects that it lies in."""
        return {header_name(part) for part in self.name.split(".")[:-1]}

    @property
    def is_number(self) -> bool:
        """Whether all its values are numbers."""
        return self.kind in {"integer", "number"}

    @property
    def is_short(self) -> bool:
        """Whether it has a few values that are no long texts."""
        return self.length < LONG and 1 < self.distinct <= MOST_LEVELS

    @property
    def is_bookkeeping(self) -> bool:
        """Whether it says how a response came about, not what was asked or answered."""
        return bool(BOOKKEEPING.search(self.header) or _TOOLS.search(self.name))

    @property
    def is_score(self) -> bool:
        """Whether it holds numbers that were answered or measured."""
        is_called_so = self.name.startswith(_CODED) or bool(SCORES.search(self.header))
        is_likely = is_called_so or (self.kind == "number" and self.distinct > MOST_LEVELS)
        return self.is_number and is_likely and not self.is_bookkeeping

    @property
    def is_label(self) -> bool:
        """Whether it holds answers that are coded already."""
        is_called_so = self.name.startswith(_CODED) or bool(LABELS.search(self.header))
        return self.kind in {"text", "boolean"} and self.is_short and is_called_so and not self.is_bookkeeping

    @property
    def is_factor(self) -> bool:
        """Whether results may be split by it."""
        return self.kind != "number" and self.is_short and not self.is_bookkeeping

    @property
    def is_called_answer(self) -> bool:
        """Whether it is called like answers or what was made of them."""
        is_coded = any(pattern.search(self.header) for pattern in (LABELS, SCORES, RATINGS))
        return is_coded or bool({*self.header.split("_")} & {*NAMES["text"], "result", "winner", "said", "response"})

    @property
    def is_prompt(self) -> bool:
        """Whether it is called like a prompt."""
        return any(has_name(own, name) for own in self.called for name in NAMES["prompt"])

    @property
    def names_models(self) -> bool:
        """Whether at least half of its values are called like models."""
        return bool(self.values) and 2 * sum(bool(MODEL.search(value)) for value in self.values) >= len(self.values)


@cache
def _called(column: str) -> tuple[str, ...]:
    *others, last = (header_name(part) for part in column.split("."))
    return (last, f"{others[-1]}_{last}") if others else (last,)


def has_name(found: str, name: str) -> bool:
    """Tell whether a column's name is made of a known one and other words; short ones say too little."""
    return (len(name) >= _SPEAKING or name == "llm") and name in found.split("_")


def is_number_of(found: str, name: str) -> bool:
    """Tell whether a column is called like a known one and its number: `sample_idx`."""
    return re.fullmatch(rf"{name}_(idx|index|no|nr|num|number|id)", found) is not None
