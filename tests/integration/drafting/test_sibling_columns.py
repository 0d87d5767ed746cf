"""Answers of a record side by side, under headers that tell the condition, model or round, are a response each."""

from __future__ import annotations

import json
import random
from collections import Counter
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
import pytest
import xlsxwriter

from tallybook.core.errors import UsageError
from tallybook.drafting.sibling_columns import conditions, has_answer, is_of_others, model_in
from tallybook.drafting.starting import start
from tallybook.drafting.survey import survey
from tests.trusted import read

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

Long = list[tuple[str, str, str]]
"""Model, condition or group, answer: the responses that a dump holds."""
MODELS = ("gpt-4o", "llama-3")
JOBS = (
    "nurse",
    "welder",
    "teacher",
    "pilot",
    "clerk",
    "cook",
    "lawyer",
    "driver",
    "baker",
    "farmer",
    "coder",
    "tailor",
)
ASKED = [f"They worked {years} years as a {job}. Hire them? Answer yes or no." for years, job in enumerate(JOBS)]
DRAWN = random.Random(3)  # noqa: S311  no secret


class Dump(NamedTuple):
    """A dump and the truth about it."""

    name: str
    content: bytes
    long: Long
    instrument: str = "absolute-decision"
    factor: str | None = "condition"  # the factor of conditions or groups; None if there is none
    cluster: str | None = None
    attribute: str = "text"


def _csv(rows: Sequence[dict[str, Any]], separator: str = ",") -> bytes:
    return pl.DataFrame(rows, infer_schema_length=None).write_csv(separator=separator).encode()


def _semicolons(rows: Sequence[dict[str, Any]]) -> bytes:
    return _csv(rows, ";")


def _lines(rows: Sequence[dict[str, Any]]) -> bytes:
    return "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()


def _excel(rows: Sequence[dict[str, Any]]) -> bytes:
    book = BytesIO()
    pl.DataFrame(rows, infer_schema_length=None).write_excel(book)
    return book.getvalue()


def _said(*answers: str) -> str:
    return DRAWN.choice(answers or ("Yes", "No"))


def _rated(_: str) -> str:
    return _said(*"1234567")


def _wide(
    name: str,
    headers: dict[str, str],
    written: Callable[[Sequence[dict[str, Any]]], bytes] = _csv,
    said: Callable[[str], str] = lambda _: _said(),
    beside: dict[str, str] | None = None,
    **truth: Any,
) -> Dump:
    """A row for each model and question, and a column for each condition: header -> condition."""
    rows: list[dict[str, Any]] = []
    long: Long = []
    for model in MODELS:
        for place, asked in enumerate(ASKED):
            answers = {header: said(condition) for header, condition in headers.items()}
            more = {header: f"{value} {place % 2}" for header, value in (beside or {}).items()}
            rows.append({"model": model, "template_id": place, "template": asked, **more, **answers})
            long += [(model, headers[header], answer) for header, answer in answers.items()]
    return Dump(name, written(rows), long, **truth)


def _of_pairs(name: str, form: str, models: Sequence[str], sides: tuple[str, str]) -> Dump:
    """A pair of likelihoods for each model, side by side."""
    rows: list[dict[str, Any]] = []
    long: Long = []
    for place in range(30):
        row: dict[str, Any] = {
            "id": place,
            "sentence": f"The man {place} was dirty.",
            "bias_type": ("race", "age")[place % 2],
        }
        for model in models:
            first, second = (round(-40 * DRAWN.random() - 1, 3) for _ in sides)
            row |= {form.format(model=model, side=sides[0]): first, form.format(model=model, side=sides[1]): second}
            long.append((model, row["bias_type"], "first" if first > second else "second"))
        rows.append(row)
    return Dump(name, _csv(rows), long, "likelihood-pair", "bias_type", attribute="likelier")


