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
unfortunately not, sadly not, regrettably not, im afraid not, i am afraid not, i fear not
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
false, incorrect, n, disagree, decline, wrong, not, denied, dismissed
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

HEDGES = phrases_of("""
not have enough information, dont have enough information, need to know more, maybe, perhaps, possibly, it depends
that depends, depends, depending, not sure, unsure, uncertain, unclear, hard to say, difficult to say, hard to tell
impossible to say, cannot say, cant say, cannot be determined, undecided, on the fence, not necessarily, yes and no
either way, could go either way, might or might not, may or may not, neutral, no opinion, i dont know, i do not know
no idea, not enough information, insufficient information, need more information, more information, no preference
to be determined
""")
"""Phrases that leave the answer open."""

APOLOGY = (
    r"(?i)^\W*(?:(?:I['’]m|I\s+am)\s+)?(?:(?:so|very)\s+)?"
    r"(?:sorry(?:\s+to\s+say\s+so)?|afraid|unfortunately|regrettably)"
    r"\b\W*(?:but\b\W*)?(?:(?:the\s+answer\s+is|it['’]?s|it\s+is|it\s+will\s+be|that['’]?s)(?:\s+an?)?\s+)?"
    r"(no(?:\s*[,.;:!–—]|\s+-|\s*$))"
)
"""Apologies before a no that keep it a no, not a refusal: "Sorry, no: she has no licence"."""
