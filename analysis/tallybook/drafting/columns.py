"""Descriptions of the columns of a dump, and which columns belong to the questions and which to the answers.

An experiment asks each question equally often: of every model, or repeatedly. A column whose values all occur equally
often, or that such a column determines, therefore belongs to the questions; one that varies within questions, to the
answers.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import polars as pl

from tallybook.core.untrusted import printable
from tallybook.drafting.header_words import ATTEMPTS, BOOKKEEPING, LABELS, MODEL, NAMES, NUMBERING, RATINGS, SCORES
from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from tallybook.drafting.survey import Survey

Kind = Literal["empty", "integer", "number", "boolean", "text"]
"""The type of all values of a column."""

FILE, KEY = "\0file", "\0key"
"""The columns of `Survey.records` for a record's file and for its key in that file."""
MOST_LEVELS = 30
"""The largest number of levels of a factor."""
LONG = 60
"""The mean length, in characters, from which texts cannot be levels of a factor."""
_SPEAKING = 4
"""The least number of letters of a name that is recognised among other words."""
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?\b|\d\d?([./])\d\d?\1\d{2,4}\b")
_WORDS = re.compile(r"[^\W\d_]+(?: [^\W\d_]+)*")
_TOOLS = re.compile(
    r"^(output\.(?!(content|text|message|response|answer|completion)$)|usage\.|log_status$|epoch$|choices$|limit$|filter$|annotator$|suggestions\.|.*\.(suggestion(\.|$)|error\.type$)|scores\..*(answer|explanation|\..*\.)$)"
)
"""Columns in which evaluation tools describe a response, apart from question and answer."""
_TEMPLATE, _FEW_TEMPLATES = "prompt.label", 10
"""promptfoo's column of the prompts before they are filled, which may be long, and the most that are compared."""
_YES_OR_NO = {"yes", "no", "y", "n", "true", "false", "0", "1", "ja", "nein", "oui", "non", "sí", "si"}
_CODES = {"true", "false", "0", "1"}
_MARKS = " .!*"
_SCALE = re.compile(r"[(\[]\s*\d{1,3}\s*(?:[-–—]|to|bis|à|al?)\s*\d{1,3}\s*[)\]]")
"""The scale in the header of its points: "Fit (1-7)"."""
_SENTENCES = re.compile(r"\w{2}[.!。]\W*$")
_CHOSEN = re.compile(r"(^|_)(chosen|selected|picked|preferred)$")
"""The names of columns of which of several profiles is chosen, with a row for each."""
_CODED = ("scores.", "label.")
"""Prefixes of the columns in which formats put codes of a response."""
_OF_RUN = ("participant.", "session.")
"""Prefixes of the columns about a run of an experiment in oTree, such as its code."""
_MOST_ROWS = 200_000
"""The number of records above which balance is not examined."""
_SENTENCE = 30
"""The mean length, in characters, from which texts are considered the wording of questions."""
_FEWEST = 5
"""The least number of questions that a dump is assumed to ask."""
_CLOCK = 10**9
"""The value from which numbers that only increase are timestamps."""
_NO = {"no", "not", "false", "nein", "non", "nao"}
AMOUNT = (
    r"^\s*(?:[$€£¥₹]|USD|EUR|GBP|CHF)\s*\d[\d.,' ]*[kK]?\s*$|^\s*\d[\d.,' ]*[kK]?\s*(?:[$€£¥₹]|USD|EUR|GBP|CHF)\s*$"
)


