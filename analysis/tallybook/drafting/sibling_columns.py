"""Columns of one answer under several conditions, which headers tell: `response_white`, `answer_v2`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from tallybook.drafting.file_names import pieces_of
from tallybook.drafting.header_words import BOOKKEEPING, MODEL, NAMES, NUMBERING, SCORES, SETTINGS
from tallybook.drafting.unfolding import WHOLE, Wide
from tallybook.instruments.likelihood_columns import WORDS
from tallybook.instruments.multiple_choice.detection import differ
from tallybook.study.names import free_name, header_name, plain, without_accents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tallybook.drafting.columns import Column

_SEPARATORS = "_ .:-/|"
_TOKEN = re.compile(r"[A-Z]?[^\W\d_A-Z]+|[A-Z]+(?![^\W\d_A-Z])|[^\W\d_]+|\d+")
"""A word or number of a header, also of one in camel case."""
_ANSWERS = re.compile(
    r"answers?|responses?|resp|reply|replies|outputs?|completions?|generations?|generated|gen|ans|predictions?|pred|said"
    r"|antwort(en)?|ausgabe|reponses?|respuestas?|rispost[ae]|respostas?|回答|答案|回复|输出"
)
"""Words in the headers of answers, whatever is asked."""
_CODED = re.compile(
    r"decisions?|verdict|choice|recommendation|judge?ment|stance|rating|score|likert|salary|offer|amount"
    r"|entscheidung|urteil|bewertung|empfehlung|recomendacion|calificacion|valoracion|decisione|voto"
)
"""Words in the headers of answers of one kind, among several that are asked."""
_BESIDE = re.compile(r"texts?|content|model|llm|raw|the|of|to|for|under|with|in|as")
"""Words in headers of answers that distinguish nothing."""
_GIVEN = re.compile(
    r"correct|gold|right|expected|reference|ref|target|true|human|users?|workers?|types?|format|length|len|chars|words?|order"
)
"""Words in headers of right answers, of answers of people, and of what an answer looks like."""
_OTHER = re.compile(
    rf"{_GIVEN.pattern}|parsed|clean(ed)?|extracted|normali[sz]ed|processed|final|full|short|initial|code|coded|labels?|score|rating"
    r"|valid|status|lang|dates?|counts?|num|prob|probability|logprobs?|confidence|sentiment|toxicity|explanation|explain|reasons?"
    r"|reasoning|rationale|thinking|thoughts?|cot|category|class|stance|is|has|was|author|source|names?|title|tokens?"
    r"|refusal|refused|errors?|key|options?|letter|index|idx|no|nr|id|uuid|hash|url|cost|time|ms|secs?|latency|duration"
    r"|timestamp|translation|translated|max|min|mean|sd|std|total"
)
"""Words in headers of what belongs to an answer, or is an answer of somebody else."""
_RAW = re.compile(r"texts?|raw|choice|results?|judge|bias|prompt|question|item")
"""Further words that follow the names of models in headers."""
_RUNS = re.compile(r"run|rep|repetition|sample|trial|iter|iteration|try|attempt|seed|epoch|draw")
_PREDICTED = {"prediction", "predictions", "pred"}
"""Words in headers of what a model predicts."""
_VARIANTS = re.compile(r"prompt|template|variant|paraphrase|phrasing|wording|vorlage|v|ver|version")
"""Names of numbered repetitions, and of numbered wordings of a question."""
_LANGUAGES = re.compile(
    r"en|de|fr|es|it|pt|nl|pl|ru|uk|zh|cn|ja|jp|ko|ar|hi|tr|sv|da|no|fi|cs|el|he|id|vi|th|fa|ur|bn|ro|hu|eng|deu|ger|fra"
    r"|fre|spa|esp|ita|por|nld|rus|zho|jpn|kor|ara|hin|english|german|french|spanish|italian|portuguese|dutch|polish|russian"
    r"|chinese|japanese|korean|arabic|hindi|turkish"
)
_GROUPS = re.compile(
    r"white|black|asian|hispanic|latin[oax]|african|american|european|native|indigenous|caucasian|arab|indian|chinese|jewish"
    r"|muslim|christian|hindu|buddhist|sikh|atheist|catholic|protestant|religious|secular|males?|females?|m[ae]n|wom[ae]n|he"
    r"|she|they|him|her|boys?|girls?|masculine|feminine|nonbinary|non|binary|neutral|m|f|x|gay|lesbian|straight|heterosexual"
    r"|homosexual|bisexual|queer|trans|transgender|cis|cisgender|old|young|older|younger|elderly|adult|rich|poor|wealthy"
    r"|disabled|abled|immigrant|citizen|foreign|local|liberal|conservative|democrat|republican|baseline|control|treatment"
    r"|treated|none|default|anonymous|original|swapped|counterfactual|mann|frau|manner|frauen|weiblich|mannlich|hommes?"
    r"|femmes?|hombres?|mujer|mujeres|masculino|femenino|uomo|donna|uomini|donne|maschio|femmina|homem|mulher|weiss|schwarz"
    r"|blanc|noir|blanco|negro|bianco|nero"
)
"""Words for languages, and for groups whose treatment is compared."""
_LIKE, _SHORT = 4, 4
"""The largest ratio of the mean lengths of answers of one kind, each longer by some characters than it is."""
_MOST, _FEW = 200, 12
_JUDGED = re.compile(r"(?i)winner|prefer|better|chosen")
"""The names of columns that say which of two lettered answers is better."""


class _Header(NamedTuple):
    """A header of an answer, in its parts."""

    name: str
    core: tuple[str, ...]  # the words for an answer
    condition: str  # what distinguishes it, as it is written; empty if nothing does
    form: str  # the header without the condition
    model: str  # the model that it names, or ""
    number: str  # the number of the repetition, or ""


def conditions(columns: Sequence[Column], sample: pl.DataFrame) -> Wide | None:
    """Find columns of answers whose headers have a word for answers in common, and differ in a condition."""
    families: dict[tuple[str, ...], list[_Header]] = {}
    for column in columns:
        if (found := _parsed(column.name)) is not None:
            families.setdefault(found.core, []).append(found)
    kinds = {column.name: column for column in columns}
    fitting = [own for own in families.values() if _is_family(own, kinds, sample)]
    if not fitting:
        return None
    best = max(fitting, key=lambda own: (_is_answer(own[0]), len(own)))
    return _of_one_form(best, fitting, columns, sample) or _of_several_parts(best)


def has_answer(name: str) -> bool:
    """Return whether a header has a word for answers, whatever is asked."""
    return any(map(_ANSWERS.fullmatch, _words(name)))


def is_of_others(name: str) -> bool:
    """Return whether a header is one of right answers, of people, or of what an answer is like."""
    return any(map(_GIVEN.fullmatch, _words(name)))


def _words(name: str) -> list[str]:
    return [without_accents(word.lower()) for word in _TOKEN.findall(name)]


def _parsed(name: str) -> _Header | None:
    """Take a header apart; None if it is no header of an answer under a condition."""
    model = model_in(name) or ""
    place = name.find(model) if model else -1
    blank = name if not model else name[:place] + "\0" * len(model) + name[place + len(model) :]
    tokens = [(one.start(), one.end(), without_accents(one[0].lower())) for one in _TOKEN.finditer(blank)]
    words = [word for _, _, word in tokens]
    core = tuple(filter(_ANSWERS.fullmatch, words)) or tuple(filter(_CODED.fullmatch, words))
    rest = [one for one in tokens if one[2] not in core and not _BESIDE.fullmatch(one[2])]
    is_group = _are(_GROUPS, words) and all(len(word) > 1 for word in words)
    if (
        SETTINGS.search(header_name(name))
        or not (core or model or is_group)
        or any(_OTHER.fullmatch(word) for _, _, word in rest)
    ):
        return None
    number = ""
    if rest and rest[-1][2].isdecimal():
        before = rest[-2] if len(rest) > 1 else None
        is_run = before is not None and _RUNS.fullmatch(before[2]) is not None
        if is_run or before is None or (before[1] < rest[-1][0] and not _VARIANTS.fullmatch(before[2])):
            number = rest[-1][2]
            rest = rest[: -2 if is_run else -1]
    start, end = (rest[0][0], rest[-1][1]) if rest else (0, 0)
    if "\0" in blank[start:end] or any(start < one[0] < end for one in tokens if one[2] in core):
        return None
    form = f"{blank[:start]}\1{blank[end:]}"
    return _Header(name, core, name[start:end], form, model, number)


def model_in(header: str) -> str | None:
    """Return the model in a header, up to a word for something else: `gpt-4o` of `gpt-4o_answer`."""
    match = MODEL.search(header)
    if match is None:
        return None
    ends = [
        one.start()
        for one in _TOKEN.finditer(header, match.end())
        if header[one.start() - 1] in _SEPARATORS and _is_known(one[0].lower())
    ]
    return header[match.start() : min(ends, default=len(header))].rstrip(_SEPARATORS)


def _is_known(word: str) -> bool:
    """Return whether a word of a header says what is in a column, and belongs to no model's name."""
    forms = (_ANSWERS, _CODED, _GROUPS, _OTHER, _RAW)
    return len(word) > 1 and (word in WORDS or any(form.fullmatch(word) for form in forms))


