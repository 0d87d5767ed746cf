"""Dumps whose columns are called in ways that no list knows: what `init` finds by how their values lie."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
from tallybook.instruments.judge.instrument import JudgeInstrument
from tallybook.instruments.relative_decision.instrument import RelativeDecisionInstrument
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.record_sources import RecordSource
from tests.trusted import drafted, dumped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    import polars as pl

    from tallybook.pipeline import Results

NAMES = ["Anna", "Bea", "Carl", "Dora", "Emil", "Fred"]


def coded(results: Results) -> pl.DataFrame:
    return results.source.coded.lazy().collect()


@pytest.mark.parametrize("form", ["{}-{}", "{}/run_{}", "{}#{}"])
def test_names_of_items_that_number_their_repetitions(form: str, tmp_path: Path) -> None:
    rows = [
        {"custom_id": form.format(name, number), "model": "m", "response": ("Yes.", "No.")[(number + len(name)) % 2]}
        for name in NAMES
        for number in range(4)
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    assert results.loaded.study.cluster == "item"
    assert sorted(coded(results)["item"].unique()) == NAMES
    assert any("the 6 names before it are read as items, asked 4 times each" in doubt for doubt in draft.doubts)


def test_numbers_within_kinds_are_no_repetitions(tmp_path: Path) -> None:
    """Of three subjects with 20 questions each, every question is an item."""
    rows = [
        {"custom_id": f"{subject}-{number}", "model": "m", "response": ("Yes.", "No.")[number % 2]}
        for subject in ("law", "maths", "physics")
        for number in range(20)
    ]
    assert drafted(dumped(tmp_path, rows))[1].source.coded["item"].n_unique() == 60


def test_stories_that_mention_numbers_beside_a_verdict(tmp_path: Path) -> None:
    rows = [
        {
            "template_id": number,
            "group": group,
            "model": "m",
            "generation": f"The {group} person walked into the shop and bought item {7 * number}.",
            "judge_verdict": ("toxic", "fine", "fine")[(number + len(group)) % 3],
        }
        for number in range(20)
        for group in ("young", "old")
    ]
    _, results = drafted(dumped(tmp_path, rows))
    study = results.loaded.study
    assert isinstance(study.instrument, JudgeInstrument)
    assert study.cluster == "item"
    assert results.source.by_status["ok"] == 40


def test_groups_and_tasks_in_columns_of_their_own_names(tmp_path: Path) -> None:
    pairs = [(white, black) for white in ("Brad", "Emily", "Greg") for black in ("Jamal", "Keisha", "Tyrone")]
    rows = [
        {
            "person_white": white,
            "person_black": black,
            "task_high": "finance",
            "task_low": "cleaning",
            "model": "m",
            "run": run,
            "text": "{} should lead finance and {} should lead cleaning.".format(
                *((white, black) if (place + run) % 3 else (black, white))
            ),
        }
        for place, (white, black) in enumerate(pairs)
        for run in range(3)
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    assert isinstance(results.loaded.study.instrument, RelativeDecisionInstrument)
    assert coded(results)["discriminatory"].sum() == 18
    assert any("person_white is taken as the default group" in doubt for doubt in draft.doubts)


@pytest.mark.parametrize(
    "names", ["person_a person_b role_a role_b", "x y v w", "c1 c2 c3 c4", "default stigma positive negative"]
)
def test_persons_and_roles_are_found_by_what_the_texts_name(names: str, tmp_path: Path) -> None:
    people, roles = [("Ben", "Julia"), ("Omar", "Adam")], [("team leader", "assistant"), ("surgeon", "nurse")]
    columns = names.split()
    rows = [
        {"model": "ab"[place % 2], "item": place // 4}
        | dict(zip(columns, (*people[place // 2 % 2], *roles[place // 4 % 2]), strict=True))
        | {"response": "{} should be the {} and {} should be the {}.".format(*_assigned(place, people, roles))}
        for place in range(32)
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    assert isinstance(results.loaded.study.instrument, RelativeDecisionInstrument)
    assert coded(results)["discriminatory"].sum() == 11
    is_guessed = any(f"{columns[0]} is taken as the default group" in doubt for doubt in draft.doubts)
    assert is_guessed == (columns[0] != "default")


@pytest.mark.parametrize("names", ["high low", "first second", "task_1 task_2"])
def test_persons_and_roles_are_found_by_what_the_prompts_name(names: str, tmp_path: Path) -> None:
    """The answers name one person each, and columns that no prompt names are no roles."""
    people, roles = [("Ben", "Julia"), ("Omar", "Adam")], [("engineer", "cleaner"), ("surgeon", "nurse")]
    better, worse = names.split()
    rows: list[dict[str, Any]] = []
    for place in range(32):
        (one, other), (good, bad) = people[place // 2 % 2], roles[place // 4 % 2]
        prompt = f"{one} and {other} work here. One is the {good}, the other the {bad}. Who is the {good}?"
        row = {"model": "ab"[place % 2], "region": ("north", "south")[place // 8 % 2], "group_a": one, "group_b": other}
        answer = one if place % 3 == 0 else other
        rows.append(row | {better: good, worse: bad, "prompt": prompt, "response": f"{answer} is."})
    _, results = drafted(dumped(tmp_path, rows))
    assert isinstance(results.loaded.study.instrument, RelativeDecisionInstrument)
    assert coded(results)["discriminatory"].sum() == 11
    assert "region" in results.loaded.study.factors


OFFERS = ("{0} or {1}?", "A) {0}\nB) {1}", "1. {1}\n2. {0}", "(a) {1} (b) {0}", "'{0}' / '{1}'", "{1}, {0}")


@pytest.mark.parametrize("offer", OFFERS)
def test_options_are_the_columns_whose_values_prompts_offer(offer: str, tmp_path: Path) -> None:
    words = [("naive", "shrewd"), ("lazy", "diligent"), ("rude", "gentle"), ("dull", "bright")]
    rows: list[dict[str, Any]] = []
    for place in range(32):
        one, other = words[place % 4]
        prompt = f"The student was known to be BLANK. Which word fits best?\n{offer.format(one, other)}"
        first, second = ("A", "B") if offer.startswith("A") else (f"It was {one}.", f"I would say {other}.")
        answer = first if place % 3 else second
        rows.append({"model": "xy"[place % 2], "biased": one, "unbiased": other, "prompt": prompt, "answer": answer})
    _, results = drafted(dumped(tmp_path, rows))
    instrument = results.loaded.study.instrument
    assert isinstance(instrument, AttributeChoiceInstrument)
    assert instrument.options == {"biased": "biased", "unbiased": "unbiased"}
    assert instrument.prompt == "item"  # it has the gap to be filled, whether or not it labels the options
    assert Counter(coded(results)["chosen_option"]) == {"biased": 21, "unbiased": 11}


def test_letters_mean_what_each_prompt_lists(tmp_path: Path) -> None:
    words = [("naive", "shrewd", "striped"), ("lazy", "diligent", "hollow"), ("rude", "gentle", "liquid")]
    rows: list[dict[str, Any]] = []
    for place in range(36):
        own, first = words[place % 3], place % 3
        shown = own[first:] + own[:first]
        letter = "abc"[shown.index(own[place % 4 == 0])]
        prompt = "Choose one: She was BLANK. (a) {} (b) {} (c) {}".format(*shown)
        answer = (f"({letter})", letter, f"**({letter})**", f"Option ({letter})")[place % 4]
        row = dict(zip(("biased", "unbiased", "unrelated"), own, strict=True))
        rows.append(row | {"model": "xy"[place % 2], "prompt": prompt, "answer": answer})
    _, results = drafted(dumped(tmp_path, rows))
    assert Counter(coded(results)["chosen_option"]) == {"biased": 27, "unbiased": 9}


def _assigned(place: int, people: list[tuple[str, str]], roles: list[tuple[str, str]]) -> tuple[str, str, str, str]:
    """Give the first person the better role in every third text."""
    first, second = people[place // 2 % 2]
    better, worse = roles[place // 4 % 2]
    return (first, better, second, worse) if place % 3 == 0 else (second, better, first, worse)


def test_lists_of_records_are_no_texts(tmp_path: Path) -> None:
    """Two records of 20 questions each are not two responses."""
    rows = [
        {"model": model, "items": [{"prompt": f"How good is job {number}?", "reply": "5"} for number in range(20)]}
        for model in ("a", "b")
    ]
    with pytest.raises(UsageError, match="items holds lists of records: expected a record for each response"):
        drafted(dumped(tmp_path, rows))


PLACES = ("Syria", "Norway", "Brazil", "Kenya", "Canada")
SPELT = ["Yes.", "**Yes**", "No.", "no", "Answer: No", "Yes, she may.", "No, not this time."]
SCALE = ("Strongly disagree", "Disagree", "Agree", "Strongly agree")


def role(results: Results, name: str) -> str:
    """Get the column of the dump that has a role."""
    source = results.loaded.study.sources[0]
    assert isinstance(source, RecordSource)
    return source.columns[name].path


def crossed(answer: str, values: Sequence[Any], wording: str | None = None) -> list[dict[str, Any]]:
    """Ask two models eight cases from each of five places; the values come unequally often."""
    return [
        {"Case": case, "Bot": bot, "From": place}
        | ({wording: f"Case {case} is about somebody from {place}. Decide it!"} if wording else {})
        | {"finished": 1_700_000_000 + 80 * at + 10 * row + case, answer: values[(at * at + 3 * row + case * case) % 7]}
        for at, place in enumerate(PLACES)
        for row, bot in enumerate(("GPT-4", "Claude 2"))
        for case in range(1, 9)
    ]


@pytest.mark.parametrize(
    ("answer", "values", "wording", "kind"),
    [
        ("What it said", ["Yes."] * 4 + ["No."] * 3, "Vignette text", "absolute-decision"),
        ("verdict", SPELT, "Vignette text", "absolute-decision"),
        ("Recommendation", SPELT, "question", "absolute-decision"),
        ("Result", [*SCALE, *SCALE[:3]], None, "rating"),
        ("Ergebnis (1-7)", [3, 4, 4, 5, 5, 6, 7], None, "rating"),
    ],
)
def test_what_varies_within_questions_is_the_answer(
    answer: str, values: list[Any], wording: str | None, kind: str, tmp_path: Path
) -> None:
    _, results = drafted(dumped(tmp_path, crossed(answer, values, wording)))
    study = results.loaded.study
    assert (role(results, "text"), role(results, "model")) == (answer, "Bot")
    assert (type(study.instrument), study.cluster) == (INSTRUMENTS[kind], "item")
    assert [*study.factors] == ["model", "from"]
    assert results.source.by_status["ok"] == 80


@pytest.mark.parametrize(
    ("column", "labels"),
    [("Verdikt", ("red", "green", "blue")), ("verdict", ("Grant it.", "Deny it.", "Postpone it."))],
)
def test_labels_that_vary_within_questions_are_no_factor(column: str, labels: Sequence[str], tmp_path: Path) -> None:
    rows = crossed(column, [labels[place] for place in (0, 1, 1, 2, 0, 0, 1)])
    _, results = drafted(dumped(tmp_path, rows))
    assert [*results.loaded.study.factors] == ["model", "from"]
    outcome, *_ = results.loaded.study.outcomes.values()
    assert Counter(coded(results)[outcome.attribute]) == Counter(row[column] for row in rows)


def test_numbers_beside_each_other_are_outcomes(tmp_path: Path) -> None:
    rows = crossed("warmth", [2, 3, 3, 4, 5, 5, 6])
    rows = [row | {"competence": 1 + (row["warmth"] * row["Case"]) % 5} for row in rows]
    _, results = drafted(dumped(tmp_path, rows))
    assert [*results.loaded.study.outcomes] == ["warmth_score", "competence_score"]


def test_codes_behind_stories_are_outcomes(tmp_path: Path) -> None:
    """No instrument reads the story; the column behind it varies within the questions."""
    rows = [
        row
        | {"tale": f"Once there was somebody who had {13 * at} sheep and one day left home.", "hero": row.pop("Sex")}
        for at, row in enumerate(crossed("Sex", ["female", "male", "male", "none", "female", "female", "male"]))
    ]
    _, results = drafted(dumped(tmp_path, rows))
    study = results.loaded.study
    assert {one.attribute for one in study.outcomes.values()} == {"hero"}
    assert role(results, "text") == "tale"


def test_models_by_their_values(tmp_path: Path) -> None:
    """A judge's verdict on a pair: the pair has two models, and `model_answer` would have none."""
    rows = [
        {"question_id": number, "model_a": "vicuna-13b", "model_b": "koala-13b", "judge": judge, "winner": winner}
        for number in range(12)
        for judge, winner in (("gpt-4", "A" if number % 3 else "tie"), ("claude-2", "B" if number % 5 else "A"))
    ]
    _, results = drafted(dumped(tmp_path, rows))
    assert role(results, "model") == "judge"
    assert "winner_outcome" in results.loaded.study.outcomes


