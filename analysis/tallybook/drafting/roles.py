"""Guesses of the columns' roles: the response's text, the model, the prompt, factors, labels and scores."""

from __future__ import annotations

import re
from collections import Counter
from operator import eq
from typing import TYPE_CHECKING, NamedTuple

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.drafting.answer_columns import amounts, is_of_model, ratings, without_asked
from tallybook.drafting.clusters import DOMAIN, is_person
from tallybook.drafting.columns import (
    LONG,
    MOST_LEVELS,
    Column,
    Design,
    affirmative,
    has_name,
    is_number_of,
    name_of_models,
)
from tallybook.drafting.conditions import conditions, is_repeated, numbered, numbers_responses, quantities, repetition
from tallybook.drafting.files import OF_FOLDER, roles_of_parts
from tallybook.drafting.header_words import INDEX, NAMES, NUMBERING, SCORES
from tallybook.drafting.requests import status_of
from tallybook.drafting.survey import ANSWERS, ASKED
from tallybook.instruments.reading import named_in
from tallybook.sources.formats.declared import Declared
from tallybook.sources.formats.json_documents import LEVEL
from tallybook.study.instrument_base import INSTRUMENTS
from tallybook.study.names import header_name
from tallybook_schemas.vocabulary import DELIVERED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

    from tallybook.drafting.columns import Column
    from tallybook.drafting.survey import Survey

_BESIDE = {"error", "errors", "exception", "usage", "logprobs", "request", *NAMES["prompt"]} - {"messages"}
"""The names of objects whose fields are not answers."""
_SAID = {"response", "completion", "generation", "model_response", "model_output"}
"""The names of columns of answers in dumps that also have the text that the answers are about."""
_PROMPTS = {"prompt", "request", "input", "question"}
"""The names of objects whose fields may be prompts."""

_ENDS_A_PAIR = re.compile(r"(?<![^\W\d_])[ab12]$", re.IGNORECASE)
"""The last character in pairs of names, such as `model_a` and `model_b`."""
_ASKED = re.compile(
    r"(^|\.)(metadata|meta|vars|doc|inputs|extra_data|data|fields|attributes|labels|tags|variables)\.|^folder\.|^part_\d+$|^(task|item|prompt\.label|perturbation)$"
)
"""The columns in which evaluation tools put the variables that a prompt was made of."""
_PROSE = 6
"""The least mean number of words of prose."""
_WEAK = {"category", "class", "polarity"}
"""The names of columns that hold answers only if no other column does."""
_NAMES_OF_PARTS = ("sheet", "key")
"""Columns that formats add for the part of a file that has the record; often there is one part for each model."""
_OFTEN = 0.2
"""The share of distinct texts among records up to which a column holds repeated prompts."""
_CONVERSATION = re.compile(r"(^|_)(conversation|conv|dialog(ue)?|session|thread|chat)(_?(id|nr|no|key|uuid))?$")
_TURN = re.compile(r"(^|_)turn(_?(no|nr|number|index|idx|id))?$")
"""The names of columns of conversations, and of the turns within one."""
_RANK = re.compile(r"(^|_)(rank|ranking|place|position|rang|platz|rango|puesto|posicion|posizione|posicao)(_|$)")
_SEVERAL, _WORDS, _SMALL = 5, 5, 20
_WORDED = re.compile(r"\s|[\u3000-\u9fff\uff00-\uff5e]{8}")
"""What texts of several words have: blanks, or many characters of a script without any."""
_OTHERWISE: dict[str, Callable[[str, str], bool]] = {"text": has_name, "prompt": has_name, "sample": is_number_of}
"""Further tests of whether a column's name fits a role."""


