"""The instrument `word-association`: words assigned to one of two groups, and a bias scored from the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

from pydantic import Field

from tallybook.instruments.decisions import Words
from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.study.base import Characters, Code, Declaration, Identifier
from tallybook.study.instrument_base import Instrument, ListFile, Reading
from tallybook_schemas.vocabulary import CODED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import polars as pl

    from tallybook.study.coding import Outcome

SCORE_COLUMNS: Mapping[str, Literal["string", "integer", "number"]] = {
    "bias": "number",
    **dict.fromkeys(("pairs", "unknown", "repeated"), "integer"),
    **dict.fromkeys(("default_positive", "default_negative", "stigma_positive", "stigma_negative"), "integer"),
    **dict.fromkeys(("status", "reason", "forms"), "string"),
}
"""The columns that a scoring makes, with their types; the scoring's name and "_" stand in front."""


class WordsApart(Declaration):
    """Words that stand in the lists and follow another order than the first half and the second half."""

    positive: Words
    """The positive ones."""
    negative: Words
    """The negative ones."""

    def _check_itself(self) -> None:
        """Check that no word is both positive and negative, whatever its case."""
        if both := {word.lower() for word in self.positive} & {word.lower() for word in self.negative}:
            raise ValueError(f"{min(both)!r} is both positive and negative")


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
    words: Words
    """The headers of the columns of words. More than one where words have synonyms: all are known words."""
    apart: WordsApart | None = None
    """Words that a dataset's own labels set aside before the halves are cut."""

    @property
    def header_of(self) -> Mapping[str, str]:
        """Column of the frame that is read -> its header in the file."""
        words = {f"words_{place}": header for place, header in enumerate(self.words, start=1)}
        return {"dataset": self.dataset, "default": self.default, "stigma": self.stigma, **words}

    def _check_itself(self) -> None:
        headers = [self.dataset, self.default, self.stigma, *self.words]
        if repeated := [header for header in headers if headers.count(header) > 1]:
            raise ValueError(f"column {repeated[0]!r} is named more than once")


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
    "--set negative=COLUMN. A bias compares two sides of groups: words with three labels or more, which have no sides, "
    "are the attributes of a `profile`, each word with the labels as its categories"
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
    reading: Literal["strict", "tolerant"] = "tolerant"
    """Which forms of pairs are read: those of a strict list, or of any list."""
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


class WordAssociationInstrument(Instrument):
    """Words and two groups: the response assigns each word to one of the groups."""

    is_row_by_row: ClassVar[bool] = False
    required: ClassVar[tuple[str, ...]] = ("columns",)
    roles: ClassVar[tuple[str, ...]] = tuple(WordColumns.model_fields)
    undetected: ClassVar[str] = UNNAMED

    kind: Literal["word-association"]
    lists: WordLists | None = None
    """Groups and words from a file that lists them by dataset."""
    sides: WordSides | None = None
    """Groups and words from a file that lists them all together; needs both settings of `prompt`, whose combinations
    are the datasets."""
    columns: WordColumns | None = None
    """Groups and words from columns of the responses, whose combinations are the datasets."""
    dataset: Identifier = "dataset"
    """The column of the responses that names the dataset, where the lists come from a file."""
    aliases: dict[Characters, Characters] = {}
    """Name of a dataset, in the responses or in the file -> the name it stands for."""
    spellings: dict[Characters, Characters] = {}
    """Another spelling of a group or a word -> the listed one; only the tolerant reading knows them."""
    prompt: PromptColumns = PromptColumns()
    languages: Languages = ENGLISH
    """The languages of the texts, whose refusals are known."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text without pairs declines, instead of the rules in `tallybook.instruments.refusal`."""
    unread: Literal["report", "ignore"] = "report"
    """Whether a response is reported that arrived, does not decline, and has no pair by any scoring."""
    scorings: dict[Identifier, WordScoring] = Field(min_length=1)
    """Scoring -> its conventions."""

    def _check_itself(self) -> None:
        if sum(origin is not None for origin in (self.lists, self.sides, self.columns)) != 1:
            raise ValueError("exactly one of 'lists', 'sides' and 'columns'")
        if self.sides is not None and (self.prompt.groups is None or self.prompt.words is None):
            raise ValueError("'sides' need 'prompt.groups' and 'prompt.words'")
        for name, scoring in self.scorings.items():
            if scoring.groups == "prompt" and self.prompt.groups is None:
                raise ValueError(f"scorings.{name}.groups: 'prompt' needs 'prompt.groups'")
        for old, new in self.aliases.items():
            if new in self.aliases:
                raise ValueError(f"aliases.{old}: {new!r} is an alias itself")

    @property
    def list_files(self) -> tuple[ListFile, ...]:
        """The file of groups and words, if there is one."""
        return tuple(one for one in (self.lists, self.sides) if one is not None)

    @property
    def reads(self) -> dict[str, str]:
        settings = {} if self.lists is None else {"dataset": self.dataset}
        if self.columns is not None:
            settings |= {f"columns.{kind}": column for kind, column in self.columns.model_dump().items()}
        groups = self.prompt.groups or ()
        settings |= {f"prompt.groups.{place}": column for place, column in enumerate(groups, start=1)}
        settings |= {} if self.prompt.words is None else {"prompt.words": self.prompt.words}
        return settings | {f"scorings.{name}.text": scoring.text for name, scoring in self.scorings.items()}

    @property
    def makes(self) -> dict[str, Literal["string", "integer", "number"]]:
        return {f"{name}_{column}": kind for name in self.scorings for column, kind in SCORE_COLUMNS.items()}

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        return {f"{name}_status": CODED_STATUSES for name in self.scorings}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        counts = [column for column, kind in SCORE_COLUMNS.items() if kind == "integer"]
        known: dict[str, tuple[float, float | None]] = {f"{name}_bias": (-1.0, 1.0) for name in self.scorings}
        return known | {f"{name}_{column}": (0.0, None) for name in self.scorings for column in counts}

    def without(self, absent: Collection[str]) -> Self | None:
        left = super().without(absent)
        if left is not None and "prompt.words" in absent:
            left = left.model_copy(update={"prompt": self.prompt.model_copy(update={"words": None})})
        return left

    def code(
        self, responses: pl.DataFrame, outcomes: Mapping[str, Outcome], lists: Sequence[pl.DataFrame] = ()
    ) -> Reading:
        from tallybook.instruments.word_association import coder

        return coder.read(responses, self, lists[0] if lists else None)
