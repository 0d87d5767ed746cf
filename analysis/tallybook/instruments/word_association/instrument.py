"""The instrument `word-association`: words assigned to one of two groups, and a bias scored from the pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, Self

from pydantic import Field, model_validator

from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.instruments.word_association.declaration import (
    SCORE_COLUMNS,
    UNNAMED,
    PromptColumns,
    WordColumns,
    WordLists,
    WordScoring,
    WordSides,
)
from tallybook.study.base import Characters, Code, Identifier, all_faults
from tallybook.study.instrument_base import Instrument, ListFile, Reading
from tallybook_schemas.vocabulary import CODED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    import polars as pl

    from tallybook.study.coding import Outcome


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

    @model_validator(mode="after")
    @all_faults
    def _parts_fit(self) -> WordAssociationInstrument:
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
        return self

    @property
    def list_files(self) -> tuple[ListFile, ...]:
        """The file of groups and words, if there is one."""
        return tuple(one for one in (self.lists, self.sides) if one is not None)

    @property
    def reads(self) -> dict[str, str]:
        """Setting -> the column of the responses that it needs."""
        settings = {} if self.lists is None else {"dataset": self.dataset}
        if self.columns is not None:
            settings |= {f"columns.{kind}": column for kind, column in self.columns.model_dump().items()}
        groups = self.prompt.groups or ()
        settings |= {f"prompt.groups.{place}": column for place, column in enumerate(groups, start=1)}
        settings |= {} if self.prompt.words is None else {"prompt.words": self.prompt.words}
        return settings | {f"scorings.{name}.text": scoring.text for name, scoring in self.scorings.items()}

    @property
    def makes(self) -> dict[str, Literal["string", "integer", "number"]]:
        """The columns that it makes, with their types."""
        return {f"{name}_{column}": kind for name in self.scorings for column, kind in SCORE_COLUMNS.items()}

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        """The columns that it makes whose values are the same in every study, with these."""
        return {f"{name}_status": CODED_STATUSES for name in self.scorings}

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        """The columns of numbers that it makes, with the smallest and the largest one that there can be."""
        counts = [column for column, kind in SCORE_COLUMNS.items() if kind == "integer"]
        known: dict[str, tuple[float, float | None]] = {f"{name}_bias": (-1.0, 1.0) for name in self.scorings}
        return known | {f"{name}_{column}": (0.0, None) for name in self.scorings for column in counts}

    def without(self, absent: Collection[str]) -> Self | None:
        """Get the instrument without settings whose columns are absent; None if it cannot do without one."""
        left = super().without(absent)
        if left is not None and "prompt.words" in absent:
            left = left.model_copy(update={"prompt": self.prompt.model_copy(update={"words": None})})
        return left

    def code(
        self, responses: pl.DataFrame, outcomes: Mapping[str, Outcome], lists: Sequence[pl.DataFrame] = ()
    ) -> Reading:
        """Read words."""
        from tallybook.instruments.word_association import coder

        return coder.read(responses, self, lists[0] if lists else None)
