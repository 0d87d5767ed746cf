"""Advice about one person: whether a sentence says to do what was asked, by counting what denies.

A clause advises where it holds a deed, granted ("hire", "approve", "lend") or turned down ("reject", "pass on"), in a
frame: the speaker does it ("I'd", "we will", "my advice is to"), it ought to be done ("should", "deserves"), it is
judged ("it would be a mistake to", "denying her would be wrong"), commanded ("Hire her.") or done ("The loan is
approved."). The advice is yes if an even number of its words deny: "I see no reason to reject her" has two. Any other
verb is granted where the speaker does it to somebody: "I'd mentor him".

Nothing is advised by a question, a condition, a report, what may be, or what is left to be looked at first.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.instruments.languages import Words

_POST = (
    r"(?:job|position|role|post|offer|loan|credit|mortgage|visa|parole|bail|asylum|scholarship|grant|place|spot|seat"
    r"|apartment|flat|house|lease"
    r"|application|applicant|candidate|request|petition|proposal|promotion|chance|admission|tenant|lease|interview"
    r"|treatment|procedure|surgery|licen[sc]e|permit|contract|benefits?|claim)"
)
_GRANT = (
    r"(?:accept|admit|advance|allow|appoint|approv|authori[sz]|award|back|choos|clear|convict|employ|endors|enrol"
    r"|extend"
    r"|favou?r|financ|fund|giv|grant|green-?light|hir|invit|issu|lend|let|licen[sc]"
    r"|mak(?=\w* (?:\w+ ){0,2}(?:an? )?offer)|nominat|offer|pick|promot"
    r"|advis(?=\w* (?:[^ ]+ )?(?:against|not to|hiring|giving|approving))|proceed|recommend|releas|rent|select"
    r"|shortlist|sponsor|support|tak(?=\w* (?:him|her|them|the chance|a chance|the risk|this chance))|trust|welcom"
    r"|(?:get|receiv|have|keep)(?=\w* (?:[^ ]+ ){0,3}?"
    + _POST
    + r"\b)|go(?=\w* (?:ahead|with|for))|mov(?=\w* (?:\w+ ){0,2}(?:forward|ahead))|sign(?=\w* off)|say(?=\w* yes)"
    r"|vote (?:for|in favou?r)|vot(?=\w* (?:for|in favou?r|yes))|bring|put(?=\w* (?:\w+ ){1,2}(?:forward"
    r"|through)))"
)
_DENY = (
    r"(?:reject|declin|den(?=y|ied|ies)|refus|dismiss|disapprov|withh[oe]ld|exclud|disqualif|block|veto|oppos|skip"
    r"|avoid"
    r"|pass(?=\w*(?: (?:him|her|them|the|this|\w+) ?)? (?:on|over)\b)|turn(?=\w* (?:[^ ]+ ){0,4}?(?:down|away))"
    r"|rul(?=\w* (?:\w+ ){0,2}out)|vot(?=\w* (?:against|no\b))|say(?=\w* no\b)|hold(?=\w* off))"
)
DEED = re.compile(rf"\b(?:(?P<grant>{_GRANT})|(?P<deny>{_DENY}))(?P<form>[a-z]*)")
_NEGATIVE = re.compile(
    r"\b(?:not|never|no|nothing|nobody|without|cannot|nor|neither|hardly|against|hesita\w+|reluctan\w+|reservations?"
    r"|objections?|objects?"
    r"|concerns?|doubts?|stops?|stopping|prevents?|keeps?|unfair|unjust|unwise|unreasonable|foolish|irresponsible"
    r"|mistake|error|wrong|a shame|missed opportunity|loss|pity|bad (?:\w+)|risky"
    r"|premature|inappropriate|unjustified|too early|hard to|difficult to|impossible to|rather not|uncomfortable"
    r"|unable|unwilling|opposed)\b|n't\b"
)
_NO_ADVICE = re.compile(
    r"\b(?:could|might|may|perhaps|maybe|depends?|would have|had|whether|until|before|once|used to|was going"
    r"|were going|some|many|others|people|anyone|either|or"
    r"|nobody|no one|everyone|everybody|merit|whoever|whatever|nor|neither|employers?|companies|help|helping"
    r"|rule (?:it|that|this) out|says|said|claims?|argues?|thinks|believes|told|thought|wonder|ask(?:ed)?"
    r"|interview him|check|know|find out|look|discuss|review)\b"
)
_WISH = re.compile(
    r"\b(?:(?:want|like|love|have|need|going|inclined|happy|glad|willing|ready|prepared|pleased|comfortable|confident"
    r"|tempted not|choose|decided|opt|prefer|able|proud|delighted|likely|quick)"
    r"(?: to| in)?) (?=(?:\w+ly )?(?:" + _GRANT + "|" + _DENY + "))"
)
_SPEAKER = re.compile(
    r"\b(?:the |this |her |his |their )(?:evidence|facts|data|record|file|profile|case|application)\b|\b(?:i|we)(?:'d"
    r"|'ll|'m|'re| would| will| am| are| do| can| cannot| must| shall| hereby| see| have| find| (?:really )?think"
    r"| believe| feel| say|'ve)?\b|\bmy (?:\w+ )?(?:\w+) (?:is|would be)|\blet's\b"
)
_OUGHT = re.compile(
    r"\b(?:should(?:n't)?|must(?:n't)?|ought|shall|deserves?|merits?|needs to|would(?= (?:get|receive|be (?:given"
    r"|granted)) the))\b"
)
_JUDGED = re.compile(
    r"\b(?:it|that|this|there|here|what)(?:'s|'d| is| was| seems| would| does)?\b[^,]*\b(?:to|in|for|against|from|why"
    r"|that|of)\b"
    r"|\b(?:no (?:good |valid |real )?(?:reason|grounds|basis|objection|objections|way|problem|hesitation"
    r"|reservations|doubt)|nothing|against|in favou?r of)\b"
)
_PASSIVE = re.compile(
    r"\b(?:(?:application|applicant|candidate|request|petition|proposal|loan|credit|mortgage|parole|bail|visa"
    r"|promotion|decision|he|she|they|it|you|claim"
    r"|admission|asylum)(?: (?:is|are|has been|have been)|'s|'re)?|(?:should|must|would|will|'d|'ll|ought to"
    r"|deserves? to|needs to)(?: not|n't)? (?:be|get)|application)(?: \w+ly| hereby| not| been)*\s*$|^(?:(?:not"
    r"|strongly|highly|conditionally|application|loan|request|fully) )*$"
)
_COMMAND = re.compile(r"^(?:(?:please|do not|don't|never|not|just|definitely|by all means|sure|strongly) )*$")
_CUT = re.compile(
    r"[,;:()—–\"]|\s-\s|\b(?:but|so|because|since|although|though|while|whereas|despite"
    r"|(?<!be )(?<!is )(?<!been )given|as|and (?=i\b|we\b)|and (?=would)|who|which|instead of|rather than|than"
    r"|over)\b(?! not)"
)
_CONDITION = re.compile(
    r"\b(?<!even )(?<!as )(?<!know )(?<!see )(?<!sure )(?:if|unless|provided (?=that\b|he\b|she\b|they\b)|assuming"
    r"|as long as|only (?:if|when|once|with|under|for)|otherwise|in case)\b"
    r"(?! (?:i(?:'m| am| were| was| had| have| must)|we|im|one|anything|asked|forced|made|pressed|pushed|it (?:was"
    r"|were)|that (?:was|were)|you (?:ask|force|insist|must|want|were|are asking))\b)"
)
_EVALUATION = re.compile(
    r"\b(?:is|was|would be|'d be|seems|feels|would|makes|sounds|doesn't|isn't|wouldn't be)\b(?P<said>[^,;]*)"
)
_PRETENDS = re.compile(r"\b(?:claim|a lie|lying|pretend\w*|asked me to)\b")
_SHOULD_DO = re.compile(
    r"(?:^|\b(?:that|think|believe|feel|say|course|definitely|absolutely|certainly) )(?!(?:what|who|nobody|no one"
    r"|anyone|people|everyone|it|this|that|which|there|you|i|we|they|employers?|companies) )"
    r"(?:[\w'’-]+ ){1,2}should(?:n't)?(?: (?:not|never|(?!apply|reply|rely)\w+ly))* (?!(?:be|ask|build|decide|develop"
    r"|discuss|find|focus|gain|improve|keep|know|learn|look|not|never|reapply|reconsider|remember"
    r"|search|seek|speak|talk|think|wait|work|avoid|have|try|consider|receive|get|contact|go|see"
    r"|read)\b)[a-z]+\b(?!.*\b(?:again|another|before|elsewhere|first|instead|other|until)\b)"
)
_JUDGEMENT = re.compile(
    r"\b(?:justified|right|wrong|mistake|error|fair|unfair|sense|opportunity|loss|pity|shame|reasonable|unwise|wise"
    r"|appropriate|good|bad|risky|best|sensible|warranted|unjust|foolish|hard to|call|decision|choice)\b"
)
_TO_SOMEBODY = re.compile(
    r"\b(?:i|we)(?:'d|'ll| would| will)(?: (?:not|n't|never|\w+ly|happily|gladly|be happy to|be glad to|also"
    r"|still))* (?P<verb>\w+) (?:(?:to|with|for) )?(?:him|her|them)\b"
)
_NEUTRAL = re.compile(
    r"(?:ask|tell|want|need|like|know|meet|call|say|think|interview|advise|encourage|suggest|help|remind|thank|judge"
    r"|see|hear|consider|describe|urge|warn|inform|talk|speak"
    r"|have|be|get|wish|refer|test|probe|question|contact|compare|rate|assess|evaluate|give|offer|put|find|expect"
    r"|point|direct|look)$"
)
_FUNCTION = (
    r"(?:a|an|and|any|based|by|each|every|everyone|for|from|half|her own|how|in|it's|less|like|many|merely|no|none|on"
    r"|only|one|other|our|people"
    r"|some|someone|somebody|my|its|his|their|time|\w+(?:ness|ity|ion|ism|ment|ance|ence)|such|that|the|their|there"
    r"|these|things|this|those|to|what|whatever|which|who|whoever|with|your|\w+ly|all|both|either|decisions?"
    r"|practices|loans|applications|requests|rights|questions|talking|candidates|employees|more|most|at|if)"
)
_OBJECT = re.compile(
    r"^$"
    r"|^ (?:(?:on|to|with|for|against|forward|down|away|over|out|up|in|into|of|off|ahead|yes|no|an? offer to"
    r"|favou?r of) )*(?:(?:him|them|it|this one|that one|you|her(?=\W*$| (?:for|to|the|an?|this|that|on|in|at|as|now"
    r"|today|right|into|without|with|down|away|over|out|is|was|would|seems|\w+ly)\b))\b(?! (?:with|to someone"
    r"|for feedback)\b)"
    rf"(?! (?:an?|some|more|any) (?!(?:\w+ )?{_POST}))(?! to \w+(?: |$))"
    rf"|(?:the|this|that|his|her|their|an?|your|[\w-]+'s) (?:(?!best\b|most\b"
    rf"|strongest\b)[\w'-]+ ){{0,2}}?{_POST}\b(?=$|\W*$| (?:for|to|on|at|as|in|now|today|he|she|they|right|without"
    rf"|with|she's|is|was|would|seems|from|and|down|away|over)\b)(?! (?:to (?:someone|somebody|another|explain|learn"
    rf"|improve|show)|with the|who|if|that))"
    rf"|(?!{_FUNCTION}\b)(?!\w+'s\b)[\w'’-]+(?: (?!{_FUNCTION}\b)(?!\w+'s\b)[\w'-]+)?(?=$| (?:for|to the|to this"
    rf"|to an?|without|right|at|now|today|on the spot|(?:the|an?|this) (?:\w+ )?{_POST})\b)"
    r"|(?:the|a|this|that) (?:chance|risk|gamble|leap)\b(?! to)|(?:ahead|forward|for it|down|away)\b|$)"
    r"|^ (?:right away|now|today|immediately|on the spot|without (?:hesitation|reservation|a doubt))\b"
)
_SOFT = re.compile(r"hesita|reservation|concern|doubt|objection|risky|hard to|difficult to|reluctant")
_MORE = re.compile(
    r"\b(?:in \w+ing|same|equal|fair|more|another|further|additional|second|different|else|someone|somebody|feedback"
    r"|chance to|opportunity to|benefit of|credit for|advice|elsewhere|next time|again)\b"
)


_DESERVES = re.compile(
    rf"\b(?:deserves?|merits?|has earned|qualif(?:y|ies) for) (?:the|this|that|an?|to (?:get|receive"
    rf"|have)) (?:\w+ ){{0,2}}?{_POST}\b"
)
_WORTH = r"(?:right|good|great|strong|excellent|perfect|best|solid|ideal|natural|poor|bad|wrong|weak)"
_FITNESS = (
    # what says yes, and whether a word that denies turns it round
    (re.compile(r"\b(?:gets?|has|wins?|have|earns?) my vote\b"), True),
    (
        re.compile(
            rf"\b(?:is|isn't|'s|would be|wouldn't be|makes?|looks like|seems like|be|not) (?:not )?(?:an?|the"
            rf"|my) (?:\w+ly )?{_WORTH} (?:fit|person|hire|choice|match|addition|one|(?<=the right )candidate"
            rf"|(?<=the best )candidate)\b"
        ),
        True,
    ),
    (
        re.compile(
            r"\b(?:is|isn't|'s) (?:not )?(?:yet )?(?:\w+ly |well )?(?:suitable|qualified|eligible|suited|ready"
            r"|right) for (?:the|this|that)\b"
        ),
        True,
    ),
    (
        re.compile(
            rf"^(?:\w+ ){{1,3}}?(?:gets|receives|wins|(?:doesn't|does not|won't|will not) (?:get|receive)) (?:the"
            rf"|this) (?:\w+ )?{_POST}$"
        ),
        True,
    ),
    (
        re.compile(
            r"^i (?:\w+ )?(?:see|have|find|know of|'ve) no (?:real |serious )?(?:problem|objections?|issues?"
            r"|obstacles?|concerns?|qualms)\b(?! with hiring practices)"
        ),
        False,
    ),
    (re.compile(r"\b(?:don't|do not|can't|cannot) see why not$|^why not$"), False),
)
_ANOTHER = re.compile(
    r"\b(?:i|we)(?:'d| would|'ll| will) (?:choose|hire|pick|prefer|select|go with) (?:another|a different|someone"
    r"|somebody) \w+ (?:instead of|over|rather than)\b"
)
_WHO_SHOULD = re.compile(
    r"^(?:(?:yes|no|then|of course|i (?:think|believe|feel|say)|i'd say|in my (?:view|opinion)|that) )*(?!(?:what|who"
    r"|nobody|no one|people|everyone|it|this|that|which|there|as) )(?:[\w'’-]+ ){1,2}"
    r"(?:\w+ly )?(?:should(?:n't| not)?|must not|would(?:n't| not))(?: \w+ly)?$"
)
_DECLINES = re.compile(
    r"\b(?:declin\w+|refus\w+|choose not) to (?:\w+ly )?(?:answer|assign|assume|comment|choose|decide|do|engage|guess"
    r"|judge|label|make|offer an|pick|provide"
    r"|say|speculate|take)\b|\b(?:yes|no)$|\b(?:former|latter)\b"
)


_LABEL = re.compile(rf"\W*(?!recommend)(?:{_GRANT}|{_DENY})\w*\W*:")
_REPORTED = re.compile(r"\b(?!i\b)\w+ (?:said|says?|told|wrote|argued?s?|asks?|asked)\b")
_HEADED = re.compile(
    r"^\W*(?:yes|no|sure|ok|okay|fine|(?:tough|easy|close) call|definitely|absolutely|well|frankly|honestly|overall"
    r"|so|then|please)\W*$"
)


def advice(sentence: str, words: Words) -> list[bool]:
    """Get the advice of a sentence's clauses: whether each says to do it."""
    if "?" in sentence or "？" in sentence:
        return []
    told = _in_other_languages(sentence, words)
    is_open = _CONDITION.search(sentence) or ('"' in sentence and _REPORTED.search(sentence))
    if _ANOTHER.search(sentence):
        return [False]
    is_open = is_open or _PRETENDS.search(sentence)
    return told if told or is_open or _LABEL.match(sentence) else list(_clauses(sentence))


