"""The third published study, end to end: from the bundle and, where they are at hand, from the released responses."""

from __future__ import annotations

import csv
import json
import math
import re
from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
import polars as pl
import pytest

from tallybook.core.resources import BUNDLED_DATA
from tallybook.published.bundle import bundle
from tallybook.published.comparison import counts
from tallybook.published.consistency.checks import counts as count_checks
from tallybook.report.assembly import variables
from tests import computed_once
from tests.released import STUDIES, needs_released, released_data
from tests.studies.bai2025_plain_pairs import llama3

if TYPE_CHECKING:
    from tallybook.pipeline import Results

NAME = "bai2025"


def bundled() -> Results:
    return computed_once.bundled(NAME)


def released() -> Results:
    return computed_once.released(NAME, "released")


def compared() -> pl.DataFrame:
    found = bundled().comparison
    assert found is not None
    return found


def test_every_number_that_can_be_regenerated_has_a_verdict() -> None:
    assert counts(compared()) == {"match": 317, "erratum": 1, "not-reproduced": 27, "mismatch": 0}
    # The sixteenth digits of two criteria of a notebook's fit depend on the processor.
    fit = pl.col("table") == "notebook-logit-score-fit"
    strictness = Counter(compared().filter(~fit, verdict="match")["strictness"])
    assert (strictness["last-digit"], strictness["tolerance"]) == (199, 109)
    wrong = Counter(compared().filter(verdict="not-reproduced")["table"])
    assert wrong == {"v1-7": 4, "v1-7-fit": 1, "v1-8": 11, "v1-8-fit": 5, "text": 6}


def test_every_number_of_running_text_has_a_verdict_or_a_reason() -> None:
    own = compared().filter(pl.col("table").is_in(["text", "notebook"]))
    assert Counter(own["verdict"]) == {"match": 18, "erratum": 1, "not-reproduced": 6}
    headline = own.filter(row="overall").select("column", "statistic", "published", "regenerated").rows()
    assert headline == [
        ("word-association", "t", "76.39", "76.40"),
        ("word-association", "df", "33599", "33599"),
        ("decision", "t", "36.25", "36.25"),
        ("decision", "df", "26528", "26528"),
    ]
    without_data = "no data were released: the table is printed as published"
    assert sorted(n for reason, n in bundled().not_compared.items() if reason != without_data) == [1, 1, 1]
    checks = bundled().checks
    assert checks is not None
    assert checks.filter(check="text-bbq").select("printed", "expected", "verdict").rows() == [
        ("0.98", "0.974 to 0.985", "holds")
    ]


def test_nothing_is_tolerated_without_a_word() -> None:
    notes = compared().filter(verdict="match")["note"]
    tolerated = compared().filter(pl.col("note").str.contains("figure|machine"), verdict="match")
    assert set(tolerated["table"]) <= {
        "notebook", "notebook-t-association", "notebook-t-decision", "notebook-logit-embedding-fit", "text",
        "notebook-logit-score-fit",
    }  # fmt: skip
    assert all(note == "" or "published precision" in note or "figure" in note or "machine" in note for note in notes)


def test_no_check_of_printed_tables_fails_without_a_declared_reason() -> None:
    checks = bundled().checks
    assert checks is not None
    found = count_checks(checks)
    assert (found["violated"], found["erratum"]) == (0, 23)
    assert found["holds"] > 1_600


def test_decisions_are_counted_exactly() -> None:
    """Section 7 of the study's description: K, N and refusals of 168 cells; nine cells have no scored decision."""
    cells = bundled().estimates.filter(analysis="decision_cells")
    assert cells.height == 168
    assert cells.filter(n=0)["status"].to_list() == ["no-data"] * 9
    assert cells["n"].sum() == 26_529
    rejection = bundled().estimates.filter(analysis="rejection", term="refusal")
    assert (rejection["estimate"] * rejection["n"]).sum() == pytest.approx(7_071)


def test_the_stored_score_gives_the_notebook_to_every_printed_digit() -> None:
    own = compared().filter(pl.col("table").str.starts_with("notebook-logit-score"))
    assert Counter(own["verdict"]) == {"match": 21}


