"""Dumps tallied in parts: however they are parted, the merged numbers are those of one run."""

from __future__ import annotations

import json
import os
import random
import re
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl
import pytest
from typer.testing import CliRunner

from tallybook.cli.app import app
from tallybook.cli.commands import computing, tallying
from tallybook.cli.options import Wanted
from tallybook.core import duplicate_keys
from tallybook.core.errors import DataError, TallybookError, UsageError
from tallybook.shards import read_shard

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

STUDY = """
name = "parts"
title = "A study in parts"
key = ["model", "item", "sample"]
cluster = "item"

[[sources]]
format = "csv"
files = "{model}/{part}.csv"
keep = { is_not = { group = "poor" } }

[sources.columns]
text = { path = "answer" }
item = { path = "item" }
sample = { path = "sample", type = "integer" }
group = { path = "group" }
note = { path = "note", blank = "report" }

[factors.model]
label = "Model"
levels = { zeta = "Zeta", alpha = "Alpha" }

[factors.group]
label = "Group"
levels = { old = "Old", young = "Young" }

[instrument]
kind = "absolute-decision"

[outcomes.decision]
kind = "category"
label = "Decision"
attribute = "answer"
labels = { yes = ["yes"] }

[outcomes.words]
kind = "label"
label = "Words"
attribute = "text"

[analyses.share]
statistic = "proportion"
outcomes = ["decision"]
by = ["model", "group"]

[analyses.difference]
statistic = "difference"
outcomes = ["decision"]
by = ["model"]
factor = "group"
levels = ["old", "young"]

[analyses.ranking]
statistic = "most-frequent"
outcomes = ["words"]
by = ["model"]
"""
TEXTS = ("Yes.", "No.", "I cannot answer that.", "yes", "Perhaps", "no")
FILES = tuple(f"{model}/{part}.csv" for model, part in product(("alpha", "zeta"), "bcad"))


def _write(folder: Path, **changed: str) -> Path:
    """The study and its dump: four files a model; `changed` are settings of the source."""
    text = STUDY
    for name, value in changed.items():
        text = text.replace("[sources.columns]", f"{name} = {value}\n[sources.columns]")
    folder.mkdir(parents=True)
    (folder / "study.toml").write_text(text, encoding="utf-8")
    for number, name in enumerate(FILES):
        rows = ["item,sample,group,note,answer"]
        for row in range(12):
            group = ("old", "young", "poor")[(row + number) % 3]
            note = "" if (row, number) == (3, 5) else "seen"
            rows.append(f"i{row % 4},{100 * number + row},{group},{note},{TEXTS[(row * 5 + number) % 6]}")
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text("\n".join([*rows, ""]), encoding="utf-8")
    return folder


def _tally(folder: Path, parts: Iterable[str], output: Path, master: str | None = None) -> str:
    wanted = Wanted(study=str(folder), quiet=True)
    made = tallying.tally(wanted, [folder / part for part in parts], output=output, jobs=1, master=master)
    return str(made["text"])


def _merge(folder: Path, tallies: Iterable[Path], out: Path) -> dict[str, bytes]:
    tallying.merge(Wanted(study=str(folder), out=out, quiet=True), list(tallies))
    return _written(out)