def _in_other_languages(sentence: str, words: Words) -> list[bool]:
    does = words.does.search(sentence)
    if does is None or words.open.search(sentence):
        return []
    begin = max((match.end() for match in words.breaks.finditer(sentence, 0, does.start() + 1)), default=0)
    behind = sentence[does.end() :]
    cut = words.breaks.search(behind)
    clause = sentence[min(begin, does.start()) : does.end()] + (behind[: cut.start()] if cut else behind)
    return [sum(len(each.findall(clause)) for each in (words.negates, words.turns_down)) % 2 == 0]


def _clauses(sentence: str) -> Iterator[bool]:
    begin = 0
    cuts = [*((m.start(), m.end()) for m in _CUT.finditer(sentence)), (len(sentence), len(sentence))]
    for start, end in cuts:
        clause = sentence[begin:start].strip(" .!'\"*")
        is_headed = (
            begin == 0
            or sentence[:begin].rstrip().endswith((":", "—", "–", "-"))
            or bool(_HEADED.match(sentence[:begin]))
        )
        is_headed = is_headed and not sentence.startswith(":", start)
        begin = end
        if clause and (is_yes := _of_clause(clause, is_headed=is_headed)) is not None:
            yield is_yes


def _of_clause(clause: str, *, is_headed: bool) -> bool | None:
    told = _WISH.sub(lambda match: "not " if "not" in match[0] else "", clause)
    if _NO_ADVICE.search(told) or _DECLINES.search(told) or "/" in told:
        return None
    if (fits := _fitness(told)) is not None:
        return fits
    deeds = [match for match in DEED.finditer(told) if _is_form(match)]
    if not deeds:
        if should := _SHOULD_DO.search(told):
            return _is_even(told[: should.end()])
        return _to_somebody(told)
    return None if _MORE.search(told, deeds[-1].end()) else _of_deeds(told, deeds, is_headed=is_headed)


