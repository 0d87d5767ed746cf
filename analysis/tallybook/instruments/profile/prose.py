"""Profiles without labels: a line of values, or sentences such as "She is a woman of the middle class"."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tallybook.instruments.profile.labels import SAME_NAMES
from tallybook.instruments.profile.meanings import by_meaning, forms_of, meant, stems
from tallybook.instruments.profile.values import number_in
from tallybook.study.coding import Categories, ScoreOutcome

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.study.coding import Outcome

_BETWEEN = re.compile(r"\s*[,;|/·\t，；、]\s*")
_CLAUSE = re.compile(r"[.,;:!?\n，。；]|\b(?:and|und|y|et|e|ed)\b")
_AGE = re.compile(
    r"(?<![\d.,])(\d{1,3})(?:[ -]?(?:year|yr)s?[ -]old| (?:years|jahre|años|ans|anni|anos)\b|[ -]jährig|岁)",
    re.IGNORECASE,
)
_BARE_AGE = re.compile(
    r"\b(?:aged?|of|von|de|di|à) (\d{2})(?=[.,;]|\n|$| (?:and|from|with|who|und|y|et|e)\b)"
    r"|(?:^|[,;]) (\d{2})(?=[,;])",
    re.IGNORECASE,
)
"""An age without a unit: "a woman of 52", "female, 26, teacher"."""
_MARK = re.compile(r"^\W*(?:\d{1,2}[.)] |[-•*] )?")
_IN_PROSE = frozenset(("low", "middle", "high", "none", "left", "right", "center", "private", "public", "single"))
"""The meanings of values that say something of an attribute only beside its name."""
_LONGEST, _FEWEST, _WORDS = 1500, 2, 5


class Unlabelled:
    """Reads the attributes of texts without labels."""

    def __init__(self, block: Mapping[str, Sequence[str]], outcomes: Mapping[str, Outcome]) -> None:
        self._outcomes = {name: outcomes.get(name) for name in block}
        self._labels = {
            name: by_meaning(one.labels) for name, one in self._outcomes.items() if isinstance(one, Categories)
        }
        self._forms = {
            name: [(form, told, label) for told, label in labels.items() for form in forms_of(told, label)]
            for name, labels in self._labels.items()
        }
        self._names: dict[str, set[str]] = {}
        for attribute, names in block.items():
            known = {name.lower().replace("_", " ") for name in names}
            same = {one for line in SAME_NAMES if known & {*line} for one in line}
            self._names[attribute] = {stem for one in known | same for stem in stems(one) if len(stem) > _FEWEST}

    def read(self, text: str) -> dict[str, str]:
        """Return the values of attributes, by attribute; none unless there are several."""
        if len(text) > _LONGEST:
            return {}
        found = self._in_line(text.strip()) or self._in_sentences(text)
        return found if len(found) >= max(_FEWEST, len(self._outcomes) / 2) else {}

    def _in_line(self, text: str) -> dict[str, str]:
        """Return the values of a line, or lines, in the order of the attributes, if they are as many, all possible."""
        lines = [_MARK.sub("", line).strip(" *_") for line in text.split("\n") if line.strip()]
        values = lines if len(lines) > 1 else _BETWEEN.split(text.rstrip("."))
        if len(values) != len(self._outcomes):
            return {}
        told = dict(zip(self._outcomes, values, strict=True))
        known = [name for name, labels in self._labels.items() if meant(told[name], labels) is not None]
        left = [told[name] for name in self._labels if name not in known]
        scores = [number_in(told[name]) for name, one in self._outcomes.items() if isinstance(one, ScoreOutcome)]
        is_other = any(meant(one, labels) for one in left for labels in self._labels.values())
        is_possible = all(re.fullmatch(r"\d+", one) for one in scores) and not is_other
        is_known = known and (not left or (len(lines) > 1 and (len(known) + len(scores)) * 2 >= len(told)))
        return told if is_known and is_possible and all(len(one.split()) <= _WORDS for one in values) else {}

    def _in_sentences(self, text: str) -> dict[str, str]:
        clauses = [stems(one) for one in _CLAUSE.split(text)]
        found: dict[str, str] = {}
        for name, forms in self._forms.items():
            named = [clause for clause in clauses if self._names[name] & {*clause}]
            beside = {label for clause in named for form, _, label in forms if _has(clause, form)}
            alone = {
                label
                for clause in clauses
                for form, told, label in forms
                if told not in _IN_PROSE and _has(clause, form)
            }
            said = beside if len(beside) == 1 else alone
            if len(said) == 1:
                found[name] = said.pop()
        ages = {*_AGE.findall(text)} or {*map("".join, _BARE_AGE.findall(text))}
        of_age = [
            name
            for name, one in self._outcomes.items()
            if isinstance(one, ScoreOutcome) and self._names[name] & {"age", "alter", "edad", "idad", "eta", "年龄"}
        ]
        return found | ({of_age[0]: ages.pop()} if len(ages) == 1 and len(of_age) == 1 else {})


def _has(clause: Sequence[str], form: Sequence[str]) -> bool:
    """Return whether a clause has words in a row, none of which is denied right before."""
    size = len(form)
    places = [at for at in range(len(clause) - size + 1) if list(clause[at : at + size]) == list(form)]
    return any(at == 0 or clause[at - 1] not in {"no", "non", "not", "nicht", "nao", "pas", "kein"} for at in places)
