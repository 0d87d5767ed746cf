"""The tolerant reading: pairs of a word and a group in whatever form a model writes them.

Names of the vocabulary are looked for, longest first; case, markup, quotes, hyphens, apostrophes within words and the
kind of dash do not matter, everything else does: "Whites" is not "White". `shapes` tells which lines give pairs,
`table` which rows of tables, `json` what becomes of JSON. Forms that span lines:

- heading: a group alone on a line, with words on lines of their own below, up to the next line that says anything else.
- stacked: a word on a line and its group on the next, all the way.

A line gives no pair where a word stands with two groups, where it denies, compares, asks or quotes an example, or where
anything unknown stands between. Such lines are unknown, as are those with a dash or arrow between unknown names.
"""

from __future__ import annotations

from itertools import chain, pairwise
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.word_association.items import items
from tallybook.instruments.word_association.json import text_lines
from tallybook.instruments.word_association.names import tokens_of
from tallybook.instruments.word_association.score import Found, Pair
from tallybook.instruments.word_association.shapes import UNKNOWN, Line, read
from tallybook.instruments.word_association.table import BAR, read_row

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.instruments.word_association.names import Vocabulary

_LONGEST_ENTRY = 4
"""The most tokens of an unknown entry below a heading. A longer one, or one with a colon at its end, ends the list."""
_MOST_LINES = 50_000
"""The number of different lines kept in memory."""


class _Entry(NamedTuple):
    """A line of a text and what it says."""

    text: str
    line: Line


class LineReader:
    """Reads texts with one vocabulary.

    Attributes:
        vocabulary: The names that are known.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self._read: dict[str, Line] = {}

    def read(self, text: str) -> Found:
        """Read a text."""
        entries = self._entries(text)
        single = [number for number, (_, line) in enumerate(entries) if _is_single(line)]
        stacked = _stacked(entries, single)
        # A word on a line of its own before any group tells that groups head nothing.
        has_headings = not stacked and bool(single) and entries[single[0]].line.kind == "group"
        pairs: list[Pair] = []
        unknown: list[str] = []
        heading = ""
        for number, (content, line) in enumerate(entries):
            found = line.pairs or stacked.get(number, ())
            if line.kind == "words" and heading:
                found = tuple(Pair(word, heading, "heading") for word in line.words)
            is_left = line.kind == "words" and _is_single(line) and not found and number not in stacked
            if line.is_unknown or is_left:
                unknown.append(content.strip())
            pairs += found
            heading = self._heading(heading, content, line) if has_headings else ""
        return Found(tuple(pairs), tuple(unknown))

    def _entries(self, text: str) -> list[_Entry]:
        """The lines that are not blank."""
        entries: list[_Entry] = []
        heads: Mapping[int, str] = {}
        for content, is_json in text_lines(text, self.vocabulary.is_name):
            if not content.strip():
                continue
            if BAR in content:
                line, heads = read_row(content, self.vocabulary, heads)
            else:
                line, heads = self._line(content), {}
            if is_json:
                line = _of_json(line)
            entries.append(_Entry(content, line))
        return entries

    def _line(self, content: str) -> Line:
        line = self._read.get(content)
        if line is None:
            if len(self._read) >= _MOST_LINES:
                self._read.clear()
            line = self._read[content] = read(items(content, self.vocabulary))
        return line

    def _heading(self, heading: str, content: str, line: Line) -> str:
        """The group whose words follow."""
        if line.kind == "group":
            return line.group
        if line.kind == "words":
            return heading
        if line.kind == "pairs" or content.rstrip(" \"'_").endswith(":"):
            return ""
        is_entry = len(tokens_of(content).texts) <= _LONGEST_ENTRY
        names_group = any(item.kind in {"G", "B"} for item in items(content, self.vocabulary).items)
        return heading if is_entry and not names_group else ""


def _of_json(line: Line) -> Line:
    """Make a line of JSON: it is not a heading, and is below none."""
    if line.pairs:
        return line._replace(pairs=tuple(pair._replace(form="json") for pair in line.pairs))
    return UNKNOWN if line.kind in {"words", "group"} else line


def _is_single(line: Line) -> bool:
    """Whether a line is a group or one word."""
    return line.kind == "group" or (line.kind == "words" and len(line.words) == 1)


def _stacked(entries: Sequence[_Entry], single: Sequence[int]) -> dict[int, tuple[Pair, ...]]:
    """The numbers of lines that hold a word and its group in turn -> the pair that ends there, if any."""
    kinds = "".join(entries[number].line.kind[0] for number in single)
    couples = list(pairwise(single))[::2]
    is_in_turn = ("wg" * len(kinds)).startswith(kinds)
    if not couples or not is_in_turn or any(below != above + 1 for above, below in couples):
        return {}
    pairs: dict[int, tuple[Pair, ...]] = dict.fromkeys(chain.from_iterable(couples), ())
    for above, below in couples:
        pairs[below] = (Pair(entries[above].line.words[0], entries[below].line.group, "stacked"),)
    return pairs
