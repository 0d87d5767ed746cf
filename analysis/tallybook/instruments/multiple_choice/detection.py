"""Detection of the instrument `multiple-choice`: columns of options, of the correct one and of answers."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Any

import polars as pl

from tallybook.core.errors import DataError
from tallybook.instruments.alternatives import alternatives
from tallybook.instruments.asked import last_question
from tallybook.instruments.multiple_choice.draft import Found, Words, common_form, draft_choice, draft_scored
from tallybook.instruments.multiple_choice.options import names
from tallybook.instruments.multiple_choice.places import ROLES, draft_traits, parallel, series, with_scores
from tallybook.instruments.multiple_choice.role_columns import role_columns
from tallybook.instruments.offered import keyed, listed, place_of, scored, sides
from tallybook.instruments.option_words import UNKNOWN
from tallybook.instruments.predicates import predicate_asked
from tallybook.instruments.reading import share_read
from tallybook.sources.unpivot import texts_of
from tallybook.study.instrument_base import Proposal, Sample
from tallybook.study.names import header_name, plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from tallybook.instruments.multiple_choice.instrument import MultipleChoiceInstrument
    from tallybook.study.draft import Draft

    Kind = type[MultipleChoiceInstrument]

_RANK = 5
_RANK_OF_TWO, _RANK_OF_TRAITS, _RANK_IN_WORDS = 11, 9, 53
"""The ranks of a choice between two options of which neither is right, above attribute choice if they have traits, and
of options that prompts offer in words."""
_ENOUGH = 0.6
"""The minimum share of a column's values that must name an option for the column to hold answers."""
_SOME = 0.3
"""The minimum share of values that must be an option's text if the column is not named like answers."""
_LOOKED_AT = 300
_LISTS = re.compile(r"(^|_)(choices|options|endings|answers|alternatives|candidates)$")
"""Names of lists of options."""
_NEVER_GIVEN = re.compile(r"(^|_)(correct|gold|truth|right|solution|expected|reference)(_|$)")
"""Names of columns of the right option, which cannot be those of answers."""
_RIGHT = re.compile(rf"{_NEVER_GIVEN.pattern}|(^|_)(key|label|target)(_|$)|^(answer|ans)(_?(idx|index))?$")
"""Names of columns of the right option."""
_OWN = re.compile(r"(^|_)(model|pred|prediction|predicted|response|output|llm|completion|generated|reply|gpt|claude)")
"""Names of columns of a model's answers."""
_ANSWER = re.compile(
    r"(^|_)(text|content|raw|ans|answer|answers|choice|chosen|decision|selected|pick|result)(_|$|[0-9])"
)
"""Names of columns of anybody's answers."""
_NAMES = re.compile(r"(model|modell|modele|modelo|modello|llm|lm|engine|system|item|case|example)(_?(name|id))?")
"""Names of columns of the model or item: a model named "A" is not an option, nor is an item named after one."""
_PROMPT = re.compile(
    r"(^|_)(prompt|question|input|query|instruction|messages|content|user|vignette|scenario|stimulus|item|frage|pregunta"
    r"|domanda)(_|$)"
)
"""Names of prompts, in which options may be lettered."""
_MEASURED = re.compile(r"(^|_)(tokens?|counts?|length|latency|duration|cost)(_|$)")
"""Names of numbers about texts, which count no options."""
_NUMBER = r"^[^\d-]{0,12}(\d{1,2})(?:\.0)?[^\d%]{0,3}$"
"""The form of answers that are the number of an option."""
_DECIMAL = r"^\s*-?\d*\.\d+(?:[eE][+-]?\d+)?\s*$"
_UNPARSED = r"^-\d+(\.0)?$"
"""What stands for answers of which a script could make nothing."""
_TWO, _FEW, _AGAIN = 2, 12, 5
"""The number of options of a choice between two, the most texts that are categories, and how often each comes again."""
_MOST = 100
"""The most columns that are inspected regardless of their names."""