def _is_answer(header: _Header) -> bool:
    return any(map(_ANSWERS.fullmatch, header.core))


def _is_family(own: Sequence[_Header], kinds: Mapping[str, Column], sample: pl.DataFrame) -> bool:
    """Return whether headers name one answer under several conditions."""
    conditions = {one.condition.lower() for one in own}
    if conditions == {""}:  # numbers with zeros before them, which patterns do not know
        names = [one.name for one in own]
        is_padded = all(one.number for one in own) and any(re.match(r"0\d", one.number) for one in own)
        is_answer = is_padded and _is_answer(own[0]) and not differ(sample, names)  # as options do
        return len(own) > 1 and is_answer and are_alike([kinds[name] for name in names], sample)
    is_whole = len({(one.model, one.condition, one.number) for one in own}) == len(own) and "" not in conditions
    is_even = len({(bool(one.model), bool(one.number)) for one in own}) == 1
    if not 1 < len(conditions) <= len(own) <= _MOST or not (is_whole and is_even):
        return False
    names = [one.name for one in own]
    is_known = _is_answer(own[0]) or all(map(_is_condition, conditions))
    columns = [kinds[name] for name in names]
    is_lettered = all(len(one) == 1 and one not in {"m", "f"} for one in conditions)
    is_of_pair = is_lettered and (own[0].core[0].startswith("a") or any(map(_JUDGED.search, kinds)))
    if not own[0].core and not own[0].model and not _share_values(columns):
        return False
    return is_known and not is_of_pair and are_alike(columns, sample)


