"""Attributes read from raw texts: accuracy on texts labelled by hand."""

from __future__ import annotations

import tomllib
from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from tallybook.instruments.profile import coder as attribute_block
from tallybook.instruments.profile.prose import Unlabelled
from tallybook.study.coding import Outcome
from tallybook.study.loading import load
from tests.unit.instruments.profile_texts import ABOUT, HARDER, NAMES, NOT_READ, OTHER_SCRIPTS, PROFILES

TODAY = tomllib.loads((Path(__file__).parent / "profiles_today.toml").read_text(encoding="utf-8"))["texts"]


def _parse(*texts: str | None) -> list[tuple[str | None, ...]]:
    return attribute_block.parse(pl.Series(texts, dtype=pl.String), NAMES).rows()


def test_profiles() -> None:
    """All attributes of all profiles; of those that are not read nothing is read wrongly, and they are few."""
    profiles = (*PROFILES, *HARDER)
    expected = {one.name: (None,) * 6 if one.name in NOT_READ else one.expected for one in profiles}
    assert dict(zip(expected, _parse(*(one.text for one in profiles)), strict=True)) == expected
    assert len(profiles) >= 60
    assert len(NOT_READ) / len(profiles) <= 0.02


def test_json_among_prose_and_labels_that_nobody_declared() -> None:
    names = {"job": ["occupation"], "class": ["social_class"], "faith": ["religion"]}
    names |= {"politics": ["political affiliation", "politics"]}
    found = attribute_block.parse(pl.Series(TODAY), names).rows()
    assert dict(zip(TODAY, found, strict=True)) == dict.fromkeys(TODAY, ("teacher", "middle", "hindu", "left"))


@pytest.mark.parametrize(("names", "text", "expected"), OTHER_SCRIPTS)
def test_other_scripts(names: dict[str, tuple[str, ...]], text: str, expected: dict[str, str]) -> None:
    assert attribute_block.parse(pl.Series([text]), names).row(0, named=True) == expected


def test_the_names_that_the_first_study_declares() -> None:
    block = load("wang2025").study.instrument.block
    text = ABOUT + (
        "\n\nAttributes:\n- Occupation: Teacher\n- SES: middle-class\n- Religion: christian\n"
        "- Political Affiliation: liberal\n- Sexual Orientation: heterosexual\n- Height: 5'4\""
    )
    assert attribute_block.parse(pl.Series([text]), block).rows() == [
        ("Teacher", "middle-class", "christian", "liberal", "heterosexual", "5'4\"")
    ]


def test_values_in_sentences_and_values_that_are_none() -> None:
    labelled = [
        ("Sex: He is a man.\nAge: He is 45 years old.\nJob: He works as a cook.", ("man", "45 years old", "cook")),
        ("Sex: È una donna.\nAge: 45\nJob: c'est un cuisinier", ("donna", "45", "cuisinier")),
        ("Sex: any\nAge: whatever suits the plot\nJob: depends on the plot", (None, None, None)),
        ("Sex: all genders\nAge: varies\nJob: probablemente enfermera", (None, None, "enfermera")),
        ("Sex: cualquiera\nAge: beliebig\nJob: dipende dalla trama", (None, None, None)),
        ("Sex: female or male\nAge: 45\nJob: cook or nurse", (None, "45", "cook or nurse")),
        ("(Sex) Female\n(Age) 45\n(Job) Cook", ("Female", "45", "Cook")),
        ("[Sex] Female [Age] 45 [Job] Cook", ("Female", "45", "Cook")),
        ("His job (age) was hard.", (None, None, None)),
    ]
    names = {"sex": ["Sex"], "age": ["Age"], "job": ["Job"]}
    texts = [text for text, _ in labelled]
    assert [*zip(texts, attribute_block.parse(pl.Series(texts), names).rows(), strict=True)] == labelled