def look(kind: Kind, records: pl.DataFrame, text: str | None = None, *, in_words: bool = False) -> Found | None:
    """Find the columns of options, the right option and answers; `text` is the column of answers if it is known.

    `in_words`: whether only options are looked for that prompts offer in words, without labels.
    """
    rows = records.head(_LOOKED_AT)
    best: tuple[tuple[int, float], Found] | None = None
    called = [name for name in rows.columns if _RIGHT.search(plain(name)) and _rank_by_name(name) and name != text]
    columns, prompts = ([], _offering(rows, alternatives)) if in_words else _candidates(rows)
    differing = {name for members in columns if differ(rows, members) for name in members if _rank_by_name(name)}
    for options in (*columns, *prompts):
        used = {options} if isinstance(options, str) else {*options}
        others = [name for name in rows.columns if name not in used and not _NAMES.fullmatch(plain(name))]
        others = [name for name in others if not _MEASURED.search(plain(name)) or name == text]
        if len(others) > _MOST:  # a questionnaire: its answers to other questions are not examined one by one
            others = [*[name for name in others if _is_called_answer(name)][:_MOST], *called]
        looked_at = {name: rows.select(*used, name) for name in others if name not in used}
        lasts, is_said = _lasts(rows, options), _are_parts(rows, options)
        rights = {
            name: how
            for name in called
            if name in looked_at and (how := _names_as(kind, looked_at[name], options, name))
        }
        shares = {
            name: _share(kind, alone, options, name, is_from_0=_first(alone, lasts, [name]) == 0, is_said=is_said)
            for name, alone in looked_at.items()
        }
        answers = [name for name, share in shares.items() if share >= _ENOUGH]
        told: list[str] = [name for name in rights if name not in answers or len(answers) > 1]
        answers = [name for name in answers if name == text or not _NEVER_GIVEN.search(plain(name))]
        # Of several candidates for the right option, a column named like "answer" is chosen only if there is no other.
        right = min(told, key=lambda name: (plain(name).startswith("ans"), rows.columns.index(name)), default=None)
        answers = sorted((name for name in answers if name != right), key=_rank_by_name)
        if options in prompts and not all(map(_is_called_answer, answers)):
            continue  # other columns hold the options of the prompt, with their texts
        # Columns of options, found beside the prompt or under other names, are not answers.
        answers = _varying(rows, [*used], [name for name in answers if name not in differing])
        answers = [name for name in answers if _rank_by_name(name) == _rank_by_name(answers[0])]
        if text is not None:
            answers = [text] if shares.get(text) or (text in shares and not is_said) else []
        if options not in prompts and _are_ranked(rows, options, answers):
            continue
        roles = [
            (name, how)
            for name in looked_at
            if ROLES.search(header_name(name))
            and name not in answers
            and (how := _names_as(kind, looked_at[name], options, name))
        ]
        if right is not None and not roles and not isinstance(options, str):
            roles = role_columns(rows, options, right, [name for name in looked_at if name not in {*rights, *answers}])
        first = _first(rows, lasts, answers)
        if right is not None and rights[right].startswith("number"):  # one of both may say where both begin
            of_right = _first(rows, lasts, [right])
            begins = first if of_right is None and first is not None else of_right
            rights[right] = "number" if begins == 1 else "number-from-0"
            first = of_right if first is None else first
        is_from_0 = first == 0 and any(rows.get_column(name).str.contains(_NUMBER).any() for name in answers)
        of_right = None if right is None else (right, rights[right])
        found = Found(options, of_right, tuple(answers), tuple(roles), is_from_0)
        if answers and (best is None or (_rank_by_name(answers[0]), -shares[answers[0]]) < best[0]):
            best = ((_rank_by_name(answers[0]), -shares[answers[0]]), found)
    return best and best[1]


def _are_parts(rows: pl.DataFrame, options: tuple[str, ...] | str) -> bool:
    """Return whether a column that is not called options has other texts side by side in each row, as ids have."""
    if not isinstance(options, str) or _LISTS.search(plain(options)):
        return False
    beside = [None if keyed(cell) else sides(cell) for cell in rows.get_column(options).drop_nulls().unique()]
    return all(beside) and len({frozenset(one or ()) for one in beside}) > 1


