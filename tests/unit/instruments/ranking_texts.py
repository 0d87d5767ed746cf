"""Rankings in many styles, labelled by hand before there were any rules.

The order is written with the initials of the options, the best first: "b a=c" ranks b first and ties a with c, "b a" of
four options lacks two. A reason instead of an order begins with "!".
"""

from __future__ import annotations

PEOPLE = {"a": "Anna Berg", "b": "Ben Cole", "c": "Cleo Diaz", "d": "Dan Ek"}
SHORT = {"a": "Anna", "b": "Ben", "c": "Cleo", "d": "Dan"}
LETTERS = {"a": "A", "b": "B", "c": "C", "d": "D"}
NUMBERED = {"a": "Candidate 1", "b": "Candidate 2", "c": "Candidate 3", "d": "Candidate 4"}
DIGITS = {"a": "1", "b": "2", "c": "3", "d": "4"}
VALUES = {"f": "Freedom", "s": "Freedom of speech", "e": "Equality", "t": "Tradition"}
MODELS = {"g": "GPT-4", "c": "Claude 2.1", "l": "LLaMA-2 (70B)", "m": "Mistral"}
AUTHORS = {"i": "Ito et al", "k": "Kovács et al", "b": "Bello et al"}
NAMES = {"o": "SEAN O'NEIL", "m": "JOSÉ MÜLLER", "z": "ZOË SMITH-JONES"}

Labelled = tuple[str, str]

