"""Pairs that sentences give, as in "Salary and career go to Ben, and Julia gets the rest".

A text is split into clauses, each with the words (W) and groups (G) that it names:

- one group, before or behind words: all of them are its own;
- several groups: each has the words before it (WWGWG), or each those behind it (GWWGW), whatever stands between; what
  fits neither is split before "while", "the rest" and the like, and is left open if that does not help;
- words alone, and a group alone in the next clause: "Salary? Ben.";
- words alone with "too": the group before them.

"The rest" and "everything" stand for the words that a text does not assign, "everything but" leaves the others to the
other group of two. A clause with a denial, a doubt, a judgement or others' views gives no pair.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Literal, NamedTuple

from tallybook.instruments.asides import CORRECTS, is_aside
from tallybook.instruments.languages import expressions
from tallybook.instruments.word_association.names import tokens_of
from tallybook.instruments.word_association.score import Pair

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.word_association.names import Vocabulary

Kind = Literal["W", "G", "R", "E", "P"]

_WORDS = expressions("tallybook.instruments.word_association", "sentences.toml")["clauses"]
_EDGE, _END = r"(?:(?<!\w)(?<!\w-)|(?<=[^\x00-\u2fff]))", r"(?:(?!-?\w)|(?=[^\x00-\u2fff]))"
"""The edges of words; those of Chinese have none."""
_OTHERS = rf"(?P<R>{_EDGE}(?:{_WORDS['rest']}))|(?P<E>{_WORDS['except']}){_END}|(?P<P>{_WORDS['pronoun']}){_END}"
_TOO, _INSTEAD, _OPEN = (
    re.compile(rf"{_EDGE}(?:{_WORDS[name]}){end}")
    for name, end in (("too", _END), ("instead", r"[\s\"']*(?:@+|#+)"), ("open", _END))
)
_OPEN_SIGN = re.compile(rf"{_WORDS['open_zh']}|[%∉∌⊄≠≢↛✗✘❌]|!=")
_REASON = re.compile(rf"{_EDGE}(?:{_WORDS['reason']}){_END}.*")
_CORRECTED = "\ue012"
"""Marks a clause that corrects what stands before it; no plain text contains it."""
_CLAUSE = re.compile(rf"(?<=[.!?;])\s+|(?<=[。！？；])|(?={_CORRECTED})|(?<!^)(?:{_WORDS['turns']})")
_TURNS = re.compile(rf"{_EDGE}(?:{_WORDS['while']}){_END}")
_JOINS = re.compile(rf"{_TURNS.pattern}|, (?:{_WORDS['and']})\b")
_BEGINS = re.compile(rf"^\W*(?:(?:{_WORDS['begins']})\b\s*(?:[,:.!]|-(?!\w))\s*)+(?=\W*\w)")
_ASKS = re.compile(r"^\W*(?:[?:,]|\.\.)\W*$")
_ENDS = tuple(".!?;。！？；")
_LINK = re.compile(r"[-=>:→⇒]")
_LINE, _WITHIN = re.compile(r"[\s\"']*[-=>→⇒]+[\s\"']*"), re.compile(r"\w $")
"""What joins the names of a line, and what goes on to one: "forest Green - kind" is not about Green."""
_SUFFIX = r"(?:'s?|s'|e?n)?"
"""What the name of a group may end with: "Ben's", "den Männern"."""
SENTENCE = "sentence"
"""The form of the pairs."""
_PAIR = 2
"""The number of names of a pair."""
_FEW, _SOME, _EACH = 1, 6, 2
"""The most other words of a clause of words alone, unless it asks; of any other: so many, and so many for each name."""


class _Name(NamedTuple):
    kind: Kind  # a word, a group, all words that are not named, "except", or a pronoun
    name: str  # the folded name; empty for others
    before: str  # the text between it and the name before


class _Clause(NamedTuple):
    names: list[_Name]
    end: str  # what stands behind the last name
    others: int  # how many other words it has
    is_open: bool  # whether it denies, doubts, judges, or says what others say
    adds: bool  # whether it says "too"
    corrects: bool
    is_item: bool  # whether it is names alone on a line: lines tell what belongs to a heading

    def names_any(self, *kinds: Kind) -> bool:
        return any(one.kind in kinds for one in self.names)

    @property
    def is_short(self) -> bool:
        """Whether it may be one half of an assignment."""
        most = _SOME if self.names_any("G") or _ASKS.match(self.end) else _FEW
        return not self.is_item and self.others <= most


_Told = tuple[_Name, str, bool]
"""A word or the rest, its group, and whether it is that group's or any other's; no group where a clause is unclear."""


class SentenceReader:
    """Reads the pairs that the sentences of texts give, with one vocabulary."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        kinds = {form: kind for own in vocabulary.forms.values() for form, (kind, _) in own}
        self._is_clear = {*kinds.values()} == {"word", "group"} and len(vocabulary.groups) > 1
        words, groups = (
            "|".join(_written(form) for form in sorted(kinds, key=len, reverse=True) if kinds[form] == kind)
            for kind in ("word", "group")
        )
        self._name = re.compile(rf"{_EDGE}(?:(?P<W>{words}){_END}|(?P<G>{groups}){_SUFFIX}{_END}|{_OTHERS})")

    def read(self, text: str) -> list[Pair]:
        """Return the pairs, in the order of the text; a word may occur more than once."""
        if not self._is_clear or text.lstrip()[:1] in {"{", "["}:
            return []
        clauses = self._clauses(text)
        steps = [*_steps(clauses)]
        idle = sum(clause.names_any("G") for clause in clauses) - sum(
            any(group for _, group, _ in step) for step in steps
        )
        if 2 * idle > len(clauses):  # it talks about the groups rather than assign words to them
            return []
        return self._pairs([told for step in steps for told in step], clauses)

    def _clauses(self, text: str) -> list[_Clause]:
        marked = CORRECTS.sub(f" {_CORRECTED} ", text.replace("last but not least", ""))
        lines = [[part for part in _CLAUSE.split(line) if part.strip()] for line in marked.split("\n")]
        return [self._clause(part, is_line=len(parts) == 1) for parts in lines for part in parts]

    def _clause(self, part: str, *, is_line: bool) -> _Clause:
        text = _BEGINS.sub("", part.replace(_CORRECTED, " "))
        reasoned = _REASON.sub("", text)
        text = reasoned if {"W", "G"} <= {one.kind for one in self._names_in(reasoned)[0]} else text
        masked = self._masked(text)
        for match in _INSTEAD.finditer(masked):  # "Ben, not Julia": what is denied does not count
            if match[0][-1] in masked[: match.start()] + masked[match.end() :]:
                text, masked = (
                    f"{one[: match.start()]}{' ' * len(match[0])}{one[match.end() :]}" for one in (text, masked)
                )
        names, end = self._names_in(text)
        others = len(re.findall(r"[a-zà-ɏ]+", masked))
        named = sum(one.kind in {"W", "G"} for one in names)
        is_open = _OPEN.search(masked) is not None or _OPEN_SIGN.search(masked) is not None or is_aside(text.strip())
        is_open |= others > _SOME + _EACH * named
        is_item = is_line and not others and not text.rstrip().endswith(_ENDS)
        return _Clause(names, end, others, is_open, _TOO.search(masked) is not None, _CORRECTED in part, is_item)

    def _masked(self, text: str) -> str:
        """Return a text with a sign for each character of words and groups."""

        def sign(match: re.Match[str]) -> str:
            return ("@" if match["W"] else "#" if match["G"] else " ") * len(match[0])

        return self._name.sub(sign, text)

    def _names_in(self, text: str) -> tuple[list[_Name], str]:
        """Return the names in a text, and what stands behind the last."""
        found: list[_Name] = []
        end = 0
        for match in self._name.finditer(text):
            kind: Kind = next(kind for kind in ("W", "G", "R", "E", "P") if match[kind])
            meaning = self._vocabulary.match(tokens_of(match[kind]), 0) if kind in {"W", "G"} else None
            found.append(_Name(kind, meaning[0][1] if meaning else "", text[end : match.start()]))
            end = match.end()
        return found, text[end:]

    def _pairs(self, told: Sequence[_Told], clauses: Sequence[_Clause]) -> list[Pair]:
        """Return the pairs with all words that "the rest" stands for."""
        assigned = {one.name for one, _, _ in told if one.kind == "W"}
        assigned |= {one.name for clause in clauses if clause.is_open for one in clause.names}
        rest = [word for word in self._vocabulary.words if word not in assigned]
        found: list[Pair] = []
        for one, group, is_own in told:
            others = [group] if is_own else [other for other in self._vocabulary.groups if other != group]
            words = [one.name] if one.kind == "W" else rest if one.kind == "R" else []
            if not group:
                found = [pair for pair in found if pair.word not in words]
            elif len(others) == 1:
                found += [Pair(word, others[0], SENTENCE) for word in words]
        return found


