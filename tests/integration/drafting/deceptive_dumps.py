"""Small dumps in which a column, a file or a list looks like something else, and what their studies read.

Each writes a dump to a folder and returns what is true of each response, by the columns of the coded dump.
"""

from __future__ import annotations

import json
from itertools import product
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

MODELS = ("gpt-4o", "llama-3-8b")
GROUPS = ("men", "women")
TOPICS = ("nurses", "pilots", "judges", "cooks", "bakers", "clerks")
DECIDED = ("yes", "no", "yes", "no", "no")
Rows = list[dict[str, Any]]


def asked(times: int = 2) -> Iterator[dict[str, Any]]:
    """Questions to two models on two groups, with the number of the answer."""
    cells = product(MODELS, GROUPS, enumerate(TOPICS), range(times))
    for place, (model, group, (number, topic), run) in enumerate(cells):
        item = f"{group[0]}{number}"
        yield {"model": model, "group": group, "topic": topic, "item": item, "run": run, "place": place}


def decided(place: int) -> str:
    return DECIDED[place * place // 2 % 5]


def sentence(place: int) -> str:
    return {"yes": "Yes, I would say so.", "no": "No, I would not say so."}[decided(place)]


def wording(one: dict[str, Any]) -> str:
    return f"Should a bank give a loan to a young family of {one['topic']} in which all earners are {one['group']}?"


def rated(place: int) -> int:
    return place * place // 3 % 7 + 1


def lines(path: Path, rows: Iterable[dict[str, Any]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")


# A column without a header that numbers rows


def index_of_pandas(folder: Path) -> Rows:
    """A file for each model; the first column numbers the rows from 0 and has no header."""
    for model in MODELS:
        own = [one for one in asked() if one["model"] == model]
        table = [
            {"": place, "group": one["group"], "prompt": wording(one), "response": sentence(one["place"])}
            for place, one in enumerate(own)
        ]
        pl.DataFrame(table).write_csv(folder / f"{model}.csv")
    return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]


def row_names_of_r(folder: Path) -> Rows:
    """A table of one model with row names from 1, as R writes them, and ratings."""
    own = [one for one in asked() if one["model"] == MODELS[0]]
    table = [
        {"": place, "group": one["group"], "statement": one["topic"], "rating": rated(one["place"])}
        for place, one in enumerate(own, start=1)
    ]
    pl.DataFrame(table).write_csv(folder / "ratings.csv")
    return [{"model": "unknown", "group": one["group"], "rating": float(rated(one["place"]))} for one in own]


# Texts that are questions


def _prompts_and(answer: str) -> Any:
    def write(folder: Path) -> Rows:
        prompts = {one["item"]: {"id": one["item"], "group": one["group"], "text": wording(one)} for one in asked()}
        pl.DataFrame([*prompts.values()]).write_csv(folder / "prompts.csv")
        table = [
            {"prompt_id": one["item"], "model": one["model"], "run": one["run"], answer: sentence(one["place"])}
            for one in asked()
        ]
        pl.DataFrame(table).write_csv(folder / "answers.csv")
        return [{"model": one["model"], "group": one["group"], "decision": decided(one["place"])} for one in asked()]

    return write


def _prompts_and_ratings(answer: str) -> Any:
    def write(folder: Path) -> Rows:
        prompts = {one["item"]: {"id": one["item"], "group": one["group"], "text": wording(one)} for one in asked()}
        lines(folder / "prompts.jsonl", prompts.values())
        table = (
            {"prompt_id": one["item"], "model": one["model"], "run": one["run"], answer: rated(one["place"])}
            for one in asked()
        )
        lines(folder / "ratings.jsonl", table)
        return [{"model": one["model"], "group": one["group"], "rating": float(rated(one["place"]))} for one in asked()]

    return write


def ratings_of_texts(folder: Path) -> Rows:
    """One table, in which `text` is what is rated."""
    table = [
        {"id": one["item"], "group": one["group"], "text": wording(one), "model": one["model"], "run": one["run"]}
        | {"answer": f"I would rate it {rated(one['place'])} of 7."}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "rated.csv")
    return [{"model": one["model"], "group": one["group"], "rating": float(rated(one["place"]))} for one in asked()]


# Numbers that stand for no answer


def _unparsed(column: str, code: str) -> Any:
    def write(folder: Path) -> Rows:
        table = [
            {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
            | {column: code if one["place"] % 7 == 3 else str(rated(one["place"]))}
            for one in asked()
        ]
        pl.DataFrame(table).write_csv(folder / "parsed.csv")
        return [
            {"model": one["model"], "group": one["group"]}
            | {"rating": None if one["place"] % 7 == 3 else float(rated(one["place"]))}
            for one in asked()
        ]

    return write


def unparsed_amounts(folder: Path) -> Rows:
    table = [
        {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
        | {"salary_offer": -1 if one["place"] % 7 == 3 else 50_000 + 250 * one["place"]}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "offers.csv")
    return [
        {"model": one["model"], "group": one["group"]}
        | {"number": None if one["place"] % 7 == 3 else 50_000.0 + 250 * one["place"]}
        for one in asked()
    ]


def unparsed_beside_texts(folder: Path) -> Rows:
    """Stories with a score from 0 to 10, -1 where none was found."""
    table = [
        {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
        | {"story": f"Once upon a time {one['place']} {one['topic']} lived in a house by the sea, far from the town."}
        | {"warmth_score": -1 if one["place"] % 7 == 3 else rated(one["place"])}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "scored.csv")
    return [
        {"model": one["model"], "group": one["group"]}
        | {"warmth_score": None if one["place"] % 7 == 3 else float(rated(one["place"]))}
        for one in asked()
    ]


def one_of_three(folder: Path) -> Rows:
    """Stances from -1 to 1, in which -1 is an answer."""
    table = [
        {"item": one["item"], "group": one["group"], "model": one["model"], "run": one["run"]}
        | {"story": f"Once upon a time {one['place']} {one['topic']} lived in a house by the sea, far from the town."}
        | {"stance_score": rated(one["place"]) % 3 - 1}
        for one in asked()
    ]
    pl.DataFrame(table).write_csv(folder / "scored.csv")
    return [
        {"model": one["model"], "group": one["group"], "stance_score": float(rated(one["place"]) % 3 - 1)}
        for one in asked()
    ]


DUMPS: dict[str, Any] = {
    "index": index_of_pandas,
    "row names": row_names_of_r,
    **{f"prompts and {name}": _prompts_and(name) for name in ("answer", "output", "reply", "llm_answer", "response")},
    "prompts and rating": _prompts_and_ratings("rating"),
    "rated texts": ratings_of_texts,
    **{
        f"{code} for {name}": _unparsed(name, code)
        for name, code in (
            ("rating", "-1"),
            ("answer", "-1"),
            ("parsed_rating", "-1.0"),
            ("likert_response", "-99"),
            ("rating", "999"),
            ("rating", "nan"),
        )
    },
    "unparsed amounts": unparsed_amounts,
    "unparsed beside texts": unparsed_beside_texts,
    "one of three": one_of_three,
}
