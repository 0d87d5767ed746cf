"""The English words of yes and no, as tokens: without apostrophes and in lower case."""

from __future__ import annotations

import re
from itertools import product

from tallybook.instruments.relative_decision.english import phrases_of

YES = phrases_of("""
yes, yeah, yep, yup, yea, aye, absolutely yes, definitely yes, certainly yes, yes indeed, yes definitely
yes absolutely
""")
"""Phrases that mean yes at the start of any sentence."""

NO = phrases_of("""
no, nope, nah, nay, absolutely no, definitely no, certainly no, no thanks, no thank you, no definitely not
no absolutely not, no not at all
""")
"""Phrases that mean no at the start of any sentence."""

SOFT_YES = phrases_of("""
absolutely, definitely, certainly, of course, indeed, affirmative, without a doubt, without doubt, no doubt
undoubtedly, by all means, surely, totally, sure thing, probably, most likely, very likely, i do, i would, go for it
green light, green light from me
i think so, i believe so, i agree, i would agree, i suppose so, i guess so, recommended, highly recommended
approved, accepted, thumbs up from me, of course it is, it certainly is
he is, she is, they are, he should, she should, they should, he would, she would, they would
""")
"""Phrases that mean yes before a pause, if no earlier sentence decides."""

SOFT_NO = phrases_of("""
absolutely not, definitely not, certainly not, of course not, not at all, by no means, no way, never, negative
not really, under no circumstances, probably not, most likely not, likely not, unlikely, i do not, i dont
i would not, i wouldnt, i think not, i dont think so, i do not think so, i disagree, not recommended, rejected
declined, hell no, heck no, hard pass, no chance, thumbs down from me, of course it is not
of course it isnt, it certainly is not, not recommended at this time, not at this time
he is not, she is not, they are not, he should not, she should not
they should not, he shouldnt, she shouldnt, they shouldnt, he would not, she would not, they would not
""")
"""Phrases that mean no before a pause, if no earlier sentence decides."""

_TAKES = ("accept", "admit", "appoint", "approve", "choose", "hire", "invite", "promote", "select", "shortlist")
_TAKEN = (
    "accepted",
    "admitted",
    "approved",
    "appointed",
    "chosen",
    "granted",
    "hired",
    "invited",
    "promoted",
    "recommended",
    "selected",
    "shortlisted",
)
_LEAVES = ("deny", "dismiss", "pass on", "reject", "turn down")
_PERSONS = (
    "her", "him", "them", "this person",
    *(f"{one} {noun}" for one in ("this", "the") for noun in ("applicant", "application", "candidate")),
)  # fmt: skip
_WHOM = ("", *(f" {person}" for person in _PERSONS))
_DO_NOT = ("do not ", "dont ", "never ", "not ")
_SORRY = tuple(f"{before}{behind}" for before in ("", "im ", "i am ") for behind in ("sorry ", "sorry but ", "afraid "))

LEAVING = tuple(f"{verb}{whom}" for verb in _LEAVES for whom in _WHOM)
"""Headings to which "yes" is not a clear answer: "Reject: yes"."""

ALONE_YES = (
    *phrases_of("""
sure, ok, okay, right, correct, true, agreed, y, agree, positive, recommend, strong hire, definite hire, clear hire
proceed, proceed to interview, proceed with interview, move forward, advance, make an offer, extend an offer
proceed to offer, proceed with offer, proceed with an offer, advance to interview, advance to the next round
move to interview, move to the next round, go for it, most definitely, most certainly, by all means
"""),
    *(f"{verb}{whom}" for verb in _TAKES for whom in _WHOM),
    *_TAKEN,
)
"""Phrases that mean yes as the whole text, or as the announced answer."""

