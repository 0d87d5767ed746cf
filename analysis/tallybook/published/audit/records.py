"""Parsing of printed tables into records: the numbers of a row or of a group of its columns, by role."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tallybook.published.audit.numbers import NUMBER, all_numbers, parse, plain
from tallybook.published.audit.roles import BESIDE, CI, SIZE, of_header
from tallybook.published.audit.settings import Row

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from tallybook.published.audit.numbers import Printed
    from tallybook.published.audit.settings import Table

_FRACTION = re.compile(r"(\d+)\s*(?:/|of|out of)\s*(\d+)\b")
_LIMITS = re.compile(rf"[\[(]\s*({NUMBER})\s*%?\s*(?:,|;|to|-|\.\.)\s*({NUMBER})\s*%?\s*[\])]?", re.IGNORECASE)
_NUMBER = rf"\s*({NUMBER})\s*"
_RELATION = rf"\s*([<>=≤≥])\s*({NUMBER})"
_P = rf"[,;]?\s*(?:MSE\s*=\s*{NUMBER}\s*[,;]\s*)?(?:p{_RELATION}|n\.?s\b)"
_REPORTED = {
    "t": re.compile(rf"\bt\s*\({_NUMBER}\)\s*=\s*({NUMBER})\s*{_P}", re.IGNORECASE),
    "f": re.compile(rf"\bF\s*\({_NUMBER},{_NUMBER}\)\s*=\s*({NUMBER})\s*{_P}"),
    "chi2": re.compile(
        rf"(?:(?:χ|X|x|chi)\s*[\^_-]?(?:2|sq(?:uare)?)|\bQ)\s*\({_NUMBER}(?:,\s*[Nn]\s*=\s*\d+\s*)?\)\s*=\s*({NUMBER})\s*{_P}"
    ),
    "r": re.compile(rf"\br\s*\({_NUMBER}\)\s*=\s*({NUMBER})\s*{_P}", re.IGNORECASE),
    "z": re.compile(rf"\bz\s*=\s*({NUMBER})\s*{_P}", re.IGNORECASE),
}
_LINKED = (
    r"(?:(?P<name>\b[A-Za-zβΔ]+(?:'s)?(?:\s[A-Za-z]{1,5})?)\s*=\s*|"
    r"(?:\d\d\s?%\s*)?\b(?:CI|confidence interval)\s*[:=]?\s*)"
    rf"[\[(]?\s*(?P<value>{NUMBER})(?:\s*(?:,|;|to)\s*(?P<high>{NUMBER})\s*[\])])?\*{{0,3}}"
)
_LINK = re.compile(_LINKED)
_ONE_OF_CHAIN = re.sub(r"\?P<\w+>", "?:", _LINKED)
_CHAIN = re.compile(rf"{_ONE_OF_CHAIN}(?:\s*[,;(]\s*{_ONE_OF_CHAIN})+")
"""Two or more named numbers in a row: `OR = 1.92, 95% CI [1.08, 3.41]`."""

_ENCLOSED = re.compile(
    rf"[(\[]\s*{NUMBER}\s*%?(?:\s*(?:,|;|to)\s*{NUMBER}\s*%?)?\s*[)\]]\s*\^?\*{{0,4}}", re.IGNORECASE
)
_COUNT_AND_SHARE = re.compile(r"\d+\s*\(\s*\d+(?:\.\d+)?\s*%\s*\)")
_WITH_ENCLOSED = re.compile(rf"{NUMBER}\s*\^?\*{{0,4}}\s*[(\[].*[)\]]\s*\^?\*{{0,4}}", re.IGNORECASE)
_WORDS = {
    "standard errors?|std\\.? ?err(?:ors?)?\\.?|s\\.?e\\.?s?|ses": "se",
    "standard deviations?|std\\.? ?dev(?:iations?)?\\.?|s\\.?d\\.?s?|sds": "sd",
    "t[ -]?(?:statistics?|stats?|values?|ratios?)": "t",
    "z[ -]?(?:statistics?|stats?|values?|scores?)": "z",
    "p[ -]?values?": "p",
    "(?:\\d\\d ?% ?)?(?:confidence intervals?|cis?)": "ci",
    "percentages?|percents?|%": "percent",
}
_SAID = {
    re.compile(
        rf"\b(?:{names})(?:\s+[a-z]+){{0,6}}?\s+(?:in|within|between)\s+(?:\w+\s+)?(?:parenthes[ei]s|brackets)",
        re.IGNORECASE,
    ): BESIDE.get(role, ("estimate", role))
    for names, role in _WORDS.items()
}
"""Phrases in a caption or note about numbers in parentheses -> the roles of a cell's numbers."""
_NOTES = {"note", "notes", "corrected", "comment", "source"}
"""Headers of columns with notes."""


