"""Escaping of untrusted text, such as a model's response, for terminals, logs, tables and CSV files."""

from __future__ import annotations

import re
import unicodedata

ELLIPSIS = "…"

_BLANKS = re.compile(r"[ \t\r\n\f\v]+")

# They shape letters of many scripts and join emoji, and have no other effect.
_JOINERS = frozenset("\u200c\u200d")

FORMULA_STARTS = tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")
"""The characters that begin a formula in spreadsheets, including the full-width forms."""

# A signed number with what may be printed around it: stars, an interval, a percent sign. It has no letters but an
# exponent's, so it cannot call a function.
_SIGNED_NUMBER = re.compile(r"[+-]\.?\d[\d.,;:%*()\[\] \u2013\u2212-]*(e[+-]?\d+\**)?", flags=re.IGNORECASE)


def escaped(text: str) -> str:
    r"""Escape every character that could act on a terminal or a log, including line breaks.

    >>> escaped("a\x1b[31mred\n::error::x")
    'a\\x1b[31mred\\n::error::x'
    """
    if text.isprintable():
        return text
    return "".join(character if character.isprintable() else _escape(character) for character in text)


def printable(text: str, limit: int = 80) -> str:
    """Shorten a text to `limit` characters and escape it.

    >>> printable("a long answer", limit=7)
    'a long…'
    """
    return escaped(text if len(text) <= limit else text[: limit - 1] + ELLIPSIS)


def visible(text: str) -> str:
    r"""Join a text's lines and escape invisible characters that have an effect, without shortening the text.

    >>> visible("two\nlines \u202egnp.exe\x1b")
    'two lines \\u202egnp.exe\\x1b'
    """
    line = _BLANKS.sub(" ", text)
    if not line.isprintable():
        seen = (one.isprintable() or one in _JOINERS or unicodedata.category(one) == "Zs" for one in line)
        line = "".join(one if is_seen else _escape(one) for one, is_seen in zip(line, seen, strict=True))
    return line.strip()


def inert(text: str) -> str:
    """Put an apostrophe before a text that a spreadsheet would read as a formula; numbers are unchanged.

    >>> inert("=HYPERLINK(1)"), inert("-0.53***"), inert("-1+cmd|x")
    ("'=HYPERLINK(1)", '-0.53***', "'-1+cmd|x")
    """
    if text.startswith(FORMULA_STARTS) and not _SIGNED_NUMBER.fullmatch(text):
        return f"'{text}"
    return text


def _escape(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
