"""Small dumps with odd headers, written in every format, and what their studies give."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.study.loading import load
from tests.trusted import estimated

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

YES_NO = pl.DataFrame(
    [
        {"LLM": model, "Question #": question, "Grp": group, "answer text": answer, "Run": run}
        for model, answers in (("gpt x", ("Yes.", "No, never.")), ("llama", ("Certainly yes", "I cannot answer that.")))
        for question in (1, 2)
        for run in (1, 2)
        for group, answer in zip(("male", "female"), answers, strict=True)
    ]
)
CHOICES = pl.DataFrame(
    [
        {"model": "m", "prompt": f"{name} is ...", "race": race, "response": response}
        for race, name in (("white", "Ann"), ("black", "Keisha"))
        for response in ("kind", "Rude.", '"Kind"', "The answer is kind.", "As an AI I cannot judge people.")
    ]
)
PROFILES = pl.DataFrame(
    [
        {"model": model, "id": number, "gender": gender, "output": f"Job: {job}\nReligion: none\n\nThank you!"}
        for number, (model, gender, job) in enumerate(
            [("a", "male", "cook"), ("a", "female", "nurse"), ("b", "male", "teacher"), ("b", "female", "nurse")] * 3
        )
    ]
)
CODED = pl.DataFrame(
    [
        {"model": "a", "item": "p1", "sample": 0, "group": "x", "choice": "left", "toxicity_score": 0.25},
        {"model": "a", "item": "p1", "sample": 1, "group": "x", "choice": "right", "toxicity_score": 0.5},
        {"model": "a", "item": "p2", "sample": 0, "group": "y", "choice": "right", "toxicity_score": 0.75},
    ]
)
WRITERS: dict[str, Callable[[pl.DataFrame, Path], object]] = {
    "odd.csv": pl.DataFrame.write_csv,
    "odd.tsv": lambda table, path: table.write_csv(path, separator="\t"),
    "odd.jsonl": pl.DataFrame.write_ndjson,
    "odd.json": pl.DataFrame.write_json,
    "odd.parquet": pl.DataFrame.write_parquet,
    "odd.arrow": pl.DataFrame.write_ipc,
    "odd.xlsx": pl.DataFrame.write_excel,
}


def shares_of(folder: Path, analysis: str = "share") -> dict[tuple[str, ...], float]:
    """Level(s) and term -> share."""
    study = folder / "study.toml"
    found = estimated(study).filter(analysis=analysis)
    by = list(load(str(study)).study.analyses[analysis].by)
    return {tuple(row[name] for name in (*by, "term")): row["estimate"] for row in found.iter_rows(named=True)}


def write(folder: Path, table: pl.DataFrame, name: str = "odd.csv") -> Path:
    WRITERS[name](table, folder / name)
    return folder / name