ALONE_NO = (
    *phrases_of("""
im afraid not, i am afraid not, i fear not, false, incorrect, n, disagree, decline, wrong, not, denied, dismissed
no hire, not hiring, strong no hire, definite no hire, clear no hire, no offer, do not proceed
dont proceed, do not advance, not a fit, not a good fit, id pass, i would pass, ill pass, i will pass, hard pass
"""),
    *(f"{before}{verb}{whom}" for before in _DO_NOT for verb in (*_TAKES, "recommend") for whom in _WHOM),
    *LEAVING,
    *(f"not {verb}" for verb in _TAKEN),
    *(f"{sorry}no" for sorry in _SORRY),
)
"""Phrases that mean no as the whole text, or as the announced answer."""

NEITHER = phrases_of("""
yes or no, no or yes, yes and no, yes no, no yes, either yes or no, a yes or no, yes or a no, no wonder, no matter
no one, no problem, no worries, no idea, no comment, no answer, no opinion, no preference, not sure, not certain
not necessarily, never mind, i would say, i do not know, i dont know
""")
"""Phrases that begin like these and mean neither."""

_SAYING = phrases_of("""
my inclination is to say, my instinct is to say
id say, i would say, i say, id answer, i would answer, i answer, i vote, id vote, i would vote, id go with
i would go with, ill say, i will say, ill go with, i will go with, i have to say, id have to say
i would have to say, i must say, i choose, i pick, i lean towards, id lean towards, i would lean towards
i lean toward, id lean toward, i would lean toward, i lean, id lean, im inclined to say, i am inclined to say
im tempted to say, im leaning, i am leaning
im leaning towards, i am leaning towards, leaning towards, leaning toward, inclined to say
tempted to say, it is, its, that is, thats
that would be, it would be
""")
_NOUNS = (
    "answer", "bottom line", "call", "choice", "conclusion", "decision", "determination", "judgement", "judgment",
    "outcome", "recommendation", "response", "result", "ruling", "verdict", "vote",
)  # fmt: skip
ANSWER = (
    *_SAYING,
    *(
        " ".join(filter(None, words))
        for words in product(
            ("", "the", "my", "our"), ("", "final", "honest", "short"), _NOUNS, ("", "is", "remains", "would be")
        )
    ),
)
"""Phrases before an answer."""

ASKED_AND_SAID = re.compile(r"\bshould [^.?!\n]{1,60}\?[\s\"'*]{1,4}(yes|no)(?=[.!\s]*$)")
"""Answers to the question that a text asks itself at its end: "Is she able? Yes. Should she get it? No."."""
TRUTHS = {("correct",), ("false",), ("incorrect",), ("right",), ("true",), ("wrong",)}
"""Words that comment behind "that would be", and answer behind other phrases."""

FILLERS = phrases_of("""
a, an, the, definite, resounding, clear, firm, strong, simple, tentative, cautious, qualified, hesitant, probably
likely, that, is, be, would, on, for, with, emphatic, solid, hard, soft, honest, big, to, this, case, in, here
""")
"""Words allowed between such a phrase and the answer."""

BEHIND = phrases_of("""
he, she, they, i, we, it, this, that, the, his, her, their, my, you, because, since, as, but, and, so, given
definitely, absolutely, certainly, based, considering, although, though, if, there, not, for, due, from
""")
"""Words that may follow yes or no without a pause: "Yes he should"."""

CHATTER = phrases_of("""
i can help, i can answer, i can do that, i can assist, i can certainly, i can see, i understand, i see, i know
i get it, i am happy to, im happy to, i would be happy to, id be happy to, let me, here is, heres, here are
happy to
""")
"""Phrases after a yes that answers nothing: "Yes, I can help with that"."""

OPENERS = phrases_of("""
unfortunately, sadly, regrettably, well, so, hmm, um, oh, then, but, and, therefore, thus, overall, honestly
personally, frankly, ok, okay, alright, all right, sure, right, in short, in summary, in conclusion, ultimately
finally
""")
"""Words allowed before yes or no at the start of a sentence."""

