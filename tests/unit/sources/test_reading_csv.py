"""From a folder of CSV files to responses: findings, repeated responses, counts, the columns that leave the stage."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.core.frame_checks import check
from tallybook.sources import reading
from tallybook.study.model import Study
from tallybook_schemas.columns import Responses
from tests.conftest import DECLARATION

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]

HEADER = "answer,label,name,run,age\n"
SOURCE: dict[str, Any] = {
    "format": "csv",
    "edition": "raw",
    "files": "{model}.csv",
    "columns": {
        "text": {"path": "answer"},
        "politics_label": {"path": "label"},
        "item": {"path": "name"},
        "sample": {"path": "run", "type": "integer"},
        "age": {"path": "age", "type": "integer"},
    },
    "derive": {"job_label": {"from": "item", "map": {"Ada": "teacher", "Bo": "nurse"}}},
    "constants": {"mood": 0.5},
}
GROUP = {
    "label": "Group",
    "levels": {"young": "Young", "aged": "Aged"},
    "derive": {"cases": [{"value": "young", "contains": {"age": "^[1-4]?[0-9]$"}}], "otherwise": "aged"},
}


def _study(*sources: dict[str, Any], **source: Any) -> Study:
    factors = DECLARATION["factors"] | {"group": GROUP}
    del factors["dimension"]
    declared = sources or (SOURCE | source,)
    return Study.model_validate(DECLARATION | {"sources": declared, "factors": factors, "references": {}})


def _problems(study: Study, folder: Path) -> list[str]:
    with pytest.raises(DataError) as error:
        reading.read(study, folder)
    return [str(problem) for problem in error.value.problems]


ROWS = {
    "alpha.csv": HEADER + "yes,left,Ada,0,70\nno,right,Bo,0,8\n",
    "zeta.csv": HEADER + "yes,left,Bo,0,12\n,,Ada,0,80\nno,left,Ada,0,50\n",
}


class TestResponses:
    """CSV files are read as any dump is."""

    def test_each_file_is_a_part_in_the_order_of_its_rows(self, write: Write) -> None:
        zeta = HEADER + "yes,left,Bo,0,12\n,,Ada,0,80\n"
        dump = reading.read(_study(), write({"alpha.csv": ROWS["alpha.csv"], "zeta.csv": zeta}))
        assert (dump.edition, dump.files, dump.findings) == ("raw", ("alpha.csv", "zeta.csv"), ())
        assert [part.is_coded for part in dump.parts] == [False, False]
        assert [part.rows.select("response_id", "position", "group", "count").rows() for part in dump.parts] == [
            [("alpha.csv#row 2", 0, "aged", 1), ("alpha.csv#row 3", 1, "young", 1)],
            [("zeta.csv#row 2", 0, "young", 1), ("zeta.csv#row 3", 1, "aged", 1)],
        ]

    def test_what_is_declared_leaves_the_stage(self, write: Write) -> None:
        """Constants and derived columns may be attributes of outcomes as well as those of the files."""
        responses = reading.read(_study(), write({"alpha.csv": ROWS["alpha.csv"]})).responses
        assert responses.select("politics_label", "job_label", "mood", "age").rows() == [
            ("left", "teacher", 0.5, 70),
            ("right", "nurse", 0.5, 8),
        ]
        levels = {name: list(factor.levels) for name, factor in _study().factors.items()}
        assert check(responses, Responses, where="dump", unique=_study().key, levels=levels).equals(responses)

    def test_a_level_that_is_not_declared(self, write: Write) -> None:
        assert _problems(_study(), write({"beta.csv": ROWS["alpha.csv"]})) == [
            "beta.csv: key row 2, column model: found beta; expected one of zeta, alpha"
        ]

    def test_a_column_of_counts(self, write: Write) -> None:
        columns = SOURCE["columns"] | {"count": {"path": "n", "type": "integer"}}
        counted = SOURCE | {"files": "zeta.csv", "columns": columns, "constants": {"model": "zeta", "mood": 0}}
        plain = SOURCE | {"files": "alpha.csv", "constants": {"model": "alpha", "mood": 0}}
        folder = write(
            {"alpha.csv": HEADER + "a,,Ada,0,7\n", "zeta.csv": "answer,label,name,run,age,n\nz,,Bo,0,7,25\n"}
        )
        responses = reading.read(_study(counted, plain), folder).responses
        assert responses.select("model", "count").rows() == [("zeta", 25), ("alpha", 1)]

    def test_sources_of_one_edition_are_read_together(self, write: Write) -> None:
        old = SOURCE | {"files": "old/{model}.csv", "delimiter": ";"}
        folder = write(
            {"alpha.csv": ROWS["alpha.csv"], "old/zeta.csv": HEADER.replace(",", ";") + "yes;left;Bo;0;12\n"}
        )
        dump = reading.read(_study(SOURCE, old), folder)
        assert dump.files == ("alpha.csv", "old/zeta.csv")
        assert dump.responses["model"].to_list() == ["alpha", "alpha", "zeta"]
        assert [part.source.files for part in dump.parts] == ["{model}.csv", "old/{model}.csv"]

    def test_the_edition_is_known_by_files_that_are_nothing_else(self, write: Write) -> None:
        coded = {"format": "coded", "edition": "coded", "files": "coded.csv"}
        folder = write({"coded.csv": "model,group,item,status,politics,job,mood,count\nzeta,aged,Bo,ok,left,x,0,2\n"})
        assert reading.read(_study(SOURCE, coded), folder).edition == "coded"
        with pytest.raises(UsageError, match="holds no files of the form"):
            reading.read(_study(SOURCE), write({}) / "..")


class TestRepeatedResponses:
    """Responses with one key are an error, unless their source knows of them."""

    TOLD = (
        "zeta.csv: key row 3, column model, group, item, sample: found zeta, aged, Ada, 0; expected no duplicate key",
        "zeta.csv: key row 4, column model, group, item, sample: found zeta, aged, Ada, 0; expected no duplicate key",
    )

    def test_an_error(self, write: Write) -> None:
        assert _problems(_study(), write(ROWS)) == list(self.TOLD)

    def test_known(self, write: Write) -> None:
        dump = reading.read(_study(duplicates="report"), write(ROWS))
        assert list(map(str, dump.findings)) == list(self.TOLD)
        assert dump.responses.height == 5

    def test_known_but_not_there(self, write: Write) -> None:
        dump = reading.read(_study(duplicates="report"), write({"alpha.csv": ROWS["alpha.csv"]}))
        assert (dump.findings, dump.responses.height) == ((), 2)

    def test_known_by_one_of_two_sources(self, write: Write) -> None:
        knowing = SOURCE | {"files": "a/{model}.csv", "duplicates": "report"}
        other = SOURCE | {"files": "b/{model}.csv"}
        row = HEADER + "yes,left,Ada,0,70\n"
        folder = write({"a/zeta.csv": row, "b/zeta.csv": row})
        assert _problems(_study(knowing, other), folder) == [
            self.TOLD[0].replace("zeta.csv", "b/zeta.csv").replace("row 3", "row 2")
        ]


def test_findings_of_all_sources_in_their_order(write: Write) -> None:
    noted = HEADER.replace("age", "age,note")
    folder = write({
        "a/zeta.csv": noted + "yes,left,Ada,0,70,x\nyes,left,Ada,0,70,x\n",
        "b/alpha.csv": noted + "yes,left,Ada,0,70,x\n",
    })  # fmt: skip
    known = {"duplicates": "report", "extra": "report"}
    sources = [SOURCE | known | {"files": f"{name}/{{model}}.csv"} for name in "ab"]
    findings = reading.read(_study(*sources), folder).findings
    assert [(finding.file, finding.key, finding.column) for finding in findings] == [
        ("a/zeta.csv", "", "note"),
        ("b/alpha.csv", "", "note"),
        ("a/zeta.csv", "row 2", "model, group, item, sample"),
        ("a/zeta.csv", "row 3", "model, group, item, sample"),
    ]
