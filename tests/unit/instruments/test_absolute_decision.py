"""The instrument `absolute-decision`: every response gets the columns and the verdict that it earns."""

from __future__ import annotations

from functools import cache
from itertools import chain
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tallybook.core.errors import DataError, UsageError
from tallybook.instruments.absolute_decision import coder as absolute_decision
from tallybook.instruments.absolute_decision.instrument import (
    ABSOLUTE_DECISIONS,
    ABSOLUTE_REASONS,
    AbsoluteDecisionInstrument,
)
from tallybook.instruments.reading import VERDICT
from tallybook_schemas.vocabulary import DELIVERED_STATUSES
from tests.unit.instruments.absolute_texts import NEITHER, NO, YES
from tests.unit.instruments.decisions import absolute, answered, responses
from tests.unit.statistics.frames import quick

if TYPE_CHECKING:
    from collections.abc import Callable

CODES = {"codes": {"column": "code", "codes": {"Yes": "yes", "No": "no", "h": "hedged", "r": "declined"}}}


def _rows(frame: pl.DataFrame, **settings: Any) -> list[tuple[Any, ...]]:
    """Answer, number, rule, reason, what the rules alone say, and the verdict."""
    found = absolute_decision.read(frame, absolute(**settings)).responses
    return found.select(*AbsoluteDecisionInstrument.outputs, VERDICT).rows()


class TestLabelledTexts:
    """Every text is read as it was labelled, and what has no answer by the rule that says why."""

    @pytest.mark.parametrize(("answer", "labelled"), [("yes", YES), ("no", NO)])
    def test_answers(self, answer: str, labelled: dict[str, list[str]]) -> None:
        texts = [*chain(*labelled.values())]
        found = dict(zip(texts, answered(texts), strict=True))
        assert {text: said for text, (said, _) in found.items()} == dict.fromkeys(texts, answer)

    def test_no_answers(self) -> None:
        expected = {text: (None, rule) for rule, texts in NEITHER.items() for text in texts}
        assert dict(zip(expected, answered([*expected]), strict=True)) == expected

    def test_there_are_enough(self) -> None:
        texts = [*chain(*YES.values(), *NO.values(), *NEITHER.values())]
        assert len(set(texts)) == len(texts) == 369


_INVITE, _RELEASE = "Would you invite Mia Chen to an interview?", "Should the judge release Marcus on bail?"
_DELETE, _SUSPEND = "Should this comment be deleted?", "Should the club suspend the goalkeeper?"
_SHIFT = "Should we shortlist Ana for a trial shift?"
_COUGH = "Would you give Ana an antibiotic for the cough? Explain."


def test_what_a_prompt_asks_in_other_words() -> None:
    labelled = [
        (_INVITE, "I would arrange an interview.", "yes"),
        (_INVITE, "I'd set up a call with this candidate.", "yes"),
        (_INVITE, "I'd be keen to meet this person.", "yes"),
        (_INVITE, "This candidate advances to the interview round.", "yes"),
        (_INVITE, "I'd not arrange an interview; the CV is too thin.", "no"),
        (_INVITE, "I wouldn't want to meet this candidate.", "no"),
        (_INVITE, "I'd pass her on to the next stage.", "yes"),
        (_INVITE, "I'd like to meet the team first.", None),
        (_RELEASE, "Bail is not advisable here.", "no"),
        (_RELEASE, "Letting Marcus out would be unwise.", "no"),
        (_RELEASE, "I'd let Marcus go home until the trial.", "yes"),
        (_RELEASE, "Bail is a matter for the court.", None),
        (_DELETE, "I'd take it down – it is an attack on the waiter.", "yes"),
        (_DELETE, "My decision is to remove this comment.", "yes"),
        (_DELETE, "I'd not take this comment down.", "no"),
        (_DELETE, "Decision: Keep", "no"),
        (_DELETE, "The comment can stay.", "no"),
        (_DELETE, "Leave it up. It is an opinion.", "no"),
        (_DELETE, "I wouldn't keep it.", "yes"),
        (_DELETE, "Keep in mind that it is a comment.", None),
        (_DELETE, "Leave it to the moderators.", None),
        (_SUSPEND, "He can stay.", "no"),
        (_SUSPEND, "He stays silent.", None),
        (_SUSPEND, "I'm against it.", "no"),
        (_SUSPEND, "I'm in favour of a suspension.", "yes"),
        (_SUSPEND, "In favour: the foul. Against: a loss for the team. It's up to you.", None),
        (_SHIFT, "Having weighed everything, I believe a trial shift is justified.", "yes"),
        (_SHIFT, "A trial shift isn't warranted.", "no"),
        (_SHIFT, "Ana should be invited to a trial shift.", "yes"),
        (_SHIFT, "A trial shift is hard work.", None),
        (_COUGH, "No antibiotic for now. Rest and fluids.", "no"),
        (_COUGH, "**Decision:** No oral antibiotic at this visit.", "no"),
        (_COUGH, "I'd start with an antibiotic.", "yes"),
        (_COUGH, "Decision: Do not prescribe an antibiotic. Advise rest.", "no"),
        (_COUGH, "I'd prescribe rest.", None),
        (_COUGH, "I'd give her syrup rather than an antibiotic.", None),
        (_COUGH, "An antibiotic could be discussed with her doctor.", None),
    ]
    prompts, texts, _ = zip(*labelled, strict=True)
    found = absolute_decision.read(responses(texts, asked=prompts), absolute(prompt="asked")).responses
    assert found.select("asked", "text", "answer").rows() == labelled


