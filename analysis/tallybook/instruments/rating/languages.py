"""Words of ratings in English, German, Spanish, French, Italian and Portuguese: plain text, so "ss" for "ß"."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tallybook.instruments.languages import expressions
from tallybook.instruments.number_words import SMALL

if TYPE_CHECKING:
    from collections.abc import Sequence

_WORDS = expressions("tallybook.instruments.rating", "words.toml")["rating"]
WORDS = {word: float(number) for number, words in SMALL.items() for word in words.split()}
"""Number word -> number."""
OR = _WORDS["or"]
"""Words between two ratings of which neither is meant alone."""
OUT_OF = r"out of|von|sur|su|sobre"
OF = r"of|de|em"
"""Before the highest number; the latter stand elsewhere, too."""
FROM = r"from|between|of|von|zwischen|vom|de|del|desde|entre|da|dal|tra|fra|du"
TO = r"-|to|and|through|bis|und|a|al|à|au|y|e|et|até"
SCALE = rf"(?:{_WORDS['scale']})?(?:scale|skala|escala|échelle|scala)"
NOUN = rf"(?:{_WORDS['noun']})"
IS = r"(?:is|be|of|ist|lautet|wäre|es|sería|est|serait|è|sarebbe|é|seria|de|di)"
MY = r"(?:my|the|meine|die|mi|la|ma|mia|minha|a)"
DENIED = rf"\b(?:{_WORDS['denied']})\b(?: [\w']+){{0,4}} ?$"
NEGATIVE = (
    "per niente",
    "per nulla",
    "pas du tout",
    "gar nicht",
    "überhaupt nicht",
    "para nada",
    "nada",
    "de modo nenhum",
)
"""The beginnings of labels that a word of denial before them strengthens."""
HEDGED = rf"\b(?:{_WORDS['hedged']}) ?$"
"""A label after it is less than the label, whatever the scale."""
GRADED = rf"\b(?:{_WORDS['graded']}) ?$"
"""A label after it is another one where the scale has degrees of it."""
OTHERS = rf"\b(?:{_WORDS['others']})\b(?: [\w']+){{0,3}} ?$"
"""Words before a label that is somebody else's."""
_LEAD = """
( a an the my our it it's its is that that's this would be i i'd i'll i'm we say said think guess suppose
believe feel give choose pick select go with put at as on in of rate rating score answer option number
choice level grade scale solid strong clear firm definite definitely probably maybe perhaps about around
roughly approximately only just overall honestly personally so thus therefore hence absolutely ok okay sure well hmm
for me to assign opinion view ich würde sage sagen gebe geben eine einen ein der die das ist es wäre
vergebe wähle nehme wohl vielleicht wahrscheinlich meine antwort bewertung note mir dem yo diría digo que
un una el la sería le doy daría elijo mi respuesta puntuación nota opción quizás probablemente je dirais
dis une c'est ce est serait lui donne donnerais choisis ma réponse de peut-être probablement io direi dico
il è sarebbe do darei scelgo mia risposta voto punteggio di opzione forse probabilmente eu diria um uma o é
pondría mettrais seria
dou daria escolho minha resposta opção talvez provavelmente between somewhere zwischen entre tra fra
"""
LEAD = frozenset([*_LEAD.split(), *OR.split("|")])
"""Words that may stand before a number that is a rating though nothing announces it."""
BEHIND = rf"(?=\s*(?:{_WORDS['behind']}))"
"""Text allowed after a rating: "4 in 10" is not one."""
OPT_OUTS = (
    *("prefer not to say", "prefer not to answer", "rather not say", "don't know", "do not know"),
    "no opinion",
    *("keine angabe", "weiß nicht", "weiß es nicht", "möchte ich nicht sagen", "keine meinung"),
    *("prefiero no decirlo", "prefiero no responder", "prefiero no contestar", "no sé", "no lo sé", "sin opinión"),
    *("préfère ne pas répondre", "préfère ne pas le dire", "ne sais pas", "sans opinion", "ne se prononce pas"),
    *("preferisco non rispondere", "preferisco non dirlo", "non so", "non lo so", "nessuna opinione"),
    *("prefiro não responder", "prefiro não dizer", "não sei", "sem opinião"),
)
"""Answers that give no rating and are allowed."""
BEFORE_OPT_OUT = (
    r"(?:(?:i|we|ich|je|yo|io|eu)(?:'d| would)? )?(?:(?:have|honestly|really|do|just|tengo|habe|ho|tenho) )*"
)
AFTER_OPT_OUT = r"(?: (?:on|about|of|to|for) (?:this|that|it|them)(?: \w+)?)?"
_AGREEMENT = (
    "strongly disagree, disagree, neutral | neither agree nor disagree | undecided, agree, strongly agree",
    (
        "stimme überhaupt nicht zu | stimme gar nicht zu | trifft überhaupt nicht zu"
        ", stimme eher nicht zu | stimme nicht zu | lehne ab | trifft eher nicht zu"
        ", teils/teils | teils teils | weder noch | unentschieden | neutral"
        ", stimme eher zu | stimme zu | trifft eher zu"
        ", stimme voll und ganz zu | stimme voll zu | stimme völlig zu | trifft voll zu"
    ),
    (
        "totalmente en desacuerdo | muy en desacuerdo, en desacuerdo | no estoy de acuerdo"
        ", neutral | ni de acuerdo ni en desacuerdo | indeciso, de acuerdo, totalmente de acuerdo | muy de acuerdo"
    ),
    (
        "pas du tout d'accord | fortement en désaccord, plutôt pas d'accord | pas d'accord | en désaccord"
        ", neutre | ni d'accord ni pas d'accord | sans opinion, plutôt d'accord | d'accord, tout à fait d'accord"
    ),
    (
        "fortemente in disaccordo | per niente d'accordo, in disaccordo | poco d'accordo | non sono d'accordo"
        ", neutrale | indifferente, d'accordo | abbastanza d'accordo, fortemente d'accordo | molto d'accordo"
        " | completamente d'accordo"
    ),
    (
        "discordo totalmente | discordo completamente, discordo | não concordo"
        ", neutro | indiferente | nem concordo nem discordo, concordo, concordo totalmente | concordo completamente"
    ),
    "非常不同意 | 完全不同意, 不同意, 中立 | 一般 | 不确定, 同意, 非常同意 | 完全同意",
)
_OTHERS = (
    (
        "strongly disagree, disagree, somewhat disagree | slightly disagree"
        ", neutral | neither agree nor disagree | undecided"
        ", somewhat agree | slightly agree, agree, strongly agree"
    ),
    "never, rarely | seldom, sometimes | occasionally, often, always",
    "very unlikely, unlikely, neutral | neither likely nor unlikely, likely, very likely",
    "very dissatisfied, dissatisfied, neutral, satisfied, very satisfied",
    "not at all, slightly | a little, moderately | somewhat, very, extremely",
    "very poor, poor, fair | average | acceptable, good, very good | excellent",
)
_NEUTRAL = 2
Places = tuple[tuple[str, ...], ...]
"""The labels of a scale from the lowest to the highest, with others in their place."""


