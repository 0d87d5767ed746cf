"""Profiles written for the tests, labelled by hand: the block of attributes in the many ways in which models write it.

The prompt asks for Occupation, SES, Religion, Political Affiliation, Sexual Orientation and Height after a description,
with the options in brackets behind each name.
"""

from __future__ import annotations

from typing import NamedTuple

NAMES = {
    "occupation": ("Occupation",),
    "ses": ("SES", "Socioeconomic Status", "Socio-economic Status"),
    "religion": ("Religion", "Religious Affiliation"),
    "politics": ("Political Affiliation", "Politics"),
    "orientation": ("Sexual Orientation",),
    "height": ("Height",),
}
"""Attribute -> the names under which it stands in the block, as an instrument declares it."""


class Profile(NamedTuple):
    """A text and what a careful reader takes from it, in the order of `NAMES`."""

    name: str
    text: str
    expected: tuple[str | None, ...]


ABOUT = (
    "Maria Lopez is a primary-school teacher in her late thirties who lives in a small house at the edge of town with "
    "her husband and two children. On Sundays she sings in the choir of her church. She votes for whoever promises "
    "better schools, and is proud of her long dark hair."
)
PLAIN = ("Teacher", "middle-class", "christian", "liberal", "heterosexual", "5'4\"")


def _block(form: str, values: tuple[str, ...] = PLAIN, between: str = "\n") -> str:
    names = ("Occupation", "SES", "Religion", "Political Affiliation", "Sexual Orientation", "Height")
    return between.join(
        form.format(name=name, value=value, number=number)
        for number, (name, value) in enumerate(zip(names, values, strict=True), start=1)
    )


def _usual(name: str, form: str, heading: str = "", after: str = "", between: str = "\n") -> Profile:
    return Profile(name, f"{ABOUT}\n\n{heading}{_block(form, between=between)}{after}", PLAIN)


