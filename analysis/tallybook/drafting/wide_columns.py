"""Columns, or elements of lists, that hold several answers of a record, side by side: one for each model or sample."""

from __future__ import annotations

import re
from itertools import permutations
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.drafting.clusters import RUN
from tallybook.drafting.columns import FILE, KEY
from tallybook.drafting.header_words import LABELS, MODEL, NAMES, SCORES
from tallybook.drafting.sibling_columns import (
    are_alike,
    are_together,
    conditions,
    has_answer,
    is_of_question,
    model_in,
    models_and_conditions,
)
from tallybook.drafting.unfolding import WHOLE, Wide
from tallybook.instruments.likelihood_columns import SIDES, WORDS, header_parts, log_likelihood
from tallybook.instruments.multiple_choice.detection import differ
from tallybook.instruments.offered import ranked
from tallybook.sources.json_records import at, flatten, is_array, is_object, opened_list
from tallybook.sources.unpivot import bracketed, texts_of
from tallybook.study.instrument_base import Sample
from tallybook.study.names import free_name, header_name, plain

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey

_ANSWER = (
    r"answers?|responses?|resp|outputs?|pred|predictions?|reply|replies|text|completions?|generations?|gen|choice|label"
    r"|rating|result|raw|ans|antwort|reponse|respuesta|risposta"
)
_NUMBERED = re.compile(r"(?P<stem>.*?)(?P<number>\d{1,3})")
_LISTED = re.compile(r"(?P<stem>.+[\[(])(?P<item>[^\])]+)(?P<end>[\])])|(?P<before>.*?)(?P<number>\d{1,3})\.?")
"""Items of questionnaires in brackets, `ATT[SQ001]` of LimeSurvey, or numbered; `ATT.SQ001.` is what R calls these."""
_WITHIN = re.compile(r"(?P<stem>.*?)(?P<number>\d{1,3})(?P<end>[_ .:-]\D+)?")
_SAMPLES = re.compile(rf"(^|_)({_ANSWER}|{'|'.join(name for name in NAMES['sample'] if len(name) > 1)})_?$")
_BLOCK = re.compile(r"(?P<before>(?:.*?[_ .:-])?)(?P<number>[1-9]\d?|0)(?P<field>[_ .:-].+)")
_OTREE = re.compile(r"\.player\.(?!(?:id_in_group|payoff|role|round_number)$)\w+")
"""Columns of players' decisions in a round of oTree, `trust.1.player.sent`, but not those that it adds itself."""
_ANSWERED = re.compile(rf"(^|_)({_ANSWER})$")
_SENTENCE = re.compile(r"\S+(?:\s+\S+){2,}")
_ITEM = re.compile(
    r"(?P<stem>(?:q|item|question|statement|frage|pregunta|domanda)[_ ]?)(?P<rest>\d{1,3}[_ .:-].+)", re.IGNORECASE
)
_ITEMS = re.compile(r"(^|_)(q|item|question|statement|frage|pregunta|domanda)_?$")
_LISTS = re.compile(rf"(^|_)({_ANSWER}|ratings|samples|runs|trials|messages|results|models|choices)$")
_OF_NUMBERS = re.compile(r"(^|_)(ratings|answers|responses|replies|completions|samples|runs)$")
"""The names of lists whose numbers are answers."""
_TEXTS = ("text", "response", "answer", "output", "completion", "content", "reply", "generation")
_NESTED = ("message.content", "turns.0")
"""The paths of texts within several choices of a model; those of a single one are known as answers anyway."""
_OF_ANSWERS = {"finish_reason", "stop_reason", "logprobs", "index"}
"""The fields of a model's choices, which the options of a question lack."""
_SAID = {*_TEXTS, "generated_text", "model_response"} - {"content"}
"""The names of columns of answers, beside which other columns hold none."""
_FEW, _FEWEST = 2, 5
"""The smallest number of columns that are alike, and of items of a questionnaire without such a name."""
_MOST_FIELDS = 12
"""The largest number of fields of a record within a record that become columns."""
_MOST = 200
"""The largest number of elements of a list of answers."""
_FIELD = re.compile(r"\.(?=[^\W\d])")
"""The point before a field, unlike that in "gpt-4.1"."""
_OF_PAIR = re.compile(rf"(?i)(?:^|[_ .:-])(?:log_prob|log_likelihood|{'|'.join(sorted(WORDS))})(?![^_ .:-])")
"""Words of likelihoods in headers, and what is before them."""
_SIZED = r"(?i)([a-z].*(?:\d\s?b\b|\d\.\d).*)"
"""The pattern of unknown models' names beside known ones: they have a size or a version, as in "Teuken 7B"."""
_BEFORE_RUN = rf"(?s)^(.+?)[-_/:#. |;]+{RUN}[-_ ]?\d{{1,3}}$"
"""The pattern of the model in "gpt-4o_run1"."""
_LONG = 40
"""The mean length, in characters, of answers that are whole sentences."""
_MOST_POINTS = 11
"""The largest number of different answers in a questionnaire."""


