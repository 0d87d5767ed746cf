"""Released files that are missing, altered or extra: told by name, first, with what depends on them."""

from __future__ import annotations

import csv
import hashlib
import shutil
from typing import TYPE_CHECKING, Any

import pytest
from typer.testing import CliRunner

from tallybook import pipeline
from tallybook.cli.app import app
from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.core.errors import DataError
from tallybook.core.progress import Progress
from tallybook.core.resources import BUNDLED_DATA, STUDIES, published_studies
from tallybook.published.released import completeness
from tallybook.published.released.completeness import Differences, differences, released_files
from tallybook.published.released.listing import LIST, read_list
from tallybook.sources import reading
from tallybook.study.loading import LoadedStudy, load
from tallybook.study.model import Study
from tallybook.tables.sets import affected
from tallybook.validation.study_data import planned, validate_study
from tests import computed_once
from tests.released import needs_released, released_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]


def compared(loaded: LoadedStudy, folder: Path) -> Differences:
    inputs, edition = reading.chosen_edition(loaded.study, folder, None, loaded.data)
    return differences(loaded, inputs, edition)


def copied(study: str, folder: Path) -> Path:
    """A copy of the released files, which can be damaged."""
    return shutil.copytree(released_data(study), folder)


def altered(file: Path) -> None:
    """Put a file with one other bit in its place."""
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.unlink()
    file.write_bytes(bytes(content))