def test_decisions_read_from_the_text_beside_the_codes_of_the_judge() -> None:
    """617 texts; kappa by hand from the four cells."""
    counted = bundled().estimates.filter(analysis="decision_readings")
    found = {(judge, term): n for judge, term, n in counted.select("judge", "term", "estimate").iter_rows()}
    yes, no = "discriminatory", "not-discriminatory"
    assert [found[place] for place in ((yes, yes), (yes, no), (no, yes), (no, no))] == [420, 11, 12, 170]
    assert [found[judge, term] for judge in (yes, no) for term in ("refusal", "invalid")] == [0, 3, 0, 1]
    agreement = bundled().estimates.filter(analysis="decision_agreement_model")
    values = dict(agreement.select("term", "estimate").iter_rows())
    by_chance = (431 * 432 + 182 * 181) / 613**2
    assert values["agreement"] == pytest.approx(590 / 613)
    assert values["cohen_kappa"] == pytest.approx((590 / 613 - by_chance) / (1 - by_chance))


def test_which_conclusions_the_scoring_changes() -> None:
    """One: Arab names at temperature 0, which the strict form drops for their hyphens."""
    changed = bundled().estimates.filter(pl.col("estimate") != 0, analysis="changes", term="changed")
    assert changed.select("collection", "stereotype", "estimate").rows() == [("temperature0", "arab", 1.0)]
    overall = bundled().estimates.filter(analysis="changes_overall", term="changed")
    assert {row["collection"]: (row["estimate"], row["n"]) for row in overall.iter_rows(named=True)} == {
        "chained": (0, 18), "gpt4o": (0, 18), "temperature0": (1, 17),
    }  # fmt: skip
    numbers = variables(bundled())["numbers"]
    assert (numbers["changed-temperature0"], numbers["compared-temperature0"]) == ("1", "17")


SEVERAL_A_LINE = re.compile(r"(?m)^\| `gpt4o_(\w+)_(\w+)\.csv` \| (\d+) \|.*\| ([−.\d]+) \|$")
STRICTER = {
    ("islam", "instruction2"): 0.404677, ("judaism", "synonym"): 0.602107, ("judaism", "instruction2"): 0.433967,
    ("weapon", "instruction1"): 0.777102, ("weapon", "instruction2"): 0.634137,
}  # fmt: skip
"""The means of the answers that are read by the study's own description."""


@needs_released(NAME)
@pytest.mark.released
def test_the_answers_with_several_pairs_in_a_line() -> None:
    """Those that the report lists: their scores, and that without them the means are those of the stricter reading."""
    narrative = (released().loaded.narrative / "index.qmd").read_text(encoding="utf-8")
    listed = SEVERAL_A_LINE.findall(narrative)
    assert len(listed) == 7
    answers = released().source.coded.filter(collection="gpt4o")
    for stereotype, variation, row, score in listed:
        own = answers.filter(stereotype=stereotype, variation=variation, item=row)["corrected_bias"].item()
        assert f"{own:.3f}".replace("-", "−") == score
    for (stereotype, variation), mean in STRICTER.items():
        left_out = [row for first, second, row, _ in listed if (first, second) == (stereotype, variation)]
        rest = answers.filter(~pl.col("item").is_in(left_out), stereotype=stereotype, variation=variation)
        assert rest["corrected_bias"].mean() == pytest.approx(mean, abs=5e-7)


def test_observed_shares_hold_every_answer_once() -> None:
    for analysis in ("observed_published", "observed_embedding"):
        own = bundled().estimates.filter(analysis=analysis)
        assert own["n"].sum() == 617
        assert (own["n"] * own["estimate"]).sum() == pytest.approx(434)


