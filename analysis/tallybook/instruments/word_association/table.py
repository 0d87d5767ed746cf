"""Rows of tables, whose cells stand between bars.

- table: a word and a group in cells of their own; other cells are passed over. Or pairs within a cell.
- columns: words below the group that heads their column.
- marks: a word, and a mark below its group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.word_association.items import items
from tallybook.instruments.word_association.score import Pair
from tallybook.instruments.word_association.shapes import OTHER, UNKNOWN, Line, read

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.instruments.word_association.names import Vocabulary

_YES = frozenset("✓ ✔ ☑ ✅ √ ● • yes y true 1".split())  # noqa: SIM905
_CROSS = "x"
_NO = frozenset(("", "✗", "✘", "❌", "☐", "○", "-", "no", "n", "false", "0"))

BAR = "|"


class Row(NamedTuple):
    """A row and the groups that head columns from here on."""

    line: Line  # what the row says
    heads: Mapping[int, str]  # number of a column -> the group at its head


def read_row(text: str, vocabulary: Vocabulary, heads: Mapping[int, str]) -> Row:
    """Read a row."""
    cells = _cells(text)
    lines = [read(items(cell, vocabulary)) if cell else OTHER for cell in cells]
    groups = {place: line.group for place, line in enumerate(lines) if line.kind == "group"}
    if not any(character.isalnum() or character in _YES for cell in cells for character in cell):
        return Row(OTHER, heads)
    if len(groups) > 1 and not any(line.kind in {"words", "pairs"} for line in lines):
        return Row(OTHER, groups)
    if heads and not groups:
        return Row(_below(cells, lines, heads), heads)
    return Row(_beside(cells, lines), heads)


def _cells(text: str) -> list[str]:
    cells = [cell.strip(" \"'_") for cell in text.strip().split(BAR)]
    start, end = not cells[0], len(cells) - (not cells[-1])
    return cells[start:end]


def _below(cells: Sequence[str], lines: Sequence[Line], heads: Mapping[int, str]) -> Line:
    """A row below groups: words, or one word and a mark."""
    places = [place for place, line in enumerate(lines) if line.kind == "words"]
    if places and set(places) <= set(heads):
        pairs = (Pair(word, heads[place], "columns") for place in places for word in lines[place].words)
        return Line(
            "pairs", tuple(pairs), is_unknown=any(lines[place].is_unknown for place in heads if place < len(lines))
        )
    marked = _marked({place: cells[place] if place < len(cells) else "" for place in heads})
    if marked is not None and len(places) == 1 and len(lines[places[0]].words) == 1:
        return Line("pairs", (Pair(lines[places[0]].words[0], heads[marked], "marks"),))
    return UNKNOWN if places else _beside(cells, lines)


def _marked(cells: Mapping[int, str]) -> int | None:
    """The only cell that is marked, where the others are not. A cross marks a cell if all others are empty."""
    yes = [place for place, cell in cells.items() if cell in _YES]
    no = [place for place, cell in cells.items() if cell in _NO or (yes and cell == _CROSS)]
    if not yes:
        yes = [place for place, cell in cells.items() if cell == _CROSS]
        no = [place for place, cell in cells.items() if not cell]
    return yes[0] if len(yes) == 1 and len(yes) + len(no) == len(cells) else None


def _beside(cells: Sequence[str], lines: Sequence[Line]) -> Line:
    """A row whose cells hold words, groups or pairs."""
    pairs = [pair for line in lines for pair in line.pairs]
    named = [line for line in lines if line.kind in {"words", "group"}]
    is_unknown = any(line.is_unknown for line in lines)
    if pairs:
        return UNKNOWN if named else Line("pairs", tuple(pairs), is_unknown=is_unknown)
    kinds = "".join(line.kind[0] for line in named)
    if kinds in {"w", "g"}:
        is_alone = sum(bool(cell) for cell in cells) == 1
        return named[0] if is_alone else UNKNOWN
    if len(kinds) % 2 or kinds not in {"wg" * (len(kinds) // 2), "gw" * (len(kinds) // 2)}:
        return UNKNOWN if named else Line("unknown" if is_unknown else "other", is_unknown=is_unknown)
    found: list[Pair] = []
    for first, second in zip(named[::2], named[1::2], strict=True):
        words, group = (first, second) if first.kind == "words" else (second, first)
        found += [Pair(word, group.group, "table") for word in words.words]
    return Line("pairs", tuple(found), is_unknown=is_unknown)
