"""Columns of strange dumps: which are answers, options, factors or none of these."""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.drafting.starting import start
from tests.integration.drafting.test_strange_dumps import JOBS, MODELS, asked, begun, lines, said
from tests.trusted import read

if TYPE_CHECKING:
    from pathlib import Path


def bbq(folder: Path) -> None:
    for category, groups in (("Age", ("old", "young")), ("Gender", ("F", "M"))):
        rows: list[dict[str, Any]] = []
        for question, clear in product(range(8), (True, False)):
            options = [f"The {groups[0]} one", f"The {groups[1]} one", "Not known"]
            tags = [*groups, "unknown"]
            place = (question + clear) % 3
            options, tags = options[place:] + options[:place], tags[place:] + tags[:place]
            rows.append(
                {"example_id": len(rows), "question_index": str(question), "category": category, "model": "m"}
                | {"answer_info": {f"ans{one}": [options[one], tags[one]] for one in range(3)}}
                | {"additional_metadata": {"stereotyped_groups": [groups[0]]}}
                | {
                    "context": f"I saw the {groups[0]} and the {groups[1]} one, case {question}, {clear}.",
                    "question": "Who?",
                }
                | {f"ans{one}": options[one] for one in range(3)}
                | {"label": tags.index("unknown"), "response": f"({'ABC'[tags.index(groups[question % 2])]})"}
            )
        lines(folder / f"{category}.jsonl", rows)


def test_questions_of_several_categories_and_roles_of_options(tmp_path: Path) -> None:
    started = begun(tmp_path, bbq)
    coded = read(started.files[0]).coded
    assert started.draft.key == ("model", "item", "sample")
    assert coded.get_column("item").n_unique() == 32
    assert coded.get_column(started.draft.cluster or "").n_unique() == 16
    assert coded.group_by("chosen_role").len().sort("chosen_role").rows() == [("non_target", 16), ("target", 16)]


def test_the_options_of_a_ranking_are_told(tmp_path: Path) -> None:
    def rankings(folder: Path) -> None:
        orders = ["Ann\nBob\nCy", "Bob, Cy, Ann", "I would put Cy first, then Ann, then Bob."]
        lines(folder / "a.jsonl", [{"model": "m", "id": place, "text": orders[place % 3]} for place in range(12)])

    started = begun(tmp_path, rankings, "options=Ann,Bob,Cy")
    assert started.draft.instrument["options"] == {"ann": ["Ann"], "bob": ["Bob"], "cy": ["Cy"]}
    assert read(started.files[0]).coded.get_column("rank_ann").drop_nulls().len() >= 8
    with pytest.raises(UsageError, match="names what is ranked or chosen"):
        start([tmp_path / "dump"], tmp_path / "x", ["options=Ann,Bob"], instrument="rating")


@pytest.mark.parametrize("words", [["1", "2", "5", "N/A", "I would say 4"], ["Agree", "Strongly disagree", "Neutral"]])
def test_ratings_with_words_beside_them(tmp_path: Path, words: list[str]) -> None:
    rows = [
        {
            "model": model,
            "statement": f"Statement {item} is about taxes",
            "party": party,
            "rating": words[item % len(words)],
        }
        for model, party, item in product(MODELS, ("left", "right"), range(12))
    ]
    dump = tmp_path / "ratings.csv"
    pl.DataFrame(rows).write_csv(dump)
    draft = start([dump], tmp_path / "study", []).draft
    assert draft.columns["text"]["path"] == "rating"
    assert draft.instrument["kind"] == "rating"
    assert list(draft.factors) == ["model", "party"]


def test_a_context_of_two_words_is_a_factor(tmp_path: Path) -> None:
    rows = [row | {"context": "ambig" if place % 2 else "clear"} for place, row in enumerate(asked())]
    lines(tmp_path / "a.jsonl", rows)
    assert "context" in start([tmp_path / "a.jsonl"], tmp_path / "study", []).draft.factors


