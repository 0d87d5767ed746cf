"""Replications of published studies: the user's numbers beside the published ones, which do not change."""

from __future__ import annotations

import json
import re
import shutil
from typing import TYPE_CHECKING

import polars as pl
import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.core.errors import UsageError
from tallybook.core.progress import Progress
from tallybook.drafting.reuse.replicating import replicate
from tallybook.study.loading import load
from tests import computed_once
from tests.integration.drafting.reuse.dumps import choices, profile, profiles, texts
from tests.released import needs_released, released_data
from tests.trusted import computed, estimated, read

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.drafting.reuse.replicating import Replication


def published_estimates(study: str) -> pl.DataFrame:
    return computed_once.bundled(study).estimates


def start(study: str, dump: Path, folder: Path, *told: str, **more: object) -> Replication:
    return replicate(study, [dump], folder, told, progress=Progress(), **more)  # pyright: ignore[reportArgumentType]


def same(left: pl.DataFrame, right: pl.DataFrame) -> bool:
    """Whether two frames hold the same estimates, whatever their models are called."""
    columns = [name for name in left.columns if name != "model"]
    left, right = (one.select(columns).sort(pl.all().cast(pl.String)) for one in (left, right))
    return left.height > 0 and left.equals(right)


def there(frame: pl.DataFrame) -> pl.DataFrame:
    """The estimates of cells that have responses."""
    return frame.filter(pl.col("status") != "no-data")


def check_published(study: str, found: pl.DataFrame, own: list[str]) -> None:
    """The published models' estimates are those of the published study, to the last digit.

    Where new responses have a status that no published one has, the published models have none of it: a row more.
    """
    kept = pl.col("analysis").is_in(found.get_column("analysis").unique().to_list())
    of_models = found.filter(pl.col("model").is_not_null()).get_column("analysis").unique().to_list()
    expected = there(published_estimates(study).filter(kept, pl.col("analysis").is_in(of_models)))
    names = expected.get_column("analysis").unique().to_list()
    theirs = there(found).filter(
        pl.col("analysis").is_in(names), ~pl.col("model").is_in(own) | pl.col("model").is_null()
    )
    columns = [name for name in expected.columns if name != "model"]
    more = theirs.join(expected, on=columns, how="anti", nulls_equal=True).select(columns)
    assert more.filter((pl.col("term") != "invalid") | (pl.col("estimate") != 0)).is_empty()
    assert same(theirs.join(more, on=columns, how="anti", nulls_equal=True), expected)


def test_a_dump_laid_out_like_the_released_one(tmp_path: Path) -> None:
    made = start("wang2025", profiles(tmp_path / "dump", ["brand_new", "gpt-4o-mini"]), tmp_path / "study")
    assert made.models == {"brand_new": "brand_new", "gpt-4o-mini": "gpt-4o-mini-new"}
    study = load(str(tmp_path / "study")).study
    assert study.name == "wang2025_replication"
    assert list(study.factors["model"].levels.values())[:3] == [
        "brand_new", "gpt-4o-mini", "claude-3.5-sonnet (published)",
    ]  # fmt: skip
    assert {source.edition for source in study.sources} == {"replication"}
    assert (study.published, study.errata, study.remarks, study.publication) == (None, (), (), None)
    found = estimated(tmp_path / "study")
    check_published("wang2025", found, list(made.models.values()))
    share = found.filter(analysis="share", model="brand_new", prompt_type="implicit", outcome="politics")
    cells = {(row["group"], row["term"]): row["estimate"] for row in share.iter_rows(named=True)}
    assert cells["male", "conservative"] == pytest.approx(0.3)
    assert cells["male", "liberal"] == pytest.approx(0.7)
    assert cells["female", "liberal"] == pytest.approx(0.8)
    assert cells["female", "refusal"] == pytest.approx(0.2)
    pooled = found.filter(analysis="pooled_share", prompt_type="implicit", outcome="politics", group="male")
    assert set(pooled.get_column("n")) == {20}


def test_no_number_is_given_twice(tmp_path: Path) -> None:
    start("wang2025", profiles(tmp_path / "dump", ["a", "b", "c"]), tmp_path / "study")
    results = computed(tmp_path / "study")
    ids = [table.id for table in results.tables.tables]
    assert len(set(ids)) == len(ids) == 4 * 2 * 7 + 2 * 7 + 2 * 7 + 2
    study = load(str(tmp_path / "study")).study
    numbered = {"A1-{number}", "A33-{number}", "A41-{number}"}
    assert {table.id for table in study.tables if "{number}" in table.id and table.id.startswith("A")} == numbered
    assert not any(table.repeats for table in study.tables)
    figures = [figure.id for figure in study.figures]
    assert "1" in figures
    head = (tmp_path / "study" / "study.toml").read_text(encoding="utf-8").partition("\nname =")[0]
    assert "# - tables 1, 2, 3, 4, 5, 6, 7, 8: they repeat others" in head


