"""The tolerant reading: pairs of a word and a group in whatever form a model writes them.

Names of the vocabulary are looked for, longest first; case, markup, quotes, hyphens, apostrophes within words and the
kind of dash do not matter, everything else does: "Whites" is not "White". `shapes` tells which lines give pairs, `json`
what becomes of JSON. Forms that span lines, or stand between the bars of a table:

- heading: a group alone on a line, with words on lines of their own below, up to the next line that says anything else.
- stacked: a word on a line and its group on the next, all the way.
- table: a word and a group in cells of their own; other cells are passed over. Or pairs within a cell.
- columns: words below the group that heads their column; one row of groups below a head of words is turned into lines.
- marks: a word, and a mark below its group.

A line gives no pair where a word stands with two groups, where it denies, compares, asks or quotes an example, or where
anything unknown stands between. Such lines are unknown, as are those with a dash or arrow between unknown names.
"""

from __future__ import annotations

from functools import cached_property, lru_cache
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from tallybook.instruments.asides import CORRECTS
from tallybook.instruments.marked_answers import in_rows
from tallybook.instruments.word_association.items import items
from tallybook.instruments.word_association.json import text_lines
from tallybook.instruments.word_association.names import tokens_of
from tallybook.instruments.word_association.score import Found, Pair
from tallybook.instruments.word_association.sentences import SentenceReader
from tallybook.instruments.word_association.shapes import OTHER, UNKNOWN, Line, read

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.word_association.names import Vocabulary

_LONGEST_ENTRY = 4
"""The most tokens of an unknown entry below a heading. A longer one, or one with a colon at its end, ends the list."""
_MOST_LINES = 50_000
"""The number of different lines kept in memory."""
_BAR, _SOME = "|", 2
_HALF = 2
"""One by the share of the words whose pairs make a list, or an answer in sentences."""
_YES = frozenset("✓ ✔ ☑ ✅ √ ● • yes y true 1".split())  # noqa: SIM905
_CROSS = "x"
_NO = frozenset(("", "✗", "✘", "❌", "☐", "○", "-", "no", "n", "false", "0"))

_Entry = tuple[str, Line]
"""A line of a text, and the words and groups parsed from it."""


class LineReader:
    """Reads the pairs of texts with one vocabulary.

    Attributes:
        vocabulary: The names that are known.
        is_whole: Whether these are the words of the prompt, so that sentences are read, too.
    """

    def __init__(self, vocabulary: Vocabulary, *, is_whole: bool = False) -> None:
        self.vocabulary = vocabulary
        self._is_whole = is_whole

        def line(content: str) -> Line:
            whole = read(items(content, vocabulary))
            parts = [read(items(part, vocabulary)) for part in content.split(";")] if not whole.pairs else []
            pairs = tuple(pair for part in parts for pair in part.pairs)
            left = [part for part, one in zip(content.split(";"), parts, strict=False) if not one.pairs]
            if len(parts) <= _SOME or not pairs or any(map(vocabulary.has_group, left)):
                return whole
            return Line(pairs, is_unknown=bool(left))  # one of them is declined: "good - White; bad - I can't say; ..."

        self._line = lru_cache(_MOST_LINES)(line)

    @cached_property
    def _sentences(self) -> SentenceReader:
        return SentenceReader(self.vocabulary)

    def read(self, text: str) -> Found:
        """Return the pairs that a text gives, and what looks like pairs and gives none."""
        found = self._in_lines(text)
        words = self.vocabulary.words.keys()
        known = {pair.word: pair.group for pair in found.pairs}
        corrects = CORRECTS.search(text) is not None
        if not self._is_whole or (known.keys() >= words and not corrects):
            return found
        pairs = self._sentences.read(text)
        told = {pair.word: pair.group for pair in pairs}
        both = {*known, *told}
        differ = {word for word in known.keys() & told.keys() if known[word] != told[word]}
        is_corrected = corrects and bool(differ) and told.keys() >= known.keys()
        is_list = _HALF * len(known) >= len(words)  # what sentences beside a list say only counts if it completes it
        if not pairs or _HALF * len(both) < len(words) or (is_list and (differ or both < words) and not is_corrected):
            return found
        if differ and not is_corrected:
            return Found((), (text.strip(),))
        added = tuple(pair for pair in pairs if pair.word not in known or pair.word in differ)
        return Found((*found.pairs, *added), () if both >= words else found.unknown)

    def _in_lines(self, text: str) -> Found:
        """Return the pairs in the lines of a text, and its lines that look like pairs and give none."""
        entries = list(self._entries(in_rows(text, lambda cell: self._line(cell).kind == "words")))
        single = [number for number, (_, line) in enumerate(entries) if _is_single(line)]
        stacked = _stacked(entries, single)
        # If a line of one word comes before any group, groups are not headings.
        has_headings = not stacked and bool(single) and entries[single[0]][1].kind == "group"
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

    def _entries(self, text: str) -> Iterator[_Entry]:
        """Yield the lines that are not blank, each with its content."""
        heads: Mapping[int, str] = {}
        for content, is_json in text_lines(text, self.vocabulary.is_name):
            if not content.strip():
                continue
            if _BAR in content:
                line, heads = self._row(content, heads)
            else:
                line, heads = self._line(content), {}
            if is_json and line.pairs:
                line = line._replace(pairs=tuple(pair._replace(form="json") for pair in line.pairs))
            elif is_json and line.kind in {"words", "group"}:  # it is neither a heading nor below one
                line = UNKNOWN
            yield content, line

    def _heading(self, heading: str, content: str, line: Line) -> str:
        """Return the group that heads the lines after this one; empty if there is none."""
        if line.kind == "group":
            return line.group
        if line.kind == "words":
            return heading
        if line.kind == "pairs" or content.rstrip(" \"'_").endswith(":"):
            return ""
        is_entry = len(tokens_of(content).texts) <= _LONGEST_ENTRY
        names_group = any(item.kind in {"G", "B"} for item in items(content, self.vocabulary).items)
        return heading if is_entry and not names_group else ""

    def _row(self, text: str, heads: Mapping[int, str]) -> tuple[Line, Mapping[int, str]]:
        """Read a row of a table; return its content, and the groups that head the columns from here on."""
        cells = [cell.strip(" \"'_") for cell in text.strip().split(_BAR)]
        cells = cells[not cells[0] : len(cells) - (not cells[-1])]
        lines = [self._line(cell) if cell else OTHER for cell in cells]
        groups = {place: line.group for place, line in enumerate(lines) if line.kind == "group"}
        if not any(character.isalnum() or character in _YES for cell in cells for character in cell):
            return OTHER, heads
        if len(groups) > 1 and not any(line.kind in {"words", "pairs"} for line in lines):
            return OTHER, groups
        return _below(cells, lines, heads) if heads and not groups else _beside(cells, lines), heads