def _share_values(columns: Sequence[Column]) -> bool:
    """Return whether columns have the same few words."""
    values = [{*column.values} for column in columns]
    is_few = all(column.kind == "text" and 1 < column.distinct <= _FEW for column in columns)
    return is_few and all(own & values[0] for own in values)


def _is_condition(text: str) -> bool:
    words = _words(text)
    is_numbered = bool(words) and _VARIANTS.fullmatch(words[0]) is not None and words[-1].isdecimal()
    return is_numbered or _are(_GROUPS, words) or _are(_LANGUAGES, words)


def _are(known: re.Pattern[str], words: Sequence[str]) -> bool:
    return bool(words) and all(map(known.fullmatch, words))


def are_alike(columns: Sequence[Column], sample: pl.DataFrame) -> bool:
    """Return whether columns hold answers of one kind: numbers, or texts of similar lengths, with or without digits."""
    if len({column.is_number for column in columns}) > 1:
        return False
    lengths = [column.length + _SHORT for column in columns]
    texts = sample.select(pl.col([column.name for column in columns]).str.contains(r"\d").mean()).row(0)
    digits = [float(share or 0) for share in texts]
    return max(lengths) <= _LIKE * min(lengths) and max(digits) - min(digits) <= 1 / 2


def _of_one_form(
    own: Sequence[_Header], others: Sequence[Sequence[_Header]], columns: Sequence[Column], sample: pl.DataFrame
) -> Wide | None:
    """Unfold headers that differ only in the condition, with other columns for the same conditions beside them."""
    if len({one.form for one in own}) > 1 or own[0].model or own[0].number:
        return None
    values = [one.condition for one in own]
    stem, into = _called(values)
    has_model = any(MODEL.search(column.name) or header_name(column.name) in {"model", "llm"} for column in columns)
    is_of_groups = all(map(_is_condition, values))
    if (
        into == "condition"
        and not has_model
        and not is_of_groups
        and own[0].core
        and _PREDICTED.issuperset(own[0].core)
    ):
        into = "model"  # models predict, and what else could differ is not named
    values = [value.removeprefix(stem) for value in values]
    form = own[0].form.replace("\1", f"{stem}{{{into}}}")
    taken = {one.name for one in own}
    answers = {one.name for family in others for one in family}
    forms, passed = {own[0].core[0] if own[0].core and not _is_answer(own[0]) else "text": form}, list[str]()
    for other, names in _beside(values, stem, into, [one.name for one in columns if one.name not in taken]).items():
        field = header_name(re.sub(r"\{[^}]*\}", "", other)).strip("_")
        if {*names} <= answers or (is_of_question(field) and not are_together(names, columns, sample)):
            called = "model" if field == "model" else free_name(plain(field) or "field", forms)
            forms[called] = other
        else:
            passed += names
    return Wide(into, forms, tuple(values), tuple(passed))


