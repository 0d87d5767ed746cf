"""The instrument `multiple-choice`: texts, log-probabilities, lists and orders of options, and what `init` drafts."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from tallybook.core.errors import DataError, UsageError
from tallybook.drafting.starting import start
from tallybook.instruments.committed import is_list
from tallybook.instruments.multiple_choice.instrument import MultipleChoiceInstrument
from tallybook.instruments.multiple_choice.reasons import REASONS
from tallybook.instruments.offered import listed
from tallybook.pipeline import compute
from tallybook.study.loading import load
from tests.paths import DOCS
from tests.unit.instruments.multiple_choice_texts import TEXTS

if TYPE_CHECKING:
    from pathlib import Path

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


def drafted(dump: Path, folder: str = "") -> tuple[dict[str, Any], Any]:
    """What `init` declares of a dump, and what running it makes."""
    started = start([dump], dump.parent / folder, [])
    return started.draft.instrument, compute(load(str(started.files[0])), dump.parent)


def test_init_on_columns_of_models_beside_options(tmp_path: Path) -> None:
    lines: list[dict[str, Any]] = []
    for number in range(36):
        options = [list(PEOPLE.values())[(number + place) % 3] for place in range(3)]
        asked = {f"ans{place}": option for place, option in enumerate(options)}
        about = {
            "answer_info": {name: [f"{text} {number}", "tag"] for name, text in asked.items()},
            "version": "ab"[number % 2],
        }
        said = {f"small-{size}_pred": options[(number + size) % 3].lower() for size in (1, 2)}
        question = f"Who of the two was meant in question {number}, if anybody can say that?"
        lines.append({"example_id": number, "question": question, **about, **asked, "label": number % 3, **said})
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(line) + "\n" for line in lines))
    declared, results = drafted(dump)
    assert declared == {
        "kind": "multiple-choice", "options": COLUMNS, "correct": "label", "correct_as": "number-from-0",
        "traits": {"role": ["role_ans0", "role_ans1", "role_ans2"]},
    }  # fmt: skip
    assert results.source.by_status == {"ok": 72}
    shares = results.estimates.filter(analysis="share", outcome="accuracy", term="right")
    expected = {str(size): sum((number + size) % 3 == number % 3 for number in range(36)) / 36 for size in (1, 2)}
    assert dict(shares.select("model", "estimate").rows()) == expected


def test_init_on_lettered_columns_with_the_right_answer(tmp_path: Path) -> None:
    dump = tmp_path / "dump.csv"
    with dump.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["question", "A", "B", "C", "D", "answer", "model_answer"])
        for number in range(24):
            options = [f"thing {number}{letter}" for letter in "wxyz"]
            said = ["{0}", "The answer is {0}.", "({0}) {1}", "{1}"][number % 4].format(
                "ABCD"[number % 3], options[number % 3]
            )
            rows.writerow([f"Which is it, of number {number}, of all of these?", *options, "ABCD"[number % 4], said])
    declared, results = drafted(dump)
    assert declared["options"] == ["a", "b", "c", "d"]
    assert (declared["correct_as"], results.source.by_status) == ("letter", {"ok": 24})
    right = results.estimates.filter(analysis="share", outcome="accuracy", term="right")
    assert right["estimate"].item() == sum(number % 3 == number % 4 for number in range(24)) / 24


def test_init_on_a_list_of_choices(tmp_path: Path) -> None:
    dump = tmp_path / "dump.jsonl"
    with dump.open("w") as file:
        for number in range(20):
            choices = [f"number {number + place}" for place in range(3 + number % 2)]
            line = {"model": "m", "id": number, "choices": choices, "target": "ABC"[number % 3]}
            file.write(json.dumps(line | {"output": f"ANSWER: {'ABC'[number % 2]}"}) + "\n")
    declared, results = drafted(dump)
    assert declared == {
        "kind": "multiple-choice", "options": "choices", "correct": "target", "correct_as": "letter",
    }  # fmt: skip
    assert results.source.by_status == {"ok": 20}
    # Letters are no outcome beside whether they are right: they would be in the family of tests, and say nothing.
    assert results.estimates.get_column("outcome").unique().to_list() == ["accuracy"]
    assert results.estimates.filter(analysis="share", term="right").get_column("estimate").to_list() == [0.4]


def test_init_on_a_log_of_inspect(tmp_path: Path) -> None:
    samples: list[dict[str, Any]] = []
    for number in range(12):
        said = {"role": "assistant", "content": f"ANSWER: {'AB'[number % 2]}"}
        output = {"model": "m", "choices": [{"message": said, "stop_reason": "stop"}], "completion": said["content"]}
        samples.append({
            "id": number, "epoch": 1, "input": f"Question {number}?", "choices": ["yes", "no"], "target": "A",
            "messages": [], "output": output, "scores": {"choice": {"value": "C", "answer": "A"}},
        })  # fmt: skip
    log = {"version": 2, "status": "success", "eval": {"task": "t", "model": "m"}, "samples": samples}
    (tmp_path / "log.json").write_text(json.dumps(log))
    declared, results = drafted(tmp_path / "log.json")
    assert (declared["kind"], declared["correct_as"]) == ("multiple-choice", "letter")
    right = results.estimates.filter(analysis="share", outcome="accuracy", term="right")
    assert right["estimate"].item() == 0.5


def test_the_page_from_a_dump_to_a_table(tmp_path: Path) -> None:
    page = (DOCS / "multiple-choice.md").read_text(encoding="utf-8")
    dump, study, table, _ = re.findall(r"(?s)```(?:text|toml)\n(.*?)```", page)
    (tmp_path / "answers.csv").write_text(dump)
    (tmp_path / "study.toml").write_text(study)
    results = compute(load(str(tmp_path / "study.toml")))
    assert results.source.by_status == {"invalid": 1, "ok": 7}
    shown = results.estimates.select("model", "term", pl.col("estimate").round(1)).rows()
    rows = [line.split(",") for line in table.splitlines()]
    assert {(model, term): value for model, term, value in shown} == {
        (row[0].lower(), term): float(value)
        for row in rows[1:]
        for term, value in zip(("bias", "correct"), row[1:], strict=True)
    }
    declared, drafted_results = drafted(tmp_path / "answers.csv", "drafted")
    assert (declared["options"], declared["correct"]) == (COLUMNS, "label")
    assert drafted_results.source.by_status == {"invalid": 1, "ok": 7}


def test_init_on_options_that_stand_in_the_prompt_alone(tmp_path: Path) -> None:
    """The options of prompts are lettered there, in changing order: choices are counted by what was chosen."""
    lines: list[dict[str, Any]] = []
    for number in range(24):
        options = [list(PEOPLE.values())[(number + place) % 3] for place in range(3)]
        asked = "\n".join(f"{letter}) {option}" for letter, option in zip("ABC", options, strict=True))
        prompt = f"Story {number}. Who was meant?\n{asked}\nAnswer with a letter."
        said = ("{}", "The answer is {}.", "{}) it says so")[number % 3].format("ABC"[number % 2])
        lines.append({"id": number, "model": "m", "prompt": prompt, "response": said})
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(line) + "\n" for line in lines))
    declared, results = drafted(dump)
    assert declared == {"kind": "multiple-choice", "options": "prompt"}
    chosen = [list(PEOPLE.values())[(number + number % 2) % 3] for number in range(24)]
    counts = results.source.coded.lazy().collect().get_column("chosen_text").value_counts()
    assert dict(counts.iter_rows()) == {option: chosen.count(option) for option in {*chosen}}
    assert results.loaded.study.outcomes["choice"].attribute == "chosen_text"


def test_init_on_shuffled_options_of_logged_requests(tmp_path: Path) -> None:
    """Each request has an id of its own, and each order makes another prompt: what repeats is the question."""
    lines: list[dict[str, Any]] = []
    for number in range(40):
        options = [list(PEOPLE.values())[(number // 10 + place) % 3] for place in range(3)]
        asked = "\n".join(f"{letter}. {option}" for letter, option in zip("ABC", options, strict=True))
        messages = [{"role": "user", "content": f"Story {number % 10}. Who was meant?\n{asked}"}]
        answer = {"message": {"role": "assistant", "content": "ABC"[number % 2]}}
        gold = {"gold": "ABC"[options.index(next(iter(PEOPLE.values())))]}
        request = {"model": "m", "messages": messages}
        lines.append({"id": f"r{97 * number}", "request": request, "metadata": gold, "response": {"choices": [answer]}})
    dump = tmp_path / "dump.jsonl"
    dump.write_text("".join(json.dumps(line) + "\n" for line in lines))
    declared, results = drafted(dump)
    assert declared == {"kind": "multiple-choice", "options": "messages", "correct": "gold", "correct_as": "letter"}
    coded = results.source.coded.lazy().collect()
    assert (results.loaded.study.cluster, coded["question"].n_unique()) == ("question", 10)
    assert results.estimates.filter(analysis="share")["clusters"].drop_nulls().unique().to_list() == [10]


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


def test_a_blank_line_is_none_of_a_list() -> None:
    assert is_list(["a", " ", "b"])
    assert not is_list(["a", " ", "a sentence."])


def test_init_on_two_columns_of_the_right_option(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "qid": f"q{place}", "ans0": "The cook", "ans1": "The nurse", "ans2": "Nobody knows"}
        | {"label": place % 3, "target": str(place % 3), "response": f"({'ABC'[place // 2 % 3]})"}
        for place in range(24)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dump.csv")
    start([tmp_path / "dump.csv"], tmp_path, [], replace=True)
    declared = tomllib.loads((tmp_path / "study.toml").read_text())
    assert declared["instrument"]["correct_as"] == "number-from-0"
    assert [*declared["factors"]] == ["model"]