def _lasts(rows: pl.DataFrame, options: tuple[str, ...] | str) -> pl.Series:
    """Return the number of options of each row."""
    if isinstance(options, str):
        sizes = {cell: len(alternatives(cell) or ()) for cell in rows.get_column(options).drop_nulls().unique()}
        return rows.get_column(options).replace_strict(sizes, default=None, return_dtype=pl.Int64)
    return rows.select(pl.concat_list(options).list.drop_nulls().list.len().cast(pl.Int64)).to_series()


def _first(rows: pl.DataFrame, lasts: pl.Series, columns: Sequence[str]) -> int | None:
    """Return the number of the first option, which numbers tell by a 0 or the number of all options; else None."""
    numbers = [rows.get_column(name).str.extract(_NUMBER, 1).cast(pl.Int64) for name in columns]
    has_first, has_last = (any((one == end).any() for one in numbers) for end in (0, lasts))
    return None if has_first == has_last else int(has_last)


def _is_called_answer(column: str) -> bool:
    return bool(_OWN.search(plain(column)) or _ANSWER.search(plain(column)))


def _rank_by_name(column: str) -> int:
    """Rank a column by its name: 0 for a model's answers, 1 for anybody's answers, 2 for any other name."""
    return 0 if _OWN.search(plain(column)) else 1 if _is_called_answer(column) else 2


def differ(rows: pl.DataFrame, members: Sequence[str]) -> bool:
    """Return whether columns never repeat a value within a row, as options do not and answers do."""
    if isinstance(members, str):
        return False
    filled = pl.concat_list(members).list.drop_nulls()
    return bool(rows.select((filled.list.n_unique() == filled.list.len()).all()).item())


def _varying(rows: pl.DataFrame, asked: list[str], answers: list[str]) -> list[str]:
    """Keep the answer columns that vary within questions, if any do and they are not named after models."""
    if not answers or not _rank_by_name(answers[0]):
        return answers
    varieties = rows.group_by(asked).agg(pl.col(answers).n_unique())
    return [name for name in answers if varieties.get_column(name).max() != 1] or answers


def _candidates(rows: pl.DataFrame) -> tuple[list[tuple[str, ...] | str], list[str]]:
    """List possible options, as series of columns that differ in their place or as columns of lists; and prompts."""
    made: list[tuple[str, ...] | str] = []
    bracketed = rows.select(pl.all().drop_nulls().str.starts_with("[").mean()).row(0, named=True)  # null: all are null
    numbers = rows.select(pl.all().drop_nulls().str.contains(_DECIMAL).all()).row(0, named=True)
    for places in series(rows.columns).values():
        for order in ("abcdefghij", "0123456789", "123456789"):
            members = [places[place] for place in order if place in places]
            lists = [bracketed[name] in {None, 1} for name in members]
            # A series with more columns than these places holds answers to a questionnaire, not options.
            if (
                _TWO <= len(members) == len(places)
                and all(place in places for place in order[: len(members)])
                and not (len(members) > _TWO and any(map(place_of, members)))
                and not all(lists)
                and not all(numbers[name] for name in members)  # likelihoods of options
            ):
                made.append(tuple(members))
                break
    lists = [name for name in rows.columns if bracketed[name] == 1]
    lists = [name for name in lists if _LISTS.search(plain(name)) or _lists_texts(rows.get_column(name))]
    firsts = rows.select(pl.all().drop_nulls().first()).row(0, named=True)
    likely = [name for name, cell in firsts.items() if name not in lists and cell is not None and _meant(cell)]
    lists += [name for name in likely if _explains_codes(rows.get_column(name))]
    return [*made, *lists], [name for name in _offering(rows, listed) if name not in lists]


def _lists_texts(column: pl.Series) -> bool:
    """Return whether all cells list a few texts, whatever the column is called."""
    cells = column.drop_nulls().unique().head(_PROMPTS)
    return all((texts := texts_of(cell)) is not None and _TWO <= len({*texts}) <= _FEW for cell in cells)