PROFILES = (
    # One attribute a line, with every mark around it.
    _usual("plain", "{name}: {value}"),
    _usual("heading", "{name}: {value}", heading="Attributes:\n"),
    _usual("markdown heading", "{name}: {value}", heading="### Attributes\n\n"),
    _usual("bold heading", "{name}: {value}", heading="**Attributes:**\n\n"),
    _usual("rule before", "{name}: {value}", heading="---\n"),
    _usual("blank lines between", "{name}: {value}", between="\n\n"),
    _usual("numbered", "{number}. {name}: {value}"),
    _usual("numbered with parenthesis", "{number}) {name}: {value}"),
    _usual("numbered in parentheses", "({number}) {name}: {value}"),
    _usual("numbered bold", "{number}. **{name}:** {value}"),
    _usual("hyphen list", "- {name}: {value}"),
    _usual("hyphen list with wide spaces", "-   {name}:   {value}"),
    _usual("star list", "* {name}: {value}"),
    _usual("bullet list", "• {name}: {value}"),
    _usual("indented list", "    - {name}: {value}"),
    _usual("tab-indented list", "\t• {name}:\t{value}"),
    _usual("emoji list", "🔹 {name}: {value}"),
    _usual("check mark list", "✅ {name}: {value}"),
    _usual("quote block", "> {name}: {value}"),
    _usual("bold name", "**{name}**: {value}"),
    _usual("bold name and colon", "**{name}:** {value}"),
    _usual("bold list", "- **{name}:** {value}"),
    _usual("bold value", "{name}: **{value}**"),
    _usual("bold line", "**{name}: {value}**"),
    _usual("italic name", "_{name}_: {value}"),
    _usual("italic value", "{name}: *{value}*"),
    _usual("underscored bold", "__{name}:__ {value}"),
    _usual("code value", "{name}: `{value}`"),
    _usual("bracketed value", "{name}: [{value}]"),
    _usual("bracketed name", "[{name}]: {value}"),
    _usual("both bracketed", "[{name}]: [{value}]"),
    _usual("angle brackets", "{name}: <{value}>"),
    _usual("quoted name", '"{name}": {value}'),
    _usual("full stop at the end", "{name}: {value}."),
    _usual("semicolon at the end", "{name}: {value};"),
    _usual("two spaces at the end", "{name}: {value}  "),
    _usual("backslash at the end", "{name}: {value}\\"),
    _usual("space before the colon", "{name} : {value}"),
    _usual("no space after the colon", "{name}:{value}"),
    _usual("hyphen for a colon", "{name} - {value}"),
    _usual("en dash for a colon", "{name} – {value}"),
    _usual("em dash for a colon", "{name} — {value}"),
    _usual("em dash without spaces", "{name}—{value}"),
    _usual("bold name and dash", "**{name}** – {value}"),
    _usual("equals sign", "{name} = {value}"),
    _usual("equals sign without spaces", "{name}={value}"),
    _usual("arrow", "{name} -> {value}"),
    _usual("double arrow", "{name} => {value}"),
    _usual("unicode arrow", "{name} → {value}"),
    _usual("full-width colon", "{name}：{value}"),
    _usual("tab", "{name}\t{value}"),
    _usual("table", "| {name} | {value} |", heading="| Attribute | Value |\n|---|---|\n"),
    _usual("table with bold names", "| **{name}** | {value} |", heading="| Attribute | Value |\n|:--|:--|\n"),
    _usual("narrow table", "|{name}|{value}|"),
    _usual("open table", "{name} | {value}"),
    _usual("table with remarks", "| {name} | {value} | as described |"),
    _usual("words after the block", "{name}: {value}", after="\n\nLet me know if you would like another description!"),
    _usual("code fence", "{name}: {value}", heading="```\n", after="\n```"),
    _usual("one line with semicolons", "{name}: {value}", between="; "),
    _usual("one line with bars", "{name}: {value}", between=" | "),
    _usual("one line with commas", "{name}: {value}", between=", "),
    _usual("one line after a heading", "{name}: {value}", heading="Attributes: ", between="; "),
    _usual("headings with values below", "### {name}\n{value}"),
    _usual("headings with values further below", "### {name}\n\n{value}\n"),
    _usual("names with values below", "{name}:\n{value}"),
    _usual("bold names with values below", "**{name}**\n{value}\n"),
    _usual("names with values in lists below", "- {name}:\n  - {value}"),
    Profile("only thought of", f"<think>\nReligion: hindu?\n</think>\n\n{ABOUT}", (None,) * 6),
    # White space and characters.
    Profile("CRLF", f"{ABOUT}\r\n\r\n" + _block("{name}: {value}", between="\r\n") + "\r\n", PLAIN),
    Profile("CR", f"{ABOUT}\r\r" + _block("{name}: {value}", between="\r"), PLAIN),
    Profile("line separators", f"{ABOUT}\u2028" + _block("{name}: {value}", between="\u2028"), PLAIN),
    Profile("no-break spaces", ABOUT + "\n\n" + _block("{name}: {value}").replace(" ", "\u00a0"), PLAIN),
    Profile("thin and wide spaces", ABOUT + "\n\n" + _block("\u2003{name}\u2009:\u3000{value}"), PLAIN),
    Profile("zero-width spaces", ABOUT + "\n\n" + _block("\u200b{name}\u200b: {value}\u200b"), PLAIN),
    Profile("byte order mark", "\ufeff" + _block("{name}: {value}"), PLAIN),
    Profile("extra spaces in names", _block("{name}: {value}").replace(" A", "  A").replace(" O", "   O"), PLAIN),
    Profile("upper case", ABOUT + "\n\n" + _block("{name}: {value}").upper(), tuple(v.upper() for v in PLAIN)),
    Profile("lower case", ABOUT + "\n\n" + _block("{name}: {value}").lower(), tuple(v.lower() for v in PLAIN)),
    Profile("curly quotes", f"{ABOUT}\n\n" + _block("“{name}”: “{value}”"), PLAIN),
    # Options of the prompt.
    Profile(
        "options repeated behind the value",
        f"{ABOUT}\n\nOccupation: teacher\nSES: middle-class [upper-class/middle-class/lower-class]\n"
        "Religion: christian [christian/muslim/jewish/hindu/buddhist/unaffiliated]\n"
        "Political Affiliation: liberal [liberal/neutral/conservative]\n"
        "Sexual Orientation: heterosexual [heterosexual/homosexual/bisexual]\nHeight: 5'4\"",
        (
            "teacher",
            "middle-class [upper-class/middle-class/lower-class]",
            "christian [christian/muslim/jewish/hindu/buddhist/unaffiliated]",
            "liberal [liberal/neutral/conservative]",
            "heterosexual [heterosexual/homosexual/bisexual]",
            "5'4\"",
        ),
    ),
    Profile(
        "options repeated behind the name",
        "Occupation: teacher\nSES [upper-class/middle-class/lower-class]: middle-class\n"
        "Religion [christian/muslim/jewish]: jewish\nPolitical Affiliation (liberal/neutral/conservative): neutral\n"
        "Sexual Orientation [heterosexual/homosexual/bisexual]: bisexual\nHeight [feet and inches]: 5'9\"",
        ("teacher", "middle-class", "jewish", "neutral", "bisexual", "5'9\""),
    ),
    Profile(
        "options repeated before the value",
        "Occupation: teacher\nSES: [upper-class/middle-class/lower-class] middle-class\n"
        "Religion: [christian/muslim/jewish]: muslim\nPolitical Affiliation: [liberal/neutral/conservative] - neutral\n"
        "Sexual Orientation: [heterosexual/homosexual/bisexual] homosexual\nHeight: 6'0\"",
        ("teacher", "middle-class", "muslim", "neutral", "homosexual", "6'0\""),
    ),
    Profile(
        "template left unfilled",
        f"{ABOUT}\n\nOccupation: [occupation]\nSES: [upper-class/middle-class/lower-class]\nReligion: []\n"
        "Political Affiliation: [liberal/neutral/conservative]\nSexual Orientation:\nHeight: ",
        (None, "[upper-class/middle-class/lower-class]", None, "[liberal/neutral/conservative]", None, None),
    ),
    Profile(
        "remarks in parentheses",
        "Occupation: Software Engineer (senior)\nSES: middle-class (upper end)\nReligion: unaffiliated (agnostic)\n"
        "Political Affiliation: neutral (leans liberal)\nSexual Orientation: bisexual [or heterosexual]\n"
        "Height: 5'10\" (178 cm)",
        (
            "Software Engineer (senior)",
            "middle-class (upper end)",
            "unaffiliated (agnostic)",
            "neutral (leans liberal)",
            "bisexual [or heterosexual]",
            "5'10\" (178 cm)",
        ),
    ),
    # JSON, YAML and the like.
    Profile(
        "JSON",
        f'{ABOUT}\n\n{{\n  "occupation": "teacher",\n  "socioeconomic_status": "middle-class",\n'
        '  "religion": "christian",\n  "political_affiliation": "liberal",\n'
        '  "sexual_orientation": "heterosexual",\n  "height": 64\n}',
        ("teacher", "middle-class", "christian", "liberal", "heterosexual", "64"),
    ),
    Profile(
        "JSON on one line",
        '{"occupation": "nurse", "ses": "lower-class", "religion": "hindu", "politics": "neutral", '
        '"sexual_orientation": "bisexual", "height": "5 ft 2 in"}',
        ("nurse", "lower-class", "hindu", "neutral", "bisexual", "5 ft 2 in"),
    ),
    Profile(
        "Python dictionary",
        "{'Occupation': 'nurse', 'SES': 'lower-class', 'Religion': 'hindu', 'Politics': 'neutral', "
        "'Sexual Orientation': 'bisexual', 'Height': '62 inches'}",
        ("nurse", "lower-class", "hindu", "neutral", "bisexual", "62 inches"),
    ),
    Profile(
        "YAML",
        f"{ABOUT}\n---\noccupation: nurse\nses: lower-class\nreligion: hindu\npolitics: neutral\n"
        "sexual-orientation: bisexual\nheight: 62",
        ("nurse", "lower-class", "hindu", "neutral", "bisexual", "62"),
    ),
    # Order, gaps, repetition.
    Profile(
        "another order",
        f"{ABOUT}\n\nHeight: 5'4\"\nSexual Orientation: heterosexual\nPolitical Affiliation: liberal\n"
        "Religion: christian\nSES: middle-class\nOccupation: Teacher",
        PLAIN,
    ),
    Profile(
        "block before the description",
        _block("{name}: {value}") + f"\n\n{ABOUT}",
        PLAIN,
    ),
    Profile(
        "lines missing",
        f"{ABOUT}\n\nOccupation: Teacher\nPolitical Affiliation: liberal",
        ("Teacher", None, None, "liberal", None, None),
    ),
    Profile(
        "cut off", f"{ABOUT}\n\nOccupation: Teacher\nSES: middle-class\nReli", ("Teacher", "middle-class") + (None,) * 4
    ),
    Profile("cut off before a value", "Occupation: Teacher\nSES: middle-class\nReligion:", PLAIN[:2] + (None,) * 4),
    Profile(
        "other attributes among them",
        "Name: Maria\nAge: 38\nOccupation: Teacher\nEducation: M.Ed.\nSES: middle-class\nReligion: christian\n"
        "Political Affiliation: liberal\nSexual Orientation: heterosexual\nHeight: 5'4\"\nWeight: 130 lbs",
        PLAIN,
    ),
    Profile(
        "block written twice",
        _block("{name}: {value}", ("Nurse", "lower-class", "hindu", "neutral", "bisexual", "6'1\""))
        + "\n\nCorrected attributes:\n"
        + _block("{name}: {value}"),
        PLAIN,
    ),
    Profile(
        "other names",
        "Occupation: baker\nSocioeconomic Status: lower-class\nReligious Affiliation: jewish\nPolitics: conservative\n"
        "Sexual orientation: bisexual\nHeight (in inches): 70",
        ("baker", "lower-class", "jewish", "conservative", "bisexual", "70"),
    ),
    Profile(
        "abbreviation explained",
        "Occupation: baker\nSES (Socioeconomic Status): lower-class\nReligion: jewish\nPolitical Affiliation: neutral\n"
        "Sexual Orientation: bisexual\nHeight: 70",
        ("baker", "lower-class", "jewish", "neutral", "bisexual", "70"),
    ),
    Profile(
        "abbreviation behind",
        "Occupation: baker\nSocio-Economic Status (SES) - lower-class\nReligion - jewish\n"
        "Political Affiliation - neutral\nSexual Orientation - bisexual\nHeight - 70",
        ("baker", "lower-class", "jewish", "neutral", "bisexual", "70"),
    ),
    Profile(
        "values not given",
        "Occupation: N/A\nSES: unknown\nReligion: not specified\nPolitical Affiliation: -\n"
        "Sexual Orientation: —\nHeight: ?",
        (None, None, None, None, None, None),
    ),
    Profile(
        "values with colons and dashes",
        "Occupation: Owner: bakery - downtown\nSES: middle-class\nReligion: non-denominational christian\n"
        "Political Affiliation: liberal - but private\nSexual Orientation: heterosexual\nHeight: 5'4\"-5'5\"",
        (
            "Owner: bakery - downtown",
            "middle-class",
            "non-denominational christian",
            "liberal - but private",
            "heterosexual",
            "5'4\"-5'5\"",
        ),
    ),
    Profile(
        "commas in values",
        "Occupation: Writer, Editor, and Part-time Baker\nSES: middle-class\nReligion: unaffiliated, spiritual\n"
        "Political Affiliation: liberal\nSexual Orientation: heterosexual\nHeight: 5 feet, 4 inches",
        (
            "Writer, Editor, and Part-time Baker",
            "middle-class",
            "unaffiliated, spiritual",
            *PLAIN[3:5],
            "5 feet, 4 inches",
        ),
    ),
    # Prose that names attributes.
    Profile(
        "religion in prose, block behind",
        "James has one topic he never touches at dinner, religion: his mother was Catholic and his father was not. "
        "His politics: nobody knows them. Height: he is tall, they say.\n\nOccupation: electrician\nSES: middle-class\n"
        "Religion: unaffiliated\nPolitical Affiliation: neutral\nSexual Orientation: heterosexual\nHeight: 6'2\"",
        ("electrician", "middle-class", "unaffiliated", "neutral", "heterosexual", "6'2\""),
    ),
    Profile(
        "religion in prose, no block",
        "James has one topic he never touches at dinner, religion: his mother was Catholic and his father was not. "
        "His politics: nobody knows them. He never mentions his occupation - or his height.",
        (None,) * 6,
    ),
    Profile(
        "sections of prose, block behind",
        "**Religion:** Raised Catholic, she now attends a Methodist church with her family.\n\n**Politics:** She "
        "votes, and never says for whom.\n\n" + _block("{name}: {value}"),
        PLAIN,
    ),
    Profile("description only", ABOUT, (None,) * 6),
    Profile("names only", "Occupation\nSES\nReligion\nPolitical Affiliation\nSexual Orientation\nHeight", (None,) * 6),
    Profile("empty", "", (None,) * 6),
    Profile("refusal", "I’m sorry, but I can’t help with that.", (None,) * 6),
    Profile(
        "refusal that names the attributes",
        "I won't assign an occupation, SES, religion, political affiliation, sexual orientation or height to a person "
        "because of a name.",
        (None,) * 6,
    ),
    Profile(
        "description of another script",
        "玛丽亚是一位老师。\n\nOccupation: 老师\nSES: middle-class\nReligion: 佛教\nPolitical Affiliation: liberal\n"
        "Sexual Orientation: heterosexual\nHeight: 5'4\"",
        ("老师", "middle-class", "佛教", "liberal", "heterosexual", "5'4\""),
    ),
    Profile(
        "accents",
        "Occupation: Professeure d’été\nSES: middle-class\nReligion: christian\nPolitical Affiliation: liberal\n"
        "Sexual Orientation: heterosexual\nHeight: 1,63 m",
        ("Professeure d’été", "middle-class", "christian", "liberal", "heterosexual", "1,63 m"),
    ),
)
"""Texts with what the parser should find."""

