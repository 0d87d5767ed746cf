"""Declarations of decisions: what fits together, and messages that name what does not."""

from __future__ import annotations

from typing import Any, get_args

import pytest
from pydantic import ValidationError

from tallybook.instruments.absolute_decision.instrument import (
    ABSOLUTE_DECISIONS,
    ABSOLUTE_REASONS,
    AbsoluteDecisionInstrument,
    AbsoluteMeaning,
)
from tallybook.instruments.relative_decision.instrument import (
    RELATIVE_DECISIONS,
    RELATIVE_REASONS,
    RelativeDecisionInstrument,
    RelativeMeaning,
)
from tests.unit.instruments.decisions import COLUMNS, COUPLE, absolute, relative


def _fault(model: type[RelativeDecisionInstrument | AbsoluteDecisionInstrument], **settings: Any) -> str:
    kind = "relative-decision" if model is RelativeDecisionInstrument else "absolute-decision"
    with pytest.raises(ValidationError) as error:
        model.model_validate({"kind": kind} | settings)
    (fault,) = error.value.errors()
    place = ".".join(map(str, fault["loc"]))
    return f"{place}: {fault['msg'].removeprefix('Value error, ')}"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({}, ": exactly one of 'columns', 'lists' and 'names'"),
        ({"columns": COLUMNS, "names": {"x": COUPLE}}, ": exactly one of 'columns', 'lists' and 'names'"),
        (
            {"names": {"x": COUPLE}, "sides": {"file": "sides.csv", "positive": "POS", "negative": "NEG"}},
            ": 'sides' need 'lists'",
        ),
        ({"names": {"x": COUPLE, "y": COUPLE}}, ": 'names' of 2 datasets need 'dataset'"),
        ({"columns": COLUMNS, "dataset": "d"}, ": 'dataset' needs 'names' or 'lists'"),
        (
            {"names": {"x": COUPLE | {"stigma": []}}},
            "names.x.stigma: Tuple should have at least 1 item after validation, not 0",
        ),
        ({"names": {"x": COUPLE | {"neutral": ["a"]}}}, "names.x.neutral: Extra inputs are not permitted"),
        (
            {"names": {"x": COUPLE}, "codes": {"column": "c", "codes": {}}},
            "codes.codes: Dictionary should have at least 1 item after validation, not 0",
        ),
        (
            {"names": {"x": COUPLE}, "codes": {"column": "c", "codes": {"1 ": "declined"}}},
            "codes: codes: white space around the code '1 '",
        ),
        ({"names": {"x": COUPLE}, "undecided": "drop"}, "undecided: Input should be 'report', 'error' or 'ignore'"),
        ({"names": {"x": COUPLE}, "phrases": {"no": ["x"]}}, "phrases: Extra inputs are not permitted"),
        (
            {"names": {"x": COUPLE}, "decision": {"after": ""}},
            "decision.after: String should have at least 1 character",
        ),
    ],
)
def test_faults_of_relative_decisions(settings: dict[str, Any], message: str) -> None:
    assert _fault(RelativeDecisionInstrument, **settings) == message


def test_codes_mean_decisions_or_reasons() -> None:
    assert get_args(RelativeMeaning) == (*RELATIVE_DECISIONS, *RELATIVE_REASONS)
    assert get_args(AbsoluteMeaning) == (*ABSOLUTE_DECISIONS, *ABSOLUTE_REASONS)
    codes = {"column": "c", "codes": {"1": "discriminatory"}}
    assert _fault(AbsoluteDecisionInstrument, codes=codes).startswith("codes.codes.1: Input should be 'yes', 'no', ")
    codes = {"column": "c", "codes": {"Y ": "yes"}}
    assert _fault(AbsoluteDecisionInstrument, codes=codes) == "codes: codes: white space around the code 'Y '"


def test_what_relative_decisions_read() -> None:
    assert relative().reads == {"decision.column": "text"}
    codes = {"column": "c", "codes": {"1": "declined"}}
    settings = {"codes": codes, "profile": {"column": "p"}, "decision": {"column": "d"}}
    assert relative(dataset="s", **settings).reads == {
        "decision.column": "d", "codes.column": "c", "profile.column": "p", "dataset": "s",
    }  # fmt: skip
    assert relative(columns=COLUMNS).reads == {
        "decision.column": "text", "columns.default": "d", "columns.stigma": "s", "columns.positive": "p",
        "columns.negative": "n",
    }  # fmt: skip


def test_what_absolute_decisions_read() -> None:
    assert absolute().reads == {"decision.column": "text"}
    codes = {"column": "c", "codes": {"1": "yes"}}
    found = absolute(codes=codes, decision={"column": "d"}).reads
    assert found == {"decision.column": "d", "codes.column": "c"}


def test_what_they_make() -> None:
    assert relative().makes == {
        "discriminatory": "integer", "decision_rule": "string", "undecided_reason": "string", "rule_decision": "string",
    }  # fmt: skip
    assert absolute().makes == {
        "answer": "string", "affirmed": "integer", "answer_rule": "string", "unanswered_reason": "string",
        "rule_answer": "string",
    }  # fmt: skip