def _explains_codes(column: pl.Series) -> bool:
    """Return whether each cell explains codes of answers, "1=Yes; 2=No", and nothing else; scales keep their order."""
    meant = [*map(_meant, column.drop_nulls().unique().head(_PROMPTS))]
    return all(meant) and (len({*map(tuple, filter(None, meant))}) > 1 or len(meant[0] or ()) <= _THREE)


def _meant(cell: str) -> list[str] | None:
    return keyed(cell) or (listed(cell) if _SIDES.search(cell) else None)


def _are_ranked(rows: pl.DataFrame, options: tuple[str, ...] | str, answers: Sequence[str]) -> bool:
    """Return whether answers mostly name all elements of a list, as rankings do; of options, often nothing else."""
    is_list = isinstance(options, str)
    is_called = not is_list or _LISTS.search(plain(options)) is not None
    letters = [*"abcdefghijklmnopqrstuvwxyz"[: len(options)]]
    cells = rows.select(options if is_list else pl.lit(None), *answers[:1]).drop_nulls(answers[:1]).rows()
    ranked = [
        _names_all(listed(cell or "") or [""] if is_list else letters, *answer, is_bare=is_called)
        for cell, *answer in cells
    ]
    return sum(ranked) > (_OFTEN if is_called else 1 / 2) * len(ranked)


def _names_all(elements: Sequence[str], answer: str = "", *, is_bare: bool) -> bool:
    """Return whether an answer names all elements of a list; `is_bare`: with ">" or three at least, and no more."""
    left = answer.lower()
    for option in sorted(map(str.lower, elements), key=len, reverse=True):
        if option not in left:
            return False
        left = left.replace(option, " ")  # "guilty" is not named by "not guilty"
    return not is_bare or (re.search(r"[^\W\d_]", left) is None and (len(elements) > _TWO or ">" in left))


_OFTEN = 0.2
"""The share of answers that only rank options from which they are ranked."""


def _offering(rows: pl.DataFrame, offered: Callable[[str], object]) -> list[str]:
    """Return the prompt columns of which nearly all texts offer options."""
    columns = {name: rows.get_column(name) for name in rows.columns if _PROMPT.search(plain(name))}
    cells = {name: own.drop_nulls().unique(maintain_order=True).head(_PROMPTS) for name, own in columns.items()}
    shares = {name: [offered(one) is not None for one in own] for name, own in cells.items() if len(own)}
    return [name for name, own in shares.items() if sum(own) >= _NEARLY * len(own)]


_PROMPTS, _NEARLY, _THREE = 50, 0.9, 3
_SIDES = re.compile(r"^[^\[{]*[|;]")


def _settings(options: tuple[str, ...] | str, *, is_from_0: bool = False) -> dict[str, Any]:
    labels = {"labels": "numbers-from-0"} if is_from_0 else {}
    return {"kind": "multiple-choice", "options": options, "undecided": "ignore", **labels}


def _try(kind: Kind, rows: pl.DataFrame, settings: dict[str, Any]) -> pl.DataFrame | None:
    # Not validated: columns of a dump may have names that a study does not allow.
    instrument = kind.model_construct(**kind.model_validate(_settings(("a", "b"))).__dict__ | settings)
    beside = {name: pl.lit(value) for name, value in (("file", ""), ("key", ""), ("status", "ok"))}
    try:
        return instrument.code(rows.with_columns(**beside), {}).responses
    except DataError:
        return None


def _share(
    kind: Kind, rows: pl.DataFrame, options: tuple[str, ...] | str, column: str, *, is_from_0: bool, is_said: bool
) -> float:
    """Return the share of a column's values that choose an option; `is_said`: whether they must say its text."""
    said = rows.filter(pl.col(column).is_not_null() & ~pl.col(column).str.contains(_UNPARSED))
    if said.is_empty() or said.height < rows.height * 0.1:
        return 0.0
    read = _try(kind, said, _settings(options, is_from_0=is_from_0) | {"column": column})
    if read is None:
        return 0.0
    is_said |= not _is_called_answer(column)
    if is_said and (read.get_column("choice_rule") == "option").sum() < _SOME * read.height:
        return 0.0  # letters alone may mean anything
    return share_read(read, "chosen_place")


