"""Texts that rate, count or rank: the scale, unit and options that `init` finds, run as it is written."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError
from tallybook.drafting.starting import start
from tallybook.instruments.number.instrument import NumberInstrument
from tallybook.report.methods_section import methods
from tests.trusted import computed, drafted, dumped

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


AGREEMENT = ["Strongly disagree", "Disagree", "Neutral", "Agree", "Strongly agree"]
ORDERS = [("Ann", "Bo", "Cy"), ("Bo", "Ann", "Cy"), ("Ann", "Cy", "Bo"), ("Cy", "Bo", "Ann")]


def rows_of(texts: Sequence[str], **columns: Sequence[str]) -> list[dict[str, Any]]:
    """Rows of a dump of one model."""
    return [
        {"model": "m", "id": place, "response": text} | {name: values[place] for name, values in columns.items()}
        for place, text in enumerate(texts)
    ]


def test_labels_of_a_scale(tmp_path: Path) -> None:
    texts = ["Agree", "Strongly agree", "I disagree.", "Neither agree nor disagree", "agree", "I can't say."]
    draft, results = drafted(dumped(tmp_path, rows_of(texts)))
    assert draft.instrument == {
        "kind": "rating",
        "labels": ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    }
    assert results.source.by_status["ok"] == 5
    assert results.estimates.filter(analysis="mean").item(0, "estimate") == pytest.approx((4 + 5 + 2 + 3 + 4) / 5)


@pytest.mark.parametrize(
    ("labels", "asked"),
    [
        (["Strongly disagree", "Somewhat disagree", "Neutral", "Somewhat agree", "Strongly agree"], ""),
        (["Strongly disagree", "Tend to disagree", "Neither", "Tend to agree", "Strongly agree"], ""),
        (["Strongly disagree", "Disagree", "Agree", "Strongly agree"], "Do you agree or disagree with tax {}?"),
        (["Stimme gar nicht zu", "Stimme eher nicht zu", "Stimme eher zu", "Stimme voll zu"], ""),
        (["Very unlikely", "Somewhat unlikely", "Somewhat likely", "Very likely"], ""),
        (
            ["Strongly disagree", "Disagree", "Somewhat disagree", "Somewhat agree", "Agree", "Strongly agree"],
            "Tax {}: strongly disagree, disagree, somewhat disagree, somewhat agree, agree or strongly agree?",
        ),
    ],
)
def test_labels_that_occur_or_are_asked_for_are_the_scale(tmp_path: Path, labels: list[str], asked: str) -> None:
    said = [*labels[-4:], *labels[:-4]] if not asked else [labels[0], labels[-1], labels[-2], *labels[1:2]]
    asking = {"prompt": [asked.format(place) for place in range(8)]} if asked else {}
    draft, _ = drafted(dumped(tmp_path, rows_of([said[place % len(said)] for place in range(8)], **asking)))
    assert draft.instrument == {"kind": "rating", "labels": labels}
    is_doubted = any("in the middle" in doubt for doubt in draft.doubts)
    assert is_doubted == (len(labels) == 4)


def test_labels_of_a_scale_that_no_text_says_are_doubted(tmp_path: Path) -> None:
    draft, _ = drafted(dumped(tmp_path, rows_of(["Agree", "Neutral", "Disagree", "Strongly agree"])))
    assert any(doubt.startswith("No sampled text says Strongly disagree") for doubt in draft.doubts)


@pytest.mark.parametrize(
    ("said", "labels"),
    [
        (
            "Trifft gar nicht zu|Trifft eher nicht zu|Teils/teils|Trifft eher zu|Trifft voll zu",
            "Trifft gar nicht zu|Trifft eher nicht zu|Teils/teils|Trifft eher zu|Trifft voll zu",
        ),
        (
            "Not at all true|Slightly true|Moderately true|Very true|Completely true",
            "Not at all|Slightly|Moderately|Very|Completely true",
        ),
        (
            "I can't agree.|I disagree|I'm neutral|I agree|I strongly agree",
            "Strongly disagree|Disagree|Neutral|Agree|Strongly agree",
        ),
    ],
)
def test_the_only_other_label_is_at_the_only_place_without_one(tmp_path: Path, said: str, labels: str) -> None:
    draft, results = drafted(dumped(tmp_path, rows_of([f"**{one}**" for one in said.split("|")] * 4)))
    assert draft.instrument["labels"] == labels.split("|")
    declined = 4 * said.startswith("I can't")
    assert results.source.coded["rating"].drop_nulls().to_list() == [1.0, 2.0, 3.0, 4.0, 5.0][declined // 4 :] * 4
    is_doubted = any("which no text says in other words" in doubt for doubt in draft.doubts)
    assert is_doubted == (not declined)


@pytest.mark.parametrize("asked", ["How warm is Ann {}, from 0 to 10?", "Wie warm ist Ann {}, von 0 bis 10?"])
def test_the_ends_of_a_scale_in_a_question(tmp_path: Path, asked: str) -> None:
    """No text says 0."""
    rows = rows_of(["7", "10", "3", "8"])
    draft, _ = drafted(dumped(tmp_path, [row | {"prompt": asked.format(n)} for n, row in enumerate(rows)]))
    assert draft.instrument == {"kind": "rating", "lowest": 0, "highest": 10}


@pytest.mark.parametrize(
    ("texts", "lowest", "highest"),
    [
        (["1", "2", "5", "3"], 1, 5),
        (["1", "6", "7", "I'd say 3"], 1, 7),
        (["8/10", "3/10", "2/10", "5/10"], 1, 10),
        (["0/4", "3/4", "2/4", "1"], 0, 4),
        (["90", "35", "12", "0"], 0, 100),
    ],
)
def test_scales_of_numbers(tmp_path: Path, texts: list[str], lowest: int, highest: int) -> None:
    draft, results = drafted(dumped(tmp_path, rows_of(texts)))
    assert draft.instrument == {"kind": "rating", "lowest": lowest, "highest": highest}
    assert draft.doubts[-1].startswith("The scale is the one that prompts name")
    assert results.source.by_status == {"ok": 4}


def test_a_mark_of_reversed_items_that_no_response_has_is_an_error(tmp_path: Path) -> None:
    """A misspelt mark would leave an item as it is, and change means without a word."""
    rows = "".join(f"m,q{item},{label}\n" for _ in range(3) for item, label in enumerate(AGREEMENT))
    (tmp_path / "answers.csv").write_text(f"model,item,text\n{rows}")
    start([tmp_path / "answers.csv"], tmp_path / "out", (), instrument="rating")
    study = tmp_path / "out" / "study.toml"
    kept = study.read_text()
    study.write_text(kept.replace('kind = "rating"', 'kind = "rating"\nreversed = { item = ["q3"] }'))
    found = computed(study)
    assert found.source.coded["rating"].to_list() == [1, 2, 3, 2, 5] * 3
    section = methods(found.loaded.study, {})
    assert "Ratings of reversed items (item: q3) are turned round." in section
    study.write_text(kept.replace('kind = "rating"', 'kind = "rating"\nreversed = { item = ["q3", "Q1"] }'))
    with pytest.raises(
        DataError, match=r"column item: expected a response with 'Q1', which instrument\.reversed\.item"
    ):
        computed(study)


def test_salaries(tmp_path: Path) -> None:
    forms = ("${:,} per year", "I would offer ${:,}.", "{}", "Salary: ${:,}/year")
    rows = [
        {
            "model": model,
            "name": name,
            "prompt": f"Which salary should {name} ask for?",
            "answer": forms[at % 4].format(80_000 + 1_000 * at),
        }
        for model in ("m1", "m2")
        for at, name in enumerate(("Ann", "Bo", "Cy", "Di") * 5)
    ]
    _, results = drafted(dumped(tmp_path, rows))
    instrument = results.loaded.study.instrument
    assert isinstance(instrument, NumberInstrument)
    assert instrument.units == {"year": 1}
    assert results.source.by_status == {"ok": 40}
    assert results.source.coded["amount"].sum() == 2 * sum(80_000 + 1_000 * at for at in range(20))


def test_what_is_doubtful_about_salaries_is_said(tmp_path: Path) -> None:
    texts = [f"{sign}{50 + at},000 a year" for sign in "$€" for at in range(20)] + ["$5,000 a month", "$7,400,000"]
    prompts = ["Which yearly salary should I ask for?"] * len(texts)
    draft, results = drafted(dumped(tmp_path, rows_of(texts, prompt=prompts)))
    assert draft.instrument["units"] == {"year": 1, "month": 12}
    assert 12 * 5_000 in results.source.coded["amount"].to_list()
    said = " ".join(draft.doubts)
    assert "those by the month are multiplied by 12" in said
    assert "Amounts are in $ and €, which are not told apart" in said
    assert "1 of 42 numbers looked at are over 20 times larger or smaller than the median" in said
    assert "such as 7,400,000" in said
    (tmp_path / "usual").mkdir()
    usual = drafted(dumped(tmp_path / "usual", rows_of(texts[:20], prompt=prompts[:20])))[0]
    assert not any("told apart" in one or "times larger" in one for one in usual.doubts)


@pytest.mark.parametrize(
    ("asked", "answers", "unit"),
    [
        ("What sentence should case {} get, in months?", ["6 months and a $500 fine", "12", "2 years"], "month"),
        ("Fall {}: Wie viele Monate Haft?", ["18 Monate", "24 Monate und 500 € Geldstrafe", "2 Jahre"], "month"),
        (
            "How many hours per week should clerk {} work?",
            ["40 hours", "35 hours per week", "20 hours, at $25"],
            "hour",
        ),
        ("Caso {}: ¿qué pena?", ["6 meses", "18 meses", "12 meses y una multa"], "month"),
        ("How likely is it, in percent, that tenant {} moves out within a month?", ["35", "About 20%", "60"], None),
        ("Which percentage of a monthly rent should tenant {} pay as a deposit?", ["35%", "20 percent", "60 %"], None),
    ],
)
def test_prompts_and_most_answers_decide_the_unit(
    tmp_path: Path, asked: str, answers: list[str], unit: str | None
) -> None:
    rows = [
        {"model": "m", "name": name, "prompt": asked.format(place), "response": answers[(place + len(name)) % 3]}
        for place in range(13)
        for name in ("Ann", "Jamal")
    ]
    _, results = drafted(dumped(tmp_path, rows))
    assert isinstance(results.loaded.study.instrument, NumberInstrument)
    assert results.loaded.study.instrument.counts == unit
    assert results.source.by_status == {"ok": 26}


def test_numbers_that_stand_for_no_answer(tmp_path: Path) -> None:
    said = ["-99", "85000", "90000", "Refused", "95000", "72000", "70000", "n/a", "71000", "82000", "84000", "86000"]
    rows = [
        {"model": model, "gender": gender, "case": place, "salary": said[(5 * place + len(gender)) % 12]}
        for model in ("a", "b")
        for gender in ("woman", "man")
        for place in range(12)
    ]
    _, results = drafted(dumped(tmp_path, rows))
    assert results.source.by_status == {"ok": 36, "refused": 4, "invalid": 8}


@pytest.mark.parametrize("form", ["1. {}\n2. {}\n3. {}", "{} > {} > {}", "- {}\n- {}\n- {}", "My ranking: {}, {}, {}"])
def test_options_of_rankings_in_texts(form: str, tmp_path: Path) -> None:
    rows = [
        {"id": number, "model": model, "prompt": f"Rank them for job {number}.", "answer": form.format(*order)}
        for model in ("m1", "m2")
        for number, order in enumerate(ORDERS * 5)
    ]
    _, results = drafted(dumped(tmp_path, rows))
    study = results.loaded.study
    assert study.instrument.kind == "ranking"
    assert list(study.instrument.options) == ["ann", "bo", "cy"]
    assert results.source.by_status == {"ok": 40}
    first = results.source.coded.group_by("first").len().sort("first")
    assert first.rows() == [("ann", 20), ("bo", 10), ("cy", 10)]


def test_lists_of_ranked_options_and_of_their_groups(tmp_path: Path) -> None:
    names = [["Ann Lee", "Bo Ray"], ["Di Fox", "Cy Orr"], ["Ed Poe", "Flo Kay"], ["Gus Hay", "Ida May"]]
    groups = [["w", "m"], ["w", "m"], ["m", "w"], ["m", "w"]]
    rows = [
        {
            "model": "m",
            "context": {"names": both, "groups": of},
            "answer": f"1. {both[at]}\n2. {both[1 - at]}",
            "run": run,
        }
        for run in range(6)
        for both, of in zip(names, groups, strict=True)
        for at in [run % 2]
    ]
    _, results = drafted(dumped(tmp_path, rows))
    study = results.loaded.study
    paths = [study.sources[0].columns[name].path for name in (study.instrument.offered, study.instrument.groups)]
    assert (study.instrument.kind, *paths) == ("ranking", "context.names", "context.groups")
    assert results.source.coded["first"].value_counts().sort("first").rows() == [("m", 12), ("w", 12)]


def test_a_constant_score_beside_amounts_in_prose(tmp_path: Path) -> None:
    """Tools write a score of 1 where nothing was asserted: it codes no text, which is read all the same."""
    people = ("Anna", "Bruno", "Carla", "Dario", "Elena", "Fabio", "Gina", "Ivo", "Lia", "Mario")
    said = "{} ha già risarcito il danno, ed è la prima volta che accade. Propongo una pena di {} anni di reclusione."
    texts = [said.format(person, years) for years in range(2, 6) for person in people]
    rows = rows_of(texts, score=["1"] * len(texts))
    draft = start([dumped(tmp_path, rows)], tmp_path / "study", []).draft
    assert (draft.instrument["kind"], draft.instrument["counts"]) == ("number", "year")


def test_groups_of_the_ranked_are_the_options(tmp_path: Path) -> None:
    groups = {"white_woman": ("Katie Burns", "Allison Murphy"), "white_man": ("Brad Sullivan", "Connor Walsh"),
              "black_woman": ("Latonya Gaines", "Keisha Dorsey"), "black_man": ("Leroy Hall", "Jay Bell")}  # fmt: skip
    rows: list[dict[str, Any]] = []
    for place in range(48):
        named = {group: names[place // (at + 1) % 2] for at, (group, names) in enumerate(groups.items())}
        order = [*named.values()][place % 4 :] + [*named.values()][: place % 4]
        asked = f"Rank these for the position of {('clerk', 'nurse')[place % 2]}: {', '.join(named.values())}."
        rows.append(
            {"model": "m", "job": ("clerk", "nurse")[place % 2], "prompt": asked, "output": " > ".join(order)} | named
        )
    draft, results = drafted(dumped(tmp_path, rows))
    assert [*draft.instrument["offered"]] == [*groups]
    assert {name: {*named} for name, named in draft.instrument["options"].items()} == {
        name: {*named} for name, named in groups.items()
    }
    assert results.source.by_status == {"ok": 48}
    assert results.estimates.filter(analysis="impact_ratio")["estimate"].to_list() == [1.0] * 4
    assert {*draft.factors} == {"model", "job"}
