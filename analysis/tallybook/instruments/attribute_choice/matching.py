"""Which of its options a text chooses: a ladder of rules, from the strictest to the most lenient.

The first rule that finds an option decides; if it finds more than one, the text is `ambiguous` and none is matched. A
wrong match is worse than none: what a text says beside an option must not speak against it.

- exact: the text is an option, to the letter.
- normalised: it is one apart from case, white space, punctuation, quotes, hyphens and markup: "**Smart**.".
- index: it, its first line, or what it says its answer is, is the number or letter of an option: "B", "(2)", "The
  answer is option 2"; only where it is known how options were shown. An option named beside it must be the same.
- number-word: it is the same number, in words: "twenty-six" for 26 and the reverse.
- answer-phrase: the text says so: "The answer is: smart", "BLANK: smart", "Option 2: smart", "2. smart"; and it
  mentions no other option behind.
- sentence: it is the completed sentence.
- mention: it mentions one option in one line with at most five other words, none of which denies, compares or weighs:
  "She is smart", but not "not smart", "smarter", "less smart" or "smart or dumb".

A text that declines is matched by the first four rules and as a sentence only; one that objects also by answer-phrase.
An option is mentioned where all its words stand one after another: "friendly" is not in "unfriendly", and "Davis" is
not mentioned within a mention of the option "University of California, Davis". Within a word with hyphens,
"non-friendly", a mention counts against other options but is none of this one. As a mention no option is found that has
a single character ("a"), is a word that denies, compares or weighs ("no"), or is of the sentence's own words. The
number before an option must be its own, where that is known. What these rules leave open is read by `committed`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from tallybook.instruments.option_text import ANSWER, GAP, any_of, on_one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.attribute_choice.language import Language

_AMBIGUOUS = -1
_FEW_WORDS = 5


def exact(options: int) -> pl.Expr:
    """Find the option that a text is to the letter."""
    return pl.coalesce(pl.when(pl.col("text") == pl.col(f"option_{i}")).then(pl.lit(i)) for i in range(options))


def tolerant(choices: pl.DataFrame, options: int, language: Language) -> pl.DataFrame:
    """Find the option that each text chooses by the rules beyond `exact`.

    The choices with `chosen` (the option's number, from 0; -1 where a rule finds several; null for none) and the `rule`
    that says so.
    """
    rules = _rules(options, language)
    found = _with_mentions(choices, options).with_columns(
        _one_of(hits).alias(f"_{name}") for name, hits in rules.items()
    )
    several = pl.col("mentioned") > 1
    for i in range(options):
        several = several | ((pl.col(f"mentions_{i}") > 0) & _mislabelled(i))
    found = found.with_columns(pl.coalesce(pl.col(f"_{name}") for name in rules).alias("chosen"))
    first = pl.coalesce(pl.when(pl.col(f"_{name}").is_not_null()).then(pl.lit(name)) for name in rules)
    found = found.with_columns(pl.coalesce("chosen", pl.when(several).then(_AMBIGUOUS)).alias("chosen"))
    rule = pl.when(pl.col("chosen") == _AMBIGUOUS).then(pl.lit("ambiguous")).otherwise(first)
    return found.with_columns(rule.alias("rule")).drop(*(f"_{name}" for name in rules))


def _rules(options: int, language: Language) -> dict[str, list[pl.Expr]]:
    """Rule -> for each option whether the rule finds it; in the order of the ladder."""
    each = range(options)
    calm = ~pl.col("declines")
    alone = pl.col("mentioned") == 1
    denied = _true(pl.col("remainder").str.contains(rf" {any_of(language.contrary)} |n't "))
    beside = pl.col("remainder").str.count_matches("[^ ]+")
    willing = calm & ~pl.col("objects") & ~denied & alone
    one_line = ~pl.col("plain").str.contains(r"\n|\?")
    numbered = pl.col("index").is_not_null() & pl.any_horizontal(pl.col(f"place_{i}").is_not_null() for i in each)
    named = [_named(i) for i in each]
    mentioned = [pl.col(f"mentions_{i}") > 0 for i in each]
    right = [~_mislabelled(i) for i in each]
    telling = [
        _true(pl.col(f"folded_{i}").str.len_chars() > 1) & ~_true(_is_one_of(f"folded_{i}", language)) for i in each
    ]
    written = [_contains("flat", "{}", f"flat_{i}", f"wide_{i}") for i in each]
    given = [_contains("wide_sentence", "{}", f"wide_{i}") for i in each]
    return {
        "normalised": [_true(pl.col("folded") == pl.col(f"folded_{i}")) for i in each],
        "index": [
            _true(pl.col("index") == pl.col(f"place_{i}")) | (numbered & (named[i] | (alone & mentioned[i])))
            for i in each
        ],
        "number-word": [_true(pl.col("number") == pl.col(f"number_{i}")) for i in each],
        "answer-phrase": [
            named[i] & calm & ((pl.sum_horizontal(named) > 1) | (right[i] & ~_others_after(i, options))) for i in each
        ],
        "sentence": [_true(pl.col("folded") == _completed(i)) for i in each],
        "mention": [
            written[i] & mentioned[i] & willing & right[i] & telling[i] & one_line & (beside <= _FEW_WORDS) & ~given[i]
            for i in each
        ],
    }


def _is_one_of(column: str, language: Language) -> pl.Expr:
    return pl.col(column).str.contains(rf"^{any_of(language.contrary)}$")


def _true(condition: pl.Expr) -> pl.Expr:
    """A condition on what may be missing: false where it is."""
    return condition.fill_null(value=False)


def _contains(column: str, around: str, *forms: str) -> pl.Expr:
    """Whether a column contains one of the forms of an option within what stands around it."""
    found = (pl.col(column).str.contains(pl.format(around, pl.col(form)), literal=True) for form in forms)
    return pl.any_horizontal(_true(hit) for hit in found)


def _named(option: int) -> pl.Expr:
    """Whether a text says that the option is its answer."""
    forms = (f"segments_{option}", f"folded_{option}")
    return pl.any_horizontal(_contains(said, f"{ANSWER} {{}} \n", *forms) for said in ("said", "numbered"))


def _mislabelled(option: int) -> pl.Expr:
    """Whether the number before what a text names is known to be that of another option."""
    return _true(pl.col("label") != pl.col(f"place_{option}"))


def _others_after(option: int, options: int) -> pl.Expr:
    """Whether a text mentions another option behind the last place where it says that its answer follows."""
    behind = pl.format(" {} ", on_one_line(pl.col("numbered").str.split(ANSWER).list.last().str.strip_chars("\n ")))
    behind = behind.str.split(pl.format(" {} ", pl.col(f"folded_{option}"))).list.join(" ")
    others = (pl.format(" {} ", pl.col(f"folded_{i}")) for i in range(options) if i != option)
    return pl.any_horizontal(_true(behind.str.contains(other, literal=True)) for other in others)


def _completed(option: int) -> pl.Expr:
    sentence = pl.col("folded_sentence")
    return pl.when(sentence.str.contains(GAP, literal=True)).then(
        sentence.str.split(GAP).list.join(pl.col(f"folded_{option}"))
    )


def _one_of(hits: Sequence[pl.Expr]) -> pl.Expr:
    """The number of the one option that a rule finds, or that it finds several; null for none."""
    number = pl.sum_horizontal(hits)
    first = pl.coalesce(pl.when(hit).then(pl.lit(i)) for i, hit in enumerate(hits))
    return pl.when(number == 1).then(first).when(number > 1).then(pl.lit(_AMBIGUOUS))


def _with_mentions(choices: pl.DataFrame, options: int) -> pl.DataFrame:
    """Add how often each option is mentioned, how many are, and what remains of the text without the only one.

    A mention within that of a longer option is none: of n times "Davis", those within "University of California, Davis"
    are taken off, and so on for options within options within options.
    """
    each = range(options)
    inside = [(i, j) for i in each for j in each if i != j]
    choices = choices.with_columns(
        *(_times("wide", f"wide_{i}").alias(f"mentions_{i}") for i in each),
        *(
            pl.when(pl.col(f"wide_{i}") != pl.col(f"wide_{j}"))
            .then(_times(f"wide_{j}", f"wide_{i}"))
            .otherwise(0)
            .alias(f"_{i}_in_{j}")
            for i, j in inside
        ),
        *(_times("wide", f"wide_{i}").alias(f"_all_{i}") for i in each),
    )
    for _ in each[1:]:
        within = {
            i: pl.sum_horizontal(pl.col(f"mentions_{j}") * pl.col(f"_{i}_in_{j}") for j in each if j != i) for i in each
        }
        choices = choices.with_columns((pl.col(f"_all_{i}") - within[i]).alias(f"mentions_{i}") for i in each)
    only = pl.coalesce(pl.when(pl.col(f"mentions_{i}") > 0).then(pl.col(f"wide_{i}")) for i in each)
    choices = choices.with_columns(
        pl.sum_horizontal(pl.col(f"mentions_{i}") > 0 for i in each).alias("mentioned"),
        pl.col("wide").str.split(only).list.join("  ").alias("remainder"),
    )
    return choices.drop(*(f"_{i}_in_{j}" for i, j in inside), *(f"_all_{i}" for i in each))


def _times(text: str, part: str) -> pl.Expr:
    return pl.col(text).str.count_matches(pl.col(part), literal=True).fill_null(0).cast(pl.Int64)
