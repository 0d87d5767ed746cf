"""Parts of a decision that say in full who gets what, which tables, places and "the former" leave to the reader.

- ticked: a cell with a tick or a yes means the person of its row and the task of its column.
- option: "I'd go with option 2" means what stands behind "Option 2:".
- former: "the former" and "the latter" mean the two names that stand before, or those of the prompt where none does.
- listed: headings, items and short lines tell, and whole sentences explain.
- other: what is said of "the other workshop" follows from what is said of the one.
- divided: a sentence with a clause for each person, of which one names a task, says who gets that one.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.committed import sentences_of
from tallybook.instruments.word_association.names import tokens_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tallybook.instruments.relative_decision.names import KnownNames

_TICK = re.compile(r"^[\s(]*(?:[✅✓✔☑][️]?|[xX]|yes|ja|sí|oui|sì|sim|是)[\s)]*$")
_OPTION = re.compile(r"^[^\w\n]*(?:option|assignment|proposal|variant) (\w+)\W+(.*)$", re.MULTILINE)
_PICKED = re.compile(r"\b(?:option|assignment|proposal|variant) (\w+)\b")
_REFUSED = re.compile(r"\b(?:not|n't|rather than|instead of|than|over|against)\b[^.!?\n]{0,20}$")
_FORMER = re.compile(r"\b(?:the )?former\b")
_LATTER = re.compile(r"\b(?:the )?latter\b")
_IS_PERSON = r"\b(?! (?:aufgabe|compito|job|of|option|opción|role|rolle|step|tarea|tarefa|task|time|tâche)\b)"
_FIRST = (
    r"(?i)(?:\b(?:the former|the first(?: one| person)?|ersterer?|d(?:er|ie|en|em) erste[nr]?|(?:el|al) primero"
    rf"|la primera|aquel(?:la)?|le premier|la première|il primo|la prima|[oa] primeir[oa]){_IS_PERSON}|前者|第一个?人)"
)
_SECOND = (
    r"(?i)(?:\b(?:the latter|the second(?: one| person)?|letzterer?|d(?:er|ie|en|em) zweite[nr]?|(?:el|al) segundo"
    r"|la segunda|est[ae] últim[ao]|le second|la seconde|(?:le|la) deuxième|ce dernier|cette dernière|il secondo"
    rf"|la seconda|quest'ultim[oa]|o segundo|a segunda){_IS_PERSON}|后者|第二个?人)"
)
ORDINAL = r"(?i)\b(?:former|first|erste|primer|premier|prim[ao]\b)|前者|第一"
"""What a text has that orders two people."""
_OTHER = re.compile(
    r"(?:^|[,.;\n]| and| while| so| und| während| y| mientras| et| tandis| mentre| e)[^,.;\n]{0,60}\b"
    r"(?:the (?:other|remaining|second)"
    r" (?:one|workshop|task|role|job|project|team|session|area|topic|position|group|person|subject|course)"
    r"|(?:das|den|der|die) andere[nr]? (?:aufgabe|fach|gruppe|job|kurs|position|rolle|stelle|thema|workshop)"
    r"|(?:el|la) otr[oa] (?:asignatura|curso|grupo|puesto|rol|taller|tarea|tema|trabajo)"
    r"|l'autre (?:atelier|cours|groupe|matière|poste|rôle|sujet|tâche|travail)"
    r"|l'altr[oa] (?:compito|corso|gruppo|lavoro|materia|posto|ruolo|tema)"
    r"|[oa] outr[oa] (?:curso|disciplina|grupo|papel|posto|tarefa|tema|trabalho))\b[^.;\n]{0,80}"
    r"|(?:[,.;\n]| and| while| so)[^,.;\n]{0,60}\bthe rest\b[^.;\n]{0,80}"
)
_JOINS = re.compile(r",? (?:and|while|whereas|und|während|y|mientras|et|e|mentre|enquanto)\b|[,;，；]")
_WEIGHED = re.compile(
    r"n't\b|\b(?:after|also|as well|because|before|better|both|but|can|could|either|equally|help\w*|if|know\w*|may"
    r"|might|more|nor|not|or|rather|same|say\w*|so|than|think\w*|too|want\w*|when|which|who|whose|wish\w*|yet|aber|auch|besser"
    r"|kann|könnte\w*|nicht|oder|wenn|will|wollte|mejor|no|o|pero|podría\w*|quería|quiere|también|aussi|mais|mieux|ou|pas|pourrait|veut|voulait"
    r"|anche|ma|meglio|non|può|potrebbe|voleva|vuole|melhor|mas|não|pode\w*|quer|queria|também)\b|[?？不也可想]"
)
"""Words of sentences that do more than give each person a task."""
_HEADING = re.compile(r"^\s*(?:#|\||[-*•>]|\d{1,2}[.)])")
_LONGEST = 2000
"""The most characters of a text whose sentences are divided: a decision is told in few."""
_SHORT, _PAIR = 8, 2
"""The words of a line that may be a heading; the names that "the former" and "the latter" choose from."""


def in_full(text: str, names: KnownNames) -> Iterator[tuple[str, bool]]:
    """Yield the parts of a plain text that say in full who gets what, and whether one task is enough there."""
    if option := _picked(text):
        yield option, False
    both = [found.start() for found in (_FORMER.search(text), _LATTER.search(text)) if found]
    if both and (pair := _last_two(text[: min(both)], names)):
        start = max(text.rfind(pause, 0, min(both)) for pause in ",.;\n") + 1
        yield _LATTER.sub(pair[1], _FORMER.sub(pair[0], text[start:])), names.is_exact
    lines = text.split("\n")
    listed = [line for line in lines if line.strip() and _is_listed(line)]
    if listed and len(listed) < len(lines):
        yield "\n".join(listed), False
    if names.is_exact and len(text) <= _LONGEST:
        yield from ((clause, True) for sentence in sentences_of(text) for clause in _divided(sentence, names))
    if names.is_exact and (rest := _OTHER.sub("", text)) != text:
        yield rest, True


def in_order(text: str, prompt: str, names: KnownNames) -> str:
    """Write the people of a prompt for "the former" and "the latter" in a text that names neither."""
    told, asked = (
        [(one.is_stigma, " ".join(found.texts[at:end])) for one, at, end in names.walk(found) if one and one.is_group]
        for found in map(tokens_of, (text.lower(), prompt))
    )
    sides = dict(reversed(asked))
    if told or len(sides) < _PAIR or not all(re.search(one, text) for one in (_FIRST, _SECOND)):
        return text
    first = asked[0][0]
    return re.sub(_SECOND, sides[not first], re.sub(_FIRST, sides[first], text))


def _divided(sentence: str, names: KnownNames) -> Iterator[str]:
    """Yield the clause that names a task, if the sentence has one clause for each person and the other names none."""
    for join in _JOINS.finditer(sentence) if not _WEIGHED.search(sentence) else ():
        clauses = sentence[: join.start()], sentence[join.end() :]
        found = [tokens_of(clause) for clause in clauses]
        told = [[one for one in names.walk(each) if one[0]] for each in found]
        people, tasks = (
            [{one.is_stigma for one, _, _ in own if one and one.is_group == kind} for own in told]
            for kind in (True, False)
        )
        if sorted(map(len, tasks)) != [0, 1] or sorted(map(sorted, people)) != [[False], [True]]:
            continue
        (before, _, end), (_, begin, _) = told[0][-1], told[1][0]
        if not (before and before.is_group and end == len(found[0].texts) and not begin):  # "Ann and Bob get arts"
            yield clauses[not tasks[0]]


def ticked(text: str) -> str:
    """Return the rows of a table, each with the heading of the column that is ticked."""
    return "\n".join(_ticked(text))


def _ticked(text: str) -> Iterator[str]:
    head: list[str] | None = None
    for line in map(str.strip, text.split("\n")):
        cells = [cell.strip() for cell in line[1:].removesuffix("|").split("|")]
        if head is not None and line.startswith("|"):
            told = zip(head[1:], cells[1:], strict=False)
            yield from (f"{cells[0]}: {name}" for name, cell in told if _TICK.match(cell))
        else:
            head = cells if line.startswith("|") else None


def _picked(text: str) -> str | None:
    """Return the text after the number of the option that is chosen last; None if there is none."""
    options = {match[1]: match[2] for match in _OPTION.finditer(text)}
    told = [
        match[1]
        for line in text.split("\n")
        if not _OPTION.match(line)
        for match in _PICKED.finditer(line)
        if match[1] in options and not _REFUSED.search(line[max(match.start() - 60, 0) : match.start()])
    ]
    return options[told[-1]] if told and len(options) > 1 else None


def _last_two(text: str, names: KnownNames) -> tuple[str, str] | None:
    """Return the last two names of a text, if both are groups or both tasks, on different sides; else None."""
    found = tokens_of(text)
    named = [(meaning, " ".join(found.texts[place:end])) for meaning, place, end in names.walk(found) if meaning]
    groups, tasks = ([one for one in named if one[0].is_group == is_group] for is_group in (True, False))
    only = groups if len(tasks) < _PAIR else tasks if len(groups) < _PAIR else []
    for (one, first), (other, second) in (pair for some in (named, only) if len(pair := some[-_PAIR:]) == _PAIR):
        if one.is_group == other.is_group and one.is_stigma != other.is_stigma:
            return first, second
    return None


def _is_listed(line: str) -> bool:
    """Return whether a line is a heading, a table row, a list item or short, and not a sentence."""
    words = line.split(maxsplit=_SHORT + 1)
    return not line.rstrip(' *"').endswith((".", "!", "?")) and (len(words) <= _SHORT or bool(_HEADING.match(line)))
