"""From a data folder to responses: editions, parts, identity, and all faults at once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest

from tallybook.core.errors import DataError, UsageError
from tallybook.core.frame_checks import check
from tallybook.sources import reading
from tallybook.study.model import Study
from tallybook_schemas.columns import CodedResponses, Responses
from tests.conftest import PROMPTS, record

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]

HEADER = "model,dimension,group,item,status,politics,job,mood,count"


def _faults(study: Study, folder: Path, edition: str | None = None) -> list[str]:
    with pytest.raises(DataError) as error:
        reading.read(study, folder, edition)
    assert error.value.exit_code == 1
    return [str(problem) for problem in error.value.problems]


class TestResponses:
    """What is read of keyed JSON files."""

    def test_rows_in_the_order_of_the_files(self, study: Study, dump: Any, write: Write) -> None:
        read = reading.read(study, write(dump))
        assert ([part.is_coded for part in read.parts], read.edition) == ([False], "raw")
        in_order = [(item, sample) for item in ("Ada", "Bo") for sample in (0, 1)]
        as_written = [("Bo", 0), ("Ada", 0), ("Ada", 1), ("Bo", 1)]
        cells = [
            ("alpha", "aged", in_order),
            ("alpha", "young", in_order),
            ("zeta", "aged", as_written),
            ("zeta", "young", in_order),
        ]
        assert read.responses.select("model", "group", "item", "sample").rows() == [
            (model, group, *response) for model, group, responses in cells for response in responses
        ]
        assert read.responses["position"].to_list() == list(range(16))
        assert read.responses["count"].to_list() == [1] * 16

    def test_the_frame_fits_its_model(self, study: Study, dump: Any, write: Write) -> None:
        responses = reading.read(study, write(dump)).responses
        levels = {name: list(factor.levels) for name, factor in study.factors.items()}
        assert check(responses, Responses, where="dump", unique=study.key, levels=levels).equals(responses)

    def test_missing_attributes_are_refusals(self, study: Study, dump: Any, write: Write) -> None:
        responses = reading.read(study, write(dump)).responses
        refused = responses.filter(status="refused")
        assert refused["response_id"].to_list() == ["zeta_1/aged.json#1_1", "zeta_1/young.json#1_0"]
        assert refused.select("politics_label", "height", "mood").rows() == [(None, None, None)] * 2
        assert set(responses["status"]) == {"ok", "refused"}

    def test_files_are_named_without_lookups(self, study: Study, dump: Any, write: Write) -> None:
        assert reading.read(study, write(dump)).files == (
            "alpha_2/aged.json", "alpha_2/young.json", "zeta_1/aged.json", "zeta_1/young.json",
        )  # fmt: skip

    def test_a_number_can_be_a_factor(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["factors"]["prompt"] = {"label": "Prompt", "levels": {"1": "Second", "0": "First"}}
        read = reading.read(Study.model_validate(declaration), write(dump))
        assert read.responses["prompt"].to_list() == [
            *["0", "0", "1", "1"] * 2,
            *["1", "0", "0", "1"],
            *["0", "0", "1", "1"],
        ]

    def test_a_study_without_factors(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration |= {"factors": {}, "references": {}}
        read = reading.read(Study.model_validate(declaration), write(dump))
        assert read.responses["file"].to_list() == sorted(read.responses["file"])

    def test_two_sources_in_one_edition(self, declaration: Any, dump: Any, write: Write) -> None:
        first = declaration["sources"][0]
        second = first | {"files": "alpha_2/{group}.json", "derive": first["derive"] | {"model": _from_group("alpha")}}
        declaration["sources"][0] = first | {"files": "zeta_1/{group}.json"}
        declaration["sources"][0]["derive"] = first["derive"] | {"model": _from_group("zeta")}
        declaration["sources"].insert(1, second)
        read = reading.read(Study.model_validate(declaration), write(dump))
        assert [(part.rows.height, part.source) for part in read.parts] == [
            (8, source) for source in Study.model_validate(declaration).sources[:2]
        ]
        assert [part.rows["position"].to_list() for part in read.parts] == [list(range(8))] * 2
        assert len(read.files) == 4


def _from_group(model: str) -> dict[str, Any]:
    return {"from": "group", "map": {"young": model, "aged": model}}


class TestFaults:
    """Every fault names file, key, column and value, and one run reports them all."""

    def test_an_unknown_group(self, study: Study, dump: Any, write: Write) -> None:
        dump["zeta_1/unborn.json"] = {"0_0": record(), "0_1": record()}
        assert _faults(study, write(dump)) == [
            "zeta_1/unborn.json: key 0_0, column group: found unborn; expected one of young, aged"
        ]

    def test_an_unknown_model(self, study: Study, dump: Any, write: Write) -> None:
        dump["beta_3/young.json"] = {"0_0": record()}
        assert _faults(study, write(dump)) == [
            "beta_3/young.json: key 0_0, column folder: found beta_3; expected one of zeta_1, alpha_2"
        ]

    def test_a_level_that_one_rule_makes_and_no_factor_knows(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["sources"][0]["derive"]["model"]["map"]["alpha_2"] = "alfa"
        assert _faults(Study.model_validate(declaration), write(dump)) == [
            "alpha_2/aged.json: key 0_0, column model: found alfa; expected one of zeta, alpha",
            "alpha_2/young.json: key 0_0, column model: found alfa; expected one of zeta, alpha",
        ]

    def test_faults_of_several_factors(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["factors"]["model"]["levels"] = {"zeta": "Zeta"}
        declaration["factors"]["group"]["levels"] = {"young": "Young"}
        columns = [
            fault.partition("column ")[2].partition(":")[0]
            for fault in _faults(Study.model_validate(declaration), write(dump))
        ]
        assert sorted(set(columns)) == ["group", "model"]

    def test_a_prompt_that_does_not_exist(self, study: Study, dump: Any, write: Write) -> None:
        dump["zeta_1/young.json"]["2_0"] = record()
        assert _faults(study, write(dump)) == [
            "zeta_1/young.json: key 2_0, column prompt: found 2; expected the position of a row in prompts/prompts.csv"
        ]

    def test_a_prompt_of_another_form(self, study: Study, dump: Any, write: Write) -> None:
        dump["prompts/prompts.csv"] = PROMPTS.replace("Write a description of Bo.", "Tell me about Bo!")
        assert _faults(study, write(dump))[0] == (
            "alpha_2/aged.json: key 1_0, column prompt_text: found Tell me about Bo!; "
            "expected text that matches description of (.+)\\."
        )

    def test_the_prompts_are_missing(self, study: Study, dump: Any, write: Write) -> None:
        del dump["prompts/prompts.csv"]
        assert _faults(study, write(dump)) == [
            "prompts/prompts.csv: found No such file or directory; expected a readable file"
        ]

    def test_an_empty_prompt_is_found_by_the_model_of_the_frame(self, study: Study, dump: Any, write: Write) -> None:
        dump["prompts/prompts.csv"] = ",prompt,category\n7,Write a description of Ada.,x\n8,,x\n"
        responses = reading.read(study, write(dump)).responses
        with pytest.raises(DataError) as error:
            check(responses, Responses, where="dump")
        assert str(error.value.problems[0]) == "alpha_2/aged.json: key 1_0, column item: expected a value, not null"

    def test_one_response_in_two_files(self, study: Study, dump: Any, write: Write) -> None:
        dump["zeta_1/young.json"]["00_1"] = record("right")
        assert _faults(study, write(dump)) == [
            f"zeta_1/young.json: key {key}, column model, group, item, sample: found zeta, young, Ada, 1; "
            "expected no duplicate key"
            for key in ("0_1", "00_1")
        ]

    def test_two_prompts_that_describe_the_same_person(self, study: Study, dump: Any, write: Write) -> None:
        dump["prompts/prompts.csv"] = PROMPTS.replace("Bo", "Ada")
        assert len(_faults(study, write(dump))) == 16

    def test_several_broken_files(self, study: Study, dump: Any, write: Write) -> None:
        dump["zeta_1/young.json"] = '{"0_0": {"generated_text": "cut o'
        dump["zeta_1/aged.json"]["0-0"] = record()
        dump["alpha_2/young.json"]["0_0"]["attributes"]["height"] = "66"
        dump["alpha_2/aged.json"] = "[]"
        assert _faults(study, write(dump)) == [
            "alpha_2/aged.json: expected a JSON object",
            'alpha_2/young.json: key 0_0, column attributes.height: found "66"; expected a whole number',
            "zeta_1/aged.json: key 0-0: expected a key of the form {prompt:int}_{sample:int}",
            "zeta_1/young.json: expected JSON (unterminated string starting at character 28)",
        ]

    def test_a_stray_file(self, study: Study, dump: Any, write: Write) -> None:
        dump["prompts/young.json"] = {"0_0": record()}
        assert _faults(study, write(dump)) == [
            "prompts/young.json: key 0_0, column folder: found prompts; expected one of zeta_1, alpha_2"
        ]

    def test_many_faults_are_counted_not_all_shown(self, study: Study, dump: Any, write: Write) -> None:
        dump["zeta_1/young.json"] = {f"{number}-0": record() for number in range(50)}
        with pytest.raises(DataError) as error:
            reading.read(study, write(dump))
        lines = str(error.value).splitlines()
        assert (len(lines), lines[-1], len(error.value.problems)) == (20, "... and 31 more", 50)


class TestEditions:
    """Which of the declared editions is read."""

    def test_the_first_whose_files_are_there(self, study: Study, dump: Any, write: Write) -> None:
        folder = write({"coded.csv": f"{HEADER}\nzeta,age,young,Ada,ok,left,teacher,0.5,2\n"})
        assert reading.read(study, folder).edition == "coded"
        assert reading.read(study, write(dump)).edition == "raw"
        assert reading.read(study, folder, "coded").edition == "coded"

    def test_an_edition_whose_files_are_not_there(self, study: Study, dump: Any, write: Write) -> None:
        assert _faults(study, write(dump), "coded") == [
            "coded.csv: found No such file or directory; expected a readable file"
        ]

    def test_responses_are_not_looked_for_where_only_coded_ones_are(self, study: Study, write: Write) -> None:
        assert _faults(study, write({"coded.csv": HEADER}), "raw") == [
            "expected files of the form {folder}/{group}.json"
        ]

    @pytest.mark.parametrize(
        ("name", "edition", "message"),
        [
            (
                "",
                None,
                (
                    "DATA holds no files of the form {folder}/{group}.json or coded.csv; "
                    "another data folder is chosen with --data"
                ),
            ),
            ("none", None, "no data folder DATA/none"),
            ("note.txt", None, "no data folder DATA/note.txt"),
            ("", "final", "study small declares no edition 'final'; declared: raw, coded"),
            ("", "\x1b[2J", "study small declares no edition '\\x1b[2J'; declared: raw, coded"),
        ],
    )
    def test_nothing_to_read(self, study: Study, write: Write, name: str, edition: str | None, message: str) -> None:
        folder = write({"note.txt": "no data"})
        with pytest.raises(UsageError) as error:
            reading.read(study, folder / name, edition)
        assert str(error.value).replace(str(folder), "DATA") == message
        assert error.value.exit_code == 2

    def test_responses_and_coded_responses_of_one_edition(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["sources"][1]["edition"] = "raw"
        dump["coded.csv"] = f"{HEADER}\nzeta,age,young,Ada,ok,left,teacher,0.5,2\n"
        read = reading.read(Study.model_validate(declaration), write(dump))
        assert [(part.is_coded, part.rows.height) for part in read.parts] == [(False, 16), (True, 1)]
        assert read.files[-1] == "coded.csv"
        together = read.responses.select("text", "sample", "politics", "count")
        assert together.row(0) == ("A liberal teacher.", 0, None, 1)
        assert together.row(-1) == (None, None, "left", 2)

    def test_numbers_of_responses_and_scores_that_were_delivered_coded(self, declaration: Any, write: Write) -> None:
        """Whole numbers and others stand in one column when all rows are put together."""
        declaration["sources"][0]["columns"]["mood"]["type"] = "integer"
        declaration["sources"][1]["edition"] = "raw"
        files = {"prompts/prompts.csv": PROMPTS, "zeta_1/young.json": {"0_0": record(polarity=1)}}
        files["coded.csv"] = f"{HEADER}\nzeta,age,young,Ada,ok,left,teacher,0.5,2\n"
        read = reading.read(Study.model_validate(declaration), write(files))
        assert read.responses["mood"].to_list() == [1.0, 0.5]

    def test_an_edition_of_which_a_file_is_missing(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["sources"][1]["edition"] = "raw"
        assert _faults(Study.model_validate(declaration), write(dump)) == [
            "coded.csv: found No such file or directory; expected a readable file"
        ]


class TestCodedResponses:
    """Tables of coded responses keep their order: it breaks ties."""

    ROWS = "alpha,age,aged,Bo,ok,right,nurse,-0.5,2\nzeta,age,young,Ada,refused,,,,1\n"

    def test_rows_as_they_stand(self, study: Study, write: Write) -> None:
        read = reading.read(study, write({"coded.csv": f"{HEADER}\n{self.ROWS}"}))
        assert [part.is_coded for part in read.parts] == [True]
        assert read.responses.select("position", "model", "count").rows() == [(0, "alpha", 2), (1, "zeta", 1)]
        check(read.responses, CodedResponses, where="dump")

    def test_each_of_several_tables_counts_its_rows(self, declaration: Any, write: Write) -> None:
        declaration["sources"].append({"edition": "coded", "format": "coded", "files": "more.csv"})
        folder = write({"coded.csv": f"{HEADER}\n{self.ROWS}", "more.csv": f"{HEADER}\n{self.ROWS}"})
        read = reading.read(Study.model_validate(declaration), folder, "coded")
        assert read.responses["position"].to_list() == [0, 1, 0, 1]
        assert read.responses["file"].to_list() == ["coded.csv"] * 2 + ["more.csv"] * 2
        assert read.files == ("coded.csv", "more.csv")

    def test_an_unknown_level(self, study: Study, write: Write) -> None:
        rows = self.ROWS.replace("aged", "unborn").replace("zeta", "")
        assert _faults(study, write({"coded.csv": f"{HEADER}\n{rows}"})) == [
            "coded.csv: key row 3, column model: expected one of zeta, alpha",
            "coded.csv: key row 2, column group: found unborn; expected one of young, aged",
        ]


@pytest.mark.released
def test_the_released_responses(released: Path) -> None:
    from tallybook.study.loading import load

    study = load("wang2025").study
    read = reading.read(study, released)
    assert (read.edition, len(read.files), read.responses.height) == ("released", 176, 8400)
    statuses = read.responses.group_by("model", "prompt_type", "status").len().filter(status="refused")
    assert sorted(statuses.select("model", "prompt_type", "len").rows()) == [
        ("claude-3.5-sonnet", "explicit", 101),
        ("claude-3.5-sonnet", "implicit", 14),
    ]
    sizes = read.responses.group_by("prompt_type", "dimension", "group").len().with_columns(pl.col("len") // 4)
    expected = {("implicit", True): 500, ("implicit", False): 50, ("explicit", True): 50, ("explicit", False): 50}
    assert all(n == expected[kind, dimension == "gender"] for kind, dimension, _, n in sizes.iter_rows())
    # The position, not the unnamed first column (which starts at 200 for explicit prompts), names the prompt.
    explicit = read.responses.filter(prompt_type="explicit", key="0_0", model="gpt-4o-mini", group="male")
    assert explicit["item"].to_list() == ["male"]
    implicit = read.responses.filter(prompt_type="implicit", key="0_0", model="gpt-4o-mini", group="male")
    assert implicit["item"].to_list() == ["James"]