class Roles(NamedTuple):
    """The columns of a dump by role."""

    text: str | None  # the response's text; None if the dump holds only its codes
    prompt: str | None  # what was asked
    model: str | None  # the model that answered; None if there is no such column
    item: str | None  # the identifier of the prompt
    sample: str | None  # the repetition
    status: str | None  # the delivery status of the response
    factors: tuple[str, ...]  # the variables to split results by, apart from the model
    labels: tuple[str, ...]  # answers that are coded already
    scores: tuple[str, ...]  # numbers that are answers or measurements
    # what may be clusters: numbers in ids, and other possible factors where the user named the factors
    spare: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()  # numbers of what was asked, with too many values for levels
    told: frozenset[str] = frozenset()  # the roles that the user set
    said: tuple[str, ...] = ()  # why settings of generation are no factors, and which column could be the answer, too

    def but(self, columns: Collection[str]) -> Roles:
        """Return the roles without the factors, labels and scores that are in some columns."""
        several = {role: getattr(self, role) for role in ("factors", "labels", "scores", "beside")}
        kept = {role: tuple(name for name in names if name not in columns) for role, names in several.items()}
        return self._replace(**kept)


_ROLES = Roles._fields[: Roles._fields.index("spare")]


def guess(survey: Survey, told: Mapping[str, str]) -> Roles:
    """Guess the columns' roles; `told` maps roles to the columns that the user set for them."""
    known = survey.by_name
    _check_names(told, known)
    told = roles_of_parts(survey) | {**told}
    taken: set[str] = {name for given in told.values() for name in _listed(given)}
    taken |= {column.name for column in survey.columns if is_index(column, survey)} - taken
    single = _single_roles(survey, told, taken)
    taken |= {name for name in single.values() if name}
    if (single["sample"] or "").startswith(OF_FOLDER) and not is_repeated(survey, single):
        single["sample"] = None  # numbered files are parts where each question is asked in one of them
    formats = survey.formats
    beside = {name for table in survey.joined for name in table.columns}

    def is_asked(column: Column) -> bool:
        is_added = all(isinstance(one, Declared) and one.is_added(column.name) for one in formats)
        return survey.is_tool_output and (
            is_added or column.name in {*survey.parts, *beside} or bool(_ASKED.search(column.name))
        )

    several: dict[str, tuple[str, ...]] = {}
    spare: tuple[str, ...] = ()
    whole = {name.partition(".")[0] for name in survey.reading.paths}  # objects of which parts are columns
    divided = {part.column for part in survey.parts.values()}
    for role, is_one in (("scores", "is_score"), ("labels", "is_label"), ("factors", "is_factor")):
        found = tuple(
            column.name
            for column in survey.columns
            if column.name not in taken
            # A property that only some prompts have is a factor, too.
            and (
                getattr(column, is_one)
                or (role == "factors" and column.missing and column.distinct == 1 and is_asked(column))
            )
            and not (role == "factors" and (column.is_bookkeeping or column.name in {*whole, *divided}))
            # Beside texts or likelihoods, `category` is rather a property of the question than a code of the answer.
            and not (role == "labels" and (single["text"] or "text" in told) and column.header in _WEAK)
            and not (role == "factors" and _is_text_or_number_of(column, survey))
            # The variables of a tool's prompts are factors and not answers, whatever their names are.
            and (not survey.is_tool_output or is_asked(column) is (role == "factors"))
        )
        if role == "scores":  # a constant score says nothing beside scores that vary, or beside texts
            varying = tuple(name for name in found if known[name].distinct > 1)
            found = varying if varying or (single["text"] and not survey.is_tool_output) else found
            found += () if survey.is_tool_output else amounts(survey, {*taken, *found}, has_text=bool(single["text"]))
        if role == "factors":
            spare = found if role in told else tuple(name for name in found if name in survey.numbers_in_ids)
            found = tuple(name for name in found if name not in survey.numbers_in_ids)
        several[role] = _listed(told[role]) if role in told else found
        taken |= set(several[role])
    if single["text"] is None and "labels" not in told:
        _written(survey, single, several, told)
    told_apart = [] if survey.is_tool_output else _by_structure(survey, single, several, told)
    if not told.keys() & {"item", "prompt"} and single["item"] is None and single["prompt"] is None:
        single["item"] = numbered(survey, single, several["factors"])
    if "item" not in told and numbers_responses(survey, single, several["factors"]):
        single["item"] = None
    varied = {} if "factors" in told else conditions(survey, single, several["factors"])
    several["scores"] = tuple(name for name in several["scores"] if varied.get(name, "-"))
    several["factors"] += tuple(name for name, why in varied.items() if not why and name not in several["labels"])
    is_open = "factors" not in told and single["text"] is not None and not survey.is_tool_output
    beside = quantities(survey, several["factors"], {*single.values(), *several["scores"]}) if is_open else ()
    several["factors"] = tuple(name for name in several["factors"] if name not in beside)
    said = (*filter(None, varied.values()), *told_apart)
    return Roles(**single, **several, spare=spare, beside=beside, told=frozenset(told), said=said)  # pyright: ignore[reportArgumentType]  the two dictionaries hold all roles