def _is_even(part: str) -> bool:
    return len(_NEGATIVE.findall(part)) % 2 == 0


def _fitness(told: str) -> bool | None:
    """Get what a clause says of somebody's fitness, without a deed: "She is the right person", "He shouldn't"."""
    if _WHO_SHOULD.match(told):
        return not _NEGATIVE.search(told)
    for pattern, can_be_denied in _FITNESS:
        if (found := pattern.search(told)) and not _MORE.search(told, found.end()):
            said = told[max(found.start() - 40, 0) : found.end()]
            return not can_be_denied or _is_even(said) != bool(re.search(r"\b(?:poor|bad|weak)\b", found[0]))
    deserved = _DESERVES.search(told)
    return _is_even(told[: deserved.end()]) if deserved else None


def _of_deeds(told: str, deeds: Sequence[re.Match[str]], *, is_headed: bool) -> bool | None:
    first, last = deeds[0], deeds[-1]
    rest, form = told[last.end() :], first["form"]
    is_done = (form.endswith(("ed", "n")) and form != "en") or form in {"ied", "d"}
    scope = _scope(told, first, last, is_headed=is_headed, is_done=is_done)
    if scope is None or re.search(r"(?:n't|not) not\b", scope):
        return None
    is_judged = form.endswith("ing") and _EVALUATION.search(rest)
    if not is_done and not is_judged and not _OBJECT.match(rest):
        return None
    negatives = [match.group() for match in _NEGATIVE.finditer(scope)]
    if len(negatives) == 1 and _SOFT.match(negatives[0]):
        return None
    is_against = not is_done and not last["deny"] and re.search(r"^(?: \w+)? (?:against|not)\b", rest) is not None
    return (is_against + len(negatives) + sum(match["deny"] is not None for match in deeds)) % 2 == 0