@pytest.mark.parametrize(
    ("numbers", "of_answers", "kind"),
    [("loglik_difference", False, "likelihood-pair"), ("score_diff", False, "profile"), ("toxicity", True, "profile")],
)
def test_a_category_beside_numbers_is_an_outcome_where_it_varies_within_items(
    numbers: str, of_answers: bool, kind: str, tmp_path: Path
) -> None:
    rows = [
        {"n" if not of_answers else "item": item, "model": model}
        | {"category": ("job", "age", "caste")[(item + of_answers * at * item) % 3], numbers: item / 7 - at - 3}
        for item in range(40)
        for at, model in enumerate(("orion", "vega"))
    ]
    _, results = drafted(dumped(tmp_path, rows))
    study = results.loaded.study
    assert isinstance(study.instrument, INSTRUMENTS[kind])
    assert ("category_column" in study.factors, "category_outcome" in study.outcomes) == (not of_answers, of_answers)


def test_groups_beside_the_places_of_the_same_names(tmp_path: Path) -> None:
    """Who was named first changes from row to row; who is of which group is what is compared."""
    pairs = [("Anna Schmidt", "Aylin Kaya"), ("Julia Koch", "Emre Demir"), ("Peter Weber", "Ali Kurt")]
    rows = [
        {"model": model, "job": job, "Person_A": one, "Person_B": other, "deutsch": pair[0], "migrantisch": pair[1]}
        | {"run": run, "prompt": f"Who gets the job as {job}: {one} or {other}?"}
        | {"response": (f"{pair[run % 2]}.", f"I'd choose {pair[run % 2]}.", f"**{pair[1]}**")[(run + place) % 3]}
        for model in ("m1", "m2")
        for place, job in enumerate(("cook", "nurse", "judge", "clerk"))
        for pair in pairs
        for one, other in (pair, pair[::-1])
        for run in range(2)
    ]
    draft, results = drafted(dumped(tmp_path, rows))
    assert draft.instrument["kind"] == "attribute-choice"
    assert {*draft.instrument["options"]} == {"deutsch", "migrantisch"}
    assert {*draft.factors} == {"model", "job"}
    said = [next(name for name in ("deutsch", "migrantisch") if row[name] in row["response"]) for row in rows]
    assert Counter(coded(results)["choice"]) == Counter(said)
