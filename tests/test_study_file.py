"""Study files: found, read, changed by settings, and refused with a message that names the place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from analysis.errors import UsageError
from analysis.resources import BUNDLED_DATA, PUBLISHED, REPORTS, STUDIES, published_studies
from analysis.study_file import load

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[str | bytes], Path]

SMALL = """
name = "small"
title = "A small study"
key = ["file", "key"]

[[sources]]
format = "keyed-json"
files = "{model}/{group}.json"
key = "{item}_{sample:int}"
columns = { label = { path = "label" } }

[factors.group]
label = "Group"
levels = { young = "Young", aged = "Aged" }

[instrument]
kind = "profile"

[outcomes.answer]
kind = "category"
label = "Answer"
attribute = "label"
labels = { yes = ["yes"], no = ["no"] }

[style]
missing = "-"

[style.stars]
"*" = 0.05
"""
COLUMNS = "file, key, status, model, group, item, sample, label"
THERE = "there are factors, instrument, outcomes, style"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write_file(content: str | bytes) -> Path:
        path = tmp_path / "study.toml"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file


def _fault(name: str | Path, *settings: str) -> str:
    """The message, with PATH for the file's path."""
    with pytest.raises(UsageError) as error:
        load(str(name), settings)
    assert error.value.exit_code == 2
    return str(error.value).replace(str(name), "PATH")


class TestFinding:
    """By the name of a published study, by path, or by folder."""

    def test_a_published_study(self) -> None:
        loaded = load("wang2025")
        assert loaded.study.name == "wang2025"
        assert loaded.path == STUDIES / "wang2025" / "study.toml"
        assert loaded.data == BUNDLED_DATA / "wang2025"
        assert loaded.published == PUBLISHED / "wang2025"
        assert loaded.narrative == REPORTS / "wang2025"
        assert (loaded.data.is_dir(), loaded.published.is_dir(), loaded.settings) == (True, True, ())

    def test_a_file_or_its_folder(self, write: Write) -> None:
        path = write(SMALL)
        loaded = load(str(path))
        assert loaded == load(str(path.parent))
        assert (loaded.path, loaded.data, loaded.published, loaded.narrative) == (
            path, path.parent, path.parent / "published", path.parent / "report",
        )  # fmt: skip

    def test_a_file_of_another_name(self, write: Write) -> None:
        path = write(SMALL).rename(Path(write("")).with_name("other.toml"))
        path.write_text(SMALL)
        assert load(str(path)).study.name == "small"

    @pytest.mark.parametrize("name", ["nope", "", "../wang2025", "wang2025/", "wang2025/study.toml", "\x1b[2J", "a\0b"])
    def test_no_such_study(self, name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "study.toml").write_text(SMALL)  # of the current folder, which no name here means
        monkeypatch.chdir(tmp_path)
        with pytest.raises(UsageError, match="neither a study file nor one of ") as error:
            load(name)
        assert str(error.value).isprintable()
        assert str(error.value).endswith(", ".join(published_studies()))

    def test_the_published_studies_are_listed(self) -> None:
        assert "wang2025" in published_studies()