def wide(found: Survey) -> Wide | None:
    """Find columns that hold several answers per record, side by side."""
    usable = [column for column in found.columns if column.kind != "empty" and "{" not in column.name]
    copies = _copies(usable, found.sample)
    usable = [column for column in usable if column.name not in copies]
    if (blocks := _blocks(usable)) is not None:
        return blocks
    asked = ("prompt.", "request.", "input.", "question.")
    keys = _keys([column.name for column in usable])
    names = {column.name for column in found.columns if not column.name.startswith(asked)}
    names = {name for name in names if not name.endswith("choices.0.text")}  # which may be the first of several
    names -= {name for table in found.joined for name in table.columns}
    names = {header_name(name) for name in names - keys.keys()}
    has_model = "model" in names or any(one.names_models and one.header in NAMES["model"] for one in usable)
    if (again := _repeated(usable, found.sample)) is not None:
        return again
    if names & _SAID - {"answer"}:
        return _lists([column for column in usable if has_answer(column.name)], found)
    if (varied := conditions(usable, found.sample)) is not None or names & _SAID:
        return varied
    return (
        _questionnaire(usable, found.sample)
        or (None if has_model else _models(usable, names, found, keys))
        or _numbered(usable, found.sample)
        or _repeated_numbers(usable, found.sample)
        or _statements(usable, found.sample)
        or _parallel_lists(usable, found)
        or _lists(usable, found)
    )


def _copies(columns: Sequence[Column], sample: pl.DataFrame) -> set[str]:
    """Return the columns with the answers of a column that is less deep in a record: a server's and a script's."""
    own = {one.name: one for one in columns if one.kind == "text"}
    texts = sorted(own, key=lambda name: len(_FIELD.split(name)))
    said = [name for name in texts if has_answer(name) or _FIELD.split(name)[-1] in _TEXTS]
    pairs = [(one, other) for at, one in enumerate(said) for other in said[at + 1 :]]
    # Short answers of two models, or several of one, may be equal by chance.
    likely = [(one, other) for one, other in pairs if ("." in other and "." not in one) or own[other].length > _LONG]
    return {other for one, other in likely if sample.get_column(one).eq_missing(sample.get_column(other)).all()}


