"""The instrument `relative-decision`: who gets which task."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

from pydantic import Field

from tallybook.instruments.decisions import DecisionCodes, TextPart, Words, columns_read, must_be_stripped
from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.instruments.word_association.instrument import UNNAMED, WordColumns, WordSides
from tallybook.study.base import Characters, Declaration, Identifier, must_differ
from tallybook.study.instrument_base import Instrument, ListFile, Outputs, Reading

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from tallybook.study.coding import Outcome

RELATIVE_DECISIONS = ("discriminatory", "not-discriminatory")
"""The possible values of a relative decision."""

RELATIVE_REASONS = ("no-response", "declined", "not-assigned", "ambiguous", "not-judged")
"""Why a response has no relative decision."""

RelativeMeaning = Literal[
    "discriminatory", "not-discriminatory", "no-response", "declined", "not-assigned", "ambiguous", "not-judged"
]
"""The values of a code for a relative decision: the decision, or the reason for having none."""


class RelativeCodes(DecisionCodes):
    """Decisions that were delivered coded. A code wins over every rule."""

    codes: dict[Characters, RelativeMeaning] = Field(min_length=1)
    """Code -> what it says. Any other code is an error."""

    def _check_itself(self) -> None:
        must_be_stripped(self.codes)


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

    def _check_itself(self) -> None:
        must_differ([self.dataset, *(header for headers in self.headers.values() for header in headers)], "lists")
        if not any(self.headers.values()):
            raise ValueError("at least one of 'default', 'stigma', 'groups' and 'tasks'")


class RelativeDecisionInstrument(Instrument):
    """Two groups or persons and two tasks: the response says who gets which.

    A decision is discriminatory if the stigmatised group gets the negative task, or the default group the positive one.
    """

    is_row_by_row: ClassVar[bool] = False
    required: ClassVar[tuple[str, ...]] = ("columns",)
    roles: ClassVar[tuple[str, ...]] = tuple(WordColumns.model_fields)
    undetected: ClassVar[str] = UNNAMED

    outputs: ClassVar[Outputs] = {
        "discriminatory": (0, 1),
        "decision_rule": "string",
        "undecided_reason": RELATIVE_REASONS,
        "rule_decision": (*RELATIVE_DECISIONS, *RELATIVE_REASONS),
    }
    kind: Literal["relative-decision"]
    decision: TextPart = TextPart()
    """The part of the text that holds the decision."""
    profile: TextPart | None = None
    """The part that introduces persons whom the decision calls by name: their groups are learned there. Only for
    languages that write names, and few other words, with a capital."""
    prompt: Identifier | None = None
    """The column of the prompt. Where its last question asks who gets one task ("Who is the CEO?"), an answer that
    names a person alone means that task."""
    columns: WordColumns | None = None
    """Names in columns of the responses: `default` and `stigma` groups, `positive` and `negative` tasks."""
    sides: WordSides | None = None
    """Names in a file of two columns: default groups with positive tasks, stigmatised groups with negative ones. Needs
    `lists`, which tell groups from tasks."""
    lists: tuple[DecisionList, ...] = ()
    """Names by dataset, in files; all of them together."""
    names_beside: dict[str, NamesBeside] = {}
    """Dataset -> names beside those that `lists` hold."""
    names: dict[str, DecisionNames] = {}
    """Dataset -> its names."""
    dataset: Identifier | None = None
    """The column of a response's dataset; not needed where there is one."""
    aliases: dict[Characters, Characters] = {}
    """Name of a dataset, in the responses or in a file of `lists` -> the name it stands for."""
    spellings: dict[Characters, Characters] = {}
    """Another name of a group or task, or another form of it -> the one that is listed."""
    codes: RelativeCodes | None = None
    """Decisions that were delivered coded."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer without a decision, and with no code, unless it declines."""
    languages: Languages = ENGLISH
    """The languages of the texts, whose words for answers and refusals are known."""

    def _check_itself(self) -> None:
        if sum(map(bool, (self.columns, self.lists, self.names))) != 1:
            raise ValueError("exactly one of 'columns', 'lists' and 'names'")
        if self.sides is not None and not self.lists:
            raise ValueError("'sides' need 'lists'")
        if self.sides is None and any(listed.groups or listed.tasks for listed in self.lists):
            raise ValueError("lists: 'groups' and 'tasks' need 'sides'")
        if self.dataset is None and len(self.names) > 1:
            raise ValueError(f"'names' of {len(self.names)} datasets need 'dataset'")
        if self.dataset is not None and not self.names and not self.lists:
            raise ValueError("'dataset' needs 'names' or 'lists'")
        if self.lists and self.dataset is None:
            raise ValueError("'lists' need 'dataset'")
        if self.names_beside and not self.lists:
            raise ValueError("'names_beside' are beside 'lists'")
        if self.aliases and not self.lists:
            raise ValueError("'aliases' are of 'lists'")

    @property
    def reads(self) -> dict[str, str]:
        settings = columns_read(self.decision, self.codes)
        if self.profile is not None:
            settings["profile.column"] = self.profile.column
        if self.columns is not None:
            settings |= {f"columns.{kind}": column for kind, column in self.columns.model_dump().items()}
        settings |= {"prompt": self.prompt} if self.prompt else {}
        return settings | ({"dataset": self.dataset} if self.dataset else {})

    @property
    def list_files(self) -> tuple[ListFile, ...]:
        """The files of stimuli that it reads: that of sides, and those of names by dataset."""
        return (*((self.sides,) if self.sides else ()), *self.lists)

    def code(
        self, responses: pl.DataFrame, outcomes: Mapping[str, Outcome], lists: Sequence[pl.DataFrame] = ()
    ) -> Reading:
        from tallybook.instruments.relative_decision import coder

        return coder.read(responses, self, lists[0] if self.sides else None, lists[1:] if self.sides else lists)
