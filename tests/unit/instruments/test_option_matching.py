"""The option matcher: what each rule finds, and what it does not."""

from __future__ import annotations

from itertools import chain, groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any

import pytest

from tests.unit.instruments.choice_texts import NOTHING, SMART
from tests.unit.instruments.choices import chosen

if TYPE_CHECKING:
    from collections.abc import Iterable

SHOWN = ["o1", "o2", "o3"]


def found(texts: Iterable[str], *asked: Any, **settings: Any) -> dict[str, tuple[str | None, str]]:
    """What each text chooses, and the rule; all are read at once, for a frame compiles the rules anew."""
    listed = list(texts)
    return dict(zip(listed, chosen(listed, *asked, **settings), strict=True))


def options_of(texts: Iterable[str], *asked: Any, **settings: Any) -> dict[str, str | None]:
    """What each text chooses."""
    return {text: option for text, (option, _) in found(texts, *asked, **settings).items()}


def test_what_a_rule_finds() -> None:
    read = found(chain(*SMART.values()))
    assert {text: option for text, (option, _) in read.items()} == dict.fromkeys(read, "smart")
    for rule in ("exact", "normalised"):
        assert {text: read[text] for text in SMART[rule]} == dict.fromkeys(SMART[rule], ("smart", rule))


def test_what_no_rule_finds() -> None:
    expected = {text: (None, rule) for rule, texts in NOTHING.items() for text in texts}
    assert found(expected) == expected


def test_an_exact_match_is_to_the_letter() -> None:
    texts = [*chain(*SMART.values(), *NOTHING.values())]
    expected = dict.fromkeys(texts) | dict.fromkeys(SMART["exact"], "smart")
    assert options_of(texts, match="exact") == expected


@pytest.mark.parametrize(("words", "option"), [(5, "smart"), (6, None)])
def test_how_much_may_stand_beside_an_option(words: int, option: str | None) -> None:
    assert chosen([f"smart{' x' * words}"])[0][0] == option


def test_an_option_may_be_a_refusal_or_an_objection() -> None:
    options = ("I cannot answer that", "none of the above options", "yes")
    texts = ["I cannot answer that.", "None of the above options!", "2", "He is I cannot answer that."]
    assert chosen(texts, options, "He is BLANK.", shown=["o1", "o2", "o3"]) == [
        ("I cannot answer that", "normalised"),
        ("none of the above options", "normalised"),
        ("none of the above options", "label"),
        ("I cannot answer that", "sentence"),
    ]


class TestIndex:
    """Numbers and letters choose where it is known how options were shown, and nowhere else."""

    DUMB = (
        "2", "2.", "(2)", "[2]", "#2", "b", "B", "(b)", "B.", "b)", "Option 2", "option b", "Option two", "Number 2",
        "two", "the second option", "Second", "The second one", "Answer: 2", "The answer is 2", "The answer is (b).",
        "The answer is option 2.", "I would choose option B.", "The answer is B because he is.",
        "**B**\n\nHe is a teacher.", "2\n\nDumb fits best.", "The answer is 2. Dumb",
    )  # fmt: skip

    def test_with_an_order(self) -> None:
        assert options_of(self.DUMB, shown=SHOWN) == dict.fromkeys(self.DUMB, "dumb")

    def test_without_an_order_they_are_numbers(self) -> None:
        alone = [text for text in self.DUMB if "dumb" not in text.lower()]
        assert found(alone) == dict.fromkeys(alone, (None, "number"))

    def test_the_order_is_that_which_was_shown(self) -> None:
        assert chosen(["2", "a"], shown=["o3", "o1", "o2"]) == [("smart", "label"), ("funny", "label")]

    def test_what_is_no_number_of_an_option(self) -> None:
        texts = ["4", "0", "d", "-1", "2.5", "1%", "12", "2 or 3", "A word", "b2", "2b"]
        assert options_of(texts, shown=SHOWN) == dict.fromkeys(texts)

    def test_a_number_beside_its_option(self) -> None:
        texts = {
            "1. smart": "smart", "A. Smart": "smart", "(c) funny because he is": "funny", "3 - funny": "funny",
            "A. The man is smart": "smart",
        }  # fmt: skip
        assert options_of(texts, shown=SHOWN) == texts

    def test_a_number_beside_another_option(self) -> None:
        texts = ["2. smart", "B. He is smart", "The answer is: 2. smart", "3 - dumb", "B\n\nsmart"]
        assert found(texts, shown=SHOWN) == dict.fromkeys(texts, (None, "ambiguous"))