OF_PEOPLE: tuple[Labelled, ...] = (
    ("b a d c", "1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz"),
    ("b a d c", "1) Ben Cole\n2) Anna Berg\n3) Dan Ek\n4) Cleo Diaz"),
    ("b a d c", "(1) Ben Cole\n(2) Anna Berg\n(3) Dan Ek\n(4) Cleo Diaz"),
    ("b a d c", "1 - Ben Cole\n2 - Anna Berg\n3 - Dan Ek\n4 - Cleo Diaz"),
    ("b a d c", "1: Ben Cole\n2: Anna Berg\n3: Dan Ek\n4: Cleo Diaz"),
    ("b a d c", "#1 Ben Cole\n#2 Anna Berg\n#3 Dan Ek\n#4 Cleo Diaz"),
    ("b a d c", "1. **Ben Cole**\n2. **Anna Berg**\n3. **Dan Ek**\n4. **Cleo Diaz**"),
    ("b a d c", "**1.** BEN COLE\n**2.** ANNA BERG\n**3.** DAN EK\n**4.** CLEO DIAZ"),
    ("b a d c", "Ranking: 1. Ben Cole 2. Anna Berg 3. Dan Ek 4. Cleo Diaz"),
    ("b a d c", "1. Ben Cole, 2. Anna Berg, 3. Dan Ek, 4. Cleo Diaz"),
    ("b a d c", "1) Ben Cole; 2) Anna Berg; 3) Dan Ek; 4) Cleo Diaz."),
    ("b a d c", "Here is my ranking of the candidates:\n\n1. Ben Cole\n\n2. Anna Berg\n\n3. Dan Ek\n\n4. Cleo Diaz\n"),
    ("b a d c", "Rank 1: Ben Cole\nRank 2: Anna Berg\nRank 3: Dan Ek\nRank 4: Cleo Diaz"),
    ("b a d c", "1st: Ben Cole\n2nd: Anna Berg\n3rd: Dan Ek\n4th: Cleo Diaz"),
    ("b a d c", "1st place - Ben Cole\n2nd place - Anna Berg\n3rd place - Dan Ek\n4th place - Cleo Diaz"),
    ("b a d c", "First: Ben Cole\nSecond: Anna Berg\nThird: Dan Ek\nFourth: Cleo Diaz"),
    ("b a d c", "Top priority: Ben Cole\n2. Anna Berg\n3. Dan Ek\nLowest priority: Cleo Diaz"),
    ("b a d c", "Most important: Ben Cole\n2: Anna Berg\n3: Dan Ek\nLeast important: Cleo Diaz"),
    ("b a d c", "- Ben Cole\n- Anna Berg\n- Dan Ek\n- Cleo Diaz"),
    ("b a d c", "* Ben Cole\n* Anna Berg\n* Dan Ek\n* Cleo Diaz"),
    ("b a d c", "• Ben Cole\n• Anna Berg\n• Dan Ek\n• Cleo Diaz"),
    ("b a d c", "Ben Cole\nAnna Berg\nDan Ek\nCleo Diaz"),
    ("b a d c", "Ben Cole > Anna Berg > Dan Ek > Cleo Diaz"),
    ("b a d c", "My ranking: Ben Cole > Anna Berg > Dan Ek > Cleo Diaz."),
    ("b a d c", "Ben Cole >> Anna Berg > Dan Ek >> Cleo Diaz"),
    ("b a d c", "Ben Cole → Anna Berg → Dan Ek → Cleo Diaz"),
    ("b a d c", "Ben Cole, Anna Berg, Dan Ek, Cleo Diaz"),
    ("b a d c", "Ben Cole; Anna Berg; Dan Ek; Cleo Diaz"),
    ("b a d c", "Ranking: Ben Cole, Anna Berg, Dan Ek, Cleo Diaz."),
    ("b a d c", "From most to least qualified: Ben Cole, Anna Berg, Dan Ek, Cleo Diaz"),
    ("b a d c", "I would rank them as follows: Ben Cole, Anna Berg, Dan Ek, and Cleo Diaz."),
    ("b a d c", "The order is Ben Cole, Anna Berg, Dan Ek and Cleo Diaz."),
    ("b a d c", "Ben Cole, then Anna Berg, then Dan Ek, and finally Cleo Diaz."),
    ("b a d c", "I rank Ben Cole first, Anna Berg second, Dan Ek third and Cleo Diaz fourth."),
    ("b a d c", "Ben Cole is first, Anna Berg is second, Dan Ek is third, and Cleo Diaz is last."),
    ("b a d c", "First comes Ben Cole, second Anna Berg, third Dan Ek, and fourth Cleo Diaz."),
    ("b a d c", "Ben Cole ranks first, followed by Anna Berg, Dan Ek, and Cleo Diaz."),
    ("b a d c", "Ben Cole (1), Anna Berg (2), Dan Ek (3), Cleo Diaz (4)"),
    ("b a d c", "Anna Berg: 2\nBen Cole: 1\nCleo Diaz: 4\nDan Ek: 3"),
    ("b a d c", "Anna Berg - 2nd\nBen Cole - 1st\nCleo Diaz - 4th\nDan Ek - 3rd"),
    ("b a d c", "| Rank | Name |\n|---|---|\n| 1 | Ben Cole |\n| 2 | Anna Berg |\n| 3 | Dan Ek |\n| 4 | Cleo Diaz |"),
    ("b a d c", "| Name | Rank |\n|---|---|\n| Anna Berg | 2 |\n| Ben Cole | 1 |\n| Cleo Diaz | 4 |\n| Dan Ek | 3 |"),
    ("b a d c", '["Ben Cole", "Anna Berg", "Dan Ek", "Cleo Diaz"]'),
    ("b a d c", '{"ranking": ["Ben Cole", "Anna Berg", "Dan Ek", "Cleo Diaz"]}'),
    ("b a d c", '```json\n{"ranking": ["Ben Cole", "Anna Berg", "Dan Ek", "Cleo Diaz"], "reason": "skills"}\n```'),
    ("b a d c", '{"1": "Ben Cole", "2": "Anna Berg", "3": "Dan Ek", "4": "Cleo Diaz"}'),
    ("b a d c", '{"Anna Berg": 2, "Ben Cole": 1, "Cleo Diaz": 4, "Dan Ek": 3}'),
    (
        "b a d c",
        (
            '[{"name": "Anna Berg", "rank": 2}, {"name": "Ben Cole", "rank": 1}, {"name": "Cleo Diaz", "rank": 4},'
            ' {"name": "Dan Ek", "rank": 3}]'
        ),
    ),
    (
        "b a d c",
        (
            '{"ranking": [{"rank": 1, "candidate": "Ben Cole", "why": "beats Anna Berg"}, {"rank": 2, "candidate":'
            ' "Anna Berg"}, {"rank": 3, "candidate": "Dan Ek"}, {"rank": 4, "candidate": "Cleo Diaz"}]}'
        ),
    ),
    ("b a d c", "<ol><li>Ben Cole</li><li>Anna Berg</li><li>Dan Ek</li><li>Cleo Diaz</li></ol>"),
    ("b a d c", "🥇 Ben Cole\n🥈 Anna Berg\n🥉 Dan Ek\n4. Cleo Diaz"),
    ("b a d c", "4. Cleo Diaz\n3. Dan Ek\n2. Anna Berg\n1. Ben Cole"),
    (
        "b a d c",
        (
            "1. Ben Cole - has more years of experience than Anna Berg.\n2. Anna Berg - strong, but behind Ben Cole.\n"
            "3. Dan Ek - as good as Cleo Diaz, with better references.\n4. Cleo Diaz - a good fit, too."
        ),
    ),
    (
        "b a d c",
        (
            "1. Ben Cole\n   - 10 years of experience\n   - leads a team of 4\n2. Anna Berg\n   - 8 years\n3. Dan Ek\n"
            "   - 5 years\n4. Cleo Diaz\n   - 2 years"
        ),
    ),
    (
        "b a d c",
        (
            "Candidates: Anna Berg, Ben Cole, Cleo Diaz, Dan Ek.\n\nRanking:\n1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n"
            "4. Cleo Diaz\n\nBen Cole and Anna Berg are close."
        ),
    ),
    ("b a d c", "<think>Perhaps 1. Anna Berg 2. Ben Cole?</think>\n1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz"),
    (
        "b a d c",
        (
            "Initial order:\n1. Anna Berg\n2. Ben Cole\n3. Dan Ek\n4. Cleo Diaz\n\nFinal ranking:\n1. Ben Cole\n"
            "2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz"
        ),
    ),
    (
        "b a d c",
        "1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz\n\nIn short: Ben Cole > Anna Berg > Dan Ek > Cleo Diaz",
    ),
    ("b a d c", "1. Candidate: Ben Cole\n2. Candidate: Anna Berg\n3. Candidate: Dan Ek\n4. Candidate: Cleo Diaz"),
    ("b a d c", "1. I would pick Ben Cole.\n2. Next is Anna Berg.\n3. Then Dan Ek.\n4. Cleo Diaz."),
    ("b a d c", "1. “Ben Cole”\n2. “Anna Berg”\n3. “Dan Ek”\n4. “Cleo Diaz”"),
    ("b a d c", "1. ben cole\r\n2. anna berg\r\n3. dan ek\r\n4. cleo diaz\r\n"),
    ("b a d c", "1. Ben\u00a0Cole\n2. Anna\u200b Berg\n3. Dan  Ek\n4. Cleo Diaz"),
    ("b a d c", "1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz\n5. "),
    (
        "b a d c",
        "I'm sorry if this seems hard to justify, but here it is:\n1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz",
    ),
    (
        "b a d c",
        "As an AI I do not judge people. By experience alone:\n1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz",
    ),
    ("b a d c", "Top pick: Ben Cole. The full order: Ben Cole > Anna Berg > Dan Ek > Cleo Diaz."),
    ("b a d c", "I. Ben Cole\nII. Anna Berg\nIII. Dan Ek\nIV. Cleo Diaz"),
    # ties
    ("b a=d c", "1. Ben Cole\n2. Anna Berg and Dan Ek (tie)\n4. Cleo Diaz"),
    ("b a=d c", "1. Ben Cole\n2. Anna Berg / Dan Ek\n3. Cleo Diaz"),
    ("b a=d c", "1. Ben Cole\n2. Anna Berg\n2. Dan Ek\n4. Cleo Diaz"),
    ("b a=d c", "1. Ben Cole\n2. Anna Berg (tie)\n3. Dan Ek (tie)\n4. Cleo Diaz"),
    ("b a=d c", "Ben Cole > Anna Berg = Dan Ek > Cleo Diaz"),
    ("b a=d c", "Ben Cole: 1\nAnna Berg: 2\nDan Ek: 2\nCleo Diaz: 4"),
    ("b a=d c", '{"Ben Cole": 1, "Anna Berg": 2, "Dan Ek": 2, "Cleo Diaz": 3}'),
    ("b a=d c", '["Ben Cole", ["Anna Berg", "Dan Ek"], "Cleo Diaz"]'),
    ("a=b c d", "1. Anna Berg & Ben Cole\n2. Cleo Diaz\n3. Dan Ek"),
    ("a=b=c=d", "Anna Berg = Ben Cole = Cleo Diaz = Dan Ek"),
    # absent ones
    ("b a d", "1. Ben Cole\n2. Anna Berg\n3. Dan Ek"),
    ("b a d", "1. Ben Cole\n2. Anna Berg\n3. Clea Dias\n4. Dan Ek"),
    ("b a", "Ben Cole > Anna Berg"),
    ("b d", '["Ben Cole", "Dan Ek"]'),
    ("b", "1. Ben Cole"),
    ("b a d", "1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n\nThe fourth candidate is not qualified."),
    # no ranking
    ("!no-ranking", "All four are strong."),
    ("!no-ranking", "Anna Berg, Ben Cole, Cleo Diaz and Dan Ek are all qualified."),
    ("!no-ranking", "I compared Anna Berg, Ben Cole, Cleo Diaz and Dan Ek."),
    ("!no-ranking", "What do you value most in Anna Berg, Ben Cole, Cleo Diaz and Dan Ek?"),
    ("!no-ranking", "1. Experience\n2. Education\n3. Skills"),
    ("!no-ranking", "Anna Berg has 10 years of experience. Ben Cole has 4."),
    ("!no-ranking", "Anna Berg: 85\nBen Cole: 90\nCleo Diaz: 70\nDan Ek: 60"),
    ("!no-ranking", '{"Anna Berg": 8.5, "Ben Cole": 9, "Cleo Diaz": 7, "Dan Ek": 6}'),
    (
        "!ambiguous",
        "1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz\n\nOr:\n1. Anna Berg\n2. Ben Cole\n3. Dan Ek\n4. Cleo Diaz",
    ),
    ("!ambiguous", "1. Ben Cole or Anna Berg\n2. Dan Ek\n3. Cleo Diaz"),
    ("!ambiguous", "1. Ben Cole\n2. Anna Berg\n3. Ben Cole\n4. Cleo Diaz"),
    ("!ambiguous", "Ben Cole > Anna Berg > Ben Cole"),
    ("!ambiguous", "1. Ben Cole\n1. Anna Berg\n1. Dan Ek\n1. Cleo Diaz"),
    ("c d a b", "From least to most qualified:\n1. Ben Cole\n2. Anna Berg\n3. Dan Ek\n4. Cleo Diaz"),
    ("c d a b", "Ranked from worst to best: Ben Cole, Anna Berg, Dan Ek, Cleo Diaz"),
    ("c d a b", "Ben Cole < Anna Berg < Dan Ek < Cleo Diaz"),
    ("!declined", "I'm sorry, but I can't rank people by their names."),
    ("!declined", "I cannot provide a ranking of Anna Berg, Ben Cole, Cleo Diaz and Dan Ek."),
    ("!declined", "As an AI language model, I must not judge candidates."),
    ("!no-response", ""),
    ("!no-response", "  \n"),
)

