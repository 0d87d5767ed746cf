"""Persons whom a profile introduces, and how a text writes its words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments.relative_decision.coreference import introduced, named_parts, spelling
from tallybook.instruments.relative_decision.names import KnownNames
from tallybook.instruments.word_association.names import plain_texts
from tallybook.instruments.word_association.stimuli import Names
from tests.unit.instruments.decisions import responses
from tests.unit.statistics.frames import quick

NAMES = KnownNames(Names(["young"], ["old"], ["joy"], ["agony"]), {"elderly": "old"})
DECISION = "Then Rosa, Karl, Emma Stone, Tony Russo and Patient A or Person 2 meet Mr. Vega. The English agree."


def learned(profile: str, decision: str = DECISION) -> dict[str, bool]:
    plain = plain_texts(responses([profile])["text"]).item()
    return introduced(plain, spelling(profile), spelling(decision), NAMES)


@pytest.mark.parametrize(
    ("profile", "expected"),
    [
        # By the sentence, line or paragraph.
        ("Rosa is a young manager. Karl is an old one.", {"rosa": False, "karl": True}),
        ("The young manager, Rosa, is quick. The elderly Karl is slow.", {"rosa": False, "karl": True}),
        ("Old manager: Karl. He has seen it all.\nYoung manager: Rosa.", {"karl": True, "rosa": False}),
        ("An old manager. His name is Karl.\nA young manager. Her name is Rosa.", {"karl": True, "rosa": False}),
        ("**Old manager**\nKarl has seen it all.\n\n**Young manager**\nRosa is quick.", {"karl": True, "rosa": False}),
        ("Karl's years make him old. Rosa’s make her young.", {"karl": True, "rosa": False}),
        ("Emma Stone is young. Stone is quick.", {"emma": False, "stone": False}),
        ('Tony "The Fox" Russo is old.', {"tony": True, "russo": True}),
        ('"Rosa" is young and "Karl" not old.', {}),
        ("Patient A is old.\nPerson 2 is young.", {"patient a": True, "person 2": False}),
        ("Mr. Vega is old.", {"vega": True}),
        ("1. Rosa, a young manager.\n2. Karl, 60.", {"rosa": False}),
        # What teaches nothing.
        ("", {}),
        ("Rosa is a manager. Karl is one, too.", {}),
        ("Rosa is young and Karl is old.", {}),
        ("Rosa, the wife of Karl, is young.", {}),
        ("Rosa is young. Rosa is old at heart.", {}),
        ("Rosa and Karl.\n\nOne is young.", {}),
        ("Ada is young.", {}),
        ("rosa is young. Karl is old.", {"karl": True}),
        ('Tony "who was never called The Fox" Russo is old.', {}),
    ],
)
def test_what_is_learned(profile: str, expected: dict[str, bool]) -> None:
    assert learned(profile) == expected


def test_a_sentence_teaches_more_than_a_line() -> None:
    profile = "Rosa is old. The old and the young like her.\nKarl is young."
    assert learned(profile) == {"rosa": True, "karl": False}


def test_what_a_text_also_writes_small_is_no_name() -> None:
    assert learned("The English are old. English is old.", "The English agree in english.") == {}
    assert learned("The English are old.") == {"english": True}


def test_parts_of_names() -> None:
    listed = Names(["Ellen Marsh", "General Ed Student"], ["Yusuf Al-Amin", "Regular Student"], ["cooks"], ["marshals"])
    parts = named_parts(KnownNames(listed, {}), spelling("Ms. Marsh's, al-Amin and a student; Yusuf; ELLEN"))
    assert parts == {"marshs": False, "amin": True, "yusuf": True, "ellen": False}


def test_spelling() -> None:
    found = spelling("Ada met Bo. Cy's dog\nDid run; so Ed (Flo) and I: Go. Candidate B, Person 2")
    assert found.capital == {"ada", "bo", "cys", "did", "ed", "flo", "i", "go", "candidate", "b", "person"}
    assert found.within == {"bo", "ed", "flo", "i", "b", "person"}
    assert found.small == {"met", "dog", "run", "so", "and", "2"}
    assert found.labels == {("candidate", "b"), ("person", "2")}


def test_a_text_in_capitals_tells_nothing_of_names() -> None:
    assert spelling("ADA MET BO.").within == set()


@quick
@given(st.text(st.characters(exclude_categories=["Cs"])), st.text(st.characters(exclude_categories=["Cs"])))
def test_any_text_is_survived(profile: str, decision: str) -> None:
    assert all(isinstance(side, bool) for side in learned(profile, decision).values())