class TestReading:
    """What is no study file."""

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"\xff", "PATH: not UTF-8 text at byte 0"),
            ("title = 'é'".encode("latin-1"), "PATH: not UTF-8 text at byte 9"),
            ("name =", "PATH: not TOML: Invalid value (at end of document)"),
            ("name = 'a'\nname = 'b'", "PATH: not TOML: Cannot overwrite a value (at end of document)"),
            ("a = " + "[" * 100_000, None),
            ("a = " + "9" * 5000, None),
            (f"{SMALL}\n[style]", None),
        ],
    )
    def test_no_toml(self, write: Write, content: str | bytes, message: str | None) -> None:
        found = _fault(write(content))
        assert found.startswith("PATH: not ")
        assert found.isprintable()
        if message is not None:
            assert found == message

    def test_an_empty_file_names_all_that_is_missing(self, write: Write) -> None:
        parts = ("name", "title", "sources", "factors", "outcomes")
        assert _fault(write("")) == "\n".join(f"PATH: {part}: Field required" for part in parts)

    def test_a_byte_order_mark_is_no_fault(self, write: Write) -> None:
        assert load(str(write(b"\xef\xbb\xbf" + SMALL.encode()))).study.name == "small"

    def test_a_file_that_cannot_be_read(self, write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(*_: object, **__: object) -> str:
            raise PermissionError(13, "Permission denied")

        path = write(SMALL)
        monkeypatch.setattr(Path, "read_text", refuse)
        assert _fault(path) == "PATH: Permission denied"

    @pytest.mark.parametrize(
        ("old", "new", "message"),
        [
            ('title = "A small study"', 'titel = "A study"',
             "PATH: title: Field required\nPATH: titel: Extra inputs are not permitted (found 'A study')"),
            ('missing = "-"', 'mising = "-"', "PATH: style.mising: Extra inputs are not permitted (found '-')"),
            ('missing = "-"', "missing = 5", "PATH: style.missing: Input should be a valid string (found 5)"),
            ('"*" = 0.05', '"*" = nan', "PATH: style.stars.*: Input should be a finite number (found nan)"),
            ('{ path = "label" }', '{ path = "label", typ = "x" }',
             "PATH: sources.1.keyed-json.columns.label.typ: Extra inputs are not permitted (found 'x')"),
            ('attribute = "label"', 'attribute = "lable"',
             f"PATH: sources[1]: outcomes.answer.attribute: no column 'lable'; declared: {COLUMNS}"),
            ('name = "small"', 'name = "small"\n"\\u001b[2J" = "\\u001b[2J"',
             "PATH: \\x1b[2J: Extra inputs are not permitted (found '\\x1b[2J')"),
            ("[outcomes.answer]", '[outcomes."\\u001b"]',
             "PATH: outcomes.\\x1b.[key]: String should match pattern '^[A-Za-z][A-Za-z0-9_.-]*$' (found '\\x1b')"),
        ],
    )  # fmt: skip
    def test_wrong_settings(self, write: Write, old: str, new: str, message: str) -> None:
        assert SMALL.count(old) == 1
        assert _fault(write(SMALL.replace(old, new))) == message


def _missing(path: Path, setting: str) -> str:
    return load(str(path), [setting]).study.style.missing


class TestSettings:
    """`--set key=value`: TOML values, bare words as strings, and a key that must lead somewhere."""

    @pytest.mark.parametrize(
        ("text", "value"),
        [
            ("none", "none"),
            ("n/a", "n/a"),
            ('"n/a"', "n/a"),
            ("'none'", "none"),
            (" none ", "none"),
            ("", ""),
            ("a=b", "a=b"),
            ('"\\u2013"', "–"),
            ("not 5", "not 5"),
            ("1\nname = 2", "1\nname = 2"),
            ('"unclosed', '"unclosed'),
        ],
    )
    def test_strings(self, write: Write, text: str, value: str) -> None:
        assert _missing(write(SMALL), f"style.missing={text}") == value

    def test_values_of_other_types(self, write: Write) -> None:
        settings = ["seed=5", 'key=["model", "item"]', "style.stars={ '!' = 0.1 }", "style.rounding = half-up"]
        loaded = load(str(write(SMALL)), settings)
        assert (loaded.study.seed, loaded.study.key) == (5, ("model", "item"))
        assert (loaded.study.style.stars, loaded.study.style.rounding) == ({"!": 0.1}, "half-up")
        assert loaded.settings == tuple(settings)

    def test_later_settings_win_and_build_on_earlier_ones(self, write: Write) -> None:
        settings = ["style.missing=a", "outcomes.answer.names={}", "outcomes.answer.names.yes=Yes!", "style.missing=b"]
        study = load(str(write(SMALL)), settings).study
        assert study.style.missing == "b"
        assert study.category_outcome("answer").names == {"yes": "Yes!"}

    def test_settings_leave_the_file_alone(self, write: Write) -> None:
        path = write(SMALL)
        load(str(path), ["style.missing=a"])
        assert _missing(path, "seed=1") == "-"
        assert path.read_text() == SMALL

    def test_of_a_published_study(self) -> None:
        study = load("wang2025", ["analyses.share.denominator=answered", "analyses.deviation.alpha=0.01"]).study
        assert study.analyses["share"].model_dump()["denominator"] == "answered"
        assert study.analyses["deviation"].model_dump()["alpha"] == 0.01

    def test_a_star_stands_for_every_table_that_has_the_setting(self) -> None:
        study = load("wang2025", ["analyses.*.denominator=coded"]).study
        changed = {name for name, analysis in study.analyses.items() if "denominator" in type(analysis).model_fields}
        assert {study.analyses[name].model_dump()["denominator"] for name in changed} == {"coded"}
        assert changed >= {"share", "census_test", "occupations"}
        assert study.analyses["deviation"] == load("wang2025").study.analyses["deviation"]

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("analyses.*.denominater=all", "--set analyses.*.denominater=all: no table '*'; there are none"),
            ("outcomes.*.lable=x", "--set outcomes.*.lable=x: no table that '*' stands for has 'lable'"),
            ("*.*.*.*.*.x=y", "--set *.*.*.*.*.x=y: no table '*'; there are none"),
        ],
    )
    def test_a_star_that_stands_for_nothing(self, write: Write, setting: str, message: str) -> None:
        assert _fault(write(SMALL), setting).startswith(message)

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("style", "--set style: expected key=value, for instance style.rounding=half-up"),
            ("=x", "--set =x: expected key=value, for instance style.rounding=half-up"),
            ("", "--set : expected key=value, for instance style.rounding=half-up"),
            ("style.=x", "--set style.=x: expected key=value, for instance style.rounding=half-up"),
            ("stile.missing=x", f"--set stile.missing=x: no table 'stile'; {THERE}"),
            ("title.x=y", f"--set title.x=y: no table 'title'; {THERE}"),
            ("sources.0.files=x", f"--set sources.0.files=x: no table 'sources'; {THERE}"),
            ("outcomes.answer.label.x=y", "--set outcomes.answer.label.x=y: no table 'label'; there are labels"),
            ("outcomes.answer.labels.yes.x=y", "--set outcomes.answer.labels.yes.x=y: no table 'yes'; there are none"),
            (".x=y", f"--set .x=y: no table ''; {THERE}"),
            ("\x1b.x=y", f"--set \\x1b.x=y: no table '\\x1b'; {THERE}"),
            ("style.mising=x", "PATH: style.mising: Extra inputs are not permitted (found 'x')"),
            ("style.missing=5", "PATH: style.missing: Input should be a valid string (found 5)"),
            ("style.rounding=up",
             "PATH: style.rounding: Input should be 'half-even', 'half-up' or 'truncate' (found 'up')"),
            ("seed=1.5",
             "PATH: seed: Input should be a valid integer (found 1.5)"),
            ("seed=x", "PATH: seed: Input should be a valid integer (found 'x')"),
            ("style.stars.x=2", "PATH: style.stars.x: Input should be less than or equal to 1 (found 2)"),
            ("key=['modl']", f"PATH: sources[1]: key: no column 'modl'; declared: {COLUMNS}"),
            ("key=\x1b[2J", "PATH: key: Input should be a valid tuple (found '\\x1b[2J')"),
        ],
    )  # fmt: skip
    def test_wrong_settings(self, write: Write, setting: str, message: str) -> None:
        assert _fault(write(SMALL), setting) == message

    @pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000])
    def test_what_toml_cannot_read_is_a_word(self, write: Write, text: str) -> None:
        assert _missing(write(SMALL), f"style.missing={text}") == text
        assert _fault(write(SMALL), f"seed={text}").startswith("PATH: seed: ")


def test_a_study_can_be_loaded_many_times(write: Any) -> None:
    path = str(write(SMALL))
    assert load(path).study == load(path).study