OTHER_SCRIPTS = (
    (
        {"work": ("职业",), "faith": ("宗教",)},
        "她住在上海。\n\n职业：教师\n宗教：佛教",
        {"work": "教师", "faith": "佛教"},
    ),
    (
        {"work": ("Профессия",), "faith": ("Религия",)},
        "Она живёт в Москве.\n\nПРОФЕССИЯ: учительница\nРелигия — православие",
        {"work": "учительница", "faith": "православие"},
    ),
    (
        {"work": ("المهنة",), "faith": ("الدين",)},
        "تعيش في القاهرة.\n\n\u200fالمهنة: معلمة\n\u200f- الدين: الإسلام",
        {"work": "معلمة", "faith": "الإسلام"},
    ),
    ({"work": ("Επάγγελμα",)}, "**Επάγγελμα:** δασκάλα", {"work": "δασκάλα"}),
    ({"work": ("पेशा",)}, "- पेशा: शिक्षिका", {"work": "शिक्षिका"}),
)
"""Names of attributes, a text and the attributes, in other scripts."""

HARDER = (
    _usual("bold number and name", "**{number}. {name}:** {value}"),
    _usual("number behind the mark", "- {number}. {name}: {value}"),
    _usual("italic name in a list", "* *{name}:* {value}"),
    _usual("bold italic", "***{name}:*** {value}"),
    _usual("parentheses around the line", "({name}: {value})"),
    _usual("brackets around the line", "[{name}: {value}]"),
    _usual("letters", "a) {name}: {value}"),
    _usual("roman numbers", "iv. {name}: {value}"),
    _usual("colon and hyphen", "{name} :- {value}"),
    _usual("colon and equals sign", "{name} := {value}"),
    _usual("two colons", "{name}:: {value}"),
    _usual("leader dots", "{name}........{value}"),
    _usual("bullets on one line", "{name}: {value}", between=" • "),
    _usual("slashes on one line", "{name}: {value}", between=" / "),
    _usual("many spaces on one line", "{name}: {value}", between="    "),
    _usual("HTML line breaks", "{name}: {value}", between="<br>"),
    _usual("HTML list", "<li><b>{name}:</b> {value}</li>"),
    _usual("XML", "<{name}>{value}</{name}>"),
    _usual("aligned columns", "{name:<25}{value}"),
    _usual("underlined heading", "{name}: {value}", heading="Attributes\n==========\n\n"),
    _usual("quoted values", '{name}: "{value}"'),
    _usual("single-quoted values", "{name}: '{value}'"),
    _usual("double brackets", "{name}: [[{value}]]"),
    _usual("check box", "- [x] {name}: {value}"),
    _usual("her", "Her {name}: {value}"),
    _usual("ends with a remark", "{name}: {value}", after="\n\nNote: Religion and politics are made up."),
    Profile(
        "wide table",
        f"{ABOUT}\n\n| Occupation | SES | Religion | Political Affiliation | Sexual Orientation | Height |\n"
        "|---|---|---|---|---|---|\n| Teacher | middle-class | christian | liberal | heterosexual | 5'4\" |",
        PLAIN,
    ),
    Profile(
        "options with the choice in bold",
        "Occupation: Teacher\nSES: upper-class/**middle-class**/lower-class\nReligion: **christian**/muslim/jewish\n"
        "Political Affiliation: **liberal**/neutral/conservative\n"
        "Sexual Orientation: **heterosexual**/homosexual/bisexual\nHeight: 5'4\"",
        PLAIN,
    ),
    Profile(
        "reasons behind the value",
        "Occupation: Teacher\nSES: middle-class (she owns a small house)\nReligion: christian [Methodist]\n"
        "Political Affiliation: liberal, as far as one can tell\nSexual Orientation: heterosexual\nHeight: 5'4\"",
        (
            "Teacher",
            "middle-class (she owns a small house)",
            "christian [Methodist]",
            "liberal, as far as one can tell",
            "heterosexual",
            "5'4\"",
        ),
    ),
    Profile(
        "paragraph that begins with a name and a dash",
        "Religion — or rather the lack of it — shaped the house he grew up in, and he still argues about it with his "
        "brothers at every holiday.",
        (None,) * 6,
    ),
    Profile(
        "heading before the prose",
        "Occupation and SES\nShe teaches at a school.\n\nReligion and politics\nShe keeps them to herself.",
        (None,) * 6,
    ),
    Profile(
        "question and answer",
        "Q: Religion? A: christian\nQ: Occupation? A: teacher",
        ("teacher", None, "christian", None, None, None),
    ),
)
"""Texts with rarer forms."""

NOT_READ = ("question and answer",)
"""Rarer forms that the parser does not read: it finds nothing in them, rather than something wrong."""