def test_the_folder_moves_as_a_whole(tmp_path: Path) -> None:
    (tmp_path / "here").mkdir()
    start("wang2025", profiles(tmp_path / "here" / "dump", ["a"]), tmp_path / "here" / "study")
    before = read(tmp_path / "here" / "study").coded
    shutil.move(tmp_path / "here", tmp_path / "there")
    assert read(tmp_path / "there" / "study").coded.equals(before)


def test_the_same_dump_gives_the_same_files(tmp_path: Path) -> None:
    dump = profiles(tmp_path / "dump", ["b", "a"])
    first, second = (start("wang2025", dump, tmp_path / name) for name in ("one", "two"))
    assert [file.read_bytes() for file in first.files] == [file.read_bytes() for file in second.files]
    with pytest.raises(UsageError, match="--force replaces it"):
        start("wang2025", dump, tmp_path / "one")
    assert start("wang2025", dump, tmp_path / "one", replace=True).files == first.files


def test_texts_alone(tmp_path: Path) -> None:
    made = start("wang2025", texts(tmp_path / "texts.jsonl"), tmp_path / "study")
    assert made.models == {"gpt-4o-mini": "gpt-4o-mini-new", "new model 1": "new-model-1"}
    assert "attributes are read from the texts, by the names in instrument.block" in made.to_check
    found = estimated(tmp_path / "study")
    check_published("wang2025", found, list(made.models.values()))
    share = found.filter(analysis="share", model="new-model-1", group="baby_boomer", outcome="politics", n=4)
    assert dict(share.select("term", "estimate").iter_rows()) == pytest.approx(
        {"conservative": 0.5, "liberal": 0.0, "neutral": 0.5, "refusal": 0.0}
    )
    figures = {figure.id for figure in load(str(tmp_path / "study")).study.figures}
    assert figures == {"2", "5", "2-models", "5-models"}  # no implicit prompts


def test_records_with_the_columns_of_the_released_ones(tmp_path: Path) -> None:
    file = choices(tmp_path / "mine.csv")
    with pytest.raises(UsageError) as told:
        start("kamruzzaman2024", file, tmp_path / "study")
    assert "screening: factor 'Screening by the authors', with the levels valid, invalid" in str(told.value)
    assert "--set screening==VALUE" in str(told.value)
    made = start("kamruzzaman2024", file, tmp_path / "study", "screening==valid")
    assert made.models == {"mine": "mine"}
    found = estimated(tmp_path / "study")
    check_published("kamruzzaman2024", found, ["mine"])
    tau = found.filter(analysis="overall", model="mine", direction="sai", term="tau_c")
    assert tau.row(0, named=True)["n"] == 72
    likelihood = found.filter(analysis="likelihood_by_level", model="mine", level="teacher", given="positive")
    assert set(likelihood.filter(term="positive").get_column("estimate")) == {1.0}


def test_columns_of_other_names_are_told(tmp_path: Path) -> None:
    file = choices(tmp_path / "mine.csv", headers={"item_category": "valence", "model": "Engine used"})
    with pytest.raises(
        UsageError, match=r"(?s)lacks what kamruzzaman2024 needs.*\n  given: factor 'Polarity of the given text'"
    ):
        start("kamruzzaman2024", file, tmp_path / "study", "screening==valid", "model=Engine used")
    for name in ("given", "item_category"):
        made = start(
            "kamruzzaman2024", file, tmp_path / name, "screening==valid", "model=Engine used", f"{name}=valence"
        )
        assert made.models == {"mine": "mine"}
    with pytest.raises(UsageError, match="no column tells the model: --set model=COLUMN"):
        start("kamruzzaman2024", file, tmp_path / "study", "screening==valid", "given=valence")
    with pytest.raises(UsageError, match="--set nothing: no such column"):
        start("kamruzzaman2024", file, tmp_path / "study", "nothing=valence")
    with pytest.raises(UsageError, match="no column absent in the dump"):
        start("kamruzzaman2024", file, tmp_path / "study", "given=absent")
    with pytest.raises(UsageError, match="expected COLUMN=COLUMN or COLUMN==VALUE"):
        start("kamruzzaman2024", file, tmp_path / "study", "given")