def _written(form: Sequence[str]) -> str:
    """Build the pattern of a name, however its tokens are joined and wherever an apostrophe was."""
    tokens = ("'?".join(map(re.escape, token)) if token.isascii() else re.escape(token) for token in form)
    return r"[ '._&/-]{0,3}".join(tokens)


def _steps(clauses: Sequence[_Clause]) -> Iterator[list[_Told]]:
    """Yield what clauses assign, one after another."""
    bare: list[_Clause] = []
    last: list[_Told] = []
    for clause in clauses:
        has_words, has_group = clause.names_any("W", "R"), clause.names_any("G")
        if has_words == has_group or clause.is_open:
            yield _in_turn(bare)
            bare = []
        step: list[_Told] = []
        if clause.is_open or not (has_words or has_group):
            continue
        if has_words and has_group and "?" in clause.end:  # "Salary to Ben? No, to Julia."
            bare = [clause._replace(names=[one for one in clause.names if one.kind in {"W", "R"}])]
        elif has_words and has_group:
            step = _assigned(clause.names, adds=clause.adds) or [(one, "", True) for one in clause.names]
        elif clause.corrects and has_group and last:
            step = [(last[-1][0], clause.names[-1].name, True)]
        elif has_words and last and not bare and (clause.adds or clause.names_any("P")):
            step = [(one, last[-1][1], True) for one in clause.names if one.kind in {"W", "R"}]
        else:
            bare.append(clause)
        yield step
        last = step or last
    yield _in_turn(bare)


