"""Files for declared combinations of factors, and levels that no response has."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook import pipeline
from tallybook.core.errors import DataError
from tallybook.sources.combinations import levels_of_paths, without_file, without_responses
from tallybook.sources.folder import Folder
from tallybook.sources.read_result import Inputs
from tallybook.study.loading import LoadedStudy
from tallybook.study.model import Study

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

FILES = ("alpha_2/aged.json", "alpha_2/young.json", "zeta_1/aged.json", "zeta_1/young.json")


def lacking(study: Study, folder: Path) -> tuple[list[str], list[str]]:
    errors, reported = without_file(study, Inputs(Folder(folder), study), study.sources[0].edition)
    return [one.file for one in errors], [one.file for one in reported]


def changed(declaration: dict[str, Any], **settings: Any) -> Study:
    declaration["sources"][0] |= settings
    return Study.model_validate(declaration)


class Listed(Folder):
    """A folder of which the names are known, and nothing lies on disk."""

    def __init__(self, path: Path, files: list[str]) -> None:
        super().__init__(path)
        self._files = files

    def names(self, form: str) -> list[str]:
        return [name for name in self._files if name.count("/") == form.count("/")]


def test_levels_follow_from_paths_and_constants(study: Study) -> None:
    parts = [{"folder": "zeta_1", "group": "young"}, {"folder": "other", "group": "odd"}]
    assert levels_of_paths(study, study.sources[0], parts) == [
        {"model": "zeta", "dimension": "age", "group": "young"},
        {"model": None, "dimension": None, "group": None},
    ]


def test_a_missing_file_is_told_with_its_levels(
    study: Study, dump: dict[str, Any], write: Callable[[Mapping[str, Any]], Path]
) -> None:
    folder = write(dump)
    assert lacking(study, folder) == ([], [])
    (folder / "alpha_2" / "young.json").unlink()
    errors, reported = without_file(study, Inputs(Folder(folder), study), "raw")
    assert errors == []
    assert [str(one) for one in reported] == [
        "alpha_2/young.json: expected this file: the study declares model alpha, dimension age, group young"
    ]


def test_it_is_a_warning_unless_the_study_makes_an_error_of_it(
    study: Study, declaration: dict[str, Any], dump: dict[str, Any], write: Callable[[Mapping[str, Any]], Path]
) -> None:
    del dump["zeta_1/aged.json"]
    folder = write(dump)

    def loaded(own: Study) -> LoadedStudy:
        return LoadedStudy(own, folder / "study.toml", folder, folder, folder, settings=())

    known = pipeline.read_and_code(loaded(study)).findings
    assert [one.file for one in known] == ["zeta_1/aged.json"]
    with pytest.raises(DataError, match=r"^zeta_1/aged\.json: expected this file"):
        pipeline.read_and_code(loaded(changed(declaration, missing_files="error")))
    assert pipeline.read_and_code(loaded(changed(declaration, missing_files="ignore"))).findings == ()


def test_a_value_without_any_file_is_told_once(
    study: Study, dump: dict[str, Any], write: Callable[[Mapping[str, Any]], Path]
) -> None:
    folder = write({name: content for name, content in dump.items() if not name.startswith("alpha_2")})
    errors, reported = without_file(study, Inputs(Folder(folder), study), "raw")
    assert [str(one) for one in (*errors, *reported)] == [
        "alpha_2/{group}.json: expected this file: the study declares model alpha, dimension age"
    ]


@given(st.sets(st.sampled_from(FILES), min_size=1))
def test_what_is_told_is_just_what_is_missing(files: set[str]) -> None:
    from tests.conftest import DECLARATION

    study = Study.model_validate(DECLARATION)
    folder = Listed(None, sorted(files))  # type: ignore[arg-type]  no folder is looked into
    _, reported = without_file(study, Inputs(folder, study), "raw")
    told = {
        name.file.replace("{group}", group).replace("{folder}", model)
        for name in reported
        for group, model in itertools.product(("aged", "young"), ("alpha_2", "zeta_1"))
    }
    assert told == set(FILES) - files


def test_aliases_are_one_level(declaration: dict[str, Any], dump: dict[str, Any], write: Any) -> None:
    declaration["sources"][0]["derive"]["model"]["map"] |= {"alpha-2": "alpha", "ALPHA 2": "alpha"}
    assert lacking(Study.model_validate(declaration), write(dump)) == ([], [])


def test_values_that_nobody_lists_are_not_expected(
    declaration: dict[str, Any], dump: dict[str, Any], write: Any
) -> None:
    """Any folder may be a model's: no other group is expected of a folder, but each group somewhere."""
    declaration["sources"][0]["derive"]["model"] = {"from": "folder", "extract": "^(zeta|alpha)"}
    study, folder = Study.model_validate(declaration), write(dump)
    (folder / "alpha_2" / "young.json").unlink()
    assert lacking(study, folder) == ([], [])
    (folder / "zeta_1" / "young.json").unlink()
    assert lacking(study, folder) == ([], ["{folder}/young.json"])


def test_what_a_study_does_not_keep_is_not_expected(
    study: Study, declaration: dict[str, Any], dump: dict[str, Any], write: Any
) -> None:
    folder = write({name: content for name, content in dump.items() if "young" not in name})
    assert lacking(changed(declaration, keep={"is": {"group": "aged"}}), folder) == ([], [])
    told = [
        *without_file(changed(declaration, keep={"is": {"group": "young"}}), Inputs(Folder(folder), study), "raw")[1]
    ]
    assert ["group young" in str(one) for one in told] == [True, True]


def test_another_source_may_have_the_combination(declaration: dict[str, Any], dump: dict[str, Any], write: Any) -> None:
    columns = {"text": {"path": "text"}, "politics_label": {"path": "p"}, "job_label": {"path": "j"}}
    columns |= {"mood": {"path": "m", "type": "number"}, "item": {"path": "i"}}
    columns |= {"sample": {"path": "s", "type": "integer"}}
    other = {"edition": "raw", "format": "csv", "files": "more_{group}.csv", "columns": columns}
    folder = write(dump | {"more_young.csv": "text,p,j,m,i,s\n"})
    (folder / "alpha_2" / "young.json").unlink()
    (folder / "alpha_2" / "aged.json").unlink()
    for constants, expected in (
        ({"model": "alpha"}, ["alpha_2/aged.json"]),
        ({"model": "zeta"}, ["alpha_2/{group}.json"]),
    ):
        sources = [*declaration["sources"], other | {"constants": constants, "missing_files": "ignore"}]
        study = Study.model_validate(declaration | {"sources": sources})
        assert lacking(study, folder) == ([], expected)
    columns |= {"model": {"path": "model"}, "group": {"path": "group"}}
    sources = [*declaration["sources"], other | {"files": "more.csv", "columns": columns}]
    (folder / "more.csv").write_text("text,p,j,m,i,s,model,group\n")
    assert lacking(Study.model_validate(declaration | {"sources": sources}), folder) == ([], [])


def test_levels_that_no_response_has(study: Study) -> None:
    rows = pl.LazyFrame({"model": ["zeta", "zeta"], "dimension": ["age", "age"], "group": ["young", None]})
    assert [str(one) for one in without_responses(study, rows)] == [
        "column model: expected a response with the declared level 'alpha'",
        "column group: expected a response with the declared level 'aged'",
    ]