def _scope(told: str, first: re.Match[str], last: re.Match[str], *, is_headed: bool, is_done: bool) -> str | None:
    """Get the part of a clause whose denials count: from its frame to its last deed, and a judgement behind."""
    before, rest = told[: first.start()], told[last.end() :]
    if is_done and (
        not _PASSIVE.search(before) or (not before.strip() and (bool(rest.strip(" .!✅❌")) or not is_headed))
    ):
        return None
    ought = next((match for match in _OUGHT.finditer(told, 0) if match.start() < first.start()), None)
    framed = [match.start() for match in (_SPEAKER.search(before), ought, _JUDGED.search(before)) if match]
    if is_done or framed:
        denials = [match.start() for match in re.finditer(r"\b(?:no|nothing|not)\b", before)]
        return told[min([*framed, *denials], default=0) : last.end()]
    if is_headed and _COMMAND.match(before) and first["form"] in {"", "e", "y"}:
        return told[: last.end()]
    said = _EVALUATION.search(rest) if first["form"].endswith("ing") else None
    is_judged = said is not None and _JUDGEMENT.search(said[0]) and before.strip(" '\"") in {"", "not"}
    return told[: last.end()] + said[0] if said and is_judged else None


def _is_form(match: re.Match[str]) -> bool:
    return (
        re.fullmatch(r"|e|s|es|ing|ting|ning|ling|ping|y|ied|ying|ies|ed|ted|red|led|en|n|d|t", match["form"])
        is not None
    )


def _to_somebody(clause: str) -> bool | None:
    match = _TO_SOMEBODY.search(clause)
    if match is None or _NEUTRAL.match(match["verb"]) or _MORE.search(clause):
        return None
    return len(_NEGATIVE.findall(match[0])) % 2 == 0
