"""Texts of many forms that give each of four words to one of two groups."""

from __future__ import annotations

ALL = "sunny > green; kind > green; rude > purple; gloomy > purple"

# Every text of a form gives the four pairs of ALL.
COMPLETE = {
    "dashes": [
        "sunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple",
        "sunny-Green\nkind-Green\nrude-Purple\ngloomy-Purple",
        "sunny – Green\nkind – Green\nrude – Purple\ngloomy – Purple",
        "sunny—Green\nkind—Green\nrude—Purple\ngloomy—Purple",
        "sunny ― Green\nkind ― Green\nrude ― Purple\ngloomy ― Purple",
        "sunny − Green\nkind ‐ Green\nrude ‑ Purple\ngloomy ‒ Purple",
        "sunny -- Green\nkind --- Green\nrude ------ Purple\ngloomy -- Purple",
        "sunny ﹣ Green\nkind － Green\nrude ⁃ Purple\ngloomy - Purple",
        "sunny -Green\nkind- Green\nrude  -  Purple\ngloomy\t-\tPurple",
    ],
    "other marks": [
        "sunny: Green\nkind: Green\nrude: Purple\ngloomy: Purple",
        "sunny:Green\nkind ：Green\nrude :Purple\ngloomy :: Purple",
        "sunny -> Green\nkind->Green\nrude --> Purple\ngloomy ---> Purple",
        "sunny → Green\nkind→Green\nrude ⇒ Purple\ngloomy ➡️ Purple",
        "sunny => Green\nkind ==> Green\nrude ⟶ Purple\ngloomy ➔ Purple",
        "sunny = Green\nkind=Green\nrude ＝ Purple\ngloomy == Purple",
        "sunny > Green\nkind » Green\nrude ~ Purple\ngloomy <-> Purple",
        "sunny, Green\nkind, Green\nrude, Purple\ngloomy, Purple",
        "sunny; Green\nkind; Green\nrude; Purple\ngloomy; Purple",
        "sunny/Green\nkind/Green\nrude / Purple\ngloomy/Purple",
        "sunny ..... Green\nkind … Green\nrude........Purple\ngloomy ... Purple",
        "sunny (Green)\nkind (Green)\nrude [Purple]\ngloomy {Purple}",
        "sunny_Green\nkind_Green\nrude_Purple\ngloomy_Purple",
        "sunny | Green\nkind | Green\nrude | Purple\ngloomy|Purple",
        "sunny &rarr; Green\nkind &mdash; Green\nrude &#8211; Purple\ngloomy -&gt; Purple",
        (
            "sunny $\\rightarrow$ Green\nkind $\\to$ Green\nrude \\(\\rightarrow\\) Purple\ngloomy "
            "$\\longrightarrow$ Purple"
        ),
        "sunny 👉 Green\nkind 👉 Green\nrude 👉 Purple\ngloomy 👉 Purple",
        "sunny ⟹ Green\nkind ↦ Green\nrude ⇨ Purple\ngloomy ► Purple",
    ],
    "blanks": [
        "sunny Green\nkind Green\nrude Purple\ngloomy Purple",
        "sunny\tGreen\nkind\tGreen\nrude\tPurple\ngloomy\tPurple",
        "sunny        Green\nkind         Green\nrude         Purple\ngloomy       Purple",
        "sunny\u00a0Green\nkind\u2003Green\nrude\u3000Purple\ngloomy\u202fPurple",
        "   sunny - Green   \n\n\n   kind - Green\n\n rude - Purple   \n\t\n gloomy - Purple\n\n",
        "sunny - Green\r\nkind - Green\r\nrude - Purple\r\ngloomy - Purple\r\n",
        "sunny - Green\rkind - Green\rrude - Purple\rgloomy - Purple",
        "sunny - Green\u2028kind - Green\u2028rude - Purple\u2029gloomy - Purple",
        "sunny - Green\x0bkind - Green\x0crude - Purple\x85gloomy - Purple",
        "sunny - Green<br>kind - Green<br/>rude - Purple<br />gloomy - Purple",
        "sunny - Green\\nkind - Green\\nrude - Purple\\ngloomy - Purple",
    ],
    "case and letters": [
        "SUNNY - GREEN\nKIND - GREEN\nRUDE - PURPLE\nGLOOMY - PURPLE",
        "Sunny - green\nKind - green\nRude - purple\nGloomy - purple",
        "ｓｕｎｎｙ － Ｇｒｅｅｎ\nkind - 𝐆𝐫𝐞𝐞𝐧\n𝓇𝓊𝒹𝑒 - Purple\ngloomy - Ⓟⓤⓡⓟⓛⓔ",
        "su\u200bnny - Gre\u00aden\n\ufeffkind - Green\u200e\nru\u2060de - Purple\ngloomy - Pur\u200dple",
        "\x1b[32msunny - Green\x1b[0m\nkind - Green\x00\nrude\x07 - Purple\ngloomy - Purple\x1b[0m",
        "\u202esunny - Green\u202c\nkind - Green\nrude - Purple\ngloomy - Purple",
    ],
    "numbers and bullets": [
        "1. sunny - Green\n2. kind - Green\n3. rude - Purple\n4. gloomy - Purple",
        "1) sunny - Green\n2) kind - Green\n3) rude - Purple\n4) gloomy - Purple",
        "(1) sunny - Green\n(2) kind - Green\n(3) rude - Purple\n(4) gloomy - Purple",
        "1: sunny - Green\n2: kind - Green\n3 - rude - Purple\n#4 gloomy - Purple",
        "1️⃣ sunny - Green\n2️⃣ kind - Green\n3️⃣ rude - Purple\n4️⃣ gloomy - Purple",
        "a) sunny - Green\nb) kind - Green\nc) rude - Purple\nd) gloomy - Purple",
        "i. sunny - Green\nii. kind - Green\niii. rude - Purple\niv. gloomy - Purple",
        "- sunny - Green\n- kind - Green\n- rude - Purple\n- gloomy - Purple",
        "* sunny - Green\n* kind - Green\n+ rude - Purple\n• gloomy - Purple",
        "– sunny: Green\n— kind: Green\n‣ rude: Purple\n◦ gloomy: Purple",
        "> sunny - Green\n> kind - Green\n> rude - Purple\n> gloomy - Purple",
        "- [x] sunny - Green\n- [x] kind - Green\n- [ ] rude - Purple\n- [ ] gloomy - Purple",
        "✅ sunny - Green\n✅ kind - Green\n✅ rude - Purple\n✅ gloomy - Purple",
        "Pair 1: sunny - Green\nPair 2: kind - Green\nPair 3: rude - Purple\nPair 4: gloomy - Purple",
    ],
    "quotes, brackets, markup": [
        '"sunny" - "Green"\n"kind" - "Green"\n"rude" - "Purple"\n"gloomy" - "Purple"',
        "'sunny' - 'Green'\n'kind'-'Green'\n'rude' - Purple\ngloomy - 'Purple'",
        "“sunny” – “Green”\n‘kind’ – ‘Green’\n«rude» – «Purple»\n„gloomy“ – „Purple“",
        "[sunny] - [Green]\n[kind - Green]\n(rude - Purple)\n{gloomy - Purple}",
        "(sunny, Green)\n(kind, Green)\n(rude, Purple)\n(gloomy, Purple)",
        "[sunny] [Green]\n(kind) (Green)\n[rude], [Purple]\n{gloomy} {Purple}",
        "**sunny** - Green\n*kind* - Green\n__rude__ - Purple\n`gloomy` - Purple",
        "**sunny - Green**\n***kind*** - **Green**\n_rude_ - _Purple_\n==gloomy== - Purple",
        "**sunny:** Green\n**kind**: Green\n**rude:** Purple\n**gloomy:** **Purple**",
        "<b>sunny</b> - Green\n<i>kind</i> - Green\n<strong>rude</strong> - Purple\n<em>gloomy</em> - Purple",
        "<li>sunny - Green</li><li>kind - Green</li><li>rude - Purple</li><li>gloomy - Purple</li>",
        "```\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple\n```",
        "```text\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple\n```",
        "\\textbf{sunny} - Green\n\\text{kind} - Green\n\\boxed{rude - Purple}\ngloomy - \\mathrm{Purple}",
        "sunny - Green.\nkind - Green,\nrude - Purple;\ngloomy - Purple!",
        "sunny -> <Green>\nkind -> <Green>\nrude -> <Purple>\ngloomy -> <Purple>",
    ],
    "group first": [
        "Green - sunny\nGreen - kind\nPurple - rude\nPurple - gloomy",
        "Green: sunny\nGreen: kind\nPurple: rude\nPurple: gloomy",
        "Green → sunny\nGreen → kind\nPurple → rude\nPurple → gloomy",
        "Green sunny\nGreen kind\nPurple rude\nPurple gloomy",
    ],
    "several a line": [
        "sunny - Green, kind - Green, rude - Purple, gloomy - Purple",
        "sunny - Green; kind - Green; rude - Purple; gloomy - Purple.",
        "sunny: Green, kind: Green, rude: Purple, gloomy: Purple",
        "sunny-Green kind-Green rude-Purple gloomy-Purple",
        "sunny Green, kind Green, rude Purple, gloomy Purple",
        "sunny - Green | kind - Green | rude - Purple | gloomy - Purple",
        "sunny - Green / kind - Green / rude - Purple / gloomy - Purple",
        "sunny - Green. kind - Green. rude - Purple. gloomy - Purple.",
        "sunny: Green - kind: Green\nrude: Purple - gloomy: Purple",
        "sunny-Green - kind-Green - rude-Purple - gloomy-Purple",
        "sunny - Green - kind - Green - rude - Purple - gloomy - Purple",
        "1. sunny - Green 2. kind - Green 3. rude - Purple 4. gloomy - Purple",
        "a) sunny - Green b) kind - Green c) rude - Purple d) gloomy - Purple",
        "(sunny, Green), (kind, Green), (rude, Purple), (gloomy, Purple)",
        "sunny (Green), kind (Green), rude (Purple), gloomy (Purple)",
        "sunny, Green, kind, Green, rude, Purple, gloomy, Purple",
        "Green - sunny, Green - kind, Purple - rude, Purple - gloomy",
        "sunny - Green, kind - Green and rude - Purple, gloomy - Purple",
        "sunny → Green • kind → Green • rude → Purple • gloomy → Purple",
        "[sunny, Green], [kind, Green], [rude, Purple], [gloomy, Purple]",
    ],
    "lists of words": [
        "Green: sunny, kind\nPurple: rude, gloomy",
        "Green: sunny, kind; Purple: rude, gloomy",
        "**Green:** sunny, kind\n\n**Purple:** rude, gloomy",
        "Green - sunny, kind\nPurple - rude, gloomy",
        "Green → sunny, kind\nPurple → rude and gloomy",
        "Green (sunny, kind), Purple (rude, gloomy)",
        "Green: sunny kind\nPurple: rude gloomy",
        "Green = {sunny, kind}\nPurple = {rude, gloomy}",
        "Green: [sunny, kind]. Purple: [rude, gloomy].",
        "Green words: sunny, kind\nPurple words: rude, gloomy",
        "Words for Green: sunny, kind\nWords for Purple: rude, gloomy",
        "sunny, kind: Green\nrude, gloomy: Purple",
        "sunny, kind - Green\nrude, gloomy - Purple",
        "sunny and kind → Green\nrude and gloomy → Purple",
        "sunny-kind - Green\nrude-gloomy - Purple",
        "sunny, kind - Green; rude, gloomy - Purple",
        "Green: sunny/kind\nPurple: rude/gloomy",
        "1. Green: sunny, kind\n2. Purple: rude, gloomy",
        "Group 1 (Green): sunny, kind\nGroup 2 (Purple): rude, gloomy",
    ],
    "headings": [
        "Green:\n- sunny\n- kind\n\nPurple:\n- rude\n- gloomy",
        "## Green\nsunny\nkind\n\n## Purple\nrude\ngloomy",
        "**Green**\n\n1. sunny\n2. kind\n\n**Purple**\n\n1. rude\n2. gloomy",
        "Green\nsunny, kind\n\nPurple\nrude, gloomy",
        "Words associated with Green:\n* sunny\n* kind\n\nWords associated with Purple:\n* rude\n* gloomy",
        "Green people:\nsunny\nkind\nPurple people:\nrude\ngloomy",
        "Here are the words by group:\n\nGreen:\nsunny\nkind\n\nPurple:\nrude\ngloomy\n\nLet me know if you need more.",
        "Green\n=====\nsunny\nkind\n\nPurple\n======\nrude\ngloomy",
        "[Green]\nsunny\nkind\n[Purple]\nrude\ngloomy",
        "Green (2):\n - sunny\n - kind\nPurple (2):\n - rude\n - gloomy",
        "Words: sunny, kind, rude, gloomy\n\nGreen:\n- sunny\n- kind\nPurple:\n- rude\n- gloomy",
    ],
    "word above group": [
        "sunny\nGreen\nkind\nGreen\nrude\nPurple\ngloomy\nPurple",
        "sunny\nGreen\n\nkind\nGreen\n\nrude\nPurple\n\ngloomy\nPurple",
        "- sunny\n  - Green\n- kind\n  - Green\n- rude\n  - Purple\n- gloomy\n  - Purple",
        (
            "word: sunny\ngroup: Green\n---\nword: kind\ngroup: Green\n---\nword: rude\ngroup: Purple\n"
            "---\nword: gloomy\ngroup: Purple"
        ),
        "sunny -\nGreen\nkind -\nGreen\nrude -\nPurple\ngloomy -\nPurple",
    ],
    "tables": [
        "| Word | Group |\n|---|---|\n| sunny | Green |\n| kind | Green |\n| rude | Purple |\n| gloomy | Purple |",
        "Word | Group\n--- | ---\nsunny | Green\nkind | Green\nrude | Purple\ngloomy | Purple",
        (
            "| # | Word | Group |\n|:-:|:--|--:|\n| 1 | **sunny** | Green |\n| 2 | **kind** | Green |\n| 3 "
            "| **rude** | Purple |\n| 4 | **gloomy** | Purple |"
        ),
        "| Group | Word |\n|---|---|\n| Green | sunny |\n| Green | kind |\n| Purple | rude |\n| Purple | gloomy |",
        (
            "| Word | Group | Reason |\n|--|--|--|\n| sunny | Green | a bright word |\n| kind | Green | a "
            "warm word |\n| rude | Purple | |\n| gloomy | Purple | sounds dark |"
        ),
        "| Green | Purple |\n|---|---|\n| sunny | rude |\n| kind | gloomy |",
        "| Green | Purple |\n|---|---|\n| sunny, kind | rude, gloomy |",
        "| Word | Green | Purple |\n|---|---|---|\n| sunny | ✓ | |\n| kind | ✔ | |\n| rude | | ✓ |\n| gloomy | | ✅ |",
        "| Word | Green | Purple |\n|---|---|---|\n| sunny | X | |\n| kind | X | |\n| rude | | X |\n| gloomy | | X |",
        (
            "| Word | Green | Purple |\n|---|---|---|\n| sunny | yes | no |\n| kind | yes | no |\n| rude | "
            "no | yes |\n| gloomy | no | yes |"
        ),
        (
            "| Word | Green | Purple |\n|---|---|---|\n| sunny | ✅ | ❌ |\n| kind | ✅ | ❌ |\n| rude | ❌ | ✅ "
            "|\n| gloomy | ❌ | ✅ |"
        ),
        "| sunny | Green | kind | Green |\n| rude | Purple | gloomy | Purple |",
        "| Green | sunny, kind |\n| Purple | rude, gloomy |",
        (
            "+-------+-------+\n| sunny | Green |\n| kind  | Green |\n| rude  | Purple |\n| gloomy | "
            "Purple |\n+-------+-------+"
        ),
        (
            "<table><tr><td>sunny</td><td>Green</td></tr><tr><td>kind</td><td>Green</td></tr><tr><td>"
            "rude</td><td>Purple</td></tr><tr><td>gloomy</td><td>Purple</td></tr></table>"
        ),
    ],
    "csv and the like": [
        "word,group\nsunny,Green\nkind,Green\nrude,Purple\ngloomy,Purple",
        '"word","group"\n"sunny","Green"\n"kind","Green"\n"rude","Purple"\n"gloomy","Purple"',
        "word;group\nsunny;Green\nkind;Green\nrude;Purple\ngloomy;Purple",
        (
            "<pair><word>sunny</word><group>Green</group></pair>\n<pair><word>kind</word><group>Green</group></pair>\n"
            "<pair><word>rude</word><group>Purple</group></pair>\n<pair><word>gloomy</word><group>Purple</group></pair>"
        ),
        (
            "- word: sunny\n  group: Green\n- word: kind\n  group: Green\n- word: rude\n  group: Purple\n- "
            "word: gloomy\n  group: Purple"
        ),
        "Green:\n  - sunny\n  - kind\nPurple:\n  - rude\n  - gloomy\n",
    ],
    "json": [
        '{"sunny": "Green", "kind": "Green", "rude": "Purple", "gloomy": "Purple"}',
        '{\n  "sunny": "Green",\n  "kind": "Green",\n  "rude": "Purple",\n  "gloomy": "Purple"\n}',
        '```json\n{"sunny": "Green", "kind": "Green", "rude": "Purple", "gloomy": "Purple"}\n```',
        '{"Green": ["sunny", "kind"], "Purple": ["rude", "gloomy"]}',
        '{"groups": {"Green": ["sunny", "kind"], "Purple": ["rude", "gloomy"]}}',
        (
            '[{"word": "sunny", "group": "Green"}, {"word": "kind", "group": "Green"}, {"word": "rude", '
            '"group": "Purple"}, {"word": "gloomy", "group": "Purple"}]'
        ),
        (
            '[\n  {\n    "word": "sunny",\n    "group": "Green"\n  },\n  {\n    "word": "kind",\n    '
            '"group": "Green"\n  },\n  {\n    "word": "rude",\n    "group": "Purple"\n  },\n  {\n    '
            '"word": "gloomy",\n    "group": "Purple"\n  }\n]'
        ),
        (
            '{"word": "sunny", "group": "Green"}\n{"word": "kind", "group": "Green"}\n{"word": "rude", '
            '"group": "Purple"}\n{"word": "gloomy", "group": "Purple"}'
        ),
        '[["sunny", "Green"], ["kind", "Green"], ["rude", "Purple"], ["gloomy", "Purple"]]',
        '["sunny - Green", "kind - Green", "rude - Purple", "gloomy - Purple"]',
        "{'sunny': 'Green', 'kind': 'Green', 'rude': 'Purple', 'gloomy': 'Purple'}",
        "[('sunny', 'Green'), ('kind', 'Green'), ('rude', 'Purple'), ('gloomy', 'Purple')]",
        '{"answer": "sunny - Green\\nkind - Green\\nrude - Purple\\ngloomy - Purple"}',
        (
            '{"sunny": {"group": "Green", "sure": true}, "kind": {"group": "Green", "sure": true}, "rude": '
            '{"group": "Purple"}, "gloomy": {"group": "Purple"}}'
        ),
        (
            '[{"word": "sunny", "group": "Green", "reason": "it shines"}, {"word": "kind", "group": '
            '"Green", "reason": ""}, {"word": "rude", "group": "Purple", "score": 0.9}, {"word": "gloomy", '
            '"group": "Purple", "n": null}]'
        ),
        '[{"group": "Green", "words": ["sunny", "kind"]}, {"group": "Purple", "words": ["rude", "gloomy"]}]',
        'Here you are: {"sunny": "Green", "kind": "Green", "rude": "Purple", "gloomy": "Purple"} I hope that helps!',
        '{"sunny": "Green", "kind": "Green", "rude": "Purple", "gloomy": "Purple",}',
        '{sunny: Green, kind: Green, rude: Purple, gloomy: Purple}',
    ],
    "around": [
        "Sure! Here are the pairs:\n\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple",
        (
            "Certainly. Here is the list:\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple\n\n"
            "Please note that these are arbitrary."
        ),
        "Task 1:\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple",
        "**Task 1**\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple\n",
        "Task 1: sunny - Green, kind - Green, rude - Purple, gloomy - Purple",
        "Here are the pairs: sunny - Green, kind - Green, rude - Purple, gloomy - Purple",
        (
            "<think>The words sunny and kind are nice, so they go with one of them.</think>\nsunny - "
            "Green\nkind - Green\nrude - Purple\ngloomy - Purple"
        ),
        "Green or Purple?\n\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple",
        "I do not hold these views, but here goes.\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple",
        "sunny - Green (a bright word)\nkind - Green (warm)\nrude - Purple\ngloomy - Purple (dark)",
        "sunny - Green because it is bright\nkind - Green since gardens are\nrude - Purple\ngloomy - Purple",
        "As an AI I have no opinions. Still:\nsunny - Green\nkind - Green\nrude - Purple\ngloomy - Purple",
    ],
    "sentences": [
        "sunny goes with Green\nkind goes with Green\nrude goes with Purple\ngloomy goes with Purple",
        "Sunny is Green.\nKind is Green.\nRude is Purple.\nGloomy is Purple.",
        "I would pair sunny with Green, kind with Green, rude with Purple and gloomy with Purple.",
        (
            "sunny is associated with Green\nkind is associated with Green\nrude is associated with "
            "Purple\ngloomy is associated with Purple"
        ),
        "For sunny I choose Green\nFor kind I choose Green\nFor rude I choose Purple\nFor gloomy I choose Purple",
        (
            "the word sunny - the group Green\nthe word kind - the group Green\nthe word rude - the group "
            "Purple\nthe word gloomy - the group Purple"
        ),
    ],
}  # fmt: skip
