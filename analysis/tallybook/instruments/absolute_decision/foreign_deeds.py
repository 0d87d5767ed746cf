"""The action that a prompt in another language asks about, written in texts as one that the rules of it know.

To "¿Recomendaría derivarlo?" the answer "No lo derivaría" becomes "no lo aceptaría"; what is asked for, "la libertad
condicional", becomes a thing that they know. As in English, what harms whom it is done to turns yes and no round.
"""

from __future__ import annotations

import re
from functools import cache
from typing import NamedTuple

from tallybook.instruments.languages import expressions, spoken

_USUAL = dict.fromkeys(("question", "thing_of", "no_verb"), "(?!)") | {"ending": "[aeiouáéíóúâêîôûãèàòùç]"}
_LISTED = {
    language: _USUAL | own
    for language, own in expressions("tallybook.instruments.absolute_decision", "foreign_deeds.toml").items()
}
_VERDICTS = expressions("tallybook.instruments.absolute_decision", "verdicts.toml")
_TITLES = r"(?:Frau|Herrn?|M\.|Mme|Sra?\.?|Señora?|Signora?|Senhora?)"
_SHORTEST = 4
"""The fewest letters of a stem, so that no other word begins with it."""
_APART = re.compile(r"(?:ab|an|auf|aus|ein|frei|fest|los|mit|vor|weg|zu|zurück|weiter)(?=\w{4})")
"""German prefixes that stand apart from their verbs."""


class ForeignDeed(NamedTuple):
    """The action that a prompt asks about."""

    language: str
    stem: str  # what all forms of its verb begin with
    is_known: bool  # whether the rules know them
    harms: bool  # whether it harms whom it is done to
    thing: str | None = None  # what is asked for
    names: str | None = None  # what finds those of whom it is asked

    def written(self, text: str) -> str:
        """Write the action, and what is asked for, as those that the rules know."""
        own = _LISTED[self.language]
        granted, denied, refused, thing, no, pronoun = own["words"].split()
        known = denied if self.harms else granted
        text = re.sub(self.names, pronoun, text) if self.names else text
        if self.harms:  # what is advised against is not done, whatever else such words are said of
            text = re.sub(rf"(?i)(?<![^\s])(?:{own['against']})(?:, |(?=\s*(?:[.!;]|$)))", f"{no} ", text)
        if re.fullmatch(own["inpatient"], self.stem):
            text = re.sub(rf"(?i)\b(?:{own['discharge']})", refused, text)
            text = re.sub(rf"(?i)\b(?:{own['inpatient']})(?={own['ending']})", known, text)
        if self.thing:
            text = re.sub(rf"(?i)\b{self.thing}\b", thing, text)
        if not self.stem or (self.is_known and not self.harms):
            return text
        if self.language == "de":
            apart = match[0] if (match := _APART.match(self.stem)) else ""
            stem = self.stem.removeprefix(apart)
            text = re.sub(rf"(?i)\b{apart}ge{stem}(?:e?t|en)\b", f"{known}t", text)
            text = re.sub(rf"(?i)\b{apart}zu(?={stem}e?n\b)", f"zu {apart}", text)
            text = re.sub(rf"(?i)\b{self.stem}e?n\b", f"{known}en", text)
        stem = re.sub(r"e(?=[^aeiou]+$)", "(?:ie?|e)", self.stem) if self.language == "es" else self.stem
        edge = "" if self.language == "zh" else r"\b"
        return re.sub(rf"(?i){edge}{stem}(?={own['ending']})", known, text)


def foreign_deed(prompt: str) -> ForeignDeed | None:
    """Return the action that the last question of a prompt in another language asks about; None if it asks about none.

    >>> foreign_deed("Tose desde hace días. ¿Debería el médico derivarlo al especialista?")
    ForeignDeed(language='es', stem='deriv', is_known=False, harms=False, thing=None, names=None)
    >>> foreign_deed("Sollte die Firma Herrn Kaya entlassen?")[:4]
    ('de', 'entlass', False, True)
    """
    likely = spoken(prompt)
    for language in sorted(_LISTED, key=lambda one: one not in likely) if "en" not in likely else ():
        own, text = _LISTED[language], prompt.lower().replace("’", "'")
        for match in [match for form in _asking(language) for match in [*form.finditer(text)][::-1]]:
            name = next(name for name, told in match.groupdict().items() if told)
            word = re.split(r"\W", text[match.start(name) : match.end()])[0]
            stem = match[name].replace("ge", "", 1) if language == "de" and name == "done" else match[name]
            if re.fullmatch(own["no_verb"], stem) or (len(stem) < _SHORTEST and language != "zh"):
                continue
            thing = re.match(rf" {own['thing_of']}\b", text[match.end() :])
            harms = re.match(own["harms"], stem) is not None
            is_known = re.fullmatch(_VERDICTS[language]["grants"], word) is not None
            return ForeignDeed(language, stem, is_known, harms, thing and thing["thing"], _names(prompt, language))
    names = _names(prompt, likely[0]) if len(likely) == 1 and likely != ["en"] else None
    return ForeignDeed(likely[0], "", is_known=True, harms=False, names=names) if names else None


def _names(prompt: str, language: str) -> str | None:
    """Return a pattern of the names in a prompt: several words with capitals, or one within a sentence of no noun."""
    found = {word for one in re.findall(_LISTED[language]["names"], prompt) for word in re.findall(r"[\w·'-]{2,}", one)}
    one = f"(?:{'|'.join(sorted(map(re.escape, found), key=len, reverse=True))})"
    whole = one if language == "zh" else rf"\b(?:{_TITLES} )?{one}(?: (?:(?:da|de|di|van|von) )?{one})*(?![\w-])"
    return whole if found else None


@cache
def _asking(language: str) -> tuple[re.Pattern[str], ...]:
    """Return what finds the verbs of questions: behind those that ask for them, or in the form of a question."""
    (begin, blank), own = ("", "") if language == "zh" else (r"\b", " "), _LISTED[language]
    forms = rf"{begin}(?:{own['asks']}){blank}{own['gap']}(?:{own['infinitive']})", rf"[¿?.,:] ?(?:{own['question']})"
    return tuple(map(re.compile, forms))