def _written(out: Path) -> dict[str, bytes]:
    files = {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}
    return {name: content for name, content in files.items() if name not in {"manifest.json", "responses.parquet"}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A study, its dump, and beside it the output of one run."""
    folder = _write(tmp_path_factory.mktemp("parts") / "study")
    out = folder.parent / "whole"
    computing.run(Wanted(study=str(folder), out=out, quiet=True), numbers_only=True)
    return folder


@pytest.mark.parametrize(
    "parts",
    [
        [FILES],
        [FILES[:1], FILES[1:]],
        [FILES[5:], FILES[:2], FILES[2:5]],
        [FILES[1::2], FILES[::2]],
        [("zeta",), ("alpha",)],
        [(name,) for name in FILES[::-1]],
    ],
    ids=["all", "one", "three", "interleaved", "folders", "each"],
)
def test_the_numbers_of_one_run(folder: Path, tmp_path: Path, parts: list[tuple[str, ...]]) -> None:
    tallies = [tmp_path / f"{number}.parquet" for number in range(len(parts))]
    for part, output in zip(parts, tallies, strict=True):
        _tally(folder, part, output)
    whole = _written(folder.parent / "whole")
    assert _merge(folder, tallies, tmp_path / "out") == whole
    assert {"estimates.csv", "findings.csv", "tallies/words.parquet", "uncoded.csv"} <= whole.keys()
    then, now = (json.loads((out / "manifest.json").read_text()) for out in (folder.parent / "whole", tmp_path / "out"))
    assert [now[name] for name in ("inputs", "responses", "left_out")] == [
        then[name] for name in ("inputs", "responses", "left_out")
    ]
    assert now["merged"].keys() == {path.name for path in tallies}


def test_no_text_is_in_a_tally_unless_texts_are_counted(tmp_path: Path) -> None:
    folder = _write(tmp_path / "study")
    file = folder / "study.toml"
    text = re.sub(r"\[outcomes\.words\][^\[]*", "", file.read_text())
    file.write_text(text[: text.index("[analyses.ranking]")])
    _tally(folder, ["alpha"], tmp_path / "a.parquet")
    assert not {"text", "key", "sample"} & {*pl.read_parquet_schema(tmp_path / "a.parquet")}


def test_a_failing_part_is_named_and_done_again_alone(tmp_path: Path) -> None:
    folder, tallies = _write(tmp_path / "study"), tmp_path / "tallies"
    broken = folder / "zeta" / "a.csv"
    good = broken.read_text()
    broken.write_text(good.replace("young", "younger"))
    with pytest.raises(TallybookError, match=r"^1 of 8 parts failed") as raised:
        _tally(folder, FILES, tallies)
    assert raised.value.exit_code == 1
    assert "\nzeta/a.csv: " in str(raised.value)
    broken.write_text(good)
    told = _tally(folder, FILES, tallies).splitlines()
    assert [line.endswith("tallied before") for line in told] == [name != "zeta/a.csv" for name in FILES]
    broken.write_text(good.replace("yes", "Yes."))  # a part that has changed is no longer done
    told = _tally(folder, FILES, tallies).splitlines()
    assert [line.endswith("tallied before") for line in told] == [name != "zeta/a.csv" for name in FILES]


@pytest.fixture(scope="module")
def spark() -> Iterator[str]:
    """A Spark Connect server: the one that SPARK_REMOTE names, or one without Java."""
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    if running := os.environ.get("SPARK_REMOTE"):
        yield running
        return
    server = pytest.importorskip("pysail.spark", reason="pysail is not installed").SparkConnectServer("127.0.0.1", 0)
    server.start(background=True)
    yield f"sc://127.0.0.1:{server.listening_address[1]}"
    server.stop()


def test_the_numbers_of_one_run_by_spark(
    folder: Path, spark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # workers know paths of their own
    told = _tally(folder, FILES, Path("tallies"), spark)
    assert [line.partition(":")[0] for line in told.splitlines()] == [
        str(tmp_path / "tallies" / f"{name.replace('/', '-')}.parquet") for name in FILES
    ]
    assert _merge(folder, [tmp_path / "tallies"], tmp_path / "out") == _written(folder.parent / "whole")


def test_a_failing_part_is_named_by_spark(spark: str, tmp_path: Path) -> None:
    folder, tallies = _write(tmp_path / "study"), tmp_path / "tallies"
    broken = folder / "zeta" / "a.csv"
    good = broken.read_text()
    broken.write_text(good.replace("young", "younger"))
    with pytest.raises(TallybookError, match=r"^1 of 8 parts failed[^\n]*\nzeta/a.csv: ") as raised:
        _tally(folder, FILES, tallies, spark)
    assert raised.value.exit_code == 1
    broken.write_text(good)
    told = _tally(folder, FILES, tallies, spark).splitlines()
    assert [line.endswith("tallied before") for line in told] == [name != "zeta/a.csv" for name in FILES]


def test_spark_that_is_not_there(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--master: expected a Spark Connect server, sc://host:15002"):
        _tally(folder, FILES, tmp_path, "local[*]")
    pytest.importorskip("pyspark", reason="the extra spark is not installed")
    with pytest.raises(UsageError, match=r"^Spark at 127.0.0.1:1: .*refused"):
        _tally(folder, FILES, tmp_path, "sc://127.0.0.1:1/;token=secret")


def test_spark_and_its_server_go_together() -> None:
    for words in (["--engine", "spark"], ["--master", "sc://127.0.0.1:1"]):
        result = CliRunner().invoke(app, ["tally", "x.csv", "-o", "x.parquet", *words])
        assert "--engine spark and --master URL go together" in str(result.exception)


@pytest.mark.parametrize("at_once", [duplicate_keys.AT_ONCE, 16])
def test_keys_that_repeat_across_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int) -> None:
    monkeypatch.setattr(duplicate_keys, "AT_ONCE", at_once)
    folder = _write(tmp_path / "study")
    file = folder / "alpha" / "d.csv"
    file.write_text(file.read_text().replace(",300,", ",100,"))
    for name in ("alpha/c.csv", "alpha/d.csv", "zeta"):
        _tally(folder, [name], tmp_path / f"{name[-5:-4]}.parquet")
    _tally(folder, ["alpha/a.csv", "alpha/b.csv"], tmp_path / "rest.parquet")
    with pytest.raises(DataError) as raised:
        _merge(folder, tmp_path.glob("*.parquet"), tmp_path / "out")
    assert {(problem.file[-9:], problem.value) for problem in raised.value.problems} == {
        ("c.parquet", "1 key"),
        ("d.parquet", "1 key"),
    }
    with pytest.raises(
        DataError, match=r"alpha/d.csv: key row 2, .*found alpha, i0, 100"
    ):  # within one part each is named
        _tally(folder, ["alpha/c.csv", "alpha/d.csv"], tmp_path / "both.parquet")


class TestRefused:
    """What cannot be tallied in parts or merged says so."""

    @pytest.mark.parametrize(
        ("name", "value", "told"),
        [
            ("duplicates", '"report"', 'duplicates = "report" names each'),
            ("items", '{ file = "items.csv", on = { group = "group" } }', "a list of items is compared"),
        ],
    )
    def test_studies(self, tmp_path: Path, name: str, value: str, told: str) -> None:
        folder = _write(tmp_path / "study", **{name: value})
        file = folder / "study.toml"
        if name == "items":
            file.write_text(file.read_text().replace('item = { path = "item" }\n', ""))
        with pytest.raises(UsageError, match=f"parts cannot be tallied in parts: {told}"):
            _tally(folder, ["alpha"], tmp_path / "a.parquet")

    def test_samples_that_are_counted(self, tmp_path: Path) -> None:
        folder = _write(tmp_path / "study", samples_by='["model", "item"]', extra='"ignore"')
        file = folder / "study.toml"
        text = file.read_text().replace('sample = { path = "sample", type = "integer" }\n', "")
        file.write_text(text)
        for part in ("alpha/a.csv", "alpha/b.csv", "alpha/c.csv", "alpha/d.csv", "zeta"):  # numbered anew in each part
            _tally(folder, [part], tmp_path / f"{part[-5:]}.parquet")
        merged = _merge(folder, tmp_path.glob("*.parquet"), tmp_path / "out")
        computing.run(Wanted(study=str(folder), out=tmp_path / "whole", quiet=True), numbers_only=True)
        assert merged == _written(tmp_path / "whole")
        file.write_text(text.replace('cluster = "item"', 'cluster = ["item", "sample"]'))
        with pytest.raises(UsageError, match="samples are numbered across files"):
            _tally(folder, ["alpha"], tmp_path / "again.parquet")

    def test_parts(self, folder: Path, tmp_path: Path) -> None:
        with pytest.raises(UsageError, match="no such file or folder"):
            _tally(folder, ["gamma"], tmp_path / "a.parquet")
        (tmp_path / "alpha").mkdir()
        with pytest.raises(UsageError, match=r"expected a file or folder in the data folder"):
            _tally(folder, [str(tmp_path / "alpha")], tmp_path / "a.parquet")
        with pytest.raises(UsageError, match=r"study.toml: no files of the form"):
            _tally(folder, ["study.toml"], tmp_path / "a.parquet")
        with pytest.raises(UsageError, match="no folder"):
            _tally(folder, ["alpha"], tmp_path / "nowhere" / "a.parquet")

    def test_tallies(self, folder: Path, tmp_path: Path) -> None:
        alpha, zeta, again = (tmp_path / f"{name}.parquet" for name in ("alpha", "zeta", "again"))
        for part, output in (("alpha", alpha), ("zeta", zeta), ("alpha/a.csv", again)):
            _tally(folder, [part], output)
        with pytest.raises(UsageError, match=r"alpha.parquet and .*again.parquet both hold the tally of alpha/a.csv"):
            _merge(folder, [alpha, zeta, again], tmp_path / "out")
        with pytest.raises(UsageError, match=r"study.toml: expected a file that tallybook tally wrote"):
            _merge(folder, [folder / "study.toml"], tmp_path / "out")
        with pytest.raises(UsageError, match=r"no tally in it"):
            _merge(folder, [folder], tmp_path / "out")
        other = _write(tmp_path / "other", missing_files='"error"')
        with pytest.raises(UsageError, match=r"alpha.parquet was not tallied with .*study.toml as it is now"):
            _merge(other, [alpha], tmp_path / "out")
        _tally(other, ["zeta"], zeta)
        with pytest.raises(DataError, match=r"alpha/{part}.csv: .*this file: the study declares model alpha"):
            _merge(other, [zeta], tmp_path / "out")
        with pytest.raises(UsageError, match=r"zeta.parquet and .*alpha.parquet were tallied with another study file"):
            _merge(folder, [alpha, zeta], tmp_path / "out")
        alpha.with_suffix(".keys.parquet").unlink()
        with pytest.raises(
            UsageError, match=r"alpha.keys.parquet: no such file; tallybook tally wrote it beside alpha"
        ):
            _merge(folder, [alpha], tmp_path / "out")
        assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("file", ["all.parquet", "all.keys.parquet"])
def test_a_damaged_tally(folder: Path, tmp_path: Path, file: str) -> None:
    """Each is refused by its name, or what was damaged changes nothing: it is in padding or statistics."""
    _tally(folder, FILES, tmp_path / "all.parquet")
    sound, drawn, refused = (tmp_path / file).read_bytes(), random.Random(1), 0  # noqa: S311
    for end in (400, len(sound)):
        for _ in range(4):
            damaged = bytearray(sound)
            for _ in range(8):
                damaged[-drawn.randint(1, end)] = drawn.randrange(256)
            (tmp_path / file).write_bytes(damaged)
            try:
                _merge(folder, [tmp_path / "all.parquet"], tmp_path / "out")
            except UsageError as error:
                refused += "all.parquet: expected a file that tallybook tally wrote" in str(error)
    assert refused


def test_a_tally_says_its_counts_in_order(folder: Path, tmp_path: Path) -> None:
    _tally(folder, FILES, tmp_path / "all.parquet")
    counted = pl.DataFrame(read_shard(tmp_path / "all.parquet").about["counted"])
    assert counted.height > len(FILES)
    assert counted.rows() == sorted(counted.rows())
