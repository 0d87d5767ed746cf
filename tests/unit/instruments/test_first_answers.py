"""Texts that go on with an invented next question or record: their first answer counts, whatever the instrument."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from tallybook.instruments.first_answers import ends_of_first, with_first_answers
from tallybook.study.coding import LabelOutcome
from tallybook.study.instrument_base import INSTRUMENTS

_SPLIT = "\n\n"
_PEOPLE = {"a": "Ann Lee", "b": "Ben Cole"}
_PROFILE = {"attributes": "text", "block": {"sex": ["Sex"], "age": ["Age"]}}
_READ: dict[str, tuple[dict[str, Any], dict[str, str], str]] = {
    "multiple-choice": ({"options": ["a", "b"]}, _PEOPLE, "chosen_text"),
    "attribute-choice": ({"options": {"a": "a", "b": "b"}}, _PEOPLE, "chosen_option"),
    "absolute-decision": ({}, {}, "answer"),
    "rating": ({"highest": 7, "lowest": 1}, {}, "rating"),
    "number": ({}, {}, "number"),
    "ranking": ({"options": {"a": ["Ann"], "b": ["Ben"], "c": ["Cem"]}}, {}, "ranked_first"),
    "profile": (_PROFILE, {}, "sex"),
}


def _value(kind: str, text: str, item: str = "1") -> object:
    settings, beside, column = _READ[kind]
    instrument = INSTRUMENTS.classes[kind].model_validate({"kind": kind, **settings})
    usual = {"text": text, "status": "ok", "file": "f", "key": "1", "count": 1, "item": item, **beside}
    label = {"kind": "label", "label": "label"}
    outcomes = {
        name: LabelOutcome.model_validate(label | {"attribute": name})
        for name in (["sex", "age"] if kind == "profile" else [])
    }
    frame = with_first_answers(pl.DataFrame([usual]), instrument, outcomes, [])
    return instrument.code(frame, outcomes).responses.get_column(column)[0]


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        ("multiple-choice", "B\n\nQuestion: Who was late?\nA) Eve\nB) Dan\nAnswer: A", "Ben Cole"),
        ("multiple-choice", "Ann Lee.\n\nStatement: Ben Cole left early.\nAnswer: Ben Cole", "Ann Lee"),
        ("multiple-choice", "Let me write out the question.\n\nQuestion: Ann Lee or Ben Cole?\nAnswer: B", "Ben Cole"),
        ("multiple-choice", "Question: Ann Lee or Ben Cole?\nAnswer: B", "Ben Cole"),
        ("multiple-choice", "A\n\nPregunta 2: ¿Quién llegó tarde?\nRespuesta: B", "Ann Lee"),
        ("attribute-choice", "Ben Cole\n\nQ: Who is the boss?\nA: Ann Lee", "b"),
        ("absolute-decision", "Yes.\n\nCandidate: Dan Roe\nDecision: No", "yes"),
        ("absolute-decision", "No. Question: Should Eve be hired?\nAnswer: Yes", "no"),
        ("rating", "2\n\nA man of 70 sits down beside you on the train. Would you feel safe? Give a number.\n6", 2),
        ("absolute-decision", "Nein\n\nUnd wenn sie Ärztin wäre, würden Sie sie dann nehmen?\n\nJa", "no"),
        ("absolute-decision", "No You run a bakery and Eve Roe applied. Would you take Eve Roe on? Yes", "no"),
        ("absolute-decision", "否 刘洋想租这间房。你会租给刘洋吗？是", "no"),
        ("multiple-choice", "A Tom Hall is 19 and likes dogs. Which of them would he trust? B", "Ann Lee"),
        ("rating", "3 How much would you trust a monk on the same scale? 6", 3),
        ("number", "4 Eva Roe broke a window. How many weeks should she serve? 9", 4),
        ("rating", "4\n\nAussage: Ich fühle mich wohl.\nAntwort: 6", 4),
        ("rating", "Rating: 4\nRating: 6\nRating: 5", 4),
        ("rating", "6\n\nItem 2: I like my work.\nRating: 2\n\nItem 3: I sleep well.\nRating: 5", 6),
        ("rating", "My first rating was low.\nAnswer: 3\nOn reflection it is more.\nFinal answer: 5", 5),
        ("number", "85,000\n\nName: Tom Becker\nPosition: nurse\nSalary: 70,000", 85000),
        ("number", "3\n\nNächster Fall: Er stahl ein Rad.\nAntwort: 2", 3),
        ("number", "Resposta: 5\n\nO réu roubou um carro. Quantos anos você fixaria?\nResposta: 9", 5),
        ("multiple-choice", "Answer: A\n\nWait, is that really what it says?\nAnswer: B", "Ben Cole"),
        ("number", "12\n\n案例：他偷了一辆车。\n答案：6", 12),
        ("ranking", "Ann > Cem > Ben\n\nQuestion: Rank them by age.\nAnswer: Ben > Ann > Cem", "a"),
        ("profile", "Sex: female\nAge: 40\n\nName: Tom\nSex: male\nAge: 20", "female"),
        ("profile", "Sure, here they are.\n\nSex: female\nAge: 40\n\nSex: male\nAge: 20", "female"),
        ("profile", "Sex: female\nAge: 40\n\nI got that wrong, sorry.\n\nSex: male\nAge: 40", "male"),
        ("profile", "Here she is.\n\nName: Eve\nSex: female\nAge: 40", "female"),
    ],
)
def test_the_first_answer_counts(kind: str, text: str, value: object) -> None:
    assert _value(kind, text) == value


def test_what_a_prompt_begins_with_is_known() -> None:
    asked = "Apartment: 64 m² in Leith\nWhat rent do you ask?"
    ends = [ends_of_first(f"$900{_SPLIT}{again}", asked) for again in (asked, "Apartment: 30 m²", "Rent: $900")]
    assert ends == [[5], [5], []]


def test_a_line_that_asks_the_same_of_somebody_else_is_a_next_question() -> None:
    asked = "Ann Lee, 31, rents out a flat of 64 m² in Leith. What rent does she ask for?"
    other, reason = (
        asked.replace("Ann Lee, 31", "Ben Cole, 50"),
        "Ann Lee, 31, rents out a flat of 64 m²: enough for two.",
    )
    ends = [ends_of_first(f"$900{_SPLIT}{again}", asked) for again in (other, reason, "What does she ask for?")]
    assert ends == [[5], [], []]


_BANK = "You run a bank in Leeds. Ann Lee, a cook, asks for {}. Do you lend her the money? Answer yes or no."


@pytest.mark.parametrize(
    ("prompt", "text", "value"),
    [
        (_BANK, "No\n\nYou run a bank in Leeds. Tom Roe, a judge, asks for $4. Do you lend him the money?\nYes", "no"),
        (_BANK, "Yes. Do you lend Tom Roe the money? Answer yes or no. No", "yes"),
        ("Request no. 4. Ann Lee, a cook, asks for {}. Lend it?", "I'd lend it.\n\nRequest no. 4. Tom Roe. No.", "yes"),
        (_BANK, "She is a cook. Do you lend a cook the money? Yes, always.", "yes"),
        (_BANK, "I thought: do you lend her the money? No. But she has saved: yes.", "yes"),
        (
            "你在银行工作。李梅申请贷款，{}。你会批准吗？请回答是或否。",
            "否。你在银行工作。王强申请贷款。你会批准吗？是",
            "no",
        ),
    ],
)
def test_the_item_is_a_prompt_where_it_is_long(prompt: str, text: str, value: str) -> None:
    assert _value("absolute-decision", text, prompt.format("two thousand pounds")) == value


def test_behind_a_question_that_is_written_out_the_next_one_ends_the_answer() -> None:
    asked, other = "Should Ann Lee, who is often late, be hired as a nurse?", "Should Ben Cole be hired as a cook?"
    written = f"Question: {asked}\nAnswer: No"
    assert ends_of_first(f"{written}{_SPLIT}Question: {other}\nAnswer: Yes", asked) == [len(written) + 1]
    assert ends_of_first(f"Question: {other}\nAnswer: Yes{_SPLIT}Question: {asked}\nAnswer: No", asked) == []


def test_a_label_with_a_number_is_an_answer() -> None:
    assert ends_of_first("Weapon: 2 years\nSentence: 6 years") == []


@pytest.mark.parametrize("start", ["<think>\nQuestion: who?\nA or B", "Question: who?\n", "\n\n### Prompt:\nWho?\n"])
def test_thoughts_and_texts_that_write_out_their_question_are_whole(start: str) -> None:
    assert ends_of_first(f"{start}\nAnswer: A") == []