class Column(NamedTuple):
    """A column with its type and its values."""

    name: str  # its name in the files
    kind: Kind  # the type of its values
    missing: int  # the number of records in which it is empty or absent
    distinct: int  # the number of distinct values
    # its values with the number of records of each, the most frequent first; empty if there are more than `LISTED`
    values: dict[str, int]
    length: float  # the mean length of a value in characters
    example: str  # an example value
    has_commas: bool = False  # whether it holds numbers with a decimal comma

    @property
    def header(self) -> str:
        """The name in the form in which it is compared with known names."""
        return header_name(self.name)

    @property
    def called(self) -> tuple[str, ...]:
        """The column's name, alone and with that of the enclosing object (`model.name`)."""
        return _called(self.name)

    @property
    def objects(self) -> set[str]:
        """The names of the objects in which it is nested."""
        return {header_name(part) for part in self.name.split(".")[:-1]}

    @property
    def is_number(self) -> bool:
        """Whether all its values are numbers."""
        return self.kind in {"integer", "number"}

    @property
    def is_short(self) -> bool:
        """Whether it has few distinct values, which are short on average."""
        return self.length < LONG and 1 < self.distinct <= MOST_LEVELS

    @property
    def is_bookkeeping(self) -> bool:
        """Whether it holds metadata of requests, such as dates; evenly repeated words are questions instead."""
        if _TOOLS.search(self.name):
            return True
        is_asked = len({*self.values.values()}) == 1 < len(self.values) and all(map(_WORDS.fullmatch, self.values))
        is_date = bool(self.values) and all(map(_DATE.match, self.values))
        return is_date or self.counts_attempts or (bool(BOOKKEEPING.search(self.header)) and not is_asked)

    @property
    def counts_attempts(self) -> bool:
        """Whether it numbers or counts the attempts at a request."""
        return self.kind == "integer" and ATTEMPTS.fullmatch(self.header) is not None

    @property
    def is_score(self) -> bool:
        """Whether it holds numbers that are answers or measurements."""
        is_called_so = self.name.startswith(_CODED) or bool(SCORES.search(self.header))
        is_likely = is_called_so or (self.kind == "number" and self.distinct > MOST_LEVELS)
        return self.is_number and is_likely and not self.is_bookkeeping

    @property
    def is_label(self) -> bool:
        """Whether it holds answers that are coded already."""
        is_called_so = self.name.startswith(_CODED) or bool(LABELS.search(self.header))
        is_likely = is_called_so and not self.name.startswith(_OF_RUN)
        is_coded = self.kind in {"text", "boolean"} or ({*self.values} == {"0", "1"} and _CHOSEN.search(self.header))
        return bool(is_coded) and self.is_short and is_likely and not self.is_bookkeeping

    @property
    def is_factor(self) -> bool:
        """Whether results may be split by it."""
        is_few = self.is_short or (1 < self.distinct <= _FEW_TEMPLATES and self.name == _TEMPLATE)
        return self.kind != "number" and is_few and not self.is_bookkeeping

    @property
    def says_yes_or_no(self) -> bool:
        """Whether all values are yes or no, in words or codes, however they are spelt."""
        return bool(self.values) and {value.lower().strip(_MARKS) for value in self.values} <= _YES_OR_NO

    @property
    def is_respelt(self) -> bool:
        """Whether values are others with marks around them, "Yes." and "**Yes**"; of yes and no, in other letters."""
        words = {value.strip(_MARKS) for value in self.values}
        words = {word.lower() for word in words} if self.says_yes_or_no else words
        return len(words) < len(self.values) and not words & _CODES

    @property
    def has_sentences(self) -> bool:
        """Whether there are more values than usual labels, and one is a sentence."""
        return self.distinct > _FEWEST and any(map(_SENTENCES.search, self.values))

    @property
    def is_called_answer(self) -> bool:
        """Whether it is named like answers or codes of answers."""
        is_coded = any(pattern.search(self.header) for pattern in (LABELS, SCORES, RATINGS)) or _SCALE.search(self.name)
        return (is_coded and not self.name.startswith(_OF_RUN)) or bool(
            {*self.header.split("_")} & {*NAMES["text"], "result", "winner", "said", "response"}
        )

    @property
    def is_prompt(self) -> bool:
        """Whether it is named like a prompt."""
        return any(has_name(own, name) for own in self.called for name in NAMES["prompt"])

    @property
    def names_models(self) -> bool:
        """Whether at least half of its values are names of models."""
        return bool(self.values) and 2 * sum(bool(MODEL.search(value)) for value in self.values) >= len(self.values)


@cache
def _called(column: str) -> tuple[str, ...]:
    *others, last = (header_name(part) for part in column.split("."))
    return (last, f"{others[-1]}_{last}") if others else (last,)


def has_name(found: str, name: str) -> bool:
    """Return whether a column's name has a known name among its words; short known names do not count."""
    return (len(name) >= _SPEAKING or name == "llm") and name in found.split("_")


def is_number_of(found: str, name: str) -> bool:
    """Return whether a column's name is a known name with a suffix for a number: `sample_idx`."""
    return re.fullmatch(rf"{name}_(idx|index|no|nr|num|number|id)", found) is not None