def _called(values: Sequence[str]) -> tuple[str, str]:
    """Return the word that all conditions begin with, before their numbers, and what the factor is called."""
    numbered = [re.fullmatch(r"(\D*?)[_ .-]?(\d+)", value) for value in values]
    stems = {match[1] for match in numbered if match is not None}
    if all(numbered) and len(stems) == 1:
        stem = stems.pop()
        before = values[0][: len(values[0]) - len(re.sub(r"\D", "", values[0]))]
        return before, "variant" if _VARIANTS.fullmatch(stem.lower()) else free_name(stem or "condition", ())
    is_language = all(_are(_LANGUAGES, _words(value)) for value in values)
    return "", "language" if is_language else "condition"


def _beside(values: Sequence[str], stem: str, into: str, names: Sequence[str]) -> dict[str, list[str]]:
    """Return the forms of other columns for all the same conditions, with their headers."""
    found: dict[str, dict[str, str]] = {}
    for value in values:
        whole = re.compile(rf"(?<![^\W_]){re.escape(stem + value)}(?![^\W_])")
        for name in names:
            if (match := whole.search(name)) is not None:
                form = f"{name[: match.start()]}{stem}{{{into}}}{name[match.end() :]}"
                found.setdefault(form, {})[value] = name
    return {form: [*own.values()] for form, own in found.items() if len(own) == len(values)}


def is_of_question(field: str) -> bool:
    """Return whether a field beside an answer is about the question; repetitions are numbered anyway."""
    own = header_name(field)
    return own not in NAMES["sample"] and not any(names.search(own) for names in (BOOKKEEPING, NUMBERING, SCORES))


def are_together(names: Sequence[str], columns: Sequence[Column], sample: pl.DataFrame) -> bool:
    """Return whether another column, such as a prompt, mostly has the values of all these columns in it."""
    said = [one.name for one in columns if one.kind == "text" and one.name not in names]
    has_all = (
        pl.all_horizontal(pl.col(other).str.contains(pl.col(name), literal=True) for name in names) for other in said
    )
    return any(2 * sample.filter(condition).height > sample.height for condition in has_all)


def _of_several_parts(own: Sequence[_Header]) -> Wide | None:
    """Unfold headers that differ in condition and model or number; repetitions are numbered as they come."""
    values = {"model": [one.model for one in own], "condition": [one.condition for one in own]}
    parts = _forms_of([one.name for one in own], {part: given for part, given in values.items() if {*given} != {""}})
    if parts is None:
        return None
    return Wide(WHOLE, {"text": f"{{{WHOLE}}}"}, tuple(one.name for one in own), parts=parts)


def models_and_conditions(several: Mapping[str, Sequence[tuple[str, str]]], columns: Sequence[Column]) -> Wide | None:
    """Find columns of one answer of each model under each condition, whatever that is: `gpt-4o_rural`."""
    kinds = {column.name: column.kind for column in columns}
    names = [name for own in several.values() for _, name in own]
    pieces = {piece.name: piece.values for piece in pieces_of(names) if piece.name}
    words = [word for value in pieces.get("condition", ()) for word in _words(value)]
    is_beside = any(form.fullmatch(word) for form in (_ANSWERS, _CODED, _OTHER, _RAW) for word in words)
    is_crossed = pieces.keys() == {"model", "condition"} and not is_beside and len({kinds[name] for name in names}) == 1
    parts = _forms_of(names, pieces) if is_crossed else None
    return None if parts is None else Wide(WHOLE, {"text": f"{{{WHOLE}}}"}, tuple(names), parts=parts)


def _forms_of(names: Sequence[str], parts: Mapping[str, Sequence[str]]) -> dict[str, str] | None:
    """Return the regular expressions of parts of names, with the value of each part in each name; else None."""
    forms: dict[str, str] = {}
    for part, values in parts.items():
        longest = sorted({*values}, key=lambda value: (-len(value), value))
        forms[part] = rf"(?:^|[\W_])({'|'.join(map(re.escape, longest))})(?:[\W_]|$)"
        found = [match and match[1] for match in map(re.compile(forms[part]).search, names)]
        if found != [*values]:
            return None
    return forms