def test_a_model_that_is_told(tmp_path: Path) -> None:
    file = choices(tmp_path / "mine.csv")
    pl.read_csv(file, infer_schema=False).drop("model").write_csv(file)
    made = start("kamruzzaman2024", file, tmp_path / "study", "screening==valid", "model==GPT/6 [beta]")
    assert made.models == {"GPT/6 [beta]": "GPT-6-beta"}
    assert load(str(tmp_path / "study")).study.factors["model"].levels["GPT-6-beta"] == "GPT/6 [beta]"


def test_an_unknown_level_is_named(tmp_path: Path) -> None:
    file = texts(tmp_path / "texts.jsonl")
    file.write_text(file.read_text(encoding="utf-8").replace("Hispanic", "Martian"), encoding="utf-8")
    with pytest.raises(UsageError, match="column Group: Martian is not a level of factor group; expected one of male"):
        start("wang2025", file, tmp_path / "study")


def test_a_dump_that_breaks_the_schema_is_told_and_the_study_written(tmp_path: Path) -> None:
    dump = profiles(tmp_path / "dump", ["a"])
    (dump / "a" / "implicit" / "martian.json").write_text(json.dumps({"0_0": profile("liberal")}), encoding="utf-8")
    made = start("wang2025", dump, tmp_path / "study")
    assert made.to_check[0].startswith("the dump breaks its schema, see `tallybook validate`: ")
    assert "martian" in made.to_check[0]


def test_prompts_come_from_the_released_data(tmp_path: Path) -> None:
    dump = profiles(tmp_path / "dump", ["a"])
    shutil.move(dump / "prompts", tmp_path / "released" / "prompts")
    with pytest.raises(
        UsageError, match=r"no prompts/\{prompt_type\}_bias_prompts\.csv: it tells prompt_text.*--released"
    ):
        start("wang2025", dump, tmp_path / "study")
    made = start("wang2025", dump, tmp_path / "study", released=tmp_path / "released")
    assert tmp_path / "study" / "released" / "prompts" / "implicit_bias_prompts.csv" in made.files
    shutil.rmtree(tmp_path / "released")
    assert read(tmp_path / "study").coded.height


def test_what_cannot_be_replicated(tmp_path: Path) -> None:
    dump = profiles(tmp_path / "dump", ["a"])
    with pytest.raises(UsageError, match="no such study; there are bai2025, "):
        start("wang2026", dump, tmp_path / "study")
    with pytest.raises(UsageError, match="written beside the dump, not into it"):
        start("wang2025", dump, dump)


