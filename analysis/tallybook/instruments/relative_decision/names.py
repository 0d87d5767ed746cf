"""The groups and tasks that a decision may name: where they are listed, and the forms in which it names them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, TypeVar

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments.word_association.names import Index, folded
from tallybook.instruments.word_association.stimuli import BETWEEN, Names, cells_of, names_by_kind, sides_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.instrument import DecisionList, RelativeDecisionInstrument

_Kind = TypeVar("_Kind")
_SHORT = 3
_NO_PLURALS = frozenset(("news",))
_KINDS = ("default", "stigma", "positive", "negative")
_EXPECTED = ("a default group", "a stigmatised group", "a positive task", "a negative task")
_OF_SIDES = {"groups": ("default", "stigma"), "tasks": ("positive", "negative")}
"""Kind of names that a side tells apart -> what they are on either."""


class Meaning(NamedTuple):
    """The group or task that a name means."""

    is_group: bool  # whether it is a group, not a task
    is_stigma: bool  # whether the group is stigmatised, or the task negative


class KnownNames(Index[Meaning]):
    """The groups and tasks of a dataset, indexed for searching.

    They are also found in the singular or plural, with a possessive "s", and, if a name of several words begins with a
    verb, with the "ing" form of that verb.

    Attributes:
        parts: Part of a person's name, where the text writes it with a capital -> whether the person is of a
            stigmatised group.
        is_exact: Whether there is one task of each kind, so that every mention is one of the prompt's task.

    >>> from tallybook.instruments.word_association.names import tokens_of
    >>> from tallybook.instruments.word_association.stimuli import Names
    >>> found = KnownNames(Names(["Carl Roth"], ["Ada Lind"], ["cooks"], ["study law"]), {})
    >>> [found.match(tokens_of(text), 0)[0].is_group for text in ("cook", "cook's", "studying law", "carl roth's")]
    [False, False, False, True]
    >>> found.parts["lind"], found.is_exact
    (True, True)
    """

    def __init__(self, listed: Names, spellings: Mapping[str, str]) -> None:
        """Index the listed names and their other forms.

        `spellings`: Another spelling -> the listed name; spellings of names that are not listed here are ignored.
        """
        kinds = [Meaning(is_group=group, is_stigma=stigma) for group in (True, False) for stigma in (False, True)]
        folds = [folded(own) for own in listed]
        known = {form: meaning for forms, meaning in zip(folds, kinds, strict=True) for form in forms}
        spelled = {
            form: known[name]
            for form, name in zip(folded(spellings), folded(spellings.values()), strict=True)
            if form and form not in known and name in known
        }
        meanings: dict[str, set[Meaning]] = {}
        for form, meaning in (known | spelled).items():
            for other in _forms(form):
                meanings.setdefault(other, set()).add(meaning)
        every = _certain(meanings) | spelled | known
        super().__init__(every)
        self.parts = {part: side for part, side in _parts(listed, folds).items() if part not in every}
        self.is_exact = len({*folds[2]}) == len({*folds[3]}) == 1


def _certain(meanings: Mapping[str, set[_Kind]]) -> dict[str, _Kind]:
    """Return the forms that have exactly one meaning."""
    return {form: next(iter(of)) for form, of in meanings.items() if len(of) == 1}


def _forms(name: str) -> Iterator[str]:
    """Yield other forms of a folded name: as one word, in singular or plural, and with its first word in "ing"."""
    *first, last = name.split()
    yield from (" ".join((*first, other)) for other in _numbers(last))
    if first:
        yield name.replace(" ", "")
        yield " ".join((f"{first[0]}ing", *first[1:], last))
        if first[0].endswith("e"):
            yield " ".join((f"{first[0][:-1]}ing", *first[1:], last))


def _numbers(word: str) -> Iterator[str]:
    """Yield a word with a plural or possessive "s", and in the singular."""
    yield f"{word}s"
    for end, plural in (("man", "men"), ("y", "ies")):
        if word.endswith(end):
            yield word.removesuffix(end) + plural
    if word.endswith(("s", "x", "z", "ch", "sh", "o")):
        yield f"{word}es"
    if len(word) <= _SHORT or word.endswith("ss") or not word.endswith("s") or word in _NO_PLURALS:
        return
    yield word[:-1]
    if word.endswith("ies"):
        yield f"{word[:-3]}y"
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        yield word[:-2]


def _parts(listed: Names, folds: Sequence[Sequence[str]]) -> dict[str, bool]:
    """Return the parts of fully capitalised names, also with a possessive "s", without initials."""
    sides: dict[str, set[bool]] = {}
    for is_stigma in (False, True):
        for name, form in zip(listed[is_stigma], folds[is_stigma], strict=True):
            words = name.split()
            if len(words) > 1 and all(word[0].isupper() for word in words):
                for part in (token for token in form.split() if len(token) >= _SHORT):
                    sides.setdefault(part, set()).add(is_stigma)
                    sides.setdefault(f"{part}s", set()).add(is_stigma)
    return _certain(sides)


def known_names(
    responses: pl.DataFrame,
    instrument: RelativeDecisionInstrument,
    lists: pl.DataFrame | None,
    listed_names: Sequence[pl.DataFrame] = (),
) -> tuple[pl.Series, Mapping[str, KnownNames]]:
    """Return the key of each response's names, and the indexed names by key."""
    keys = _keys(responses, instrument).alias("names")
    rows = responses.select("file", "key").with_columns(keys).unique("names", keep="first", maintain_order=True)
    places = {key: (file, row) for file, row, key in rows.iter_rows()}
    sides: dict[str, bool] = {}
    problems: list[Problem] = []
    if instrument.sides is not None:
        if lists is None:
            raise UsageError(f"instrument.sides: {instrument.sides.file} was not read")
        sides, problems = sides_of(lists, instrument.sides)
    listed: dict[str, Names] = {}
    if instrument.columns is not None:
        listed = {key: names_by_kind(key) for key in places}
    elif instrument.lists:
        listed, lost = _of_files(places, instrument, sides, listed_names)
        problems += lost
    else:
        known = {key: Names(*(getattr(own, kind) for kind in _KINDS)) for key, own in instrument.names.items()}
        listed = {key: known[key] for key in places if key in known}
        expected = f"one of {', '.join(known)}"
        problems = [
            Problem(*place, instrument.dataset or "", key, expected)
            for key, place in places.items()
            if key not in known
        ]
    columns = _KINDS if instrument.columns is None else tuple(instrument.columns.model_dump().values())
    problems += [problem for key, own in listed.items() for problem in _faults(*places[key], columns, own)]
    if problems:
        raise DataError(list(dict.fromkeys(problems)))
    return keys, {key: KnownNames(own, instrument.spellings) for key, own in listed.items()}


