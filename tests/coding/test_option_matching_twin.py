"""The option matcher against its slow twin, and what holds for any texts and options."""

from __future__ import annotations

import re
from typing import Any

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from tallybook.instruments import refusal
from tallybook.instruments.attribute_choice.declaration import ChoicePhrases
from tallybook.instruments.attribute_choice.language import language
from tallybook.instruments.committed import plain
from tallybook.instruments.option_text import folded
from tests.coding.choice_twin import GAP, Twin, safe
from tests.coding.choices import SENTENCE, chosen
from tests.statistics.frames import few, quick

WORDS = st.sampled_from(
    ["smart", "dumb", "funny", "unfriendly", "friendly", "less cautious", "cautious", "c++ (advanced)", "c",
     "St. Louis", "University of California, Davis", "Davis", "well-mannered", "26", "sixty-seven", "-5", "聪明",
     "умный",      "Straße", "?!", "no", "😊", "a b", "b", "king's", "as usual", "<5", "1"]
)  # fmt: skip
OPTION_SETS = st.lists(WORDS, min_size=2, max_size=4, unique=True).map(tuple)
GLUE = st.sampled_from(
    [
        " ",
        " ",
        " ",
        "",
        "\n",
        "\n\n",
        ". ",
        ", ",
        ": ",
        "-",
        "; ",
        "' ",
        ' "',
        '" ',
        " '",
        "'",
        "**",
        "(",
        ") ",
        "/",
        "! ",
        "? ",
    ]
)
PIECES = st.sampled_from(
    ["The answer is", "the answer is:", "Answer:", "I would choose", "BLANK:", "blank", "Option 2:", "2.", "(b)", "B",
     "2", "#1", "not", "isn't", "more", "than", "or", "because he is", "He is", "The man", "from Chad", "is", "very",
     "wrong", "non", "twenty-six", "67", "0026", "the second option", "So, ", "Based on the context,",
     "word that best fits is", "word that does not fit is", "<b>", "</b>", "<answer>", "\x1b[1m", "\u200b", "\ue000",
     "`", "“", "”", "—", "--", "...", "。", "\\boxed{", "}", "> ", "# ", "x" * 20, "one two three four five six"]
)  # fmt: skip


# What Python's own tables of characters do not know yet could be a letter to the matcher.
ANY = st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=8)
FORMS = st.sampled_from(
    ["{}", "{}.", "The answer is: {}", "The answer is {} {}", "{}\n\n{}", "{}. {}", "'{}' {}", 'Say "{}", {}',
     "2. {}", "b) {}", "Option 1: {}\nOption 2: {}", "The man from Chad is {}.", "The smart man is {}, I'd say.",
     "It is {}", "Not {}", "The answer is B. {}", "B\n{}", "{}, not {}",
     "I choose {} rather than {}. {}", "Not {} but {}",
     "I'd pick {} over {}",
     "Instead of {}, {}", "{} instead of {}\n{}", "A, not B", "I choose option 2 over option {}",
     "I choose option 2 {}", "{} because {}", "\n{}\n{}\n{}"]
)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn) -> tuple[tuple[str, ...], list[str]]:
    """Options, and texts made of them and of what stands around answers."""
    options = draw(OPTION_SETS)
    part = st.sampled_from(options) | st.sampled_from(options).map(str.upper) | PIECES
    free = st.lists(st.tuples(part, GLUE), max_size=5).map(lambda parts: "".join(map("".join, parts)))
    formed = st.tuples(FORMS, part, part, part).map(lambda form: form[0].format(*form[1:]))
    return options, draw(st.lists(free | formed | ANY, min_size=1, max_size=20))


COMMITTING = {"marked", "line", "labels", "label", "correction", "commit", "conclusion", "first", "last", "only"}


def _is_said(text: str, option: str, options: tuple[str, ...]) -> bool:
    """Whether a text names an option other than behind a word that denies it, and lists no other one on a line."""
    said = " ".join(plain(text).split())
    denied = rf"(?:not|over|than|instead of)[\s\"'(]*(?:the )?(?:option |word )?[\s\"'(]*{re.escape(option.lower())}"
    lines = {line.strip(" .!;'\"()*`/-:") for line in plain(text).split("\n")}
    others = {other.lower() for other in options} - {option.lower()}
    return option.lower() in re.sub(denied, "", said) and not others & lines


