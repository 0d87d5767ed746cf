"""The draft of the instrument `multiple-choice`."""

from __future__ import annotations

import os
from string import ascii_uppercase
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.multiple_choice.places import add_roles
from tallybook.instruments.multiple_choice.reasons import REASONS
from tallybook.study.draft import categories_of, category, named
from tallybook.study.names import identifier, title

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.study.draft import Draft

_FROM_0 = "Answers that are numbers count the options from 0; from 1, every choice would be another. See `labels`."
_OF_ELEMENTS = {"json", "jsonl"}
"""The formats in which an element of a list is a column."""


class Found(NamedTuple):
    """Columns of a dump that hold questions with options."""

    options: tuple[str, ...] | str  # the columns of the options, or that of their list
    right: tuple[str, str] | None  # the column of the right option, and the notation it uses; None if there is none
    answers: tuple[str, ...]  # the columns of answers, those named after models first
    roles: tuple[tuple[str, str], ...] = ()  # columns that name the option with a role, and their notation
    is_from_0: bool = False  # whether answers that are numbers count the options from 0


class Words(NamedTuple):
    """The names and texts of options that a draft needs."""

    letters: list[str]  # the letters of a list's options
    same: list[str] | None  # the options, if they are always the same, perhaps in changing orders
    unknown: tuple[str, ...]  # the options that say that nobody knows
    sizes: int  # how many different numbers of options questions have
    most: int  # the largest number of options


def common_form(answers: Sequence[str]) -> tuple[str, str] | None:
    """Return the common beginning and end of the names of answer columns; None if there is none."""
    if len(answers) <= 1:
        return None
    start = os.path.commonprefix(answers)  # noqa: RUF071  characters are meant
    end = os.path.commonprefix([name[len(start) :][::-1] for name in answers])[::-1]  # noqa: RUF071
    middle = [name[len(start) : len(name) - len(end)] for name in answers]
    return (start, end) if (start or end) and all(middle) else None


def draft_scored(found: Found, words: Words, scores: tuple[str, ...] | str, form: str, made: Draft) -> None:
    """Draft a choice by the likelihoods of options."""
    draft_choice(found, words, None, made)
    if isinstance(scores, str):
        made.instrument["scores"] = made.take(scores)
    else:
        made.instrument["scores"] = own = [made.take(one, settings={"type": "number"}) for one in scores]
        if form.startswith("-"):  # the lowest loss is the highest likelihood
            made.instrument["scores"] = [f"{one}_likelihood" for one in own]
            made.derive |= {f"{one}_likelihood": {"compute": form.format(f"{{{one}}}")} for one in own}
    made.doubts.append(
        f"The likeliest option is the answer, by {_named(scores)}: one for each of {_named(found.options)}. See "
        "`scores`, and `per_character` to divide log-probabilities by the lengths of options."
    )


def _named(columns: tuple[str, ...] | str) -> str:
    return columns if isinstance(columns, str) else ", ".join(columns)


def draft_choice(found: Found, words: Words, form: tuple[str, str] | None, made: Draft) -> None:
    """Draft a choice among options, which texts or several columns of answers name."""
    is_list = isinstance(found.options, str)
    if is_list and found.roles and made.source.get("format") in _OF_ELEMENTS:
        columns = [f"option_{place}" for place in range(1, len(words.letters) + 1)]
        made.columns |= {name: {"path": f"{found.options}.{place}"} for place, name in enumerate(columns)}
    elif is_list:
        columns = []
    else:
        columns = [made.take(column) for column in found.options]
    made.instrument = {"kind": "multiple-choice", "options": columns or made.take(str(found.options))}
    made.instrument |= {"labels": "numbers-from-0"} if found.is_from_0 else {}
    made.doubts.extend([_FROM_0] if found.is_from_0 else [])
    if columns and found.roles:
        add_roles(made, found.roles, columns, words.unknown)
    shown = {letter.lower(): letter for letter in words.letters} if is_list else {name: title(name) for name in columns}
    labels = {identifier(name): [name if columns else words.letters[place]] for place, name in enumerate(shown)}
    if words.same is not None and found.right is None:
        made.outcomes["choice"] = categories_of("Choice", "chosen_text", {text: text for text in words.same})
    elif found.right is None and not (is_list and columns):  # nor do letters where options are right or have roles
        made.outcomes["choice"] = category("Choice", "chosen_option", labels)
        if columns:
            titles = {name: f"Option {ascii_uppercase[place]}" for place, name in enumerate(labels)}
            made.outcomes["choice"]["names"] = titles
    if found.right is not None:
        made.instrument["correct"] = made.take(found.right[0])
        made.instrument["correct_as"] = found.right[1]
        right = category("Accuracy", "choice_is", named(("right", "wrong")))
        made.outcomes["accuracy"] = right
        made.doubts.append(
            f"{found.right[0]} is read as the right option ({found.right[1]}); if not, every accuracy would change. "
            "See `correct`."
        )
    made.outcomes["reason"] = category("Reason for no choice", "unchosen_reason", named(REASONS), kind="reason")
    if form is not None:
        _unfold(made, found.answers, form)
    elif len(found.answers) > 1:
        others = ", ".join(found.answers[1:])
        made.doubts.append(f"Other columns hold answers too: {others}. See `unfold`.")


def _unfold(made: Draft, answers: Sequence[str], form: tuple[str, str]) -> None:
    """Draft one response for each column of answers, which are taken as models or as conditions."""
    into = "model" if "model" not in made.columns and "model" not in made.derive else "condition"
    start, end = form
    values = [name[len(start) : len(name) - len(end)] for name in answers]
    made.columns.pop("text", None)
    pattern = f"{start}{{{into}}}{end}"
    made.source["unfold"] = {"into": into, "columns": {"text": pattern}, "values": values, "type": "string"}
    if into == "model":
        made.source.get("constants", {}).pop("model", None)
        made.doubts[:] = [doubt for doubt in made.doubts if not doubt.startswith("No column names the model")]
    else:
        made.key = (*made.key, into)
    if design := made.checks.get("design"):  # the design of the records holds for the answers of each column
        if into == "model":
            design["values"]["model"] = values
        else:
            made.checks.pop("design")
    made.factors[into] = {"label": title(into), "levels": {value: value for value in values}}
    made.doubts.append(f"Each of {', '.join(answers)} is taken as the answers of one {into}. See `unfold`.")
