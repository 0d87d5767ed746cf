"""Columns, or elements of lists, that hold several answers of a record, side by side: one for each model or sample."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from tallybook.drafting.clusters import RUN
from tallybook.drafting.header_words import BOOKKEEPING, MODEL, NAMES, NUMBERING, SCORES
from tallybook.drafting.survey import FILE, KEY, Part, Survey, described
from tallybook.instruments.multiple_choice.detection import differ
from tallybook.sources.json_records import at, flatten, is_object
from tallybook.sources.unpivot import explode_lists, texts_of
from tallybook.study.names import free_name, header_name, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tallybook.drafting.columns import Column

_ANSWER = (
    r"answers?|responses?|resp|outputs?|pred|predictions?|reply|replies|text|completions?|generations?|gen|choice|label"
    r"|rating|result|raw|ans|antwort|reponse|respuesta|risposta"
)
_SUFFIX = re.compile(rf"(?:[_ .:-]+(?:{_ANSWER}))+$", re.IGNORECASE)
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>\d{1,3})")
_SAMPLES = re.compile(rf"(^|_)({_ANSWER}|{'|'.join(name for name in NAMES['sample'] if len(name) > 1)})_?$")
_BLOCK = re.compile(r"(?P<before>(?:.*?[_ .:-])?)(?P<number>[1-9]\d?|0)(?P<field>[_ .:-].+)")
_ANSWERED = re.compile(rf"(^|_)({_ANSWER})$")
_SENTENCE = re.compile(r"\S+(?:\s+\S+){2,}")
_ITEM = re.compile(
    r"(?P<stem>(?:q|item|question|statement|frage|pregunta|domanda)[_ ]?)(?P<rest>\d{1,3}[_ .:-].+)", re.IGNORECASE
)
_ITEMS = re.compile(r"(^|_)(q|item|question|statement|frage|pregunta|domanda)_?$")
_LISTS = re.compile(rf"(^|_)({_ANSWER}|samples|runs|trials|messages|results|models|choices)$")
_TEXTS = ("text", "response", "answer", "output", "completion", "content", "reply", "generation")
_NESTED = ("message.content", "turns.0")
"""The paths of texts within several choices of a model; those of a single one are known as answers anyway."""
_SAID = {
    "text",
    "response",
    "answer",
    "output",
    "completion",
    "reply",
    "generation",
    "generated_text",
    "model_response",
}
"""The names of columns of answers, beside which other columns hold none."""
_FEW, _FEWEST = 2, 5
"""The smallest number of columns that are alike, and of items of a questionnaire without such a name."""
_MOST_FIELDS = 12
"""The largest number of fields of a record within a record that become columns."""
_MOST = 200
"""The largest number of elements of a list of answers."""


class Wide(NamedTuple):
    """Columns that hold several answers per record, side by side."""

    into: str  # what distinguishes the columns: `model`, `sample` or `item`
    forms: dict[str, str]  # new column -> the pattern of its headers: `text`, and for lists perhaps `model`
    values: tuple[str | int, ...]  # the values of `into` in the headers
    others: tuple[str, ...] = ()  # columns for the same values that are ignored
    # the new column for positions in lists of texts, if the columns hold lists
    elements: str | None = None
    model: str | None = None  # the pattern of the model, if the values of `into` also number answers

    @property
    def settings(self) -> dict[str, Any]:
        """The `unfold` settings of a study file."""
        made = {"into": self.into, "columns": self.forms, "values": [*self.values], "type": "string"}
        return made | ({"elements": self.elements} if self.elements else {})

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths of the columns with answers."""
        return tuple(_filled(form, value) for form in self.forms.values() for value in self.values)


def wide(found: Survey) -> Wide | None:
    """Find columns that hold several answers per record, side by side."""
    usable = [column for column in found.columns if column.kind != "empty" and "{" not in column.name]
    if (blocks := _blocks(usable)) is not None:
        return blocks
    asked = ("prompt.", "request.", "input.", "question.")
    names = {header_name(column.name) for column in found.columns if not column.name.startswith(asked)}
    if names & _SAID:
        return None
    return (
        _questionnaire(usable, found.sample)
        or (_models(usable, names, found) if "model" not in names else None)
        or _numbered(usable, found.sample)
        or _statements(usable, found.sample)
        or _lists(usable, found)
    )


