"""A column of a dump: what its name and values say by themselves, and which columns were asked and which answered.

An experiment asks each question equally often, of every model or again and again. A column with each of its values
equally often, or that such a column determines, belongs to the questions; what varies within them was answered.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Literal, NamedTuple

import polars as pl

from tallybook.drafting.header_words import BOOKKEEPING, LABELS, MODEL, NAMES, RATINGS, SCORES
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Collection

    from tallybook.drafting.survey import Survey

Kind = Literal["empty", "integer", "number", "boolean", "text"]
"""What all values of a column are."""

MOST_LEVELS = 30
"""How many levels a factor has at most."""
LONG = 60
"""The mean length, in characters, from which a text is no level of a factor."""
_SPEAKING = 4
"""How many letters a name has at least that says something beside other words."""
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?\b|\d\d?([./])\d\d?\1\d{2,4}\b")
_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_TOOLS = re.compile(
    r"^(output\.(?!(content|text|message|response|answer|completion)$)|usage\.|log_status$|epoch$|choices$|limit$|filter$|annotator$|scores\..*(answer|explanation|\..*\.)$)"
)
"""What evaluation tools say of a response beside what it was asked and answered."""
_CODED = ("scores.", "label.")
"""How the names of columns begin in which formats put what was coded."""


class Column(NamedTuple):
    """A column with its kind and its values."""

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
        """Tell whether all its values are numbers."""
        return self.kind in {"integer", "number"}

    @property
    def is_short(self) -> bool:
        """Tell whether it has a few values that are no long texts."""
        return self.length < LONG and 1 < self.distinct <= MOST_LEVELS

    @property
    def is_bookkeeping(self) -> bool:
        """Tell whether it holds data about requests, not questions or answers: no words that come equally often."""
        if _TOOLS.search(self.name):
            return True
        is_asked = len({*self.values.values()}) == 1 < len(self.values) and all(map(_WORDS.fullmatch, self.values))
        is_date = bool(self.values) and all(map(_DATE.match, self.values))
        return is_date or (bool(BOOKKEEPING.search(self.header)) and not is_asked)

    @property
    def is_score(self) -> bool:
        """Tell whether it holds numbers that were answered or measured."""
        is_called_so = self.name.startswith(_CODED) or bool(SCORES.search(self.header))
        is_likely = is_called_so or (self.kind == "number" and self.distinct > MOST_LEVELS)
        return self.is_number and is_likely and not self.is_bookkeeping

    @property
    def is_label(self) -> bool:
        """Tell whether it holds answers that are coded already."""
        is_called_so = self.name.startswith(_CODED) or bool(LABELS.search(self.header))
        return self.kind in {"text", "boolean"} and self.is_short and is_called_so and not self.is_bookkeeping

    @property
    def is_factor(self) -> bool:
        """Tell whether results may be split by it."""
        return self.kind != "number" and self.is_short and not self.is_bookkeeping

    @property
    def is_called_answer(self) -> bool:
        """Tell whether it is called like answers or codes of them."""
        is_coded = any(pattern.search(self.header) for pattern in (LABELS, SCORES, RATINGS))
        return is_coded or bool({*self.header.split("_")} & {*NAMES["text"], "result", "winner", "said", "response"})

    @property
    def is_prompt(self) -> bool:
        """Tell whether it is called like a prompt."""
        return any(has_name(own, name) for own in self.called for name in NAMES["prompt"])

    @property
    def names_models(self) -> bool:
        """Tell whether at least half of its values are called like models."""
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


_MOST_ROWS = 200_000
"""Larger dumps are not counted for this."""
_SENTENCE = 30
"""The mean length of a text, in characters, that is a question of its own."""
_FEWEST = 5
"""How many questions there are at least."""
_CLOCK = 10**9
"""From here on, whole numbers that only rise are times."""


class Design:
    """The design of a dump: the columns that were asked, by their counts."""

    def __init__(
        self, survey: Survey, others: Collection[str], text: str | None = None, *, is_unnamed: bool = False
    ) -> None:
        self._survey = survey
        self._is_unnamed = is_unnamed
        kept = [one for one in survey.columns if one.kind != "empty" and one.name not in others]
        self._columns = [one for one in kept if one.name != text]
        places = [one.name for one in survey.columns]
        self._behind = {*places[places.index(text) + 1 :]} if text is not None else set[str]()
        self._found: dict[str, set[str]] = {}

    @cached_property
    def balanced(self) -> list[Column]:
        """The columns whose every value comes equally often, more than once."""
        if self._survey.rows > _MOST_ROWS:
            return []
        return [column for column in self._columns if self.is_balanced(column)]

    def is_balanced(self, column: Column) -> bool:
        """Tell whether every value of a column comes equally often, more than once."""
        rows = self._survey.rows
        if column.missing or not 1 < column.distinct <= rows // 2 or rows % column.distinct:
            return False
        counts = column.values.values() or self._survey.times([column.name]).get_column("times")
        return len({*counts}) == 1

    @cached_property
    def is_known(self) -> bool:
        """Tell whether the balanced columns identify questions: each combination is a record, or one is the wording."""
        is_worded = any(column.length >= _SENTENCE for column in self.balanced)
        # Where nothing is called an answer, combinations that are repeated evenly are questions, too.
        is_even = self._is_unnamed and len(self._cells) >= _FEWEST and len({*self._cells}) == 1
        return is_worded or len(self._cells) == self._survey.rows or is_even

    @cached_property
    def _cells(self) -> list[int]:
        names = [column.name for column in self.balanced]
        return self._survey.times(names).get_column("times").to_list() if names else []

    def is_answered(self, column: Column) -> bool:
        """Tell whether a column varies within the questions."""
        if column in self.balanced or column.distinct <= 1 or numbers_time(column, self._survey):
            return False
        if self._is_unnamed and column.kind == "integer" and column.distinct == self._survey.rows:
            return False  # it numbers the records
        # What stands behind the texts was coded from them, where all that comes equally often is repeated evenly.
        if not self.is_known and not (column.name in self._behind and len({*self._cells}) == 1):
            return False
        determining = [one for one in self.balanced if one.distinct >= max(_FEWEST, column.distinct)]
        return not any(column.name in self._determined(one.name) for one in determining)

    def _determined(self, name: str) -> set[str]:
        """Find the columns that have one value with each value of a column."""
        if name not in self._found:
            others = [one.name for one in self._columns if one.name != name]
            values = self._survey.records.group_by(name).agg(pl.col(others).n_unique())
            most = values.select(pl.col(others).max()).collect(engine="streaming")
            self._found[name] = {other for other in others if most.item(0, other) == 1}
        return self._found[name]

    def answers(self) -> list[Column]:
        """List the columns that may be answers, called so first, texts before numbers, the last first."""
        found = [one for one in self._columns[::-1] if self.is_answered(one)]
        return sorted(found, key=lambda one: (not one.is_called_answer, one.is_number))

    def question(self, model: str | None, taken: Collection[str | None]) -> str | None:
        """Find the column that tells what was asked again and again, or of every model, where nothing is called so."""
        repeated = [one for one in self.balanced if one.kind in {"text", "integer"} and one.distinct >= _FEWEST]
        repeated = [one for one in repeated if one.name not in taken]
        worded = [one for one in repeated if one.length >= _SENTENCE]
        whole = (one for one in repeated if model and self._survey.is_unique([one.name, model]))
        found = max(worded, key=lambda column: column.distinct, default=None) or next(whole, None)
        return None if found is None else found.name


def numbers_time(column: Column, survey: Survey) -> bool:
    """Tell whether a column of numbers only rises from record to record, as clocks do."""
    if not column.is_number or column.distinct < max(2, survey.rows) or column.has_commas:
        return False
    numbers = survey.sample.get_column(column.name).cast(pl.Float64, strict=False)
    return numbers.is_sorted() and float(numbers.min() or 0) >= _CLOCK  # pyright: ignore[reportArgumentType]  a number