class Design:
    """The design of a dump: which columns belong to the questions, by how often their values occur."""

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
        """The columns whose values all occur equally often, and more than once."""
        if self._survey.rows > _MOST_ROWS:
            return []
        return [column for column in self._columns if self.is_balanced(column)]

    def is_balanced(self, column: Column) -> bool:
        """Return whether all values of a column occur equally often, and more than once."""
        rows = self._survey.rows
        if column.missing or not 1 < column.distinct <= rows // 2 or rows % column.distinct:
            return False
        counts = column.values.values() or self._survey.times([column.name]).get_column("times")
        return len({*counts}) == 1

    @cached_property
    def is_known(self) -> bool:
        """Whether balanced columns identify questions: one holds their wording, or each combination is one record."""
        is_worded = any(column.length >= _SENTENCE for column in self.balanced)
        # If no column is named like an answer, combinations that occur equally often count as questions, too.
        is_even = self._is_unnamed and len(self._cells) >= _FEWEST and len({*self._cells}) == 1
        return is_worded or len(self._cells) == self._survey.rows or is_even

    @cached_property
    def _cells(self) -> list[int]:
        names = [column.name for column in self.balanced]
        return self._survey.times(names).get_column("times").to_list() if names else []

    def is_answered(self, column: Column) -> bool:
        """Return whether a column varies within the questions."""
        if column in self.balanced or column.distinct <= 1 or is_timestamp(column, self._survey):
            return False
        if self._is_unnamed and column.kind == "integer" and column.distinct == self._survey.rows:
            return False  # it numbers the records
        # Columns after the texts are codes of them, if all combinations of balanced columns occur equally often.
        if not self.is_known and not (column.name in self._behind and len({*self._cells}) == 1):
            return False
        determining = [one for one in self.balanced if one.distinct >= max(_FEWEST, column.distinct)]
        return not any(column.name in self._determined(one.name) for one in determining)

    def _determined(self, name: str) -> set[str]:
        """Return the columns that have a single value within each value of a column."""
        if name not in self._found:
            others = [one.name for one in self._columns if one.name != name]
            values = self._survey.records.group_by(name).agg(pl.col(others).n_unique())
            most = values.select(pl.col(others).max()).collect(engine="streaming")
            self._found[name] = {other for other in others if most.item(0, other) == 1}
        return self._found[name]

    def answers(self) -> list[Column]:
        """List the columns that may be answers: those named like answers first, then texts, then later columns."""
        found = [one for one in self._columns[::-1] if self.is_answered(one)]
        return sorted(found, key=lambda one: (not one.is_called_answer, one.is_number))

    def question(self, model: str | None, taken: Collection[str | None]) -> str | None:
        """Return the column of the repeated questions, for dumps without a column named like one."""
        repeated = [one for one in self.balanced if one.kind in {"text", "integer"} and one.distinct >= _FEWEST]
        repeated = [one for one in repeated if one.name not in taken]
        worded = [one for one in repeated if one.length >= _SENTENCE]
        whole = (one for one in repeated if model and self._survey.is_unique([one.name, model]))
        found = max(worded, key=lambda column: column.distinct, default=None) or next(whole, None)
        return None if found is None else found.name


def affirmative(answers: Sequence[Column], survey: Survey, said: list[str]) -> Column:
    """Return the first answer, or of probabilities of yes and of no that of yes; say which other there is."""
    of_yes, other = answers[0], _complement(answers[0], answers[1:], survey)
    if other is not None:
        of_yes, other = (other, of_yes) if {*of_yes.header.split("_")} & _NO else (of_yes, other)
        one, that = map(printable, (of_yes.name, other.name))
        said.append(f"{one} and {that} add up to the same: {one} is read. --set text={that} reads the other.")
    return of_yes


def _complement(answer: Column, others: Iterable[Column], survey: Survey) -> Column | None:
    """Return another column whose numbers and those of an answer always add up to 1, or to 100; else None."""

    def numbers(column: Column) -> pl.Series:
        return survey.sample.get_column(column.name).cast(pl.Float64, strict=False)

    for other in others:
        totals = (numbers(answer) + numbers(other)).drop_nulls()
        is_whole = any(((totals - whole).abs() < whole / 50).all() for whole in (1, 100))
        if is_whole and totals.len() > survey.sample.height / 2 and numbers(answer).n_unique() > _FEWEST:
            return other
    return None


def is_timestamp(column: Column, survey: Survey) -> bool:
    """Return whether the numbers in a column only increase from record to record, as timestamps do."""
    if not column.is_number or column.distinct < max(2, survey.rows) or column.has_commas:
        return False
    numbers = survey.sample.get_column(column.name).cast(pl.Float64, strict=False)
    return numbers.is_sorted() and float(numbers.min() or 0) >= _CLOCK  # pyright: ignore[reportArgumentType]  a number


def name_of_models(model: Column, survey: Survey) -> str:
    """Return the column of the models' names where theirs holds numbers or keys, as those of another table."""
    likely = (one for one in survey.columns if one.names_models or one.header == "name")
    if model.names_models or not (model.kind == "integer" or NUMBERING.search(model.header)):
        return model.name
    same = (one.name for one in likely if one.distinct == model.distinct and not one.missing)
    return next((name for name in same if survey.combinations([name, model.name]) == model.distinct), model.name)


def amount_steps(values: Sequence[str]) -> list[dict[str, Any]] | None:
    """Return the steps that make amounts numbers: no currency, no sign between thousands, a decimal point.

    >>> amount_steps(["$65,000", "$71,500"])
    [{'delete': '$,'}]
    >>> amount_steps(["65.000,50 EUR"])
    [{'delete': ' ERU.'}, {'replace': [',', '.']}]
    >>> amount_steps(["$65k"]), amount_steps(["$65,000", "none"])
    (None, None)
    """
    marks = "".join(sorted({sign for value in values for sign in value if not sign.isdecimal() and sign not in "-.,"}))
    left = [re.sub(f"[{re.escape(marks)}]", "", value) if marks else value for value in values]
    if not all(re.search(rf"{AMOUNT}|^\s*\d[\d.,]*\s*$", value) for value in values) or re.search("[kK]", marks):
        return None
    for thousands, decimal in ((",", "."), (".", ",")):
        form = re.compile(rf"-?(?:\d{{1,3}}(?:\{thousands}\d{{3}})+|\d+)(?:\{decimal}\d\d?)?")
        if all(map(form.fullmatch, left)):
            own = marks + thousands * any(thousands in value for value in left)
            points = [{"replace": [",", "."]}] if decimal == "," and any("," in value for value in left) else []
            return [*([{"delete": own}] if own else []), *points]
    return None