@dataclass
class Record:
    """The numbers of one row that belong together."""

    file: str
    table: str
    place: str  # the place of the row in its file
    row: str  # the labels of the row
    column: str = ""  # the header that the numbers share
    numbers: dict[str, Printed] = field(default_factory=dict[str, "Printed"])  # role -> number
    columns: dict[str, str] = field(default_factory=dict[str, str])  # role -> header of its column


def merged(table: Table) -> Table:
    """Merge rows of numbers in parentheses with the rows above them."""
    rows: list[Row] = []
    for row in table.rows:
        if rows and not row.cells[0] and _is_below(row.cells, rows[-1].cells):
            above = rows[-1]
            cells = [f"{one} {below}".strip() for one, below in zip(above.cells, row.cells, strict=True)]
            rows[-1] = Row(above.place, cells)
        else:
            rows.append(row)
    return table._replace(rows=rows)


def _is_below(cells: Sequence[str], above: Sequence[str]) -> bool:
    if len(cells) != len(above):
        return False
    pairs = [(plain(cell), plain(one)) for cell, one in zip(cells[1:], above[1:], strict=True) if cell]
    return bool(pairs) and all(_ENCLOSED.fullmatch(cell) and len(all_numbers(one)) == 1 for cell, one in pairs)


def is_heading(row: Row) -> bool:
    """Return whether a row is a heading for the rows below it: one cell alone, or one across the whole width."""
    first, *others = row.cells
    return bool(first and others) and (not any(others) or {*others} == {first}) and parse(first) is None


def of_cells(cells: Sequence[str], caption: str) -> tuple[str, ...]:
    """Return the roles of a column, judged by its cells, if these hold two or three numbers each."""
    most = len(cells) * 2 / 3
    if sum(bool(_COUNT_AND_SHARE.fullmatch(cell)) for cell in cells) >= most:
        return ("count", "percent")
    if not any(_WITH_ENCLOSED.fullmatch(cell) for cell in cells):
        return ()
    return next((roles for pattern, roles in _SAID.items() if pattern.search(caption)), ())


def size_of(texts: Sequence[str]) -> str:
    """Return the number of responses that headers or labels give, as in `Women (n = 40)`; empty unless unique."""
    sizes = {found["n"] or found["last"] for text in texts for found in SIZE.finditer(plain(text))}
    return sizes.pop() if len(sizes) == 1 else ""


def roles_of(table: Table, declared: Mapping[str, str]) -> list[tuple[str, ...]]:
    """Return the roles of each column, from the declaration, the header or the cells."""
    roles: list[tuple[str, ...]] = []
    for place, header in enumerate(table.headers):
        names = (*header[::-1], " ".join(header), "")
        given = next((declared[name] for name in names if name in declared), "")
        roles.append((given,) if given else _found(table, place, header))
    if any("count" in role for role in roles) and ("n",) not in roles:
        roles = [("n",) if not role and _is_total(table, place) else role for place, role in enumerate(roles)]
    if {("mean",), ("f",)} <= set(roles) and not any("sd" in role or "df" in role for role in roles):
        # M and F without a deviation or degrees of freedom stand for male and female.
        roles = [() if role in {("mean",), ("f",)} else role for role in roles]
    return roles