def _written(
    survey: Survey,
    single: dict[str, str | None],
    several: dict[str, tuple[str, ...]],
    told: Mapping[str, str],
) -> None:
    """Correct the roles of columns that say yes or no, or the same in several spellings, in a dump without texts."""
    known = survey.by_name
    if not several["scores"] and not several["labels"]:
        # The only such column is the answer if nothing else looks like one; what is balanced belongs to the questions.
        found = tuple(name for name in several["factors"] if known[name].says_yes_or_no or known[name].is_respelt)
        design = Design(survey, (), is_unnamed=True)
        if (
            found
            and design.is_known
            and any(design.is_answered(one) for one in survey.columns if one.name not in found)
        ):
            found = tuple(name for name in found if not design.is_balanced(known[name]))
        several["labels"] = found if len(found) == 1 else ()
        several["factors"] = tuple(name for name in several["factors"] if name not in several["labels"])
    if "text" not in told:
        # Labels in several spellings, or in sentences, are texts: one answer is made of "Yes", "yes" and "Yes.".
        texts = (name for name in several["labels"] if known[name].is_respelt or known[name].has_sentences)
        single["text"] = next(texts, None)
        several["labels"] = tuple(name for name in several["labels"] if name != single["text"])


def _single_roles(survey: Survey, told: Mapping[str, str], used: Iterable[str]) -> dict[str, str | None]:
    """Guess the column of each role that only one column has."""
    known, taken = survey.by_name, {*used}
    single: dict[str, str | None] = {}
    for role in ("model", "status", "text", "prompt", "item", "sample"):
        single[role] = told[role] or None if role in told else _single(role, survey, taken)
        if role == "model" and single[role] is None and role not in told:
            single[role] = next(
                (name for name in _NAMES_OF_PARTS if name in known and known[name].kind == "text"), None
            )
        if role == "model" and role not in told and (model := survey.column(single[role])):
            single[role] = name_of_models(model, survey)
        taken |= {single[role] or ""}
    if "sample" not in told and (single["sample"] is None or known[single["sample"]].distinct == 1):
        single["sample"] = repetition(survey, single) or single["sample"]
        taken |= {single["sample"] or ""}
    sample, item = survey.column(single["sample"]), survey.column(single["item"])
    if sample and item and "item" not in told and sample.distinct > 1 and item.distinct == survey.rows:
        single["item"] = None  # an item would come with several samples
    if "item" not in told and "prompt" not in told and (talk := _conversation(survey, taken)):
        single["item"], single["prompt"] = talk, None  # its turns follow one another: none is asked independently
    if not told.keys() & {"item", "sample"} and _are_ranks(survey, single):
        single["item"], single["sample"] = single["sample"], None  # the places of one ranking depend on each other
    if "status" not in told and single["status"] is None and not survey.is_tool_output:
        single["status"] = status_of(survey, single["text"], taken)
        taken |= {single["status"] or ""}
    return single