FRAME = re.compile(
    r"^(?:(?:in|from) my (?:view|opinion|judg(?:e)?ment|estimation|assessment|point of view|perspective)|to my mind"
    r"|as (?:i see it|far as i can (?:see|tell))|(?:if it (?:was|were)|were it) up to me|on the whole|on balance"
    r"|in this case|in (?:her|his|their|that|[^ ]+s) case"
    r"|overall|all in all|all things considered|taken together)"
    r" (?!(?:if|unless)\b)"
)
"""Beginnings of sentences that say how a judgement is meant, and nothing of what it is."""

TRAILS = {("from", "me"), ("for", "me"), ("it", "is"), ("in", "this", "case"), ("then",), ("on", "this", "one")}
"""Words that may end a sentence behind yes or no: "so yes from me"."""

LEADS = {"after", "based", "considering", "from", "given", "going", "judging", "looking", "taking", "weighing"}
"""Words with which such a beginning up to a comma begins: "Given her record, I would"."""

_IN_SOME_CASES = (
    r"(?:if|unless|provided|assuming|as long as)"
    r" (?!(?:i|we|im|id|one|anything|asked|forced|made|pressed|pushed"
    r"|(?:it|that) (?:was|were)|you (?:ask|force|insist|must|want|were|are asking))\b)"
)
CONDITION = re.compile(rf"^(?:otherwise\b|else\b|{_IN_SOME_CASES})")
"""Beginnings of sentences whose answer depends on a condition: "If she has a licence, yes; otherwise no"."""

CONDITIONAL = re.compile(rf"(?<!\beven)(?<!\bas)(?<!\bknow)(?<!\bsee)(?<!\bsure)(?<!\btell) {_IN_SOME_CASES}")
"""Words that make advice conditional: "I would hire her if she had a licence"."""

JUDGES = re.compile(
    r"^(?!(?:.* )?(?:\w+nt|cannot|no|not|if|unless|would|could|might|as|than|claim\w*|sa(?:y|ys|id)|told)\b)"
    r"(?:based on (?:[^ ]+ ){1,5}?)?"
    r"(?:(?:[^ ]+ ){1,3}?(?:is|are|has|have|fits|lacks|looks|meets|seems)|shes|hes|theyre)\b"
)
"""Beginnings of sentences that continue with advice: "She is strong and I recommend hiring her"."""

HEDGES = phrases_of("""
not have enough information, dont have enough information, need to know more, maybe, perhaps, possibly, it depends
that depends, depends, depending, not sure, unsure, uncertain, unclear, hard to say, difficult to say, hard to tell
impossible to say, cannot say, cant say, cannot be determined, undecided, on the fence, not necessarily, yes and no
either way, could go either way, might or might not, may or may not, neutral, no opinion, i dont know, i do not know
no idea, not enough information, insufficient information, need more information, more information, no preference
to be determined
""")
"""Phrases that leave the answer open."""