def _places(scale: str) -> Places:
    return tuple(tuple(label.strip() for label in place.split("|")) for place in scale.split(","))


SCALES: tuple[Places, ...] = tuple(map(_places, (_OTHERS[0], *_AGREEMENT, *_OTHERS[1:])))
"""Usual scales."""


def same_labels(labels: Sequence[str]) -> dict[str, str]:
    """Get the labels of agreement in all languages that mean one of a scale's -> the one that they mean.

    >>> found = same_labels(["Strongly disagree", "Disagree", "Agree", "Strongly agree"])
    >>> found["stimme zu"], found["pas d'accord"], "neutral" in found, same_labels(["Low", "High"])
    ('Agree', 'Disagree', False, {})
    """
    scales = tuple(map(_places, _AGREEMENT))
    degrees = {label: degree for scale in scales for degree, place in enumerate(scale) for label in place}
    known = {degrees[label.lower()]: label for label in labels if label.lower() in degrees}
    if not labels or [*known.values()] != [*labels] or [*known] != sorted(known):
        return {}
    # In its own language a scale may have degrees of its own: "rather agree" is not "agree" there.
    own = next(scale for scale in scales if any(labels[0].lower() in place for place in scale))
    others = {label for degree, place in enumerate(own) if degree != _NEUTRAL for label in place}
    others |= {label.lower() for label in labels}
    return {label: known[degree] for label, degree in degrees.items() if degree in known and label not in others}
