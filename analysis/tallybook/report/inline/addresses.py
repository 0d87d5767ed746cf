"""The addresses by which running text refers to estimates: `estimates.ANALYSIS.LEVELS.TERM.WHAT`."""

from __future__ import annotations

import difflib
import re
from contextlib import contextmanager
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.core.errors import ReportError
from tallybook.core.safe_paths import check_file
from tallybook.core.untrusted import printable
from tallybook.core.wording import shortened
from tallybook.report.inline.apa import Parts, markdown, parts, plain
from tallybook_schemas.vocabulary import CODED_STATUSES

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator, Mapping, Sequence
    from pathlib import Path

    import polars as pl

    from tallybook.report.inline.apa import Pieces
    from tallybook.study.model import Study
    from tallybook.tables.parts import Row

PREFIX = "estimates"
"""The first part of every address."""

_NAMED = re.compile(r"(?<!\{)\{\{<\s*var\s+([^\s>]+)\s*>\}\}")
_NOT_NAMED = re.compile(r"[^\w-]+")
_SHOWN = 3
_LENGTH = 300  # maximum length of an address or a phrase in a list


class Found(NamedTuple):
    """An estimate and its address without the last part, which selects a part of the phrase."""

    address: tuple[str, ...]
    estimate: Row


class Addresses:
    """An index of a study's estimates by address.

    An address consists of the analysis, the level of each factor that it splits by, in its order, the outcome if the
    analysis has several, and the term if it has several; for a ranking the rank. Within each part, any character other
    than a letter, digit, `_` or `-` is replaced by `-`.
    """

    def __init__(self, study: Study, estimates: pl.DataFrame) -> None:
        """Build the index of estimates."""
        self._study = study
        self._of: dict[str, list[Found]] = {}
        for name in study.analyses:
            rows = estimates.filter(analysis=name).to_dicts()
            self._of[name] = [Found(address, row) for address, row in zip(_named(study, name, rows), rows, strict=True)]

    def __iter__(self) -> Iterator[Found]:
        """Yield all estimates, in their order."""
        for found in self._of.values():
            yield from found

    def phrase(self, address: str) -> Pieces:
        """Return the phrase, or part of it, that an address refers to.

        `address`: The address. Parts between the analysis and the last one may be omitted as long as only one estimate
        has the given parts, in their order.
        """
        analysis, wanted, what = taken_apart(address, list(self._of))
        own = self._of[analysis]
        exact = [one for one in own if list(one.address[2:]) == wanted]
        found = exact or [one for one in own if _contains_in_order(one.address[2:], wanted)]
        if len(found) != 1:
            raise ReportError(self._not_one(address, wanted, found or own, is_none=not found))
        return getattr(parts(self._study, found[0].estimate), what)

    def _not_one(self, address: str, wanted: list[str], candidates: list[Found], *, is_none: bool) -> str:
        told = [".".join(one.address) for one in candidates]
        if is_none:
            near = difflib.get_close_matches(".".join([PREFIX, *wanted]), told, _SHOWN, 0.0)
            return f"{printable(address, 200)}: there is no such estimate; near it: {printable(', '.join(near), 400)}"
        shown = shortened((printable(one, 200) for one in told), _SHOWN)
        return f"{printable(address, 200)}: {len(told)} estimates could be meant: {shown}"


def listed(
    study: Study, estimates: pl.DataFrame, words: Sequence[str] = (), others: Mapping[str, str] = MappingProxyType({})
) -> dict[str, str]:
    """Map the addresses that contain all of the words, of estimates and `others`, to what stands there."""
    phrases = ((".".join((*address, "apa")), one) for address, one in Addresses(study, estimates))
    every = chain(others.items(), ((address, plain(parts(study, one).apa)) for address, one in phrases))
    return {
        printable(address, _LENGTH): printable(text, _LENGTH)
        for address, text in every
        if all(word.casefold() in address.casefold() for word in words)
    }


def taken_apart(address: str, analyses: list[str]) -> tuple[str, list[str], str]:
    """Split an address into the analysis, the parts that select an estimate, and the requested part of its phrase."""
    prefix, _, rest = address.partition(".")
    analysis, *between = rest.split(".")
    if prefix != PREFIX or analysis not in analyses:
        raise ReportError(f"{printable(address, 200)}: no analysis is named so{_near(analysis, analyses)}")
    if not between or between[-1] not in Parts._fields:
        last = between[-1] if between else analysis
        raise ReportError(
            f"{printable(address, 200)}: the last part is {printable(last)!r}; expected one of "
            f"{', '.join(Parts._fields)}"
        )
    return analysis, between[:-1], between[-1]


def check_address(study: Study, address: str) -> None:
    """Refuse an address that cannot exist for any data, before anything is computed."""
    name, wanted, _ = taken_apart(address, list(study.analyses))
    analysis = study.analyses[name]
    terms = analysis.terms(study)
    if terms is None or analysis.is_ranking:
        return
    levels = [level for factor in analysis.by if factor in study.factors for level in study.factors[factor].levels]
    known = [_NOT_NAMED.sub("-", one).strip("-") or "other" for one in (*levels, *study.outcomes, *terms)]
    for part in wanted:
        if part not in known and _NUMBERED.sub("", part) not in known:
            raise ReportError(
                f"{printable(address, 200)}: {name} has no level or term {printable(part)!r}{_near(part, known)}"
            )


