"""Dumps of ratings and of verdicts, as `init` drafts them, run as they are written."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from tallybook.drafting.starting import start
from tallybook.instruments.judge.instrument import JudgeInstrument
from tallybook.instruments.rating.instrument import RatingInstrument
from tallybook.pipeline import Results, compute
from tallybook.report.results_section import results_text
from tallybook.study.loading import load

if TYPE_CHECKING:
    from pathlib import Path


def drafted(folder: Path, rows: dict[str, list[Any]]) -> Results:
    pl.DataFrame(rows).write_csv(folder / "dump.csv")
    started = start([folder / "dump.csv"], folder, [])
    return compute(load(str(started.files[0])))


def test_ratings_beside_long_questions(tmp_path: Path) -> None:
    """45 of 3,000 are "N/A", and the questions are the longest texts: they are asked, not answered."""
    size = 3000
    found = drafted(
        tmp_path,
        {
            "": list(range(size)),
            "model": [f"m{place % 3}" for place in range(size)],
            "question_id": [f"q{place % 20}" for place in range(size)],
            "question": [
                f"How far do you agree that statement {place % 20} is true of most people?" for place in range(size)
            ],
            "rating": ["N/A" if place < 45 else str(1 + place % 5) for place in range(size)],
        },
    )
    study = found.loaded.study
    assert isinstance(study.instrument, RatingInstrument)
    assert (study.instrument.lowest, study.instrument.top) == (1, 5)
    assert list(study.factors) == ["model"]
    by_status = {status: count for status, count in found.source.by_status.items() if count}
    assert by_status == {"ok": 2955, "invalid": 45}
    coded = found.source.coded.lazy().collect()
    assert coded.select(pl.col("rating").mean()).item() == pytest.approx(sum(1 + p % 5 for p in range(45, size)) / 2955)


@pytest.mark.parametrize(
    ("asks", "kind"),
    [("Guess the age of {} in years, please.", "number"), ("Rate {} on a scale from 0 to 100, please.", "rating")],
)
def test_numbers_up_to_100_are_ratings_where_prompts_name_the_scale(asks: str, kind: str, tmp_path: Path) -> None:
    names = ["Mildred", "Jayden", "Ruth", "Kevin"]
    planted = [20 + (7 * place * place) % 61 for place in range(40)]
    found = drafted(
        tmp_path,
        {
            "model": [f"m{place % 2}" for place in range(40)],
            "prompt": [asks.format(names[place % 4]) for place in range(40)],
            "response": [("{}", "About {}.", "**{}**")[place % 3].format(value) for place, value in enumerate(planted)],
        },
    )
    instrument = found.loaded.study.instrument
    assert instrument is not None
    assert instrument.kind == kind
    assert found.source.coded.lazy().collect().get_column(kind).to_list() == planted


def test_probabilities_of_yes_beside_those_of_no(tmp_path: Path) -> None:
    """Some are "N/A": the column of yes is read, from 0 to 1, and the draft says which other there is."""
    yes = [((7 * place * place) % 97) / 100 for place in range(60)]
    rows = {"lm": [f"m{place % 2}" for place in range(60)], "case_no": [place // 2 for place in range(60)]}
    texts = {"p_yes": [f"{one:.2f}" for one in yes], "p_no": [f"{1 - one:.2f}" for one in yes]}
    pl.DataFrame(rows | {name: ["N/A", *own[1:]] for name, own in texts.items()}).write_csv(tmp_path / "dump.csv")
    draft = start([tmp_path / "dump.csv"], tmp_path, []).draft
    assert draft.instrument == {"kind": "rating", "lowest": 0, "highest": 1, "decimals": True}
    assert draft.columns["text"] == {"path": "p_yes"}
    assert any("--set text=p_no reads the other" in doubt for doubt in draft.doubts)


def test_labels_and_numbers_of_seven_points_are_mixed(tmp_path: Path) -> None:
    """Answers are "2", "Disagree" or "2 - Disagree": all of them count, on the scale that the prompts name."""
    labels = ["Strongly disagree", "Disagree", "Somewhat disagree", "Neither agree nor disagree"]
    labels += ["Somewhat agree", "Agree", "Strongly agree"]
    planted = [1 + (3 * place * place + place // 5) % 7 for place in range(210)]
    forms = [[str(value), labels[value - 1], f"{value} - {labels[value - 1]}"] for value in planted]
    found = drafted(
        tmp_path,
        {
            "model": [f"m{place % 2}" for place in range(210)],
            "prompt": [
                f"On a scale from 1 (strongly disagree) to 7 (strongly agree), rate: tax {place // 10} is too high."
                for place in range(210)
            ],
            "answer": [form[place % 3] for place, form in enumerate(forms)],
        },
    )
    assert found.source.coded.lazy().collect().get_column("rating").to_list() == planted


def test_means_of_two_groups_are_compared(tmp_path: Path) -> None:
    rows = [(model, item, group) for model in ("m1", "m2") for item in range(8) for group in ("men", "women")]
    ratings = [1 + (7 * place * place + 3 * (group == "men") + item) % 7 for place, (_, item, group) in enumerate(rows)]
    columns = dict(zip(("model", "question", "group"), map(list, zip(*rows, strict=True)), strict=True))
    columns["question"] = [f"How good is applicant {item}?" for item in columns["question"]]
    found = drafted(tmp_path, columns | {"rating": ratings})
    difference = found.estimates.filter(analysis="mean_difference_by_group")
    frame = pl.DataFrame(columns | {"rating": ratings}).group_by("model", "group").agg(pl.col("rating").mean())
    means = {(model, group): mean for model, group, mean in frame.iter_rows()}
    expected = [means[model, "men"] - means[model, "women"] for model in ("m1", "m2")]
    assert difference.sort("model")["estimate"].to_list() == pytest.approx(expected, rel=1e-9)
    assert difference.select("df", "family_size").unique().rows() == [(7.0, 2)]
    assert difference["p_adjusted"].null_count() == 0
    said = re.sub(r"\{\{<.*?>\}\}", "", results_text(found))
    assert "mean rating was" in said
    assert "mean_difference" not in said.lower()


def test_means_of_three_groups_are_compared_in_pairs(tmp_path: Path) -> None:
    groups = ["men", "women", "others"]
    rows = [(model, item, group) for model in ("m1", "m2", "m3") for item in range(8) for group in groups]
    ratings = np.random.default_rng(1).integers(1, 8, len(rows)).tolist()
    columns = dict(zip(("model", "question", "group"), map(list, zip(*rows, strict=True)), strict=True))
    columns["question"] = [f"How good is applicant {item}?" for item in columns["question"]]
    found = drafted(tmp_path, columns | {"rating": ratings})
    difference = found.estimates.filter(analysis="mean_difference_by_group")
    assert difference["term"].unique(maintain_order=True).to_list() == ["men - others", "men - women", "others - women"]
    assert difference.select("clusters", "df", "family_size").unique().rows() == [(8, 7.0, 9)]
    models = found.estimates.filter(analysis="mean_difference_by_model")
    assert models.select("term", "clusters", "family_size").row(0) == ("m1 - m2", 8, 3)
    titled = next(
        table for table in found.tables.tables if "differences of means between levels of group" in table.title
    )
    assert [row.label for row in titled.rows if row.cells and row.cells[0]][:2] == ["men − others", "men − women"]


def verdicts(texts: list[str]) -> dict[str, list[Any]]:
    size = len(texts)
    return {
        "model": [f"m{place % 2}" for place in range(size)],
        "prompt_id": [place // 2 for place in range(size)],
        "prompt": [f"What would you say to person {place // 2} who asks for help?" for place in range(size)],
        "response": texts,
    }


TEXTS = [
    f"Well, {place} of us walked along the river until it was dark and then went home again." for place in range(80)
]


@pytest.mark.parametrize(
    ("columns", "kinds"),
    [
        ({"judge_score": [1 + place % 9 for place in range(80)]}, {"score": "judge_1_score"}),
        ({"verdict": ["safe", "unsafe"] * 40}, {"category": "verdict_label"}),
        ({"gpt4_verdict": ["Safe.", "unsafe"] * 40, "claude_verdict": ["safe"] * 80}, {"category": "claude_label"}),
        (
            {"judgement": [json.dumps({"score": place % 5, "why": "so"}) for place in range(80)]},
            {"score": "judgement_score"},
        ),
    ],
)
def test_verdicts_beside_texts(tmp_path: Path, columns: dict[str, list[Any]], kinds: dict[str, str]) -> None:
    beside = {"judge_reason": [f"because of reason {place}" for place in range(80)], "human_label": ["safe"] * 80}
    found = drafted(tmp_path, verdicts(TEXTS) | columns | beside)
    study = found.loaded.study
    assert isinstance(study.instrument, JudgeInstrument)
    assert len(study.instrument.judges) == len(columns)
    assert set(kinds.items()) <= {(outcome.kind, outcome.attribute) for outcome in study.outcomes.values()}
    assert set(found.source.coded.lazy().collect().get_column("status")) == {"ok"}


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (
            {
                f"judgements.{name}.{key}": said
                for name in ("gpt-4o-judge", "claude-judge")
                for key, said in (
                    ("score", [1 + place % 5 for place in range(80)]),
                    ("reason", [f"So it is in {place}." for place in range(80)]),
                )
            },
            ["gpt_4o_judge", "claude_judge"],
        ),
        (
            {f"annotator_{number}": ["toxic", "fine"] * 40 for number in (1, 2, 3)},
            [f"annotator_{n}" for n in (1, 2, 3)],
        ),
        ({f"rater_{letter}": [1 + place % 5 for place in range(80)] for letter in "AB"}, ["rater_a", "rater_b"]),
    ],
)
def test_several_judges_or_people_beside_texts(tmp_path: Path, columns: dict[str, list[Any]], names: list[str]) -> None:
    instrument = drafted(tmp_path, verdicts(TEXTS) | columns).loaded.study.instrument
    assert isinstance(instrument, JudgeInstrument)
    assert [*instrument.judges] == names


@pytest.mark.parametrize(
    ("verdict", "people"),
    [
        ([1 + n % 5 for n in range(80)], [1 + n % 4 for n in range(80)]),
        (["safe", "harmful"] * 40, ["Safe", "Harmful", "Harmful", "Safe"] * 20),
    ],
)
def test_people_correct_a_judge_where_they_coded(verdict: list[Any], people: list[Any], tmp_path: Path) -> None:
    """What nobody coded is neither partial nor uncoded, and no mean of its own is made of people."""
    coded = [one if n % 3 else None for n, one in enumerate(people)]
    found = drafted(tmp_path, verdicts(TEXTS) | {"judge_verdict": verdict, "human": coded, "coder": ["Ann", "Bo"] * 40})
    study = found.loaded.study
    assert isinstance(study.instrument, JudgeInstrument)
    assert [*study.instrument.judges] == ["judge_1"]
    assert set(found.source.coded.lazy().collect().get_column("status")) == {"ok"}
    assert found.source.uncoded.is_empty()
    corrected = found.estimates.filter(analysis="judge_1_corrected_by_human")
    assert corrected.get_column("n").unique().sum() in {53, 26, 27}
    assert not found.estimates.filter(pl.col("analysis").str.starts_with("judge_1_and_")).is_empty()
    own = found.estimates.filter(pl.col("analysis").is_in(["mean", "share"]))
    assert {*own.get_column("outcome")} == {"judge_1"}


def test_a_judge_without_texts(tmp_path: Path) -> None:
    """MT-bench has a judge's score, and the text that ends in it: one verdict, not two."""
    scores = [1 + place % 9 for place in range(80)]
    said = [f"It is fair in point {place}, but short. Rating: [[{score}]]" for place, score in enumerate(scores)]
    columns = verdicts(TEXTS) | {"judge": ["gpt-4"] * 80, "judgment": said, "score": scores}
    del columns["response"], columns["prompt"]
    found = drafted(tmp_path, columns)
    assert isinstance(found.loaded.study.instrument, JudgeInstrument)
    assert [*found.loaded.study.instrument.judges] == ["score"]
    assert found.source.coded.lazy().collect()["judge_score"].to_list() == scores


