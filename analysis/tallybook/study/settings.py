"""Changes of study-file settings from the command line: `--set dotted.key=value`."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.core.wording import expectation, value_text
from tallybook.study.base import each_alone, each_itself
from tallybook.study.locations import node_at, settings_of, table_at, value_at
from tallybook.study.model import schema_of_models
from tallybook.study.names import title
from tallybook.study.usual import expand_usual

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.study.locations import Path
    from tallybook.study.usual import Faults, Places

_PLACE = re.compile(r"(?<=[^.])(\[\d{1,9}\])(?=\.|$)")
"""The position of a table in a list, as in messages: `tables[1]`."""


class Changed(NamedTuple):
    """A setting that the command line changed."""

    path: Path  # the setting
    told: str  # how it was changed, as `key=value`


def apply_settings(content: dict[str, Any], settings: Sequence[str] = ()) -> tuple[list[Changed], Places, Faults]:
    """Expand the abbreviations of a study file in place, and change settings by dotted keys.

    Tables in lists are addressed by `id` or position; `*` stands for every table. Returns the changed settings, and the
    places and faults of usual tables and figures.
    """
    _expand_names(content)
    is_shown = {one: one.lstrip().startswith(("tables.", "figures.", "tables[", "figures[")) for one in settings}
    changed = [Changed(path, one) for one in settings if not is_shown[one] for path in _apply(content, one)]
    _expand_names(content)
    places, faults = expand_usual(content)
    changed += [Changed(path, one) for one in settings if is_shown[one] for path in _apply(content, one)]
    return changed, places, faults


def _expand_names(content: dict[str, Any]) -> None:
    """Expand lists of names and paths of columns into tables, and add labels made from names."""
    factors = table_at(content, "factors")
    factors |= {name: {"levels": one} for name, one in factors.items() if isinstance(one, list)}
    for part, setting, values in (("factors", "levels", each_itself), ("outcomes", "labels", each_alone)):
        for called in table_at(content, part):
            table = table_at(content, part, called)
            table.setdefault("label", title(called))
            names = cast("list[object]", table[setting]) if isinstance(table.get(setting), list) else []
            differ = len({*map(str, names)}) == len(names)  # otherwise the check of the study reports it
            if names and differ and all(isinstance(name, str) for name in names):
                table[setting] = values(cast("list[str]", names))
    sources = content.get("sources")
    for place in range(len(cast("list[Any]", sources)) if isinstance(sources, list) else 0):
        columns = table_at(content, "sources", place, "columns")
        columns |= {name: {"path": one} for name, one in columns.items() if isinstance(one, str)}


def _apply(content: dict[str, Any], setting: str) -> list[Path]:
    """Change one setting in every table that its key matches."""

    def refusal(why: str) -> UsageError:
        return UsageError(f"--set {printable(setting)}: {why}")

    key, sign, text = setting.partition("=")
    *way, last = key.strip().split(".")
    if not sign or not last:
        raise refusal("expected key=value, such as style.rounding=half-up")
    schema = schema_of_models()
    tables: list[Path] = [()]
    for part in _PLACE.sub(r".\1", ".".join(way)).split(".") if way else ():
        inner = [path for table in tables for path in _tables_in(content, table, schema)]
        there = [path for path in inner if value_at(content, path) is not None]
        tables = there if part == "*" else [path for path in inner if part in _names(content, path)]
        if not tables:
            known = dict.fromkeys(_names(content, path)[0] for path in there)
            raise refusal(f"there is no table {value_text(part)}; {expectation(part, known)}")
    tables = [path for path in tables if isinstance(value_at(content, path) or {}, dict)]
    if "*" in way:
        can_have = {path: settings_of(node_at(content, path, schema)) for path in tables}
        tables = [path for path in tables if last in {*(value_at(content, path) or {}), *can_have[path]}]
        if not tables:
            known = dict.fromkeys(name for names in can_have.values() for name in names)
            raise refusal(f"no table matched by '*' can have {value_text(last)}; {expectation(last, known)}")
    if not tables:
        raise refusal("expected one of several tables to be named, or all by '*'")
    for path in tables:
        table: Any = content
        for part in path:
            table = table[part] if isinstance(part, int) else table.setdefault(part, {})
        table[last] = _value(text)
    return [(*path, last) for path in tables]


def _value(text: str) -> object:
    """Parse a value as TOML; text that is not exactly one TOML value is used as a string."""
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        parsed = {}
    return parsed["value"] if list(parsed) == ["value"] else text.strip()


def _tables_in(content: dict[str, Any], table: Path, schema: dict[str, Any]) -> Iterator[Path]:
    """Yield the paths of the tables and lists of tables within a table or list, present or possible."""
    value = value_at(content, table)
    if isinstance(value, list):
        every = cast("list[object]", value)
        yield from ((*table, place) for place, one in enumerate(every) if isinstance(one, dict))
        return
    named = cast("dict[str, Any]", value or {})
    for name, one in named.items():
        if isinstance(one, dict) or (
            isinstance(one, list) and any(isinstance(each, dict) for each in cast("Any", one))
        ):
            yield (*table, name)
    for name in settings_of(node_at(content, table, schema)):
        inner = node_at(content, (*table, name), schema)
        if name not in named and ("discriminator" in inner or inner.get("type") == "object"):
            yield (*table, name)


def _names(content: dict[str, Any], path: Path) -> list[str]:
    """List the ways a key can name a table: in a list by its `id` and by its position."""
    if isinstance(path[-1], str):
        return [path[-1]]
    identifier = value_at(content, (*path, "id"))
    return [*([identifier] if isinstance(identifier, str) else []), f"[{path[-1] + 1}]"]