_NUMBERED = re.compile(r"-\d+$")
"""The suffix that distinguishes levels or terms with the same name."""


def _named(study: Study, name: str, rows: list[Row]) -> list[tuple[str, ...]]:
    """Return the addresses of an analysis's estimates; names that would coincide are numbered from the second on."""
    analysis = study.analyses[name]
    has_outcomes = len({row["outcome"] for row in rows}) > 1
    has_terms = analysis.is_ranking or len({row["term"] for row in rows}) > 1
    names: dict[tuple[str, str], str] = {}
    taken: set[tuple[str, str]] = set()

    def part(kind: str, value: str | None) -> str:
        text = value or "none"
        if (kind, text) not in names:
            slug = _NOT_NAMED.sub("-", text).strip("-") or "other"
            number = 1
            while (kind, chosen := slug if number == 1 else f"{slug}-{number}") in taken:
                number += 1
            taken.add((kind, chosen))
            names[kind, text] = chosen
        return names[kind, text]

    addresses: list[tuple[str, ...]] = []
    for row in rows:
        between = [part(factor, row[factor]) for factor in analysis.by if factor != "outcome"]
        between += [part("outcome", row["outcome"])] if has_outcomes else []
        if has_terms:
            is_ranked = analysis.is_ranking and row["statistic"] is not None
            between.append(f"{row['statistic']:.0f}" if is_ranked else part("term", row["term"]))
        addresses.append((PREFIX, name, *between))
    return addresses


def _contains_in_order(address: tuple[str, ...], wanted: list[str]) -> bool:
    """Return whether the address contains the wanted parts in order."""
    rest = iter(address)
    return all(part in rest for part in wanted)


def _near(name: str, names: list[str]) -> str:
    near = difflib.get_close_matches(name, names, 1)
    return f"; did you mean {near[0]}?" if near else ""


def named_estimates(study: Study, estimates: pl.DataFrame, narrative: Path) -> dict[str, Any]:
    """Return the estimates that a narrative refers to with `{{< var estimates... >}}`.

    Only these become variables: a study may have many thousands of estimates, and Quarto reads all variables for every
    document.
    """
    found: dict[str, Any] = {}
    addresses: Addresses | None = None
    for place, address in _variables(narrative):
        if not address.startswith(f"{PREFIX}."):
            continue
        addresses = addresses or Addresses(study, estimates)
        with _errors_at(place):
            text = markdown(addresses.phrase(address))
        if not _put(found, address.split(".")[1:], text):
            raise ReportError(
                f"{place}: {address}: it ends within another address that the narrative names, or goes on"
            )
    return found


def analyses_named(narrative: Path) -> set[str]:
    """Return the analyses whose estimates a narrative refers to."""
    return {address.split(".")[1] for _, address in _variables(narrative) if address.startswith(f"{PREFIX}.")}


def check_narrative(study: Study, narrative: Path) -> None:
    """Refuse misspelt variables in a narrative before anything is computed."""
    kinds = ("study", "responses", "tables", PREFIX, *(("numbers",) if study.numbers else ()))
    kinds += ("comparison", "statistics") if study.published is not None else ()
    known = {"study": ("name", "title"), "numbers": tuple(study.numbers), "tables": ("count",)}
    known["responses"] = ("all", "unusable", "design", *CODED_STATUSES)
    for place, name in _variables(narrative):
        kind, _, rest = name.partition(".")
        with _errors_at(place):
            if kind == PREFIX:
                check_address(study, name)
            elif kind not in kinds or rest not in known.get(kind, (rest,)):
                every = [*(f"{one}.{own}" for one in kinds for own in known.get(one, ())), *kinds]
                near = _near(name, [one for one in every if one != name]) or f"; expected one of {', '.join(kinds)}"
                raise ReportError(f"unknown variable {printable(name, 200)}{near}")


@contextmanager
def _errors_at(place: str) -> Generator[None]:
    """Prefix the messages of report errors with a place."""
    try:
        yield
    except ReportError as error:
        raise ReportError(f"{place}: {error}") from error


def _put(found: dict[str, Any], parts: list[str], text: str) -> bool:
    """Insert a text at a path of nested names; return False if a text is in the way, or would replace nested names."""
    first, *rest = parts
    if not rest:
        return not isinstance(found.setdefault(first, text), dict)
    inner = found.setdefault(first, {})
    return isinstance(inner, dict) and _put(cast("dict[str, Any]", inner), rest, text)


def _variables(narrative: Path) -> Iterator[tuple[str, str]]:
    """Yield every variable in the narrative's documents with its place."""
    for path in sorted(narrative.rglob("*.qmd")):
        name = path.relative_to(narrative).as_posix()
        if any(part.startswith(".") for part in path.relative_to(narrative).parts):
            continue  # hidden files belong to editors
        check_file(path, narrative.parent)
        try:
            lines = path.read_text(encoding="utf-8-sig").splitlines()
        except UnicodeDecodeError as error:
            raise ReportError(f"{name}: not UTF-8 at byte {error.start}") from None
        for number, line in enumerate(lines, start=1):
            for match in _NAMED.finditer(line):
                yield f"{name}:{number}", match[1]
