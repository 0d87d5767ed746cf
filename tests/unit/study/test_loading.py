"""Study files: found, read, changed by settings, and refused with a message that names the place."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import UsageError
from tallybook.core.resources import BUNDLED_DATA, PUBLISHED, REPORTS, STUDIES, published_studies
from tallybook.study.loading import load
from tallybook.study.presentation import Style

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
COLUMNS = "'file', 'key', 'status', 'model', 'group', 'item', 'sample', 'label'"
THERE = "expected one of 'sources', 'factors', 'instrument', 'outcomes', 'style'"
STYLE = f"expected one of {', '.join(map(repr, Style.model_fields))}"


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
        assert ", ".join(published_studies()) in str(error.value)

    def test_the_published_studies_are_listed(self) -> None:
        assert "wang2025" in published_studies()


class TestReading:
    """What is not a study file."""

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"\xff", "PATH:1: not UTF-8 text at byte 0"),
            ("title = 'é'".encode("latin-1"), "PATH:1: not UTF-8 text at byte 9"),
            ("a = 1\ntitle = 'é'".encode("latin-1"), "PATH:2: not UTF-8 text at byte 15"),
            ("name =", "PATH:1: not TOML: invalid value (end of the file)"),
            ("name = 'a'\nname = 'b'", "PATH:2: not TOML: cannot overwrite a value (end of the file)"),
            ("a = 1\nb = " + "[" * 100_000, "PATH: not TOML: lists or tables are nested too deeply"),
            (f"{SMALL}\n[style]", "PATH:31: not TOML: cannot declare ('style',) twice (column 7)"),
        ],
    )  # fmt: skip
    def test_no_toml(self, write: Write, content: str | bytes, message: str) -> None:
        found = _fault(write(content))
        assert found.isprintable()
        assert found == message

    def test_an_empty_file_names_all_that_is_missing(self, write: Write) -> None:
        parts = ("name", "title", "sources", "factors", "outcomes")
        told = _fault(write("")).split("\n")
        assert [line.partition(": this setting is missing; expected ")[0] for line in told] == [
            f"PATH:1: {part}" for part in parts
        ]

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
            ('missing = "-"', 'mising = "-"',
             f"PATH:26: style.mising: unknown setting; {STYLE}; did you mean 'missing'?"),
            ('missing = "-"', "missing = 5", "PATH:26: style.missing: found 5; expected text"),
            ('"*" = 0.05', '"*" = nan',
             "PATH:29: style.stars.'*': found nan; expected a number, above 0 and at most 1"),
            ('{ path = "label" }', '{ path = "label", typ = "x" }',
             ("PATH:10: sources[1].columns.label.typ: unknown setting; expected one of 'path', 'type'; "
             "did you mean 'type'?")),
            ('attribute = "label"', 'attribute = "lable"',
             (f"PATH:22: outcomes.answer.attribute: 'lable' is not a column of sources[1]; expected one of {COLUMNS}; "
             "did you mean 'label'?")),
            ('missing = "-"', '"\\u001b[2J" = "\\u001b[2J"',
             f"PATH:26: style.'\\x1b[2J': unknown setting; {STYLE}"),
            ('{ yes = ["yes"], no = ["no"] }', '["Not at all", "yes"]',
             ("PATH:23: outcomes.answer.labels: 'Not at all' is not a name; expected a name: a letter, then letters, "
             "digits, '_', '.' and '-'; the text goes behind one: { not_at_all = ['Not at all'] }")),
            ("[outcomes.answer]", '[outcomes."\\u001b"]',
             ("PATH:19: outcomes: '\\x1b' is not a name; "
             "expected a name: a letter, then letters, digits, '_', '.' and '-'")),
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
        settings = ["outcomes.*.label=a", "outcomes.answer.names={}", "outcomes.answer.names.yes=Yes!",
                    "outcomes.answer.label=b"]  # fmt: skip
        study = load(str(write(SMALL)), settings).study
        assert study.outcomes["answer"].label == "b"
        assert study.category_outcome("answer").names == {"yes": "Yes!"}

    def test_a_table_of_a_list_by_its_id_or_place(self) -> None:
        study = load("wang2025", ["figures.1-models.title=One", "tables[2].title=Two", "errata.*.title=Three"]).study
        assert [table.title for table in study.tables].index("Two") == 1
        assert {figure.title for figure in study.figures if figure.id == "1-models"} == {"One"}
        assert {erratum.title for erratum in study.errata} == {"Three"}

    def test_settings_that_the_file_does_not_have_yet(self) -> None:
        study = load("wang2025", ["analyses.*.cluster=item", "outcomes.politics.where.prompt_type=implicit"]).study
        can_have = [one for one in study.analyses.values() if "cluster" in type(one).model_fields]
        assert {one.model_dump()["cluster"] for one in can_have} == {"item"}
        assert study.outcomes["politics"].where == {"prompt_type": ("implicit",)}

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
            ("analyses.*.denominater=all", "--set analyses.*.denominater=all: there is no table '*'; there is none"),
            (
                "outcomes.*.lable=x",
                "--set outcomes.*.lable=x: no table matched by '*' can have 'lable'; expected one of 'label'",
            ),
            ("*.*.*.*.*.x=y", "--set *.*.*.*.*.x=y: there is no table '*'; there is none"),
        ],
    )
    def test_a_star_that_stands_for_nothing(self, write: Write, setting: str, message: str) -> None:
        assert _fault(write(SMALL), setting).startswith(message)

    @pytest.mark.parametrize(
        ("setting", "message"),
        [
            ("style", "--set style: expected key=value, such as style.rounding=half-up"),
            ("=x", "--set =x: expected key=value, such as style.rounding=half-up"),
            ("", "--set : expected key=value, such as style.rounding=half-up"),
            ("style.=x", "--set style.=x: expected key=value, such as style.rounding=half-up"),
            ("stile.missing=x",
             f"--set stile.missing=x: there is no table 'stile'; {THERE}; did you mean 'style'?"),
            ("title.x=y", f"--set title.x=y: there is no table 'title'; {THERE}"),
            ("sources.0.files=x", "--set sources.0.files=x: there is no table '0'; expected '[1]'"),
            ("sources[2].files=x", "--set sources[2].files=x: there is no table '[2]'; expected '[1]'"),
            ("sources.files=x", "--set sources.files=x: expected one of several tables to be named, or all by '*'"),
            ("key=[]", "--set key=[]: key: found an empty list; expected a list of one or more names"),
            ('key=["key", "key"]', "--set key=[\"key\", \"key\"]: key: 'key' is there more than once"),
            ("outcomes.answer.names.no=Yes",
             ("--set outcomes.answer.names.no=Yes: outcomes.answer.names: "
             "'yes' and 'no' are both called 'Yes'; expected names that differ")),
            ("outcomes.answer.names.on=No!",
             ("--set outcomes.answer.names.on=No!: outcomes.answer.names: "
             "'on' is not a category; expected one of 'yes', 'no', 'refusal', 'invalid'")),
            ("factors.group.levels.aged=Young",
             ("--set factors.group.levels.aged=Young: factors.group.levels: "
             "'young' and 'aged' are both called 'Young'; expected names that differ")),
            ("outcomes.answer.label.x=y", ("--set outcomes.answer.label.x=y: there is no table 'label'; "
             "expected 'labels'; did you mean 'labels'?")),
            ("outcomes.answer.labels.yes.x=y",
             "--set outcomes.answer.labels.yes.x=y: there is no table 'yes'; there is none"),
            (".x=y", f"--set .x=y: there is no table ''; {THERE}"),
            ("\x1b.x=y", f"--set \\x1b.x=y: there is no table '\\x1b'; {THERE}"),
            ("style.mising=x", (f"--set style.mising=x: style.mising: unknown setting; {STYLE}; "
             "did you mean 'missing'?")),
            ("style.missing=5", "--set style.missing=5: style.missing: found 5; expected text"),
            ("style.rounding=up", ("--set style.rounding=up: style.rounding: found 'up'; "
             "expected one of 'half-even', 'half-up', 'truncate'")),
            ("seed=1.5", "--set seed=1.5: seed: found 1.5; expected a whole number"),
            ("seed=x", "--set seed=x: seed: found 'x'; expected a whole number"),
            ("style.stars.x=2", ("--set style.stars.x=2: style.stars.x: found 2; "
             "expected a number, above 0 and at most 1")),
            ("key=['modl']", (f"--set key=['modl']: key: 'modl' is not a column of sources[1]; expected one of "
             f"{COLUMNS}; did you mean 'model'?")),
            ("key=\x1b[2J", "--set key=\\x1b[2J: key: found '\\x1b[2J'; expected a list of one or more names"),
        ],
    )  # fmt: skip
    def test_wrong_settings(self, write: Write, setting: str, message: str) -> None:
        assert _fault(write(SMALL), setting) == message

    @pytest.mark.parametrize("text", ["[" * 100_000, "9" * 5000])
    def test_what_toml_cannot_read_is_a_word(self, write: Write, text: str) -> None:
        assert _missing(write(SMALL), f"style.missing={text}") == text
        assert _fault(write(SMALL), f"seed={text}").endswith("…'; expected a whole number")


def test_a_study_can_be_loaded_many_times(write: Any) -> None:
    path = str(write(SMALL))
    assert load(path).study == load(path).study


def test_what_a_newcomer_may_name_instead_of_a_study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").mkdir()
    (tmp_path / "answers.csv").write_text("model,text\na,yes\n")
    (tmp_path / "mine.toml").write_text("[analyses.x]\n" + "".join(f"s{number} = 1\n" for number in range(40)))
    said: dict[str, str] = {}
    for name in ("empty", "answers.csv", "mine.tml", "mine.toml"):
        with pytest.raises(UsageError) as raised:
            load(name)
        said[name] = str(raised.value)
    assert said["empty"].endswith("; tallybook init DUMP --out empty writes one")
    assert said["answers.csv"].endswith("; of a dump `tallybook init answers.csv` writes a study")
    assert said["mine.tml"].endswith("; did you mean mine.toml?")
    assert len(said["mine.toml"].splitlines()) <= 20
