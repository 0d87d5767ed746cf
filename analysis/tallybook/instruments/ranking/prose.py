"""Orders in prose: the place that a sentence gives an option, and the options that it says are ahead of others."""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple

from tallybook.instruments.number_words import ORDINALS, english_numbers
from tallybook.instruments.ranking.lists import Found, Order, by_rank, number
from tallybook.instruments.ranking.mentions import MARK, number_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_THING = "(?:applicant|candidate|choice|contender|fit|match|option|pick|profile|one|spot|place|position|quality)"
_ABLE = (
    r"(?:[a-z]+-)?[a-z]+(?:able|ible|ant|ent|ed|ing|ive|ous|worthy|ful|ial)"
    rf"(?=[^\w ]| ?$| (?:{_THING}|for|of|in|on|is|was|would|to|and|among|here|overall|{MARK}))"
)
_GOOD = "better|stronger|higher|safer|fitter|smarter|more [a-z]+"
_BAD = "worse|weaker|lower|less [a-z]+"
_CUES = re.compile(
    rf"(?P<option>{MARK})"
    r"|\b(?P<first>ahead of (?:the (?:others?|other \w+|rest|pack|field)|all (?:the )?others|everyone(?: else)?)"
    r"|(?:start|begin)(?:ning)? (?:off )?with|top(?=\W*:)|(?:on|at the) (?:very )?top|tops (?:my|the|this) \w+|"
    r"in front|in the lead|number one|winner|front-?runner|"
    rf"top (?:{_THING}|spot)|(?:the )?best"
    rf"(?: {_THING}| overall|[ -](?:qualified|suited))"
    rf"|(?<!to )best(?= ?(?:[,:=-]|of\b|is\b|$))|strongest|highest|favou?rite|paramount|preferred(?=\W*:)"
    r"|most(?= of all)|(?:matters|deserves?|earns?|merits?|needs?) (?:the )?most(?=\W*(?:$|[,;]))|(?<!least )safest"
    r"|the (?!(?:interest|last|latest|least|lowest|oldest|poorest|request|rest|smallest|test|weakest|worst|youngest)\b)"
    r"\w{2,}est"
    rf"|most {_ABLE})\b"
    rf"|\b(?P<over>(?:just |well |slightly |narrowly )?(?:ahead of|above|over|(?:(?:{_GOOD})(?: \w+)? than)"
    r"|beats?|edges? out|outperforms?|outranks?|surpass\w*|prefer\w*(?= [^.]* to\b)))\b"
    rf"|\b(?P<under>below|behind(?! (?:her|him|them)\b)|(?:(?:{_BAD})(?: \w+)? than)|trails?|after (?={MARK}))"
    r"|\b(?P<late>second[ -](?:to[ -])?last|next to last|last but one|penultimate)\b"
    rf"|\b(?P<last>last|bottom(?=\W*:)|lowest|weakest|worst|least(?: {_ABLE}| safe\b|(?=\W*(?:$|[,;])))"
    r"|(?:and )?(?:end|finish|close)(?:s|ing)? with"
    r"|at the (?:very )?(?:back|bottom|end)|rounds? out"
    r"|brings? up the rear)\b"
    r"|\b(?:number|place|rank|position|platz|rang|stelle|lugar|puesto|posto|posición|posizione|posição) "
    r"(?P<number>one|two|three|four|five|six|seven|eight|nine|ten|\d{1,2})\b"
    rf"|\b(?P<ordinal>\d{{1,2}}(?:st|nd|rd|th)|{'|'.join(ORDINALS)}|runner-up)\b"
    rf"(?:[ -](?:best|highest|strongest|most {_ABLE}))?"
    rf"|(?P<beside>,? (?:and|und|y|e|et|&) (?={MARK})|, (?={MARK}))"
    r"|\b(?P<next>followed(?: \w+)? by|follows|(?:close(?:ly)?|just|right|not far) behind|then|next"
    r"|(?:mov(?:e|ing)|go(?:ing)?) on to|middle(?=\W*:)|after (?:that|her|him|them)|behind (?:her|him|them)|finally"
    r"|lastly)\b"
    rf"|\b(?P<up>{_GOOD})\b"
    r"|\b(?P<middle>(?:lies |comes |goes |is )?in between|(?:lies |comes |goes |is )?in the middle)\b"
    rf"(?!,? at (?:number|place)\b|,? {MARK} (?:is |comes |goes )?(?:just )?(?:ahead of|above|before|beats))"
)
"""The words of prose that say which place an option has."""
_LETTERS = {"option": "o", "over": "g", "under": "l", "next": "n", "beside": "b", "up": "u"}
"""Kind of cue -> its letter in a sentence; that of a place is p."""
_CHAIN = r"(?:[ngb]+o(?![pu]))*+"
_AHEAD = r"o[gl]o(?:[ng]+o(?![pu]))*+|n+o(?:[ngb]+o(?![pu]))*+|loo"
_BEFORE, _BEHIND = rf"(?:n*[pu]+o(?:[ngb]+o(?![pu]))*+|{_AHEAD})", rf"(?:o(?:n*[pu])+{_CHAIN}|on(?!o(?![pu]))|{_AHEAD})"
"""Statements of a part of a sentence: a place before options or behind one, or which option is ahead of which."""
_SENTENCES = tuple(
    (re.compile(rf"(?:{first})?(?:[nb]?{rest})*"), re.compile(f"{first}|{rest}"))
    for first, rest in ((_BEHIND, _BEHIND), (_BEFORE, _BEFORE), (_BEFORE, _BEHIND))
)
_FOR_A_PLACE = re.compile(
    rf"({MARK}) (?:(?:just|narrowly|barely|slightly) )?(?:edges? out|beats?|outranks?|(?:is|comes) (?:just )?ahead of)"
    rf" ({MARK}) (?:for|to) ((?:the )?(?:first|second|third|fourth|fifth|top)\b(?: (?:place|spot|position|rank))?)"
)
"""Two options of which the first has a place: "Ann edges out Bo for second place"."""
_MOST_CUES, _MIDDLE = 200, 10**6
"""The most cues that are read; the place of the only option between those at both ends."""
_DENIES = re.compile(
    r"\b(?:not|cannot|no|none|never|neither|if|might|could|or|tie[ds]?|shares?|equal(?:ly)?|both|joint(?:ly)?)\b|n't\b"
)
_REASON = re.compile(
    r"\([^()]*\)|,? \b(?:because|since|given|considering|due to|thanks to|unlike|despite|although|even though|whose"
    r"|who has|as (?:he|she|they|it|this|that|his|her|their|the(?! (?:most|least|\w+(?:est|ond|ird|er))\b))"
    r"|with (?:an?|his|her|their|more|less))\b[^,.:]*"
)
"""A reason for a place, which may compare with other options."""