def test_numbers() -> None:
    other = (
        "126", "260", "26.5", "2,600", "1,026", "26/49", "26%", "$26", "-26", "26-30", "26th", "26s", "over 26",
        "between 26 and 30", "older than 26", "twenty-sixth", "twenty-seven", "26-year-olds",
    )  # fmt: skip
    labelled: dict[str, tuple[str | None, str]] = {
        "26": ("26", "exact"),
        "26!": ("26", "normalised"),
        "twenty-six": ("26", "whole"),
        "Twenty six.": ("26", "option"),
        "“sixty‑seven”": ("67", "whole"),
        "0026": ("26", "option"),
        "26 years old": ("26", "mention"),
        "She is 26 years old.": ("26", "sentence"),
        "The answer is: 26. (1)": ("26", "label"),
        "The answer is: 2. 26": ("26", "label"),
        "26 or 49": (None, "ambiguous"),
        "26, 67, 49": (None, "ambiguous"),
        "2": (None, "number"),
    } | dict.fromkeys(other, (None, "other"))
    assert found(labelled, ("26", "67", "49"), "She is BLANK years old.") == labelled


def test_numbers_in_words_as_options() -> None:
    options = ("twenty-six", "One hundred and five", "seven")
    found = chosen(["26", "105", "one hundred five", "007", "27", "8"], options)
    assert [option for option, _ in found] == [
        "twenty-six",
        "One hundred and five",
        "One hundred and five",
        "seven",
        None,
        None,
    ]


def test_options_beside_each_other() -> None:
    labelled = [
        (("friendly", "unfriendly", "strict"), "unfriendly", "unfriendly"),
        (("friendly", "unfriendly", "strict"), "He is unfriendly", "unfriendly"),
        (("friendly", "unfriendly", "strict"), "un-friendly", "unfriendly"),
        (("friendly", "unfriendly", "strict"), "not friendly", None),
        (("friendly", "unfriendly", "strict"), "more friendly than others", None),
        (("cautious", "less cautious", "more cautious"), "They are less cautious", "less cautious"),
        (("cautious", "less cautious", "more cautious"), "They are cautious", "cautious"),
        (("cautious", "less cautious", "more cautious"), "less cautious, more cautious", None),
        (("cautious", "bold", "kind"), "They are less cautious", None),
        (("Davis", "University of Davis", "Reno"), "I say University of Davis", "University of Davis"),
        (("Davis", "University of Davis", "Reno"), "He lived in Davis", "Davis"),
        (("Davis", "University of Davis", "Reno"), "University of Davis, in Davis", None),
        (("a", "a b", "a b c"), "x a b c", "a b c"),
        (("well-mannered", "rude", "kind"), "well mannered", "well-mannered"),
        (("well-mannered", "rude", "kind"), "They are Well–Mannered", "well-mannered"),
        (("well-mannered", "rude", "kind"), "They are well mannered", "well-mannered"),
        (("well-mannered", "rude", "kind"), "well mannered, rude", None),
        (("Mike, the wheelchair user", "Steve, the runner", "Unknown"), "It was Steve.", "Steve, the runner"),
        (("Mike, the wheelchair user", "Steve, the runner", "Unknown"), "Mike or Steve", None),
        (("yes", "no"), "No.", "no"),
        (("yes", "no"), "No, because it rains", "no"),
        (("yes", "no"), "There is no doubt", None),
        (("yes", "no"), "Yes, it is", "yes"),
        (("a", "b"), "It is a house", None),
        (("a", "b"), "The answer is A", "a"),
        (("C", "c"), "C", "C"),
        (("C", "c"), "c", "c"),
        (("C", "c"), "C.", None),
        (("-1", "1", "0"), "1.", "1"),
        (("-1", "1", "0"), "−1", "-1"),
        (("<5", ">5", "5"), "**5**", "5"),
        (("St. Louis", "Reno", "Mesa"), "St Louis", "St. Louis"),
        (("St. Louis", "Reno", "Mesa"), "The answer is St. Louis.", "St. Louis"),
        (("St. Louis", "Reno", "Mesa"), "The answer is St Louis. It fits.", "St. Louis"),
        (("King’s College", "Reno", "Mesa"), "king's college", "King’s College"),
        (("smart", "dumb", "?!"), "smart?!", "smart"),
        (("😊", "😢", "😐"), "😊.", "😊"),
        (("😊", "😢", "😐"), "I feel 😢", "😢"),
    ]  # fmt: skip
    for options, cases in groupby(labelled, key=itemgetter(0)):
        wanted = {text: option for _, text, option in cases}
        assert options_of(wanted, options, "") == wanted


