"""The declaration of the instrument `word-association`: words, two groups, and the score of a bias."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from tallybook.study.base import Characters, Declaration, Identifier, all_faults
from tallybook.study.instrument_base import ListFile

if TYPE_CHECKING:
    from collections.abc import Mapping


COUNTS = ("default_positive", "default_negative", "stigma_positive", "stigma_negative")
"""The four counts of pairs that a bias is made of."""

SCORE_COLUMNS: Mapping[str, Literal["string", "integer", "number"]] = {
    "bias": "number",
    **dict.fromkeys(("pairs", "unknown", "repeated", *COUNTS), "integer"),
    **dict.fromkeys(("status", "reason", "forms"), "string"),
}
"""The columns that a scoring makes, with their types; the scoring's name and "_" stand in front."""

Names = Annotated[tuple[Characters, ...], Field(min_length=1)]


class WordsApart(Declaration):
    """Words that stand in the lists and follow another order than the first half and the second half."""

    positive: Names
    """The positive ones."""
    negative: Names
    """The negative ones."""

    @model_validator(mode="after")
    @all_faults
    def _on_one_side(self) -> WordsApart:
        """Case does not matter, as nowhere in the lists."""
        if both := {word.lower() for word in self.positive} & {word.lower() for word in self.negative}:
            raise ValueError(f"{min(both)!r} is both positive and negative")
        return self


class WordLists(ListFile):
    """Groups and words in a CSV file of the data folder. Empty cells are passed over.

    Of the words that a column lists for a dataset the first half are positive, the second half negative.
    """

    dataset: Characters
    """The header of the column that says which dataset a row belongs to."""
    default: Characters
    """The header of the column of default groups."""
    stigma: Characters
    """The header of the column of stigmatised groups."""
    words: Names
    """The headers of the columns of words. More than one where words have synonyms: all are known words."""
    apart: WordsApart | None = None
    """Words that a dataset's own labels set aside before the halves are cut."""

    @property
    def header_of(self) -> Mapping[str, str]:
        """Column of the frame that is read -> its header in the file."""
        words = {f"words_{place}": header for place, header in enumerate(self.words, start=1)}
        return {"dataset": self.dataset, "default": self.default, "stigma": self.stigma, **words}

    @model_validator(mode="after")
    @all_faults
    def _columns_differ(self) -> WordLists:
        headers = [self.dataset, self.default, self.stigma, *self.words]
        if repeated := [header for header in headers if headers.count(header) > 1]:
            raise ValueError(f"column {repeated[0]!r} is named more than once")
        return self


class WordSides(ListFile):
    """Names in a CSV file with two columns, groups and words together; the prompt tells which of them are groups."""

    positive: Characters
    """The header of the column of default groups and positive words."""
    negative: Characters
    """The header of the column of stigmatised groups and negative words."""

    @property
    def header_of(self) -> Mapping[str, str]:
        """Column of the frame that is read -> its header in the file."""
        return {"positive": self.positive, "negative": self.negative}


class WordColumns(Declaration):
    """Groups and words in columns of the responses: each cell a name, names between commas, or a list in brackets."""

    default: Identifier
    """The column of default groups."""
    stigma: Identifier
    """The column of stigmatised groups."""
    positive: Identifier
    """The column of positive words."""
    negative: Identifier
    """The column of negative words."""


UNNAMED = (
    "which columns hold the groups and words? --set default=COLUMN --set stigma=COLUMN --set positive=COLUMN "
    "--set negative=COLUMN"
)
"""The hint of `init` where no columns are named like the settings of `WordColumns`."""


class PromptColumns(Declaration):
    """Columns of the groups and words that each prompt gave."""

    groups: Annotated[tuple[Identifier, ...], Field(min_length=1)] | None = None
    """The columns of the groups that the prompt offered."""
    words: Identifier | None = None
    """The column of the words that it listed, between commas or as a list in brackets. Without it, a response is
    complete that answers every word of one of the columns of words; words apart count where one is answered."""


class WordScoring(Declaration):
    """One way to read the pairs of a response and to score them. Every setting is a convention."""

    text: Identifier = "text"
    """The column that holds the text."""
    until: Characters | None = None
    """The text at which the answer is cut off: before the first line that begins with this, else before its first
    mention, in any case. Without it, the whole text is read."""
    reading: Literal["strict", "line-end", "tolerant"] = "tolerant"
    """Which forms of pairs are read: those of a strict list, of pairs at the end of lines, or of any list."""
    labels: Literal["pooled", "own"] = "own"
    """Which groups and words are known: those of all datasets together, where what stands on both sides is default or
    positive; or those of the response's own dataset, with the words apart set aside before the halves are cut."""
    groups: Literal["listed", "prompt"] = "listed"
    """Whether all groups of the lists are known, or only those that the prompt offered."""
    unknown: Literal["void", "ignore"] = "ignore"
    """The effect of a pair with an unknown group or word: it voids the whole response, or it is ignored."""
    repeated: Literal["all", "last"] = "last"
    """Which answers count if a word is answered more than once."""
    empty: Literal["zero", "missing"] = "missing"
    """The bias of a response that leaves no pair, or that never came."""
    constant: float = Field(default=0.01, ge=0)
    """The constant added to both denominators of the bias."""
