"""Dumps whose answers are nested in JSON, and dumps with headers in other languages."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.drafting.starting import start
from tallybook.drafting.survey import survey
from tests.integration.drafting.odd_dumps import YES_NO, shares_of
from tests.trusted import computed, read

if TYPE_CHECKING:
    from pathlib import Path


class TestNesting:
    """Answers are found where the interfaces of models put them; errors and prompts are none."""

    def test_chat_completions(self, tmp_path: Path) -> None:
        rows = [
            {"request": {"model": "m", "prompt": f"Should Ann be hired, or is it too early to say? {place}"}}
            | ({"error": {"message": "rate limit"}} if place == 3 else {"response": {"choices": [said]}})
            for place, said in enumerate([{"message": {"content": text}} for text in ("Yes.", "No.", "Yes!", "")])
        ]
        (tmp_path / "loop.jsonl").write_text("\n".join(map(json.dumps, rows)))
        started = start([tmp_path / "loop.jsonl"], tmp_path, [])
        assert started.draft.columns["text"]["path"] == "response.choices.0.message.content"
        assert started.draft.columns["item"] == {"path": "request.prompt"}
        assert shares_of(tmp_path)["m", "yes"] == pytest.approx(2 / 3)  # of the requests that did not fail

    def test_a_path_that_the_user_names(self, tmp_path: Path) -> None:
        rows = [
            {"model": "m", "id": place, "turns": [{"say": "Hello?"}, {"say": text}]} for place, text in enumerate("YN")
        ]
        (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, rows)))
        started = start([tmp_path / "x.jsonl"], tmp_path, ["text=turns.1.say"])
        assert read(started.files[0]).coded.get_column("text").to_list() == ["Y", "N"]

    def test_a_key_around_lists_of_prompts_is_a_factor(self, tmp_path: Path) -> None:
        said = {
            model: {
                group: [
                    {"prompt": f"Is {group} {place} fit? Yes or no.", "response": ("Yes.", "No.")[place % 2]}
                    for place in range(6)
                ]
                for group in ("north", "south", "east")
            }
            for model in ("gpt-4o", "phi-4")
        }
        (tmp_path / "x.json").write_text(json.dumps(said))
        made = start([tmp_path / "x.json"], tmp_path, []).draft
        assert ([*made.factors], made.columns["item"]["path"]) == (["model", "level_2"], "prompt")

    def test_an_object_that_wraps_the_records(self, tmp_path: Path) -> None:
        (tmp_path / "x.json").write_text(json.dumps({"run": 7, "results": YES_NO.to_dicts()}, indent=1))
        started = start([tmp_path / "x.json"], tmp_path, [])
        assert (started.rows, started.draft.source["format"]) == (YES_NO.height, "json")
        (tmp_path / "y.json").write_text(json.dumps({"a_1": {"text": "Yes"}}))
        with pytest.raises(UsageError, match="declared with format = 'keyed-json'"):
            start([tmp_path / "y.json"], tmp_path / "y", [])

    def test_an_encoding(self, tmp_path: Path) -> None:
        text = YES_NO.with_columns(Grp=pl.col("Grp").replace("male", "männlich")).write_csv(separator=";")
        (tmp_path / "x.csv").write_bytes(text.encode("windows-1252"))
        proposed = start([tmp_path / "x.csv"], tmp_path / "proposed", [])
        assert proposed.draft.source["encoding"] == "windows-1252"
        assert "read as windows-1252" in proposed.draft.doubts[0]
        started = start([tmp_path / "x.csv"], tmp_path, ["encoding=windows-1252"])
        assert "männlich" in started.draft.factors["grp"]["levels"]
        assert read(started.files[0]).coded.height == YES_NO.height
        with pytest.raises(UsageError, match="--set encoding=cp437: expected one of utf-8, utf-16"):
            start([tmp_path / "x.csv"], tmp_path / "y", ["encoding=cp437"])

    def test_a_sheet_and_a_delimiter(self, tmp_path: Path) -> None:
        import xlsxwriter

        with xlsxwriter.Workbook(tmp_path / "x.xlsx") as book:
            YES_NO.write_excel(book, "one")
            YES_NO.head(4).write_excel(book, "two")
        started = start([tmp_path / "x.xlsx"], tmp_path, ["sheet=two"])
        assert read(started.files[0]).coded.height == started.rows == 4
        with pytest.raises(UsageError, match=r"--set delimiter=x: expected one of , ; \| or a tab"):
            start([tmp_path / "x.xlsx"], tmp_path / "y", ["delimiter=x"])

    def test_a_table(self, tmp_path: Path) -> None:
        with closing(sqlite3.connect(tmp_path / "x")) as database, database:
            for name, table in (("one", YES_NO), ("two", YES_NO.head(4))):
                columns = ", ".join(f'"{column}"' for column in table.columns)
                database.execute(f"create table {name} ({columns})")
                words = ["insert into", name, "values", f"({', '.join('?' * table.width)})"]
                database.executemany(" ".join(words), table.rows())
        chosen = start([tmp_path / "x"], tmp_path / "chosen", [])
        assert (chosen.draft.source["table"], chosen.rows) == ("one", YES_NO.height)
        assert any(doubt.startswith("The table one is read, not two:") for doubt in chosen.draft.doubts)
        started = start([tmp_path / "x"], tmp_path, ["table=two"])
        assert read(started.files[0]).coded.height == started.rows == 4
        assert (started.draft.source["format"], started.draft.source["table"]) == ("sqlite", "two")


HEADERS = {
    "German": ("Modell", "Frage", "Wiederholung", "Geschlecht", "Antwort", "Bewertung"),
    "French": ("modèle", "consigne", "Répétition", "genre", "réponse", "Échelle"),
    "Spanish": ("Modelo", "Pregunta", "Repetición", "género", "Respuesta del modelo", "Puntuación"),
    "Italian": ("Modello", "Domanda", "Ripetizione", "genere", "Risposta", "Punteggio"),
}


class TestOtherLanguages:
    """Headers in other languages, and numbers as they are written there."""

    @pytest.mark.parametrize("language", HEADERS)
    def test_headers(self, tmp_path: Path, language: str) -> None:
        names = HEADERS[language]
        rows = [
            (model, f"Person {person}", run, gender, f"Sì, {person} {run}", f"{person},{5 * (run % 2)}")
            for model in ("Orion", "Vega")
            for person in range(4)
            for run, gender in enumerate(("männlich", "weiblich"))
        ]
        table = pl.DataFrame(rows, schema=names, orient="row")
        (tmp_path / "dump.csv").write_text(table.write_csv(separator=";"), encoding="utf-8")
        draft = start([tmp_path / "dump.csv"], tmp_path, []).draft
        found = {role: draft.columns[role]["path"] for role in ("model", "item", "sample", "text")}
        assert found == {"model": names[0], "item": names[1], "sample": names[2], "text": names[4]}
        assert [factor["label"] for factor in draft.factors.values()] == ["Model", names[3].capitalize()]
        results = computed(tmp_path / "study.toml")
        score = results.estimates.filter(pl.col("analysis") == "mean", pl.col("outcome").str.ends_with("_score"))
        assert score.get_column("estimate").to_list() == pytest.approx([1.75, 1.75])

    def test_ratings_with_commas(self, tmp_path: Path) -> None:
        answers = ["3,5", "4", "2,5", "Ich sage 4,5.", "3", "1,5"]
        rows = [f"m;{place};{answer}" for place, answer in enumerate(answers)]
        (tmp_path / "dump.csv").write_text("\n".join(["Modell;Frage_ID;Antwort", *rows]))
        assert start([tmp_path / "dump.csv"], tmp_path, []).draft.instrument["decimals"]
        results = computed(tmp_path / "study.toml")
        assert results.estimates.filter(analysis="mean").item(0, "estimate") == pytest.approx(19 / 6)

    @pytest.mark.parametrize(
        ("values", "separator", "kind"),
        [
            (["3,5", "4", "-0,25"], ";", "number"),
            (["3,5", "4", "-0,25"], ",", "text"),
            (["1,234", "2,345"], ";", "text"),
            (["1,234", "2,5"], ";", "number"),
            (["3,5", "4.5"], ";", "text"),
            (["3,5", "a"], "\t", "text"),
        ],
    )
    def test_what_is_a_number(self, tmp_path: Path, values: list[str], separator: str, kind: str) -> None:
        table = pl.DataFrame({"id": range(len(values)), "value": values})
        (tmp_path / "dump.csv").write_text(table.write_csv(separator=separator, quote_style="non_numeric"))
        column = survey([tmp_path / "dump.csv"]).by_name["value"]
        assert (column.kind, column.has_commas) == (kind, kind == "number")