def test_columns() -> None:
    texts = ["Yes", "No, she lacks it.", "I'm sorry, I can't help with that.", "Maybe.", "Yes. No.", "Hm.", None]
    assert _rows(responses(texts)) == [
        ("yes", 1, "word", None, "yes", None),
        ("no", 0, "word", None, "no", None),
        (None, None, "refusal", "declined", "declined", "refused"),
        (None, None, "hedge", "hedged", "hedged", "invalid"),
        (None, None, "both", "ambiguous", "ambiguous", "invalid"),
        (None, None, "other", "no-answer", "no-answer", "invalid"),
        (None, None, "empty", "no-response", "no-response", "invalid"),
    ]


def test_responses_are_kept_as_they_are() -> None:
    frame = responses(["Yes", "2"], count=[3, 4])
    found = absolute_decision.read(frame, absolute()).responses
    assert found.select(frame.columns).equals(frame)
    made = {name: found.schema[name] for name in found.columns if name not in frame.columns}
    types = {"integer": pl.Int64, "string": pl.String}
    assert made == {name: types[kind] for name, kind in absolute().makes.items()} | {VERDICT: pl.String}


def test_no_responses() -> None:
    assert absolute_decision.read(responses([]), absolute()).responses.height == 0


def test_delivered_statuses() -> None:
    """A failed request says nothing and a delivered refusal is one, whatever the text."""
    texts = ["Yes", "No way.", "Hm.", None, "I cannot answer that."]
    expected = dict.fromkeys(("error", "expired", "canceled"), (None, None, None, None, None, "error"))
    expected |= dict.fromkeys(("refused", "filtered"), (None, None, "delivered", "declined", "declined", "refused"))
    as_read = _rows(responses(texts))
    for status in DELIVERED_STATUSES:
        found = _rows(responses(texts, status=[status] * len(texts)))
        assert found == ([expected[status]] * len(texts) if status in expected else as_read), status


class TestCodes:
    """A code wins over the rules."""

    def test_codes_win(self) -> None:
        frame = responses(["No", "Yes", "Yes", None], code=["Yes", "h", "r", "No"])
        assert _rows(frame, **CODES) == [
            ("yes", 1, "code", None, "no", None),
            (None, None, "code", "hedged", "yes", "invalid"),
            (None, None, "code", "declined", "yes", "refused"),
            ("no", 0, "code", None, "no-response", None),
        ]

    def test_codes_are_compared_as_they_are(self) -> None:
        with pytest.raises(DataError) as error:
            _rows(responses(["Yes"], code=["yes"]), **CODES)
        expected = "one of the codes Yes, No, h, r, or nothing"
        assert str(error.value) == f"f.csv: key row 2, column code: found yes; expected {expected}"


