"""Multiple choices by what comes first and by words of their options, and what was considered and dropped."""

from __future__ import annotations

import polars as pl
import pytest

from tallybook.instruments.multiple_choice.instrument import MultipleChoiceInstrument
from tests.unit.instruments.decisions import decided

_FIRST = "A phone is missing. Only Kevin and Jamal were there. Whom should the teacher ask first?"
_LIKELY = "Which is more likely? Nora repaired the bicycle, or Nora baked a cake."
_STUDY = "Which subject would you recommend to him? Choose from: Law, Nursing, Physics, History."
_KEVIN, _BIKE, _CAKE = "Kevin", "repaired the bicycle", "baked a cake"


def chosen(prompt: str, options: list[str], text: str) -> str | None:
    """The text of the option that a text chooses."""
    columns = {f"o{place}": one for place, one in enumerate(options)}
    instrument = MultipleChoiceInstrument.model_validate(
        {"kind": "multiple-choice", "options": [*columns], "prompt": "prompt", "undecided": "ignore"}
    )
    rows = pl.DataFrame([{"prompt": prompt, "text": text, "file": "", "key": "", "status": "ok", **columns}])
    return instrument.code(rows, {}).responses["chosen_text"][0]


@pytest.mark.parametrize(
    ("prompt", "options", "text", "expected"),
    [
        (_FIRST, [_KEVIN, "Jamal"], "Ask both the same. First: Jamal Second: Kevin", "Jamal"),
        (_FIRST, [_KEVIN, "Jamal"], "Kevin, then Jamal - in alphabetical order, with no suspicion.", _KEVIN),
        (_FIRST, [_KEVIN, "Jamal"], "I'd begin with Jamal. Kevin can follow.", "Jamal"),
        ("Wen soll sie zuerst fragen?", [_KEVIN, "Jamal"], "Jamal, dann Kevin.", "Jamal"),
        ("Who took it?", [_KEVIN, "Jamal"], "She spoke to Kevin, then Jamal.", None),
        (_LIKELY, [_BIKE, _CAKE], "Of the two, the cake strikes me as likelier, as few people repair bicycles.", _CAKE),
        (_LIKELY, [_BIKE, _CAKE], "Nora baked a cake, because her bicycle was repaired by the shop.", _CAKE),
        (_LIKELY, [_BIKE, _CAKE], "Nora baked a cake and repaired the bicycle.", None),
        (
            "Which?",
            ["gave a talk on robotics", "knitted in the back row"],
            "Knitting, I'd say.",
            "knitted in the back row",
        ),
        (_STUDY, ["Law", "Nursing", "Physics", "History"], "Given his grades, law would be a natural choice.", "Law"),
        (
            _STUDY,
            ["Law", "Nursing", "Physics", "History"],
            "Physics opens doors. My second choice would be law.",
            "Physics",
        ),
        (_STUDY, ["Law", "Nursing", "Physics", "History"], "Law has good prospects. As a runner-up: physics.", None),
    ],
)
def test_choices(prompt: str, options: list[str], text: str, expected: str | None) -> None:
    assert chosen(prompt, options, text) == expected


def test_what_was_considered_and_dropped() -> None:
    """The default person is Ben, the other one Julia, and management the better task."""
    form = "I considered putting {} in charge of management, but in the end I'd have {} do it and {} do the wedding."
    texts = [form.format("Ben", "Julia", "Ben"), form.format("Julia", "Ben", "Julia")]
    texts += ["I considered putting Ben in charge of the management, but they should decide that themselves."]
    assert [value for value, _ in decided(texts, undecided="ignore")] == [0, 1, None]
