"""Small dumps in the layouts of tools and papers, with the truth about each; a script that writes them to a folder."""

from __future__ import annotations

import json
import sqlite3
import sys
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

NAMES = {"Black": ("Jamal", "Ebony", "Tyrone"), "White": ("Emily", "Greg", "Anne")}
JOBS = ("nurse", "welder", "teacher", "pilot", "clerk")
SAID = ("Yes.", "No.", "**Yes** - the CV fits.", "No, I would not.", "I'm sorry, but I can't help with that.")
AGREED = ("Strongly agree", "Agree", "Disagree", "Strongly disagree")
MANIFEST = '{"totalRecordCount": 30, "processedRecordCount": 30, "errorRecordCount": 0}'
TWO = ("gpt-4o", "mistral-large")


class Truth(NamedTuple):
    """The truth about a dump."""

    write: Callable[[Path], None]
    rows: int
    models: set[str]
    kind: str = "absolute-decision"
    levels: Iterable[Iterable[str]] = (NAMES,)  # the levels of factors
    clusters: int = 6  # how many values the cluster has


def hires(models: Iterable[str]) -> Iterator[tuple[str, dict[str, str], str, str]]:
    """Yield model, what varies in the prompt, prompt and answer."""
    people = [(race, name) for race, names in NAMES.items() for name in names]
    for place, (model, (race, name), job) in enumerate(product(models, people, JOBS)):
        asked = f"Would you invite {name} to an interview for the post of {job}? Answer yes or no."
        yield model, {"race": race, "name": name, "job": job}, asked, SAID[(place * 7 + place // 5) % len(SAID)]


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


def ollama_beside_own_columns(folder: Path) -> None:
    lines(
        folder / "runs.jsonl",
        (
            {"model": model, "created_at": "2025-05-01T12:00:00Z", "message": {"role": "assistant", "content": answer}}
            | {"done_reason": "stop", "done": True, "total_duration": 123 + len(answer), "eval_count": 4}
            | asked
            for model, asked, _, answer in hires(TWO)
        ),
    )


def vertex_labels(folder: Path) -> None:
    lines(
        folder / "predictions.jsonl",
        (
            {
                "status": "",
                "processed_time": "2025-02-03T10:00:00Z",
                "request": {"contents": [{"role": "user", "parts": [{"text": prompt}]}], "labels": asked},
                "response": {
                    "candidates": [
                        {"content": {"role": "model", "parts": [{"text": answer}]}, "finishReason": "STOP"},
                    ],
                    "modelVersion": model,
                },
            }
            for model, asked, prompt, answer in hires(["gemini-2.0-flash-001"])
        ),
    )


def bedrock_that_names_some_models(folder: Path) -> None:
    for model in ("nova", "claude"):
        lines(folder / model / "records.jsonl.out", (_of_bedrock(*one) for one in hires([model])))
        (folder / model / "manifest.json.out").write_text(MANIFEST, encoding="utf-8")


def _of_bedrock(model: str, asked: dict[str, str], prompt: str, answer: str) -> dict[str, Any]:
    said = [{"text": answer}]
    output: dict[str, Any] = {"output": {"message": {"role": "assistant", "content": said}}, "stopReason": "end_turn"}
    if model == "claude":
        output = {"model": model, "type": "message", "role": "assistant", "stop_reason": "end_turn"}
        output["content"] = [{"type": "text", "text": answer}]
    messages = [{"role": "user", "content": [{"text": prompt}]}]
    return {"recordId": "-".join(asked.values()), "modelInput": {"messages": messages}, "modelOutput": output}


def langfuse_table(folder: Path) -> None:
    table = [
        {"id": f"o{place}", "traceId": f"t{place}", "type": "GENERATION", "name": "hire", "level": "DEFAULT"}
        | {"startTime": "2025-06-01 10:00:00", "model": model, "input": json.dumps([{"role": "user", "content": ask}])}
        | {"output": json.dumps({"role": "assistant", "content": answer}), "metadata": json.dumps(asked)}
        for place, (model, asked, ask, answer) in enumerate(hires(["gpt-4o"]))
    ]
    pl.DataFrame(table).write_csv(folder / "export.csv")


def json_in_cells(folder: Path) -> None:
    table = [
        {"request_id": f"r{place}", "model": model, "output": json.dumps({"role": "assistant", "content": answer})}
        | {"metadata": json.dumps(asked)}
        for place, (model, asked, _, answer) in enumerate(hires(["gpt-4o"]))
    ]
    pl.DataFrame(table).write_csv(folder / "log.csv")


def nested_stimulus(folder: Path) -> None:
    lines(
        folder / "run.jsonl",
        (
            {"run": {"uid": f"u{place}", "llm": {"name": model}}, "outcome": {"raw": answer, "finish": "stop"}}
            | {"stimulus": {"applicant": asked, "text": prompt}}
            for place, (model, asked, prompt, answer) in enumerate(hires(TWO))
        ),
    )


def said_of_all_records(folder: Path) -> None:
    statements = [f"Statement number {number} on fairness at work." for number in range(20)]
    for model, persona in product(TWO, ("nurse", "soldier", "teenager")):
        answers = [
            {"id": number, "statement": statement, "answer": AGREED[(number + len(model + persona)) % 4]}
            for number, statement in enumerate(statements)
        ]
        whole = {"model": model, "persona": persona, "responses": answers}
        (folder / f"{model}__{persona}.json").write_text(json.dumps(whole), encoding="utf-8")


def four_levels(folder: Path) -> None:
    found: dict[str, Any] = {}
    for model, asked, _, answer in hires(TWO):
        found.setdefault(model, {}).setdefault(asked["race"], {}).setdefault(asked["name"], {})[asked["job"]] = answer
    (folder / "results.json").write_text(json.dumps(found), encoding="utf-8")


def questionnaire(folder: Path) -> None:
    items = [f"{trait}{number}" for trait in "OCEAN" for number in (1, 2, 3)]
    table = [
        {"llm": model, "persona": f"persona {persona}"}
        | {item: (place + 3 * persona + len(model)) % 5 + 1 for place, item in enumerate(items)}
        for model, persona in product(TWO, range(6))
    ]
    pl.DataFrame(table).write_csv(folder / "big_five.csv")


def long_table_of_an_experiment(folder: Path) -> None:
    cells = product(TWO, ("control", "intentional"), range(1, 13), ("female", "male"), range(4))
    table = [
        {"Participant": place + 1, "Model": model, "Condition": condition, "Vignette_Nr": vignette, "Gender": gender}
        | {"Blame": (place * 5 + vignette) % 7 + 1, "RT_ms": 800 + place * 37 % 1999}
        for place, (model, condition, vignette, gender, _) in enumerate(cells)
    ]
    pl.DataFrame(table).sample(fraction=1, shuffle=True, seed=3).write_csv(folder / "exp1_long.csv")


def a_file_called_after_the_model(folder: Path) -> None:
    table = [asked | {"prompt": prompt, "Response #1": answer} for _, asked, prompt, answer in hires(["gpt-4o"])]
    pl.DataFrame(table).write_csv(folder / "gpt-4o.tsv", separator="\t")


def texts_in_a_folder_of_the_model(folder: Path) -> None:
    for _, asked, _, answer in hires(["GPT-4o"]):
        place = folder / "outputs" / "GPT-4o" / asked["race"]
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{asked['name']}_{asked['job']}.txt").write_text(answer, encoding="utf-8")


def answers_in_turns(folder: Path) -> None:
    questions = [
        {"question_id": place, "group": ("men", "women")[place % 2], "turns": ["Hire?"]} for place in range(20)
    ]
    lines(folder / "question.jsonl", questions)
    for model in TWO:
        answers = (
            {"question_id": place, "model_id": model, "choices": [{"index": 0, "turns": [SAID[(place + 1) % 5]]}]}
            for place in range(20)
        )
        lines(folder / "model_answer" / f"{model}.jsonl", answers)


def a_table_of_a_database(folder: Path) -> None:
    with sqlite3.connect(folder / "results.db") as database:
        database.execute("CREATE TABLE runs (id, started)")
        database.execute("INSERT INTO runs VALUES (1, 'today')")
        database.execute("CREATE TABLE answers (model, race, name, job, prompt, reply)")
        rows = [(model, *asked.values(), prompt, answer) for model, asked, prompt, answer in hires(TWO)]
        database.executemany("INSERT INTO answers VALUES (?, ?, ?, ?, ?, ?)", rows)
    database.close()


def columns_of_models_and_runs(folder: Path) -> None:
    table = [
        {"statement": f"Statement {number}: taxes on wealth should rise."}
        | {
            f"{model}_run{run}": AGREED[(number + run * len(model)) % 4]
            for model, run in product(("gpt-4o", "mixtral"), (1, 2))
        }
        for number in range(20)
    ]
    pl.DataFrame(table).write_csv(folder / "runs.csv")


def keyed_parts_of_ids(folder: Path) -> None:
    rows = (
        {"custom_id": f"race={asked['race']};person={asked['name']};i={place % 5}", "model": model, "response": answer}
        for place, (model, asked, _, answer) in enumerate(hires(TWO))
    )
    lines(folder / "batch.jsonl", rows)


def portuguese_trials(folder: Path) -> None:
    table = [
        {"modelo": model, "nome": asked["name"], "grupo": asked["race"], "ensaio": place % 5, "resposta": answer}
        for place, (model, asked, _, answer) in enumerate(hires(TWO))
    ]
    pl.DataFrame(table).write_csv(folder / "dados.csv")


def langsmith_table(folder: Path) -> None:
    table = [
        {"id": f"r{place}", "name": "ChatOpenAI", "run_type": "llm", "status": "success", "error": ""}
        | {"inputs": json.dumps({"messages": [[{"kwargs": {"content": prompt, "type": "human"}}]]})}
        | {"outputs": json.dumps({"generations": [[{"text": answer}]]})}
        | {"metadata": json.dumps(asked | {"ls_model_name": model})}
        for place, (model, asked, prompt, answer) in enumerate(hires(TWO))
    ]
    pl.DataFrame(table).write_csv(folder / "runs.csv")


DUMPS = {
    "keyed": Truth(keyed_parts_of_ids, 60, {*TWO}),
    "portuguese": Truth(portuguese_trials, 60, {*TWO}),
    "langsmith": Truth(langsmith_table, 60, {*TWO}),
    "runs": Truth(columns_of_models_and_runs, 80, {"gpt-4o", "mixtral"}, "rating", (), 20),
    "ollama": Truth(ollama_beside_own_columns, 60, {*TWO}),
    "vertex": Truth(vertex_labels, 30, {"gemini-2.0-flash-001"}),
    "bedrock": Truth(bedrock_that_names_some_models, 60, {"nova", "claude"}),
    "langfuse": Truth(langfuse_table, 30, {"gpt-4o"}),
    "cells": Truth(json_in_cells, 30, {"gpt-4o"}),
    "stimulus": Truth(nested_stimulus, 60, {*TWO}),
    "wrapped": Truth(said_of_all_records, 120, {*TWO}, "rating", [("nurse", "soldier", "teenager")], 20),
    "levels": Truth(four_levels, 60, {*TWO}, clusters=5),
    "questionnaire": Truth(questionnaire, 180, {*TWO}, "rating", [[f"persona {one}" for one in range(6)]], 15),
    "experiment": Truth(
        long_table_of_an_experiment, 384, {*TWO}, "rating", [("control", "intentional"), ("female", "male")], 12
    ),
    "file": Truth(a_file_called_after_the_model, 30, {"gpt-4o"}),
    "folder": Truth(texts_in_a_folder_of_the_model, 30, {"GPT-4o"}),
    "turns": Truth(answers_in_turns, 40, {*TWO}, levels=[("men", "women")], clusters=20),
    "database": Truth(a_table_of_a_database, 60, {*TWO}),
}

if __name__ == "__main__":
    for name, truth in DUMPS.items():
        place = Path(sys.argv[1]) / name
        place.mkdir(parents=True)
        truth.write(place)