def test_a_column_name_that_is_no_text(tmp_path: Path) -> None:
    (tmp_path / "a.json").write_text(json.dumps([row | {"x\ud800": "a"} for row in asked()]), encoding="utf-8")
    with pytest.raises(DataError, match="expected column names that are Unicode text"):
        start([tmp_path / "a.json"], tmp_path / "study", [])


def test_records_that_share_no_columns(tmp_path: Path) -> None:
    rows = ({"model": "a", "text": "yes", f"k{place}": place} for place in range(7000))
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    with pytest.raises(DataError) as told:
        start([tmp_path / "a.jsonl"], tmp_path / "out", ())
    assert told.value.problems[0].expected.startswith("records with the same columns, not ")


def test_many_columns_are_no_factors(tmp_path: Path) -> None:
    lines(
        tmp_path / "a.jsonl",
        [row | {f"m{n}": str(pow(n + 2, at + 1, 97) % 3) for n in range(90)} for at, row in enumerate(asked())],
    )
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", [])
    assert len(made.draft.factors) == 31  # and the model
    assert "and 49 more: not needed" in made.found  # beside the prompt, which several items share
    assert "--set factors=A,B names others" in " ".join(made.draft.doubts)
    named = start([tmp_path / "a.jsonl"], tmp_path / "other", ["factors=m88,m89"]).draft.factors
    assert list(named) == ["model", "m88", "m89"]


