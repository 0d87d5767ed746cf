"""The profile instrument: nothing is dropped, and every response gets the status that it earns."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError, UsageError
from tallybook.core.frame_checks import check
from tallybook.instruments import coder
from tallybook.instruments.json_answers import as_lines, at_path, value_of
from tallybook.sources import reading
from tallybook.study.loading import load
from tallybook.study.model import Study
from tallybook_schemas.columns import CodedResponses
from tallybook_schemas.vocabulary import CODED_STATUSES, DELIVERED_STATUSES
from tests import computed_once
from tests.conftest import DECLARATION

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

REFUSAL = "I’m sorry, but I can’t help with that."
OUTCOMES = ("politics", "job", "mood")


def _responses(*rows: dict[str, Any]) -> pl.DataFrame:
    """Responses with every attribute unless a row says otherwise."""
    usual = {
        "response_id": "r", "model": "zeta", "dimension": "age", "group": "young", "item": "Ada", "sample": 0,
        "text": "A liberal teacher.", "status": "ok", "count": 1, "file": "f.json",
        "politics_label": "liberal", "job_label": "teacher", "mood": 0.5,
    }  # fmt: skip
    schema = {
        **dict.fromkeys(usual, pl.String()),
        **dict.fromkeys(("sample", "count", "position"), pl.Int64()),
        "key": pl.String,
        "mood": pl.Float64,
    }
    numbered = [usual | {"position": number, "key": f"{number}_0"} | row for number, row in enumerate(rows)]
    return pl.DataFrame(numbered, schema=schema)


def _coding(responses: pl.DataFrame, study: Study, *progress: Callable[[int], None]) -> coder.Coding:
    assert study.instrument is not None
    return coder.code(responses, study, study.instrument, *progress)


def _code(study: Study, *rows: dict[str, Any]) -> list[tuple[Any, ...]]:
    return _coding(_responses(*rows), study).coded.select("status", *OUTCOMES).rows()


NOTHING = {"politics_label": None, "job_label": None, "mood": None}
FULL = ("left", "teacher", 0.5)
NONE = (None, None, None)


@pytest.mark.parametrize("text", ["A liberal teacher.", REFUSAL, "", None])
@pytest.mark.parametrize(
    ("delivered", "coded"),
    [
        ("ok", ("ok", *FULL)),
        ("truncated", ("ok", *FULL)),
        ("empty", ("ok", *FULL)),
        ("refused", ("refused", *NONE)),
        ("filtered", ("refused", *NONE)),
        ("error", ("error", *NONE)),
        ("expired", ("error", *NONE)),
        ("canceled", ("error", *NONE)),
    ],
)
def test_delivered_with_every_attribute(study: Study, delivered: str, coded: tuple[Any, ...], text: str | None) -> None:
    """Attributes count, whatever the text says; a status without answer has no values."""
    assert _code(study, {"status": delivered, "text": text}) == [coded]


@pytest.mark.parametrize(
    ("delivered", "on_answer", "on_refusal"),
    [
        ("ok", "invalid", "refused"),
        ("truncated", "invalid", "refused"),
        ("empty", "invalid", "refused"),
        ("refused", "refused", "refused"),
        ("filtered", "refused", "refused"),
        ("error", "error", "error"),
        ("expired", "error", "error"),
        ("canceled", "error", "error"),
    ],
)
def test_delivered_without_attributes(study: Study, delivered: str, on_answer: str, on_refusal: str) -> None:
    rows = [NOTHING | {"status": delivered, "text": text} for text in ("A tall man.", None, "", REFUSAL)]
    assert _code(study, *rows) == [(on_answer, *NONE)] * 3 + [(on_refusal, *NONE)]


def test_every_delivered_status_is_tested() -> None:
    marks = vars(test_delivered_without_attributes)["pytestmark"]
    assert {case[0] for case in marks[0].args[1]} == set(DELIVERED_STATUSES)


@pytest.mark.parametrize(
    ("attributes", "coded"),
    [
        ({"mood": None}, ("partial", "left", "teacher", None)),
        ({"job_label": None}, ("partial", "left", None, 0.5)),
        ({"job_label": " - "}, ("partial", "left", None, 0.5)),
        ({"job_label": "", "mood": None}, ("partial", "left", None, None)),
        ({"politics_label": "green"}, ("partial", None, "teacher", 0.5)),
        ({"politics_label": "", "job_label": None}, ("partial", None, None, 0.5)),
        ({"politics_label": "green", "job_label": None, "mood": None}, ("invalid", *NONE)),
        ({"politics_label": "", "job_label": "-", "mood": None, "text": REFUSAL}, ("invalid", *NONE)),
        ({"mood": 0.0}, ("ok", "left", "teacher", 0.0)),
        ({"mood": float("nan")}, ("partial", "left", "teacher", None)),
        ({"mood": float("inf")}, ("partial", "left", "teacher", None)),
    ],
)
def test_incomplete_answers(study: Study, attributes: dict[str, Any], coded: tuple[Any, ...]) -> None:
    assert _code(study, attributes) == [coded]


class TestUnmapped:
    """Labels outside the map are counted as invalid and reported, or an error."""

    ROWS = (
        {"politics_label": "green", "count": 2},
        {"politics_label": "liberal"},
        {"politics_label": "[x]", "key": "k\x1b"},
        {"politics_label": "green", "count": 3},
        {"politics_label": "red", "status": "refused"},
        {"politics_label": "blue", "status": "error"},
        {"politics_label": None, "count": 5},
    )

    def test_report(self, study: Study) -> None:
        coding = _coding(_responses(*self.ROWS), study)
        assert coding.unmapped.rows(named=True) == [
            {"outcome": "politics", "label": "green", "count": 5},
            {"outcome": "politics", "label": "[x]", "count": 1},
        ]
        assert coding.coded["count"].sum() == 14

    def test_nothing_to_report(self, study: Study) -> None:
        unmapped = _coding(_responses({}), study).unmapped
        assert unmapped.schema == {"outcome": pl.String, "label": pl.String, "count": pl.Int64}
        assert unmapped.height == 0

    def test_error(self, declaration: Any) -> None:
        declaration["instrument"]["unmapped"] = "error"
        study = Study.model_validate(declaration)
        with pytest.raises(DataError) as error:
            _coding(_responses(*self.ROWS), study)
        assert [str(problem) for problem in error.value.problems] == [
            "f.json: key 0_0, column politics: found green; expected a label of left, right",
            "f.json: key k\\x1b, column politics: found [x]; expected a label of left, right",
            "f.json: key 3_0, column politics: found green; expected a label of left, right",
        ]
        assert _coding(_responses({}, NOTHING), study).unmapped.height == 0

    def test_an_outcome_named_like_its_attribute(self, declaration: Any) -> None:
        """The coded column replaces the label, and what had no category is reported all the same."""
        outcome = declaration["outcomes"]["politics"]
        source = declaration["sources"][0]["columns"]
        source["politics"] = source.pop("politics_label")
        declaration["outcomes"]["politics"] = outcome | {"attribute": "politics"}
        responses = _responses({}, {"politics_label": "green"}).rename({"politics_label": "politics"})
        coding = _coding(responses, Study.model_validate(declaration))
        assert coding.coded["politics"].to_list() == ["left", None]
        assert coding.unmapped["label"].to_list() == ["green"]


LABELS = st.none() | st.sampled_from(["liberal", "-  Conservative", "left [right]", "green", "", "-", "none [liberal]"])
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "status": st.sampled_from(DELIVERED_STATUSES),
            "text": st.none() | st.sampled_from(["", REFUSAL, "A tall man."]),
            "count": st.integers(1, 1000),
            "politics_label": LABELS,
            "job_label": LABELS,
            "mood": st.none() | st.floats(),
        }
    )
)


@given(ROWS)
def test_nothing_is_dropped(rows: list[dict[str, Any]]) -> None:
    study = Study.model_validate(DECLARATION)
    responses = _responses(*rows)
    coded, unmapped, _ = _coding(responses, study)
    kept = ["response_id", "model", "group", "item", "sample", "text", "count", "position", "file", "key"]
    assert coded.select(kept).equals(responses.select(kept))
    assert set(coded["status"]) <= set(CODED_STATUSES)
    check(coded, CodedResponses, where="coded")
    values = coded.select(pl.sum_horizontal(pl.col(name).is_not_null() for name in OUTCOMES)).to_series()
    assert [
        (n == 3, 0 < n < 3, n == 0) for n in values
    ] == [
        (status == "ok", status == "partial", status in {"refused", "invalid", "error"}) for status in coded["status"]
    ]  # fmt: skip
    # Every label of an answer either became a category or is reported.
    answered = ~coded["status"].is_in(["refused", "error"])
    labelled = responses.filter(answered & responses["politics_label"].is_not_null())["count"].sum()
    mapped = coded.filter(pl.col("politics").is_not_null())["count"].sum()
    assert unmapped.filter(outcome="politics")["count"].sum() == labelled - mapped


class TestAttributesInTheText:
    """The instrument parses the block that the text holds."""

    @pytest.fixture
    def parsing(self, declaration: Any) -> Any:
        block = {"politics_label": ["Politics"], "job_label": ["Occupation"], "mood_label": ["Mood"]}
        declaration["instrument"] = {"kind": "profile", "attributes": "text", "block": block}
        declaration["sources"][0]["columns"] = {"text": {"path": "generated_text"}}
        declaration["sources"][0]["status"] = []
        declaration["outcomes"]["mood"]["attribute"] = "mood_label"
        return declaration

    def _code(self, declaration: Any, *texts: str | None) -> coder.Coding:
        rows = _responses(*({"text": text} for text in texts))
        return _coding(rows.drop("politics_label", "job_label", "mood"), Study.model_validate(declaration))

    def test_texts(self, parsing: Any) -> None:
        coded, unmapped, _ = self._code(
            parsing,
            "She is kind.\n\n- Occupation: Nurse\n- Politics: liberal [liberal/conservative]\n- Mood: 0.5",
            "Occupation: a Nurse (in a city hospital)\nPolitics: N/A\nMood: good",
            "Politics: green",
            REFUSAL,
            "She is kind.",
            None,
        )
        assert coded.select("status", *OUTCOMES).rows() == [
            ("ok", "left", "Nurse", 0.5),
            ("partial", None, "Nurse", None),
            ("invalid", *NONE),
            ("refused", *NONE),
            ("invalid", *NONE),
            ("empty", *NONE),
        ]
        assert unmapped.rows() == [("mood", "good", 1), ("politics", "green", 1)]

    def test_a_score_that_is_no_number_is_an_error_where_labels_are(self, parsing: Any) -> None:
        parsing["instrument"]["unmapped"] = "error"
        with pytest.raises(DataError, match="key 0_0, column mood: found good; expected a finite number"):
            self._code(parsing, "Mood: good\nPolitics: left")

    def test_own_phrases_of_refusal(self, parsing: Any) -> None:
        parsing["instrument"]["refusal_phrases"] = ["non posso"]
        coded, _, _ = self._code(parsing, "Non posso aiutarti.", REFUSAL)
        assert coded["status"].to_list() == ["refused", "invalid"]


class TestScoresOfTexts:
    """TextBlob scores answers, and only what says something."""

    @pytest.fixture
    def scoring(self, declaration: Any) -> Study:
        declaration["outcomes"]["mood"] |= {"scorer": "textblob-polarity", "attribute": "anything"}
        return Study.model_validate(declaration)

    def test_answers_are_scored(self, scoring: Study) -> None:
        rows = ({"text": "She is wonderful."}, {"text": "He is awful."}, {"text": "A table."})
        assert [row[3] for row in _code(scoring, *rows)] == [1.0, -1.0, 0.0]

    def test_what_says_nothing_is_not_scored(self, scoring: Study) -> None:
        rows = ({"text": text} | NOTHING for text in (None, "", " \n", REFUSAL))
        assert _code(scoring, *rows) == [("invalid", *NONE)] * 3 + [("refused", *NONE)]

    def test_refused_and_failed_responses_are_not_scored(self, scoring: Study) -> None:
        rows = ({"text": "She is wonderful.", "status": status} for status in ("refused", "error"))
        assert _code(scoring, *rows) == [("refused", *NONE), ("error", *NONE)]

    def test_only_scores(self, declaration: Any) -> None:
        declaration["outcomes"] = {
            "mood": declaration["outcomes"]["mood"] | {"scorer": "textblob-polarity"},
            "opinion": {"kind": "score", "label": "O", "attribute": "none", "scorer": "textblob-subjectivity"},
        }
        texts = [{"text": "She is wonderful."}, {"text": REFUSAL}, {"text": None}]
        responses = _responses(*texts).drop("politics_label", "job_label", "mood")
        coded, unmapped, _ = _coding(responses, Study.model_validate(declaration))
        assert coded.select("status", "mood", "opinion").rows() == [
            ("ok", 1.0, 1.0),
            ("refused", None, None),
            ("invalid", None, None),
        ]
        assert unmapped.height == 0

    def test_progress_counts_every_text(self, scoring: Study) -> None:
        steps: list[int] = []
        _coding(_responses({}, {"text": None}, {"status": "error"}), scoring, steps.append)
        assert sum(steps) == 3


class TestAskedOfSome:
    """What is asked of some responses only is coded of no others, and not missed of them."""

    @pytest.fixture
    def asking(self, declaration: Any) -> Any:
        """A study that asks only the young about politics, and only the aged (by both models) about jobs."""
        declaration["outcomes"]["politics"]["where"] = {"group": "young"}
        declaration["outcomes"]["job"]["where"] = {"group": ["aged"], "model": ["zeta", "alpha"]}
        return declaration

    @pytest.mark.parametrize(
        ("row", "coded"),
        [
            ({"group": "young"}, ("ok", "left", None, 0.5)),
            ({"group": "aged"}, ("ok", None, "teacher", 0.5)),
            ({"group": "young", "job_label": None}, ("ok", "left", None, 0.5)),
            ({"group": "aged", "politics_label": None}, ("ok", None, "teacher", 0.5)),
            ({"group": "aged", "politics_label": "green"}, ("ok", None, "teacher", 0.5)),
            ({"group": "young", "politics_label": "green"}, ("partial", None, None, 0.5)),
            ({"group": "young", "politics_label": "green", "mood": None}, ("invalid", *NONE)),
            ({"group": "aged", "job_label": None, "mood": None}, ("invalid", *NONE)),
            ({"group": "aged", "mood": None}, ("partial", None, "teacher", None)),
            ({"group": "aged", "status": "refused"}, ("refused", *NONE)),
            ({"group": "aged", "status": "error"}, ("error", *NONE)),
            (NOTHING | {"group": "aged", "text": REFUSAL}, ("refused", *NONE)),
            (NOTHING | {"group": "aged", "text": REFUSAL, "politics_label": "left"}, ("refused", *NONE)),
            (NOTHING | {"group": "young", "text": REFUSAL, "politics_label": "left"}, ("partial", "left", None, None)),
        ],
    )
    def test_the_status_is_about_what_is_asked(self, asking: Any, row: dict[str, Any], coded: tuple[Any, ...]) -> None:
        assert _code(Study.model_validate(asking), row) == [coded]

    def test_every_factor_must_fit(self, asking: Any) -> None:
        asking["outcomes"]["job"]["where"] = {"group": "aged", "model": "alpha"}
        rows = [{"group": group, "model": model} for group in ("young", "aged") for model in ("zeta", "alpha")]
        assert [row[2] for row in _code(Study.model_validate(asking), *rows)] == [None, None, None, "teacher"]

    def test_a_response_of_which_nothing_is_asked(self, asking: Any) -> None:
        for name in OUTCOMES:
            asking["outcomes"][name]["where"] = {"group": "aged"}
        rows = ({}, NOTHING, NOTHING | {"text": REFUSAL}, {"status": "error"})
        assert _code(Study.model_validate(asking), *rows) == [
            ("ok", *NONE), ("ok", *NONE), ("refused", *NONE), ("error", *NONE),
        ]  # fmt: skip

    def test_labels_of_others_are_not_reported(self, asking: Any) -> None:
        rows = ({"group": "aged", "politics_label": "red"}, {"group": "young", "politics_label": "green", "count": 2})
        assert _coding(_responses(*rows), Study.model_validate(asking)).unmapped.rows() == [("politics", "green", 2)]
        asking["instrument"]["unmapped"] = "error"
        with pytest.raises(DataError) as error:
            _coding(_responses(*rows), Study.model_validate(asking))
        assert [problem.value for problem in error.value.problems] == ["green"]

    def test_an_attribute_that_only_others_have(self, asking: Any) -> None:
        study = Study.model_validate(asking)
        aged = _responses({"group": "aged"}).drop("politics_label")
        assert _coding(aged, study).coded.select("status", *OUTCOMES).rows() == [("ok", None, "teacher", 0.5)]
        young = _responses({"group": "aged"}, {"group": "young"}).drop("politics_label")
        with pytest.raises(UsageError, match=r"outcomes\.politics\.attribute: the responses have no column"):
            _coding(young, study)

    def test_only_texts_that_are_asked_for_are_scored(self, asking: Any) -> None:
        asking["outcomes"]["mood"] |= {"scorer": "textblob-polarity", "where": {"group": "aged"}}
        rows = [{"text": "She is wonderful.", "group": group} for group in ("young", "aged")]
        assert _code(Study.model_validate(asking), *rows) == [("ok", "left", None, None), ("ok", None, "teacher", 1.0)]


ASKED = st.fixed_dictionaries(
    {name: st.sampled_from([{}, {"group": ("young",)}, {"group": ("young", "aged")}]) for name in OUTCOMES}
)


@given(ROWS, ASKED, st.lists(st.sampled_from(["young", "aged"]), min_size=20, max_size=20))
def test_what_is_not_asked_is_as_if_it_were_not_there(
    rows: list[dict[str, Any]], where: dict[str, dict[str, Any]], groups: list[str]
) -> None:
    """Values and refusals are those of responses without the attribute; nothing is incomplete for the want of it."""
    everything = Study.model_validate(DECLARATION)
    outcomes = {
        name: outcome.model_copy(update={"where": where[name]}) for name, outcome in everything.outcomes.items()
    }
    grouped = [row | {"group": group} for row, group in zip(rows, groups * 10, strict=False)]
    asked = [{name for name in OUTCOMES if row["group"] in where[name].get("group", row["group"])} for row in grouped]
    without = [
        row | {outcomes[name].attribute: None for name in OUTCOMES if name not in wanted}
        for row, wanted in zip(grouped, asked, strict=True)
    ]
    some = _coding(_responses(*grouped), everything.model_copy(update={"outcomes": outcomes}))
    full = _coding(_responses(*without), everything)
    assert some.coded.select(OUTCOMES).equals(full.coded.select(OUTCOMES))
    assert some.unmapped.equals(full.unmapped)
    for got, plain, wanted in zip(some.coded.to_dicts(), full.coded.to_dicts(), asked, strict=True):
        valued = sum(got[name] is not None for name in wanted)
        expected = "ok" if valued == len(wanted) else "partial" if valued else "invalid"
        assert got["status"] == (plain["status"] if plain["status"] in {"refused", "error"} else expected)


def test_no_responses(study: Study) -> None:
    coded, unmapped, _ = _coding(_responses(), study)
    assert (coded.height, unmapped.height) == (0, 0)
    assert set(OUTCOMES) <= set(coded.columns)


def test_an_attribute_that_is_not_there(study: Study) -> None:
    with pytest.raises(UsageError, match=r"outcomes\.job\.attribute: the responses have no column 'job_label'"):
        _coding(_responses({}).drop("job_label"), study)


@pytest.mark.released
class TestReleased:
    """The released responses of the first study."""

    @pytest.mark.usefixtures("released")
    def test_every_label_maps_and_statuses_are_as_described(self) -> None:
        source = computed_once.released("wang2025").source
        coded = source.coded
        assert source.uncoded["label"].drop_nulls().to_list() == []
        assert coded.height == 8400
        assert dict(coded.group_by("status").len().iter_rows()) == {"ok": 8274, "partial": 11, "refused": 115}
        # Section 6.5: eleven answers without a stored polarity, nobody refused.
        partial = coded.filter(status="partial")
        assert partial["file"].unique().to_list() == ["claude_3.5_sonnet/explicit/generation_alpha_male.json"]
        assert sorted(partial["key"].str.slice(3).cast(pl.Int64)) == list(range(14, 25))
        # Section 3.1: who refused.
        refused = coded.filter(status="refused", prompt_type="explicit").group_by("group", "sex").len().rows()
        assert sorted(refused) == [
            ("asian", "female", 24), ("black", "male", 25), ("hispanic", "male", 2),
            ("white", "female", 25), ("white", "male", 25),
        ]  # fmt: skip

    @pytest.mark.slow
    def test_polarity_can_be_computed_again(self, released: Path) -> None:
        """Section 3.7: TextBlob's scores agree with the stored ones for all but 5 records.

        To be quick, on 1,100 responses: the explicit answers of one model, and the file that holds the five.
        """
        stored = load("wang2025").study
        computed = load("wang2025", ["outcomes.polarity.scorer=textblob-polarity"]).study
        explicit = (pl.col("model") == "claude-3.5-sonnet") & (pl.col("prompt_type") == "explicit")
        with_five = pl.col("file") == "llama_3.1_70b/implicit/male.json"
        responses = reading.read(stored, released).responses.filter(explicit | with_five)
        before = _coding(responses, stored).coded["polarity"]
        after = _coding(responses, computed).coded["polarity"]
        assert before.null_count() == 101 + 11
        assert after.null_count() == 101
        assert ((before - after).abs() > 1e-9).sum() <= 10


def test_half_a_surrogate_pair_in_json_is_replaced() -> None:
    assert as_lines('{"politics": "\\ud800 left"}') == "politics: \ufffd left"
    assert at_path('{"score": "\\udc00"}', ["score"]) == "\ufffd"
    assert value_of('{"answer": "\\ud83d\\ude00"}') == "\U0001f600"
