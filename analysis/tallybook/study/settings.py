"""Settings of a study file that are changed from the command line: `--set dotted.key=value`."""

from __future__ import annotations

import re
import tomllib
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from tallybook.core.errors import UsageError
from tallybook.core.untrusted import printable
from tallybook.core.wording import expectation, value_text
from tallybook.study.base import each_alone, each_itself
from tallybook.study.descriptions import settings_of
from tallybook.study.locations import node_at, value_at
from tallybook.study.model import schema_of_models

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tallybook.study.lines import Path

_ELEMENT = re.compile(r"(.+)\[(\d{1,9})\]")
"""A table of a list as messages show it: `tables[1]`."""


class Changed(NamedTuple):
    """A setting that the command line changed."""

    path: Path  # the setting
    told: str  # how it was changed, as `key=value`


def apply_settings(content: dict[str, Any], settings: Sequence[str]) -> list[Changed]:
    """Change settings by dotted keys; lists are addressed by `id` or position, `*` stands for every table."""
    if settings:
        _write_out(content)
    return [Changed(path, setting) for setting in settings for path in _apply(content, setting)]


def _write_out(content: dict[str, Any]) -> None:
    """Make tables of lists of names and of paths of columns, so that keys lead into them."""
    for part, setting, values in (("factors", "levels", each_itself), ("outcomes", "labels", each_alone)):
        for table in _tables(content.get(part)):
            names = cast("list[object]", table[setting]) if isinstance(table.get(setting), list) else []
            if names and all(isinstance(name, str) for name in names):
                table[setting] = values(cast("list[str]", names))
    for source in _tables(content.get("sources")):
        columns = cast("dict[str, object]", source["columns"]) if isinstance(source.get("columns"), dict) else {}
        columns |= {name: {"path": one} for name, one in columns.items() if isinstance(one, str)}


def _tables(value: object) -> list[dict[str, Any]]:
    every = [*cast("dict[str, object]", value).values()] if isinstance(value, dict) else value
    found = cast("list[object]", every) if isinstance(every, list) else []
    return [cast("dict[str, Any]", one) for one in found if isinstance(one, dict)]


def _apply(content: dict[str, Any], setting: str) -> list[Path]:
    """Change one setting wherever its key leads."""
    *way, last = setting.partition("=")[0].strip().split(".")
    if "=" not in setting or not last:
        raise UsageError(f"--set {printable(setting)}: expected key=value, such as style.rounding=half-up")
    schema = schema_of_models()
    tables: list[Path] = [()]
    for part in (step for named in way for step in _steps(named)):
        inner = [path for table in tables for path in _tables_in(content, table, schema)]
        tables = [path for path in inner if _is_called(content, path, part)]
        if not tables:
            known = dict.fromkeys(_name(content, path) for path in inner if value_at(content, path) is not None)
            raise UsageError(
                f"--set {printable(setting)}: there is no table {value_text(part)}; {expectation(part, known)}"
            )
    tables = [path for path in tables if isinstance(value_at(content, path) or {}, dict)]
    if "*" in way:
        can_have = {path: settings_of(node_at(content, path, schema)) for path in tables}
        tables = [path for path in tables if last in {*(value_at(content, path) or {}), *can_have[path]}]
        if not tables:
            known = dict.fromkeys(name for names in can_have.values() for name in names)
            raise UsageError(
                f"--set {printable(setting)}: no table matched by '*' can have {value_text(last)}; "
                f"{expectation(last, known)}"
            )
    if not tables:
        raise UsageError(f"--set {printable(setting)}: expected one of several tables to be named, or all by '*'")
    value = _value(setting)
    for path in tables:
        _table_at(content, path)[last] = value
    return [(*path, last) for path in tables]


def _value(setting: str) -> object:
    """Get the value as TOML; text that says none, or more than one, is taken as it stands."""
    text = setting.partition("=")[2]
    try:
        parsed = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        parsed = {}
    return parsed["value"] if list(parsed) == ["value"] else text.strip()


def _steps(part: str) -> tuple[str, ...]:
    """Split a part of a key from the list position that it may name."""
    found = _ELEMENT.fullmatch(part)
    return (part,) if found is None else (found[1], f"[{found[2]}]")


def _tables_in(content: dict[str, Any], table: Path, schema: dict[str, Any]) -> Iterator[Path]:
    """Get the tables, and lists of tables, that stand in a table or list, and those that could."""
    value = value_at(content, table)
    if isinstance(value, list):
        every = cast("list[object]", value)
        yield from ((*table, place) for place, one in enumerate(every) if isinstance(one, dict))
        return
    named = cast("dict[str, object]", value or {})
    yield from ((*table, name) for name, one in named.items() if isinstance(one, dict) or _holds_tables(one))
    node = node_at(content, table, schema)
    for name in settings_of(node):
        inner = node_at(content, (*table, name), schema)
        if name not in named and ("discriminator" in inner or inner.get("type") == "object"):
            yield (*table, name)


def _holds_tables(value: object) -> bool:
    return isinstance(value, list) and any(isinstance(one, dict) for one in cast("list[object]", value))


def _name(content: dict[str, Any], path: Path) -> str:
    """Name a table as a key does: one of a list by its `id`, or its place."""
    if isinstance(path[-1], str):
        return path[-1]
    identifier = value_at(content, (*path, "id"))
    return identifier if isinstance(identifier, str) else f"[{path[-1] + 1}]"


def _is_called(content: dict[str, Any], path: Path, part: str) -> bool:
    if part == "*":  # tables that are not there have no name to be called by
        return value_at(content, path) is not None
    return part == _name(content, path) or (isinstance(path[-1], int) and part == f"[{path[-1] + 1}]")


def _table_at(content: dict[str, Any], path: Path) -> dict[str, Any]:
    """Get a table of the content, made if absent."""
    table: Any = content
    for part in path:
        table = table[part] if isinstance(part, int) else table.setdefault(part, {})
    return table