@quick
@given(
    cases(), st.sampled_from([SENTENCE, "BLANK", "The smart man is BLANK, I'd say.", ""]), st.booleans(), st.randoms()
)
def test_it_agrees_with_its_slow_twin(
    case: tuple[tuple[str, ...], list[str]], sentence: str, is_shown: bool, random: Any
) -> None:
    options, texts = case
    order = list(range(len(options)))
    random.shuffle(order)
    shown = [f"o{number + 1}" for number in order] if is_shown else None
    found = chosen(texts, options, sentence, **({"shown": shown} if shown else {}))
    words = language(ChoicePhrases())
    declines = pl.DataFrame({"text": texts}).select(refusal.declines(pl.col("text"))).to_series()
    for text, (option, rule), declined in zip(texts, found, declines, strict=True):
        places = [order.index(number) for number in range(len(options))] if is_shown else None
        twin = Twin(
            text,
            options,
            safe(sentence).replace("BLANK", f" {GAP} "),
            places,
            words,
            declines=declined or "sorry" in text.lower(),
            objects=rule == "awareness",
        )
        number, name = twin.choose()
        if rule in COMMITTING:  # the ladder, whose twin it is, left the text open
            assert number is None
            assert name in {None, "ambiguous"}
            assert _is_said(text, str(option), options)
            continue
        assert option == (None if number is None else options[number]), (text, rule, name)
        if number is not None:
            assert rule == name
        elif name == "ambiguous" and rule != "ambiguous":
            assert rule in {"empty", "awareness", "refusal", "unfilled"}
        else:
            assert (rule == "ambiguous") == (name == "ambiguous"), (text, rule, name)


def _distinct(options: tuple[str, ...]) -> bool:
    """Whether options differ by more than case and punctuation, have words, and hold no marks of headings."""
    words = pl.DataFrame({"option": options}).select(folded(pl.col("option"))).to_series().to_list()
    marked = any(">" in option or "#" in option for option in options)
    return len(set(words)) == len(words) and all(words) and not marked


DISTINCT = (OPTION_SETS | st.lists(ANY, min_size=2, max_size=4).map(tuple)).filter(_distinct)
WRAPPERS = (
    "{}",
    "{}.",
    " {} ",
    "\n{}\n",
    "**{}**",
    "'{}'",
    '"{}"',
    "“{}”",
    "‘{}’",
    "`{}`",
    "«{}»",
    "({})",
    "<b>{}</b>",
    "_{}_",
)
CASES = (str, str.upper, str.lower)


@quick
@given(DISTINCT)
def test_an_option_is_itself_in_any_wrapper_and_case(options: tuple[str, ...]) -> None:
    texts = [(case(wrapper.format(option)), option) for option in options for wrapper in WRAPPERS for case in CASES]
    found = chosen([text for text, _ in texts], options)
    assert [option for option, _ in found] == [option for _, option in texts]
    assert {rule for _, rule in found} <= {"exact", "normalised"}


@quick
@given(cases(), st.randoms())
def test_the_order_of_options_does_not_matter(case: tuple[tuple[str, ...], list[str]], random: Any) -> None:
    options, texts = case
    other = random.sample(options, k=len(options))
    assert chosen(texts, tuple(other)) == chosen(texts, options)
    names = {option: f"o{number}" for number, option in enumerate(other, start=1)}
    shown = chosen(texts, options, shown=[f"o{number + 1}" for number in range(len(options))])
    assert chosen(texts, tuple(other), shown=[names[option] for option in options]) == shown


@quick
@given(cases(), st.randoms())
def test_the_order_of_responses_does_not_matter(case: tuple[tuple[str, ...], list[str]], random: Any) -> None:
    options, texts = case
    other = random.sample(texts, k=len(texts))
    by_text = dict(zip(texts, chosen(texts, options), strict=True))
    assert chosen([*other, *other], options) == [by_text[text] for text in other] * 2


@few
@given(st.lists(ANY, min_size=2, max_size=4, unique=True), st.lists(st.none() | ANY, max_size=5), ANY)
def test_any_characters_are_read(options: list[str], texts: list[str | None], sentence: str) -> None:
    usable = [f"{number} {option}" for number, option in enumerate(options)]
    assert len(chosen(texts, tuple(usable), f"{sentence}BLANK")) == len(texts)
