"""The line-end reading: a line that ends with a known group and begins with a known word.

Lines are in lower case and stripped of bullets, quotes, brackets, numbering and apostrophes. Where a line ends with a
group (of several the longest), the rest, stripped of separators (- – — : > = .), must be a word. A line is also split
at a comma and a blank, where what follows is another pair. Nothing else is read: no line that begins with a group, no
list of words, no line that holds anything beside a pair. A line with a separator between other
characters that gives no pair is unknown.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.word_association.pairs import Found, Pair

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tallybook.instruments.word_association.vocabulary import Vocabulary

_APOSTROPHES = re.compile("['’ʼ‘`´]")
_NUMBERING = re.compile(r"\A[0-9]+[.):]+\s*")
_OUTER = ' \t\r\xa0-*•·–—"“”„«»[](){}<>_,;'
_SEPARATORS = ' \t\xa0-–—:>=."“”„«»*_'
_BETWEEN = re.compile(r"\w[^\w\n]*[-–—:>=][^\w\n]*\w")


class LineEndReader:
    """Reads texts with one vocabulary.

    Attributes:
        vocabulary: The names that are known.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._groups = {_APOSTROPHES.sub("", listed): name for listed, name in vocabulary.listed_groups.items()}
        self._words = {_APOSTROPHES.sub("", listed): name for listed, name in vocabulary.listed_words.items()}
        longest_first = sorted(self._groups, key=len, reverse=True)
        either = "|".join(map(re.escape, longest_first)) or r"(?!)"
        self._end = re.compile(rf"(?<!\w)(?:{either})$")

    def read(self, text: str) -> Found:
        """Read a text."""
        pairs: list[Pair] = []
        unknown: list[str] = []
        for line in text.lower().split("\n"):
            found = self._line(line)
            pairs += found
            if not found and _BETWEEN.search(line):
                unknown.append(line.strip())
        return Found(tuple(pairs), tuple(unknown))

    def _line(self, line: str) -> Sequence[Pair]:
        whole = self._pair(line, "line-end")
        if whole is not None:
            return [whole]
        parts = [self._pair(part, "several") for part in line.split(", ")]
        pairs = [pair for pair in parts if pair is not None]
        return pairs if len(pairs) == len(parts) > 1 else []

    def _pair(self, line: str, form: str) -> Pair | None:
        line = _APOSTROPHES.sub("", _NUMBERING.sub("", line.strip(_OUTER)).strip(_OUTER)).strip(_OUTER + ".")
        end = self._end.search(line)
        if end is None:
            return None
        word = self._words.get(line[: end.start()].strip(_SEPARATORS))
        return None if word is None else Pair(word, self._groups[end.group()], form)
