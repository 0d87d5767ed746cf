"""Studies of several instruments and sources: every name is declared, and messages say which is not."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from pydantic import ValidationError

from tallybook.study.model import Study
from tallybook.study.schemas import json_schema
from tallybook.study.sources import CodedSource
from tests.mixed import ASSOCIATIONS, CHOICES, DECLARATION, PROFILES

PROFILE_COLUMNS = "file, key, status, model, part, text, item, sample, group, politics_label, mood, tone_found, task"
OUTCOMES = "politics, mood, choice, why, tone, link"
FACTORS = "model, task, group"
TASKS = "profile, choice, association"
TAKEN = "this column has another meaning; choose another name"


def _changed(path: str, value: object) -> dict[str, Any]:
    """The declaration with one value set (or, for None, removed)."""
    changed = deepcopy(DECLARATION)
    *way, last = (int(part) if part.isdigit() else part for part in path.split("/"))
    table: Any = changed
    for part in way:
        table = table[part]
    if value is None:
        del table[last]
    else:
        table[last] = value
    return changed


def _faults(declaration: dict[str, Any]) -> list[str]:
    with pytest.raises(ValidationError) as error:
        Study.model_validate(declaration)
    return [
        ": ".join(
            part for part in (".".join(map(str, fault["loc"])), fault["msg"].removeprefix("Value error, ")) if part
        )
        for fault in error.value.errors()
    ]


def test_each_source_has_its_instrument() -> None:
    study = Study.model_validate(DECLARATION)
    kinds = [study.instrument_of(source).kind for source in study.sources if not isinstance(source, CodedSource)]
    assert kinds == ["profile", "attribute-choice"]
    assert study.instrument is None


def test_a_single_instrument_is_that_of_all_sources() -> None:
    profiles = {name: value for name, value in DECLARATION["sources"][PROFILES].items() if name != "instrument"}
    declaration = {name: value for name, value in DECLARATION.items() if name not in {"instruments", "analyses"}}
    declaration |= {
        "instrument": DECLARATION["instruments"]["described"],
        "sources": [profiles, profiles | {"edition": "later"}],
    }
    study = Study.model_validate(declaration)
    for source in study.sources:
        assert not isinstance(source, CodedSource)
        assert study.instrument_of(source) is study.instrument


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("instruments", None, "exactly one of 'instrument' and 'instruments'"),
        ("instruments", {}, "exactly one of 'instrument' and 'instruments'"),
        ("instrument", {"kind": "profile"}, "exactly one of 'instrument' and 'instruments'"),
        ("instruments/x y", {"kind": "profile"},
         "instruments.x y.[key]: String should match pattern '^[A-Za-z][A-Za-z0-9_.-]*$'"),
        (f"sources/{PROFILES}/instrument", None,
         "sources[2].instrument: this setting is missing; expected the name of an instrument: 'described', 'chosen'"),
        (f"sources/{PROFILES}/instrument", "describd",
         "sources[2].instrument: no instrument 'describd'; declared: described, chosen"),
        (f"sources/{ASSOCIATIONS}/instrument", "chosen",
         f"sources.{ASSOCIATIONS}.coded.instrument: Extra inputs are not permitted"),
        (f"sources/{PROFILES}/instrument", "chosen",
         f"sources[2]: instruments.chosen.options.kind: no column 'kind_word'; declared: {PROFILE_COLUMNS}"),
        ("instruments/chosen/shown", "order", None),
        (f"sources/{CHOICES}/columns/rule_reason", {"path": "r"},
         "sources[3]: column 'rule_reason' is made by the instrument too; choose another name"),
        ("factors/match_rule", {"label": "R", "levels": {"exact": "Exact"}}, f"factors.match_rule: {TAKEN}"),
    ],
)  # fmt: skip
def test_instruments(path: str, value: object, message: str | None) -> None:
    faults = _faults(_changed(path, value))
    if message is None:
        assert faults[0].startswith("sources[3]: instruments.chosen.shown: no column 'order'; declared: ")
    else:
        assert [fault.splitlines()[0] for fault in faults] == [message]


def test_a_factor_may_not_be_what_another_sources_instrument_makes() -> None:
    """A column has one meaning in the whole study, whichever source has it."""
    declaration = _changed(
        "instruments/described", {"kind": "profile", "attributes": "text", "block": {"sex": ["Sex"]}}
    )
    declaration["factors"]["sex"] = {"label": "Sex", "levels": {"male": "Male"}}
    assert _faults(declaration) == [f"factors.sex: {TAKEN}"]


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("politics/where", {"tsk": "profile"}, f"outcomes.politics.where: no factor 'tsk'; declared: {FACTORS}"),
        ("politics/where", {"mood": "0"}, f"outcomes.politics.where: no factor 'mood'; declared: {FACTORS}"),
        ("politics/where", {"task": "profil"},
         f"outcomes.politics.where.task: no level 'profil'; declared: {TASKS}"),
        ("politics/where", {"task": ["profile", "chioce"]},
         f"outcomes.politics.where.task: no level 'chioce'; declared: {TASKS}"),
        ("politics/where", {"task": "profile", "group": "old"},
         "outcomes.politics.where.group: no level 'old'; declared: young, aged"),
        ("why/where", {"model": ["beta"]}, "outcomes.why.where.model: no level 'beta'; declared: zeta, alpha"),
        ("politics/beside", ["moods"], "outcomes.politics.beside: no score 'moods'; declared: mood, tone"),
        ("politics/beside", ["mood", "choice"], "outcomes.politics.beside: no score 'choice'; declared: mood, tone"),
        ("mood/beside", ["politics"], "outcomes.mood.beside: no score 'politics'; declared: mood, tone"),
    ],
)  # fmt: skip
def test_outcomes(path: str, value: object, message: str) -> None:
    assert _faults(_changed(f"outcomes/{path}", value)) == [message]


@pytest.mark.parametrize("value", [{"task": {}}, {"task": 1}, ["task"], "task"])
def test_where_names_levels(value: object) -> None:
    assert all(
        fault.startswith("outcomes.politics.category.where")
        for fault in _faults(_changed("outcomes/politics/where", value))
    )


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        ("constants", {"tsk": "association"}, f"sources[4].constants: no factor 'tsk'; declared: {FACTORS}"),
        ("constants", {"status": "ok"}, f"sources[4].constants: no factor 'status'; declared: {FACTORS}"),
        ("constants", {"task": "asociation"},
         f"sources[4].constants.task: no level 'asociation'; declared: {TASKS}"),
        ("constants", {"task": 1}, f"sources.{ASSOCIATIONS}.coded.constants.task: Input should be a valid string"),
        ("outcomes", ["tone", "lnk"], f"sources[4].outcomes: no outcome 'lnk'; declared: {OUTCOMES}"),
        ("outcomes", ["group"], f"sources[4].outcomes: no outcome 'group'; declared: {OUTCOMES}"),
    ],
)  # fmt: skip
def test_coded_sources(path: str, value: object, message: str) -> None:
    assert _faults(_changed(f"sources/{ASSOCIATIONS}/{path}", value)) == [message]


class TestAttributes:
    """A source must have the attributes of the outcomes that may be asked of its responses, and of no others."""

    def test_what_constants_rule_out_is_not_needed(self) -> None:
        columns = deepcopy(DECLARATION["sources"][CHOICES]["columns"])
        assert {"politics_label", "mood", "tone_found"}.isdisjoint(columns)
        Study.model_validate(DECLARATION)

    @pytest.mark.parametrize(
        ("where", "place"),
        [
            ({}, "sources[3]"),
            ({"group": "young"}, "sources[3]"),  # of groups, the constants say nothing
            ({"task": ["profile", "choice"]}, "sources[3]"),
        ],
    )
    def test_what_they_do_not_is(self, where: dict[str, Any], place: str) -> None:
        (fault,) = _faults(_changed("outcomes/politics/where", where))
        assert fault.startswith(f"{place}: outcomes.politics.attribute: no column 'politics_label'; declared: ")

    def test_one_of_several_factors_is_enough(self) -> None:
        Study.model_validate(_changed("outcomes/politics/where", {"group": ["young", "aged"], "task": "profile"}))

    def test_the_source_that_is_asked_must_have_it(self) -> None:
        assert _faults(_changed(f"sources/{PROFILES}/columns/politics_label", None)) == [
            "sources[2]: outcomes.politics.attribute: no column 'politics_label'; declared: "
            + PROFILE_COLUMNS.replace("politics_label, ", "")
        ]

    def test_what_a_coded_table_holds_needs_no_attribute(self) -> None:
        """No source of responses reads `link_label`: only the table of associations has the outcome."""
        declaration = _changed("outcomes/link/where", {"task": ["association", "choice"]})
        (fault,) = _faults(declaration)
        assert fault.startswith("sources[3]: outcomes.link.attribute: no column 'link_label'; declared: ")

    @pytest.mark.parametrize(("constant", "level"), [(1, "1"), (0.5, "0.5"), ("x", "x")])
    def test_constants_are_compared_with_levels_as_texts(self, constant: object, level: str) -> None:
        declaration = _changed("factors/round", {"label": "Round", "levels": {level: "This", "2": "Other"}})
        for number in (PROFILES, CHOICES):
            declaration["sources"][number]["constants"]["round"] = constant
        declaration["outcomes"]["extra"] = {"kind": "label", "label": "E", "attribute": "note", "where": {"round": "2"}}
        Study.model_validate(declaration)
        declaration["outcomes"]["extra"]["where"] = {"round": level}
        (fault,) = _faults(declaration)
        assert fault.startswith("sources[2]: outcomes.extra.attribute: no column 'note'; declared: ")


def test_sources_of_one_edition_agree_on_types_whatever_their_instrument() -> None:
    declaration = _changed(f"sources/{CHOICES}/columns/mood", {"path": "mood"})
    assert _faults(declaration) == ["sources[3]: column 'mood' is of another type in another source"]
    declaration["sources"][CHOICES]["edition"] = "later"
    Study.model_validate(declaration)


def test_the_exported_schema_knows_it() -> None:
    validator = Draft202012Validator(json_schema("study"))
    assert list(validator.iter_errors(DECLARATION)) == []
    wrong = _changed("outcomes/politics/beside", "mood")
    (fault,) = validator.iter_errors(wrong)
    assert "politics" in fault.json_path
