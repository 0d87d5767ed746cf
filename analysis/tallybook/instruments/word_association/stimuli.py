"""The groups and words that are listed for each dataset: in a file, in columns of the responses, or by sides."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, NamedTuple, cast

from tallybook.core.errors import DataError, Problem
from tallybook.instruments.word_association.names import Role, Valence, Vocabulary, folded

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    import polars as pl

    from tallybook.instruments.word_association.instrument import WordAssociationInstrument, WordLists, WordSides

BETWEEN = "\x1f"
"""The separator of cells that are joined into one."""
_ENTRY = re.compile(r"""'((?:[^'\\]|\\.)*+)'|"((?:[^"\\]|\\.)*+)"|([^\s,\[\]'"][^,\[\]]*+)""")
"""An entry of a list as Python writes it."""


class Names(NamedTuple):
    """The names that are listed for the prompts of a dataset: groups, and words or tasks."""

    default: Sequence[str]  # default groups
    stigma: Sequence[str]  # stigmatised groups
    positive: Sequence[str]
    negative: Sequence[str]


class Listed(NamedTuple):
    """The entries of a list for one dataset."""

    place: tuple[str, str, str]  # file, key and column in which its faults are reported
    own: Names  # its names where labels are `own`
    pooled: Names  # its names where labels are `pooled`
    # what a prompt may have given: words, and words apart that it gives or omits together
    asked: Sequence[tuple[Sequence[str], Sequence[str]]]


class Asked(NamedTuple):
    """Words that a prompt may have given."""

    words: frozenset[str]  # the folded words
    apart: frozenset[str] = frozenset()  # words that a prompt gives or omits together

    def is_answered(self, words: set[str]) -> bool:
        """Return whether these words include all that were given."""
        if not self.words:
            return self.apart <= words
        return self.words <= words and (self.apart <= words or not self.apart & words)


class Stimuli(NamedTuple):
    """The known groups and words of all datasets."""

    own: Mapping[str, Vocabulary]  # dataset -> the vocabulary of its own lists
    pooled: Vocabulary  # the vocabulary of all lists together
    asked: Mapping[str, tuple[Asked, ...]]  # dataset -> what its prompts may have given


def stimuli(
    lists: Mapping[str, Listed], instrument: WordAssociationInstrument, problems: Sequence[Problem] = ()
) -> Stimuli:
    """Build the vocabularies of the listed names; a name on both sides counts as default or positive."""
    is_own = any(scoring.labels == "own" for scoring in instrument.scorings.values())
    faults = [*problems, *(fault for listed in lists.values() for fault in _faults(listed, is_own=is_own))]
    if faults:
        raise DataError(faults)

    def vocabulary(every: Sequence[Names]) -> Vocabulary:
        roles: dict[str, Role] = {group: "default" for names in every for group in names.default}
        valences: dict[str, Valence] = {word: "positive" for names in every for word in names.positive}
        roles |= {group: "stigma" for names in every for group in names.stigma if group not in roles}
        valences |= {word: "negative" for names in every for word in names.negative if word not in valences}
        return Vocabulary(roles, valences, instrument.spellings)

    own = {name: vocabulary([listed.own]) for name, listed in lists.items()}
    asked = {
        name: tuple(Asked(frozenset(folded(words)), frozenset(folded(apart))) for words, apart in listed.asked)
        for name, listed in lists.items()
    }
    return Stimuli(own, vocabulary([listed.pooled for listed in lists.values()]), asked)


def of_file(rows: pl.DataFrame, instrument: WordAssociationInstrument) -> tuple[dict[str, Listed], list[Problem]]:
    """Return the lists of a file by dataset, and the problems found.

    Dataset, with aliases resolved -> its lists; and a problem for each row without a dataset, and for each column of
    words that cannot be cut into halves where the scorings do so.
    """
    declared = instrument.lists
    if declared is None:
        raise ValueError("the instrument declares no lists")
    problems: list[Problem] = []
    datasets: dict[str, list[dict[str, str | None]]] = {}
    for row in rows.iter_rows(named=True):
        if row["dataset"] is not None:
            datasets.setdefault(dataset_of(row["dataset"], instrument.aliases), []).append(row)
        elif any(cell for name, cell in row.items() if name != "row"):
            problems.append(Problem(declared.file, row["row"], declared.dataset, "", "a dataset"))
    listed = {name: _listed(name, own, declared) for name, own in datasets.items()}
    labels = {scoring.labels for scoring in instrument.scorings.values()}
    problems += [problem for one in listed.values() for problem in _uneven_columns(one, declared, labels)]
    return listed, problems


def of_columns(rows: pl.DataFrame) -> dict[str, Listed]:
    """Return the lists in columns of the responses, by dataset: the joined cells."""
    return {row["dataset"]: _of_prompt(row, names_by_kind(row["dataset"])) for row in _first_of_each(rows)}


def of_sides(rows: pl.DataFrame, declared: WordSides, prompts: pl.DataFrame) -> tuple[dict[str, Listed], list[Problem]]:
    """Return the lists of a file of sides for each prompt, and the problems found.

    Dataset -> its lists; and a problem for each name on both sides, and for each name of a prompt on neither.
    """
    sides, problems = sides_of(rows, declared)
    listed: dict[str, Listed] = {}
    for row in _first_of_each(prompts):
        found: dict[str, tuple[list[str], list[str]]] = {"groups": ([], []), "words": ([], [])}
        for kind, (first, second) in found.items():
            names = cells_of(row[kind])
            for name, form in zip(names, folded(names), strict=True):
                if form in sides:
                    (second if sides[form] else first).append(name)
                else:
                    place = row["file"], row["key"], f"prompt.{kind}"
                    problems.append(Problem(*place, name, f"a name in {declared.file}"))
        listed[row["dataset"]] = _of_prompt(row, Names(*found["groups"], *found["words"]))
    return listed, problems


