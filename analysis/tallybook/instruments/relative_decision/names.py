"""The groups and tasks that a decision may name: where they are listed, and the forms in which it names them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, TypeVar

import polars as pl

from tallybook.core.errors import DataError, Problem, UsageError
from tallybook.instruments.relative_decision.spans import FEMALE, LIGHT, MALE, VERBS
from tallybook.instruments.word_association.names import WITHIN, Index, Tokens, folded
from tallybook.instruments.word_association.stimuli import BETWEEN, Names, cells_of, names_by_kind, sides_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.instruments.relative_decision.instrument import DecisionList, RelativeDecisionInstrument

_Kind = TypeVar("_Kind")
_SHORT = 3
_ELIDED = frozenset("dl")
"""The letter of an article that is part of the token behind it: "l'art"."""
_BEHIND_A_LABEL = (
    r"(?:and|as|being|can|could|deserves?|for|gets?|handles?|has|is|leads?|may|might|must|on|or|ought|receives?|should"
    r"|takes?|the|then|to|wins?|while|will|with|would)"
)
"""The words in lower case behind the letter of a person: other words make it the article "A"."""
_NO_PLURALS = frozenset(("news",))
_KINDS = ("default", "stigma", "positive", "negative")
_EXPECTED = ("a default group", "a stigmatised group", "a positive task", "a negative task")
_OF_SIDES = {"groups": ("default", "stigma"), "tasks": ("positive", "negative")}
"""Kind of names that a side tells apart -> what they are on either."""


class Meaning(NamedTuple):
    """The group or task that a name means."""

    is_group: bool  # whether it is a group, not a task
    is_stigma: bool  # whether the group is stigmatised, or the task negative
    is_part: bool = False  # whether only words of the name are used


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
        self.is_exact = len({*folds[2]}) == len({*folds[3]}) == 1
        every = (_pronouns(folds) if self.is_exact else {}) | _certain(meanings) | spelled | known
        super().__init__(every)
        self.parts = {part: side for part, side in _parts(listed, folds).items() if part not in every}
        self._own = _own_words(folds, listed) if self.is_exact else {}
        self.words = frozenset(self._own)
        self._labels = _labels(listed) if self.is_exact else {}

    def with_labels_in_full(self, text: str) -> str:
        """Write a text with its labels in full: "Candidate A" for "A", and for "the first" where A and B are two."""
        for pattern, name in self._labels.items():
            text = re.sub(pattern, name, text)
        return text

    def match(self, found: Tokens, place: int) -> tuple[Meaning, int] | None:
        """Return what the name at a token means, whole or by words that no other name has, and the token after it."""
        if (whole := super().match(found, place)) is not None or not self._own:
            return whole
        named: set[str] = set()
        meaning, end = None, place
        for at in range(place, len(found.texts)):
            if at > place and found.gaps[at] not in WITHIN:
                break
            text = found.texts[at]
            word = next((one for one in (stem(text), stem(text[1:])) if one in self._own), "")
            own = self._own.get(word) if word == stem(text) or text[0] in _ELIDED else None
            if own is not None and (meaning is None or own[0] == meaning):
                meaning, end = own[0], at + 1
                named.add(word)
            elif at == place or text not in LIGHT:
                break
        if meaning is None:
            return None
        wanted = next(iter(self._own[word][1] for word in named))
        return meaning._replace(is_part=len(wanted) > len(named)), end


def _labels(listed: Names) -> dict[str, str]:
    """Return, for two groups that only a letter or number tells apart, patterns of what stands for each."""
    names = [own[0].split() for own in listed[:2] if len(own) == 1]
    if len(names) != len(listed[:2]) or names[0][:-1] != names[1][:-1] or not names[0][:-1]:
        return {}
    kind, marks = " ".join(names[0][:-1]), [name[-1] for name in names]
    if not all(len(mark) == 1 and mark.isalnum() for mark in marks):
        return {}
    places = zip(("first", "second"), sorted(marks), strict=True) if sorted(marks) in ([*"AB"], [*"12"]) else ()
    ordinals = {rf"(?i)\b(?:the )?{place}(?: {re.escape(kind)}| one)?\b(?! of)": mark for place, mark in places}
    letters = {
        rf"(?<![\w'’.-])(?<!{re.escape(kind)} ){mark}(?![\w'’]|\.\w| (?!{_BEHIND_A_LABEL}\b)[a-z])": mark
        for mark in marks
        if mark.isupper()
    }
    return {pattern: f"{kind} {mark}" for pattern, mark in (ordinals | letters).items()}


def _pronouns(folds: Sequence[Sequence[str]]) -> dict[str, Meaning]:
    """Return the pronouns that mean the one of two groups that are told apart by sex."""
    words = [{word for name in own for word in name.split()} for own in folds[:2]]
    sides = [[not own.isdisjoint(sex) for own in words] for sex in (MALE, FEMALE)]
    if sides not in ([[True, False], [False, True]], [[False, True], [True, False]]):
        return {}
    he, she = (Meaning(is_group=True, is_stigma=own[1]) for own in sides)
    return {"he": he, "him": he, "hed": he, "hes": he, "she": she, "her": she, "shed": she, "shes": she}


def _own_words(folds: Sequence[Sequence[str]], listed: Names) -> dict[str, tuple[Meaning, frozenset[str]]]:
    """Return the stems of words that only one name has, what it means, and those of them that mean all of it.

    Of "leads the budget planning" these are "budget" and "planning": a verb before an article says little. Persons
    are called by parts of their names, see `_parts`.
    """
    kinds: list[tuple[Meaning, list[str]]] = []
    for place, own in enumerate(folds):
        is_group, is_stigma = place < len(folds) // 2, bool(place % 2)
        is_person = is_group and all(word[0].isupper() for name in listed[place] for word in name.split())
        if len({*own}) == 1 and not is_person and (" " in own[0] or not own[0].endswith("ing")):
            kinds.append((Meaning(is_group=is_group, is_stigma=is_stigma), pieces(own[0])))
    counts = Counter(word for _, words in kinds for word in {stem(one) for one in words})
    made: dict[str, tuple[Meaning, frozenset[str]]] = {}
    for meaning, words in kinds:
        is_phrase = len(words) > 1 and words[1] in LIGHT
        heads = [stem(word) for word in words[is_phrase:] if word not in LIGHT]
        wanted = frozenset(word for word in heads if counts[word] == 1)
        verb = {stem(words[0])} - {stem(one) for one in LIGHT | VERBS} if is_phrase else set[str]()
        made |= {word: (meaning, wanted or frozenset(verb)) for word in wanted | verb if counts[word] == 1}
    return made


def pieces(name: str) -> list[str]:
    """Split a folded name into words; in Chinese, of two characters each."""
    if len(name) > _SHORT and not len(name) % 2 and all(one >= "\u3000" for one in name):
        return [name[at : at + 2] for at in range(0, len(name), 2)]
    return name.split()


def stem(word: str) -> str:
    """Return a word without the ending by which its forms differ.

    >>> [stem(word) for word in ("planning", "plans", "parties", "party", "organised", "organize", "kochen", "kocht")]
    ['plan', 'plan', 'parti', 'parti', 'organi', 'organi', 'koch', 'koch']
    >>> [stem(word) for word in ("direct", "directs", "directing")]
    ['direct', 'direct', 'direct']
    """
    word = re.sub(r"(?<=..)y$", "i", word.replace("z", "s"))
    short = re.sub(r"(?:(?<=....)(?:ing|ed|es|en|et|e|(?<![acfinou])t)|(?<=...)(?<!s)s)$", "", word)
    short = short.removesuffix("s") if len(short) > _SHORT and short[-2:] != "ss" else short
    return short[:-1] if len(short) > _SHORT and short[-1] == short[-2] != "s" else short


def _certain(meanings: Mapping[str, set[_Kind]]) -> dict[str, _Kind]:
    """Return the forms that have exactly one meaning."""
    return {form: next(iter(of)) for form, of in meanings.items() if len(of) == 1}


def _forms(name: str) -> Iterator[str]:
    """Yield other forms of a folded name: as one word or initials, in singular or plural, its first word in "ing"."""
    *first, last = name.split()
    yield from (" ".join((*first, other)) for other in _numbers(last))
    if len(first) > 1:  # "CFO"
        yield "".join(word[0] for word in name.split())
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
