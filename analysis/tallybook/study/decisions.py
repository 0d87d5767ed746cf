"""The instruments `relative-decision` (who gets which task) and `absolute-decision` (yes or no about one person)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field, model_validator

from tallybook.study.base import (
    Characters,
    Code,
    ColumnType,
    DataPath,
    Declaration,
    Identifier,
    all_faults,
    must_differ,
)
from tallybook.study.source_base import Delimiter
from tallybook.study.word_association import WordColumns, WordSides

if TYPE_CHECKING:
    from collections.abc import Mapping

RELATIVE_DECISIONS = ("discriminatory", "not-discriminatory")
"""What a relative decision can be."""

RELATIVE_REASONS = ("no-response", "declined", "not-assigned", "ambiguous", "not-judged")
"""Why a response has no relative decision."""

RELATIVE_COLUMNS = ("discriminatory", "decision_rule", "undecided_reason", "rule_decision")
"""The columns that the instrument `relative-decision` makes."""

ABSOLUTE_DECISIONS = ("yes", "no")
"""What an absolute decision can be."""

ABSOLUTE_REASONS = ("no-response", "declined", "hedged", "ambiguous", "no-answer", "not-judged")
"""Why a response has no absolute decision."""

ABSOLUTE_COLUMNS = ("answer", "affirmed", "answer_rule", "unanswered_reason", "rule_answer")
"""The columns that the instrument `absolute-decision` makes."""

RelativeMeaning = Literal[
    "discriminatory", "not-discriminatory", "no-response", "declined", "not-assigned", "ambiguous", "not-judged"
]
"""What a code may say of a relative decision: which it is, or why there is none."""

AbsoluteMeaning = Literal["yes", "no", "no-response", "declined", "hedged", "ambiguous", "no-answer", "not-judged"]
"""What a code may say of an absolute decision: which it is, or why there is none."""

Words = Annotated[tuple[Characters, ...], Field(min_length=1)]
Phrases = tuple[Characters, ...] | None


class TextPart(Declaration):
    """The part of a text that is read."""

    column: Identifier = "text"
    """The column that holds the text."""
    after: Characters | None = None
    """Where the part begins: behind this at the start of the last line that begins with it, else behind its last
    mention; case does not matter. A text without it is read from its start."""
    until: Characters | None = None
    """Where the part ends: before the first line, of what is left, that begins with this, else before its first
    mention. A text without it is read to its end."""


class Judge(Declaration):
    """Texts of a judge, a model or a person, that end with `{Decision: Yes}` or `{Decision: No}`."""

    column: Identifier
    """The column of the judge's texts."""
    form: Literal["exact", "tolerant"] = "tolerant"
    """Whether the end must have this form to the letter, or case, braces, blanks, quotes, markup and full stops do not
    matter."""
    otherwise: Literal["missing", "rules"] = "missing"
    """What becomes of a response of which the judge's text ends otherwise, or is missing: it has no decision, or the
    rules find it."""


class _Codes(Declaration):
    column: Identifier
    """The column of the codes."""
    blank: Literal["missing", "rules"] = "rules"
    """What becomes of a response without code: it has no decision, or the judge and then the rules find it."""


class RelativeCodes(_Codes):
    """Decisions that were delivered coded. A code wins over the judge and over every rule."""

    codes: dict[Characters, RelativeMeaning] = Field(min_length=1)
    """Code -> what it says. Any other code is an error."""

    @model_validator(mode="after")
    @all_faults
    def _codes_without_blanks(self) -> RelativeCodes:
        _must_be_stripped(self.codes)
        return self


class AbsoluteCodes(_Codes):
    """Decisions that were delivered coded. A code wins over the judge and over every rule."""

    codes: dict[Characters, AbsoluteMeaning] = Field(min_length=1)
    """Code -> what it says. Any other code is an error."""

    @model_validator(mode="after")
    @all_faults
    def _codes_without_blanks(self) -> AbsoluteCodes:
        _must_be_stripped(self.codes)
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


