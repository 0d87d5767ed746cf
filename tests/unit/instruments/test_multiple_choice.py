"""The instrument `multiple-choice`: texts, log-probabilities, lists and orders of options, and what `init` drafts."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.multiple_choice.instrument import MultipleChoiceInstrument
from tallybook.instruments.multiple_choice.reasons import REASONS
from tallybook.instruments.offered import listed
from tests.unit.instruments.multiple_choice_texts import TEXTS

COLUMNS = ["ans0", "ans1", "ans2"]
PEOPLE = {"ans0": "The grandfather", "ans1": "The grandson", "ans2": "Can't be determined"}
LETTERS = "ABC"


def read(rows: dict[str, Any] | list[dict[str, Any]], status: str = "ok", **settings: Any) -> pl.DataFrame:
    """What the instrument makes of responses."""
    instrument = MultipleChoiceInstrument.model_validate(
        {"kind": "multiple-choice", "options": COLUMNS, "undecided": "ignore", **settings}
    )
    frame = pl.DataFrame(rows).with_columns(
        file=pl.lit("f"), key=pl.int_range(pl.len()).cast(pl.String), status=pl.lit(status)
    )
    return instrument.code(frame, {}).responses


def said(text: str, **settings: Any) -> int | str:
    """The place of the option that a text chooses, or the reason why there is none."""
    row = read({"text": [text], **{name: [option] for name, option in PEOPLE.items()}}, **settings).row(0, named=True)
    assert (row["chosen_place"] is None) == (row["unchosen_reason"] in REASONS)
    return row["chosen_place"] or row["unchosen_reason"]


@pytest.mark.parametrize("options", list(TEXTS), ids=lambda options: options[0])
def test_labelled_texts(options: tuple[str, ...]) -> None:
    names = [f"o{place}" for place in range(len(options))]
    rows = pl.DataFrame({"text": list(TEXTS[options])}).with_columns(
        pl.lit(option).alias(name) for name, option in zip(names, options, strict=True)
    )
    made = read(rows.to_dict(as_series=False), options=names)
    found = [place or reason for place, reason in made.select("chosen_place", "unchosen_reason").iter_rows()]
    assert dict(zip(TEXTS[options], found, strict=True)) == TEXTS[options]


def test_there_are_enough_labelled_texts() -> None:
    assert sum(map(len, TEXTS.values())) > 250


@pytest.mark.parametrize(
    ("text", "settings", "place"),
    [
        ("1", {"labels": "numbers-from-0"}, 2),
        ("1", {"labels": "letters"}, "no-choice"),
        ("B", {"labels": "numbers"}, "no-choice"),
        ("ii", {"labels": ["i", "ii", "iii"]}, 2),
        ("The answer is iii.", {"labels": ["i", "ii", "iii"]}, 3),
        ("B", {"labels": "none"}, "no-choice"),
        ("I would choose B.", {"match": "exact"}, "no-choice"),
        ("Answer: B", {"match": "exact"}, 2),
        ("Non posso rispondere", {"refusal_phrases": ["non posso"]}, "declined"),
        ("It is not known.", {"phrases": {"Can't be determined": ["not known"]}}, 3),
        ("The grandpa", {"phrases": {"the grandfather": ["the grandpa"]}}, 1),
    ],
)
def test_settings(text: str, settings: dict[str, Any], place: int | str) -> None:
    assert said(text, **settings) == place


def test_phrases_of_a_role() -> None:
    roles = {"role_0": ["old", "unknown"], "role_1": ["young", "young"], "role_2": ["unknown", "old"]}
    rows = {"text": ["It is impossible to say."] * 2, "ans0": ["He", "?!"], "ans1": ["She", "She"], "ans2": ["x", "He"]}
    traits = {"role": ["role_0", "role_1", "role_2"]}
    made = read({**rows, **roles}, traits=traits, phrases={"unknown": ["impossible to say"]})
    assert made["chosen_place"].to_list() == [3, 1]


@pytest.mark.parametrize(
    ("status", "verdict", "reason"), [("error", "error", None), ("filtered", "refused", "declined")]
)
def test_responses_that_did_not_come(status: str, verdict: str, reason: str | None) -> None:
    made = read({"text": ["A"], **{name: [option] for name, option in PEOPLE.items()}}, status=status)
    assert made.select("chosen_option", "chosen_place", "unchosen_reason", "_verdict").row(0) == (
        None, None, reason, verdict,
    )  # fmt: skip


def test_what_nothing_reads_is_told_or_refused() -> None:
    rows = {"text": ["D"], **{name: [option] for name, option in PEOPLE.items()}}
    frame = pl.DataFrame(rows).with_columns(file=pl.lit("f"), key=pl.lit("1"), status=pl.lit("ok"))
    declared = {"kind": "multiple-choice", "options": COLUMNS}
    assert [found.value for found in MultipleChoiceInstrument.model_validate(declared).code(frame, {}).findings] == [
        "D"
    ]
    strict = MultipleChoiceInstrument.model_validate(declared | {"undecided": "error"})
    with pytest.raises(DataError, match="The grandfather"):
        strict.code(frame, {})
    assert strict.lenient.undecided == "report"
    with pytest.raises(UsageError, match="ans2"):
        strict.code(frame.drop("ans2"), {})


orders = st.permutations(range(3))
answers = st.sampled_from(["{}", "({})", "Answer: {}", "The answer is {}."])


@given(st.lists(st.tuples(orders, st.integers(0, 2), answers, st.sampled_from([0, 1, "A"])), min_size=1, max_size=8))
def test_shuffled_orders_are_undone(drawn: list[tuple[list[int], int, str, int | str]]) -> None:
    rows: list[dict[str, Any]] = []
    for order, place, answer, first in drawn:
        shown = "".join(LETTERS[one] for one in order) if first == "A" else str([one + int(first) for one in order])
        rows.append({"text": answer.format(LETTERS[place]), "order": shown, "right": "B", **PEOPLE})
    made = read(rows, shown="order", correct="right")
    for (order, place, *_), row in zip(drawn, made.iter_rows(named=True), strict=True):
        assert row["chosen_option"] == COLUMNS[order[place]]
        assert (row["chosen_place"], row["chosen_text"]) == (place + 1, PEOPLE[COLUMNS[order[place]]])
        assert row["choice_is"] == ("right" if order[place] == 1 else "wrong")


@given(st.lists(st.tuples(orders, st.integers(0, 3), st.integers(0, 2)), min_size=1, max_size=10))
def test_traits_as_a_plain_twin_finds_them(drawn: list[tuple[list[int], int, int]]) -> None:
    texts, roles = list(PEOPLE.values()), ["target", "non-target", "unknown"]
    rows: list[dict[str, Any]] = []
    expected: list[tuple[str | None, str, str | None]] = []
    for order, chosen, right in drawn:
        said = [*texts, "Somebody else altogether"][chosen]
        shown = {column: texts[one] for column, one in zip(COLUMNS, order, strict=True)}
        role = {f"role_{place}": roles[one] for place, one in enumerate(order)}
        rows.append({"text": said, "label": order.index(right), **shown, **role})
        known = chosen < len(texts)
        is_right = ("right" if chosen == right else "wrong") if known else None
        expected.append((roles[chosen] if known else None, roles[right], is_right))
    traits = {"role": ["role_0", "role_1", "role_2"]}
    made = read(rows, traits=traits, correct="label", correct_as="number-from-0")
    assert made.select("chosen_role", "right_role", "choice_is").rows() == expected


def test_lists_of_options_as_json_python_and_objects() -> None:
    rows = {
        "text": ["B", "(D) york", "Paris", "E"],
        "choices": ['["x", "y"]', "['a', 'b', 'c', 'York']", '{"A": "Rome", "B": "Paris"}', '["x", "y", "z"]'],
        "roles": ['["p", "q"]', '["p", "q", "r", "s"]', '["p", "q"]', '["p", "q", "r"]'],
        "answer": ["B", "A", "b.", "(C)"],
    }
    made = read(rows, options="choices", traits={"kind": "roles"}, correct="answer")
    assert made.select("chosen_option", "chosen_kind", "choice_is", "right_kind", "unchosen_reason").rows() == [
        ("B", "q", "right", "q", None), ("D", "s", "wrong", "p", None), ("B", "q", "right", "q", None),
        (None, None, None, "r", "off-list"),
    ]  # fmt: skip


def test_options_that_are_empty_were_not_shown() -> None:
    made = read({"text": ["B", "C", "b"], "ans0": ["yes"] * 3, "ans1": ["", "no", "no"], "ans2": ["maybe", "", None]})
    assert made["chosen_option"].to_list() == ["ans2", None, "ans1"]
    assert read({"text": ["A"], "ans0": ["yes"], "ans1": [""], "ans2": [""]})["unchosen_reason"].item() == "no-options"


@pytest.mark.parametrize(
    ("how", "value"), [("letter", "B"), ("number", "2"), ("number-from-0", "1"), ("text", "no"), ("column", "ans1")]
)
def test_how_the_right_option_is_named(how: str, value: str) -> None:
    rows = {"text": ["no"], "ans0": ["yes"], "ans1": ["no"], "ans2": ["maybe"], "gold": [value]}
    assert read(rows, correct="gold", correct_as=how)["choice_is"].item() == "right"


@pytest.mark.parametrize(
    ("settings", "row", "place"),
    [
        ({"correct": "gold"}, {"gold": "F"}, "gold"),
        ({"correct": "gold", "correct_as": "number"}, {"gold": "0"}, "gold"),
        ({"shown": "gold"}, {"gold": "AB"}, "gold"),
        ({"shown": "gold"}, {"gold": "[1, 1, 2]"}, "gold"),
        ({"options": "gold"}, {"gold": "yes, no"}, "gold"),
        ({"traits": {"role": "gold"}}, {"gold": '["a"]'}, "role"),
    ],
)
def test_what_cannot_be_read_is_refused(settings: dict[str, Any], row: dict[str, str], place: str) -> None:
    with pytest.raises(DataError, match=place):
        read([{"text": "A", "ans0": "yes", "ans1": "no", "ans2": "maybe", **row}], **settings)


@pytest.mark.parametrize(
    "settings",
    [
        {"options": ["a", "a"]},
        {"options": ["a", "b"], "scores": ["x"]},
        {"options": ["a", "b"], "traits": {"role": ["x", "y", "z"]}},
        {"options": ["a", "b"], "traits": {"place": ["x", "y"]}},
        {"options": "list", "correct": "c", "correct_as": "column"},
    ],
)
def test_declarations_that_do_not_fit(settings: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        MultipleChoiceInstrument.model_validate({"kind": "multiple-choice", **settings})


def test_log_probabilities_instead_of_texts() -> None:
    rows = {
        "ans0": ["a"] * 4, "ans1": ["bb"] * 4, "ans2": ["cccc"] * 4,
        "lp": ["[-1.0, -1.5, -3.5]", "[-2, -2, -9]", "[-5, -4.5, -4.4]", "[-1, -2, NaN]"],
    }  # fmt: skip
    rows["lp"][3] = "[-1, -2]"
    with pytest.raises(DataError, match="scores"):
        read(rows, scores="lp")
    rows = {name: values[:3] for name, values in rows.items()}
    made = read(rows, scores="lp")
    assert made.select("chosen_option", "unchosen_reason").rows() == [("ans0", None), (None, "tied"), ("ans2", None)]
    longer = read(rows, scores="lp", per_character=True)
    assert longer["chosen_option"].to_list() == ["ans1", "ans1", "ans2"]
    split = read({"ans0": ["a"], "ans1": ["b"], "ans2": ["c"], "x": [-1.0], "y": [None], "z": [-2.0]}, scores=[*"xyz"])
    assert split["unchosen_reason"].item() == "no-response"


@pytest.mark.parametrize(
    ("prompt", "options"),
    [
        ("Who?\n\nA. one\nB. two", ["one", "two"]),
        ("Who? (a) one; (b) two; (c) three. Say which.", ["one", "two", "three"]),
        ("Q\nA. x\nB. y\nAnswer: A\n\nQ\nA. one\nB. two\nAnswer:", ["one", "two"]),
        ('[{"role": "user", "content": "Who?\\nA) one\\nB) two"}]', ["one", "two"]),
        ("1. one\n2. two", ["one", "two"]),
        ('Which? Options: ["one", "two"]', ["one", "two"]),
        ("Who has (b) one?", None),
        ("Vitamin A) is good.", None),
    ],
)
def test_labelled_options_of_prompts(prompt: str, options: list[str] | None) -> None:
    assert listed(prompt) == options