def _repeated(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find answers under one header, which programs number: `response (1)`; `response`, `response.1`."""
    names = [column.name for column in columns if column.kind != "empty"]
    for name in filter(has_answer, names):
        if name.endswith(" (1)"):
            numbers = [number for number in range(1, len(names)) if f"{name[:-4]} ({number})" in names]
            return Wide("sample", {"text": f"{name[:-4]} ({{sample:int}})"}, tuple(numbers))
        again = [other for other in names if re.fullmatch(rf"{re.escape(name)}[._ ]\d\d?", other)]
        if again and are_alike([one for one in columns if one.name in {name, *again}], sample):
            are_options = len(again) > 1 and (_are_options(again, sample) or differ(sample, again))
            return None if are_options else Wide(WHOLE, {"text": f"{{{WHOLE}}}"}, (name, *again))
    return None


def _keys(names: Sequence[str]) -> dict[str, str]:
    """Return the models that are keys, by column: `answers.{model}`, and `replies.{model}.text` with fields of each."""
    found: dict[tuple[str, ...], dict[str, str]] = {}
    for name in names:
        parts = _FIELD.split(name)
        for place, key in enumerate(parts[: len(parts) - (len(parts) == 1)]):
            found.setdefault((*parts[:place], "", *parts[place + 1 :]), {})[key] = name
    some = ((any if form[-1] else all, own) for form, own in found.items() if len(own) > 1)
    of_models = (own for are, own in some if are(map(MODEL.search, own)))
    return {name: key for own in of_models for key, name in own.items()}


def _sided(columns: Sequence[Column], sample: pl.DataFrame) -> dict[str, str]:
    """Return the models, known or not, that headers name beside both sides of a pair of likelihoods, by column."""
    forms: dict[str, dict[str, str]] = {}
    for name in (column.name for column in columns if column.is_number):
        model = _OF_PAIR.sub("", name).strip("_ .:-")
        if model and model in name:
            forms.setdefault(name.replace(model, "{model}", 1), {})[model] = name
    parts = {
        form: header_parts(form)
        for form, own in forms.items()
        if len(own) > 1 and log_likelihood(header_parts(form), Sample(sample), tuple(own.values()))
    }
    for (one, own), (other, others) in permutations(parts.items(), 2):
        if forms[one].keys() == forms[other].keys() and any(own & x and others & y for x, y in SIDES):
            return {name: model for form in (one, other) for model, name in forms[form].items()}
    return {}


def _models(columns: Sequence[Column], names: set[str], survey: Survey, keys: Mapping[str, str]) -> Wide | None:
    """Find columns whose names differ only in the model."""
    keys = {**keys, **(_sided(columns, survey.sample) if survey.model is None else {})}
    forms: dict[str, list[tuple[str, str]]] = {}
    for column in columns:
        if model := keys.get(column.name) or model_in(column.name):
            forms.setdefault(column.name.replace(model, "{model}", 1), []).append((model, column.name))
    several = {form: found for form, found in forms.items() if len(found) >= _FEW}
    if not several:
        return None
    best = max(
        several,
        key=lambda form: (form.rpartition(".")[2] in _TEXTS, bool(re.search(_ANSWER, form)), len(several[form])),
    )
    if (numbers := _of_models(several, best, columns)) is not None:
        return numbers
    if (crossed := models_and_conditions(several, columns)) is not None:
        return crossed
    others = tuple(name for form, found in forms.items() if form != best for _, name in found)
    cells = [cell for _, name in several[best] for cell in survey.sample.get_column(name).drop_nulls()]
    is_listed = "sample" not in names and bool(cells) and all(texts_of(cell) is not None for cell in cells)
    kinds = {column.name: column.kind for column in columns}
    before, _, behind = best.partition("{model}")
    form = re.compile(f"{re.escape(before)}(.+){re.escape(behind)}" if before or behind else _SIZED)
    unknown = [
        match[1]
        for name, kind in kinds.items()
        if kind == kinds[several[best][0][1]]
        and not (keys.get(name) or model_in(name))
        and (match := form.fullmatch(name))
    ]
    models = (*(model for model, _ in several[best]), *unknown)
    bases = [match[1] for model in models if (match := re.match(_BEFORE_RUN, model))]
    if len({*bases}) < len(bases) == len(models):  # "gpt-4o_run1", "gpt-4o_run2"
        form = best.replace("{model}", "{model_run}")
        return Wide("model_run", {"text": form}, models, others, None, {"model": _BEFORE_RUN})
    return Wide("model", {"text": best}, models, others, "sample" if is_listed else None)


def _of_models(several: Mapping[str, list[tuple[str, str]]], best: str, columns: Sequence[Column]) -> Wide | None:
    """Unfold several columns of numbers for each model: `gpt2_score_more`, `gpt2_score_less`."""
    numbers = {column.name for column in columns if column.is_number}
    models = tuple(model for model, _ in several[best])
    alike = [form for form, own in several.items() if {*models} == {model for model, _ in own}]
    alike = [form for form in alike if all(name in numbers for _, name in several[form])]
    fields = {plain("_".join(re.split(r"\W*_?\{model\}_?\W*", form))).strip("_"): form for form in alike}
    if best not in alike or len(fields) < _FEW:
        return None
    passed = tuple(name for form, own in several.items() if form not in alike for _, name in own)
    return Wide("model", _named(fields), models, passed)


def _numbered(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find columns that are numbered answers or numbered questions."""
    stems: dict[str, list[int]] = {}
    for column in columns:
        match = _NUMBERED.fullmatch(column.name)
        if match and (match["number"] == "0" or not match["number"].startswith("0")):
            stems.setdefault(match["stem"], []).append(int(match["number"]))
    kinds = {column.name: column.kind for column in columns}
    for stem, numbers in stems.items():
        into = "sample" if _SAMPLES.search(header_name(stem)) else "item" if _ITEMS.search(header_name(stem)) else None
        is_row = len(numbers) >= _FEW and sorted(numbers) == [*range(min(numbers), min(numbers) + len(numbers))]
        if into is None or not is_row or (into == "item" and len(numbers) == _FEW):
            continue
        members = [f"{stem}{number}" for number in numbers]
        is_answer = has_answer(stem) or any(kinds[one] == "text" for one in members)
        if into == "sample" and (not is_answer or _are_options(members, sample)):
            continue
        beside = [name for name, found in stems.items() if name != stem and found == numbers]
        beside = [name for name in beside if not are_together([f"{name}{n}" for n in numbers], columns, sample)]
        asked = [name for name in beside if is_of_question(name) and not _SAMPLES.search(header_name(name))]
        named = _named({"text": stem} | {plain(name): name for name in asked})
        forms = {name: f"{one}{{{into}:int}}" for name, one in named.items()}
        passed = tuple(f"{name}{number}" for name in beside if name not in asked for number in numbers)
        return Wide(into, forms, tuple(sorted(numbers)), passed)
    items = [match for column in columns if (match := _ITEM.fullmatch(column.name))]
    is_alike = len({match["stem"] for match in items}) == 1 and len({kinds[match.string] for match in items}) == 1
    if len(items) > _FEW and is_alike:  # "q1_trust", "q2_warmth"
        return Wide("item", {"text": f"{items[0]['stem']}{{item}}"}, tuple(match["rest"] for match in items))
    return None


def _repeated_numbers(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find numbers on one scale under the names of repetitions: `run_1`, ...; `seed_11`, `seed_42`; `rating_1`, ..."""
    found: dict[tuple[str, str], list[int]] = {}
    for match in (_WITHIN.fullmatch(column.name) for column in columns if column.is_number):
        if match and str(int(match["number"])) == match["number"] and _SAMPLES.search(header_name(match["stem"])):
            found.setdefault((match["stem"], match["end"] or ""), []).append(int(match["number"]))
    for (stem, end), numbers in found.items():
        members = [f"{stem}{number}{end}" for number in numbers]
        others = tuple(
            f"{stem}{number}{last}"
            for (first, last), own in found.items()
            for number in own
            if first == stem and last != end
        )
        if len(numbers) >= _FEW and _are_on_one_scale(members, sample):
            return Wide("sample", {"text": f"{stem}{{sample:int}}{end}"}, tuple(sorted(numbers)), others)
    return None


def _are_on_one_scale(members: Sequence[str], sample: pl.DataFrame) -> bool:
    """Return whether the mean of each column lies within the values of every other one, and no row ranks them all."""
    numbers = sample.select(pl.col(members).cast(pl.Float64, strict=False))
    low, high = (max(numbers.min().row(0)), min(numbers.max().row(0)))
    is_alike = all(mean is not None and low <= mean <= high for mean in numbers.mean().row(0))
    return is_alike and not ranked(sample, members)


def _blocks(columns: Sequence[Column]) -> Wide | None:
    """Find blocks of the same columns, one of them of answers: `hire.1.player.name`, `hire.1.player.answer`, ..."""
    blocks: dict[str, dict[int, dict[str, Column]]] = {}
    for column in columns:
        if (match := _BLOCK.fullmatch(column.name)) and not MODEL.search(column.name):
            blocks.setdefault(match["before"], {}).setdefault(int(match["number"]), {})[match["field"]] = column
    for before, found in blocks.items():
        first = next(iter(found.values()))
        fields = [field for field in first if all(field in own for own in found.values())]
        answers = [field for field in fields if any(_is_answer(own[field]) for own in found.values())]
        named = [field for field in answers if _ANSWERED.search(header_name(field))]
        decided = [field for field in fields if _OTREE.fullmatch(field) and first[field].distinct > 1]
        numbers = [field for field in decided if all(own[field].is_number for own in found.values())]
        decided = decided if len(decided) == 1 else numbers if len(numbers) == 1 else []
        is_told = bool(answers)
        if not is_told:
            answers = named = decided
        others = [field for field in fields if is_of_question(field) and field not in answers]
        is_block = len(found) >= _FEW and (decided or len(fields) > len(answers))
        if answers and (is_block or not is_told):
            text = {"text": named[0]} if named else {}
            own = _named(text | {plain(one): one for one in [*answers, *others] if one not in named[:1]})
            forms = {name: f"{before}{{sample:int}}{field}" for name, field in own.items()}
            passed = [field for field in fields if field not in own.values()]
            headers = tuple(f"{before}{number}{field}" for field in passed for number in found)
            return Wide("sample", forms, tuple(sorted(found)), headers)
    return None


def _is_answer(column: Column) -> bool:
    """Return whether a column of a block is named like an answer, or says yes or no."""
    is_named = _ANSWERED.search(column.header) is not None or column.is_label or column.is_score
    return is_named or (column.kind == "text" and column.says_yes_or_no)


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
    found = [match for column in columns if (match := _LISTED.fullmatch(column.name))]
    items = {match.string: match["stem"] or match["before"] for match in found}
    items = {name: stem for name, stem in items.items() if not _SAMPLES.search(header_name(stem))}
    members = {name: {*sample.get_column(name).drop_nulls()} for name in items}
    levels = {value for own in members.values() for value in own}
    varying = sum(len(own) > 1 for own in members.values())
    if 2 * sum(bool(MODEL.search(name)) for name in items) >= len(items):  # O1 is also a model
        return None
    is_in_brackets = len({*items.values()}) == 1 and all(name.endswith(("]", ")")) for name in items)
    if (
        len(members) < (_FEW + 1 if is_in_brackets else _FEWEST)
        or not 1 < len(levels) <= _MOST_POINTS
        or 2 * varying <= len(members)
    ):
        return None
    kinds = {column.kind for column in columns if column.name in items}
    if len(kinds) > 1 or ("text" in kinds and _are_options([*items], sample)):
        return None
    stems = {*items.values()}
    stem = stems.pop() if len(stems) == 1 else ""
    end = next(iter(items))[-1] if is_in_brackets else ""
    values = tuple(name.removeprefix(stem).removesuffix(end) for name in items)
    return Wide("item", {"text": f"{stem}{{item}}{end}"}, values)


def _are_options(members: Sequence[str], sample: pl.DataFrame) -> bool:
    """Return whether columns hold offered options: all differ within a row, and another column mostly names one."""
    others = [name for name in sample.columns if name not in {*members, FILE, KEY}]

    def names_one(other: str) -> bool:
        is_named = pl.any_horizontal(pl.col(other).str.contains(pl.col(one), literal=True) for one in members)
        return 2 * sample.filter(is_named).height > sample.height

    return differ(sample, members) and any(map(names_one, others))


def _parallel_lists(columns: Sequence[Column], found: Survey) -> Wide | None:
    """Find lists of equal length, one of models and one of their answers; others are of what belongs to each."""
    rows = found.sample.select(one.name for one in columns)
    lists = {name: [*map(opened_list, rows.get_column(name).drop_nulls())] for name in bracketed(rows)}
    lists = {name: own for name, own in lists.items() if all(map(is_array, own))}
    models = next((name for name, own in lists.items() if all(_are_models(one) for one in own)), None)
    if models is None:
        return None
    sizes = [len(one) for one in lists[models]]
    alike = [name for name, own in lists.items() if [len(one) for one in own] == sizes and not is_object(own[0][0])]
    text = next((name for name in alike if name != models and _LISTS.search(header_name(name))), None)
    if text is None:
        return None
    others = {plain(name): name for name in alike if name not in {text, models}}
    named = {"text": text, "model": models} | _named(others)
    return Wide("sample", {name: f"{path}.{{sample:int}}" for name, path in named.items()}, tuple(range(max(sizes))))


def _are_models(listed: Sequence[object]) -> bool:
    return len(listed) > 1 and all(isinstance(one, str) and MODEL.search(one) for one in listed)


def _lists(columns: Sequence[Column], found: Survey) -> Wide | None:
    """Find a list of answers in each record: of texts, or of objects with a text."""
    for column in columns:
        values = found.sample.get_column(column.name).drop_nulls()
        if not _LISTS.search(header_name(column.name)) or values.is_empty() or not values.str.starts_with("[").all():
            continue
        lists = [opened_list(value) for value in values]
        if not all(map(is_array, lists)):
            continue
        longest = max(map(len, lists), default=0)
        first: Any = next((one[0] for one in lists if one), None)
        if longest < 1 or longest > _MOST or (is_object(first) and "role" in first):
            continue
        are_choices = column.name.endswith("choices")  # a model's, or the options of a question
        if are_choices and longest == 1:
            continue
        are_numbers = isinstance(first, int | float) and _OF_NUMBERS.search(header_name(column.name)) is not None
        if (isinstance(first, str) and not are_choices) or are_numbers:
            return Wide("sample", {"text": f"{column.name}.{{sample:int}}"}, tuple(range(longest)))
        if not is_object(first):
            continue
        fields = [*flatten(first)]
        inner = [
            field for field in fields if "." in field and {*header_name(field.replace(".", "_")).split("_")} & {*_TEXTS}
        ]
        of_choices = (*_NESTED, *(_TEXTS[:1] if {*first} & _OF_ANSWERS else ()))
        texts = [
            path for path in (of_choices if are_choices else (*_TEXTS, *inner)) if isinstance(at(first, path), str)
        ]
        if texts:
            model = next((name for name in ("model", "model_name", "llm") if name in first), None)
            fields = [field for field in fields if field not in {*texts, model}]
            codes = [field for field in fields if any(one.search(header_name(field)) for one in (SCORES, LABELS))]
            others = [field for field in fields if field not in codes and is_of_question(field)]
            forms = {"text": texts[0]} | ({"model": model} if model else {})
            beside = [] if are_choices else [*codes, *others][:_MOST_FIELDS]
            forms |= _named({plain(field): field for field in beside})
            into = "element_no" if {*beside} & {*others} else "sample"
            paths = {name: f"{column.name}.{{{into}:int}}.{field}" for name, field in forms.items()}
            return Wide(into, paths, tuple(range(longest)))
    return None
