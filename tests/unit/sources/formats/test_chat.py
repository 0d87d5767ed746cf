"""What prompts, contents and errors of providers are as text."""

from __future__ import annotations

from typing import Any

import pytest

from tallybook.sources.formats import chat
from tallybook.sources.formats.chat import Answer

IMAGE = {"type": "image_url", "image_url": {"url": "data:"}}


@pytest.mark.parametrize(
    ("messages", "system", "expected"),
    [
        ("Why?", None, "Why?"),
        (["Why?"], None, "Why?"),
        (["Why?", "How?"], None, '["Why?", "How?"]'),
        (None, None, None),
        ([{"role": "user", "content": [{"type": "text", "text": "Why"}, {"type": "text", "text": "?"}]}], None, "Why?"),
        (
            [{"role": "user", "content": "Why?", "name": "Ann"}],
            None,
            '[{"role": "user", "content": "Why?", "name": "Ann"}]',
        ),
        ([{"role": "system", "content": "Why?"}], None, '[{"role": "system", "content": "Why?"}]'),
        ("Why?", "Be brief.", '[{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Why?"}]'),
        ({"a": 1}, "Be brief.", '{"system": "Be brief.", "messages": {"a": 1}}'),
    ],
)
def test_prompts(messages: Any, system: Any, expected: str | None) -> None:
    assert chat.prompt(messages, system) == expected


def test_a_prompt_with_an_image_is_more_than_its_text() -> None:
    asked = [{"role": "user", "content": [{"type": "text", "text": "Why?"}, IMAGE]}]
    assert (chat.prompt(asked) or "").startswith('[{"role": "user"')


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (None, (None, None)),
        ("", ("", None)),
        ([], (None, None)),
        (["So", {"text": "."}], ("So.", None)),
        ([{"type": "refusal", "refusal": "No."}], (None, "No.")),
        ([{"type": "reasoning", "text": "Hm"}, {"type": "output_text", "text": "So."}], ("So.", None)),
        ([{"type": "text", "text": None}], ("", None)),
    ],
)
def test_contents(content: Any, expected: tuple[str | None, str | None]) -> None:
    assert chat.content_text(content, "content") == expected


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (None, None),
        ("", None),
        ({}, None),
        ("Late", "Late"),
        ({"type": "x", "code": None, "message": "Late"}, "x: Late"),
        ({"code": 429}, "429"),
        ({"why": "late"}, '{"why": "late"}'),
    ],
)
def test_errors(error: Any, expected: str | None) -> None:
    assert chat.error_text(error) == expected


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Answer("So.", None, "stop"), "ok"),
        (Answer(" \n", None, "stop"), "empty"),
        (Answer(None, None, None), "empty"),
        (Answer(None, None, "length"), "truncated"),
        (Answer("So.", None, "unheard"), "ok"),
        (Answer("So.", "No.", "length"), "refused"),
    ],
)
def test_statuses(answer: Answer, expected: str) -> None:
    assert chat.status(answer) == expected


def test_words_of_a_refusal_stand_in_for_a_text_that_is_missing() -> None:
    assert Answer(None, "No.").words == "No."
    assert Answer("So.", "No.").words == "So."
