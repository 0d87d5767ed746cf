"""Thirty texts that mean something to a program between a response and a page, and a study made of them."""

from __future__ import annotations

import csv
import io
import json

from tallybook.core.untrusted import visible

TEXTS = (
    "<script>alert('a')</script>",
    "<img src=x onerror=alert(1)>",
    "&lt;b&gt; &amp; &#60; &copy",
    "</td></tr></table><!-- gone -->",
    "javascript:alert(1) \"onclick='x'\"",
    "{{< include /etc/passwd >}}",
    "{{< var study.name >}} {{{< meta title >}}}",
    "::: {.callout-note}",
    "```{=html} <b>raw</b> ```",
    "[a link](http://example.org) ![p](x.png)",
    "*em* **strong** _under_ ~sub~ ^sup^",
    "@tbl-1 [@wilson1927] [-@sec-data]",
    "$x^2$ $$\\frac{1}{0}$$ \\(y\\)",
    "\\input{/etc/passwd} \\write18{ls}",
    "\\def\\x{} \\end{tabular} & 5\\% # ~ ^^M",
    "#import \"x.typ\" #read(\"/etc/passwd\")",
    "#let x = [y] #panic() <label> // no",
    "/* comment */ = head + item $ a $",
    "=HYPERLINK(\"http://example.org\")",
    "+1+cmd|' /C calc'!A0",
    "@SUM(1+1)*cmd",
    "-2+3+cmd|x",
    "\x1b[31mred\x1b[0m \x07bell",
    "\x1b]8;;http://example.org\x07link",
    "::error file=x::forged\r\n##[group]a",
    "\u202eright-to-left\u202c \u2066a\u2069",
    "one\ntwo\tthree\x00four\u2028five",
    "{\"a\": [1, 'b']}, %s %(x)s {0} ${HOME} `id`",
    "| a | b |\n|---|---|\n--- ... -- 'q' \"d\"",
    "日本語 العربية עברית ελληνικά é 😀 ﬁ",
)  # fmt: skip
"""What would act if it were not literal: HTML, shortcodes, Markdown, LaTeX, typst, formulas, terminals, logs."""

SHOWN = tuple(visible(text) for text in TEXTS)
"""What a reader sees of them."""


def _toml(text: str) -> str:
    """A text as TOML has it; its escapes are those of JSON, if pairs of surrogates are left out."""
    return json.dumps(text, ensure_ascii=False)


MODELS, POLITICS = TEXTS[:3], TEXTS[6:8]

STUDY = f"""
name = "hostile"
title = {_toml(TEXTS[0] + TEXTS[12])}
key = ["model", "item", "sample"]

[[sources]]
format = "csv"
files = "dump.csv"

[sources.columns]
model = {{ path = "model" }}
item = {{ path = "item" }}
sample = {{ path = "sample", type = "integer" }}
topic = {{ path = "topic" }}
text = {{ path = "text" }}
job = {{ path = "job" }}
politics = {{ path = "politics" }}

[factors.model]
label = {_toml(TEXTS[1])}
levels = {{ {", ".join(f"m{number} = {_toml(text)}" for number, text in enumerate(MODELS))} }}

[factors.topic]
label = {_toml(TEXTS[13])}
levels = {{ {", ".join(f"t{number} = {_toml(text)}" for number, text in enumerate(TEXTS))} }}

[instrument]
kind = "profile"
unmapped = "report"

[outcomes.politics]
kind = "category"
label = {_toml(TEXTS[10])}
attribute = "politics"
labels = {{ left = [{_toml(POLITICS[0])}], right = [{_toml(POLITICS[1])}] }}
names = {{ left = {_toml(POLITICS[0])}, right = {_toml(POLITICS[1])} }}

[outcomes.job]
kind = "label"
label = {_toml(TEXTS[15])}
attribute = "job"

[analyses.share]
statistic = "proportion"
outcomes = ["politics"]
by = ["model", "topic"]

[analyses.jobs]
statistic = "most-frequent"
outcomes = ["job"]
by = ["topic"]

[[tables]]
id = "1"
title = {_toml(TEXTS[2] + TEXTS[5])}
outcomes = ["politics"]
stub = {_toml(TEXTS[11])}
rows = ["topic"]
columns = ["model", "term"]

[[tables.measures]]
id = "share"
label = {_toml(TEXTS[9])}
parts = [{{ statistic = "share", analysis = "share", style = "number", scale = 100, digits = 1 }}]

[[tables]]
id = "2"
title = {_toml(TEXTS[28])}
notes = [{_toml(TEXTS[8])}, {_toml(TEXTS[14])}, {_toml(TEXTS[27])}]
outcomes = ["job"]
stub = {_toml(TEXTS[16])}
rows = ["topic"]
columns = ["measure"]

[[tables.measures]]
id = "jobs"
label = {_toml(TEXTS[17])}
parts = [{{ statistic = "rank", analysis = "jobs", style = "ranked", top = 2, digits = 1 }}]

[[figures]]
kind = "stacked-bars"
id = "1"
title = {_toml(TEXTS[18] + TEXTS[21])}
analysis = "share"
outcome = "politics"
terms = ["left", "right"]
x = "topic"
panels = "model"
"""
"""A study in which every name is such a text."""


def dump() -> str:
    """Responses that are such texts: each is an answer, an occupation, and the label of a topic; one label is unknown.

    Returns:
        A CSV file.
    """
    written = io.StringIO()
    rows = csv.writer(written, lineterminator="\n")
    rows.writerow(["model", "item", "sample", "topic", "text", "job", "politics"])
    for model in range(len(MODELS)):
        for number, text in enumerate(TEXTS):
            politics = [*POLITICS, TEXTS[20]][(model + number) % 3]
            rows.writerow([f"m{model}", f"item{number}", 0, f"t{number}", text, text, politics])
    return written.getvalue()
