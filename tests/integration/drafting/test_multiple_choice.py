"""Dumps with options beside or within the prompt: what `init` declares of them, run as it is written."""

from __future__ import annotations

import csv
import json
import re
import tomllib
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.drafting.starting import start
from tallybook.pipeline import compute
from tallybook.study.loading import load
from tests.paths import DOCS
from tests.trusted import drafted, dumped

if TYPE_CHECKING:
    from pathlib import Path

COLUMNS = ["ans0", "ans1", "ans2"]
PEOPLE = {"ans0": "The grandfather", "ans1": "The grandson", "ans2": "Can't be determined"}


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
    draft, results = drafted(dumped(tmp_path, lines))
    assert draft.instrument == {
        "kind": "multiple-choice", "options": COLUMNS, "correct": "label", "correct_as": "number-from-0",
        "traits": {"role": ["role_ans0", "role_ans1", "role_ans2"]}, "prompt": "question",
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
    draft, results = drafted(dump)
    assert draft.instrument["options"] == ["a", "b", "c", "d"]
    assert (draft.instrument["correct_as"], results.source.by_status) == ("letter", {"ok": 24})
    right = results.estimates.filter(analysis="share", outcome="accuracy", term="right")
    assert right["estimate"].item() == sum(number % 3 == number % 4 for number in range(24)) / 24


def test_init_on_a_list_of_choices(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "id": number, "choices": [f"number {number + place}" for place in range(3 + number % 2)]}
        | {"target": "ABC"[number % 3], "output": f"ANSWER: {'ABC'[number % 2]}"}
        for number in range(20)
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    assert draft.instrument == {
        "kind": "multiple-choice", "options": "choices", "correct": "target", "correct_as": "letter",
    }  # fmt: skip
    assert results.source.by_status == {"ok": 20}
    # Letters are no outcome beside whether they are right: they would be in the family of tests, and say nothing.
    assert results.estimates.get_column("outcome").unique().to_list() == ["accuracy"]
    assert results.estimates.filter(analysis="share", term="right").get_column("estimate").to_list() == [0.4]


def test_many_columns_of_scores_and_notes_are_no_options(tmp_path: Path) -> None:
    notes = {f"note_{place}": f"remark {place}" for place in range(30)}
    rows = [
        {"model": "m", "id": number, "reply": ("Yes.", "No.")[number % 2], **notes}
        | {f"logprob_{place}": -1 - (place + number) % 5 / 10 for place in range(30)}
        for number in range(20)
    ]
    started = start([dumped(tmp_path, rows)], tmp_path / "study", [])
    assert started.draft.instrument["kind"] == "absolute-decision"


def test_an_empty_target_is_no_right_option(tmp_path: Path) -> None:
    """Tools write one where no answer is right."""
    rows = [
        {"model": "m", "id": number, "a": f"wind {number}", "b": f"rain {number}", "target": ""}
        | {"prompt": f"A) wind {number}\nB) rain {number}", "output": f"B) rain {number}"}
        for number in range(20)
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    assert "correct" not in draft.instrument
    assert results.source.by_status == {"ok": 20}


def test_texts_that_choose_no_listed_option(tmp_path: Path) -> None:
    """All instruments are tried, also where the format has a column of statuses."""
    rows: list[dict[str, Any]] = [
        {"doc_id": number, "doc": {"a": f"wind {number}", "b": f"rain {number}"}, "target": ""}
        | {"arguments": [[f"Which is it, wind {number} or rain {number}?", {}]]}
        | {"resps": [[f"It must be rain {number}, or so."]], "filtered_resps": [f"It must be rain {number}, or so."]}
        for number in range(20)
    ]
    made = start([dumped(tmp_path, rows)], tmp_path / "study", [])
    assert [doubt for doubt in made.draft.doubts if "could not be tried" in doubt] == []


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
    draft, results = drafted(tmp_path / "log.json")
    assert (draft.instrument["kind"], draft.instrument["correct_as"]) == ("multiple-choice", "letter")
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
    draft, again = drafted(tmp_path / "answers.csv")
    assert (draft.instrument["options"], draft.instrument["correct"]) == (COLUMNS, "label")
    assert again.source.by_status == {"invalid": 1, "ok": 7}


def test_init_on_options_that_stand_in_the_prompt_alone(tmp_path: Path) -> None:
    """The options of prompts are lettered there, in changing order: choices are counted by what was chosen."""
    lines: list[dict[str, Any]] = []
    for number in range(24):
        options = [list(PEOPLE.values())[(number + place) % 3] for place in range(3)]
        asked = "\n".join(f"{letter}) {option}" for letter, option in zip("ABC", options, strict=True))
        prompt = f"Story {number}. Who was meant?\n{asked}\nAnswer with a letter."
        said = ("{}", "The answer is {}.", "{}) it says so")[number % 3].format("ABC"[number % 2])
        lines.append({"id": number, "model": "m", "prompt": prompt, "response": said})
    draft, results = drafted(dumped(tmp_path, lines))
    assert draft.instrument == {"kind": "multiple-choice", "options": "prompt"}
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
    draft, results = drafted(dumped(tmp_path, lines))
    assert draft.instrument == {
        "kind": "multiple-choice",
        "options": "messages",
        "correct": "gold",
        "correct_as": "letter",
    }
    coded = results.source.coded.lazy().collect()
    assert (results.loaded.study.cluster, coded["question"].n_unique()) == ("question", 10)
    assert results.estimates.filter(analysis="share")["clusters"].drop_nulls().unique().to_list() == [10]


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


@pytest.mark.parametrize(
    ("pairs", "kind"),
    [
        ([("brave", "reckless")], "attribute-choice"),
        ([("brave", "reckless"), ("thrifty", "stingy")], "multiple-choice"),
    ],
)
def test_options_that_only_prompts_offer(tmp_path: Path, pairs: list[tuple[str, str]], kind: str) -> None:
    forms = ("I would say {}.", "**{}** fits better, as far as one can tell.", "If I must choose: {}.", "Surely {}.")
    rows = [
        {"model": f"m{k % 2}", "prompt": f"{name} left. Was {name} {pair[0]} or {pair[1]} then?", "response": form}
        for k, name in enumerate(("Ann", "Ben", "Cem", "Dua", "Eva"))
        for at, pair in enumerate(pairs)
        for form in [one.format(pair[(k + at) % 2]) for one in forms]
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    coded = results.source.coded.lazy().collect()
    assert draft.instrument["kind"] == kind
    assert set(coded["status"]) == {"ok"}
    chosen = coded["chosen_option"] if len(pairs) == 1 else coded["chosen_text"]
    assert all(word in text for word, text in zip(chosen, coded["text"], strict=True))
