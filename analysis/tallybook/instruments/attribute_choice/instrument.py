"""The instrument `attribute-choice`: which of its options a response chooses."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self, get_args

from pydantic import Field

from tallybook.instruments.languages import ENGLISH, Languages
from tallybook.study.base import Characters, Code, ColumnType, Declaration, Identifier, require_declared
from tallybook.study.instrument_base import Instrument
from tallybook_schemas.vocabulary import CHOICE_COLUMNS, REASONS

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping


Given = Literal["positive", "negative"]
"""The polarity of what a prompt gives."""

Polarity = Literal["positive", "negative", "neutral"]
"""The polarity of an option."""


class ChoicePhrases(Declaration):
    """The words by which texts are read, beside those of the rules; case does not matter."""

    replace: bool = False
    """Whether these words stand instead of the rules; by default they are added to them."""
    answer: tuple[Characters, ...] | None = None
    """Phrases in front of an answer: "la risposta è"."""
    contrary: tuple[Characters, ...] | None = None
    """Words beside which a mentioned option does not count as the answer: "non", "più"."""
    refusal: tuple[Characters, ...] | None = None
    """Phrases by which a text declines: "non posso"."""
    awareness: tuple[Characters, ...] | None = None
    """Phrases by which a text objects to stereotypes, or to every option: "stereotip", "nessuna delle opzioni"."""
    no_response: tuple[Characters, ...] | None = None
    """Texts that stand for no response: "nessuna risposta"."""
    numbers: dict[Characters, Annotated[str, Field(pattern=r"^[0-9]+$")]] | None = None
    """Word -> number: "ventisei" -> "26". Case, hyphens and white space do not matter."""


class HandCodes(Declaration):
    """Responses coded by people. A hand code wins over every rule; a blank one is ignored."""

    column: Identifier
    """The column of the codes."""
    codes: dict[Characters, Identifier] = Field(min_length=1)
    """Code -> the option that was chosen, or the reason why none was. Any other code is an error."""


class AttributeChoiceInstrument(Instrument):
    """A choice among options, given in words: each row of the responses holds the texts of its own options."""

    required: ClassVar[tuple[str, ...]] = ("options",)
    undetected: ClassVar[str] = (
        "no column, no answers that repeat and no words that all prompts offer look like options"
    )

    kind: Literal["attribute-choice"]
    options: dict[Identifier, Identifier] = Field(min_length=2)
    """Option -> the column that holds its text."""
    prompt: Identifier | None = None
    """The column of the prompt. Where it offers the options, with letters or numbers or in words, answers by these or
    by their order are read; where it has a gap ("He is ___."), its sentence with an option in it is a choice; where its
    last question asks who did something ("Who forgot the rent?"), so is a sentence that says it of an option; where it
    asks who has a role ("Who is the CEO?"), what a text says of another role chooses nothing."""
    context: Identifier | None = None
    """The column of the sentence that was to be completed. Without it, no answer is found as a completed sentence or as
    words of the sentence."""
    blank: Characters = "BLANK"
    """The placeholder of the missing words in the sentence."""
    given: Identifier | None = None
    """The column with the polarity of what was given, `positive` or `negative`."""
    polarity: dict[Given, dict[Identifier, Polarity]] = {}
    """Polarity of what was given -> option -> the option's polarity; needs `given`."""
    match: Literal["exact", "tolerant"] = "tolerant"
    """Whether a text must equal an option to the letter, or by the rules of attribute choices."""
    shown: Annotated[tuple[Identifier, ...], Field(min_length=1)] | Identifier | None = None
    """The order in which the options were shown, or a column that holds it as names divided by commas, semicolons, bars
    or white space. Without it, and without labels in the prompt, a number or letter alone chooses nothing."""
    hand: HandCodes | None = None
    """Responses coded by people."""
    unmatched: Literal["report", "error", "ignore"] = "report"
    """The status of an answer that is not an option and has no hand code, unless it declines."""
    languages: Languages = ENGLISH
    """The languages of the texts, whose words for answers and refusals are known."""
    phrases: ChoicePhrases = ChoicePhrases()

    def _check_itself(self) -> None:
        """Check that options named in other settings exist, and that `shown` and `polarity` cover all options."""
        if len(set(self.options.values())) < len(self.options):
            raise ValueError("options: two options have the same column")
        if taken := set(self.options) & {*REASONS, "option"}:
            raise ValueError(f"options: {min(taken)!r} is why a response has no option; choose another name")
        if isinstance(self.shown, tuple) and sorted(self.shown) != sorted(self.options):
            raise ValueError(f"shown: must name every option once: {', '.join(self.options)}")
        if self.hand is not None:
            require_declared(self.hand.codes.values(), (*self.options, *REASONS), "hand.codes", "option or reason")
            if blank := [code for code in self.hand.codes if code != code.strip()]:
                raise ValueError(f"hand.codes: white space around the code {blank[0]!r}")
        self._check_polarity()

    def _check_polarity(self) -> None:
        if (self.given is None) != (not self.polarity):
            raise ValueError("'given' and 'polarity' need each other")
        for given in ("positive", "negative") if self.polarity else ():
            known = self.polarity.get(given, {})
            if absent := [option for option in self.options if option not in known]:
                raise ValueError(f"polarity.{given}: no polarity for option {absent[0]!r}")
            require_declared(known, self.options, f"polarity.{given}", "option")

    @property
    def reads(self) -> dict[str, str]:
        settings = {"kind": "text"} | {f"options.{option}": column for option, column in self.options.items()}
        settings |= {"context": self.context or "", "prompt": self.prompt or "", "given": self.given or ""}
        settings["shown"] = self.shown if isinstance(self.shown, str) else ""
        settings["hand.column"] = self.hand.column if self.hand else ""
        return {setting: column for setting, column in settings.items() if column}

    @property
    def makes(self) -> dict[str, ColumnType]:
        return {name: "string" for name in CHOICE_COLUMNS if self.polarity or name != "chosen_polarity"}

    @property
    def vocabulary(self) -> Mapping[str, tuple[Code, ...]]:
        known = {"invalid_reason": REASONS, "rule_reason": (*REASONS, "option")}
        return known | ({"chosen_polarity": get_args(Polarity)} if self.polarity else {})

    @property
    def known_values(self) -> Mapping[str, Collection[str]]:
        return {"given": self.polarity}

    def without(self, absent: Collection[str]) -> Self | None:
        """Return the instrument without settings whose columns are absent, and without `given` and `polarity`."""
        left = super().without(absent)
        return left and left.model_copy(update={"given": None, "polarity": {}})
