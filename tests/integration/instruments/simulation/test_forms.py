"""Forms of responses: templates, disguises, and what they promise."""

from __future__ import annotations

import re
from typing import get_args

import polars as pl
import pytest

from tallybook.instruments.simulation.plan import scenario
from tallybook.instruments.simulation.responses import DISGUISES, disguised, filled, written
from tallybook.instruments.simulation.scenario import Form, Kind
from tallybook.sources.normalise import normalise
from tallybook.study.derivation import NormaliseStep
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook_schemas.vocabulary import CODED_STATUSES, DELIVERED_STATUSES
from tests.integration.instruments.simulation import simulated


def slots_of(template: str) -> list[str]:
    return re.findall(r"\{([A-Za-z][A-Za-z0-9_]*)\}", template)


def test_slots_are_columns_or_expressions() -> None:
    frame = pl.DataFrame({"word": ["a", "b"]})
    template = '{"word": "{word}", "Word": "{Word}"} {} {1}'
    texts = frame.select(filled(template, {"Word": pl.col("word").str.to_uppercase()})).to_series()
    assert texts.to_list() == ['{"word": "a", "Word": "A"} {} {1}', '{"word": "b", "Word": "B"} {} {1}']


def test_texts_stand_in_the_order_of_the_responses() -> None:
    forms = [Form("one", "1 {word}"), Form("two", "2 {word}"), Form("empty", "")]
    frame = pl.DataFrame({"form": [1, 0, 2, 1], "word": ["a", "b", "c", "d"]})
    assert written(frame, forms, {}).to_list() == ["2 a", "1 b", "", "2 d"]


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_forms_are_what_they_must_be(instrument: str) -> None:
    forms = scenario(instrument).forms
    assert len({form.name for form in forms}) == len(forms)
    assert {form.kind for form in forms} == set(get_args(Kind))
    for form in forms:
        assert form.status in CODED_STATUSES
        assert form.delivered in DELIVERED_STATUSES
        assert (form.kept > 0) == (form.status in {"ok", "partial"})
        assert form.kind != "answer" or form.status == "ok"
        # A judge gives its verdict on a refusal too.
        assert form.kind != "refusal" or form.status == ("ok" if instrument == "judge" else "refused")


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_every_form_and_every_disguise_occurs(instrument: str) -> None:
    made = simulated.plan(instrument, rows=20_000)
    _, truth = simulated.together(made)
    assert set(truth["form"]) == {form.name for form in made.scenario.forms}
    can_be = any(form.plain for form in made.scenario.forms)
    assert set(truth["disguise"]) == (set(DISGUISES) if can_be else {"none"})


@pytest.mark.parametrize("instrument", list(INSTRUMENTS))
def test_no_slot_is_left_over(instrument: str) -> None:
    dump, _ = simulated.together(simulated.plan(instrument, rows=3_000))
    known = {slot for form in scenario(instrument).forms for slot in slots_of(form.template)}
    for column in ("prompt", "text"):
        assert dump[column].null_count() == 0
        left = {slot for text in dump[column] for slot in slots_of(text)}
        assert not left & (known - {"Yes"})  # "\\boxed{Yes}" is what models write


def test_mojibake_can_be_undone() -> None:
    texts = pl.Series(["I can't – really…", "100 % “sure”", "今日は good – White", "plain"])
    misread = disguised(texts, pl.Series([list(DISGUISES).index("mojibake")] * 4))
    assert misread[0] == "I can‚Äôt ‚Äì really‚Ä¶"
    repaired = misread.to_frame("text").select(normalise(pl.col("text"), (NormaliseStep(repair="mac-roman"),)))
    # What has other characters is not misread.
    assert repaired.to_series().to_list() == ["I can’t – really…", "100 % “sure”", "今日は good – White", "plain"]


def test_undisguised_texts_stay_as_they_are() -> None:
    texts = pl.Series(["a 'b'\n", ""])
    assert disguised(texts, pl.Series([0, 0])).to_list() == texts.to_list()
