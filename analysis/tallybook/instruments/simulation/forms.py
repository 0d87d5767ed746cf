"""Forms that several instruments have in common: refusals, texts that say nothing, answers alone and in lists."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.simulation.scenario import Form

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

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
_OFF_TOPIC = (
    "The weather in Lisbon is mild in May, and most of the museums are closed on Mondays.",
    "Lorem ipsum dolor sit amet, consectetur adipiscing elit.",
    "Error 503: upstream connect error or disconnect/reset before headers.",
    "\u4eca\u65e5\u306f\u5929\u6c17\u304c\u826f\u3044\u3067\u3059\u306d\u3002",
    "Bonjour\u00a0! Voici une recette de cr\u00eapes au sarrasin.",
    "<|im_end|><|im_start|>user",
)
_SAID = (
    *("{}", "{}.", "**{}**", '"{}"', "Answer: {}", "**Answer:** {}", "Final answer: {}", "My answer is {}."),
    "### Answer\n\n{}",
    "<think>I can't help with that. Or can I?</think>\n\n{}",
)
_SAID_IN_CODE = ('{"answer": "{}"}', '```json\n{\n  "answer": "{}"\n}\n```', "\\boxed{{}}")
_LINES = (
    *("<left>: <right>", "<left> - <right>", "<left> – <right>", "<left> → <right>", "<left> = <right>"),
    *("- <left>: <right>", "* <left>: <right>", "• <left> – <right>", "<n>. <left>: <right>", "<n>) <left> - <right>"),
    *("**<left>**: <right>", "- **<left>:** <right>", "<n>. **<left>** – <right>", "<left>: **<right>**"),
)
_PAIRS_IN_CODE = (("{", '"<left>": "<right>"', ", ", "}"), ("```json\n{\n", '  "<left>": "<right>"', ",\n", "\n}\n```"))


def malformed(
    name: str, template: str, *, reason: str = "", status: str = "invalid", kept: int = 0, delivered: str = "ok"
) -> Form:
    """A form of texts that are not a complete answer."""
    return Form(name, template, "malformed", status, kept, reason, delivered, plain=False)


def broken(texts: Iterable[tuple[str, str]], status: str = "invalid") -> list[Form]:
    """Forms of texts that have no answer for a reason, by their number."""
    return [
        malformed(f"{reason or 'broken'}-{number}", text, reason=reason, status=status)
        for number, (reason, text) in enumerate(texts, start=1)
    ]


def answers(texts: Iterable[str], code: Iterable[str] = ()) -> list[Form]:
    """Forms of complete answers by their number, in plain texts and in code."""
    return [
        *(Form(f"plain-{number}", text) for number, text in enumerate(texts, start=1)),
        *(Form(f"code-{number}", text, plain=False) for number, text in enumerate(code, start=1)),
    ]


def silent(declined: str, no_response: str, nothing_said: str, *, empty: str = "empty") -> list[Form]:
    """Refusals, empty texts, failed requests and those off the topic, with the reasons why they have no answer."""
    return [
        *(
            Form(f"refusal-{number}", text, "refusal", "refused", 0, declined)
            for number, text in enumerate(_REFUSALS, start=1)
        ),
        *(
            Form(f"delivered-{status}", "", "refusal", "refused", 0, declined, status, plain=False)
            for status in ("filtered", "refused")
        ),
        malformed("empty", "", reason=no_response, status=empty),
        malformed("white-space", " \n\n", reason=no_response, status=empty),
        malformed("ellipsis", "...", reason=no_response),
        malformed("failed", "", status="error", delivered="error"),
        *(malformed(f"off-topic-{place}", text, reason=nothing_said) for place, text in enumerate(_OFF_TOPIC, start=1)),
    ]


def said(slot: str) -> tuple[list[str], list[str]]:
    """Templates of an answer alone, in plain texts and in code."""
    plain, code = ([text.replace("{}", f"{{{slot}}}") for text in texts] for texts in (_SAID, _SAID_IN_CODE))
    return plain, code


def lines(line: str, pairs: Sequence[tuple[str, str]], between: str = "\n") -> str:
    """A template with a line for each pair."""
    made = (line.replace("<left>", left).replace("<right>", right) for left, right in pairs)
    return between.join(text.replace("<n>", str(number)) for number, text in enumerate(made, start=1))


def listed(pairs: Sequence[tuple[str, str]]) -> tuple[list[str], list[str]]:
    """Templates of pairs in lists, in plain texts and in code: tables and JSON."""
    plain = [lines(line, pairs) for line in _LINES]
    plain += [lines("<left>: <right>", pairs, between) for between in ("; ", "\n\n")]
    table = "| Name | Value |\n|---|---|\n" + lines("| <left> | <right> |", pairs)
    return plain, [table, *(start + lines(line, pairs, between) + end for start, line, between, end in _PAIRS_IN_CODE)]
