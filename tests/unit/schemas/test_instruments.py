"""Declarations of instruments: what fits together, and messages that name what does not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from pydantic import ValidationError

from tallybook.instruments.attribute_choice.instrument import AttributeChoiceInstrument
from tallybook.study.model import Study
from tallybook_schemas.vocabulary import REASONS
from tests.conftest import DECLARATION

POLARITY = {
    "positive": {"liked": "positive", "hated": "negative"},
    "negative": {"liked": "negative", "hated": "positive"},
}
CHOICE: dict[str, Any] = {
    "kind": "attribute-choice",
    "options": {"liked": "politics_label", "hated": "job_label"},
    "given": "group",
    "polarity": POLARITY,
    "shown": ["hated", "liked"],
    "hand": {"column": "prompt_text", "codes": {"c1": "numeric-selection", "x": "liked"}},
}


def _fault(**changes: Any) -> str:
    with pytest.raises(ValidationError) as error:
        AttributeChoiceInstrument.model_validate(CHOICE | changes)
    (fault,) = error.value.errors()
    place = ".".join(map(str, fault["loc"]))
    return f"{place}: {fault['msg'].removeprefix('Value error, ')}"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": {"liked": "a"}}, "options: Dictionary should have at least 2 items after validation, not 1"),
        ({"options": {"liked": "a", "hated": "a"}}, ": options: two options have the same column"),
        (
            {"options": {"option": "a", "hated": "b"}},
            ": options: 'option' is why a response has no option; choose another name",
        ),
        (
            {"options": {"no-response": "a", "hated": "b"}},
            ": options: 'no-response' is why a response has no option; choose another name",
        ),
        ({"shown": ["liked"]}, ": shown: must name every option once: liked, hated"),
        ({"shown": ["liked", "hated", "liked"]}, ": shown: must name every option once: liked, hated"),
        ({"given": None}, ": 'given' and 'polarity' need each other"),
        ({"polarity": {}}, ": 'given' and 'polarity' need each other"),
        ({"polarity": {"positive": POLARITY["positive"]}}, ": polarity.negative: no polarity for option 'liked'"),
        (
            {"polarity": POLARITY | {"positive": {"liked": "positive"}}},
            ": polarity.positive: no polarity for option 'hated'",
        ),
        (
            {"polarity": POLARITY | {"negative": POLARITY["negative"] | {"loved": "positive"}}},
            ": polarity.negative: no option 'loved'; declared: liked, hated",
        ),
        ({"polarity": POLARITY | {"neutral": {}}}, "polarity.neutral.[key]: Input should be 'positive' or 'negative'"),
        (
            {"polarity": POLARITY | {"positive": {"liked": "good", "hated": "negative"}}},
            "polarity.positive.liked: Input should be 'positive', 'negative' or 'neutral'",
        ),
        (
            {"hand": {"column": "c", "codes": {}}},
            "hand.codes: Dictionary should have at least 1 item after validation, not 0",
        ),
        (
            {"hand": {"column": "c", "codes": {"c1": "numeric"}}},
            f": hand.codes: no option or reason 'numeric'; declared: liked, hated, {', '.join(REASONS)}",
        ),
        ({"hand": {"column": "c", "codes": {" c1": "liked"}}}, ": hand.codes: white space around the code ' c1'"),
        ({"hand": {"codes": {"c1": "liked"}}}, "hand.column: Field required"),
        ({"match": "fuzzy"}, "match: Input should be 'exact' or 'tolerant'"),
        ({"unmatched": "drop"}, "unmatched: Input should be 'report', 'error' or 'ignore'"),
        ({"blank": ""}, "blank: String should have at least 1 character"),
        ({"phrases": {"answers": ["x"]}}, "phrases.answers: Extra inputs are not permitted"),
        ({"phrases": {"numbers": {"due": "two"}}}, "phrases.numbers.due: String should match pattern '^[0-9]+$'"),
    ],
)
def test_wrong_declarations(changes: dict[str, Any], message: str) -> None:
    assert _fault(**changes) == message


def _study(**changes: Any) -> dict[str, Any]:
    declaration = deepcopy(DECLARATION)
    declaration["instrument"] = CHOICE | changes
    declaration["outcomes"] = {
        "choice": {"kind": "category", "label": "C", "attribute": "chosen_polarity", "labels": {"good": ["positive"]}},
        "why": {"kind": "reason", "label": "W", "attribute": "invalid_reason", "labels": {"silent": ["no-response"]}},
    }
    return declaration


def _study_fault(declaration: dict[str, Any]) -> str:
    with pytest.raises(ValidationError) as error:
        Study.model_validate(declaration)
    (fault,) = error.value.errors()
    return fault["msg"].removeprefix("Value error, ")


class TestWithinAStudy:
    """What the instrument needs must be read, and what it makes must not be there already."""

    def test_what_it_makes_are_attributes(self) -> None:
        study = Study.model_validate(_study())
        assert list(study.category_outcome("why").terms) == ["silent"]

    @pytest.mark.parametrize(
        ("changes", "place"),
        [
            ({"options": {"liked": "nowhere", "hated": "job_label"}}, "options.liked"),
            ({"context": "nowhere"}, "context"),
            ({"given": "nowhere"}, "given"),
            ({"shown": "nowhere"}, "shown"),
            ({"hand": {"column": "nowhere", "codes": {"x": "liked"}}}, "hand.column"),
        ],
    )
    def test_columns_must_be_read(self, changes: dict[str, Any], place: str) -> None:
        fault = _study_fault(_study(**changes))
        assert f"instrument.{place}: no column 'nowhere'; declared: " in fault

    def test_the_text_must_be_read(self) -> None:
        declaration = _study()
        columns = declaration["sources"][0]["columns"]
        columns["answer"] = columns.pop("text")
        declaration["sources"][0]["require"] = []
        assert "no column 'text'; declared: " in _study_fault(declaration)

    def test_polarities_are_made_where_they_are_declared(self) -> None:
        fault = _study_fault(_study(given=None, polarity={}))
        assert "outcomes.choice.attribute: no column 'chosen_polarity'; declared: " in fault

    def test_no_factor_has_the_name_of_what_it_makes(self) -> None:
        declaration = _study()
        declaration["factors"]["match_rule"] = {"label": "R", "levels": {"exact": "Exact"}}
        assert _study_fault(declaration) == "factors.match_rule: this column has another meaning; choose another name"

    def test_no_source_makes_it_already(self) -> None:
        declaration = _study()
        declaration["sources"][0]["columns"]["rule_reason"] = {"path": "x"}
        assert "column 'rule_reason' is made by the instrument too; choose another name" in _study_fault(declaration)

    def test_a_reason_is_declared_as_categories_are(self) -> None:
        declaration = _study()
        declaration["outcomes"]["why"]["labels"] = {"invalid": ["no-response"]}
        with pytest.raises(ValidationError, match="'invalid' is how uncoded responses are counted"):
            Study.model_validate(declaration)
