"""Find the options that a text names: each mention becomes one character, so that patterns fit any options."""

from __future__ import annotations

import re
from collections import Counter
from difflib import get_close_matches
from itertools import islice
from typing import TYPE_CHECKING

import polars as pl

from tallybook.core.remembered import Remembered
from tallybook.instruments.option_text import plain, safe
from tallybook.study.names import without_accents

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

FIRST = 0xE100
"""The character of the first option; no text holds private characters after `safe`."""
MOST = 2_000
"""The number of mentions of an option from which a text is not read."""
MARK = "[\ue100-\uf8ff]"
"""A regular expression of the mention of an option."""

_AFTER_LETTER = re.compile(
    r"""\s*(?:$|[^\w\s'-]|-(?!\w)|\n)|\s+(?:and|then|first|second|third|fourth|fifth|last|is|comes|ranks|or|followed)\b"""
)
"""Text after a letter that is an option, rather than an article or initial."""
_NUMBERED = re.compile(r"(?:^|\s)\d{1,2}\Z")
"""The number of an item that nothing separates from it: "7Ann"."""
_MEDALS = {"🥇": 1, "🥈": 2, "🥉": 3}


_GENERAL = {"applicant", "application", "candidate", "option", "person", "resume", "the", "and", "for", "with"}
_SHORT, _ALIKE, _MOST_TEXT = 2, 0.85, 4000
"""The length up to which a word is too short to stand for a name; the minimum similarity of a misspelt name; the number
of characters of a text that are searched for it."""
_ABBREVIATED = re.compile(r" (?:al|co|corp|inc|jr|ltd|sr)$")
"""The end of an option whose full stop may be left out, and ends no sentence."""
_NAME_WORD = re.compile(r"[^\W\d_][\w'-]*")


def number_of(mark: str) -> int:
    """Return the number of the option that a marker character stands for."""
    return ord(mark) - FIRST


def as_written(forms: Iterable[str]) -> tuple[str, ...]:
    """Normalise options like plain texts."""
    return tuple(_written(forms))


@Remembered
def _written(forms: Sequence[str | None]) -> pl.Series:
    frame = pl.DataFrame({"form": forms}, schema={"form": pl.String})
    written = frame.select(plain(safe(pl.col("form"))).str.replace_all(r"\s+", " ").str.strip_chars())
    return written.to_series()


def short_forms(forms: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Add inverted names, words that only one name has, and labels: "Khan, Aisha" and "Aisha" for "Aisha Khan"."""
    words = {(word, option) for form, option in forms for word in form.split() if " " in form and len(word) > _SHORT}
    turned = [
        (f"{last}, {first}", option) for form, option in forms for first, _, last in [form.rpartition(" ")] if first
    ]
    counts = Counter(word for word, _ in words)
    labels = {form.rpartition(" ")[::2] for form, _ in forms}
    if len({stem for stem, _ in labels} - {""}) == 1 and all(len(label) == 1 for _, label in labels):
        turned += [(form[-1], option) for form, option in forms]  # "A" for "Essay A"
    known = {form for form, _ in forms}
    turned += [(other, option) for form, option in forms for other in _other_number(form) if other not in known]
    return [*forms, *turned, *sorted(one for one in words if counts[one[0]] == 1 and one[0] not in _GENERAL)]


def _other_number(form: str) -> tuple[str, ...]:
    """Return the plural of an English word and what it is the plural of, if it is one: "nurses" for "nurse"."""
    if not re.fullmatch(r"[a-z -]{4,}", form):
        return ()
    plural = re.sub(r"(?<=[^aeiou])y$", "ie", form) + ("es" if re.search(r"(?:s|x|ch|sh)$", form) else "s")
    return (plural, form[:-1]) if re.search(r"[^s]s$", form) else (plural,)


def with_misspelt_forms(text: str, forms: Sequence[tuple[str, int]]) -> list[tuple[str, int]]:
    """Add words of a text that resemble an option it does not name: "Aisha Kahn" for "Aisha Khan"."""
    found = [*forms]
    words = _NAME_WORD.findall(text[:_MOST_TEXT])
    for form, option in forms:
        size = len(form.split())
        if len(form) > _SHORT + 2 and form not in text:
            near = {" ".join(words[at : at + size]) for at in range(len(words) - size + 1)} - {one for one, _ in forms}
            bare = {without_accents(one): one for one in near if one[:1] == form[:1]}
            likely = get_close_matches(without_accents(form), bare, n=2, cutoff=_ALIKE)
            found += [(bare[likely[0]], option)] if len(likely) == 1 else []
    return found


def marked(text: str, forms: Sequence[tuple[str, int]]) -> str:
    """Replace each mention of an option by its marker character; of forms with the same start, the longest counts."""
    text = re.sub(r" +", " ", text)
    if all(len(form) == 1 for form, _ in forms) and len(forms) > _SHORT:
        text = _glued(text, [form for form, _ in forms])
    are_digits = all(form.isdigit() for form, _ in forms)
    forms = [*forms, *((f"{form}.", option) for form, option in forms if _ABBREVIATED.search(form))]
    taken: list[tuple[int, int, int]] = []
    for form, option in forms:
        places = islice(_places(text, form, are_digits=are_digits), MOST)
        taken += [(start, -len(form), option) for start in places]
    pieces: list[str] = []
    end = 0
    for start, length, option in sorted(taken):
        if start >= end:
            pieces += [text[end:start], chr(FIRST + option)]
            end = start - length
    made = re.sub(rf"\b(?:an?|the) (?={MARK})", "", "".join([*pieces, text[end:]]))
    medal, mark = re.search("[🥇🥈🥉]", made), re.search(MARK, made)
    is_behind = medal is not None and mark is not None and mark.start() < medal.start()
    for medal, number in _MEDALS.items():
        made = made.replace(medal, f"({number})" if is_behind else f"\n{number}. ")
    return made


def _glued(text: str, letters: Sequence[str]) -> str:
    """Split a line that consists of all letters of the options and nothing else: "acdb"."""
    lines = text.split("\n")
    return "\n".join(
        " > ".join(bare) if sorted(bare := line.strip(' ."')) == sorted(letters) else line for line in lines
    )


def _places(text: str, form: str, *, are_digits: bool) -> Iterable[int]:
    """Yield the positions at which a form stands as a word of its own."""
    start = text.find(form) if form else -1
    while start >= 0:
        end = start + len(form)
        before, after = text[max(0, start - 2) : start], text[end : end + 2]
        is_inside = (
            form[0] < "\u2e80"
            and (  # in Chinese, no blanks stand between words
                (before[-1:].isalnum() and not (form[0].isalpha() and _NUMBERED.search(text, max(0, start - 4), start)))
                or (before[-1:] in {"-", "_"} and before[:1].isalnum())
                or after[:1].isalnum()
                or (after[:1] in {"-", "."} and after[1:].isalnum() and (after[0] == "-" or after[1:].isdigit()))
            )
        )
        if are_digits and after[:1] in {".", ")", ":"}:  # "1. 2": the first is the number of a line
            is_inside = is_inside or not text[max(0, start - 9) : start].rpartition("\n")[2].strip()
        elif len(form) == 1:
            is_inside = is_inside or not _AFTER_LETTER.match(text, end)
        if not is_inside:
            yield start
        start = text.find(form, end)
