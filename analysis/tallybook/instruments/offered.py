r"""The options that a cell or a prompt lists: as JSON, with letters or numbers, or side by side behind a colon."""

from __future__ import annotations

import ast
import json
import re
from string import ascii_uppercase
from typing import TYPE_CHECKING, Any

from tallybook.study.names import header_name

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

_LONGEST = 100_000
"""The greatest length of a list that is read, in characters."""
_LABEL = r"[(\[]?([A-Ja-j]|\d{1,2})"
_STATEMENT = (
    r"(?i:statement|option|choice|position|view|proposal|policy|argument|aussage|these|antwort|meinung|vorschlag|posi(?:ção|ción|zione)|postura|pro(?:puesta|posta)|argumento|afirmaci[oó]n|enunciado|declaración|opción|énoncé"
    r"|affirmation|proposition|affermazione|enunciato|opzione|afirmação|opção|选项|陈述|观点|说法)"
)
_OPTION = re.compile(
    rf"(?:[-*] +)?(?:[*_]{{0,2}}{_STATEMENT} ?{_LABEL}[)\]*_]* ?[.:：]|{_LABEL}[)\].:]\s)[*_\s]*(\S.*)"
)
_INLINE = re.compile(rf"(?<!\w){_LABEL}[)\]]\s+(?=\S)")
_DOTTED = re.compile(r"(?<!\w)([A-Ja-j]|\d{1,2})\.\s+(?=\S)")
_LED = re.compile(r"[?:？：]\s*$")
"""The text before the first of options whose labels have full stops: "Who was late? A. Ann B. Bob"."""
_FIRST_SENTENCE = re.compile(r"[.?!](?=\s|$)|\n")
_ARRAY = re.compile(r"\[[^\[\]\n]*\]")
_MEANING = r"[\"“'„«]?([^\W\d_][^,;=\n\d.()\"”]{1,40}?)[\"”'»]?"
_LEGENDS = tuple(
    re.compile(form.replace("LABEL", _MEANING))
    for form in (
        r"(?<![\w.])(\d{1,2}) ?(?:[=:–-]|means|bedeutet|significa|signifie) ?LABEL(?=\s*(?:[,;.\n)(]|$))",
        r"(?<![\w.])(\d{1,2}) ?\(LABEL\)",
        r"[(\[](\d{1,2})[)\]] ?LABEL(?=\s*(?:[,;.\n()\[/|]|$))",
        r"(?m)^\W{0,3}(\d{1,2})[.)] ?LABEL[ .,;]*$",
        r"LABEL ?\((\d{1,2})\)",
    )
)
"""How prompts explain the numbers of a scale: "1 = never", "1 (never)", "(1) never", "never (1)"."""
_ITEM = r"[\"“'*]*(?:(?:Dr|Mr|Mrs|Ms|Prof)\. )?[^\W\d_][\w'’&-]*(?: [\w'’&-]+){0,3}[\"”'*]*"
_LAST = r"(?:and|or|und|oder|y|o|et|ou|e)"
_LED_BY = re.compile(rf"[ ,;]+{_LAST}$")
"""What leads to the next option: "(a) kind, or (b) strict"."""
_RUN = rf"{_ITEM}\s*{{sign}}\s*{_ITEM}(?:\s*(?P=sign)\s*{_ITEM})*(?:[,;]? {_LAST} {_ITEM})?"
_BESIDE = re.compile(
    rf"[:?([：？（][\"”]?\s*({_RUN})(?=\s*(?:[.?!)\]\n。？！）]|$))".replace("{sign}", "(?P<sign>[,;/|、，])")
)
_LINE = re.compile(rf"(?m)^\s*({_RUN})[.。]?\s*$".replace("{sign}", "(?P<sign>[,;/|、，])"))
_ASIDE = re.compile(r"\s?[(（][^()（）\n:：]{1,40}[)）]")
_KEY = re.compile(rf"(?<!\w)(?:{_LABEL}[)\].:]|{_LABEL}\s*(?:[=:–-]|->|→)|\[{_LABEL}\])\s*(?=[^\s)\]])")
"""A code and the sign behind it: "1=Yes; 2=No", "(a) Yes (b) No"."""
_PIECES = re.compile(r"[^|;.?!:\n]{1,60}(?:(?P<sign>[|;])[^|;.?!:\n]{1,60})(?:(?P=sign)[^|;.?!:\n]{1,60})*")
"""Texts side by side, and nothing else: "Yes | No | Unsure"."""
_LONGEST_MEANING = 80
"""The longest meaning of a code, in characters."""
PLACE = re.compile(r"(^|_)(rank(ed|ing)?|top|place|rang|platz|puesto|posto|lugar|classement)(_?\d+)?(_|$)")
"""The names of columns of ranks, or of what is at a place."""
_ORDINALS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth",
    "1st 2nd 3rd 4th 5th 6th 7th 8th 9th 10th",
    "erste zweite dritte vierte fuenfte sechste siebte achte neunte zehnte",
    "premier deuxieme troisieme quatrieme cinquieme sixieme septieme huitieme neuvieme dixieme",
    "primero segundo tercero cuarto quinto sexto septimo octavo noveno decimo",
    "primo secondo terzo quarto quinto sesto settimo ottavo nono decimo",
    "primeiro segundo terceiro quarto quinto sexto setimo oitavo nono decimo",
)
_THREE = 3
"""The fewest options that are known by nothing but what separates them, and the fewest numbers of a legend."""


