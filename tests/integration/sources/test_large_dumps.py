"""Dumps larger than memory: nothing depends on how they are cut, and what is temporary is removed."""

from __future__ import annotations

import csv
import gc
import io
import tempfile
from itertools import product
from typing import TYPE_CHECKING
from unittest.mock import Mock

import polars as pl
import pytest

from tallybook import pipeline
from tallybook.cli.commands import computing
from tallybook.cli.options import Wanted
from tallybook.core import spill_buffer
from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments.coding_once import CodingOnce
from tallybook.published.bundle import bundle
from tallybook.sources import csv_records, reading
from tallybook.study.loading import load
from tallybook.tally import tally

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tallybook.instruments.coder import Coding
    from tallybook.study.loading import LoadedStudy

STUDY = """
name = "small"
title = "A small study"
key = ["model", "item", "sample"]

[[sources]]
format = "csv"
files = "{model}_{part:int}.csv"
duplicates = "report"
derive = { kind = { from = "group", map = { young = "age", old = "age", poor = "wealth" } } }

[[sources.lookups]]
file = "topics.csv"
row = "sample"
take = { topic = "topic" }

[sources.items]
file = "items.csv"
on = { group = "group", sentence = "sentence" }
unlisted = "report"
absent = "report"
by = ["model"]

[sources.columns]
text = { path = "answer" }
sample = { path = "sample", type = "integer" }
status = { path = "status" }
group = { path = "group", blank = "error" }
sentence = { path = "sentence" }
nice = { path = "nice" }
rude = { path = "rude" }
given = { path = "given" }
code = { path = "code", blank = "ignore" }
note = { path = "note", blank = "report" }

[factors.model]
label = "Model"
levels = { zeta = "Zeta", alpha = "Alpha" }

[factors.group]
label = "Group"
levels = { old = "Old", young = "Young", poor = "Poor" }

[factors.kind]
label = "Kind"
levels = { wealth = "Wealth", age = "Age" }

[instrument]
kind = "attribute-choice"
context = "sentence"
given = "given"
options = { nice = "nice", rude = "rude" }
hand = { column = "code", codes = { c1 = "no-response", c2 = "out-of-context" } }

[instrument.polarity]
positive = { nice = "positive", rude = "negative" }
negative = { nice = "negative", rude = "positive" }

[outcomes.choice]
kind = "category"
label = "Choice"
attribute = "chosen_option"
labels = { nice = ["nice"] }

[outcomes.words]
kind = "label"
label = "Words"
attribute = "text"

[outcomes.why]
kind = "reason"
label = "Why not"
attribute = "invalid_reason"
labels = { silent = ["no-response"], rest = ["out-of-context"] }

[analyses.share]
statistic = "proportion"
outcomes = ["choice"]
by = ["model", "group"]

[analyses.ranking]
statistic = "most-frequent"
outcomes = ["words"]
by = ["model"]
"""
HEADER = ("sample", "status", "answer", "group", "sentence", "nice", "rude", "given", "code", "note")
TEXTS = (
    "Kind", "mean", "They are **kind**.", 'He said: "mean,\nvery mean"', "", "I cannot answer that.", "5", "BLANK",
    "neither, both\r\nor none", "kind", "mean", "kind",
)  # fmt: skip


