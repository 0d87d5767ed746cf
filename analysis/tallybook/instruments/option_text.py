r"""The normal forms of texts in which answers and options are compared.

`plain` text has uniform quotes, dashes, blanks and line ends, no markup and no capitals. Its `words` are what remains
without punctuation, with a line end for each end of a line or sentence. `folded` words are on one line, and hyphens are
blanks.

    "**Well‐Mannered**. He's 1.80 m!"   text
    "well-mannered. he's 1.80 m!"       plain
    "well-mannered \n he's 1.80 m"      words
    "well mannered he's 1.80 m"         folded
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Iterable

ANSWER, GAP, OPEN, CLOSE = "\ue000\ue001\ue002\ue003"
"""Marker characters that no text contains after `safe`: an announced answer, the gap of a sentence, quotes."""

MISREAD = (
    ("â€”|â€“|â€\u0093|â€\u0094", "–"),
    ("â€™|â€˜|â€\u0099|â€\u0098", "'"),
    ("â€œ|â€\u009d|â€\u009c|â€\\\\u009d|â€", '"'),
)
"""Dashes and quotes whose UTF-8 bytes were decoded as cp1252, and the correct characters."""
_BLOCK = "think|thinking|thought|reasoning|scratchpad|analysis"
NO_ANSWER = (
    (rf"(?is)<(?:{_BLOCK})>.*?</(?:{_BLOCK})>|◁think▷.*?◁/think▷", "\n"),
    (r"(?is)\A.*(?:</think(?:ing)?>|\[/INST\]|<\|(?:im_start\|>)?assistant(?:\|>|\n))", "\n"),
    (r"(?is)<think(?:ing)?>.*\z", ""),  # a thought that was cut off before any answer
    (r"(?i)</s>|<\|[a-z_]+\|>|\A\s*assistant(?::|\n)", ""),
)
"""Parts that do not belong to an answer: a model's reasoning, and marks of a chat template."""
_PARTS = (
    (r"(\d) ?½", "$1.5"),
    (r"(\d) ?¼", "$1.25"),
    (r"(\d) ?¾", "$1.75"),
    ("½", "0.5"),
)
"""Fractions, which would be two numbers otherwise: "3½"."""
_PLAIN = (
    ("[´`’‘ʼ‛]", "'"),
    ("[“”„‟«»〝〞″]", '"'),
    ("[‐‑‒–—―−⁃]", "-"),
)
_MARKUP = (
    *NO_ANSWER,
    (r"\x1b\[[0-9;]*[A-Za-z]", ""),  # colours of a terminal
    (r"\r\n?|[\x0b\x0c\u0085\u2028\u2029]|<br ?/?>|</?(?:div|h[1-6]|li|ol|p|ul)>", "\n"),
    (r"</?(?:answer|blank|choice|decision|final|option|output|ranking|rating|response|result|score)>", "\n"),
    (r"</?(?:b|code|em|i|mark|q|s|span|strong|u)>|[*~]+", ""),
    (r"\\(?:boxed|math[a-z]+|text[a-z]*)\{", " "),
    (r"[^\S\n]+|[\x00-\x09\x0e-\x1f\x7f-\x9f]+", " "),
    (r"\n\s*\n\s*\n", "\n\n"),  # what looks for the start of a line would try each of many empty ones
    (r"(?m)^ *(?:#{1,6} +|(?:> +)+)(\S)", "$1"),  # a heading, a quotation
    ("''", '"'),
    ("-{2,}", "-"),
)
_SENTENCE_END = r"""(?:[.!;]+["')\]]*(?: |\n|$)|[。！；\n])\s*"""
_CHARACTER = r"[\p{L}\p{M}\p{N}\p{Sc}\p{Sm}\p{So}\x{1F3FB}-\x{1F3FF}#%&@--[|~]]"
# A number keeps its sign, and points and the like between its digits; a word keeps hyphens and apostrophes within.
_NUMBER = rf"-?\.?\p{{N}}+(?:[.,:/]\p{{N}}+|['-]?{_CHARACTER}+)*"
_WORD = rf"{_CHARACTER}+(?:['-]{_CHARACTER}+)*"
_TOKEN = rf"[\n{ANSWER}{GAP}{OPEN}{CLOSE}]|{_NUMBER}|{_WORD}"


_QUESTION = re.compile(r"(?:^|(?<=[.!?\n]))[^.!?\n]*\?")


def without_questions(text: str) -> str:
    """Drop the questions of a plain text."""
    return _QUESTION.sub(" ", text)


def safe(text: pl.Expr) -> pl.Expr:
    """Repair misread dashes and quotes; remove invisible characters and those that serve as markers here."""
    return replaced(text, MISREAD).str.replace_all(r"[\p{Cf}\p{Co}]", "")


def plain(text: pl.Expr) -> pl.Expr:
    """Normalise texts: uniform quotes, dashes, blanks and line ends, no markup, lower case."""
    text = replaced(text, (*_PARTS, *_PLAIN[:1])).str.normalize("NFKC")
    # Upper case first, so that "ß" becomes "ss".
    text = text.str.to_uppercase().str.to_lowercase().str.replace_all("ς", "σ").str.normalize("NFKC")
    return replaced(replaced(text, _PLAIN), _MARKUP)


def words(plain_text: pl.Expr) -> pl.Expr:
    r"""Extract words, numbers, markers and a line end (\n) per end of line or sentence, with blanks between."""
    tokens = plain_text.str.replace_all(_SENTENCE_END, "\n").str.extract_all(_TOKEN)
    return tokens.list.join(" ").str.replace_all(r"\n(?: \n)+", "\n").str.strip_chars("\n ")


def hyphens_folded(words: pl.Expr) -> pl.Expr:
    """Split hyphenated words; a number keeps its sign."""
    return words.str.replace_all("([^ ])-", "$1 ")


def on_one_line(words: pl.Expr) -> pl.Expr:
    """Replace the ends of lines and sentences by blanks."""
    return words.str.replace_all(" \n ", " ", literal=True)


def folded(text: pl.Expr) -> pl.Expr:
    """Return the folded words of texts, which are equal for texts with the same words.

    Args:
        text: An expression of texts.

    Returns:
        The folded words.

    >>> texts = pl.DataFrame({"text": ["**Well‐Mannered**.", "«well mannered»", "‘C++ (advanced)’", "−5 %", "Straße"]})
    >>> texts.select(folded(pl.col("text"))).to_series().to_list()
    ['well mannered', 'well mannered', 'c++ advanced', '-5 %', 'strasse']
    """
    return on_one_line(hyphens_folded(words(plain(safe(text)))))


def any_of(phrases: Iterable[str]) -> str:
    """Build a regular expression that finds any of several phrases in plain texts."""
    as_read = pl.DataFrame({"phrase": list(phrases)}, schema={"phrase": pl.String}).select(
        plain(safe(pl.col("phrase")))
    )
    return f"(?:{'|'.join(map(re.escape, as_read.to_series()))})"


def replaced(text: pl.Expr, steps: Iterable[tuple[str, str]]) -> pl.Expr:
    """Apply regular-expression replacements one after another."""
    for pattern, replacement in steps:
        text = text.str.replace_all(pattern, replacement)
    return text