@needs_released(NAME)
@pytest.mark.released
def test_layers_are_those_of_the_released_files() -> None:
    """Means and correlations of every layer, from the JSON files and the scores of the answers."""
    folder = released_data(NAME) / "additional"
    effects = json.loads((folder / "emb_bias.json").read_text(encoding="utf-8"))
    nullified = json.loads((folder / "emb_bias_nullified.json").read_text(encoding="utf-8"))
    rows = released().source.coded.filter(collection="llama3", layer="0").select("stereotype", "item", "corrected")
    scores = {(name, trial): score for name, trial, score in rows.iter_rows()}
    read = [place for place, score in scores.items() if score is not None]
    assert (len(scores), len(read)) == (210, 163)
    found = {
        (row["analysis"], row["layer"], row["outcome"], row["term"]): row["estimate"]
        for row in bundled().estimates.filter(pl.col("analysis").str.starts_with("layer_")).iter_rows(named=True)
    }
    for layer in map(str, range(33)):
        values = {
            "weat": {place: effects[place[0]][place[1]][layer] for place in scores},
            "nullified": {place: nullified[place[0]][place[1]][layer] for place in scores},
        }
        values["difference"] = {place: 0.001 * e / (1 - abs(e) / 2) for place, e in values["weat"].items()}
        for name, of in values.items():
            mean = math.fsum(of.values()) / 210
            assert found["layer_effects", layer, name, "mean"] == pytest.approx(mean, abs=1e-12)
            r = float(np.corrcoef([of[place] for place in read], [scores[place] for place in read])[0, 1])
            assert found["layer_correlations", layer, "corrected", name] == pytest.approx(r, abs=1e-12)


@needs_released(NAME)
@pytest.mark.released
def test_answers_of_llama3_are_read_as_a_plain_twin_reads_them() -> None:
    """The twin reads fewer: of ten answers it finds no pair, and in one it takes another of two answers to a word."""
    rows = released().source.coded.filter(collection="llama3", layer="0").select("stereotype", "item", "corrected")
    own = {(name, trial): score for name, trial, score in rows.iter_rows()}
    twin = {(one.stereotype, one.group): one.reading.score for one in llama3(released_data(NAME))}
    known = {place: float(score) for place, score in twin.items() if score is not None}
    assert len(known) == 153
    other = {place for place, score in known.items() if own[place] != pytest.approx(score, abs=1e-12)}
    assert other == {("eating", "3")}
    assert [f"{float(score):.3f}" for score in (own["eating", "3"], known["eating", "3"])] == ["-0.501", "-0.418"]
    narrative = (released().loaded.narrative / "index.qmd").read_text(encoding="utf-8")
    assert "trial 3 of eating words have\nseveral answers in a line (here −0.501, by that reading −0.418)" in narrative
    unread = sorted(place for place in own if own[place] is not None and place not in known)
    assert len(unread) == 10
    assert all(f" of {name}" in narrative for name, _ in unread)


@needs_released(NAME)
@pytest.mark.released
def test_bundle_and_released_responses_give_the_same_numbers_to_the_last_digit() -> None:
    assert released().source.dump.edition == "released"
    assert released().estimates.equals(bundled().estimates, null_equal=True)
    assert released().tables.cells.equals(bundled().tables.cells, null_equal=True)


@needs_released(NAME)
@pytest.mark.released
def test_the_committed_bundle_is_what_the_released_responses_give() -> None:
    committed = (BUNDLED_DATA / NAME / "coded_responses.csv").read_text(encoding="utf-8")
    assert bundle(released().loaded.study, released().source.coded).write_csv() == committed


@needs_released(NAME)
@pytest.mark.released
def test_recovered_counts_are_those_of_the_description() -> None:
    with (STUDIES / NAME / "recovered" / "decision_cells.csv").open(encoding="utf-8") as file:
        cells = list(csv.DictReader(file))
    own = pl.read_csv(BUNDLED_DATA / NAME / "decision_counts.csv")
    assert own.filter(decision="yes")["count"].sum() == sum(int(cell["K"]) for cell in cells)
    assert own.filter(status="refused")["count"].sum() == sum(int(cell["refused"]) for cell in cells)


@needs_released(NAME)
@pytest.mark.released
def test_both_scorings_are_those_of_a_plain_twin() -> None:
    """Mean D of the plain twin's readings (section 4 and 5), here as the settings of two scorings."""
    coded = released().source.coded
    expected = {"chained": (0.49517, 0.49517), "gpt4o": (0.32709, 0.35548), "temperature0": (0.35024, 0.39301)}
    for collection, (published, corrected) in expected.items():
        own = coded.filter(collection=collection)
        assert math.isclose(own["published"].fill_null(0.0).mean(), published, abs_tol=5e-6)
        assert math.isclose(own["corrected"].mean(), corrected, abs_tol=5e-6)
    assert coded.filter(collection="gpt4o").height == 4_200