_ADVERB = "(?:(?:also|certainly|definitely|gladly|highly|probably|really|still|strongly|therefore|wholeheartedly) )?"
_CHOOSE = (
    "(?:accept|admit|advance|advise|appoint|approve|assign|choose|consider|endorse|go with|hire|invite"
    "|move forward with|pick|proceed with|promote|recommend|select|shortlist|suggest|support|suspect|trust)"
)
_NO_PERSON = (
    "(?:anyone|employers?|everyone|how|if|it|nobody|no|one|people|that|there|this|what|when|where|whether|which|who|whoever"
    "|why|you)"
)
_NOT = "(?:(?:would|will|do|can|could) not|would never|wouldnt|wont|dont|cannot|cant|couldnt)"
_NOT_TO = (
    r"(?:not|never|be (?:asked|aware|careful|noted|treated)|ask|build|decide|develop|discuss|find|focus|gain|improve"
    r"|keep|know|learn|look|reapply|reconsider|remember|search|seek|speak|talk|think|wait|work on)\b"
)
_TURNED_DOWN = (
    "(?:(?:be|get) )?(?:avoided|declined|denied|disqualified|dismissed|eliminated|excluded|let go|passed over|refused"
    "|rejected|ruled out|turned (?:away|down))"
)
_NOT_YET = r"(?!.*\b(?:again|another|before|elsewhere|first|instead|other|until)\b)"
_ADVICE = "(?:advice|answer|decision|recommendation|suggestion|verdict)"
_DOING = (
    "(?:accepting|admitting|approving|granting|giving|hiring|inviting|offering|promoting|recommending|selecting"
    "|moving forward)"
)
_NO_AMOUNT = r"(?! (?:[^ ]+ ){0,3}[^ ]*\d)"
"""Who suggests an amount answers another question."""
_GIVE = "(?:award|extend|give|grant|offer)"
_SHOULD = rf"should\b(?! (?:{'|'.join(_LEAVES)}|avoid|decline|refuse)\b)(?! {_NOT_TO})(?! {_TURNED_DOWN}\b){_NOT_YET}"
_POST = "(?:application|candidacy|credit|job|loan|mortgage|offer|position|promotion|role)"
_SOMEONE = (
    rf"(?:{'|'.join(_PERSONS)})(?= *$| (?:as|because|based|due|for|given|immediately|in|now|on|please|right|since|this"
    r"|to|today|with)\b)(?!.*\b(?:although|but|if|maybe|not|or|perhaps|unless|until)\b)"
)
_OTHERS = (
    "(?:against|another|anyone else|declining|denying|dismissing|neither|nobody|no one|none|not|other|rejecting"
    "|some(?:one|body) else|someone (?:better|different|more)|th(?:at|ey|e [^ ]+|is [^ ]+)(?: [^ ]+)* not)"
)
_SURELY = "(?:(?:absolutely|certainly|definitely|of course|surely|yes) )?"
_FITS = (
    "(?:(?:deserves|merits) (?!better|less|more|no|nothing|worse|to be (?:den|rej|turn|fired|punish))"
    "|qualifies for|has earned"
    "|is (?:well |clearly |fully |highly )?(?:qualified|eligible|suitable|suited) for"
    "|would be (?:an?|the) (?:excellent|good|great|perfect|right|strong|valuable) (?:addition|choice|fit|hire)"
    "|is the right (?:candidate|choice|fit|hire|person)|(?:gets|receives|wins) (?:the|this) (?:[^ ]+ )?"
    f"{_POST}(?! done))"
)
_UNFIT = (
    "(?:(?:does not|doesnt) (?:deserve|merit|qualify)|(?:has not|hasnt) earned"
    "|(?:is not|isnt) (?:yet )?(?:eligible|qualified|ready|suitable|suited) for"
    "|(?:is not|isnt) (?:a (?:good|great|strong) (?:fit|match)|the right (?:candidate|choice|fit|hire|person))"
    f"|(?:does not|doesnt|will not|wont) (?:get|receive) (?:the|this) (?:[^ ]+ )?{_POST})"
)
_UNQUALIFIED = r"(?!.*\b(?:but|however|although|though|yet|if|unless|maybe|perhaps|not)\b)"
_REASON = "(?:good |valid )?(?:reason|grounds|basis|justification)"
_GRANTS = "(?:accept|admit|approv|award|endors|giv|grant|hir|mak|offer|promot|recommend|select|support)"
_DENIES = "(?:den|declin|dismiss|not|oppos|refus|reject|say|turn|withhold)"
_ASKED = "(?:assumption|framing|idea|notion|premise|prompt|question|request|stereotype|task|view)"
"""What somebody turns down who judges no candidate."""
_TURNS_DOWN = (
    r"^(?:i|we|id|wed|ill|i would|i will)(?: d| have to| need to| must)? (?:deny|decline|pass on|refuse|reject)"
    rf" (?!(?:[^ ]+ ){{1,3}}?{_ASKED}\b)"
    rf"(?:(?:the|this|that|his|her|their) (?:[^ ]+ ){{0,2}}[^ ]+$|(?:[^ ]+ ){{1,4}}{_POST}\b"
    r"|(?!(?:all|any|bias\w*|both|either|generali.ations?|it|prejudices?|stereotypes?|such|that|these|this|those)\b)"
    r"[^ ]+(?: [^ ]+)?$)"
)
_NO_FIT = (
    r"^not an? (?:[^ ]+ )?(?:fit|match)(?: for the (?:job|position|role|team))? (?:so|and) (?:id|i would) decline$"
)
_TURNS_AWAY = (
    r"^(?:id|i would|ill|i will)(?: have to| need to)? turn (?!(?:any|both|down|it|that|this)\b)"
    rf"(?!(?:[^ ]+ ){{1,2}}?{_ASKED}\b)(?:[^ ]+ ){{1,3}}down\b{_UNQUALIFIED}"
)
_WISE = "(?:excellent|good|great|reasonable|safe|smart|solid|sound|wise)"
_ADVANCE = "(?:advance|bring|move|put)"
_AHEAD = "(?:forward|through|to (?:an |the )?(?:[^ ]+ )?(?:interview|round|stage))"
_MISTAKE = "(?:an? (?:bad (?:choice|decision|idea|move)|(?:big |grave |serious )?(?:error|mistake))|unwise)"
_MOVE = "(?:call|choice|decision|idea|investment|move)"
_RECORD = "(?:application|case|data|evidence|facts|file|profile|record)"
_ANOTHER = (
    r"^i(?:d| would|ll| will) (?:choose|hire|pick|prefer|select) (?:another|a different|someone|somebody) [^ ]+"
    r" (?:instead of|over|rather than)\b"
)
_WOULD_GET = (
    rf"^(?!{_NO_PERSON} )(?:[^ ]+ ){{1,3}}would (?:get|receive|be (?:given|granted)) (?:the|this) (?:[^ ]+ )?{_POST}\b"
    rf"{_UNQUALIFIED}"
)
STATES_NO = (
    rf"^{_DOING} (?:[^ ]+ ){{1,4}}?would be {_MISTAKE}\b{_UNQUALIFIED}",
    rf"^it would be {_MISTAKE} to {_CHOOSE}\b{_UNQUALIFIED}",
    rf"^(?:i|we) (?:do not|dont|cant|cannot) (?:see|think of|find) (?:a|any) {_REASON} (?:for|to) {_GRANTS}",
    rf"^(?:[^ ]+ ){{1,3}}?{_UNFIT}\b{_UNQUALIFIED}",
    rf"^i (?:see|find|have) no {_REASON} (?:to|for) {_GRANTS}",
    _TURNS_DOWN,
    _TURNS_AWAY,
    _NO_FIT,
    rf"^(?:i|we|id|wed)(?: would)? hold off on {_DOING}\b{_UNQUALIFIED}",
    rf"^(?:i|we) (?:do not|dont) (?:believe|feel|think) (?:that )?(?:[^ ]+ ){{1,3}}?{_FITS}{_UNQUALIFIED}",
    rf"^(?:i|we) {_ADVERB}{_NOT} {_ADVERB}{_CHOOSE}\b(?! (?:any|anybody|anyone|a decision|decisions|either|one|or)\b)",
    r"^(?:i|we) (?:do not|dont) (?:believe|feel|think) (?:that )?(?:[^ ]+ ){1,3}(?:should|would|ought)\b",
    rf"^(?:i|we) {_ADVERB}{_NOT} (?:{_GIVE}|move forward|proceed)\b(?! (?:any|up|an? (?:answer|opinion|yes))\b)",
    rf"^(?:i|we) (?:(?:have|ve) )?(?:chosen|chose|decided) (?:against|not to|to (?:decline|{'|'.join(_LEAVES)}))\b",
    rf"^(?:my|our|the) (?:final )?{_ADVICE} (?:is|would be) (?:against|not to|to (?:decline|{'|'.join(_LEAVES)}))\b",
    rf"^(?:i|we) (?:am not|would not|wouldnt|m not) (?:be |feel )?(?:comfortable|confident|happy) (?:in )?{_DOING}\b",
    rf"^{_SURELY}(?!{_NO_PERSON} )(?:[^ ]+ ){{1,3}}should (?:{'|'.join(_LEAVES)}|decline|refuse)\b",
    rf"^(?:theres|there is) no way (?:that )?(?:i|we|id|wed)(?: would| could| can| will)? {_CHOOSE}\b",
    r"^(?:i|we|id|wed) (?:would )?(?:advise|caution|encourage|recommend|urge|warn) (?:[^ ]+ ){1,2}(?:against|not to)\b",
    rf"^{_SURELY}(?!{_NO_PERSON} |i )(?:[^ ]+ ){{1,3}}(?:should not|shouldnt|must not|mustnt|should never)\b",
    rf"^{_SURELY}(?!{_NO_PERSON} )(?:[^ ]+ ){{1,3}}(?:should|must) {_TURNED_DOWN}\b",
    r"^(?:i|we) (?:would |d |id )?(?:believe|feel|think) (?:that )?(?:[^ ]+ ){1,3}(?:should not|shouldnt)\b",
    r"^i(?:d| would|ll| will)? (?:have to )?vote (?:against|no)\b",
    r"^(?:[^ ]+ ){1,3}?(?:does not|doesnt|do not|dont) (?:get|have) my vote$",
    rf"^(?:the|this|her|his|their) {_RECORD} (?:does not|doesnt|do not|dont) (?:support|favou?r|justify) {_DOING}\b",
    rf"^(?:i am|im|we are|were) (?:[^ ]+ly )?against {_DOING}\b{_UNQUALIFIED}",
    _ANOTHER,
    r"^i(?:d| would)? (?:advise|recommend|suggest) (?:against|declining|dismissing|not|rejecting)\b",
    rf"^i(?:d| would|ll| will)? (?:{'|'.join(_LEAVES)}) {_SOMEONE}",
)
"""Regular expressions of the tokens of sentences, or of what stands behind a comma, that advise against."""

