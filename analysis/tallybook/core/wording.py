"""The wording of messages: numbers with nouns, lists of values, and suggestions for misspelt names."""

from __future__ import annotations

from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from tallybook.core.untrusted import escaped, printable

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

_SHOWN = 25
"""The largest number of allowed values that a message lists."""
_LETTERS = 10
"""The largest number of letters that a message lists."""
_ALIKE = 0.7
"""The least similarity, from 0 to 1, at which a known name is suggested."""


def counted(number: int, noun: str) -> str:
    """Format a number with its noun, in the plural where needed.

    >>> counted(1, "file"), counted(1200, "file")
    ('1 file', '1,200 files')
    """
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def first_of(lines: Sequence[str], most: int = 20) -> list[str]:
    """Return the lines; if there are more than `most`, only the first ones and a line that counts the others.

    >>> first_of(["a", "b", "c"], 2)
    ['a', '... and 2 more']
    """
    return [*lines] if len(lines) <= most else [*lines[: most - 1], f"... and {len(lines) - most + 1} more"]


def shortened(names: Iterable[str], most: int) -> str:
    """Join names with commas; beyond `most`, only count them.

    >>> shortened("abc", 2)
    'a, b and 1 more'
    """
    every = list(names)
    return ", ".join(every[:most]) + (f" and {len(every) - most:,} more" if len(every) > most else "")


def with_article(noun: str) -> str:
    """Put "a" or "an" before a noun.

    >>> with_article("factor"), with_article("outcome")
    ('a factor', 'an outcome')
    """
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"


def without_font(letters: Iterable[str], where: str, shown: str, font: str = "installed font") -> str:
    """Describe which letters no installed font has, and what to do about it.

    >>> without_font("本日", "the report", "printed as code points").partition(";")[0]
    'no installed font has 2 letters of the report, printed as code points: 日 (U+65E5), 本 (U+672C)'
    """
    every = sorted(set(letters))
    named = shortened((f"{escaped(letter)} (U+{ord(letter):04X})" for letter in every), _LETTERS)
    return (
        f"no {font} has {counted(len(every), 'letter')} of {where}, {shown}: {named}; "
        "install fonts that have them, such as Noto (on Debian and Ubuntu: apt install fonts-noto)"
    )


def one_of(values: Iterable[object]) -> str:
    """List the allowed values in words.

    >>> one_of(["a"]), one_of([0, 1])
    ("'a'", 'one of 0, 1')
    """
    every = [value_text(value) for value in values]
    return ("one of " if len(every) > 1 else "") + shortened(every, _SHOWN)


def expectation(name: object, known: Iterable[object]) -> str:
    """Describe which names are known, and suggest the one most like `name`.

    >>> expectation("modl", ["model", "item"]), expectation("x", [])
    ("expected one of 'model', 'item'; did you mean 'model'?", 'there is none')
    """
    every = list(known)
    return f"expected {one_of(every)}{suggestion(name, every)}" if every else "there is none"


def value_text(value: object) -> str:
    """Format a value of a study file for messages, shortened and escaped.

    >>> value_text("a"), value_text(True), value_text([]), value_text({"a": 1})
    ("'a'", 'true', 'an empty list', 'a table')
    """
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return f"'{printable(value)}'"
        case list():
            return "a list" if cast("Sequence[object]", value) else "an empty list"
        case dict():
            return "a table" if cast("Mapping[str, object]", value) else "an empty table"
        case _:
            return printable(str(value))


def nearest(name: object, known: Iterable[object]) -> str | None:
    """Return the known name most similar to `name`, ignoring case; None if none is similar enough.

    >>> nearest("Genre", ["gender", "model"]), nearest("x", ["model"])
    ('gender', None)
    """
    if not isinstance(name, str):
        return None
    folded = {other.lower(): other for other in known if isinstance(other, str) and other}
    plain = name.lower()
    if plain in folded:
        return folded[plain]
    found = get_close_matches(plain[:200], folded, 1, _ALIKE)
    return folded[found[0]] if found else None


def suggestion(name: object, known: Iterable[object]) -> str:
    """Return the end of a message that suggests the most similar known name; empty if there is none."""
    found = nearest(name, known)
    return f"; did you mean {value_text(found)}?" if found is not None else ""