def model_in(header: str) -> str | None:
    """Return the model in a column's name: `gpt-4o` of `gpt-4o_answer`."""
    match, suffix = MODEL.search(header), _SUFFIX.search(header)
    if match is None:
        return None
    return header[match.start() : suffix.start() if suffix and suffix.start() >= match.end() else len(header)]


def _models(columns: Sequence[Column], names: set[str], survey: Survey) -> Wide | None:
    """Find columns whose names differ only in the model."""
    forms: dict[str, list[tuple[str, str]]] = {}
    for column in columns:
        if model := model_in(column.name):
            forms.setdefault(column.name.replace(model, "{model}", 1), []).append((model, column.name))
    several = {form: found for form, found in forms.items() if len(found) >= _FEW}
    if not several:
        return None
    best = max(several, key=lambda form: (bool(re.search(_ANSWER, form)), len(several[form])))
    others = tuple(name for form, found in forms.items() if form != best for _, name in found)
    cells = [cell for _, name in several[best] for cell in survey.sample.get_column(name).drop_nulls()]
    is_listed = "sample" not in names and bool(cells) and all(texts_of(cell) is not None for cell in cells)
    kinds = {column.name: column.kind for column in columns}
    before, _, behind = best.partition("{model}")
    form = re.compile(f"{re.escape(before)}(.+){re.escape(behind)}" if before or behind else _SIZED)
    unknown = [
        match[1]
        for name, kind in kinds.items()
        if kind == kinds[several[best][0][1]] and model_in(name) is None and (match := form.fullmatch(name))
    ]
    models = (*(model for model, _ in several[best]), *unknown)
    bases = [match[1] for model in models if (match := re.match(_BEFORE_RUN, model))]
    if len({*bases}) < len(bases) == len(models):  # "gpt-4o_run1", "gpt-4o_run2"
        return Wide("model_run", {"text": best.replace("{model}", "{model_run}")}, models, others, None, _BEFORE_RUN)
    return Wide("model", {"text": best}, models, others, "sample" if is_listed else None)


_SIZED = r"(?i)([a-z].*(?:\d\s?b\b|\d\.\d).*)"
"""The pattern of unknown models' names beside known ones: they have a size or a version, as in "Teuken 7B"."""
_BEFORE_RUN = rf"(?s)^(.+?)[-_/:#. |;]+{RUN}[-_ ]?\d{{1,3}}$"
"""The pattern of the model in "gpt-4o_run1"."""