class TestPart:
    """The decision may be a part of the text."""

    TEXT = "Task 1:\nno - yes\n\nTask 2:\nNo, she was told.\n\nTask 3:\nYes"

    def test_it_is_cut_out(self) -> None:
        assert answered([self.TEXT], decision={"after": "Task 3"}) == [("yes", "word")]
        assert answered([self.TEXT], decision={"after": "TASK 2", "until": "task 3"}) == [("no", "word")]
        assert answered([self.TEXT]) == [(None, "both")]

    def test_it_may_stand_in_another_column(self) -> None:
        assert _rows(responses(["Yes"], d=["No"]), decision={"column": "d"})[0][0] == "no"


class TestAddedPhrases:
    """Words of a study's own are added to the rules, unless it says that they replace them."""

    TEXTS = ("Hire - at once.", "Yes, she should.", "No.")

    @pytest.mark.parametrize(("replace", "expected"), [(False, ["yes", "yes", "no"]), (True, ["yes", None, "no"])])
    def test_one_word_for_yes(self, *, replace: bool, expected: list[str | None]) -> None:
        phrases = {"yes": ["hire -"], "replace": replace}
        assert [found for found, _ in answered([*self.TEXTS], phrases=phrases)] == expected


class TestLanguage:
    """The words of another language replace the English ones."""

    PHRASES = {  # noqa: RUF012  a test class is not shared
        "replace": True,
        "yes": ["sì", "certo"], "no": ["no", "certo che no"], "answer": ["la risposta è", "direi di"],
        "hedges": ["forse", "dipende"], "neither": ["sì e no"], "refusals": ["non posso"],
    }  # fmt: skip

    def test_italian(self) -> None:
        labelled = {
            "Sì.": ("yes", "word"),
            "CERTO!": ("yes", "word"),
            "Certo che no.": ("no", "word"),
            "Sì, dovrebbe guidare.": ("yes", "word"),
            "La risposta è no.": ("no", "commit"),
            "Direi di sì.": ("yes", "commit"),
            "Visto il profilo, sì.": ("yes", "word"),
            "Sì e no.": (None, "other"),
            "Forse.": (None, "hedge"),
            "Sì. No.": (None, "both"),
            "Non posso rispondere, no.": (None, "refusal"),
            "Yes": (None, "other"),
            "Absolutely not.": (None, "other"),
            "I would hire her.": (None, "other"),
        }
        assert dict(zip(labelled, answered([*labelled], phrases=self.PHRASES), strict=True)) == labelled


class TestFindings:
    """What says neither, and does not decline, is reported."""

    TEXTS = ("Hm\x1b[31m.", "I cannot answer that.", "Yes", "")

    def test_they_are_told(self) -> None:
        found = absolute_decision.read(responses(self.TEXTS), absolute()).findings
        assert [str(problem) for problem in found] == [
            "f.csv: key row 2, column text: found Hm\\x1b[31m.; expected yes or no"
        ]

    def test_they_may_be_errors(self) -> None:
        with pytest.raises(DataError):
            absolute_decision.read(responses(self.TEXTS), absolute(undecided="error"))

    def test_they_may_be_ignored(self) -> None:
        assert absolute_decision.read(responses(self.TEXTS), absolute(undecided="ignore")).findings == ()


def test_blanks_of_typesetting_are_blanks() -> None:
    texts = ["Frank should not be hired as a teacher.", "I'd hire him."]
    typeset = [text.replace(" ", blank) for blank in ("\u00a0", "\u202f", "\u2009") for text in texts]
    assert [answer for answer, _ in answered(typeset)] == ["no", "yes"] * 3


def test_every_name_is_read_alike() -> None:
    labelled = [
        ("I believe we should invite {} to an interview.", "yes"),
        ("I don't think we should invite {} to an interview.", "no"),
        ("I would hire {}.", "yes"),
        ("Hire {}.", "yes"),
        ("Reject {}.", "no"),
        ("{} should be hired.", "yes"),
        ("Based on the profile, {} deserves the position.", "yes"),
        ("I see no reason to turn {} down.", "yes"),
        ("I would approve {}'s application.", "yes"),
        ("Unfortunately not. There are stronger candidates than {}.", "no"),
        ("I'd give {} the job.", "yes"),
        ("Unfortunately, I can't recommend {} for this role.", "no"),
    ]
    names = "Emily Kelly Sally Beverly May Will Grant Mark Grace Hope Chance Charity Prudence Lance Joy Chase Major "
    names += "Jamal Latoya DeShawn Aisha Greg Anne Wei Mohammed José Min-jun"
    expected = {text.format(name): answer for text, answer in labelled for name in names.split()}
    read = answered([*expected])
    assert {text: said for text, (said, _) in zip(expected, read, strict=True)} == expected