_ENDS = r"(?:best|worst|most|least|highest|lowest|strongest|weakest|first|last|top|bottom)"
_SPAN = re.compile(rf"\b{_ENDS}\b[^.,:;\n\ue100-\uf8ff]{{0,60}}?\bto\b(?: the)? {_ENDS}\b")
"""The direction of an order, which places no option: "from most to least qualified"."""


class _Cue(NamedTuple):
    """A word that places options."""

    letter: str
    value: int  # an option, or a place: from 1 for the first, from -1 for the last


def placed(text: str) -> Iterator[Found]:
    """Yield the order of prose whose sentences only say which place options have, or which are ahead of others."""
    ranks: dict[int, int] = {}
    ahead: list[tuple[int, int]] = []
    place = 0
    for sentence in re.split(
        rf"[.;!?\n]+|, so (?={MARK})", _FOR_A_PLACE.sub(r"\1 is \3, then \2", _SPAN.sub(" ", text))
    ):
        cues = _cues(_REASON.sub(_without_options, sentence))
        letters = "".join(cue.letter for cue in cues)
        if {*letters} <= {"o", "b"} or ("o" not in letters and not ranks):
            continue
        form = next((part for whole, part in _SENTENCES if whole.fullmatch(letters)), None)
        if form is None and {*letters} <= {"o", "n", "b"}:
            continue
        first = re.search(MARK, sentence)
        # What is denied before a colon says nothing of the order: "I can't judge people, but: ..."
        lead = sentence.rfind(": ", 0, first.start()) if first else 0
        if form is None or len(letters) > _MOST_CUES or _DENIES.search(sentence, max(lead, 0)):
            return
        for match in form.finditer(letters):
            chain = [cue.value for cue in cues[match.start() : match.end()] if cue.letter == "o"]
            if match[0][:2] in {"og", "ol", "lo"}:
                if "l" in match[0][1:] and len(chain) > 2:  # noqa: PLR2004
                    return
                ahead += pairwise(chain[::-1] if "l" in match[0][1:] else chain)
                continue
            stated = {cue.value for cue in cues[match.start() : match.end()] if cue.letter == "p"}
            start = _start(stated, place, is_up="u" in match[0])
            if not start or {*chain} & {*ranks}:
                return
            step = 1 if start > 0 else -1
            ranks |= {option: start + step * at for at, option in enumerate(chain)}
            place = start + step * (len(chain) - 1)
    if order := _merged(ranks, [(one, other) for one, other in ahead if one != other]):
        first = re.search(MARK, text)
        yield Found(first.start() if first else 0, order, "places")