def _first_of_each(prompts: pl.DataFrame) -> Iterable[dict[str, str]]:
    return prompts.unique("dataset", keep="first", maintain_order=True).iter_rows(named=True)


def _of_prompt(row: Mapping[str, str], names: Names) -> Listed:
    return Listed((row["file"], row["key"], ""), names, names, [([*names.positive, *names.negative], ())])


def sides_of(rows: pl.DataFrame, declared: WordSides) -> tuple[dict[str, bool], list[Problem]]:
    """Return folded names -> whether they are negative or stigmatised, and a problem for each name on both sides."""
    positive, negative = ({*folded(rows.get_column(side).drop_nulls())} - {""} for side in ("positive", "negative"))
    problems = [
        Problem(declared.file, "", declared.negative, name, f"a name that is not in {declared.positive}")
        for name in sorted(positive & negative)
    ]
    return dict.fromkeys(positive, False) | dict.fromkeys(negative, True), problems


def dataset_of(name: str, aliases: Mapping[str, str]) -> str:
    """Return the dataset that a name stands for, with aliases resolved."""
    return aliases.get(name.strip(), name.strip())


def names_of(cell: str | None) -> list[str]:
    r"""Parse the names in a cell: a list in brackets, or names between semicolons or commas.

    >>> names_of("['ice cream', \"didn't do it\"]"), names_of("good, bad"), names_of(None)
    (['ice cream', "didn't do it"], ['good', 'bad'], [])
    """
    text = (cell or "").strip()
    if text.startswith("["):
        try:
            value: object = json.loads(text)
        except (ValueError, RecursionError):
            value = ["".join(found).replace("\\", "") for found in _ENTRY.findall(text)]
        names = [str(entry).strip() for entry in cast("list[object]", value if isinstance(value, list) else [])]
    else:
        names = [name.strip() for name in text.split(";" if ";" in text else ",")]
    return [name for name in names if name]


def names_by_kind(cells: str) -> Names:
    """Return the names in four joined cells, one for each kind."""
    return Names(*map(names_of, cells.split(BETWEEN)))


def cells_of(cells: str | None) -> list[str]:
    """Return the names in joined cells."""
    return [name for cell in (cells or "").split(BETWEEN) for name in names_of(cell)]


def _listed(dataset: str, rows: Sequence[Mapping[str, str | None]], declared: WordLists) -> Listed:
    """Cut each column of words into halves; for the dataset's `own` labels, the words apart are set aside first."""

    def column(name: str) -> list[str]:
        return [text for row in rows if (text := row[name]) is not None]

    apart = declared.apart
    sides = {} if apart is None else dict.fromkeys(folded(apart.negative), 1) | dict.fromkeys(folded(apart.positive), 0)
    own: tuple[list[str], list[str]] = ([], [])
    pooled: tuple[list[str], list[str]] = ([], [])
    asked: list[tuple[list[str], list[str]]] = []
    for number in range(1, len(declared.words) + 1):
        words = column(f"words_{number}")
        names = dict(zip(words, folded(words), strict=True))
        within = [word for word in words if names[word] not in sides]
        asked.append((within, [word for word in words if names[word] in sides]))
        for halves, cut in ((pooled, words), (own, within)):
            halves[0].extend(cut[: len(cut) // 2])
            halves[1].extend(cut[len(cut) // 2 :])
        for word in asked[-1][1]:
            own[sides[names[word]]].append(word)
    groups = column("default"), column("stigma")
    place = (declared.file, str(rows[0]["row"]), dataset)
    return Listed(place, Names(*groups, *own), Names(*groups, *pooled), asked)


def _uneven_columns(listed: Listed, declared: WordLists, labels: set[str]) -> Iterable[Problem]:
    """Yield a problem for each column of words that cannot be cut into halves."""
    for header, (within, apart) in zip(declared.words, listed.asked, strict=True):
        number = len(within) + len(apart)
        if ("pooled" in labels and number % 2) or ("own" in labels and len(within) % 2):
            told = f"{number} words, {len(apart)} of them apart"
            file, row, dataset = listed.place
            expected = f"for {dataset}, an even number of words without and with those apart"
            yield Problem(file, row, header, told, expected)


def _faults(listed: Listed, *, is_own: bool) -> list[Problem]:
    """List the faults of a dataset's lists: no names, names without letters, names on both sides."""
    names = listed.own
    words = [*names.positive, *names.negative]
    kinds = (("a default group", names.default), ("a stigmatised group", names.stigma), ("words", words))
    faults = [("", expected) for expected, own in kinds if not own]
    every = [*names.default, *names.stigma, *words]
    faults += [(name, "letters or digits") for name, form in zip(every, folded(every), strict=True) if not form]
    for first, second, expected in (
        (names.default, names.stigma, "a group that is either default or stigmatised"),
        (names.positive, names.negative, "a word that is either positive or negative"),
    ):
        both = sorted({*folded(first)} & {*folded(second)})
        faults += [(name, expected) for name in both if name and is_own]
    return [Problem(*listed.place, name, expected) for name, expected in faults]
