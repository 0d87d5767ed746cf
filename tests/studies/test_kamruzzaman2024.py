"""The second published study, end to end: from the bundle and, where they are at hand, from the released responses."""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from typing import TYPE_CHECKING

import polars as pl
import pytest

from tallybook.core.resources import BUNDLED_DATA
from tallybook.published.bundle import bundle
from tallybook.published.comparison import counts
from tests import computed_once
from tests.released import needs_released, released_data
from tests.studies import kamruzzaman2024_plain as plain

if TYPE_CHECKING:
    from tallybook.pipeline import Results

NAME = "kamruzzaman2024"
LISTINGS = ["32", "33", "34"]


def bundled() -> Results:
    return computed_once.bundled(NAME)


def released() -> Results:
    return computed_once.released(NAME)


def compared() -> pl.DataFrame:
    found = bundled().comparison
    assert found is not None
    return found


def test_every_published_number_has_a_verdict() -> None:
    assert counts(compared()) == {"match": 2267, "erratum": 18, "not-reproduced": 19, "mismatch": 0}
    assert Counter(compared().filter(verdict="match")["strictness"]) == {"last-digit": 2223, "either-rounding": 44}
    matched = Counter(compared().filter(verdict="match").get_column("statistic"))
    printed = Counter(compared().get_column("statistic"))
    assert {name: (matched[name], printed[name]) for name in printed} == {
        "tau": (177, 188),
        "p": (178, 188),
        "decision": (185, 188),
        "percent": (1697, 1710),
        "count": (30, 30),
    }


def test_table_31_is_not_reproduced() -> None:
    assert set(compared().filter(verdict="not-reproduced")["table"]) == {"31"}


TERMS = ("positive", "negative", "neutral")


def test_outside_table_31_only_the_known_numbers_differ() -> None:
    wrong = compared().filter(verdict="erratum").select("table", "row", "column").rows()
    assert sorted(wrong, key=lambda place: int(place[0])) == [
        ("5", "llama-2/asa", "tau"),
        ("7", "table_1/sai", "tau"),
        ("7", "table_1/sai", "p"),
        ("7", "table_1/asa", "tau"),
        ("7", "table_1/asa", "p"),
        ("8", "sai/nationality", "gpt-3.5/neutral"),
        ("8", "asa/beauty", "llama-2/negative"),
        ("8", "asa/beauty_profession", "mistral/negative"),
        ("12", "institution/masculine", "positive/neutral"),
        *(("19", f"sai/{row}", f"negative/{term}") for row in ("institution", "nationality") for term in TERMS),
        ("19", "asa/beauty_profession", "negative/positive"),
        ("25", "asa/teacher", "positive/neutral"),
        ("27", "asa/teacher", "negative/positive"),
    ]


def test_what_shifted_rows_print_stands_in_the_row_before_or_after() -> None:
    """The evidence of the erratum: what Table 19 prints of two rows is what the data give of their neighbours."""
    found = bundled().tables.cells.filter(table="19")
    printed = compared().filter(pl.col("note").str.starts_with("shifted-rows"))
    source = {"sai/institution": "sai/nationality", "sai/nationality": "sai/ageism"}
    assert printed.height == 6
    for row in printed.iter_rows(named=True):
        own = found.filter(row=source[row["row"]], column=row["column"])["text"].item()
        assert own == row["published"]


def test_a_number_that_agrees_only_rounded_is_said_to() -> None:
    notes = compared().filter(verdict="match").group_by("table", "note").len().filter(pl.col("note") != "")
    assert sorted(notes.rows(), key=lambda row: (int(row[0]), row[1])) == [
        ("2", "at the published precision", 2),
        ("3", "at the published precision", 2),
        ("5", "at the published precision", 2),
        ("8", "agrees only if rounded", 44),
        ("8", "at the published precision", 2),
        ("29", "at the published precision", 2),
        ("35", "at the published precision", 2),
    ]


def test_elsewhere_such_a_number_would_be_a_mismatch() -> None:
    strict = computed_once.changed(NAME, "published.rerounded=[]").comparison
    assert strict is not None
    wrong = strict.filter(verdict="mismatch")
    assert (wrong.height, set(wrong["table"]), set(wrong["note"])) == (44, {"8"}, {"agrees only if rounded"})


def test_the_tables_are_those_of_the_paper() -> None:
    tables = {table.id: table for table in bundled().tables.tables}
    assert list(tables) == [*(str(number) for number in range(1, 32)), "35", "S1"]
    assert [column.label for column in tables["9"].columns] == ["PPL", "PNL", "PNuL", "NPL", "NNL", "NNuL"]
    assert [row.group for row in tables["9"].rows][:4] == ["GPT-3.5, SAI"] * 3 + ["GPT-3.5, ASA"]
    assert [(row.group, row.label) for row in tables["7"].rows][::10] == [
        ("Similar to Table 2, SAI", "Ageism"),
        ("Similar to Table 3, SAI", "First-year"),
        ("Similar to Table 4, ASA", "feminine"),
    ]
    assert {column.spanner for column in tables["2"].columns} == {"GPT-4", "PaLM-2", "Llama-2", "Mistral"}
    assert tables["29"].title.endswith("Mistral.")


