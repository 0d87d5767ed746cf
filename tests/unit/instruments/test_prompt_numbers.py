"""Numbers of prompts: responses without answer have them, and no status depends on them."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from pydantic import TypeAdapter

from tallybook.instruments.outcomes import code_outcomes
from tallybook.instruments.reading import VERDICT
from tallybook.study.coding import Outcome, ScoreOutcome

OUTCOMES: dict[str, dict[str, Any]] = {
    "answer": {"kind": "score", "label": "Answer", "attribute": "given"},
    "length": {"kind": "score", "label": "Length", "attribute": "letters", "of_prompt": True},
    "difference": {"kind": "score", "label": "Difference", "attribute": "effect", "of_prompt": True, "of_effect": 0.5},
}
RESPONSES = pl.DataFrame(
    {
        "file": "f",
        "key": ["1", "2", "3", "4"],
        "count": [1, 1, 1, 1],
        "given": ["1", None, "2", "x"],
        "letters": ["7", "8", None, "9"],
        "effect": ["1.0", "-1.0", "2.0", "0"],
        VERDICT: [None, "refused", None, None],
    }
)


def coded(**changes: dict[str, Any]) -> pl.DataFrame:
    declared = {name: outcome | changes.get(name, {}) for name, outcome in OUTCOMES.items()}
    kinds: TypeAdapter[Any] = TypeAdapter(Outcome)
    return code_outcomes(RESPONSES, {name: kinds.validate_python(one) for name, one in declared.items()}).coded


def test_responses_without_answer_have_them() -> None:
    assert coded()["length"].to_list() == [7.0, 8.0, None, 9.0]
    assert coded(length={"of_prompt": False})["length"].to_list() == [7.0, None, None, 9.0]


def test_no_status_depends_on_them() -> None:
    assert coded()["status"].to_list() == ["ok", "refused", "ok", "invalid"]
    assert coded(length={"of_prompt": False})["status"].to_list() == ["ok", "refused", "partial", "partial"]


def test_the_difference_behind_an_effect() -> None:
    """1 = d / (|d| / 2 + 0.5) has the solution 1; no d has the effect 2."""
    assert coded()["difference"].to_list() == [1.0, -1.0, None, 0.0]


def test_a_score_of_the_text_is_one_of_the_answer() -> None:
    declared = OUTCOMES["length"] | {"scorer": "textblob-polarity"}
    with pytest.raises(ValueError, match="of_prompt: a score of the text is one of the answer"):
        ScoreOutcome.model_validate(declared)