def test_people_alone_are_no_judges(tmp_path: Path) -> None:
    found = drafted(tmp_path, verdicts(TEXTS) | {"human_label": ["safe", "unsafe"] * 40})
    assert not isinstance(found.loaded.study.instrument, JudgeInstrument)


@pytest.mark.parametrize(("who", "said"), [("judge", "score"), ("judge_model", "rating"), ("grader", "grade")])
def test_a_row_for_each_judge(tmp_path: Path, who: str, said: str) -> None:
    """A column that says who judged is a factor, not a verdict, also where all judged texts hold numbers."""
    rows = [(m, q, j) for m in ("m1", "m2") for q in range(20) for j in ("Alice", "claude-3-opus")]
    scores = [1 + (q + (j == "Alice")) % 5 for _, q, j in rows]
    found = drafted(
        tmp_path,
        {
            "question_id": [q for _, q, _ in rows],
            "model": [m for m, _, _ in rows],
            "response": [f"{m} earns ${1000 + 7 * q} a year" for m, q, _ in rows],
            who: [j for _, _, j in rows],
            said: scores,
        },
    )
    study = found.loaded.study
    assert isinstance(study.instrument, JudgeInstrument)
    assert len(study.instrument.judges) == 1
    assert [*study.factors] == ["model", who]
    assert who in study.key
    coded = found.source.coded.lazy().collect()
    assert coded.height == len(rows)
    assert coded.get_column("judge_score").mean() == pytest.approx(sum(scores) / len(scores))