@pytest.mark.parametrize(
    ("settings", "cell", "text"),
    [
        (["analyses.*.coefficient=tau-b"], ("1", "gpt-4/sai", "tau"), "0.395"),
        (["style.rounding=half-even"], ("1", "gpt-4/asa", "tau"), "0.373"),
        (["analyses.by_bias_type.uncoded=negative"], ("2", "asa/nationality", "palm-2/tau"), "0.386"),
        (["analyses.base_rates.denominator=all"], ("8", "sai/beauty", "llama-2/positive"), "50.0"),
    ],
)
def test_a_convention_is_one_setting(settings: list[str], cell: tuple[str, str, str], text: str) -> None:
    table, row, column = cell
    found = computed_once.changed(NAME, *settings, "errata=[]").tables.cells.filter(table=table, row=row, column=column)
    assert found["text"].to_list() == [text]


@needs_released(NAME)
@pytest.mark.released
def test_bundle_and_released_responses_give_the_same_numbers_to_the_last_digit() -> None:
    assert (released().source.dump.edition, bundled().source.dump.edition) == ("released", "bundled")
    assert released().estimates.equals(bundled().estimates, null_equal=True)
    own = released().tables.cells.filter(~pl.col("table").is_in(LISTINGS))
    assert own.equals(bundled().tables.cells, null_equal=True)


@needs_released(NAME)
@pytest.mark.released
def test_the_committed_bundle_is_what_the_released_responses_give() -> None:
    committed = (BUNDLED_DATA / NAME / "coded_responses.csv").read_text(encoding="utf-8")
    assert bundle(released().loaded.study, released().source.coded).write_csv() == committed


def test_the_bundle_holds_nothing_but_declared_words() -> None:
    study = bundled().loaded.study
    committed = pl.read_csv(BUNDLED_DATA / NAME / "coded_responses.csv", infer_schema=False)
    known = {name: set(factor.levels) for name, factor in study.factors.items()}
    known |= {name: {*study.category_outcome(name).labels, None} for name in study.outcomes}
    known |= {"status": {"ok", "refused", "invalid"}}
    assert set(committed.columns) == {*known, "count"}
    for name, words in known.items():
        assert set(committed.get_column(name)) <= words, name


@needs_released(NAME)
@pytest.mark.released
def test_every_cell_of_every_table_is_that_of_a_plain_twin() -> None:
    """`kamruzzaman2024_plain` is written from the study's description, in the standard library only."""
    twin = {key: value for key, value in plain.cells(released_data(NAME)).items() if key[0].isdigit()}
    own = released().tables.cells.filter(~pl.col("table").is_in([*LISTINGS, "S1"]))
    assert {tuple(row) for row in own.select("table", "row", "column", "statistic").iter_rows()} == set(twin)
    for *key, value, text in own.select("table", "row", "column", "statistic", "value", "text").iter_rows():
        expected = twin[tuple(key)]
        assert text == plain.text(key[0], key[3], expected), key
        if isinstance(expected, Fraction | int):
            assert math.isclose(value, expected, rel_tol=1e-15), key
        elif isinstance(expected, float):
            assert math.isclose(value, expected, rel_tol=1e-9), key


@needs_released(NAME)
@pytest.mark.released
def test_every_bar_of_every_figure_is_that_of_the_plain_twin() -> None:
    figures = {
        "figure 3": ("deltas", ("direction", "bias_type")),
        "figure 6": ("deltas", ("direction", "bias_type")),
        "figure 4": ("mean_base_rates_by_level", ("direction", "level")),
        "figure 5": ("mean_base_rates_by_pronoun", ("direction", "pronoun")),
    }
    compared = 0
    for (figure, row, column, _), value in plain.cells(released_data(NAME)).items():
        if figure in figures:
            analysis, axes = figures[figure]
            *model, term = column.split("/")
            place = dict(zip(axes, row.split("/"), strict=True)) | ({"model": model[0]} if model else {})
            found = released().estimates.filter(analysis=analysis, term=term, **place)
            assert math.isclose(100 * found["estimate"].item(), value, rel_tol=1e-12, abs_tol=1e-12), (figure, place)
            compared += 1
    assert compared == 5 * 10 * 3 + 6 * 3 + 6 * 3


@needs_released(NAME)
@pytest.mark.released
def test_what_is_known_to_be_wrong_with_the_data_is_found() -> None:
    found = Counter((problem.file, problem.column) for problem in released().source.findings)
    assert found == {
        ("outputs/mistral_invalid.csv", "level"): 1,
        ("outputs/mistral_invalid.csv", "category"): 2,
        ("outputs/llama_invalid.csv", "category"): 1,
        ("outputs/gpt_4_valid.csv", "stereotype"): 1,
        ("outputs/llama_valid.csv", "stereotype"): 4,
        ("dataset.csv", "item"): 52 + 14 + 4,
        ("outputs/gpt_4_valid.csv", "model, item, sample"): 4,
        ("outputs/gpt_4_valid.csv", "text"): 1,
        ("outputs/palm_valid.csv", "text"): 1,
        ("outputs/llama_valid.csv", "text"): 7,
        ("outputs/llama_invalid.csv", "text"): 1,
        ("outputs/mistral_invalid.csv", "text"): 1,
    }
