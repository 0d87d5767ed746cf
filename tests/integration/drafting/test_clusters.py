"""What a drafted study treats as independent follows from what its responses share."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
import pytest

from tallybook.drafting.starting import start
from tests.trusted import computed, estimated

if TYPE_CHECKING:
    from pathlib import Path

MODELS = ("one", "two", "three")
NAMES = {name: "woman" if place < 10 else "man" for place, name in enumerate("ABCDEFGHIJKLMNOPQRST")}
JOBS = tuple(f"job {letter}" for letter in "abcdefghij")


def answers(
    generator: np.random.Generator, effect: float = 0.0, names: float = 0.65, jobs: float = 0.0, times: int = 5
) -> pl.DataFrame:
    """Answers of models, with the standard deviations of names and jobs on the log odds."""
    of_name, of_job = names * generator.normal(size=len(NAMES)), jobs * generator.normal(size=len(JOBS))
    rows: list[dict[str, Any]] = []
    for model in MODELS:
        for name, (called, gender) in enumerate(NAMES.items()):
            for job, asked in enumerate(JOBS):
                odds = np.exp(of_name[name] + of_job[job] + effect * (gender == "woman"))
                for sample in range(times):
                    answer = "Yes." if generator.random() < odds / (1 + odds) else "No."
                    asked_of = f"Would you hire {called} as {asked}?"
                    rows.append(
                        {"model": model, "name": called, "gender": gender, "job": asked, "prompt": asked_of}
                        | {"sample": sample, "response": answer}
                    )
    return pl.DataFrame(rows)


def declared(folder: Path, table: pl.DataFrame) -> dict[str, Any]:
    table.write_csv(folder / "dump.csv")
    start([folder / "dump.csv"], folder, [], replace=True)
    return tomllib.loads((folder / "study.toml").read_text())


TABLE = answers(np.random.default_rng(1))


@pytest.mark.parametrize(
    ("table", "cluster"),
    [
        (TABLE, "name"),  # each has one gender
        (TABLE.rename({"name": "who", "job": "where", "gender": "kind"}), "who"),
        (TABLE.drop("gender"), "job"),  # the fewest
        (TABLE.drop("prompt"), "name"),
        (TABLE.drop("name", "job", "gender"), "item"),
        (TABLE.filter(pl.col("job") == JOBS[0]).drop("job", "prompt"), "name"),
        (TABLE.filter(pl.col("name") == "A").drop("name", "gender"), "job"),
        (TABLE.filter(name="A", job=JOBS[0]).drop("name", "job", "gender"), []),  # a single prompt
        (
            TABLE.drop("name", "job", "gender", "sample").with_row_index("item_id"),
            "prompt",
        ),  # beside items of their own
    ],
)
def test_what_repeats(tmp_path: Path, table: pl.DataFrame, cluster: str | list[str]) -> None:
    assert declared(tmp_path, table)["cluster"] == cluster


@pytest.mark.parametrize(("kept", "df"), [(150, None), (60, "effective")])
def test_clusters_of_unequal_sizes(tmp_path: Path, kept: int, df: str | None) -> None:
    first = pl.col("job") == JOBS[0]
    place = pl.int_range(pl.len()).over("job")
    found = declared(tmp_path, TABLE.drop("name", "gender", "prompt").filter(~first | (place < kept)))
    assert (found["cluster"], found.get("df")) == ("job", df)
    results = computed(tmp_path / "study.toml")
    degrees = results.estimates.filter(analysis="share", term="yes").get_column("df").unique()
    assert (degrees < len(JOBS) - 1).all() == (df is not None)


@pytest.mark.parametrize("wordings", [3, 1])
def test_who_is_compared_is_no_cluster(tmp_path: Path, wordings: int) -> None:
    personas, generator = ("none", "old man", "old woman", "young man", "young woman"), np.random.default_rng(3)
    rows = [
        {"model": model, "statement_id": f"Q{q}", "persona": persona, "wording": "ABC"[w], "seed": seed}
        | {"reply": "I can't say." if generator.random() < 0.05 else str(generator.integers(1, 6))}
        for model in MODELS
        for q in range(4)
        for persona in personas
        for w in range(wordings)
        for seed in range(4)
    ]
    study = declared(tmp_path, pl.DataFrame(rows))
    cells = "{item}/{wording}" if wordings > 1 else "{item}/{persona}"
    assert (study["cluster"], study["sources"][0]["derive"]["question"]) == ("question", {"combine": cells})
    compared = study["analyses"]["mean_difference_by_persona"]
    assert (compared["factor"], compared["reference"]) == ("persona", "none")
    assert "cluster" not in compared


def test_templates_with_a_group_each_are_compared_in_pairs(tmp_path: Path) -> None:
    rows = [
        {"model": "m", "template": f"t{t}", "group": group, "prompt": f"Is the {group} {t}?", "response": answer}
        for t in range(8)
        for group in ("old", "young")
        for answer in ("Yes.", "No.")
    ]
    assert declared(tmp_path, pl.DataFrame(rows))["cluster"] == "template"


def test_factors_divide_many_items(tmp_path: Path) -> None:
    rows = [
        {"model": model, "category": f"c{c}", "context": context, "item": f"{c} {context} {number}", "response": "Yes."}
        for model in MODELS
        for c in range(6)
        for context in ("a", "b")
        for number in range(8)
    ]
    assert declared(tmp_path, pl.DataFrame(rows))["cluster"] == "item"


def test_cells_of_one_cluster_have_others(tmp_path: Path) -> None:
    analyses = declared(tmp_path, TABLE)["analyses"]
    assert analyses["share_by_name"]["cluster"] == "job"
    crossed = {name for name, one in analyses.items() if one.get("cluster") == ["name", "job"] and one["crossed"]}
    # Comparisons of groups of names are of the same jobs.
    assert crossed == {"share", "share_by_gender", "difference_by_model"}
    assert {name for name, one in analyses.items() if "cluster" in one} == {"share_by_name", *crossed}


def test_evidence_is_said(tmp_path: Path) -> None:
    declared(tmp_path, TABLE)
    assert (
        'cluster = "name"  # what repeats: 20 values with 150 responses each, each with one gender'
        in (tmp_path / "study.toml").read_text()
    )


def test_a_drafted_study_tests_clusters_and_counts_its_family(tmp_path: Path) -> None:
    declared(tmp_path, answers(np.random.default_rng(4), effect=1.5))
    results = computed(tmp_path / "study.toml")
    found = results.estimates.filter(analysis="difference_by_gender", term="yes")
    assert found["df"].to_list() == [19.0] * 3
    assert found["p_adjusted"].max() < 0.05
    assert found["family_size"].to_list() == [3] * 3  # a model each: "no" is the complement
    models = results.estimates.filter(analysis="difference_by_model").filter(pl.col("term").str.starts_with("yes"))
    assert models["term"].to_list() == ["yes: one - three", "yes: one - two", "yes: three - two"]
    assert models["family_size"].to_list() == [3] * 3
    shares = results.estimates.filter(analysis="share", term="yes").drop_nulls("std_error")
    assert models["df"].to_list() == [9.0] * 3  # the fewer of the names and the jobs, less one
    assert shares["clusters"].to_list() == [10] * 3
    assert "clustered by name and by job" in " ".join(results.tables.tables[0].notes)
    note = " ".join(next(table for table in results.tables.tables if table.id == "5").notes)
    one = "Yes and No are one test: both rows have the adjusted value of the larger p"
    assert f"Adjusted p: Holm’s correction over 3 tests ({one})." in note
    assert "Standard errors are clustered by name: only clusters were treated as independent. Each job is taken" in note


def test_a_model_less_another_is_that_of_two_levels(tmp_path: Path) -> None:
    table = answers(np.random.default_rng(2), times=2)
    declared(tmp_path, table)
    own = estimated(tmp_path / "study.toml").filter(analysis="difference_by_model", term="yes: one - two")
    declared(tmp_path, table.filter(pl.col("model") != "three"))
    two = estimated(tmp_path / "study.toml").filter(analysis="difference_by_model", term="yes")
    for name in ("estimate", "std_error", "df", "p_value"):
        assert own[name].item() == pytest.approx(two[name].item(), rel=1e-9)


def test_questions_that_are_numbered_beside_items(tmp_path: Path) -> None:
    """Each example is of one question, and a column a model holds its answers: what repeats is the question."""
    rows = [
        {"example_id": place, "question_index": 1 + place % 8, "context_condition": ("ambig", "disambig")[place % 2]}
        | {"question": f"Who of the two was late on day {place % 8}?", "ans0": "The boy", "ans1": "The man"}
        | {"ans2": "Not known", "label": place % 3, "a_pred": "the boy", "b_pred": ("the man", "not known")[place % 2]}
        for place in range(64)
    ]
    declaration = declared(tmp_path, pl.DataFrame(rows))
    assert declaration["cluster"] == "question_index"
    assert declaration["checks"]["design"]["values"]["model"] == declaration["sources"][0]["unfold"]["values"]
    assert declared(tmp_path, pl.DataFrame(rows).drop("question_index"))["cluster"] == "question"


def test_numbers_of_models_are_no_clusters(tmp_path: Path) -> None:
    """Tools number their prompts once for each model (`promptIdx`): such a number repeats nothing."""
    table = TABLE.select("model", "name", "prompt", "response", prompt_idx=pl.col("model").rank("dense") - 1)
    several = pl.concat(
        table.with_columns(model=f"{end}-" + pl.col("model"), prompt_idx=pl.col("prompt_idx") + 3 * place)
        for place, end in enumerate("ab")
    )
    assert declared(tmp_path, several)["cluster"] == "name"


def test_respondents_are_clusters(tmp_path: Path) -> None:
    """Each answers every item once, and has one gender: comparisons of genders rest on respondents, not items."""
    rows = [
        {"respondent": f"R{p}", "model": MODELS[p % 2], "gender": ("men", "women")[p // 2 % 2], "item": i}
        | {"statement": f"I trust institution {i} here.", "answer": 1 + (p * 7 + i * 3) % 5}
        for p in range(72)
        for i in range(6)
    ]
    study = declared(tmp_path, pl.DataFrame(rows))
    assert study["cluster"] == "respondent"
    assert study["key"] == ["model", "item", "respondent", "sample"]
    assert "samples_by" not in study["sources"][0]
    assert "cluster" not in study["analyses"]["mean_difference_by_gender"]


@pytest.mark.parametrize(("template", "trait"), [("template", "trait"), ("plantilla", "rasgo"), ("vorlage", "merkmal")])
def test_items_of_a_scale_are_fixed(tmp_path: Path, template: str, trait: str) -> None:
    """Its few items are the same in every study; templates are a sample of those that could be asked."""
    rows = [
        {"model": model, template: f"T{t}", "group": group, trait: quality, "answer": 1 + (t * t + place) % 7}
        for model in MODELS
        for t in range(6)
        for group in ("rich", "poor")
        for place, quality in enumerate(("warm", "able", "honest", "cold", "lazy"))
    ]
    study = declared(tmp_path, pl.DataFrame(rows))
    assert study["cluster"] == template
    assert study["sources"][0]["derive"]["item"] == {"combine": f"{{{template}}}/{{group}}/{{{trait}}}"}
    own = {name: one["cluster"] for name, one in study["analyses"].items() if "cluster" in one}
    assert own == {f"mean_by_{template}": trait}
    assert f'cluster = "{trait}"  # each {template} is one' in (tmp_path / "study.toml").read_text()


def test_two_jobs_a_season_are_no_clusters_within_one(tmp_path: Path) -> None:
    """They are those of comparisons of seasons; within a season names repeat."""
    seasons = pl.col("job").replace_strict(dict(zip(JOBS, "aabbccddee", strict=True)))
    study = declared(tmp_path, answers(np.random.default_rng(3), times=1).with_columns(season=seasons).drop("gender"))
    assert study["cluster"] == "job"
    assert study["analyses"]["share_by_season"]["cluster"] == "name"
    assert 'cluster = "name"  # each season has too few of job' in (tmp_path / "study.toml").read_text()


@pytest.mark.parametrize(
    ("prompt", "questions", "told", "cluster"),
    [
        ("question", 12, [], "question"),
        ("frage", 12, [], "frage"),
        ("pregunta", 6, [], "item"),
        ("pregunta", 6, ["prompt=pregunta"], "pregunta"),
        ("question", 60, ["prompt=question"], "item"),  # one for each item: kept, and no coarser
    ],
)
def test_a_prompt_that_items_share(tmp_path: Path, prompt: str, questions: int, told: list[str], cluster: str) -> None:
    rows = [
        {"model": model, "id": f"i{i}", prompt: f"Who of them was late on day {i % questions} of the trip?"}
        | {"topic": "ab"[i % 2], "response": ("Yes.", "No.")[i * i % 3 % 2]}
        for model in MODELS
        for i in range(60)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "dump.csv")
    made = start([tmp_path / "dump.csv"], tmp_path, told).draft
    assert made.cluster == cluster
    assert (prompt in made.columns) == (bool(told) or questions < 60)
    asked = f'{prompt} has 6 values over 60 items; cluster = "{prompt}" is the careful choice.'
    assert (asked in made.doubts) == (questions == 6 and not told)
    assert made.clusters.get("topic", cluster) == ("item" if prompt == cluster == "pregunta" else cluster)


@pytest.mark.parametrize(("step", "runs"), [(0, True), (12, True), (12, False), (7, True), (7, False)])
def test_a_number_of_each_response_is_no_item(tmp_path: Path, step: int, *, runs: bool) -> None:
    """An item would come with several samples, or numbers begin again in each model: the factors make the items.

    `step`: how many rows after the first one begin again, in another order unless it is the number of rows.
    """
    asked = [(n, j, d) for n in ("Ann", "Ben", "Cem") for j in ("nurse", "cook") for d in (1, 2)]
    rows = [
        {"nr": place if step else place + len(asked) * m, "model": f"m{m}", "persona": n, "job": j}
        | ({"draw": d} if runs else {})
        | {"answer": ("Yes", "No")[place % 3 == 0]}
        for m in range(2)
        for place, (n, j, d) in enumerate(sorted(asked, key=lambda one: asked.index(one) * (step**m or 1) % 12))
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", [])
    is_counted = runs or step == 7
    assert (made.draft.columns.get("item") is None) == is_counted
    assert ("sample" in made.draft.columns) == runs
    assert "nr" not in {made.draft.cluster, *made.draft.factors}


def test_a_number_of_any_name_that_tells_questions_apart(tmp_path: Path) -> None:
    rows = [
        {"model": m, "cv_id": cv, "gender": g, "run": r, "answer": ("Yes.", "No.")[cv * r % 3 % 2]}
        for m in MODELS
        for cv in range(8)
        for g in "fm"
        for r in range(2)
    ]
    pl.DataFrame(rows).write_csv(tmp_path / "a.csv")
    made = start([tmp_path / "a.csv"], tmp_path / "study", []).draft
    assert (made.cluster, made.columns["item"]["path"]) == ("item", "cv_id")
    assert made.key == ("model", "item", "sample", "gender")