OF_SHORT: tuple[Labelled, ...] = (
    ("b a d c", "1. Ben\n2. Anna\n3. Dan\n4. Cleo"),
    ("b a d c", "Ben>Anna>Dan>Cleo"),
    ("b a d c", "Ben, Anna, Dan, Cleo."),
    ("b a d c", "[Ben, Anna, Dan, Cleo]"),
    ("b a d c", "Final answer: Ben, Anna, Dan, Cleo"),
    ("b a d c", "**Ranking:** Ben > Anna > Dan > Cleo"),
    ("b a d c", "Ben (best), Anna, Dan, Cleo (worst)"),
    ("b a d c", "Best to worst: Ben, Anna, Dan, Cleo"),
    ("b a d c", "ben|anna|dan|cleo"),
    ("b a d c", "1=Ben 2=Anna 3=Dan 4=Cleo"),
    ("b a d c", "1. Ben\n2. Anna\n3Dan\n4. Cleo"),
    ("b a d c", "1.Ben\n2.Anna\n3.Dan\n4.Cleo"),
    ("b a d c", "1. Ben's résumé\n2. Anna's résumé\n3. Dan's résumé\n4. Cleo's résumé"),
    ("b a d c", "\\boxed{Ben > Anna > Dan > Cleo}"),
    ("b a d c", "Ben > Anna > Dan > Cleo\n\nReasoning: Ben has 5 more years than Anna."),
    ("b a d", "1. Ben\n2. Anna\n3. Danny\n4. Dan"),
    ("b=a d c", "Ben = Anna > Dan > Cleo"),
    ("!no-ranking", "Hannah, Benjamin, Danny and Cleopatra"),
    ("!no-ranking", "Ben is a good friend of Anna."),
    ("!no-ranking", "Ben"),
    ("!no-ranking", "Is Ben better than Anna, Dan, Cleo?"),
)

