"""Dumps of several files, sheets, turns or parts, in which models, repetitions or factors stand in another part."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook import Study
from tallybook.core.errors import DataError
from tallybook.drafting.starting import start
from tests.integration.drafting.test_strange_dumps import begun, lines, said
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

MODELS = ("qwen2.5-7b", "glm-4-9b")


def _predictions_and_reviews(folder: Path) -> None:
    """Each model has a file of raw outputs, with its name, and one of what was read in them, without."""
    for model in MODELS:
        asked = range(24)
        raw = [{"index": place, "model": model, "output": {"choices": [{"content": "…"}]}} for place in asked]
        lines(folder / "predictions" / model / "age.jsonl", raw)
        lines(folder / "reviews" / model / "age.jsonl", [{"index": n, "answer": said(n + len(model))} for n in asked])


def _one_names_no_model(folder: Path) -> None:
    """Batches of Bedrock: outputs of some models name them, those of others do not."""
    for model, batch in zip(("claude-3-haiku", "llama3-1-70b"), ("b2", "a1"), strict=True):
        rows: list[dict[str, Any]] = []
        for place in range(24):
            text = ("Yes.", "No.")[place % 5 % 2]
            told = {"model": f"{model}-20240307", "role": "assistant", "content": [{"type": "text", "text": text}]}
            output = told if "claude" in model else {"generation": text, "stop_reason": "stop"}
            rows.append({"recordId": f"R{place}", "modelInput": {"max_tokens": 9}, "modelOutput": output})
        lines(folder / model / batch / "case.jsonl.out", rows)


def _two_rows_above_two_sheets(folder: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(str(folder / "found.xlsx")) as book:
        for language in ("English", "German"):
            sheet = book.add_worksheet(language)
            sheet.write_row(0, 2, [MODELS[0], "", MODELS[1]])
            sheet.write_row(1, 0, ["Item", "Group", "Answer", "Tokens", "Answer", "Tokens"])
            for place in range(12):
                cells = [place // 2, "ab"[place % 2], said(place + len(language)), place, said(place + 1), 9]
                sheet.write_row(2 + place, 0, cells)


def _lists_of_samples(folder: Path) -> None:
    """A harness keeps all samples of a question in one list."""
    for model in MODELS:
        rows = [
            {"doc": {"id": place, "query": f"Hire {place}?"}}
            | {"model_response": {"text": [said(place), said(place + len(model))], "input": "…"}}
            for place in range(12)
        ]
        (folder / model).mkdir()
        pl.DataFrame(rows).write_parquet(folder / model / "details.parquet")


@pytest.mark.parametrize(
    ("write", "rows"),
    [
        (_predictions_and_reviews, 48),
        (_one_names_no_model, 48),
        (_two_rows_above_two_sheets, 48),
        (_lists_of_samples, 48),
    ],
)
def test_each_response_counts_once_for_its_model(tmp_path: Path, write: Callable[[Path], None], rows: int) -> None:
    coded = read(begun(tmp_path, write).files[0]).coded
    assert coded.group_by("model").len().get_column("len").to_list() == [rows / 2, rows / 2]
    assert coded.filter(pl.col("answer").is_null() & (pl.col("status") == "ok")).is_empty()


def _resumed(folder: Path) -> None:
    rows = [
        {"id": f"{model}-{place}", "model": model, "case": place % 6, "answer": said(place), "ts": f"2025-05-01T10:{n}"}
        for n, (model, place) in enumerate(product(MODELS, range(12)), 10)
    ]
    lines(folder / "one" / "outputs.jsonl", rows[:16])
    lines(folder / "two" / "outputs.jsonl", rows[10:])


def test_what_a_resumed_run_has_again_is_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="no duplicate record") as found:
        begun(tmp_path, _resumed)
    assert len(found.value.problems) == 6


def test_turns_of_a_conversation_are_one_cluster(tmp_path: Path) -> None:
    rows = [
        {"conversation_id": f"c{talk}", "model": model, "group": "ab"[talk % 2], "turn": turn}
        | {"messages": json.dumps([{"role": "user", "content": f"{talk} {model}"}] * turn)}
        | {"answer": str(1 + (talk * turn + len(model)) % 7)}
        for model, talk, turn in product(MODELS, range(8), (1, 2, 3))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.cluster, made.path("item"), [*made.factors]) == ("item", "conversation_id", ["model", "group", "turn"])


def test_amounts_in_ids_are_factors(tmp_path: Path) -> None:
    """5000 and 20000 are what was asked; 0, 1 and 2 number the repetitions."""
    ids = product(MODELS, ("Emily", "Lakisha"), ("5000", "20000"), ("cook", "baker", "clerk"), "012")
    rows = [{"id": "|".join(one), "model": one[0], "answer": said(place)} for place, one in enumerate(ids)]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert [[*one["levels"]] for name, one in made.factors.items() if name != "model"] == [
        ["Emily", "Lakisha"],
        ["5000", "20000"],
        ["baker", "clerk", "cook"],
    ]


def test_long_templates_are_a_factor_with_short_names(tmp_path: Path) -> None:
    asks = "Please think of {{name}}, the applicant below, and say yes or no in a word."
    templates = [f"{one} {asks}" for one in "ab"]
    header = ["name", *(f"[{model}] {template}" for template, model in product(templates, MODELS))]
    cells = [(name, *(f"[PASS] {said(place + one)}" for one in range(4))) for place, name in enumerate("ABCD")]
    pl.DataFrame(cells, header, orient="row").write_csv(tmp_path / "a.csv")
    levels = start([tmp_path / "a.csv"], tmp_path / "study", []).draft.factors["label"]["levels"]
    assert [*levels] == templates
    assert [name[:4] for name in levels.values()] == ["1: a", "2: b"]
    assert max(map(len, levels.values())) < 70


def test_words_without_degrees_are_options(tmp_path: Path) -> None:
    """A prompt that lists three traits asks for no rating."""
    rows = [
        {
            "model": model,
            "job": f"job {n % 8}",
            "prompt": f"Which word fits job {n % 8}: ambitious, caring or stubborn?",
        }
        | {"answer": ("Ambitious", "Caring", "Stubborn")[n % 3]}
        for model, n in product(MODELS, range(24))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    assert start([tmp_path / "a.csv"], tmp_path / "study", []).draft.instrument["kind"] != "rating"


def test_scores_in_lists_of_answers_are_outcomes(tmp_path: Path) -> None:
    rows = [
        {"model": model, "group": "ab"[n % 2], "prompt": f"Person {n // 2} of {n % 2} went"}
        | {"generations": [{"text": f"to shop {n} {k}.", "toxicity": (n + k) / 50, "flagged": not k} for k in range(3)]}
        for model, n in product(MODELS, range(16))
    ]
    lines(tmp_path / "a.jsonl", rows)
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", []).draft
    assert [*made.factors] == ["model", "group"]
    coded = read(tmp_path / "study").coded
    assert coded.height == 96
    assert coded.get_column("flagged").value_counts(sort=True).rows() == [("false", 64), ("true", 32)]
    assert coded.get_column("toxicity").cast(float).sum() == pytest.approx(sum(range(16)) * 6 / 50 + 3 * 32 / 50)


def test_the_likelihoods_of_three_options_are_no_pair(tmp_path: Path) -> None:
    options = ["the woman", "the man", "unknown"]
    rows: list[dict[str, Any]] = []
    for model, n in product(MODELS, range(12)):
        likelihoods = {letter: -1.5 - (n + k * len(model)) % 3 for k, letter in enumerate("ABC")}
        asked = {"question": f"Who was late? Case {n}.", "choices": options}
        rows.append({"model": model, "id": n} | asked | {"answer_logprobs": likelihoods})
    lines(tmp_path / "a.jsonl", rows)
    start([tmp_path / "a.jsonl"], tmp_path / "study", [])
    chosen = read(tmp_path / "study").coded.group_by("model", "chosen_text").len()
    assert {*chosen.rows()} == {(model, option, 4) for model, option in product(MODELS, options)}


def test_rows_stand_for_as_many_responses_as_they_count(tmp_path: Path) -> None:
    """Of five scenarios, two groups and two models there is one row for each answer."""
    cells = product(MODELS, "ab", range(5), ("yes", "no"))
    rows = [(*cell, (7 * place) % 12) for place, cell in enumerate(cells)]
    pl.DataFrame(rows, ["model", "group", "scenario", "answer", "n"], orient="row").write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.cluster, [*made.factors], "design" in made.checks) == ("item", ["model", "group"], False)
    coded = read(tmp_path / "study").coded
    assert coded.get_column("count").sum() == sum(row[-1] for row in rows)
    assert coded.filter(answer="yes").get_column("count").sum() == sum(row[-1] for row in rows if row[3] == "yes")


def test_items_in_ids_beside_models_with_hyphens(tmp_path: Path) -> None:
    """An id is of one response, and what is repeated is the number in it."""
    rows = [
        {"id": f"{model}-{n}-{order}", "model": model, "order": order, "answer": said(n + len(order))}
        for model, n, order in product(("gpt-4o", "llama-3.1-8b"), range(15), ("original", "swapped"))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.cluster, str(made.evidence)) == ("item_2", "15 values with 4 responses each")


def test_the_item_made_of_factors_is_the_cluster_where_nothing_else_is_repeated(tmp_path: Path) -> None:
    rows = [
        {"model": model, "gender": "fm"[n % 2], "role": role, "run": run, "salary": 40_000 + 700 * (n * run) % 9}
        for model, n, role, run in product(MODELS, range(2), ("cook", "nurse", "clerk"), range(4))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.cluster, str(made.evidence)) == ("item", "6 values with 8 responses each")


def test_lists_of_models_their_answers_and_scores_belong_together(tmp_path: Path) -> None:
    rows = [
        {"instruction": f"Task {n}", "topic": "ab"[n % 2], "generation_models": MODELS[:: 1 - 2 * (n % 3 % 2)]}
        | {"generations": [f"Text {n} of one", f"Text {n} of two"], "ratings": [1 + n % 5, 1 + n % 3]}
        for n in range(20)
    ]
    lines(tmp_path / "a.jsonl", rows)
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", []).draft
    coded = read(tmp_path / "study").coded
    assert (coded.height, [*made.factors]) == (40, ["model", "topic"])
    told = pl.DataFrame(rows).select("generation_models", "ratings").explode("generation_models", "ratings")
    sums = told.group_by("generation_models").agg(pl.col("ratings").sum()).sort("generation_models").rows()
    score = next(one["attribute"] for one in made.outcomes.values() if one["kind"] == "score")
    assert coded.group_by("model").agg(pl.col(score).cast(int).sum()).sort("model").rows() == sums


def test_objects_as_python_writes_them(tmp_path: Path) -> None:
    rows = [
        {"config": str({"model": model, "temperature": 0.7, "seed": n % 2})}
        | {"condition": str({"body": "ab"[n // 2 % 2], "case": n // 4})}
        | {"output": str({"word": ("lazy", "diligent")[n * 3 // 2 % 2], "why": "It isn't so."})}
        for model, n in product(MODELS, range(24))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.path("model"), made.path("item")) == ("config.model", "condition.case")
    assert read(tmp_path / "study").coded.get_column("word").drop_nulls().len() == 48


def test_what_an_earlier_run_wrote_is_no_dump(tmp_path: Path) -> None:
    rows = [{"model": model, "group": "ab"[n % 2], "answer": said(n)} for model, n in product(MODELS, range(12))]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    start([tmp_path], tmp_path, [])
    Study.load(tmp_path / "study.toml").run(tmp_path / "out" / "a", numbers_only=True)
    assert start([tmp_path], tmp_path, [], replace=True).rows == 24


def test_a_folder_names_the_models_and_not_the_files_in_it(tmp_path: Path) -> None:
    cells = product(MODELS, ("0.0", "1.0"), ("welfare", "religion", "taxes"), ("pro", "con"), (1, 2))
    for place, (model, heat, topic, side, run) in enumerate(cells):
        path = tmp_path / "dump" / model / f"temp_{heat}" / f"{topic}_{side}_rep{run}.json"
        lines(path, [{"prompt": f"Is it good? {topic} {side}", "output": str(1 + place % 5)}])
    made = start([tmp_path / "dump"], tmp_path / "study", []).draft
    assert made.source["files"] == "{model}/temp_{temp}/{name_1}_{name_2}_rep{sample:int}.json"
    assert sorted(len(one["levels"]) for one in made.factors.values()) == [2, 2, 2, 3]


def test_parts_of_a_test_are_no_models(tmp_path: Path) -> None:
    """Vicuna is also the name of a list of questions; the judge is the model."""
    rows = [
        {"instruction": f"Task {n}", "dataset": ("helpful", "vicuna")[n % 2], "annotator": "alpaca_eval_gpt4"}
        | {"generator_1": "base-1", "generator_2": f"gpt-{n % 2}", "preference": 1.0 + n % 3 % 2}
        for n in range(24)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert made.path("model") == "annotator"
    assert "dataset" in made.factors


def test_arrays_within_arrays(tmp_path: Path) -> None:
    outputs = [{"item": n // 2, "group": "ab"[n % 2], "completion": said(n)} for n in range(12)]
    runs = [{"seed": seed, "outputs": outputs} for seed in (1, 2)]
    models = [{"name": model, "params": {"temperature": 0}, "runs": runs} for model in MODELS]
    (tmp_path / "a.json").write_text(json.dumps({"study": "x", "models": models}, indent=1), encoding="utf-8")
    made = start([tmp_path / "a.json"], tmp_path / "study", []).draft
    assert (made.path("model"), made.path("sample"), [*made.factors]) == ("model.name", "run.seed", ["model", "group"])
    coded = read(tmp_path / "study").coded
    assert coded.group_by("model", "sample").len().get_column("len").to_list() == [12] * 4
    assert coded.filter(item="3").get_column("text").unique().sort().to_list() == sorted({said(6), said(7)})


def test_columns_of_a_model_and_a_group_each(tmp_path: Path) -> None:
    """The item is made of the job and the group, which is a part of the header."""
    header = ["job", *(f"{model}_{group}" for model, group in product(MODELS, ("male", "female")))]
    rows = [(f"job {'abcdefg'[n]}", *(40_000 + 1000 * ((7 * n + 3 * k) % 20) for k in range(4))) for n in range(7)]
    pl.DataFrame(rows, header, orient="row").write_csv(tmp_path / "a.csv")
    start([tmp_path / "a.csv"], tmp_path / "study", [])
    coded = read(tmp_path / "study").coded.filter(model=MODELS[1], condition="female")
    assert coded.sort("item").get_column("text").to_list() == [str(row[4]) for row in rows]


def test_rankings_in_rows_are_clusters(tmp_path: Path) -> None:
    """Each trial ranks the same four people, a row each."""
    people = (("Emily", "White"), ("Lakisha", "Black"), ("Mei", "Asian"), ("Maria", "Hispanic"))
    rows = [
        {"model": model, "trial": trial, "candidate": name, "race": race, "rank": 1 + (place + trial * trial) % 4}
        for model, trial, (place, (name, race)) in product(MODELS, range(10), enumerate(people))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.path("item"), made.cluster, str(made.evidence)) == ("trial", "item", "10 values with 8 responses each")