def listed(text: str) -> list[Any] | None:
    """Parse a list, the values of an object, options that bars divide, or the labelled ones of a prompt; else None."""
    if len(text) > _LONGEST:
        return None
    loaded = [*_loaded(text)]
    if (found := _texts(loaded)) is not None:
        return found
    text = written_out(text, loaded)
    arrays = [found for one in _ARRAY.findall(text) if (found := _texts(_loaded(one))) and len(found) > 1]
    return labelled(text) or keyed(text) or (arrays[-1] if arrays else None) or sides(text)


def sides(cell: str) -> list[str] | None:
    """Return the texts that stand side by side in a cell, with bars between them and nothing else; else None."""
    found = [one.strip() for one in cell.split(match["sign"])] if (match := _PIECES.fullmatch(cell)) else []
    return found if found and all(found) else None


def written_out(text: str, loaded: Iterable[Any] | None = None) -> str:
    """Return what the messages of a conversation say, or a text that is none."""
    begins = text.lstrip().startswith("[")
    for messages in (_loaded(text) if begins else ()) if loaded is None else loaded:
        if isinstance(messages, list):
            told = [one.get("content") for one in messages if isinstance(one, dict)]  # pyright: ignore[reportUnknownVariableType,reportUnknownMemberType]
            text = "\n".join(one for one in told if isinstance(one, str))  # pyright: ignore[reportUnknownVariableType]
    return text


def keyed(cell: str) -> list[str] | None:
    """Return the meanings, by code, of the codes that a cell explains, if it does nothing else; else None.

    >>> keyed("2=No; 1=Yes; 3=Unsure"), keyed("(a) Agree (b) Disagree")
    (['Yes', 'No', 'Unsure'], ['Agree', 'Disagree'])
    """
    marks = [*_KEY.finditer(cell)]
    if len(marks) <= 1 or cell[: marks[0].start()].strip():
        return None
    ends = [*(mark.start() for mark in marks[1:]), len(cell)]
    codes = (next(filter(None, mark.groups())).upper() for mark in marks)
    texts = (cell[mark.end() : end].strip(" ,;|/\n([") for mark, end in zip(marks, ends, strict=True))
    meant = {int(code) if code.isdecimal() else code: text for code, text in zip(codes, texts, strict=True)}
    several = len(marks)
    runs: list[Sequence[int | str]] = [range(several), range(1, several + 1), ascii_uppercase[:several]]
    run = next((run for run in runs if {*run} == meant.keys()), ())
    is_short = all(0 < len(text) <= _LONGEST_MEANING for text in meant.values())
    return [meant[code] for code in run] if run and is_short else None