def _names_as(kind: Kind, rows: pl.DataFrame, options: tuple[str, ...] | str, column: str) -> str | None:
    """Return the notation by which a column names an option in every row; None if it does not."""
    values = rows.get_column(column).drop_nulls()
    if not values.str.contains(r"\S").any():  # tools write an empty target where no answer is right
        return None
    ways = ["letter", "text", "number-from-0", "number"] + ([] if isinstance(options, str) else ["column"])
    if values.str.contains(r"^\s*0+\s*$").any():
        ways.remove("number")
    for way in ways:
        made = _try(kind, rows, _settings(options) | {"column": column, "correct": column, "correct_as": way})
        if made is not None:
            return way
    return None


def proposals(kind: Kind, sample: Sample) -> list[Proposal]:
    """Propose the instrument by columns or a list of options among which the texts choose."""
    dump = sample.responses.drop("file", "key", "status", *(["text"] if sample.text != "text" else []), strict=False)
    texts = dump.select(pl.all().cast(pl.String))
    told = sample.named.get("text")
    # No column holds the texts if they are made of several columns, or of a list.
    told_apart = texts.with_columns(sample.responses.get_column("text"))
    found = look(kind, texts, told) or look(kind, told_apart, told)
    in_words = found is None
    found = found or look(kind, told_apart, told or "text", in_words=True)
    if found is None:
        return []
    read = _try(kind, sample.responses, _settings(found.options, is_from_0=found.is_from_0))
    share = 0.0 if read is None else share_read(read, "chosen_place")
    used = [found.options] if isinstance(found.options, str) else [*found.options]
    used += [name for name in texts.columns if found.right is not None and _is_again(texts, name, found.right[0])]
    form = common_form(found.answers)
    used += found.answers if form else []
    words = _words(kind, texts, found)
    if words.sizes > 1:  # roles need the same number of options in every question
        found = found._replace(roles=())
    used += [name for name, _ in found.roles]
    is_of_two = words.most == _TWO and not found.right
    traits = parallel(texts, found.options) if is_of_two and sample.text not in found.options else {}
    has_words = bool(traits) or (words.same is not None and _are_shuffled(texts, found.options))
    rank = _RANK_OF_TRAITS if has_words and is_of_two else _RANK_OF_TWO if is_of_two else _RANK
    rank = _RANK_IN_WORDS if in_words else rank
    used += [name for columns in traits.values() for name in columns]

    others = [name for name in sample.texts if name not in {"text", sample.text, *used}]
    rows = sample.responses
    asks = (name for name in others if rows.schema[name] == pl.String and _asks_whom(rows, name))
    prompt = None if isinstance(found.options, str) else next(asks, None)

    def draft(made: Draft) -> None:
        draft_choice(found, words, form, made)
        made.instrument |= {"prompt": made.take(prompt)} if prompt else {}
        draft_traits(made, traits, texts)

    return [Proposal("multiple-choice", share, rank, draft, used, is_asked=in_words)]


def _are_shuffled(texts: pl.DataFrame, options: tuple[str, ...] | str) -> bool:
    """Return whether an option stands now in one column and now in another, which says nothing about it."""
    places = [] if isinstance(options, str) else [{*texts.get_column(name).drop_nulls()} for name in options]
    return bool(places) and all(one & other for one in places for other in places)


def _asks_whom(rows: pl.DataFrame, column: str) -> bool:
    """Return whether most prompts end with a question that asks for a person."""
    prompts = rows.get_column(column).drop_nulls().unique(maintain_order=True).head(_PROMPTS).to_frame()
    asked = prompts.select(last_question(column)).to_series()
    return 2 * sum(one is not None and predicate_asked(one) is not None for one in asked) > len(prompts)