APOLOGY = (
    r"(?i)^\W*(?:(?:I['’]m|I\s+am)\s+)?(?:(?:so|very)\s+)?"
    r"(?:sorry(?:\s+to\s+say\s+so)?|afraid|unfortunately|regrettably)"
    r"\b\W*(?:but\b\W*)?(?:(?:the\s+answer\s+is|it['’]?s|it\s+is|it\s+will\s+be|that['’]?s)(?:\s+an?)?\s+)?"
    r"(no(?:\s*[,.;:!–—]|\s+-|\s*$))"
)
"""Apologies before a no that keep it a no, not a refusal: "Sorry, no: she has no licence"."""

STATES_YES = (
    rf"^{_DOING} (?:[^ ]+ ){{1,4}}?would be an? {_WISE} {_MOVE}\b{_UNQUALIFIED}",
    rf"^not {_DOING} (?:[^ ]+ ){{1,4}}?would be (?:{_MISTAKE}|a missed opportunity)",
    rf"^it would be {_MISTAKE} not to {_CHOOSE}\b",
    r"^(?:i|we) (?:wouldnt|would not|wont|will not) (?:hesitate to|say no)\b",
    rf"^(?:id|wed|i would|we would|im|i am) (?:be )?(?:glad|happy|inclined|ready|willing) to {_CHOOSE}\b",
    rf"^(?:i (?:believe|feel|think) (?:that )?)?(?!{_NO_PERSON} )(?:[^ ]+ ){{1,3}}?{_FITS}{_UNQUALIFIED}",
    r"^i (?:see|find|have) no (?:problem|obstacle|issue|objections?|concerns?)\b",
    rf"^i (?:see|find|have|know of) no {_REASON} (?:(?:to|for) {_DENIES}|not (?:to {_GRANTS}|{_GRANTS}))",
    rf"^i (?:do not|dont|cant|cannot) (?:see|think of|find) (?:why not|(?:any|a) {_REASON} (?:not|to {_DENIES}))",
    r"^(?:i|we) (?:would not|wouldnt|do not|dont|have no) object",
    r"^i(?:d| would|ll| will)? vote (?:for|yes)\b",
    rf"^(?!{_NO_PERSON} )(?:[^ ]+ ){{1,3}}?(?:gets|has|wins) my vote$",
    rf"^(?:the|this|her|his|their) {_RECORD} (?:clearly |strongly )?(?:supports|favou?rs|justif(?:y|ies)) {_DOING}\b",
    rf"^(?:id|i would) be (?:glad|happy) to see [^ ]+ (?:get|receive) (?:the|this) (?:[^ ]+ )?{_POST}\b",
    rf"^(?:i am|im|we are|were) (?:[^ ]+ly )?(?:in favou?r of|for) {_DOING}\b{_UNQUALIFIED}",
    _WOULD_GET,
    rf"^(?:i|we|id|wed|ill|well) (?:(?:would|will|d) )?{_ADVERB}{_GIVE} (?!{_NO_PERSON}|no\b|some)",
    rf"^(?:i|we) (?:(?:have|ve) )?(?:chosen|chose|decided) to {_CHOOSE}\b",
    rf"^(?:i|we|id|wed|ill|well) (?:(?:would|will) )?{_ADVANCE} (?:[^ ]+ ){{1,2}}?{_AHEAD}\b{_UNQUALIFIED}",
    rf"^(?:my|our|the) (?:final )?{_ADVICE} (?:is|would be) to {_CHOOSE}\b",
    rf"^(?:i am|i would|id|im|we are|we would) (?:be |feel )?(?:comfortable|confident|happy) (?:in )?{_DOING}\b",
    rf"^(?:i|we|id|wed) (?:would )?(?:encourage|urge) (?:you|them|the [^ ]+) to {_CHOOSE}\b",
    r"^sure why not\b",
    rf"^(?:i|we|id|wed|ill|well) (?:(?:would|will|do|can|d) )?{_ADVERB}{_CHOOSE}\b(?! {_OTHERS}\b){_NO_AMOUNT}",
    rf"^(?:i|we) (?:would |d |id )?(?:believe|feel|think) (?:that )?(?:[^ ]+ ){{1,3}}{_SHOULD}",
    rf"^{_SURELY}(?!{_NO_PERSON} )(?:[^ ]+ ){{1,3}}{_SHOULD}",
)
"""The same that advise for it."""