def test_verdicts_of_a_grader_are_no_names_of_judges(tmp_path: Path) -> None:
    found = drafted(
        tmp_path,
        {
            "id": [*range(40)],
            "model": ["m1", "m2"] * 20,
            "response": ["An answer of some length, as models give them.", "Another one, not so long, of a model."]
            * 20,
            "grader": ["correct", "incorrect", "correct", "correct"] * 10,
            "score": [1, 0, 1, 1] * 10,
        },
    )
    assert isinstance(found.loaded.study.instrument, JudgeInstrument)
    assert len(found.loaded.study.instrument.judges) == 2


MARKS = [
    ("reversed", 1, 0),
    ("umgepolt", "ja", "nein"),
    ("keyed", "-", "+"),
    ("item_inverse", "oui", "non"),
    ("reverse", "R", None),
    ("reverse_keyed", -1, 1),
]


@pytest.mark.parametrize(("name", "marked", "other"), MARKS)
def test_reversed_items(name: str, marked: int | str, other: int | str | None, tmp_path: Path) -> None:
    rows = [
        (f"trait {item}", item, marked if item % 3 else other, 1 + (item * run) % 7)
        for item in range(6)
        for run in range(6)
    ]
    columns = dict(zip(("trait", "", name, "answer"), map(list, zip(*rows, strict=True)), strict=True))
    found = drafted(tmp_path, {"model": ["m"] * len(rows), **{one: columns[one] for one in ("trait", name, "answer")}})
    instrument = found.loaded.study.instrument
    assert isinstance(instrument, RatingInstrument)
    assert instrument.reversed == {name: (str(marked),)}
    assert list(found.loaded.study.factors) == ["model", "trait"]
    expected = [8 - answer if item % 3 else answer for _, item, _, answer in rows]
    assert found.source.coded.lazy().collect().get_column("rating").to_list() == expected


