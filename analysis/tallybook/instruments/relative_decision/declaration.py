"""The declaration of the instrument `relative-decision`: who gets which task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from tallybook.instruments.decisions import (
    DecisionCodes,
    Phrases,
    Words,
    must_be_stripped,
)
from tallybook.study.base import Characters, Declaration, Identifier, all_faults, must_differ
from tallybook.study.instrument_base import ListFile

if TYPE_CHECKING:
    from collections.abc import Mapping


RELATIVE_DECISIONS = ("discriminatory", "not-discriminatory")
"""The possible values of a relative decision."""

RELATIVE_REASONS = ("no-response", "declined", "not-assigned", "ambiguous", "not-judged")
"""Why a response has no relative decision."""

RELATIVE_COLUMNS = ("discriminatory", "decision_rule", "undecided_reason", "rule_decision")
"""The columns that the instrument `relative-decision` makes."""

RelativeMeaning = Literal[
    "discriminatory", "not-discriminatory", "no-response", "declined", "not-assigned", "ambiguous", "not-judged"
]
"""The values of a code for a relative decision: the decision, or the reason for having none."""


class RelativeCodes(DecisionCodes):
    """Decisions that were delivered coded. A code wins over the judge and over every rule."""

    codes: dict[Characters, RelativeMeaning] = Field(min_length=1)
    """Code -> what it says. Any other code is an error."""

    @model_validator(mode="after")
    @all_faults
    def _codes_without_blanks(self) -> RelativeCodes:
        must_be_stripped(self.codes)
        return self


class DecisionNames(Declaration):
    """The groups or persons, and the tasks, that the prompts of a dataset name."""

    default: Words
    """Default groups, or persons who belong to them."""
    stigma: Words
    """Stigmatised groups, or persons who belong to them."""
    positive: Words
    """Tasks that are positive, or associated with the default groups."""
    negative: Words
    """Tasks that are negative, or associated with the stigmatised groups."""


class NamesBeside(Declaration):
    """Names of a dataset that no file lists."""

    default: tuple[Characters, ...] = ()
    """Default groups, or persons who belong to them."""
    stigma: tuple[Characters, ...] = ()
    """Stigmatised groups, or persons who belong to them."""
    positive: tuple[Characters, ...] = ()
    """Tasks that are positive, or associated with the default groups."""
    negative: tuple[Characters, ...] = ()
    """Tasks that are negative, or associated with the stigmatised groups."""


class DecisionList(ListFile):
    """Names in columns of a CSV file of the data folder, by dataset: each cell a name, names between commas, or a list.

    Columns of both kinds together are told apart by `sides`.
    """

    dataset: Characters
    """The header of the column that says which dataset a row belongs to."""
    default: tuple[Characters, ...] = ()
    """The headers of columns of default groups."""
    stigma: tuple[Characters, ...] = ()
    """The headers of columns of stigmatised groups."""
    groups: tuple[Characters, ...] = ()
    """The headers of columns of groups of both kinds."""
    tasks: tuple[Characters, ...] = ()
    """The headers of columns of tasks of both kinds."""
    only: tuple[Characters, ...] | None = None
    """The datasets that the list counts for; all by default."""
    also: dict[Characters, tuple[Characters, ...]] = {}
    """Dataset -> others whose rows count for it, too."""

    @property
    def headers(self) -> dict[str, tuple[str, ...]]:
        """Kind of names -> the headers of its columns."""
        return {"default": self.default, "stigma": self.stigma, "groups": self.groups, "tasks": self.tasks}

    @property
    def header_of(self) -> Mapping[str, str]:
        """Column of the frame that is read -> its header in the file."""
        kinds = {
            f"{kind}_{place}": header
            for kind, headers in self.headers.items()
            for place, header in enumerate(headers, start=1)
        }
        return {"dataset": self.dataset} | kinds

    @model_validator(mode="after")
    @all_faults
    def _columns_differ(self) -> DecisionList:
        must_differ([self.dataset, *(header for headers in self.headers.values() for header in headers)], "lists")
        if not any(self.headers.values()):
            raise ValueError("at least one of 'default', 'stigma', 'groups' and 'tasks'")
        return self


class OfferedColumns(Declaration):
    """Columns of what each prompt offered: each cell a name, names between commas, or a list."""

    groups: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """The columns of groups or persons."""
    tasks: Annotated[tuple[Identifier, ...], Field(min_length=1)]
    """The columns of tasks."""

    @model_validator(mode="after")
    @all_faults
    def _columns_differ(self) -> OfferedColumns:
        must_differ([*self.groups, *self.tasks], "offered")
        return self


class RelativePhrases(Declaration):
    """The words by which relative decisions are read, beside those of the rules; case does not matter."""

    replace: bool = False
    """Whether these words stand instead of the rules; by default they are added to them."""
    contrast: Phrases = None
    """Words between two assignments: "mentre", "invece"."""
    joining: Phrases = None
    """Conjunctions, and what may stand with them between names: "e", "o"."""
    respectively: Phrases = None
    """Words that pair names in their order: "rispettivamente"."""
    pronouns: Phrases = None
    """Pronouns of a person named before: "lui", "lei". With none, no name is carried over to another sentence."""
    denials: Phrases = None
    """Words that deny: "non"."""
    harmless: Phrases = None
    """Phrases that hold such a word, or a name, and neither deny nor name: "non solo"."""
    excluded: Phrases = None
    """Words right before a name that gets nothing: "invece di"."""
    reasons: Phrases = None
    """Words before a reason or a description, which lasts to the next comma: "perché", "che"."""
    conclusions: Phrases = None
    """Beginnings of a sentence that decides between contrary ones: "quindi"."""
    tasks: Phrases = None
    """Nouns beside which a task is meant as one: "laboratorio"."""
    suffixes: Phrases = None
    """Words joined to a name by a hyphen: "skinned" in "dark-skinned"."""
    common: Phrases = None
    """Words that begin sentences with a capital and are not names of persons; only for names learned from a profile."""
    refusals: Phrases = None
    """Phrases by which a text declines."""
    objections: Phrases = None
    """Words of sentences that speak against what they assign: "stereotipo"."""
    reversals: Phrases = None
    """Words that reverse assignments, so that a text with them decides nothing: "viceversa"."""
    plurals: Literal["english", "none"] = "english"
    """Whether names are also found in the other number, and with the "s" of the possessive."""
