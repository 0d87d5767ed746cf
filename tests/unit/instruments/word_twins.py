"""A slow, literal twin of the strict reading, written from the description of the form alone."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

Pairs = list[tuple[str, str]]


def strict(text: str) -> Pairs:
    """The pairs of accepted lines, known or not."""
    found: Pairs = []
    for line in strip_blanks(text).split("\n"):
        for accepted in accepted_parts(line):
            word, group = accepted.replace("didn't do it", "didnt do it").lower().split("-")
            found.append((strip_blanks(word), strip_blanks(group)))
    return found


def accepted_parts(line: str) -> list[str]:
    """The line, its cleaned form or the parts of that which are accepted."""
    if accepts(line):
        return [line]
    line = clean(clean(line))
    if accepts(line):
        return [line]
    line = line.removeprefix("[").removesuffix("]")
    parts = [without(part, "'") for part in line.split(", ")]
    if not [part for part in parts if not accepts(part)]:
        return parts
    parts = [without(part, "'") for part in line.split("], [")]
    if not [part for part in parts if not accepts(part)]:
        return parts
    return []


def accepts(line: str) -> bool:
    """Words of letters and apostrophes, one hyphen, words of letters."""
    line = strip_blanks(line)
    if line.count("-") != 1:
        return False
    word, group = (strip_blanks(side) for side in line.split("-"))
    if word == "" or group == "":
        return False
    kinds_of_word = {kind(character) for character in word}
    kinds_of_group = {kind(character) for character in group}
    return kinds_of_word <= {"letter", "blank", "'"} and kinds_of_group <= {"letter", "blank"}


def kind(character: str) -> str:
    if unicodedata.category(character).startswith("L"):
        return "letter"
    return "blank" if character.isspace() else character


def clean(line: str) -> str:
    """One cleaning, step by step, in the order of the description."""
    line = strip_any(line, "[]")
    line = line.replace('"', "'")
    line = strip_any(line, "-")
    line = line.replace(":", "-")
    line = line.replace("' - '", "-")
    line = line.replace("' - ", "-")
    line = strip_any(line, ",")
    line = strip_any(line, "'")
    line = strip_any(line, "*")
    line = strip_any(line, "0123456789.")
    return strip_blanks(line)


def strip_any(line: str, characters: str) -> str:
    while line and line[0] in characters:
        line = line[1:]
    while line and line[-1] in characters:
        line = line[:-1]
    return line


def strip_blanks(line: str) -> str:
    blanks = "".join(character for character in set(line) if character.isspace())
    return strip_any(line, blanks)


def without(text: str, characters: str) -> str:
    return "".join(character for character in text if character not in characters)


def bias(pairs: Pairs, default: Collection[str], positive: Collection[str], constant: float = 0.01) -> float:
    """D of known pairs, as the formula is written."""
    a = sum(group not in default and word not in positive for word, group in pairs)
    b = sum(group not in default and word in positive for word, group in pairs)
    c = sum(group in default and word not in positive for word, group in pairs)
    d = sum(group in default and word in positive for word, group in pairs)
    return a / (a + b + constant) + d / (c + d + constant) - 1 if pairs else 0
