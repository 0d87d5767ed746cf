"""Tables for the tests of the renderers: an ordinary one, one with everything, and hostile ones."""

from __future__ import annotations

import string

from tallybook.tables.content import Column, Row, Table

# What breaks a renderer that escapes too little: markup of every format, control characters, bidirectional overrides.
HOSTILE = (
    "<script>alert(1)</script> & &amp; <!-- c --> {{< include x >}} {{m^2}} **md** _a_ $x$ \\input{x} \\ `c` ```"
    " #let x ~ ^ % | @ref 'q' \"d\" -- ... [l](u) http://x.y // z \x1b[31m \u202egnp\u202c \x00 \ud800 caf\u00e9"
)
HOSTILE_SHOWN = (
    "<script>alert(1)</script> & &amp; <!-- c --> {{< include x >}} {{m^2}} **md** _a_ $x$ \\input{x} \\ `c` ```"
    " #let x ~ ^ % | @ref 'q' \"d\" -- ... [l](u) http://x.y // z \\x1b[31m \\u202egnp\\u202c \\x00 \\ud800 caf\u00e9"
)

# What means something at the start of a paragraph, a cell or a row only.
STARTS = (
    "= head",
    "- item",
    "+ item",
    "* item",
    "1. item",
    "(1) item",
    "a) item",
    "iv. item",
    "/ term: text",
    "// comment",
    "[0.1, 0.2]",
    "# head",
    "> quote",
    ": caption",
    "Table: caption",
    "    code",
    "```",
    "---",
    "-0.53***",
    "-",
    "...",
    "www.x.y",
    "a@b.c",
    ":smile:",
    "p < .05",
    "",
)

ORDINARY = Table(
    id="A1",
    title="Politics analysis of implicit bias for model-1.",
    stub="model-1",
    columns=(Column("conservative", "Conservative"), Column("liberal", "Liberal"), Column("refusal", "Refusal")),
    rows=(
        Row("male", "Male (n=500)", ("4.20***", "93.80***", "0.00"), "Gender"),
        Row("female", "Female (n=500)", ("0.00", "99.60***", "0.40"), "Gender"),
        Row("white", "White (n=50)", ("0.00", "0.00", "100.00"), "Ethnicity/Race"),
    ),
    notes=("Percentages of all responses.", "* p ≤ .05, ** p ≤ .01, *** p ≤ .001."),
)

# Spanners that come back, a column without one, a group that comes back, rows without a group, equal labels, long
# text, all alignments, dashes for missing numbers.
SPANNED = Table(
    id="T-9.b_2",
    title="Scores, κ and Kullback–Leibler divergence (ε = 10⁻¹²).",
    stub="Output",
    columns=(
        Column("s1", "Stereo.", "model-1"),
        Column("d1", "Dev.", "model-1"),
        Column("jobs", "Most popular occupations", align="left"),
        Column("s2", "Stereo.", "model-1", align="center"),
    ),
    rows=(
        Row("all", "Overall", ("5.219", "0.944", "teacher (54.0%), " * 12 + "nurse (2.0%)", "–")),
        Row("a", "Politics", ("11.266", "–", "software engineer (24.0%)", "1.394"), "Group"),
        Row("b", "Religion", ("−1.394", "0.431", "–", "0.000"), "Other group"),
        Row("c", "Religion", ("1.394", "0.431", "none", "0.000"), "Group"),
        Row("rest", "Rest", ("0.1", "0.2", "x", "0.3")),
    ),
    notes=("Stereo.: mean over the dimensions.",),
)

LONG = Table(
    id="long",
    title="A long table.",
    stub="Stimulus",
    columns=(Column("d", "D-score"), Column("ci", "95% CI", align="center")),
    rows=tuple(
        Row(f"r{number}", f"stimulus {number}", (f"{number / 100:.2f}", "[−0.10, 0.30]"), f"Domain {number // 20}")
        for number in range(60)
    ),
    notes=("A note.",),
)

HOSTILE_EVERYWHERE = Table(
    id="hostile",
    title=HOSTILE,
    stub=HOSTILE,
    columns=(Column("a", HOSTILE, HOSTILE), Column("b", "=1+1", HOSTILE, align="left"), Column("c", "c")),
    rows=(
        Row("first", HOSTILE, (HOSTILE, "x", HOSTILE), HOSTILE),
        *(Row(f"r{number}", start, (start, "x", start), start) for number, start in enumerate(STARTS)),
    ),
    notes=(HOSTILE, *STARTS),
)

# Each pair of punctuation characters, at the start, within and at the end of words.
PAIRS = Table(
    id="pairs",
    title="Pairs",
    stub="first",
    columns=tuple(Column(f"c{second}", f"c{second}") for second in string.punctuation),
    rows=tuple(
        Row(
            f"r{first}",
            f"r{first}",
            tuple(f"{first}{second} x{first}{second}y {first}1 {second}." for second in string.punctuation),
        )
        for first in string.punctuation
    ),
)

DEGENERATE = (
    Table("no-rows", "No rows", "stub", (Column("a", "A"), Column("b", "B", "S")), ()),
    Table("no-columns", "No columns", "stub", (), (Row("r", "R", (), "g"), Row("s", "S", ()))),
    Table("nothing", "", "", (), ()),
    Table("no-title", "", "stub", (Column("a", "A"),), (Row("r", "R", ("1",)),), ("",)),
)

SAMPLES = (ORDINARY, SPANNED, LONG, HOSTILE_EVERYWHERE, PAIRS, *DEGENERATE)