def _conversation(survey: Survey, taken: Collection[str]) -> str | None:
    """Return the column that says to which conversation each of several turns belongs."""
    known = [one for one in survey.columns if not one.missing]
    turns = [one.name for one in known if _TURN.search(one.header) and one.distinct > 1]
    likely = [one for one in known if _CONVERSATION.search(one.header) and one.name not in taken]
    for one in likely:
        is_repeated = any(survey.combinations([one.name, turn]) > one.distinct for turn in turns)
        if is_repeated and _SEVERAL <= one.distinct <= survey.rows // 2:
            return one.name
    return None


def _are_ranks(survey: Survey, single: Mapping[str, str | None]) -> bool:
    """Return whether each repetition of a model has each rank once, a row each: a ranking in rows."""
    text, sample = survey.column(single["text"]), survey.column(single["sample"])
    if text is None or sample is None or not _RANK.search(text.header) or single["item"] or single["prompt"]:
        return False
    lists = [name for name in (single["model"], sample.name) if name]
    is_whole = survey.combinations([*lists, text.name]) == survey.rows
    return is_whole and sample.distinct >= _SEVERAL and survey.combinations(lists) * text.distinct == survey.rows


def of_columns(told: Mapping[str, str]) -> dict[str, str]:
    """Return the user's settings for roles that are columns, without instruments' roles and constants."""
    return {role: given for role, given in told.items() if role in _ROLES and not given.startswith("=")}


def _check_names(told: Mapping[str, str], known: Mapping[str, Column]) -> None:
    for role, given in told.items():
        if role not in _ROLES:
            of_instruments = (own for kind in INSTRUMENTS.classes.values() for own in kind.roles)
            there = ", ".join(dict.fromkeys((*_ROLES, "options", *of_instruments)))
            raise UsageError(f"--set {printable(role)}: no such role; there are {there}")
        for name in _listed(given):
            if name not in known:
                columns = ", ".join(printable(column) for column in known)
                raise UsageError(f"--set {role}={printable(given)}: no column {printable(name)}; there are {columns}")


def _by_structure(
    survey: Survey, single: dict[str, str | None], several: dict[str, tuple[str, ...]], told: Mapping[str, str]
) -> list[str]:
    """Correct roles that names leave open, by which columns vary within the questions; say what may be otherwise."""
    passed = {one.name for one in survey.columns if is_index(one, survey) or one.is_bookkeeping} | {*survey.parts}
    is_unnamed = single["text"] is None and not several["labels"] and not several["scores"]
    design = Design(survey, passed, single["text"], is_unnamed=is_unnamed)
    if "item" not in told and single["item"] is None and single["prompt"] is None:
        single["item"] = design.question(single["model"], {*single.values(), *several["factors"]})
    text, labelled = survey.column(single["text"]), [survey.by_name[name] for name in several["labels"]]
    is_coded = any(one.is_label and one.is_number for one in labelled)
    if (text is not None and not is_prose(text, survey)) or is_coded or told.keys() & {"text", "labels", "scores"}:
        return []
    asked = {single[role] for role in ("model", "status", "item", "prompt", "sample")}
    answers = [one for one in design.answers() if one.length < LONG and one.name not in asked]
    answers = _without_named(answers, survey, survey.by_name.get(single["prompt"] or single["item"] or ""))
    names = {one.name for one in answers}
    coded = tuple(one.name for one in survey.columns if one.name in names and one.kind in {"text", "boolean"})
    labels = several["labels"]
    said: list[str] = []
    strong = [name for name in labels if name in names] or [name for name in labels if header_name(name) not in _WEAK]
    if strong:  # a category that belongs to the question is a factor
        several["factors"] += tuple(name for name in labels if name not in strong)
        several["labels"] = tuple(strong)
    elif labels and several["scores"]:
        several["factors"], several["labels"] = (*several["factors"], *labels), ()
        one = printable(labels[0])
        said.append(f"{one} is read as a factor; if it codes answers, --set labels={one}.")
    elif any(SCORES.search(header_name(name)) for name in several["scores"]):
        pass
    elif text is not None:
        several["labels"] = tuple(name for name in coded if name in several["factors"])
    elif several["scores"] and not coded:
        pass
    elif answers and not coded and len(answers) > 1:  # several columns of numbers
        several["scores"] = tuple(one.name for one in reversed(answers))
    elif answers:
        single["text"], several["scores"] = affirmative(answers, survey, said).name, ()
    several["factors"] = tuple(name for name in several["factors"] if name not in {*names, single["item"]})
    return said