def _numbered(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find columns that are numbered answers or numbered questions."""
    stems: dict[str, list[int]] = {}
    for column in columns:
        if (match := _NUMBERED.fullmatch(column.name)) and not match["number"].startswith("0"):
            stems.setdefault(match["stem"], []).append(int(match["number"]))
        elif column.name.endswith("0") and (match := _NUMBERED.fullmatch(column.name)) and match["number"] == "0":
            stems.setdefault(match["stem"], []).append(0)
    kinds = {column.name: column.kind for column in columns}
    for stem, numbers in stems.items():
        into = "sample" if _SAMPLES.search(header_name(stem)) else "item" if _ITEMS.search(header_name(stem)) else None
        is_row = len(numbers) >= _FEW and sorted(numbers) == [*range(min(numbers), min(numbers) + len(numbers))]
        if into is None or not is_row or (into == "item" and len(numbers) == _FEW):
            continue
        members = [f"{stem}{number}" for number in numbers]
        if into == "sample" and (all(kinds[one] != "text" for one in members) or _are_options(members, sample)):
            continue
        beside = [name for name, found in stems.items() if name != stem and found == numbers]
        asked = [name for name in beside if _is_kept(name) and not _SAMPLES.search(header_name(name))]
        forms = _named({"text": stem} | {plain(name): name for name in asked})
        passed = [f"{name}{number}" for name in beside if name not in asked for number in numbers]
        return Wide(
            into,
            {name: f"{one}{{{into}:int}}" for name, one in forms.items()},
            tuple(sorted(numbers)),
            tuple(passed),
        )
    named = [match for column in columns if (match := _ITEM.fullmatch(column.name))]
    is_alike = len({match["stem"] for match in named}) == 1 and len({kinds[match.string] for match in named}) == 1
    if len(named) > _FEW and is_alike:  # "q1_trust", "q2_warmth"
        return Wide("item", {"text": f"{named[0]['stem']}{{item}}"}, tuple(match["rest"] for match in named))
    return None


def _blocks(columns: Sequence[Column]) -> Wide | None:
    """Find blocks of the same columns, one of them of answers: `hire.1.player.name`, `hire.1.player.answer`, ..."""
    blocks: dict[str, dict[int, list[str]]] = {}
    for column in columns:
        if (match := _BLOCK.fullmatch(column.name)) and not MODEL.search(column.name):
            blocks.setdefault(match["before"], {}).setdefault(int(match["number"]), []).append(match["field"])
    for before, found in blocks.items():
        fields = [field for field in next(iter(found.values())) if all(field in own for own in found.values())]
        answers = [field for field in fields if _ANSWERED.search(header_name(field))]
        others = [field for field in fields if _is_kept(field) and field not in answers]
        if len(found) >= _FEW and answers and len(fields) > len(answers):
            forms = _named({"text": answers[0]} | {plain(field): field for field in others})
            passed = [field for field in fields if field not in forms.values()]
            return Wide(
                "sample",
                {name: f"{before}{{sample:int}}{field}" for name, field in forms.items()},
                tuple(sorted(found)),
                tuple(f"{before}{number}{field}" for field in passed for number in found),
            )
    return None


def _is_kept(field: str) -> bool:
    """Return whether a field beside an answer is about the question; repetitions are numbered anyway."""
    own = header_name(field)
    return own not in NAMES["sample"] and not any(names.search(own) for names in (BOOKKEEPING, NUMBERING, SCORES))


def _named(fields: dict[str, str]) -> dict[str, str]:
    """Name columns by identifiers that no role has."""
    return {name if name == "text" else free_name(name, ()): field for name, field in fields.items()}


def _statements(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find columns that are called after statements or questions, and mostly hold the same answers."""
    members = [column.name for column in columns if _SENTENCE.fullmatch(column.name) and not MODEL.search(column.name)]
    cells = {name: {*sample.get_column(name).drop_nulls()} for name in members}
    shared = sum(
        len(own & {one for other in members if other != name for one in cells[other]}) for name, own in cells.items()
    )
    if len(members) <= _FEW or 2 * shared < sum(map(len, cells.values())):
        return None
    return Wide("item", {"text": "{item}"}, tuple(members))


def _questionnaire(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find numbered columns with the same few numbers or words: `BFI_1`, `BFI_2`, ...; `O1`, ..., `N12`."""
    items = {
        column.name: match["stem"]
        for column in columns
        if (match := _NUMBERED.fullmatch(column.name)) and not _SAMPLES.search(header_name(match["stem"]))
    }
    members = {name: {*sample.get_column(name).drop_nulls()} for name in items}
    levels = {value for own in members.values() for value in own}
    varying = sum(len(own) > 1 for own in members.values())
    if 2 * sum(bool(MODEL.search(name)) for name in items) >= len(items):  # O1 is also a model
        return None
    if len(members) < _FEWEST or not 1 < len(levels) <= _MOST_POINTS or 2 * varying <= len(members):
        return None
    kinds = {column.kind for column in columns if column.name in items}
    if len(kinds) > 1 or ("text" in kinds and _are_options([*items], sample)):
        return None
    stems = {*items.values()}
    stem = stems.pop() if len(stems) == 1 else ""
    return Wide("item", {"text": f"{stem}{{item}}"}, tuple(name.removeprefix(stem) for name in items))


_MOST_POINTS = 11
"""The largest number of different answers in a questionnaire."""


def _are_options(members: Sequence[str], sample: pl.DataFrame) -> bool:
    """Return whether columns hold offered options: all differ within a row, and another column mostly names one."""
    others = [name for name in sample.columns if name not in {*members, FILE, KEY}]

    def names_one(other: str) -> bool:
        is_named = pl.any_horizontal(pl.col(other).str.contains(pl.col(one), literal=True) for one in members)
        return 2 * sample.filter(is_named).height > sample.height

    return differ(sample, members) and any(map(names_one, others))


def _lists(columns: Sequence[Column], found: Survey) -> Wide | None:
    """Find a list of answers in each record: of texts, or of objects with a text."""
    for column in columns:
        values = found.sample.get_column(column.name).drop_nulls()
        if not _LISTS.search(header_name(column.name)) or values.is_empty() or not values.str.starts_with("[").all():
            continue
        try:
            lists = [json.loads(value) for value in values]
        except (ValueError, RecursionError):
            continue
        longest = max(map(len, lists), default=0)
        first: Any = next((one[0] for one in lists if one), None)
        if longest < 1 or longest > _MOST or (is_object(first) and "role" in first):
            continue
        are_choices = column.name.endswith("choices")  # a model's, or the options of a question
        if are_choices and longest == 1:
            continue
        if isinstance(first, str) and not are_choices:
            return Wide("sample", {"text": f"{column.name}.{{sample:int}}"}, tuple(range(longest)))
        if not is_object(first):
            continue
        fields = [*flatten(first)]
        inner = [
            field for field in fields if "." in field and {*header_name(field.replace(".", "_")).split("_")} & {*_TEXTS}
        ]
        texts = [path for path in (_NESTED if are_choices else (*_TEXTS, *inner)) if isinstance(at(first, path), str)]
        if texts:
            model = next((name for name in ("model", "model_name", "llm") if name in first), None)
            others = (
                [] if are_choices else [field for field in fields if field not in {*texts, model} and _is_kept(field)]
            )
            forms = (
                {"text": texts[0]}
                | ({"model": model} if model else {})
                | _named({plain(field): field for field in others[:_MOST_FIELDS]})
            )
            into = "sample" if len(forms) == 1 + bool(model) else "element_no"
            paths = {name: f"{column.name}.{{{into}:int}}.{field}" for name, field in forms.items()}
            return Wide(into, paths, tuple(range(longest)))
    return None


def _filled(form: str, value: str | int) -> str:
    return re.sub(r"\{[^}]*\}", lambda _: str(value), form)


def unfolded(found: Survey, wide: Wide) -> Survey:
    """Reshape records to one row per answer, as the study will."""
    names = found.records.collect_schema().names()
    passed = {*wide.paths, *wide.others}
    kept = [pl.col(name) for name in names if name not in passed and name not in {wide.into, *wide.forms}]
    parts = [
        found.records.select(
            *kept,
            pl.lit(str(value)).alias(wide.into),
            *(
                (pl.col(path) if (path := _filled(form, value)) in names else pl.lit(None, dtype=pl.String)).alias(name)
                for name, form in wide.forms.items()
            ),
        )
        for value in wide.values
    ]
    records = pl.concat(parts)
    if any("." in form for form in wide.forms.values()):
        records = records.filter(pl.any_horizontal(pl.col([*wide.forms]).is_not_null()))
    if wide.elements is not None:
        records = explode_lists(records, "text", wide.elements).with_columns(pl.col(wide.elements).cast(pl.String))
    parts_of = {} if wide.model is None else {"model": Part(wide.into, wide.model)}
    records = records.with_columns(pl.col(one.column).str.extract(one.form, 1).alias(n) for n, one in parts_of.items())
    made = described(found, records.select(FILE, KEY, pl.exclude(FILE, KEY)))
    columns = tuple(one for one in made.columns if one.name != wide.into or not parts_of)
    return replace(made, columns=columns, unfold=wide.settings, parts={**made.parts, **parts_of})


def describe_wide(wide: Wide, look: Callable[[Iterable[str]], str]) -> str:
    """Describe how columns side by side were read."""
    shown = look(map(str, wide.values))
    passed = f" Passed over: {look(wide.others)}." if wide.others else ""
    return (
        f"The columns {wide.forms['text']} ({shown}) are read as answers, one {wide.into} each; if not, every "
        f"count would change. See `unfold`.{passed}"
    )