def _of_rounds(name: str, field: str) -> Dump:
    """Rounds of oTree side by side, a row for each participant."""
    rows: list[dict[str, Any]] = []
    long: Long = []
    for place in range(40):
        row: dict[str, Any] = {"participant.id_in_session": place + 1, "participant.code": f"c{place}x"}
        row |= {"participant.llm": MODELS[place % 2], "participant.payoff": 0.0}
        for number in (1, 2, 3):
            race, said = _said("white", "black"), _said("Yes", "yes", "Yes.", "No", "no")
            row |= {f"hiring.{number}.player.applicant_race": race, f"hiring.{number}.player.{field}": said}
            row |= {f"hiring.{number}.player.payoff": 0.0}
            long.append((MODELS[place % 2], race, said))
        rows.append(row)
    return Dump(name, _csv(rows), long, factor="applicant_race", cluster="code")


def _title(title: str) -> list[list[Any]]:
    return [[title]] if title else []


def _in_two_rows(name: str, fields: Sequence[str], title: str = "") -> Dump:
    """Models in the first row of headers, merged over their columns, and fields in the second."""
    long: Long = []
    rows: list[list[Any]] = []
    for place in range(12):
        group = ("white", "black")[place % 2]
        said = [_said() for _ in MODELS]
        long += [(model, group, one) for model, one in zip(MODELS, said, strict=True)]
        rows.append([f"Hire applicant {place}?", group, *(cell for one in said for cell in [one, 1.5][: len(fields)])])
    below: list[Any] = ["Item", "Group", *[*fields] * len(MODELS)]
    above: list[Any] = ["", "", *(cell for model in MODELS for cell in [model, *[""] * (len(fields) - 1)])]
    if name.endswith(".csv"):
        content = "\n".join(",".join(map(str, row)) for row in [above, below, *rows])
        return Dump(name, f"{content}\n".encode(), long, factor="group")
    file = BytesIO()
    with xlsxwriter.Workbook(file) as book:
        sheet = book.add_worksheet()
        for number, row in enumerate([*_title(title), above, below, *rows]):
            for place, cell in enumerate(row):
                sheet.write(number, place, cell) if cell != "" else None
        for place, model in enumerate(MODELS) if len(fields) > 1 else ():
            start = 2 + place * len(fields)
            sheet.merge_range(bool(title), start, bool(title), start + len(fields) - 1, model)
    return Dump(name, file.getvalue(), long, factor="group")


def _under_one_header(name: str, header: str, number: int) -> Dump:
    people = [
        ("julia", "female"),
        ("ben", "male"),
        ("eva", "female"),
        ("leo", "male"),
        ("ada", "female"),
        ("tom", "male"),
    ]
    long: Long = []
    lines = [",".join(["model", "name", "gender", "prompt", *[header] * number])]
    for model in MODELS:
        for person, gender in people:
            said = [_said() for _ in range(number)]
            lines.append(",".join([model, person, gender, f"Should we hire {person}? Answer yes or no.", *said]))
            long += [(model, gender, one) for one in said]
    return Dump(name, "\n".join(lines).encode() + b"\n", long, factor="gender", cluster="name")


def _of_persons(name: str, headers: Sequence[str]) -> Dump:
    rows: list[dict[str, Any]] = []
    long: Long = []
    for model in MODELS:
        for one, other in [("Greg", "Lupita"), ("Tom", "Ada"), ("Emily", "Jamal"), ("Anne", "Kim"), ("Bo", "Eve")]:
            for task in ("lead the project", "take the notes"):
                asked = f"{one} and {other} work together. Who should {task}? Answer with one name."
                answers = {header: _said(one, other, f"{one} should {task}.") for header in headers}
                rows.append({"model": model, "person_a": one, "person_b": other, "prompt": asked, **answers})
                long += [(model, "", answer) for answer in answers.values()]
    return Dump(name, _csv(rows), long, "attribute-choice", None, "item")


def _with_repeated_rows(name: str, form: str) -> Dump:
    rows: list[dict[str, Any]] = []
    long: Long = []
    for model in MODELS:
        for place in range(36):
            gender = ("male", "female")[place % 2]
            answers = {f"response_{number}": form.format(DRAWN.randint(1, 7)) for number in (1, 2)}
            asked = f"How competent is the {gender} applicant for job {place % 6}? Rate from 1 to 7."
            rows.append({"model": model, "gender": gender, "prompt": asked, **answers})
            long += [(model, gender, answer) for answer in answers.values()]
    return Dump(name, _csv(rows), long, "rating", "gender", "item")