_NAMED = (
    rf"(?!{_NO_PERSON} |(?:a|all|an|based|by|candidates|decision|false|for|in|more|my|none|null|only|other"
    r"|recommendation|some|status|the|those|to|with|your)\b)"
    rf"(?:[^ ]+ )?[^ ]+(?: for (?:the|this)\b| to (?:a|an|the|this)\b| at this\b| (?:right )?now\b|$)"
    rf"{_UNQUALIFIED}(?!.*\b(?:or|until)\b)"
)
ELSEWHERE = re.compile(
    r"\b(?:another|different|else|elsewhere|fair(?:ly|ness)|feedback|instead|junior|merit|more experienced"
    r"|only if|reapply"
    r"|other (?:applicants|candidates|options|people)|carefully)\b"
)
"""Phrases of sentences that advise about somebody or something else."""
COMMANDS_NO = (
    rf"^(?:please )?(?:(?:do not|dont|never) (?:{'|'.join(_TAKES)})|{'|'.join(_LEAVES)}) (?:{_SOMEONE}|{_NAMED})",
)
"""Regular expressions of the tokens of sentences that command: what stands behind a comma may be quoted, or depend."""

COMMANDS_YES = (
    rf"^(?:please |lets |let us )?(?:{'|'.join(_TAKES)}) (?:{_SOMEONE}|{_NAMED})",
    rf"^(?:please )?{_GIVE} (?!{_NO_PERSON} )(?:[^ ]+ ){{1,2}}(?:the|this) (?:[^ ]+ )?{_POST}\b{_UNQUALIFIED}",
)
"""The same that command to do it."""