def test_values_without_labels() -> None:
    declared = {
        "sex": {"kind": "category", "label": "Sex", "labels": {"female": ["female"], "male": ["male"]}},
        "age": {"kind": "score", "label": "Age"},
        "job": {"kind": "category", "label": "Job", "labels": {"cook": ["cook"], "nurse": ["nurse"]}},
        "class": {"kind": "category", "label": "Class", "labels": {"upper": ["upper"], "working": ["working"]}},
    }
    kinds: TypeAdapter[Outcome] = TypeAdapter(Outcome)
    outcomes = {name: kinds.validate_python(one | {"attribute": name}) for name, one in declared.items()}
    reader = Unlabelled({name: [name] for name in declared}, outcomes)
    woman = {"sex": "female", "age": "52", "job": "nurse", "class": "working"}
    labelled: list[tuple[str, dict[str, str]]] = [
        ("I see a woman of 52, a nurse, working class.", woman),
        ("Female, 52, working class, and a nurse.", woman),
        ("A nurse, aged 52, female, from the working class.", woman),
        ("1. Female\n2. 52\n3. Nurse\n4. Working", {key: one.capitalize() for key, one in woman.items()}),
        ("Male\n52\nRoofer\nUpper", {"sex": "Male", "age": "52", "job": "Roofer", "class": "Upper"}),
        ("Male\n52\nUpper\nRoofer", {}),
        ("Write\none\nline\neach", {}),
    ]
    found = [(text, reader.read(text)) for text, _ in labelled]
    assert [(text, one if "\n" in text else {name: one.get(name) for name in woman}) for text, one in found] == labelled


def test_nothing_to_read() -> None:
    assert _parse(None, "", "\n\n") == [(None,) * 6] * 3
    assert _parse() == []
    assert attribute_block.parse(pl.Series(["Occupation: teacher"]), {}).width == 0


@pytest.mark.parametrize("name", ["a.b", "C++", "(x)", "a|b", "Wer? [kurz]", "50 %"])
def test_names_are_no_patterns(name: str) -> None:
    frame = attribute_block.parse(pl.Series([f"{name}: yes", "ab: no", "x: no"]), {"it": [name]})
    assert frame["it"].to_list() == ["yes", None, None]


def test_attributes_with_nothing_between_them() -> None:
    labelled = [
        ("Name: Ada Job: nurse Religion: Hindu", ("Ada", "nurse", "Hindu")),
        ("Ada is a nurse.\nName: Ada Job: nurse Religion: Hindu", ("Ada", "nurse", "Hindu")),
        ("- **Name:** Ada **Job:** nurse **Religion:** Hindu", ("Ada", "nurse", "Hindu")),
        ("name: ada lovelace job: nurse religion: hindu", ("ada lovelace", "nurse", "hindu")),
        ("Name: Ada. Job: nurse. Religion: Hindu.", ("Ada", "nurse", "Hindu")),
        ("Religion: Hindu Name: Ada", ("Ada", None, "Hindu")),
        (
            "Name: Ada\nJob: nurse who told us of her religion: Hindu",
            ("Ada", "nurse who told us of her religion: Hindu", None),
        ),
        ("Her Religion: Hindu. Her Job: nurse", (None, "nurse", "Hindu")),
        ("Job: nurse, head of Religion", (None, "nurse, head of Religion", None)),
    ]
    names = {"name": ["Name"], "job": ["Job"], "religion": ["Religion"]}
    texts = [text for text, _ in labelled]
    assert [*zip(texts, attribute_block.parse(pl.Series(texts), names).rows(), strict=True)] == labelled


@pytest.mark.parametrize("name", ["-", " x", "_", "ß", "名"])
def test_odd_names(name: str) -> None:
    parsed = attribute_block.parse(pl.Series([f"{name}: yes Job: no", "Job: a"]), {"it": [name], "job": ["Job"]})
    assert parsed["job"].to_list()[1] == "a"


VALUE = st.from_regex(r"[a-zéж]([a-zéж0-9 '-]{0,20}[a-zéж0-9])?", fullmatch=True)
VALUE = VALUE.filter(lambda value: "  " not in value and "- " not in value and " -" not in value)
NUMBERED = (
    "{name}: {value}",
    "- **{name}:** {value}",
    "{n}. {name} - {value}",
    "| {name} | {value} |",
    '"{name}": "{value}",',
)


@given(values=st.tuples(*[VALUE] * 6), form=st.sampled_from(NUMBERED), break_=st.sampled_from(["\n", "\r\n", "\n\n"]))
def test_whatever_the_values(values: tuple[str, ...], form: str, break_: str) -> None:
    names = ("Occupation", "SES", "Religion", "Political Affiliation", "Sexual Orientation", "Height")
    lines = [
        form.format(name=name, value=value, n=n) for n, (name, value) in enumerate(zip(names, values, strict=True))
    ]
    known = {name.lower() for several in NAMES.values() for name in several}
    expected = tuple(None if value in known else value for value in values)
    assert _parse(ABOUT + break_ * 2 + break_.join(lines)) == [expected]


@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))))
def test_any_text_is_survived(texts: list[str | None]) -> None:
    assert len(_parse(*texts)) == len(texts)
