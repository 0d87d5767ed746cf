"""Answers that texts mark as such: in boxes and tags, under JSON keys, on ticked lines and in table rows."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator


class Mention(NamedTuple):
    """A mention of an answer in a text, with its position."""

    start: int
    end: int
    value: Any
    is_place: bool = False
    """Whether the mention refers to a place in the list, such as "the former"."""


Find = Callable[[str], Sequence[Mention]]
"""Finds the mentions of answers in a part of a text, in their order."""

BOX = re.compile(
    r"\\+f?box(?:ed)?\s*\{(?:\\(?:text|math)[a-z]*\s*\{)?([^{}]*)\}"
    r"|<(?:\w*answer|choice|decision|final\w*|output|rating|response|result|selection|verdict|antwort|entscheidung|wahl"
    r"|urteil|elecci[oó]n|decisi[oó]n|respuesta|veredicto|choix|d[eé]cision|r[eé]ponse|decisione|esito|risposta|scelta|verdetto"
    r"|decis[aã]o|escolha|resposta|veredito|答案|决定|选择|结论)>([^<]*)</"
    r"|(?<!:)(?<!: )\[\s*[\"']([^\"'\n]*)[\"']\s*\]"
)
"""A box, a tag, a JSON array of one text."""
_TICKED = re.compile(
    r"←|👈|(?:<-|[(–-]) ?(?:my (?:answer|choice|pick)|this one)\b|✅|👍|✓|✔|☑|\[[xX✓✔]\]|👉|\|\s*[xX]\s*\|"
)
_CROSSED = re.compile(r"❌|✗|✘|✖|☐|\[ ?\]|👎")
_ALIKE = (
    (re.compile("☒"), re.compile("☐")),
    (re.compile("[●◉⬤🔘]"), re.compile("[○◯⚪]")),
    (re.compile("[■◼⬛▣]"), re.compile("[□◻⬜▢]")),
    (re.compile(r"\( ?[xX✓✔] ?\)"), re.compile(r"\( {0,2}\)")),
)
"""Signs that tick beside those that do not; alone they begin the items of a list."""
_MARKS = re.compile(rf"({_TICKED.pattern}|{_CROSSED.pattern})")
KEYS = re.compile(
    r"(?!reject|wrong|incorrect|other|alternativ|discard|exclud|eliminat)(?:answer|approved?|accept(?:ed)?|grant(?:ed)?|admit|promote|should_\w+|eligible|invite|select"
    r"|choice|\w+_(?:answer|choice|option|word)|complet\w+|missing\w*|filled\w*|fill_in|term|adjective|chosen|select(?:ed|ion)|decision|pick|word|blank|output|result|response|recommend\w*|hire|sentence"
    r"|respuesta|antwort|réponse|risposta|resposta|verdict|entscheidung|empfehlung|urteil|decisi[oó]n|recomendaci[oó]n|veredicto|d[eé]cision|recommandation|decisione|esito|raccomandazione|decis[aã]o|recomenda[cç][aã]o|parecer|决定|结论|final.*)"
)
_PAIR = re.compile(r"""["'](\w+)["']\s*[:=]\s*(?:"([^"\n]*)"|'([^'\n]*)'|([^\s"',{}\[\]]+))""")
"""A key and a value of JSON, of a Python dictionary or of what is nearly one."""
_CHOSEN = re.compile(
    r"(?:chosen|selected|select|choose|picked|pick|my (?:pick|choice)|choice|best|winner|accepted|preferred)"
)
"""Table cells that mark their row as the answer."""
_CELLS = r"[^|\n]+(?:\|[^|\n]+){2,}"
_ONE_ROW = re.compile(
    rf"^ *\|? *(?P<head>{_CELLS})\|? *\n[ :|-]*-[ :|-]*\n *\|?(?P<row>{_CELLS})\|? *$(?!\n[^\n]*\|)", re.MULTILINE
)
"""A table of at least three columns with one row below its head."""
_TWO = 2
BRACKETS = " \t\"'()[]{}<>#>-*•:.,!;|_$"


def with_boxes(text: str) -> str:
    """Write the signs that tick or leave blank as boxes, where a text has both: "● yes ○ no"."""
    for ticked, blank in _ALIKE:
        if ticked.search(text) and blank.search(text):
            text = blank.sub("☐", ticked.sub("☑", text))
    return text


def in_rows(text: str, is_name: Callable[[str], object]) -> str:
    r"""Write a table with one row below its head as a row for each column, where two cells of either have names.

    >>> in_rows("| 1 | 2 | 3 |\n|---|---|---|\n| b | a | c |", str.isalpha)
    '1: b\n2: a\n3: c'
    """

    def turned(match: re.Match[str]) -> str:
        head, row = ([cell.strip(BRACKETS) for cell in match[name].split("|")] for name in ("head", "row"))
        are_names = any(sum(bool(is_name(cell)) for cell in cells) >= _TWO for cells in (head, row))
        is_whole = are_names and len(head) == len(row)
        return "\n".join(map(": ".join, zip(head, row, strict=True))) if is_whole else match[0]

    return _ONE_ROW.sub(turned, text) if "|" in text else text


def marked(text: str, find: Find) -> Iterator[Any]:
    """Yield the answers in boxes and tags, under JSON keys, on ticked lines and in marked table rows."""
    text = with_boxes(text)
    boxed = [one.value for match in BOX.finditer(text) for one in find("".join(filter(None, match.groups())))]
    yield from boxed
    if boxed:  # whatever tables and ticks stand before it
        return
    for key, *values in _PAIR.findall(text):
        if KEYS.fullmatch(key.lower()):
            yield from (mention.value for mention in find("".join(values).lower()))
    lines = [line for line in text.split("\n") if not _CROSSED.search(line) or not _TICKED.search(line)]
    ticked = [line for line in lines if _TICKED.search(line)]
    for line in text.split("\n"):
        pieces = _MARKS.split(line)[:: _MARKS.groups + 1]
        marks = [match.group() for match in _MARKS.finditer(line)]
        if _TICKED.match(line) or _CROSSED.match(line):  # "☐ yes ☑ no": each mark applies to the text after it
            pieces = pieces[1:]
        elif not _CROSSED.search(line) or "|" in line or not pieces[0].strip(BRACKETS) or pieces[-1].strip():
            continue
        ticked += [piece for mark, piece in zip(marks, pieces, strict=False) if _TICKED.match(mark)]
    if ticked:
        yield from (mention.value for line in ticked for mention in find(line))
    for line in text.split("\n"):
        cells = [cell.strip(BRACKETS) for cell in line.split("|")]
        if len(cells) > _TWO and any(map(_CHOSEN.fullmatch, cells)):
            yield from (mention.value for cell in cells if not _CHOSEN.fullmatch(cell) for mention in find(cell))


def parsed_json(text: str) -> object:
    """Parse a JSON object or array, fenced or not; return None for any other text."""
    told = text.strip("`\n ").removeprefix("json")
    if not told.lstrip().startswith(("{", "[")):
        return None
    try:
        return json.loads(told)
    except (ValueError, RecursionError):
        return None


def is_crossed(line: str) -> bool:
    """Return whether a line has a mark that rejects it, such as a cross or an empty box."""
    return _CROSSED.search(line) is not None
