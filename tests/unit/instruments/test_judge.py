"""Verdicts of judges, as they are delivered beside responses."""

from __future__ import annotations

import polars as pl
import pytest

from tallybook.core.errors import UsageError
from tallybook.instruments.judge.instrument import JudgeInstrument
from tallybook.instruments.reading import VERDICT

SCALE = {"lowest": 1, "highest": 10}
PATH = "verdict.score"
READ: list[tuple[str | None, float | None, str | None, str | None]] = [
    ("8", 8, None, None),
    (" 8.5 ", 8.5, None, None),
    ("8/10", 8, None, None),
    ("8 out of 10", 8, None, None),
    ("[[7]]", 7, None, None),
    ("Rating: [[7]]", 7, None, None),
    ("Score: 3", 3, None, None),
    ("8/5", None, None, "off-scale"),
    ("11", None, None, "off-scale"),
    ("-1", None, None, "off-scale"),
    ("Harmful.", None, "harmful", None),
    ('"Not harmful"', None, "not harmful", None),
    ("**SAFE**", None, "safe", None),
    ("C", None, "c", None),
    ("true", None, "true", None),
    ("", None, None, "no-verdict"),
    (None, None, None, "no-verdict"),
    ("  ", None, None, "no-verdict"),
    ("It is hard to say.\nOn the whole it may be fine.", None, None, "unreadable"),
    ("x" * 81, None, None, "unreadable"),
    ('{"score": ', None, None, "unreadable"),
]
IN_JSON: list[tuple[str, float | None, str | None]] = [
    ('{"verdict": {"score": 4}}', 4, None),
    ('```json\n{"verdict": {"score": "5/10"}}\n```', 5, None),
    ('{"verdict": {"score": "unsafe"}}', None, "unsafe"),
    ('{"verdict": {"score": true}}', None, "true"),
    ('{"verdict": {"score": null}}', None, None),
    ('{"verdict": {"score": [4]}}', None, None),
    ('{"verdict": 4}', None, None),
    ('{"score": 4}', None, None),
    ("[1, 2]", None, None),
    ("6", None, None),
]


def read(settings: dict[str, object], **columns: list[str | None]) -> pl.DataFrame:
    names = {name: {"column": name} for name in columns}
    height = len(next(iter(columns.values())))
    responses = pl.DataFrame({"status": ["ok"] * height, **columns}, schema_overrides=dict.fromkeys(columns, pl.String))
    return JudgeInstrument.model_validate({"kind": "judge", "judges": names} | settings).code(responses, {}).responses


@pytest.mark.parametrize(("said", "score", "label", "reason"), READ)
def test_cells(said: str | None, score: float | None, label: str | None, reason: str | None) -> None:
    found = read(SCALE, one=[said]).row(0, named=True)
    assert (found["one_score"], found["one_label"], found["unjudged_reason"]) == (score, label, reason)
    assert (found["judge_score"], found["judge_label"]) == (score, label)


@pytest.mark.parametrize(("said", "score", "label"), IN_JSON)
def test_json_in_cells(said: str, score: float | None, label: str | None) -> None:
    settings: dict[str, object] = {"judges": {"one": {"column": "one", "path": PATH}}}
    found = read(settings | SCALE, one=[said]).row(0, named=True)
    if said == "6":  # no JSON object: nothing stands at the path
        assert found["one_score"] is None
    assert (found["one_score"], found["one_label"]) == (score, label)


@pytest.mark.parametrize(
    ("labels", "said", "label"),
    [
        (["safe", "unsafe"], "Safe? No, unsafe.", "unsafe"),
        (["harmful", "harmless"], "It would be harmful if read by children.", None),
        (["harmful", "harmless"], "The text is far from harmless.", None),
        (["yes", "no"], "There is no doubt: yes", "yes"),
        (["a", "b"], "A is worse than B.", None),
    ],
)
def test_sentences_choose_among_labels_as_among_options(labels: list[str], said: str, label: str | None) -> None:
    settings: dict[str, object] = {"judges": {"one": {"column": "one", "labels": labels}}}
    assert read(settings, one=[said]).item(0, "one_label") == label


def test_several_judges_have_a_mean_and_a_majority() -> None:
    found = read(
        {}, a=["1", "yes", "yes", None, "yes"], b=["4", "no", "yes", "no", None], c=["4", "no", "no", None, "no"]
    )
    assert found.get_column("judge_score").to_list() == [3, None, None, None, None]
    assert found.get_column("judge_label").to_list() == [None, "no", "yes", "no", None]
    assert found.get_column("unjudged_reason").to_list() == [None, None, None, None, "split"]


def test_failed_requests_have_no_verdict() -> None:
    instrument = JudgeInstrument.model_validate({"kind": "judge", "judges": {"one": {"column": "one"}}})
    responses = pl.DataFrame({"status": ["error", "refused"], "one": ["safe", "safe"]})
    found = instrument.code(responses, {}).responses
    assert found.select("one_label", "unjudged_reason", VERDICT).rows() == [(None, None, "error"), ("safe", None, None)]


def test_a_column_must_be_there() -> None:
    instrument = JudgeInstrument.model_validate({"kind": "judge", "judges": {"one": {"column": "two"}}})
    with pytest.raises(UsageError, match=r"judges\.one\.column: the responses have no column 'two'"):
        instrument.code(pl.DataFrame({"status": ["ok"]}), {})
