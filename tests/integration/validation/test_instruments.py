"""The shipped schemas of instruments: real dumps fit them, broken ones do not, and coders make what they say."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook import pipeline
from tallybook.cli.commands.schema import described, exported
from tallybook.core.progress import Progress
from tallybook.core.resources import BUNDLED_DATA, PUBLISHED
from tallybook.instruments.simulation.command import simulate
from tallybook.published import bundle
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.loading import load
from tallybook.validation.instruments import names, shipped
from tallybook.validation.schema_files import validate_files
from tests.released import needs_released, released_data

if TYPE_CHECKING:
    from collections.abc import Callable

    from tallybook.validation.model import Report

CHOICE = {
    "model": ["m", "m"],
    "item": ["1", "2"],
    "sample": [0, 0],
    "text": ["kind", "rude"],
    "anti_stereotype": ["rude", "rude"],
    "stereotype": ["kind", "kind"],
    "unrelated": ["tall", "tall"],
    "context": ["They are BLANK.", "They are BLANK."],
    "given": ["positive", "negative"],
    "shown": ["stereotype unrelated anti_stereotype", "stereotype,anti_stereotype,unrelated"],
}
WORDS = {
    "model": ["m", "m"],
    "item": ["1", "2"],
    "sample": [0, 0],
    "text": ["wise: old", "wise: young"],
    "default": ["young", "young"],
    "stigma": ["old", "old"],
    "positive": ["wise, bright", "wise, bright"],
    "negative": ["slow, frail", "slow, frail"],
    "words": ["wise, slow", "bright"],
}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def validated(name: str, *files: str | Path) -> Report:
    return validate_files([Path(file) for file in files], name, "error", Progress())


def told(name: str, **columns: Any) -> set[tuple[str, str, int | None, str, str]]:
    """What is wrong with a CSV file of some columns; a column that is None is left out."""
    pl.DataFrame({column: values for column, values in columns.items() if values is not None}).write_csv("t.csv")
    found = validated(name, "t.csv").failures.table()
    return set(found.select("check", "severity", "line", "value", "expectation").iter_rows())


@pytest.fixture(scope="module")
def simulated(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The folder of a simulated dump, with its responses read and coded in `read.parquet` and bundled in `b.csv`."""
    folders: dict[str, Path] = {}

    def of(kind: str) -> Path:
        if kind not in folders:
            target = tmp_path_factory.mktemp(kind) / "s"
            settings: dict[str, Any] = {"rows": 240, "seed": 3, "models": 2, "effect": "0.2"}
            simulate(kind, **settings, refusals=0.2, malformed=0.2, out=target, output=None, form=None, quiet=True)
            coded = pipeline.read_and_code(load(str(target)))
            coded.coded.write_parquet(target / "read.parquet")
            bundle.bundle(load(str(target)).study, coded.rows).write_csv(target / "b.csv")
            folders[kind] = target
        return folders[kind]

    return of


@pytest.mark.parametrize("kind", list(INSTRUMENTS))
def test_simulated_dumps_fit(simulated: Callable[[str], Path], kind: str) -> None:
    report = validated(kind, simulated(kind) / "responses.csv")
    assert (report.is_valid, report.rows) == (True, 240)
    silent = pl.read_csv(simulated(kind) / "responses.csv", infer_schema=False).filter(
        pl.col("text").str.strip_chars() == "", pl.col("status").is_in(["ok", "truncated"])
    )
    assert report.count("warning") == silent.height
    coded = validated(f"coded-{kind}", simulated(kind) / "b.csv", simulated(kind) / "read.parquet")
    assert coded.failures.table().rows() == []


@pytest.mark.parametrize("kind", list(INSTRUMENTS))
def test_coders_make_what_their_instruments_say(simulated: Callable[[str], Path], kind: str) -> None:
    """The vocabulary is the instrument's own; what it makes of many odd texts is within it."""
    instrument = load(str(simulated(kind))).study.instrument
    assert instrument is not None
    rows = pl.read_parquet(simulated(kind) / "read.parquet")
    assert set(instrument.vocabulary) <= set(instrument.makes) <= set(rows.columns)
    for column, values in instrument.vocabulary.items():
        assert set(rows.get_column(column).drop_nulls()) <= set(values), column
    for column, (least, most) in getattr(instrument, "limits", {}).items():
        numbers = rows.get_column(column).drop_nulls().to_list()
        assert all(least <= number <= (number if most is None else most) for number in numbers), column


@pytest.mark.parametrize(
    ("study", "kinds"),
    [
        ("wang2025", ["profile"]),
        ("kamruzzaman2024", ["attribute-choice"]),
        ("bai2025", ["word-association", "relative-decision", "absolute-decision"]),
    ],
)
def test_bundled_responses_fit(study: str, kinds: list[str]) -> None:
    for kind in kinds:
        report = validated(f"coded-{kind}", BUNDLED_DATA / study / "coded_responses.csv")
        assert (report.failures.table().rows(), report.rows > 1000) == ([], True)


