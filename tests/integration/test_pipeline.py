"""From dumps to coded responses: places in the order of the levels, and several instruments and sources at once."""

from __future__ import annotations

from copy import deepcopy
from itertools import permutations
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError
from tallybook.core.frame_checks import check
from tallybook.study.model import Study
from tallybook.tally import tally
from tallybook_schemas.columns import CodedResponses, Tallies
from tests import mixed
from tests.mixed import read_and_code
from tests.unit.statistics.frames import exactly, few

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from pathlib import Path

    Write = Callable[[Mapping[str, Any]], Path]

PLACE = ("model", "group", "item", "sample")


class TestPlaces:
    """`position` counts responses in the order of the factors' levels, then as read; rows stay where they are."""

    def test_in_the_order_of_the_levels_then_as_read(self, study: Study, dump: Any, write: Write) -> None:
        coded = read_and_code(study, write(dump)).coded
        in_order = [(item, sample) for item in ("Ada", "Bo") for sample in (0, 1)]
        as_written = [("Bo", 0), ("Ada", 0), ("Ada", 1), ("Bo", 1)]
        cells = [
            ("zeta", "young", in_order),
            ("zeta", "aged", as_written),
            ("alpha", "young", in_order),
            ("alpha", "aged", in_order),
        ]
        assert coded.sort("position").select(PLACE).rows() == [
            (model, group, *response) for model, group, responses in cells for response in responses
        ]
        assert sorted(coded["position"]) == list(range(16))
        assert coded["file"].to_list() == sorted(coded["file"])

    def test_by_a_factor_of_numbers(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["factors"]["prompt"] = {"label": "Prompt", "levels": {"1": "Second", "0": "First"}}
        coded = read_and_code(Study.model_validate(declaration), write(dump)).coded
        assert coded.sort("position")["prompt"].to_list() == ["1", "1", "0", "0"] * 4

    def test_as_read_without_factors(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration |= {"factors": {}, "references": {}}
        coded = read_and_code(Study.model_validate(declaration), write(dump)).coded
        assert coded["position"].to_list() == list(range(16))
        assert coded["file"].to_list() == sorted(coded["file"])

    def test_through_several_files(self, declaration: Any, dump: Any, write: Write) -> None:
        """A response's place within its file is not its place in the dump."""
        first = declaration["sources"][0]
        declaration["sources"] = [first | {"files": f"{name}/{{group}}.json"} for name in ("alpha_2", "zeta_1")]
        for source, model in zip(declaration["sources"], ("alpha", "zeta"), strict=True):
            source["derive"] = first["derive"] | {"model": {"from": "group", "map": {"young": model, "aged": model}}}
        apart = read_and_code(Study.model_validate(declaration), write(dump)).coded
        assert apart.sort("position").select("model", "group").unique(maintain_order=True).rows() == [
            ("zeta", "young"), ("zeta", "aged"), ("alpha", "young"), ("alpha", "aged"),
        ]  # fmt: skip
        assert sorted(apart["position"]) == list(range(16))

    CODED = "model,dimension,group,item,status,politics,job,mood,count\n"
    ROWS = "alpha,age,aged,Bo,ok,right,nurse,-0.5,2\nzeta,age,young,Ada,refused,,,,1\n"

    def test_of_coded_responses_as_they_stand(self, declaration: Any, write: Write) -> None:
        declaration["sources"].append({"edition": "coded", "format": "coded", "files": "more.csv"})
        folder = write({"coded.csv": self.CODED + self.ROWS, "more.csv": self.CODED + self.ROWS})
        coded = read_and_code(Study.model_validate(declaration), folder).coded
        assert coded.select("position", "model", "file").rows() == [
            (0, "alpha", "coded.csv"), (1, "zeta", "coded.csv"), (2, "alpha", "more.csv"), (3, "zeta", "more.csv"),
        ]  # fmt: skip

    def test_of_coded_responses_among_others(self, declaration: Any, dump: Any, write: Write) -> None:
        declaration["sources"][1]["edition"] = "raw"
        coded = read_and_code(
            Study.model_validate(declaration), write(dump | {"coded.csv": self.CODED + self.ROWS})
        ).coded
        own = coded.filter(file="coded.csv").select("model", "position", "count").rows()
        assert own == [("alpha", 17, 2), ("zeta", 4, 1)]
        assert coded.filter(model="zeta", group="young")["position"].to_list() == [0, 1, 2, 3, 4]


SPLIT: dict[str, Any] = {
    "name": "split",
    "title": "One dump in many files",
    "sources": [
        {
            "format": "csv",
            "files": "{part}.csv",
            "columns": {name: {"path": name} for name in ("text", "item", "model", "group", "label")}
            | {"sample": {"path": "sample", "type": "integer"}},
        }
    ],
    "factors": {
        "model": {"label": "Model", "levels": {"zeta": "Zeta", "alpha": "Alpha"}},
        "group": {"label": "Group", "levels": {"young": "Young", "aged": "Aged"}},
    },
    "instrument": {"kind": "profile"},
    "outcomes": {
        "job": {"kind": "label", "label": "Job", "attribute": "label"},
        "side": {
            "kind": "category",
            "label": "Side",
            "attribute": "label",
            "labels": {"left": ["nurse"], "right": ["cook"]},
        },
    },
}
ANSWERS = st.lists(
    st.tuples(
        st.sampled_from(["alpha", "zeta"]),
        st.sampled_from(["aged", "young"]),
        st.sampled_from(["cook", "nurse", "poet", ""]),
    ),
    min_size=1,
    max_size=12,
).map(lambda rows: [(f"p{number:02}", *row) for number, row in enumerate(rows)])


def _csv(rows: Sequence[tuple[str, ...]]) -> str:
    frame = pl.DataFrame(rows, schema=["item", "model", "group", "label"], orient="row")
    return frame.with_columns(pl.lit("t").alias("text"), pl.lit(0).alias("sample")).write_csv()


@few
@given(rows=ANSWERS, data=st.data())
def test_how_a_dump_is_split_into_files_changes_no_place(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[str, ...]], data: st.DataObject
) -> None:
    """Cut anywhere, or one file for each combination of factors: places, and what is seen first, are the same."""
    study = Study.model_validate(SPLIT)

    def coded(files: Iterable[Sequence[tuple[str, ...]]]) -> pl.DataFrame:
        folder = tmp_path_factory.mktemp("data")
        for number, part in enumerate(files):
            (folder / f"{number:02}.csv").write_text(_csv(part))
        return read_and_code(study, folder).coded

    cuts = sorted(data.draw(st.sets(st.integers(1, len(rows)), max_size=4)) - {len(rows)})
    pieces = [rows[start:end] for start, end in zip([0, *cuts], [*cuts, len(rows)], strict=True)]
    cells = data.draw(st.permutations(sorted({row[1:3] for row in rows})))
    by_cell = [[row for row in rows if row[1:3] == cell] for cell in cells]
    whole = coded([rows])
    slow = sorted(rows, key=lambda row: (row[1] != "zeta", row[2] != "young"))
    assert whole.sort("position")["item"].to_list() == [row[0] for row in slow]
    counted = tally(whole, ["model"], study.outcomes)
    for files in (pieces, by_cell):
        split = coded(files)
        assert split.sort("item").select("item", "position").equals(whole.sort("item").select("item", "position"))
        assert exactly(tally(split, ["model"], study.outcomes)) == exactly(counted)


def _mixed(**outcomes: dict[str, Any]) -> Study:
    """The study of several instruments, some settings of its outcomes changed."""
    declaration = deepcopy(mixed.DECLARATION)
    for name, changes in outcomes.items():
        declaration["outcomes"][name] |= changes
    return Study.model_validate(declaration)


class TestSeveralInstruments:
    """Each source has its own instrument, each outcome the responses that it is asked of."""

    FACTORS = ("model", "task", "group")

    def test_every_response_has_the_outcomes_of_its_task(self, write: Write) -> None:
        study = _mixed()
        source = read_and_code(study, write(mixed.FILES))
        levels = {name: list(factor.levels) for name, factor in study.factors.items()}
        coded = check(source.coded, CodedResponses, where="coded", levels=levels).sort("position")
        columns = ("model", "group", "status", "politics", "mood", "choice", "why", "tone", "link", "count")
        nothing = (None,) * 6
        assert coded.filter(task="profile").select(columns).rows() == [
            ("zeta", "young", "ok", "left", 0.5, None, None, 1.0, None, 1),
            ("zeta", "young", "refused", *nothing, 1),
            ("zeta", "aged", "ok", "right", -1.0, None, None, 0.0, None, 1),
            ("zeta", "aged", "invalid", *nothing, 1),
            ("alpha", "young", "ok", "left", 0.5, None, None, 0.25, None, 1),
            ("alpha", "aged", "partial", None, 0.5, None, None, None, None, 1),
        ]
        assert coded.filter(task="choice").select(columns).rows() == [
            ("zeta", "young", "ok", None, None, "good", None, None, None, 1),
            ("zeta", "young", "refused", None, None, None, "declined", None, None, 1),
            ("zeta", "aged", "ok", None, None, "bad", None, None, None, 1),
            ("zeta", "aged", "invalid", *nothing, 1),
            ("alpha", "young", "ok", None, None, "good", None, None, None, 1),
        ]
        assert coded.filter(task="association").select(columns).rows() == [
            ("zeta", "young", "ok", None, None, None, None, 0.5, "same", 3),
            ("zeta", "aged", "partial", None, None, None, None, None, "crossed", 2),
            ("alpha", "young", "refused", *nothing, 4),
        ]

    def test_places_follow_the_levels_across_sources(self, write: Write) -> None:
        coded = read_and_code(_mixed(), write(mixed.FILES)).coded.sort("position")
        assert coded["position"].to_list() == list(range(14))
        assert coded.select("model", "task").unique(maintain_order=True).rows() == [
            (model, task) for model in ("zeta", "alpha") for task in ("profile", "choice", "association")
        ]

    def test_files_of_all_sources(self, write: Write) -> None:
        dump = read_and_code(_mixed(), write(mixed.FILES)).dump
        assert (dump.edition, dump.parts) == ("data", ())
        assert dump.files == tuple(mixed.FILES)

    def test_tallies_count_what_is_asked(self, write: Write) -> None:
        study = _mixed()
        counted = tally(read_and_code(study, write(mixed.FILES)).coded, self.FACTORS, study.outcomes)
        check(counted, Tallies, where="tally")
        asked = counted.group_by("outcome", "task").agg(pl.col("count").sum())
        assert sorted(asked.rows()) == [
            ("choice", "choice", 5),
            ("link", "association", 9),
            ("mood", "profile", 6),
            ("politics", "profile", 6),
            ("tone", "association", 9),
            ("tone", "profile", 6),
            ("why", "choice", 2),
        ]
        links = counted.filter(outcome="link").select("model", "group", "category", "status", "count", "first_seen")
        assert links.rows() == [
            ("alpha", "young", None, "refused", 4, 13),
            ("zeta", "aged", "crossed", "ok", 2, 9),
            ("zeta", "young", "same", "ok", 3, 8),
        ]
        beside = counted.filter(pl.col("mood").is_not_null()).select("outcome", "category", "mood", "status").rows()
        assert beside == [
            ("politics", None, 0.5, "invalid"),
            ("politics", "left", 0.5, "ok"),
            ("politics", "right", -1.0, "ok"),
            ("politics", "left", 0.5, "ok"),
        ]

    def test_answers_without_a_value_of_what_is_asked(self, write: Write) -> None:
        source = read_and_code(_mixed(), write(mixed.FILES))
        assert source.uncoded.rows() == [
            ("choice", None, 1),
            ("mood", None, 1),
            ("politics", "green", 1),
            ("politics", None, 1),
            ("tone", None, 4),
            ("why", "out-of-context", 1),
        ]
        assert list(map(str, source.findings)) == [
            "choices/zeta_1.csv: key row 5, column text: found tall; expected one of the options 'kind', 'rude'"
        ]

    def test_labels_of_several_parts_are_counted_together(self, write: Write) -> None:
        files = mixed.FILES | {name: text.replace(",left,", ",green,") for name, text in mixed.FILES.items()}
        assert ("politics", "green", 3) in read_and_code(_mixed(), write(files)).uncoded.rows()

    def test_an_outcome_asked_of_fewer(self, write: Write) -> None:
        """The same answers, of which less is asked: what was incomplete is complete now."""
        folder = write(mixed.FILES)
        study = _mixed(tone={"where": {"task": "profile", "group": ["young"]}})
        coded = read_and_code(study, folder).coded.sort("position")
        aged = coded.filter(task="profile", group="aged").select("status", "politics", "mood", "tone").rows()
        assert aged == [("ok", "right", -1.0, None), ("invalid", None, None, None), ("partial", None, 0.5, None)]
        uncoded = dict(read_and_code(study, folder).uncoded.filter(pl.col("label").is_null()).drop("label").rows())
        assert "tone" not in uncoded
        counted = tally(coded, self.FACTORS, study.outcomes).filter(outcome="tone")
        assert counted.select("task", "group").unique().rows() == [("profile", "young")]

    @pytest.mark.parametrize("order", list(permutations(range(1, 4))))
    def test_the_order_of_the_sources_does_not_matter(self, write: Write, order: tuple[int, ...]) -> None:
        study = _mixed()
        folder = write(mixed.FILES)
        other = study.model_copy(update={"sources": tuple(study.sources[number] for number in order)})
        expected, found = read_and_code(study, folder), read_and_code(other, folder)
        by = self.FACTORS
        assert exactly(tally(found.coded, by, study.outcomes)) == exactly(tally(expected.coded, by, study.outcomes))
        assert found.uncoded.equals(expected.uncoded)

    def test_faults_of_all_parts_are_told_at_once(self, write: Write) -> None:
        declaration = deepcopy(mixed.DECLARATION)
        declaration["instruments"]["described"]["unmapped"] = "error"
        declaration["instruments"]["chosen"]["unmatched"] = "error"
        files = mixed.FILES | {
            name: text.replace("kind,She,0,young,positive,kind", "kind,She,0,young,positive,")
            for name, text in mixed.FILES.items()
        }
        with pytest.raises(DataError) as error:
            read_and_code(Study.model_validate(declaration), write(files))
        assert list(map(str, error.value.problems)) == [
            "profiles/alpha_1.csv: key row 3, column politics: found green; expected a label of left, right",
            "choices/alpha_1.csv: key row 2, column kind_word: expected the text of an option",
            "choices/zeta_1.csv: key row 5, column text: found tall; expected one of the options 'kind', 'rude'",
        ]

    def test_a_label_that_one_instrument_reports_and_another_refuses(self, write: Write) -> None:
        """What an unmapped label is, is a setting of the instrument that read it."""
        declaration = deepcopy(mixed.DECLARATION)
        declaration["instruments"]["strict"] = {"kind": "profile", "unmapped": "error"}
        profiles = declaration["sources"][mixed.PROFILES]
        declaration["sources"].append(profiles | {"files": "more/{model}_{part}.csv", "instrument": "strict"})
        files = mixed.FILES | {
            "more/zeta_1.csv": "text,item,sample,group,politics,mood,tone\nt,Ed,0,aged,red,0,0\nt,Flo,0,aged,left,0,0\n"
        }
        with pytest.raises(DataError) as error:
            read_and_code(Study.model_validate(declaration), write(files))
        assert list(map(str, error.value.problems)) == [
            "more/zeta_1.csv: key row 2, column politics: found red; expected a label of left, right"
        ]

    def test_responses_are_repeated_across_sources_only_with_the_same_key(self, write: Write) -> None:
        """The task is part of the key: the same item may be asked in two tasks."""
        same = mixed.FILES | {name: text.replace(",She,", ",Ada,") for name, text in mixed.FILES.items()}
        assert read_and_code(_mixed(), write(same)).coded.height == 14
        declaration = deepcopy(mixed.DECLARATION)
        declaration["key"] = ["model", "group", "item", "sample"]
        with pytest.raises(DataError) as error:
            read_and_code(Study.model_validate(declaration), write(same))
        assert [(problem.file, problem.key, problem.value) for problem in error.value.problems] == [
            ("profiles/alpha_1.csv", "row 2", "alpha, young, Ada, 0"),
            ("choices/alpha_1.csv", "row 2", "alpha, young, Ada, 0"),
            ("profiles/zeta_1.csv", "row 2", "zeta, aged, Ada, 0"),
            ("choices/zeta_1.csv", "row 2", "zeta, aged, Ada, 0"),
        ]


class TestCodedSources:
    """Tables of coded responses that hold some outcomes only."""

    def test_a_table_without_an_outcome_that_is_asked(self, write: Write) -> None:
        """Its answers have no value, and that is told."""
        declaration = deepcopy(mixed.DECLARATION)
        declaration["sources"][mixed.ASSOCIATIONS]["outcomes"] = ["tone"]
        table = "model,group,status,tone,count\nzeta,young,ok,0.5,3\nzeta,aged,error,,2\n"
        source = read_and_code(Study.model_validate(declaration), write(mixed.FILES | {"associations.csv": table}))
        assert source.coded.filter(task="association")["link"].to_list() == [None, None]
        assert source.uncoded.filter(outcome="link").rows() == [("link", None, 3)]

    def test_columns_of_an_outcome_that_no_part_holds_have_its_type(self, write: Write) -> None:
        declaration = deepcopy(mixed.DECLARATION)
        declaration["sources"] = [declaration["sources"][mixed.ASSOCIATIONS]]
        coded = read_and_code(Study.model_validate(declaration), write(mixed.FILES)).coded
        assert coded.select("politics", "mood", "choice", "why", "tone", "link").dtypes == [
            pl.String, pl.Float64, pl.String, pl.String, pl.Float64, pl.String,
        ]  # fmt: skip
        assert coded["task"].unique().to_list() == ["association"]