RACES = {f"response_{race}": race for race in ("white", "black", "hispanic")}
DUMPS = [
    _wide("races.csv", RACES, cluster="item"),
    _wide("before.jsonl", {"black_response": "black", "white_response": "white"}, _lines),
    _wide("camel.jsonl", {"responseWhite": "White", "responseAsian": "Asian"}, _lines),
    _wide("antworten.xlsx", {"antwort_mann": "mann", "antwort_frau": "frau"}, _excel, lambda _: _said("Ja", "Nein")),
    _wide("respuestas.csv", {"respuesta (mujer)": "mujer", "respuesta (hombre)": "hombre"}, _semicolons),
    _wide("versions.csv", {f"answer_v{number}": str(number) for number in (1, 2, 3)}, factor="variant"),
    _wide("prompts.csv", {f"response_prompt{number}": str(number) for number in (1, 2, 3)}, factor="variant"),
    _wide("languages.csv", {f"answer_{one}": one for one in ("en", "de", "fr")}, factor="language"),
    _wide("pandas.csv", {"response": "", "response.1": ""}, factor=None, cluster="item"),
    _wide("names.csv", RACES, beside={f"name_{race}": f"Name {race}" for race in RACES.values()}),
    _wide("ratings.csv", {"rating_black": "black", "rating_white": "white"}, said=_rated, instrument="rating"),
    _wide("samples.csv", {f"reply_{one}_{n}": one for one in ("he", "she") for n in (1, 2)}),
    _wide("padded.csv", {"response_01": "", "response_02": ""}, factor=None),
    _wide("sides.csv", {"output_a": "a", "output_b": "b"}),
    _wide("groups.csv", {"White": "White", "Asian": "Asian"}),
    _under_one_header("twice.csv", "response", 2),
    _under_one_header("thrice.csv", "answer", 3),
    _of_persons("persons.csv", ["response_1", "response_2"]),
    _of_persons("again.csv", ["response", "response.1"]),
    _with_repeated_rows("numbers.csv", "{}"),
    _with_repeated_rows("rated.csv", "Rating: {}"),
    _of_pairs("pairs.csv", "{model}_score_{side}", ["bert-base-uncased", "roberta-large", "gpt2"], ("more", "less")),
    _of_pairs("behind.csv", "score_{side}_{model}", ["bert-base-uncased", "gpt2-xl"], ("more", "less")),
    _of_pairs("logs.csv", "{model}_logprob_{side}", ["pythia-6.9b", "opt-1.3b"], ("stereo", "anti")),
    _of_rounds("rounds.csv", "decision"),
    _of_rounds("hires.csv", "hire"),
    _in_two_rows("merged.xlsx", ["Answer", "Time (s)"]),
    _in_two_rows("titled.xlsx", ["Answer", "Time (s)"], "Results of the study"),
    _in_two_rows("single.xlsx", ["Answer"]),
    _in_two_rows("above.csv", ["Answer", "Time (s)"]),
]  # fmt: skip