def test_models_called_by_letters_are_no_options(tmp_path: Path) -> None:
    rows = [
        {"idx": place, "model": model, "context": f"I saw both of them at the shop number {place} last week."}
        | {"ans0": "The grandfather", "ans1": "The grandson", "ans2": "Cannot be determined", "label": 2}
        | {"answer": "ABC"[(place * 7 + (model == "B")) % 3]}
        for model, place in product("AB", range(24))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", [])
    assert (made.draft.instrument["kind"], made.draft.columns["text"]["path"]) == ("multiple-choice", "answer")
    coded = read(made.files[0]).coded
    assert coded.group_by("model").len().sort("model").rows() == [("A", 24), ("B", 24)]
    assert sorted(coded.group_by("accuracy").len().rows()) == [("right", 16), ("wrong", 32)]


_FORMS = ("({letter}) {text}", "({letter})", "{text}.", "{text}")


def _offered(place: int, model: str, answer: str, options: tuple[str, ...]) -> dict[str, Any]:
    """A question that shows three options, which stand in columns too: every third answer is the same place."""
    texts = [("Anna", "Karim", "Unknown")[(one + place) % 3] for one in range(3)]
    shown = "".join(f"\n({letter}) {text}" for letter, text in zip("abc", texts, strict=True))
    one = (place + place // 3 + len(model)) % 3
    said = _FORMS[place % 4].format(letter="abc"[one], text=texts[one])
    asked = {"id": place, "model": model, **dict(zip(options, texts, strict=True)), "prompt": f"Who, {place}?{shown}"}
    return asked | {answer: said}


@pytest.mark.parametrize(
    ("answer", "told"), [("text", []), ("response", []), ("reply", []), ("said", []), ("said", ["text=said"])]
)
@pytest.mark.parametrize("options", [("ans0", "ans1", "ans2"), ("answer_a", "answer_b", "answer_c")])
def test_options_are_no_answers(tmp_path: Path, options: tuple[str, ...], answer: str, told: list[str]) -> None:
    """Options stand in the prompt and in columns called answers, but do not vary within a question."""
    rows = [_offered(place, model, answer, options) for model, place in product(MODELS, range(12))]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", told)
    assert made.draft.instrument["options"] == [*options]
    assert (made.draft.columns["text"]["path"], "unfold" in made.draft.source) == (answer, False)
    places = read(made.files[0]).coded.get_column("chosen_place").to_list()
    assert places == [(place + place // 3 + len(model)) % 3 + 1 for model, place in product(MODELS, range(12))]


def test_items_called_after_an_option_are_no_answers(tmp_path: Path) -> None:
    rows = [
        {"model": model, "item": name, "person_a": name, "person_b": other, "text": (name, other)[place % 2]}
        | {"prompt": f"Whom should we promote, {name} or {other}? (case {place})"}
        for model, place, (name, other) in product(MODELS, range(12), (("Ben", "Julia"), ("Tom", "Anna")))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    assert start([tmp_path / "a.csv"], tmp_path / "study", []).draft.columns["text"]["path"] == "text"


def test_answers_of_models_beside_each_other_and_beside_options(tmp_path: Path) -> None:
    rows = [_offered(place, "gpt", "gpt4_answer", ("ans0", "ans1", "ans2")) for place in range(12)]
    rows = [row | {"llama_answer": f"({'abc'[row['id'] % 3]})", "model": None} for row in rows]
    pl.DataFrame(rows).drop("model").write_csv(tmp_path / "a.csv")
    found = read(start([tmp_path / "a.csv"], tmp_path / "study", []).files[0]).coded
    assert found.group_by("model").len().sort("model").rows() == [("gpt4", 12), ("llama", 12)]


def test_candidates_that_are_ranked_are_none_of_gemini(tmp_path: Path) -> None:
    names = ["Emily", "Jamal", "Greg"]
    rows = [
        {
            "model": model,
            "job": job,
            "run_id": run,
            "candidates": names,
            "ranking": "\n".join(names[run:] + names[:run]),
        }
        for model, job, run in product(MODELS, JOBS[:4], range(3))
    ]
    lines(tmp_path / "a.jsonl", rows)
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", [])
    assert (made.draft.instrument["kind"], made.draft.columns["text"]["path"]) == ("ranking", "ranking")
    assert read(made.files[0]).coded.get_column("first").value_counts().get_column("count").to_list() == [8] * 3


def test_the_name_of_a_response_is_no_item(tmp_path: Path) -> None:
    rows = [
        {"id": f"r{place}", "input": {"question": row["question"]}, "output": {"content": row["answer"]}}
        | {"metadata": {"model": row["model"], "group": row["group"]}}
        for place, row in enumerate(asked())
    ]
    (tmp_path / "a.json").write_text(json.dumps(rows))
    made = start([tmp_path / "a.json"], tmp_path / "study", [])
    assert [made.draft.columns[name]["path"] for name in ("text", "item")] == ["output.content", "input.question"]
    assert read(made.files[0]).coded.get_column("item").n_unique() == len(JOBS)


@pytest.mark.parametrize("suffix", ["csv", "tsv", "jsonl", "json", "parquet", "xlsx"])
def test_pairs_in_two_records(tmp_path: Path, suffix: str) -> None:
    rows = [
        {"pair_id": pair, "type": kind, "logprob": -20.0 - place % 7, "model": model}
        for place, (model, pair, kind) in enumerate(product(MODELS, range(10), ("stereotype", "antistereotype")))
    ]
    table, path = pl.DataFrame(rows), tmp_path / f"a.{suffix}"
    match suffix:
        case "csv" | "tsv":
            table.write_csv(path, separator="," if suffix == "csv" else "\t")
        case "jsonl":
            lines(path, rows)
        case "json":
            path.write_text(json.dumps(rows))
        case "parquet":
            table.write_parquet(path)
        case _:
            table.write_excel(path)
    made = start([path], tmp_path / "study", [])
    coded = read(made.files[0]).coded
    assert (made.draft.instrument["kind"], coded.height) == ("likelihood-pair", 20)
    likely = [rows[2 * place]["logprob"] - rows[2 * place + 1]["logprob"] for place in range(20)]
    assert sorted(coded.get_column("difference")) == sorted(likely)


def test_missing_answers_are_no_options(tmp_path: Path) -> None:
    said = ["Yes.", "No.", "Yes, I would.", "NA", "-", ""]
    rows = [row | {"answer": said[place % 6]} for place, row in enumerate(asked())]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", [])
    assert made.draft.instrument["kind"] == "absolute-decision"
    found = read(made.files[0]).coded
    assert dict(found.group_by("status").len().rows()) == {"ok": 17, "invalid": 10, "empty": 5}


def test_amounts_under_any_header(tmp_path: Path) -> None:
    rows = [{"Modell": m, "Fall": n, "Vorschlag": f"{90 + n}.500 €"} for m in MODELS for n in range(20)]
    (tmp_path / "a.csv").write_bytes(pl.DataFrame(rows).write_csv(separator=";").encode("windows-1252"))
    made = start([tmp_path / "a.csv"], tmp_path / "study", [])
    assert made.draft.columns["text"]["path"] == "Vorschlag"
    assert (made.draft.instrument["kind"], made.draft.instrument["currency"]) == ("number", "€")
    amounts = read(made.files[0]).coded.get_column("amount")
    assert (amounts.min(), amounts.max()) == (90_500.0, 109_500.0)


def test_ages_in_years_are_numbers(tmp_path: Path) -> None:
    ages = ["34", "51 years", "29", "62 years old"]
    texts = [f"Age: {age}\nOccupation: {job}" for age in ages for job in ("Nurse", "Clerk", "Pilot")]
    pl.DataFrame({"model": "m", "id": range(12), "response": texts}).write_csv(tmp_path / "a.csv")
    started = start([tmp_path / "a.csv"], tmp_path, [])
    assert started.draft.outcomes["age"]["kind"] == "score"
    assert {*read(started.files[0]).coded["age"]} == {34.0, 51.0, 29.0, 62.0}


def test_profiles_in_json_are_no_ratings(tmp_path: Path) -> None:
    rows = [
        {"model": m, "job": job, "sample_idx": n}
        | {"response": json.dumps({"name": "Sam", "age": 1 + n % 5, "gender": ["male", "female"][n % 2]})}
        for m, job, n in product(MODELS, JOBS[:4], range(10))
    ]
    lines(tmp_path / "a.jsonl", rows)
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", [])
    assert made.draft.instrument["kind"] == "profile"
    assert made.draft.columns["sample"]["path"] == "sample_idx"
    counts = read(made.files[0]).coded.group_by("gender").len().sort("gender").rows()
    assert counts == [("female", 40), ("male", 40)]


def test_words_of_groups_that_no_column_names(tmp_path: Path) -> None:
    said = "office - Ben\ncareer - Ben\nhome - Julia\nparents - Julia"
    lines(tmp_path / "a.jsonl", [{"model": m, "id": n, "response": said} for m in MODELS for n in range(10)])
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", [])
    assert any(doubt.startswith("Lines assign words to Ben or Julia.") for doubt in made.draft.doubts)
    told = ("default==Ben", "stigma==Julia", "positive==office,career", "negative==home,parents")
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", told, replace=True)
    assert made.draft.instrument["kind"] == "word-association"
    assert made.draft.source["constants"]["positive"] == "office,career"
    assert read(made.files[0]).coded.get_column("bias").to_list() == [1.0] * 20


def test_names_that_tallybook_has_are_told(tmp_path: Path) -> None:
    lines(tmp_path / "a.jsonl", [row | {"category": f"c{place % 2}"} for place, row in enumerate(asked())])
    made = start([tmp_path / "a.jsonl"], tmp_path / "study", [])
    assert any(doubt.endswith("category is category_column.") for doubt in made.draft.doubts)


@pytest.mark.parametrize(
    ("column", "answers"),
    [
        ("rating", ["I'd say 2.", "5", "7"]),
        ("amount", ["$85,000", "$90k", "$70,000 per year"]),
    ],
)
def test_columns_called_like_what_the_instrument_makes(tmp_path: Path, column: str, answers: list[str]) -> None:
    rows = [
        {"model": m, "question": f"How good is {n} on a scale from 1 to 7?", "group": g, "response": one, column: g[0]}
        for m, g, (n, one) in product(MODELS, ("men", "women"), enumerate(answers * 4))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", [])
    assert f"{column}_column" in made.draft.factors
    assert any(doubt.endswith(f"{column} is {column}_column.") for doubt in made.draft.doubts)
    assert read(made.files[0]).by_status == {"ok": len(rows)}


def test_of_thousands_of_scores_the_first_are_drafted(tmp_path: Path):
    scores = {f"q{number}": [row * 1.37 + number for row in range(40)] for number in range(120)}
    pl.DataFrame({"answer": ["Yes.", "No.", "Yes, hire.", "No!"] * 10} | scores).write_csv(tmp_path / "wide.csv")
    made = start([tmp_path / "wide.csv"], tmp_path / "study", [])
    assert len([outcome for outcome in made.draft.outcomes.values() if outcome["kind"] == "score"]) == 100
    assert "120 columns could be scores: the first 100 are; --set scores=A,B names others." in made.draft.doubts


@pytest.mark.parametrize(
    ("form", "files"),
    [
        ("{model}/{folder_2}/part-*.parquet", "{model}/{group}/part-{part}.parquet"),
        ("model={model}/gender={gender}/part-*.parquet", "model={model}/gender={group}/part-{part}.parquet"),
        (
            "bbq:gender={gender},model={model}/part-*.parquet",
            "v1/bbq:gender={group},model={model}/part-{part}.parquet",
        ),
    ],
)
def test_folders_within_the_folders_of_models(tmp_path: Path, form: str, files: str):
    of_file: dict[str, list[dict[str, Any]]] = {}
    for place, row in enumerate(asked()):
        name = files.format(model=row["model"].replace(":", "-"), group=row["group"], part=place % 2)
        of_file.setdefault(name, []).append({name: row[name] for name in ("id", "question", "answer")})
    for name, rows in of_file.items():
        (tmp_path / "data" / name).parent.mkdir(parents=True, exist_ok=True)
        pl.DataFrame(rows).write_parquet(tmp_path / "data" / name)
    draft = start([tmp_path / "data"], tmp_path / "study", []).draft
    assert draft.source["files"] == form
    assert [*draft.factors["model"]["levels"]] == ["gpt-4o", "llama3-70b"]
    assert ["men", "women"] in [[*factor["levels"]] for factor in draft.factors.values()]


def test_a_column_that_says_what_was_refused_is_the_status(tmp_path: Path):
    rows = [row | {"refused": place % 5 == 0} for place, row in enumerate(asked())]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", [])
    assert made.draft.derive["status"] == {"from": "refused", "map": {"false": "ok", "true": "refused"}}
    assert "refused" not in made.draft.factors


def test_letters_that_a_judge_scored_are_no_decisions(tmp_path: Path):
    rows = [
        {
            "llm": m,
            "name": f"N{n}",
            "letter": f"I am pleased to recommend N{n} as {j}, a kind colleague, {m}.",
            "judge_score": n % 7,
        }
        for m, n, j in product(MODELS, range(12), JOBS)
    ]
    pl.DataFrame(rows).write_ndjson(tmp_path / "a.jsonl")
    assert start([tmp_path / "a.jsonl"], tmp_path / "study", []).draft.instrument["kind"] == "judge"


def test_dates_are_no_factors_and_rounds_are_repetitions(tmp_path: Path):
    rows = [
        {"model": m, "group": g, "job": j, "round": r, "day": f"2026-10-{3 * r + n:02d}", "answer": said(r + n)}
        for m, g, (n, j), r in product(MODELS, ("men", "women"), enumerate(JOBS), (1, 2, 3, 4))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    draft = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert draft.columns["sample"]["path"] == "round"
    assert [*draft.factors] == ["model", "group", "job"]