def _keys(responses: pl.DataFrame, instrument: RelativeDecisionInstrument) -> pl.Series:
    """Return the key of each response's names: its cells of groups and tasks, or its dataset."""
    if instrument.columns is not None:
        columns: tuple[str, ...] = tuple(instrument.columns.model_dump().values())
    else:
        columns = () if instrument.dataset is None else (instrument.dataset,)
    cells = [pl.col(column).cast(pl.String).fill_null("").str.strip_chars() for column in columns]
    only = pl.repeat(next(iter(instrument.names), ""), pl.len(), dtype=pl.String)
    keys = responses.select(pl.concat_str(cells, separator=BETWEEN) if cells else only).to_series()
    return keys.replace(instrument.aliases) if instrument.aliases else keys


def _of_files(
    places: Mapping[str, tuple[str, str]],
    instrument: RelativeDecisionInstrument,
    sides: Mapping[str, bool],
    files: Sequence[pl.DataFrame],
) -> tuple[dict[str, Names], list[Problem]]:
    """Return the names that files list for the datasets of responses, and the problems found."""
    if len(files) != len(instrument.lists):
        raise UsageError("instrument.lists: the files were not read")
    rows = [frame.with_columns(pl.col("dataset").replace(instrument.aliases)) for frame in files]
    known = {dataset for frame in rows for dataset in frame.get_column("dataset").drop_nulls()}
    listed: dict[str, Names] = {}
    problems: list[Problem] = []
    for dataset, place in places.items():
        if dataset not in known:
            expected = f"one of {', '.join(sorted(known))}"
            problems.append(Problem(*place, instrument.dataset or "", dataset, expected))
            continue
        names: dict[str, list[str]] = {kind: [] for kind in _KINDS}
        for declared, frame in zip(instrument.lists, rows, strict=True):
            if declared.only is None or dataset in declared.only:
                own = frame.filter(pl.col("dataset").is_in([dataset, *declared.also.get(dataset, ())]))
                problems += _add(names, declared, own, sides)
        if dataset in instrument.names_beside:
            for kind in _KINDS:
                names[kind] += getattr(instrument.names_beside[dataset], kind)
        # Each name once, whatever its case.
        listed[dataset] = Names(*([*dict(zip(folded(own), own, strict=True)).values()] for own in names.values()))
    return listed, problems


def _add(
    names: dict[str, list[str]], declared: DecisionList, rows: pl.DataFrame, sides: Mapping[str, bool]
) -> Iterator[Problem]:
    """Add the names in the rows of a file; yield a problem for each name that needs a side and has none."""
    for kind, headers in declared.headers.items():
        for place, header in enumerate(headers, start=1):
            for row, cell in rows.select("row", f"{kind}_{place}").drop_nulls().iter_rows():
                for name in cells_of(cell):
                    side = sides.get(folded([name])[0]) if kind in _OF_SIDES else False
                    if side is None:
                        yield Problem(declared.file, row, header, name, "a name that has a side")
                    else:
                        names[_OF_SIDES[kind][side] if kind in _OF_SIDES else kind].append(name)


def _faults(file: str, row: str, columns: tuple[str, ...], listed: Names) -> Iterator[Problem]:
    """Yield a problem for each kind without names, name without letters or digits, and name of two kinds."""
    kinds = [list(own) for own in listed]
    forms = [folded(own) for own in kinds]
    for number, (column, own) in enumerate(zip(columns, kinds, strict=True)):
        if not own:
            yield Problem(file, row, column, "", _EXPECTED[number])
        for name, form in zip(own, forms[number], strict=True):
            later = [other for other in range(number + 1, len(forms)) if form in forms[other]]
            if not form:
                yield Problem(file, row, column, name, "letters or digits")
            elif later:
                yield Problem(file, row, column, name, f"a name that is not {_EXPECTED[later[0]]} as well")