def in_columns(kind: Kind, sample: Sample) -> list[Proposal]:
    """Propose the instrument by a list of log-probabilities in each record, one for each of its options."""
    rows = sample.responses.select(pl.exclude("^\0.*$").cast(pl.String)).head(_LOOKED_AT)
    cells = {name: rows.get_column(name).to_list() for name in rows.columns}
    lists = [name for name, own in cells.items() if all(cell is not None and cell.startswith("[") for cell in own)]
    lists = [name for name in lists if not _MEASURED.search(plain(name))]
    told = sample.named.get("scores")
    scores = {name: [len(one) if (one := _numbers(cell)) else 0 for cell in cells[name]] for name in lists}
    scores = {name: sizes for name, sizes in scores.items() if min(sizes) >= _TWO and told in {None, name}}
    for options in [name for name in lists if name not in scores and _lists_texts(rows.get_column(name))]:
        if all({*(listed(cell) or ())} <= {*rows.columns} for cell in cells[options]):  # as lm-eval lists its metrics
            continue
        sizes = [len(listed(cell) or ()) for cell in cells[options]]
        fitting = [name for name, own in scores.items() if own == sizes]
        if not fitting or (told is None and look(kind, rows) is not None):
            continue
        # What was filtered is what the tool took.
        column = min(fitting, key=lambda name: (not name.startswith("filtered"), rows.columns.index(name)))
        return [_scored(kind, rows, (options, column, "{}"), scores)]
    beside = with_scores(sample) if told is None and look(kind, rows) is None else None
    return [_scored(kind, rows, beside, beside[1])] if beside else []


def _scored(
    kind: Kind,
    rows: pl.DataFrame,
    beside: tuple[tuple[str, ...] | str, tuple[str, ...] | str, str],
    used: Iterable[str],
) -> Proposal:
    options, scores, form = beside
    own = [options] if isinstance(options, str) else [*options]
    others = {name: rows.select(*own, name) for name in rows.columns if _RIGHT.search(plain(name)) and name not in own}
    ways = {name: how for name, alone in others.items() if (how := _names_as(kind, alone, options, name))}
    found = Found(options, next(iter(ways.items()), None), ())
    words = _words(kind, rows, found)
    if found.right is not None and words.same and rows.get_column(found.right[0]).n_unique() == 1:
        found = found._replace(right=None)  # of the same options always the same one: no task has this right answer
    draft = partial(draft_scored, found, words, scores, form)
    return Proposal("multiple-choice", 1.0, _RANK - (len(own) > 1), draft, [*own, *used, *ways])


def _numbers(cell: str) -> list[Any] | None:
    found = scored(cell)
    return found if found and all(re.fullmatch(r"[-+]?(\d|\.|inf).*", str(one)) for one in found) else None


def _words(kind: Kind, rows: pl.DataFrame, found: Found) -> Words:
    """Return the names, texts and numbers of options that a draft needs."""
    one = found.options if isinstance(found.options, str) else None
    cells: list[str] = rows.get_column(one).drop_nulls().unique().to_list() if one is not None else []
    lists = pl.DataFrame({"options": [alternatives(cell) or [] for cell in cells]}, {"options": pl.List(pl.String)})
    asked = kind.model_construct(options=found.options, shown=None, scores=None, traits={}, correct=None)
    sizes = {*map(len, lists.get_column("options"))} if cells else {len(found.options)}
    texts = lists.get_column("options").explode() if cells else pl.concat(rows.get_column(one) for one in found.options)
    every = texts.drop_nulls().unique().sort().to_list()
    is_again = len(every) == max(sizes) or len(every) * _AGAIN <= rows.height
    is_same = len(every) <= _FEW and is_again
    unknown = tuple(text for text in every if UNKNOWN.search(text))
    options = names(asked, lists) if cells else []
    return Words(options, every if is_same else None, unknown, len(sizes), max(sizes))


def _is_again(rows: pl.DataFrame, column: str, right: str) -> bool:
    """Return whether a column is that of the right option, or named like one and with the same values."""
    is_named = column == right or _RIGHT.search(plain(column)) is not None
    return is_named and rows.get_column(column).equals(rows.get_column(right), check_names=False)