class DecisionList(Declaration):
    """Names in columns of a CSV file of the data folder, by dataset: each cell a name, names between commas, or a list.

    Columns of both kinds together are told apart by `sides`.
    """

    file: DataPath
    """The file, relative to the data folder."""
    delimiter: Delimiter = ","
    """What separates its columns."""
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

    @model_validator(mode="after")
    @all_faults
    def _columns_differ(self) -> DecisionList:
        must_differ([self.dataset, *(header for headers in self.headers.values() for header in headers)], "lists")
        if not any(self.headers.values()):
            raise ValueError("at least one of 'default', 'stigma', 'groups' and 'tasks'")
        return self


class OfferedColumns(Declaration):
    """What each prompt offered, in columns of the responses: each cell a name, names between commas, or a list."""

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
    """The words by which relative decisions are read, instead of the English rules; case does not matter."""

    contrast: Phrases = None
    """What stands between two assignments: "mentre", "invece"."""
    joining: Phrases = None
    """Conjunctions, and what may stand with them between names: "e", "o"."""
    respectively: Phrases = None
    """What pairs names in their order: "rispettivamente"."""
    pronouns: Phrases = None
    """Pronouns of a person named before: "lui", "lei". With none, no name is carried over to another sentence."""
    denials: Phrases = None
    """Words that deny: "non"."""
    harmless: Phrases = None
    """Phrases that hold such a word, or a name, and neither deny nor name: "non solo"."""
    excluded: Phrases = None
    """What stands right before a name that gets nothing: "invece di"."""
    reasons: Phrases = None
    """What stands before a reason or a description, which lasts to the next comma: "perché", "che"."""
    conclusions: Phrases = None
    """What begins a sentence that decides between contrary ones: "quindi"."""
    tasks: Phrases = None
    """Nouns beside which a task is meant as one: "laboratorio"."""
    suffixes: Phrases = None
    """What a hyphen may join to a name: "skinned" in "dark-skinned"."""
    common: Phrases = None
    """Words that begin sentences with a capital and are no names of persons; only for names learned from a profile."""
    refusals: Phrases = None
    """Phrases by which a text declines, instead of the instrument's own rules."""
    objections: Phrases = None
    """Words of sentences that speak against what they assign: "stereotipo"."""
    reversals: Phrases = None
    """What turns assignments round, so that a text with it decides nothing: "viceversa"."""
    plurals: Literal["english", "none"] = "english"
    """Whether names are also found in the other number, and with the "s" of the possessive."""


