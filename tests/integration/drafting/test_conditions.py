"""Settings of generation, repetitions and failed requests: what `init` counts as what, by model and group."""

from __future__ import annotations

import csv
import json
from itertools import product
from typing import TYPE_CHECKING, Any

import pytest

import tallybook as tb
from tallybook.core.errors import DataError
from tallybook.drafting.starting import start

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from tallybook.study.draft import Draft

MODELS = ("gpt-4o", "llama-3-8b", "llama-3-70b")
SAID = ("Yes.", "No.", "Yes, I would.", "No, I would not.", "I'm sorry, but I can't help with that.")


def asked(
    varied: Mapping[str, Sequence[Any]] | None = None, *, models: Iterable[str] = MODELS, times: int = 1
) -> list[dict[str, Any]]:
    """Ask about twelve people, once for each combination of the varied settings."""
    names = {"women": ("Ann", "Bea", "Cleo"), "men": ("Dan", "Ed", "Finn")}
    varied = varied or {}
    people = [(group, name, job) for group, own in names.items() for name in own for job in ("nurse", "pilot")]
    return [
        {"model": model, "group": group, "prompt": f"Should {name} be hired as a {job}? Answer yes or no."}
        | dict(zip(varied, values, strict=True))
        | {"response": SAID[(7 * place + place // 5 + len(model)) % 5]}
        for place, (model, values, (group, name, job), _) in enumerate(
            product(models, product(*varied.values()), people, range(times))
        )
    ]


def write(path: Path, rows: Sequence[Mapping[str, Any]], delimiter: str = ",") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        if path.suffix == ".jsonl":
            file.writelines(f"{json.dumps(row)}\n" for row in rows)
        else:
            table = csv.DictWriter(file, [*rows[0]], delimiter=delimiter)
            table.writeheader()
            table.writerows(rows)
    return path


def drafted(dump: Path, told: Sequence[str] = ()) -> tuple[Draft, pl.DataFrame, str]:
    """Draft a study of a dump; return the draft, the coded responses and what was said."""
    out = dump.parent / "study"
    made = start([dump], out, told)
    responses = tb.Study.load(out / "study.toml", data=(out / made.draft.data).resolve()).responses()
    return made.draft, responses, "\n".join([made.found, *made.draft.doubts])


@pytest.mark.parametrize(
    ("column", "values", "name"),
    [
        ("temperature", (0.2, 1.0), "a.csv"),
        ("Temperatur", ("0,2", "0,7"), "semicolons.csv"),
        ("top_p", (0.5, 0.9, 1), "a.jsonl"),
        ("max_new_tokens", (64, 256), "a.csv"),
        ("system_prompt_id", (1, 2), "a.jsonl"),
        ("version", ("v1", "v2"), "a.csv"),
        ("strength of the steering", (0.5, 1.5), "a.csv"),
    ],
)
def test_what_each_question_was_asked_with_is_a_factor(
    tmp_path: Path, column: str, values: tuple[Any, ...], name: str
) -> None:
    rows = asked({column: values})
    dump = write(tmp_path / name, rows, ";" if name.startswith("semi") else ",")
    made, responses, _ = drafted(dump)
    [factor] = {*made.factors} - {"model", "group"}
    assert [*made.factors[factor]["levels"]] == [*map(str, sorted(values))]
    assert responses.get_column("sample").unique().to_list() == [0]
    counted = responses.group_by("model", "group", factor).len().get_column("len")
    assert counted.to_list() == [6] * (len(MODELS) * 2 * len(values))


def test_settings_of_folders_are_factors(tmp_path: Path) -> None:
    for temperature in ("0.0", "0.7"):
        write(tmp_path / "runs" / f"temperature={temperature}" / "answers.csv", asked())
    made, responses, _ = drafted(tmp_path / "runs")
    assert [*made.factors["temperature"]["levels"]] == ["0.0", "0.7"]
    assert responses.group_by("model", "temperature").len().get_column("len").to_list() == [12] * 6


def test_settings_that_do_not_vary_are_left_out(tmp_path: Path) -> None:
    rows = [row | {"seed": 40 + place % 2, "top_p": 1} for place, row in enumerate(asked(times=2))]
    rows = [row | {"run_seed": 7 * row["seed"]} for row in rows]  # the repetitions' numbers once more
    rows = [row | {"temperature": 0.5 if row["model"] == "gpt-4o" else 1.0} for row in rows]
    made, responses, said = drafted(write(tmp_path / "a.csv", rows))
    assert [*made.factors] == ["model", "group"]
    assert sorted(responses.get_column("sample").unique()) == [40, 41]
    assert "temperature has one value for each model and is no factor: models differ in it." in said


@pytest.mark.parametrize("column", ["k", "J", "r"])
def test_a_letter_that_numbers_the_answers_is_the_repetition(tmp_path: Path, column: str) -> None:
    rows: list[dict[str, Any]] = [row | {column: place % 3} for place, row in enumerate(asked(times=3))]
    rows = [row | {"group": {"Ann": "", "Dan": ""}.get(row["prompt"].split()[1], row["group"])} for row in rows]
    made, responses, _ = drafted(write(tmp_path / "a.csv", rows))
    assert {name: [*factor["levels"]] for name, factor in made.factors.items()} == {
        "model": sorted(MODELS),
        "group": ["men", "women", "missing"],
    }
    assert sorted(responses.get_column("sample").unique()) == [0, 1, 2]


def test_what_differs_among_repetitions_is_named(tmp_path: Path) -> None:
    rows = [row | {"loudness": (0.5, 1.5)[place % 5 == 1]} for place, row in enumerate(asked(times=3))]
    _, _, said = drafted(write(tmp_path / "a.csv", rows))
    assert "loudness differs among responses that count as repetitions" in said


LIMIT = "ERROR: Rate limit exceeded for requests per min. Limit: 500 / min."


@pytest.mark.parametrize(
    ("failed", "otherwise"),
    [
        ({"status": "failed", "error_message": "Timeout"}, {"status": "success", "error_message": ""}),
        ({"Status": "Fehler"}, {"Status": "Erfolg"}),
        ({"http_status": 429}, {"http_status": 200}),
        ({"success": False}, {"success": True}),
        ({"error": "timed out after 60 s"}, {"error": ""}),
        ({"error": True}, {"error": False}),
        ({"exception": "ConnectionError: reset by peer"}, {"exception": "None"}),
    ],
)
@pytest.mark.parametrize(("name", "left"), [("a.csv", ""), ("a.jsonl", None), ("b.jsonl", LIMIT)])
def test_failed_requests_are_in_no_denominator(
    tmp_path: Path, failed: dict[str, Any], otherwise: dict[str, Any], name: str, left: str | None
) -> None:
    rows = [row | (failed | {"response": left} if place % 9 == 4 else otherwise) for place, row in enumerate(asked())]
    made, responses, said = drafted(write(tmp_path / name, rows))
    assert [*made.factors] == ["model", "group"]
    wrong = responses.filter(status="error")
    assert wrong.get_column("key").str.extract(r"(\d+)").cast(int).to_list() == [
        place + (1 if name.endswith("jsonl") else 2) for place in range(4, 36, 9)
    ]
    assert not {"empty", "invalid"} & {*responses.get_column("status").cast(str)}
    assert "in no denominator" in said


def test_messages_in_place_of_answers_have_a_status(tmp_path: Path) -> None:
    rows = [row | ({"response": LIMIT} if place % 9 == 4 else {}) for place, row in enumerate(asked())]
    made, responses, said = drafted(write(tmp_path / "a.csv", rows))
    assert made.source["failed_texts"] == "error"
    assert responses.filter(status="error").height == 4
    assert "4 texts are messages of failed requests (ERROR: Rate limit exceeded" in said


def test_errors_beside_answers_are_no_failures(tmp_path: Path) -> None:
    """A retry that helped, and whether the task was done, are not whether the request failed."""
    rows = [
        row | {"error": "retried" if place % 9 == 4 else "", "success": place % 4 > 1}
        for place, row in enumerate(asked())
    ]
    made, responses, _ = drafted(write(tmp_path / "a.csv", rows))
    assert "status" not in {*made.columns, *made.derive}
    assert not responses.filter(status="error").height


@pytest.mark.parametrize("delimiter", [",", ";"])
def test_headers_of_files_that_were_put_together_are_no_levels(tmp_path: Path, delimiter: str) -> None:
    parts = [write(tmp_path / f"{model}.csv", asked(models=[model]), delimiter) for model in MODELS]
    dump = tmp_path / "all.csv"
    dump.write_text("".join(part.read_text(encoding="utf-8") for part in parts), encoding="utf-8")
    made, responses, said = drafted(dump)
    assert [*made.factors["group"]["levels"]] == ["men", "women"]
    assert responses.height == len(asked())
    assert "row 14 and 1 more: expected a record: this row repeats the header and is left out" in said


def test_a_header_in_another_order_is_refused(tmp_path: Path) -> None:
    dump = write(tmp_path / "all.csv", asked())
    with dump.open("a", encoding="utf-8") as file:
        file.write("group,model,prompt,response\n")
    with pytest.raises(DataError, match="row 38: expected the columns in the order of the first header"):
        start([dump], tmp_path / "study", [])


FILES = [
    ("{}_temp0.csv", "{}_temp1.csv"),
    ("{}-t0.0.jsonl", "{}-t0.7.jsonl"),
    ("answers_{}__temperature=0.csv", "answers_{}__temperature=1.csv"),
    ("temp-0_{}.csv", "temp-1_{}.csv"),
    ("{}_control.csv", "{}_treated.csv"),
    ("{}-en.csv", "{}-de.csv"),
    ("{}/effort_low.csv", "{}/effort_high.csv"),
    ("{}_temp_0/answers.csv", "{}_temp_1/answers.csv"),
    ("temp_0/{}/answers.csv", "temp_1/{}/answers.csv"),
]


def scattered(folder: Path, forms: Sequence[str], models: Iterable[str] = MODELS) -> Path:
    """Write a file for each form and model, of which only its name tells."""
    for form, model in product(forms, models):
        rows = [{name: row[name] for name in ("group", "prompt", "response")} for row in asked(models=[model + form])]
        write(folder / "runs" / form.format(model), rows)
    return folder / "runs"


@pytest.mark.parametrize("forms", FILES)
def test_conditions_in_the_names_of_files_multiply_no_models(tmp_path: Path, forms: tuple[str, str]) -> None:
    made, responses, _ = drafted(scattered(tmp_path, forms))
    [factor] = {*made.factors} - {"model", "group"}
    assert [*made.factors["model"]["levels"]] == sorted(MODELS)
    assert responses.group_by("model", "group", factor).len().get_column("len").to_list() == [6] * 12
    assert responses.get_column("sample").unique().to_list() == [0]


@pytest.mark.parametrize("form", ["{}_run{}.csv", "{}-rep-{}.csv", "{}_{}.csv", "{}_seed{}.csv", "run_{1}/{0}.csv"])
def test_runs_in_the_names_of_files_are_repetitions(tmp_path: Path, form: str) -> None:
    forms = [form.replace("{1}", number).replace("{0}", "{}") for number in "12"]
    forms = [form.replace("{}", "{{}}", 1).format(number) for number in "12"] if "{1}" not in form else forms
    made, responses, _ = drafted(scattered(tmp_path, forms))
    assert [*made.factors] == ["model", "group"]
    counted = responses.group_by("model", "sample").len().get_column("len")
    assert counted.to_list() == [12] * 6


@pytest.mark.parametrize(
    "models",
    [
        ("gpt-4o", "llama-3-8b", "llama-3-70b", "qwen2.5-7b"),
        ("llama-3-8b", "llama-3-70b", "qwen-3-8b", "qwen-3-70b"),
        ("llama_8b", "llama_70b", "qwen_8b", "qwen_70b"),
        ("gpt-3", "gpt-4", "claude-3", "claude-4"),
        ("qwen-2_base", "qwen-2_instruct", "llama-3_base", "llama-3_instruct"),
    ],
)
def test_names_of_models_stay_whole(tmp_path: Path, models: tuple[str, ...]) -> None:
    made, _, _ = drafted(scattered(tmp_path, ["{}.csv"], models))
    assert {*made.factors["model"]["levels"]} == {*models}


def test_files_of_one_model_and_files_of_none(tmp_path: Path) -> None:
    made, responses, _ = drafted(scattered(tmp_path / "one", ["{}_temp0.csv", "{}_temp1.csv"], ["gpt-4o"]))
    assert [*made.factors["model"]["levels"]] == ["gpt-4o"]
    assert responses.group_by("temp").len().get_column("len").to_list() == [12, 12]
    made, responses, said = drafted(scattered(tmp_path / "none", ["run1{}.csv", "run2{}.csv"], [""]))
    assert sorted(responses.get_column("sample").unique()) == [1, 2]
    assert "No column names the model" in said


def test_a_pattern_of_names_takes_no_other_file(tmp_path: Path) -> None:
    folder = scattered(tmp_path, ["{}_temp0.csv", "{}_temp1.csv", "{}_temp2.csv"])
    named = [path for path in sorted(folder.iterdir()) if not path.stem.endswith("2")]
    out = tmp_path / "study"
    made = start(named, out, [])
    responses = tb.Study.load(out / "study.toml", data=(out / made.draft.data).resolve()).responses()
    assert [*made.draft.factors["temp"]["levels"]] == ["0", "1"]
    assert responses.height == 2 * len(asked())


def test_numbers_of_many_values_stand_beside_the_answers(tmp_path: Path) -> None:
    """Codes of conditions stay a factor; years are kept as numbers, also where some are missing."""
    rows = asked({"arm": [1, 2, 3, 4, 5, 6, 7]})
    for place, row in enumerate(rows):
        row["years"] = "" if place % 50 == 0 else place % 11
    made, responses, said = drafted(write(tmp_path / "dump.csv", rows))
    assert [*made.factors] == ["model", "group", "arm"]
    assert (made.outcomes["decision"]["beside"], made.beside) == (["years_score"], ["years_score"])
    assert responses.get_column("years_score").mean() == sum(row["years"] or 0 for row in rows) / (len(rows) - 6)
    assert "years" not in {made.cluster, *made.clusters.values()}
    assert "years is a number of more than six values" in said


@pytest.mark.parametrize("end", ["_rerun", "-run2", " (2nd)"])
def test_a_rerun_of_a_model_is_no_other_model(tmp_path: Path, end: str) -> None:
    folder = scattered(tmp_path, ["{}.csv"])
    (folder / f"gpt-4o{end}.csv").write_bytes((folder / "llama-3-8b.csv").read_bytes())
    made, responses, said = drafted(folder)
    assert [*made.factors["model"]["levels"]] == sorted(MODELS)
    assert responses.filter(model="gpt-4o").get_column("sample").value_counts().get_column("count").to_list() == [
        12,
        12,
    ]
    assert "further samples of the same model" in said