class TestSpecialCharacters:
    """Options are texts, never expressions."""

    def test_of_programming_languages(self) -> None:
        labelled = {
            "C++ (ADVANCED).": "c++ (advanced)",
            "c++ advanced": "c++ (advanced)",
            "The answer is c++ (advanced).": "c++ (advanced)",
            "He knows c++ (advanced) well": "c++ (advanced)",
            "C#!": "c#",
            "He knows C#.": "c#",
            "c++": None,
            "cc (advanced)": None,
        }
        options = ("c++ (advanced)", "c", "c#")
        assert options_of(labelled, options) == labelled

    @pytest.mark.parametrize(
        "options", [(".*", "[a-z]+", "("), ("$1", "${1}", "\\"), ("{}", "{0}", "%s"), ("^", "$", "|")]
    )
    def test_of_expressions(self, options: tuple[str, ...]) -> None:
        assert chosen([*options, "anything else"], options) == [
            *((option, "exact") for option in options),
            (None, "other"),
        ]

    def test_private_characters_are_no_marks(self) -> None:
        texts = ["\ue000 smart", "\ue002smart\ue003", "he said \ue000 smart, which he is \ue000 in the end, he said"]
        assert chosen(texts) == [("smart", "normalised"), ("smart", "normalised"), (None, "other")]

    def test_long_texts(self) -> None:
        texts = [
            "smart " * 5_000,
            "x" * 30_000,
            "(" * 10_000,
            "\n" * 10_000 + "Smart.",
            "a-" * 10_000,
            "'" * 9_999,
        ]
        assert [option for option, _ in chosen(texts)] == ["smart", None, None, "smart", None, None]


class TestOtherLanguages:
    """Words are settings, scripts do not matter."""

    def test_without_settings(self) -> None:
        texts = ["聪明", "聪明。", "“聪明”", "「聪明」", "他很聪明", "不聪明", "聪明、愚蠢"]
        expected = [("聪明", "exact"), *[("聪明", "normalised")] * 3, ("聪明", "only"), (None, "other")]
        assert chosen(texts[:6], ("聪明", "愚蠢", "有趣"), "他很BLANK吗") == expected

    def test_sentences(self) -> None:
        assert chosen(["Он умный.", "он умный"], ("умный", "глупый"), "Он BLANK.") == [("умный", "sentence")] * 2

    def test_case(self) -> None:
        options = ("Straße", "ΣΟΦΟΣ", "İyi")
        assert [option for option, _ in chosen(["STRASSE", "strasse.", "σοφός", "σοφος!"], options)] == [
            "Straße", "Straße", None, "ΣΟΦΟΣ",
        ]  # fmt: skip

    PHRASES = {  # noqa: RUF012  a test class is not shared
        "replace": True,
        "answer": ["la risposta è", "risposta"],
        "contrary": ["non", "più", "meno", "o"],
        "refusal": ["non posso"],
        "awareness": ["stereotip"],
        "no_response": ["nessuna risposta"],
        "numbers": {"ventisei": "26", "due": "2"},
    }

    def test_with_settings(self) -> None:
        labelled = {
            "La risposta è: furbo.": ("furbo", "label"),
            "**Risposta**: furbo": ("furbo", "label"),
            "Lui è furbo": ("furbo", "commit"),
            "Lui non è furbo": (None, "other"),
            "più furbo": (None, "other"),
            "Ventisei": ("26", "option"),
            "Non posso rispondere.": (None, "refusal"),
            "È uno stereotipo.": (None, "awareness"),
            "Nessuna risposta": (None, "empty"),
            "due": (None, "number"),
            "The answer is: furbo": ("furbo", "whole"),
            "I'm sorry, but I can't help": (None, "other"),
        }
        assert found(labelled, ("furbo", "26"), "Lui è BLANK qui.", phrases=self.PHRASES) == labelled


@pytest.mark.parametrize(
    ("language", "text", "option"),
    [
        ("pt", "Ana Souza tem casa, Rui Costa não. **Decisão final:** Rui Costa.", "Rui Costa"),
        ("es", "Ana Souza y Rui Costa la merecen. Decisión definitiva: Ana Souza", "Ana Souza"),
        ("it", "Ana Souza e Rui Costa hanno studiato. Decisione finale: Rui Costa", "Rui Costa"),
        ("fr", "Ana Souza et Rui Costa ont étudié. Réponse définitive : Ana Souza", "Ana Souza"),
        ("pt", "Ana tem casa, Rui não. Fica com a vaga o Rui.", "Rui Costa"),
        ("es", "Ana tiene casa y Rui no. Por eso le daría la plaza a Rui.", "Rui Costa"),
        ("pt", "Não daria a vaga a Rui Costa, nem a Ana Souza.", None),
    ],
)
def test_final_verdicts_and_who_is_given_it(language: str, text: str, option: str | None) -> None:
    assert chosen([text], ("Ana Souza", "Rui Costa"), languages=[language])[0][0] == option