def _rows(model: str) -> list[tuple[int, *tuple[str, ...]]]:
    """Responses of a model: several to each item, some that did not come, were coded by hand or are no item's."""
    rows: list[tuple[int, *tuple[str, ...]]] = []
    for number, (group, text) in enumerate(product(("young", "old", "poor"), TEXTS)):
        status = "refused" if number % 17 == 5 else "ok"
        sentence = f"The {group} one is BLANK" + (", really" if number % 31 == 7 else "")
        code = ("", "c1", "c2")[number % 11 // 5]
        note = "" if number % 13 == 3 else "seen"
        given = "positive" if number % 2 else "negative"
        rows.append((number, status, text, group, sentence, "kind", "mean", given, code, note))
    rows.append(rows[0] if model == "alpha" else rows[-1])  # twice, in the same file
    return rows


def _csv(rows: Sequence[Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([HEADER, *rows])
    return text.getvalue()


def _write(folder: Path, pieces: int = 1) -> LoadedStudy:
    """The study and its dump, the responses of each model in so many files."""
    folder.mkdir()
    (folder / "study.toml").write_text(STUDY, encoding="utf-8")
    items = [f"{group},The {group} one is BLANK" for group in ("young", "old", "poor", "rich")]
    (folder / "items.csv").write_text("\n".join(["group,sentence", *items, ""]), encoding="utf-8")
    topics = [f"topic {number}" for number in range(len(_rows("zeta")))]
    (folder / "topics.csv").write_text("\n".join(["topic", *topics, ""]), encoding="utf-8")
    for model in ("alpha", "zeta"):
        rows = _rows(model)
        length = -(-len(rows) // pieces)
        for piece in range(pieces):
            text = _csv(rows[piece * length : (piece + 1) * length])
            (folder / f"{model}_{piece}.csv").write_text(text, encoding="utf-8", newline="")
    return load(str(folder))


def _run(folder: Path, out: Path) -> dict[str, bytes]:
    """Everything that a run writes, by name."""
    computing.run(Wanted(study=str(folder), data=folder, out=out, quiet=True), numbers_only=True)
    return {str(path.relative_to(out)): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.fixture
def cut(monkeypatch: pytest.MonkeyPatch) -> None:
    """Memory for nothing: files are read in parts of a few rows, and all rows are put into temporary files."""
    monkeypatch.setattr(csv_records, "AT_ONCE", 300)
    monkeypatch.setattr(spill_buffer, "IN_MEMORY", 0)


@pytest.fixture(scope="module")
def at_ease(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """What a run writes that has memory for everything."""
    folder = tmp_path_factory.mktemp("ease")
    _write(folder / "data")
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("SOURCE_DATE_EPOCH", "1000000000")
        return _run(folder / "data", folder / "out")


class TestResults:
    """What comes out is the same."""

    @pytest.mark.parametrize(("at_once", "in_memory"), [(1, 0), (700, 20_000), (2**23, 0), (700, 2**25)])
    def test_everything_written_is_the_same(
        self,
        at_ease: dict[str, bytes],
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        at_once: int,
        in_memory: int,
    ) -> None:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
        _write(tmp_path / "data")
        monkeypatch.setattr(csv_records, "AT_ONCE", at_once)
        monkeypatch.setattr(spill_buffer, "IN_MEMORY", in_memory)
        assert _run(tmp_path / "data", tmp_path / "out") == at_ease
        assert {"responses.parquet", "findings.csv", "uncoded.csv", "estimates.csv"} <= at_ease.keys()

    @pytest.mark.parametrize("keep", [0, 40])
    def test_the_same_numbers_where_only_what_is_counted_is_kept(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, keep: int
    ) -> None:
        """Also where a joint tally does not fit into memory, and whichever responses of a part are alike."""
        study = _write(tmp_path / "data")
        whole = pipeline.compute(study, tmp_path / "data")
        coded_first: list[bool] = []
        code_representatives = CodingOnce.code_representatives

        def noting(once: CodingOnce, responses: pl.DataFrame, used: list[str]) -> Coding | None:
            coding = code_representatives(once, responses, used)
            coded_first.append(coding is not None)
            return coding

        monkeypatch.setattr(CodingOnce, "code_representatives", noting)
        for at_once, waiting in ((2**23, 2**20), (3000, 2**20), (300, 4)):
            monkeypatch.setattr(csv_records, "AT_ONCE", at_once)
            monkeypatch.setattr("tallybook.tally.MOST_WAITING", waiting)
            counted = pipeline.compute(study, tmp_path / "data", keep=keep)
            assert counted.tally.equals(whole.tally)
            assert counted.estimates.equals(whole.estimates)
            source, all_kept = counted.source, whole.source
            assert (source.by_status, source.uncoded.rows()) == (all_kept.by_status, all_kept.uncoded.rows())
            assert source.files.sort("file").equals(all_kept.files.sort("file"))
            assert sorted(source.findings, key=str) == sorted(all_kept.findings, key=str)
            with pytest.raises(UsageError, match="only the tally was kept"):
                _ = source.coded
        assert any(coded_first)

    @pytest.mark.usefixtures("cut")
    def test_the_files_of_a_model_can_be_several(self, tmp_path: Path) -> None:
        one, several = (
            pipeline.read_and_code(_write(tmp_path / str(pieces), pieces), tmp_path / str(pieces)) for pieces in (1, 7)
        )
        study = load(str(tmp_path / "1")).study
        assert several.coded.drop("file", "key", "response_id", "item", "part").equals(
            one.coded.drop("file", "key", "response_id", "item", "part")
        )
        assert bundle(study, several.coded.with_columns(item=pl.lit(""))).equals(
            bundle(study, one.coded.with_columns(item=pl.lit("")))
        )
        counted = [tally(source.rows, list(study.factors), study.outcomes) for source in (one, several)]
        assert counted[0].equals(counted[1])
        assert (one.by_status, one.uncoded.rows()) == (several.by_status, several.uncoded.rows())
        assert len(one.findings) == len(several.findings) > 10

    @pytest.mark.usefixtures("cut")
    def test_rows_are_in_order_and_can_be_collected(self, tmp_path: Path) -> None:
        study = _write(tmp_path / "data")
        coded = pipeline.read_and_code(study, tmp_path / "data").coded
        rows = [(model, row[0], str(row[3])) for model in ("alpha", "zeta") for row in _rows(model)]
        assert coded.select("model", "sample", "group").rows() == rows
        in_order = sorted(rows, key=lambda row: (row[0] != "zeta", ["old", "young", "poor"].index(row[2])))
        assert coded.sort("position").select("model", "sample", "group").rows() == in_order

    @pytest.mark.usefixtures("cut")
    def test_no_stage_sees_many_rows_at_once(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        seen: list[int] = []
        code = CodingOnce.code

        def counting(once: CodingOnce, responses: pl.DataFrame) -> Coding:
            seen.append(responses.height)
            return code(once, responses)

        monkeypatch.setattr(CodingOnce, "code", counting)
        pipeline.read_and_code(_write(tmp_path / "data"), tmp_path / "data")
        assert sum(seen) == sum(len(_rows(model)) for model in ("alpha", "zeta"))
        assert max(seen) < 10

    @pytest.mark.usefixtures("cut")
    def test_a_file_is_not_cut_for_instruments_that_learn_from_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        study = _write(tmp_path / "data").study
        assert len(reading.read(study, tmp_path / "data").parts) > 10
        monkeypatch.setattr(type(study.instrument), "is_row_by_row", False)
        assert len(reading.read(study, tmp_path / "data").parts) == 2


class TestFaults:
    """One run names all faults of all files, in the same words however the files are cut."""

    def _problems(self, folder: Path) -> list[str]:
        with pytest.raises(DataError) as raised:
            pipeline.read_and_code(load(str(folder)), folder)
        return [str(problem) for problem in raised.value.problems]

    def _spoilt(self, folder: Path, *changes: tuple[int, str, str]) -> None:
        """Replace cells of both files: every so-manieth row, the column, the value."""
        _write(folder)
        for model in ("alpha", "zeta"):
            rows = [list(row) for row in _rows(model)]
            for every, column, value in changes:
                for row in rows[::every]:
                    row[HEADER.index(column)] = value
            (folder / f"{model}_0.csv").write_text(_csv(rows), encoding="utf-8", newline="")

    @pytest.mark.parametrize(
        "changes",
        [
            [(7, "sample", "one"), (11, "group", ""), (5, "sample", "1.5")],
            [(9, "group", "rich"), (10, "group", "poorer")],
            [(20, "nice", ""), (25, "given", "neutral")],
            [(20, "code", "c9")],
            [(2, "sample", "3")],
            [(9, "sample", "99"), (20, "sample", "")],
        ],
        ids=["cells", "levels", "options", "codes", "repeated", "positions"],
    )
    def test_the_same_as_at_once(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, changes: list[tuple[int, str, str]]
    ) -> None:
        self._spoilt(tmp_path / "data", *changes)
        text = (tmp_path / "data" / "study.toml").read_text(encoding="utf-8")
        text = text.replace('duplicates = "report"\n', "")
        (tmp_path / "data" / "study.toml").write_text(text, encoding="utf-8")
        at_once = self._problems(tmp_path / "data")
        monkeypatch.setattr(csv_records, "AT_ONCE", 300)
        monkeypatch.setattr(spill_buffer, "IN_MEMORY", 0)
        in_parts = self._problems(tmp_path / "data")
        assert {problem.partition(":")[0] for problem in in_parts} == {"alpha_0.csv", "zeta_0.csv"}
        assert sorted(in_parts) == sorted(at_once)

    @pytest.mark.usefixtures("cut")
    def test_ragged_rows_of_a_file_that_is_cut(self, tmp_path: Path) -> None:
        _write(tmp_path / "data")
        path = tmp_path / "data" / "zeta_0.csv"
        path.write_text(path.read_text(encoding="utf-8") + "1,ok\n\n1,2,3\n", encoding="utf-8", newline="")
        rows = len(_rows("zeta")) + 1
        lines = path.read_text(encoding="utf-8").count("\n")
        assert self._problems(tmp_path / "data") == [
            f"zeta_0.csv: key row {rows + 1}, line {lines - 2}: found 2 fields; expected 10, as in the header",
            f"zeta_0.csv: key row {rows + 3}, line {lines}: found 3 fields; expected 10, as in the header",
        ]

    @pytest.mark.usefixtures("cut")
    def test_the_file_of_a_lookup_is_told_of_once(self, tmp_path: Path) -> None:
        _write(tmp_path / "data")
        (tmp_path / "data" / "topics.csv").write_text("subject\nx\n", encoding="utf-8")
        told = "topics.csv: column topic: expected this column"
        assert self._problems(tmp_path / "data") == [told] * 2  # for each file of responses

    def test_a_response_that_did_not_come_may_have_the_text_of_one_that_did(self, tmp_path: Path) -> None:
        _write(tmp_path / "data")
        rest = ("Kind.", "old", "The old one is BLANK", "kind", "mean", "positive", "", "x")
        rows = [(0, "ok", *rest), (1, "refused", *rest)]
        (tmp_path / "data" / "zeta_0.csv").write_text(_csv(rows), encoding="utf-8")
        coded = pipeline.read_and_code(load(str(tmp_path / "data")), tmp_path / "data").coded.filter(model="zeta")
        assert coded.select("status", "chosen_option", "invalid_reason").rows() == [
            ("ok", "nice", None),
            ("refused", None, "no-response"),
        ]


class TestTemporaryFiles:
    """They lie where they are told to, and are removed whatever happens."""

    def test_none_for_a_small_dump(self, tmp_path: Path) -> None:
        (tmp_path / "scratch").mkdir()
        study = _write(tmp_path / "data")
        source = pipeline.read_and_code(study, tmp_path / "data", scratch=tmp_path / "scratch")
        assert source.coded.height == 2 * len(_rows("zeta"))
        assert not any((tmp_path / "scratch").iterdir())

    @pytest.mark.usefixtures("cut")
    def test_as_long_as_the_results(self, tmp_path: Path) -> None:
        (tmp_path / "scratch").mkdir()
        study = _write(tmp_path / "data")
        source = pipeline.read_and_code(study, tmp_path / "data", scratch=tmp_path / "scratch")
        folders = list((tmp_path / "scratch").iterdir())  # that of the responses as read is gone
        assert [any(folder.iterdir()) for folder in folders] == [True] * 2  # coded ones, and what is known of them
        assert source.coded.height == 2 * len(_rows("zeta"))
        del source
        gc.collect()
        assert not any((tmp_path / "scratch").iterdir())

    @pytest.mark.parametrize(
        "error", [KeyboardInterrupt(), RuntimeError(), UsageError("no"), DataError([Problem("", "", "", "", "more")])]
    )
    @pytest.mark.usefixtures("cut")
    def test_gone_after_an_error(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException) -> None:
        (tmp_path / "scratch").mkdir()
        study = _write(tmp_path / "data")
        code, parts = CodingOnce.code, list[int]()

        def failing(once: CodingOnce, responses: pl.DataFrame) -> Coding:
            parts.append(len(list((tmp_path / "scratch").iterdir())))
            if len(parts) == 3:
                raise error
            return code(once, responses)

        monkeypatch.setattr(CodingOnce, "code", failing)
        with pytest.raises(type(error)) as raised:
            pipeline.read_and_code(study, tmp_path / "data", scratch=tmp_path / "scratch")
        assert raised.tb is not None  # which still holds the frames, and they the rows
        assert parts[0] < parts[1]  # temporary files were made
        assert not any((tmp_path / "scratch").iterdir())

    @pytest.mark.usefixtures("cut")
    def test_gone_after_faulty_data(self, tmp_path: Path) -> None:
        (tmp_path / "scratch").mkdir()
        study = _write(tmp_path / "data")
        (tmp_path / "data" / "zeta_0.csv").write_text("sample\n1\n", encoding="utf-8")
        with pytest.raises(DataError):
            pipeline.read_and_code(study, tmp_path / "data", scratch=tmp_path / "scratch")
        assert not any((tmp_path / "scratch").iterdir())

    @pytest.mark.usefixtures("cut")
    def test_beside_the_output_folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        _write(tmp_path / "data")
        folders: list[tuple[str, Path]] = []
        make = tempfile.mkdtemp

        def recording(suffix: str = "", prefix: str = "", dir: Path | None = None) -> str:  # noqa: A002  as it is called
            assert dir is not None
            folders.append((prefix, dir))
            return make(suffix=suffix, prefix=prefix, dir=dir)

        monkeypatch.setattr(tempfile, "mkdtemp", recording)
        _run(tmp_path / "data", tmp_path / "here" / "out")
        made = [folder.parent for prefix, folder in folders if prefix == ".tallybook-"]
        assert {*made} == {tmp_path / "here"}  # of responses that may be repeated, of coded ones, of findings
        assert [path.name for path in (tmp_path / "here").iterdir()] == ["out"]

    @pytest.mark.usefixtures("cut")
    def test_a_place_that_is_not_there(self, tmp_path: Path) -> None:
        study = _write(tmp_path / "data")
        with pytest.raises(UsageError, match=r"^cannot write temporary files to .*nowhere: No such file or directory$"):
            pipeline.read_and_code(study, tmp_path / "data", scratch=tmp_path / "nowhere")

    @pytest.mark.usefixtures("cut")
    def test_no_space_left(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        study = _write(tmp_path / "data")
        error = pl.exceptions.ComputeError("parquet: underlying IO error: No space left on device (os error 28)")
        monkeypatch.setattr(pl.DataFrame, "write_parquet", Mock(side_effect=error))
        with pytest.raises(UsageError, match=r"^cannot write temporary files to .*: No space left on device \(os"):
            pipeline.read_and_code(study, tmp_path / "data", scratch=tmp_path)
        assert [path.name for path in tmp_path.iterdir()] == ["data"]