@pytest.mark.slow
def test_the_command_and_its_report(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    choices(tmp_path / "mine.csv")
    runner = CliRunner()
    arguments = ["init", "mine.csv", "--from", "kamruzzaman2024", "--set", "screening==valid", "--out", "rep", "--json"]
    made = runner.invoke(app, arguments)
    assert made.exit_code == 0
    assert json.loads(made.stdout)["models"] == {"mine": "mine"}
    study = tmp_path / "rep" / "study.toml"
    *_, one = figures = re.findall(r"(?ms)^\[\[figures\]\].*?(?=^\[\[|\Z)", study.read_text(encoding="utf-8"))
    study.write_text(study.read_text(encoding="utf-8").replace("".join(figures), one), encoding="utf-8")
    reported = runner.invoke(app, ["report", "rep", "--to", "html", "--data", "."])
    assert reported.exit_code == 0
    html = (tmp_path / "out" / "kamruzzaman2024_replication" / "report" / "kamruzzaman2024_replication.html").read_text(
        encoding="utf-8"
    )
    assert "GPT-4 (published)" in html
    assert "was repeated with new responses" in html
    assert "The test of Table 1 of the paper by bias type." in html
    assert runner.invoke(app, ["validate", "rep", "--data", "."]).exit_code == 0
    for wrong in (["--instrument", "profile"], ["--from", "absent"]):
        assert runner.invoke(app, [*arguments, *wrong]).exit_code
    assert runner.invoke(app, ["init", "mine.csv", "--released", "."]).exit_code


# ---------------------------------------------------------------- the released responses of a model under another name


def check_alias(study: str, found: pl.DataFrame, published: str, new: str) -> None:
    names = published_estimates(study).get_column("analysis").unique()
    kept = pl.col("analysis").is_in(found.get_column("analysis").unique().to_list())
    theirs = published_estimates(study).filter(kept, model=published)
    assert same(found.filter(pl.col("analysis").is_in(names.to_list()), model=new), theirs)
    check_published(study, found, [new])


@pytest.mark.released
@needs_released("wang2025")
def test_profiles_under_another_name(tmp_path: Path) -> None:
    data = released_data("wang2025")
    shutil.copytree(data / "claude_3.5_sonnet", tmp_path / "dump" / "renamed", copy_function=shutil.copyfile)
    start("wang2025", tmp_path / "dump", tmp_path / "study", released=data)
    check_alias("wang2025", estimated(tmp_path / "study"), "claude-3.5-sonnet", "renamed")


@pytest.mark.released
@needs_released("wang2025")
def test_profiles_as_records(tmp_path: Path) -> None:
    rows = [
        {"model": "renamed", "prompt_type": file.parent.name, "profile": file.stem, "key": key}
        | {"generated_text": record["generated_text"]}
        | {name: record.get("attributes", {}).get(name) for name in profile("")["attributes"]}
        for file in sorted((released_data("wang2025") / "gpt_4o_mini").rglob("*.json"))
        for key, record in json.loads(file.read_text(encoding="utf-8")).items()
    ]
    pl.DataFrame(rows, infer_schema_length=None).write_parquet(tmp_path / "records.parquet")
    start("wang2025", tmp_path / "records.parquet", tmp_path / "study", "item=key")
    check_alias("wang2025", estimated(tmp_path / "study"), "gpt-4o-mini", "renamed")


@pytest.mark.released
@needs_released("kamruzzaman2024")
def test_choices_under_another_name(tmp_path: Path) -> None:
    data = released_data("kamruzzaman2024")
    (tmp_path / "dump" / "outputs").mkdir(parents=True)
    for kind in ("valid", "invalid"):
        shutil.copyfile(data / "outputs" / f"llama_{kind}.csv", tmp_path / "dump" / "outputs" / f"renamed_{kind}.csv")
    start("kamruzzaman2024", tmp_path / "dump", tmp_path / "study", released=data)
    check_alias("kamruzzaman2024", estimated(tmp_path / "study"), "llama-2", "renamed")


@pytest.mark.released
@needs_released("bai2025")
def test_associations_and_decisions_under_another_name(tmp_path: Path) -> None:
    data = released_data("bai2025")
    for name in ("result_chained.csv", "result_absolute.csv"):
        (tmp_path / "dump").mkdir(exist_ok=True)
        shutil.copyfile(data / name, tmp_path / "dump" / name)
    start("bai2025", tmp_path / "dump", tmp_path / "study", "model==renamed", released=data)
    found = estimated(tmp_path / "study")
    check_published("bai2025", found, ["renamed"])
    for analysis in ("logit_published", "absolute", "absolute_bias", "decision_agreement_domain", "curve_published"):
        own, theirs = (found.filter(analysis=analysis, model=model) for model in ("renamed", "gpt-4"))
        assert same(there(own), there(theirs))
    study = load(str(tmp_path / "study")).study
    assert not any("gpt4o" in table.id or "llama3" in table.id for table in study.tables)


@pytest.mark.released
@needs_released("bai2025")
def test_one_of_several_ways_to_read_records(tmp_path: Path) -> None:
    data = released_data("bai2025")
    answers = pl.concat(
        pl.read_csv(data / "result_gpt4o" / f"gpt4o_{dataset}_replication.csv", infer_schema=False).select(
            pl.col("0").alias("answer"), pl.lit("renamed").alias("llm"), pl.lit(dataset).alias("dataset"), "variation"
        )
        for dataset in ("age", "weight")
    )
    answers.write_ndjson(tmp_path / "answers.jsonl")
    with pytest.raises(UsageError, match="several ways: --set collection==chained or --set collection==gpt4o"):
        start("bai2025", tmp_path / "answers.jsonl", tmp_path / "study", "text=answer")
    told = ("text=answer", "collection==gpt4o")
    with pytest.raises(
        UsageError, match=r"no stimuli/iat_stimuli_synonym\.csv: the instrument takes its words from it"
    ):
        start("bai2025", tmp_path / "answers.jsonl", tmp_path / "study", *told)
    start("bai2025", tmp_path / "answers.jsonl", tmp_path / "study", *told, released=data)
    found = estimated(tmp_path / "study")
    check_published("bai2025", found, ["renamed"])
    own = found.filter(analysis="scored_corrected", model="renamed", stereotype="age", collection="gpt4o")
    assert own.get_column("n").to_list() == [50]
