"""Which files of a data folder a declared form means, and which are somebody else's."""

from __future__ import annotations

import glob
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.sources.folder import Folder
from tallybook.sources.read_result import Inputs
from tallybook.study.record_sources import RecordSource
from tallybook.study.sources import CodedSource
from tests.unit.sources.inputs import inputs

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.sources import Source


def _touch(folder: Path, *names: str) -> Path:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).touch()
    return folder


@pytest.mark.parametrize(
    ("form", "names"),
    [
        ("{model}/{group}.json", ["m/a.json", "n/a.json"]),
        ("{model}/{group}.json.txt", ["m/a.json.txt", "m/b.txt"]),
        ("{model}/{group}", ["m/a.json", "m/a.json.txt", "m/b", "m/b.txt", "n/a.json"]),
        ("{model}/a.json", ["m/a.json", "n/a.json"]),
        ("m/{group}.json", ["m/a.json"]),
        ("{group}.json", ["top.json"]),
        ("m/a.json", ["m/a.json"]),
        ("m/none.json", []),
        ("none/{group}.json", []),
        ("../data/{group}.json", ["../data/top.json"]),
    ],
)
def test_names_at_the_depth_with_the_suffix(tmp_path: Path, form: str, names: list[str]) -> None:
    folder = _touch(tmp_path / "data", "m/a.json", "m/a.json.txt", "m/b", "m/b.txt", "n/a.json", "top.json")
    (folder / "m" / ".a.json").touch()  # what an editor leaves
    assert Folder(folder).names(form) == names


def test_brackets_are_characters(tmp_path: Path) -> None:
    folder = Folder(_touch(tmp_path, "m[1]/a.json", "m1/a.json", "m1/a.n"))
    assert folder.names("m[1]/{group}.json") == ["m[1]/a.json"]
    assert folder.names("m1/{group}.[n]") == []


def test_a_missing_folder_has_no_names(tmp_path: Path) -> None:
    assert Folder(tmp_path / "none").names("{model}/{group}.json") == []
    assert Folder(tmp_path / "none").names("a.json") == []


def test_a_folder_is_listed_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    real = glob.glob
    monkeypatch.setattr(glob, "glob", lambda pattern, **given: calls.append(pattern) or real(pattern, **given))
    folder = Folder(_touch(tmp_path, "a.json"))
    for form in ("{model}.json", "{name}.json", "{model}_{kind}.json"):
        assert folder.names(form) == ["a.json"]
    assert calls == ["*.json"]


def _csv(files: str, **settings: Any) -> RecordSource:
    return RecordSource.model_validate({"format": "csv", "files": files, "columns": {}, **settings})


def _found(given: Inputs, source: RecordSource) -> tuple[list[str], list[str]]:
    files, problems = given.files(source)
    return [name for name, _ in files], [str(problem) for problem in problems]


class TestFilesOfASource:
    """What fits a source's form is its own, unless the study says what else it is."""

    def test_parts_are_captured_greedily(self, tmp_path: Path) -> None:
        source = _csv("out/{model}_{kind}.csv")
        given = inputs(_touch(tmp_path, "out/gpt_3.5_valid.csv", "out/llama_invalid.csv"), source)
        assert given.files(source) == (
            [
                ("out/gpt_3.5_valid.csv", {"model": "gpt_3.5", "kind": "valid"}),
                ("out/llama_invalid.csv", {"model": "llama", "kind": "invalid"}),
            ],
            [],
        )

    def test_stray_files_are_problems(self, tmp_path: Path) -> None:
        source = _csv("{model}_{kind}.csv")
        assert _found(inputs(_touch(tmp_path, "a_b.csv", "notes.csv", "x.txt"), source), source) == (
            ["a_b.csv"],
            ["notes.csv: expected a path of the form {model}_{kind}.csv"],
        )

    def test_without_parts_only_the_file_itself(self, tmp_path: Path) -> None:
        source = _csv("answers.csv")
        assert _found(inputs(_touch(tmp_path, "answers.csv", "notes.csv"), source), source) == (["answers.csv"], [])

    def test_no_files(self, tmp_path: Path) -> None:
        source = _csv("{model}.csv")
        assert _found(inputs(tmp_path, source), source) == ([], ["expected files of the form {model}.csv"])

    @pytest.mark.parametrize("form", ["{model}.csv", "answers_{model}.csv"])
    def test_files_that_the_study_uses_otherwise_are_not_responses(self, study: Any, tmp_path: Path, form: str) -> None:
        """In one folder with its responses lie a study's lists, references and coded responses."""
        source = _csv(form, constants={"item": "x"})
        listing = _csv("other_{kind}.csv", items={"file": "items.csv", "on": {"kind": "kind"}, "by": []})
        sources: tuple[Source, ...] = (source, listing, CodedSource(format="coded", files="coded.csv"))
        _touch(tmp_path, "answers_a.csv", "coded.csv", "items.csv", "reference.csv")
        given = Inputs(Folder(tmp_path), study.model_copy(update={"sources": sources}))
        assert study.references["census"].file == "reference.csv"
        assert _found(given, source) == (["answers_a.csv"], [])

    def test_two_sources_may_read_one_file(self, tmp_path: Path) -> None:
        one, other = _csv("answers.csv"), _csv("answers.csv")
        given = inputs(_touch(tmp_path, "answers.csv"), one, other)
        assert _found(given, one) == _found(given, other) == (["answers.csv"], [])
