"""The declaration of the instrument `attribute-choice`."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from tallybook.study.base import Characters, Declaration, Identifier

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