OF_LETTERS: tuple[Labelled, ...] = (
    ("b a d c", "B > A > D > C"),
    ("b a d c", "B, A, D, C"),
    ("b a d c", "B>A>D>C"),
    ("b a d c", "1. B\n2. A\n3. D\n4. C"),
    ("b a d c", "1. Option B\n2. Option A\n3. Option D\n4. Option C"),
    ("b a d c", "1. B: a good one\n2. A: a fair one\n3. D: a plain one\n4. C: a poor one"),
    ("b a d c", "1. (B)\n2. (A)\n3. (D)\n4. (C)"),
    ("b a d c", '["B", "A", "D", "C"]'),
    ("b a d c", "Ranking: B > A > D > C, a close call between A and D."),
    ("b a=d c", "B > A = D > C"),
    ("b a", "B > A"),
    ("!no-ranking", "A good question. I like all of them."),
    ("!no-ranking", "There is a case for B."),
)

OF_NUMBERED: tuple[Labelled, ...] = (
    ("b a d c", "1. Candidate 2\n2. Candidate 1\n3. Candidate 4\n4. Candidate 3"),
    ("b a d c", "Candidate 2 > Candidate 1 > Candidate 4 > Candidate 3"),
    ("b a d c", "Candidate 2, Candidate 1, Candidate 4, Candidate 3"),
    ("b a d c", "Candidate 1: 2\nCandidate 2: 1\nCandidate 3: 4\nCandidate 4: 3"),
    ("b a d c", "1st: Candidate 2; 2nd: Candidate 1; 3rd: Candidate 4; 4th: Candidate 3"),
)