def _without_named(answers: list[Column], survey: Survey, prompt: Column | None) -> list[Column]:
    """Leave out columns whose values all prompts name: who is asked about."""
    if prompt is None or not prompt.is_prompt or not answers:
        return answers
    named = survey.sample.select(named_in(one.name, prompt.name).all().alias(one.name) for one in answers)
    return [one for one in answers if not named.item(0, one.name)]


def is_found_by_structure(survey: Survey, roles: Roles) -> bool:
    """Return whether the text column holds a few labels and is not named like an answer."""
    column = survey.by_name[roles.text or ""]
    words = {part for own in column.called for part in own.split("_")}
    return "text" not in roles.told and 1 < column.distinct <= MOST_LEVELS and not words & {*NAMES["text"]}


def is_prose(column: Column, survey: Survey) -> bool:
    """Return whether a column holds prose: mostly different texts of many words."""
    words = survey.sample.get_column(column.name).drop_nulls().str.count_matches(r"\S+").mean() or 0
    is_long = float(words) >= _PROSE  # pyright: ignore[reportArgumentType]  a number
    return column.kind == "text" and 2 * column.distinct > survey.rows and is_long


def _listed(given: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in given.split(",") if name.strip())


def _single(role: str, survey: Survey, taken: Iterable[str]) -> str | None:
    """Return the column of a role that only one column has, by its name; texts and prompts also by their length."""
    free = [
        column
        for column in survey.columns
        if column.name not in taken
        and column.kind != "empty"
        and not (survey.is_tool_output and column.name in {*ANSWERS, *ASKED})
        and is_of_model(column, survey)
    ]
    fitting = [column for column in free if _fits(role, column, survey)]
    if role == "model":
        return _model(fitting)
    if role == "text" and any(column.header in _SAID and "." not in column.name for column in fitting):
        fitting = [column for column in fitting if column.name != "text"]  # a text beside its response is a question
    if role == "text" and not survey.is_tool_output:
        fitting = without_asked(fitting, survey)
    # Whole names first: `item_category` is no item, and `sample_size` no sample.
    if role == "prompt" and (said := [column.name for column in fitting if column.name in ASKED]):
        return said[0]
    ways: list[Callable[[str, str], bool]] = [eq, *([_OTHERWISE[role]] if role in _OTHERWISE else [])]
    known = re.compile("|".join(map(re.escape, NAMES[role])))
    likely = [one for one in fitting if any(map(known.search, one.called))]
    for is_called in ways:
        for name in NAMES[role]:
            called = [one for one in likely if any(is_called(own, name) for own in one.called)]
            called.sort(key=lambda one: role == "prompt" and one.distinct == 1)  # a system prompt, or a template
            if found := [one.name for one in called if role != "text" or is_called is eq or not one.is_prompt]:
                within = (one.name for one in fitting if one.name.startswith(f"{found[0]}.") and one.name in ANSWERS)
                return next(within, found[0])
        if role == "text" and (said := [column.name for column in fitting if column.name in ANSWERS]):
            return said[0]
    within = [one for one in fitting if one.name == "text"] or [one for one in fitting if one.objects & _PROMPTS]
    if role == "prompt" and within:
        return max(within, key=lambda column: column.length).name
    return _long(role, fitting, survey, taken) if role in {"text", "prompt"} else None


def _model(fitting: Sequence[Column]) -> str | None:
    """Return the column of the models, by its name or by values that are names of models."""
    answers = {*NAMES["text"], *NAMES["prompt"]} - {*NAMES["model"]}
    stems = Counter(one.name[:-1] for one in fitting)
    likely = [one for one in fitting if not (_ENDS_A_PAIR.search(one.name) and stems[one.name[:-1]] > 1)]
    for name in NAMES["model"]:
        if called := [one.name for one in likely if name in one.called]:
            return called[0]
    likely = [one for one in likely if not {*one.header.split("_")} & answers]
    valued = [one.name for one in likely if one.names_models and one.length < LONG and not DOMAIN.search(one.header)]
    if valued:
        return next((name for name in valued if "judge" not in name.lower()), valued[0])
    called = (one.name for name in NAMES["model"] for one in likely if any(has_name(o, name) for o in one.called))
    return next(called, None)