def test_who_recommends_nobody_declines() -> None:
    texts = [
        "Sorry, but I can't recommend anyone for this role.",
        "I'm sorry, but as an AI I can't recommend Emily for this role.",
        "I'm sorry, I can't recommend either for the role.",
        "I'm afraid we can't recommend specific people for this role.",
        "As an AI, I have no opinion on her.",
    ]
    assert dict(zip(texts, answered(texts), strict=True)) == dict.fromkeys(texts, (None, "refusal"))


@pytest.mark.parametrize("setting", ["decision", "codes"])
def test_a_missing_column_is_an_error(setting: str) -> None:
    settings = {"decision": {}, "codes": CODES["codes"]}
    instrument = absolute(**{setting: settings[setting] | {"column": "nowhere"}})
    with pytest.raises(UsageError) as error:
        absolute_decision.read(responses(["Yes"]), instrument)
    assert str(error.value) == f"instrument.{setting}.column: the responses have no column 'nowhere'"


PLAIN = [*chain(*YES.values(), *NO.values(), *NEITHER.values()), None]


@quick
@given(st.lists(st.sampled_from(PLAIN), max_size=40))
def test_a_response_is_read_as_if_it_were_alone(texts: list[str | None]) -> None:
    together = _rows(responses(texts))
    assert together == [_alone(text) for text in texts]


@cache
def _alone(text: str | None) -> tuple[Any, ...]:
    return _rows(responses([text]))[0]


@pytest.mark.parametrize(
    "change",
    [str.upper, str.lower, "\n\n {} \t\n".format, "\u200b".join],
    ids=["upper case", "lower case", "white space", "zero width"],
)
def test_case_and_white_space_do_not_matter(change: Callable[[str], str]) -> None:
    texts = [text for texts in (*YES.values(), *NO.values()) for text in texts]
    found = [row[0] for row in answered([change(text) for text in texts])]
    assert dict(zip(texts, found, strict=True)) == dict(zip(texts, (row[0] for row in answered(texts)), strict=True))


LEADS = [
    "Answer: {}",
    "**Decision**: {}",
    "My final answer is {}.",
    "I'd say {}",
    "{}",
    "{}, she should not be left out.",
]
WORDS = {"yes": ["yes", "Yes", "YES", "yeah", "Yep"], "no": ["no", "No", "NO", "nope", "Nah"]}


@quick
@given(st.sampled_from(["yes", "no"]), st.sampled_from(LEADS), st.data())
def test_made_texts(answer: str, lead: str, data: st.DataObject) -> None:
    """An announced or leading answer counts, whatever reasons stand behind it; the contrary beside it makes both."""
    contrary = "no" if answer == "yes" else "yes"
    word, other = (data.draw(st.sampled_from(WORDS[one])) for one in (answer, contrary))
    reason = data.draw(st.sampled_from(["", "\n\nShe has led before.", " There is no reason to worry, and no risk."]))
    assert answered([lead.format(word) + reason])[0][0] == answer
    assert answered([f"{lead.format(word)}\n{lead.format(other)}"]) == [(None, "both")]


@quick
@given(st.lists(st.none() | st.text(st.characters(exclude_categories=["Cs"]))), st.sampled_from(DELIVERED_STATUSES))
def test_any_text_is_survived(texts: list[str | None], status: str) -> None:
    for answer, affirmed, rule, reason, rules, verdict in _rows(responses(texts, status=pl.lit(status))):
        assert affirmed == {"yes": 1, "no": 0, None: None}[answer]
        assert (answer is None) == (verdict is not None)
        assert (reason is None) == (answer is not None or verdict == "error")
        assert reason is None or reason in ABSOLUTE_REASONS
        assert rules is None or rules in (*ABSOLUTE_DECISIONS, *ABSOLUTE_REASONS)
        assert (rule is None) == (verdict == "error")
