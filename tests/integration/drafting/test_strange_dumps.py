"""Dumps as strangers have them: messy headers, wide and long tables, JSON of all shapes, several files."""

from __future__ import annotations

import csv
import json
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.drafting.starting import start
from tests.trusted import computed, read

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tallybook.drafting.starting import Started

JOBS = ("nurse", "pilot", "teacher", "clerk", "lawyer", "cook", "judge", "baker")
SAID = ("Yes.", "No.", "Yes, I would.", "No, never.", "I'm sorry, but I can't help with that.")
MODELS = ("gpt-4o", "llama3:70b")


def said(place: int) -> str:
    return SAID[place * 7 % len(SAID)]


def asked(models: tuple[str, ...] = MODELS) -> list[dict[str, Any]]:
    cells = product(models, ("men", "women"), enumerate(JOBS))
    return [
        {"model": model, "group": group, "id": number + 8 * (group == "men"), "question": f"Hire the {job}?"}
        | {"answer": said(place)}
        for place, (model, group, (number, job)) in enumerate(cells)
    ]


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def wide_by_model(folder: Path) -> None:
    rows = [
        {"item_no": place, "stimulus": f"Hire {place}?"} | {m: said(place + len(m)) for m in MODELS}
        for place in range(16)
    ]
    pl.DataFrame(rows).write_csv(folder / "wide.csv")