def test_bundled_references_and_published_values_fit() -> None:
    assert validated("references", BUNDLED_DATA / "wang2025" / "reference_distributions.csv").rows == 168
    assert validated("references", BUNDLED_DATA / "wang2025" / "reference_distributions.csv").is_valid
    for values in PUBLISHED.glob("*/values.csv"):
        assert validated("published", values).is_valid


def test_broken_references_and_tallies(folder: Path) -> None:
    text = (BUNDLED_DATA / "wang2025" / "reference_distributions.csv").read_text()
    (folder / "r.csv").write_text(
        text.replace("0.28", "1.28", 1).replace("0.53", "half", 1).replace("lower-class", "", 1)
    )
    found = validated("references", "r.csv").failures.table().select("check", "line", "value")
    assert set(found.iter_rows()) == {
        ("proportion.less_than_or_equal_to", 2, "1.28"),
        ("category.not_nullable", 2, ""),
        ("proportion.type", 3, "half"),
    }
    loaded = load("wang2025")
    tally = pipeline.count(loaded, pipeline.read_and_code(loaded))
    tally.write_parquet(folder / "t.parquet")
    assert validated("tallies", "t.parquet").is_valid
    tally.with_columns(count=pl.when(pl.int_range(pl.len()) > 0).then("count").otherwise(0)).write_parquet("t.parquet")
    found = validated("tallies", "t.parquet").failures.table().select("check", "key", "value")
    assert found.rows() == [("count.greater_than_or_equal_to", "row 1", "0")]


@needs_released("kamruzzaman2024")
def test_released_responses_fit() -> None:
    """As they were released, but for the names of three columns."""
    file = next((released_data("kamruzzaman2024") / "outputs").glob("mistral_valid.csv"))
    rows = pl.read_csv(file, infer_schema=False).rename({"response": "text", "item_category": "given"})
    rows.with_columns(model=pl.lit("mistral"), item=pl.lit("x"), sample=pl.lit(0)).write_csv("t.csv")
    assert validated("attribute-choice", "t.csv").is_valid


def test_choices() -> None:
    assert told("attribute-choice", **CHOICE) == set()
    for optional in ("context", "given", "shown"):
        assert told("attribute-choice", **CHOICE | {optional: None}) == set()
    assert told(
        "attribute-choice",
        **CHOICE
        | {
            "anti_stereotype": ["kind", "rude"],
            "unrelated": ["tall", " "],
            "given": ["neutral", "negative"],
            "shown": ["stereotype, unrelated", "stereotype unrelated anti_stereotype"],
        },
    ) == {
        ("stimuli", "error", 2, "kind", "another option than in column anti_stereotype"),
        ("unrelated.str_contains", "error", 3, " ", "text that is not blank"),
        ("given.isin", "error", 2, "neutral", "one of positive, negative"),
        ("stimuli", "error", 2, "stereotype, unrelated", "every one of anti_stereotype, stereotype, unrelated, once"),
    }
    assert told("attribute-choice", **CHOICE | {"stereotype": [None, "kind"]}) == {
        ("stereotype.not_nullable", "error", 2, "", "a value, not null")
    }
    due = "this column: what the instrument takes as options.stereotype"
    assert told("attribute-choice", **CHOICE | {"stereotype": None}) == {
        ("stereotype.required", "error", None, "", due)
    }


def test_groups_and_words() -> None:
    assert told("word-association", **WORDS) == set()
    assert told("word-association", **WORDS | {"words": None}) == set()
    ((check, severity, line, value, expected),) = told("word-association", **WORDS | {"words": ["wise, loud", "slow"]})
    assert (check, severity, line, value) == ("stimuli", "error", 2, "loud")
    assert expected.startswith("one of the words that are listed for ")
    found = told("word-association", **WORDS | {"negative": ["slow, wise", "slow, frail"]})
    assert {one[:4] for one in found} == {("stimuli", "error", 2, "wise")}
    decisions = {name: values for name, values in WORDS.items() if name != "words"}
    assert told("relative-decision", **decisions) == set()
    found = told("relative-decision", **decisions | {"stigma": ["young", "old"]})
    assert {one[:4] for one in found} == {("stimuli", "error", 2, "young")}
    assert {one[0] for one in told("relative-decision", **decisions | {"stigma": None})} == {"stigma.required"}


@pytest.mark.parametrize("kind", ["absolute-decision", "profile"])
def test_texts(kind: str) -> None:
    rows = {name: CHOICE[name] for name in ("model", "item", "sample", "text")}
    silent = ("text.present", "warning", 3, "", "a text, or a status that says why there is none")
    assert told(kind, **rows) == set()
    assert told(kind, **rows | {"text": ["yes", None]}) == {silent}
    assert told(kind, **rows | {"text": ["yes", " "]}) == {(*silent[:3], " ", silent[4])}
    assert told(kind, **rows | {"text": ["yes", None], "status": ["ok", "error"]}) == set()
    assert told(kind, **rows | {"text": ["", None], "status": ["empty", "error"]}) == {
        ("text.filled", "error", None, "", "a value in one row at least")
    }
    due = "this column: the answer; untrusted. Null when none was delivered"
    assert told(kind, **rows | {"text": None}) == {("text.required", "error", None, "", due)}