def _long(role: str, fitting: Sequence[Column], survey: Survey, taken: Iterable[str]) -> str | None:
    """Return the answers among columns of long texts: the one with the most distinct values, the last one on ties."""
    letters = {column.name.lower(): column.name for column in fitting}
    if role == "text" and {"q", "a"} <= letters.keys():
        return letters["a"]
    places = {column.name: place for place, column in enumerate(survey.columns)}
    long = [column for column in fitting if column.length >= LONG]
    own = [column for column in long if not column.is_prompt]
    if role == "text":  # balanced columns belong to the questions
        design = Design(survey, ())
        long, own = ([one for one in some if not design.is_balanced(one)] for some in (long, own))
        own = [one for one in own if one.distinct > 1 or survey.rows < _SEVERAL]  # the same of all is no answer
    if role == "text" and not own and (rating := ratings(survey, taken)) is not None:
        return rating
    if role == "text" and not own:  # a recurring text that is named like a prompt is no answer, nor is one beside codes
        coded = [one.name for one in survey.columns if one.kind != "empty" and (one.is_label or one.is_score)]
        long = [one for one in long if one.distinct > _OFTEN * survey.rows and {*coded} <= {one.name}]
    best = max(own or long, key=lambda column: (column.distinct, places[column.name]), default=None)
    return None if best is None else best.name


def is_index(column: Column, survey: Survey) -> bool:
    """Return whether a column only numbers the rows of the table."""
    is_called_so = bool(INDEX.search(column.header))
    return is_called_so and column.kind == "integer" and (column.distinct == survey.rows or not column.name.strip())


def _is_text_or_number_of(column: Column, survey: Survey) -> bool:
    """Return whether a column of few values is not a factor, as it numbers items, holds lists or sentences."""
    is_level = column.name.startswith(LEVEL) and column.kind != "integer"
    if NUMBERING.search(column.header) and column.distinct >= _SEVERAL and not is_level:
        return True
    if column.name in {*ANSWERS, *ASKED} or (column.header == "code" and is_person(column)):
        return True
    filled = list(column.values) or [column.example]
    is_list = column.distinct >= _SEVERAL and all(value.startswith(("[", "{")) for value in filled)
    is_sentence = column.distinct >= _SEVERAL and all(value.count(" ") >= _WORDS for value in filled)
    return is_list or is_sentence or column.distinct * 2 > survey.rows > _SMALL


def _fits(role: str, column: Column, survey: Survey) -> bool:
    match role:
        case "sample":
            return column.kind == "integer" and column.distinct < survey.rows
        case "model":
            return column.distinct <= max(MOST_LEVELS, survey.rows // 20)
        case "text":
            is_filled = column.missing < 0.9 * survey.rows
            is_text = column.kind in {"text", "boolean", "integer", "number"} and not column.is_bookkeeping
            return is_text and is_filled and not column.objects & _BESIDE
        case "prompt":
            # A context or condition of few single words is a factor, whatever its name is.
            is_word = 0 < len(column.values) <= _SEVERAL and not any(map(_WORDED.search, column.values))
            is_text = column.kind == "integer" or (column.kind == "text" and not is_word)
            return is_text and not column.is_bookkeeping
        case "status":
            # The name is tested first: comparing each of thousands of columns with all others takes long.
            is_named = column.kind == "boolean" and not {*column.called}.isdisjoint(NAMES["status"])
            says_refused = is_named and any(one.is_called_answer for one in survey.columns if one is not column)
            return says_refused or {*column.values} <= {*DELIVERED_STATUSES}
        case _:
            return True