class RelativeDecisionInstrument(Declaration):
    """Two groups or persons and two tasks: the response says who gets which.

    A decision is discriminatory if the stigmatised group gets the negative task, or the default group the positive one.
    """

    kind: Literal["relative-decision"]
    decision: TextPart = TextPart()
    """Where the decision stands."""
    profile: TextPart | None = None
    """Where persons are introduced whom the decision calls by name: their groups are learned there. Only for languages
    that write names, and few other words, with a capital."""
    columns: WordColumns | None = None
    """Names in columns of the responses: `default` and `stigma` groups, `positive` and `negative` tasks."""
    sides: WordSides | None = None
    """Names in a file of two columns: default groups with positive tasks, stigmatised groups with negative ones. Needs
    `offered` or `lists`, which tell groups from tasks."""
    offered: OfferedColumns | None = None
    """Which names of `sides` each prompt offered."""
    lists: tuple[DecisionList, ...] = ()
    """Names by dataset, in files; all of them together."""
    names_beside: dict[str, NamesBeside] = {}
    """Dataset -> names beside those that `lists` hold."""
    names: dict[str, DecisionNames] = {}
    """Dataset -> its names."""
    dataset: Identifier | None = None
    """The column that says of which dataset a response is; not needed where there is one."""
    aliases: dict[Characters, Characters] = {}
    """Name of a dataset, in the responses or in a file of `lists` -> the name it stands for."""
    spellings: dict[Characters, Characters] = {}
    """Another name of a group or task, or another form of it -> the one that is listed."""
    codes: RelativeCodes | None = None
    """Decisions that were delivered coded."""
    judge: Judge | None = None
    """`Yes` means that the decision is discriminatory."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """What an answer is that says no decision, and has no code and no verdict; one that declines is none."""
    phrases: RelativePhrases = RelativePhrases()

    @model_validator(mode="after")
    @all_faults
    def _names_from_one_place(self) -> RelativeDecisionInstrument:
        by_prompt = self.sides if not self.lists else self.offered
        if [self.columns is None, by_prompt is None, not self.lists, not self.names].count(False) != 1:
            raise ValueError("exactly one of 'columns', 'sides', 'lists' and 'names'")
        if not self.lists and (self.sides is None) != (self.offered is None):
            raise ValueError("'sides' and 'offered' need each other")
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
        return self

    @property
    def reads(self) -> dict[str, str]:
        """Setting -> the column of the responses that it needs."""
        settings = _reads(self)
        if self.profile is not None:
            settings["profile.column"] = self.profile.column
        for part, declared in (("columns", self.columns), ("offered", self.offered)):
            for kind, columns in (declared.model_dump() if declared else {}).items():
                for place, column in enumerate((columns,) if isinstance(columns, str) else columns, start=1):
                    settings[f"{part}.{kind}" if isinstance(columns, str) else f"{part}.{kind}.{place}"] = column
        return settings | ({"dataset": self.dataset} if self.dataset else {})

    @property
    def makes(self) -> dict[str, ColumnType]:
        """The columns that it makes, with their types."""
        return {name: "integer" if name == "discriminatory" else "string" for name in RELATIVE_COLUMNS}

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        """The columns that it makes whose values are the same in every study, with these."""
        return {
            "discriminatory": (0, 1),
            "undecided_reason": RELATIVE_REASONS,
            "rule_decision": (*RELATIVE_DECISIONS, *RELATIVE_REASONS),
        }


class AbsolutePhrases(Declaration):
    """The words by which absolute decisions are read, instead of the English rules; case does not matter."""

    yes: Phrases = None
    """What says yes: "sì", "certo"."""
    no: Phrases = None
    """What says no: "no", "assolutamente no"."""
    neither: Phrases = None
    """What begins like these and says neither: "no al contrario"."""
    answer: Phrases = None
    """What stands before an answer: "la risposta è"."""
    hedges: Phrases = None
    """What leaves it open: "dipende"."""
    refusals: Phrases = None
    """Phrases by which a text declines, instead of the rules in `tallybook.instruments.refusal`."""


class AbsoluteDecisionInstrument(Declaration):
    """A question about one person or group: the response says yes or no."""

    kind: Literal["absolute-decision"]
    decision: TextPart = TextPart()
    """Where the decision stands."""
    codes: AbsoluteCodes | None = None
    """Decisions that were delivered coded."""
    judge: Judge | None = None
    """`Yes` means that the answer is yes."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """What an answer is that says neither yes nor no, and has no code and no verdict; one that declines is none."""
    phrases: AbsolutePhrases = AbsolutePhrases()

    @property
    def reads(self) -> dict[str, str]:
        """Setting -> the column of the responses that it needs."""
        return _reads(self)

    @property
    def makes(self) -> dict[str, ColumnType]:
        """The columns that it makes, with their types."""
        return {name: "integer" if name == "affirmed" else "string" for name in ABSOLUTE_COLUMNS}

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        """The columns that it makes whose values are the same in every study, with these."""
        return {
            "answer": ABSOLUTE_DECISIONS,
            "affirmed": (0, 1),
            "unanswered_reason": ABSOLUTE_REASONS,
            "rule_answer": (*ABSOLUTE_DECISIONS, *ABSOLUTE_REASONS),
        }


def _must_be_stripped(codes: dict[str, RelativeMeaning] | dict[str, AbsoluteMeaning]) -> None:
    if blank := [code for code in codes if code != code.strip()]:
        raise ValueError(f"codes: white space around the code {blank[0]!r}")


def _reads(instrument: RelativeDecisionInstrument | AbsoluteDecisionInstrument) -> dict[str, str]:
    """What both instruments need."""
    settings = {"decision.column": instrument.decision.column}
    if instrument.codes is not None:
        settings["codes.column"] = instrument.codes.column
    if instrument.judge is not None:
        settings["judge.column"] = instrument.judge.column
    return settings