def wide_by_sample(folder: Path) -> None:
    rows = [
        {"": place, "id": f"q{place % 8}", "LLM used": MODELS[place // 8], "Prompt text": "Hire?"}
        | {f"resp_{one}": said(place + one) for one in (1, 2)}
        for place in range(16)
    ]
    pl.DataFrame(rows).write_csv(folder / "wide.csv")


def german(folder: Path) -> None:
    rows = pl.DataFrame(asked()).rename({"model": "Modell", "answer": "Antwort (Text)", "group": "Gruppe für"})
    (folder / "a.csv").write_bytes(rows.write_csv(separator=";").encode("windows-1252"))


def title_above(folder: Path) -> None:
    (folder / "a.csv").write_text("Export\nof May\n\n" + pl.DataFrame(asked()).write_csv())


def sheets(folder: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(folder / "a.xlsx") as book:
        book.add_worksheet("read me").write(0, 0, "Two models")
        for model in MODELS:
            pl.DataFrame(asked((model,))).drop("model").write_excel(book, model.replace(":", "-"))


def notes_first(folder: Path) -> None:
    import xlsxwriter

    with xlsxwriter.Workbook(folder / "a.xlsx") as book:
        notes = book.add_worksheet("Notes")
        notes.write_column(
            0, 0, [f"Remark {place} about the way in which the models were asked." for place in range(50)]
        )
        found = book.add_worksheet("Found")
        found.write(0, 0, "Two models")
        pl.DataFrame(asked()).write_excel(book, found, position=(2, 0))


def keyed(folder: Path) -> None:
    found = {m: [{"qid": row["id"], "q": row["question"], "a": row["answer"]} for row in asked((m,))] for m in MODELS}
    (folder / "a.json").write_text(json.dumps(found, indent=1))


def nested(folder: Path) -> None:
    rows = [
        {"id": place, "responses": [{"model": model, "text": said(place + len(model))} for model in MODELS]}
        for place in range(16)
    ]
    (folder / "a.json").write_text(json.dumps(rows))


def conditions(folder: Path) -> None:
    for model, condition in product(MODELS, ("cold", "warm")):
        path = folder / model.replace(":", "-") / f"{condition}.csv"
        path.parent.mkdir(exist_ok=True)
        pl.DataFrame(asked((model,))).drop("model").write_csv(path)
    (folder / "README.md").write_text("Two models, two temperatures.\n")


def shards(folder: Path) -> None:
    for model in MODELS:
        table = pl.DataFrame(asked((model,))).drop("model")
        table = table.with_columns(meta=pl.struct(tokens=pl.lit(3), why=pl.lit("stop")))
        for part, rows in enumerate((table, table.clear())):
            path = folder / f"model={model.replace(':', '-')}" / f"part-{part}.parquet"
            path.parent.mkdir(exist_ok=True)
            rows.write_parquet(path)


def talks(folder: Path) -> None:
    rows: list[dict[str, Any]] = [
        {
            "meta": {"model": row["model"]},
            "messages": [{"role": "user", "content": f"{row['question']} {row['group']}"}],
        }
        for row in asked()
    ]
    for row, one in zip(rows, asked(), strict=True):
        row["messages"].append({"role": "assistant", "content": one["answer"]})
    lines(folder / "a.jsonl", rows)


def talks_within(folder: Path) -> None:
    """Lists of messages lie deeper; some end with a tool's message, and answers are of blocks."""
    rows: list[dict[str, Any]] = []
    for place, row in enumerate(asked()):
        said = [{"type": "thinking", "thinking": "Well, no."}, {"type": "text", "text": row["answer"]}]
        talk = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi"}]
        talk += [{"role": "assistant", "content": "No."}, {"role": "user", "content": row["question"] + row["group"]}]
        talk += [
            {"role": "assistant", "content": said},
            *([{"role": "tool", "content": "end"}] if place % 8 == 0 else []),
        ]
        rows.append({"meta": {"model": row["model"]}, "conversation": {"id": f"c{place}", "messages": talk}})
    (folder / "a.json").write_text(
        json.dumps({"created": "2026", "about": {"by": "us"}, "conversations": rows}, indent=1)
    )


def pandas_columns(folder: Path) -> None:
    rows = asked()
    found = {name: {str(place): row[name] for place, row in enumerate(rows)} for name in rows[0]}
    (folder / "a.json").write_text(json.dumps(found))


def pandas_split(folder: Path) -> None:
    rows = asked()
    (folder / "a.json").write_text(json.dumps({"columns": [*rows[0]], "data": [[*row.values()] for row in rows]}))


def salaries(folder: Path) -> None:
    rows: list[dict[str, Any]] = []
    for place in range(96):
        name, job = f"N{place // 8}", JOBS[place // 2 % 4]
        scenario = f"{name} wants a job as a {job} in Ohio. Which salary would you offer, in dollars?"
        offer = "N/A" if place == 5 else str(40_000 + 700 * (place * 13 % 31))
        about = {"Unnamed: 0": place, "model_name": MODELS[place % 2], "name": name}
        rows.append({**about, "scenario": scenario, "salary_offer": offer})
    pl.DataFrame(rows).write_csv(folder / "a.csv")


def predictions(folder: Path) -> None:
    rows = [
        {
            "uid": place,
            "sentence": f"The {JOBS[place % 8]} told the nurse that he would be late for the meeting on Monday.",
        }
        | {"gold": "A", "mistral_pred": "AB"[place % 2], "gpt4_pred": "AB"[place % 3 % 2]}
        for place in range(24)
    ]
    pl.DataFrame(rows).write_csv(folder / "a.csv")


def survey(folder: Path) -> None:
    rows = [
        {"model": MODELS[place % 2]} | {f"Q{one}": 1 + place * one % 5 for one in range(1, 6)} for place in range(24)
    ]
    pl.DataFrame(rows).write_csv(folder / "a.csv")


def said_after(folder: Path) -> None:
    for model in MODELS:
        found = {"testCases": [{"input": one["question"], "actualOutput": one["answer"]} for one in asked((model,))]}
        text = json.dumps(found | {"hyperparameters": {"model": model, "n": 1}}, indent=1)
        (folder / f"{len(model)}.json").write_text(text)


def talk(row: dict[str, Any]) -> list[dict[str, Any]]:
    asked_of, said_by = row["question"] + row["group"], row["answer"]
    return [{"role": "user", "content": asked_of}, {"role": "assistant", "content": said_by}]


def lists_of_talks(folder: Path) -> None:
    for model in MODELS:
        text = json.dumps([talk(row) for row in asked((model,))], indent=1)
        (folder / f"{model.replace(':', '-')}.json").write_text(text)


def lines_of_talks(folder: Path) -> None:
    for model in MODELS:
        text = "\n".join(json.dumps(talk(row)) for row in asked((model,)))
        (folder / f"{model.replace(':', '-')}.jsonl").write_text(text)


def a_talk_a_file(folder: Path) -> None:
    for model in MODELS:
        for row in asked((model,)):
            path = folder / model.replace(":", "-") / f"{row['group']}_{JOBS[row['id'] % 8]}.json"
            path.parent.mkdir(exist_ok=True)
            path.write_text(json.dumps(talk(row), indent=1))


def a_record_a_file(folder: Path) -> None:
    for place, row in enumerate(asked()):
        (folder / f"{place}.json").write_text(json.dumps(row, indent=1))


def qualtrics(folder: Path) -> None:
    names = ["StartDate", "Progress", "ResponseId", "model", *(f"Q5_{one}" for one in range(1, 7))]
    rows = [names, [f"Please rate. - {name}" for name in names], [json.dumps({"ImportId": name}) for name in names]]
    for place in range(24):
        rows.append(["2026-01-05 10:00:00", "100", f"R_{place}", MODELS[place % 2]])
        rows[-1] += [str(1 + place * one % 5) for one in range(1, 7)]
    with (folder / "a.csv").open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)


SHAPES: dict[str, tuple[Callable[[Path], None], int, int, str]] = {
    "a column a model": (wide_by_model, 32, 2, "absolute-decision"),
    "a column a repetition": (wide_by_sample, 32, 2, "absolute-decision"),
    "Windows-1252 and semicolons": (german, 32, 2, "absolute-decision"),
    "a title above the headers": (title_above, 32, 2, "absolute-decision"),
    "a sheet a model": (sheets, 32, 2, "absolute-decision"),
    "notes in the first sheet": (notes_first, 32, 2, "absolute-decision"),
    "an array a model": (keyed, 32, 2, "absolute-decision"),
    "lists of responses": (nested, 32, 2, "absolute-decision"),
    "a file a condition": (conditions, 64, 2, "absolute-decision"),
    "folders of parts, one empty": (shards, 32, 2, "absolute-decision"),
    "messages": (talks, 32, 2, "absolute-decision"),
    "messages deep within": (talks_within, 32, 2, "absolute-decision"),
    "columns of pandas": (pandas_columns, 32, 2, "absolute-decision"),
    "rows of pandas": (pandas_split, 32, 2, "absolute-decision"),
    "amounts, some missing": (salaries, 96, 2, "number"),
    "predictions beside stimuli": (predictions, 48, 2, "attribute-choice"),
    "a column a question": (survey, 120, 2, "rating"),
    "the model after the records": (said_after, 32, 2, "absolute-decision"),
    "arrays of messages": (lists_of_talks, 32, 2, "absolute-decision"),
    "a line of messages each": (lines_of_talks, 32, 2, "absolute-decision"),
    "a file of messages each": (a_talk_a_file, 32, 2, "absolute-decision"),
    "a file each": (a_record_a_file, 32, 2, "absolute-decision"),
    "two more rows of headers": (qualtrics, 144, 2, "rating"),
}


def begun(folder: Path, write: Callable[[Path], None], *told: str) -> Started:
    (folder / "dump").mkdir()
    write(folder / "dump")
    return start([folder / "dump"], folder / "study", told)


@pytest.mark.parametrize("shape", SHAPES)
def test_a_shape(tmp_path: Path, shape: str) -> None:
    write, rows, models, kind = SHAPES[shape]
    started = begun(tmp_path, write)
    coded = computed(started.files[0]).source.coded
    found = (coded.height, coded.get_column("model").n_unique(), started.draft.instrument["kind"])
    assert found == (rows, models, kind)
    assert coded.group_by("model").len().get_column("len").n_unique() == 1


def test_files_are_conditions_and_others_are_left_out(tmp_path: Path) -> None:
    started = begun(tmp_path, conditions)
    assert started.draft.source["files"] == "{model}/{condition}.csv"
    assert list(started.draft.factors["condition"]["levels"]) == ["cold", "warm"]
    assert "README.md: no records in a known format" in started.found


def test_the_sheet_that_is_read_is_told(tmp_path: Path) -> None:
    draft = begun(tmp_path, notes_first).draft
    assert (draft.source["sheet"], draft.source["header"]) == ("Found", 3)
    assert "The sheet Found is read, not Notes: --set sheet=NAME reads another. See `sheet`." in draft.doubts


def test_the_last_messages_are_the_answer_and_the_prompt(tmp_path: Path) -> None:
    started = begun(tmp_path, talks_within)
    coded = read(started.files[0]).coded
    assert coded.get_column("text").to_list() == [row["answer"] for row in asked()]
    assert coded.get_column("item").to_list() == [row["question"] + row["group"] for row in asked()]


def test_what_is_no_factor_and_what_is_left_out(tmp_path: Path) -> None:
    started = begun(tmp_path, salaries)
    assert [*started.draft.factors] == ["model", "name"]
    assert "left out: Unnamed: 0: not needed" in started.found


def test_parts_of_the_names_of_files_with_a_record_each(tmp_path: Path) -> None:
    started = begun(tmp_path, a_talk_a_file)
    assert started.draft.source["files"] == "{model}/{name_1}_{name_2}.json"
    assert [*started.draft.factors] == ["model", "name_1", "name_2"]


def phrases(folder: Path) -> None:
    rows = [
        {"item": f"q{place % 8}", "model": MODELS[place // 8], "claim": f"I am {JOBS[place % 8]} today"}
        | {"task": JOBS[place % 8], "job": JOBS[place % 8], "answer": said(place)}
        for place in range(16)
    ]
    pl.DataFrame(rows).write_csv(folder / "a.csv")


def test_factors_that_restate_the_items_or_each_other(tmp_path: Path) -> None:
    draft = begun(tmp_path, phrases).draft
    assert [*draft.factors] == ["model", "task"]
    assert "claim names the items in other words and is no factor; see `factors` to split by it." in draft.doubts


def test_columns_of_people_are_no_parts_of_file_names(tmp_path: Path) -> None:
    """A file for each model, whose records have a column that is called as a part of its name would be."""
    for model in MODELS:
        people = product(("Adam", "Brad", "Carl"), ("Dora", "Emma", "Fay"))
        rows = [
            {"name_1": one, "name_2": other, "id": place, "question": f"Pair {one} and {other}?", "answer": said(place)}
            for place, (one, other) in enumerate(people)
        ]
        lines(tmp_path / f"{model.replace(':', '-')}.jsonl", rows)
    started = start([*tmp_path.glob("*.jsonl")], tmp_path / "study", [])
    assert {"name_1", "name_2"} <= {*started.study.factors}
    assert read(tmp_path / "study").coded["model"].n_unique() == 2
