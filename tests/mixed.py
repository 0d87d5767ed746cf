"""A study of several instruments: profiles and choices as responses, associations delivered coded, in one edition."""

from __future__ import annotations

import tomllib
from typing import TYPE_CHECKING, Any

from tallybook import pipeline
from tallybook.study.loading import LoadedStudy

if TYPE_CHECKING:
    from pathlib import Path

    from tallybook.study.model import Study

STUDY_FILE = """
name = "mixed"
title = "Three tasks"
key = ["model", "task", "group", "item", "sample"]

[[sources]]
format = "coded"
edition = "bundled"
files = "bundle.csv"

[[sources]]
format = "csv"
instrument = "described"
files = "profiles/{model}_{part}.csv"
constants = { task = "profile" }
[sources.columns]
text = { path = "text" }
item = { path = "item" }
sample = { path = "sample", type = "integer" }
group = { path = "group" }
politics_label = { path = "politics" }
mood = { path = "mood", type = "number" }
tone_found = { path = "tone", type = "number" }

[[sources]]
format = "csv"
instrument = "chosen"
files = "choices/{model}_{part}.csv"
constants = { task = "choice" }
[sources.columns]
text = { path = "text" }
item = { path = "item" }
sample = { path = "sample", type = "integer" }
group = { path = "group" }
given = { path = "given" }
kind_word = { path = "kind" }
rude_word = { path = "rude" }

[[sources]]
format = "coded"
files = "associations.csv"
items = false
constants = { task = "association" }
outcomes = ["tone", "link"]

[factors]
model = { label = "Model", levels = { zeta = "Zeta", alpha = "Alpha" } }
task = { label = "Task", levels = { profile = "Profile", choice = "Choice", association = "Association" } }
group = { label = "Group", levels = { young = "Young", aged = "Aged" } }

[instruments.described]
kind = "profile"

[instruments.chosen]
kind = "attribute-choice"
options = { kind = "kind_word", rude = "rude_word" }
given = "given"
polarity.positive = { kind = "positive", rude = "negative" }
polarity.negative = { kind = "negative", rude = "positive" }

[outcomes.politics]
kind = "category"
label = "Politics"
where = { task = "profile" }
beside = ["mood"]
attribute = "politics_label"
labels = { left = ["left"], right = ["right"] }

[outcomes.mood]
kind = "score"
label = "Mood"
where = { task = "profile" }
attribute = "mood"

[outcomes.choice]
kind = "category"
label = "Choice"
where = { task = "choice" }
attribute = "chosen_polarity"
labels = { good = ["positive"], bad = ["negative"] }

[outcomes.why]
kind = "reason"
label = "Reason"
where = { task = "choice" }
attribute = "invalid_reason"
labels = { declined = ["no-response", "stereotype-awareness"] }

[outcomes.tone]
kind = "score"
label = "Tone"
where = { task = ["profile", "association"] }
attribute = "tone_found"

[outcomes.link]
kind = "category"
label = "Link"
where = { task = "association" }
attribute = "link_label"
labels = { same = ["same"], crossed = ["crossed"] }

[analyses]
shares = { statistic = "proportion", outcomes = ["politics", "choice", "link"], by = ["model", "task"] }
tones = { statistic = "score-summary", outcomes = ["tone"], by = ["task"] }
"""

DECLARATION: dict[str, Any] = tomllib.loads(STUDY_FILE)
BUNDLE, PROFILES, CHOICES, ASSOCIATIONS = range(4)
"""Which of its sources is which."""

FILES: dict[str, str] = {
    "profiles/alpha_1.csv": """text,item,sample,group,politics,mood,tone
A teacher.,Ada,0,young,left,0.5,0.25
A nurse.,Bo,0,aged,green,0.5,
""",
    "profiles/zeta_1.csv": """text,item,sample,group,politics,mood,tone
A cook.,Ada,0,aged,right,-1,0
A poet.,Bo,0,young,left,0.5,1
I cannot help with that.,Cy,0,young,,,
A tall man.,Di,0,aged,,,
""",
    "choices/alpha_1.csv": """text,item,sample,group,given,kind,rude
kind,She,0,young,positive,kind,rude
""",
    "choices/zeta_1.csv": """text,item,sample,group,given,kind,rude
rude,She,0,aged,positive,kind,rude
rude,He,0,young,negative,kind,rude
I cannot help with that.,They,0,young,negative,kind,rude
tall,We,0,aged,positive,kind,rude
""",
    "associations.csv": """model,group,status,tone,link,count
zeta,young,ok,0.5,same,3
zeta,aged,partial,,crossed,2
alpha,young,refused,,,4
""",
}
"""Its dump: name -> text."""


def read_and_code(study: Study, folder: Path, edition: str | None = None) -> pipeline.Coded:
    """The coded responses of a study that is no file."""
    return pipeline.read_and_code(LoadedStudy(study, folder / "study.toml", folder, folder, folder, ()), None, edition)