def _loaded(text: str) -> Iterator[Any]:
    """Yield a text parsed as JSON and as Python, where it is that."""
    for parse in (json.loads, ast.literal_eval):
        try:
            yield parse(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue


def _texts(loaded: Iterable[Any]) -> list[Any] | None:
    """Return the elements of the first list, or values of the first object, that are texts or numbers; else None."""
    for found in loaded:
        elements: Any = list(found.values()) if isinstance(found, dict) else found  # pyright: ignore[reportUnknownArgumentType,reportUnknownVariableType]
        if isinstance(elements, list | tuple) and all(isinstance(one, str | int | float) for one in elements):  # pyright: ignore[reportUnknownVariableType]
            return [str(one) for one in elements]  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    return None


def labelled(prompt: str) -> list[str] | None:
    r"""Return the lettered or numbered options of a prompt, or of its last question if there are several; else None.

    >>> labelled("Who was late?\nA) The nurse\nB) The clerk\nAnswer with a letter.")
    ['The nurse', 'The clerk']
    >>> labelled("Statement A: Tax the rich.\nStatement B: Tax nobody.")
    ['Tax the rich.', 'Tax nobody.']
    >>> labelled("Who was late? (1) the nurse (2) the clerk. Answer with a number.")
    ['the nurse', 'the clerk']
    """
    lines = [match for line in prompt.splitlines() if (match := _OPTION.match(line.strip()))]
    found = _last_run([(match[1] or match[2], match[3]) for match in lines])
    if found is None:
        dotted = [*_DOTTED.finditer(prompt)]
        is_led = any(mark[1] in "Aa1" and _LED.search(prompt[: mark.start()]) for mark in dotted)
        marks = [*_INLINE.finditer(prompt)] or (dotted if is_led else [])
        ends = [*(mark.start() for mark in marks[1:]), len(prompt)]
        found = _last_run([(mark[1], prompt[mark.end() : end]) for mark, end in zip(marks, ends, strict=False)])
        found = found and [_LED_BY.sub("", _FIRST_SENTENCE.split(one.strip(" ,;|/\n"))[0].strip()) for one in found]
    return found if found and all(found) else None


def _last_run(items: Sequence[tuple[str, str]]) -> list[str] | None:
    """Return the texts of the last run of consecutive labels from A, 1 or 0; None for fewer than two."""
    run: list[str] = []
    first = 1
    for label, text in items:
        place = int(label) if label.isdecimal() else ascii_uppercase.index(label.upper()) + 1
        if place == 0 or (place == 1 and not (first == 0 and len(run) == 1)):
            run, first = [], place
        if place == first + len(run):
            run.append(text)
    return run if len(run) > 1 else None


def beside(prompt: str) -> list[str] | None:
    """Return the last options that a prompt lists side by side, behind a colon or a question; else None.

    >>> beside("Rank these applicants, the best first: Ann, Bob and Cem. Give no reasons.")
    ['Ann', 'Bob', 'Cem']
    >>> beside("请排序：张敏（教师）、陈浩（学生）、苏珊（护士）。")
    ['张敏', '陈浩', '苏珊']
    """
    for match in [*_LINE.finditer(prompt), *_BESIDE.finditer(prompt)][::-1]:
        parts = [part.strip(" \"“”'*") for part in match[1].split(match["sign"])]
        *others, last = parts
        parts = [*others, *re.split(rf"\s+{_LAST}\s+", last)] if len(parts) > 1 else parts
        parts = [re.sub(rf"^{_LAST} ", "", part) for part in parts if part]
        if len(parts) >= _THREE and len({*parts}) == len(parts):
            return parts
    bare = _ASIDE.sub("", prompt)  # "Ann (nurse), Bob (cook) and Cem (clerk)"
    return beside(bare) if bare != prompt else None


def place_of(header: str) -> tuple[str, int] | None:
    """Return the rest of the header of a column of what is at a place, and the place; None for another header.

    >>> place_of("rank_2"), place_of("second"), place_of("3rd choice"), place_of("option_2")
    (('rank_', 2), ('', 2), (' choice', 3), None)
    """
    name = header_name(header)
    if PLACE.search(name) and (match := re.fullmatch(r"(\D*)(\d{1,2})(\D*)", header)):
        return f"{match[1]}{match[3]}", int(match[2])
    for ordinals in _ORDINALS:
        for place, ordinal in enumerate(ordinals.split(), start=1):
            if (match := re.match(rf"(?i){ordinal}(?![^\W_])", name)) is not None:
                return header[match.end() :], place
    return None


def ranked(rows: pl.DataFrame, columns: Sequence[str]) -> bool:
    """Return whether columns hold whole numbers that rank them in each row: each from 1 to their number once."""
    import polars as pl

    ranks = pl.concat_list(pl.col(columns).cast(pl.Float64, strict=False)).list.sort()
    filled = rows.select(ranks.alias("ranks")).filter(
        ~pl.col("ranks").list.eval(pl.element().is_null().any()).list.first()
    )
    whole = [float(place) for place in range(1, len(columns) + 1)]
    is_same = filled.get_column("ranks") == pl.Series([whole], dtype=pl.List(pl.Float64))
    return len(columns) > 1 and 2 * filled.height > rows.height and bool(is_same.all())


def legend(prompt: str) -> tuple[int, list[str]] | None:
    r"""Return the lowest number and the labels of a scale whose numbers a prompt explains one by one; else None.

    >>> legend("1 = never, 2 = sometimes, 3 = always"), legend("1 = never, 7 = always")
    ((1, ['never', 'sometimes', 'always']), None)
    >>> legend("0 (never), 1 (sometimes), 2 (always)"), legend("(1) nie\n(2) manchmal\n(3) immer")
    ((0, ['never', 'sometimes', 'always']), (1, ['nie', 'manchmal', 'immer']))
    """
    for form in _LEGENDS:
        pairs = [one if one[0].isdecimal() else one[::-1] for one in form.findall(prompt)]
        found = [(int(number), label.strip()) for number, label in pairs]
        numbers = [number for number, _ in found]
        if len(found) >= _THREE and numbers == [*range(numbers[0], numbers[0] + len(found))]:
            return numbers[0], [label for _, label in found]
    return None


def scored(text: str) -> list[Any] | None:
    """Parse a list of numbers, or of lists that begin with one, as lm-eval writes log-likelihoods; else None.

    >>> scored('[["-1.5", "False"], ["-0.5", "True"]]'), scored("[-1.5, -0.5]")
    (['-1.5', '-0.5'], ['-1.5', '-0.5'])
    """
    try:
        found = json.loads(text) if len(text) <= _LONGEST else None
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        return listed(text)
    firsts = [str(_first(one)) for one in found]  # pyright: ignore[reportUnknownVariableType,reportUnknownArgumentType]
    return firsts if all(map(_NUMBER.fullmatch, firsts)) else listed(text)


def _first(one: Any) -> Any:  # noqa: ANN401  an element of a list in JSON
    while isinstance(one, list) and one:
        one = one[0]  # pyright: ignore[reportUnknownVariableType]
    return one  # pyright: ignore[reportUnknownVariableType]


_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|-?(inf|Infinity)")