CODED = {
    "model": ["m", "m"],
    "status": ["ok", "invalid"],
    "polarity": ["positive", None],
    "reason": [None, "no-response"],
}


def test_coded_responses() -> None:
    assert told("coded-attribute-choice", **CODED) == set()
    assert told("coded-attribute-choice", **CODED | {"status": ["refused", "ok"], "polarity": ["good", None]}) == {
        ("polarity.isin", "error", 2, "good", "one of negative, neutral, positive"),
        ("polarity.status", "error", 2, "good", "nothing, since the status says so"),
        ("reason.status", "error", 3, "no-response", "nothing, since the status says so"),
    }
    reasons = "one of no-response, declined, not-assigned, ambiguous, not-judged"
    assert told("coded-relative-decision", **CODED | {"reason": [None, "numeric-selection"]}) == {
        ("reason.isin", "error", 3, "numeric-selection", reasons)
    }
    ((check, _, line, _, expected),) = told("coded-absolute-decision", **CODED | {"reason": None})
    assert (check, line, expected.startswith("one of the columns answer, affirmed, ")) == ("outcomes", None, True)
    assert told("coded-profile", model=["m"], faith=["any"]) == set()
    assert told("coded-word-association", model=["m"], bias=[1.5], completeness=["partial"]) == {
        ("bias.less_than_or_equal_to", "error", 2, "1.5", "at most 1.0")
    }
    assert told("coded-relative-decision", model=["m", "m"], decided=[1.0, 0.5], discriminatory=[1, 2]) == {
        ("decided.isin", "error", 3, "0.5", "one of 0.0, 1.0"),
        ("discriminatory.isin", "error", 3, "2", "one of 0, 1"),
    }


def test_a_dump_with_other_columns_is_told_where_to_go(validate: Callable[..., tuple[int, str, str]]) -> None:
    code, out, _ = validate({"a.csv": "LLM,answer\nm,yes\n"}, "a.csv", "-s", "absolute-decision")
    assert code == 1
    assert out.splitlines()[-1] == (
        "note: columns are called as `tallybook simulate absolute-decision` calls them; `tallybook init` writes a "
        "study that reads others; coded responses are validated with -s coded-absolute-decision"
    )
    assert validate({}, "a.csv", "-s", "choice")[2].startswith("tallybook: no schema choice; there are responses, ")


def test_names() -> None:
    assert {f"{before}{kind}" for kind in INSTRUMENTS for before in ("", "coded-")} == set(names())
    assert {"profile", "attribute-choice", "word-association", "relative-decision", "absolute-decision"} <= set(
        INSTRUMENTS
    )
    assert all(about.endswith(".") and "\n" not in about for about in described().values())
    assert set(names()) < set(described())


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("form", ["json-schema", "table-schema"])
def test_exported_schemas_say_the_same(folder: Path, name: str, form: str) -> None:
    known = shipped(name)
    schema = exported(name, form)
    (folder / "s.json").write_text(json.dumps(schema))
    fields = schema["properties"] if form == "json-schema" else {field["name"]: field for field in schema["fields"]}
    assert list(fields) == list(known.schema.columns)
    assert all(field["description"].endswith(".") for field in fields.values())
    columns = {column: ["?", " "] for column in known.schema.columns}
    pl.DataFrame(columns).write_csv("t.csv")
    beside = {rule.name for rule in known.rules} | {"stimuli"}

    def told(schema: str) -> set[tuple[Any, ...]]:
        found = validated(schema, "t.csv").failures.table().select("check", "line", "value")
        return {one for one in found.iter_rows() if one[0] not in beside}

    assert told("s.json") == told(name)
    pl.DataFrame({"model": ["m"], "x": [1]}).write_csv("t.csv")
    # No Table Schema says of a column that it must be there and need not have values.
    absent = {one[0] for one in told(name)} - {"outcomes", *(["text.required"] if form == "table-schema" else [])}
    assert {one[0] for one in told("s.json")} == absent


def test_the_command(validate: Callable[..., tuple[int, str, str]]) -> None:
    from typer.testing import CliRunner

    from tallybook.cli.app import app

    validate({}, "--help")
    run = CliRunner().invoke
    listed = run(app, ["schema"]).stdout
    assert [line.split()[0] for line in listed.splitlines()] == list(described())
    assert json.loads(run(app, ["schema", "word-association"]).stdout)["required"][-1] == "negative"
    assert run(app, ["schema", "coded-profile", "--form", "table-schema", "-o", "s.json"]).exit_code == 0
    assert json.loads(Path("s.json").read_text())["fieldsMatch"] == "partial"
    for wrong in (["nothing"], ["study", "--form", "table-schema"], ["responses", "--form", "xml"]):
        assert run(app, ["schema", *wrong]).exit_code != 0