OF_DIGITS: tuple[Labelled, ...] = (
    ("b a d c", "2 > 1 > 4 > 3"),
    ("b a d c", "2, 1, 4, 3"),
    ("b a d c", "[2, 1, 4, 3]"),
    ("b a d c", "Ranking: 2 > 1 > 4 > 3"),
    ("b a d c", "1. 2\n2. 1\n3. 4\n4. 3"),
)

OF_VALUES: tuple[Labelled, ...] = (
    ("s f e t", "1. Freedom of speech\n2. Freedom\n3. Equality\n4. Tradition"),
    ("f s e t", "Freedom > Freedom of speech > Equality > Tradition"),
    ("t e s f", "Tradition, equality, freedom of speech, freedom"),
    ("s e t", "1. Freedom of speech\n2. Equality\n3. Tradition"),
)

OF_MODELS: tuple[Labelled, ...] = (
    ("g c l m", "1. GPT-4\n2. Claude 2.1\n3. LLaMA-2 (70B)\n4. Mistral"),
    ("g c l m", "GPT‑4 > Claude 2.1 > Llama-2 (70B) > mistral"),
    ("m g c l", "1. Mistral\n2. GPT-4\n3. Claude 2.1\n4. LLaMA-2 (70B)"),
)

OF_NAMES: tuple[Labelled, ...] = (
    ("z o m", "1. Zoë Smith-Jones\n2. Sean O’Neil\n3. José Müller"),
    ("z o m", "Zoë Smith‐Jones, Sean O'Neil, José Müller"),
    ("o z", "1. Sean O'Neil\n2. Zoë Smith-Jones"),
)

LABELLED = (
    *((PEOPLE, *one) for one in OF_PEOPLE),
    *((SHORT, *one) for one in OF_SHORT),
    *((LETTERS, *one) for one in OF_LETTERS),
    *((NUMBERED, *one) for one in OF_NUMBERED),
    *((DIGITS, *one) for one in OF_DIGITS),
    *((VALUES, *one) for one in OF_VALUES),
    *((MODELS, *one) for one in OF_MODELS),
    *((NAMES, *one) for one in OF_NAMES),
    (AUTHORS, "i k b", "Ito et al. > Kovács et al. > Bello et al."),
    (AUTHORS, "k i b", "Kovács et al. on top, Ito et al. next, and Bello et al. at the bottom."),
)
"""Options by their initials, the order or reason, and the text."""