def _start(stated: set[int], before: int, *, is_up: bool) -> int:
    """Return the place that a phrase states, or else the one next to the place before; 0 if it states several."""
    if is_up and before >= 0:
        return 0
    if is_up or not stated:
        return 0 if stated else before + (-1 if before < 0 else 1)
    return stated.pop() if len(stated) == 1 else 0


def _without_options(match: re.Match[str]) -> str:
    """Remove a reason; keep one that gives an option a place of its own."""
    letters = "".join(cue.letter for cue in _cues(match[0]))
    return match[0] if "o" in letters and "p" in letters else " "


def _cues(sentence: str) -> list[_Cue]:
    """List the options of a sentence and the words that place them."""
    found = [(kind, match[kind]) for match in _CUES.finditer(sentence) if (kind := match.lastgroup)]
    kinds = [kind for kind, _ in found]
    cues: list[_Cue] = []
    for at, (kind, said) in enumerate(found):
        letter = _LETTERS.get(kind, "p")
        if kind == "beside":
            before, behind = kinds[at - 1] if at else "", [*kinds[at + 1 : at + 3], ""]
            if before != "option" or behind[1] not in {"over", "under", "option", "beside", "next", ""}:
                continue  # the option behind it has a place of its own
            if behind[1] in {"over", "under"}:
                if "," in said or found[at - 1] == found[at + 1]:
                    continue
                letter = "x"  # "Ann and Bo are ahead of Cy" does not say which of the two is
        cues.append(_Cue(letter, _value(kind, said)))
    return cues


def _value(kind: str, said: str) -> int:
    """Return the option or the place that a cue means."""
    match kind:
        case "option":
            return number_of(said)
        case "number":
            return int(english_numbers().get(said, said))
        case "ordinal":
            return 2 if said == "runner-up" else number(said)
        case "first" | "last" | "late" | "middle":
            return {"first": 1, "last": -1, "late": -2, "middle": _MIDDLE}[kind]
        case _:
            return 0


def _merged(ranks: dict[int, int], ahead: Sequence[tuple[int, int]]) -> Order | None:
    """Return the one order of all options that agrees with their places and with what is ahead of what."""
    if len({*ranks, *(option for pair in ahead for option in pair)}) < 2:  # noqa: PLR2004
        return None
    middle = [option for option, rank in ranks.items() if rank >= _MIDDLE]
    tops = {option: rank for option, rank in ranks.items() if 0 < rank < _MIDDLE}
    bottoms = {option: rank for option, rank in ranks.items() if rank < 0}
    top = by_rank(tops) if tops else ()
    bottom = by_rank({option: -rank for option, rank in bottoms.items()}) if bottoms else ()
    free = {option for pair in ahead for option in pair} - {*ranks}
    if middle and (free or len(middle) > 1 or not (tops and bottoms)):
        return None
    while free:
        leading = [one for one in free if not any(later == one and earlier in free for earlier, later in ahead)]
        if len(leading) != 1:
            return None
        middle += leading
        free -= {*leading}
    if top is None or bottom is None:
        return None
    order = (*top, *((one,) for one in middle), *bottom[::-1])
    at = {option: place for place, group in enumerate(order) for option in group}
    return order if all(at[earlier] < at[later] for earlier, later in ahead) else None