@pytest.fixture
def published(
    declaration: dict[str, Any], dump: dict[str, Any], write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> LoadedStudy:
    """The small study as a published one, all files of whose dump are listed."""
    declaration["publication"] = {"authors": ["A"], "year": 2025, "title": "A small study"}
    data = write(dump | {"LICENSE": "free"})
    home = tmp_path / "studies" / "small"
    home.mkdir(parents=True)
    (home / "study.toml").write_text("")
    with (home / LIST).open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow(["file", "repository_path", "bytes", "sha256"])
        for path in sorted(path for path in data.rglob("*") if path.is_file()):
            name, content = path.relative_to(data).as_posix(), path.read_bytes()
            rows.writerow([name, name, len(content), hashlib.sha256(content).hexdigest()])
    monkeypatch.setattr(completeness, "STUDIES", tmp_path / "studies")
    return LoadedStudy(Study.model_validate(declaration), home / "study.toml", data, data, data, settings=())


def told(loaded: LoadedStudy) -> list[str]:
    found = compared(loaded, loaded.data)
    return [*map(str, found.grave), "--", *map(str, found.harmless)]


def test_the_files_as_they_were_released(published: LoadedStudy) -> None:
    assert compared(published, published.data) == Differences()
    assert pipeline.read_and_code(published).findings == ()


def test_a_missing_file(published: LoadedStudy) -> None:
    (published.data / "zeta_1" / "aged.json").unlink()
    (published.data / "LICENSE").unlink()
    assert told(published) == [
        "zeta_1/aged.json: expected this file, which was released; on it depend model zeta, dimension age, group aged",
        "--",
        "LICENSE: expected this file, which was released; no number depends on it",
    ]
    with pytest.raises(DataError) as caught:
        pipeline.read_and_code(published)
    first, *_, last = str(caught.value).splitlines()
    assert first.startswith("zeta_1/aged.json: expected this file, which was released")
    assert "tallybook fetch small" in last
    assert "publication.differing_files=report" in last


def test_an_altered_file(published: LoadedStudy) -> None:
    altered(published.data / "alpha_2" / "young.json")
    (published.data / "prompts" / "prompts.csv").write_text("shorter\n")
    grave = {one.file: one for one in compared(published, published.data).grave}
    assert list(grave) == ["alpha_2/young.json", "prompts/prompts.csv"]
    assert grave["alpha_2/young.json"].value.startswith("SHA-256 ")
    assert grave["prompts/prompts.csv"].value == "8 bytes"
    assert "on it depend responses" in grave["prompts/prompts.csv"].expected  # of whatever levels


def test_an_extra_file(published: LoadedStudy) -> None:
    """One that would be read is an error; others are told, if they lie among the released ones and are not hidden."""
    for name in ("alpha_2/aged (copy).json", "alpha_2/notes.txt", ".hidden", "coded.csv", "reference.csv"):
        (published.data / name).write_text("{}")
    (published.data / "out").mkdir()
    (published.data / "out" / "tables.csv").write_text("")
    found = compared(published, published.data)
    assert [one.file for one in found.grave] == ["alpha_2/aged (copy).json"]
    assert "expected no such file, for it was not released" in str(found.grave[0])
    assert [one.file for one in found.harmless] == ["alpha_2/notes.txt"]


def test_a_file_that_cannot_be_read(published: LoadedStudy, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(_: Path) -> str:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("tallybook.published.released.listing.open_regular", refuse)
    (published.data / "zeta_1" / "aged.json").write_text("{}")  # another size: need not be read
    values = {one.value for one in compared(published, published.data).grave}
    assert values == {"Permission denied", "2 bytes"}


def test_other_data_in_the_same_layout_are_no_damaged_ones(published: LoadedStudy) -> None:
    for name in ("zeta_1/aged", "zeta_1/young", "alpha_2/aged", "alpha_2/young"):
        path = published.data / f"{name}.json"
        path.write_text(path.read_text() + "\n")
    found = compared(published, published.data)
    assert (found.grave, found.harmless) == ((), ())
    assert "these are other data" in str(found.other)
    assert pipeline.read_and_code(published).findings == (found.other,)


def test_a_single_file_of_responses_is_altered_and_not_of_other_data(published: LoadedStudy) -> None:
    """Files beside the only released folder are told, too."""
    listed = published.path.with_name(LIST)
    lines = listed.read_text().splitlines(keepends=True)
    listed.write_text("".join(line for line in lines if line.startswith(("file,", "zeta_1/aged"))))
    altered(published.data / "zeta_1" / "aged.json")
    (published.data / "notes.txt").write_text("")
    found = compared(published, published.data)
    assert found.other is None
    assert "zeta_1/aged.json" in [one.file for one in found.grave]
    assert "notes.txt" in [one.file for one in found.harmless]


def test_what_differs_can_be_let_pass(published: LoadedStudy) -> None:
    (published.data / "zeta_1" / "aged.json").unlink()
    publication = published.study.publication
    assert publication is not None
    publication = publication.model_copy(update={"differing_files": "report"})
    study = published.study.model_copy(update={"publication": publication})
    lenient = LoadedStudy(study, published.path, published.data, published.data, published.data, settings=())
    assert [one.file for one in pipeline.read_and_code(lenient).findings] == ["zeta_1/aged.json"]


def test_validation_goes_on(published: LoadedStudy) -> None:
    (published.data / "zeta_1" / "aged.json").unlink()
    report = validate_study(published, None, None, "error", Progress())
    rows = report.failures.table().filter(check="released")
    assert rows.select("severity", "file").rows() == [("error", "zeta_1/aged.json")]
    assert report.rows == 12
    assert "released" in [check.name for check in planned(published)]


def test_only_published_studies_and_the_released_edition_have_a_list(published: LoadedStudy, tmp_path: Path) -> None:
    elsewhere = LoadedStudy(published.study, tmp_path / "study.toml", published.data, tmp_path, tmp_path, settings=())
    assert released_files(elsewhere, "raw") == ()
    assert released_files(published, "coded") == ()
    assert len(released_files(published, "raw")) == 6
    assert "released" not in [check.name for check in planned(elsewhere)]


@pytest.mark.parametrize("study", published_studies())
def test_bundled_data_are_held_against_no_list(study: str) -> None:
    loaded = load(study)
    assert released_files(loaded, "bundled") == ()
    assert len(released_files(loaded, "released")) == len(read_list(STUDIES / study / LIST))
    assert compared(loaded, BUNDLED_DATA / study) == Differences()


@pytest.mark.released
@pytest.mark.parametrize("study", [pytest.param(study, marks=needs_released(study)) for study in published_studies()])
def test_any_released_file_that_is_missing_or_altered_is_named(study: str, tmp_path: Path) -> None:
    """Every second one is missing and the others are altered, all but one of the responses; then the other way."""
    loaded = load(study)
    names = [file.file for file in read_list(STUDIES / study / LIST)]
    uses = completeness._Uses(loaded.study, "released")
    kept = next(name for name in names if uses.is_of_responses(name))
    damaged = [name for name in names if name != kept]
    for first in (0, 1):
        folder = copied(study, tmp_path / str(first))
        for place, name in enumerate(damaged):
            (folder / name).unlink() if place % 2 == first else altered(folder / name)
        found = compared(loaded, folder)
        faults = {one.file: one for one in (*found.grave, *found.harmless)}
        assert sorted(faults) == sorted(damaged)
        for place, name in enumerate(damaged):
            assert ("this file" in faults[name].expected) == (place % 2 == first)
        assert {one.file for one in found.harmless} == {name for name in damaged if not is_used(study, name)}


BBQ_TEMPLATES = ("Age", "Disability_status", "Nationality", "Physical_appearance", "Religion", "Sexual_orientation")
ROTTGER_TEMPLATES = ("answer_options", "jailbreaks", "pct_propositions", "prompt_templates")


def is_used(study: str, name: str) -> bool:
    """What each study reads beside its responses, by hand."""
    unused = {
        "wang2025": {"prompts/explicit_prompt_types.csv", "prompts/implicit_prompt_types.csv"},
        "kamruzzaman2024": {"dataset_description_README.txt"},
        "bbq2022": {"LICENSE", *(f"templates/new_templates - {name}.csv" for name in BBQ_TEMPLATES)},
        "bai2025": {"LICENSE", "stimuli/iat_stimuli_analysis.csv"},
        "rottger2024": {"LICENSE", *(f"templates/{name}.csv" for name in ROTTGER_TEMPLATES)},
        "bloomberg2024": {"LICENSE", "resumes_to_rank.json", "top_mens_names.json", "top_womens_names.json"},
        "pikuliak2024": {"LICENSE"},
    }
    return name not in unused[study]


@pytest.mark.released
@needs_released("wang2025")
def test_the_tables_that_depend_on_a_file_are_those_that_change(tmp_path: Path) -> None:
    folder = copied("wang2025", tmp_path / "data")
    whole = computed_once.released("wang2025").tables.cells
    (folder / "llama_3.1_70b" / "explicit" / "asian_male.json").unlink()
    less = pipeline.compute(load("wang2025", ["publication.differing_files=report"]), folder).tables.cells
    key = ["table", "row", "column", "statistic"]
    both = whole.select(*key, "value", "text").join(
        less.select(*key, "value", "text"), on=key, how="full", suffix="_less", nulls_equal=True
    )
    changes = both.filter((both["text"] != both["text_less"]) | both["text"].is_null() | both["text_less"].is_null())
    levels = {"model": "llama-3.1-70b", "prompt_type": "explicit", "group": "asian", "sex": "male"}
    assert set(changes["table"]) == set(affected(load("wang2025").study, levels))


@pytest.mark.released
@needs_released("bai2025")
def test_what_depends_on_a_file_of_one_prompt(tmp_path: Path) -> None:
    folder = copied("bai2025", tmp_path / "data")
    (folder / "result_gpt4o" / "gpt4o_age_synonym.csv").unlink()
    found = compared(load("bai2025"), folder)
    assert [one.file for one in found.grave] == ["result_gpt4o/gpt4o_age_synonym.csv"]
    assert found.grave[0].expected.endswith(
        "stereotype age, variation synonym, type none, judge none, layer none; tables S-conclusions-gpt4o, S-scorings"
    )


@pytest.mark.released
@needs_released("wang2025")
def test_nothing_is_printed_of_damaged_data(tmp_path: Path) -> None:
    folder = copied("wang2025", tmp_path / "data")
    (folder / "llama_3.1_70b" / "explicit" / "asian_male.json").unlink()
    out = tmp_path / "out"
    for command in ("run", "reproduce"):
        ended = CliRunner().invoke(app, [command, "wang2025", "--data", str(folder), "--out", str(out)])
        assert isinstance(ended.exception, DataError)
        assert ended.exception.exit_code == 1
        assert str(ended.exception).startswith("llama_3.1_70b/explicit/asian_male.json: expected this file")
        assert not out.exists()


@pytest.mark.released
@needs_released("kamruzzaman2024")
def test_a_publication_is_not_compared_with_other_data(tmp_path: Path) -> None:
    folder = copied("kamruzzaman2024", tmp_path / "data")
    for file in (folder / "outputs").iterdir():
        altered(file)
    wanted = Wanted(
        study="kamruzzaman2024",
        data=folder,
        out=tmp_path / "out",
        edition=None,
        settings=[],
        formats=["html"],
        engine="embedded",
        quiet=True,
    )
    with pytest.raises(DataError, match="these are other data"):
        computing.report(wanted, needs_published=True)
    assert not (tmp_path / "out").exists()