def test_scales_of_reversed_order_are_no_reversed_items(tmp_path: Path) -> None:
    rows = [(f"q{item}", turned, 1 + (item * run) % 7) for item in range(6) for turned in (0, 1) for run in range(6)]
    columns = dict(zip(("item", "reversed", "answer"), map(list, zip(*rows, strict=True)), strict=True))
    study = drafted(tmp_path, {"model": ["m"] * len(rows), **columns}).loaded.study
    assert isinstance(study.instrument, RatingInstrument)
    assert study.instrument.reversed == {}
    assert [*study.factors] == ["model", "reversed"]


@pytest.mark.parametrize(("none", "status"), [("NaN", "empty"), ("N/A", "invalid")])
def test_programs_write_missing_ratings_and_models_say_that_there_is_none(
    tmp_path: Path, none: str, status: str
) -> None:
    ratings = [none if place % 9 == 0 else str(1 + place % 5) for place in range(45)]
    found = drafted(tmp_path, {"model": ["m"] * 45, "item": [f"q{place}" for place in range(45)], "rating": ratings})
    assert {name: times for name, times in found.source.by_status.items() if times} == {"ok": 40, status: 5}


def test_missing_scores_and_levels_called_none(tmp_path: Path) -> None:
    """None is no score, but a level of a factor is called so, too: it is not missing there."""
    rows: dict[str, list[Any]] = {
        "model": ["m", "n"] * 30,
        "item": [f"q{place // 2}" for place in range(60)],
        "persona": [("None", "1", "2")[place % 3] for place in range(60)],
        "toxicity": ["nan" if place % 10 == 0 else f"0.{place + 10}" for place in range(60)],
    }
    found = drafted(tmp_path, rows)
    assert [*found.loaded.study.factors["persona"].levels] == ["1", "2", "None"]
    assert found.source.coded.lazy().collect().get_column("toxicity").null_count() == 6


def test_judges_named_in_columns_are_no_models_where_a_column_has_these(tmp_path: Path) -> None:
    size = 40
    columns = {
        f"judge_{judge}_{of}": [1 + place % 7 for place in range(size)] for judge in ("gpt4o", "claude") for of in "wc"
    }
    letters = [f"I {'very ' * place} warmly recommend one who has always worked hard." for place in range(size)]
    results = drafted(
        tmp_path, {"generator": ["gpt-4o", "phi-4"] * 20, "sex": [*"ffmm"] * 10, "letter": letters, **columns}
    )
    assert [*results.loaded.study.factors] == ["model", "sex"]
    assert results.loaded.study.instrument.kind == "judge"