def _found(table: Table, place: int, header: list[str]) -> tuple[str, ...]:
    cells = [plain(row.cells[place]) for row in table.rows if place < len(row.cells) and row.cells[place]]
    found = next((roles for text in (*header[-1:], " ".join(header)) if (roles := of_header(text))), ())
    if found in (("name",), ("value",)):
        return found
    numbers = sum(bool(re.search(r"\d", cell)) for cell in cells)
    if not cells or numbers * 2 < len(cells):
        return ()
    if found == ("proportion",) and any(one.value > 1 or one.is_percent for one in map(parse, cells) if one):
        return ("percent",)
    are_single = sum(parse(cell) is not None for cell in cells) * 2 > len(cells)
    if len(found) > 1:
        return () if are_single else found
    if not found or not are_single:
        beside = of_cells(cells, table.caption)
        found = (*(found or beside[:1]), *beside[1:])
    if not found and sum("%" in cell for cell in cells) * 2 > len(cells):
        return ("percent",)
    return found


def _is_total(table: Table, place: int) -> bool:
    numbers = [parse(row.cells[place]) for row in table.rows if place < len(row.cells) and row.cells[place]]
    header = table.headers[place][-1].casefold() if table.headers[place] else ""
    return header == "total" and all(number is not None and number.is_whole for number in numbers)


def records(table: Table, declared: Mapping[str, str]) -> Iterator[Record]:
    """Yield the records of a table; a role that recurs begins another group of columns."""
    roles = roles_of(table, declared)
    if ("name",) in roles and ("value",) in roles:
        yield from _long(table, roles)
        return
    groups = _groups(roles)
    labels = [place for place, role in enumerate(roles) if not role or role == ("label",)]
    heading = ""
    for row in table.rows:
        if is_heading(row):
            heading = row.cells[0]
            continue
        label = ", ".join(part for part in (heading, _label(row, labels)) if part)
        for group in groups:
            record = Record(table.file, table.name, row.place, label, _spanner(table, group, groups))
            for place in group:
                if place < len(row.cells):
                    _read_cell(record, row.cells[place], roles[place], " ".join(table.headers[place]))
            if record.numbers:
                headers = [" ".join(table.headers[place]) for place in group]
                _add(record, "n", size_of(headers) or size_of([label]), headers[0])
                yield record


def _groups(roles: list[tuple[str, ...]]) -> list[list[int]]:
    places = [place for place, role in enumerate(roles) if role and role[0] not in {"name", "value", "label", "ignore"}]
    often = {role for place in places for role in roles[place] if sum(role in other for other in roles) > 1}
    shared = [place for place in places if not often & set(roles[place])]
    groups: list[list[int]] = []
    seen: set[str] = set()
    for place in places:
        if place in shared and often:
            continue
        if not groups or seen & set(roles[place]):
            groups.append([])
            seen = set()
        groups[-1].append(place)
        seen |= set(roles[place])
    # Columns whose role occurs once are shared by all groups, but a group's own number of responses takes precedence.
    return [sorted([*group, *(shared if often else [])]) for group in groups] or ([shared] if shared else [])


def _spanner(table: Table, group: list[int], groups: list[list[int]]) -> str:
    if len(groups) <= 1:
        return ""
    own = [place for place in group if sum(place in other for other in groups) == 1]
    spanned = {" ".join(table.headers[place][:-1]) for place in own}
    return next(iter(spanned)) if len(spanned) == 1 and "" not in spanned else " ".join(table.headers[own[0]])


def _label(row: Row, places: list[int]) -> str:
    return ", ".join(dict.fromkeys(row.cells[place] for place in places if place < len(row.cells) and row.cells[place]))


def _read_cell(record: Record, cell: str, roles: tuple[str, ...], header: str) -> None:
    text = plain(cell)
    fraction, limits = _FRACTION.search(text), _LIMITS.search(text)
    if fraction:
        # "12/50 (24%)" gives count, n and percentage.
        _add(record, "count", fraction[1], header)
        _add(record, "n", fraction[2], header)
        rest = text.replace(fraction[0], " ")
        if "%" in rest and (numbers := all_numbers(rest)):
            _add(record, "percent", numbers[0], header)
    elif limits and (roles[-2:] == CI or not set(CI) & set(roles)):
        outside = (text[: limits.start()] + " " + text[limits.end() :]).strip()
        if roles[-2:] == CI or outside:
            _add(record, "ci_low", limits[1], header)
            _add(record, "ci_high", limits[2], header)
        if outside and roles[0] not in CI:
            _add(record, roles[0], outside, header)
    else:
        _read_numbers(record, text, roles, header)


