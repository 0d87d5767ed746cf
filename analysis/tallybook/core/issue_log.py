"""What is wrong with data and keeps nothing from being checked: however much it is, little of it is in memory."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Self, cast

import polars as pl

from tallybook.core.errors import Problem
from tallybook.core.spill_buffer import RowStore

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

MOST = 2**16
"""How many problems of one kind are gathered before they are put away."""

_SHARE = 4
"""How small the stores of problems are beside those of responses."""

_SCHEMA = dict.fromkeys((field.name for field in fields(Problem) if field.name != "count"), pl.String)
_NUMBERED = r"^(?:(row|line|record) ([1-9][0-9]{0,17})|row ([1-9][0-9]{0,17}), line ([1-9][0-9]{0,17}))$"
_ROW_AND_LINE = "row, line"
_WORD, _NUMBER, _LINE, _PLACE = "_word", "_number", "_line", "_place"


def as_frame(problems: Iterable[Problem] | pl.DataFrame) -> pl.DataFrame:
    """Make a frame of problems; halves of surrogate pairs become escapes."""
    if isinstance(problems, pl.DataFrame):
        return problems.select(list(_SCHEMA))
    every = list(problems)
    return pl.DataFrame([_texts(name, [getattr(one, name) for one in every]) for name in _SCHEMA])


def _texts(name: str, texts: list[str]) -> pl.Series:
    try:
        return pl.Series(name, texts, dtype=pl.String)
    except UnicodeEncodeError:
        return pl.Series(name, [text.encode(errors="backslashreplace").decode() for text in texts], dtype=pl.String)


def extend(kept: list[Problem], more: Sequence[Problem]) -> None:
    """Add problems to others that stop a run: of very many the first are kept, and the last of these counts the rest.

    >>> kept = [Problem("a.csv", f"row {number}", "age", "", "a value") for number in range(MOST)]
    >>> extend(kept, [Problem("a.csv", "row x", "age", "", "a value", count=2)])
    >>> len(kept) - MOST, kept[-1].count
    (0, 3)
    """
    room = max(0, MOST - len(kept))
    kept += more[:room]
    if rest := sum(one.count for one in more[room:]):
        kept[-1] = replace(kept[-1], count=kept[-1].count + rest)
        kept += [replace(one, count=0) for one in more[room:] if one.is_unreadable]


class Findings:
    """Problems in their order that stop nothing, in temporary files once they are many.

    >>> findings = Findings([Problem("a.csv", "row 2", "age", "", "a value")])
    >>> findings.extend(findings)
    >>> len(findings), findings == [Problem("a.csv", "row 2", "age", "", "a value")] * 2
    (2, True)
    """

    def __init__(
        self,
        problems: Iterable[Problem] | pl.DataFrame | Self = (),
        scratch: Path | None = None,
        *,
        beside: RowStore | None = None,
    ) -> None:
        """Begin with some problems; temporary files may end with another store's."""
        self._store = RowStore(scratch, share=_SHARE, beside=beside)
        self._number = 0
        self.extend(problems)

    def __len__(self) -> int:
        return self._number

    def __iter__(self) -> Iterator[Problem]:
        return (Problem(*row) for part in self.parts() for row in part.iter_rows())

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Iterable) and list(self) == list(cast("Iterable[object]", other))

    __hash__ = None  # pyright: ignore[reportAssignmentType]  it grows

    def extend(self, problems: Iterable[Problem] | pl.DataFrame | Self) -> None:
        """Add problems, a frame of them, or other findings."""
        for part in problems.parts() if isinstance(problems, Findings) else [as_frame(problems)]:
            self._number += self._store.add(part).height if part.height else 0

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield all problems in their order, some at a time."""
        return self._store.parts()

    def close(self) -> None:
        """Remove temporary files."""
        self._store.close()


class Tolerated:
    """Problems put down one after the other, in temporary files once they are many.

    >>> tolerated = Tolerated()
    >>> tolerated.add([Problem("a.csv", "row 2", "age", "odl", "one of old, young")])
    >>> tolerated.named().among(pl.DataFrame({"file": ["a.csv", "a.csv"], "key": ["row 2", "row 22"]})).to_list()
    [True, False]
    """

    def __init__(self, scratch: Path | None = None) -> None:
        """Begin without problems."""
        self._store = RowStore(scratch, share=_SHARE)
        self._of_files: set[tuple[str, ...]] = set()
        self._number = 0

    def __len__(self) -> int:
        return self._number

    def add(self, problems: Iterable[Problem] | pl.DataFrame) -> None:
        """Add problems, or a frame of them, each once."""
        frame = as_frame(problems).unique(maintain_order=True)
        of_files = frame.filter(pl.col("key") == "").rows()
        if any(row in self._of_files for row in of_files):
            known = pl.DataFrame([row for row in of_files if row in self._of_files], schema=_SCHEMA, orient="row")
            frame = frame.join(known, on=list(_SCHEMA), how="anti", maintain_order="left")
        self._of_files.update(of_files)
        self._number += self._store.add(frame).height if frame.height else 0

    def parts(self) -> Iterator[pl.DataFrame]:
        """Yield all problems in their order, some at a time."""
        return self._store.parts()

    def named(self) -> Named:
        """Get the records that have problems by now."""
        return Named(part.select("file", "key") for part in self.parts())

    def close(self) -> None:
        """Remove temporary files."""
        self._store.close()


class Named:
    """Records named by file and key, most of them in a few bytes each: keys that are numbers are kept as such."""

    def __init__(self, parts: Iterable[pl.DataFrame]) -> None:
        """Gather records."""
        numbered: dict[tuple[str, str], list[pl.DataFrame]] = {}
        self._others: dict[str, list[pl.Series]] = {}
        for part in parts:
            for (file, word), keys in _numbers(part.filter(pl.col("key") != "")):
                if word:
                    numbered.setdefault((file, word), []).append(keys.select(_columns(word)))
                else:
                    self._others.setdefault(file, []).append(keys.get_column("key"))
        self._numbered: dict[tuple[str, str], pl.DataFrame] = {}
        for place in list(numbered):
            self._numbered[place] = self._ordered(place[0], pl.concat(numbered.pop(place)))

    def _ordered(self, file: str, keys: pl.DataFrame) -> pl.DataFrame:
        """Sort numbered keys."""
        if _LINE in keys.columns:  # a record begins in one line, if all is well
            keys = keys.unique()
            is_alone = ~keys.get_column(_NUMBER).is_duplicated()
            texts = keys.filter(~is_alone).select(pl.format("row {}, line {}", _NUMBER, _LINE)).to_series()
            self._others.setdefault(file, []).append(texts)
            keys = keys.filter(is_alone)
        return keys.sort(_NUMBER).rechunk()

    def among(self, rows: pl.DataFrame) -> pl.Series:
        """Tell which rows are named."""
        named = [pl.Series(dtype=pl.UInt32)]
        for (file, word), keys in _numbers(rows.select("file", "key").with_row_index(_PLACE)):
            places = keys.get_column(_PLACE)
            if (file, word) in self._numbered:
                named.append(places.filter(_is_among(keys, self._numbered[file, word])))
            if file in self._others:
                others = pl.concat(self._others[file]).implode()
                named.append(places.filter(keys.get_column("key").is_in(others)))
        return pl.repeat(value=False, n=rows.height, eager=True).scatter(pl.concat(named), values=True)


def _numbers(rows: pl.DataFrame) -> Iterator[tuple[tuple[str, str], pl.DataFrame]]:
    """Split rows by file and by what their keys count: `row`, `line`, `record`, `row, line` or nothing."""
    groups = pl.col("key").str.extract_groups(_NUMBERED)
    word, number, row, line = (groups.struct.field(name) for name in ("1", "2", "3", "4"))
    split = rows.with_columns(
        pl.when(line.is_not_null()).then(pl.lit(_ROW_AND_LINE)).otherwise(word.fill_null("")).alias(_WORD),
        pl.coalesce(number, row).cast(pl.Int64).alias(_NUMBER),
        line.cast(pl.Int64).alias(_LINE),
    )
    for (file, kind), keys in split.partition_by(["file", _WORD], as_dict=True, maintain_order=True).items():
        yield (str(file), str(kind)), keys


def _columns(word: str) -> list[str]:
    return [_NUMBER, _LINE] if word == _ROW_AND_LINE else [_NUMBER]


def _is_among(keys: pl.DataFrame, known: pl.DataFrame) -> pl.Series:
    """Tell whether numbered keys are among known ones, which are in order."""
    if not known.height:
        return pl.repeat(value=False, n=keys.height, eager=True)
    place = known.get_column(_NUMBER).search_sorted(keys.get_column(_NUMBER), side="left").clip(0, known.height - 1)
    found = known.select(pl.all().gather(place))
    return (found == keys.select(known.columns)).fold(lambda one, other: one & other)
