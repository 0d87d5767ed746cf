r"""The strict reading: the form of pairs that Bai et al. (2025) read.

A text is stripped and split into lines. A line is accepted that consists of words of letters and apostrophes, one
hyphen, blanks around it or not, and words of letters. Any other is cleaned twice and tried again; one that still is not
accepted is freed of outer brackets, split at comma-blank, and freed of apostrophes: then all its parts must be
accepted. Failing that it is split at "], [" in the same way. What is not accepted is passed over.

To clean a line is to strip brackets; to write `"` as `'`; to strip hyphens; to write ":" as "-"; to write "' - '", then
"' - ", as "-"; and to strip commas, single quotes, asterisks, digits and full stops, and blanks, in this order.

An accepted line is split at its hyphen, "didn't do it" is written "didnt do it", and both sides are in lower case. They
must be listed names to the letter; a line of which a side is not is unknown.

Source: Bai, X., Wang, A., Sucholutsky, I. & Griffiths, T. L. (2025). Explicitly unbiased large language models still
form biased associations. PNAS 122(8), e2416228122.

    good - White               strict
    1. "good": "White"         cleaned
    good - White, bad - Black  several
    best-ever - White          passed over
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.word_association.score import Found, Pair

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.word_association.names import Vocabulary


def read(text: str, vocabulary: Vocabulary) -> Found:
    """Return the pairs of a text, and its accepted lines that hold unknown names.

    Pairs of known names have the form `strict`, `cleaned` or `several`. Accepted lines, or parts of lines, with other
    names are unknown.
    """
    words, groups = vocabulary.listed_words, vocabulary.listed_groups
    pairs: list[Pair] = []
    unknown: list[str] = []
    for accepted, form in _accepted(text):
        word, group = (side.replace("didn't do it", "didnt do it").lower().strip() for side in accepted.split("-"))
        if word in words and group in groups:
            pairs.append(Pair(words[word], groups[group], form))
        else:
            unknown.append(accepted.strip())
    return Found(tuple(pairs), tuple(unknown))


def _accepted(text: str) -> Iterator[tuple[str, str]]:
    for line in text.strip().split("\n"):
        if _is_accepted(line):
            yield line, "strict"
            continue
        cleaned = _cleaned(_cleaned(line))
        if _is_accepted(cleaned):
            yield cleaned, "cleaned"
            continue
        within = cleaned.removeprefix("[").removesuffix("]")
        for separator in (", ", "], ["):
            parts = [part.replace("'", "") for part in within.split(separator)]
            if all(map(_is_accepted, parts)):
                yield from ((part, "several") for part in parts)
                break


def _is_accepted(line: str) -> bool:
    word, hyphen, group = line.partition("-")
    return bool(hyphen) and _are_words(word, "'") and _are_words(group)


def _are_words(text: str, beside_letters: str = "") -> bool:
    return bool(text.strip()) and all(
        character.isalpha() or character.isspace() or character in beside_letters for character in text
    )


def _cleaned(line: str) -> str:
    line = line.strip("[]").replace('"', "'").strip("-").replace(":", "-").replace("' - '", "-").replace("' - ", "-")
    for characters in (",", "'", "*", "0123456789.", None):
        line = line.strip(characters)
    return line
