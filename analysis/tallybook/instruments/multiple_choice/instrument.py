"""The instrument `multiple-choice`: which of a question's options a response chooses, or why it chooses none."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

from pydantic import Field

from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.instruments.multiple_choice.reasons import REASONS
from tallybook.study.base import Characters, Code, ColumnType, Identifier, must_differ
from tallybook.study.instrument_base import Instrument

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl


PerOption = Annotated[tuple[Identifier, ...], Field(min_length=2)] | Identifier
"""Something that each option has: a column for each, or one column that holds a list."""

Labels = (
    Literal["any", "letters", "numbers", "numbers-from-0", "none"]
    | Annotated[tuple[Characters, ...], Field(min_length=2)]
)
"""The labels of the options in the prompt."""

Right = Literal["letter", "number", "number-from-0", "text", "column"]
"""The notation by which a column names an option."""


class MultipleChoiceInstrument(Instrument):
    """A question with options, which may differ from item to item, and be as many as there are."""

    required: ClassVar[tuple[str, ...]] = ("options",)
    undetected: ClassVar[str] = "no columns, no list and no prompt look like the options of a question"

    kind: Literal["multiple-choice"]
    options: PerOption
    """The columns of the options' texts, or one column that holds them as a list, or as the options that a
    prompt offers: "A) The nurse", "nurse or clerk?". An empty text is not an option."""
    shown: Identifier | None = None
    """The column of the order in which a shuffled question showed the options: the numbers, letters or columns of the
    options, as they follow one another. By default they were shown as `options` lists them."""
    labels: Labels = "any"
    """The labels of options, in the order shown: letters from A, numbers from 1 or 0, or other labels. `any` reads
    letters and numbers from 1."""
    prompt: Identifier | None = None
    """The column of the prompt, or of its question. An answer may say of an option what its last question asks: "Who
    was late?" - "Ann was late." By default that of `options`, if these are lettered in it."""
    correct: Identifier | None = None
    """The column that names the right option."""
    correct_as: Right = "letter"
    """The notation: the option's letter, number, text or column, whatever the order in which options were shown."""
    traits: dict[Identifier, PerOption] = {}
    """Attributes of options beside their texts, such as a role, `role = ["role_0", "role_1", "role_2"]`: its columns
    in the order of `options`, or one that holds a list. Each makes columns `chosen_role` and, with `correct`,
    `right_role`."""
    phrases: dict[Characters, tuple[Characters, ...]] = {}
    """An option's text, or a value of the first trait -> other wordings that mean this option: `unknown = ["not enough
    information"]`."""
    scores: PerOption | None = None
    """The columns of the options' log-probabilities, or one column with a list: the option with the highest is chosen,
    whatever the text says."""
    per_character: bool = False
    """Whether the log-probabilities are divided by the lengths of the options' texts."""
    column: Identifier = "text"
    """The column that holds the text."""
    match: Literal["exact", "tolerant"] = "tolerant"
    """Whether a text must be a label or an option and nothing else, or may say more: "The answer is B, because ..."."""
    languages: Languages = ENGLISH
    """The languages of the texts, whose words for answers and refusals are known."""
    refusal_phrases: tuple[Characters, ...] | None = None
    """Phrases by which a text declines, instead of the rules in `tallybook.instruments.refusal`."""
    undecided: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that chooses no option, or several, unless it declines."""

    def _check_itself(self) -> None:
        if not isinstance(self.options, str):
            must_differ(self.options, "options")
            each = {f"traits.{trait}": columns for trait, columns in self.traits.items()} | {"scores": self.scores}
            for setting, columns in each.items():
                if columns is not None and not isinstance(columns, str) and len(columns) != len(self.options):
                    raise ValueError(f"{setting}: {len(columns)} columns for {len(self.options)} options")
        elif self.correct_as == "column":
            raise ValueError("correct_as: a list of options has no columns")
        if taken := {"option", "place", "text"} & self.traits.keys():
            raise ValueError(f"traits: 'chosen_{min(taken)}' is made of every choice; choose another name")

    @property
    def reads(self) -> dict[str, str]:
        """Setting -> the column of the responses that it needs."""
        several = {"options": self.options, "scores": self.scores or ()}
        several |= {f"traits.{trait}": columns for trait, columns in self.traits.items()}
        needed: dict[str, str] = {}
        for setting, columns in several.items():
            if isinstance(columns, str):
                needed[setting] = columns
            else:
                needed |= {f"{setting}.{place}": column for place, column in enumerate(columns, start=1)}
        single = {"column": None if self.scores else self.column, "shown": self.shown, "correct": self.correct}
        single |= {"prompt": self.prompt}
        return needed | {setting: column for setting, column in single.items() if column}

    @property
    def makes(self) -> dict[str, ColumnType]:
        """The columns that it makes, with their types."""
        made: dict[str, ColumnType] = {"chosen_option": "string", "chosen_place": "integer", "chosen_text": "string"}
        texts = [f"chosen_{trait}" for trait in self.traits]
        if self.correct is not None:
            texts += ["choice_is", *(f"right_{trait}" for trait in self.traits)]
        made.update(dict.fromkeys([*texts, "choice_rule", "unchosen_reason"], "string"))
        return made

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        """The columns that have the same values in every study, with these values."""
        return {"unchosen_reason": REASONS} | ({"choice_is": ("right", "wrong")} if self.correct else {})

    @property
    def limits(self) -> Mapping[str, tuple[float, float | None]]:
        """The numeric columns that it makes, with their minimum and maximum."""
        return {"chosen_place": (1, None if isinstance(self.options, str) else len(self.options))}

    @classmethod
    def answers(cls, records: pl.DataFrame) -> tuple[str, ...]:
        """List the columns that hold answers, naming an option of their row, except that of the right option."""
        from tallybook.instruments.multiple_choice import detection

        found = detection.look(cls, records)
        return () if found is None else found.answers