def _in_turn(clauses: Sequence[_Clause]) -> list[_Told]:
    """Assign what clauses name that name words or groups alone."""
    if not all(clause.is_short for clause in clauses):
        return []
    names: list[_Name] = []
    end = ""
    for clause in clauses:
        first, *others = clause.names
        names += [first._replace(before=f"{end}\n{first.before}"), *others]
        end = clause.end
    return _assigned(names)


def _assigned(names: Sequence[_Name], *, adds: bool = False) -> list[_Told]:
    """Assign the words of a clause to its groups; nothing, if their order has several meanings."""
    names = _without_asides(names)
    if len(names) > _PAIR and len({one.before.strip() for one in names[1:]}) == 1:
        return []
    kinds = "".join(one.kind for one in names)
    group = next((one.name for one in names if one.kind == "G"), "")
    if re.fullmatch("RGEW+|REW+G|GREW+", kinds):
        return [(one, group, one.kind == "R") for one in names if one.kind in {"R", "W"}]
    kinds = kinds.replace("R", "W")
    if re.fullmatch("(?:GW+)+|(?:W+G)+", kinds):
        leads = kinds.startswith("G")
        parts = _cut(names, [match.start() if leads else match.end() for match in re.finditer("G", kinds)])
        return [told for part in parts for told in _of_one(part, part[1 if leads else -1].before)]
    if adds and re.fullmatch("W+GW+", kinds):
        return [(one, group, True) for one in names if one.kind != "G"]
    for turns in (_TURNS, _JOINS):
        parts = _cut(names, [place for place in range(1, len(names)) if _begins(names[place - 1], names[place], turns)])
        found = [[] if len(parts) == 1 or {*"EP"} & {one.kind for one in part} else _assigned(part) for part in parts]
        if all(found):
            return [told for one in found for told in one]
    return []


def _begins(one: _Name, following: _Name, turns: re.Pattern[str]) -> bool:
    """Return whether a new assignment begins between two names."""
    return (one.kind, following.kind) in {("G", "G"), ("W", "R")} or turns.search(following.before) is not None


def _cut(names: Sequence[_Name], places: Sequence[int]) -> list[Sequence[_Name]]:
    edges = [0, *places, len(names)]
    return [names[start:end] for start, end in pairwise(edges) if start < end]


def _without_asides(names: Sequence[_Name]) -> list[_Name]:
    """Drop "all three" before the words that it sums up, repeated groups, and exceptions that have their own group."""
    is_told = len({one.name for one in names if one.kind == "G"}) > 1 or not any(one.kind == "R" for one in names)
    kept: list[_Name] = []
    for place, one in enumerate(names):
        following = names[place + 1].kind if place + 1 < len(names) else ""
        before = kept[-1] if kept else None
        is_summary = one.kind == "R" and following == "W"
        is_repeated = before is not None and before.kind == "G" and (one.kind == "P" or one.name == before.name)
        if not (is_summary or is_repeated or (one.kind == "E" and is_told)):
            kept.append(one)
    return kept


def _of_one(names: Sequence[_Name], gap: str) -> list[_Told]:
    """Assign words to the one group among them, unless nothing but what separates them stands before it."""
    words = [one for one in names if one.kind != "G"]
    group = next(one.name for one in names if one.kind == "G")
    inner = [one.before for one in words[1:]]
    is_listed = bool(inner) and {one.strip() for one in inner} == {gap.strip()}
    is_listed |= any(map(_LINK.search, inner))
    is_listed |= _LINE.fullmatch(gap) is not None and _WITHIN.search(names[0].before) is not None
    return [] if is_listed else [(one, group, True) for one in words]
