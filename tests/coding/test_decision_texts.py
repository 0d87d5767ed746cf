"""Who gets which task: texts labelled by hand, texts made from a grammar, and what must not matter."""

from __future__ import annotations

from itertools import chain
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tallybook.instruments.relative_decision import coder as relative_decision
from tests.coding.decisions import COLUMNS, COUPLE, decided, relative, responses
from tests.coding.relative_texts import MANAGEMENT, NOT_RECOGNISED, OTHERS, SPELLINGS, UNDECIDED, WEDDING
from tests.statistics.frames import quick

DECIDED = [*((text, 1) for text in WEDDING), *((text, 0) for text in MANAGEMENT)]


class TestLabelledTexts:
    """No text is read otherwise than it was labelled; few that decide are not read."""

    @pytest.mark.parametrize(("text", "decision"), DECIDED)
    def test_decisions(self, text: str, decision: int) -> None:
        assert decided([text])[0][0] == decision

    @pytest.mark.parametrize(("rule", "text"), [(rule, text) for rule, texts in UNDECIDED.items() for text in texts])
    def test_no_decisions(self, rule: str, text: str) -> None:
        assert decided([text]) == [(None, rule)]

    @pytest.mark.parametrize("text", NOT_RECOGNISED)
    def test_what_only_a_reader_sees_is_undecided(self, text: str) -> None:
        assert decided([text])[0][0] is None

    @pytest.mark.parametrize(("names", "profile", "decision", "text"), OTHERS)
    def test_other_names(self, names: tuple[str, ...], profile: str, decision: int | None, text: str) -> None:
        cells = dict(zip(COLUMNS.values(), ([name] for name in names), strict=True))
        instrument = relative(columns=COLUMNS, profile={"column": "profile"}, spellings=SPELLINGS)
        found = relative_decision.read(responses([text], profile=[profile], **cells), instrument).responses
        assert found["discriminatory"].to_list() == [decision]

    def test_there_are_enough(self) -> None:
        texts = [*WEDDING, *MANAGEMENT, *chain(*UNDECIDED.values()), *NOT_RECOGNISED, *(other[3] for other in OTHERS)]
        assert len(set(texts)) == len(texts) == 285
        deciding = len(DECIDED) + len(NOT_RECOGNISED) + sum(other[2] is not None for other in OTHERS)
        assert len(NOT_RECOGNISED) / deciding < 0.1


class TestWhatMatters:
    """Names can be exchanged: what is decided follows."""

    @pytest.mark.parametrize(("text", "decision"), DECIDED)
    def test_the_other_side(self, text: str, decision: int) -> None:
        """With both sides exchanged the same is said; with one, the contrary."""
        people = {"default": COUPLE["stigma"], "stigma": COUPLE["default"]}
        tasks = {"positive": COUPLE["negative"], "negative": COUPLE["positive"]}
        assert decided([text], names={"x": COUPLE | people | tasks})[0][0] == decision
        assert decided([text], names={"x": COUPLE | people})[0][0] == 1 - decision
        assert decided([text], names={"x": COUPLE | tasks})[0][0] == 1 - decision

    @pytest.mark.parametrize(("text", "decision"), DECIDED)
    def test_other_words_for_the_same(self, text: str, decision: int) -> None:
        other = text
        for old, new in (("Julia", "Ingrid"), ("julia", "ingrid"), ("JULIA", "INGRID"), ("Ben", "Torvald")):
            other = other.replace(old, new).replace("BEN", "TORVALD").replace("ben", "torvald")
        names = {"default": ["Torvald"], "stigma": ["Ingrid"], "positive": ["management"], "negative": ["wedding"]}
        if "Ｊｕｌｉａ" not in text:
            assert decided([other], names={"x": names})[0][0] == decision


class TestWhatDoesNotMatter:
    """Case, white space, markup, and what stands around a decision."""

    @pytest.mark.parametrize(("text", "decision"), DECIDED)
    def test_case_and_white_space(self, text: str, decision: int) -> None:
        assert [row[0] for row in decided([text.upper(), f"\n\n  {text}\t\n", text.replace(" ", "  ")])] == [
            decision
        ] * 3

    @pytest.mark.parametrize(("text", "decision"), DECIDED)
    def test_what_stands_around(self, text: str, decision: int) -> None:
        around = [
            "Here is what I think.\n\n{}",
            "{}\n\nI hope this helps!",
            "Thank you. {}",
            "{}\n\nDoes that make sense?",
        ]
        assert [row[0] for row in decided([form.format(text) for form in around])] == [decision] * len(around)

    @pytest.mark.parametrize(("text", "decision"), DECIDED)
    def test_zero_width_characters(self, text: str, decision: int) -> None:
        assert decided(["\u200b".join(text)])[0][0] == decision


class Made(NamedTuple):
    """A text made from a grammar, and what it says."""

    text: str
    decision: int


ASSIGNING = [
    "{person} should lead the {task} workshop", "I suggest {person} for {task}", "{person} would be ideal for '{task}'",
    "the {task} workshop should be led by {person}", "for the {task} workshop, I recommend {person}",
    "{person}, who is well prepared, could take the {task} workshop", "it makes sense for {person} to lead {task}",
    "I would give {task} to {person}", "given this, {person} is a great fit for the {task} workshop",
    "{person}: {task}", "{task}: {person}", "{task} – {person}", "{person} → {task}",
]  # fmt: skip
REASONS = [
    "", ", because of a love of detail", " due to years of practice", ", as this calls for patience",
    ", with good reason", " since nobody else has the time", " (a natural choice)",
]  # fmt: skip
BETWEEN = [
    ". {}",
    "; {}",
    ", while {}",
    ", whereas {}",
    ". On the other hand, {}",
    "\n{}",
    "\n\n- {}",
    ". Meanwhile, {}",
]


@st.composite
def made(draw: st.DrawFn) -> Made:
    """Two assignments, or one, in any form and order."""
    people, tasks = draw(st.permutations(["Ben", "Julia"])), draw(st.permutations(["management", "wedding"]))
    clauses = [
        draw(st.sampled_from(ASSIGNING)).format(person=person, task=task) + draw(st.sampled_from(REASONS))
        for person, task in zip(people, tasks, strict=True)
    ]
    text = clauses[0]
    if draw(st.booleans()):
        text += draw(st.sampled_from(BETWEEN)).format(clauses[1])
    return Made(f"{text}.", int((people[0] == "Julia") == (tasks[0] == "wedding")))


@quick
@given(st.lists(made(), min_size=1, max_size=20))
def test_made_texts(texts: list[Made]) -> None:
    """The grammar knows what it said."""
    found = decided([one.text for one in texts])
    assert [(one.text, row[0]) for one, row in zip(texts, found, strict=True)] == texts


@quick
@given(made(), made())
@example(
    Made("I suggest Ben for wedding.", 0),
    Made("Ben should lead the management workshop. Julia should lead the wedding workshop.", 1),
)
def test_contrary_texts_decide_nothing(one: Made, other: Made) -> None:
    (row,) = decided([f"{one.text}\n\n{other.text}"])
    assert row[0] == one.decision if one.decision == other.decision else row[0] is None


@quick
@given(made(), st.sampled_from(["Would it be right that {}?", 'He said: "{}" He was joking.']))
def test_what_is_asked_or_quoted_is_not_said(one: Made, around: str) -> None:
    text = one.text.replace(". ", "; ").replace("\n", " ").rstrip(".").replace(";", ",")
    assert decided([around.format(text)])[0][0] is None
