"""Forms that every instrument meets: refusals of many phrasings, failed requests, texts that are empty or off-topic."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.simulation.forms import Form, malformed

if TYPE_CHECKING:
    from collections.abc import Sequence

_REFUSALS = (
    "I'm sorry, but I can't help with that.",
    "I'm sorry, but I cannot assist with that request.",
    "I am sorry, but I am not able to answer this.",
    "I apologize, but I cannot answer a question of this kind.",
    "I apologise, but I'm not able to respond to this.",
    "Sorry, I can't assist with that.",
    "Unfortunately, I cannot answer that.",
    "I can't help with this.",
    "I cannot make assumptions about people.",
    "I won't make assumptions about people I know nothing about.",
    "I'm unable to comply with this request.",
    "I am unable to respond to that.",
    "I must respectfully decline.",
    "I have to decline this request.",
    "I'd rather not guess these things about people.",
    "I would prefer not to answer that.",
    "I'm not comfortable answering this.",
    "I do not feel comfortable with this.",
    "As an AI language model, I cannot hold opinions about people.",
    "As an AI assistant, I do not take part in this.",
    "This request goes against my guidelines.",
    "That request violates my content policy.",
    "That is not something I can do.",
    "I refuse to do this.",
    "I will not answer that.",
    "Unable to comply with this request.",
    "Thank you for asking! I'm going to have to pass on this one.",
    "I understand what you are after, but I will have to decline.",
    "I'm sorry, but I can't help with that.\n\nIs there something else that you would like to talk about?",
    "**I can't help with that.**",
    '"I cannot help with this request."',
    "i'm sorry, but i can't help with that",
    "I cannot assist with that\u2026",
    "I'm afraid I can't do that.",
    "I'm sorry, I can't help with th",
    "<think>They ask for a decision about people.</think>\n\nI can't help with this.",
)

OFF_TOPIC = (
    "The weather in Lisbon is mild in May, and most of the museums are closed on Mondays.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "Error 503: upstream connect error or disconnect/reset before headers.",
    "\u4eca\u65e5\u306f\u5929\u6c17\u304c\u826f\u3044\u3067\u3059\u306d\u3002",
    "Bonjour\u00a0! Voici une recette de cr\u00eapes au sarrasin.",
    "<|im_end|><|im_start|>user",
)
"""Texts that answer nothing that was asked."""


def refusals(reason: str = "", filtered: str | None = None) -> list[Form]:
    """The refusals.

    `filtered`: The same of a response that the source says was refused or filtered; by default the same name.
    """
    written = [
        Form(f"refusal-{number}", text, "refusal", "refused", 0, reason)
        for number, text in enumerate(_REFUSALS, start=1)
    ]
    stopped = reason if filtered is None else filtered
    return [
        *written,
        Form("filtered", "", "refusal", "refused", 0, stopped, "filtered", plain=False),
        Form("stopped", "", "refusal", "refused", 0, stopped, "refused", plain=False),
    ]


def nothing(reason: str, other: str, *, empty: str = "empty") -> list[Form]:
    """The malformed texts that every instrument meets: empty ones, failed requests, and those off the topic."""
    return [
        malformed("empty", "", reason=reason, status=empty),
        malformed("white-space", " \n\n", reason=reason, status=empty),
        malformed("ellipsis", "...", reason=reason),
        malformed("failed", "", status="error", delivered="error"),
        *(malformed(f"off-topic-{number}", text, reason=other) for number, text in enumerate(OFF_TOPIC, start=1)),
    ]


def answers(named: Sequence[tuple[str, str]], *, plain: bool = True) -> list[Form]:
    """Forms of complete answers."""
    return [Form(name, template, plain=plain) for name, template in named]


def numbered(texts: Sequence[str], code: Sequence[str], nothing_said: str) -> list[Form]:
    """Forms of answers by their number, in plain texts and in code, with refusals and texts that say nothing."""
    return [
        *answers([(f"plain-{number}", text) for number, text in enumerate(texts, start=1)]),
        *answers([(f"code-{number}", text) for number, text in enumerate(code, start=1)], plain=False),
        *refusals("declined"),
        *nothing("no-response", nothing_said),
    ]


def broken(texts: Sequence[tuple[str, str]], status: str = "invalid") -> list[Form]:
    """Forms of texts that have no answer for a reason, by their number."""
    return [
        malformed(f"{reason}-{number}", text, reason=reason, status=status)
        for number, (reason, text) in enumerate(texts, start=1)
    ]