@pytest.mark.parametrize("dump", DUMPS, ids=[dump.name for dump in DUMPS])
def test_each_answer_is_a_response_of_its_condition(tmp_path: Path, dump: Dump) -> None:
    (tmp_path / dump.name).write_bytes(dump.content)
    made = start([tmp_path / dump.name], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    by = ["model", *([dump.factor] if dump.factor else []), dump.attribute]
    truth = pl.DataFrame(dump.long, orient="row", schema=["model", dump.factor or "", dump.attribute])
    assert made.instrument["kind"] == dump.instrument
    assert Counter(coded.select(pl.col(by).cast(pl.String)).iter_rows()) == Counter(truth.select(by).iter_rows())
    assert {*made.factors} & {header.lower() for header in RACES} == set()
    assert dump.cluster in {None, made.cluster}


def test_the_user_may_name_two_rows_of_headers(tmp_path: Path) -> None:
    (tmp_path / "two.csv").write_text("of,a,b\nmodel,answer,answer\n" + "gpt-4o,Yes,No\n" * 3, encoding="utf-8")
    made = start([tmp_path / "two.csv"], tmp_path, ["header=1,2"]).draft
    assert (made.source["header"], made.source["files"]) == ([1, 2], "two.csv")
    with pytest.raises(UsageError, match="expected the row of the headers"):
        start([tmp_path / "two.csv"], tmp_path / "other", ["header=1,2,3"])


@pytest.mark.parametrize("name", ["levels.csv", "levels.xlsx"])
@pytest.mark.parametrize("index", ["model,creed,item", ",,item"])
def test_levels_of_columns_as_pandas_writes_them(tmp_path: Path, name: str, index: str) -> None:
    one, two, three = index.split(",")
    rows = [[one, "gpt-4o", "", "phi-4", ""], [two, "none", "any", "none", "any"], [three, "", "", "", ""]]
    rows += [[f"i{place}", *(f"{(place + column) % 7 + 1}" for column in range(4))] for place in range(12)]
    if name.endswith("csv"):
        (tmp_path / name).write_text("".join(f"{','.join(row)}\n" for row in rows), encoding="utf-8")
    else:
        pl.DataFrame(rows, orient="row").write_excel(tmp_path / name, include_header=False)
    made = start([tmp_path / name], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    assert (made.source["header"], [*made.factors]) == ([1, 3], ["model", "condition"])
    assert coded.group_by("model", "condition").agg(pl.col("rating").count()).get_column("rating").to_list() == [12] * 4
    assert {*coded.get_column("item")} == {f"i{place}" for place in range(12)}


def test_conditions_of_several_models(tmp_path: Path) -> None:
    headers = [f"{model}_response_{group}" for model in MODELS for group in ("male", "female")]
    rows = [{"item": asked} | {header: _said() for header in headers} for asked in ASKED]
    (tmp_path / "models.csv").write_bytes(_csv(rows))
    made = start([tmp_path / "models.csv"], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    found = coded.group_by("model", "condition").agg((pl.col("text") == "Yes").sum())
    truth = {tuple(one.split("_response_")): sum(row[one] == "Yes" for row in rows) for one in headers}
    assert {
        (model, group): yes for model, group, yes in found.cast({"model": str, "condition": str}).iter_rows()
    } == truth
    assert [*made.factors] == ["model", "condition"]


def test_answers_of_others_and_codes_of_answers_are_no_conditions(tmp_path: Path) -> None:
    headers = ["response_raw", "response_parsed", "response_time", "answer_correct", "answer_a", "answer_b"]
    rows = [
        {"prompt": asked} | dict.fromkeys(headers, "Yes") | {"competence_rating": 3, "warmth_rating": 4}
        for asked in ASKED
    ]
    (tmp_path / "others.csv").write_bytes(_csv(rows))
    found = survey([tmp_path / "others.csv"])
    assert conditions(found.columns, found.sample) is None
    assert is_of_others("answer_correct")
    assert not is_of_others("answer_white")
    assert has_answer("modellAntwort_2")
    models = {
        "gpt-4o_answer": "gpt-4o",
        "score_more_bert-base": "bert-base",
        "roberta-large_score_less": "roberta-large",
    }
    assert {header: model_in(header) for header in models} == models


def test_what_looks_like_an_answer_and_is_not_read_is_named(tmp_path: Path) -> None:
    rows = [
        {
            "model": MODELS[place % 2],
            "prompt": asked,
            "response": said,
            "reply_raw": said.upper(),
            "answer_correct": "No",
        }
        for place, asked in enumerate(ASKED * 2)
        for said in [_said("Yes", "No")]
    ]
    (tmp_path / "raw.csv").write_bytes(_csv(rows))
    made = start([tmp_path / "raw.csv"], tmp_path, []).draft
    assert [doubt for doubt in made.doubts if "not read" in doubt] == [
        (
            "reply_raw looks like an answer and is not read. See `unfold` and `outcomes`, or --set text=COLUMN, "
            "labels= or scores=."
        )
    ]
    assert [*made.factors] == ["model"]


def test_amounts_are_outcomes_beside_others(tmp_path: Path) -> None:
    rows = [
        {
            "model": MODELS[place % 2],
            "gender": ("male", "female")[place // 2 % 2],
            "vignette": f"CV number {place // 4}.",
        }
        | {"hire_decision": _said(), "competence_rating": DRAWN.randint(1, 7)}
        | {"starting_salary": f"${DRAWN.randint(50, 90)},{DRAWN.randint(100, 999)}"}
        for place in range(60)
    ]
    (tmp_path / "side.csv").write_bytes(_csv(rows))
    made = start([tmp_path / "side.csv"], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    assert [*made.outcomes] == ["hire_decision_outcome", "competence_rating_score", "starting_salary_score"]
    truth = pl.DataFrame(rows).with_columns(pl.col("starting_salary").str.replace_all("[$,]", "").cast(float))
    by = ["model", "gender", "starting_salary"]
    assert sorted(coded.select(pl.col(by[:2]).cast(str), by[2]).rows()) == sorted(truth.select(by).rows())


@pytest.mark.parametrize("header", ["Q1_{}", "Q{}"])
def test_respondents_are_clusters(tmp_path: Path, header: str) -> None:
    scale = ("Strongly agree", "Agree", "Disagree", "Strongly disagree")
    rows = [
        {"StartDate": "2025-01-01 10:00:00", "ResponseId": f"R_{place}a", "model": MODELS[place % 2]}
        | {header.format(number): _said(*scale) for number in range(1, 5)}
        for place in range(24)
    ]
    (tmp_path / "export.csv").write_bytes(_csv(rows))
    made = start([tmp_path / "export.csv"], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    assert coded.height == 96
    assert coded.get_column(str(made.cluster)).n_unique() == 24


@pytest.mark.parametrize("separator", ["; ", ", ", " | "])
def test_options_that_differ_are_ranked(tmp_path: Path, separator: str) -> None:
    names = ["Ann Lee", "Bo Diaz", "Cy Obi", "Di Fox", "Ed Kim", "Flo Ray"]
    offered = [DRAWN.sample(names, 3) for _ in range(24)]
    ranked = [DRAWN.sample(one, 3) for one in offered]
    rows = [
        {
            "model": MODELS[place % 2],
            "job": f"job {place // 2}",
            "people": separator.join(one),
            "response": " > ".join(own),
        }
        for place, (one, own) in enumerate(zip(offered, ranked, strict=True))
    ]
    (tmp_path / "ranked.csv").write_bytes(_csv(rows))
    made = start([tmp_path / "ranked.csv"], tmp_path, []).draft
    firsts = read(tmp_path / "study.toml").coded.get_column("ranked_first").cast(str).to_list()
    assert made.instrument["kind"] == "ranking"
    assert Counter(firsts) == Counter(own[0].lower().replace(" ", "_") for own in ranked)


@pytest.mark.parametrize("questions", [2, 3])
def test_groups_are_factors_where_they_are_more_than_the_questions(tmp_path: Path, questions: int) -> None:
    groups = ("Muslim", "Christian", "Jewish", "Hindu")
    asked = [f"Would you hire this person as a {job} here?" for job in JOBS[:questions]]
    tree = {model: {group: {one: [_said() for _ in range(4)] for one in asked} for group in groups} for model in MODELS}
    (tmp_path / "tree.json").write_text(json.dumps(tree), encoding="utf-8")
    made = start([tmp_path / "tree.json"], tmp_path, []).draft
    coded = read(tmp_path / "study.toml").coded
    assert {*made.factors["level_2"]["levels"]} == {*groups}
    found = coded.group_by(pl.col("model", "level_2").cast(str)).agg((pl.col("text") == "Yes").sum()).rows()
    truth = {(m, g): sum(said.count("Yes") for said in own.values()) for m, of in tree.items() for g, own in of.items()}
    assert {(model, group): yes for model, group, yes in found} == truth


def test_the_answer_of_a_server_that_a_script_copied_is_one(tmp_path: Path) -> None:
    rows = [
        {
            "model": model,
            "job": job,
            "messages": [{"role": "user", "content": asked}],
            "text": (said := f"{_said()}, by their years as a {job}."),
            "choices": [{"message": {"role": "assistant", "content": said}}],
        }
        for model in MODELS
        for job, asked in zip(JOBS, ASKED, strict=True)
    ]
    (tmp_path / "chat.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
    start([tmp_path / "chat.jsonl"], tmp_path, [])
    assert read(tmp_path / "study.toml").coded.height == len(rows)