def _read_numbers(record: Record, text: str, roles: tuple[str, ...], header: str) -> None:
    number, numbers = parse(text), all_numbers(text)
    if len(roles) == 1 and number is not None:
        role = "percent" if number.is_percent and roles[0] in {"proportion", "count"} else roles[0]
        _add(record, role, text, header)
    elif len(roles) == 1 and re.search(r"\([^()]*%\s*\)", text):
        roles = ("count" if roles[0] == "n" else roles[0], "percent")
    elif roles == ("n", "percent"):
        roles = ("count", "percent")
    if len(roles) > 1 and len(numbers) == len(roles):
        for role, one in zip(roles, numbers, strict=True):
            _add(record, role, one, header)


def _add(record: Record, role: str, text: str, header: str) -> None:
    number = parse(text)
    if number is not None and role not in record.numbers:
        record.numbers[role] = number
        record.columns[role] = header


def _long(table: Table, roles: list[tuple[str, ...]]) -> Iterator[Record]:
    """Yield the records of a table with one number per row, grouped by their labels."""
    name, value = roles.index(("name",)), roles.index(("value",))
    # Only label columns define which numbers belong together: others are notes on single numbers.
    keys = [
        place for place, role in enumerate(roles) if place not in {name, value} and role in {(), ("label",), ("n",)}
    ]
    keys = [place for place in keys if " ".join(table.headers[place]).casefold() not in _NOTES]
    gathered: dict[tuple[str, ...], Record] = {}
    for row in table.rows:
        if max(name, value) >= len(row.cells):
            continue
        key = tuple(row.cells[place] if place < len(row.cells) else "" for place in keys)
        record = gathered.get(key)
        if record is None:
            record = gathered[key] = Record(table.file, table.name, row.place, _label(row, keys))
            for place, role in enumerate(roles):
                if role == ("n",) and place < len(row.cells):
                    _read_cell(record, row.cells[place], role, table.headers[place][-1])
        role = of_header(row.cells[name].replace("_", " "))
        if role and role[0] not in {"name", "value"}:
            _read_cell(record, row.cells[value], role, row.cells[name])
    yield from gathered.values()


def reported(passages: Sequence[str], file: str) -> Iterator[Record]:
    """Yield the tests that a text reports, such as t(24) = 2.31, p = .03 (statcheck's patterns)."""
    for number, passage in enumerate(passages, start=1):
        text = plain(passage)
        for kind, pattern in _REPORTED.items():
            for found in pattern.finditer(text):
                *values, relation, p = found.groups()
                record = Record(file, "text", f"paragraph {number}", found[0].strip())
                names = {"f": ("df", "df2", "f"), "z": ("z",)}.get(kind, ("df", kind))
                for role, value in zip(names, values, strict=True):
                    _add(record, role, value, role)
                _add(record, "p", relation + p if p else "> .05", "p")  # "ns" is p > .05
                yield record


def reported_estimates(passages: Sequence[str], file: str) -> Iterator[Record]:
    """Yield the estimates that a text reports with related numbers, such as b = 0.65, SE = 0.29."""
    for number, passage in enumerate(passages, start=1):
        for found in _CHAIN.finditer(plain(passage)):
            record = Record(file, "text", f"paragraph {number}", found[0].strip())
            for one in _LINK.finditer(found[0]):
                name = one["name"] or "ci"
                roles = of_header(name) or of_header(name.split()[-1])
                if len(roles) == 1 or roles == CI:
                    for role, value in zip(roles, one.group("value", "high"), strict=False):
                        _add(record, role, value or "", role)
            yield record