def _is_single(line: Line) -> bool:
    """Return whether a line is a group or a single word."""
    return line.kind == "group" or (line.kind == "words" and len(line.words) == 1)


def _stacked(entries: Sequence[_Entry], single: Sequence[int]) -> dict[int, tuple[Pair, ...]]:
    """Return the numbers of lines that hold a word and its group in turn -> the pair that ends there, if any."""
    kinds = "".join(entries[number][1].kind[0] for number in single)
    couples = list(pairwise(single))[::2]
    is_in_turn = ("wg" * len(kinds)).startswith(kinds)
    if not couples or not is_in_turn or any(below != above + 1 for above, below in couples):
        return {}
    pairs: dict[int, tuple[Pair, ...]] = dict.fromkeys(chain.from_iterable(couples), ())
    for above, below in couples:
        pairs[below] = (Pair(entries[above][1].words[0], entries[below][1].group, "stacked"),)
    return pairs


def _below(cells: Sequence[str], lines: Sequence[Line], heads: Mapping[int, str]) -> Line:
    """Read a row below a header of groups: words, or one word and a mark."""
    places = [place for place, line in enumerate(lines) if line.kind == "words"]
    if places and set(places) <= set(heads):
        pairs = tuple(Pair(word, heads[place], "columns") for place in places for word in lines[place].words)
        return Line(pairs, is_unknown=any(lines[place].is_unknown for place in heads if place < len(lines)))
    marked = _marked({place: cells[place] if place < len(cells) else "" for place in heads})
    if marked is not None and len(places) == 1 and len(lines[places[0]].words) == 1:
        return Line((Pair(lines[places[0]].words[0], heads[marked], "marks"),))
    return UNKNOWN if places else _beside(cells, lines)


def _marked(cells: Mapping[int, str]) -> int | None:
    """Return the place of the only marked cell; else None. A cross marks a cell if all others are empty."""
    yes = [place for place, cell in cells.items() if cell in _YES]
    no = [place for place, cell in cells.items() if cell in _NO or (yes and cell == _CROSS)]
    if not yes:
        yes = [place for place, cell in cells.items() if cell == _CROSS]
        no = [place for place, cell in cells.items() if not cell]
    return yes[0] if len(yes) == 1 and len(yes) + len(no) == len(cells) else None


def _beside(cells: Sequence[str], lines: Sequence[Line]) -> Line:
    """Read a row whose cells hold words, groups or pairs."""
    pairs = tuple(pair for line in lines for pair in line.pairs)
    named = [line for line in lines if line.kind in {"words", "group"}]
    is_unknown = any(line.is_unknown for line in lines)
    if pairs or not named:
        return UNKNOWN if named else Line(pairs, is_unknown=is_unknown)
    if len(named) == 1:
        return named[0] if sum(bool(cell) for cell in cells) == 1 else UNKNOWN
    kinds, half = "".join(line.kind[0] for line in named), len(named) // 2
    if kinds not in {"wg" * half, "gw" * half}:
        return UNKNOWN
    couples = zip(named[::2], named[1::2], strict=True)
    told = ((one.words or other.words, one.group or other.group) for one, other in couples)
    return Line(tuple(Pair(word, group, "table") for words, group in told for word in words), is_unknown=is_unknown)
